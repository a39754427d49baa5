/* SPDX-License-Identifier: Apache-2.0 */
/* Growing arrays under one bound on host memory. */
#ifndef LA_TRACE_BUDGET_H
#define LA_TRACE_BUDGET_H

#include <stddef.h>
#include <stdint.h>

struct la_budget {
	uint64_t limit; /* bytes */
	uint64_t used; /* bytes of all arrays, used or spare */
};

/*
 * Make room for at least `need` elements in *array, which holds *room of
 * `size` bytes each.  Returns 0, -ENOMEM, or -E2BIG when over the limit.
 */
int la_budget_grow(struct la_budget *budget, void *array, size_t *room,
		   size_t need, size_t size);

#endif /* LA_TRACE_BUDGET_H */
