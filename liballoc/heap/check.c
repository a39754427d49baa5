// SPDX-License-Identifier: Apache-2.0
/* The structure of a heap, checked from outside its operations. */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "heap/internal.h"
#include "util/error.h"

static int broken(struct la_error *err, const char *what, uint64_t addr)
{
	return la_error_set(err, -EUCLEAN, LA_NO_OFFSET, "%s at 0x%" PRIx64,
			    what, addr);
}

static bool is_used(const struct la_heap *heap, uint32_t id)
{
	return id < heap->block_count && heap->block[id].state != BLOCK_SPARE;
}

/* One block: sizes, neighbours, and that free neighbours were merged. */
static int check_block(const struct la_heap *heap, uint32_t id,
		       struct la_error *err)
{
	const struct block *block = &heap->block[id], *next;

	if (!block->size || block->size % BLOCK_MIN)
		return broken(err, "block of odd size", block->addr);
	if (block->set >= heap->stream_count * POOL_COUNT)
		return broken(err, "block of no set", block->addr);
	if (block->prev != LA_NO_BLOCK &&
	    (!is_used(heap, block->prev) ||
	     heap->block[block->prev].next != id))
		return broken(err, "block unlinked from behind", block->addr);
	if (block->next == LA_NO_BLOCK)
		return 0;
	next = &heap->block[block->next];
	if (!is_used(heap, block->next) || next->prev != id)
		return broken(err, "block unlinked from front", block->addr);
	if (next->addr != block->addr + block->size || next->set != block->set)
		return broken(err, "neighbours that do not touch", block->addr);
	if (block->state == BLOCK_FREE && next->state == BLOCK_FREE)
		return broken(err, "free neighbours", block->addr);
	return 0;
}

/* Deeper than any treap of blocks at honest addresses. */
enum { DEPTH_MAX = 1000 };

/* A tree of the set: all of it free blocks of the set and of the bin, in
 * order, and none above its parent.  Counts down *left, the free blocks that
 * were not yet met. */
static int check_tree(const struct la_heap *heap, uint32_t index, uint32_t id,
		      int depth, uint64_t *left, struct la_error *err)
{
	const struct block *block = &heap->block[id];
	int side;

	if (!is_used(heap, id) || block->state != BLOCK_FREE ||
	    block->set != index || !*left || depth == DEPTH_MAX)
		return broken(err, "stale entry", 0);
	--*left;
	for (side = 0; side < 2; side++) {
		uint32_t child = block->child[side];

		if (child != LA_NO_BLOCK &&
		    check_tree(heap, index, child, depth + 1, left, err) < 0)
			return -EUCLEAN;
	}
	return 0;
}

/* Going through a set meets its blocks in ascending order. */
static int check_order(const struct la_heap *heap, const struct free_set *set,
		       uint64_t count, struct la_error *err)
{
	uint32_t id = free_set_first(set, heap->block), next;

	for (; id != LA_NO_BLOCK; id = next) {
		next = free_set_next(set, heap->block, id);
		if (free_set_from(set, heap->block, heap->block[id].size,
				  heap->block[id].addr) != id)
			return broken(err, "entry out of place",
				      heap->block[id].addr);
		if (!count--)
			return broken(err, "entry met twice", 0);
		if (next != LA_NO_BLOCK &&
		    free_set_before(set, heap->block, heap->block[next].size,
				    heap->block[next].addr) != id)
			return broken(err, "entry out of order",
				      heap->block[id].addr);
	}
	return count ? broken(err, "entry never met", 0) : 0;
}

static int check_set(const struct la_heap *heap, uint32_t index,
		     uint64_t *left, struct la_error *err)
{
	const struct free_set *set = &heap->set[index];
	uint64_t before = *left, bits;
	int w, bin;

	for (w = 0; w < FREE_WORDS; w++) {
		if ((set->word[w] != 0) != (set->words >> w & 1))
			return broken(err, "bins that are not found", 0);
		for (bits = set->word[w]; bits; bits &= bits - 1) {
			bin = 64 * w + __builtin_ctzll(bits);
			if (check_tree(heap, index, set->root[bin], 0, left,
				       err) < 0)
				return -EUCLEAN;
		}
	}
	return check_order(heap, set, before - *left, err);
}

static int check_pending(const struct la_heap *heap, uint64_t count,
			 struct la_error *err)
{
	uint32_t id = heap->pending_first, before = LA_NO_BLOCK;

	for (; id != LA_NO_BLOCK; id = heap->block[id].pending.after) {
		if (!is_used(heap, id) || !count-- ||
		    heap->block[id].state != BLOCK_PENDING ||
		    heap->block[id].pending.before != before)
			return broken(err, "pending list", 0);
		before = id;
	}
	if (count || heap->pending_last != before)
		return broken(err, "pending list too short", 0);
	return 0;
}

/* Blocks that are not in use can all be had again. */
static int check_spare(const struct la_heap *heap, uint64_t count,
		       struct la_error *err)
{
	uint32_t id = heap->spare;

	for (; id != LA_NO_BLOCK; id = heap->block[id].next)
		if (id >= heap->block_count || is_used(heap, id) || !count--)
			return broken(err, "spare list", 0);
	return count ? broken(err, "spare list too short", 0) : 0;
}

LA_EXPORT int la_heap_check(const struct la_heap *heap, struct la_error *err)
{
	uint64_t bytes[BLOCK_PENDING + 1] = { 0 };
	uint64_t count[BLOCK_PENDING + 1] = { 0 }, left;
	uint32_t i;

	for (i = 0; i < heap->block_count; i++) {
		const struct block *block = &heap->block[i];

		count[block->state]++;
		if (block->state == BLOCK_SPARE)
			continue;
		if (check_block(heap, i, err) < 0)
			return -EUCLEAN;
		bytes[block->state] += block->size;
	}
	left = count[BLOCK_FREE];
	for (i = 0; i < heap->stream_count * POOL_COUNT; i++)
		if (check_set(heap, i, &left, err) < 0)
			return -EUCLEAN;
	if (left)
		return broken(err, "free block in no set", 0);
	if (heap->stats.allocated != bytes[BLOCK_LIVE] ||
	    heap->stats.active != bytes[BLOCK_LIVE] + bytes[BLOCK_PENDING] ||
	    heap->stats.reserved != heap->stats.active + bytes[BLOCK_FREE])
		return broken(err, "wrong sums", 0);
	if (check_spare(heap, count[BLOCK_SPARE], err) < 0)
		return -EUCLEAN;
	return check_pending(heap, count[BLOCK_PENDING], err);
}
