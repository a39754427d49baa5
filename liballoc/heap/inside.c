// SPDX-License-Identifier: Apache-2.0
/* Copying, loading and forcing a heap: not rules of the allocator. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap/inside.h"
#include "heap/internal.h"
#include "heap/round.h"

/* Streams keep their numbers; those that only *to knows are forgotten. */
static int copy_streams(struct la_heap *to, const struct la_heap *from)
{
	size_t count = from->stream_count, i;

	if (to->stream_count > count)
		to->stream_count = from->stream_count;
	while (to->stream_count < count)
		if (heap_add_stream(to) < 0)
			return -ENOMEM;
	if (count) {
		memcpy(to->stream, from->stream, count * sizeof(*to->stream));
		memcpy(to->stream_order, from->stream_order,
		       count * sizeof(*to->stream_order));
	}
	for (i = 0; i < count * POOL_COUNT; i++)
		free_set_copy(&to->set[i], &from->set[i]);
	return 0;
}

int heap_copy(struct la_heap *to, const struct la_heap *from)
{
	if (to->block_room < from->block_room) {
		struct block *block = realloc(
			to->block, from->block_room * sizeof(*block));

		if (!block)
			return -ENOMEM;
		to->block = block;
		to->block_room = from->block_room;
	}
	if (from->block_count)
		memcpy(to->block, from->block,
		       from->block_count * sizeof(*to->block));
	to->block_count = from->block_count;
	to->spare = from->spare;
	to->pending_first = from->pending_first;
	to->pending_last = from->pending_last;
	to->stats = from->stats;
	memcpy(to->searches, from->searches, sizeof(to->searches));
	return copy_streams(to, from);
}

static void make_pending(struct la_heap *heap, uint32_t id)
{
	heap->block[id].state = BLOCK_LIVE;
	la_heap_free_request(heap, id);
	heap->stats.allocated += heap->block[id].size;
}

/* Give the last block of a segment its state; it is in no set. */
static void load_piece(struct la_heap *heap, uint32_t id,
		       struct heap_piece *piece)
{
	struct block *block = &heap->block[id];

	piece->block = id;
	if (piece->state == PIECE_FREE) {
		block_insert(heap, id);
		return;
	}
	block->asked = piece->asked;
	heap->stats.active += piece->size;
	if (piece->state == PIECE_PENDING) {
		make_pending(heap, id);
		return;
	}
	block->state = BLOCK_LIVE;
	heap->stats.allocated += piece->size;
}

static int load_pieces(struct la_heap *heap, uint64_t addr, uint32_t set,
		       struct heap_piece *pieces, size_t count)
{
	uint32_t id, last = LA_NO_BLOCK;
	size_t i;

	for (i = 0; i < count; i++) {
		if (block_reserve(heap) < 0)
			return -ENOMEM;
		id = block_new(heap, addr, pieces[i].size, set);
		heap->block[id].prev = last;
		if (last != LA_NO_BLOCK)
			heap->block[last].next = id;
		load_piece(heap, id, &pieces[i]);
		last = id;
		addr += pieces[i].size;
		heap->stats.reserved += pieces[i].size;
	}
	return 0;
}

static void forget_peaks(struct la_heap_stats *stats)
{
	stats->reserved_peak = stats->reserved;
	stats->allocated_peak = stats->allocated;
	stats->active_peak = stats->active;
}

int heap_load(struct la_heap *heap, uint64_t addr, int stream, bool small,
	      struct heap_piece *pieces, size_t count)
{
	uint32_t set = set_index(stream, small ? SMALL_POOL : LARGE_POOL);
	struct la_heap_stats *stats = &heap->stats;
	la_heap_listener *listener = heap->listener;
	int err;

	heap->listener = NULL;
	err = load_pieces(heap, addr, set, pieces, count);
	heap->listener = listener;
	forget_peaks(stats);
	return err;
}

int heap_trim(struct la_heap *heap)
{
	struct la_heap_stats *stats = &heap->stats;
	uint64_t frees = stats->device_frees;
	la_heap_listener *listener = heap->listener;
	uint32_t id;
	int err = 0;

	heap->listener = NULL;
	for (id = 0; id < heap->block_count && !err; id++)
		if (heap->block[id].state == BLOCK_FREE &&
		    is_whole(&heap->block[id]))
			err = heap_release_segment(heap, id);
	heap->listener = listener;
	stats->device_frees = frees;
	forget_peaks(stats);
	return err;
}

bool heap_is_live(const struct la_heap *heap, la_block block)
{
	return heap->block[block].state == BLOCK_LIVE;
}

bool heap_is_pending(const struct la_heap *heap, la_block block)
{
	return heap->block[block].state == BLOCK_PENDING;
}

uint64_t heap_peek(const struct la_heap *heap, uint64_t size, int stream)
{
	uint64_t rounded = round_request(&heap->setting, size);
	uint32_t id = heap_search(heap,
				  set_index(stream, rounded <= SMALL_MAX ?
							    SMALL_POOL :
							    LARGE_POOL),
				  rounded);

	return id == LA_NO_BLOCK ? 0 : heap->block[id].addr;
}

/* The free block of a stream that holds [addr, addr + size), or LA_NO_BLOCK */
static uint32_t find_room(const struct la_heap *heap, uint64_t addr,
			  uint64_t size, int stream)
{
	uint32_t id;

	for (id = 0; id < heap->block_count; id++) {
		const struct block *block = &heap->block[id];

		if (block->state == BLOCK_FREE && block->addr <= addr &&
		    block->set / POOL_COUNT == (uint32_t)stream &&
		    addr - block->addr <= block->size &&
		    size <= block->size - (addr - block->addr))
			return id;
	}
	return LA_NO_BLOCK;
}

/* Cut [addr, addr + size) out of a free block; the result is in no set. */
static uint32_t carve(struct la_heap *heap, uint32_t id, uint64_t addr,
		      uint64_t size)
{
	block_remove(heap, id);
	if (addr > heap->block[id].addr) {
		block_cut(heap, id, addr - heap->block[id].addr);
		block_insert(heap, id);
		id = heap->block[id].next;
		block_remove(heap, id);
	}
	if (size < heap->block[id].size)
		block_cut(heap, id, size);
	return id;
}

int heap_place(struct la_heap *heap, uint64_t addr, uint64_t size, int stream,
	       la_block *block)
{
	uint64_t rounded = round_request(&heap->setting, size);
	uint32_t id = find_room(heap, addr, rounded, stream), set;

	if (id == LA_NO_BLOCK)
		return -ENOENT;
	set = heap->block[id].set;
	if (block_reserve(heap) < 0)
		return -ENOMEM;
	if (heap->ages)
		heap->searches[set_pool(set)]++;
	id = carve(heap, id, addr, rounded);
	heap_hand_out(heap, id, rounded, size);
	*block = id;
	return 0;
}

int heap_drop(struct la_heap *heap, uint64_t addr)
{
	uint32_t id;

	for (id = 0; id < heap->block_count; id++) {
		const struct block *block = &heap->block[id];

		if (block->addr == addr && block->state == BLOCK_FREE &&
		    is_whole(block))
			return heap_release_segment(heap, id);
	}
	return -ENOENT;
}
