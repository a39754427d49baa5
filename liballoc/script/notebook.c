// SPDX-License-Identifier: Apache-2.0
/* An .ipynb file: its cells, which one kernel runs in turn. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "script/internal.h"
#include "util/array.h"
#include "util/error.h"
#include "util/strbuf.h"

/* Cells that the kernel itself runs, read as one text. */
struct kernel {
	struct la_script *script;
	const struct la_script_part *part;
	struct la_strbuf text;
	struct la_script_piece *piece; /* owned: where lines of text stand */
	size_t pieces, piece_room;
	size_t at; /* "source" was found up to here */
	struct la_error *err;
};

/* Where lines of one cell stand in the part. */
struct lines {
	size_t *at; /* owned */
	size_t count, room;
	bool failed; /* no memory */
};

static void add_source(struct la_strbuf *text, const json_t *source)
{
	const json_t *line;
	size_t i;

	if (json_is_string(source))
		la_strbuf_add(text, json_string_value(source),
			      json_string_length(source));
	json_array_foreach(source, i, line)
		if (json_is_string(line))
			la_strbuf_add(text, json_string_value(line),
				      json_string_length(line));
}

/* Behind the name of the next cell's source. */
static void find_source(struct kernel *kernel)
{
	static const char key[] = "\"source\"";
	const char *text = kernel->part->text, *at;

	at = memmem(text + kernel->at, kernel->part->length - kernel->at, key,
		    strlen(key));
	if (at)
		kernel->at = at - text + strlen(key);
}

static void add_line(struct lines *lines, size_t at)
{
	if (grow_array(&lines->at, &lines->room, lines->count,
		       sizeof(*lines->at)))
		lines->failed = true;
	else
		lines->at[lines->count++] = at;
}

/* The lines of a string in quotes; where it ends.  fresh: a line begins with
 * it, and then, whether one begins behind it. */
static size_t find_lines(const struct la_script_part *part, size_t at,
			 struct lines *lines, bool *fresh)
{
	for (at++; at < part->length && part->text[at] != '"'; at++) {
		if (*fresh)
			add_line(lines, at);
		*fresh = part->text[at] == '\\' && part->text[at + 1] == 'n';
		at += part->text[at] == '\\';
	}
	return at + 1;
}

/* What stands behind "source": a string, or a list of them. */
static void find_all_lines(struct kernel *kernel, struct lines *lines)
{
	const struct la_script_part *part = kernel->part;
	size_t at = kernel->at;
	bool fresh = true;

	for (; at < part->length; at++) {
		if (part->text[at] == '"') {
			at = find_lines(part, at, lines, &fresh);
			at += strspn(part->text + at, " \t\r\n");
			if (part->text[at] != ',')
				return;
		} else if (!part->text[at] ||
			   !strchr(": \t\r\n[", part->text[at])) {
			return;
		}
	}
}

/* Take a cell's text, from start on, to that of the kernel. */
static void add_cell(struct kernel *kernel, const struct lines *lines,
		     const char *text, const char *start)
{
	const char *line = text, *newline = text;
	size_t i;

	for (i = 0; newline && i < lines->count; i++, line = newline + 1) {
		newline = strchr(line, '\n');
		if (line < start)
			continue;
		if (grow_array(&kernel->piece, &kernel->piece_room,
			       kernel->pieces, sizeof(*kernel->piece))) {
			kernel->text.failed = true;
			return;
		}
		kernel->piece[kernel->pieces++] = (struct la_script_piece){
			kernel->text.length + (line - start),
			kernel->part->offset + lines->at[i]
		};
	}
	la_strbuf_addf(&kernel->text, "%s\n", start);
}

static int read_text(struct kernel *kernel, const struct la_script_part *inner)
{
	return la_script_nested(kernel->script, LA_SCRIPT_CELL, inner,
				kernel->err);
}

/* %%time and its like run the rest of the cell as it is. */
static bool is_transparent(const char *text)
{
	static const char *const magics[] = { "%%time", "%%timeit",
					      "%%capture", "%%prun" };
	size_t i, length = strcspn(text, " \t\r\n");

	for (i = 0; i < 4; i++)
		if (strlen(magics[i]) == length &&
		    !strncmp(text, magics[i], length))
			return true;
	return false;
}

/* %%bash and its like: another program reads it. */
static int read_magic(struct kernel *kernel, const struct lines *lines,
		      const char *text, size_t length)
{
	const struct la_script_part inner = {
		.text = text,
		.length = length,
		.offset = kernel->part->offset +
			  (lines->count ? lines->at[0] : kernel->at),
	};

	return read_text(kernel, &inner);
}

static int read_code(struct kernel *kernel, const json_t *source)
{
	struct la_strbuf text = { 0 };
	struct lines lines = { 0 };
	const char *start;
	int ret = 0;

	find_all_lines(kernel, &lines);
	add_source(&text, source);
	start = la_strbuf_text(&text);
	if (is_transparent(start))
		start += strcspn(start, "\n");
	if (!strncmp(start, "%%", 2))
		ret = read_magic(kernel, &lines, start, text.length);
	else
		add_cell(kernel, &lines, la_strbuf_text(&text), start);
	kernel->text.failed |= lines.failed || text.failed;
	free(lines.at);
	la_strbuf_release(&text);
	return ret;
}

static int read_cell(struct kernel *kernel, const json_t *cell)
{
	const char *type =
		json_string_value(json_object_get(cell, "cell_type"));
	const json_t *source = json_object_get(cell, "source");

	source = source ? source : json_object_get(cell, "input");
	find_source(kernel);
	if (!type || strcmp(type, "code") != 0)
		return 0;
	return read_code(kernel, source);
}

static int read_cells(struct kernel *kernel, const json_t *root)
{
	const json_t *cells = json_object_get(root, "cells");
	struct la_script_part inner = { .offset = kernel->part->offset };
	const json_t *cell;
	int ret = 0;
	size_t i;

	if (!cells)
		cells = json_object_get(json_array_get(
			json_object_get(root, "worksheets"), 0), "cells");
	json_array_foreach(cells, i, cell) {
		ret = read_cell(kernel, cell);
		if (ret)
			return ret;
	}
	if (kernel->text.failed)
		return la_error_set(kernel->err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	inner.text = la_strbuf_text(&kernel->text);
	inner.length = kernel->text.length;
	inner.piece = kernel->piece;
	inner.piece_count = kernel->pieces;
	return read_text(kernel, &inner);
}

int la_script_read_notebook(struct la_script *script,
			    const struct la_script_part *part,
			    struct la_error *err)
{
	struct kernel kernel = { .script = script, .part = part, .err = err };
	json_error_t error;
	json_t *root;
	int ret;

	root = json_loadb(part->text, part->length, JSON_ALLOW_NUL, &error);
	if (!root)
		return la_error_set(err, -EBADMSG,
				    part->offset + error.position,
				    "line %d, column %d: %s", error.line,
				    error.column, error.text);
	ret = read_cells(&kernel, root);
	la_strbuf_release(&kernel.text);
	free(kernel.piece);
	json_decref(root);
	return ret;
}
