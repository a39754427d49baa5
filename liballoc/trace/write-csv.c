// SPDX-License-Identifier: Apache-2.0
/* RFC 4180.  A field that is empty is not known, or the event has none. */
#include "trace/output.h"

static void comma(struct la_output *out)
{
	la_output_byte(out, ',');
}

/* Quoted, with quotes doubled. */
static void put_escaped(struct la_output *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"')
			la_output_byte(out, '"');
		la_output_byte(out, (uint8_t)*text);
	}
}

/* "f (x.py:3); g (x.py:4)", the innermost first. */
static void put_stack(struct la_output *out,
		      const struct la_recording *recording, uint32_t stack)
{
	const struct la_frame *frame;
	const uint32_t *frames;
	size_t count = la_recording_stack(recording, stack, &frames), i;

	if (!count)
		return;
	la_output_byte(out, '"');
	for (i = 0; i < count; i++) {
		frame = la_recording_frame(recording, frames[i]);
		la_output_text(out, i ? "; " : "");
		put_escaped(out, frame->function ? frame->function : "?");
		la_output_text(out, " (");
		put_escaped(out, frame->file ? frame->file : "?");
		la_output_byte(out, ':');
		la_output_uint(out, frame->line);
		la_output_byte(out, ')');
	}
	la_output_byte(out, '"');
}

static void put_pool(struct la_output *out,
		     const struct la_recording *recording, uint16_t pool)
{
	uint64_t id[2];

	la_recording_pool(recording, pool, id);
	la_output_uint(out, id[0]);
	la_output_byte(out, ':');
	la_output_uint(out, id[1]);
}

static void put_event(struct la_output *out,
		      const struct la_recording *recording,
		      const struct la_recorded_device *device, size_t i)
{
	const struct la_event *event = &device->events[i];
	bool is_oom = event->action == LA_OOM;

	comma(out);
	if (event->time_us)
		la_output_uint(out, event->time_us);
	comma(out);
	la_output_text(out, la_action_name((enum la_action)event->action));
	comma(out);
	if (!is_oom)
		la_output_uint(out, event->addr);
	comma(out);
	la_output_uint(out, event->size);
	comma(out);
	la_output_uint(out, la_recording_stream(recording, event->stream));
	comma(out);
	if (is_oom)
		la_output_uint(out, event->addr);
	comma(out);
	if (device->has_pool_ids)
		put_pool(out, recording, event->pool);
	comma(out);
	if (device->event_stacks)
		put_stack(out, recording, device->event_stacks[i]);
}

int la_write_csv(const struct la_recording *recording, struct la_output *out)
{
	unsigned int count = la_recording_device_count(recording), d;
	size_t i;

	la_output_text(out, "device,index,time_us,action,addr,size,stream,"
			    "device_free,pool,frames\r\n");
	for (d = 0; d < count; d++) {
		const struct la_recorded_device *device =
			la_recording_device(recording, d);

		for (i = 0; i < device->event_count && !out->err; i++) {
			la_output_uint(out, d);
			comma(out);
			la_output_uint(out, i);
			put_event(out, recording, device, i);
			la_output_text(out, "\r\n");
		}
	}
	return 0;
}
