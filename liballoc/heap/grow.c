// SPDX-License-Identifier: Apache-2.0
/* What happens when nothing cached fits: memory from the device, and the ways
 * in which cached memory goes back to it.  Start at heap_obtain(). */

#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"
#include "heap/round.h"

/* A segment for a rounded request, as one block in no set; or -ENOSPC. */
static int grow(struct la_heap *heap, uint32_t set, uint64_t size,
		uint32_t *id)
{
	struct la_heap_stats *stats = &heap->stats;
	uint64_t addr;
	int err;

	if (size > heap->cap || stats->reserved > heap->cap - size)
		return -ENOSPC;
	err = heap->device->ops->alloc(heap->device, size, &addr);
	if (err < 0)
		return err;
	stats->reserved += size;
	stats->device_allocs++;
	if (stats->reserved > stats->reserved_peak)
		stats->reserved_peak = stats->reserved;
	emit(heap, LA_SEGMENT_ALLOC, addr, size, set);
	*id = block_new(heap, addr, size, set);
	return 0;
}

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

/* Put the whole free blocks of a pool into scratch, by stream, size, address.
 * Returns their number or -ENOMEM. */
static int list_whole_blocks(struct la_heap *heap, enum pool pool)
{
	uint32_t count = 0, i;

	for (i = 0; i < heap->stream_count; i++) {
		const struct free_set *set =
			&heap->set[set_index((int)heap->stream_order[i], pool)];
		uint32_t id = free_set_first(set, heap->block);

		for (; id != LA_NO_BLOCK;
		     id = free_set_next(set, heap->block, id)) {
			if (!is_whole(&heap->block[id]))
				continue;
			if (scratch_reserve(heap, count + 1) < 0)
				return -ENOMEM;
			heap->scratch[count++] = id;
		}
	}
	return (int)count;
}

static uint64_t age(const struct la_heap *heap, uint32_t id)
{
	return heap->searches[LARGE_POOL] - heap->block[id].born;
}

/* What is known of the blocks in scratch while they are collected. */
struct ages {
	uint64_t total; /* sum of the ages of those that are left */
	uint32_t count; /* of those that are left */
	uint32_t listed; /* in scratch */
	int64_t goal; /* bytes still to give back; may end below 0 */
};

/* Give back the blocks of at least average age.  A pass is finished even if
 * the goal is reached inside it.  Returns 1 if there were any. */
static int collect_pass(struct la_heap *heap, struct ages *ages)
{
	double average = (double)ages->total / ages->count;
	uint32_t kept = 0, i;
	int err = 0;

	for (i = 0; i < ages->listed; i++) {
		uint32_t id = heap->scratch[i];
		uint64_t old = age(heap, id), size = heap->block[id].size;

		if ((double)old < average || err < 0) {
			heap->scratch[kept++] = id;
			continue;
		}
		err = heap_release_segment(heap, id);
		if (err < 0)
			continue;
		ages->goal -= (int64_t)size;
		ages->total -= old;
		ages->count--;
	}
	if (err < 0)
		return err;
	i = ages->listed;
	ages->listed = kept;
	return kept < i;
}

/* Age collection: above the threshold, give back segments of the large pool
 * that have not been used for long. */
static int collect_old(struct la_heap *heap)
{
	double keep = heap->setting.garbage_collection_threshold *
		      (double)heap->cap;
	struct ages ages = { .goal = (int64_t)heap->stats.reserved -
				     (int64_t)keep };
	int count, err;

	if (ages.goal <= 0)
		return 0;
	count = list_whole_blocks(heap, LARGE_POOL);
	if (count < 0)
		return count;
	ages.count = ages.listed = (uint32_t)count;
	while (count--)
		ages.total += age(heap, heap->scratch[count]);
	while (ages.goal > 0 && ages.count) {
		err = collect_pass(heap, &ages);
		if (err <= 0)
			return err;
	}
	return 0;
}

/* Give back oversize blocks of a set from those below `want` bytes down until
 * as much is reached.  Returns 1 if it was. */
static int release_smaller(struct la_heap *heap, const struct free_set *set,
			   uint64_t want)
{
	uint64_t given = 0;

	while (given < want) {
		uint32_t id = free_set_before(set, heap->block, want, 0);
		uint64_t size;
		int err;

		if (id == LA_NO_BLOCK || !is_whole(&heap->block[id]) ||
		    heap->block[id].size < heap->setting.max_split_size)
			break;
		size = heap->block[id].size;
		err = heap_release_segment(heap, id);
		if (err < 0)
			return err;
		given += size;
	}
	return given >= want;
}

/* Targeted release, only with max_split_size: the best fitting oversize block
 * of the request's pool and stream, else smaller ones.  Returns 1 if as much
 * as was wanted was given back. */
static int release_oversize(struct la_heap *heap, uint32_t index, uint64_t size)
{
	const struct free_set *set = &heap->set[index];
	uint64_t want = heap->setting.max_split_size;
	uint32_t id;
	int err;

	if (want == UINT64_MAX)
		return 0;
	if (want < size)
		want = size;
	id = free_set_from(set, heap->block, want, 0);
	if (id == LA_NO_BLOCK || !is_whole(&heap->block[id]))
		return release_smaller(heap, set, want);
	err = heap_release_segment(heap, id);
	return err < 0 ? err : 1;
}

static int complete_pending(struct la_heap *heap)
{
	int err;

	while (heap->pending_first != LA_NO_BLOCK) {
		err = la_heap_free_complete(heap, heap->pending_first);
		if (err < 0)
			return err;
	}
	return 0;
}

static int flush_pool(struct la_heap *heap, enum pool pool)
{
	int count = list_whole_blocks(heap, pool), i, err;

	for (i = 0; i < count; i++) {
		err = heap_release_segment(heap, heap->scratch[i]);
		if (err < 0)
			return err;
	}
	return count < 0 ? count : 0;
}

/* Wait for pending blocks, then give back all whole free segments. */
int heap_flush(struct la_heap *heap)
{
	int err;

	heap->stats.syncs++;
	err = complete_pending(heap);
	if (err < 0)
		return err;
	err = flush_pool(heap, LARGE_POOL);
	if (err < 0)
		return err;
	return flush_pool(heap, SMALL_POOL);
}

/* The last resort: flush, and try once more.  The cache is not searched
 * again, although the flush may have completed a block that fits. */
static int flush_and_grow(struct la_heap *heap, uint32_t set, uint64_t segment,
			  uint32_t *id)
{
	int err = heap_flush(heap);

	if (err < 0)
		return err;
	heap->stats.retries++;
	err = block_reserve(heap);
	if (err < 0)
		return err;
	return grow(heap, set, segment, id);
}

/*
 * Serve a rounded request that no cached block fits: with new memory, at
 * first as is, then after giving back some and at last all of the cache.
 * On success *id is one block in no set, all of its segment.
 */
int heap_obtain(struct la_heap *heap, uint32_t set, uint64_t size, uint32_t *id)
{
	uint64_t segment = round_segment(&heap->setting, size);
	int err;

	if (heap->ages) {
		err = collect_old(heap);
		if (err < 0)
			return err;
	}
	err = grow(heap, set, segment, id);
	if (err != -ENOSPC)
		return err;
	err = release_oversize(heap, set, size);
	if (err < 0)
		return err;
	err = err ? grow(heap, set, segment, id) : -ENOSPC;
	if (err != -ENOSPC)
		return err;
	err = flush_and_grow(heap, set, segment, id);
	if (err == -ENOSPC) {
		heap->stats.ooms++;
		emit(heap, LA_OOM, 0, size, set);
	}
	return err;
}
