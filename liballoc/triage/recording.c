// SPDX-License-Identifier: Apache-2.0
/* The facts of a recording: la_facts_of_recording(). */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "triage/recording.h"
#include "util/error.h"
#include "util/util.h"

static void seek_oom(struct witness *witness)
{
	const struct la_recorded_device *device = witness->device;
	struct la_facts *facts = witness->facts;
	uint64_t number = 0, ooms = 0;
	size_t i;

	for (i = 0; i < device->event_count; i++) {
		const struct la_event *event = &device->events[i];

		if (is_mark(event))
			continue;
		if (event->action == LA_OOM) {
			facts->survived = ooms++;
			facts->went_on = false;
			witness->oom = event;
			witness->end = number;
		} else if (event->action == LA_ALLOC && ooms) {
			facts->went_on = true;
		}
		number++;
	}
	if (!ooms)
		witness->end = number;
	facts->event = witness->end;
}

/* The stacks of all events but marks; owned by the caller. */
static int list_stacks(struct witness *witness, uint32_t **out)
{
	const struct la_recorded_device *device = witness->device;
	size_t count = 0, i;
	uint32_t *stack;

	*out = NULL;
	if (!device->event_stacks)
		return 0;
	stack = malloc((device->event_count + 1) * sizeof(*stack));
	if (!stack)
		return -ENOMEM;
	for (i = 0; i < device->event_count; i++)
		if (!is_mark(&device->events[i]))
			stack[count++] = device->event_stacks[i];
	*out = stack;
	witness->stack = stack;
	return 0;
}

static void tell_release(const struct witness *witness)
{
	unsigned int *release = witness->facts->release;
	const char *name = la_recording_torch(witness->recording);
	int known = name ? la_release_parse(&release[0], name, NULL) : -EINVAL;

	if (known < 0)
		la_recording_releases(witness->recording, release);
	else
		release[1] = known ? UINT_MAX : release[0];
}

/* The setting in force at the OOM: where a setter ran before it, the last one
 * that is known. */
static int tell_setting(const struct witness *witness)
{
	const struct la_program_info *info =
		witness->program ? la_program_info(witness->program) : NULL;
	const char *setting = witness->device->setting;

	if (info && info->changed_to && info->changed_at[1] <= witness->end)
		setting = info->changed_to;
	else if (info)
		setting = info->setting;
	if (!setting)
		return 0;
	witness->facts->setting = strdup(setting);
	return witness->facts->setting ? 0 : -ENOMEM;
}

static enum la_basis basis_of_limit(const struct la_program_info *info)
{
	if (info->limit_source == LA_LIMIT_FROM_CALLER)
		return LA_BASIS_GIVEN;
	return info->limit_source == LA_LIMIT_FROM_EVENTS ?
		       LA_BASIS_DERIVED :
		       LA_BASIS_RECORDED;
}

/* A full card is no cap: what is free there tells of it. */
static void tell_limits(const struct witness *witness)
{
	const struct la_program_info *info =
		witness->program ? la_program_info(witness->program) : NULL;
	uint64_t total = info ? info->total : witness->device->total;
	uint64_t cap = witness->device->cap;
	struct la_facts *facts = witness->facts;

	if (total)
		set_exact(facts, LA_AMOUNT_TOTAL, total);
	if (info && info->limit.kind == LA_LIMIT_CAP)
		set_amount(facts, LA_AMOUNT_ALLOWED, info->limit_range[0],
			   info->limit_range[1], basis_of_limit(info));
	else if (!info && cap && cap != UINT64_MAX)
		set_exact(facts, LA_AMOUNT_ALLOWED, cap);
	if (witness->oom)
		set_exact(facts, LA_AMOUNT_FREE, witness->oom->addr);
}

static int tell_circumstances(const struct witness *witness,
			      unsigned int device)
{
	const struct la_recorded_device *recorded = witness->device;
	struct la_facts *facts = witness->facts;
	size_t i;

	facts->kind = LA_OOM_CACHING;
	facts->framework = "pytorch";
	facts->count = 1;
	facts->device = device;
	facts->rank = facts->pid = -1;
	facts->recorded = true;
	if (la_recording_is_probe(witness->recording))
		facts->views = 1u << LA_PROBE_ALLOCATOR;
	for (i = 0; i < recorded->segment_count; i++)
		facts->expandable |= recorded->segments[i].expandable;
	tell_release(witness);
	tell_limits(witness);
	return tell_setting(witness);
}

static void tell_request(const struct witness *witness,
			 const struct la_oom_state *state)
{
	struct la_facts *facts = witness->facts;

	set_exact(facts, LA_AMOUNT_REQUEST, state->size);
	set_exact(facts, LA_AMOUNT_SEGMENT, state->segment);
	set_exact(facts, LA_AMOUNT_LARGEST, state->free[LA_FREE_OWN].largest);
	set_exact(facts, LA_AMOUNT_OWN_FREE, state->free[LA_FREE_OWN].bytes);
	set_exact(facts, LA_AMOUNT_STREAM_FREE,
		  state->free[LA_FREE_STREAMS].bytes);
	set_exact(facts, LA_AMOUNT_CLASS_FREE,
		  state->free[LA_FREE_CLASS].bytes);
	facts->private_request = state->pool[0] || state->pool[1];
	facts->expandable |= state->picture.total.ranges > 0;
}

/* Replayed as it was: the heap at the moment of the failure.  Returns 1 if
 * the replay fails there too. */
static int see_failure(struct witness *witness)
{
	struct la_oom_state state = { 0 };
	const struct la_replay_options options = {
		.setting = la_program_setting(witness->program),
		.as_recorded = true,
		.event_count = witness->end + 1,
		.oom = &state,
		.holder_key = witness_key,
		.holder_data = witness,
	};
	struct la_replay_result result;
	int code = la_replay(witness->program, &options, &result, NULL);
	bool same = code == 0 && !result.ran && state.size &&
		    state.event == witness->end;

	if (same) {
		tell_request(witness, &state);
		la_sum_up(witness->facts, &state.picture, state.stats.reserved,
			  state.stats.active);
		code = witness_keep_holders(witness, state.holder,
					    state.holder_count);
	}
	la_oom_state_release(&state);
	if (code == -ENOMEM)
		return code;
	return same;
}

static int tell_fidelity(const struct witness *witness)
{
	const struct la_program_info *info = la_program_info(witness->program);
	struct la_verification verification;
	int code = la_program_verify(witness->program, &verification, NULL);

	witness->facts->late = info->window || info->first_event > 0;
	witness->facts->exact = code == 0 && verification.exact &&
				info->understood == info->event_count;
	return code == -ENOMEM ? code : 0;
}

static int gather(struct witness *witness, unsigned int device)
{
	int code = tell_circumstances(witness, device), seen = 0;

	if (!code && witness->program)
		code = tell_fidelity(witness);
	if (!code && witness->program && witness->oom)
		seen = see_failure(witness);
	if (code < 0 || seen < 0)
		return -ENOMEM;
	if (!seen) {
		witness->facts->exact &= !witness->oom;
		code = witness_see_end(witness);
	}
	if (witness->facts->views)
		la_forget_unseen(witness->facts);
	if (!code)
		code = witness_tell_ages(witness);
	return code < 0 ? code : witness_test_growth(witness);
}

LA_EXPORT int la_facts_of_recording(struct la_facts *out,
				    const struct la_recording *recording,
				    unsigned int device,
				    const struct la_program *program,
				    struct la_error *err)
{
	struct la_facts facts = { 0 };
	struct witness witness = {
		.recording = recording,
		.device = la_recording_device(recording, device),
		.program = program,
		.facts = &facts,
	};
	uint32_t *stack;
	int code;

	seek_oom(&witness);
	code = list_stacks(&witness, &stack);
	if (!code)
		code = gather(&witness, device);
	free(stack);
	if (code < 0) {
		la_facts_release(&facts);
		return la_error_set(err, code, LA_NO_OFFSET, "out of memory");
	}
	*out = facts;
	return witness.oom ? 0 :
			     la_error_set(err, -ENOENT, LA_NO_OFFSET,
					  "no request failed");
}
