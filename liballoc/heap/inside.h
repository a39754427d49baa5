/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_INSIDE_H
#define LA_HEAP_INSIDE_H

/*
 * What following a recording needs beside the rules of policy torch: to try
 * something on a copy, to start in the middle, to take what no rule predicts.
 * What a running program needs of any policy is at the end.
 */

#include <stdbool.h>

#include <liballoc/heap.h>

/* A piece of a segment or chain that is loaded. */
struct heap_piece {
	uint64_t size; /* bytes */
	uint64_t asked; /* bytes of the request, live and pending pieces */
	enum { PIECE_FREE, PIECE_LIVE, PIECE_PENDING, PIECE_UNMAPPED } state;
	la_block block; /* result: of a live or pending piece */
};

/* What is loaded at once: a segment, or the chain of an expandable one. */
struct heap_load {
	uint64_t addr;
	uint64_t reserved; /* bytes of a chain, beyond the pieces too; else 0 */
	int stream, pool; /* numbers */
	bool small;
	struct heap_piece *piece; /* borrowed; idle ones of a state do not
				   * touch */
	size_t piece_count;
};

/*
 * Make *to a copy of *from: blocks keep their numbers.  Both were made with
 * one cap; *to keeps its own device and listener.
 * Returns 0 or -ENOMEM; then *to can only be copied to or freed.
 */
int heap_copy(struct la_heap *to, const struct la_heap *from);

/*
 * Add what the device gave before.  No event is sent; peaks are what is held
 * then.  Pending pieces are completed by a flush in the order in which they
 * were loaded.  Returns 0 or -ENOMEM.
 */
int heap_load(struct la_heap *heap, const struct heap_load *load);

/*
 * Give back all wholly free segments and granules, as if they had never been
 * there: no event is sent, nothing is counted, peaks are what is left.
 * Returns 0 or what the device failed with.
 */
int heap_trim(struct la_heap *heap);

/* From now on flushes take from pools in the order in which they were given
 * up, as a recording tells it. */
void heap_walk_in_order(struct la_heap *heap);

/* What is the block of this number? */
bool heap_is_live(const struct la_heap *heap, la_block block);
bool heap_is_pending(const struct la_heap *heap, la_block block);

/* Address of a live or pending block, and its bytes as they count in the
 * heap's figures. */
void heap_place_of(const struct la_heap *heap, la_block block, uint64_t *addr,
		   uint64_t *size);

/* Pool of a live or pending block. */
int heap_pool_of(const struct la_heap *heap, la_block block);

/* Counts how often the pending blocks of a pool were waited for: if it has
 * moved on since a block became pending, the block was completed. */
uint32_t heap_waits(const struct la_heap *heap, int pool);

/* Address of the cached block that would serve a request; 0: none would. */
uint64_t heap_peek(const struct la_heap *heap, uint64_t size, int stream,
		   int pool);

/*
 * Put a request at a given address inside a free block of its stream.
 * Returns 0, -ENOENT if there is no room for it, or -ENOMEM.
 */
int heap_place(struct la_heap *heap, uint64_t addr, uint64_t size, int stream,
	       la_block *block);

/*
 * Give the segment at an address back to the device.  Returns 0, -ENOENT if
 * there is no wholly free segment, or what the device failed with.
 */
int heap_drop(struct la_heap *heap, uint64_t addr);

/* Let another cap hold from now on, in bytes or UINT64_MAX; what is held above
 * it is given back as far as requests need it. */
void heap_set_cap(struct la_heap *heap, uint64_t bytes);

/*
 * Memory that others know by its address (IPC, registered with a network
 * card): what lies under [addr, addr + size) stays there until it is unpinned
 * as often as it was pinned.  Returns 0, or -ENOENT if no memory of the heap
 * lies at each of the addresses.
 */
int heap_pin(struct la_heap *heap, uint64_t addr, uint64_t size, bool pinned);

/* What came from the device as one, around an address: a segment, a mapped
 * range of a reservation, or a piece.  Returns 0 or -ENOENT. */
int heap_base(const struct la_heap *heap, uint64_t addr, uint64_t *base,
	      uint64_t *size);

#endif /* LA_HEAP_INSIDE_H */
