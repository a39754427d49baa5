// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes, whole and as what is left of a recording, keep the promises, and
 * say the same with and without the short cut for events and blocks.  What is
 * read can be written, and a pickle of it read again.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/trace.h>

#include "support/slow.h"

enum { MEMORY_LIMIT = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void check_segments(const struct la_recorded_device *device)
{
	size_t i, next = 0;
	uint64_t end = 0;

	for (i = 0; i < device->segment_count; i++) {
		const struct la_recorded_segment *s = &device->segments[i];
		uint64_t size = 0;
		uint32_t j;

		must(s->size > 0 && s->addr >= end);
		end = s->addr + s->size;
		must(end > s->addr && s->first_block == next);
		for (j = 0; j < s->block_count; j++, next++)
			size += device->blocks[next].size;
		must(size == s->size);
	}
	must(next == device->block_count);
}

static void check_stack(const struct la_recording *recording, uint32_t stack)
{
	const uint32_t *frames;
	size_t count, i;

	must(stack < la_recording_stack_count(recording));
	count = la_recording_stack(recording, stack, &frames);
	for (i = 0; i < count; i++)
		must(frames[i] < la_recording_frame_count(recording));
}

static void check_device(const struct la_recording *recording,
			 const struct la_recorded_device *device)
{
	uint32_t streams = la_recording_stream_count(recording);
	size_t i;

	for (i = 0; i < device->event_count; i++) {
		const struct la_event *event = &device->events[i];

		must(event->action < LA_ACTION_COUNT);
		must(event->stream < streams);
		must(event->size <= (uint64_t)1 << 62);
		must(!event->reserved);
		must(event->pool < la_recording_pool_count(recording));
		must(!event->pool || device->has_pool_ids);
		if (device->event_stacks)
			check_stack(recording, device->event_stacks[i]);
	}
	for (i = 0; i < device->block_count; i++)
		check_stack(recording, device->blocks[i].stack);
	for (i = 0; i < device->segment_count; i++)
		must(device->segments[i].stream < streams);
	check_segments(device);
}

struct bytes {
	uint8_t *data; /* owned */
	size_t size;
};

static int take(void *data, const void *bytes, size_t size)
{
	struct bytes *out = data;
	uint8_t *grown = realloc(out->data, out->size + size);

	if (!grown)
		return -ENOMEM;
	out->data = grown;
	memcpy(out->data + out->size, bytes, size);
	out->size += size;
	return 0;
}

static void check_again(const struct la_recording *a,
			const struct la_recording *b)
{
	unsigned int count = la_recording_device_count(a), i;

	must(la_recording_device_count(b) == count);
	for (i = 0; i < count; i++) {
		const struct la_recorded_device *x = la_recording_device(a, i);
		const struct la_recorded_device *y = la_recording_device(b, i);

		must(x->event_count == y->event_count);
		must(x->segment_count == y->segment_count);
		must(x->block_count == y->block_count);
		must(!x->setting || !strcmp(x->setting, y->setting));
	}
}

static void write_all(const struct la_recording *recording)
{
	const struct la_recording_options options = {
		.memory_limit = 4 * (uint64_t)MEMORY_LIMIT,
	};
	struct la_recording *again;
	struct bytes out = { 0 };

	must(la_recording_write(recording, LA_FORMAT_PERFETTO, take, &out,
				NULL) == 0);
	out.size = 0;
	must(la_recording_write(recording, LA_FORMAT_CSV, take, &out, NULL) ==
	     0);
	out.size = 0;
	must(la_recording_write(recording, LA_FORMAT_PICKLE, take, &out,
				NULL) == 0);
	must(la_recording_read(&again, out.data, out.size, &options, NULL) ==
	     0);
	check_again(recording, again);
	la_recording_free(again);
	free(out.data);
}

static int read_one(const uint8_t *data, size_t size, bool partial)
{
	const struct la_recording_options options = {
		.partial = partial,
		.memory_limit = MEMORY_LIMIT,
	};
	struct la_recording *recording = NULL;
	struct la_error err = { .code = 1 };
	unsigned int i;
	int ret;

	ret = la_recording_read(&recording, data, size, &options, &err);
	if (ret < 0) {
		must(!recording && err.code == ret && err.text[0]);
		return ret;
	}
	must(err.code == 1 && la_recording_device_count(recording) > 0);
	must(partial || !la_recording_is_partial(recording));
	for (i = 0; i < la_recording_device_count(recording); i++)
		check_device(recording, la_recording_device(recording, i));
	write_all(recording);
	la_recording_free(recording);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (read_one(data, size, false) == 0)
		must(read_one(data, size, true) == 0);
	else
		read_one(data, size, true);
	if (size && data[0] == 0x80) { /* no compressed data */
		must(!slow_differs(data, size, false, MEMORY_LIMIT));
		must(!slow_differs(data, size, true, MEMORY_LIMIT));
	}
	return 0;
}
