/* SPDX-License-Identifier: Apache-2.0 */
/* Core files as Linux writes them, in memory. */
#ifndef TESTS_SUPPORT_CORE_H
#define TESTS_SUPPORT_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a process held when it died.  All zeros: nothing. */
struct core_plan {
	const void *heap; /* bytes of its heap */
	size_t heap_size;
	const char *const *arguments; /* NULL at the end; may be NULL */
	const char *const *environment; /* likewise */
	bool many; /* as if there were more segments than fit the field */
	bool bare; /* no notes */
};

struct core_image {
	uint8_t *data; /* for free() */
	size_t size;
	/* Where things are in data, in bytes */
	size_t table, notes, heap, stack;
};

/* Command "worker", process 4242 killed by signal 6. */
struct core_image make_core(const struct core_plan *plan);

#endif /* TESTS_SUPPORT_CORE_H */
