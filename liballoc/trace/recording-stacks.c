// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/recording.h"
#include "util/util.h"

static const char *text_of(const struct la_stacks *stacks, uint32_t number)
{
	return number ? la_chunk(&stacks->texts, number - 1) : NULL;
}

/* Those of a known kind, name, time and device. */
static int take_annotations(struct la_recording *recording,
			    const struct la_snapshot *snap)
{
	size_t i;

	recording->annotations = calloc(snap->note_count + 1,
					sizeof(*recording->annotations));
	if (!recording->annotations)
		return -ENOMEM;
	for (i = 0; i < snap->note_count; i++) {
		const struct la_note *note = &snap->notes[i];

		if (!note->name || !note->time_us || note->stage > 1 ||
		    note->device >= recording->device_count)
			continue;
		recording->annotations[recording->annotation_count++] =
			(struct la_annotation){
				.name = text_of(&recording->stacks,
						note->name),
				.time_us = note->time_us,
				.device = (unsigned int)note->device,
				.is_end = note->stage == 1,
			};
	}
	return 0;
}

int la_recording_take_stacks(struct la_recording *recording,
			     struct la_snapshot *snap)
{
	struct la_stacks *stacks = &recording->stacks;
	size_t count = snap->stacks.frames.count, i;

	recording->frames = calloc(count + 1, sizeof(*recording->frames));
	if (!recording->frames)
		return -ENOMEM;
	stacks->texts = snap->stacks.texts;
	stacks->frames = snap->stacks.frames;
	stacks->stacks = snap->stacks.stacks;
	stacks->lost = snap->stacks.lost;
	memset(&snap->stacks.texts, 0, sizeof(snap->stacks.texts));
	memset(&snap->stacks.frames, 0, sizeof(snap->stacks.frames));
	memset(&snap->stacks.stacks, 0, sizeof(snap->stacks.stacks));
	for (i = 0; i < count; i++) {
		const struct la_frame_parts *parts =
			la_chunk(&stacks->frames, (uint32_t)i);

		recording->frames[i].function =
			text_of(stacks, parts->function);
		recording->frames[i].file = text_of(stacks, parts->file);
		recording->frames[i].line = parts->line;
	}
	return take_annotations(recording, snap);
}

LA_EXPORT const struct la_annotation *
la_recording_annotations(const struct la_recording *recording, size_t *count)
{
	*count = recording->annotation_count;
	return recording->annotations;
}

LA_EXPORT size_t la_recording_stack(const struct la_recording *recording,
				    uint32_t stack, const uint32_t **frames)
{
	const struct la_chunks *stacks = &recording->stacks.stacks;

	*frames = NULL;
	if (!stack)
		return 0;
	*frames = la_chunk(stacks, stack - 1);
	return la_chunk_size(stacks, stack - 1) / sizeof(**frames);
}

LA_EXPORT uint32_t
la_recording_stack_count(const struct la_recording *recording)
{
	return (uint32_t)recording->stacks.stacks.count + 1;
}

LA_EXPORT uint64_t
la_recording_lost_stack_count(const struct la_recording *recording)
{
	return recording->stacks.lost;
}

LA_EXPORT const struct la_frame *
la_recording_frame(const struct la_recording *recording, uint32_t frame)
{
	return &recording->frames[frame];
}

LA_EXPORT uint32_t
la_recording_frame_count(const struct la_recording *recording)
{
	return (uint32_t)recording->stacks.frames.count;
}
