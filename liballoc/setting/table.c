// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>

#include "setting/table.h"
#include "util/distance.h"
#include "util/util.h"

#define FIELD(name) offsetof(struct la_setting_values, name)

#define NAME(text) .about.name = text, .length = sizeof(text) - 1
#define SINCE(major, minor) \
	.about.since = #major "." #minor, .first = LA_RELEASE(major, minor)
#define UNTIL(major, minor) \
	.about.until = #major "." #minor, .last = LA_RELEASE(major, minor)
/* Starts anew at each parse from that release on, else it keeps its value. */
#define ANEW_SINCE(major, minor) .anew = LA_RELEASE(major, minor)

static const struct la_option options[] = {
{
	NAME("max_split_size_mb"),
	.about.type = "MiB",
	.about.range = "large_segment_size_mb (20) or more; up to 2.9 more "
		"than 20",
	.about.fallback = "no bound",
	SINCE(1, 9),
	ANEW_SINCE(1, 9),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "Blocks of this size or more are never cut: a smaller "
		"request does not get one, a larger one takes a cached block "
		"only if little is left over, and under pressure they go back "
		"to the device one by one. It caps nothing, and smaller "
		"values forbid more splits. With expandable_segments "
		"splitting ignores it.",
	.about.source = "torch 2.11.0, 1,722 strings and 320 recordings",
	.kind = LA_OPTION_MB_FROM_LARGE,
	.owner = LA_OWNER_COMMON,
	.field = FIELD(max_split_size),
},
{
	NAME("max_non_split_rounding_mb"),
	.about.type = "MiB",
	.about.range = "large_segment_size_mb (20) or more; up to 2.9 more "
		"than 20",
	.about.fallback = "large_segment_size_mb",
	SINCE(2, 6),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "How much larger than the request a cached block that may "
		"not be cut may be and still serve it. Without "
		"max_split_size_mb it does nothing.",
	.about.source = "torch 2.11.0, 1,722 strings and 320 recordings",
	.kind = LA_OPTION_MB_FROM_LARGE,
	.owner = LA_OWNER_COMMON,
	.field = FIELD(max_non_split_rounding),
},
{
	NAME("large_segment_size_mb"),
	.about.type = "MiB",
	.about.range = "11 or more",
	.about.fallback = "20",
	SINCE(2, 11),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "Size of the segments that serve requests above 1 MiB and "
		"below 10 MiB, granule of expandable segments, and lower "
		"bound of both options above. It is read first, wherever it "
		"stands.",
	.about.source = "torch 2.11.0, 1,722 strings and 320 recordings",
	.kind = LA_OPTION_LARGE,
	.owner = LA_OWNER_COMMON,
	.field = FIELD(large_segment_size),
},
{
	NAME("garbage_collection_threshold"),
	.about.type = "number",
	.about.range = "between 0 and 1, both excluded",
	.about.fallback = "off",
	SINCE(1, 12),
	ANEW_SINCE(1, 12),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "Above this share of the memory cap, a request that finds "
		"no cached block first gives back whole segments that were "
		"not used for long. Without a cap below 1 (a fraction set by "
		"per_process_memory_fraction or by the program) it does "
		"nothing.",
	.about.source = "torch 2.11.0, 1,722 strings and 320 recordings",
	.kind = LA_OPTION_THRESHOLD,
	.owner = LA_OWNER_COMMON,
	.field = FIELD(garbage_collection_threshold),
},
{
	NAME("roundup_power2_divisions"),
	.about.type = "number or list",
	.about.range = "a power of two; from 2.0 a list, keys a power of two "
		"or >, values from 2.4 also 0",
	.about.fallback = "0 (off)",
	SINCE(1, 12),
	ANEW_SINCE(1, 12),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "Rounds requests up to one of so many steps between two "
		"powers of two, so that sizes that vary meet again. 0 and 1 "
		"round to 512 bytes as without it. In a list, key K governs "
		"K up to 2K MiB; the first entry governs everything below "
		"it too, what no entry names stays off, and > governs all "
		"from the last entry on: up to 2.9 that entry too, from 2.10 "
		"on what is above it.",
	.about.source = "torch 2.11.0, 1,722 strings and 320 recordings",
	.kind = LA_OPTION_ROUNDUP,
	.owner = LA_OWNER_COMMON,
	.field = FIELD(roundup_power2_divisions),
},
{
	NAME("expandable_segments"),
	.about.type = "True or False",
	.about.range = "exactly that spelling",
	.about.fallback = "False",
	SINCE(2, 1),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "Segments are ranges of addresses that grow by mapping "
		"memory at their end, so that free memory in the middle is "
		"shared by requests of any size. Not on Windows, and programs "
		"that share memory by the older IPC calls do not work with "
		"it.",
	.about.source = "torch 2.11.0, 1,722 strings and 320 recordings",
	.kind = LA_OPTION_BOOL,
	.owner = LA_OWNER_COMMON,
	.one_error = true,
	.field = FIELD(expandable_segments),
},
{
	NAME("pinned_use_background_threads"),
	.about.type = "True or False",
	.about.range = "exactly that spelling",
	.about.fallback = "False",
	SINCE(2, 6),
	.about.side = LA_SIDE_HOST,
	.about.summary = "Another thread looks after finished events of pinned host "
		"memory. GPU memory is not affected.",
	.about.source = "torch 2.11.0, 1,722 strings",
	.kind = LA_OPTION_BOOL,
	.owner = LA_OWNER_COMMON,
	.field = FIELD(pinned_use_background_threads),
},
{
	NAME("backend"),
	.about.type = "word",
	.about.range = "native or cudaMallocAsync; on ROCm also "
		"hipMallocAsync",
	.about.fallback = "native",
	SINCE(2, 0),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "native is the caching allocator; cudaMallocAsync is the "
		"driver's, to which no other option applies. Chosen while "
		"torch is imported; a later change is refused.",
	.about.source = "torch 2.11.0, 1,722 strings",
	.kind = LA_OPTION_BACKEND,
	.owner = LA_OWNER_CUDA,
	.field = FIELD(cuda_malloc_async),
},
{
	NAME("release_lock_on_cudamalloc"),
	.about.type = "True or False",
	.about.range = "exactly that spelling",
	.about.fallback = "False",
	SINCE(2, 2),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "Other threads may allocate while one waits in cudaMalloc. "
		"Placement is the same for programs that allocate from one "
		"thread.",
	.about.source = "torch 2.11.0, 1,722 strings",
	.kind = LA_OPTION_BOOL,
	.owner = LA_OWNER_CUDA,
	.one_error = true,
	.field = FIELD(release_lock_on_cudamalloc),
},
{
	NAME("release_lock_on_hipmalloc"),
	.about.type = "True or False",
	.about.range = "exactly that spelling",
	.about.fallback = "False",
	SINCE(2, 2),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "Another name of release_lock_on_cudamalloc.",
	.about.source = "torch 2.11.0, 1,722 strings",
	.kind = LA_OPTION_BOOL,
	.owner = LA_OWNER_CUDA,
	.one_error = true,
	.field = FIELD(release_lock_on_cudamalloc),
},
{
	NAME("pinned_use_cuda_host_register"),
	.about.type = "True or False",
	.about.range = "exactly that spelling",
	.about.fallback = "False",
	SINCE(2, 2),
	.about.side = LA_SIDE_HOST,
	.about.summary = "Pinned host memory is allocated, touched and then "
		"registered instead of allocated pinned. GPU memory is not "
		"affected.",
	.about.source = "torch 2.11.0, 1,722 strings",
	.kind = LA_OPTION_BOOL,
	.owner = LA_OWNER_CUDA,
	.field = FIELD(pinned_use_cuda_host_register),
},
{
	NAME("pinned_use_hip_host_register"),
	.about.type = "True or False",
	.about.range = "exactly that spelling",
	.about.fallback = "False",
	SINCE(2, 2),
	.about.side = LA_SIDE_HOST,
	.about.summary = "Another name of pinned_use_cuda_host_register.",
	.about.source = "torch 2.11.0, 1,722 strings",
	.kind = LA_OPTION_BOOL,
	.owner = LA_OWNER_CUDA,
	.field = FIELD(pinned_use_cuda_host_register),
},
{
	NAME("pinned_num_register_threads"),
	.about.type = "threads",
	.about.range = "a power of two, at most 128",
	.about.fallback = "1",
	SINCE(2, 2),
	.about.side = LA_SIDE_HOST,
	.about.summary = "Threads that touch pinned host memory before it is "
		"registered. GPU memory is not affected.",
	.about.source = "torch 2.11.0, 1,722 strings",
	.kind = LA_OPTION_THREADS,
	.owner = LA_OWNER_CUDA,
	.field = FIELD(pinned_num_register_threads),
},
{
	NAME("pinned_reserve_segment_size_mb"),
	.about.type = "MiB",
	.about.range = "1 or more",
	.about.fallback = "off",
	SINCE(2, 10),
	.about.side = LA_SIDE_HOST,
	.about.summary = "One segment of pinned host memory taken up front for "
		"small requests. GPU memory is not affected.",
	.about.source = "torch 2.11.0, 1,722 strings",
	.kind = LA_OPTION_MB_ABOVE_ZERO,
	.owner = LA_OWNER_CUDA,
	.field = FIELD(pinned_reserve_segment_size),
},
{
	NAME("graph_capture_record_stream_reuse"),
	.about.type = "True or False",
	.about.range = "exactly that spelling",
	.about.fallback = "False",
	SINCE(2, 9),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "While a CUDA graph is captured, blocks used on other "
		"streams are reused once the graph itself proves that safe.",
	.about.source = "torch 2.11.0, 1,722 strings",
	.kind = LA_OPTION_BOOL,
	.owner = LA_OWNER_CUDA,
	.field = FIELD(graph_capture_record_stream_reuse),
},
{
	NAME("per_process_memory_fraction"),
	.about.type = "number",
	.about.range = "0 to 1",
	.about.fallback = "1.0 (no cap)",
	SINCE(2, 10),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "Caps what torch's allocator may hold, as a share of the "
		"card; the context and other libraries are outside it. 1 is "
		"no cap. It is read when a device is first used and not "
		"again.",
	.about.source = "torch 2.11.0, 1,722 strings",
	.kind = LA_OPTION_FRACTION,
	.owner = LA_OWNER_CUDA,
	.field = FIELD(per_process_memory_fraction),
},
{
	NAME("roundup_bypass_threshold_mb"),
	.about.type = "MiB",
	.about.range = "any",
	.about.fallback = "no bound",
	SINCE(1, 13),
	UNTIL(1, 13),
	ANEW_SINCE(1, 13),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "Larger requests are rounded to 512 bytes only, "
		"whatever roundup_power2_divisions says.",
	.about.source = "torch 1.13.1",
	.kind = LA_OPTION_MB_ANY,
	.field = FIELD(roundup_bypass_threshold),
},
{
	NAME("pinned_free_catch_all"),
	.about.type = "True or False",
	.about.range = "exactly that spelling",
	.about.fallback = "False",
	SINCE(2, 12),
	.about.side = LA_SIDE_HOST,
	.about.summary = "Pinned host memory that torch did not hand out may "
		"be given back through it too. GPU memory is not affected.",
	.about.source = "headers of torch 2.13.0",
	.kind = LA_OPTION_BOOL,
	.owner = LA_OWNER_CUDA,
	.field = FIELD(pinned_free_catch_all),
},
{
	NAME("throw_on_cudamalloc_oom"),
	.about.type = "True or False",
	.about.range = "exactly that spelling",
	.about.fallback = "False",
	SINCE(2, 12),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "A request that would pass "
		"per_process_memory_fraction is refused at once, before "
		"anything cached is given back for it.",
	.about.source = "headers of torch 2.13.0",
	.kind = LA_OPTION_BOOL,
	.owner = LA_OWNER_CUDA,
	.field = FIELD(throw_on_cudamalloc_oom),
},
{
	NAME("pinned_max_round_threshold_mb"),
	.about.type = "MiB",
	.about.range = "any",
	.about.fallback = "no bound",
	SINCE(2, 13),
	.about.side = LA_SIDE_HOST,
	.about.summary = "Larger requests for pinned host memory are not "
		"rounded up to a power of two. GPU memory is not affected.",
	.about.source = "headers of torch 2.13.0",
	.kind = LA_OPTION_MB_ANY,
	.owner = LA_OWNER_COMMON,
	.field = FIELD(pinned_max_round_threshold),
},
{
	NAME("pinned_max_cached_size_mb"),
	.about.type = "MiB",
	.about.range = "any",
	.about.fallback = "no bound",
	SINCE(2, 13),
	.about.side = LA_SIDE_HOST,
	.about.summary = "Larger pieces of pinned host memory are given back "
		"when they are freed instead of being kept. GPU memory is "
		"not affected.",
	.about.source = "headers of torch 2.13.0",
	.kind = LA_OPTION_MB_ANY,
	.owner = LA_OWNER_COMMON,
	.field = FIELD(pinned_max_cached_size),
},
{
	NAME("expandable_segments_reserve"),
	.about.type = "number or GiB",
	.about.range = "above 0, GiB with G behind it; anything else is "
		"ignored with a warning",
	.about.fallback = "1.125 (of the card)",
	SINCE(2, 15),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "Range of addresses that an expandable segment "
		"reserves, as a share of the card or in GiB, at most 9/8 of "
		"the card. No request can be larger than that.",
	.about.source = "torch 2.15.0",
	.kind = LA_OPTION_RESERVE,
	.owner = LA_OWNER_CUDA,
	.field = FIELD(expandable_segments_reserve),
},
{
	NAME("expandable_segments_reserve_by_class"),
	.about.type = "list",
	.about.range = "[NAME:RESERVE,...]",
	.about.fallback = "expandable_segments_reserve",
	SINCE(2, 15),
	.about.side = LA_SIDE_DEVICE,
	.about.summary = "The same for streams that the program puts into a "
		"class of that name.",
	.about.source = "torch 2.15.0",
	.kind = LA_OPTION_RESERVE_LIST,
	.owner = LA_OWNER_CUDA,
	.field = FIELD(expandable_segments_reserve_by_class),
},
};

_Static_assert(ARRAY_SIZE(options) <= LA_OPTION_MAX, "a bit for each");

size_t la_option_index(const struct la_option *option)
{
	return option - options;
}

bool la_option_exists(const struct la_option *option, unsigned int release)
{
	return option->first <= release &&
	       (!option->last || release <= option->last);
}

const struct la_option *la_option_find_any(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].length == length &&
		    !memcmp(options[i].about.name, name, length))
			return &options[i];
	return NULL;
}

const struct la_option *la_option_find(unsigned int release, const char *name,
				       size_t length)
{
	const struct la_option *option = la_option_find_any(name, length);

	return option && la_option_exists(option, release) ? option : NULL;
}

const char *la_option_main_name(const struct la_option *option)
{
	size_t i = 0;

	while (options[i].field != option->field)
		i++;
	return options[i].about.name;
}

const struct la_option *la_option_nearest(unsigned int release,
					  const char *name, size_t length)
{
	const struct la_option *nearest = NULL;
	size_t i, best = SIZE_MAX;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		size_t distance = la_distance(name, length,
					      options[i].about.name,
					      options[i].length);

		if (!la_option_exists(&options[i], release) || distance >= best)
			continue;
		best = distance;
		nearest = &options[i];
	}
	return nearest;
}

static size_t size_of_field(const struct la_option *option)
{
	switch (option->kind) {
	case LA_OPTION_BOOL:
	case LA_OPTION_BACKEND:
	case LA_OPTION_RESERVE_LIST:
		return sizeof(bool);
	case LA_OPTION_THRESHOLD:
	case LA_OPTION_FRACTION:
	case LA_OPTION_RESERVE:
		return sizeof(double);
	case LA_OPTION_ROUNDUP:
		return LA_ROUNDUP_SLOTS * sizeof(uint64_t);
	default:
		return sizeof(uint64_t);
	}
}

const struct la_setting_values la_setting_defaults = {
	.max_split_size = UINT64_MAX,
	.max_non_split_rounding = 20 * MIB,
	.large_segment_size = 20 * MIB,
	.per_process_memory_fraction = 1.0,
	.roundup_bypass_threshold = UINT64_MAX,
	.pinned_num_register_threads = 1,
	.pinned_max_round_threshold = UINT64_MAX,
	.pinned_max_cached_size = UINT64_MAX,
};

void la_options_start_anew(unsigned int release,
			   struct la_setting_values *values)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].anew && options[i].anew <= release)
			memcpy((char *)values + options[i].field,
			       (char *)&la_setting_defaults + options[i].field,
			       size_of_field(&options[i]));
}

LA_EXPORT const struct la_setting_option *la_setting_option_at(size_t index)
{
	return index < ARRAY_SIZE(options) ? &options[index].about : NULL;
}
