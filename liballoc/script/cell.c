// SPDX-License-Identifier: Apache-2.0
/*
 * A cell of a notebook: Python, lines of IPython (%env, !cmd) and cells in
 * another language (%%bash).
 */
#include <errno.h>
#include <string.h>

#include "script/python-statement.h"
#include "util/util.h"

/* Bytes of a line. */
struct span {
	const char *text;
	size_t length;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct span trim(const char *text, size_t length)
{
	while (length && is_blank(*text)) {
		text++;
		length--;
	}
	while (length && is_blank(text[length - 1]))
		length--;
	return (struct span){ text, length };
}

/* The first word, taken off. */
static struct span take_word(struct span *line)
{
	struct span word = trim(line->text, line->length);
	size_t n = 0;

	while (n < word.length && !is_blank(word.text[n]))
		n++;
	*line = trim(word.text + n, word.length - n);
	word.length = n;
	return word;
}

static bool is_word(struct span span, const char *word)
{
	return span.length == strlen(word) &&
	       !memcmp(span.text, word, span.length);
}

/* $name and {name} of Python in a line of IPython; false: not known. */
static bool expand(struct py *py, struct span in, struct la_strbuf *out)
{
	const struct py_value *value;
	size_t i = 0, n, braces;

	while (i < in.length) {
		if (in.text[i] != '$' && in.text[i] != '{') {
			la_strbuf_add(out, in.text + i++, 1);
			continue;
		}
		braces = in.text[i] == '{';
		for (n = i + 1; n < in.length &&
				(in.text[n] == '_' ||
				 (unsigned int)(in.text[n] | 32) - 'a' < 26u ||
				 (unsigned int)in.text[n] - '0' < 10u);
		     n++)
			;
		if (n == i + 1 ||
		    (braces && (n == in.length || in.text[n] != '}')))
			return false;
		value = py_lookup(py, in.text + i + 1, n - i - 1);
		if (!py_str(out, value))
			return false;
		i = n + braces;
	}
	return true;
}

static void refuse(struct py *py, struct span name, enum la_script_code code)
{
	size_t at = py_note(py, name.text, name.length, NULL, LA_SCRIPT_LOST);

	la_script_say(py->script, py->part, at, code, py->start, py->end, NULL);
}

static void say_quotes(struct py *py, struct span value)
{
	if (value.length && (*value.text == '"' || *value.text == '\''))
		la_script_say(py->script, py->part, py->last,
			      LA_SCRIPT_QUOTES_KEPT, py->start, py->end, NULL);
}

/* %env V=x, %env V x: no quotes are removed, blanks at the ends are. */
static void set(struct py *py, struct span line)
{
	const char *split = memchr(line.text, '=', line.length);
	const struct py_value *name, *known = &py_unknown;
	struct la_strbuf text = { 0 };
	struct span value, word;

	if (!split)
		split = memchr(line.text, ' ', line.length);
	if (!split)
		return;
	word = trim(line.text, split - line.text);
	value = trim(split + 1, line.text + line.length - split - 1);
	if (memchr(word.text, ' ', word.length)) {
		take_word(&word);
		if (la_script_watches(py->script, word.text, word.length,
				      false))
			refuse(py, word, LA_SCRIPT_SYNTAX);
		return;
	}
	name = py_text(py, word.text, word.length);
	if (expand(py, value, &text))
		known = py_text(py, la_strbuf_text(&text), text.length);
	la_strbuf_release(&text);
	py_environ_set(py, name, known);
	if (la_script_watches(py->script, word.text, word.length, false))
		say_quotes(py, value);
}

static void run_command(struct py *py, enum la_script_kind kind,
			struct span line)
{
	struct la_strbuf text = { 0 };

	if (expand(py, line, &text))
		py_run_shell(py, kind, la_strbuf_text(&text), text.length);
	else
		py_run_shell(py, kind, line.text, line.length);
	la_strbuf_release(&text);
}

/* The shell that ! starts. */
static enum la_script_kind shell_of(const struct py *py)
{
	return la_script_platform(py->script) == LA_PLATFORM_WINDOWS ?
		       LA_SCRIPT_CMD_PROMPT :
		       LA_SCRIPT_BASH;
}

void py_magic(struct py *py)
{
	const struct py_token *token = py_now(&py->source);
	struct span line = { py->source.text + token->start,
			     token->end - token->start };
	struct span word;

	py->source.at++;
	if (*line.text == '!') {
		line.text += 1 + (line.length > 1 && line.text[1] == '!');
		line.length = py->source.text + token->end - line.text;
		run_command(py, shell_of(py), line);
		return;
	}
	word = take_word(&line);
	if (is_word(word, "%env") || is_word(word, "%set_env")) {
		set(py, line);
	} else if (is_word(word, "%sx") || is_word(word, "%system")) {
		run_command(py, shell_of(py), line);
	} else if (is_word(word, "%export") || is_word(word, "%set") ||
		   is_word(word, "%setenv")) {
		word = trim(line.text, strcspn(line.text, "= \n"));
		if (la_script_watches(py->script, word.text, word.length,
				      false))
			refuse(py, word, LA_SCRIPT_NOT_FOUND);
	}
}

/* %%word of a whole cell, and the language behind it. */
static const struct {
	const char *word;
	enum la_script_kind kind;
} languages[] = {
	{ "%%bash", LA_SCRIPT_BASH },
	{ "%%sh", LA_SCRIPT_SH },
	{ "%%zsh", LA_SCRIPT_ZSH },
	{ "%%fish", LA_SCRIPT_FISH },
	{ "%%cmd", LA_SCRIPT_CMD },
	{ "%%system", LA_SCRIPT_SH },
	{ "%%sx", LA_SCRIPT_SH },
	{ "%%!", LA_SCRIPT_SH },
	{ "%%powershell", LA_SCRIPT_POWERSHELL },
	{ "%%pwsh", LA_SCRIPT_POWERSHELL },
};

/* %%script --bg bash: the last word of the line that is a shell. */
static enum la_script_kind script_kind(struct span line)
{
	static const struct {
		const char *word;
		enum la_script_kind kind;
	} shells[] = {
		{ "bash", LA_SCRIPT_BASH },	{ "sh", LA_SCRIPT_SH },
		{ "zsh", LA_SCRIPT_ZSH },	{ "fish", LA_SCRIPT_FISH },
		{ "ksh", LA_SCRIPT_KSH },	{ "tcsh", LA_SCRIPT_TCSH },
		{ "python", LA_SCRIPT_PYTHON }, { "python3", LA_SCRIPT_PYTHON }
	};
	struct span word;
	size_t i;

	while (line.length) {
		word = take_word(&line);
		for (i = 0; i < ARRAY_SIZE(shells); i++)
			if (is_word(word, shells[i].word))
				return shells[i].kind;
	}
	return LA_SCRIPT_KINDS;
}

/* Who reads a cell that begins with this line; CELL: Python. */
static enum la_script_kind language(struct span line)
{
	struct span word = take_word(&line);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(languages); i++)
		if (is_word(word, languages[i].word))
			return languages[i].kind;
	if (is_word(word, "%%script"))
		return script_kind(line);
	if (is_word(word, "%%time") || is_word(word, "%%timeit") ||
	    is_word(word, "%%capture") || is_word(word, "%%prun"))
		return LA_SCRIPT_CELL;
	return LA_SCRIPT_KINDS;
}

int la_script_read_cell(struct la_script *script,
			const struct la_script_part *part, struct la_error *err)
{
	struct la_script_part rest = *part;
	enum la_script_kind kind;
	const char *newline;
	size_t start = 0;

	while (start < part->length && is_blank(part->text[start]))
		start++;
	if (part->length - start < 2 || memcmp(part->text + start, "%%", 2))
		return la_script_read_python(script, part, err);
	newline = memchr(part->text + start, '\n', part->length - start);
	if (!newline)
		return 0;
	kind = language((struct span){ part->text + start,
				       newline - part->text - start });
	if (kind == LA_SCRIPT_KINDS)
		return 0;
	rest.text = newline + 1;
	rest.length = part->text + part->length - rest.text;
	rest.offset = la_script_offset(part, rest.text - part->text);
	rest.piece_count = 0;
	rest.ends = true;
	return la_script_nested(script, kind, &rest, err);
}
