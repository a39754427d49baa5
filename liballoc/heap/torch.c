// SPDX-License-Identifier: Apache-2.0
/* Policy torch, to the byte: the path of a request. */

#include <errno.h>

#include "heap/internal.h"
#include "heap/round.h"

/* From a block of a chain on: that of several, one behind the other in the
 * set, which can grow the least. */
static uint32_t least_reach(const struct la_heap *heap,
			    const struct free_set *free, uint32_t id)
{
	while (heap->block[id].chained) {
		uint32_t next = free_set_next(free, heap->block, id);

		if (next == LA_NO_BLOCK ||
		    block_reach(heap, next) >= block_reach(heap, id))
			break;
		id = next;
	}
	return id;
}

/* Expandable segments were on earlier: what they left is not used. */
static uint32_t skip_chained(const struct la_heap *heap,
			     const struct free_set *free, uint32_t id)
{
	while (id != LA_NO_BLOCK && heap->block[id].chained)
		id = free_set_next(free, heap->block, id);
	return id;
}

/*
 * Best fit: the cached block that serves a rounded request, or LA_NO_BLOCK.
 * With max_split_size a smaller request never takes an oversize block, and a
 * bigger one none that is much too big; all further blocks are bigger still.
 */
uint32_t heap_search(const struct la_heap *heap, uint32_t set, uint64_t size)
{
	const struct la_setting_values *setting = &heap->setting;
	const struct free_set *free = &heap->set[set].free;
	uint32_t id = free_set_from(free, heap->block, size, 0);
	uint64_t bound;

	if (id != LA_NO_BLOCK && heap->block[id].chained)
		id = setting->expandable_segments ?
			     least_reach(heap, free, id) :
			     skip_chained(heap, free, id);
	if (id == LA_NO_BLOCK)
		return LA_NO_BLOCK;
	bound = size < setting->max_split_size ?
			setting->max_split_size :
			size + setting->max_non_split_rounding;
	return heap->block[id].size < bound ? id : LA_NO_BLOCK;
}

/* May the tail of a block be cut off after `size` bytes? */
static bool may_cut(const struct la_heap *heap, const struct block *block,
		    uint64_t size)
{
	uint64_t rest = block->size - size;

	if (heap->set[block->set].class == SMALL_CLASS ||
	    heap->setting.expandable_segments)
		return rest >= BLOCK_MIN;
	return size < heap->setting.max_split_size && rest > KEEP_SLACK;
}

/* Make a block live that is in no set. */
void heap_hand_out(struct la_heap *heap, uint32_t id, uint64_t size,
		   uint64_t asked)
{
	if (may_cut(heap, &heap->block[id], size))
		heap_cut(heap, id, size);
	heap_make_live(heap, id, asked);
}

/* A free block that serves a rounded request, taken out of its set: a cached
 * one, also of those that other streams are done with meanwhile, or new. */
static int find_block(struct la_heap *heap, uint32_t set, uint64_t size,
		      uint32_t *id)
{
	int err;

	*id = heap_search(heap, set, size);
	if (*id == LA_NO_BLOCK && heap->waiter.settle) {
		err = heap->waiter.settle(heap->waiter.data, false);
		if (err >= 0)
			err = block_reserve(heap);
		if (err < 0)
			return err;
		*id = heap_search(heap, set, size);
	}
	if (*id == LA_NO_BLOCK)
		return heap_obtain(heap, set, size, id);
	block_remove(heap, *id);
	return 0;
}

static int torch_alloc(struct la_heap *heap, uint64_t size, int stream,
		       int pool, la_block *block)
{
	uint64_t rounded;
	uint32_t set, id;
	int err;

	if (size >= REQUEST_MAX)
		return -ENOSPC;
	if (!size)
		size = 1;
	rounded = round_request(&heap->setting, size);
	if (heap_find_set(heap, stream, pool, class_of(rounded), &set) < 0 ||
	    block_reserve(heap) < 0)
		return -ENOMEM;
	if (heap->pool[pool].given_up)
		heap_reopen_pool(heap, (uint32_t)pool);
	if (heap->ages)
		++*set_searches(heap, set);
	err = find_block(heap, set, rounded, &id);
	if (err < 0)
		return err;
	heap_hand_out(heap, id, rounded, size);
	*block = id;
	return 0;
}

static void torch_set_cap(struct la_heap *heap, uint64_t bytes)
{
	heap->cap = bytes;
	heap->ages = bytes != UINT64_MAX &&
		     heap->setting.garbage_collection_threshold > 0;
}

static int torch_init(struct la_heap *heap, const struct la_heap_config *config)
{
	heap->rules = rules_of(config->release);
	heap->by_age = rules_have(heap->rules, RULE_BY_BLOCK) ||
		       rules_have(heap->rules, RULE_BY_SEGMENT);
	return 0;
}

static void torch_destroy(struct la_heap *heap)
{
	(void)heap;
}

/* What is sought among the blocks. */
struct around {
	uint64_t addr;
	uint64_t base, size; /* result: of the segment; size 0: none */
};

static void look_around(void *data, const struct la_block_info *info)
{
	struct around *around = data;

	if (around->addr - info->segment_addr >= info->segment_size)
		return;
	around->base = info->segment_addr;
	around->size = info->segment_size;
}

static int torch_base(const struct la_heap *heap, uint64_t addr,
		      uint64_t *base, uint64_t *size)
{
	struct around around = { .addr = addr };

	heap_walk_blocks(heap, look_around, &around);
	if (!around.size)
		return -ENOENT;
	*base = around.base;
	*size = around.size;
	return 0;
}

/* What is in use never moves. */
static int torch_pin(struct la_heap *heap, uint64_t addr, uint64_t size,
		     bool pinned)
{
	uint64_t base, whole;
	int err = torch_base(heap, addr, &base, &whole);

	(void)pinned;
	if (err < 0)
		return err;
	return size <= base + whole - addr ? 0 : -ENOENT;
}

const struct heap_policy policy_torch = {
	.init = torch_init,
	.destroy = torch_destroy,
	.alloc = torch_alloc,
	.release = heap_release_block,
	.free_request = heap_make_pending,
	.free_complete = heap_complete_block,
	.empty_cache = heap_flush,
	.pool_give_up = heap_give_up_pool,
	.pool_drop = heap_drop_pool,
	.pool_of = heap_block_pool,
	.waits = heap_pool_waits,
	.set_cap = torch_set_cap,
	.pin = torch_pin,
	.base = torch_base,
	.walk = heap_walk_blocks,
	.check = heap_check_blocks,
};
