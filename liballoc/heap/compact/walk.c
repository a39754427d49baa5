// SPDX-License-Identifier: Apache-2.0
/* The blocks of policy compact, shown from outside. */

#include "heap/compact/compact.h"

/*
 * What is shown as a segment is a stretch of memory that belongs to one
 * stream: as others see it, all of a segment is of one.
 */
static bool begins_stretch(const struct la_heap *heap, uint32_t id)
{
	const struct block *block = &heap->block[id];
	const struct block *prev = &heap->block[block->prev];

	if (block->state == BLOCK_SPARE || block->state == BLOCK_UNMAPPED)
		return false;
	return block->prev == LA_NO_BLOCK || prev->state == BLOCK_UNMAPPED ||
	       prev->set != block->set;
}

static uint32_t next_in_stretch(const struct la_heap *heap, uint32_t id)
{
	uint32_t next = heap->block[id].next;

	if (next == LA_NO_BLOCK || heap->block[next].state == BLOCK_UNMAPPED ||
	    heap->block[next].set != heap->block[id].set)
		return LA_NO_BLOCK;
	return next;
}

static void walk_stretch(const struct la_heap *heap, uint32_t first,
			 la_heap_visitor *visitor, void *data)
{
	const struct set *set = &heap->set[heap->block[first].set];
	const struct pool *pool = &heap->pool[set->pool];
	struct la_block_info info = {
		.segment_addr = heap->block[first].addr,
		.stream = heap->stream[set->stream],
		.pool = { pool->id[0], pool->id[1] },
	};
	uint32_t id;

	for (id = first; id != LA_NO_BLOCK; id = next_in_stretch(heap, id))
		info.segment_size += heap->block[id].size;
	for (id = first; id != LA_NO_BLOCK; id = next_in_stretch(heap, id)) {
		heap_show_block(heap, id, &info);
		visitor(data, &info);
	}
}

void compact_walk(const struct la_heap *heap, la_heap_visitor *visitor,
		  void *data)
{
	uint32_t id;

	for (id = 0; id < heap->block_count; id++)
		if (begins_stretch(heap, id))
			walk_stretch(heap, id, visitor, data);
}
