// SPDX-License-Identifier: Apache-2.0
/* .env as a POSIX shell takes it: set -a; . ./.env */
#include <string.h>

#include "script/env-file.h"

struct word {
	struct la_env_file *file;
	size_t at;
	struct la_script_value value;
	const char *refused; /* the shell stops here */
};

static bool is_one_of(const struct la_env_file *file, size_t at,
		      const char *set)
{
	return at < file->length && file->text[at] &&
	       strchr(set, file->text[at]);
}

static size_t skip_blanks(const struct la_env_file *file, size_t at)
{
	while (is_one_of(file, at, " \t"))
		at++;
	return at;
}

static size_t skip_line(const struct la_env_file *file, size_t at)
{
	const char *newline =
		memchr(file->text + at, '\n', file->length - at);

	return newline ? (size_t)(newline - file->text) : file->length;
}

static void add_dollar(struct word *w)
{
	struct la_script_scope scope = {
		w->file->script, &w->file->vars,
		LA_SCRIPT_BARE | LA_SCRIPT_WORDS | LA_SCRIPT_OPEN, '\\'
	};
	size_t n = la_script_expand(&scope, w->file->text + w->at,
				    w->file->length - w->at, &w->value);

	if (!n) {
		if (is_one_of(w->file, w->at + 1, "('\"?*@!#$-0123456789"))
			la_script_value_unknown(&w->value, "", 0);
		la_strbuf_add(&w->value.text, "$", 1);
	}
	w->at += n ? n : 1;
}

static void add_single(struct word *w)
{
	const char *start = w->file->text + w->at + 1;
	const char *end = memchr(start, '\'', w->file->length - w->at - 1);

	if (!end) {
		w->refused = "the shell finds no end of the quotes";
		return;
	}
	la_strbuf_add(&w->value.text, start, end - start);
	w->at = end - w->file->text + 1;
}

static void add_double(struct word *w)
{
	const struct la_env_file *file = w->file;

	for (w->at++; w->at < file->length && file->text[w->at] != '"';) {
		if (file->text[w->at] == '$') {
			add_dollar(w);
			continue;
		}
		if (file->text[w->at] == '`')
			la_script_value_unknown(&w->value, "", 0);
		if (file->text[w->at] == '\\' &&
		    is_one_of(file, w->at + 1, "\"\\$`\n") &&
		    file->text[++w->at] == '\n') {
			w->at++;
			continue;
		}
		la_strbuf_add(&w->value.text, file->text + w->at++, 1);
	}
	if (w->at == file->length)
		w->refused = "the shell finds no end of the quotes";
	else
		w->at++;
}

static void add_plain(struct word *w)
{
	const struct la_env_file *file = w->file;

	if (file->text[w->at] == '`' || file->text[w->at] == '~')
		la_script_value_unknown(&w->value, "", 0);
	if (file->text[w->at] == '\\' && w->at + 1 < file->length)
		w->at++;
	if (file->text[w->at] != '\n')
		la_strbuf_add(&w->value.text, file->text + w->at, 1);
	w->at++;
}

static void read_word(struct word *w)
{
	while (w->at < w->file->length && !w->refused &&
	       !is_one_of(w->file, w->at, " \t\n;&|<>()")) {
		if (w->file->text[w->at] == '\'')
			add_single(w);
		else if (w->file->text[w->at] == '"')
			add_double(w);
		else if (w->file->text[w->at] == '$')
			add_dollar(w);
		else
			add_plain(w);
	}
	if (is_one_of(w->file, w->at, "()"))
		w->refused = "the shell refuses the parenthesis";
}

/* Are there no more words of the same command? */
static bool ends_command(const struct la_env_file *file, size_t at)
{
	if (is_one_of(file, at, "<>"))
		return true;
	at = skip_blanks(file, at);
	return at == file->length || is_one_of(file, at, "\n;&#") ||
	       (is_one_of(file, at, "|") && is_one_of(file, at + 1, "|"));
}

static size_t read_assignment(struct la_env_file *file,
			      struct la_script_span name, bool exported)
{
	struct word w = { .file = file, .at = name.end + 1 };

	read_word(&w);
	if (!w.refused && !exported && !ends_command(file, w.at))
		w.refused = "the shell takes the rest of the line for a "
			    "command";
	if (w.refused) {
		la_env_refuse(file, name, skip_line(file, w.at),
			      LA_SCRIPT_SYNTAX, w.refused);
		la_script_value_release(&w.value);
	} else {
		la_env_bind(file, name, &w.value, w.at);
	}
	return skip_line(file, w.at);
}

/* One line; where it ends. */
static size_t read_line(struct la_env_file *file, size_t at)
{
	struct la_script_span name;
	bool exported = false;

	at = skip_blanks(file, at);
	if (file->length - at > 7 && !memcmp(file->text + at, "export", 6) &&
	    is_one_of(file, at + 6, " \t")) {
		exported = true;
		at = skip_blanks(file, at + 6);
	}
	name.start = at;
	name.end = at + la_script_name(file->text + at, file->length - at);
	if (name.end > at && is_one_of(file, name.end, "="))
		return read_assignment(file, name, exported);
	if (name.end > at)
		la_env_refuse(file, name, skip_line(file, at),
			      LA_SCRIPT_BLANKS,
			      "the shell wants = right behind the name");
	return skip_line(file, at);
}

void la_env_read_shell(struct la_env_file *file)
{
	size_t at;

	for (at = 0; at < file->length; at++)
		at = read_line(file, at);
}
