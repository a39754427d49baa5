/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The obvious heap: one unordered list of blocks, searched from end to end.
 *
 * Written from the rules of torch's allocator alone, to be compared with the
 * real heap.  Slow, and out of its depth only where a list is full.
 */
#ifndef LA_TESTS_MODEL_H
#define LA_TESTS_MODEL_H

#include <stdint.h>

#include <liballoc/device.h>
#include <liballoc/event.h>
#include <liballoc/heap.h>
#include <liballoc/setting.h>

#define MODEL_BLOCKS 8192
#define MODEL_EVENTS 8192

struct model_event {
	enum la_action action;
	uint64_t addr;
	uint64_t size;
	uint64_t stream;
};

enum model_state { MODEL_FREE, MODEL_LIVE, MODEL_PENDING };

struct model_block {
	uint64_t addr;
	uint64_t size;
	uint64_t segment; /* address of its segment */
	uint64_t segment_size;
	uint64_t stream; /* raw value */
	uint64_t asked; /* bytes of the request that it serves */
	uint64_t stamp; /* pending: order of the frees; free: searches */
	int large; /* which pool */
	enum model_state state;
};

struct model {
	struct la_setting_values setting;
	struct la_device *device; /* borrowed */
	uint64_t cap;
	struct la_heap_stats stats;
	uint64_t searches[2]; /* of each pool */
	uint64_t frees; /* free requests so far */
	unsigned int nr_blocks;
	struct model_block block[MODEL_BLOCKS];
	unsigned int nr_events; /* the caller sets it back to 0 */
	struct model_event event[MODEL_EVENTS];
};

struct model *model_new(const struct la_setting_values *setting,
			struct la_device *device, uint64_t cap);
void model_free(struct model *m);

/* 0 and the address; -ENOSPC; or what the device failed with. */
int model_alloc(struct model *m, uint64_t size, uint64_t stream,
		uint64_t *addr);
void model_free_request(struct model *m, uint64_t addr);
void model_free_complete(struct model *m, uint64_t addr);
int model_empty_cache(struct model *m);

uint64_t model_round(const struct la_setting_values *setting, uint64_t size);
uint64_t model_segment(const struct la_setting_values *setting, uint64_t size);

#endif /* LA_TESTS_MODEL_H */
