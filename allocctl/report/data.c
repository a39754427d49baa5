// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/version.h>

#include "allocctl/picture.h"
#include "allocctl/print.h"
#include "base64.h"
#include "data.h"
#include "log.h"
#include "timeline-sums.h"
#include "util/error.h"

/* A view while it is written. */
struct writer {
	const struct view *view;
	struct la_json *json;
	struct log log;
	uint32_t *stack_number; /* owned, see struct log */
	uint32_t stack_count;
	int error;
};

/* A la_json_sink: only strings have a '<', in which it may be escaped. */
static int escape(void *arg, const char *text, size_t length)
{
	struct la_strbuf *out = arg;
	const char *at;

	while ((at = memchr(text, '<', length))) {
		la_strbuf_add(out, text, (size_t)(at - text));
		la_strbuf_addstr(out, "\\u003c");
		length -= (size_t)(at + 1 - text);
		text = at + 1;
	}
	la_strbuf_add(out, text, length);
	return out->failed ? -ENOMEM : 0;
}

/* high: bytes of the highest that is drawn; a limit above it is not. */
static void json_peak(struct la_json *json, const struct la_timeline *timeline)
{
	struct timeline_sums sums;

	timeline_sum(&sums, timeline);
	la_json_key(json, "peak");
	la_json_object_begin(json);
	la_json_member_uint(json, "event", timeline->peak);
	la_json_member_uint(json, "live", timeline->peak_live);
	la_json_member_uint(json, "reserved", timeline->peak_reserved);
	la_json_object_end(json);
	la_json_member_uint(json, "high", sums.high);
}

static void json_head(struct la_json *json, const struct view *view)
{
	const struct source *source = view->request.source;
	const struct la_timeline *timeline = &view->timeline;
	const struct la_card *card = view_card(view);

	la_json_member_text(json, "name", view->name);
	la_json_member_text(json, "file", source->path);
	la_json_member_uint(json, "device", source->device);
	la_json_member_text(json, "torch",
			    view_torch(view));
	la_json_member_text(json, "gpu", card ? card->name : NULL);
	la_json_member_text(json, "setting", view->setting_text);
	la_json_member_text(json, "policy",
			    print_policies[view->replay.policy]);
	source_json_limit(json, "limit", &timeline->limit);
	la_json_member_known_uint(json, "total", timeline->total,
				  timeline->total);
	la_json_member_uint(json, "events", timeline->event_count);
	json_peak(json, timeline);
}

static void json_streams(struct la_json *json,
			 const struct la_recording *recording)
{
	uint32_t count = la_recording_stream_count(recording), i;
	char text[32];

	la_json_key(json, "streams");
	la_json_array_begin(json);
	for (i = 0; i < count; i++)
		la_json_text(json, source_stream_text(text, recording, i));
	la_json_array_end(json);
}

static void json_pools(struct la_json *json, const struct log *log)
{
	size_t i;

	la_json_key(json, "pools");
	la_json_array_begin(json);
	for (i = 0; i < log->pool_count; i++) {
		la_json_array_begin(json);
		la_json_uint(json, log->pool_id[i][0]);
		la_json_uint(json, log->pool_id[i][1]);
		la_json_array_end(json);
	}
	la_json_array_end(json);
}

static void json_phases(struct la_json *json,
			const struct la_timeline *timeline)
{
	size_t i;

	la_json_key(json, "phases");
	la_json_array_begin(json);
	for (i = 0; i < timeline->phase_count; i++) {
		la_json_array_begin(json);
		la_json_uint(json, timeline->phase[i].event[0]);
		la_json_uint(json, timeline->phase[i].event[1]);
		la_json_text(json, timeline->phase[i].name);
		la_json_array_end(json);
	}
	la_json_array_end(json);
}

/* Frames have numbers in the order in which stacks need them. */
struct frames {
	uint32_t *number; /* owned; by frame of the recording: + 1, or 0 */
	uint32_t *frame; /* owned; by number */
	uint32_t count;
};

static void json_stack(struct writer *writer, struct frames *frames,
		       uint32_t stack)
{
	const uint32_t *frame;
	size_t count = la_recording_stack(
			       writer->view->request.source->recording, stack,
			       &frame), i;

	la_json_array_begin(writer->json);
	for (i = 0; i < count; i++) {
		if (!frames->number[frame[i]]) {
			frames->frame[frames->count++] = frame[i];
			frames->number[frame[i]] = frames->count;
		}
		la_json_uint(writer->json, frames->number[frame[i]] - 1);
	}
	la_json_array_end(writer->json);
}

static void json_frames(struct writer *writer, const struct frames *frames)
{
	struct la_json *json = writer->json;
	uint32_t i;

	la_json_key(json, "frames");
	la_json_array_begin(json);
	for (i = 0; i < frames->count; i++) {
		const struct la_frame *frame = la_recording_frame(
			writer->view->request.source->recording,
			frames->frame[i]);

		la_json_array_begin(json);
		la_json_text(json, frame->function ? frame->function : "?");
		la_json_text(json, frame->file ? frame->file : "");
		la_json_uint(json, frame->line);
		la_json_array_end(json);
	}
	la_json_array_end(json);
}

static int json_stacks(struct writer *writer)
{
	const struct la_recording *recording =
		writer->view->request.source->recording;
	uint32_t all = la_recording_stack_count(recording), i;
	uint32_t *stack = calloc(writer->stack_count + 1, sizeof(*stack));
	size_t most = la_recording_frame_count(recording) + (size_t)1;
	struct frames frames = {
		.number = calloc(most, sizeof(*frames.number)),
		.frame = calloc(most, sizeof(*frames.frame)),
	};
	bool ready = stack && frames.number && frames.frame;

	for (i = 1; i < all && ready; i++)
		if (writer->stack_number[i])
			stack[writer->stack_number[i]] = i;
	la_json_key(writer->json, "stacks");
	la_json_array_begin(writer->json);
	for (i = 0; i <= writer->stack_count && ready; i++)
		json_stack(writer, &frames, stack[i]);
	la_json_array_end(writer->json);
	json_frames(writer, &frames);
	free(stack);
	free(frames.number);
	free(frames.frame);
	return ready ? 0 : -ENOMEM;
}

static void json_oom(struct la_json *json, const struct view *view,
		     const struct la_view_oom *oom)
{
	if (view->failed && oom->event == view->moment.event) {
		picture_json_moment(json, &view->moment, &view->holders);
		return;
	}
	la_json_object_begin(json);
	la_json_member_uint(json, "event", oom->event);
	la_json_member_uint(json, "size", oom->size);
	la_json_object_end(json);
}

static void json_ooms(struct la_json *json, const struct view *view)
{
	size_t i;

	la_json_key(json, "ooms");
	la_json_array_begin(json);
	for (i = 0; i < view->timeline.oom_count; i++)
		json_oom(json, view, &view->timeline.oom[i]);
	la_json_array_end(json);
}

static int json_log(struct writer *writer, const struct log *log)
{
	la_json_key(writer->json, "log");
	return base64_json(writer->json, log->bytes.data, log->bytes.length) ?
		       0 :
		       -ENOMEM;
}

static void json_time(struct la_json *json, const struct log *log)
{
	la_json_key(json, "time");
	if (!log->first_us) {
		la_json_null(json);
		return;
	}
	la_json_array_begin(json);
	la_json_uint(json, log->first_us);
	la_json_uint(json, log->last_us);
	la_json_array_end(json);
}

/* Rows of points: columns of doubles, the least byte first. */
enum { POINT_COLUMNS = 5, POINT_BYTES = POINT_COLUMNS * sizeof(double) };

static void put_double(uint8_t *at, double value)
{
	uint64_t bits;
	size_t b;

	memcpy(&bits, &value, sizeof(bits));
	for (b = 0; b < sizeof(bits); b++)
		at[b] = (uint8_t)(bits >> 8 * b);
}

/* It holds behind its events: before those that follow, up to the next
 * point's first, which names it. */
static void put_point(uint8_t *at, const struct la_timeline *timeline,
		      size_t number)
{
	const struct la_timeline_point *point = &timeline->point[number];
	uint64_t last = number + 1 < timeline->point_count ?
				point[1].event :
				timeline->event_count;
	const uint64_t values[POINT_COLUMNS] = {
		last, point->live[0], point->live[1], point->reserved[0],
		point->reserved[1],
	};
	size_t k;

	for (k = 0; k < POINT_COLUMNS; k++)
		put_double(at + k * sizeof(double), (double)values[k]);
}

static int json_points(struct la_json *json,
		       const struct la_timeline *timeline)
{
	size_t count = timeline->point_count, i;
	uint8_t *bytes = malloc(count * POINT_BYTES + 1);
	bool done;

	if (!bytes)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		put_point(bytes + i * POINT_BYTES, timeline, i);
	la_json_key(json, "points");
	la_json_object_begin(json);
	la_json_member_uint(json, "count", count);
	la_json_member_uint(json, "events_per_point",
			    count > 1 ? timeline->point[1].event : 1);
	la_json_key(json, "columns");
	done = base64_json(json, bytes, count * POINT_BYTES);
	la_json_object_end(json);
	free(bytes);
	return done ? 0 : -ENOMEM;
}

static int json_moment(struct writer *writer, const struct la_map *map,
		       const char *label)
{
	int code;

	log_restart(&writer->log);
	code = log_add_map(&writer->log, map);
	la_json_object_begin(writer->json);
	la_json_member_uint(writer->json, "event", map->event);
	la_json_member_text(writer->json, "label", label);
	if (!code)
		code = json_log(writer, &writer->log);
	la_json_object_end(writer->json);
	return code;
}

/* The moment of the view, where most is live, and the end, by event. */
static int json_moments(struct writer *writer, struct la_error *err)
{
	const struct view *view = writer->view;
	const struct source *source = view->request.source;
	const uint64_t others[] = { view->timeline.peak,
				    view->timeline.event_count };
	static const char *const labels[] = { "peak", "end" };
	char text[48];
	struct la_map map;
	size_t i;
	int code;

	la_json_key(writer->json, "moments");
	la_json_array_begin(writer->json);
	code = json_moment(writer, &view->map, view_moment_name(view, text));
	for (i = 0; i < 2 && !code; i++) {
		if (others[i] == view->map.event)
			continue;
		code = la_map_read(&map, source->recording,
				   (unsigned int)source->device,
				   source->program, &view->look, others[i],
				   err);
		if (code < 0)
			break;
		code = json_moment(writer, &map, labels[i]);
		la_map_release(&map);
	}
	la_json_array_end(writer->json);
	return code;
}

/* All events, or points and moments. */
static int json_events(struct writer *writer, struct la_error *err)
{
	const struct view *view = writer->view;
	const struct source *source = view->request.source;
	bool complete = view->timeline.event_count <= DATA_EVENTS;
	int code;

	la_json_member_bool(writer->json, "complete", complete);
	if (!complete) {
		la_json_member_null(writer->json, "time");
		la_json_member_null(writer->json, "log");
		code = json_points(writer->json, &view->timeline);
		return code ? code : json_moments(writer, err);
	}
	code = la_view_walk(source->recording, (unsigned int)source->device,
			    source->program, &view->look, log_add,
			    &writer->log, err);
	if (!code)
		code = log_finish(&writer->log);
	if (code < 0)
		return code;
	json_time(writer->json, &writer->log);
	return json_log(writer, &writer->log);
}

static int json_body(struct writer *writer, struct la_error *err)
{
	const struct la_recording *recording =
		writer->view->request.source->recording;
	int code = json_events(writer, err);

	if (!code)
		code = json_stacks(writer);
	json_streams(writer->json, recording);
	json_pools(writer->json, &writer->log);
	json_phases(writer->json, &writer->view->timeline);
	json_ooms(writer->json, writer->view);
	return code;
}

static int json_view(struct la_json *json, const struct view *view,
		     struct la_error *err)
{
	const struct la_recording *recording =
		view->request.source->recording;
	struct writer writer = { .view = view, .json = json };
	int code = -ENOMEM;

	writer.stack_number = calloc(la_recording_stack_count(recording),
				     sizeof(*writer.stack_number));
	if (writer.stack_number)
		code = log_init(&writer.log, writer.stack_number,
				&writer.stack_count);
	la_json_object_begin(json);
	json_head(json, view);
	if (!code)
		code = json_body(&writer, err);
	la_json_object_end(json);
	log_release(&writer.log);
	free(writer.stack_number);
	return code;
}

/* What is JSON already. */
static void add_member(struct la_strbuf *out, const char *key,
		       const char *text)
{
	la_strbuf_addf(out, ",\"%s\":", key);
	escape(out, text ? text : "null", strlen(text ? text : "null"));
}

int data_add(struct la_strbuf *out, const struct data *data,
	     struct la_error *err)
{
	struct la_json json;
	int code = 0;
	size_t i;

	la_strbuf_addstr(out, "{\"schema\":\"allocctl.report/1\",\"program\":"
			      "\"allocctl " LA_VERSION "\",\"views\":");
	la_json_init(&json, escape, out);
	la_json_array_begin(&json);
	for (i = 0; i < data->view_count && !code; i++)
		code = json_view(&json, &data->view[i], err);
	la_json_array_end(&json);
	add_member(out, "tune", data->tune);
	add_member(out, "triage", data->triage);
	la_strbuf_addstr(out, "}");
	if (!code && out->failed)
		code = -ENOMEM;
	return code == -ENOMEM ? la_error_set(err, code, LA_NO_OFFSET,
					      "out of memory") :
				 code;
}
