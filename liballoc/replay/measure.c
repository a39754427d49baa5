// SPDX-License-Identifier: Apache-2.0
/* What tune finds out about one setting, by replays. */

#include <errno.h>

#include "replay/program.h"
#include "replay/tuning.h"
#include "util/util.h"

enum { PROBES = 64 };

static struct la_replay_options options_of(const struct la_tuning *tuning,
					   size_t i, enum la_layout layout,
					   struct la_limit limit)
{
	return (struct la_replay_options){
		.setting = la_setting_values(tuning->candidate[i].setting),
		.limit = limit,
		.layout = layout,
	};
}

static int ask(const struct la_tuning *tuning, size_t i, struct la_limit limit,
	       enum la_outcome *outcome)
{
	struct la_replay_options options =
		options_of(tuning, i, LA_LAYOUT_RULE, limit);
	struct la_answer answer;
	int code = la_replay_all_layouts(tuning->program, &options, &answer,
					 NULL);

	if (!code)
		*outcome = answer.outcome;
	return code;
}

static int seek_minimum(struct la_tuning *tuning, size_t i,
			enum la_layout layout, unsigned int probes)
{
	struct candidate *candidate = &tuning->candidate[i];
	struct la_minimum *minimum = &candidate->minimum[layout];
	struct la_replay_options options =
		options_of(tuning, i, layout,
			   (struct la_limit){ candidate->kind, 0 });
	int code = la_minimum_memory(tuning->program, &options, probes, minimum,
				     NULL);

	if (code != -ERANGE)
		return code;
	minimum->bytes = 0;
	return 0;
}

/* Count operations under the limit, or where the setting runs if it does not
 * run there in every layout. */
static int count_operations(struct la_tuning *tuning, size_t i)
{
	const struct candidate *candidate = &tuning->candidate[i];
	struct la_tuned *tuned = &tuning->tuned[i];
	struct la_replay_options options;
	struct la_replay_result result;
	int code;

	tuned->limit.kind = candidate->kind;
	tuned->limit.bytes = tuned->minimum_memory_range[1];
	if (candidate->limit.kind != LA_LIMIT_NONE &&
	    tuned->outcome == LA_OUTCOME_RUNS)
		tuned->limit = candidate->limit;
	options = options_of(tuning, i, LA_LAYOUT_RULE, tuned->limit);
	options.costs = tuning->options.costs;
	code = la_replay(tuning->program, &options, &result, NULL);
	tuned->operations = result.operations;
	tuned->seconds = result.seconds;
	return code;
}

static int test_fit(struct la_tuning *tuning, size_t i)
{
	const struct candidate *candidate = &tuning->candidate[i];
	struct la_tuned *tuned = &tuning->tuned[i];

	if (candidate->limit.kind != LA_LIMIT_NONE)
		return ask(tuning, i, candidate->limit, &tuned->outcome);
	tuned->outcome = tuned->minimum_memory ? LA_OUTCOME_RUNS :
						 LA_OUTCOME_OOM;
	return 0;
}

static void widen(uint64_t range[2], uint64_t value)
{
	if (value < range[0])
		range[0] = value;
	if (value > range[1])
		range[1] = value;
}

/* Figures of the rule layout, and their range over those that were run. */
static void take_figures(struct la_tuning *tuning, size_t i, int layouts)
{
	const struct la_minimum *minimum = tuning->candidate[i].minimum;
	struct la_tuned *tuned = &tuning->tuned[i];
	int k;

	tuned->layouts = (unsigned int)layouts;
	tuned->peak_reserved = minimum->reserved_peak;
	tuned->minimum_memory = minimum->bytes;
	tuned->islands = minimum->islands;
	for (k = 0; k < 2; k++) {
		tuned->peak_reserved_range[k] = minimum->reserved_peak;
		tuned->minimum_memory_range[k] = minimum->bytes;
	}
	for (k = 1; k < layouts; k++) {
		widen(tuned->peak_reserved_range, minimum[k].reserved_peak);
		if (minimum[k].bytes)
			widen(tuned->minimum_memory_range, minimum[k].bytes);
	}
}

static void report_progress(struct la_tuning *tuning)
{
	pthread_mutex_lock(&tuning->lock);
	tuning->done++;
	if (tuning->options.progress)
		tuning->options.progress(tuning->options.progress_data,
					 tuning->done, tuning->total);
	pthread_mutex_unlock(&tuning->lock);
}

int la_tuning_measure(void *data, size_t index)
{
	struct la_tuning *tuning = data;
	size_t i = tuning->todo[index];
	int code = seek_minimum(tuning, i, LA_LAYOUT_RULE, 0);

	report_progress(tuning);
	if (code < 0)
		return code == -ENOTSUP ? 0 : code;
	tuning->tuned[i].replayed = true;
	take_figures(tuning, i, 1);
	code = test_fit(tuning, i);
	if (code < 0 || !tuning->tuned[i].minimum_memory)
		return code;
	return count_operations(tuning, i);
}

int la_tuning_refine(void *data, size_t index)
{
	struct la_tuning *tuning = data;
	size_t i = tuning->todo[index / LA_LAYOUT_COUNT];
	enum la_layout layout = index % LA_LAYOUT_COUNT;
	struct candidate *candidate = &tuning->candidate[i];
	bool probe = layout == LA_LAYOUT_RULE ||
		     candidate->depth == DEPTH_PROBES;
	int code = 0;

	if (!candidate->probed[layout])
		code = seek_minimum(tuning, i, layout, probe ? PROBES : 0);
	candidate->probed[layout] = probe;
	report_progress(tuning);
	return code;
}

/* Raise the higher end to where every layout is seen to run: the minimum of
 * one may lie below an island of another.  Beyond what probes have covered
 * there is no such limit. */
static int raise_to_all(struct la_tuning *tuning, size_t i)
{
	struct la_tuned *tuned = &tuning->tuned[i];
	struct la_limit limit = { tuning->candidate[i].kind,
				  tuned->minimum_memory_range[1] };
	uint64_t end = limit.bytes + limit.bytes * 3 / 100;
	enum la_outcome outcome = LA_OUTCOME_OOM;
	int code = 0;

	for (; !code && limit.bytes <= end; limit.bytes += LIMIT_UNIT) {
		code = ask(tuning, i, limit, &outcome);
		tuned->minimum_memory_range[1] = limit.bytes;
		if (outcome == LA_OUTCOME_RUNS)
			break;
	}
	if (outcome != LA_OUTCOME_RUNS &&
	    tuning->candidate[i].limit.kind == LA_LIMIT_NONE)
		tuned->outcome = LA_OUTCOME_DEPENDS;
	return code;
}

int la_tuning_settle(void *data, size_t index)
{
	struct la_tuning *tuning = data;
	size_t i = tuning->todo[index];
	int code;

	take_figures(tuning, i, LA_LAYOUT_COUNT);
	code = raise_to_all(tuning, i);
	return code < 0 ? code : count_operations(tuning, i);
}
