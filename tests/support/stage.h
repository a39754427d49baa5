/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A heap on a device that puts each segment above all before it, and its
 * events as text.  One line an event: the action, the place, the size, and
 * the stream in hex after an @ if it is not 0.  The place is the number of
 * the slot of 32 MiB and the offset in it, e.g. "alloc 0+512 1024".
 */
#ifndef LA_TESTS_STAGE_H
#define LA_TESTS_STAGE_H

#include <liballoc/device.h>
#include <liballoc/heap.h>

#include "util/util.h"


struct stage {
	struct la_device *device; /* owned; a tracking one */
	struct la_heap *heap; /* owned */
	char text[1 << 14]; /* events since the last stage_take() */
	size_t length;
	char taken[1 << 14];
};

/* Values of a setting that sets nothing. */
struct la_setting_values default_setting(void);

/* setting: NULL for the default. */
void stage_open(struct stage *stage, const struct la_setting_values *setting,
		uint64_t cap, uint64_t card);
/* With max_split_size and no card. */
void stage_open_split(struct stage *stage, uint64_t max_split, uint64_t cap);
/* With a device of the caller's, which becomes the stage's. */
void stage_open_on(struct stage *stage, const struct la_setting_values *setting,
		   uint64_t cap, struct la_device *device);
/* As a release does it, on a device of `total` bytes that puts each segment
 * below all before it: the first is in slot 31. */
void stage_open_release(struct stage *stage, unsigned int release,
			const struct la_setting_values *setting, uint64_t cap,
			uint64_t total);
void stage_close(struct stage *stage);

/* The heap's listener; data is a struct stage. */
void stage_hear(void *data, enum la_action action, uint64_t addr,
		uint64_t size, uint64_t stream);

/* The events since the last call; valid until the next one. */
const char *stage_take(struct stage *stage);

/* Allocate on a raw stream; LA_NO_BLOCK if that fails with -ENOSPC. */
la_block stage_alloc(struct stage *stage, uint64_t size, uint64_t stream);
/* Allocate on the default stream, release, and forget the events. */
void stage_cache(struct stage *stage, uint64_t size);
void stage_release(struct stage *stage, la_block block);

/* Abort if the heap is not sound or the device's books differ. */
void stage_check(const struct stage *stage);

#endif /* LA_TESTS_STAGE_H */
