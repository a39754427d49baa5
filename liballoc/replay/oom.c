// SPDX-License-Identifier: Apache-2.0
/* The heap at the moment at which a request failed: its holes, and who holds
 * the rest. */

#include <errno.h>
#include <stdlib.h>

#include "device/page.h"
#include "heap/inside.h"
#include "heap/internal.h"
#include "heap/picture.h"
#include "heap/round.h"
#include "replay/oom.h"

#define NO_EVENT UINT32_MAX

/* What is in a slot: the event of its request, or NO_EVENT. */
struct tenant {
	uint32_t event;
	bool pending;
};

/* A live or pending block. */
struct tenancy {
	uint64_t key;
	struct la_holder holder; /* of this block alone */
};

struct census {
	const struct la_replay_options *options; /* borrowed */
	const uint32_t *event; /* borrowed; by block, or NO_EVENT */
	struct tenancy *tenancy; /* owned */
	size_t count;
};

static bool is_at_start(const struct oom_moment *moment)
{
	return moment->op == moment->program->op_count;
}

/* Who is in each slot when an op begins. */
static void find_tenants(const struct oom_moment *moment,
			 struct tenant *tenant)
{
	const struct la_program *program = moment->program;
	size_t played = is_at_start(moment) ? 0 : moment->op, i;

	for (i = 0; i < program->slot_count; i++)
		tenant[i].event = NO_EVENT;
	for (i = 0; i < played; i++) {
		const struct op *op = &program->op[i];

		if (is_served(op))
			tenant[op->slot] = (struct tenant){ op->event, false };
		else if (op->kind == OP_FREE_REQUEST)
			tenant[op->slot].pending = true;
		else if (op->kind == OP_FREE || op->kind == OP_FREE_COMPLETE)
			tenant[op->slot].event = NO_EVENT;
	}
}

/* Which request each block serves.  A pending block that a flush has
 * completed may serve another request by now, which is the later one. */
static void find_events(const struct oom_moment *moment,
			const struct tenant *tenant, uint32_t *event)
{
	const struct la_heap *heap = moment->heap;
	uint32_t count = moment->program->slot_count, i;

	for (i = 0; i < heap->block_count; i++)
		event[i] = NO_EVENT;
	for (i = 0; i < count; i++) {
		la_block block = moment->held[i].block;

		if (tenant[i].event != NO_EVENT && tenant[i].pending &&
		    heap_is_pending(heap, block) &&
		    (event[block] == NO_EVENT ||
		     event[block] < tenant[i].event))
			event[block] = tenant[i].event;
	}
	for (i = 0; i < count; i++)
		if (tenant[i].event != NO_EVENT && !tenant[i].pending)
			event[moment->held[i].block] = tenant[i].event;
}

/* The events by block; owned by the caller, or NULL. */
static uint32_t *list_events(const struct oom_moment *moment)
{
	struct tenant *tenant = malloc((moment->program->slot_count + 1) *
				       sizeof(*tenant));
	uint32_t *event = malloc((moment->heap->block_count + 1) *
				 sizeof(*event));

	if (tenant && event) {
		find_tenants(moment, tenant);
		find_events(moment, tenant, event);
	} else {
		free(event);
		event = NULL;
	}
	free(tenant);
	return event;
}

static void count_in(void *data, const struct la_block_info *info)
{
	struct census *census = data;
	struct tenancy *tenancy = &census->tenancy[census->count];
	uint64_t size = round_up(info->requested, BLOCK_MIN), event;

	if (info->state == LA_BLOCK_FREE)
		return;
	census->count++;
	event = census->event[info->block];
	if (event == NO_EVENT)
		event = UINT64_MAX;
	tenancy->holder = (struct la_holder){
		.bytes = info->size,
		.count = 1,
		.size = size,
		.event = event,
	};
	tenancy->key = census->options->holder_key ?
			       census->options->holder_key(
				       census->options->holder_data, event,
				       size) :
			       size;
}

/* Those of one key together, in each the largest request first, of equals the
 * earliest. */
static int by_key(const void *a, const void *b)
{
	const struct tenancy *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->holder.size != y->holder.size)
		return x->holder.size > y->holder.size ? -1 : 1;
	return (x->holder.event > y->holder.event) -
	       (x->holder.event < y->holder.event);
}

static int by_bytes(const void *a, const void *b)
{
	const struct la_holder *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return (x->event > y->event) - (x->event < y->event);
}

static size_t merge(const struct census *census, struct la_holder *holder)
{
	const struct tenancy *tenancy = census->tenancy;
	size_t count = 0, i;

	for (i = 0; i < census->count; i++) {
		if (!i || tenancy[i].key != tenancy[i - 1].key) {
			holder[count++] = tenancy[i].holder;
			continue;
		}
		holder[count - 1].bytes += tenancy[i].holder.bytes;
		holder[count - 1].count++;
	}
	return count;
}

static int list_holders(const struct oom_moment *moment,
			struct la_oom_state *out)
{
	size_t most = out->picture.total.live_count +
		      out->picture.total.pending_count + 1;
	uint32_t *event = list_events(moment);
	struct census census = { .options = moment->options, .event = event };

	census.tenancy = malloc(most * sizeof(*census.tenancy));
	out->holder = malloc(most * sizeof(*out->holder));
	if (event && census.tenancy && out->holder) {
		la_heap_walk(moment->heap, count_in, &census);
		qsort(census.tenancy, census.count, sizeof(*census.tenancy),
		      by_key);
		out->holder_count = merge(&census, out->holder);
		qsort(out->holder, out->holder_count, sizeof(*out->holder),
		      by_bytes);
	}
	most = event && census.tenancy && out->holder;
	free(census.tenancy);
	free(event);
	return most ? 0 : -ENOMEM;
}

static enum la_free_place place_of(const struct la_oom_state *state,
				   const struct la_picture_part *part)
{
	if (part->pool[0] != state->pool[0] || part->pool[1] != state->pool[1])
		return LA_FREE_POOLS;
	if (part->small != state->small)
		return LA_FREE_CLASS;
	return part->stream == state->stream ? LA_FREE_OWN : LA_FREE_STREAMS;
}

static void sort_holes(struct la_oom_state *state)
{
	size_t i;

	for (i = 0; i < state->picture.part_count; i++) {
		const struct la_picture_part *part = &state->picture.part[i];

		holes_add(&state->free[place_of(state, part)], &part->holes);
	}
}

static void describe_request(const struct oom_moment *moment,
			     struct la_oom_state *out)
{
	const struct la_heap *heap = moment->heap;
	const struct op *op = &moment->program->op[moment->op];

	out->event = op->event;
	out->size = op->size;
	out->stream = heap->stream[op->stream];
	out->pool[0] = heap->pool[op->pool].id[0];
	out->pool[1] = heap->pool[op->pool].id[1];
	if (op->size >= REQUEST_MAX) {
		out->rounded = out->segment = op->size;
		return;
	}
	if (moment->options->policy == LA_HEAP_COMPACT) {
		out->rounded = program_live_bytes(op->size);
		out->segment = round_up(out->rounded, PAGE);
		return;
	}
	out->rounded = round_request(&heap->setting, op->size);
	out->segment = round_segment(&heap->setting, out->rounded);
	out->small = class_of(out->rounded) == SMALL_CLASS;
}

int oom_describe(const struct oom_moment *moment, struct la_oom_state *out)
{
	const struct la_replay_options *options = moment->options;
	const struct la_program *program = moment->program;
	int err;

	la_oom_state_release(out);
	out->layout = options->layout;
	out->limit = options->as_recorded ? program->info.limit :
					    options->limit;
	out->stats = moment->heap->stats;
	out->event = program->info.first_event;
	if (!is_at_start(moment))
		describe_request(moment, out);
	err = la_heap_picture(moment->heap, &out->picture);
	if (err < 0)
		return err;
	sort_holes(out);
	return list_holders(moment, out);
}

LA_EXPORT void la_oom_state_release(struct la_oom_state *state)
{
	la_picture_release(&state->picture);
	free(state->holder);
	*state = (struct la_oom_state){ 0 };
}
