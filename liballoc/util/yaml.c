// SPDX-License-Identifier: Apache-2.0
/* What is the same with and without libyaml: files, trees, complaints. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/yaml.h"

/* In the order that frees what is left without going deeper: a node's first
 * child is put before its next. */
void la_yaml_free(struct la_yaml *node)
{
	struct la_yaml *next, *last;

	while (node) {
		last = node->first;
		while (last && last->next)
			last = last->next;
		if (last) {
			last->next = node->next;
			node->next = node->first;
		}
		next = node->next;
		if (node->key)
			free(node->key->text);
		free(node->key);
		free(node->text);
		free(node);
		node = next;
	}
}

int la_yaml_bad(const struct la_yaml *node, struct la_error *err,
		const char *format, ...)
{
	char text[sizeof(err->text) - 48];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return la_error_set(err, -EBADMSG, node->offset,
			    "line %zu, column %zu: %s", node->line,
			    node->column, text);
}

int la_yaml_number(const struct la_yaml *node, double *out,
		   struct la_error *err)
{
	const char *text = node->text;
	double value = 0;
	char *end = NULL;

	if (text && *text >= '0' && *text <= '9')
		value = strtod(text, &end);
	if (!end || *end || !(value <= 1e15))
		return la_yaml_bad(node, err, "no number, or one too large");
	*out = value;
	return 0;
}

/* What is in a stream, up to one byte more than is allowed. */
static int read_stream(FILE *file, char *text, size_t *length)
{
	*length = fread(text, 1, LA_YAML_BYTES + 1, file);
	return ferror(file) ? -EIO : 0;
}

int la_yaml_read(struct la_yaml **out, const char *path, struct la_error *err)
{
	FILE *file = fopen(path, "rbe");
	size_t length;
	char *text;
	int code;

	if (!file)
		return la_error_set(err, -errno, LA_NO_OFFSET, "%s",
				    strerror(errno));
	text = malloc(LA_YAML_BYTES + 1);
	code = text ? read_stream(file, text, &length) : -ENOMEM;
	fclose(file);
	if (code < 0)
		la_error_set(err, code, LA_NO_OFFSET, "%s", strerror(-code));
	else
		code = la_yaml_parse(out, text, length, err);
	free(text);
	return code;
}
