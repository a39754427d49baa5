// SPDX-License-Identifier: Apache-2.0
/* YAML, whole or a piece of it: its documents. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/yaml.h"
#include "util/error.h"
#include "util/util.h"

enum { MOST_OPEN = 128 }; /* brackets and braces */

/* Most names of anchors that are compared. */
#define MOST_COMPARED (UINT64_C(1) << 30)

/* A text to parse, and how its lines are moved against the part's. */
struct source {
	const char *text;
	size_t length;
	const size_t *line; /* where lines of the part start */
	int *shift; /* owned: by line, to the right */
	size_t lines;
};

static int fail(const struct la_script_part *part, const yaml_parser_t *parser,
		struct la_error *err)
{
	if (parser->error == YAML_MEMORY_ERROR)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	if (parser->error == YAML_READER_ERROR)
		return la_error_set(err, -EBADMSG,
				    part->offset + parser->problem_offset,
				    "%s", parser->problem);
	return la_error_set(err, -EBADMSG, part->offset,
			    "line %zu, column %zu: %s",
			    parser->problem_mark.line + 1,
			    parser->problem_mark.column + 1,
			    parser->problem);
}

/*
 * libyaml looks for an anchor among all of a document, and with each token at
 * all flow collections that are open: is that too much work?
 */
static bool is_hard(const struct la_script_part *part)
{
	uint64_t anchors = 0, aliases = 0;
	size_t open = 0, i;

	for (i = 0; i < part->length && open <= MOST_OPEN; i++) {
		anchors += part->text[i] == '&';
		aliases += part->text[i] == '*';
		if (part->text[i] == '[' || part->text[i] == '{')
			open++;
		else if (part->text[i] == ']' || part->text[i] == '}')
			open -= open > 0;
	}
	return open > MOST_OPEN ||
	       anchors * (anchors + aliases) > MOST_COMPARED;
}

/*
 * Parse all documents; walk them where there is a walker.  0 or -errno.
 */
static int parse(const struct la_script_part *part, const struct source *source,
		 struct la_script_yaml *walker, struct la_error *err)
{
	yaml_document_t document;
	yaml_parser_t parser;
	bool more = true;
	int ret = 0;

	if (!yaml_parser_initialize(&parser))
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	yaml_parser_set_input_string(&parser,
				     (const unsigned char *)source->text,
				     source->length);
	while (!ret && more) {
		if (!yaml_parser_load(&parser, &document)) {
			ret = fail(part, &parser, err);
			break;
		}
		more = yaml_document_get_root_node(&document) != NULL;
		if (more && walker) {
			/* cppcheck-suppress autoVariables */
			walker->document = &document;
			ret = la_script_yaml_walk(walker);
		}
		yaml_document_delete(&document);
	}
	yaml_parser_delete(&parser);
	return ret;
}

static size_t indent(const char *text, size_t at, size_t end)
{
	size_t n = 0;

	while (at + n < end && text[at + n] == ' ')
		n++;
	return n;
}

static size_t line_end(const struct la_script_part *part,
		       const struct source *source, size_t i)
{
	return i + 1 < source->lines ? source->line[i + 1] : part->length;
}

/* Nothing but blanks, or a line of a template. */
static bool is_empty(const struct la_script_part *part, size_t at, size_t end)
{
	at += indent(part->text, at, end);
	return at == end || strchr("\r\n#", part->text[at]) ||
	       (end - at > 1 && !memcmp(part->text + at, "{{", 2));
}

/* How far the lines behind the first one go to the left together. */
static int left_of_rest(const struct la_script_part *part,
			const struct source *source)
{
	size_t i, end, at, least = SIZE_MAX, first = 0;
	bool item;

	for (i = 1; i < source->lines; i++) {
		at = source->line[i];
		end = line_end(part, source, i);
		if (is_empty(part, at, end))
			continue;
		if (indent(part->text, at, end) < least)
			least = indent(part->text, at, end);
		first = first ? first : i;
	}
	if (!first)
		return 0;
	at = indent(part->text, 0, part->length);
	item = at < part->length && part->text[at] == '-';
	at = source->line[first];
	end = line_end(part, source, first);
	at += indent(part->text, at, end);
	if (item && at < end && part->text[at] != '-')
		return (int)least - 2;
	return (int)least;
}

/* A piece cut out of a file: move its lines to where they can be parsed. */
static void move_lines(const struct la_script_part *part,
		       struct source *source, struct la_strbuf *moved)
{
	size_t i, at, end, blanks;
	int left = left_of_rest(part, source), by;

	for (i = 0; i < source->lines; i++) {
		at = source->line[i];
		end = line_end(part, source, i);
		if (is_empty(part, at, end)) {
			la_strbuf_add(moved, "\n", 1);
			continue;
		}
		blanks = indent(part->text, at, end);
		by = i ? left : (int)blanks;
		if (by > (int)blanks)
			by = (int)blanks;
		source->shift[i] = -by;
		for (; by < 0; by++)
			la_strbuf_add(moved, " ", 1);
		la_strbuf_add(moved, part->text + at + by, end - at - by);
	}
	source->text = la_strbuf_text(moved);
	source->length = moved->length;
}

static size_t *find_lines(const struct la_script_part *part, size_t *count)
{
	size_t *line, i;

	for (*count = 1, i = 0; i < part->length; i++)
		*count += part->text[i] == '\n';
	line = malloc(*count * sizeof(*line));
	if (!line)
		return NULL;
	line[0] = 0;
	for (*count = 1, i = 0; i < part->length; i++)
		if (part->text[i] == '\n')
			line[(*count)++] = i + 1;
	return line;
}

/* Parse as it is, else moved; then walk what could be parsed. */
static int read_source(struct la_script_yaml *walker, struct source *source,
		       struct la_error *err)
{
	const struct la_script_part *part = walker->part;
	struct la_strbuf moved = { 0 };
	int ret = parse(part, source, NULL, err);

	if (ret == -EBADMSG) {
		move_lines(part, source, &moved);
		if (moved.failed)
			ret = -ENOMEM;
		else if (!parse(part, source, NULL, NULL))
			ret = 0;
	}
	if (!ret)
		ret = parse(part, source, walker, err);
	la_strbuf_release(&moved);
	return ret;
}

enum { MOST_LOCATED = 1000 }; /* places; of more, each is doubted */

/* Conditions and loops of a template that are open before a byte. */
static int open_blocks(const char *text, size_t end)
{
	static const char *const openers[] = { "if ", "range ", "with " };
	const char *at = text, *stop = text + end;
	int open = 0;
	size_t i;

	while ((at = memmem(at, stop - at, "{{", 2))) {
		at += 2;
		at += at < stop && *at == '-';
		while (at < stop && *at == ' ')
			at++;
		for (i = 0; i < ARRAY_SIZE(openers); i++)
			open += !strncmp(at, openers[i], strlen(openers[i]));
		open -= !strncmp(at, "end", 3) && open > 0;
	}
	return open;
}

/* Of places within them only running the template tells whether they stay. */
static void say_blocks(const struct la_script_yaml *walker, size_t before)
{
	const struct la_script_assignment *a;
	const struct la_script_part *part = walker->part;
	const size_t count = la_script_count(walker->script) - before;
	size_t at;

	if (!part->exact || !memmem(part->text, part->length, "{{", 2))
		return;
	for (; (a = la_script_peek(walker->script, before)); before++) {
		at = a->offset - part->offset;
		if (a->fate == LA_SCRIPT_ARRIVES && at <= part->length &&
		    (count > MOST_LOCATED || open_blocks(part->text, at)))
			la_script_say(walker->script, part, before,
				      LA_SCRIPT_NEEDS_RUNNING, at,
				      at + a->length,
				      "whether this line is there only the "
				      "template's values tell");
	}
}

int la_script_read_yaml(struct la_script *script,
			const struct la_script_part *part,
			struct la_error *err)
{
	struct source source = { .text = part->text, .length = part->length };
	struct la_script_yaml walker = {
		.script = script,
		.part = part,
		.kind = la_script_kind_now(script),
		.err = err,
	};
	size_t before = la_script_count(script);
	size_t *line;
	int ret;

	if (is_hard(part))
		return la_error_set(err, -EFBIG, part->offset,
				    "nested too deep, or too many anchors");
	line = find_lines(part, &source.lines);

	source.shift = calloc(source.lines, sizeof(*source.shift));
	source.line = line;
	walker.shift = source.shift;
	walker.lines = source.lines;
	if (line && source.shift)
		ret = read_source(&walker, &source, err);
	else
		ret = la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				   "out of memory");
	say_blocks(&walker, before);
	la_script_spots_release(&walker.spots);
	free(line);
	free(source.shift);
	return ret;
}
