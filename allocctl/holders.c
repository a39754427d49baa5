// SPDX-License-Identifier: Apache-2.0
/* Who holds memory: see holders.h. */

#include <stdlib.h>
#include <string.h>

#include "holders.h"

/* Keys of sizes; numbers of stacks have 32 bits. */
#define BY_SIZE (UINT64_C(1) << 63)

bool holders_init(struct holders *holders, const struct source *source)
{
	const struct la_recorded_device *device = la_recording_device(
		source->recording, (unsigned int)source->device);
	size_t i;

	*holders = (struct holders){ .recording = source->recording };
	if (!device->event_stacks)
		return true;
	holders->stack = malloc((device->event_count + 1) *
				sizeof(*holders->stack));
	if (!holders->stack)
		return false;
	/* A program's events are numbered without the marks. */
	for (i = 0; i < device->event_count; i++)
		if (device->events[i].action <= LA_OOM)
			holders->stack[holders->count++] =
				device->event_stacks[i];
	return true;
}

void holders_release(struct holders *holders)
{
	free(holders->stack);
	holders->stack = NULL;
}

uint32_t holders_stack(const struct holders *holders, uint64_t event)
{
	return holders->stack && event < holders->count ?
		       holders->stack[event] :
		       0;
}

/* The innermost first; returns how many there are. */
static size_t frames_of(const struct holders *holders, uint64_t event,
			const uint32_t **frames)
{
	return la_recording_stack(holders->recording,
				  holders_stack(holders, event), frames);
}

uint64_t holders_key(void *holders, uint64_t event, uint64_t size)
{
	const uint32_t *frames;

	return frames_of(holders, event, &frames) ?
		       holders_stack(holders, event) :
		       BY_SIZE | size;
}

static bool is_of_torch(const struct la_frame *frame)
{
	return !frame->file || strstr(frame->file, "/torch/") ||
	       !strncmp(frame->file, "torch/", strlen("torch/")) ||
	       !strcmp(frame->file, "??");
}

const struct la_frame *holders_frame_of(const struct la_recording *recording,
					uint32_t stack)
{
	const struct la_frame *frame;
	const uint32_t *frames;
	size_t count = la_recording_stack(recording, stack, &frames), i;

	for (i = 0; i < count; i++) {
		frame = la_recording_frame(recording, frames[i]);
		if (!is_of_torch(frame))
			return frame;
	}
	return count ? la_recording_frame(recording, frames[0]) : NULL;
}

const struct la_frame *holders_frame(const struct holders *holders,
				     uint64_t event)
{
	return holders_frame_of(holders->recording,
				holders_stack(holders, event));
}

/* The innermost first; null: nothing is known. */
static void json_frames(struct la_json *json,
			const struct la_recording *recording, uint32_t stack)
{
	const struct la_frame *frame;
	const uint32_t *frames;
	size_t count = la_recording_stack(recording, stack, &frames), i;

	la_json_key(json, "frames");
	if (!count) {
		la_json_null(json);
		return;
	}
	la_json_array_begin(json);
	for (i = 0; i < count; i++) {
		frame = la_recording_frame(recording, frames[i]);
		la_json_object_begin(json);
		la_json_member_text(json, "name", frame->function);
		la_json_member_text(json, "filename", frame->file);
		la_json_member_uint(json, "line", frame->line);
		la_json_object_end(json);
	}
	la_json_array_end(json);
}

void holders_json(struct la_json *json, const struct la_recording *recording,
		  const struct la_holder *holder, uint32_t stack)
{
	la_json_object_begin(json);
	la_json_member_uint(json, "bytes", holder->bytes);
	la_json_member_uint(json, "blocks", holder->count);
	la_json_member_uint(json, "size", holder->size);
	la_json_member_known_uint(json, "event", holder->event != UINT64_MAX,
				  holder->event);
	json_frames(json, recording, stack);
	la_json_object_end(json);
}
