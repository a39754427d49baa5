// SPDX-License-Identifier: Apache-2.0
/* PowerShell: what a text gives to the programs that it starts. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/powershell.h"
#include "util/c-locale.h"
#include "util/error.h"

enum { MEMORY = 32 << 20, MEMORY_EACH = 32 };

/* Bytes of a prompt that was pasted in front of a line: (venv) PS C:\> */
static size_t prompt(const char *line, const char *end)
{
	const char *at = line;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (at < end && *at == '(') {
		while (at < end && *at != ')' && *at != '\n')
			at++;
		if (at < end && *at == ')')
			at++;
		while (at < end && *at == ' ')
			at++;
	}
	if (end - at < 3 || at[0] != 'P' || at[1] != 'S' ||
	    (at[2] != ' ' && at[2] != '>'))
		return 0;
	while (at < end && *at != '>' && *at != '\n')
		at++;
	if (at == end || *at != '>')
		return 0;
	while (at < end && *at == '>')
		at++;
	return at - line;
}

/* Blank the prompts of a copy; the lines that had one are marked. */
static bool strip_prompts(char *text, size_t length)
{
	char *line = text, *end = text + length, *next;
	bool found = false;
	size_t n;

	for (; line < end; line = next) {
		next = memchr(line, '\n', end - line);
		next = next ? next + 1 : end;
		n = prompt(line, next);
		if (n) {
			memset(line, ' ', n);
			line[0] = '\001';
			found = true;
		} else if (found && next - line > 2 && !memcmp(line, ">>", 2)) {
			line[0] = line[1] = ' ';
		}
	}
	return found;
}

/* What was meant, where nothing is run. */
static void refused(struct ps *ps, const char *text, size_t start, size_t end,
		    size_t bad, const char *why)
{
	struct ps_env *env;
	size_t at = start, from, place;
	char *name;

	la_script_say(ps->script, ps->part, LA_SCRIPT_WHOLE, LA_SCRIPT_SYNTAX,
		      bad, bad, "PowerShell runs nothing of this: %s", why);
	while (at < end && !ps->spent) {
		from = at;
		while (at < end &&
		       (isalnum((unsigned char)text[at]) || text[at] == '_'))
			at++;
		if (at == from) {
			at++;
			continue;
		}
		if (!la_script_watches(ps->script, text + from, at - from,
				       ps->windows))
			continue;
		name = ps_copy(ps, text + from, at - from);
		env = name ? ps_env(ps, name, true) : NULL;
		if (!env || env->told)
			continue;
		env->told = true;
		place = env->place;
		if (place == LA_SCRIPT_WHOLE)
			place = la_script_add(ps->script, ps->part, name,
					      strlen(name), NULL,
					      LA_SCRIPT_LOST, from, at);
		la_script_say(ps->script, ps->part, place, LA_SCRIPT_SYNTAX,
			      bad, bad, "PowerShell runs nothing of this: %s",
			      why);
	}
}

/* Assignments that were not reached: inside functions, behind exit. */
static void tell_unreached(struct ps *ps, struct ps_node *node)
{
	struct ps_node *one;

	if (node->kind == PS_N_ASSIGN && !node->ran &&
	    node->first->kind == PS_N_VARIABLE &&
	    !strncasecmp(node->first->text, "env:", 4)) {
		ps->now = node;
		ps_lose(ps, node->first->text + 4, LA_SCRIPT_NOT_RUN,
			"this line is not run");
	}
	for (one = node->first; one; one = one->next)
		tell_unreached(ps, one);
}

static void run_text(struct ps *ps, const char *text, size_t start, size_t end)
{
	struct ps_list out = { 0 };
	struct ps_node *script, *parameter;
	struct ps_arguments none = { 0 };
	const char *why;
	size_t bad;

	script = ps_parse(ps, text, start, end, &bad, &why);
	if (ps->big) {
		ps->ret = la_error_set(ps->err, -EFBIG, ps->part->offset + bad,
				       "%s", why);
		return;
	}
	if (!script) {
		refused(ps, text, start, end, bad, why);
		return;
	}
	ps->flow = PS_ON;
	parameter = script->first->first;
	if (parameter)
		ps_call(ps, script, &none, true, &out);
	else
		ps_run_block(ps, script, &out);
	tell_unreached(ps, script);
	ps->now = NULL;
	if (ps->windows && ps->modern)
		la_script_say(ps->script, ps->part, LA_SCRIPT_WHOLE,
			      LA_SCRIPT_READERS_DIFFER, ps->modern - 1,
			      ps->modern,
			      "PowerShell 7 reads this; Windows PowerShell 5.1 "
			      "refuses the script (from documentation)");
	ps->modern = 0;
}

/* At a prompt each entry is read for itself. */
static void run_entries(struct ps *ps, char *text, size_t length)
{
	size_t start = 0, end;
	const char *next;

	for (; start < length; start = end) {
		next = memchr(text + start + 1, '\001', length - start - 1);
		end = next ? (size_t)(next - text) : length;
		if (text[start] == '\001') {
			text[start] = ' ';
			la_script_say(ps->script, ps->part, LA_SCRIPT_WHOLE,
				      LA_SCRIPT_PROMPT, start, start + 1, NULL);
			run_text(ps, text, start, end);
		}
	}
}

static void run_all(struct ps *ps, char *text)
{
	size_t length = ps->part->length, start = 0;

	if (length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		start = 3;
	if (!memchr(text, '\001', length) && strip_prompts(text, length))
		run_entries(ps, text, length);
	else
		run_text(ps, text, start, length);
	ps_finish(ps);
}

static int walk(struct ps *ps)
{
	struct la_c_locale locale;
	char *text = ps_copy(ps, ps->part->text, ps->part->length);

	if (!text || !la_c_locale_enter(&locale))
		return la_error_set(ps->err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	run_all(ps, text);
	la_c_locale_leave(&locale);
	return ps->failed ? la_error_set(ps->err, -ENOMEM, LA_NO_OFFSET,
					 "out of memory") :
			    ps->ret;
}

int la_script_read_powershell(struct la_script *script,
			      const struct la_script_part *part,
			      struct la_error *err)
{
	struct ps_scope scope = { .function = true };
	struct ps ps = { .script = script, .part = part, .err = err };
	int ret;

	ps.budget = MEMORY + MEMORY_EACH * part->length;
	ps.steps = PS_STEPS + part->length;
	ps.tries = PS_TRIES + part->length;
	ps.windows = la_script_platform(script) == LA_PLATFORM_WINDOWS;
	ps.scope = &scope;
	ret = walk(&ps);
	ps_release(&ps);
	return ret;
}
