/* SPDX-License-Identifier: Apache-2.0 */
/* Interning: a number for each distinct pair of 64-bit values. */
#ifndef LA_TRACE_PAIRS_H
#define LA_TRACE_PAIRS_H

#include <stdbool.h>

#include "trace/budget.h"

struct la_pair {
	uint64_t first, second;
};

struct la_pairs {
	struct la_pair *pairs; /* by number, in order of appearance */
	size_t count, room;
	uint32_t *buckets; /* number + 1, 0 if free; open addressing */
	size_t bucket_count; /* a power of two, or 0 */
	uint32_t last; /* number of the pair asked for last */
};

/* The number of a pair, added if new: 0, -ENOMEM or -E2BIG. */
int la_pairs_intern(struct la_pairs *set, struct la_budget *budget,
		    uint64_t first, uint64_t second, uint32_t *number);
/* The number of a pair that is there and was not asked for last, or false. */
bool la_pairs_search(struct la_pairs *set, uint64_t first, uint64_t second,
		     uint32_t *number);

/* The number of a pair that is there, or false. */
static inline bool la_pairs_find(struct la_pairs *set, uint64_t first,
				 uint64_t second, uint32_t *number)
{
	const struct la_pair *last;

	if (!set->count)
		return false;
	last = &set->pairs[set->last];
	if (last->first != first || last->second != second)
		return la_pairs_search(set, first, second, number);
	*number = set->last;
	return true;
}

void la_pairs_release(struct la_pairs *set);

#endif /* LA_TRACE_PAIRS_H */
