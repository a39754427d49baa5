/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns of messages, matched without regard to case:
 *
 *	blank	one or more white characters
 *	~	none or more of them
 *	%n %x	digits; a decimal number: not kept
 *	%w	a word: anything up to a white character, not kept
 *	%d %k %i %P	a number that enum la_captured_number names
 *	%h	a number of GiB without its unit: free bytes of the card
 *	%z	a size, not kept
 *	%S	a size: the request and the segment
 *	%M	a size: what the process of %P holds
 *	%r %s %t ...	a size; see la_pattern_amount()
 *
 * Sizes are "20.00 MiB", "98.000244MB", "17.79G", "1,024 bytes" or bytes
 * without a unit; units are powers of 1024, as all frameworks mean them.
 */
#ifndef LA_TRIAGE_PATTERN_H
#define LA_TRIAGE_PATTERN_H

#include <liballoc/triage.h>

enum { LA_CAPTURES_MAX = 4 };

/* One value that a pattern took of a text. */
struct la_capture {
	char what; /* letter of its directive */
	size_t offset; /* of its first digit in the text */
	uint64_t number; /* %d %k %i %P */
	/* Sizes; not known: 2^64 bytes, which stands for "unknown" */
	struct la_amount amount;
	bool bare; /* a size without a unit */
};

struct la_captures {
	struct la_capture capture[LA_CAPTURES_MAX];
	size_t count;
};

/*
 * Match pattern at *at of length bytes of text.  On success *at is behind
 * what was matched and captures has what was kept; else both are untouched.
 */
bool la_pattern_match(const char *pattern, const char *text, size_t length,
		      size_t *at, struct la_captures *captures);

/* The amount that a letter stands for, LA_AMOUNT_COUNT for none. */
enum la_amount_id la_pattern_amount(char letter);

static inline bool la_is_white(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool la_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline char la_fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline bool la_is_word(char c)
{
	return la_is_digit(c) || c == '_' ||
	       (la_fold(c) >= 'a' && la_fold(c) <= 'z');
}

#endif /* LA_TRIAGE_PATTERN_H */
