/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot in memory, and the pickle that torch would dump of it.  It is
 * taken of a heap that a listener follows, and may then be damaged at will.
 */
#ifndef LA_TESTS_SNAPSHOT_H
#define LA_TESTS_SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

#include <liballoc/event.h>
#include <liballoc/heap.h>
#include <liballoc/trace.h>

struct snapshot {
	struct la_event *event; /* owned; streams are raw values */
	size_t event_count, event_room;
	struct la_recorded_segment *segment; /* owned; by address */
	size_t segment_count;
	struct la_recorded_block *block; /* owned; of all segments */
	size_t block_count;
	const char *setting; /* borrowed; or NULL */
	uint64_t device_free; /* bytes that an OOM event tells */
	uint16_t pool; /* of the request under way; index into pool_id */
	const uint64_t (*pool_id)[2]; /* borrowed; events tell these ids, as
				       * torch 2.12 does; NULL: they do not */
};

void snapshot_release(struct snapshot *snapshot);

void snapshot_add(struct snapshot *snapshot, const struct la_event *event);

/* The heap's listener; data is a struct snapshot. */
void snapshot_hear(void *data, enum la_action action, uint64_t addr,
		   uint64_t size, uint64_t stream);

/* Take over the segments of a heap, and the mapped ranges of its chains. */
void snapshot_take(struct snapshot *snapshot, const struct la_heap *heap);

/* Leave out `count` events from `at` on; what is beyond the end is ignored. */
void snapshot_cut(struct snapshot *snapshot, size_t at, size_t count);

/* The pickle; owned by the caller. */
uint8_t *snapshot_pickle(const struct snapshot *snapshot, size_t *size);

#endif /* LA_TESTS_SNAPSHOT_H */
