// SPDX-License-Identifier: Apache-2.0
/* A replay under the recorded setting and limit, compared event by event. */

#include <errno.h>

#include "replay/program.h"
#include "util/util.h"

struct comparison {
	const struct la_program *program; /* borrowed */
	struct la_verification *result; /* borrowed */
	size_t at; /* next recorded event */
};

static bool is_compared(uint8_t action)
{
	return action != LA_FREE_REQUESTED && action != LA_FREE_COMPLETED;
}

/* The recorded event whose turn it is, or NULL behind the last one. */
static const struct la_event *next_recorded(struct comparison *comparison)
{
	const struct la_program *program = comparison->program;

	while (comparison->at < program->event_count) {
		const struct la_event *event =
			&program->event[comparison->at++];

		if (is_compared(event->action))
			return event;
	}
	return NULL;
}

static struct la_replay_event recorded_event(const struct la_program *program,
					     const struct la_event *event)
{
	if (!event)
		return (struct la_replay_event){ .action = LA_ACTION_COUNT };
	return (struct la_replay_event){
		.action = event->action,
		.addr = event->action == LA_OOM ? 0 : event->addr,
		.size = event->size,
		.stream = program->streams[event->stream],
	};
}

static bool equal(const struct la_replay_event *a,
		  const struct la_replay_event *b)
{
	return a->action == b->action && a->addr == b->addr &&
	       a->size == b->size && a->stream == b->stream;
}

static void count_right(struct la_verification *result, enum la_action action)
{
	if (action == LA_ALLOC)
		result->placements_right++;
	else if (action == LA_OOM)
		result->ooms_right++;
	else
		result->segment_events_right++;
}

static void differ(struct comparison *comparison,
		   const struct la_replay_event *recorded,
		   const struct la_replay_event *replayed)
{
	struct la_verification *result = comparison->result;

	if (result->first_difference != UINT64_MAX)
		return;
	result->first_difference = recorded->action == LA_ACTION_COUNT ?
					   comparison->program->event_count :
					   comparison->at - 1;
	result->recorded = *recorded;
	result->replayed = *replayed;
}

static void compare(void *data, enum la_action action, uint64_t addr,
		    uint64_t size, uint64_t stream)
{
	struct comparison *comparison = data;
	struct la_replay_event replayed = { action, addr, size, stream };
	struct la_replay_event recorded;

	if (!is_compared(action))
		return;
	recorded = recorded_event(comparison->program,
				  next_recorded(comparison));
	if (equal(&recorded, &replayed))
		count_right(comparison->result, action);
	else
		differ(comparison, &recorded, &replayed);
}

static void count_recorded(const struct la_program *program,
			   struct la_verification *result)
{
	size_t i;

	for (i = program->info.first_event; i < program->event_count; i++) {
		uint8_t action = program->event[i].action;

		result->placements += action == LA_ALLOC;
		result->ooms += action == LA_OOM;
		result->segment_events += is_compared(action) &&
					  action != LA_ALLOC &&
					  action != LA_OOM;
	}
}

LA_EXPORT int la_program_verify(const struct la_program *program,
				struct la_verification *result,
				struct la_error *err)
{
	struct comparison comparison = {
		.program = program,
		.result = result,
		.at = program->info.first_event,
	};
	const struct la_replay_options options = {
		.setting = la_setting_values(program->setting),
		.as_recorded = true,
		.listener = compare,
		.listener_data = &comparison,
	};
	const struct la_replay_event nothing = { .action = LA_ACTION_COUNT };
	struct la_replay_result replay;
	struct la_replay_event recorded;
	const struct la_event *left;
	int code;

	*result = (struct la_verification){
		.adopted = program->info.adopted_count,
		.first_difference = UINT64_MAX,
		.reserved_peak_recorded = program->peak_recorded,
	};
	count_recorded(program, result);
	code = la_replay(program, &options, &replay, err);
	if (code < 0)
		return code;
	left = next_recorded(&comparison);
	if (left) {
		recorded = recorded_event(program, left);
		differ(&comparison, &recorded, &nothing);
	}
	result->reserved_peak_replayed = replay.stats.reserved_peak;
	result->exact = result->first_difference == UINT64_MAX &&
			!result->adopted;
	return 0;
}
