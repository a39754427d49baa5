// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "calls.h"
#include "util/array.h"

enum { SLOTS_LEAST = 64 };

/* The slot of a parent's child, or the empty one for it. */
static uint32_t *slot_of(const struct calls *calls, uint32_t parent,
			 uint32_t number)
{
	uint64_t hash = ((uint64_t)parent << 32 | number) * 0x9e3779b97f4a7c15;
	size_t at = (size_t)(hash >> 32), last = calls->slot_count - 1;

	for (;; at++) {
		uint32_t *slot = &calls->slot[at & last];

		if (!*slot || (calls->frame[*slot - 1].parent == parent &&
			       calls->number[*slot - 1] == number))
			return slot;
	}
}

/* Have a frame found; but the root, which is nobody's child. */
static void note(struct calls *calls, uint32_t at)
{
	if (at)
		*slot_of(calls, calls->frame[at].parent, calls->number[at]) =
			at + 1;
}

/* Make room for one more frame. */
static int grow_slots(struct calls *calls)
{
	size_t count = calls->slot_count ? 2 * calls->slot_count : SLOTS_LEAST;
	uint32_t *slot, i;

	if (2 * (calls->count + 1) <= calls->slot_count)
		return 0;
	slot = calloc(count, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(calls->slot);
	calls->slot = slot;
	calls->slot_count = count;
	for (i = 0; i < calls->count; i++)
		note(calls, i);
	return 0;
}

static int add(struct calls *calls, const struct plot_flame_frame *frame,
	       uint32_t number)
{
	if (grow_slots(calls) < 0 ||
	    grow_array(&calls->frame, &calls->room, calls->count,
		       sizeof(*calls->frame)) < 0 ||
	    grow_array(&calls->number, &calls->number_room, calls->count,
		       sizeof(*calls->number)) < 0)
		return -ENOMEM;
	calls->frame[calls->count] = *frame;
	calls->number[calls->count++] = number;
	note(calls, (uint32_t)calls->count - 1);
	return 0;
}

/* The child of a frame that a frame of the recording is; added if new. */
static int find(struct calls *calls, const struct la_recording *recording,
		uint32_t parent, uint32_t number, uint32_t *out)
{
	const struct la_frame *frame = la_recording_frame(recording, number);
	const struct plot_flame_frame fresh = {
		.name = frame->function,
		.file = frame->file,
		.line = frame->line,
		.parent = parent,
	};
	const uint32_t *slot = slot_of(calls, parent, number);

	*out = *slot ? *slot - 1 : (uint32_t)calls->count;
	return *slot ? 0 : add(calls, &fresh, number);
}

static int add_block(struct calls *calls, const struct la_recording *recording,
		     const struct la_map_block *block)
{
	const uint32_t *frame;
	size_t count = la_recording_stack(recording, block->stack, &frame);
	uint32_t at = 0;
	int err = 0;

	calls->frame[0].bytes += block->size;
	while (count-- && !err) {
		err = find(calls, recording, at, frame[count], &at);
		if (!err)
			calls->frame[at].bytes += block->size;
	}
	return err;
}

int calls_read(struct calls *calls, const struct view *view)
{
	static const struct plot_flame_frame root = { .name = "all" };
	const struct la_map *map = &view->map;
	size_t i;
	int err = add(calls, &root, UINT32_MAX);

	for (i = 0; i < map->block_count && !err; i++)
		if (map->block[i].state != LA_MAP_FREE)
			err = add_block(calls,
					view->request.source->recording,
					&map->block[i]);
	if (!err && calls->count == 1)
		calls->count = 0;
	return err;
}

void calls_release(struct calls *calls)
{
	free(calls->frame);
	free(calls->number);
	free(calls->slot);
	*calls = (struct calls){ 0 };
}
