// SPDX-License-Identifier: Apache-2.0
/* /etc/environment as pam_env reads it. */
#include <string.h>

#include "script/env-file.h"

/* One line with what follows its backslashes, and where its bytes stood. */
struct line {
	struct la_strbuf text;
	size_t start; /* of the first line */
};

/* The next line, which \ at line ends makes longer; where the next starts. */
static size_t assemble(const struct la_env_file *file, size_t at,
		       struct line *line)
{
	const char *newline;
	size_t end;

	for (line->start = at; at < file->length; at = end + 1) {
		newline = memchr(file->text + at, '\n', file->length - at);
		end = newline ? (size_t)(newline - file->text) : file->length;
		if (end == at || file->text[end - 1] != '\\') {
			la_strbuf_add(&line->text, file->text + at, end - at);
			return end + 1;
		}
		la_strbuf_add(&line->text, file->text + at, end - 1 - at);
	}
	return file->length;
}

/* One pair of quotes is taken off, even if they differ or one is missing. */
static void add_value(struct la_strbuf *value, const char *text, size_t length)
{
	size_t i;

	if (!length || !strchr("'\"", text[0]) || !text[0]) {
		la_strbuf_add(value, text, length);
		return;
	}
	for (i = 1; i < length; i++)
		if (i + 1 < length || !strchr("'\"", text[i]))
			la_strbuf_add(value, text + i, 1);
}

static bool is_alphanumeric(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (!la_script_name(text + i, 1) &&
		    (text[i] < '0' || text[i] > '9'))
			return false;
	return true;
}

static void read_line(struct la_env_file *file, const struct line *line,
		      size_t end)
{
	struct la_script_value value = { 0 };
	const char *text = la_strbuf_text(&line->text), *equals;
	size_t at = strspn(text, " \t"), length;
	struct la_script_span name;

	if (text[at] == '#')
		return;
	if (!strncmp(text + at, "export ", 7))
		at += 7;
	length = strcspn(text + at, "#");
	equals = memchr(text + at, '=', length);
	name.start = line->start + at;
	if (!equals || !is_alphanumeric(text + at, equals - text - at)) {
		name.end = name.start + length;
		la_env_refuse(file,
			      la_script_mention(file->script, file->text, name),
			      end, LA_SCRIPT_NO_ASSIGNMENT,
			      "pam_env takes a name right before the = alone");
		return;
	}
	name.end = line->start + (equals - text);
	add_value(&value.text, equals + 1, text + at + length - equals - 1);
	la_env_bind(file, name, &value, end);
}

void la_env_read_pam(struct la_env_file *file)
{
	struct line line = { 0 };
	size_t at = 0, next;

	while (at < file->length) {
		next = assemble(file, at, &line);
		if (line.start + line.text.length <= file->length)
			read_line(file, &line,
				  next > file->length ? file->length :
							next - 1);
		la_strbuf_release(&line.text);
		at = next;
	}
}
