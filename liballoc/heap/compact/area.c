// SPDX-License-Identifier: Apache-2.0
/* Addresses of policy compact: areas, their blocks, and the piece of a page. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap/compact/compact.h"
#include "util/array.h"

/* Parts of the card that the addresses of a private pool take; and how many
 * times those of the default pool take the card. */
enum { PRIVATE_PARTS = 4, DEFAULT_TIMES = 4 };

#define CARD_MOST (UINT64_C(1) << 44) /* bytes that addresses are taken for */

int compact_hole_set(struct la_heap *heap, uint32_t pool, uint32_t *set)
{
	return heap_find_set(heap, 0, (int)pool, LARGE_CLASS, set);
}

static uint32_t part(struct la_heap *heap, uint32_t id, uint64_t size)
{
	uint32_t tail = block_part(heap, id, size);

	heap->block[tail].state = heap->block[id].state;
	return tail;
}

/*
 * Give [addr, addr + size) of an idle block another state and owner.  It is
 * joined with what is like it; the block that holds it is returned.  There
 * must be room for two blocks.
 */
uint32_t compact_turn(struct la_heap *heap, uint32_t id, uint64_t addr,
		      uint64_t size, enum block_state state, uint32_t set)
{
	block_remove(heap, id);
	if (addr > heap->block[id].addr) {
		uint32_t tail = part(heap, id, addr - heap->block[id].addr);

		block_insert(heap, id);
		id = tail;
	}
	if (size < heap->block[id].size)
		block_insert(heap, part(heap, id, size));
	heap->block[id].state = (uint8_t)state;
	heap->block[id].set = set;
	block_merge(heap, id);
	block_insert(heap, id);
	return id;
}

/* An area of another private pool that holds nothing any more, or
 * LA_NO_BLOCK. */
static uint32_t find_vacant(const struct la_heap *heap, uint32_t pool,
			    uint64_t size)
{
	uint32_t i;

	for (i = 0; i < heap->set_count; i++) {
		const struct set *set = &heap->set[i];
		uint32_t id = set->unmapped;

		if (id != LA_NO_BLOCK && set->pool != LA_DEFAULT_POOL &&
		    set->pool != pool && is_whole(&heap->block[id]) &&
		    heap->block[id].size >= size)
			return id;
	}
	return LA_NO_BLOCK;
}

/* Reserve as much as wanted, or less, but no less than size. */
static int reserve(struct la_heap *heap, uint64_t wanted, uint64_t size,
		   struct area *area)
{
	int err;

	area->size = wanted > 2 * size ? page_up(wanted) : page_up(2 * size);
	do {
		err = heap->device->ops->reserve(heap->device, area->size,
						 &area->addr);
		if (err != -ENOSPC)
			return err;
		area->size = page_up(area->size / 2);
	} while (area->size >= size && area->size > PAGE);
	return -ENOSPC;
}

/* Addresses for a pool that has none where a request of so many bytes fits.
 * They are one hole. */
int compact_add_area(struct la_heap *heap, uint32_t pool, uint64_t size)
{
	struct compact *compact = heap->compact;
	uint64_t card = heap->total < CARD_MOST ? heap->total : CARD_MOST;
	uint64_t wanted = pool == LA_DEFAULT_POOL ? card * DEFAULT_TIMES :
						    card / PRIVATE_PARTS;
	struct area area = { 0 };
	uint32_t set, id = LA_NO_BLOCK;
	int err;

	if (compact_hole_set(heap, pool, &set) < 0 || block_reserve(heap) < 0 ||
	    grow_array(&compact->area, &compact->area_room, compact->area_count,
		       sizeof(area)) < 0)
		return -ENOMEM;
	if (pool != LA_DEFAULT_POOL)
		id = find_vacant(heap, pool, size);
	if (id != LA_NO_BLOCK) {
		compact_turn(heap, id, heap->block[id].addr,
			     heap->block[id].size, BLOCK_UNMAPPED, set);
		return 0;
	}
	err = reserve(heap, wanted, size, &area);
	if (err < 0)
		return err;
	compact->area[compact->area_count++] = area;
	id = block_new(heap, area.addr, area.size, set);
	heap->block[id].state = BLOCK_UNMAPPED;
	heap->block[id].chained = true;
	block_insert(heap, id);
	return 0;
}

/* NULL: the address is in none. */
struct area *compact_area_of(const struct la_heap *heap, uint64_t addr)
{
	const struct compact *compact = heap->compact;
	size_t i;

	for (i = 0; i < compact->area_count; i++)
		if (addr - compact->area[i].addr < compact->area[i].size)
			return &compact->area[i];
	return NULL;
}

/* The piece under an address, or NO_PIECE. */
uint32_t compact_piece_at(const struct la_heap *heap, uint64_t addr)
{
	const struct area *area = compact_area_of(heap, addr);
	uint64_t page;

	if (!area)
		return NO_PIECE;
	page = (addr - area->addr) / PAGE;
	if (page >= area->page_room || !area->piece_of[page])
		return NO_PIECE;
	return area->piece_of[page] - 1;
}

static int reserve_pages(struct area *area, uint64_t count)
{
	size_t room = area->page_room ? area->page_room : 64;
	uint32_t *piece_of;

	if (count <= area->page_room)
		return 0;
	while (room < count)
		room *= 2;
	piece_of = realloc(area->piece_of, room * sizeof(*piece_of));
	if (!piece_of)
		return -ENOMEM;
	memset(&piece_of[area->page_room], 0,
	       (room - area->page_room) * sizeof(*piece_of));
	area->piece_of = piece_of;
	area->page_room = room;
	return 0;
}

/* Note where a piece lies that lay nowhere.  Returns 0 or -ENOMEM. */
int compact_enter(struct la_heap *heap, uint32_t piece, uint64_t addr)
{
	struct area *area = compact_area_of(heap, addr);
	struct piece *entered = &heap->compact->piece[piece];
	uint64_t page = (addr - area->addr) / PAGE, i;
	uint64_t count = piece_size(entered) / PAGE;

	if (reserve_pages(area, page + count) < 0)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		area->piece_of[page + i] = piece + 1;
	entered->addr = addr;
	return 0;
}

/* The piece lies nowhere any more. */
void compact_leave(struct la_heap *heap, uint32_t piece)
{
	struct piece *left = &heap->compact->piece[piece];
	struct area *area = compact_area_of(heap, left->addr);

	memset(&area->piece_of[(left->addr - area->addr) / PAGE], 0,
	       piece_size(left) / PAGE * sizeof(*area->piece_of));
	left->addr = 0;
}
