// SPDX-License-Identifier: Apache-2.0
/* .env as dotenv of npm reads it. */
#include <string.h>

#include "script/env-file.h"

static size_t skip_blanks(const struct la_env_file *file, size_t at)
{
	size_t n;

	for (; at < file->length; at += n) {
		n = strchr(" \t\v\f", file->text[at]) && file->text[at] ?
			    1 :
			    la_script_odd_blank(file->text + at,
						file->length - at);
		if (!n)
			break;
	}
	return at;
}

static size_t name_length(const char *text, size_t length)
{
	size_t n = 0;

	while (n < length &&
	       (la_script_name(text + n, 1) || strchr(".-", text[n]) ||
		(text[n] >= '0' && text[n] <= '9')) && text[n])
		n++;
	return n;
}

/* Behind the quotes is nothing but a comment. */
static bool ends_line(const struct la_env_file *file, size_t at)
{
	at = skip_blanks(file, at);
	return at == file->length || strchr("#\r\n", file->text[at]);
}

static void add_escaped(const struct la_env_file *file,
			struct la_script_span at, bool escapes,
			struct la_strbuf *text)
{
	size_t i;

	for (i = at.start; i < at.end; i++) {
		if (escapes && file->text[i] == '\\' && i + 1 < at.end &&
		    (file->text[i + 1] == 'n' || file->text[i + 1] == 'r'))
			la_strbuf_add(text, file->text[++i] == 'n' ? "\n" :
								     "\r",
				      1);
		else if (file->text[i] != '\r' || i + 1 == at.end ||
			 file->text[i + 1] != '\n')
			la_strbuf_add(text, file->text + i, 1);
	}
}

/* The value's bytes, with its quotes. */
static struct la_script_span find_value(struct la_env_file *file, size_t at)
{
	struct la_script_span value = { at, at };
	size_t end;

	if (at < file->length && file->text[at] &&
	    strchr("'\"`", file->text[at])) {
		end = la_env_quote_end(file, at);
		if (end < file->length && ends_line(file, end + 1)) {
			value.end = end + 1;
			return value;
		}
	}
	while (value.end < file->length &&
	       (!strchr("#\r\n", file->text[value.end]) ||
		!file->text[value.end]))
		value.end++;
	while (value.end > at && strchr(" \t", file->text[value.end - 1]))
		value.end--;
	return value;
}

static size_t read_value(struct la_env_file *file, struct la_script_span name,
			 size_t at)
{
	struct la_script_value value = { 0 };
	struct la_script_span raw = find_value(file, at);
	char first = raw.start < raw.end ? file->text[raw.start] : '\0';
	size_t end = raw.end;

	if (raw.end - raw.start > 1 && strchr("'\"`", first) && first &&
	    file->text[raw.end - 1] == first) {
		raw.start++;
		raw.end--;
	}
	add_escaped(file, raw, first == '"', &value.text);
	la_env_bind(file, name, &value, end);
	return end;
}

/* One line; where it ends. */
static size_t read_line(struct la_env_file *file, size_t at)
{
	struct la_script_span name;
	size_t after;

	if (file->length - at > 7 && !memcmp(file->text + at, "export", 6) &&
	    skip_blanks(file, at + 6) > at + 6)
		at = skip_blanks(file, at + 6);
	name.start = at;
	name.end = at + name_length(file->text + at, file->length - at);
	after = skip_blanks(file, name.end);
	if (name.start == name.end || after >= file->length)
		return la_env_line_end(file, at);
	if (file->text[after] == '=')
		after++;
	else if (file->text[name.end] == ':' &&
		 skip_blanks(file, name.end + 1) > name.end + 1)
		after = name.end + 1;
	else
		return la_env_line_end(file, at);
	return la_env_line_end(file, read_value(file, name,
						skip_blanks(file, after)));
}

void la_env_read_node(struct la_env_file *file)
{
	size_t at = la_script_mark(file->text, file->length);

	while (at < file->length) {
		at = read_line(file, skip_blanks(file, at));
		while (at < file->length && strchr("\r\n", file->text[at]))
			at++;
	}
}
