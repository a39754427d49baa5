// SPDX-License-Identifier: Apache-2.0
/*
 * A stretch of completions and segment events, explained by the request that
 * follows it (the alloc is logged last, so what it gave back stands before
 * it); only if that fails by a flush of the program before it; only if that
 * fails too by a refusal of the driver; and at last by taking the frees, or
 * the place of the block, as they were recorded.
 */

#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"
#include "heap/round.h"
#include "replay/decode.h"
#include "util/error.h"

/* A recording that no rule fits is left after this many adopted events, and
 * one in a hundred of all events. */
enum { ADOPTED_MAX = 1000 };

/* Of more completions than this, those that the flush made are tried as all. */
enum { LATE_MAX = 64 };

/* What a reading says of the stretch. */
struct reading {
	size_t begin, end; /* events of the stretch */
	const struct la_event *request; /* the alloc or oom, or NULL */
	bool refuse; /* the driver may refuse */
	bool flush; /* the program emptied the cache first */
	bool adopt; /* segment frees are taken as recorded */
	size_t late; /* completions of head that the request's own flush made */
};

/* Sort the events of a stretch: completions before and after the first
 * segment event, and the segment events. */
static int sort_events(struct decoder *decoder, size_t begin, size_t end)
{
	const struct la_event *event = decoder->program->event;
	struct index_list *list;
	size_t i;

	decoder->head.count = decoder->later.count = 0;
	decoder->segments.count = 0;
	for (i = begin; i < end; i++) {
		if (event[i].action == LA_FREE_COMPLETED)
			list = decoder->segments.count ? &decoder->later :
							 &decoder->head;
		else if (event[i].action == LA_SEGMENT_ALLOC ||
			 event[i].action == LA_SEGMENT_FREE)
			list = &decoder->segments;
		else
			continue;
		if (list_add(list, (uint32_t)i) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Segments that the stretch gave back, as recorded. */
static size_t count_recorded_frees(const struct decoder *decoder)
{
	const struct la_event *event = decoder->program->event;
	size_t count = 0, i;

	for (i = 0; i < decoder->segments.count; i++)
		count += event[decoder->segments.at[i]].action ==
			 LA_SEGMENT_FREE;
	return count;
}

static int complete_head(struct decoder *decoder, const struct reading *reading)
{
	size_t count = decoder->head.count - reading->late, i;
	int err;

	for (i = 0; i < count; i++) {
		uint64_t addr =
			decoder->program->event[decoder->head.at[i]].addr;
		uint32_t slot;

		if (!addr_map_get(&decoder->slot_at, addr, &slot) ||
		    !heap_is_pending(decoder->trial, decoder->block[slot]))
			return -EIO;
		err = decode_add_complete(decoder, decoder->head.at[i]);
		if (!err)
			err = la_heap_free_complete(decoder->trial,
						    decoder->block[slot]);
		if (err < 0)
			return err;
	}
	return 0;
}

static int adopt_frees(struct decoder *decoder)
{
	size_t i;
	int err;

	for (i = 0; i < decoder->segments.count; i++) {
		uint32_t at = decoder->segments.at[i];
		const struct la_event *event = &decoder->program->event[at];
		struct op op = { .kind = OP_DROP, .event = at };

		if (event->action != LA_SEGMENT_FREE)
			continue;
		err = heap_drop(decoder->trial, event->addr);
		if (err < 0)
			return err == -ENOENT ? -EIO : err;
		err = decode_add_op(decoder, &op);
		if (err < 0)
			return err;
	}
	return 0;
}

static int flush(struct decoder *decoder, uint32_t at)
{
	struct op op = { .kind = OP_FLUSH, .event = at };
	int err = la_heap_empty_cache(decoder->trial);

	return err < 0 ? err : decode_add_op(decoder, &op);
}

/* The request itself; an OOM is an answer, not an error. */
static int make_request(struct decoder *decoder, const struct reading *reading,
			la_block *block)
{
	int err = la_heap_alloc(decoder->trial, reading->request->size,
				(int)reading->request->stream, LA_DEFAULT_POOL, block);

	return err == -ENOSPC ? 0 : err;
}

/* Completions that a flush made; behind it they are late news, unless the
 * program is played under another setting. */
static int complete_late(struct decoder *decoder, const struct reading *reading)
{
	size_t i = decoder->head.count - reading->late;
	int err = 0;

	for (; i < decoder->head.count && !err; i++)
		err = decode_add_complete(decoder, decoder->head.at[i]);
	for (i = 0; i < decoder->later.count && !err; i++)
		err = decode_add_complete(decoder, decoder->later.at[i]);
	return err;
}

static int compare_index(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* Do two runs of completions name the same blocks?  The order of completions
 * of several streams depends on no rule. */
static int same_completions(struct decoder *decoder, size_t heard,
			    size_t recorded, size_t count)
{
	struct index_list *first = &decoder->first_run;
	struct index_list *second = &decoder->second_run;
	size_t i;

	first->count = second->count = 0;
	for (i = 0; i < count; i++) {
		const struct la_replay_event *done =
			&decoder->script.heard[heard + i];
		const struct la_event *event =
			&decoder->program->event[recorded + i];
		uint32_t slot;

		if (done->action != LA_FREE_COMPLETED ||
		    !addr_map_get(&decoder->slot_at, done->addr, &slot))
			return 0;
		if (list_add(first, slot) < 0)
			return -ENOMEM;
		if (!addr_map_get(&decoder->slot_at, event->addr, &slot))
			return 0;
		if (list_add(second, slot) < 0)
			return -ENOMEM;
	}
	qsort(first->at, count, sizeof(*first->at), compare_index);
	qsort(second->at, count, sizeof(*second->at), compare_index);
	for (i = 0; i < count; i++)
		if (first->at[i] != second->at[i])
			return 0;
	return 1;
}

static bool same_event(const struct decoder *decoder, size_t heard, size_t at)
{
	const struct la_replay_event *done = &decoder->script.heard[heard];
	const struct la_event *event = &decoder->program->event[at];

	return done->action == event->action && done->size == event->size &&
	       done->stream == decoder->program->streams[event->stream] &&
	       (done->action == LA_OOM || done->addr == event->addr);
}

/* Number of completions from an event on. */
static size_t run_length(const struct decoder *decoder, size_t at, size_t end)
{
	size_t count = 0;

	while (at + count < end && decoder->program->event[at + count].action ==
					   LA_FREE_COMPLETED)
		count++;
	return count;
}

/* Did the trial do all but the completions as recorded? */
static int segments_came_out(const struct decoder *decoder,
			     const struct reading *reading)
{
	size_t heard = 0, at = reading->begin;

	for (;; heard++, at++) {
		while (heard < decoder->script.heard_count &&
		       decoder->script.heard[heard].action ==
			       LA_FREE_COMPLETED)
			heard++;
		at += run_length(decoder, at, reading->end);
		if (heard == decoder->script.heard_count || at == reading->end)
			break;
		if (!same_event(decoder, heard, at))
			return 0;
	}
	return heard == decoder->script.heard_count && at == reading->end;
}

/* Did the trial do what was recorded? */
static int came_out(struct decoder *decoder, const struct reading *reading)
{
	size_t heard = 0, at = reading->begin;

	if (reading->adopt)
		return segments_came_out(decoder, reading);
	if (decoder->script.heard_count != reading->end - reading->begin)
		return 0;
	while (at < reading->end) {
		size_t run = run_length(decoder, at, reading->end);

		if (run) {
			int same = same_completions(decoder, heard, at, run);

			if (same <= 0)
				return same;
		} else if (!same_event(decoder, heard, at)) {
			return 0;
		}
		heard += run ? run : 1;
		at += run ? run : 1;
	}
	return 1;
}

/* Play a reading on the trial heap; ops are added as it goes.  Returns 0,
 * -EIO if it cannot be right, or another negative errno value. */
static int play_reading(struct decoder *decoder, const struct reading *reading,
			struct op *request, la_block *block)
{
	int err = complete_head(decoder, reading);

	if (!err && reading->adopt)
		err = adopt_frees(decoder);
	if (!err && reading->flush)
		err = flush(decoder, (uint32_t)reading->begin);
	if (!err && reading->request)
		err = make_request(decoder, reading, block);
	if (!err && reading->request)
		err = decode_add_op(decoder, request);
	if (!err)
		err = complete_late(decoder, reading);
	return err ? err : decoder->script.error;
}

static int take_answers(struct decoder *decoder)
{
	struct la_program *program = decoder->program;
	const struct script *script = &decoder->script;
	size_t i;

	for (i = 0; i < script->answer_count; i++) {
		if (grow_array(&program->answer, &program->answer_room,
			       program->answer_count,
			       sizeof(*program->answer)) < 0)
			return -ENOMEM;
		program->answer[program->answer_count++] = script->answer[i];
		program->info.refusal_count +=
			script->answer[i] == ANSWER_REFUSED;
	}
	if (script->refused < program->refused)
		program->refused = script->refused;
	return 0;
}

/* An OOM of a full card tells its limit: what was held, and what was free. */
static void learn_from_oom(struct decoder *decoder,
			   const struct reading *reading)
{
	struct la_program *program = decoder->program;
	const struct la_event *oom = reading->request;
	uint64_t segment = round_segment(la_setting_values(program->setting),
					 oom->size);

	if (decoder->script.refused != UINT64_MAX && oom->addr < segment)
		program->full_card =
			la_heap_stats(decoder->trial)->reserved + oom->addr;
}

/* The segment events of the stretch happened. */
static int take_segments(struct decoder *decoder)
{
	size_t i;
	int err = 0;

	for (i = 0; i < decoder->segments.count && !err; i++) {
		const struct la_event *event =
			&decoder->program->event[decoder->segments.at[i]];

		if (event->action == LA_SEGMENT_FREE)
			spans_remove(&decoder->held, event->addr);
		else
			err = spans_add(&decoder->held, event->addr,
					event->size);
	}
	return err;
}

/* The reading is right: the trial becomes the heap. */
static int accept(struct decoder *decoder, const struct reading *reading,
		  const struct op *request, la_block block)
{
	struct la_program_info *info = &decoder->program->info;
	struct la_heap *heap = decoder->heap;
	size_t i;
	int err = take_answers(decoder);

	if (!err)
		err = take_segments(decoder);
	if (reading->request && reading->request->action == LA_OOM)
		learn_from_oom(decoder, reading);
	decoder->heap = decoder->trial;
	decoder->trial = heap;
	for (i = 0; i < decoder->head.count && !err; i++)
		err = decode_let_go(decoder, decoder->head.at[i]);
	for (i = 0; i < decoder->later.count && !err; i++)
		err = decode_let_go(decoder, decoder->later.at[i]);
	if (!err && request->kind == OP_ALLOC && reading->request)
		err = decode_hold(decoder, request->event, request->slot,
				  block);
	info->flush_count += reading->flush;
	if (reading->adopt)
		info->adopted_count += count_recorded_frees(decoder);
	return err < 0 ? err : 1;
}

/* The op of the request of a stretch; a slot only for one that was served. */
static int begin_request(struct decoder *decoder, const struct reading *reading,
			 struct op *request)
{
	if (!reading->request)
		return 0;
	*request = (struct op){
		.kind = reading->request->action == LA_ALLOC ? OP_ALLOC :
							       OP_FAIL,
		.size = reading->request->size,
		.stream = reading->request->stream,
		.event = (uint32_t)(reading->end - 1),
	};
	if (request->kind == OP_FAIL)
		return 0;
	request->slot = decode_new_slot(decoder);
	return request->slot == LA_NO_BLOCK ? -ENOMEM : 0;
}

/* Try a reading.  Returns 1 if it is right, 0 if not, or a negative errno. */
static int attempt(struct decoder *decoder, const struct reading *reading)
{
	struct la_program *program = decoder->program;
	size_t op_count = program->op_count;
	struct op last = { 0 }, request = { 0 };
	la_block block = LA_NO_BLOCK;
	int got;

	if (op_count)
		last = program->op[op_count - 1];
	if (heap_copy(decoder->trial, decoder->heap) < 0 ||
	    begin_request(decoder, reading, &request) < 0)
		return -ENOMEM;
	script_begin(&decoder->script, decoder->trial, decoder->segments.at,
		     decoder->segments.count, reading->refuse);
	got = play_reading(decoder, reading, &request, &block);
	decoder->script.heap = NULL;
	if (!got)
		got = came_out(decoder, reading);
	if (got == 1)
		return accept(decoder, reading, &request, block);
	program->op_count = op_count;
	if (op_count)
		program->op[op_count - 1] = last;
	if (reading->request && request.kind == OP_ALLOC &&
	    list_add(&decoder->spare, request.slot) < 0)
		return -ENOMEM;
	return got == -EIO || got == -EBADMSG ? 0 : got;
}

/* Last resort for a request that no segment event stands before: a block of
 * the recorded address is cut out of free memory. */
static int adopt_place(struct decoder *decoder, const struct reading *reading)
{
	const struct la_event *event = reading->request;
	struct op op;
	la_block block;
	int err;

	if (decoder->segments.count || !event || event->action != LA_ALLOC)
		return 0;
	err = heap_place(decoder->heap, event->addr, event->size,
			 (int)event->stream, &block);
	if (err < 0)
		return err == -ENOENT ? 0 : err;
	err = begin_request(decoder, reading, &op);
	op.kind = OP_PLACE;
	decoder->program->info.adopted_count++;
	if (!err)
		err = decode_add_op(decoder, &op);
	if (!err)
		err = decode_hold(decoder, op.event, op.slot, block);
	return err < 0 ? err : 1;
}

static bool is_limited(const struct decoder *decoder)
{
	return decoder->program->cap != UINT64_MAX ||
	       decoder->program->card != UINT64_MAX;
}

/* A request gives back nothing before it was refused: the limit must be known
 * or be on trial for that. */
static bool request_explains(const struct decoder *decoder,
			     const struct reading *reading)
{
	const struct index_list *segments = &decoder->segments;

	if (!reading->request)
		return false;
	return reading->refuse || is_limited(decoder) || !segments->count ||
	       decoder->program->event[segments->at[0]].action !=
		       LA_SEGMENT_FREE;
}

static size_t next_late(size_t late, size_t most)
{
	return late == LATE_MAX && late < most ? most : late + 1;
}

/* The numbers of completions that a flush of the request's own may have made,
 * without and with a flush of the program before. */
static int try_late(struct decoder *decoder, struct reading *reading)
{
	bool flushed = count_recorded_frees(decoder);
	size_t most = 0;
	int got = 0;

	if (reading->request && (reading->refuse || is_limited(decoder)))
		most = decoder->head.count;
	for (reading->late = 0; reading->late <= most;
	     reading->late = next_late(reading->late, most)) {
		reading->flush = false;
		if (request_explains(decoder, reading))
			got = attempt(decoder, reading);
		reading->flush = true;
		if (!got && flushed)
			got = attempt(decoder, reading);
		if (got)
			return got;
	}
	return 0;
}

/* Completions behind adopted frees count as before them. */
static int join_completions(struct decoder *decoder)
{
	size_t i;

	for (i = 0; i < decoder->later.count; i++)
		if (list_add(&decoder->head, decoder->later.at[i]) < 0)
			return -ENOMEM;
	decoder->later.count = 0;
	return 0;
}

/* As they were recorded: the frees, or the place of the block. */
static int adopt(struct decoder *decoder, struct reading *reading)
{
	int got;

	if (decoder->program->info.adopted_count >
	    ADOPTED_MAX + decoder->program->event_count / 100)
		return 0;
	reading->refuse = reading->flush = false;
	reading->late = 0;
	if (count_recorded_frees(decoder)) {
		reading->adopt = true;
		got = join_completions(decoder);
		if (!got)
			got = attempt(decoder, reading);
		if (got)
			return got;
	}
	return adopt_place(decoder, reading);
}

static size_t count_heard_frees(const struct script *script)
{
	size_t count = 0, i;

	for (i = 0; i < script->heard_count; i++)
		count += script->heard[i].action == LA_SEGMENT_FREE;
	return count;
}

/* Nothing explains the stretch under the cap on trial: did the heap give back
 * too much by itself, or too little? */
static int judge_cap(struct decoder *decoder, struct reading *reading)
{
	int got;

	reading->refuse = reading->flush = false;
	reading->late = 0;
	got = attempt(decoder, reading);
	*decoder->verdict = count_heard_frees(&decoder->script) >
					    count_recorded_frees(decoder) ?
				    CAP_TOO_LOW :
				    CAP_TOO_HIGH;
	return got < 0 ? got : 0;
}

int decode_explain(struct decoder *decoder, size_t begin, size_t end)
{
	const struct la_event *last = &decoder->program->event[end - 1];
	struct reading reading = { .begin = begin, .end = end };
	int got;

	if (last->action == LA_ALLOC || last->action == LA_OOM)
		reading.request = last;
	got = sort_events(decoder, begin, end);
	if (!got)
		got = try_late(decoder, &reading);
	if (!got && decoder->verdict)
		return judge_cap(decoder, &reading);
	reading.refuse = true;
	if (!got)
		got = try_late(decoder, &reading);
	return got ? got : adopt(decoder, &reading);
}
