// SPDX-License-Identifier: Apache-2.0
/* The blocks of policy torch, shown from outside: la_heap_walk(). */

#include "heap/internal.h"

/* Does a range of mapped memory, or a segment, begin with the block? */
static bool begins_range(const struct la_heap *heap, uint32_t id)
{
	const struct block *block = &heap->block[id];

	if (block->state == BLOCK_SPARE || block->state == BLOCK_UNMAPPED)
		return false;
	return block->prev == LA_NO_BLOCK ||
	       heap->block[block->prev].state == BLOCK_UNMAPPED;
}

/* The next block of the same range. */
static uint32_t next_in_range(const struct la_heap *heap, uint32_t id)
{
	uint32_t next = heap->block[id].next;

	if (next == LA_NO_BLOCK || heap->block[next].state == BLOCK_UNMAPPED)
		return LA_NO_BLOCK;
	return next;
}

void heap_show_block(const struct la_heap *heap, uint32_t id,
		       struct la_block_info *info)
{
	static const uint8_t states[] = {
		[BLOCK_FREE] = LA_BLOCK_FREE,
		[BLOCK_LIVE] = LA_BLOCK_LIVE,
		[BLOCK_PENDING] = LA_BLOCK_PENDING,
	};
	const struct block *block = &heap->block[id];

	info->addr = block->addr;
	info->size = block->size;
	info->state = states[block->state];
	info->requested = block->state == BLOCK_FREE ? 0 : block->asked;
	info->block = block->state == BLOCK_FREE ? LA_NO_BLOCK : id;
}

static void walk_range(const struct la_heap *heap, uint32_t first,
		       la_heap_visitor *visitor, void *data)
{
	const struct block *block = &heap->block[first];
	const struct set *set = &heap->set[block->set];
	const struct pool *pool = &heap->pool[set->pool];
	struct la_block_info info = {
		.segment_addr = block->addr,
		.stream = heap->stream[set->stream],
		.pool = { pool->id[0], pool->id[1] },
		.small = set->class == SMALL_CLASS,
	};
	uint32_t id;

	if (block->chained)
		info.granule = heap_chain_of(heap, block->addr)->granule;
	for (id = first; id != LA_NO_BLOCK; id = next_in_range(heap, id))
		info.segment_size += heap->block[id].size;
	for (id = first; id != LA_NO_BLOCK; id = next_in_range(heap, id)) {
		heap_show_block(heap, id, &info);
		visitor(data, &info);
	}
}

void heap_walk_blocks(const struct la_heap *heap, la_heap_visitor *visitor,
		      void *data)
{
	uint32_t id;

	for (id = 0; id < heap->block_count; id++)
		if (begins_range(heap, id))
			walk_range(heap, id, visitor, data);
}
