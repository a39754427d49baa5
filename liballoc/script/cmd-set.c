// SPDX-License-Identifier: Apache-2.0
/* set and setx. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/cmd.h"

/* name=value of one set, as positions of its text. */
struct setting {
	const struct cmd_text *text;
	size_t at; /* first byte of the name */
	size_t equals;
	size_t end; /* of the value */
	size_t dropped; /* last byte that set leaves out, or end */
};

static bool split(struct setting *s)
{
	const struct cmd_text *text = s->text;
	size_t i;

	s->end = s->dropped = text->length;
	if (s->at < text->length && text->byte[s->at] == '"') {
		s->at++;
		for (i = text->length; i > s->at; i--)
			if (text->byte[i - 1] == '"') {
				s->end = i - 1;
				break;
			}
	}
	for (i = s->at; i < s->end; i++)
		if (text->byte[i] == '=')
			break;
	s->equals = i;
	return i < s->end && i > s->at;
}

/* The name that was meant, without quotes and blanks. */
static bool meant(struct cmd_run *run, const char *name, size_t length)
{
	static const char *const odd[] = { "'",		   "\"",
					   "`",		   " ",
					   "\xe2\x80\x9c", "\xe2\x80\x98",
					   "\xc2\xa0",	   "$",
					   "%",		   ",",
					   ";" };
	size_t i, n;

	for (i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		n = strlen(odd[i]);
		if (length > n && !memcmp(name, odd[i], n))
			return meant(run, name + n, length - n);
		if (length > n && !memcmp(name + length - n, odd[i], n))
			return meant(run, name, length - n);
	}
	return cmd_watches(run, name, length);
}

static void trim(const char **name, size_t *length, struct cmd_run *run)
{
	while (*length && !cmd_watches(run, *name, *length) &&
	       meant(run, *name + 1, *length - 1)) {
		++*name;
		--*length;
	}
	while (*length && !cmd_watches(run, *name, *length))
		--*length;
}

/* Another name than the one that was meant. */
static void wrong_name(struct cmd_run *run, const struct setting *s)
{
	const char *name = s->text->byte + s->at;
	size_t length = s->equals - s->at;
	size_t start = cmd_text_first(s->text, s->at);
	size_t end = cmd_text_last(s->text, s->equals);
	bool blank = cmd_is_blank(name[length - 1]);
	size_t place;

	trim(&name, &length, run);
	place = cmd_lose(run, name, length, start,
			 cmd_text_last(s->text, s->end));
	if (blank)
		la_script_say(run->script, run->part, place, LA_SCRIPT_BLANKS,
			      start, end,
			      "the blank before = becomes part of the name");
	else
		la_script_say(run->script, run->part, place,
			      LA_SCRIPT_NAME_QUOTED, start, end, NULL);
}

/* Does the value hold %X% of an X that this same line or block sets? */
static bool too_early(struct cmd_run *run, size_t start, size_t end)
{
	const char *text = run->part->text, *close, *name;
	const struct cmd_variable *v;

	end = end < run->part->length ? end : run->part->length;
	for (; start < end; start++) {
		if (text[start] != '%')
			continue;
		name = text + start + 1;
		close = memchr(name, '%', (size_t)(text + end - name));
		if (!close)
			return false;
		v = cmd_find(run->environment, name, (size_t)(close - name));
		if (v && v->unit == run->unit)
			return true;
	}
	return false;
}

static void say_value(struct cmd_run *run, const struct setting *s,
		      size_t place)
{
	const char *value = s->text->byte + s->equals + 1;
	size_t length = s->end - s->equals - 1;
	size_t start = cmd_text_first(s->text, s->equals + 1);
	size_t end = cmd_text_last(s->text, s->end);

	if (!length)
		return;
	if (cmd_is_blank(value[0]))
		la_script_say(run->script, run->part, place, LA_SCRIPT_BLANKS,
			      start, start + 1,
			      "the blank behind = becomes part of the value");
	if (cmd_is_blank(value[length - 1]))
		la_script_say(run->script, run->part, place,
			      LA_SCRIPT_TRAILING_BLANK, end - 1, end, NULL);
	if (strchr("\"'`", value[0]) && value[0])
		la_script_say(run->script, run->part, place,
			      LA_SCRIPT_QUOTES_KEPT, start, end, NULL);
	for (; length; length--)
		if (value[length - 1] & 0x80) {
			la_script_say(run->script, run->part, place,
				      LA_SCRIPT_LOOKALIKE, start, end,
				      "a character beyond ASCII is part of "
				      "the value");
			break;
		}
}

static void say_place(struct cmd_run *run, const struct setting *s,
		      const struct cmd_node *node, size_t place, bool early)
{
	size_t start = cmd_text_first(s->text, s->at);
	size_t end = cmd_text_last(s->text, s->end);

	say_value(run, s, place);
	if (s->dropped > s->end + 1)
		la_script_say(run->script, run->part, place,
			      LA_SCRIPT_DROPPED, end,
			      cmd_text_last(s->text, s->dropped), NULL);
	if (early)
		la_script_say(run->script, run->part, place, LA_SCRIPT_EARLY,
			      start, end, NULL);
	if (node->redirect_end)
		la_script_say(run->script, run->part, place,
			      LA_SCRIPT_REDIRECTED, node->redirect_start,
			      node->redirect_end, NULL);
}

/* No file can have such a name: cmd does not run the line. */
static bool no_file(const struct cmd_node *node)
{
	return node->redirect_end && node->list.length &&
	       strchr(":*?\"", node->list.byte[0]) && node->list.byte[0];
}

static void assign(struct cmd_run *run, const struct setting *s,
		   const struct cmd_node *node)
{
	const char *name = s->text->byte + s->at;
	size_t length = s->equals - s->at, place;
	size_t start = cmd_text_first(s->text, s->at);
	size_t end = cmd_text_last(s->text, s->end);
	struct cmd_text value = { 0 };
	bool early = too_early(run, start,
			       node->end > end ? node->end : end);

	if (no_file(node)) {
		if (!cmd_watches(run, name, length))
			return;
		place = cmd_lose(run, name, length, start, end);
		la_script_say(run->script, run->part, place,
			      LA_SCRIPT_REDIRECTED, node->redirect_start,
			      node->redirect_end,
			      "> sends output to a file that cannot be made, "
			      "so that the line is not run");
		return;
	}
	cmd_text_copy(&value, s->text, s->equals + 1, s->end);
	place = cmd_assign(run, name, length,
			   value.length ? value.byte : NULL,
			   cmd_text_known(&value), start, end);
	if (place != LA_SCRIPT_WHOLE && !cmd_text_known(&value))
		la_script_say(run->script, run->part, place,
			      LA_SCRIPT_NEEDS_RUNNING, start, end, NULL);
	if (place != LA_SCRIPT_WHOLE)
		say_place(run, s, node, place, early);
	cmd_text_free(&value);
}

/* set /a and set /p: what comes out, only running could tell. */
static void compute(struct cmd_run *run, struct setting *s)
{
	const char *name;
	size_t place, start, end, length;

	s->at += 2;
	while (s->at < s->text->length &&
	       (cmd_is_blank(s->text->byte[s->at]) ||
		s->text->byte[s->at] == '"'))
		s->at++;
	if (!split(s))
		return;
	name = s->text->byte + s->at;
	for (length = s->equals - s->at; length; length--)
		if (!strchr(" \t+-*/%&|^<>", name[length - 1]))
			break;
	start = cmd_text_first(s->text, s->at);
	end = cmd_text_last(s->text, s->end);
	place = cmd_assign(run, name, length, NULL, false, start, end);
	if (place != LA_SCRIPT_WHOLE)
		la_script_say(run->script, run->part, place,
			      LA_SCRIPT_NEEDS_RUNNING, start, end, NULL);
}

void la_cmd_set(struct cmd_run *run, const struct cmd_node *node,
	     const struct cmd_text *text, size_t at)
{
	struct setting s = { .text = text, .at = at };
	const char *name;
	size_t length;

	while (s.at < text->length && cmd_is_blank(text->byte[s.at]))
		s.at++;
	if (s.at + 1 < text->length && text->byte[s.at] == '/' &&
	    text->byte[s.at + 1] && strchr("aApP", text->byte[s.at + 1])) {
		compute(run, &s);
		return;
	}
	if (!split(&s))
		return;
	name = text->byte + s.at;
	length = s.equals - s.at;
	if (memchr(name, CMD_UNKNOWN, length))
		la_script_say(run->script, run->part, LA_SCRIPT_WHOLE,
			      LA_SCRIPT_NEEDS_RUNNING,
			      cmd_text_first(text, s.at),
			      cmd_text_last(text, s.equals),
			      "which variable this sets, only running it could "
			      "tell");
	else if (!cmd_watches(run, name, length) && meant(run, name, length))
		wrong_name(run, &s);
	else
		assign(run, &s, node);
}

void cmd_setx(struct cmd_run *run, const struct cmd_text *text, size_t at)
{
	size_t end, place, start;

	while (at < text->length && (cmd_is_delimiter(text->byte[at]) ||
				     text->byte[at] == '"'))
		at++;
	for (end = at; end < text->length &&
		       !cmd_is_delimiter(text->byte[end]) &&
		       text->byte[end] != '"';)
		end++;
	if (!cmd_watches(run, text->byte + at, end - at))
		return;
	start = cmd_text_first(text, 0);
	place = cmd_lose(run, text->byte + at, end - at, start,
			 cmd_text_last(text, text->length));
	la_script_say(run->script, run->part, place, LA_SCRIPT_SETX, start,
		      cmd_text_last(text, end), NULL);
	if (end < text->length && text->byte[end] == '=')
		la_script_say(run->script, run->part, place, LA_SCRIPT_SYNTAX,
			      cmd_text_first(text, end),
			      cmd_text_first(text, end) + 1,
			      "setx wants a blank there, not =");
}
