// SPDX-License-Identifier: Apache-2.0
/* Which settings are tried: the grid, the recorded one, the caller's. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/grid.h"
#include "replay/program.h"
#include "replay/tuning.h"
#include "util/error.h"
#include "util/util.h"

/* A setting may bring a cap of its own; torch turns it into bytes like this.
 * The lower one counts. */
static struct la_limit limit_of(const struct la_tuning *tuning,
				const struct la_setting_values *values)
{
	struct la_limit limit = tuning->options.limit;
	double total = (double)tuning->program->info.total;
	uint64_t cap = (uint64_t)(values->per_process_memory_fraction * total);

	if (values->per_process_memory_fraction >= 1 || !cap ||
	    (limit.kind != LA_LIMIT_NONE && limit.bytes <= cap))
		return limit;
	return (struct la_limit){ LA_LIMIT_CAP, cap };
}

/* The threshold that has an effect. */
static double threshold(const struct la_tuning *tuning, size_t i)
{
	const struct candidate *candidate = &tuning->candidate[i];

	if (candidate->kind != LA_LIMIT_CAP)
		return 0;
	return la_setting_values(candidate->setting)
		->garbage_collection_threshold;
}

static bool same_rounding(const struct la_setting_values *a,
			  const struct la_setting_values *b)
{
	int i;

	for (i = 0; i < LA_ROUNDUP_SLOTS; i++) {
		uint64_t x = a->roundup_power2_divisions[i];
		uint64_t y = b->roundup_power2_divisions[i];

		if (x != y && (x > 1 || y > 1))
			return false;
	}
	return true;
}

static bool same_replay(const struct la_tuning *tuning, size_t i, size_t k)
{
	const struct candidate *p = &tuning->candidate[i];
	const struct candidate *q = &tuning->candidate[k];
	const struct la_setting_values *a = la_setting_values(p->setting);
	const struct la_setting_values *b = la_setting_values(q->setting);

	return p->limit.kind == q->limit.kind &&
	       p->limit.bytes == q->limit.bytes &&
	       threshold(tuning, i) == threshold(tuning, k) &&
	       a->max_split_size == b->max_split_size &&
	       a->max_non_split_rounding == b->max_non_split_rounding &&
	       a->large_segment_size == b->large_segment_size &&
	       a->expandable_segments == b->expandable_segments &&
	       a->cuda_malloc_async == b->cuda_malloc_async &&
	       same_rounding(a, b);
}

static size_t find_same(const struct la_tuning *tuning, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (same_replay(tuning, i, k))
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

static int make_room(struct la_tuning *tuning)
{
	size_t room = 2 * tuning->room + 64;
	void *bigger;

	if (tuning->count < tuning->room)
		return 0;
	bigger = reallocarray(tuning->tuned, room, sizeof(*tuning->tuned));
	if (!bigger)
		return -ENOMEM;
	tuning->tuned = bigger;
	bigger = reallocarray(tuning->candidate, room,
			      sizeof(*tuning->candidate));
	if (!bigger)
		return -ENOMEM;
	tuning->candidate = bigger;
	tuning->room = room;
	return 0;
}

static int add(struct la_tuning *tuning, const char *text,
	       struct la_tuned **out, struct la_error *err)
{
	struct candidate *candidate;
	size_t i = tuning->count;
	int code = make_room(tuning);

	*out = find_text(tuning, text);
	if (*out || code < 0)
		return code;
	candidate = &tuning->candidate[i];
	*candidate = (struct candidate){ 0 };
	code = la_setting_parse(&candidate->setting, text, strlen(text),
				LA_SET_AT_INIT, err);
	if (code < 0)
		return code;
	candidate->limit =
		limit_of(tuning, la_setting_values(candidate->setting));
	candidate->kind = candidate->limit.kind == LA_LIMIT_NONE ?
				  LA_LIMIT_CAP :
				  candidate->limit.kind;
	*out = &tuning->tuned[i];
	**out = (struct la_tuned){
		.setting = la_setting_text(candidate->setting),
		.limit.kind = candidate->kind,
	};
	tuning->count++;
	candidate->same = find_same(tuning, i);
	return 0;
}

int la_tuning_add_all(struct la_tuning *tuning, struct la_error *err)
{
	const struct la_tune_options *options = &tuning->options;
	struct la_tuned *tuned;
	size_t i;
	int code = 0;

	for (i = 0; la_grid[i] && !code; i++)
		code = add(tuning, la_grid[i], &tuned, err);
	if (!code)
		code = add(tuning, tuning->program->info.setting, &tuned, err);
	if (!code)
		tuned->recorded = true;
	for (i = 0; i < options->setting_count && !code; i++) {
		code = add(tuning, options->setting[i], &tuned, err);
		if (!code)
			tuned->asked = true;
	}
	return code;
}
