// SPDX-License-Identifier: Apache-2.0
/* Patterns of messages: white space of any kind, numbers and sizes. */
#include "triage/pattern.h"
#include "util/util.h"

/* A text and how far it was matched. */
struct cursor {
	const char *text;
	size_t length;
	size_t at;
};

/* A decimal number as printed: digits / 10^decimals. */
struct decimal {
	unsigned __int128 digits;
	unsigned __int128 scale; /* 10^decimals */
};

static const struct unit {
	const char *name; /* folded; longer names before their beginnings */
	unsigned int shift;
} units[] = {
	{ "bytes", 0 }, { "byte", 0 }, { "kib", 10 }, { "mib", 20 },
	{ "gib", 30 },	{ "tib", 40 }, { "kb", 10 },  { "mb", 20 },
	{ "gb", 30 },	{ "tb", 40 },  { "b", 0 },    { "k", 10 },
	{ "m", 20 },	{ "g", 30 },   { "t", 40 },
};

static bool at_end(const struct cursor *c)
{
	return c->at >= c->length;
}

static char peek(const struct cursor *c)
{
	return at_end(c) ? '\0' : c->text[c->at];
}

static size_t skip_white(struct cursor *c)
{
	size_t start = c->at;

	while (!at_end(c) && la_is_white(c->text[c->at]))
		c->at++;
	return c->at - start;
}

static bool separates_thousands(const struct cursor *c)
{
	size_t i;

	for (i = 1; i <= 3; i++)
		if (c->at + i >= c->length || !la_is_digit(c->text[c->at + i]))
			return false;
	return c->at + 4 >= c->length || !la_is_digit(c->text[c->at + 4]);
}

/* Up to 24 digits: more than any size has, and scaled they fit 128 bits. */
static bool take_decimal(struct cursor *c, bool decimals, struct decimal *out)
{
	struct decimal number = { 0, 1 };
	bool fraction = false;
	size_t count = 0;

	if (!la_is_digit(peek(c)))
		return false;
	for (; !at_end(c); c->at++) {
		if (la_is_digit(peek(c))) {
			if (++count > 24)
				return false;
			number.digits *= 10;
			number.digits += (unsigned int)(peek(c) - '0');
			if (fraction)
				number.scale *= 10;
		} else if (peek(c) == '.' && decimals && !fraction &&
			   c->at + 1 < c->length &&
			   la_is_digit(c->text[c->at + 1])) {
			fraction = true;
		} else if (peek(c) != ',' || fraction ||
			   !separates_thousands(c)) {
			break;
		}
	}
	*out = number;
	return true;
}

static const struct unit *take_unit(struct cursor *c)
{
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(units); i++) {
		const char *name = units[i].name;

		for (n = 0; name[n] && c->at + n < c->length; n++)
			if (la_fold(c->text[c->at + n]) != name[n])
				break;
		if (name[n] ||
		    (c->at + n < c->length && la_is_word(c->text[c->at + n])))
			continue;
		c->at += n;
		return &units[i];
	}
	return NULL;
}

/*
 * Bounds of what was printed: half of the last digit around it, or the bytes
 * themselves.  What does not fit 64 bits is left unknown.
 */
static struct la_amount bounds(const struct decimal *number, unsigned int shift)
{
	struct la_amount amount = { .basis = LA_BASIS_PRINTED };
	unsigned __int128 low, high, half = 2 * number->scale;

	if (number->digits >> 80)
		return (struct la_amount){ 0 };
	low = high = number->digits;
	if (shift == 0 && number->scale == 1) {
		half = 1;
	} else {
		low = number->digits ? 2 * number->digits - 1 : 0;
		high = 2 * number->digits + 1;
	}
	low = ((low << shift) + half - 1) / half;
	high = (high << shift) / half;
	if ((number->digits << shift) / number->scale > UINT64_MAX)
		return (struct la_amount){ 0 };
	if (low > high) /* a part of one byte */
		low = high;
	amount.low = (uint64_t)low;
	amount.high = high > UINT64_MAX ? UINT64_MAX : (uint64_t)high;
	return amount;
}

/* "0 bytes" and "0.00 GiB" both are nothing, the latter up to its rounding. */
static bool take_size(struct cursor *c, struct la_capture *out)
{
	const struct unit *unit;
	struct decimal number;
	size_t end;

	if (!take_decimal(c, true, &number))
		return false;
	end = c->at;
	skip_white(c);
	unit = take_unit(c);
	if (!unit) {
		c->at = end;
		if (number.scale != 1 || la_is_word(peek(c)))
			return false;
	}
	out->bare = !unit;
	out->amount = bounds(&number, unit ? unit->shift : 0);
	return true;
}

static bool take_word(struct cursor *c)
{
	size_t start = c->at;

	while (!at_end(c) && !la_is_white(peek(c)))
		c->at++;
	return c->at > start;
}

static bool take_number(struct cursor *c, uint64_t *out)
{
	struct decimal number;

	if (!take_decimal(c, false, &number) || number.digits > INT64_MAX)
		return false;
	*out = (uint64_t)number.digits;
	return true;
}

static bool keep(struct la_captures *captures, const struct la_capture *capture)
{
	if (captures->count == LA_CAPTURES_MAX)
		return false;
	captures->capture[captures->count++] = *capture;
	return true;
}

static bool take(struct cursor *c, char what, struct la_captures *captures)
{
	struct la_capture capture = { .what = what, .offset = c->at };
	struct decimal number;

	switch (what) {
	case 'w':
		return take_word(c);
	case 'n':
		return take_decimal(c, false, &number);
	case 'x':
		return take_decimal(c, true, &number);
	case 'z':
		return take_size(c, &capture);
	case 'd':
	case 'k':
	case 'i':
	case 'P':
		return take_number(c, &capture.number) &&
		       keep(captures, &capture);
	case 'h':
		if (!take_decimal(c, true, &number))
			return false;
		capture.amount = bounds(&number, 30);
		return keep(captures, &capture);
	default:
		return take_size(c, &capture) &&
		       keep(captures, &capture);
	}
}

bool la_pattern_match(const char *pattern, const char *text, size_t length,
		      size_t *at, struct la_captures *captures)
{
	struct cursor c = { text, length, *at };
	struct la_captures taken = { .count = 0 };

	for (; *pattern; pattern++) {
		if (*pattern == '%') {
			if (!take(&c, *++pattern, &taken))
				return false;
		} else if (*pattern == '~') {
			skip_white(&c);
		} else if (*pattern == ' ') {
			if (skip_white(&c) == 0)
				return false;
		} else {
			if (la_fold(peek(&c)) != la_fold(*pattern))
				return false;
			c.at++;
		}
	}
	if (c.at > length)
		return false;
	*at = c.at;
	*captures = taken;
	return true;
}

enum la_amount_id la_pattern_amount(char letter)
{
	static const struct {
		char letter;
		enum la_amount_id id;
	} letters[] = {
		{ 'r', LA_AMOUNT_REQUEST },
		{ 's', LA_AMOUNT_SEGMENT },
		{ 't', LA_AMOUNT_TOTAL },
		{ 'f', LA_AMOUNT_FREE },
		{ 'h', LA_AMOUNT_FREE },
		{ 'l', LA_AMOUNT_ALLOWED },
		{ 'v', LA_AMOUNT_RESERVED },
		{ 'a', LA_AMOUNT_ALLOCATED },
		{ 'u', LA_AMOUNT_UNALLOCATED },
		{ 'p', LA_AMOUNT_PRIVATE },
		{ 'm', LA_AMOUNT_PROCESS },
		{ 'o', LA_AMOUNT_OTHER_ALLOCATORS },
		{ 'g', LA_AMOUNT_LARGEST },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(letters); i++)
		if (letters[i].letter == letter)
			return letters[i].id;
	return LA_AMOUNT_COUNT;
}
