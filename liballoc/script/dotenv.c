// SPDX-License-Identifier: Apache-2.0
/* .env and its relatives: one row for each of their readers. */
#include <errno.h>
#include <string.h>

#include "script/env-file.h"
#include "util/error.h"
#include "util/util.h"

/* Who reads such files, and how. */
static const struct dialect {
	const char *name;
	enum la_script_kind kind; /* the file that is only for this one */
	la_env_reader *read;
} dialects[] = {
	{ "python-dotenv", LA_SCRIPT_DOTENV, la_env_read_python },
	{ "dotenv of npm", LA_SCRIPT_KINDS, la_env_read_node },
	{ "a shell's '.'", LA_SCRIPT_KINDS, la_env_read_shell },
	{ "docker --env-file", LA_SCRIPT_DOCKER_ENV, la_env_read_docker },
	{ "EnvironmentFile=", LA_SCRIPT_SYSTEMD_ENV, la_env_read_systemd },
	{ "environment.d", LA_SCRIPT_ENVIRONMENT_D,
	  la_env_read_environment_d },
	{ "pam_env", LA_SCRIPT_ENVIRONMENT, la_env_read_pam },
};

enum { DOTENVS = 5 }; /* of them, those who are handed .env files */

struct reading {
	struct la_script *script;
	const struct la_script_part *part;
	struct la_env_file file[DOTENVS]; /* by dialect; the rest unused */
};

static void open_file(const struct reading *r, const struct dialect *dialect,
		      struct la_env_file *file)
{
	*file = (struct la_env_file){ .script = r->script,
				      .text = r->part->text,
				      .length = r->part->length };
	dialect->read(file);
}

/* The binding whose name starts at the same byte, or NULL. */
static const struct la_env_binding *same_place(const struct la_env_file *file,
					       size_t name)
{
	size_t first = 0, end = file->count, middle;

	while (first < end) {
		middle = first + (end - first) / 2;
		if (file->binding[middle].name == name)
			return &file->binding[middle];
		if (file->binding[middle].name < name)
			first = middle + 1;
		else
			end = middle;
	}
	return NULL;
}

/* In words, what a dialect makes of a binding's line. */
static void describe(struct la_strbuf *text, const struct la_env_file *file,
		     const struct la_env_binding *binding)
{
	if (file->refused)
		la_strbuf_addstr(text, "refuses the file");
	else if (!binding || binding->refused)
		la_strbuf_addstr(text, "sets nothing");
	else if (binding->value.unknown)
		la_strbuf_addstr(text, "puts in a variable");
	else
		la_strbuf_addf(text, "reads '%.200s'",
			       la_strbuf_text(&binding->value.text));
}

/* Do two readers agree about a line? */
static bool agree(const struct la_env_binding *a, const struct la_env_file *of,
		  const struct la_env_binding *b)
{
	if (of->refused)
		return false;
	if (!a || !b || a->refused || b->refused)
		return (!a || a->refused) && (!b || b->refused);
	if (a->value.unknown || b->value.unknown)
		return a->value.unknown && b->value.unknown;
	return !strcmp(la_strbuf_text(&a->value.text),
		       la_strbuf_text(&b->value.text));
}

/* Who reads the line at name differently from the first dialect. */
static void say_difference(const struct reading *r, size_t index, size_t name,
			   struct la_script_span at)
{
	const struct la_env_binding *first = same_place(&r->file[0], name);
	const struct la_env_binding *other;
	struct la_strbuf text = { 0 };
	size_t i;

	for (i = 1; i < DOTENVS; i++) {
		other = same_place(&r->file[i], name);
		if (agree(first, &r->file[i], other))
			continue;
		la_strbuf_addf(&text, "%s%s ", text.length ? "; " : "",
			       dialects[i].name);
		describe(&text, &r->file[i], other);
	}
	if (text.length)
		la_script_say(r->script, r->part, index,
			      LA_SCRIPT_READERS_DIFFER, at.start, at.end, "%s",
			      text.data);
	la_strbuf_release(&text);
}

/* Note a line as one reader takes it; its place. */
static size_t note(const struct reading *r, const struct la_env_file *file,
		   const struct la_env_binding *b)
{
	const char *name = r->part->text + b->name;

	if (b->refused)
		return la_script_lose(r->script, r->part, name, b->name_length,
				      b->code, b->at, b->refused);
	if (file->refused)
		return la_script_lose(r->script, r->part, name, b->name_length,
				      LA_SCRIPT_SYNTAX, file->bad,
				      file->refused);
	if (b->removed)
		return la_script_add(r->script, r->part, name, b->name_length,
				     NULL, LA_SCRIPT_REMOVED, b->at.start,
				     b->at.end);
	return la_script_give(r->script, r->part, name, b->name_length,
			      &b->value, b->at);
}

/* A name alone takes back, for python-dotenv, what earlier lines gave it since
 * it stood alone before. */
static void take_back(const struct reading *r, size_t from, size_t index)
{
	const struct la_script_assignment *now, *earlier;
	size_t i = index;

	while (i-- > from) {
		now = la_script_peek(r->script, index);
		earlier = la_script_peek(r->script, i);
		if (strcmp(now->variable, earlier->variable) != 0)
			continue;
		if (earlier->diagnostic_count &&
		    earlier->diagnostics[0].code == LA_SCRIPT_NO_ASSIGNMENT)
			return;
		if (earlier->fate == LA_SCRIPT_LOST)
			continue;
		la_script_change(r->script, i, NULL, LA_SCRIPT_LOST);
		la_script_say(r->script, r->part, i, LA_SCRIPT_OVERRIDDEN,
			      now->offset - r->part->offset,
			      now->offset + now->length - r->part->offset,
			      "a later line with the name alone takes this "
			      "back");
	}
}

/* The first other reader that sets the variable at a place that the first
 * one does not see; NULL: none. */
static const struct la_env_binding *unseen(const struct reading *r,
					   size_t dialect, size_t binding)
{
	const struct la_env_binding *b = &r->file[dialect].binding[binding];
	size_t i;

	for (i = 0; i < dialect; i++)
		if (same_place(&r->file[i], b->name))
			return NULL;
	return b->refused ? NULL : b;
}

/* What only others than the first reader take for an assignment. */
static void note_unseen(const struct reading *r)
{
	const struct la_env_binding *b;
	size_t i, k, index;
	bool mark;

	for (i = 1; i < DOTENVS; i++)
		for (k = 0; k < r->file[i].count; k++) {
			b = unseen(r, i, k);
			if (!b)
				continue;
			mark = b->name == 3 && la_script_mark(r->part->text,
							      r->part->length);
			index = la_script_lose(r->script, r->part,
					       r->part->text + b->name,
					       b->name_length,
					       mark ?
						 LA_SCRIPT_BYTE_ORDER_MARK :
						 LA_SCRIPT_NO_ASSIGNMENT,
					       b->at, NULL);
			say_difference(r, index, b->name, b->at);
		}
}

/* V=x within the value of another name: --env-vars A=1,V=x,B=2. */
static void note_list(const struct reading *r, size_t line, size_t end)
{
	const char *text = r->part->text;
	struct la_script_span at = la_script_mention(
		r->script, text, (struct la_script_span){ line, end });
	struct la_script_value value = { 0 };
	size_t length = at.end - at.start, stop, index;

	if (!length || at.start == line || text[at.start - 1] != ',' ||
	    at.end == end || text[at.end] != '=')
		return;
	for (stop = at.end + 1; stop < end && text[stop] != ','; stop++)
		;
	la_strbuf_add(&value.text, text + at.end + 1, stop - at.end - 1);
	if (stop < end) {
		size_t n = la_script_name(text + stop + 1, end - stop - 1);

		if (!n || stop + 1 + n >= end || text[stop + 1 + n] != '=')
			la_script_value_unknown(&value, "", 0);
	}
	index = la_script_give(r->script, r->part, text + at.start, length,
			       &value,
			       (struct la_script_span){ at.start, stop });
	la_script_say(r->script, r->part, index, LA_SCRIPT_READERS_DIFFER,
		      line, at.start,
		      "a list of variables, as --env-vars takes it; readers of "
		      ".env give all of it to the first name");
	la_script_value_release(&value);
}

static void note_lists(const struct reading *r)
{
	size_t at, end;

	for (at = 0; at < r->part->length; at = end + 1) {
		end = la_env_line_end(&r->file[0], at);
		if (r->part->text[at] != '#')
			note_list(r, at, end);
	}
}

/* Release a file; -ENOMEM if it is not all there. */
static int close_file(const struct reading *r, struct la_env_file *file)
{
	bool failed = file->failed || file->vars.failed;

	if (file->full)
		la_script_stop(r->script);
	la_env_file_release(file);
	return failed ? -ENOMEM : 0;
}

static int read_any(struct reading *r, struct la_error *err)
{
	size_t from = la_script_places(r->script), i, index;
	int ret = 0;

	for (i = 0; i < DOTENVS; i++)
		open_file(r, &dialects[i], &r->file[i]);
	for (i = 0; i < r->file[0].count; i++) {
		index = note(r, &r->file[0], &r->file[0].binding[i]);
		if (r->file[0].binding[i].refused &&
		    r->file[0].binding[i].code == LA_SCRIPT_NO_ASSIGNMENT &&
		    index != LA_SCRIPT_WHOLE)
			take_back(r, from, index);
		say_difference(r, index, r->file[0].binding[i].name,
			       r->file[0].binding[i].at);
	}
	note_unseen(r);
	note_lists(r);
	for (i = 0; i < DOTENVS; i++)
		if (close_file(r, &r->file[i]))
			ret = la_error_set(err, -ENOMEM, LA_NO_OFFSET,
					   "out of memory");
	return ret;
}

static int read_one(struct reading *r, const struct dialect *dialect,
		    struct la_error *err)
{
	struct la_env_file *file = &r->file[0];
	size_t i;

	open_file(r, dialect, file);
	for (i = 0; i < file->count; i++)
		note(r, file, &file->binding[i]);
	if (file->refused)
		la_script_say(r->script, r->part, LA_SCRIPT_WHOLE,
			      LA_SCRIPT_SYNTAX, file->bad.start, file->bad.end,
			      "%s", file->refused);
	return close_file(r, file) ? la_error_set(err, -ENOMEM, LA_NO_OFFSET,
						  "out of memory") :
				     0;
}

int la_script_read_dotenv(struct la_script *script,
			  const struct la_script_part *part,
			  struct la_error *err)
{
	struct reading r = { .script = script, .part = part };
	enum la_script_kind kind = la_script_kind_now(script);
	size_t i;

	if (la_script_is_utf16(script, part))
		return 0;
	if (kind == LA_SCRIPT_DOTENV)
		return read_any(&r, err);
	for (i = 0; i < ARRAY_SIZE(dialects); i++)
		if (dialects[i].kind == kind)
			break;
	return read_one(&r, &dialects[i], err);
}
