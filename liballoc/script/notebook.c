// SPDX-License-Identifier: Apache-2.0
/* An .ipynb file: its cells, which one kernel runs in turn. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "script/internal.h"
#include "util/error.h"
#include "util/strbuf.h"

/* Cells that the kernel itself runs, read as one text. */
struct kernel {
	struct la_script *script;
	const struct la_script_part *part;
	struct la_strbuf text;
	size_t at; /* "source" was found up to here */
	uint64_t first; /* where the first cell of text stands */
	struct la_error *err;
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

/* Where the next cell's source stands. */
static size_t find_source(struct kernel *kernel)
{
	static const char key[] = "\"source\"";
	const char *text = kernel->part->text, *at;

	at = memmem(text + kernel->at, kernel->part->length - kernel->at, key,
		    strlen(key));
	if (at)
		kernel->at = at - text + strlen(key);
	return at ? (size_t)(at - text) : kernel->at;
}

static int read_text(struct kernel *kernel, const char *text, size_t length,
		     uint64_t offset)
{
	struct la_script_part inner = { .text = text, .length = length,
					.offset = offset };

	return la_script_nested(kernel->script, LA_SCRIPT_CELL, &inner,
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

static int read_cell(struct kernel *kernel, const json_t *cell)
{
	const char *type =
		json_string_value(json_object_get(cell, "cell_type"));
	const json_t *source = json_object_get(cell, "source");
	struct la_strbuf text = { 0 };
	const char *start;
	uint64_t offset;
	int ret = 0;

	source = source ? source : json_object_get(cell, "input");
	offset = kernel->part->offset + find_source(kernel);
	if (!type || strcmp(type, "code") != 0)
		return 0;
	add_source(&text, source);
	start = la_strbuf_text(&text);
	if (is_transparent(start))
		start += strcspn(start, "\n");
	if (!strncmp(start, "%%", 2)) {
		ret = read_text(kernel, start, text.length, offset);
	} else {
		if (!kernel->text.length)
			kernel->first = offset;
		la_strbuf_addf(&kernel->text, "%s\n", start);
	}
	la_strbuf_release(&text);
	return ret;
}

static int read_cells(struct kernel *kernel, const json_t *root)
{
	const json_t *cells = json_object_get(root, "cells");
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
	return read_text(kernel, la_strbuf_text(&kernel->text),
			 kernel->text.length, kernel->first);
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
	json_decref(root);
	return ret;
}
