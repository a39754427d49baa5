/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_BLOCK_H
#define LA_HEAP_BLOCK_H

#include <stdint.h>

#include <liballoc/heap.h>

enum block_state { BLOCK_SPARE, BLOCK_FREE, BLOCK_LIVE, BLOCK_PENDING };

/*
 * A contiguous piece of a segment.  Blocks are numbered by their index, so
 * that a heap can be copied as it lies.  A block never changes its set, and
 * free neighbours never stay apart.
 */
struct block {
	uint64_t addr;
	uint64_t size; /* bytes */
	union {
		uint64_t asked; /* live, pending: bytes of the request */
		uint32_t child[2]; /* free: see free-set.h */
	};
	union {
		uint64_t born; /* free: the pool's searches at that time */
		struct {
			uint32_t before, after; /* pending: request order */
		} pending;
	};
	uint32_t prev, next; /* neighbours in the segment, or LA_NO_BLOCK;
			      * spare: next is the next spare block */
	uint32_t set; /* index into the heap's sets */
	uint8_t state; /* enum block_state */
};

#endif /* LA_HEAP_BLOCK_H */
