// SPDX-License-Identifier: Apache-2.0
/*
 * JSON in the trace event format.  Devices are processes; what they held
 * before the first event follows from what they hold at the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "trace/output.h"
#include "util/json.h"

enum counter { RESERVED, ALLOCATED, ACTIVE, COUNTERS };

/* Bytes that an event adds to or takes from a counter. */
struct effect {
	enum counter counter;
	int sign; /* 0: none */
};

static const char *const counter_names[COUNTERS] = { "reserved", "allocated",
						     "active" };

struct trace {
	const struct la_recording *recording;
	const struct la_recorded_device *device;
	unsigned int number; /* of the device */
	struct la_json json;
	uint64_t bytes[COUNTERS];
	bool failed; /* out of memory */
};

static int put(void *arg, const char *data, size_t length)
{
	struct la_output *out = arg;

	la_output_put(out, data, length);
	return out->err;
}

/* The effects of an event, at most two. */
static void find_effects(enum la_action action, struct effect effects[2])
{
	static const struct effect table[LA_ACTION_COUNT][2] = {
		[LA_ALLOC] = { { ALLOCATED, 1 }, { ACTIVE, 1 } },
		[LA_FREE_REQUESTED] = { { ALLOCATED, -1 } },
		[LA_FREE_COMPLETED] = { { ACTIVE, -1 } },
		[LA_SEGMENT_ALLOC] = { { RESERVED, 1 } },
		[LA_SEGMENT_FREE] = { { RESERVED, -1 } },
		[LA_SEGMENT_MAP] = { { RESERVED, 1 } },
		[LA_SEGMENT_UNMAP] = { { RESERVED, -1 } },
	};

	effects[0] = table[action][0];
	effects[1] = table[action][1];
}

/* Add an event's bytes, backwards if `back`; a counter stays within 0 and
 * 2^64 - 1 whatever a damaged recording says. */
static void apply(uint64_t bytes[COUNTERS], const struct effect *effect,
		  uint64_t size, bool back)
{
	uint64_t *value = &bytes[effect->counter];

	if ((effect->sign > 0) != back)
		*value =
			*value > UINT64_MAX - size ? UINT64_MAX : *value + size;
	else
		*value -= size < *value ? size : *value;
}

/* What is held at the end. */
static void count_final(struct trace *trace)
{
	const struct la_recorded_device *device = trace->device;
	size_t i;

	memset(trace->bytes, 0, sizeof(trace->bytes));
	for (i = 0; i < device->segment_count; i++)
		trace->bytes[RESERVED] += device->segments[i].size;
	for (i = 0; i < device->block_count; i++) {
		const struct la_recorded_block *block = &device->blocks[i];

		if (block->state == LA_RECORDED_LIVE)
			trace->bytes[ALLOCATED] += block->requested;
		if (block->state != LA_RECORDED_FREE)
			trace->bytes[ACTIVE] += block->requested;
	}
}

/* And what was held before the first event. */
static void undo_events(struct trace *trace)
{
	struct effect effects[2];
	size_t i, k;

	for (i = trace->device->event_count; i-- > 0;) {
		const struct la_event *event = &trace->device->events[i];

		find_effects((enum la_action)event->action, effects);
		for (k = 0; k < 2; k++)
			if (effects[k].sign)
				apply(trace->bytes, &effects[k], event->size,
				      true);
	}
}

/* Microseconds; without times the events count. */
static uint64_t time_of(const struct trace *trace, size_t event)
{
	const struct la_recorded_device *device = trace->device;
	uint64_t time =
		event < device->event_count ? device->events[event].time_us : 0;

	return time ? time : event;
}

/* An event but for its arguments, which go into an open object. */
static void begin_event(struct trace *trace, const char *name,
			const char *phase, uint64_t time)
{
	la_json_object_begin(&trace->json);
	la_json_member_text(&trace->json, "name", name);
	la_json_member_text(&trace->json, "ph", phase);
	la_json_member_uint(&trace->json, "ts", time);
	la_json_member_uint(&trace->json, "pid", trace->number + 1);
	la_json_member_uint(&trace->json, "tid", trace->number + 1);
	if (*phase == 'i')
		la_json_member_text(&trace->json, "s", "p");
	la_json_key(&trace->json, "args");
	la_json_object_begin(&trace->json);
}

static void end_event(struct trace *trace)
{
	la_json_object_end(&trace->json);
	la_json_object_end(&trace->json);
}

static void put_counter(struct trace *trace, enum counter counter,
			uint64_t time)
{
	begin_event(trace, counter_names[counter], "C", time);
	la_json_member_uint(&trace->json, "bytes", trace->bytes[counter]);
	end_event(trace);
}

static void put_frames(struct trace *trace, uint32_t stack)
{
	const uint32_t *frames;
	size_t count = la_recording_stack(trace->recording, stack, &frames), i;
	char line[24];

	la_json_key(&trace->json, "frames");
	la_json_array_begin(&trace->json);
	for (i = 0; i < count; i++) {
		const struct la_frame *frame =
			la_recording_frame(trace->recording, frames[i]);
		struct la_strbuf text = { 0 };

		snprintf(line, sizeof(line), ":%" PRIu32 ")", frame->line);
		la_strbuf_addstr(&text,
				 frame->function ? frame->function : "?");
		la_strbuf_addstr(&text, " (");
		la_strbuf_addstr(&text, frame->file ? frame->file : "?");
		la_strbuf_addstr(&text, line);
		la_json_text(&trace->json, la_strbuf_text(&text));
		trace->failed |= text.failed;
		la_strbuf_release(&text);
	}
	la_json_array_end(&trace->json);
}

static void put_instant(struct trace *trace, size_t i)
{
	const struct la_event *event = &trace->device->events[i];

	begin_event(trace, la_action_name((enum la_action)event->action), "i",
		    time_of(trace, i));
	la_json_member_uint(&trace->json, "size", event->size);
	la_json_member_uint(&trace->json,
			    event->action == LA_OOM ? "device_free" : "addr",
			    event->addr);
	la_json_member_uint(
		&trace->json, "stream",
		la_recording_stream(trace->recording, event->stream));
	if (trace->device->event_stacks && trace->device->event_stacks[i])
		put_frames(trace, trace->device->event_stacks[i]);
	end_event(trace);
}

static void put_event(struct trace *trace, size_t i)
{
	const struct la_event *event = &trace->device->events[i];
	struct effect effects[2];
	size_t k;

	find_effects((enum la_action)event->action, effects);
	if (!effects[0].sign)
		put_instant(trace, i);
	for (k = 0; k < 2; k++) {
		if (!effects[k].sign)
			continue;
		apply(trace->bytes, &effects[k], event->size, false);
		put_counter(trace, effects[k].counter, time_of(trace, i));
	}
}

static void put_device(struct trace *trace)
{
	unsigned int counter;
	char name[24];
	size_t i;

	snprintf(name, sizeof(name), "GPU %u", trace->number);
	begin_event(trace, "process_name", "M", 0);
	la_json_member_text(&trace->json, "name", name);
	end_event(trace);
	count_final(trace);
	undo_events(trace);
	for (counter = 0; counter < COUNTERS; counter++)
		put_counter(trace, (enum counter)counter, time_of(trace, 0));
	for (i = 0; i < trace->device->event_count && !trace->json.err; i++)
		put_event(trace, i);
}

int la_write_perfetto(const struct la_recording *recording,
		      struct la_output *out)
{
	struct trace trace = { .recording = recording };
	unsigned int count = la_recording_device_count(recording);

	la_json_init(&trace.json, put, out);
	la_json_object_begin(&trace.json);
	la_json_member_text(&trace.json, "displayTimeUnit", "ms");
	la_json_key(&trace.json, "traceEvents");
	la_json_array_begin(&trace.json);
	for (; trace.number < count; trace.number++) {
		trace.device = la_recording_device(recording, trace.number);
		put_device(&trace);
	}
	la_json_array_end(&trace.json);
	la_json_object_end(&trace.json);
	la_output_byte(out, '\n');
	return trace.failed ? -ENOMEM : 0;
}
