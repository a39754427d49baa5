/* SPDX-License-Identifier: Apache-2.0 */
/* A recording, as its parts see it. */
#ifndef LA_TRACE_RECORDING_H
#define LA_TRACE_RECORDING_H

#include <liballoc/trace.h>

#include "trace/snapshot.h"

/* A device, with what it owns. */
struct la_owned_device {
	struct la_recorded_device shown;
	struct la_event *events;
	uint32_t *stacks; /* by event; NULL: all 0 */
	struct la_recorded_segment *segments;
	struct la_recorded_block *blocks;
	char *setting;
	char *setting_at_end;
};

struct la_recording {
	struct la_owned_device *devices;
	unsigned int device_count; /* at least 1 */
	uint64_t *streams; /* raw values */
	uint32_t stream_count;
	struct la_pair *pools; /* ids; the first: 0, 0 */
	uint32_t pool_count; /* at least 1 */
	struct la_stacks stacks; /* texts, frames and stacks alone */
	struct la_frame *frames; /* by number; texts are in stacks */
	struct la_annotation *annotations; /* names are in stacks */
	size_t annotation_count;
	bool has_annotations; /* there is a list of them */
	struct la_members members; /* of allocator_settings */
	bool has_settings; /* there is one */
	/* Of segments and blocks: bits 1 << slot of what some of them have. */
	uint16_t fields[LA_ROLE_COUNT];
	char *torch; /* NULL: unknown */
	unsigned int releases[2]; /* oldest and newest that write its keys */
	bool partial;
	bool probe; /* read of a probe's file */
	enum la_companion_state companion;
};

/* Take over what the snapshot has of stacks and of annotations: 0 or
 * -ENOMEM. */
int la_recording_take_stacks(struct la_recording *recording,
			     struct la_snapshot *snap);

#endif /* LA_TRACE_RECORDING_H */
