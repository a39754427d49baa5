// SPDX-License-Identifier: Apache-2.0
/* Cached memory goes back to the device: heap_flush(), heap_drop_pool(). */

#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"

/* Give a segment that is one free block back to the device. */
int heap_release_segment(struct la_heap *heap, uint32_t id)
{
	const struct block *block = &heap->block[id];
	int err;

	err = heap->device->ops->free(heap->device, block->addr, block->size);
	if (err < 0)
		return err;
	block_remove(heap, id);
	heap->stats.reserved -= block->size;
	heap->stats.device_frees++;
	heap->pool[heap->set[block->set].pool].growths--;
	emit(heap, LA_SEGMENT_FREE, block->addr, block->size, block->set);
	block_forget(heap, id);
	return 0;
}

static int scratch_reserve(struct la_heap *heap, uint32_t count)
{
	uint32_t room = heap->scratch_room ? heap->scratch_room : 64;
	uint32_t *scratch;

	if (count <= heap->scratch_room)
		return 0;
	while (room < count)
		room *= 2;
	scratch = realloc(heap->scratch, room * sizeof(*scratch));
	if (!scratch)
		return -ENOMEM;
	heap->scratch = scratch;
	heap->scratch_room = room;
	return 0;
}

/* Put the free segments of a pool and the free blocks of its chains into
 * scratch, by stream, size, address.  Returns their number or -ENOMEM. */
int heap_list_idle(struct la_heap *heap, uint32_t pool, enum size_class class)
{
	uint32_t count = 0, i;

	for (i = 0; i < heap->stream_count; i++) {
		uint32_t at = *set_slot(heap, pool, class,
					heap->stream_order[i]);
		const struct free_set *free;
		uint32_t id;

		if (at == NO_SET)
			continue;
		free = &heap->set[at].free;
		for (id = free_set_first(free, heap->block); id != LA_NO_BLOCK;
		     id = free_set_next(free, heap->block, id)) {
			if (!heap->block[id].chained &&
			    !is_whole(&heap->block[id]))
				continue;
			if (scratch_reserve(heap, count + 1) < 0)
				return -ENOMEM;
			heap->scratch[count++] = id;
		}
	}
	return (int)count;
}

/* Complete the pending blocks of a pool, or of all (-1); whoever waits for
 * streams waits for all, and may leave those of streams that are captured. */
int heap_complete_pending(struct la_heap *heap, int pool)
{
	uint32_t id, after;
	int err = 0;

	if (heap->waiter.settle) {
		err = heap->waiter.settle(heap->waiter.data, true);
		return err < 0 ? err : 0;
	}
	for (id = heap->pending_first; id != LA_NO_BLOCK && !err; id = after) {
		uint32_t set = heap->block[id].set;

		after = heap->block[id].pending.after;
		if (pool < 0 || heap->set[set].pool == (uint32_t)pool)
			err = la_heap_free_complete(heap, id);
	}
	return err;
}

/* Segments first, then the chains, each in the order that the set had. */
static int flush_class(struct la_heap *heap, uint32_t pool,
		       enum size_class class)
{
	int count = heap_list_idle(heap, pool, class), i, err = 0;

	for (i = 0; i < count && !err; i++)
		if (!heap->block[heap->scratch[i]].chained)
			err = heap_release_segment(heap, heap->scratch[i]);
	for (i = 0; i < count && !err; i++)
		if (heap->block[heap->scratch[i]].state == BLOCK_FREE)
			err = heap_unmap(heap, heap->scratch[i]);
	return count < 0 ? count : err;
}

/* A pool that was given up.  When it holds nothing any more it is gone. */
static int flush_private(struct la_heap *heap, uint32_t pool)
{
	int err = flush_class(heap, pool, SMALL_CLASS);

	if (!err)
		err = flush_class(heap, pool, LARGE_CLASS);
	if (!err && !heap->pool[pool].growths)
		heap_reopen_pool(heap, pool);
	return err;
}

/* Wait for pending blocks, then give back all that is free in the default
 * pool and, after it, in those that were given up. */
int heap_flush(struct la_heap *heap)
{
	uint32_t i = 0;
	int err;

	heap->stats.syncs++;
	heap->flushes++;
	err = heap_complete_pending(heap, -1);
	if (!err)
		err = flush_class(heap, LA_DEFAULT_POOL, LARGE_CLASS);
	if (!err)
		err = flush_class(heap, LA_DEFAULT_POOL, SMALL_CLASS);
	while (i < heap->given_up_count && !err) {
		uint32_t pool = heap->given_up[i];

		err = flush_private(heap, pool);
		i += heap->pool[pool].given_up;
	}
	return err;
}

int heap_drop_pool(struct la_heap *heap, int pool)
{
	int err = heap_give_up_pool(heap, pool);

	heap->stats.syncs++;
	heap->pool[pool].drops++;
	if (!err)
		err = heap_complete_pending(heap, pool);
	return err < 0 ? err : flush_private(heap, (uint32_t)pool);
}
