// SPDX-License-Identifier: Apache-2.0
/* The structure of a heap of policy compact, checked from outside its
 * operations. */

#include <errno.h>

#include "heap/compact/compact.h"

/* A block lies in one area and touches its neighbours; those that are alike
 * were joined. */
static int check_block(const struct la_heap *heap, uint32_t id,
		       struct la_error *err)
{
	const struct block *block = &heap->block[id];
	const struct area *area = compact_area_of(heap, block->addr);
	const struct block *next = &heap->block[block->next];

	if (!area || block->size > area->addr + area->size - block->addr)
		return heap_broken(err, "block in no area", block->addr);
	if (!block->size || block->size % BLOCK_MIN ||
	    block->set >= heap->set_count)
		return heap_broken(err, "odd block", block->addr);
	if ((block->prev == LA_NO_BLOCK) != (block->addr == area->addr) ||
	    (block->next == LA_NO_BLOCK) !=
		    (block_end(heap, id) == area->addr + area->size))
		return heap_broken(err, "area not covered", block->addr);
	if (block->next == LA_NO_BLOCK)
		return 0;
	if (block->next >= heap->block_count || next->state == BLOCK_SPARE ||
	    next->prev != id || next->addr != block_end(heap, id))
		return heap_broken(err, "block unlinked", block->addr);
	if (next->state == block->state && next->set == block->set &&
	    (block->state == BLOCK_FREE || block->state == BLOCK_UNMAPPED))
		return heap_broken(err, "neighbours not joined", block->addr);
	return 0;
}

/* Pieces lie under all that is not a hole, and under no hole. */
static int check_backing(const struct la_heap *heap, uint32_t id,
			 struct la_error *err)
{
	const struct block *block = &heap->block[id];
	const struct set *set = &heap->set[block->set];
	bool hole = block->state == BLOCK_UNMAPPED;
	uint64_t at;

	if (hole && (set->stream || block->addr % PAGE || block->size % PAGE))
		return heap_broken(err, "odd hole", block->addr);
	for (at = page_down(block->addr); at < block_end(heap, id);
	     at += PAGE) {
		const struct area *area = compact_area_of(heap, at);

		if (hole && (at - area->addr) / PAGE >= area->page_room)
			break;
		if ((compact_piece_at(heap, at) == NO_PIECE) != hole)
			return heap_broken(err,
					   hole ? "hole with memory" :
						  "block without memory",
					   at);
	}
	return 0;
}

/* All pages of a piece tell of it. */
static int check_piece(const struct la_heap *heap, uint32_t number,
		       struct la_error *err)
{
	const struct piece *piece = &heap->compact->piece[number];
	uint64_t at;

	for (at = piece->addr; at < piece->addr + piece_size(piece); at += PAGE)
		if (compact_piece_at(heap, at) != number)
			return heap_broken(err, "piece not found", at);
	return 0;
}

/* The number of pages that tell of a piece. */
static uint64_t count_pages(const struct compact *compact)
{
	uint64_t count = 0;
	size_t i, page;

	for (i = 0; i < compact->area_count; i++)
		for (page = 0; page < compact->area[i].page_room; page++)
			count += compact->area[i].piece_of[page] != 0;
	return count;
}

/* A list of pieces that lie nowhere. */
static int check_list(const struct la_heap *heap, uint32_t number, int order,
		      uint64_t *bytes, uint64_t *count, struct la_error *err)
{
	const struct compact *compact = heap->compact;

	for (; number != NO_PIECE; number = compact->piece[number].next) {
		const struct piece *piece = &compact->piece[number];

		if (number >= compact->piece_count || piece->addr ||
		    (order >= 0) != (piece->handle != 0) ||
		    (order >= 0 && piece->order != order) ||
		    ++*count > compact->piece_count)
			return heap_broken(err, "list of pieces", 0);
		*bytes += piece_size(piece);
	}
	return 0;
}

static int check_pieces(const struct la_heap *heap, struct la_error *err)
{
	const struct compact *compact = heap->compact;
	uint64_t mapped = 0, spare = 0, unused = 0, count = 0;
	uint32_t i;
	int order;

	for (i = 0; i < compact->piece_count; i++) {
		if (!compact->piece[i].addr)
			continue;
		if (check_piece(heap, i, err) < 0)
			return -EUCLEAN;
		mapped += piece_size(&compact->piece[i]);
		count++;
	}
	for (order = 0; order < ORDERS; order++)
		if (check_list(heap, compact->spare[order], order, &spare,
			       &count, err) < 0)
			return -EUCLEAN;
	if (check_list(heap, compact->unused, -1, &unused, &count, err) < 0)
		return -EUCLEAN;
	if (count != compact->piece_count || mapped != compact->mapped ||
	    mapped != count_pages(compact) * PAGE ||
	    heap->stats.reserved != mapped + spare)
		return heap_broken(err, "wrong sums of pieces", 0);
	return 0;
}

int compact_check(const struct la_heap *heap, struct la_error *err)
{
	uint64_t bytes[BLOCK_STATES] = { 0 };
	uint64_t count[BLOCK_STATES] = { 0 };
	uint32_t i;

	for (i = 0; i < heap->block_count; i++) {
		const struct block *block = &heap->block[i];

		count[block->state]++;
		if (block->state == BLOCK_SPARE)
			continue;
		if (check_block(heap, i, err) < 0 ||
		    check_backing(heap, i, err) < 0)
			return -EUCLEAN;
		bytes[block->state] += block->size;
	}
	if (check_pieces(heap, err) < 0)
		return -EUCLEAN;
	return heap_check_lists(heap, bytes, count, err);
}
