// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "util/size.h"
#include "util/util.h"

#define KB ((uint64_t)1000)
#define TIB ((uint64_t)1 << 40)

static const char blanks[] = " \t\n\v\f\r";
static const char digits[] = "0123456789";

struct unit {
	const char *name; /* compared without case */
	uint64_t bytes;
};

static const struct unit units[] = {
	{ "", 1 }, { "B", 1 }, { "byte", 1 }, { "bytes", 1 },
	{ "K", KIB }, { "Ki", KIB }, { "KiB", KIB }, { "kB", KB },
	{ "M", MIB }, { "Mi", MIB }, { "MiB", MIB }, { "MB", KB * KB },
	{ "G", GIB }, { "Gi", GIB }, { "GiB", GIB }, { "GB", KB * KB * KB },
	{ "T", TIB }, { "Ti", TIB }, { "TiB", TIB },
	{ "TB", KB * KB * KB * KB },
};

/* A decimal number: whole + fraction / scale. */
struct decimal {
	uint64_t whole;
	uint64_t fraction;
	uint64_t scale; /* a power of ten, at most 10^18 */
};

static const struct unit *find_unit(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (strlen(units[i].name) == length &&
		    !strncasecmp(units[i].name, name, length))
			return &units[i];
	return NULL;
}

/*
 * Digits of the fraction past the 18th are dropped: even a tebibyte has no
 * byte that they could change.  Returns what follows the number.
 */
static const char *read_decimal(const char *text, struct decimal *out,
				bool *overflow)
{
	struct decimal number = { .scale = 1 };

	*overflow = false;
	for (; *text >= '0' && *text <= '9'; text++)
		*overflow |= __builtin_mul_overflow(number.whole, 10,
						    &number.whole) ||
			     __builtin_add_overflow(number.whole, *text - '0',
						    &number.whole);
	if (*text == '.')
		text++;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (number.scale >= 1000000000000000000)
			continue;
		number.scale *= 10;
		number.fraction = number.fraction * 10 + (*text - '0');
	}
	*out = number;
	return text;
}

static int refuse(struct la_error *err, int code, const char *at,
		  const char *text, const char *why)
{
	return la_error_set(err, code, at - text, "%s in size '%.64s'", why,
			    text);
}

int la_size_parse(const char *text, uint64_t *out, struct la_error *err)
{
	const char *at = text + strspn(text, blanks), *name;
	const struct unit *unit;
	struct decimal number;
	unsigned __int128 bytes;
	bool overflow;
	size_t length;

	if (*at == '-')
		return refuse(err, -EINVAL, at, text, "negative number");
	if (!strspn(at + (*at == '.'), digits))
		return refuse(err, -EINVAL, at, text, "no number");
	name = read_decimal(at, &number, &overflow);
	name += strspn(name, blanks);
	length = strlen(name);
	while (length && strchr(blanks, name[length - 1]))
		length--;
	unit = find_unit(name, length);
	if (!unit)
		return refuse(err, -EINVAL, name, text, "unknown unit");
	if (unit->bytes == 1 && number.fraction)
		return refuse(err, -EINVAL, at, text, "part of a byte");
	bytes = (unsigned __int128)number.fraction * unit->bytes;
	bytes = (bytes + number.scale / 2) / number.scale;
	bytes += (unsigned __int128)number.whole * unit->bytes;
	if (overflow || bytes > UINT64_MAX)
		return refuse(err, -ERANGE, at, text, "number too large");
	*out = bytes;
	return 0;
}

/* Two decimals, ties to even, as the C++ streams print an exact quotient. */
static void format_unit(char text[LA_SIZE_TEXT], uint64_t bytes, uint64_t unit,
			const char *name)
{
	unsigned __int128 scaled = (unsigned __int128)bytes * 100;
	uint64_t hundredths = scaled / unit, rest = scaled % unit;

	if (rest > unit / 2 || (rest == unit / 2 && hundredths % 2))
		hundredths++;
	snprintf(text, LA_SIZE_TEXT, "%" PRIu64 ".%02u %s", hundredths / 100,
		 (unsigned int)(hundredths % 100), name);
}

const char *la_size_format(char text[LA_SIZE_TEXT], uint64_t bytes)
{
	if (bytes <= KIB)
		snprintf(text, LA_SIZE_TEXT, "%" PRIu64 " bytes", bytes);
	else if (bytes <= MIB)
		format_unit(text, bytes, KIB, "KiB");
	else if (bytes <= GIB)
		format_unit(text, bytes, MIB, "MiB");
	else
		format_unit(text, bytes, GIB, "GiB");
	return text;
}
