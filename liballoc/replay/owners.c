// SPDX-License-Identifier: Apache-2.0
/* Which pool all memory of a recording belonged to: owners_seek(). */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/owners.h"
#include "replay/puzzle.h"

enum {
	GIVEN_UP_MAX = 4, /* pools that are gone by the end */
	TRIES_CHANGE = 500, /* guesses, see puzzle_solve() */
	RUNS_MAX = 300, /* changes that are tried */
};

struct seeker {
	struct la_program *program; /* borrowed */
	owners_run *run;
	void *data; /* of run() */
	struct survey survey; /* owned */
	struct labels labels; /* owned; of the call of run() */
	unsigned int runs; /* that are left */

	/* The puzzle under way. */
	uint32_t pool[OWNERS_MAX]; /* by owner: number of the pool */
	unsigned int owner_count;
	struct puzzle puzzle; /* owned */
	uint64_t *forced; /* owned; by span: owner that helped, or 0 */
	uint64_t *trial; /* owned; forced, and the change that is tried */
	uint64_t *best; /* owned; by span: owner that got furthest */
	size_t reached; /* where that was */
};

/* ---- owners */

/* An owner is gone by the end: the number of its pool, or -ENOMEM. */
static int given_up_pool(struct la_program *program, uint64_t k)
{
	const uint64_t id[2] = { UINT64_MAX - k, 0 };

	return program_pool(program, id);
}

static bool is_id_before(const struct la_program *program, uint32_t a,
			 uint32_t b)
{
	const uint64_t *x = program->pool[a], *y = program->pool[b];

	return x[0] != y[0] ? x[0] < y[0] : x[1] < y[1];
}

/* One more owner that is still there at the end, if it is new; they stand in
 * the order of their ids from `first` on. */
static int add_alive(struct seeker *seeker, unsigned int first, uint32_t pool)
{
	unsigned int i, at;

	for (i = 0; i < seeker->owner_count; i++)
		if (seeker->pool[i] == pool)
			return 0;
	if (seeker->owner_count == OWNERS_MAX)
		return -E2BIG;
	for (at = seeker->owner_count++;
	     at > first &&
	     is_id_before(seeker->program, pool, seeker->pool[at - 1]);
	     at--)
		seeker->pool[at] = seeker->pool[at - 1];
	seeker->pool[at] = pool;
	return 0;
}

/* The default pool first, then those that are gone by the end, then those
 * that are still there. */
static int list_owners(struct seeker *seeker, unsigned int given_up)
{
	const struct survey *survey = &seeker->survey;
	unsigned int k;
	size_t i;
	int err = 0;

	seeker->pool[0] = LA_DEFAULT_POOL;
	for (k = 0; k < given_up; k++) {
		int pool = given_up_pool(seeker->program, k);

		if (pool < 0)
			return pool;
		seeker->pool[1 + k] = (uint32_t)pool;
	}
	seeker->owner_count = 1 + given_up;
	for (i = 0; i < survey->span_count && !err; i++)
		if (survey->span[i].pool != NO_POOL)
			err = add_alive(seeker, 1 + given_up,
					survey->span[i].pool);
	return err;
}

static uint64_t owner_of(const struct seeker *seeker, uint32_t pool)
{
	unsigned int owner = 0;

	while (seeker->pool[owner] != pool)
		owner++;
	return (uint64_t)1 << owner;
}

/* ---- one run */

static int call_run(struct seeker *seeker, size_t *reached)
{
	const struct survey *survey = &seeker->survey;
	size_t i;

	seeker->labels.count = 0;
	for (i = 0; i < survey->span_count; i++) {
		int owner = __builtin_ctzll(seeker->puzzle.found[i]);

		if (labels_set(&seeker->labels, survey->span[i].event,
			       seeker->pool[owner]) < 0)
			return -ENOMEM;
	}
	return seeker->run(seeker->data, &seeker->labels, reached);
}

static void keep_best(struct seeker *seeker, size_t reached)
{
	memcpy(seeker->best, seeker->puzzle.found,
	       seeker->survey.span_count * sizeof(*seeker->best));
	seeker->reached = reached;
}

/* ---- changes */

static bool is_forced(const struct seeker *seeker,
		      const struct index_list *spans)
{
	size_t i;

	for (i = 0; i < spans->count; i++)
		if (seeker->forced[spans->at[i]])
			return true;
	return false;
}

/* Give some spans another owner.  Returns 1 if that leads further, 0 if it
 * does not, or a negative errno value. */
static int try_change(struct seeker *seeker, const struct index_list *spans,
		      uint64_t owner)
{
	size_t size = seeker->survey.span_count * sizeof(*seeker->trial);
	size_t reached = 0, i;
	int err;

	if (!seeker->runs || is_forced(seeker, spans))
		return 0;
	memcpy(seeker->trial, seeker->forced, size);
	for (i = 0; i < spans->count; i++)
		seeker->trial[spans->at[i]] = owner;
	if (!puzzle_solve(&seeker->puzzle, seeker->trial, TRIES_CHANGE))
		return 0;
	seeker->runs--;
	err = call_run(seeker, &reached);
	if (err < 0 || reached <= seeker->reached)
		return err;
	memcpy(seeker->forced, seeker->trial, size);
	keep_best(seeker, reached);
	return 1;
}

/* Give all that gave memory together one owner, and then the one that served
 * the request with them. */
static int change_together(struct seeker *seeker,
			   const struct involved *involved, uint64_t owner,
			   struct index_list *spans)
{
	size_t i;
	int code = 0;

	spans->count = 0;
	for (i = 0; i < involved->given.count && !code; i++)
		code = list_add(spans, involved->given.at[i]);
	if (!code)
		code = try_change(seeker, spans, owner);
	if (code || involved->span == NO_SPAN)
		return code;
	code = list_add(spans, involved->span);
	return code < 0 ? code : try_change(seeker, spans, owner);
}

/* All owners that one of those that gave memory may have. */
static int change_given(struct seeker *seeker, const struct involved *involved,
			struct index_list *spans)
{
	const uint64_t *domain = seeker->puzzle.domain;
	uint64_t seen = 0, fresh;
	size_t i;
	int code = 0;

	for (i = 0; i < involved->given.count; i++) {
		fresh = domain[involved->given.at[i]] & ~seen;
		seen |= fresh;
		for (; fresh && !code; fresh &= fresh - 1)
			code = change_together(seeker, involved, fresh & -fresh,
					       spans);
	}
	return code;
}

/* One span, all other owners that it may have. */
static int change_one(struct seeker *seeker, uint32_t span,
		      struct index_list *spans)
{
	uint64_t others = seeker->puzzle.domain[span] & ~seeker->best[span];
	int code = 0;

	spans->count = 0;
	if (list_add(spans, span) < 0)
		return -ENOMEM;
	for (; others && !code; others &= others - 1)
		code = try_change(seeker, spans, others & -others);
	return code;
}

static int change_some(struct seeker *seeker, const struct involved *involved,
		       struct index_list *spans)
{
	int code = change_given(seeker, involved, spans);
	size_t i;

	if (!code && involved->span != NO_SPAN)
		code = change_one(seeker, involved->span, spans);
	for (i = 0; i < involved->given.count && !code; i++)
		code = change_one(seeker, involved->given.at[i], spans);
	for (i = 0; i < involved->left.count && !code; i++)
		code = change_one(seeker, involved->left.at[i], spans);
	return code;
}

/* Try what might lead beyond the event where the best run failed.  Returns as
 * try_change(). */
static int improve(struct seeker *seeker)
{
	struct index_list spans = { 0 };
	struct involved involved;
	int code = survey_involved(&involved, seeker->program, seeker->reached);

	if (code < 0)
		return code;
	code = change_some(seeker, &involved, &spans);
	involved_destroy(&involved);
	free(spans.at);
	return code;
}

/* ---- puzzles */

static int pose_puzzle(struct seeker *seeker)
{
	const struct survey *survey = &seeker->survey;
	uint64_t every = UINT64_MAX >> (OWNERS_MAX - seeker->owner_count);
	size_t i;
	int err = puzzle_init(&seeker->puzzle, (uint32_t)survey->span_count,
			      every);

	for (i = 0; i < survey->span_count && !err; i++)
		if (survey->span[i].pool != NO_POOL)
			seeker->puzzle.domain[i] =
				owner_of(seeker, survey->span[i].pool);
	for (i = 0; i < survey->rule_count && !err; i++)
		err = puzzle_add(&seeker->puzzle, &survey->rule[i]);
	return err;
}

/* Solve the puzzle and improve its solution as far as that goes.  Returns 1 if
 * a run got to the end, 0, or a negative errno value. */
static int solve(struct seeker *seeker)
{
	const struct survey *survey = &seeker->survey;
	size_t reached = 0;
	int err;

	if (!puzzle_solve(&seeker->puzzle, NULL, TRIES_SOLVE))
		return 0;
	err = puzzle_add_likely(&seeker->puzzle, survey->likely,
				survey->likely_count);
	if (err < 0)
		return err;
	puzzle_solve(&seeker->puzzle, NULL, TRIES_SOLVE);
	err = call_run(seeker, &reached);
	if (err < 0)
		return err;
	keep_best(seeker, reached);
	memset(seeker->forced, 0, survey->span_count * sizeof(*seeker->forced));
	while (seeker->reached < seeker->program->event_count && !err) {
		err = improve(seeker);
		if (!err)
			return 0;
		err = err < 0 ? err : 0;
	}
	return err < 0 ? err : 1;
}

static int seek(struct seeker *seeker)
{
	unsigned int given_up;
	int code = 0;

	for (given_up = 0; given_up <= GIVEN_UP_MAX && !code; given_up++) {
		code = list_owners(seeker, given_up);
		if (!code)
			code = pose_puzzle(seeker);
		if (!code)
			code = solve(seeker);
		puzzle_destroy(&seeker->puzzle);
	}
	return code < 0 ? code : 0;
}

static int alloc_masks(struct seeker *seeker)
{
	size_t count = seeker->survey.span_count;

	seeker->forced = calloc(count, sizeof(*seeker->forced));
	seeker->trial = calloc(count, sizeof(*seeker->trial));
	seeker->best = calloc(count, sizeof(*seeker->best));
	return seeker->forced && seeker->trial && seeker->best ? 0 : -ENOMEM;
}

int owners_seek(struct la_program *program, owners_run *run, void *data)
{
	struct seeker seeker = {
		.program = program,
		.run = run,
		.data = data,
		.runs = RUNS_MAX,
	};
	int err = survey_read(&seeker.survey, program);

	if (!err && seeker.survey.span_count)
		err = alloc_masks(&seeker);
	if (!err && seeker.survey.span_count)
		err = seek(&seeker);
	survey_destroy(&seeker.survey);
	labels_destroy(&seeker.labels);
	free(seeker.forced);
	free(seeker.trial);
	free(seeker.best);
	return err == -E2BIG ? -EBADMSG : err;
}
