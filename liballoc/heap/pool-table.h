/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_POOL_TABLE_H
#define LA_HEAP_POOL_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The pools that were given up, in the order in which torch walks them: that
 * of its hash table, which is open addressing with Robin Hood probing over
 * Fibonacci hashing of the id, at most half full, at least four slots.
 * (Found from recordings of programs that gave up several pools at once.)
 */
struct pool_slot {
	uint64_t key; /* the part of the id that is not 0 */
	uint32_t pool;
	int32_t distance; /* from the slot that the hash asks for; -1: empty */
};

struct pool_table {
	struct pool_slot *slot; /* owned; capacity + probes + 1 of them */
	uint32_t capacity; /* a power of two; 0: nothing was ever inserted */
	uint32_t probes; /* most steps of a search */
	uint32_t count;
};

void pool_table_destroy(struct pool_table *table);

/* Returns 0 or -ENOMEM. */
int pool_table_insert(struct pool_table *table, uint64_t key, uint32_t pool);

/* A pool that is not there is none to remove. */
void pool_table_remove(struct pool_table *table, uint32_t pool);

/* Write the pools in order; returns their number. */
uint32_t pool_table_list(const struct pool_table *table, uint32_t *pools);

/* Make *to equal to *from.  Returns 0 or -ENOMEM. */
int pool_table_copy(struct pool_table *to, const struct pool_table *from);

#endif /* LA_HEAP_POOL_TABLE_H */
