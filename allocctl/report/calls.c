// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "calls.h"
#include "util/array.h"

/* A frame in the list of its parent's children. */
struct calls_child {
	uint32_t frame; /* of the recording; the same ones are one */
	uint32_t first; /* child of it, or NONE */
	uint32_t next; /* of the same parent, or NONE */
};

#define NONE UINT32_MAX

static int add(struct calls *calls, const struct plot_flame_frame *frame,
	       uint32_t number)
{
	uint32_t at = (uint32_t)calls->count;
	struct calls_child *child;

	if (grow_array(&calls->frame, &calls->room, calls->count,
		       sizeof(*calls->frame)) < 0 ||
	    grow_array(&calls->child, &calls->child_room, calls->count,
		       sizeof(*calls->child)) < 0)
		return -ENOMEM;
	calls->frame[calls->count++] = *frame;
	child = calls->child;
	child[at] = (struct calls_child){ number, NONE, NONE };
	if (at) {
		child[at].next = child[frame->parent].first;
		child[frame->parent].first = at;
	}
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
	uint32_t at = calls->child[parent].first;

	while (at != NONE && calls->child[at].frame != number)
		at = calls->child[at].next;
	*out = at == NONE ? (uint32_t)calls->count : at;
	return at == NONE ? add(calls, &fresh, number) : 0;
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
	int err = add(calls, &root, NONE);

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
	free(calls->child);
	*calls = (struct calls){ 0 };
}
