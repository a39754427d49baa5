/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_SCRIPT_H
#define LA_REPLAY_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include <liballoc/replay.h>

#include "replay/spans.h"

struct la_program;

/* What a reading expects of the driver. */
struct script_task {
	const uint32_t *expected; /* borrowed; indices of segment events */
	size_t expected_count;
	const struct la_event *request; /* under way, or NULL */
	size_t from; /* event where the reading begins */
	bool may_refuse; /* where no event fits */
};

/* A span that the heap was given or gave back. */
struct script_change {
	uint64_t addr;
	uint64_t size; /* bytes */
	bool given;
};

/*
 * A driver that answers with the next recorded segment event, and the ear
 * that takes down what the heap over it does.  Where no event fits it refuses
 * if it may; else the reading under way is wrong, and it fails with -EIO.
 */
struct script {
	struct la_device device; /* first member */
	const struct la_program *program; /* borrowed */
	const struct spans *held; /* borrowed; before the reading */
	const uint32_t *map; /* borrowed; indices of all segment_map events */
	size_t map_count;
	uint64_t nowhere; /* where the next reservation goes that holds no
			   * recorded memory */
	uint64_t work; /* mappings that may still be looked at */
	uint64_t card; /* bytes above which it refuses, or UINT64_MAX */

	const struct la_heap *heap; /* borrowed; the one that is listened to,
				     * or NULL */
	struct script_task task;
	struct la_replay_event *heard; /* owned; all that the heap did */
	size_t heard_count, heard_room;
	size_t segments_heard; /* how many of them are no frees of blocks */
	uint64_t *answer; /* owned; what the driver answered */
	size_t answer_count, answer_room;
	struct script_change *change; /* owned */
	size_t change_count, change_room;
	uint64_t granted; /* highest reserved + segment that was granted */
	uint64_t refused; /* lowest reserved + segment refused, UINT64_MAX */
	int error; /* -ENOMEM if something could not be taken down */
};

void script_init(struct script *script, const struct la_program *program,
		 const struct spans *held);
void script_destroy(struct script *script);

/* Begin a reading. */
void script_begin(struct script *script, const struct la_heap *heap,
		  const struct script_task *task);

/* The listener; data is the script. */
la_heap_listener script_hear;

#endif /* LA_REPLAY_SCRIPT_H */
