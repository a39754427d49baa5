// SPDX-License-Identifier: Apache-2.0
/* Would the whole program run?  Its recording without a limit tells. */

#include <errno.h>

#include "replay/parallel.h"
#include "triage/trials.h"

static enum la_past past_of(enum la_outcome outcome)
{
	switch (outcome) {
	case LA_OUTCOME_RUNS:
		return LA_PAST_PAST;
	case LA_OUTCOME_OOM:
		return LA_PAST_STUCK;
	default:
		return LA_PAST_DEPENDS;
	}
}

/* What is live at most: no allocator does with less. */
static void judge_packed(const struct la_program *whole,
			 struct attempt *attempt)
{
	uint64_t least = la_program_info(whole)->peak_live;

	attempt->trial.whole_reserved = least;
	attempt->trial.whole =
		least <= attempt->limit[0].bytes ? LA_PAST_PAST :
		least <= attempt->limit[1].bytes ? LA_PAST_DEPENDS :
						   LA_PAST_STUCK;
}

static const struct la_setting_values *values_of(const struct trials *trials,
						 const struct attempt *attempt)
{
	return attempt->setting ? la_setting_values(attempt->setting) :
				  la_program_setting(trials->program);
}

/* Of limits that differ the answer depends. */
static int judge_replayed(const struct trials *trials,
			  struct attempt *attempt)
{
	struct la_replay_options options = {
		.setting = values_of(trials, attempt),
		.torch_release = trials->release,
	};
	struct la_answer answer;
	int i, code = 0;

	for (i = 1; i >= 0 && !code; i--) {
		options.limit = attempt->limit[i];
		code = la_replay_all_layouts(trials->options->whole, &options,
					     &answer, NULL);
		if (code < 0)
			break;
		if (i) {
			attempt->trial.whole = past_of(answer.outcome);
			attempt->trial.whole_reserved =
				answer.rule.stats.reserved_peak;
		} else if (attempt->trial.whole != past_of(answer.outcome)) {
			attempt->trial.whole = LA_PAST_DEPENDS;
		}
		if (attempt->limit[0].bytes == attempt->limit[1].bytes)
			break;
	}
	return code == -ENOMEM ? code : 0;
}

static int judge(void *data, size_t index)
{
	struct trials *trials = data;
	struct attempt *attempt = &trials->attempt[index];

	if (attempt->limit[1].kind == LA_LIMIT_NONE)
		return 0;
	switch (attempt->trial.kind) {
	case LA_TRIAL_PACKED:
		judge_packed(trials->options->whole, attempt);
		return 0;
	case LA_TRIAL_SETTING:
		return attempt->setting ? judge_replayed(trials, attempt) : 0;
	case LA_TRIAL_UNCAPPED:
		return judge_replayed(trials, attempt);
	default:
		return 0;
	}
}

int trials_replay_whole(struct trials *trials)
{
	unsigned int jobs = trials->options->jobs;

	return la_parallel(jobs ? jobs : 1, trials->count, judge, trials);
}
