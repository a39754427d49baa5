// SPDX-License-Identifier: Apache-2.0
/* Blocks: made, cut, merged, and kept in the free sets. */

#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"

enum { BLOCKS_FIRST = 64 };

static int grow_blocks(struct la_heap *heap)
{
	uint32_t room = heap->block_room ? heap->block_room : BLOCKS_FIRST / 2;
	struct block *block;

	if (room > LA_NO_BLOCK / 2)
		return -ENOMEM;
	room *= 2;
	block = realloc(heap->block, room * sizeof(*block));
	if (!block)
		return -ENOMEM;
	heap->block = block;
	heap->block_room = room;
	return 0;
}

/* Make sure that two blocks can be made. */
int block_reserve(struct la_heap *heap)
{
	if (heap->block_room - heap->block_count >= 2)
		return 0;
	return grow_blocks(heap);
}

/* A block alone in its segment and in no set; there must be room. */
uint32_t block_new(struct la_heap *heap, uint64_t addr, uint64_t size,
		   uint32_t set)
{
	uint32_t id = heap->spare;

	if (id != LA_NO_BLOCK)
		heap->spare = heap->block[id].next;
	else
		id = heap->block_count++;
	heap->block[id] = (struct block){
		.addr = addr,
		.size = size,
		.prev = LA_NO_BLOCK,
		.next = LA_NO_BLOCK,
		.set = set,
		.state = BLOCK_FREE,
	};
	return id;
}

/* Make a block spare that is in no set and that nothing points to. */
void block_forget(struct la_heap *heap, uint32_t id)
{
	heap->block[id].state = BLOCK_SPARE;
	heap->block[id].next = heap->spare;
	heap->spare = id;
}

void block_insert(struct la_heap *heap, uint32_t id)
{
	struct block *block = &heap->block[id];

	block->born = heap->searches[set_pool(block->set)];
	free_set_insert(&heap->set[block->set], heap->block, id);
}

void block_remove(struct la_heap *heap, uint32_t id)
{
	free_set_remove(&heap->set[heap->block[id].set], heap->block, id);
}

/* Leave size bytes in a block that is in no set; the rest becomes free. */
void block_cut(struct la_heap *heap, uint32_t id, uint64_t size)
{
	struct block *block = &heap->block[id];
	uint32_t tail = block_new(heap, block->addr + size, block->size - size,
				  block->set);

	heap->block[tail].prev = id;
	heap->block[tail].next = block->next;
	if (block->next != LA_NO_BLOCK)
		heap->block[block->next].prev = tail;
	block->next = tail;
	block->size = size;
	block_insert(heap, tail);
}

static void absorb_prev(struct la_heap *heap, uint32_t id)
{
	struct block *block = &heap->block[id];
	uint32_t prev = block->prev;

	block_remove(heap, prev);
	block->addr = heap->block[prev].addr;
	block->size += heap->block[prev].size;
	block->prev = heap->block[prev].prev;
	if (block->prev != LA_NO_BLOCK)
		heap->block[block->prev].next = id;
	block_forget(heap, prev);
}

static void absorb_next(struct la_heap *heap, uint32_t id)
{
	struct block *block = &heap->block[id];
	uint32_t next = block->next;

	block_remove(heap, next);
	block->size += heap->block[next].size;
	block->next = heap->block[next].next;
	if (block->next != LA_NO_BLOCK)
		heap->block[block->next].prev = id;
	block_forget(heap, next);
}

/* Absorb free neighbours into a free block that is in no set. */
void block_merge(struct la_heap *heap, uint32_t id)
{
	const struct block *block = &heap->block[id];

	if (block->prev != LA_NO_BLOCK &&
	    heap->block[block->prev].state == BLOCK_FREE)
		absorb_prev(heap, id);
	if (block->next != LA_NO_BLOCK &&
	    heap->block[block->next].state == BLOCK_FREE)
		absorb_next(heap, id);
}
