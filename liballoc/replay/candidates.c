// SPDX-License-Identifier: Apache-2.0
/* Which settings are tried: grids, the recorded ones, the caller's, and the
 * neighbours of the best. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap/round.h"
#include "heap/rules.h"
#include "replay/choose.h"
#include "replay/grid.h"
#include "replay/tuning.h"
#include "util/error.h"
#include "util/util.h"

/* More than that are not tried. */
enum { MOST_CANDIDATES = 280 };

static void see_request(struct tuning_shape *shape, uint64_t size)
{
	unsigned int top = size ? 63 - (unsigned int)__builtin_clzll(size) : 0;
	unsigned int slot = top < 20 ? 0 : top - 20;

	if (slot >= LA_ROUNDUP_SLOTS)
		slot = LA_ROUNDUP_SLOTS - 1;
	shape->slots |= 1u << slot;
	/* Rounding at most doubles; segments are rounded up once more. */
	if (2 * size + SEGMENT_ROUND > shape->largest)
		shape->largest = 2 * size + SEGMENT_ROUND;
}

void tuning_read_shape(struct la_tuning *tuning)
{
	struct tuning_shape *shape = &tuning->shape;
	size_t p, i;

	for (p = 0; p < tuning->program_count; p++) {
		const struct la_program *program = tuning->program[p];

		for (i = 0; i < program->op_count; i++)
			if (program->op[i].size)
				see_request(shape, program->op[i].size);
		for (i = 0; i < program->start_count; i++)
			if (program->start[i].size > shape->largest)
				shape->largest = program->start[i].size;
	}
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	int i;

	for (i = 0; i < 8; i++, value >>= 8)
		hash = (hash ^ (value & 0xff)) * UINT64_C(0x100000001b3);
	return hash;
}

/* A bound that no block reaches is none, nor is a rounding that no request
 * comes to. */
static uint64_t likeness_of(const struct tuning_shape *shape,
			    const struct la_setting_values *values)
{
	uint64_t split = values->max_split_size, hash = 0xcbf29ce484222325;
	uint64_t threshold;
	unsigned int i;

	if (!values->expandable_segments && split > shape->largest &&
	    split > values->large_segment_size)
		split = UINT64_MAX;
	memcpy(&threshold, &values->garbage_collection_threshold,
	       sizeof(threshold));
	hash = mix(hash, split);
	hash = mix(hash, split == UINT64_MAX ? 0 :
					       values->max_non_split_rounding);
	hash = mix(hash, values->large_segment_size);
	hash = mix(hash, threshold);
	hash = mix(hash, values->expandable_segments);
	hash = mix(hash, values->cuda_malloc_async);
	hash = mix(hash, values->roundup_bypass_threshold);
	hash = mix(hash, values->throw_on_cudamalloc_oom);
	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		hash = mix(hash, shape->slots >> i & 1 ?
					 values->roundup_power2_divisions[i] :
					 0);
	return hash;
}

static unsigned int release_for(const struct la_tuning *tuning, size_t p)
{
	return tuning->replayed_release ? tuning->replayed_release :
					  tuning->program[p]->info.release;
}

/* Leave of a setting what the release makes of it, if it is one for all. */
static void fit(const struct la_tuning *tuning,
		struct la_setting_values *values)
{
	unsigned int release = release_for(tuning, 0);
	size_t p;

	for (p = 1; p < tuning->program_count; p++)
		if (release_for(tuning, p) != release)
			return;
	rules_fit(rules_of(release), values);
}

/* A setting may bring a cap of its own.  The lower one counts. */
static struct la_limit limit_of(const struct la_tuning *tuning, size_t p,
				const struct la_setting_values *values)
{
	struct la_limit limit = tuning->options.limit;
	double fraction = values->per_process_memory_fraction;
	uint64_t cap = la_heap_cap(fraction, tuning->program[p]->info.total,
				   release_for(tuning, p));

	if (fraction >= 1 || !cap ||
	    (limit.kind != LA_LIMIT_NONE && limit.bytes <= cap))
		return limit;
	return (struct la_limit){ LA_LIMIT_CAP, cap };
}

/* On a card an age threshold does nothing. */
static bool is_inert(const struct la_tuning *tuning, size_t i)
{
	size_t p;

	for (p = 0; p < tuning->program_count; p++)
		if (tuning->trial[p][i].kind == LA_LIMIT_CAP)
			return false;
	return true;
}

static bool has_same_limits(const struct la_tuning *tuning, size_t i, size_t k)
{
	size_t p;

	for (p = 0; p < tuning->program_count; p++) {
		const struct trial *a = &tuning->trial[p][i];
		const struct trial *b = &tuning->trial[p][k];

		if (a->limit.kind != b->limit.kind || a->kind != b->kind ||
		    a->limit.bytes != b->limit.bytes)
			return false;
	}
	return true;
}

static size_t find_same(const struct la_tuning *tuning, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (tuning->candidate[k].likeness ==
			    tuning->candidate[i].likeness &&
		    has_same_limits(tuning, i, k))
			break;
	return k;
}

static struct la_tuned *find_text(const struct la_tuning *tuning,
				  const char *text)
{
	size_t i;

	for (i = 0; i < tuning->count; i++)
		if (!strcmp(tuning->tuned[i].setting, text))
			return &tuning->tuned[i];
	return NULL;
}

/* An array with that room; where there is no memory the old one, and *code
 * tells. */
static void *resized(void *array, size_t room, size_t size, int *code)
{
	void *bigger = reallocarray(array, room, size);

	if (bigger)
		return bigger;
	*code = -ENOMEM;
	return array;
}

static int make_room(struct la_tuning *tuning)
{
	size_t room = 2 * tuning->room + 64, p;
	int code = 0;

	if (tuning->count < tuning->room)
		return 0;
	tuning->tuned = resized(tuning->tuned, room, sizeof(*tuning->tuned),
				&code);
	tuning->candidate = resized(tuning->candidate, room,
				    sizeof(*tuning->candidate), &code);
	tuning->eligible = resized(tuning->eligible, room,
				   sizeof(*tuning->eligible), &code);
	tuning->todo = resized(tuning->todo, room, sizeof(*tuning->todo),
			       &code);
	for (p = 0; p < tuning->program_count; p++) {
		tuning->each[p] = resized(tuning->each[p], room,
					  sizeof(**tuning->each), &code);
		tuning->trial[p] = resized(tuning->trial[p], room,
					   sizeof(**tuning->trial), &code);
	}
	if (!code)
		tuning->room = room;
	return code;
}

static void fill_row(struct la_tuning *tuning, size_t i)
{
	struct candidate *candidate = &tuning->candidate[i];
	struct la_setting_values values =
		*la_setting_values(candidate->setting);
	size_t p;

	tuning->tuned[i] = (struct la_tuned){
		.setting = la_setting_text(candidate->setting),
		.objection = candidate->objection,
	};
	for (p = 0; p < tuning->program_count; p++) {
		struct trial *trial = &tuning->trial[p][i];

		*trial = (struct trial){
			.limit = limit_of(tuning, p, &values),
		};
		trial->kind = trial->limit.kind == LA_LIMIT_NONE ?
				      LA_LIMIT_CAP :
				      trial->limit.kind;
		tuning->tuned[i].limit.kind = trial->kind;
		tuning->each[p][i] = tuning->tuned[i];
	}
	fit(tuning, &values);
	candidate->likeness = likeness_of(&tuning->shape, &values);
	values.garbage_collection_threshold = 0;
	candidate->likeness_uncapped = likeness_of(&tuning->shape, &values);
	if (is_inert(tuning, i))
		candidate->likeness = candidate->likeness_uncapped;
}

/* What the release refuses is shown too, as 2.11 reads it. */
static int parse(const struct la_tuning *tuning, const char *text,
		 struct la_setting **out, struct la_error *err)
{
	unsigned int release = tuning->options.release;
	int code = program_parse(out, text, release, err);

	if (code == -EINVAL && release != RULES_RELEASE)
		code = program_parse(out, text, RULES_RELEASE, err);
	return code;
}

static int add(struct la_tuning *tuning, const char *text,
	       struct la_tuned **out, struct la_error *err)
{
	struct candidate candidate = { .setting = NULL };
	size_t i = tuning->count;
	int code = make_room(tuning);

	*out = find_text(tuning, text);
	if (*out || code < 0)
		return code;
	code = parse(tuning, text, &candidate.setting, err);
	if (code < 0)
		return code;
	code = tuning_object(text, tuning->options.release,
			     &candidate.objection, &candidate.wants_cap);
	if (code < 0) {
		la_setting_free(candidate.setting);
		return code;
	}
	tuning->candidate[i] = candidate;
	fill_row(tuning, i);
	*out = &tuning->tuned[i];
	tuning->count++;
	tuning->candidate[i].same = find_same(tuning, i);
	return 0;
}

int tuning_add_coarse(struct la_tuning *tuning, struct la_error *err)
{
	const struct la_tune_options *options = &tuning->options;
	struct la_tuned *tuned;
	size_t i;
	int code = 0;

	for (i = 0; la_grid[i] && !code; i++)
		code = add(tuning, la_grid[i], &tuned, err);
	for (i = 0; i < tuning->program_count && !code; i++) {
		code = add(tuning, tuning->program[i]->info.setting, &tuned,
			   err);
		if (!code)
			tuned->recorded = true;
	}
	for (i = 0; i < options->setting_count && !code; i++) {
		code = add(tuning, options->setting[i], &tuned, err);
		if (!code)
			tuned->asked = true;
	}
	return code;
}

/* Add a generated setting, unless it could never be recommended. */
static int add_knobs(void *data, const struct knobs *knobs)
{
	struct la_tuning *tuning = data;
	struct la_strbuf text = { 0 };
	struct la_tuned *tuned;
	char *objection = NULL;
	bool wants_cap;
	int code;

	if (tuning->count >= MOST_CANDIDATES)
		return 0;
	knobs_write(knobs, &text);
	code = text.failed ? -ENOMEM : 0;
	if (!code)
		code = tuning_object(la_strbuf_text(&text),
				     tuning->options.release, &objection,
				     &wants_cap);
	if (!code && (!objection || wants_cap))
		code = add(tuning, la_strbuf_text(&text), &tuned, NULL);
	free(objection);
	la_strbuf_release(&text);
	return code == -EINVAL ? 0 : code;
}

int tuning_add_fine(struct la_tuning *tuning)
{
	return grid_visit_fine(add_knobs, tuning);
}

bool tuning_is_leading(const struct la_tuning *tuning, size_t i)
{
	const struct la_tuned *row = &tuning->tuned[i], *other;
	size_t k;

	if (!row->pareto || !tuning_may_win(tuning, i))
		return false;
	for (k = 0; k < tuning->count; k++) {
		other = &tuning->tuned[k];
		if (other->pareto && tuning_may_win(tuning, k) &&
		    other->minimum_memory < row->minimum_memory &&
		    other->seconds <= la_choose_slack(row->seconds))
			return false;
	}
	return true;
}

int tuning_add_neighbours(struct la_tuning *tuning)
{
	size_t count = tuning->count, i;
	struct knobs knobs;
	int code = 0;

	for (i = 0; i < count && !code; i++)
		if (tuning->candidate[i].same == i &&
		    tuning_is_leading(tuning, i) &&
		    knobs_read(&knobs, la_setting_values(
					       tuning->candidate[i].setting)))
			code = grid_visit_neighbours(&knobs, add_knobs,
						     tuning);
	return code;
}

int tuning_add_capped(struct la_tuning *tuning, size_t base, uint64_t cap,
		      size_t *index)
{
	const char *setting = tuning->tuned[base].setting;
	uint64_t total = tuning->program[0]->info.total;
	struct la_strbuf text = { 0 };
	struct la_tuned *tuned;
	int code;

	la_strbuf_addf(&text, "%s%sper_process_memory_fraction:%.9f", setting,
		       *setting ? "," : "", la_heap_fraction(cap, total));
	code = text.failed ? -ENOMEM :
			     add(tuning, la_strbuf_text(&text), &tuned, NULL);
	la_strbuf_release(&text);
	if (!code)
		*index = (size_t)(tuned - tuning->tuned);
	return code;
}

void tuning_free_candidates(struct la_tuning *tuning)
{
	size_t i;

	for (i = 0; i < tuning->count; i++) {
		la_setting_free(tuning->candidate[i].setting);
		free(tuning->candidate[i].objection);
	}
	free(tuning->candidate);
	free(tuning->tuned);
	for (i = 0; i < tuning->program_count; i++) {
		free(tuning->each[i]);
		free(tuning->trial[i]);
	}
	free(tuning->each);
	free(tuning->trial);
	free(tuning->eligible);
	free(tuning->todo);
}
