// SPDX-License-Identifier: Apache-2.0
/* Words of units: quotes, escapes as in C, and specifiers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/systemd.h"

static bool is_space(char c)
{
	return c && strchr(" \t\n\r", c);
}

static void add_utf8(struct la_strbuf *text, unsigned long c)
{
	char bytes[4];
	size_t n = 0;

	if (c < 0x80) {
		bytes[n++] = (char)c;
	} else if (c < 0x800) {
		bytes[n++] = (char)(0xc0 | c >> 6);
		bytes[n++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		bytes[n++] = (char)(0xe0 | c >> 12);
		bytes[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[n++] = (char)(0x80 | (c & 0x3f));
	} else {
		bytes[n++] = (char)(0xf0 | c >> 18);
		bytes[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		bytes[n++] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[n++] = (char)(0x80 | (c & 0x3f));
	}
	la_strbuf_add(text, bytes, n);
}

/* \xHH, \uHHHH, \UHHHHHHHH, \OOO: bytes taken, 0: refused. */
static size_t add_number(struct la_strbuf *text, const char *at, size_t length)
{
	static const char kinds[] = "xuU";
	const char *kind = strchr(kinds, at[0]);
	size_t digits = kind ? (size_t)2 << (kind - kinds) : 3, i;
	size_t first = kind != NULL;
	const char *set = kind ? "0123456789abcdefABCDEF" : "01234567";
	char copy[9] = "", byte;
	unsigned long value;

	if (length < first + digits)
		return 0;
	for (i = 0; i < digits; i++) {
		copy[i] = at[first + i];
		if (!copy[i] || !strchr(set, copy[i]))
			return 0;
	}
	value = strtoul(copy, NULL, kind ? 16 : 8);
	if (!value || value > 0x10ffff || (!kind && value > 255))
		return 0;
	byte = (char)value;
	if (digits == 2 || !kind)
		la_strbuf_add(text, &byte, 1);
	else
		add_utf8(text, value);
	return first + digits;
}

/* What follows a backslash: bytes taken, 0: refused. */
static size_t add_escape(struct la_strbuf *text, const char *at, size_t length)
{
	static const char from[] = "abfnrtv\\\"'s";
	static const char to[] = "\a\b\f\n\r\t\v\\\"' ";
	const char *found;

	if (!length || !at[0])
		return 0;
	found = strchr(from, at[0]);
	if (found) {
		la_strbuf_add(text, &to[found - from], 1);
		return 1;
	}
	return strchr("xuU01234567", at[0]) ? add_number(text, at, length) : 0;
}

int la_unit_word(const char *text, size_t length, size_t *at,
		 struct la_unit_word *word)
{
	char quote = '\0';
	size_t n;

	la_script_value_release(&word->value);
	while (*at < length && is_space(text[*at]))
		++*at;
	word->at.start = *at;
	if (*at == length)
		return 0;
	la_strbuf_add(&word->value.text, "", 0);
	for (; *at < length && (quote || !is_space(text[*at])); ++*at) {
		if (text[*at] == '\\') {
			n = add_escape(&word->value.text, text + *at + 1,
				       length - *at - 1);
			if (!n)
				return -EINVAL;
			*at += n;
		} else if (quote ? text[*at] == quote :
				   text[*at] == '"' || text[*at] == '\'') {
			quote = quote ? '\0' : text[*at];
		} else {
			la_strbuf_add(&word->value.text, text + *at, 1);
		}
	}
	word->at.end = *at;
	return quote ? -EINVAL : 1;
}

void la_unit_specifiers(struct la_script_value *value)
{
	static const char known[] =
		"aAbBCdDEfgGhHiIjJlLmMnNopPqrRsStTuUvVwWy";
	struct la_strbuf text = { 0 };
	const char *at = la_strbuf_text(&value->text), *end;

	la_strbuf_add(&text, "", 0);
	for (end = at + value->text.length; at < end; at++) {
		if (*at == '%' && at[1] && strchr(known, at[1]))
			la_script_value_unknown(value, at, 2);
		if (*at == '%' && at[1] == '%')
			at++;
		la_strbuf_add(&text, at, 1);
	}
	la_strbuf_release(&value->text);
	value->text = text;
}
