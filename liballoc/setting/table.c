// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>

#include "setting/table.h"
#include "util/distance.h"
#include "util/util.h"

#define FIELD(name) offsetof(struct la_setting_values, name)

static const struct la_option options[] = {
{ {
	.name = "max_split_size_mb",
	.type = "MiB",
	.range = "large_segment_size_mb (20) or more",
	.fallback = "no bound",
	.since = "1.9",
	.side = LA_SIDE_DEVICE,
	.summary = "Blocks of this size or more are never cut: a smaller "
		"request does not get one, a larger one takes a cached block "
		"only if little is left over, and under pressure they go back "
		"to the device one by one. It caps nothing, and smaller "
		"values forbid more splits. With expandable_segments "
		"splitting ignores it.",
	.source = "torch 2.11.0, 1,722 strings and 320 recordings",
  }, LA_OPTION_MB_FROM_LARGE, LA_OWNER_COMMON, FIELD(max_split_size) },
{ {
	.name = "max_non_split_rounding_mb",
	.type = "MiB",
	.range = "large_segment_size_mb (20) or more",
	.fallback = "large_segment_size_mb",
	.since = "2.6",
	.side = LA_SIDE_DEVICE,
	.summary = "How much larger than the request a cached block that may "
		"not be cut may be and still serve it. Without "
		"max_split_size_mb it does nothing.",
	.source = "torch 2.11.0, 1,722 strings and 320 recordings",
  }, LA_OPTION_MB_FROM_LARGE, LA_OWNER_COMMON, FIELD(max_non_split_rounding) },
{ {
	.name = "large_segment_size_mb",
	.type = "MiB",
	.range = "11 or more",
	.fallback = "20",
	.since = "2.11",
	.side = LA_SIDE_DEVICE,
	.summary = "Size of the segments that serve requests above 1 MiB and "
		"below 10 MiB, granule of expandable segments, and lower "
		"bound of both options above. It is read first, wherever it "
		"stands.",
	.source = "torch 2.11.0, 1,722 strings and 320 recordings",
  }, LA_OPTION_LARGE, LA_OWNER_COMMON, FIELD(large_segment_size) },
{ {
	.name = "garbage_collection_threshold",
	.type = "number",
	.range = "between 0 and 1, both excluded",
	.fallback = "off",
	.since = "1.12",
	.side = LA_SIDE_DEVICE,
	.summary = "Above this share of the memory cap, a request that finds "
		"no cached block first gives back whole segments that were "
		"not used for long. Without a cap below 1 (a fraction set by "
		"per_process_memory_fraction or by the program) it does "
		"nothing.",
	.source = "torch 2.11.0, 1,722 strings and 320 recordings",
  }, LA_OPTION_THRESHOLD, LA_OWNER_COMMON,
  FIELD(garbage_collection_threshold) },
{ {
	.name = "roundup_power2_divisions",
	.type = "number or list",
	.range = "a power of two; in a list also 0, keys a power of two or >",
	.fallback = "0 (off)",
	.since = "1.12, list 2.0",
	.side = LA_SIDE_DEVICE,
	.summary = "Rounds requests up to one of so many steps between two "
		"powers of two, so that sizes that vary meet again. 0 and 1 "
		"round to 512 bytes as without it. In a list, key K governs "
		"K up to 2K MiB; the first entry governs everything below "
		"it too, what no entry names stays off.",
	.source = "torch 2.11.0, 1,722 strings and 320 recordings",
  }, LA_OPTION_ROUNDUP, LA_OWNER_COMMON, FIELD(roundup_power2_divisions) },
{ {
	.name = "expandable_segments",
	.type = "True or False",
	.range = "exactly that spelling",
	.fallback = "False",
	.since = "2.1",
	.side = LA_SIDE_DEVICE,
	.summary = "Segments are ranges of addresses that grow by mapping "
		"memory at their end, so that free memory in the middle is "
		"shared by requests of any size. Not on Windows, and programs "
		"that share memory by the older IPC calls do not work with "
		"it.",
	.source = "torch 2.11.0, 1,722 strings and 320 recordings",
  }, LA_OPTION_BOOL, LA_OWNER_COMMON, FIELD(expandable_segments) },
{ {
	.name = "pinned_use_background_threads",
	.type = "True or False",
	.range = "exactly that spelling",
	.fallback = "False",
	.since = "2.6",
	.side = LA_SIDE_HOST,
	.summary = "Another thread looks after finished events of pinned host "
		"memory. GPU memory is not affected.",
	.source = "torch 2.11.0, 1,722 strings",
  }, LA_OPTION_BOOL, LA_OWNER_COMMON, FIELD(pinned_use_background_threads) },
{ {
	.name = "backend",
	.type = "word",
	.range = "native or cudaMallocAsync",
	.fallback = "native",
	.since = "2.0",
	.side = LA_SIDE_DEVICE,
	.summary = "native is the caching allocator; cudaMallocAsync is the "
		"driver's, to which no other option applies. Chosen while "
		"torch is imported; a later change is refused.",
	.source = "torch 2.11.0, 1,722 strings",
  }, LA_OPTION_BACKEND, LA_OWNER_CUDA, FIELD(cuda_malloc_async) },
{ {
	.name = "release_lock_on_cudamalloc",
	.type = "True or False",
	.range = "exactly that spelling",
	.fallback = "False",
	.since = "2.2",
	.side = LA_SIDE_DEVICE,
	.summary = "Other threads may allocate while one waits in cudaMalloc. "
		"Placement is the same for programs that allocate from one "
		"thread.",
	.source = "torch 2.11.0, 1,722 strings",
  }, LA_OPTION_BOOL, LA_OWNER_CUDA, FIELD(release_lock_on_cudamalloc) },
{ {
	.name = "release_lock_on_hipmalloc",
	.type = "True or False",
	.range = "exactly that spelling",
	.fallback = "False",
	.since = "2.2",
	.side = LA_SIDE_DEVICE,
	.summary = "Another name of release_lock_on_cudamalloc.",
	.source = "torch 2.11.0, 1,722 strings",
  }, LA_OPTION_BOOL, LA_OWNER_CUDA, FIELD(release_lock_on_cudamalloc) },
{ {
	.name = "pinned_use_cuda_host_register",
	.type = "True or False",
	.range = "exactly that spelling",
	.fallback = "False",
	.since = "2.2",
	.side = LA_SIDE_HOST,
	.summary = "Pinned host memory is allocated, touched and then "
		"registered instead of allocated pinned. GPU memory is not "
		"affected.",
	.source = "torch 2.11.0, 1,722 strings",
  }, LA_OPTION_BOOL, LA_OWNER_CUDA, FIELD(pinned_use_cuda_host_register) },
{ {
	.name = "pinned_use_hip_host_register",
	.type = "True or False",
	.range = "exactly that spelling",
	.fallback = "False",
	.since = "2.2",
	.side = LA_SIDE_HOST,
	.summary = "Another name of pinned_use_cuda_host_register.",
	.source = "torch 2.11.0, 1,722 strings",
  }, LA_OPTION_BOOL, LA_OWNER_CUDA, FIELD(pinned_use_cuda_host_register) },
{ {
	.name = "pinned_num_register_threads",
	.type = "threads",
	.range = "a power of two, at most 128",
	.fallback = "1",
	.since = "2.2",
	.side = LA_SIDE_HOST,
	.summary = "Threads that touch pinned host memory before it is "
		"registered. GPU memory is not affected.",
	.source = "torch 2.11.0, 1,722 strings",
  }, LA_OPTION_THREADS, LA_OWNER_CUDA, FIELD(pinned_num_register_threads) },
{ {
	.name = "pinned_reserve_segment_size_mb",
	.type = "MiB",
	.range = "1 or more",
	.fallback = "off",
	.since = "2.10",
	.side = LA_SIDE_HOST,
	.summary = "One segment of pinned host memory taken up front for "
		"small requests. GPU memory is not affected.",
	.source = "torch 2.11.0, 1,722 strings",
  }, LA_OPTION_MB_ABOVE_ZERO, LA_OWNER_CUDA,
  FIELD(pinned_reserve_segment_size) },
{ {
	.name = "graph_capture_record_stream_reuse",
	.type = "True or False",
	.range = "exactly that spelling",
	.fallback = "False",
	.since = "2.9",
	.side = LA_SIDE_DEVICE,
	.summary = "While a CUDA graph is captured, blocks used on other "
		"streams are reused once the graph itself proves that safe.",
	.source = "torch 2.11.0, 1,722 strings",
  }, LA_OPTION_BOOL, LA_OWNER_CUDA, FIELD(graph_capture_record_stream_reuse) },
{ {
	.name = "per_process_memory_fraction",
	.type = "number",
	.range = "0 to 1",
	.fallback = "1.0 (no cap)",
	.since = "2.10",
	.side = LA_SIDE_DEVICE,
	.summary = "Caps what torch's allocator may hold, as a share of the "
		"card; the context and other libraries are outside it. 1 is "
		"no cap. It is read when a device is first used and not "
		"again.",
	.source = "torch 2.11.0, 1,722 strings",
  }, LA_OPTION_FRACTION, LA_OWNER_CUDA, FIELD(per_process_memory_fraction) },
{ {
	.name = "roundup_bypass_threshold_mb",
	.since = "1.13",
	.until = "1.13",
	.side = LA_SIDE_DEVICE,
	.source = "torch 1.13.1",
  }, LA_OPTION_OTHER, LA_OWNER_COMMON, 0 },
{ {
	.name = "pinned_free_catch_all",
	.since = "2.12",
	.side = LA_SIDE_HOST,
	.source = "torch 2.13.0",
  }, LA_OPTION_OTHER, LA_OWNER_CUDA, 0 },
{ {
	.name = "throw_on_cudamalloc_oom",
	.since = "2.12",
	.side = LA_SIDE_DEVICE,
	.source = "torch 2.13.0",
  }, LA_OPTION_OTHER, LA_OWNER_CUDA, 0 },
{ {
	.name = "pinned_max_round_threshold_mb",
	.since = "2.13",
	.side = LA_SIDE_HOST,
	.source = "torch 2.13.0",
  }, LA_OPTION_OTHER, LA_OWNER_COMMON, 0 },
{ {
	.name = "pinned_max_cached_size_mb",
	.since = "2.13",
	.side = LA_SIDE_HOST,
	.source = "torch 2.13.0",
  }, LA_OPTION_OTHER, LA_OWNER_COMMON, 0 },
};

_Static_assert(ARRAY_SIZE(options) <= LA_OPTION_MAX, "a bit for each");

size_t la_option_index(const struct la_option *option)
{
	return option - options;
}

const struct la_option *la_option_find_any(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (strlen(options[i].about.name) == length &&
		    !memcmp(options[i].about.name, name, length))
			return &options[i];
	return NULL;
}

const struct la_option *la_option_find(const char *name, size_t length)
{
	const struct la_option *option = la_option_find_any(name, length);

	return option && option->kind != LA_OPTION_OTHER ? option : NULL;
}

const struct la_option *la_option_nearest(const char *name, size_t length)
{
	const struct la_option *nearest = NULL;
	size_t i, best = SIZE_MAX;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		const char *other = options[i].about.name;
		size_t distance = la_distance(name, length, other,
					      strlen(other));

		if (options[i].kind == LA_OPTION_OTHER || distance >= best)
			continue;
		best = distance;
		nearest = &options[i];
	}
	return nearest;
}

LA_EXPORT const struct la_setting_option *la_setting_option_at(size_t index)
{
	return index < ARRAY_SIZE(options) ? &options[index].about : NULL;
}
