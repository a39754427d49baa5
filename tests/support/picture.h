/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of pictures share. */
#ifndef TESTS_PICTURE_H
#define TESTS_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

/* Markup, a way out of an attribute, terminal commands, bytes that are no
 * UTF-8, text from right to left, a character that XML cannot have. */
extern const char picture_hostile[];

/* Is it an SVG with a title and a description, of finite numbers, whose tags
 * match, without a byte that XML cannot have?  Else says why. */
bool picture_is_svg(const struct la_strbuf *svg);

/* Does python's parser of XML take it?  That takes a while.  True where there
 * is no python3. */
bool picture_parses(const struct la_strbuf *svg);

/* Is it lines of what can be seen, at most so wide? */
bool picture_is_text(const struct la_strbuf *text, size_t columns);

size_t picture_count(const struct la_strbuf *buf, const char *needle);

/* Does the picture have it?  Else prints the picture. */
bool picture_has(const struct la_strbuf *buf, const char *needle);

#endif /* TESTS_PICTURE_H */
