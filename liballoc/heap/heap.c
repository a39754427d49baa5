// SPDX-License-Identifier: Apache-2.0
/* What a heap is made of, and its calls: each policy has its own. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap/inside.h"
#include "heap/internal.h"
#include "util/error.h"

static int check_setting(const struct la_setting_values *setting,
			 struct la_error *err)
{
	if (setting->cuda_malloc_async)
		return la_error_set(err, -ENOTSUP, LA_NO_OFFSET,
				    "backend:cudaMallocAsync is not in this "
				    "version");
	if (setting->large_segment_size < MID_MAX)
		return la_error_set(err, -EINVAL, LA_NO_OFFSET,
				    "large segments of less than 10 MiB");
	return 0;
}

static void use_setting(struct la_heap *heap,
			const struct la_setting_values *setting)
{
	heap->setting = *setting;
	rules_fit(heap->rules, &heap->setting);
	heap->policy->set_cap(heap, heap->cap);
}

static const struct heap_policy *const policies[] = {
	[LA_HEAP_TORCH] = &policy_torch,
	[LA_HEAP_COMPACT] = &policy_compact,
};

/* All but the policy's own part. */
static int fill(struct la_heap *heap, const struct la_heap_config *config)
{
	static const uint64_t default_pool[2];

	heap->policy = policies[config->policy];
	heap->device = config->device;
	heap->cap = config->cap > INT64_MAX ? UINT64_MAX : config->cap;
	heap->total = config->total ? config->total : TOTAL_UNKNOWN;
	heap->listener = config->listener;
	heap->split_listener = config->split_listener;
	heap->listener_data = config->listener_data;
	if (config->waiter)
		heap->waiter = *config->waiter;
	heap->spare = LA_NO_BLOCK;
	heap->pending_first = heap->pending_last = LA_NO_BLOCK;
	return heap_add_pool(heap, default_pool) < 0 ? -ENOMEM : 0;
}

LA_EXPORT int la_heap_new(struct la_heap **out,
			  const struct la_heap_config *config,
			  struct la_error *err)
{
	struct la_heap *heap;
	int code = check_setting(config->setting, err);

	if (code < 0)
		return code;
	if ((unsigned int)config->policy >= LA_HEAP_POLICIES)
		return la_error_set(err, -EINVAL, LA_NO_OFFSET,
				    "no such policy");
	heap = calloc(1, sizeof(*heap));
	if (!heap || fill(heap, config) < 0 ||
	    heap->policy->init(heap, config) < 0) {
		la_heap_free(heap);
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	}
	use_setting(heap, config->setting);
	*out = heap;
	return 0;
}

LA_EXPORT void la_heap_free(struct la_heap *heap)
{
	if (!heap)
		return;
	heap->policy->destroy(heap);
	free(heap->set);
	free(heap->set_at);
	free(heap->chain);
	free(heap->pool);
	free(heap->given_up);
	pool_table_destroy(&heap->table);
	free(heap->stream);
	free(heap->stream_order);
	free(heap->block);
	free(heap->scratch);
	free(heap);
}

LA_EXPORT int la_heap_set(struct la_heap *heap,
			  const struct la_setting_values *setting,
			  struct la_error *err)
{
	int code = check_setting(setting, err);

	if (!code)
		use_setting(heap, setting);
	return code;
}

LA_EXPORT int la_heap_alloc(struct la_heap *heap, uint64_t size, int stream,
			    int pool, la_block *block)
{
	return heap->policy->alloc(heap, size, stream, pool, block);
}

LA_EXPORT int la_heap_release(struct la_heap *heap, la_block block)
{
	return heap->policy->release(heap, block);
}

LA_EXPORT void la_heap_free_request(struct la_heap *heap, la_block block)
{
	heap->policy->free_request(heap, block);
}

LA_EXPORT int la_heap_free_complete(struct la_heap *heap, la_block block)
{
	return heap->policy->free_complete(heap, block);
}

LA_EXPORT int la_heap_empty_cache(struct la_heap *heap)
{
	return heap->policy->empty_cache(heap);
}

LA_EXPORT int la_heap_pool_give_up(struct la_heap *heap, int pool)
{
	return heap->policy->pool_give_up(heap, pool);
}

LA_EXPORT int la_heap_pool_drop(struct la_heap *heap, int pool)
{
	return heap->policy->pool_drop(heap, pool);
}

LA_EXPORT uint64_t la_heap_addr(const struct la_heap *heap, la_block block)
{
	return heap->block[block].addr;
}

void heap_place_of(const struct la_heap *heap, la_block block, uint64_t *addr,
		   uint64_t *size)
{
	*addr = heap->block[block].addr;
	*size = heap->block[block].size;
}

int heap_pool_of(const struct la_heap *heap, la_block block)
{
	return heap->policy->pool_of(heap, block);
}

uint32_t heap_waits(const struct la_heap *heap, int pool)
{
	return heap->policy->waits(heap, pool);
}

void heap_set_cap(struct la_heap *heap, uint64_t bytes)
{
	heap->policy->set_cap(heap, bytes > INT64_MAX ? UINT64_MAX : bytes);
}

int heap_pin(struct la_heap *heap, uint64_t addr, uint64_t size, bool pinned)
{
	return heap->policy->pin(heap, addr, size, pinned);
}

int heap_base(const struct la_heap *heap, uint64_t addr, uint64_t *base,
	      uint64_t *size)
{
	return heap->policy->base(heap, addr, base, size);
}

LA_EXPORT void la_heap_walk(const struct la_heap *heap,
			    la_heap_visitor *visitor, void *data)
{
	heap->policy->walk(heap, visitor, data);
}

LA_EXPORT int la_heap_check(const struct la_heap *heap, struct la_error *err)
{
	return heap->policy->check(heap, err);
}

LA_EXPORT const struct la_heap_stats *la_heap_stats(const struct la_heap *heap)
{
	return &heap->stats;
}
