/* SPDX-License-Identifier: Apache-2.0 */
/* How alike two names are, for "did you mean". */
#ifndef LA_UTIL_DISTANCE_H
#define LA_UTIL_DISTANCE_H

#include <stddef.h>

/* Longest name that is compared. */
enum { LA_DISTANCE_MAX = 64 };

/*
 * Insertions, deletions and replacements that turn name a into b, or SIZE_MAX
 * if that is more than a third of a's length or a name is too long.
 */
size_t la_distance(const char *a, size_t a_length, const char *b,
		   size_t b_length);

#endif /* LA_UTIL_DISTANCE_H */
