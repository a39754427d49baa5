// SPDX-License-Identifier: Apache-2.0
/* .env as python-dotenv reads it. */
#include <string.h>

#include "script/env-file.h"

/* Bytes of a blank at a place, line ends being none. */
static size_t blank(const struct la_env_file *file, size_t at)
{
	if (at >= file->length)
		return 0;
	if (file->text[at] && strchr(" \t\v\f\x1c\x1d\x1e\x1f",
				     file->text[at]))
		return 1;
	return la_script_odd_blank(file->text + at, file->length - at);
}

static size_t skip_blanks(const struct la_env_file *file, size_t at)
{
	size_t n;

	while ((n = blank(file, at)))
		at += n;
	return at;
}

static bool at_line_end(const struct la_env_file *file, size_t at)
{
	return at >= file->length || file->text[at] == '\n' ||
	       file->text[at] == '\r';
}

static size_t skip_space(const struct la_env_file *file, size_t at)
{
	size_t n;

	for (;; at += n) {
		n = blank(file, at);
		if (!n && at < file->length && at_line_end(file, at))
			n = 1;
		if (!n)
			return at;
	}
}

/* After `export` and a blank, if they are there. */
static size_t skip_export(const struct la_env_file *file, size_t at)
{
	if (file->length - at < 7 || memcmp(file->text + at, "export", 6) ||
	    !blank(file, at + 6))
		return at;
	return skip_blanks(file, at + 6);
}

/* An empty name: there is none. */
static struct la_script_span read_name(const struct la_env_file *file,
				       size_t *at)
{
	struct la_script_span name = { *at, *at };
	const char *close;

	if (*at < file->length && file->text[*at] == '\'') {
		close = memchr(file->text + *at + 1, '\'',
			       file->length - *at - 1);
		if (!close)
			return name;
		name.start++;
		name.end = close - file->text;
		*at = name.end + 1;
		return name;
	}
	while (!at_line_end(file, *at) && !blank(file, *at) &&
	       !strchr("=#", file->text[*at]))
		++*at;
	name.end = *at;
	return name;
}

static void add_escape(struct la_strbuf *text, char c)
{
	static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
	const char *at = strchr(from, c);

	la_strbuf_add(text, at ? &to[at - from] : &c, 1);
}

/* What stands between quotes; false if they do not end. */
static bool read_quoted(struct la_env_file *file, size_t *at,
			struct la_strbuf *text)
{
	const char *escapes = file->text[*at] == '"' ? "\\'\"abfnrtv" : "\\'";
	size_t end = la_env_quote_end(file, *at), i;

	if (end == file->length)
		return false;
	for (i = *at + 1; i < end; i++) {
		if (file->text[i] == '\\' && i + 1 < end && file->text[i + 1] &&
		    strchr(escapes, file->text[i + 1]))
			add_escape(text, file->text[++i]);
		else
			la_strbuf_add(text, file->text + i, 1);
	}
	*at = end + 1;
	return true;
}

/* Up to a comment behind a blank, or the line's end; no blanks at its end. */
static void read_bare(const struct la_env_file *file, size_t *at,
		      struct la_strbuf *text)
{
	size_t start = *at, last = *at, n;

	while (!at_line_end(file, *at)) {
		n = blank(file, *at);
		if (file->text[*at] == '#' && *at > last)
			break;
		*at += n ? n : 1;
		if (!n)
			last = *at;
	}
	la_strbuf_add(text, file->text + start, last - start);
	*at = la_env_line_end(file, *at);
}

static bool read_value(struct la_env_file *file, size_t *at,
		       struct la_strbuf *text)
{
	if (at_line_end(file, *at))
		return true;
	if (strchr("'\"", file->text[*at]))
		return read_quoted(file, at, text);
	read_bare(file, at, text);
	return true;
}

/* Nothing but a comment up to the line's end. */
static bool ends_line(const struct la_env_file *file, size_t *at)
{
	*at = skip_blanks(file, *at);
	if (*at < file->length && file->text[*at] == '#')
		*at = la_env_line_end(file, *at);
	return at_line_end(file, *at);
}

static void interpolate(struct la_env_file *file, struct la_script_span name,
			const struct la_strbuf *raw, size_t end)
{
	struct la_script_scope scope = { file->script, &file->vars,
					 LA_SCRIPT_FLAT | LA_SCRIPT_OPEN, 0 };
	struct la_script_value value = { 0 };

	la_script_expand_all(&scope, la_strbuf_text(raw), raw->length, &value);
	la_env_bind(file, name, &value, end);
}

/* One line, from its first character; where it ends. */
static size_t read_line(struct la_env_file *file, size_t at)
{
	struct la_strbuf raw = { 0 };
	struct la_script_span name;
	size_t end;

	at = skip_export(file, at);
	if (at < file->length && file->text[at] == '#')
		return la_env_line_end(file, at);
	name = read_name(file, &at);
	if (name.start == name.end)
		return la_env_line_end(file, at);
	at = skip_blanks(file, at);
	if (at >= file->length || file->text[at] != '=') {
		end = la_env_line_end(file, at);
		la_env_refuse(file, name, end,
			      ends_line(file, &at) ? LA_SCRIPT_NO_ASSIGNMENT :
						     LA_SCRIPT_SYNTAX,
			      "there is no = behind the name");
		return end;
	}
	at = skip_blanks(file, at + 1);
	end = at;
	if (read_value(file, &end, &raw) && (at = end, ends_line(file, &at)))
		interpolate(file, name, &raw, end);
	else
		la_env_refuse(file, name, la_env_line_end(file, at),
			      LA_SCRIPT_SYNTAX,
			      "the quotes do not end where the value does");
	la_strbuf_release(&raw);
	return la_env_line_end(file, at);
}

void la_env_read_python(struct la_env_file *file)
{
	size_t at = 0;

	while ((at = skip_space(file, at)) < file->length)
		at = read_line(file, at);
}
