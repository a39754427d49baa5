// SPDX-License-Identifier: Apache-2.0
/* $x and ${x...}. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/shell.h"
#include "util/util.h"

enum { PATTERN_BYTES = 1024 }; /* longest value that patterns are cut from */

/* Does the set behind [ hold c?  *pattern moves behind it; false with *pattern
 * unmoved if it is no set. */
static bool in_set(const char **pattern, char c)
{
	const char *at = *pattern + 1, *first;
	bool negated = *at == '!' || *at == '^', found = false;

	at += negated;
	for (first = at; *at && (*at != ']' || at == first); at++) {
		if (at[1] == '-' && at[2] && at[2] != ']') {
			found |= c >= at[0] && c <= at[2];
			at += 2;
		} else {
			found |= *at == c;
		}
	}
	if (!*at) {
		*pattern += c == '[';
		return c == '[';
	}
	if (found == negated)
		return false;
	*pattern = at + 1;
	return true;
}

/* One step that is no star: true and both moved on. */
static bool match_one(const char **pattern, const char **text)
{
	if (!**text || !**pattern)
		return false;
	if (**pattern == '[') {
		if (!in_set(pattern, **text))
			return false;
	} else if (**pattern == '\\' && (*pattern)[1]) {
		if ((*pattern)[1] != **text)
			return false;
		*pattern += 2;
	} else if (**pattern == '?' || **pattern == **text) {
		++*pattern;
	} else {
		return false;
	}
	++*text;
	return true;
}

bool la_shell_matches(const char *pattern, const char *text)
{
	const char *star = NULL, *from = NULL;

	for (;;) {
		if (*pattern == '*') {
			star = ++pattern;
			from = text;
		} else if (!*pattern && !*text) {
			return true;
		} else if (!match_one(&pattern, &text)) {
			if (!star || !*from)
				return false;
			pattern = star;
			text = ++from;
		}
	}
}

/* A word as a pattern: what is quoted is escaped.  False: unknown. */
static bool pattern_of(struct shell *shell, const struct word *word,
		       struct la_strbuf *pattern)
{
	const struct piece *piece;
	size_t i;

	for (piece = word ? word->first : NULL; piece; piece = piece->next) {
		struct word one = { .first = (struct piece *)piece };
		struct text text = { 0 };
		struct piece alone = *piece;

		alone.next = NULL;
		one.first = &alone;
		la_shell_text(shell, &one, &text, false);
		for (i = 0; i < text.bytes.length; i++) {
			if (piece->quoted && ispunct((unsigned char)
						     text.bytes.data[i]))
				la_strbuf_add(pattern, "\\", 1);
			la_strbuf_add(pattern, &text.bytes.data[i], 1);
		}
		la_strbuf_release(&text.bytes);
		if (text.unknown)
			return false;
	}
	return true;
}

/* Cut what matches from the start (#) or the end (%): doubled, the longest. */
static void cut(const char *value, const char *pattern, const char *operator,
		struct text *text)
{
	size_t length = strlen(value), i, at;
	bool front = operator[0] == '#', longest = operator[1];
	char *piece;

	if (length > PATTERN_BYTES) {
		text->unknown = true;
		return;
	}
	for (i = 0; i <= length; i++) {
		at = front == longest ? length - i : i;
		piece = strndup(front ? value : value + at,
				front ? at : length);
		if (!piece || la_shell_matches(pattern, piece)) {
			text->unknown |= !piece;
			free(piece);
			if (front)
				la_text_add(text, value + at, length - at);
			else
				la_text_add(text, value, at);
			return;
		}
		free(piece);
	}
	la_text_add(text, value, length);
}

/* Bytes that match at the start of value, the longest; 0: none. */
static size_t match_length(const char *value, const char *pattern)
{
	size_t n = strlen(value);
	char *piece;
	bool found;

	for (; n; n--) {
		piece = strndup(value, n);
		found = piece && la_shell_matches(pattern, piece);
		free(piece);
		if (found)
			break;
	}
	return n;
}

/* ${x/from/to}: from and to are in one pattern. */
static void substitute(const char *value, const char *pattern, bool all,
		       struct text *text)
{
	const char *slash = pattern;
	char *from;
	size_t n;

	while (*slash && *slash != '/')
		slash += 1 + (*slash == '\\' && slash[1]);
	from = strndup(pattern, slash - pattern);
	slash += *slash == '/';
	if (!from || strlen(value) > 256 || strpbrk(slash, "&\\") ||
	    !*from) {
		text->unknown = true;
		free(from);
		return;
	}
	while (*value) {
		n = match_length(value, from);
		if (!n) {
			la_text_add(text, value++, 1);
			continue;
		}
		la_text_add(text, slash, strlen(slash));
		value += n;
		if (!all)
			break;
	}
	la_text_add(text, value, strlen(value));
	free(from);
}

/* ${x:1} and ${x:1:2} with plain numbers. */
static void substring(const char *value, const char *argument,
		      struct text *text)
{
	size_t length = strlen(value), from, count = length;
	char *end;

	from = strtoul(argument, &end, 10);
	if (end != argument && *end == ':' && isdigit((unsigned char)end[1]))
		count = strtoul(end + 1, &end, 10);
	if (!isdigit((unsigned char)argument[0]) || *end || length > 4096) {
		text->unknown = true;
		return;
	}
	from = from < length ? from : length;
	count = count < length - from ? count : length - from;
	la_text_add(text, value + from, count);
}

static void change_case(const char *value, const char *operator,
			struct text *text)
{
	char c;
	bool all = operator[1];
	size_t i;

	for (i = 0; value[i]; i++) {
		c = value[i];
		if (i == 0 || all)
			c = operator[0] == '^' ? toupper((unsigned char)c) :
						 tolower((unsigned char)c);
		la_text_add(text, &c, 1);
	}
}

/* An operator that works on a known value. */
static void operate(struct shell *shell, const struct piece *piece,
		    const char *value, struct text *text)
{
	const char *operator= piece->operator;
	struct la_strbuf pattern = { 0 };
	bool bash = !strcmp(shell->table->name, "bash");

	if (!pattern_of(shell, piece->argument, &pattern))
		text->unknown = true;
	else if (operator[0] == '#' || operator[0] == '%')
		cut(value, la_strbuf_text(&pattern), operator, text);
	else if (!(shell->table->has & SHELL_SUBSTITUTE))
		text->unknown = true;
	else if (!strcmp(operator, "/") || !strcmp(operator, "//"))
		substitute(value, la_strbuf_text(&pattern), operator[1], text);
	else if (!strcmp(operator, ":"))
		substring(value, la_strbuf_text(&pattern), text);
	else if (bash && (operator[0] == '^' || operator[0] == ',') &&
		 !pattern.length)
		change_case(value, operator, text);
	else
		text->unknown = true;
	la_strbuf_release(&pattern);
}

static bool is_ascii(const char *value)
{
	while (*value > 0)
		value++;
	return !*value;
}

/* $1, $#, $?: true if it is one of them. */
static bool special(struct shell *shell, const struct piece *piece,
		    struct text *text)
{
	char c = piece->text[0];
	size_t number;

	if (isalpha((unsigned char)c) || c == '_')
		return false;
	if (isdigit((unsigned char)c) && shell->arguments && c != '0' &&
	    !piece->operator[0] && !shell->arguments->open) {
		number = strtoul(piece->text, NULL, 10);
		if (number < shell->arguments->count) {
			struct text *a = &shell->arguments->at[number].text;

			text->unknown |= a->unknown;
			la_text_add(text, la_strbuf_text(&a->bytes),
				    a->bytes.length);
		}
		return true;
	}
	text->unknown = true;
	return true;
}

static void may_end(struct shell *shell, const struct piece *piece)
{
	la_shell_may_end(shell, (struct place){ piece->start, piece->end });
}

/* ${x:-d} and its like; true if that settled it. */
static bool choose(struct shell *shell, const struct piece *piece,
		   const struct state *state, struct text *text)
{
	const char *operator= piece->operator;
	bool colon = operator[0] == ':' && operator[1];
	char kind = operator[colon];
	bool missing = state->kind == VALUE_UNSET ||
		       (state->kind == VALUE_KNOWN && colon && !*state->text);
	struct text other = { 0 };

	if (!kind || operator[1 + colon] || !strchr("-=+?", kind))
		return false;
	if (state->kind == VALUE_UNKNOWN) {
		text->unknown = true;
		return true;
	}
	if (kind == '?' && missing) {
		text->unknown = true;
		if (shell->doubt)
			may_end(shell, piece);
		else
			shell->flow = FLOW_END;
		return true;
	}
	if (missing == (kind == '+'))
		return kind == '+';
	la_shell_text(shell, piece->argument, &other, false);
	text->unknown |= other.unknown;
	la_text_add(text, la_strbuf_text(&other.bytes), other.bytes.length);
	if (kind == '=')
		la_shell_assign(shell, piece->text, piece->length, &other,
				(struct place){ piece->start, piece->end },
				false);
	la_strbuf_release(&other.bytes);
	return true;
}

/* In zsh, $x:e is what is behind the last dot of x. */
static bool has_modifier(const struct shell *shell, const struct piece *piece)
{
	const struct piece *next = piece->next;

	if (piece->braced || !next || next->kind != PIECE_TEXT ||
	    next->text[0] != ':')
		return false;
	if (shell->table->has & SHELL_TCSH)
		return !next->quoted || piece->quoted;
	return shell->table->has & SHELL_MODIFIERS && next->text[1] &&
	       strchr("aAcehlpPqQrstuwWx&gfF", next->text[1]) &&
	       next->quoted == piece->quoted;
}

static void say_modifier(struct shell *shell, const struct piece *piece)
{
	la_script_say(shell->script, shell->part, LA_SCRIPT_WHOLE,
		      LA_SCRIPT_MODIFIER, piece->start,
		      piece->next->start + 2, NULL);
}

/* tcsh asks its own variables first, then the environment. */
static const struct state *tcsh_state(struct shell *shell,
				      const struct piece *piece)
{
	const struct state *state;
	struct la_strbuf own = { 0 };

	la_strbuf_add(&own, "\1", 1);
	la_strbuf_add(&own, piece->text, piece->length);
	state = la_shell_state(shell, la_strbuf_text(&own), own.length);
	la_strbuf_release(&own);
	if (state->kind != VALUE_UNSET)
		return state;
	return la_shell_state(shell, piece->text, piece->length);
}

/* Names that the environment of a login has. */
static bool is_common(const char *name)
{
	static const char *const names[] = { "HOME", "PATH",	"USER", "TERM",
					     "LANG", "LOGNAME", "HOST", "PWD",
					     "home", "path",	"user", "term",
					     "cwd",  "shell",	"argv", "status",
					     "tcsh", "version", "SHELL" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* The shell has no such operator: its script ends. */
static bool is_bad(const struct shell *shell, const struct piece *piece)
{
	return !(shell->table->has & (SHELL_SUBSTITUTE | SHELL_FISH |
				      SHELL_TCSH)) &&
	       (piece->index || strchr("/^,:@", piece->operator[0])) &&
	       (piece->index || (piece->operator[0] &&
				 (piece->operator[0] != ':' ||
				  !piece->operator[1])));
}

/* A modifier that tcsh has not. */
static void refuse_modifier(struct shell *shell, const struct piece *piece)
{
	if (shell->doubt)
		may_end(shell, piece);
	else
		shell->flow = FLOW_END;
}

/* What is no plain parameter here: true, and text is unknown. */
static bool is_refused(struct shell *shell, const struct piece *piece,
		       struct text *text)
{
	if (has_modifier(shell, piece)) {
		say_modifier(shell, piece);
		text->unknown = true;
		if (shell->table->has & SHELL_TCSH &&
		    !strchr("htreulgasqx&", piece->next->text[1]))
			refuse_modifier(shell, piece);
		else if (shell->table->has & SHELL_TCSH &&
			 tcsh_state(shell, piece)->kind != VALUE_KNOWN)
			may_end(shell, piece);
		return true;
	}
	if (is_bad(shell, piece)) {
		text->unknown = true;
		if (shell->doubt || piece->index)
			may_end(shell, piece);
		else
			shell->flow = FLOW_END;
		return true;
	}
	return false;
}

/* No value: tcsh ends there, others if they are told to. */
static void put_unset(struct shell *shell, const struct piece *piece,
		      struct text *text)
{
	bool tcsh = shell->table->has & SHELL_TCSH;

	if ((tcsh || shell->nounset) && shell->doubt)
		may_end(shell, piece);
	else if (tcsh || shell->nounset)
		shell->flow = FLOW_END;
	text->unknown |= tcsh || !strcmp(piece->operator, "length");
}

static void put_value(struct shell *shell, const struct piece *piece,
		      const char *value, struct text *text)
{
	char number[24];

	if (!piece->operator[0])
		la_text_add(text, value, strlen(value));
	else if (strcmp(piece->operator, "length"))
		operate(shell, piece, value, text);
	else if (is_ascii(value))
		la_text_add(text, number,
			    snprintf(number, sizeof(number), "%zu",
				     strlen(value)));
	else
		text->unknown = true;
}

bool la_shell_parameter(struct shell *shell, const struct piece *piece,
			struct text *text)
{
	const struct state *state;

	if (is_refused(shell, piece, text))
		return true;
	if (piece->index) {
		text->unknown = true;
		return true;
	}
	if (special(shell, piece, text))
		return true;
	state = shell->table->has & SHELL_TCSH ?
			tcsh_state(shell, piece) :
			la_shell_state(shell, piece->text, piece->length);
	if (!strcmp(piece->operator, "set")) {
		text->unknown |= state->kind == VALUE_UNKNOWN;
		la_text_add(text, state->kind == VALUE_UNSET ? "0" : "1", 1);
		return true;
	}
	if (shell->table->has & SHELL_TCSH && piece->operator[0]) {
		text->unknown = true;
		return true;
	}
	if (choose(shell, piece, state, text))
		return true;
	if (state->kind == VALUE_UNSET) {
		put_unset(shell, piece, text);
		return false;
	}
	if (shell->table->has & SHELL_TCSH && state->kind == VALUE_UNKNOWN &&
	    state->assignment == LA_SCRIPT_WHOLE && !is_common(piece->text))
		may_end(shell, piece);
	if (state->kind == VALUE_UNKNOWN)
		text->unknown = true;
	else
		put_value(shell, piece, state->text, text);
	return true;
}
