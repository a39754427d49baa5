/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that grow. */
#ifndef LA_UTIL_ARRAY_H
#define LA_UTIL_ARRAY_H

#include <stddef.h>

/*
 * Make an array with room for *room elements, of which count are in use, hold
 * one more.  array points to the pointer to its first element, which may be
 * NULL while *room is 0.  Returns 0 or -ENOMEM.
 */
int grow_array(void *array, size_t *room, size_t count, size_t element);

#endif /* LA_UTIL_ARRAY_H */
