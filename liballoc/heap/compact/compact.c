// SPDX-License-Identifier: Apache-2.0
/* Policy compact: the functions behind la_heap_.  A request that finds a free
 * block of its stream, best fit, is done; for others see grow.c. */

#include <errno.h>
#include <stdlib.h>

#include "heap/compact/compact.h"

static int compact_init(struct la_heap *heap,
			const struct la_heap_config *config)
{
	struct compact *compact = calloc(1, sizeof(*compact));
	unsigned int order;

	(void)config;
	if (!compact)
		return -ENOMEM;
	compact->limit = compact_cap(heap);
	compact->unused = NO_PIECE;
	for (order = 0; order < ORDERS; order++)
		compact->spare[order] = NO_PIECE;
	heap->compact = compact;
	return 0;
}

static void compact_destroy(struct la_heap *heap)
{
	struct compact *compact = heap->compact;
	size_t i;

	if (!compact)
		return;
	for (i = 0; i < compact->area_count; i++)
		free(compact->area[i].piece_of);
	compact_stop_marking(heap);
	free(compact->marks);
	free(compact->area);
	free(compact->piece);
	free(compact->barred);
	free(compact->run);
	free(compact->victim);
	free(compact);
}

/* What is freed now is in use until its stream is waited for. */
static void note_free(struct la_heap *heap, la_block block)
{
	const struct block *freed = &heap->block[block];

	compact_note_use(heap, freed->set, freed->addr, freed->size);
}

static int compact_release(struct la_heap *heap, la_block block)
{
	note_free(heap, block);
	return heap_release_block(heap, block);
}

static int compact_complete(struct la_heap *heap, la_block block)
{
	note_free(heap, block);
	return heap_complete_block(heap, block);
}

/* Give back all pieces of a pool that can go, or of all (ANY_POOL), and those
 * that are spare.  locked: let no other thread use the heap meanwhile. */
static int give_back(struct la_heap *heap, uint32_t pool, bool locked)
{
	const struct spot nowhere = { .at = LA_NO_BLOCK };
	const struct hunt hunt = {
		.pool = pool,
		.spot = &nowhere,
		.wanted = UINT64_MAX,
	};
	int err;

	do {
		err = compact_look_at_streams(heap);
		if (!err)
			err = compact_find_victims(heap, &hunt);
		if (err == -ENOSPC)
			err = compact_quieten(heap, locked);
		locked = true;
	} while (err == -EAGAIN);
	if (!err)
		err = compact_unback_victims(heap);
	return err < 0 ? err : compact_release_spares(heap, 0);
}

/* What the device refused is not kept from it: loading a kernel needs some. */
static int obtain(struct la_heap *heap, uint32_t set, uint64_t size,
		  uint32_t *id)
{
	uint64_t refusals = heap->compact->refusals;
	int err = compact_obtain(heap, set, size, id);

	if (err != -ENOSPC)
		return err;
	heap->stats.ooms++;
	emit(heap, LA_OOM, 0, size, set);
	if (heap->compact->refusals > refusals)
		err = give_back(heap, ANY_POOL, true);
	return err < 0 ? err : -ENOSPC;
}

static int compact_alloc(struct la_heap *heap, uint64_t size, int stream,
			 int pool, la_block *block)
{
	uint64_t rounded;
	uint32_t set, id;
	int err;

	if (size >= REQUEST_MAX)
		return -ENOSPC;
	if (!size)
		size = 1;
	rounded = (size + BLOCK_MIN - 1) & ~(BLOCK_MIN - 1);
	if (heap_find_set(heap, stream, pool, LARGE_CLASS, &set) < 0)
		return -ENOMEM;
	if (heap->pool[pool].given_up)
		heap_reopen_pool(heap, (uint32_t)pool);
	err = compact_take(heap, set, rounded, &id);
	if (!err)
		err = obtain(heap, set, rounded, &id);
	if (err < 0)
		return err;
	if (heap->block[id].size > rounded)
		heap_cut(heap, id, rounded);
	heap_make_live(heap, id, size);
	*block = id;
	return 0;
}

static int compact_empty_cache(struct la_heap *heap)
{
	int err = compact_wait_for_pending(heap);

	if (!err)
		err = give_back(heap, ANY_POOL, false);
	if (!err)
		compact_stop_marking(heap);
	return err;
}

/* Graphs may have used what was freed in the pool until now. */
static int compact_pool_give_up(struct la_heap *heap, int pool)
{
	uint64_t clock = ++heap->compact->clock;
	uint32_t i;

	for (i = 0; i < heap->set_count; i++)
		if (heap->set[i].pool == (uint32_t)pool)
			heap->set[i].freed_at = clock;
	return heap_give_up_pool(heap, pool);
}

static int compact_pool_drop(struct la_heap *heap, int pool)
{
	int err = compact_pool_give_up(heap, pool);

	if (err < 0)
		return err;
	heap->stats.syncs++;
	heap->pool[pool].drops++;
	err = heap_complete_pending(heap, pool);
	return err < 0 ? err : give_back(heap, (uint32_t)pool, false);
}

static void compact_set_cap(struct la_heap *heap, uint64_t bytes)
{
	heap->cap = bytes;
	heap->compact->limit = compact_cap(heap);
}

const struct heap_policy policy_compact = {
	.init = compact_init,
	.destroy = compact_destroy,
	.alloc = compact_alloc,
	.release = compact_release,
	.free_request = heap_make_pending,
	.free_complete = compact_complete,
	.empty_cache = compact_empty_cache,
	.pool_give_up = compact_pool_give_up,
	.pool_drop = compact_pool_drop,
	.pool_of = heap_block_pool,
	.waits = heap_pool_waits,
	.set_cap = compact_set_cap,
	.pin = compact_pin,
	.base = compact_base,
	.walk = compact_walk,
	.check = compact_check,
};
