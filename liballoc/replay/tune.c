// SPDX-License-Identifier: Apache-2.0
/*
 * Programs under many settings: la_tune().  The coarse grid is measured in the
 * rule layout.  The fine grid and then neighbours of the best are first held
 * against what is known: each has a bar, a limit under which it would have to
 * run to be worth a search for its minimum.  What is on the front or wins is
 * replayed in all layouts and under more limits, until what was found stays.
 */

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "heap/round.h"
#include "replay/choose.h"
#include "replay/parallel.h"
#include "replay/tuning.h"
#include "util/error.h"
#include "util/util.h"

/* Rounds of neighbours of what is best. */
enum { ROUNDS = 2 };

static bool is_limited(const struct la_tuning *tuning)
{
	return tuning->options.limit.kind != LA_LIMIT_NONE;
}

static int run(struct la_tuning *tuning, size_t count, la_parallel_work *work)
{
	tuning->total += count;
	return la_parallel(tuning->options.jobs, count, work, tuning);
}

/* What is on the list, each under each program. */
static int run_list(struct la_tuning *tuning, la_parallel_work *work)
{
	return run(tuning, tuning->todo_count * tuning->program_count, work);
}

/* Is it this shard's to replay? */
static bool is_ours(const struct la_tuning *tuning, size_t i)
{
	return !tuning->options.shard ||
	       i % tuning->options.shard_count + 1 == tuning->options.shard;
}

static void sum_up(struct la_tuning *tuning)
{
	size_t i;

	for (i = 0; i < tuning->todo_count; i++)
		tuning_sum_up(tuning, tuning->todo[i]);
}

/* What is replayed like another setting has its figures. */
static void copy_figures(struct la_tuning *tuning)
{
	size_t i, p;

	for (i = 0; i < tuning->count; i++) {
		size_t same = tuning->candidate[i].same;

		if (same == i)
			continue;
		tuning_copy_figures(&tuning->tuned[i], &tuning->tuned[same]);
		for (p = 0; p < tuning->program_count; p++)
			tuning_copy_figures(&tuning->each[p][i],
					    &tuning->each[p][same]);
	}
}

static void choose(struct la_tuning *tuning)
{
	size_t winner, i;

	copy_figures(tuning);
	la_choose_front(tuning->tuned, tuning->count);
	for (i = 0; i < tuning->count; i++)
		tuning->eligible[i] = tuning_may_win(tuning, i);
	winner = la_choose_winner(tuning->tuned, tuning->eligible,
				  tuning->count, is_limited(tuning));
	tuning->winner = winner == SIZE_MAX ? NULL : &tuning->tuned[winner];
}

static void cut(struct la_tuning *tuning, size_t i, uint64_t failed)
{
	size_t p;

	for (p = 0; p < tuning->program_count; p++) {
		struct la_tuned *row = &tuning->each[p][i];

		row->cut = true;
		if (failed > row->minimum_memory_at_least)
			row->minimum_memory_at_least = failed + LIMIT_UNIT;
	}
	tuning_sum_up(tuning, i);
}

/* What the limit that was given refuses is cut off there. */
static bool fails_limit(const struct la_tuning *tuning, size_t i)
{
	return is_limited(tuning) &&
	       tuning->tuned[i].outcome != LA_OUTCOME_RUNS;
}

/* Drop from the list what this version cannot replay. */
static void drop_unreplayed(struct la_tuning *tuning)
{
	size_t kept = 0, k;

	for (k = 0; k < tuning->todo_count; k++)
		if (tuning->tuned[tuning->todo[k]].replayed)
			tuning->todo[kept++] = tuning->todo[k];
	tuning->todo_count = kept;
}

/* Drop from the list what fails its bar or the limit that was given. */
static int cut_off(struct la_tuning *tuning)
{
	size_t kept = 0, k;
	int code;

	code = run(tuning, tuning->todo_count, tuning_hold_against);
	if (code < 0)
		return code;
	for (k = 0; k < tuning->todo_count; k++) {
		size_t i = tuning->todo[k];
		const struct candidate *candidate = &tuning->candidate[i];

		if (candidate->failed || fails_limit(tuning, i))
			cut(tuning, i, candidate->failed);
		else
			tuning->todo[kept++] = i;
	}
	tuning->todo_count = kept;
	return 0;
}

/* Replay what is on the list; all: nothing is cut off. */
static int measure(struct la_tuning *tuning, bool all)
{
	int code = run_list(tuning, tuning_look);
	size_t k;

	sum_up(tuning);
	drop_unreplayed(tuning);
	if (!code && !all)
		code = cut_off(tuning);
	if (!code) {
		for (k = 0; k < tuning->todo_count; k++)
			tuning->candidate[tuning->todo[k]].depth = DEPTH_RULE;
		code = run_list(tuning, tuning_measure);
		sum_up(tuning);
	}
	choose(tuning);
	return code;
}

/* Candidates from that one on that are not replayed like another one. */
static void list_distinct(struct la_tuning *tuning, size_t from, bool ours)
{
	size_t i;

	tuning->todo_count = 0;
	for (i = from; i < tuning->count; i++)
		if (tuning->candidate[i].same == i &&
		    (!ours || is_ours(tuning, i)))
			tuning->todo[tuning->todo_count++] = i;
}

static void follow(struct la_tuning *tuning, size_t i)
{
	size_t p;

	for (p = 0; p < tuning->program_count; p++) {
		struct la_tuned *row = &tuning->each[p][i];

		row->cut = true;
		row->minimum_memory_at_least = row->minimum_memory;
		row->minimum_memory = 0;
	}
	tuning_sum_up(tuning, i);
}

/* What turned out not to be better than others by more than can be told apart
 * is cut off after all: its minimum is the bound. */
static void cut_followers(struct la_tuning *tuning, size_t from)
{
	size_t i, k;

	tuning->todo_count = 0;
	for (i = from; i < tuning->count; i++)
		if (tuning->tuned[i].minimum_memory &&
		    tuning->candidate[i].same == i &&
		    !tuning_is_leading(tuning, i))
			tuning->todo[tuning->todo_count++] = i;
	for (k = 0; k < tuning->todo_count; k++)
		follow(tuning, tuning->todo[k]);
	choose(tuning);
}

/* The fine grid comes with the first neighbours; shards end there, as what is
 * next depends on all of it. */
static int measure_fine(struct la_tuning *tuning)
{
	size_t coarse = tuning->count, from = coarse;
	int code = tuning_add_fine(tuning), round;

	for (round = 0; round < ROUNDS && !code; round++) {
		code = tuning_add_neighbours(tuning);
		if (code < 0)
			break;
		list_distinct(tuning, from, true);
		from = tuning->count;
		code = measure(tuning, false);
		if (tuning->options.shard)
			break;
	}
	if (!code)
		cut_followers(tuning, coarse);
	return code;
}

static enum tuning_depth depth_for(const struct la_tuning *tuning, size_t i)
{
	const struct la_tuned *row = &tuning->tuned[i];

	if (tuning->winner == row)
		return DEPTH_PROBES;
	return row->pareto ? DEPTH_LAYOUTS : DEPTH_RULE;
}

static void list_to_refine(struct la_tuning *tuning)
{
	size_t i;

	tuning->todo_count = 0;
	for (i = 0; i < tuning->count; i++) {
		enum tuning_depth depth = depth_for(tuning, i);
		size_t k = tuning->candidate[i].same;

		if (!tuning->tuned[k].minimum_memory ||
		    tuning->candidate[k].depth >= depth ||
		    !is_ours(tuning, k))
			continue;
		tuning->candidate[k].depth = depth;
		tuning->todo[tuning->todo_count++] = k;
	}
}

static int refine(struct la_tuning *tuning)
{
	int code;

	for (;;) {
		list_to_refine(tuning);
		if (!tuning->todo_count)
			return 0;
		code = run(tuning, tuning->todo_count * tuning->program_count *
					   LA_LAYOUT_COUNT, tuning_refine);
		if (!code)
			code = run_list(tuning, tuning_settle);
		if (code < 0)
			return code;
		sum_up(tuning);
		choose(tuning);
	}
}

/* A winner that wants a cap is beaten by itself with one.  Returns 1 if there
 * is such a one to measure. */
static int give_cap(struct la_tuning *tuning)
{
	struct candidate *candidate;
	size_t winner, capped = 0;
	uint64_t cap;
	int code;

	if (!tuning->winner || !tuning->winner->objection)
		return 0;
	winner = (size_t)(tuning->winner - tuning->tuned);
	cap = is_limited(tuning) ? tuning->winner->limit.bytes :
				   tuning->winner->minimum_memory_range[1];
	code = tuning_add_capped(tuning, winner, cap, &capped);
	if (code < 0)
		return code;
	candidate = &tuning->candidate[winner];
	candidate->wants_cap = false;
	tuning->todo[0] = tuning->candidate[capped].same;
	tuning->todo_count = 1;
	code = measure(tuning, true);
	return code < 0 ? code : 1;
}

static int search(struct la_tuning *tuning)
{
	int code;

	list_distinct(tuning, 0, false);
	code = measure(tuning, true);
	if (!code)
		code = measure_fine(tuning);
	if (!code)
		code = refine(tuning);
	while (!code && !tuning->options.shard) {
		code = give_cap(tuning);
		if (code <= 0)
			break;
		code = refine(tuning);
	}
	if (code == -EINTR && tuning->stopped) {
		choose(tuning);
		return 0;
	}
	return code;
}

static void set_lower_bounds(struct la_tuning *tuning)
{
	size_t i, p;

	for (i = 0; i < tuning->count; i++)
		for (p = 0; p < tuning->program_count; p++) {
			struct la_tuned *row = &tuning->each[p][i];
			uint64_t floor = round_up(tuning->program[p]->floor,
						  LIMIT_UNIT);

			if (row->minimum_memory_at_least < floor)
				row->minimum_memory_at_least = floor;
			if (!p || tuning->tuned[i].minimum_memory_at_least <
					  row->minimum_memory_at_least)
				tuning->tuned[i].minimum_memory_at_least =
					row->minimum_memory_at_least;
		}
}

/* Can a recommended string bring a cap along? */
static int find_cap(struct la_tuning *tuning)
{
	uint64_t total = tuning->program[0]->info.total;
	char *objection;
	bool wants_cap;
	size_t p;
	int code = tuning_object("per_process_memory_fraction:0.5",
				 tuning->options.release, &objection,
				 &wants_cap);

	if (code < 0)
		return code;
	tuning->can_cap = total && !objection &&
			  tuning->options.limit.kind != LA_LIMIT_CARD;
	for (p = 1; p < tuning->program_count; p++)
		tuning->can_cap &= tuning->program[p]->info.total == total;
	free(objection);
	return 0;
}

static int prepare(struct la_tuning *tuning, size_t program_count,
		   struct la_error *err)
{
	const struct la_tune_options *options = &tuning->options;
	size_t i;
	int code = 0;

	tuning->each = calloc(program_count, sizeof(*tuning->each));
	tuning->trial = calloc(program_count, sizeof(*tuning->trial));
	if (!tuning->each || !tuning->trial)
		return -ENOMEM;
	tuning->program_count = program_count;
	for (i = 0; i < options->fact_count && !code; i++)
		code = facts_add(&tuning->facts, &options->fact[i], false);
	tuning_read_shape(tuning);
	if (!code)
		code = find_cap(tuning);
	return code ? code : tuning_add_coarse(tuning, err);
}

LA_EXPORT int la_tune(struct la_tuning **out,
		      const struct la_program *const *program, size_t count,
		      const struct la_tune_options *options,
		      struct la_error *err)
{
	struct la_tuning *tuning = calloc(1, sizeof(*tuning));
	int code;

	if (!tuning)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	tuning->program = program;
	tuning->options = *options;
	if (!options->costs)
		tuning->options.costs = la_costs_default();
	tuning->replayed_release = options->release;
	if (!options->release)
		tuning->options.release = LA_RELEASE(2, 11);
	pthread_mutex_init(&tuning->lock, NULL);
	facts_init(&tuning->facts);
	code = prepare(tuning, count, err);
	if (!code)
		code = search(tuning);
	if (code < 0) {
		if (code == -ENOMEM)
			la_error_set(err, code, LA_NO_OFFSET, "out of memory");
		la_tuning_free(tuning);
		return code;
	}
	set_lower_bounds(tuning);
	facts_drop_unused(&tuning->facts);
	*out = tuning;
	return 0;
}

LA_EXPORT void la_tuning_free(struct la_tuning *tuning)
{
	if (!tuning)
		return;
	tuning_free_candidates(tuning);
	facts_release(&tuning->facts);
	pthread_mutex_destroy(&tuning->lock);
	free(tuning);
}

LA_EXPORT const struct la_tuned *
la_tuning_settings(const struct la_tuning *tuning, size_t *count)
{
	*count = tuning->count;
	return tuning->tuned;
}

LA_EXPORT const struct la_tuned *
la_tuning_of_program(const struct la_tuning *tuning, size_t program)
{
	return tuning->each[program];
}

LA_EXPORT const struct la_tuned *
la_tuning_winner(const struct la_tuning *tuning)
{
	return tuning->winner;
}

LA_EXPORT bool la_tuning_is_partial(const struct la_tuning *tuning)
{
	return tuning->stopped;
}

LA_EXPORT const struct la_tune_fact *
la_tuning_facts(const struct la_tuning *tuning, size_t *count)
{
	*count = tuning->facts.count;
	return tuning->facts.fact;
}
