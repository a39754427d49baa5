// SPDX-License-Identifier: Apache-2.0
/* From a recording, or a replay, to one row of events: la_view_walk(). */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/chains.h"
#include "replay/program.h"
#include "util/error.h"
#include "view/walk.h"

int walk_init(struct walk *walk, const struct la_recording *recording,
	      unsigned int device, const struct la_program *program,
	      const struct la_view_options *options, struct la_error *err)
{
	*walk = (struct walk){
		.recording = recording,
		.program = program,
		.replay = options && program ? options->replay : NULL,
		.end = UINT64_MAX,
	};
	scene_init(&walk->scene);
	if (device >= la_recording_device_count(recording))
		return la_error_set(err, -EINVAL, LA_NO_OFFSET,
				    "the recording has no device %u", device);
	walk->device = la_recording_device(recording, device);
	return 0;
}

void walk_destroy(struct walk *walk)
{
	scene_destroy(&walk->scene);
	free(walk->owned_stack);
	free(walk->block);
}

/* Something was there at the start, or happened. */
static void show(struct walk *walk, struct la_view_event *event)
{
	if (walk->error)
		return;
	if (event->event != UINT64_MAX) {
		if (walk->next >= walk->end) {
			walk->error = -ECANCELED;
			return;
		}
		walk->next++;
	}
	walk->error = scene_follow(&walk->scene, event);
	if (!walk->error && walk->visitor)
		walk->error = walk->visitor(walk->data, event);
}

static void show_start_piece(struct walk *walk,
			     const struct start_segment *segment,
			     const struct start_piece *piece)
{
	struct la_view_event event = {
		.event = UINT64_MAX,
		.origin = UINT64_MAX,
		.addr = piece->addr,
		.size = piece->asked,
		.block = piece->size,
		.stream = segment->stream,
		.action = LA_ALLOC,
	};

	if (!is_busy(piece))
		return;
	show(walk, &event);
	if (piece->state != PIECE_PENDING)
		return;
	event.action = LA_FREE_REQUESTED;
	show(walk, &event);
}

/* A chain's pieces cover its reservation; memory lies under all that are not
 * unmapped. */
static void show_start_memory(struct walk *walk,
			      const struct start_segment *segment)
{
	const uint64_t *pool = walk->program->pool[segment->pool];
	struct la_view_event event = {
		.event = UINT64_MAX,
		.origin = UINT64_MAX,
		.addr = segment->addr,
		.size = segment->size,
		.pool = { pool[0], pool[1] },
		.stream = segment->stream,
		.action = segment->reserved ? LA_SEGMENT_MAP :
					      LA_SEGMENT_ALLOC,
		.small = segment->small,
	};
	uint32_t i;

	if (!segment->reserved) {
		show(walk, &event);
		return;
	}
	event.size = 0;
	for (i = 0; i < segment->piece_count; i++) {
		const struct start_piece *piece =
			&walk->program->piece[segment->first_piece + i];

		if (piece->state == PIECE_UNMAPPED)
			continue;
		if (event.size && event.addr + event.size != piece->addr) {
			show(walk, &event);
			event.size = 0;
		}
		if (!event.size)
			event.addr = piece->addr;
		event.size += piece->size;
	}
	if (event.size)
		show(walk, &event);
}

static void show_start(struct walk *walk)
{
	const struct la_program *program = walk->program;
	size_t i;
	uint32_t k;

	for (i = 0; i < program->start_count; i++) {
		const struct start_segment *segment = &program->start[i];

		show_start_memory(walk, segment);
		for (k = 0; k < segment->piece_count; k++)
			show_start_piece(
				walk, segment,
				&program->piece[segment->first_piece + k]);
	}
}

/* Without history the snapshot is all there is. */
static void show_final_segment(struct walk *walk,
			       const struct la_recorded_segment *segment)
{
	struct la_view_event event = {
		.event = UINT64_MAX,
		.origin = UINT64_MAX,
		.addr = segment->addr,
		.size = segment->size,
		.pool = { segment->pool[0], segment->pool[1] },
		.stream = segment->stream,
		.stack = segment->stack,
		.action = segment->expandable ? LA_SEGMENT_MAP :
						LA_SEGMENT_ALLOC,
		.small = segment->small,
	};
	uint32_t i;

	show(walk, &event);
	for (i = 0; i < segment->block_count; i++) {
		const struct la_recorded_block *block =
			&walk->device->blocks[segment->first_block + i];

		event.action = LA_ALLOC;
		event.size = block->requested ? block->requested :
						block->size;
		event.block = block->size;
		event.stack = block->stack;
		if (block->state != LA_RECORDED_FREE)
			show(walk, &event);
		event.action = LA_FREE_REQUESTED;
		if (block->state == LA_RECORDED_PENDING)
			show(walk, &event);
		event.addr += block->size;
	}
}

static int show_final(struct walk *walk)
{
	size_t i;

	for (i = 0; i < walk->device->segment_count; i++)
		show_final_segment(walk, &walk->device->segments[i]);
	return walk->error;
}

/* The marks of a recording have no number and no place in the program. */
static int find_stacks(struct walk *walk)
{
	const struct la_recorded_device *device = walk->device;
	size_t count = 0, i;

	walk->stack = device->event_stacks;
	if (!walk->stack || !walk->program->filtered)
		return 0;
	walk->owned_stack = malloc((device->event_count + 1) *
				   sizeof(*walk->owned_stack));
	if (!walk->owned_stack)
		return -ENOMEM;
	for (i = 0; i < device->event_count; i++)
		if (device->events[i].action <= LA_OOM)
			walk->owned_stack[count++] = device->event_stacks[i];
	walk->stack = walk->owned_stack;
	return 0;
}

static void show_recorded_event(struct walk *walk, struct kinds *kinds,
				size_t i)
{
	const struct la_event *from = &walk->program->event[i];
	struct la_view_event event = {
		.event = i,
		.origin = i,
		.addr = from->addr,
		.size = from->size,
		.block = walk->block ? walk->block[i] : 0,
		.time_us = from->time_us,
		.stream = from->stream,
		.stack = walk->stack ? walk->stack[i] : 0,
		.action = from->action,
	};

	if (i < walk->program->info.first_event ||
	    (from->addr == UINT64_MAX && from->action != LA_OOM))
		event.action = LA_SNAPSHOT;
	if (event.action == LA_SEGMENT_ALLOC || event.action == LA_SEGMENT_MAP)
		kinds_find(kinds, &walk->scene, from->pool, &event);
	show(walk, &event);
}

/* Index of a raw stream, which is often the last one. */
static uint32_t stream_of(struct walk *walk, uint64_t stream)
{
	const struct la_program *program = walk->program;
	uint32_t i;

	if (walk->stream < program->stream_count &&
	    program->streams[walk->stream] == stream)
		return walk->stream;
	for (i = 0; i + 1 < program->stream_count; i++)
		if (program->streams[i] == stream)
			break;
	return walk->stream = i;
}

/* A la_heap_split_listener. */
static void hear_split(void *data, uint64_t addr, uint64_t size,
		       uint64_t whole)
{
	struct walk *walk = data;

	(void)whole;
	walk->split.addr = addr;
	walk->split.size = size;
}

/* Bytes of the block that a request got: what was cut off for it just before,
 * or all of a free block.  Policy compact always cuts. */
static uint64_t block_of(struct walk *walk, uint64_t addr)
{
	uint64_t size = walk->split.size;

	walk->split.size = 0;
	if (walk->replay->policy == LA_HEAP_COMPACT)
		return 0;
	return size && walk->split.addr == addr ?
		       size :
		       scene_room(&walk->scene, addr);
}

/* The setting that the replay plays under. */
static const struct la_setting_values *setting_of(const struct walk *walk)
{
	return walk->replay->as_recorded ?
		       la_setting_values(walk->program->setting) :
		       walk->replay->setting;
}

/* A la_heap_listener. */
static void hear(void *data, enum la_action action, uint64_t addr,
		 uint64_t size, uint64_t stream)
{
	struct walk *walk = data;
	uint64_t origin = walk->moment.event;
	bool at_start = origin == UINT64_MAX;
	struct la_view_event event = {
		.event = at_start ? UINT64_MAX : walk->next,
		.origin = origin,
		.addr = addr,
		.size = size,
		.block = action == LA_ALLOC ? block_of(walk, addr) : 0,
		.time_us = at_start ? 0 : walk->program->event[origin].time_us,
		.stream = stream_of(walk, stream),
		.stack = at_start || !walk->stack ? 0 : walk->stack[origin],
		.action = (uint8_t)action,
	};

	if (action == LA_SEGMENT_ALLOC || action == LA_SEGMENT_MAP) {
		memcpy(event.pool, walk->moment.pool, sizeof(event.pool));
		event.small = kinds_is_small(setting_of(walk), &event);
	}
	show(walk, &event);
}

/* What a replay begins with, unless it is heard. */
static int show_replay_start(struct walk *walk)
{
	const struct la_replay_options *replay = walk->replay;
	const struct la_program *program = walk->program;
	struct la_program chained;
	int err;

	if (replay->policy == LA_HEAP_COMPACT ||
	    (replay->start == LA_START_PACKED && !replay->as_recorded))
		return 0;
	if (replay->start == LA_START_CHAINED && !replay->as_recorded) {
		err = program_chain(&chained, program,
				    replay->setting->large_segment_size);
		walk->program = &chained;
		if (!err)
			show_start(walk);
		walk->program = program;
		free(chained.start);
		free(chained.piece);
		return err ? err : walk->error;
	}
	show_start(walk);
	return walk->error;
}

static int show_replayed(struct walk *walk, struct la_error *err)
{
	struct la_replay_options options = *walk->replay;
	struct la_replay_result result;
	int code = show_replay_start(walk);

	if (code < 0)
		return code;
	options.listener = hear;
	options.split_listener = hear_split;
	options.listener_data = walk;
	options.moment = &walk->moment;
	options.oom = NULL;
	code = replay_until(&walk->error, walk->program, &options, &result,
			    err);
	return walk->error ? walk->error : code;
}

/* A la_view_visitor: where a replay does as the recording did, its blocks are
 * those of the recording. */
static int note_block(void *data, const struct la_view_event *event)
{
	struct walk *walk = data;
	const struct la_event *recorded;

	if (event->action != LA_ALLOC || event->origin == UINT64_MAX)
		return 0;
	recorded = &walk->program->event[event->origin];
	if (recorded->action == LA_ALLOC && recorded->addr == event->addr &&
	    recorded->size == event->size)
		walk->block[event->origin] = event->block;
	return 0;
}

/* No event says how large a block is. */
static int find_blocks(struct walk *walk)
{
	const struct la_program *program = walk->program;
	const struct la_replay_options replay = {
		.setting = la_program_setting(program),
		.as_recorded = true,
	};
	struct walk replayed = {
		.recording = walk->recording,
		.device = walk->device,
		.program = program,
		.replay = &replay,
		.visitor = note_block,
		.data = walk,
		.end = UINT64_MAX,
	};
	int code;

	walk->block = calloc(program->event_count + 1, sizeof(*walk->block));
	if (!walk->block)
		return -ENOMEM;
	scene_init(&replayed.scene);
	code = show_replayed(&replayed, NULL);
	walk_destroy(&replayed);
	return code == -ENOMEM ? code : 0;
}

static int show_recorded(struct walk *walk)
{
	struct kinds kinds;
	size_t i;

	walk->error = walk->sized ? find_blocks(walk) : 0;
	if (walk->error)
		return walk->error;
	walk->error = kinds_init(&kinds, walk->program);
	show_start(walk);
	for (i = 0; i < walk->program->event_count && !walk->error; i++)
		show_recorded_event(walk, &kinds, i);
	kinds_destroy(&kinds);
	return walk->error;
}

int walk_run(struct walk *walk, struct la_error *err)
{
	int code = walk->program ? find_stacks(walk) : 0;

	if (!code)
		code = !walk->program ? show_final(walk) :
		       walk->replay   ? show_replayed(walk, err) :
					show_recorded(walk);
	if (code == -ECANCELED && walk->next >= walk->end)
		return 0;
	if (code == -ENOMEM)
		la_error_set(err, code, LA_NO_OFFSET, "out of memory");
	else if (walk->error)
		la_error_set(err, code, LA_NO_OFFSET, "the visitor ended it");
	return code;
}

LA_EXPORT int la_view_walk(const struct la_recording *recording,
			   unsigned int device,
			   const struct la_program *program,
			   const struct la_view_options *options,
			   la_view_visitor *visitor, void *data,
			   struct la_error *err)
{
	struct walk walk;
	int code = walk_init(&walk, recording, device, program, options, err);

	walk.visitor = visitor;
	walk.data = data;
	walk.sized = true;
	if (!code)
		code = walk_run(&walk, err);
	walk_destroy(&walk);
	return code;
}
