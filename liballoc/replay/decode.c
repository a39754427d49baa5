// SPDX-License-Identifier: Apache-2.0
/*
 * Events -> program.  What is input, hence not predicted: the requests, when
 * a free that waits for other streams completes, that a flush happened (but
 * not what it gave back), and the driver's answers.
 */

#include <errno.h>
#include <stdlib.h>

#include "replay/decode.h"
#include "util/error.h"

/* A doubt that is further behind the start tells nothing of it. */
enum { DOUBT_EVENTS = 1000 };

/* Times that a decoding begins anew with one more label. */
enum { RESTARTS = 40 };

int list_add(struct index_list *list, uint32_t value)
{
	if (grow_array(&list->at, &list->room, list->count,
		       sizeof(*list->at)) < 0)
		return -ENOMEM;
	list->at[list->count++] = value;
	return 0;
}

uint32_t decode_new_slot(struct decoder *decoder)
{
	struct la_program *program = decoder->program;

	if (decoder->spare.count)
		return decoder->spare.at[--decoder->spare.count];
	if (grow_array(&decoder->block, &decoder->block_room,
		       program->slot_count, sizeof(*decoder->block)) < 0)
		return LA_NO_BLOCK;
	return program->slot_count++;
}

/* A free and its completion right behind it become one op. */
static bool join_free(struct la_program *program, const struct op *op)
{
	struct op *last = program->op_count ?
				  &program->op[program->op_count - 1] :
				  NULL;

	if (op->kind != OP_FREE_COMPLETE || !last ||
	    last->kind != OP_FREE_REQUEST || last->slot != op->slot)
		return false;
	last->kind = OP_FREE;
	return true;
}

int decode_add_op(struct decoder *decoder, const struct op *op)
{
	struct la_program *program = decoder->program;

	if (join_free(program, op))
		return 0;
	if (grow_array(&program->op, &program->op_room, program->op_count,
		       sizeof(*op)) < 0)
		return -ENOMEM;
	program->op[program->op_count++] = *op;
	return 0;
}

int decode_hold(struct decoder *decoder, uint32_t at, uint32_t slot,
		la_block block)
{
	decoder->block[slot] = block;
	return addr_map_set(&decoder->slot_at,
			    decoder->program->event[at].addr, slot);
}

int decode_let_go(struct decoder *decoder, uint32_t at)
{
	uint32_t slot;

	if (!addr_map_take(&decoder->slot_at, decoder->program->event[at].addr,
			   &slot))
		return -EBADMSG;
	return list_add(&decoder->spare, slot);
}

int decode_add_complete(struct decoder *decoder, uint32_t at)
{
	struct op op = { .kind = OP_FREE_COMPLETE, .event = at };

	if (!addr_map_get(&decoder->slot_at, decoder->program->event[at].addr,
			  &op.slot))
		return -EBADMSG;
	return decode_add_op(decoder, &op);
}

/* Follow the events that need no explanation.  Each returns 1 if it could be
 * followed, 0 if it contradicts what came before, or a negative errno. */

static int follow_request_free(struct decoder *decoder, uint32_t at)
{
	struct op op = { .kind = OP_FREE_REQUEST, .event = at };
	int err;

	if (!addr_map_get(&decoder->slot_at, decoder->program->event[at].addr,
			  &op.slot) ||
	    !heap_is_live(decoder->heap, decoder->block[op.slot]))
		return 0;
	err = decode_add_op(decoder, &op);
	if (err < 0)
		return err;
	la_heap_free_request(decoder->heap, decoder->block[op.slot]);
	return 1;
}

static int follow_complete(struct decoder *decoder, uint32_t at)
{
	uint32_t slot;
	int err;

	if (!addr_map_get(&decoder->slot_at, decoder->program->event[at].addr,
			  &slot) ||
	    !heap_is_pending(decoder->heap, decoder->block[slot]))
		return 0;
	err = decode_add_complete(decoder, at);
	if (!err)
		err = decode_let_go(decoder, at);
	if (!err)
		err = la_heap_free_complete(decoder->heap,
					    decoder->block[slot]);
	return err < 0 ? err : 1;
}

/* The pool of a request that may be a hit: that in which the block lies. */
static uint32_t pool_of_hit(const struct decoder *decoder,
			    const struct la_event *event)
{
	const struct span *span;
	uint32_t pool;

	if (program_event_pool(decoder->program, event, &pool))
		return pool;
	if (!decoder->routed)
		return LA_DEFAULT_POOL;
	span = spans_find(&decoder->held, event->addr);
	return span ? span->pool : LA_DEFAULT_POOL;
}

/* A request that a cached block of its pool serves, at the recorded address. */
static int follow_hit(struct decoder *decoder, uint32_t at)
{
	const struct la_event *event = &decoder->program->event[at];
	struct op op = { .kind = OP_ALLOC,
			 .event = at,
			 .size = event->size,
			 .stream = event->stream,
			 .pool = (uint16_t)pool_of_hit(decoder, event) };
	la_block block;
	int err;

	if (heap_peek(decoder->heap, event->size, (int)event->stream,
		      op.pool) != event->addr)
		return 0;
	op.slot = decode_new_slot(decoder);
	if (op.slot == LA_NO_BLOCK)
		return -ENOMEM;
	err = la_heap_alloc(decoder->heap, event->size, (int)event->stream,
			    op.pool, &block);
	if (!err)
		err = decode_add_op(decoder, &op);
	if (!err)
		err = decode_hold(decoder, at, op.slot, block);
	decoder->recent[op.stream] = op.pool;
	return err < 0 ? err : 1;
}

static bool ends_stretch(uint8_t action)
{
	return action == LA_ALLOC || action == LA_OOM ||
	       action == LA_FREE_REQUESTED;
}

/* Before which event the setting changes; else the end. */
static size_t next_change_at(const struct decoder *decoder)
{
	const struct la_program *program = decoder->program;
	size_t next = decoder->next_change;

	return next < program->change_count &&
			       program->change[next].event <
				       program->event_count ?
		       program->change[next].event :
		       program->event_count;
}

/* Completions from *at on, and the hit behind them if there is one.  Returns
 * 1 if all was followed, 0 if events from *at on need an explanation. */
static int follow_completions(struct decoder *decoder, size_t *at)
{
	const struct la_program *program = decoder->program;
	size_t end = *at, most = next_change_at(decoder);
	uint8_t after;
	int got;

	while (end < most && program->event[end].action == LA_FREE_COMPLETED)
		end++;
	after = end < most ? program->event[end].action : LA_FREE_REQUESTED;
	if (after != LA_FREE_REQUESTED && after != LA_ALLOC)
		return 0;
	for (; *at < end; ++*at) {
		got = follow_complete(decoder, (uint32_t)*at);
		if (got <= 0)
			return got < 0 ? got : -EBADMSG;
	}
	if (after == LA_FREE_REQUESTED)
		return 1;
	got = follow_hit(decoder, (uint32_t)end);
	*at += got == 1;
	return got;
}

/* Where the stretch that begins with event `at` ends: a request behind a change
 * of the setting explains nothing ahead of it. */
static size_t stretch_end(const struct decoder *decoder, size_t at)
{
	const struct la_program *program = decoder->program;
	size_t most = next_change_at(decoder);

	while (at < most && !ends_stretch(program->event[at].action))
		at++;
	if (at < most && program->event[at].action != LA_FREE_REQUESTED)
		at++;
	return at;
}

static int follow_stretch(struct decoder *decoder, size_t *at)
{
	size_t end = stretch_end(decoder, *at);
	int got = decode_explain(decoder, *at, end);

	if (got == 1)
		*at = end;
	return got;
}

/* Settings that were made before an event come into force. */
static int follow_changes(struct decoder *decoder, size_t at)
{
	const struct la_program *program = decoder->program;
	size_t next = decoder->next_change;
	struct op op = { .kind = OP_SET, .event = (uint32_t)at };
	int err = 0;

	for (; next < program->change_count && !err; next++) {
		const struct change *change = &program->change[next];

		if (change->event > at)
			break;
		err = la_heap_set(decoder->heap,
				  la_setting_values(change->setting), NULL);
		op.slot = (uint32_t)next;
		if (!err)
			err = decode_add_op(decoder, &op);
	}
	decoder->next_change = next;
	return err;
}

/* Returns 1 as long as all is well, 0 at an event that nothing explains. */
static int follow_event(struct decoder *decoder, size_t *at)
{
	int got;

	if (decoder->program->event[*at].action == LA_FREE_REQUESTED) {
		got = follow_request_free(decoder, (uint32_t)*at);
		*at += got == 1;
		return got;
	}
	got = follow_completions(decoder, at);
	if (got)
		return got == -EBADMSG ? 0 : got;
	return follow_stretch(decoder, at);
}

/* The same; events that no rule predicts leave a doubt. */
static int follow(struct decoder *decoder, size_t *at)
{
	struct la_program *program = decoder->program;
	uint64_t adopted = program->info.adopted_count;
	size_t begin = *at, end;
	int got = follow_event(decoder, at);

	if (got == 1 && program->info.adopted_count == adopted)
		return 1;
	end = got ? *at : stretch_end(decoder, begin + 1);
	if (end - program->info.first_event <= DOUBT_EVENTS)
		program->doubt = end;
	return got;
}

static int make_heaps(struct decoder *decoder, struct la_error *err)
{
	struct la_program *program = decoder->program;
	struct la_heap_config config = {
		.setting = la_setting_values(program->setting),
		.device = &decoder->script.device,
		.cap = program->cap,
		.total = program->chain_card,
		.release = program->info.release,
		.listener = script_hear,
		.listener_data = &decoder->script,
	};
	int code = la_heap_new(&decoder->heap, &config, err);

	if (!code)
		code = la_heap_new(&decoder->trial, &config, err);
	return code;
}

/* Load the heap as it was at the start; its blocks get the first slots. */
static int load_start(struct decoder *decoder)
{
	struct la_program *program = decoder->program;
	uint32_t slot;
	size_t i;

	decoder->block_room = program->slot_count + 1;
	decoder->block = malloc(decoder->block_room * sizeof(la_block));
	if (!decoder->block ||
	    program_load(program, decoder->heap, decoder->block) < 0 ||
	    heap_copy(decoder->trial, decoder->heap) < 0)
		return -ENOMEM;
	for (i = 0; i < program->start_count; i++) {
		const struct start_segment *start = &program->start[i];
		const struct span span = {
			start->addr,
			start->addr + (start->reserved ? start->reserved :
							 start->size),
			start->pool, SPAN_BEFORE
		};
		int err = spans_add(&decoder->held, &span);

		if (err < 0)
			return err;
	}
	for (i = 0; i < program->piece_count; i++) {
		slot = program->piece[i].slot;
		if (is_busy(&program->piece[i]) &&
		    addr_map_set(&decoder->slot_at, program->piece[i].addr,
				 slot) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void decoder_destroy(struct decoder *decoder)
{
	struct index_list *lists[] = {
		&decoder->spare,     &decoder->head,	&decoder->later,
		&decoder->segments,  &decoder->gave,	&decoder->pools,
		&decoder->extra,     &decoder->suspects, &decoder->maps,
		&decoder->first_run, &decoder->second_run
	};
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		free(lists[i]->at);
	free(decoder->block);
	free(decoder->recent);
	labels_destroy(&decoder->known);
	addr_map_destroy(&decoder->slot_at);
	spans_destroy(&decoder->held);
	la_heap_free(decoder->heap);
	la_heap_free(decoder->trial);
	script_destroy(&decoder->script);
}

/* Forget what an earlier reading found. */
static void reset(struct la_program *program)
{
	struct la_program_info *info = &program->info;
	size_t i;

	program->op_count = program->answer_count = 0;
	program->granted = 0;
	program->refused = program->full_card = UINT64_MAX;
	info->flush_count = info->refusal_count = info->adopted_count = 0;
	program->doubt = 0;
	program->first_taken = program->event_count;
	program->slot_count = 0;
	for (i = 0; i < program->piece_count; i++)
		program->slot_count += is_busy(&program->piece[i]);
}

/* Which event brought each segment that is there at the end, and so its pool:
 * the last one at its address.  Labels are set in the order of events. */
static int label_segments(struct decoder *decoder)
{
	const struct la_program *program = decoder->program;
	const struct la_recorded_device *device = program->device;
	struct index_list brought = { 0 }, pools = { 0 };
	struct addr_map alive = { 0 };
	uint32_t pool;
	size_t i;
	int err = 0, number;

	for (i = 0; i < device->segment_count && !err; i++) {
		if (device->segments[i].expandable)
			continue;
		number = program_segment_pool(decoder->program,
					      &device->segments[i]);
		err = number < 0 ? number :
				   addr_map_set(&alive,
						device->segments[i].addr,
						(uint32_t)number);
	}
	for (i = program->event_count; i-- > 0 && !err;)
		if (program->event[i].action == LA_SEGMENT_ALLOC &&
		    addr_map_take(&alive, program->event[i].addr, &pool) &&
		    (list_add(&brought, (uint32_t)i) < 0 ||
		     list_add(&pools, pool) < 0))
			err = -ENOMEM;
	for (i = brought.count; i-- > 0 && !err;)
		err = labels_set(&decoder->known, brought.at[i], pools.at[i]);
	addr_map_destroy(&alive);
	free(brought.at);
	free(pools.at);
	return err;
}

/* The segments of the end, and where memory is mapped. */
static int look_ahead(struct decoder *decoder)
{
	const struct la_program *program = decoder->program;
	int err = label_segments(decoder);
	size_t i;

	for (i = 0; i < program->event_count && !err; i++)
		if (program->event[i].action == LA_SEGMENT_MAP)
			err = list_add(&decoder->maps, (uint32_t)i);
	return err;
}

/* Do any final segments belong to private pools? */
static bool has_private_pools(const struct la_recorded_device *device)
{
	size_t i;

	for (i = 0; i < device->segment_count; i++)
		if (device->segments[i].pool[0] || device->segments[i].pool[1])
			return true;
	return false;
}

static int prepare(struct decoder *decoder, struct la_error *err)
{
	struct la_program *program = decoder->program;
	int code;

	decoder->routed = decoder->labels->count > 0 ||
			  has_private_pools(program->device);
	decoder->recent = calloc(program->stream_count + 1,
				 sizeof(*decoder->recent));
	if (!decoder->recent)
		return -ENOMEM;
	script_init(&decoder->script, program, &decoder->held);
	code = look_ahead(decoder);
	decoder->script.map = decoder->maps.at;
	decoder->script.map_count = decoder->maps.count;
	if (!code)
		code = make_heaps(decoder, err);
	return code < 0 ? code : load_start(decoder);
}

static int decode_once(struct la_program *program, struct labels *labels,
		       bool final_labels, enum cap_verdict *verdict,
		       struct la_error *err)
{
	struct decoder decoder = { .program = program,
				   .labels = labels,
				   .final_labels = final_labels,
				   .verdict = verdict };
	size_t at = program->info.first_event;
	int code;

	reset(program);
	if (verdict)
		*verdict = CAP_FITS;
	code = prepare(&decoder, err);
	while (!code && at < program->event_count) {
		int got = follow_changes(&decoder, at);

		if (!got)
			got = follow(&decoder, &at);
		if (got < 0)
			code = got;
		else if (!got)
			break;
	}
	program->info.understood = at;
	program->work += at - program->info.first_event;
	if (code == -EBADMSG)
		la_error_set(err, code, LA_NO_OFFSET,
			     "segments overlap at event %zu", at);
	decoder_destroy(&decoder);
	return code;
}

int program_decode(struct la_program *program, const struct labels *labels,
		   enum cap_verdict *verdict, struct la_error *err)
{
	struct labels own = { 0 };
	int tries = 0, code = labels ? labels_copy(&own, labels) : 0;

	do {
		if (!code)
			code = decode_once(program, &own,
					   labels || tries == RESTARTS,
					   verdict, err);
		if (code != -EAGAIN)
			break;
		code = 0;
	} while (tries++ < RESTARTS);
	labels_destroy(&program->labels);
	program->labels = own;
	return code;
}
