// SPDX-License-Identifier: Apache-2.0
/* %V%, %V:~0,3%, %V:a=b%, %1, %i of for, and !V!. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/cmd.h"

/* A number of :~from,length, moved behind; false: there is none. */
static bool read_number(const char **at, const char *end, long *number)
{
	bool minus = *at < end && **at == '-';
	const char *digit = *at + minus;

	for (*number = 0; digit < end && *digit >= '0' && *digit <= '9';
	     digit++)
		if (*number < CMD_LINE)
			*number = 10 * *number + *digit - '0';
	if (minus)
		*number = -*number;
	if (digit == *at + minus)
		return false;
	*at = digit;
	return true;
}

static long clamp(long number, long most)
{
	return number < 0 ? 0 : number > most ? most : number;
}

/* :~from,count; false: it is not written like that. */
static bool cut(struct cmd_text *out, const char *value, const char *how,
		const char *end, size_t origin)
{
	long length = (long)strlen(value), from = 0, count = length;

	how += 2;
	if (!read_number(&how, end, &from) && how < end && *how != ',')
		return false;
	if (how < end && *how == ',') {
		how++;
		if (!read_number(&how, end, &count) && how < end)
			return false;
	}
	if (how != end)
		return false;
	from = clamp(from < 0 ? length + from : from, length);
	count = count < 0 ? length + count - from : count;
	count = clamp(count, length - from);
	cmd_text_put_all(out, value + from, (size_t)count, origin);
	return true;
}

/* :search=replacement */
static bool replace(struct cmd_text *out, const char *value, const char *how,
		    const char *end, size_t origin)
{
	const char *search = how + 1;
	const char *equals = memchr(search, '=', (size_t)(end - search));
	size_t length;

	if (!equals || equals == search || *search == '*')
		return false;
	length = (size_t)(equals - search);
	while (*value) {
		if (strncasecmp(value, search, length)) {
			cmd_text_put(out, *value++, origin);
			continue;
		}
		cmd_text_put_all(out, equals + 1, (size_t)(end - equals - 1),
				 origin);
		value += length;
	}
	return true;
}

/* What name..end, with or without a modifier, stands for. */
static void put_value(struct cmd_text *out, const char *value, bool known,
		      const char *how, const char *end, size_t origin)
{
	bool done = known && memchr(how, CMD_UNKNOWN, end - how) == NULL;

	if (done && how == end)
		cmd_text_put_all(out, value, strlen(value), origin);
	else if (done && end - how > 1 && how[1] == '~')
		done = cut(out, value, how, end, origin);
	else if (done)
		done = replace(out, value, how, end, origin);
	if (!done)
		cmd_text_put(out, CMD_UNKNOWN, origin);
}

/* %1, %~1, %~dp0, %*; bytes taken behind the %, or 0. */
static size_t put_argument(struct cmd_run *run, struct cmd_text *out,
			   const char *at, const char *end, size_t origin)
{
	const char *digit = at + (at < end && *at == '~');
	const char *value;
	size_t length;
	bool bare = digit > at;

	while (bare && digit < end && strchr("fdpnxsatz", *digit) && *digit)
		digit++;
	if (at < end && *at == '*') {
		cmd_text_put(out, CMD_UNKNOWN, origin);
		return 1;
	}
	if (digit == end || *digit < '0' || *digit > '9')
		return 0;
	value = run->call ? run->call->argument[*digit - '0'] : NULL;
	if (!value || digit > at + 1 || *digit == '0') {
		cmd_text_put(out, CMD_UNKNOWN, origin);
		return (size_t)(digit - at) + 1;
	}
	length = strlen(value);
	if (bare && length && *value == '"') {
		value++;
		length--;
		length -= length && value[length - 1] == '"';
	}
	cmd_text_put_all(out, value, length, origin);
	return (size_t)(digit - at) + 1;
}

/* No variable has a name like this: the two % do not belong together. */
static bool name_of_none(const char *at, const char *end)
{
	for (; at < end; at++)
		if (strchr(" \t\"=<>&|", *at))
			return true;
	return false;
}

/* %NAME% or %NAME:how%, from behind the first %; bytes taken, or 0. */
static size_t put_variable(struct cmd_run *run, struct cmd_text *out,
			   const char *at, const char *end, size_t origin)
{
	const char *name_end = at, *close;
	const char *value;
	bool known;

	while (name_end < end && *name_end != '%' && *name_end != ':')
		name_end++;
	if (name_end == end || name_end == at)
		return 0;
	close = memchr(name_end, '%', (size_t)(end - name_end));
	value = cmd_value(run, at, (size_t)(name_end - at), &known);
	if (!known && name_of_none(at, name_end))
		known = true;
	if (known && !value) {
		if (!run->prompt)
			return (size_t)(name_end - at) + 1;
		return 0;
	}
	if (!close || (*name_end == ':' && close == name_end + 1))
		return 0;
	put_value(out, value, known, name_end, close, origin);
	return (size_t)(close - at) + 1;
}

void cmd_expand_percent(struct cmd_run *run, struct cmd_text *out,
			const struct cmd_text *line)
{
	size_t i = 0, taken;

	while (i < line->length) {
		const char *at = line->byte + i + 1;
		const char *end = line->byte + line->length;
		size_t origin = line->origin[i];

		if (line->byte[i] != '%') {
			cmd_text_put(out, line->byte[i++], origin);
			continue;
		}
		if (!run->prompt && at < end && *at == '%') {
			cmd_text_put(out, '%', origin);
			i += 2;
			continue;
		}
		taken = run->prompt ? 0 :
				      put_argument(run, out, at, end, origin);
		if (!taken)
			taken = put_variable(run, out, at, end, origin);
		if (!taken && run->prompt)
			cmd_text_put(out, '%', origin);
		i += 1 + taken;
	}
}

void cmd_expand_letter(struct cmd_text *text, char letter, const char *value)
{
	struct cmd_text out = { 0 };
	size_t i, at;

	for (i = 0; i < text->length; i++) {
		at = i + 1;
		if (text->byte[i] == '%' && at < text->length &&
		    text->byte[at] == '~')
			at++;
		if (text->byte[i] != '%' || at >= text->length ||
		    text->byte[at] != letter) {
			cmd_text_put(&out, text->byte[i], text->origin[i]);
			continue;
		}
		if (!value)
			cmd_text_put(&out, CMD_UNKNOWN, text->origin[i]);
		else if (at > i + 1 && *value == '"' && strlen(value) > 1)
			cmd_text_put_all(&out, value + 1, strlen(value) - 2,
					 text->origin[i]);
		else
			cmd_text_put_all(&out, value, strlen(value),
					 text->origin[i]);
		i = at;
	}
	out.failed |= text->failed;
	cmd_text_free(text);
	*text = out;
}

/* !NAME! or !NAME:how!, from behind the first !; bytes taken, or 0. */
static size_t put_delayed(struct cmd_run *run, struct cmd_text *out,
			  const char *at, const char *end, size_t origin)
{
	const char *close = memchr(at, '!', (size_t)(end - at));
	const char *name_end, *value;
	bool known;

	if (!close || close == at)
		return 0;
	name_end = memchr(at, ':', (size_t)(close - at));
	name_end = name_end ? name_end : close;
	value = cmd_value(run, at, (size_t)(name_end - at), &known);
	if (!known || value)
		put_value(out, value, known, name_end, close, origin);
	return (size_t)(close - at) + 1;
}

void cmd_expand_delayed(struct cmd_run *run, struct cmd_text *text)
{
	struct cmd_text out = { 0 };
	const char *end;
	size_t i;

	if (!run->environment->delayed || !text->length ||
	    !memchr(text->byte, '!', text->length))
		return;
	end = text->byte + text->length;
	for (i = 0; i < text->length; i++) {
		char byte = text->byte[i];

		if (byte == '^' && i + 1 < text->length) {
			i++;
			cmd_text_put(&out, text->byte[i], text->origin[i]);
		} else if (byte == '!')
			i += put_delayed(run, &out, text->byte + i + 1, end,
					 text->origin[i]);
		else
			cmd_text_put(&out, byte, text->origin[i]);
	}
	out.failed |= text->failed;
	cmd_text_free(text);
	*text = out;
}
