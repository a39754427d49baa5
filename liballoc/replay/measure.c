// SPDX-License-Identifier: Apache-2.0
/* What tune finds out about one setting, by replays. */

#include <errno.h>

#include "replay/choose.h"
#include "replay/minimum.h"
#include "replay/tuning.h"

enum { PROBES = 64 };

static bool is_stopped(struct la_tuning *tuning)
{
	bool stopped;

	if (!tuning->options.stop)
		return false;
	pthread_mutex_lock(&tuning->lock);
	if (!tuning->stopped)
		tuning->stopped = tuning->options.stop(tuning->options.data);
	stopped = tuning->stopped;
	pthread_mutex_unlock(&tuning->lock);
	return stopped;
}

static int replay(const struct la_tuning *tuning, size_t i,
		  struct la_tune_fact *fact)
{
	const struct la_release_policy *policy = tuning->options.policy;
	const struct la_replay_options options = {
		.setting = la_setting_values(tuning->candidate[i].setting),
		.torch_release = tuning->replayed_release,
		.limit = fact->limit,
		.layout = fact->layout,
		.costs = tuning->options.costs,
		.release = policy ? policy[fact->program] :
				    (struct la_release_policy){ 0 },
	};
	struct la_replay_result result;
	int code = la_replay(tuning->program[fact->program], &options, &result,
			     NULL);

	if (code < 0)
		return code;
	fact->ran = result.ran;
	fact->reserved_peak = result.stats.reserved_peak;
	fact->allocated_peak = result.stats.allocated_peak;
	fact->operations = result.operations;
	fact->seconds = result.seconds;
	return 0;
}

/* Where the driver puts segments does not matter to chains: a pool of a
 * stream has one. */
static enum la_layout layout_for(const struct la_tuning *tuning, size_t i,
				 enum la_layout layout)
{
	return la_setting_values(tuning->candidate[i].setting)
			       ->expandable_segments ?
		       LA_LAYOUT_RULE :
		       layout;
}

/* One replay, unless it was made before. */
static int ask(struct la_tuning *tuning, size_t i, size_t p,
	       enum la_layout layout, struct la_limit limit,
	       struct la_tune_fact *fact)
{
	int code;

	*fact = (struct la_tune_fact){
		.likeness = limit.kind == LA_LIMIT_CAP ?
				    tuning->candidate[i].likeness :
				    tuning->candidate[i].likeness_uncapped,
		.program = (uint32_t)p,
		.layout = layout_for(tuning, i, layout),
		.limit = limit,
	};
	if (facts_find(&tuning->facts, fact))
		return 0;
	if (is_stopped(tuning))
		return -EINTR;
	code = replay(tuning, i, fact);
	return code < 0 ? code : facts_add(&tuning->facts, fact, true);
}

/* The same under all layouts. */
static int ask_all(struct la_tuning *tuning, size_t i, size_t p,
		   struct la_limit limit, enum la_outcome *outcome)
{
	struct la_tune_fact fact;
	unsigned int layout, ran = 0;
	int code;

	for (layout = 0; layout < LA_LAYOUT_COUNT; layout++) {
		code = ask(tuning, i, p, layout, limit, &fact);
		if (code < 0)
			return code;
		ran += fact.ran;
	}
	*outcome = ran == LA_LAYOUT_COUNT ? LA_OUTCOME_RUNS :
		   ran			  ? LA_OUTCOME_DEPENDS :
					    LA_OUTCOME_OOM;
	return 0;
}

/* Whose limits are sought. */
struct asker {
	struct la_tuning *tuning;
	size_t i, p;
	enum la_layout layout;
};

static int play_asked(void *data, struct la_limit limit,
		      struct minimum_play *play)
{
	const struct asker *asker = data;
	struct la_tune_fact fact;
	int code;

	if (limit.kind == LA_LIMIT_NONE)
		limit.bytes = 0;
	code = ask(asker->tuning, asker->i, asker->p, asker->layout, limit,
		   &fact);
	*play = (struct minimum_play){ fact.ran, fact.reserved_peak,
				       fact.allocated_peak };
	return code;
}

/* What is near: the limit that was passed, or the minimum in the rule
 * layout. */
static uint64_t hint_for(const struct la_tuning *tuning, size_t i, size_t p,
			 enum la_layout layout)
{
	if (layout != LA_LAYOUT_RULE)
		return tuning->trial[p][i].near;
	return tuning->candidate[i].passed;
}

static int seek_minimum(struct la_tuning *tuning, size_t i, size_t p,
			enum la_layout layout, unsigned int probes)
{
	struct trial *trial = &tuning->trial[p][i];
	struct asker asker = { tuning, i, p, layout };
	const struct minimum_question question = {
		.player = play_asked,
		.data = &asker,
		.kind = trial->kind,
		.steers = minimum_is_steered(
			la_setting_values(tuning->candidate[i].setting),
			trial->kind,
			tuning->options.policy ? &tuning->options.policy[p] :
						 NULL),
		.floor = tuning->program[p]->floor,
		.hint = hint_for(tuning, i, p, layout),
		.probes = probes,
	};
	struct la_minimum minimum;
	int code = minimum_seek(&question, &minimum, NULL);

	if (code == -ERANGE) {
		minimum.bytes = 0;
		code = 0;
	}
	if (!code)
		trial->minimum[layout] = minimum;
	return code;
}

/* Count operations under the limit, or where the setting runs if it does not
 * run there in every layout. */
static int count_operations(struct la_tuning *tuning, size_t i, size_t p)
{
	const struct trial *trial = &tuning->trial[p][i];
	struct la_tuned *row = &tuning->each[p][i];
	struct la_tune_fact fact;
	int code;

	row->limit.kind = trial->kind;
	row->limit.bytes = row->minimum_memory_range[1];
	if (trial->limit.kind != LA_LIMIT_NONE &&
	    row->outcome == LA_OUTCOME_RUNS)
		row->limit = trial->limit;
	code = ask(tuning, i, p, LA_LAYOUT_RULE, row->limit, &fact);
	if (code < 0)
		return code;
	row->operations = fact.operations;
	row->seconds = fact.seconds;
	return 0;
}

/* Without a limit all runs, if any limit does. */
static int test_fit(struct la_tuning *tuning, size_t i, size_t p)
{
	const struct trial *trial = &tuning->trial[p][i];
	struct la_tuned *row = &tuning->each[p][i];

	row->outcome = LA_OUTCOME_RUNS;
	if (trial->limit.kind == LA_LIMIT_NONE)
		return 0;
	return ask_all(tuning, i, p, trial->limit, &row->outcome);
}

/* Figures of the rule layout, and their range over those that were run. */
static void take_figures(struct la_tuning *tuning, size_t i, size_t p,
			 unsigned int layouts)
{
	const struct la_minimum *minimum = tuning->trial[p][i].minimum;
	struct la_tuned *row = &tuning->each[p][i];
	unsigned int k;

	row->layouts = layouts;
	row->peak_reserved = minimum->reserved_peak;
	row->minimum_memory = minimum->bytes;
	row->islands = minimum->islands;
	for (k = 0; k < 2; k++) {
		row->peak_reserved_range[k] = minimum->reserved_peak;
		row->minimum_memory_range[k] = minimum->bytes;
	}
	for (k = 1; k < layouts; k++) {
		widen_range(row->peak_reserved_range,
			    minimum[k].reserved_peak);
		if (minimum[k].bytes)
			widen_range(row->minimum_memory_range,
				    minimum[k].bytes);
	}
}

static void report_progress(struct la_tuning *tuning)
{
	pthread_mutex_lock(&tuning->lock);
	tuning->done++;
	if (tuning->options.progress)
		tuning->options.progress(tuning->options.data, tuning->done,
					 tuning->total);
	pthread_mutex_unlock(&tuning->lock);
}

static int look(struct la_tuning *tuning, size_t i, size_t p)
{
	struct la_tuned *row = &tuning->each[p][i];
	struct la_limit none = { LA_LIMIT_NONE, 0 };
	struct la_tune_fact fact;
	int code = ask(tuning, i, p, LA_LAYOUT_RULE, none, &fact);

	if (code < 0)
		return code;
	row->peak_reserved = fact.reserved_peak;
	row->peak_reserved_range[0] = fact.reserved_peak;
	row->peak_reserved_range[1] = fact.reserved_peak;
	row->seconds_unlimited = fact.seconds;
	row->layouts = 1;
	code = test_fit(tuning, i, p);
	if (code < 0)
		return code;
	row->replayed = true;
	if (row->outcome != LA_OUTCOME_RUNS ||
	    tuning->trial[p][i].limit.kind == LA_LIMIT_NONE)
		return 0;
	return count_operations(tuning, i, p);
}

int tuning_look(void *data, size_t index)
{
	struct la_tuning *tuning = data;
	size_t i = tuning->todo[index / tuning->program_count];
	int code = look(tuning, i, index % tuning->program_count);

	report_progress(tuning);
	return code == -ENOTSUP ? 0 : code;
}

bool tuning_may_win(const struct la_tuning *tuning, size_t i)
{
	return !tuning->tuned[i].objection ||
	       (tuning->candidate[i].wants_cap && tuning->can_cap);
}

/* The limit under which a setting that takes so much time has to run to be
 * better than what is known by more than can be told apart; 0: any. */
static uint64_t bar_for(const struct la_tuning *tuning, double seconds)
{
	uint64_t least = UINT64_MAX;
	size_t k;

	for (k = 0; k < tuning->count; k++) {
		const struct la_tuned *other = &tuning->tuned[k];

		if (other->minimum_memory &&
		    other->seconds <= la_choose_slack(seconds) &&
		    other->outcome == LA_OUTCOME_RUNS &&
		    other->minimum_memory < least && tuning_may_win(tuning, k))
			least = other->minimum_memory;
	}
	if (least == UINT64_MAX)
		return 0;
	least = la_choose_less(least) / LIMIT_UNIT * LIMIT_UNIT;
	return least ? least : LIMIT_UNIT;
}

/* Do all programs run under a limit?  *seconds: the longest that one takes. */
static int run_all(struct la_tuning *tuning, size_t i, uint64_t bytes,
		   double *seconds, bool *ran)
{
	struct la_tune_fact fact;
	size_t p;
	int code;

	*ran = true;
	for (p = 0; p < tuning->program_count && *ran; p++) {
		struct la_limit limit = { tuning->trial[p][i].kind, bytes };

		code = ask(tuning, i, p, LA_LAYOUT_RULE, limit, &fact);
		if (code < 0)
			return code;
		*ran = fact.ran;
		if (fact.seconds > *seconds)
			*seconds = fact.seconds;
	}
	return 0;
}

/* Down the front: what runs where it has to takes more time there, and then
 * has to be better than what takes as much. */
static int descend(struct la_tuning *tuning, size_t i, double seconds)
{
	struct candidate *candidate = &tuning->candidate[i];
	bool limited = tuning->options.limit.kind != LA_LIMIT_NONE, ran = true;
	uint64_t bar = bar_for(tuning, seconds);
	int code;

	while (bar && (!candidate->passed || bar < candidate->passed)) {
		code = run_all(tuning, i, bar, &seconds, &ran);
		if (code < 0)
			return code;
		if (!ran) {
			candidate->failed = bar;
			return 0;
		}
		candidate->passed = bar;
		if (!limited)
			bar = bar_for(tuning, seconds);
	}
	return 0;
}

int tuning_hold_against(void *data, size_t index)
{
	struct la_tuning *tuning = data;
	size_t i = tuning->todo[index];
	const struct la_tuned *row = &tuning->tuned[i];
	bool limited = tuning->options.limit.kind != LA_LIMIT_NONE;
	int code = 0;

	if (!limited)
		code = descend(tuning, i, row->seconds_unlimited);
	else if (row->outcome == LA_OUTCOME_RUNS)
		code = descend(tuning, i, row->seconds);
	report_progress(tuning);
	return code;
}

int tuning_measure(void *data, size_t index)
{
	struct la_tuning *tuning = data;
	size_t i = tuning->todo[index / tuning->program_count];
	size_t p = index % tuning->program_count;
	int code = seek_minimum(tuning, i, p, LA_LAYOUT_RULE, 0);

	report_progress(tuning);
	if (code < 0)
		return code;
	tuning->trial[p][i].near =
		tuning->trial[p][i].minimum[LA_LAYOUT_RULE].bytes;
	take_figures(tuning, i, p, 1);
	if (!tuning->each[p][i].minimum_memory) {
		tuning->each[p][i].outcome = LA_OUTCOME_OOM;
		return 0;
	}
	return count_operations(tuning, i, p);
}

int tuning_refine(void *data, size_t index)
{
	struct la_tuning *tuning = data;
	enum la_layout layout = index % LA_LAYOUT_COUNT;
	size_t rest = index / LA_LAYOUT_COUNT;
	size_t i = tuning->todo[rest / tuning->program_count];
	size_t p = rest % tuning->program_count;
	struct trial *trial = &tuning->trial[p][i];
	bool probe = layout == LA_LAYOUT_RULE ||
		     tuning->candidate[i].depth == DEPTH_PROBES;
	int code = 0;

	if (!trial->probed[layout])
		code = seek_minimum(tuning, i, p, layout, probe ? PROBES : 0);
	trial->probed[layout] = probe;
	report_progress(tuning);
	return code;
}

/* Do all layouts run?  *first is asked first, and becomes the one that
 * fails. */
static int runs_in_all(struct la_tuning *tuning, size_t i, size_t p,
		       struct la_limit limit, unsigned int *first, bool *runs)
{
	struct la_tune_fact fact;
	unsigned int k;
	int code;

	for (k = 0; k < LA_LAYOUT_COUNT; k++) {
		unsigned int layout = (*first + k) % LA_LAYOUT_COUNT;

		code = ask(tuning, i, p, layout, limit, &fact);
		if (code < 0)
			return code;
		*runs = fact.ran;
		if (!fact.ran) {
			*first = layout;
			break;
		}
	}
	return 0;
}

/* Raise the higher end to where every layout is seen to run: the minimum of
 * one may lie below an island of another.  Beyond what probes have covered
 * there is no such limit. */
static int raise_to_all(struct la_tuning *tuning, size_t i, size_t p)
{
	const struct trial *trial = &tuning->trial[p][i];
	struct la_tuned *row = &tuning->each[p][i];
	struct la_limit limit = { trial->kind, row->minimum_memory_range[1] };
	uint64_t end = limit.bytes + limit.bytes * 3 / 100;
	unsigned int first = 0;
	bool runs = false;
	int code = 0;

	for (; !code && limit.bytes <= end; limit.bytes += LIMIT_UNIT) {
		code = runs_in_all(tuning, i, p, limit, &first, &runs);
		row->minimum_memory_range[1] = limit.bytes;
		if (runs)
			break;
	}
	if (!runs && trial->limit.kind == LA_LIMIT_NONE)
		row->outcome = LA_OUTCOME_DEPENDS;
	return code;
}

int tuning_settle(void *data, size_t index)
{
	struct la_tuning *tuning = data;
	size_t i = tuning->todo[index / tuning->program_count];
	size_t p = index % tuning->program_count;
	int code;

	take_figures(tuning, i, p, LA_LAYOUT_COUNT);
	code = raise_to_all(tuning, i, p);
	return code < 0 ? code : count_operations(tuning, i, p);
}
