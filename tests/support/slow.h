/* SPDX-License-Identifier: Apache-2.0 */
/* Pickles read twice: as they come, and one step of the machine at a time. */
#ifndef LA_TESTS_SLOW_H
#define LA_TESTS_SLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Read an unpacked pickle from a window that holds all of it, and from one
 * that never holds more than an opcode needs, so that no short cut is taken.
 * Returns what differs, or NULL if all arrays and errors are the same.
 */
const char *slow_differs(const void *data, size_t size, bool partial,
			 uint64_t memory_limit);

#endif /* LA_TESTS_SLOW_H */
