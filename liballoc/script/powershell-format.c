// SPDX-License-Identifier: Apache-2.0
/* -f and ToString() of PowerShell. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/powershell.h"
#include "util/strbuf.h"

enum { DIGITS_MOST = 9, NUMBER_TEXT = 64 };

/* Thousands are set apart by commas. */
static struct ps_value grouped(struct ps *ps, const char *plain)
{
	const char *point = strchr(plain, '.');
	size_t whole = point ? (size_t)(point - plain) : strlen(plain), i;
	struct la_strbuf out = { 0 };
	struct ps_value text;

	for (i = 0; i < whole; i++) {
		la_strbuf_add(&out, &plain[i], 1);
		if (plain[i] != '-' && i + 1 < whole && (whole - i) % 3 == 1)
			la_strbuf_addstr(&out, ",");
	}
	la_strbuf_addstr(&out, plain + whole);
	text = ps_text(ps, la_strbuf_text(&out), out.length);
	la_strbuf_release(&out);
	return text;
}

/* F2, N0: halves are refused, since they are rounded in several ways. */
static struct ps_value fixed(struct ps *ps, struct ps_value number, int digits,
			     bool group)
{
	double real =
		number.type == PS_DOUBLE ? number.real : (double)number.number;
	double scaled = fabs(real) * powl(10, digits);
	char plain[NUMBER_TEXT];
	struct ps_value text;

	if (!(scaled < 1e14) || fabs(scaled - floor(scaled) - 0.5) < 1e-6)
		return ps_unknown();
	snprintf(plain, sizeof(plain), "%.*f", digits, real);
	text = group ? grouped(ps, plain) : ps_text(ps, plain, strlen(plain));
	text.doubt |= PS_CULTURE;
	return text;
}

struct ps_value ps_format_one(struct ps *ps, struct ps_value value,
			      const char *format)
{
	char *end, plain[NUMBER_TEXT];
	unsigned long digits = strtoul(format + !!*format, &end, 10);
	bool given = end > format + 1;
	int letter = toupper((unsigned char)*format);

	if (!*format || value.type == PS_TEXT) {
		if (value.type == PS_DOUBLE)
			value.doubt |= PS_CULTURE;
		return ps_to_text(ps, value);
	}
	if (*end || digits > DIGITS_MOST ||
	    (value.type != PS_INT && value.type != PS_LONG &&
	     value.type != PS_DOUBLE))
		return ps_unknown();
	if (letter == 'N' || letter == 'F')
		return fixed(ps, value, given ? (int)digits : 2, letter == 'N');
	if (value.type == PS_DOUBLE || value.number < 0)
		return ps_unknown();
	if (letter == 'D')
		snprintf(plain, sizeof(plain), "%0*lld", (int)digits,
			 (long long)value.number);
	else if (letter == 'X')
		snprintf(plain, sizeof(plain),
			 *format == 'X' ? "%0*llX" : "%0*llx", (int)digits,
			 (unsigned long long)value.number);
	else if (strspn(format, "0") == strlen(format))
		snprintf(plain, sizeof(plain), "%0*lld", (int)strlen(format),
			 (long long)value.number);
	else
		return ps_unknown();
	return ps_text(ps, plain, strlen(plain));
}

/* {index,width:format} at an opening brace; its end, or NULL. */
static const char *one_hole(struct ps *ps, struct la_strbuf *out,
			    const char *at, const struct ps_list *args,
			    unsigned int *doubt)
{
	char *after, format[NUMBER_TEXT] = "";
	unsigned long index = strtoul(at + 1, &after, 10);
	const char *close = strchr(at, '}');
	struct ps_value text;
	long width = 0;

	if (!isdigit((unsigned char)at[1]) || !close || index >= args->count)
		return NULL;
	if (*after == ',')
		width = strtol(after + 1, &after, 10);
	if (*after == ':' && close - after < NUMBER_TEXT)
		memcpy(format, after + 1, close - after - 1);
	else if (after != close)
		return NULL;
	text = ps_format_one(ps, args->item[index], format);
	if (text.type != PS_TEXT || labs(width) > NUMBER_TEXT)
		return NULL;
	*doubt |= text.doubt;
	la_strbuf_addf(out, "%*s", (int)width, text.text);
	return close;
}

struct ps_value ps_format(struct ps *ps, struct ps_value format,
			  const struct ps_list *args)
{
	struct la_strbuf out = { 0 };
	struct ps_value text = ps_unknown();
	unsigned int doubt = format.doubt;
	const char *at;

	format = ps_to_text(ps, format);
	if (format.type != PS_TEXT)
		return text;
	for (at = format.text; at && *at && out.length < PS_STRING; at++) {
		if ((*at == '{' || *at == '}') && at[1] == *at) {
			la_strbuf_add(&out, at++, 1);
		} else if (*at == '{') {
			at = one_hole(ps, &out, at, args, &doubt);
			if (!at)
				break;
		} else if (*at == '}') {
			at = NULL;
			break;
		} else {
			la_strbuf_add(&out, at, 1);
		}
	}
	if (at && !*at)
		text = ps_text(ps, la_strbuf_text(&out), out.length);
	la_strbuf_release(&out);
	text.doubt |= doubt;
	return text;
}
