// SPDX-License-Identifier: Apache-2.0
/* From a recording to what the program asked for: la_program_new(). */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "heap/internal.h"
#include "replay/program.h"
#include "util/error.h"

#define BEGIN_EMPTY SIZE_MAX

enum {
	STREAMS_MAX = 4096,
	SETTING_CUTS = 64, /* items of a setting that may be refused */
	POOLS_GONE = 64, /* ids that pools have which are gone by the end */
	LATER_STARTS = 4, /* that are tried, see start_later() */
};

static bool is_allocator_event(const struct la_event *event)
{
	return event->action <= LA_OOM;
}

/* Leave out what is no event of the allocator, if there is any. */
static int filter_events(struct la_program *program)
{
	const struct la_recorded_device *device = program->device;
	size_t count = 0, i;

	program->event = device->events;
	program->event_count = device->event_count;
	for (i = 0; i < device->event_count; i++)
		count += is_allocator_event(&device->events[i]);
	if (count == device->event_count)
		return 0;
	program->filtered = malloc((count + 1) * sizeof(*program->filtered));
	if (!program->filtered)
		return -ENOMEM;
	program->event = program->filtered;
	program->event_count = count;
	for (i = count = 0; i < device->event_count; i++)
		if (is_allocator_event(&device->events[i]))
			program->filtered[count++] = device->events[i];
	return 0;
}

/* A truncated file may end inside a request: its last event is missing. */
static void leave_out_cut_request(struct la_program *program)
{
	while (program->event_count) {
		uint8_t action =
			program->event[program->event_count - 1].action;

		if (action == LA_ALLOC || action == LA_OOM ||
		    action == LA_FREE_REQUESTED)
			break;
		program->event_count--;
	}
}

static int take_changes(struct la_program *program,
			const struct la_program_options *options,
			struct la_error *err)
{
	size_t i;
	int code = 0;

	for (i = 0; i < options->set_at_count; i++)
		if (options->set_at[i].event > program->event_count)
			return la_error_set(err, -EINVAL, LA_NO_OFFSET,
					    "there is no event %" PRIu64
					    " to change the setting before",
					    options->set_at[i].event);
	for (i = 0; i < options->set_at_count && !code; i++)
		code = program_add_change(program, options->set_at[i].event,
					  options->set_at[i].setting);
	if (i) {
		program->info.changed_to = options->set_at[i - 1].setting;
		program->info.changed_at[0] = program->info.changed_at[1] =
			options->set_at[i - 1].event;
	}
	return code;
}

/* Pools that are too many, or mappings of more memory than there is. */
static int tell_too_big(int code, struct la_error *err)
{
	return code == -E2BIG ?
		       la_error_set(err, code, LA_NO_OFFSET,
				    "more pools or mapped memory than are "
				    "supported") :
		       code;
}

static int add_pools(struct la_program *program, struct la_error *err)
{
	static const uint64_t default_pool[2];
	int code = program_pool(program, default_pool);

	if (!code)
		code = program_read_pools(program);
	return tell_too_big(code, err);
}

static int copy_streams(struct la_program *program,
			const struct la_recording *recording,
			struct la_error *err)
{
	uint32_t i;

	program->stream_count = la_recording_stream_count(recording);
	if (program->stream_count > STREAMS_MAX)
		return la_error_set(err, -E2BIG, LA_NO_OFFSET,
				    "%" PRIu32 " streams; at most %d are "
				    "supported", program->stream_count,
				    STREAMS_MAX);
	program->streams = malloc((program->stream_count + 1) *
				  sizeof(*program->streams));
	if (!program->streams)
		return -ENOMEM;
	for (i = 0; i < program->stream_count; i++)
		program->streams[i] = la_recording_stream(recording, i);
	return 0;
}

/* Cut the item of a setting at an offset, and a comma with it. */
static void cut_item(char *text, size_t offset)
{
	size_t begin = 0, end;
	int depth = 0;

	for (end = 0; text[end]; end++) {
		depth += (text[end] == '[') - (text[end] == ']');
		if (text[end] != ',' || depth > 0)
			continue;
		if (end >= offset)
			break;
		begin = end + 1;
	}
	if (text[end])
		end++;
	else if (begin)
		begin--;
	memmove(text + begin, text + end, strlen(text + end) + 1);
}

int program_parse(struct la_setting **out, const char *text,
		  unsigned int release, struct la_error *err)
{
	const struct la_setting_context context = {
		.release = release,
		.set_at = LA_SET_AT_INIT,
	};

	return la_setting_parse_for(out, text, strlen(text), &context, err);
}

/* Of what the release refuses, the self-check tells whether it mattered. */
static int parse_recorded(struct la_program *program, const char *text)
{
	struct la_error wrong = { 0 };
	char *rest = strdup(text);
	int code = rest ? -EINVAL : -ENOMEM, cuts;

	for (cuts = 0; code == -EINVAL && cuts < SETTING_CUTS; cuts++) {
		code = program_parse(&program->setting, rest,
				     program->info.release, &wrong);
		if (code == -EINVAL)
			cut_item(rest, (size_t)wrong.offset);
	}
	if (!code && cuts > 1)
		program->info.refused_setting = text;
	free(rest);
	return code;
}

static int parse_setting(struct la_program *program, const char *given,
			 struct la_error *err)
{
	const char *text = given ? given : program->device->setting;
	unsigned int release = program->info.release;
	int code;

	if (!text)
		text = "";
	code = given ? program_parse(&program->setting, text, release, err) :
		       parse_recorded(program, text);
	if (code == -EINVAL)
		la_error_set(err, code, LA_NO_OFFSET,
			     "torch %u.%u refuses the setting '%.160s'",
			     release >> 8, release & 0xff, text);
	return code;
}

static int read_recording(struct la_program *program,
			  const struct la_recording *recording,
			  const struct la_program_options *options,
			  struct la_error *err)
{
	int code = filter_events(program);

	if (!code && la_recording_is_partial(recording))
		leave_out_cut_request(program);
	if (program->event_count >= LA_NO_BLOCK)
		return la_error_set(err, -E2BIG, LA_NO_OFFSET,
				    "more than 2^32 events");
	if (!code)
		code = copy_streams(program, recording, err);
	if (!code)
		code = parse_setting(program, options->setting, err);
	if (!code)
		code = add_pools(program, err);
	if (!code)
		code = take_changes(program, options, err);
	return code;
}

/* The failed request that no other request follows has to be served. */
static void mark_last_failure(struct la_program *program)
{
	size_t i;

	for (i = program->op_count; i; i--) {
		struct op *op = &program->op[i - 1];

		if (is_served(op))
			return;
		if (op->kind != OP_FAIL)
			continue;
		op->must = true;
		program->info.ends_in_oom = true;
		program->info.failed_size = op->size;
		return;
	}
}

uint64_t program_live_bytes(uint64_t asked)
{
	uint64_t rounded = (asked + BLOCK_MIN - 1) & ~(BLOCK_MIN - 1);

	return rounded ? rounded : BLOCK_MIN;
}

bool maps_small(const struct la_setting_values *setting, uint64_t size)
{
	return size % setting->large_segment_size != 0;
}

/* Highest sum of the requests that are held, each rounded up to 512 bytes;
 * the last failed one counts.  bytes: of each slot. */
static uint64_t peak_held(const struct la_program *program, uint64_t *bytes,
			  enum op_kind end)
{
	uint64_t held = 0, peak;
	size_t i;

	for (i = 0; i < program->piece_count; i++) {
		const struct start_piece *piece = &program->piece[i];

		if (!is_busy(piece) ||
		    (piece->state == PIECE_PENDING && end == OP_FREE_REQUEST))
			continue;
		bytes[piece->slot] = program_live_bytes(piece->asked);
		held += bytes[piece->slot];
	}
	peak = held;
	for (i = 0; i < program->op_count; i++) {
		const struct op *op = &program->op[i];

		if (is_served(op)) {
			bytes[op->slot] = program_live_bytes(op->size);
			held += bytes[op->slot];
		} else if (op->kind == OP_FREE || op->kind == end) {
			held -= bytes[op->slot];
		} else if (op->must &&
			   held + program_live_bytes(op->size) > peak) {
			peak = held + program_live_bytes(op->size);
		}
		if (held > peak)
			peak = held;
	}
	return peak;
}

static int measure_live(struct la_program *program)
{
	uint64_t *bytes = calloc(program->slot_count + 1, sizeof(*bytes));

	if (!bytes)
		return -ENOMEM;
	program->info.peak_live = peak_held(program, bytes, OP_FREE_COMPLETE);
	program->floor = peak_held(program, bytes, OP_FREE_REQUEST);
	free(bytes);
	return 0;
}

/* Labels of the default pool say no more than that nothing contradicts. */
static int list_inferred(struct la_program *program)
{
	const struct labels *labels = &program->labels;
	size_t count = 0, i;

	program->inferred = calloc(labels->count + 1,
				   sizeof(*program->inferred));
	if (!program->inferred)
		return -ENOMEM;
	for (i = 0; i < labels->count; i++) {
		const struct label *label = &labels->at[i];
		const uint64_t *id = program->pool[label->pool];

		if (label->pool == LA_DEFAULT_POOL ||
		    label->event >= program->event_count ||
		    program->event[label->event].action == LA_OOM)
			continue;
		program->inferred[count++] = (struct la_inferred_pool){
			.event = label->event,
			.pool = { id[0], id[1] },
			.gone = id[0] > UINT64_MAX - POOLS_GONE,
		};
	}
	program->info.inferred_count = count;
	return 0;
}

static void count_ops(struct la_program *program)
{
	struct la_program_info *info = &program->info;
	size_t i;

	for (i = 0; i < program->op_count; i++) {
		const struct op *op = &program->op[i];

		info->request_count += is_served(op);
		info->oom_count += op->kind == OP_FAIL;
	}
	info->event_count = program->event_count;
	info->change_count = program->change_count;
}

/* Read from an event on, or BEGIN_EMPTY: from an empty heap. */
static int read_from(struct la_program *program, size_t from,
		     const struct la_program_options *options,
		     struct la_error *err)
{
	int code = 0;

	program->card = UINT64_MAX;
	limit_before_decode(program, options);
	if (from == BEGIN_EMPTY || la_recording_is_partial(program->recording))
		program_begin_empty(program);
	else
		code = program_rewind(program, from);
	return code < 0 ? code : decode_with_limit(program, err);
}

bool program_is_predicted(const struct la_program *program)
{
	return !program->info.adopted_count &&
	       program->info.understood == program->event_count;
}

/*
 * A history that begins inside a request, or was paused where nothing
 * contradicts at once, has events soon behind its start that no rule
 * predicts.  Start behind them if all is well from there on.
 */
static int start_later(struct la_program *program,
		       const struct la_program_options *options,
		       struct la_error *err)
{
	size_t first = program->info.first_event;
	int tries, code = 0;

	for (tries = 0; tries < LATER_STARTS && program->doubt; tries++) {
		code = read_from(program, program->doubt, options, err);
		if (code < 0 || program_is_predicted(program))
			return code;
	}
	return tries ? read_from(program, first, options, err) : 0;
}

/* Where all events contradict the final segments, history ended before the
 * snapshot was taken: it may be whole up to there. */
static int read_from_start(struct la_program *program,
			   const struct la_program_options *options,
			   struct la_error *err)
{
	int code = read_from(program, 0, options, err);

	if (code < 0)
		return code;
	if (program->info.first_event == program->event_count)
		return read_from(program, BEGIN_EMPTY, options, err);
	return program->info.window ? start_later(program, options, err) : 0;
}

/* What is not understood yet may be so for what the recording does not tell:
 * a setter that ran, or private pools that are gone. */
static int read_program(struct la_program *program,
			const struct la_program_options *options,
			struct la_error *err)
{
	int code = read_from_start(program, options, err);

	if (!code)
		code = program_seek_change(program, err);
	return code < 0 ? code : program_seek_pools(program, err);
}

int program_read(struct la_program **out, const struct la_recording *recording,
		 unsigned int device, const struct la_program_options *options,
		 struct la_error *err)
{
	struct la_program *program = calloc(1, sizeof(*program));
	int code;

	if (!program)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	program->info.release = options->release;
	program->recording = recording;
	program->device = la_recording_device(recording, device);
	code = read_recording(program, recording, options, err);
	if (code < 0)
		goto fail;
	program->info.setting = la_setting_text(program->setting);
	code = tell_too_big(read_program(program, options, err), err);
	if (code < 0)
		goto fail;
	mark_last_failure(program);
	count_ops(program);
	limit_after_decode(program);
	code = measure_live(program);
	if (!code)
		code = list_inferred(program);
	if (code < 0)
		goto fail;
	*out = program;
	return 0;

fail:
	if (code == -ENOMEM)
		la_error_set(err, code, LA_NO_OFFSET, "out of memory");
	la_program_free(program);
	return code;
}

LA_EXPORT void la_program_free(struct la_program *program)
{
	if (!program)
		return;
	free(program->filtered);
	free(program->op);
	free(program->answer);
	free(program->streams);
	free(program->pool);
	free(program->event_pool);
	free(program->inferred);
	labels_destroy(&program->labels);
	free(program->start);
	free(program->piece);
	program_forget_changes(program);
	la_setting_free(program->setting);
	free(program);
}

LA_EXPORT const struct la_inferred_pool *
la_program_inferred_pools(const struct la_program *program)
{
	return program->inferred;
}

LA_EXPORT const struct la_program_info *
la_program_info(const struct la_program *program)
{
	return &program->info;
}

LA_EXPORT const struct la_setting_values *
la_program_setting(const struct la_program *program)
{
	return la_setting_values(program->setting);
}
