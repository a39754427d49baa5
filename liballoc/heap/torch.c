// SPDX-License-Identifier: Apache-2.0
/* Policy torch, to the byte: the path of a request. */

#include <errno.h>

#include "heap/internal.h"
#include "heap/round.h"

/* From a block of a chain on: that of several, one behind the other in the
 * set, which can grow the least. */
static uint32_t least_reach(const struct la_heap *heap,
			    const struct free_set *free, uint32_t id)
{
	while (heap->block[id].chained) {
		uint32_t next = free_set_next(free, heap->block, id);

		if (next == LA_NO_BLOCK ||
		    block_reach(heap, next) >= block_reach(heap, id))
			break;
		id = next;
	}
	return id;
}

/* Expandable segments were on earlier: what they left is not used. */
static uint32_t skip_chained(const struct la_heap *heap,
			     const struct free_set *free, uint32_t id)
{
	while (id != LA_NO_BLOCK && heap->block[id].chained)
		id = free_set_next(free, heap->block, id);
	return id;
}

/*
 * Best fit: the cached block that serves a rounded request, or LA_NO_BLOCK.
 * With max_split_size a smaller request never takes an oversize block, and a
 * bigger one none that is much too big; all further blocks are bigger still.
 */
uint32_t heap_search(const struct la_heap *heap, uint32_t set, uint64_t size)
{
	const struct la_setting_values *setting = &heap->setting;
	const struct free_set *free = &heap->set[set].free;
	uint32_t id = free_set_from(free, heap->block, size, 0);
	uint64_t bound;

	if (id != LA_NO_BLOCK && heap->block[id].chained)
		id = setting->expandable_segments ?
			     least_reach(heap, free, id) :
			     skip_chained(heap, free, id);
	if (id == LA_NO_BLOCK)
		return LA_NO_BLOCK;
	bound = size < setting->max_split_size ?
			setting->max_split_size :
			size + setting->max_non_split_rounding;
	return heap->block[id].size < bound ? id : LA_NO_BLOCK;
}

/* May the tail of a block be cut off after `size` bytes? */
static bool may_cut(const struct la_heap *heap, const struct block *block,
		    uint64_t size)
{
	uint64_t rest = block->size - size;

	if (heap->set[block->set].class == SMALL_CLASS ||
	    heap->setting.expandable_segments)
		return rest >= BLOCK_MIN;
	return size < heap->setting.max_split_size && rest > KEEP_SLACK;
}

/* Make a block live that is in no set. */
void heap_hand_out(struct la_heap *heap, uint32_t id, uint64_t size,
		   uint64_t asked)
{
	struct la_heap_stats *stats = &heap->stats;
	struct block *block = &heap->block[id];

	if (may_cut(heap, block, size)) {
		if (heap->split_listener)
			heap->split_listener(heap->listener_data, block->addr,
					     size, block->size);
		block_cut(heap, id, size);
	}
	block->state = BLOCK_LIVE;
	block->asked = asked;
	stats->allocated += block->size;
	if (stats->allocated > stats->allocated_peak)
		stats->allocated_peak = stats->allocated;
	stats->active += block->size;
	if (stats->active > stats->active_peak)
		stats->active_peak = stats->active;
	emit(heap, LA_ALLOC, block->addr, asked, block->set);
}

static int torch_alloc(struct la_heap *heap, uint64_t size, int stream,
		       int pool, la_block *block)
{
	uint64_t rounded;
	uint32_t set, id;
	int err;

	if (size >= REQUEST_MAX)
		return -ENOSPC;
	if (!size)
		size = 1;
	rounded = round_request(&heap->setting, size);
	if (heap_find_set(heap, stream, pool, class_of(rounded), &set) < 0 ||
	    block_reserve(heap) < 0)
		return -ENOMEM;
	if (heap->pool[pool].given_up)
		heap_reopen_pool(heap, (uint32_t)pool);
	if (heap->ages)
		++*set_searches(heap, set);
	id = heap_search(heap, set, rounded);
	if (id != LA_NO_BLOCK) {
		block_remove(heap, id);
	} else {
		err = heap_obtain(heap, set, rounded, &id);
		if (err < 0)
			return err;
	}
	heap_hand_out(heap, id, rounded, size);
	*block = id;
	return 0;
}

static void request_free(struct la_heap *heap, struct block *block)
{
	emit(heap, LA_FREE_REQUESTED, block->addr, block->asked, block->set);
	heap->stats.allocated -= block->size;
}

static void complete_free(struct la_heap *heap, uint32_t id)
{
	struct block *block = &heap->block[id];

	emit(heap, LA_FREE_COMPLETED, block->addr, block->asked, block->set);
	heap->stats.active -= block->size;
	block->state = BLOCK_FREE;
	block_merge(heap, id);
	block_insert(heap, id);
}

static int torch_release(struct la_heap *heap, la_block block)
{
	request_free(heap, &heap->block[block]);
	complete_free(heap, block);
	return 0;
}

static void torch_free_request(struct la_heap *heap, la_block id)
{
	struct block *block = &heap->block[id];

	request_free(heap, block);
	block->state = BLOCK_PENDING;
	block->pending.before = heap->pending_last;
	block->pending.after = LA_NO_BLOCK;
	if (heap->pending_last != LA_NO_BLOCK)
		heap->block[heap->pending_last].pending.after = id;
	else
		heap->pending_first = id;
	heap->pending_last = id;
}

static void unlink_pending(struct la_heap *heap, const struct block *block)
{
	uint32_t before = block->pending.before, after = block->pending.after;

	if (before != LA_NO_BLOCK)
		heap->block[before].pending.after = after;
	else
		heap->pending_first = after;
	if (after != LA_NO_BLOCK)
		heap->block[after].pending.before = before;
	else
		heap->pending_last = before;
}

static int torch_free_complete(struct la_heap *heap, la_block block)
{
	unlink_pending(heap, &heap->block[block]);
	complete_free(heap, block);
	return 0;
}

static uint64_t torch_addr(const struct la_heap *heap, la_block block)
{
	return heap->block[block].addr;
}

static int torch_pool_of(const struct la_heap *heap, la_block block)
{
	return (int)heap->set[heap->block[block].set].pool;
}

static uint32_t torch_waits(const struct la_heap *heap, int pool)
{
	return heap->flushes + heap->pool[pool].drops;
}

const struct heap_policy policy_torch = {
	.alloc = torch_alloc,
	.release = torch_release,
	.free_request = torch_free_request,
	.free_complete = torch_free_complete,
	.empty_cache = heap_flush,
	.pool_give_up = heap_give_up_pool,
	.pool_drop = heap_drop_pool,
	.addr = torch_addr,
	.pool_of = torch_pool_of,
	.waits = torch_waits,
	.walk = heap_walk_blocks,
	.check = heap_check_blocks,
};
