// SPDX-License-Identifier: Apache-2.0
/*
 * A stretch of completions and segment events, explained by the request that
 * follows it (the alloc is logged last, so what it gave back stands before
 * it); only if that fails by what the program gave back before it; only if
 * that fails too by a refusal of the driver; then by a segment that belonged
 * to a private pool; and at last by taking the frees, or the place of the
 * block, as they were recorded.
 */

#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"
#include "heap/round.h"
#include "replay/reading.h"
#include "util/error.h"

/* A recording that no rule fits is left after this many adopted events, and
 * one in a hundred of all events. */
enum { ADOPTED_MAX = 1000 };

/* Of more completions than this, those that the flush made are tried as all. */
enum { LATE_MAX = 64 };

/* Pools that are gone by the end and are told apart, on each stream. */
enum { LOST_POOLS = 8 };

/* Pools that are tried for a request that failed. */
enum { FAILED_POOLS = 16 };

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
		else if (event[i].action >= LA_SEGMENT_ALLOC &&
			 event[i].action <= LA_SEGMENT_UNMAP)
			list = &decoder->segments;
		else
			continue;
		if (list_add(list, (uint32_t)i) < 0)
			return -ENOMEM;
	}
	return 0;
}

static bool list_has(const struct index_list *list, uint32_t value)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->at[i] == value)
			return true;
	return false;
}

static int list_add_once(struct index_list *list, uint32_t value)
{
	return list_has(list, value) ? 0 : list_add(list, value);
}

/* The pools that gave memory back in the stretch, in that order. */
static int find_gave(struct decoder *decoder)
{
	size_t i;

	decoder->gave.count = 0;
	for (i = 0; i < decoder->segments.count; i++) {
		const struct la_event *event =
			&decoder->program->event[decoder->segments.at[i]];
		const struct span *span =
			is_given_back(event->action) ?
				spans_find(&decoder->held, event->addr) :
				NULL;

		if (span && list_add_once(&decoder->gave, span->pool) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* The pool that an event of the stretch tells of. */
static bool told_pool(const struct decoder *decoder, uint32_t at,
		      uint32_t *pool)
{
	return labels_get(decoder->labels, at, pool) ||
	       labels_get(&decoder->known, at, pool);
}

/* The pool of a request that was served: that in which its block lies. */
static uint32_t pool_of_alloc(const struct decoder *decoder,
			      const struct la_event *event)
{
	const struct span *span;
	uint32_t pool;
	int chain_pool;
	size_t i;

	if (program_event_pool(decoder->program, event, &pool))
		return pool;
	if (!decoder->routed)
		return LA_DEFAULT_POOL;
	for (i = 0; i < decoder->segments.count; i++)
		if (told_pool(decoder, decoder->segments.at[i], &pool))
			return pool;
	span = spans_find(&decoder->held, event->addr);
	if (span)
		return span->pool;
	chain_pool = program_chain_pool(decoder->program, event,
					event->size <= SMALL_MAX);
	return chain_pool < 0 ? LA_DEFAULT_POOL : (uint32_t)chain_pool;
}

/* The pools that a request may have gone to. */
static int find_pools(struct decoder *decoder, const struct reading *reading)
{
	const struct la_event *request = reading->request;
	struct index_list *pools = &decoder->pools;
	uint32_t pool;

	pools->count = 0;
	if (!request)
		return list_add(pools, LA_DEFAULT_POOL);
	if (request->action == LA_ALLOC ||
	    program_event_pool(decoder->program, request, &pool))
		return list_add(pools, pool_of_alloc(decoder, request));
	if (labels_get(decoder->labels, (uint32_t)reading->end - 1, &pool) &&
	    list_add(pools, pool) < 0)
		return -ENOMEM;
	if (list_add_once(pools, decoder->recent[request->stream]) < 0)
		return -ENOMEM;
	for (pool = 0; pool < decoder->heap->pool_count; pool++)
		if (decoder->routed && pools->count < FAILED_POOLS &&
		    list_add_once(pools, pool) < 0)
			return -ENOMEM;
	return 0;
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
	       !is_given_back(
		       decoder->program->event[segments->at[0]].action);
}

static size_t next_late(size_t late, size_t most)
{
	return late == LATE_MAX && late < most ? most : late + 1;
}

static int try_pools(struct decoder *decoder, struct reading *reading,
		     enum given given)
{
	size_t i;
	int got = 0;

	reading->given = given;
	for (i = 0; i < decoder->pools.count && !got; i++) {
		reading->pool = decoder->pools.at[i];
		got = reading_attempt(decoder, reading);
	}
	return got;
}

static bool any_private(const struct index_list *pools)
{
	size_t i = 0;

	while (i < pools->count && pools->at[i] == LA_DEFAULT_POOL)
		i++;
	return i < pools->count;
}

/* Without and with memory that the program gave back before. */
static int try_given(struct decoder *decoder, struct reading *reading)
{
	int got = 0;

	if (request_explains(decoder, reading))
		got = try_pools(decoder, reading, GIVEN_NOTHING);
	if (!got && reading->request && any_private(&decoder->gave))
		got = try_pools(decoder, reading, GIVEN_UP);
	if (!got && decoder->gave.count)
		got = try_pools(decoder, reading, GIVEN_FLUSH);
	if (!got && decoder->gave.count &&
	    decoder->gave.at[0] != LA_DEFAULT_POOL)
		got = try_pools(decoder, reading, GIVEN_POOLS);
	return got;
}

/* The numbers of completions that a flush of the request's own may have
 * made. */
static int try_late(struct decoder *decoder, struct reading *reading)
{
	size_t most = 0;
	int got = 0;

	if (reading->request && (reading->refuse || is_limited(decoder)))
		most = decoder->head.count;
	for (reading->late = 0; reading->late <= most && !got;
	     reading->late = next_late(reading->late, most))
		got = try_given(decoder, reading);
	return got;
}

/* Set the label of an event, for the decoding that is under way or for the
 * one that begins anew. */
static int set_label(struct decoder *decoder, uint32_t at, uint32_t pool)
{
	if (labels_set(decoder->labels, at, pool) < 0)
		return -ENOMEM;
	decoder->routed = true;
	return 0;
}

/* The number of a pool that is gone by the end, counted from 1. */
static int lost_pool(struct decoder *decoder, uint64_t number, uint64_t stream)
{
	const uint64_t id[2] = { UINT64_MAX - number, stream };
	int pool = program_pool(decoder->program, id);

	if (pool < 0)
		return pool;
	if (la_heap_pool(decoder->heap, id) < 0 ||
	    la_heap_pool(decoder->trial, id) < 0)
		return -ENOMEM;
	return pool;
}

static bool has_lower_id(const struct la_program *program, uint32_t a,
			 uint32_t b)
{
	const uint64_t *left = program->pool[a], *right = program->pool[b];

	return left[0] < right[0] ||
	       (left[0] == right[0] && left[1] < right[1]);
}

/* Add a pool in front of those with a higher id: ids ascend with time, and
 * what is inferred is mostly old. */
static int add_by_id(struct decoder *decoder, uint32_t pool)
{
	struct index_list *pools = &decoder->pools;
	size_t at = pools->count;

	if (list_has(pools, pool))
		return 0;
	if (list_add(pools, pool) < 0)
		return -ENOMEM;
	for (; at && has_lower_id(decoder->program, pool, pools->at[at - 1]);
	     at--)
		pools->at[at] = pools->at[at - 1];
	pools->at[at] = pool;
	return 0;
}

/* The private pools of a stream that are there at the end, by their ids, then
 * some that are gone. */
static int find_private_pools(struct decoder *decoder, uint32_t stream)
{
	const struct la_recorded_device *device = decoder->program->device;
	uint64_t number;
	size_t i;
	int pool;

	decoder->pools.count = 0;
	for (i = 0; i < device->segment_count; i++) {
		if (device->segments[i].stream != stream)
			continue;
		pool = program_segment_pool(decoder->program,
					    &device->segments[i]);
		if (pool > 0 && add_by_id(decoder, (uint32_t)pool) < 0)
			return -ENOMEM;
	}
	for (number = 1; number <= LOST_POOLS; number++) {
		pool = lost_pool(decoder, number,
				 decoder->program->streams[stream]);
		if (pool < 0 || list_add(&decoder->pools, (uint32_t)pool) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Was the new segment of a private pool, as the default pool has a fitting
 * block? */
static int relabel_new(struct decoder *decoder, struct reading *reading)
{
	uint32_t made = reading_new_span(decoder), pool;
	int got;

	if (made == SPAN_BEFORE || labels_get(&decoder->known, made, &pool))
		return 0;
	if (find_private_pools(decoder,
			       decoder->program->event[made].stream) < 0)
		return -ENOMEM;
	got = try_pools(decoder, reading, GIVEN_NOTHING);
	if (got == 1 && set_label(decoder, made, reading->pool) < 0)
		return -ENOMEM;
	return got;
}

/* Does a free of a flush stand before another one, in the order of a pool:
 * large before small, then by stream, size and address? */
static bool in_order(const struct decoder *decoder, const struct la_event *a,
		     const struct la_event *b)
{
	const uint64_t *streams = decoder->program->streams;
	const uint64_t left[] = { a->size == SMALL_SEGMENT, streams[a->stream],
				  a->size, a->addr };
	const uint64_t right[] = { b->size == SMALL_SEGMENT, streams[b->stream],
				   b->size, b->addr };
	int i = 0;

	while (i < 3 && left[i] == right[i])
		i++;
	return left[i] <= right[i];
}

/* Spans that may have been of a private pool: in a flush, all from where the
 * order of the default pool is broken; the one a block was put into although
 * the default pool has a better place; one that a flush should have taken
 * from and did not. */
static int find_suspects(struct decoder *decoder, const struct reading *reading)
{
	const struct la_event *event = decoder->program->event;
	const struct index_list *segments = &decoder->segments;
	const struct span *span;
	size_t i;

	for (i = 1; !reading->request && i < segments->count; i++)
		if (!in_order(decoder, &event[segments->at[i - 1]],
			      &event[segments->at[i]]))
			break;
	for (; !reading->request && i < segments->count; i++) {
		span = spans_find(&decoder->held, event[segments->at[i]].addr);
		if (span && list_add(&decoder->suspects, span->made) < 0)
			return -ENOMEM;
	}
	if (!reading->request || reading->request->action != LA_ALLOC ||
	    segments->count || decoder->program->start_count)
		return 0;
	span = spans_find(&decoder->held, reading->request->addr);
	return span ? list_add(&decoder->suspects, span->made) : 0;
}

/* Of the spans that failed readings gave back from, the one at the lowest
 * address counts. */
static int find_extra(struct decoder *decoder)
{
	const struct la_event *event = decoder->program->event;
	uint32_t lowest = SPAN_BEFORE;
	size_t i;

	for (i = 0; i < decoder->extra.count; i++)
		if (lowest == SPAN_BEFORE ||
		    event[decoder->extra.at[i]].addr < event[lowest].addr)
			lowest = decoder->extra.at[i];
	return lowest == SPAN_BEFORE ? 0 : list_add(&decoder->suspects, lowest);
}

/* Nothing fits: perhaps a segment or chain that is gone by the end belonged
 * to a private pool.  Returns -EAGAIN if the decoding has to begin anew. */
static int relabel(struct decoder *decoder, struct reading *reading)
{
	int got, restart = 0;
	uint32_t pool;
	size_t i;

	if (decoder->program->event_pool)
		return 0;
	got = relabel_new(decoder, reading);
	if (got || decoder->final_labels)
		return got;
	decoder->suspects.count = 0;
	if (find_extra(decoder) < 0 || find_suspects(decoder, reading) < 0)
		return -ENOMEM;
	for (i = 0; i < decoder->suspects.count; i++) {
		uint32_t made = decoder->suspects.at[i];

		if (made == SPAN_BEFORE || told_pool(decoder, made, &pool))
			continue;
		got = lost_pool(decoder, 1,
				decoder->program->streams
					[decoder->program->event[made].stream]);
		if (got < 0 || set_label(decoder, made, (uint32_t)got) < 0)
			return -ENOMEM;
		restart = -EAGAIN;
	}
	return restart;
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
	err = reading_begin_request(decoder, reading, &op);
	op.kind = OP_PLACE;
	decoder->program->info.adopted_count++;
	if (!err)
		err = decode_add_op(decoder, &op);
	if (!err)
		err = decode_hold(decoder, op.event, op.slot, block);
	return err < 0 ? err : 1;
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

/* Are there recorded frees, and none of granules among them? */
static bool only_segment_frees(const struct decoder *decoder)
{
	const struct la_event *event = decoder->program->event;
	size_t count = 0, i;

	for (i = 0; i < decoder->segments.count; i++)
		count += event[decoder->segments.at[i]].action ==
			 LA_SEGMENT_FREE;
	return count && count == reading_count_frees(decoder);
}

/* As they were recorded: the frees, or the place of the block. */
static int adopt(struct decoder *decoder, struct reading *reading)
{
	int got;

	if (decoder->program->info.adopted_count >
	    ADOPTED_MAX + decoder->program->event_count / 100)
		return 0;
	if (decoder->program->first_taken > reading->end - 1)
		decoder->program->first_taken = reading->end - 1;
	reading->refuse = false;
	reading->given = GIVEN_NOTHING;
	reading->late = 0;
	if (find_pools(decoder, reading) < 0)
		return -ENOMEM;
	reading->pool = decoder->pools.at[0];
	if (only_segment_frees(decoder)) {
		reading->adopt = true;
		got = join_completions(decoder);
		if (!got)
			got = reading_attempt(decoder, reading);
		if (got)
			return got;
	}
	return adopt_place(decoder, reading);
}

static size_t count_heard_frees(const struct script *script)
{
	size_t count = 0, i;

	for (i = 0; i < script->heard_count; i++)
		count += is_given_back(script->heard[i].action);
	return count;
}

/* Nothing explains the stretch under the cap on trial: did the heap give back
 * too much by itself, or too little? */
static int judge_cap(struct decoder *decoder, struct reading *reading)
{
	int got;

	reading->refuse = false;
	reading->given = GIVEN_NOTHING;
	reading->late = 0;
	reading->pool = decoder->pools.at[0];
	got = reading_attempt(decoder, reading);
	*decoder->verdict = count_heard_frees(&decoder->script) >
					    reading_count_frees(decoder) ?
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
	decoder->extra.count = 0;
	got = sort_events(decoder, begin, end);
	if (!got)
		got = find_gave(decoder);
	if (!got)
		got = find_pools(decoder, &reading);
	if (!got)
		got = try_late(decoder, &reading);
	if (!got && decoder->verdict)
		return judge_cap(decoder, &reading);
	reading.refuse = true;
	if (!got)
		got = try_late(decoder, &reading);
	reading.refuse = false;
	reading.late = 0;
	if (!got)
		got = relabel(decoder, &reading);
	return got ? got : adopt(decoder, &reading);
}
