// SPDX-License-Identifier: Apache-2.0
/* The file of docker run --env-file: nothing is taken off, bar CR. */
#include <string.h>

#include "script/env-file.h"

static size_t skip_blanks(const struct la_env_file *file, size_t at, size_t end)
{
	size_t n;

	for (; at < end; at += n) {
		n = file->text[at] && strchr(" \t\v\f\r", file->text[at]) ?
			    1 :
			    la_script_odd_blank(file->text + at, end - at);
		if (!n)
			break;
	}
	return at;
}

static void refuse_file(struct la_env_file *file, struct la_script_span line,
			const char *why)
{
	if (file->refused)
		return;
	file->refused = why;
	file->bad = line;
}

static void read_line(struct la_env_file *file, struct la_script_span line)
{
	struct la_script_value value = { 0 };
	struct la_script_span name;
	const char *equals;
	size_t i;

	line.start = skip_blanks(file, line.start, line.end);
	if (line.start == line.end || file->text[line.start] == '#')
		return;
	equals = memchr(file->text + line.start, '=', line.end - line.start);
	name.start = line.start;
	name.end = equals ? (size_t)(equals - file->text) : line.end;
	for (i = name.start; i < name.end; i++)
		if (strchr(" \t", file->text[i]) && file->text[i]) {
			refuse_file(file, line,
				    "docker refuses the file: a name has a "
				    "blank");
			return;
		}
	if (name.start == name.end) {
		refuse_file(file, line,
			    "docker refuses the file: a name is missing");
		return;
	}
	if (equals)
		la_strbuf_add(&value.text, equals + 1,
			      file->text + line.end - equals - 1);
	else
		la_script_value_unknown(&value, file->text + name.start,
					name.end - name.start);
	la_env_bind(file, name, &value, line.end);
}

void la_env_read_docker(struct la_env_file *file)
{
	size_t at = la_script_mark(file->text, file->length);
	struct la_script_span line;
	const char *newline;

	for (; at < file->length; at++) {
		newline = memchr(file->text + at, '\n', file->length - at);
		line.start = at;
		at = newline ? (size_t)(newline - file->text) : file->length;
		line.end = at;
		if (line.end > line.start && file->text[line.end - 1] == '\r')
			line.end--;
		read_line(file, line);
	}
}
