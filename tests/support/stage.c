// SPDX-License-Identifier: Apache-2.0
/* A heap with its events as text, see stage.h. */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/stage.h"
#include "support/track.h"

static const uint64_t base = 0x7f0000000000;

struct la_setting_values default_setting(void)
{
	return (struct la_setting_values){
		.max_split_size = UINT64_MAX,
		.max_non_split_rounding = 20 * MIB,
		.large_segment_size = 20 * MIB,
		.per_process_memory_fraction = 1,
		.roundup_bypass_threshold = UINT64_MAX,
		.pinned_num_register_threads = 1,
	};
}

static void open_heap(struct stage *stage, struct la_heap_config *config,
		      struct la_device *device)
{
	int err;

	memset(stage, 0, sizeof(*stage));
	stage->device = track_new(device);
	config->device = stage->device;
	config->listener = stage_hear;
	config->listener_data = stage;
	err = la_heap_new(&stage->heap, config, NULL);
	assert(!err);
}

void stage_open_on(struct stage *stage, const struct la_setting_values *setting,
		   uint64_t cap, struct la_device *device)
{
	struct la_setting_values standard = default_setting();
	struct la_heap_config config = {
		.setting = setting ? setting : &standard,
		.cap = cap,
	};

	open_heap(stage, &config, device);
}

void stage_open_release(struct stage *stage, unsigned int release,
			const struct la_setting_values *setting, uint64_t cap,
			uint64_t total)
{
	struct la_heap_config config = {
		.setting = setting,
		.cap = cap,
		.total = total,
		.release = release,
	};
	struct la_device *device;
	int err = la_device_sim(&device, LA_LAYOUT_DOWN, UINT64_MAX,
				base + 32 * 32 * MIB);

	assert(!err);
	open_heap(stage, &config, device);
}

void stage_open(struct stage *stage, const struct la_setting_values *setting,
		uint64_t cap, uint64_t card)
{
	struct la_device *device;
	int err = la_device_sim(&device, LA_LAYOUT_UP, card, base);

	assert(!err);
	stage_open_on(stage, setting, cap, device);
}

void stage_open_split(struct stage *stage, uint64_t max_split, uint64_t cap)
{
	struct la_setting_values setting = default_setting();

	setting.max_split_size = max_split;
	stage_open(stage, &setting, cap, UINT64_MAX);
}

void stage_close(struct stage *stage)
{
	la_heap_free(stage->heap);
	la_device_destroy(stage->device);
}

void stage_hear(void *data, enum la_action action, uint64_t addr,
		uint64_t size, uint64_t stream)
{
	struct stage *stage = data;
	char *text = stage->text + stage->length;
	size_t room = sizeof(stage->text) - stage->length;
	int n = snprintf(text, room, "%s", la_action_name(action));

	if (action != LA_OOM)
		n += snprintf(text + n, room - (size_t)n,
			      " %" PRIu64 "+%" PRIu64,
			      (addr - base) / (32 * MIB),
			      (addr - base) % (32 * MIB));
	n += snprintf(text + n, room - (size_t)n, " %" PRIu64, size);
	if (stream)
		n += snprintf(text + n, room - (size_t)n, " @%" PRIx64, stream);
	n += snprintf(text + n, room - (size_t)n, "\n");
	stage->length += (size_t)n;
	assert(stage->length < sizeof(stage->text));
}

const char *stage_take(struct stage *stage)
{
	memcpy(stage->taken, stage->text, stage->length);
	stage->taken[stage->length] = 0;
	stage->length = 0;
	return stage->taken;
}

void stage_check(const struct stage *stage)
{
	struct la_error error = { 0 };

	if (la_heap_check(stage->heap, &error)) {
		fprintf(stderr, "%s\n", error.text);
		abort();
	}
	assert(track_held(stage->device) ==
	       la_heap_stats(stage->heap)->reserved);
}

la_block stage_alloc(struct stage *stage, uint64_t size, uint64_t stream)
{
	int number = la_heap_stream(stage->heap, stream), err;
	la_block block = LA_NO_BLOCK;

	assert(number >= 0);
	err = la_heap_alloc(stage->heap, size, number, LA_DEFAULT_POOL, &block);
	assert(!err || (err == -ENOSPC && block == LA_NO_BLOCK));
	stage_check(stage);
	return block;
}

void stage_release(struct stage *stage, la_block block)
{
	int err = la_heap_release(stage->heap, block);

	assert(!err);
	stage_check(stage);
}

void stage_cache(struct stage *stage, uint64_t size)
{
	stage_release(stage, stage_alloc(stage, size, 0));
	stage_take(stage);
}
