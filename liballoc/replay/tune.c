// SPDX-License-Identifier: Apache-2.0
/*
 * One program under many settings: la_tune().  Every setting is replayed in
 * the rule layout; what is on the front or wins is replayed in all layouts and
 * under more limits, until what was found stays.
 */

#include <errno.h>
#include <stdlib.h>

#include "heap/round.h"
#include "replay/choose.h"
#include "replay/parallel.h"
#include "replay/program.h"
#include "replay/tuning.h"
#include "util/error.h"
#include "util/util.h"

static int run(struct la_tuning *tuning, size_t count, la_parallel_work *work)
{
	return la_parallel(tuning->options.jobs, count, work, tuning);
}

/* Candidates that are not replayed like another one. */
static void list_distinct(struct la_tuning *tuning)
{
	size_t i;

	tuning->todo_count = 0;
	for (i = 0; i < tuning->count; i++)
		if (tuning->candidate[i].same == i)
			tuning->todo[tuning->todo_count++] = i;
}

static enum tuning_depth depth_for(const struct la_tuning *tuning, size_t i)
{
	if (tuning->winner == &tuning->tuned[i])
		return DEPTH_PROBES;
	return tuning->tuned[i].pareto ? DEPTH_LAYOUTS : DEPTH_RULE;
}

static void list_to_refine(struct la_tuning *tuning)
{
	size_t i;

	tuning->todo_count = 0;
	for (i = 0; i < tuning->count; i++) {
		enum tuning_depth depth = depth_for(tuning, i);
		size_t k = tuning->candidate[i].same;

		if (tuning->candidate[k].depth >= depth)
			continue;
		tuning->candidate[k].depth = depth;
		tuning->todo[tuning->todo_count++] = k;
	}
}

/* What is replayed like another setting has its figures. */
static void copy_figures(struct la_tuning *tuning)
{
	size_t i;

	for (i = 0; i < tuning->count; i++) {
		struct la_tuned *to = &tuning->tuned[i];
		struct la_tuned own = *to;

		*to = tuning->tuned[tuning->candidate[i].same];
		to->setting = own.setting;
		to->asked = own.asked;
		to->recorded = own.recorded;
	}
}

static void choose(struct la_tuning *tuning)
{
	bool limited = tuning->options.limit.kind != LA_LIMIT_NONE;
	size_t winner;

	copy_figures(tuning);
	la_choose_front(tuning->tuned, tuning->count);
	winner = la_choose_winner(tuning->tuned, tuning->count, limited);
	tuning->winner = winner == SIZE_MAX ? NULL : &tuning->tuned[winner];
}

static int tune(struct la_tuning *tuning)
{
	int code;

	list_distinct(tuning);
	tuning->total = tuning->todo_count;
	code = run(tuning, tuning->todo_count, la_tuning_measure);
	while (!code) {
		choose(tuning);
		list_to_refine(tuning);
		if (!tuning->todo_count)
			break;
		tuning->total += tuning->todo_count * LA_LAYOUT_COUNT;
		code = run(tuning, tuning->todo_count * LA_LAYOUT_COUNT,
			   la_tuning_refine);
		if (!code)
			code = run(tuning, tuning->todo_count,
				   la_tuning_settle);
	}
	return code;
}

static void set_lower_bounds(struct la_tuning *tuning)
{
	uint64_t floor = round_up(tuning->program->floor, LIMIT_UNIT);
	size_t i;

	for (i = 0; i < tuning->count; i++)
		tuning->tuned[i].minimum_memory_at_least = floor;
}

LA_EXPORT int la_tune(struct la_tuning **out, const struct la_program *program,
		      const struct la_tune_options *options,
		      struct la_error *err)
{
	struct la_tuning *tuning = calloc(1, sizeof(*tuning));
	int code = tuning ? 0 : -ENOMEM;

	if (code < 0)
		return la_error_set(err, code, LA_NO_OFFSET, "out of memory");
	tuning->program = program;
	tuning->options = *options;
	if (!options->costs)
		tuning->options.costs = la_costs_default();
	pthread_mutex_init(&tuning->lock, NULL);
	code = la_tuning_add_all(tuning, err);
	if (code < 0)
		goto fail;
	tuning->todo = calloc(tuning->count, sizeof(*tuning->todo));
	code = tuning->todo ? tune(tuning) : -ENOMEM;
	if (code < 0)
		goto fail;
	set_lower_bounds(tuning);
	*out = tuning;
	return 0;

fail:
	if (code != -EINVAL)
		la_error_set(err, code, LA_NO_OFFSET, "a replay failed: %s",
			     code == -ENOMEM ? "out of memory" :
					       "it left the recording");
	la_tuning_free(tuning);
	return code;
}

LA_EXPORT void la_tuning_free(struct la_tuning *tuning)
{
	size_t i;

	if (!tuning)
		return;
	for (i = 0; i < tuning->count; i++)
		la_setting_free(tuning->candidate[i].setting);
	pthread_mutex_destroy(&tuning->lock);
	free(tuning->candidate);
	free(tuning->tuned);
	free(tuning->todo);
	free(tuning);
}

LA_EXPORT const struct la_tuned *
la_tuning_settings(const struct la_tuning *tuning, size_t *count)
{
	*count = tuning->count;
	return tuning->tuned;
}

LA_EXPORT const struct la_tuned *
la_tuning_winner(const struct la_tuning *tuning)
{
	return tuning->winner;
}
