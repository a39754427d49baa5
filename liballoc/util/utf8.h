/* SPDX-License-Identifier: Apache-2.0 */
/* Where one character of UTF-8 ends, for text that may not be UTF-8. */
#ifndef LA_UTIL_UTF8_H
#define LA_UTIL_UTF8_H

#include <stddef.h>

/*
 * Bytes (1 to 4) of the character that starts at text, or 0 if the length
 * bytes there do not start with valid UTF-8 (overlong forms, surrogates and
 * values above U+10FFFF are not valid).
 */
size_t la_utf8_char(const char *text, size_t length);

/* The most bytes, not above limit, that do not cut a character in two. */
size_t la_utf8_prefix(const char *text, size_t length, size_t limit);

#endif /* LA_UTIL_UTF8_H */
