// SPDX-License-Identifier: Apache-2.0
/* Blocks: made, cut, merged, and kept in the sets of idle blocks. */

#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"
#include "heap/treap.h"

enum { BLOCKS_FIRST = 64 };

int blocks_grow(struct la_heap *heap)
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

/* The order of a new block by age.  By segment it is as if segments lay
 * upwards in the order in which they came. */
static uint64_t next_order(struct la_heap *heap, uint64_t size)
{
	uint64_t order = heap->registered;

	heap->registered += rules_have(heap->rules, RULE_BY_BLOCK) ? 1 : size;
	return order;
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
		.order = addr,
		.prev = LA_NO_BLOCK,
		.next = LA_NO_BLOCK,
		.set = set,
		.state = BLOCK_FREE,
	};
	if (heap->by_age)
		heap->block[id].order = next_order(heap, size);
	return id;
}

/* Make a block spare that is in no set and that nothing points to. */
void block_forget(struct la_heap *heap, uint32_t id)
{
	heap->block[id].state = BLOCK_SPARE;
	heap->block[id].next = heap->spare;
	heap->spare = id;
}

static bool by_addr(const struct block *block, const struct block *key)
{
	return block->addr < key->addr;
}

/* Put a free or unmapped block into the set that is for it. */
void block_insert(struct la_heap *heap, uint32_t id)
{
	struct block *block = &heap->block[id];
	struct set *set = &heap->set[block->set];

	if (block->state == BLOCK_UNMAPPED) {
		treap_insert(heap->block, &set->unmapped, id, by_addr);
		return;
	}
	block->born = *set_searches(heap, block->set);
	free_set_insert(&set->free, heap->block, id);
}

void block_remove(struct la_heap *heap, uint32_t id)
{
	struct set *set = &heap->set[heap->block[id].set];

	if (heap->block[id].state == BLOCK_UNMAPPED)
		treap_remove(heap->block, &set->unmapped, id, by_addr);
	else
		free_set_remove(&set->free, heap->block, id);
}

/* The first unmapped block of a set that is not below addr. */
uint32_t heap_first_unmapped(const struct la_heap *heap, uint32_t set,
			     uint64_t addr)
{
	const struct block key = { .addr = addr };

	return treap_neighbour(heap->block, heap->set[set].unmapped, &key,
			       false, by_addr);
}

/* Part a block that is in no set behind its first size bytes.  The rest is a
 * block of the same kind that is in no set either. */
uint32_t block_part(struct la_heap *heap, uint32_t id, uint64_t size)
{
	struct block *block = &heap->block[id];
	uint32_t tail = block_new(heap, block->addr + size, block->size - size,
				  block->set);

	if (rules_have(heap->rules, RULE_BY_SEGMENT))
		heap->block[tail].order = block->order + size;
	heap->block[tail].chained = block->chained;
	heap->block[tail].prev = id;
	heap->block[tail].next = block->next;
	if (block->next != LA_NO_BLOCK)
		heap->block[block->next].prev = tail;
	block->next = tail;
	block->size = size;
	return tail;
}

/* Leave size bytes in a block that is in no set; the rest becomes free.  To
 * torch the front is the new block. */
void block_cut(struct la_heap *heap, uint32_t id, uint64_t size)
{
	uint32_t tail = block_part(heap, id, size);
	uint64_t order = heap->block[tail].order;

	if (rules_have(heap->rules, RULE_BY_BLOCK)) {
		heap->block[tail].order = heap->block[id].order;
		heap->block[id].order = order;
	}
	block_insert(heap, tail);
}

/* Take [addr, addr + size) out of a free block and out of the set; what is
 * left of it, and right of it, stays there. */
uint32_t block_carve(struct la_heap *heap, uint32_t id, uint64_t addr,
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
		block_insert(heap, block_part(heap, id, size));
	return id;
}

static void absorb_prev(struct la_heap *heap, uint32_t id)
{
	struct block *block = &heap->block[id];
	uint32_t prev = block->prev;

	block_remove(heap, prev);
	block->addr = heap->block[prev].addr;
	if (!rules_have(heap->rules, RULE_BY_BLOCK))
		block->order = heap->block[prev].order;
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

static bool is_like(const struct block *a, const struct block *b)
{
	return a->state == b->state && a->set == b->set;
}

/* Absorb neighbours of the same state and set into a free or unmapped block
 * that is in no set. */
void block_merge(struct la_heap *heap, uint32_t id)
{
	const struct block *block = &heap->block[id];

	if (block->prev != LA_NO_BLOCK &&
	    is_like(&heap->block[block->prev], block))
		absorb_prev(heap, id);
	if (block->next != LA_NO_BLOCK &&
	    is_like(&heap->block[block->next], block))
		absorb_next(heap, id);
}
