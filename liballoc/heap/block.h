/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_BLOCK_H
#define LA_HEAP_BLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <liballoc/heap.h>

enum block_state {
	BLOCK_SPARE, /* not in use */
	BLOCK_FREE,
	BLOCK_LIVE,
	BLOCK_PENDING, /* freed, but other streams may still use it */
	BLOCK_UNMAPPED, /* addresses of a chain that hold no memory */
	BLOCK_STATES /* number of states, not a state */
};

/*
 * A contiguous piece of a segment, or of a chain: one reservation of an
 * expandable segment.  Blocks are numbered by their index, so that a heap can
 * be copied as it lies.  Free neighbours of one set never stay apart, nor do
 * unmapped ones; a live block never changes its set.
 */
struct block {
	uint64_t addr;
	uint64_t size; /* bytes */
	union {
		uint64_t asked; /* live, pending: bytes of the request */
		uint32_t child[2]; /* free, unmapped: see treap.h */
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
	bool chained; /* of a chain */
	uint64_t order; /* its place among blocks of its size: see
			 * blocks.c */
};

#endif /* LA_HEAP_BLOCK_H */
