// SPDX-License-Identifier: Apache-2.0
/* Blocks are handed out and come back, whatever the policy. */

#include "heap/internal.h"

/* Cut what is behind `size` bytes off a block that is in no set. */
void heap_cut(struct la_heap *heap, uint32_t id, uint64_t size)
{
	const struct block *block = &heap->block[id];

	if (heap->split_listener)
		heap->split_listener(heap->listener_data, block->addr, size,
				     block->size);
	block_cut(heap, id, size);
}

/* Make all of a block live that is in no set. */
void heap_make_live(struct la_heap *heap, uint32_t id, uint64_t asked)
{
	struct la_heap_stats *stats = &heap->stats;
	struct block *block = &heap->block[id];

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

static inline void request_free(struct la_heap *heap, struct block *block)
{
	emit(heap, LA_FREE_REQUESTED, block->addr, block->asked, block->set);
	heap->stats.allocated -= block->size;
}

static inline void complete_free(struct la_heap *heap, uint32_t id)
{
	struct block *block = &heap->block[id];

	emit(heap, LA_FREE_COMPLETED, block->addr, block->asked, block->set);
	heap->stats.active -= block->size;
	block->state = BLOCK_FREE;
	block_merge(heap, id);
	block_insert(heap, id);
}

int heap_release_block(struct la_heap *heap, la_block block)
{
	request_free(heap, &heap->block[block]);
	complete_free(heap, block);
	return 0;
}

void heap_make_pending(struct la_heap *heap, la_block id)
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

int heap_complete_block(struct la_heap *heap, la_block block)
{
	unlink_pending(heap, &heap->block[block]);
	complete_free(heap, block);
	return 0;
}

int heap_block_pool(const struct la_heap *heap, la_block block)
{
	return (int)heap->set[heap->block[block].set].pool;
}

uint32_t heap_pool_waits(const struct la_heap *heap, int pool)
{
	return heap->flushes + heap->pool[pool].drops;
}
