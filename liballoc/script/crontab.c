// SPDX-License-Identifier: Apache-2.0
/* A crontab: lines with NAME = value, and commands for /bin/sh. */
#include <stdint.h>
#include <string.h>

#include "script/place.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static size_t skip_blanks(const char *text, size_t at, size_t end)
{
	while (at < end && is_blank(text[at]))
		at++;
	return at;
}

static size_t skip_word(const char *text, size_t at, size_t end)
{
	while (at < end && !is_blank(text[at]))
		at++;
	return skip_blanks(text, at, end);
}

/* A name or a value, quoted or not; false if quotes do not end. */
static bool take(const char *text, size_t *at, size_t end, bool name,
		 struct la_script_span *span)
{
	char quote = *at < end ? text[*at] : '\0';
	const char *close;

	span->start = *at;
	if (quote == '"' || quote == '\'') {
		span->start++;
		close = memchr(text + span->start, quote,
			       end - span->start);
		if (!close)
			return false;
		span->end = close - text;
		*at = skip_blanks(text, span->end + 1, end);
		return true;
	}
	while (*at < end && !(name && (is_blank(text[*at]) ||
				       text[*at] == '=')))
		++*at;
	span->end = *at;
	while (span->end > span->start && is_blank(text[span->end - 1]))
		span->end--;
	*at = skip_blanks(text, *at, end);
	return true;
}

/* True if the line is an assignment to cron. */
static bool read_assignment(struct la_script *script,
			    const struct la_script_part *part, size_t at,
			    size_t end)
{
	const char *text = part->text;
	struct la_script_span name, given;
	struct la_script_value value = { 0 };

	if (!take(text, &at, end, true, &name) || at == end ||
	    text[at] != '=' || name.start == name.end)
		return false;
	at = skip_blanks(text, at + 1, end);
	if (at == end || !take(text, &at, end, false, &given) || at < end)
		return false;
	while (given.end > given.start && is_blank(text[given.end - 1]))
		given.end--;
	la_strbuf_add(&value.text, text + given.start,
		      given.end - given.start);
	la_script_give(script, part, text + name.start, name.end - name.start,
		       &value, (struct la_script_span){ name.start, end });
	la_script_value_release(&value);
	return true;
}

/* Does a name with = start here? */
static bool assigns(const char *text, size_t at, size_t end)
{
	size_t n = la_script_name(text + at, end - at);

	return n && at + n < end && text[at + n] == '=';
}

/* Past the fields of time and, in files of the system, the user. */
static size_t find_command(const char *text, size_t at, size_t end)
{
	int fields = text[at] == '@' ? 1 : 5;
	size_t after;

	while (fields--)
		at = skip_word(text, at, end);
	after = skip_word(text, at, end);
	if ((after - at > 4 && !strncmp(text + at, "root", 4) &&
	     is_blank(text[at + 4])) ||
	    (!assigns(text, at, end) && la_script_name(text + at, 1) &&
	     assigns(text, after, end)))
		return after;
	return at;
}

/* Where cron cuts the command: the first % without a backslash. */
static size_t find_percent(const char *text, size_t at, size_t end)
{
	for (; at < end; at++)
		if (text[at] == '%' && text[at - 1] != '\\')
			return at;
	return end;
}

static int read_command(struct la_script *script,
			const struct la_script_part *part, size_t at,
			size_t end, struct la_error *err)
{
	size_t start = find_command(part->text, at, end);
	size_t cut = find_percent(part->text, start, end);
	struct la_script_part inner = {
		.text = part->text + start,
		.length = cut - start,
		.offset = la_script_offset(part, start),
		.exact = part->exact,
		.ends = true,
	};

	if (cut < end)
		la_script_lose_mention(script, part, LA_SCRIPT_SYNTAX,
				       (struct la_script_span){ cut, end },
				       "cron ends the command at %; what "
				       "follows is its input");
	return la_script_nested(script, LA_SCRIPT_SH, &inner, err);
}

/* What is assigned below the last command reaches none. */
static void lose_from(struct la_script *script,
		      const struct la_script_part *part, size_t first)
{
	const struct la_script_assignment *found;
	size_t start;

	for (; (found = la_script_peek(script, first)); first++) {
		if (found->fate != LA_SCRIPT_ARRIVES)
			continue;
		start = found->offset - part->offset;
		la_script_say(script, part, first, LA_SCRIPT_CHILD_ENDS, start,
			      start + found->length,
			      "cron gives this to the commands below it: there "
			      "is none");
		la_script_change(script, first, NULL, LA_SCRIPT_LOST);
	}
}

static bool is_time(char c)
{
	return c == '@' || c == '*' || (c >= '0' && c <= '9');
}

/* commands: how many places there are up to the last of them, if any. */
static int read_line(struct la_script *script,
		     const struct la_script_part *part, size_t at, size_t end,
		     size_t *commands, struct la_error *err)
{
	int ret;

	static const char refused[] =
		"crontab takes neither an assignment nor a time here and "
		"refuses the file";
	const char *text = part->text;

	at = skip_blanks(text, at, end);
	if (at == end || text[at] == '#' ||
	    read_assignment(script, part, at, end))
		return 0;
	if (is_time(text[at])) {
		ret = read_command(script, part, at, end, err);
		*commands = la_script_places(script);
		return ret;
	}
	la_script_lose_mention(script, part, LA_SCRIPT_SYNTAX,
			       (struct la_script_span){ at, end }, refused);
	return 0;
}

int la_script_read_crontab(struct la_script *script,
			   const struct la_script_part *part,
			   struct la_error *err)
{
	const char *newline;
	size_t at, end, commands = SIZE_MAX;
	int ret = 0;

	if (la_script_is_utf16(script, part))
		return 0;
	for (at = 0; at < part->length && !ret; at = end + 1) {
		newline = memchr(part->text + at, '\n', part->length - at);
		end = newline ? (size_t)(newline - part->text) : part->length;
		ret = read_line(script, part, at, end, &commands, err);
	}
	if (!ret)
		lose_from(script, part, commands);
	return ret;
}
