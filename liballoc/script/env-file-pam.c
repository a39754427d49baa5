// SPDX-License-Identifier: Apache-2.0
/* /etc/environment as pam_env reads it. */
#include <string.h>

#include "script/env-file.h"
#include "script/pam.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Is there nothing but blanks, or a comment? */
static bool is_empty(const char *text, size_t at, size_t end)
{
	while (at < end && is_blank(text[at]))
		at++;
	return at == end || text[at] == '#';
}

bool la_pam_next(const char *text, size_t length, size_t *at,
		 struct la_pam_line *line)
{
	const char *newline;
	size_t end, stop, start;

	la_strbuf_release(&line->text);
	for (line->open = false; *at < length;) {
		start = *at;
		newline = memchr(text + start, '\n', length - start);
		end = newline ? (size_t)(newline - text) : length;
		*at = end + 1;
		if (is_empty(text, start, end))
			continue;
		if (!line->text.length)
			line->start = start;
		line->end = end;
		for (stop = end; stop > start && is_blank(text[stop - 1]);)
			stop--;
		line->open = stop > start && text[stop - 1] == '\\' &&
			     !memchr(text + start, '#', stop - start);
		la_strbuf_add(&line->text, text + start,
			      (line->open ? stop - 1 : end) - start);
		if (!line->open)
			return true;
	}
	return line->open;
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

static void read_line(struct la_env_file *file, const struct la_pam_line *line)
{
	struct la_script_value value = { 0 };
	const char *text = la_strbuf_text(&line->text), *equals;
	size_t at = strspn(text, " \t"), length;
	struct la_script_span name;

	if (!strncmp(text + at, "export ", 7))
		at += 7;
	length = strcspn(text + at, "#");
	equals = memchr(text + at, '=', length);
	name.start = line->start + at;
	if (!equals && is_alphanumeric(text + at, length)) {
		name.end = name.start + length;
		la_env_unbind(file, name, line->end);
		return;
	}
	if (!equals || !is_alphanumeric(text + at, equals - text - at)) {
		name.end = name.start + length;
		la_env_refuse(file,
			      la_script_mention(file->script, file->text, name),
			      line->end, LA_SCRIPT_NO_ASSIGNMENT,
			      "pam_env takes a name right before the = alone");
		return;
	}
	name.end = line->start + (equals - text);
	add_value(&value.text, equals + 1, text + at + length - equals - 1);
	la_env_bind(file, name, &value, line->end);
}

void la_env_read_pam(struct la_env_file *file)
{
	struct la_pam_line line = { 0 };
	struct la_script_span all;
	size_t at = 0;

	while (la_pam_next(file->text, file->length, &at, &line)) {
		all = (struct la_script_span){ line.start, line.end };
		if (line.open)
			la_env_refuse(file,
				      la_script_mention(file->script,
							file->text, all),
				      line.end, LA_SCRIPT_SYNTAX,
				      "the line goes on behind the end of the "
				      "file, and pam_env drops it");
		else
			read_line(file, &line);
		file->failed |= line.text.failed;
	}
	la_strbuf_release(&line.text);
}
