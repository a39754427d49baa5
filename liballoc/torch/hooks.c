// SPDX-License-Identifier: Apache-2.0
/*
 * What torch.cuda.memory.CUDAPluggableAllocator calls; see
 * liballoc-torch(7).  Streams are cudaStream_t, sizes are bytes.
 */
#include <errno.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "torch/filter.h"
#include "torch/plugin.h"
#include "torch/throw.h"
#include "util/util.h"

/* c10::MempoolId_t, a pair of numbers that is passed in two registers. */
struct la_mempool_id {
	unsigned long long part[2];
};

void *la_torch_alloc(ssize_t size, int device, void *stream);
void *la_torch_segment_alloc(ssize_t size, int device, void *stream);
void la_torch_free(void *at, ssize_t size, int device, void *stream);
void la_torch_init(int device_count);
void la_torch_reset(void);
void la_torch_memory_fraction(double fraction, int device);
void *la_torch_base_alloc(void *at, size_t *size);
void la_torch_record_stream(void *at, void *stream);
void la_torch_begin_allocate_to_pool(int device, struct la_mempool_id id,
				     const struct la_filter *filter);
void la_torch_end_allocate_to_pool(int device, struct la_mempool_id id);
void la_torch_release_pool(int device, struct la_mempool_id id);
void la_torch_trial(void);

/* Whether the next la_torch_reset() is a trial. */
static atomic_bool trial;

LA_EXPORT void *la_torch_alloc(ssize_t size, int device, void *stream)
{
	struct la_plugin *plugin;
	uint64_t addr = 0;
	int status;

	if (size == 0)
		return NULL;
	plugin = la_plugin();
	status = la_allocator_alloc(plugin->allocator, (unsigned int)device,
				    (uint64_t)size, (uintptr_t)stream, &addr);
	if (status < 0)
		la_plugin_fail(plugin, status, (unsigned int)device);
	return (void *)(uintptr_t)addr;
}

/* Under torch's own allocator (MemPool): it knows what to do about NULL. */
LA_EXPORT void *la_torch_segment_alloc(ssize_t size, int device, void *stream)
{
	struct la_plugin *plugin = la_plugin();
	uint64_t addr = 0;
	int status = la_allocator_alloc(plugin->allocator, (unsigned int)device,
					(uint64_t)size, (uintptr_t)stream,
					&addr);

	if (status < 0 && status != -ENOSPC)
		la_plugin_fail(plugin, status, (unsigned int)device);
	return (void *)(uintptr_t)addr;
}

/* Destructors call this, which must not throw: what cannot be freed stays. */
LA_EXPORT void la_torch_free(void *at, ssize_t size, int device, void *stream)
{
	struct la_plugin *plugin = la_plugin_if_used();

	(void)size;
	(void)device;
	(void)stream;
	if (plugin)
		(void)la_allocator_release(plugin->allocator, (uintptr_t)at);
}

LA_EXPORT void la_torch_init(int device_count)
{
	(void)device_count;
	(void)la_plugin();
}

LA_EXPORT void la_torch_trial(void)
{
	atomic_store(&trial, true);
}

/* torch.cuda.empty_cache() */
LA_EXPORT void la_torch_reset(void)
{
	struct la_plugin *plugin = la_plugin_if_used();
	int status;

	if (atomic_exchange(&trial, false))
		la_throw(LA_THROWN_OOM, "CUDA out of memory. Tried to allocate "
					"0 bytes. (a trial of liballoc)");
	if (!plugin)
		return;
	status = la_allocator_empty_cache(plugin->allocator);
	if (status < 0)
		la_plugin_fail(plugin, status, 0);
}

LA_EXPORT void la_torch_memory_fraction(double fraction, int device)
{
	struct la_plugin *plugin = la_plugin();
	int status = la_plugin_fraction(plugin, (unsigned int)device, fraction);

	if (status < 0)
		la_plugin_fail(plugin, status, (unsigned int)device);
}

LA_EXPORT void *la_torch_base_alloc(void *at, size_t *size)
{
	struct la_plugin *plugin = la_plugin();
	uint64_t base, bytes;

	if (la_allocator_base(plugin->allocator, (uintptr_t)at, &base, &bytes))
		return at;
	if (size)
		*size = (size_t)bytes;
	return (void *)(uintptr_t)base;
}

/* Tensors that others gave memory for are recorded too: not ours. */
LA_EXPORT void la_torch_record_stream(void *at, void *stream)
{
	struct la_plugin *plugin = la_plugin();
	int status = la_allocator_record_stream(
		plugin->allocator, (uintptr_t)at, (uintptr_t)stream);

	if (status < 0 && status != -ENOENT)
		la_plugin_fail(plugin, status, 0);
}

LA_EXPORT void la_torch_begin_allocate_to_pool(int device,
					       struct la_mempool_id id,
					       const struct la_filter *filter)
{
	const uint64_t pool[2] = { id.part[0], id.part[1] };
	struct la_plugin *plugin = la_plugin();
	struct la_filter *copy = la_filter_copy(filter);
	int status = -ENOMEM;

	if (copy)
		status = la_allocator_begin_pool(
			plugin->allocator, (unsigned int)device, pool,
			la_filter_call, copy, la_filter_release);
	if (status < 0 && copy)
		la_filter_release(copy);
	if (status < 0)
		la_plugin_fail(plugin, status, (unsigned int)device);
}

LA_EXPORT void la_torch_end_allocate_to_pool(int device,
					     struct la_mempool_id id)
{
	const uint64_t pool[2] = { id.part[0], id.part[1] };
	struct la_plugin *plugin = la_plugin();

	/* One that was never begun has nothing to end. */
	(void)la_allocator_end_pool(plugin->allocator, (unsigned int)device,
				    pool);
}

/* Destructors of graphs and pools call this. */
LA_EXPORT void la_torch_release_pool(int device, struct la_mempool_id id)
{
	const uint64_t pool[2] = { id.part[0], id.part[1] };
	struct la_plugin *plugin = la_plugin_if_used();

	if (plugin)
		(void)la_allocator_release_pool(plugin->allocator,
						(unsigned int)device, pool);
}
