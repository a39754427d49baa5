// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "util/utf8.h"

/* Allowed range of the second byte; later bytes are always 80..bf. */
static bool second_is_valid(unsigned char first, unsigned char second)
{
	switch (first) {
	case 0xe0:
		return second >= 0xa0 && second <= 0xbf;
	case 0xed:
		return second >= 0x80 && second <= 0x9f;
	case 0xf0:
		return second >= 0x90 && second <= 0xbf;
	case 0xf4:
		return second >= 0x80 && second <= 0x8f;
	default:
		return second >= 0x80 && second <= 0xbf;
	}
}

static size_t expected_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	if (first >= 0xf0 && first <= 0xf4)
		return 4;
	return 0;
}

size_t la_utf8_char(const char *text, size_t length)
{
	const unsigned char *byte = (const unsigned char *)text;
	size_t i, n;

	if (!length)
		return 0;
	n = expected_length(byte[0]);
	if (n > length)
		return 0;
	if (n > 1 && !second_is_valid(byte[0], byte[1]))
		return 0;
	for (i = 2; i < n; i++)
		if (byte[i] < 0x80 || byte[i] > 0xbf)
			return 0;
	return n;
}

size_t la_utf8_prefix(const char *text, size_t length, size_t limit)
{
	size_t back;

	if (length <= limit)
		return length;
	for (back = 1; back <= 3 && back <= limit; back++) {
		size_t start = limit - back;

		if (la_utf8_char(text + start, length - start) > back)
			return start;
	}
	return limit;
}
