// SPDX-License-Identifier: Apache-2.0
/* Lines of what a launcher has printed: reports, and what else nodes say. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet.h"
#include "print.h"
#include "util/array.h"
#include "util/util.h"

enum { HELD = 10000, HELD_BYTES = 300 };

/* A line that is no report, until it is known who prefixes lines here. */
struct held {
	char *text; /* owned */
	size_t prefix; /* bytes of it */
	char *name; /* owned: the prefix; NULL: none */
	bool sure; /* a launcher itself has named the node */
};

struct reader {
	struct fleet *fleet;
	struct held *held; /* owned */
	size_t count, room;
};

/* False: that was the last one. */
static bool next_line(FILE *stream, struct la_strbuf *line, bool *cut)
{
	char c;
	int got;

	line->length = 0;
	*cut = false;
	while ((got = getc(stream)) != EOF && got != '\n') {
		c = (char)got;
		if (line->length < FLEET_LINE_BYTES)
			la_strbuf_add(line, &c, 1);
		else
			*cut = true;
	}
	return got != EOF || line->length;
}

static bool is_name(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("._-", text[i]))
			return false;
	return length && length <= FLEET_NAME_BYTES;
}

/*
 * Bytes of "NAME: ", as of srun -l, clush and pdsh, or of "[pod/NAME/...] ", as
 * of kubectl logs --prefix; with the name.  0: there is none.
 */
static size_t read_prefix(const char *text, const char **name, size_t *length)
{
	size_t n = strcspn(text, "]"), first;

	*name = text;
	*length = strcspn(text, ": \t");
	if (text[*length] == ':' && is_name(text, *length)) {
		n = *length + 1;
		return n + strspn(text + n, " \t");
	}
	if (*text != '[' || text[n] != ']' || strncmp(text, "[pod/", 5))
		return 0;
	first = strlen("[pod/");
	*name = text + first;
	*length = strcspn(*name, "/]");
	n++;
	return is_name(*name, *length) ? n + strspn(text + n, " \t") : 0;
}

/*
 * What launchers say of nodes, which they may name as a list: "srun: error:
 * n[1-2]: tasks 0-1: Exited with exit code 2".  Bytes up to "Exited", or 0.
 */
static size_t read_launcher(const char *text, const char **name, size_t *length)
{
	static const struct {
		const char *said, *then; /* before the node, and behind it */
	} launchers[] = {
		{ "srun: error: ", ": task" },
		{ "clush: ", ": " },
		{ "pdsh@", ": " },
	};
	const char *at;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(launchers); i++) {
		at = text + strlen(launchers[i].said);
		if (strncmp(text, launchers[i].said, (size_t)(at - text)))
			continue;
		if (at[-1] == '@') /* and the host that it runs on */
			at += strcspn(at, " ") + (strchr(at, ' ') != 0);
		*name = at;
		*length = strcspn(at, ": ");
		at += *length;
		if (!*length ||
		    strncmp(at, launchers[i].then, strlen(launchers[i].then)))
			return 0;
		at += 2;
		if (!i && strstr(at, ": "))
			at = strstr(at, ": ") + 2;
		return (size_t)(at - text);
	}
	return 0;
}

static void hold(struct reader *reader, const char *text)
{
	size_t n, length;
	struct held *held;
	const char *name;

	if (reader->count == HELD ||
	    grow_array(&reader->held, &reader->room, reader->count,
		       sizeof(*reader->held)) < 0) {
		reader->fleet->other_lines++;
		return;
	}
	held = &reader->held[reader->count++];
	n = read_launcher(text, &name, &length);
	held->sure = n;
	if (!n)
		n = read_prefix(text, &name, &length);
	held->name = n ? strndup(name, length) : NULL;
	held->prefix = n;
	held->text = strndup(text, n + HELD_BYTES);
	if (!held->text || (n && !held->name))
		reader->fleet->failed = true;
}

/* Of a line that names no node, the line itself. */
static void add_bad_report(struct fleet *fleet, const struct fleet_line *line,
			   const char *name, const char *why)
{
	struct la_strbuf place = { 0 };

	la_strbuf_addf(&place, "%s:%zu", line->file, line->number);
	fleet->failed |= place.failed;
	fleet_add_error(fleet, *name ? name : la_strbuf_text(&place), why);
	la_strbuf_release(&place);
}

/* Will an answer that comes now not be held? */
static bool is_over(const struct fleet *fleet)
{
	return fleet->failed || fleet->full;
}

static bool is_number(const char *text)
{
	return !text[strspn(text, "0123456789")];
}

static void take_line(struct reader *reader, const struct fleet_line *line)
{
	const char *at, *why = "its report is too long";
	char name[FLEET_NAME_BYTES + 1] = "";
	size_t length, n = read_prefix(line->text, &at, &length);

	if (line->text[n] != '{') {
		if (line->text[strspn(line->text, " \t\r")])
			hold(reader, line->text);
		return;
	}
	if (n)
		snprintf(name, sizeof(name), "%.*s", (int)length, at);
	/* A number is a task's, as of srun -l. */
	if (is_number(name))
		*name = '\0';
	else
		reader->fleet->prefixed = true;
	if (!line->cut)
		why = fleet_take_report(reader->fleet, line->text + n,
					line->length - n, name);
	if (why)
		add_bad_report(reader->fleet, line, name, why);
}

/* A name before a line is a node's where it is expected, where a launcher says
 * so, or where nodes' names are before reports. */
static void settle(struct reader *reader, const struct held *held)
{
	struct fleet *fleet = reader->fleet;
	const char *said = held->text + held->prefix;
	struct hostlist nodes = { 0 };
	size_t i;

	if (!held->name || (!held->sure && !reader->fleet->prefixed &&
			    !hostlist_has(&fleet->expected, held->name))) {
		fleet->other_lines++;
		if (!fleet->other_line)
			fleet->other_line = strdup(held->text);
		return;
	}
	if (!held->sure || hostlist_expand(&nodes, held->name))
		fleet_add_error(fleet, held->name, said);
	else
		for (i = 0; i < nodes.count && !is_over(fleet); i++)
			fleet_add_error(fleet, nodes.name[i], said);
	hostlist_release(&nodes);
}

static void read_lines(struct reader *reader, FILE *stream, const char *file)
{
	struct fleet_line line = { .file = file };
	struct la_strbuf text = { 0 };

	while (!is_over(reader->fleet) &&
	       next_line(stream, &text, &line.cut)) {
		la_strbuf_addstr(&text, "");
		if (text.failed)
			break;
		line.text = text.data;
		line.length = text.length;
		line.number++;
		take_line(reader, &line);
	}
	reader->fleet->failed |= text.failed;
	la_strbuf_release(&text);
}

bool fleet_read(struct fleet *fleet, FILE *stream, const char *file)
{
	struct reader reader = { .fleet = fleet };
	size_t i;

	read_lines(&reader, stream, file);
	for (i = 0; i < reader.count; i++) {
		if (!is_over(fleet))
			settle(&reader, &reader.held[i]);
		free(reader.held[i].text);
		free(reader.held[i].name);
	}
	free(reader.held);
	if (!ferror(stream))
		return true;
	print_error("cannot read '%s': %s", file, strerror(errno));
	return false;
}
