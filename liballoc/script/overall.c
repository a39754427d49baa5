// SPDX-License-Identifier: Apache-2.0
/*
 * What holds for all kinds: prompts that were pasted along, placeholders that
 * were left in, and names that nothing in the text sets.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "script/internal.h"
#include "script/overall.h"
#include "util/util.h"

enum {
	PROMPT_MAX = 120, /* bytes of the longest prompt */
	LOOKED_AT = 4096 /* bytes of what gives no value */
};

/* "(venv) " and the like: its bytes. */
static size_t venv_length(const char *line, size_t length)
{
	const char *close = *line == '(' ? memchr(line, ')', length) : NULL;
	size_t n = close ? (size_t)(close - line) + 1 : 0;

	return n && n < length && line[n] == ' ' ? n + 1 : 0;
}

/* "$ ", "user@host:~/x$ ", "[user@host x]# ": the prompt's bytes, or 0. */
static size_t shell_prompt(const char *line, size_t length)
{
	size_t venv = venv_length(line, length), i;
	bool host = false;

	for (i = venv; i + 1 < length; i++) {
		if (strchr("='\"`;&|<>", line[i]))
			return 0;
		if (line[i] == '@')
			host = true;
		if (!strchr("$%#", line[i]) || line[i + 1] != ' ')
			continue;
		if (host || (i == venv && (venv || line[i] != '#')))
			return i + 2;
		return 0;
	}
	return 0;
}

/* "C:\Users\me>": its bytes, or 0. */
static size_t cmd_prompt(const char *line, size_t length)
{
	size_t i = venv_length(line, length);

	if (length < i + 4 || !isalpha((unsigned char)line[i]) ||
	    line[i + 1] != ':' || line[i + 2] != '\\')
		return 0;
	for (; i < length; i++) {
		if (strchr("=\"&|<^%", line[i]))
			return 0;
		if (line[i] == '>')
			return i + 1;
	}
	return 0;
}

static size_t python_prompt(const char *line, size_t length)
{
	bool prompt = length > 4 &&
		      (!memcmp(line, ">>> ", 4) || !memcmp(line, "... ", 4));

	return prompt ? 4 : 0;
}

static size_t prompt_length(enum la_script_kind kind, const char *line,
			    size_t length)
{
	length = length < PROMPT_MAX ? length : PROMPT_MAX;
	if (kind <= LA_SCRIPT_TCSH)
		return shell_prompt(line, length);
	if (kind == LA_SCRIPT_CMD || kind == LA_SCRIPT_CMD_PROMPT)
		return cmd_prompt(line, length);
	return kind == LA_SCRIPT_PYTHON ? python_prompt(line, length) : 0;
}

size_t la_script_blank_prompts(enum la_script_kind kind, char *text,
			       size_t length)
{
	char *line = text, *end = text + length, *next;
	size_t n, first = 0;

	while (line < end && isspace((unsigned char)*line))
		line++;
	for (; line < end; line = next) {
		next = memchr(line, '\n', end - line);
		next = next ? next + 1 : end;
		n = prompt_length(kind, line, next - line);
		memset(line, ' ', n);
		if (!first && !n)
			return 0;
		first = first ? first : (size_t)(line - text) + n;
	}
	return first;
}

/* Does a text hold what its reader should have replaced? */
static bool is_placeholder(const char *text, size_t length)
{
	static const char *const words[] = { "YOUR_", "your_", "xxx", "XXX" };
	const char *open = memchr(text, '<', length), *end = text + length;
	size_t i;

	for (; open && end - open > 2;
	     open = memchr(open + 1, '<', end - open - 1))
		if (isalpha((unsigned char)open[1]))
			break;
	if (open && end - open > 2 && memchr(open, '>', end - open))
		return true;
	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (memmem(text, length, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Bytes of the first line. */
static size_t line_length(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (text[i] == '\r' || text[i] == '\n')
			break;
	return i;
}

static void say_placeholders(struct la_script *script,
			     const struct la_script_part *all)
{
	const struct la_script_assignment *a;
	const char *text;
	size_t i, length;

	for (i = 0; (a = la_script_peek(script, i)); i++) {
		text = a->value ? a->value : all->text + a->offset;
		length = a->value ? strlen(text) : strnlen(text, LOOKED_AT);
		length = line_length(text, length);
		if ((a->value || a->fate == LA_SCRIPT_LOST) &&
		    is_placeholder(text, length))
			la_script_say(script, all, i, LA_SCRIPT_PLACEHOLDER,
				      a->offset, a->offset + a->length, NULL);
	}
}

static size_t name_length(const char *text, const char *end)
{
	const char *at = text;

	while (at < end && (isalnum((unsigned char)*at) || *at == '_'))
		at++;
	return at - text;
}

static bool is_misspelt(const char *name, size_t length)
{
	static const char *const others[] = { "_NPU_", "_MLU_", "_MUSA_",
					      "_XPU_", "_GCU_" };
	char upper[64];
	size_t i;

	if (length >= sizeof(upper))
		return false;
	for (i = 0; i < length; i++)
		upper[i] = (char)toupper((unsigned char)name[i]);
	upper[length] = '\0';
	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (strstr(upper, others[i]))
			return false;
	return strstr(upper, "TORCH") && strstr(upper, "ALLOC_CONF");
}

/* No place sets anything: say where the name, or nearly so, stands. */
static void say_mention(struct la_script *script,
			const struct la_script_part *all, bool torch)
{
	const char *at = all->text, *end = at + all->length;
	size_t n;

	for (; at < end; at += n ? n : 1) {
		n = name_length(at, end);
		if (n && la_script_watches(script, at, n, false)) {
			la_script_say(script, all, LA_SCRIPT_WHOLE,
				      LA_SCRIPT_NO_ASSIGNMENT, at - all->text,
				      at - all->text + n,
				      "the text names the variable, but sets "
				      "it for no program");
			return;
		}
		if (!n || !torch || !is_misspelt(at, n))
			continue;
		la_script_say(script, all, LA_SCRIPT_WHOLE, LA_SCRIPT_MISSPELT,
			      at - all->text, at - all->text + n,
			      "torch reads no variable of this name; "
			      "PYTORCH_CUDA_ALLOC_CONF it reads");
		return;
	}
}

void la_script_say_overall(struct la_script *script,
			   const struct la_script_part *all, size_t prompt,
			   bool torch)
{
	if (prompt)
		la_script_say(script, all, LA_SCRIPT_WHOLE, LA_SCRIPT_PROMPT, 0,
			      prompt, NULL);
	say_placeholders(script, all);
	if (!la_script_peek(script, 0))
		say_mention(script, all, torch);
}
