// SPDX-License-Identifier: Apache-2.0
/* One reading of a stretch, played on a copy of the heap and compared with
 * what was recorded: reading_attempt(). */

#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"
#include "heap/round.h"
#include "replay/reading.h"
#include "util/error.h"

size_t reading_count_frees(const struct decoder *decoder)
{
	const struct la_event *event = decoder->program->event;
	size_t count = 0, i;

	for (i = 0; i < decoder->segments.count; i++)
		count += is_given_back(event[decoder->segments.at[i]].action);
	return count;
}

uint32_t reading_new_span(const struct decoder *decoder)
{
	size_t i;

	for (i = 0; i < decoder->segments.count; i++) {
		uint32_t at = decoder->segments.at[i];
		const struct la_event *event = &decoder->program->event[at];

		if (event->action == LA_SEGMENT_ALLOC ||
		    (event->action == LA_SEGMENT_MAP &&
		     !spans_find(&decoder->held, event->addr)))
			return at;
	}
	return SPAN_BEFORE;
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

static int end_pool(struct decoder *decoder, uint32_t at, uint32_t pool,
		    enum op_kind kind)
{
	struct op op = { .kind = (uint8_t)kind,
			 .event = at,
			 .pool = (uint16_t)pool };
	int err = kind == OP_DROP_POOL ?
			  la_heap_pool_drop(decoder->trial, (int)pool) :
			  la_heap_pool_give_up(decoder->trial, (int)pool);

	return err < 0 ? err : decode_add_op(decoder, &op);
}

/* Did the program wait for pending blocks before the request? */
static bool is_given(const struct reading *reading)
{
	return reading->given == GIVEN_FLUSH || reading->given == GIVEN_POOLS;
}

/* What the program gave back: private pools before the default pool ended by
 * themselves, those behind it had been given up. */
static int give_back(struct decoder *decoder, const struct reading *reading)
{
	const struct index_list *gave = &decoder->gave;
	uint32_t at = (uint32_t)reading->begin;
	bool drops = reading->given == GIVEN_POOLS;
	bool flushed = reading->given == GIVEN_FLUSH;
	size_t i;
	int err = 0;

	for (i = 0; i < gave->count && !err; i++) {
		if (gave->at[i] == LA_DEFAULT_POOL) {
			flushed |= drops;
			drops = false;
			continue;
		}
		err = end_pool(decoder, at, gave->at[i],
			       drops ? OP_DROP_POOL : OP_GIVE_UP);
	}
	return err || !flushed ? err : flush(decoder, at);
}

/* Completions behind what the program gave back: those that it did not wait
 * for happen now; the others are late news, unless the program is played
 * under another setting. */
static int complete_later(struct decoder *decoder)
{
	size_t i;
	int err = 0;

	for (i = 0; i < decoder->later.count && !err; i++) {
		uint32_t at = decoder->later.at[i], slot;

		err = decode_add_complete(decoder, at);
		if (!err &&
		    addr_map_get(&decoder->slot_at,
				 decoder->program->event[at].addr, &slot) &&
		    heap_is_pending(decoder->trial, decoder->block[slot]))
			err = la_heap_free_complete(decoder->trial,
						    decoder->block[slot]);
	}
	return err;
}

/* The request itself; an OOM is an answer, not an error. */
static int make_request(struct decoder *decoder, const struct reading *reading,
			la_block *block)
{
	int err = la_heap_alloc(decoder->trial, reading->request->size,
				(int)reading->request->stream,
				(int)reading->pool, block);

	return err == -ENOSPC ? 0 : err;
}

/* Completions that the request's own flush made; see complete_later(). */
static int complete_late(struct decoder *decoder, const struct reading *reading)
{
	size_t i = decoder->head.count - reading->late;
	int err = 0;

	for (; i < decoder->head.count && !err; i++)
		err = decode_add_complete(decoder, decoder->head.at[i]);
	for (i = 0; i < decoder->later.count && !err; i++)
		if (!is_given(reading))
			err = decode_add_complete(decoder,
						  decoder->later.at[i]);
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
	if (!err && reading->given != GIVEN_NOTHING) {
		err = give_back(decoder, reading);
		if (!err && is_given(reading))
			err = complete_later(decoder);
	}
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
	if (script->granted > program->granted)
		program->granted = script->granted;
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

/* Segments and reservations that came and went. */
static int take_changes(struct decoder *decoder, const struct reading *reading,
			uint32_t made)
{
	const struct script *script = &decoder->script;
	size_t i;
	int err = 0;

	for (i = 0; i < script->change_count && !err; i++) {
		const struct script_change *change = &script->change[i];
		const struct span span = { change->addr,
					   change->addr + change->size,
					   reading->pool, made };

		if (change->given)
			err = spans_add(&decoder->held, &span);
		else
			spans_remove(&decoder->held, change->addr);
	}
	return err;
}

/* Blocks that were completed are gone, the one of the request is there. */
static int take_blocks(struct decoder *decoder, const struct reading *reading,
		       const struct op *request, la_block block)
{
	size_t i;
	int err = 0;

	for (i = 0; i < decoder->head.count && !err; i++)
		err = decode_let_go(decoder, decoder->head.at[i]);
	for (i = 0; i < decoder->later.count && !err; i++)
		err = decode_let_go(decoder, decoder->later.at[i]);
	if (err || !reading->request || request->kind != OP_ALLOC)
		return err;
	decoder->recent[request->stream] = reading->pool;
	return decode_hold(decoder, request->event, request->slot, block);
}

/* The reading is right: the trial becomes the heap. */
static int accept(struct decoder *decoder, const struct reading *reading,
		  const struct op *request, la_block block)
{
	struct la_program_info *info = &decoder->program->info;
	struct la_heap *heap = decoder->heap;
	uint32_t made = reading_new_span(decoder);
	int err = take_answers(decoder);

	if (!err)
		err = take_changes(decoder, reading, made);
	if (reading->request && reading->request->action == LA_OOM)
		learn_from_oom(decoder, reading);
	decoder->heap = decoder->trial;
	decoder->trial = heap;
	if (!err)
		err = take_blocks(decoder, reading, request, block);
	info->flush_count += is_given(reading);
	if (reading->adopt)
		info->adopted_count += reading_count_frees(decoder);
	return err < 0 ? err : 1;
}

int reading_begin_request(struct decoder *decoder,
			  const struct reading *reading, struct op *request)
{
	if (!reading->request)
		return 0;
	*request = (struct op){
		.kind = reading->request->action == LA_ALLOC ? OP_ALLOC :
							       OP_FAIL,
		.size = reading->request->size,
		.stream = reading->request->stream,
		.pool = (uint16_t)reading->pool,
		.event = (uint32_t)(reading->end - 1),
	};
	if (request->kind == OP_FAIL)
		return 0;
	request->slot = decode_new_slot(decoder);
	return request->slot == LA_NO_BLOCK ? -ENOMEM : 0;
}

/* Which spans did a failed reading give memory back from that was not? */
static int note_extra(struct decoder *decoder)
{
	const struct script *script = &decoder->script;
	const struct span *span;
	size_t i, k;

	for (i = 0; i < script->heard_count; i++) {
		const struct la_replay_event *done = &script->heard[i];

		if (!is_given_back(done->action))
			continue;
		for (k = 0; k < decoder->segments.count; k++)
			if (same_event(decoder, i, decoder->segments.at[k]))
				break;
		span = spans_find(&decoder->held, done->addr);
		if (k == decoder->segments.count && span &&
		    span->made != SPAN_BEFORE &&
		    list_add(&decoder->extra, span->made) < 0)
			return -ENOMEM;
	}
	return 0;
}

int reading_attempt(struct decoder *decoder, const struct reading *reading)
{
	struct la_program *program = decoder->program;
	size_t op_count = program->op_count;
	struct op last = { 0 }, request = { 0 };
	la_block block = LA_NO_BLOCK;
	const struct script_task task = {
		.expected = decoder->segments.at,
		.expected_count = decoder->segments.count,
		.request = reading->request,
		.from = reading->begin,
		.may_refuse = reading->refuse,
	};
	int got;

	program->work += READING_WORK +
			 decoder->heap->block_count / BLOCKS_OF_WORK;
	if (op_count)
		last = program->op[op_count - 1];
	if (heap_copy(decoder->trial, decoder->heap) < 0 ||
	    reading_begin_request(decoder, reading, &request) < 0)
		return -ENOMEM;
	script_begin(&decoder->script, decoder->trial, &task);
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
	if (got < 0 && got != -EIO && got != -EBADMSG)
		return got;
	return note_extra(decoder);
}

