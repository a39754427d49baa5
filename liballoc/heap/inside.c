// SPDX-License-Identifier: Apache-2.0
/* Copying, loading and forcing a heap: not rules of the allocator. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap/inside.h"
#include "heap/internal.h"
#include "heap/round.h"

/* A copy of `count` elements at *to, which has room for `room` of them. */
static int copy_array(void *to, uint32_t room, const void *from,
		      uint32_t count, size_t element)
{
	void **array = to, *bigger = *array;

	if (room < count) {
		bigger = realloc(bigger, count * element);
		if (!bigger)
			return -ENOMEM;
		*array = bigger;
	}
	if (count)
		memcpy(bigger, from, count * element);
	return 0;
}

/* The sets themselves, of which only what is in use is copied. */
static int copy_sets(struct la_heap *to, const struct la_heap *from)
{
	uint32_t count = from->set_count, i;
	struct set *set = to->set;

	if (to->set_count < count) {
		set = realloc(set, count * sizeof(*set));
		if (!set)
			return -ENOMEM;
		memset(&set[to->set_count], 0,
		       (count - to->set_count) * sizeof(*set));
		to->set = set;
		to->set_count = count;
	}
	for (i = 0; i < count; i++) {
		free_set_copy(&set[i].free, &from->set[i].free);
		set[i].unmapped = from->set[i].unmapped;
		set[i].pool = from->set[i].pool;
		set[i].stream = from->set[i].stream;
		set[i].class = from->set[i].class;
	}
	to->set_count = count;
	return 0;
}

/* Streams and pools keep their numbers; those that only *to knows are
 * forgotten. */
static int copy_streams_and_pools(struct la_heap *to,
				  const struct la_heap *from)
{
	uint32_t streams = from->stream_count, pools = from->pool_count;

	if (copy_array(&to->stream, to->stream_count, from->stream, streams,
		       sizeof(*to->stream)) < 0 ||
	    copy_array(&to->stream_order, to->stream_count,
		       from->stream_order, streams,
		       sizeof(*to->stream_order)) < 0 ||
	    copy_array(&to->pool, to->pool_count, from->pool, pools,
		       sizeof(*to->pool)) < 0 ||
	    copy_array(&to->given_up, to->pool_count, from->given_up, pools,
		       sizeof(*to->given_up)) < 0 ||
	    copy_array(&to->set_at,
		       to->stream_count * to->pool_count * CLASS_COUNT,
		       from->set_at, streams * pools * CLASS_COUNT,
		       sizeof(*to->set_at)) < 0)
		return -ENOMEM;
	to->stream_count = streams;
	to->pool_count = pools;
	to->given_up_count = from->given_up_count;
	return 0;
}

static int copy_blocks(struct la_heap *to, const struct la_heap *from)
{
	struct block *block = to->block;

	if (to->block_room < from->block_room) {
		block = realloc(block, from->block_room * sizeof(*block));
		if (!block)
			return -ENOMEM;
		to->block = block;
		to->block_room = from->block_room;
	}
	if (from->block_count)
		memcpy(block, from->block, from->block_count * sizeof(*block));
	to->block_count = from->block_count;
	return 0;
}

int heap_copy(struct la_heap *to, const struct la_heap *from)
{
	if (copy_blocks(to, from) < 0 ||
	    copy_array(&to->chain, to->chain_count, from->chain,
		       from->chain_count, sizeof(*to->chain)) < 0)
		return -ENOMEM;
	to->chain_count = from->chain_count;
	to->spare = from->spare;
	to->pending_first = from->pending_first;
	to->pending_last = from->pending_last;
	to->flushes = from->flushes;
	to->stats = from->stats;
	to->in_order = from->in_order;
	to->setting = from->setting;
	to->ages = from->ages;
	to->registered = from->registered;
	if (copy_streams_and_pools(to, from) < 0 ||
	    pool_table_copy(&to->table, &from->table) < 0)
		return -ENOMEM;
	return copy_sets(to, from);
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
	if (piece->state == PIECE_UNMAPPED)
		block->state = BLOCK_UNMAPPED;
	else
		heap->stats.reserved += piece->size;
	if (piece->state == PIECE_FREE || piece->state == PIECE_UNMAPPED) {
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

static int load_pieces(struct la_heap *heap, const struct heap_load *load,
		       uint32_t set)
{
	uint32_t id, last = LA_NO_BLOCK;
	uint64_t addr = load->addr;
	size_t i;

	for (i = 0; i < load->piece_count; i++) {
		struct heap_piece *piece = &load->piece[i];

		if (block_reserve(heap) < 0)
			return -ENOMEM;
		id = block_new(heap, addr, piece->size, set);
		heap->block[id].chained = load->reserved > 0;
		heap->block[id].prev = last;
		if (last != LA_NO_BLOCK)
			heap->block[last].next = id;
		load_piece(heap, id, piece);
		last = id;
		addr += piece->size;
	}
	return 0;
}

/* A chain has its pieces, and is unmapped behind them. */
static int load_chain(struct la_heap *heap, const struct heap_load *load,
		      uint32_t set)
{
	struct chain chain = { load->addr, load->reserved,
			       heap_granule(heap, load->small ? SMALL_CLASS :
							       LARGE_CLASS),
			       set };
	struct heap_load rest = *load;
	struct heap_piece tail = { .size = load->reserved,
				   .state = PIECE_UNMAPPED };
	size_t i;

	for (i = 0; i < load->piece_count; i++)
		tail.size -= load->piece[i].size < tail.size ?
				     load->piece[i].size :
				     tail.size;
	rest.piece = calloc(load->piece_count + 1, sizeof(tail));
	if (!rest.piece || heap_add_chain(heap, &chain) < 0) {
		free(rest.piece);
		return -ENOMEM;
	}
	memcpy(rest.piece, load->piece, load->piece_count * sizeof(tail));
	if (tail.size)
		rest.piece[rest.piece_count++] = tail;
	i = load_pieces(heap, &rest, set) < 0;
	memcpy(load->piece, rest.piece, load->piece_count * sizeof(tail));
	free(rest.piece);
	return i ? -ENOMEM : 0;
}

static void forget_peaks(struct la_heap_stats *stats)
{
	stats->reserved_peak = stats->reserved;
	stats->allocated_peak = stats->allocated;
	stats->active_peak = stats->active;
}

int heap_load(struct la_heap *heap, const struct heap_load *load)
{
	la_heap_listener *listener = heap->listener;
	uint32_t set;
	int err = heap_find_set(heap, load->stream, load->pool,
				load->small ? SMALL_CLASS : LARGE_CLASS, &set);

	if (err < 0)
		return err;
	heap->listener = NULL;
	heap->pool[load->pool].growths++;
	err = load->reserved ? load_chain(heap, load, set) :
			       load_pieces(heap, load, set);
	heap->listener = listener;
	forget_peaks(&heap->stats);
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
	for (id = 0; id < heap->block_count && !err; id++) {
		if (heap->block[id].state != BLOCK_FREE)
			continue;
		if (heap->block[id].chained)
			err = heap_unmap(heap, id);
		else if (is_whole(&heap->block[id]))
			err = heap_release_segment(heap, id);
	}
	heap->listener = listener;
	stats->device_frees = frees;
	forget_peaks(stats);
	return err;
}

void heap_walk_in_order(struct la_heap *heap)
{
	heap->in_order = true;
}

bool heap_is_live(const struct la_heap *heap, la_block block)
{
	return heap->block[block].state == BLOCK_LIVE;
}

bool heap_is_pending(const struct la_heap *heap, la_block block)
{
	return heap->block[block].state == BLOCK_PENDING;
}

uint64_t heap_peek(const struct la_heap *heap, uint64_t size, int stream,
		   int pool)
{
	uint64_t rounded = round_request(&heap->setting, size);
	uint32_t set = *set_slot(heap, (uint32_t)pool, class_of(rounded),
				 (uint32_t)stream);
	uint32_t id = set == NO_SET ? LA_NO_BLOCK :
				      heap_search(heap, set, rounded);

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
		    heap->set[block->set].stream == (uint32_t)stream &&
		    addr - block->addr <= block->size &&
		    size <= block->size - (addr - block->addr))
			return id;
	}
	return LA_NO_BLOCK;
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
		++*set_searches(heap, set);
	id = block_carve(heap, id, addr, rounded);
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
		    is_idle_segment(block))
			return heap_release_segment(heap, id);
	}
	return -ENOENT;
}
