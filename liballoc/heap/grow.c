// SPDX-License-Identifier: Apache-2.0
/* What happens when nothing cached fits: memory from the device, and what is
 * given back to get it.  Start at heap_obtain(). */

#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"
#include "heap/round.h"

void heap_count_got(struct la_heap *heap, uint64_t size)
{
	struct la_heap_stats *stats = &heap->stats;

	stats->reserved += size;
	stats->device_allocs++;
	if (stats->reserved > stats->reserved_peak)
		stats->reserved_peak = stats->reserved;
}

/* A segment, as one block in no set. */
static int grow_segment(struct la_heap *heap, uint32_t set, uint64_t size,
			uint32_t *id)
{
	uint64_t addr;
	int err = heap->device->ops->alloc(heap->device, size, &addr);

	if (err < 0)
		return err;
	heap_count_got(heap, size);
	emit(heap, LA_SEGMENT_ALLOC, addr, size, set);
	*id = block_new(heap, addr, size, set);
	return 0;
}

static bool exceeds(const struct la_heap *heap, uint64_t size, uint64_t limit)
{
	return size > limit || heap->stats.reserved > limit - size;
}

/* Above it throw_on_cudamalloc_oom refuses; always a truncated number. */
static uint64_t rejection_limit(const struct la_heap *heap)
{
	return (uint64_t)(heap->setting.per_process_memory_fraction *
			  (double)heap->total);
}

/* New memory for a rounded request, as one block in no set; or -ENOSPC.  The
 * limit counts the segment even where less is going to be mapped. */
static int grow(struct la_heap *heap, uint32_t set, uint64_t size,
		uint32_t *id)
{
	uint64_t segment = round_segment(&heap->setting, size);
	int err;

	if (exceeds(heap, segment, heap->cap))
		return -ENOSPC;
	if (heap->setting.throw_on_cudamalloc_oom &&
	    exceeds(heap, segment, rejection_limit(heap))) {
		heap->silent = true;
		return -ENOSPC;
	}
	err = heap->setting.expandable_segments ?
		      heap_grow_chain(heap, set, size, id) :
		      grow_segment(heap, set, segment, id);
	heap->pool[heap->set[set].pool].growths += !err;
	return err;
}

static uint64_t age(const struct la_heap *heap, uint32_t id)
{
	return heap->pool[LA_DEFAULT_POOL].searches[LARGE_CLASS] -
	       heap->block[id].born;
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

/* The idle segments of the default pool's large class, in scratch. */
static int list_ages(struct la_heap *heap, struct ages *ages)
{
	int count = heap_list_idle(heap, LA_DEFAULT_POOL, LARGE_CLASS), i;

	for (i = 0; i < count; i++) {
		uint32_t id = heap->scratch[i];

		if (heap->block[id].chained)
			continue;
		heap->scratch[ages->listed++] = id;
		ages->total += age(heap, id);
	}
	ages->count = ages->listed;
	return count < 0 ? count : 0;
}

/* Age collection: above the threshold, give back segments of the default
 * pool's large class that have not been used for long. */
static int collect_old(struct la_heap *heap)
{
	double keep = heap->setting.garbage_collection_threshold *
		      (double)heap->cap;
	struct ages ages = { .goal = (int64_t)heap->stats.reserved -
				     (int64_t)keep };
	int err;

	if (ages.goal <= 0)
		return 0;
	err = list_ages(heap, &ages);
	if (err < 0)
		return err;
	while (ages.goal > 0 && ages.count) {
		err = collect_pass(heap, &ages);
		if (err <= 0)
			return err;
	}
	return 0;
}

/* Give an oversize block back; 0 if it cannot be.  Some releases fail where
 * it is of a chain. */
static int release_one(struct la_heap *heap, uint32_t id)
{
	const struct block *block = &heap->block[id];
	int err;

	if (block->chained && rules_have(heap->rules, RULE_CHAINS_FAIL)) {
		heap->silent = true;
		return -ENOSPC;
	}
	if (!is_idle_segment(block))
		return 0;
	err = heap_release_segment(heap, id);
	return err < 0 ? err : 1;
}

/* Give back oversize blocks of a set from those below `want` bytes down until
 * as much is reached.  Returns 1 if it was. */
static int release_smaller(struct la_heap *heap, const struct free_set *free,
			   uint64_t want)
{
	uint64_t given = 0, size = want, order = 0;

	while (given < want) {
		uint32_t id = free_set_before(free, heap->block, size, order);
		int err;

		if (id == LA_NO_BLOCK ||
		    heap->block[id].size < heap->setting.max_split_size)
			break;
		size = heap->block[id].size;
		order = heap->block[id].order;
		err = release_one(heap, id);
		if (err < 0)
			return err;
		given += err ? size : 0;
	}
	return given >= want;
}

/* Targeted release, only with max_split_size: the best fitting oversize block
 * of the request's pool and stream, else smaller ones.  Returns 1 if as much
 * as was wanted was given back. */
static int release_oversize(struct la_heap *heap, uint32_t set, uint64_t size)
{
	const struct free_set *free = &heap->set[set].free;
	uint64_t want = heap->setting.max_split_size;
	uint32_t id;
	int err;

	if (want == UINT64_MAX)
		return 0;
	if (want < size)
		want = size;
	id = free_set_from(free, heap->block, want, 0);
	err = id == LA_NO_BLOCK ? 0 : release_one(heap, id);
	return err ? err : release_smaller(heap, free, want);
}

/* The last resort: flush, and try once more.  The cache is not searched
 * again, although the flush may have completed a block that fits. */
static int flush_and_grow(struct la_heap *heap, uint32_t set, uint64_t size,
			  uint32_t *id)
{
	int err = heap_flush(heap);

	if (err < 0)
		return err;
	heap->silent = false;
	heap->stats.retries++;
	err = block_reserve(heap);
	if (err < 0)
		return err;
	return grow(heap, set, size, id);
}

/* Not while a graph is captured, whose pool has an id of (n, 0); in most
 * releases nor in use_mem_pool(), whose pools are (0, n). */
static bool may_flush(const struct la_heap *heap, uint32_t pool)
{
	return pool == LA_DEFAULT_POOL ||
	       (rules_have(heap->rules, RULE_MEMPOOLS_FLUSH) &&
		!heap->pool[pool].id[0]);
}

static int seek(struct la_heap *heap, uint32_t set, uint64_t size,
		uint32_t *id)
{
	int err = heap->ages ? collect_old(heap) : 0;

	if (!err)
		err = grow(heap, set, size, id);
	if (err != -ENOSPC || heap->silent)
		return err;
	err = release_oversize(heap, set, size);
	if (err < 0)
		return err;
	err = err ? grow(heap, set, size, id) : -ENOSPC;
	if (err == -ENOSPC && may_flush(heap, heap->set[set].pool))
		err = flush_and_grow(heap, set, size, id);
	return err;
}

/*
 * Serve a rounded request that no cached block fits: with new memory, at
 * first as is, then after giving back some and at last all of the cache; but
 * nothing is flushed while a private pool is being filled.
 * On success *id is one free block in no set.
 */
int heap_obtain(struct la_heap *heap, uint32_t set, uint64_t size, uint32_t *id)
{
	int err;

	heap->silent = false;
	err = seek(heap, set, size, id);
	if (err == -ENOSPC && !heap->silent) {
		heap->stats.ooms++;
		emit(heap, LA_OOM, 0, size, set);
	}
	return err;
}
