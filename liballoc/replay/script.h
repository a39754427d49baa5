/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_SCRIPT_H
#define LA_REPLAY_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include <liballoc/replay.h>

struct la_program;

/*
 * A driver that answers with the next recorded segment event, and the ear
 * that takes down what the heap over it does.  Where no event fits it refuses
 * if it may; else the reading under way is wrong, and it fails with -EIO.
 */
struct script {
	struct la_device device; /* first member */
	const struct la_heap *heap; /* borrowed; the one that is listened to */
	const struct la_event *event; /* borrowed; those of the program */
	const uint32_t *expected; /* borrowed; indices of segment events */
	size_t expected_count;
	uint64_t card; /* bytes above which it refuses, or UINT64_MAX */
	bool may_refuse; /* ... and below, where no event fits */

	struct la_replay_event *heard; /* owned; all that the heap did */
	size_t heard_count, heard_room;
	size_t segments_heard; /* how many of them are no frees of blocks */
	uint64_t *answer; /* owned; what the driver answered */
	size_t answer_count, answer_room;
	uint64_t refused; /* lowest reserved + size refused, UINT64_MAX */
	int error; /* -ENOMEM if something could not be taken down */
};

void script_init(struct script *script, const struct la_event *event,
		 uint64_t card);
void script_destroy(struct script *script);

/* Begin a reading that expects these segment events. */
void script_begin(struct script *script, const struct la_heap *heap,
		  const uint32_t *expected, size_t count, bool may_refuse);

/* The listener; data is the script. */
la_heap_listener script_hear;

#endif /* LA_REPLAY_SCRIPT_H */
