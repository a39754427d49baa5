// SPDX-License-Identifier: Apache-2.0
/*
 * Expandable segments.  A chain is a reservation of more addresses than the
 * card has memory; granules of it are mapped where a request needs them, and
 * unmapped where all of a granule is free.  Start at heap_grow_chain().
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap/internal.h"
#include "heap/round.h"

/* Number of chains that begin at an address or before it. */
static uint32_t chains_up_to(const struct la_heap *heap, uint64_t addr)
{
	uint32_t low = 0, high = heap->chain_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (heap->chain[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct chain *heap_chain_of(const struct la_heap *heap, uint64_t addr)
{
	uint32_t at = chains_up_to(heap, addr);

	while (at-- > 0)
		if (addr - heap->chain[at].addr < heap->chain[at].size)
			return &heap->chain[at];
	return NULL;
}

uint64_t heap_granule(const struct la_heap *heap, enum size_class class)
{
	return class == SMALL_CLASS ? SMALL_SEGMENT :
				      heap->setting.large_segment_size;
}

/* Addresses for 9/8 of the card, in whole granules. */
uint64_t heap_chain_size(const struct la_heap *heap, uint64_t granule)
{
	return round_up(heap->total + heap->total / 8, granule);
}

int heap_add_chain(struct la_heap *heap, const struct chain *chain)
{
	uint32_t at = chains_up_to(heap, chain->addr);
	struct chain *bigger = realloc(
		heap->chain, (heap->chain_count + 1) * sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	heap->chain = bigger;
	memmove(&bigger[at + 1], &bigger[at],
		(heap->chain_count++ - at) * sizeof(*bigger));
	bigger[at] = *chain;
	return 0;
}

static void forget_chain(struct la_heap *heap, struct chain *chain)
{
	size_t behind = (size_t)(&heap->chain[heap->chain_count--] - chain);

	memmove(chain, chain + 1, (behind - 1) * sizeof(*chain));
}

/* A new chain, as one unmapped block. */
int heap_reserve_chain(struct la_heap *heap, uint32_t set, uint32_t *id)
{
	uint64_t granule = heap_granule(heap, heap->set[set].class);
	struct chain chain = { .size = heap_chain_size(heap, granule),
			       .granule = granule,
			       .set = set };
	int err = block_reserve(heap);

	if (!err)
		err = heap->device->ops->reserve(heap->device, chain.size,
						 &chain.addr);
	if (!err)
		err = heap_add_chain(heap, &chain);
	if (err < 0)
		return err;
	*id = block_new(heap, chain.addr, chain.size, set);
	heap->block[*id].chained = true;
	heap->block[*id].state = BLOCK_UNMAPPED;
	block_insert(heap, *id);
	return 0;
}

/* Is there room for size bytes in idle blocks from a block on? */
static bool has_room(const struct la_heap *heap, uint32_t id, uint64_t size)
{
	uint64_t room = 0;

	while (room < size && id != LA_NO_BLOCK) {
		const struct block *block = &heap->block[id];

		if (block->state != BLOCK_FREE &&
		    block->state != BLOCK_UNMAPPED)
			break;
		room += block->size;
		id = block->next;
	}
	return room >= size;
}

/* The lowest place with room in idle blocks that holds unmapped addresses:
 * from an unmapped block on, or from the free block before it.  Else a new
 * chain, unless what is more than 9/8 of the card is asked for: -ENOSPC. */
static int find_room(struct la_heap *heap, uint32_t set, uint64_t size,
		     uint32_t *id)
{
	uint32_t at = heap_first_unmapped(heap, set, 0);

	while (at != LA_NO_BLOCK) {
		uint32_t prev = heap->block[at].prev;

		*id = prev != LA_NO_BLOCK &&
				      heap->block[prev].state == BLOCK_FREE ?
			      prev :
			      at;
		if (has_room(heap, *id, size))
			return 0;
		at = heap_first_unmapped(heap, set, heap->block[at].addr + 1);
	}
	if (size > heap_chain_size(heap, heap_granule(heap,
						      heap->set[set].class)))
		return -ENOSPC;
	return heap_reserve_chain(heap, set, id);
}

/* Put memory under the first granules of an unmapped block, for size bytes at
 * least; they merge with free neighbours and are free. */
int heap_map(struct la_heap *heap, uint32_t id, uint64_t size)
{
	uint64_t addr = heap->block[id].addr;
	uint64_t granule = heap_chain_of(heap, addr)->granule;
	uint32_t rest;
	int err = block_reserve(heap);

	size = round_up(size, granule);
	if (!err)
		err = heap->device->ops->map(heap->device, addr, size, granule);
	if (err < 0)
		return err;
	block_remove(heap, id);
	if (size < heap->block[id].size) {
		rest = block_part(heap, id, size);
		heap->block[rest].state = BLOCK_UNMAPPED;
		block_insert(heap, rest);
	}
	heap_count_got(heap, size);
	heap->stats.device_maps++;
	emit(heap, LA_SEGMENT_MAP, addr, size, heap->block[id].set);
	heap->block[id].state = BLOCK_FREE;
	block_merge(heap, id);
	block_insert(heap, id);
	return 0;
}

static uint64_t missing(const struct la_heap *heap, uint32_t unmapped,
			uint64_t size)
{
	uint64_t room = heap->block[unmapped].size;

	return size < room ? size : room;
}

/*
 * A free block of at least size bytes in new memory, in no set; *id is its
 * number.  Returns 0, or -ENOSPC if the device refuses; what was mapped before
 * that stays.
 */
int heap_grow_chain(struct la_heap *heap, uint32_t set, uint64_t size,
		    uint32_t *id)
{
	int err = find_room(heap, set, size, id);

	if (!err && heap->block[*id].state == BLOCK_UNMAPPED)
		err = heap_map(heap, *id, missing(heap, *id, size));
	while (!err && heap->block[*id].size < size) {
		uint64_t mapped = heap->block[*id].size;

		*id = heap->block[*id].next;
		err = heap_map(heap, *id, missing(heap, *id, size - mapped));
	}
	if (!err)
		block_remove(heap, *id);
	return err;
}

/* An empty chain goes back to the device; its one block is in no set. */
static int unreserve(struct la_heap *heap, uint32_t id)
{
	struct chain *chain = heap_chain_of(heap, heap->block[id].addr);
	int err = heap->device->ops->unreserve(heap->device, chain->addr,
					       chain->size);

	if (err < 0) {
		block_insert(heap, id);
		return err;
	}
	forget_chain(heap, chain);
	block_forget(heap, id);
	return 0;
}

/* Wait until nothing that is queued on the stream of a free block, or for one
 * of a private pool on any, uses its memory; the heap stays locked.  Returns
 * 0, -EBUSY: a stream is being captured, or what the device failed with. */
static int quieten(struct la_heap *heap, uint32_t id)
{
	const struct la_device_ops *ops = heap->device->ops;
	const struct set *set = &heap->set[heap->block[id].set];
	uint64_t event;
	int err;

	if (!heap->waiter.synchronize)
		return 0;
	if (set->pool != LA_DEFAULT_POOL)
		return heap->waiter.capturing(heap->waiter.data) ?
			       -EBUSY :
			       ops->drain(heap->device);
	err = ops->record(heap->device, heap->stream[set->stream], &event);
	if (err < 0)
		return err;
	err = ops->await(heap->device, event);
	ops->forget(heap->device, event);
	return err;
}

/* Take the memory from the granules that lie wholly inside a free block of a
 * chain, unless its stream is being captured; the crumbs beside them stay
 * free. */
int heap_unmap(struct la_heap *heap, uint32_t id)
{
	const struct block *block = &heap->block[id];
	const struct chain *chain = heap_chain_of(heap, block->addr);
	uint64_t from = chain->addr + round_up(block->addr - chain->addr,
					       chain->granule);
	uint64_t end = block->addr + block->size;
	int err;

	end -= (end - chain->addr) % chain->granule;
	if (from >= end)
		return 0;
	err = block_reserve(heap);
	if (!err)
		err = quieten(heap, id);
	if (!err)
		err = heap->device->ops->unmap(heap->device, from, end - from);
	if (err < 0)
		return err == -EBUSY ? 0 : err;
	id = block_carve(heap, id, from, end - from);
	heap->stats.reserved -= end - from;
	heap->stats.device_frees++;
	heap->stats.device_unmaps++;
	heap->pool[heap->set[heap->block[id].set].pool].growths--;
	emit(heap, LA_SEGMENT_UNMAP, from, end - from, heap->block[id].set);
	heap->block[id].state = BLOCK_UNMAPPED;
	block_merge(heap, id);
	if (is_whole(&heap->block[id]))
		return unreserve(heap, id);
	block_insert(heap, id);
	return 0;
}
