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

/* One set: ascending, and each entry tells of a free block of the set. */
static int check_set(const struct la_heap *heap, uint32_t index,
		     uint64_t *count, struct la_error *err)
{
	const struct free_set *set = &heap->set[index];
	const struct free_entry *entry, *last = NULL;
	struct free_pos pos = free_set_first();

	for (; (entry = free_set_at(set, pos)); pos = free_set_next(set, pos)) {
		const struct block *block = &heap->block[entry->block];

		if (!is_used(heap, entry->block) ||
		    block->state != BLOCK_FREE || block->set != index ||
		    block->size != entry->size || block->addr != entry->addr)
			return broken(err, "stale entry", entry->addr);
		if (last && (last->size > entry->size ||
			     (last->size == entry->size &&
			      last->addr >= entry->addr)))
			return broken(err, "entry out of order", entry->addr);
		last = entry;
		++*count;
	}
	return 0;
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
	uint64_t count[BLOCK_PENDING + 1] = { 0 }, entries = 0;
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
	for (i = 0; i < heap->stream_count * POOL_COUNT; i++)
		if (check_set(heap, i, &entries, err) < 0)
			return -EUCLEAN;
	if (entries != count[BLOCK_FREE])
		return broken(err, "free block in no set", 0);
	if (heap->stats.allocated != bytes[BLOCK_LIVE] ||
	    heap->stats.active != bytes[BLOCK_LIVE] + bytes[BLOCK_PENDING] ||
	    heap->stats.reserved != heap->stats.active + bytes[BLOCK_FREE])
		return broken(err, "wrong sums", 0);
	if (check_spare(heap, count[BLOCK_SPARE], err) < 0)
		return -EUCLEAN;
	return check_pending(heap, count[BLOCK_PENDING], err);
}
