/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_FREE_SET_H
#define LA_HEAP_FREE_SET_H

#include <stdint.h>

#include "heap/block.h"

/*
 * The free blocks of one pool and stream, ordered by size, then by what
 * block.order says.
 *
 * Sizes fall into bins: one for each multiple of 512 bytes below 32 KiB, then
 * 64 for each doubling.  The blocks of a bin form a treap by size and order.
 * Most bins hold a few blocks, so that a search is two bitmaps and a step or
 * two; nothing is allocated, and a set is copied as it lies.
 */
enum {
	FREE_EXACT_BITS = 6, /* bins of one size, and bins of a doubling */
	FREE_DOUBLINGS = 26, /* what is beyond shares the last bin */
	FREE_BINS = (1 + FREE_DOUBLINGS) << FREE_EXACT_BITS,
	FREE_WORDS = FREE_BINS / 64
};

struct free_set {
	uint64_t words; /* bit w: a bin of word w is not empty */
	uint64_t word[FREE_WORDS]; /* bit b of word w: bin 64 w + b is not */
	uint32_t root[FREE_BINS]; /* number of a block; not empty bins only */
};

/* Put a block into the set it is not in, or take one out that is in it. */
void free_set_insert(struct free_set *set, struct block *block, uint32_t id);
void free_set_remove(struct free_set *set, struct block *block, uint32_t id);

/* Make *to equal to *from; each is a set, if only an empty one. */
void free_set_copy(struct free_set *to, const struct free_set *from);

/* The first block that is not before (size, order), or LA_NO_BLOCK. */
uint32_t free_set_from(const struct free_set *set, const struct block *block,
		       uint64_t size, uint64_t order);

/* The last block that is before (size, order), or LA_NO_BLOCK. */
uint32_t free_set_before(const struct free_set *set, const struct block *block,
			 uint64_t size, uint64_t order);

/* The first block, and the one behind another, or LA_NO_BLOCK. */
static inline uint32_t free_set_first(const struct free_set *set,
				      const struct block *block)
{
	return free_set_from(set, block, 0, 0);
}

static inline uint32_t free_set_next(const struct free_set *set,
				     const struct block *block, uint32_t id)
{
	return free_set_from(set, block, block[id].size,
			     block[id].order + 1);
}

#endif /* LA_HEAP_FREE_SET_H */
