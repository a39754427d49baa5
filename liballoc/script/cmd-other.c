// SPDX-License-Identifier: Apache-2.0
/* Commands that are not of cmd: programs, other shells, other languages. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/cmd.h"
#include "util/strbuf.h"

/* Words with which lines of other languages begin. */
static const char *const foreign[] = {
	"export", "declare", "typeset", "setenv", "env", "$",	"#",
	"ps",	  ">>>",     "set-item", "-e",	 "import", "launchctl",
	"!export", "$env",   "[environment]::setenvironmentvariable",
	"[system.environment]::setenvironmentvariable",
};

static bool begins(const struct cmd_text *text, const char *word)
{
	size_t length = strlen(word);

	return text->length >= length &&
	       !strncasecmp(text->byte, word, length) &&
	       (text->length == length ||
		strchr(" \t:=(\".", text->byte[length]));
}

/* The first watched name that is part of the text; its length, or 0. */
static size_t find_name(struct cmd_run *run, const struct cmd_text *text,
			size_t *at)
{
	size_t end;

	for (*at = 0; *at < text->length; *at = end + 1) {
		end = *at;
		while (end < text->length &&
		       (text->byte[end] == '_' ||
			(text->byte[end] >= '0' && text->byte[end] <= '9') ||
			((text->byte[end] | 32) >= 'a' &&
			 (text->byte[end] | 32) <= 'z')))
			end++;
		if (end > *at && cmd_watches(run, text->byte + *at, end - *at))
			return end - *at;
	}
	return 0;
}

/* Its first word names the variable, or another language sets it so. */
static bool is_foreign(const struct cmd_node *node,
		       const struct cmd_text *text, size_t name)
{
	size_t i;

	for (i = 0; i < name; i++)
		if (cmd_is_blank(text->byte[i]))
			break;
	if (i == name)
		return true;
	for (i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
		if (begins(text, foreign[i]))
			return true;
	/* A prompt was pasted along: C:\x>set V=... */
	return node->redirect_end && node->list.length >= 3 &&
	       (!strncasecmp(node->list.byte, "set", 3) ||
		!strncasecmp(node->list.byte, "$env", 4));
}

static bool say_foreign(struct cmd_run *run, const struct cmd_node *node,
			const struct cmd_text *text)
{
	size_t name, length = find_name(run, text, &name), place, start;

	if (!length || !is_foreign(node, text, name))
		return false;
	start = cmd_text_first(text, 0);
	place = cmd_lose(run, text->byte + name, length, start,
			 cmd_text_last(text, text->length));
	la_script_say(run->script, run->part, place, LA_SCRIPT_OTHER_LANGUAGE,
		      start, cmd_text_last(text, text->length), NULL);
	return true;
}

enum cmd_flow cmd_refuse(struct cmd_run *run, size_t start, size_t end)
{
	struct cmd_text text = { 0 };
	size_t name, length, place = LA_SCRIPT_WHOLE;

	end = end < run->part->length ? end : run->part->length;
	cmd_text_put_all(&text, run->part->text + start,
			 end - start < CMD_LINE ? end - start : CMD_LINE,
			 start);
	length = find_name(run, &text, &name);
	if (length)
		place = cmd_lose(run, text.byte + name, length, start, end);
	la_script_say(run->script, run->part, place, LA_SCRIPT_SYNTAX, start,
		      end, NULL);
	cmd_text_free(&text);
	return run->prompt ? CMD_NEXT : CMD_STOP;
}

/* What stands behind the first word, moved over switches up to last. */
static bool skip_to(const struct cmd_text *text, size_t *at,
		    const char *const *last)
{
	size_t start, i;

	while (*at < text->length) {
		while (*at < text->length && cmd_is_blank(text->byte[*at]))
			++*at;
		start = *at;
		while (*at < text->length && !cmd_is_blank(text->byte[*at]))
			++*at;
		for (i = 0; last[i]; i++)
			if (strlen(last[i]) == *at - start &&
			    !strncasecmp(text->byte + start, last[i],
					 *at - start))
				return true;
	}
	return false;
}

/* Without blanks and one pair of quotes around it. */
static void peel(const struct cmd_text *text, size_t *at, size_t *end)
{
	while (*at < *end && cmd_is_blank(text->byte[*at]))
		++*at;
	while (*end > *at && cmd_is_blank(text->byte[*end - 1]))
		--*end;
	if (*end > *at + 1 && text->byte[*at] == '"' &&
	    text->byte[*end - 1] == '"') {
		++*at;
		--*end;
	}
}

static bool run_cmd(struct cmd_run *run, const struct cmd_text *text)
{
	static const char *const last[] = { "/c", "/k", "/r", NULL };
	struct cmd_text inner = { 0 };
	size_t at = 0, end = text->length;

	if (!begins(text, "cmd") && !begins(text, "cmd.exe"))
		return false;
	if (!skip_to(text, &at, last))
		return false;
	peel(text, &at, &end);
	cmd_text_copy(&inner, text, at, end);
	cmd_run_inner(run, &inner);
	cmd_text_free(&inner);
	return true;
}

static bool run_shell(struct cmd_run *run, const struct cmd_text *text)
{
	static const char *const last[] = { "-command", "-c", "/c", NULL };
	bool bash = begins(text, "bash") || begins(text, "bash.exe") ||
		    begins(text, "sh");
	bool power = begins(text, "powershell") || begins(text, "pwsh") ||
		     begins(text, "powershell.exe") || begins(text, "pwsh.exe");
	struct la_script_part part = { .ends = true };
	size_t at = 0, end = text->length;

	if ((!bash && !power) || !skip_to(text, &at, last))
		return false;
	peel(text, &at, &end);
	if (memchr(text->byte + at, CMD_UNKNOWN, end - at))
		return false;
	part.text = text->byte + at;
	part.length = end - at;
	part.offset = la_script_offset(run->part, cmd_text_first(text, at));
	run->ret = la_script_nested(run->script,
				    bash ? LA_SCRIPT_BASH :
					   LA_SCRIPT_POWERSHELL,
				    &part, run->err);
	return true;
}

/* A batch file does not come back to one that starts it without call. */
static bool is_batch(const struct cmd_text *text)
{
	size_t end = 0;

	while (end < text->length && !cmd_is_delimiter(text->byte[end]))
		end++;
	end -= end && text->byte[end - 1] == '"';
	return end > 4 && (!strncasecmp(text->byte + end - 4, ".bat", 4) ||
			   !strncasecmp(text->byte + end - 4, ".cmd", 4));
}

enum cmd_flow cmd_other(struct cmd_run *run, const struct cmd_node *node,
			const struct cmd_text *text)
{
	if (say_foreign(run, node, text))
		return CMD_NEXT;
	if (run_cmd(run, text))
		return CMD_NEXT;
	cmd_program(run);
	run_shell(run, text);
	return is_batch(text) && !run->prompt ? CMD_STOP : CMD_NEXT;
}
