// SPDX-License-Identifier: Apache-2.0
/* The smallest limit under which a program runs: la_minimum_memory(). */

#include <errno.h>

#include "replay/minimum.h"
#include "replay/program.h"
#include "util/error.h"
#include "util/util.h"

struct search {
	const struct minimum_question *question; /* borrowed */
	/* Limits that are known to pass, both ends included, in units of
	 * LIMIT_UNIT: with less room than the limit but no less than what was
	 * reserved, the same requests are refused, unless it steers. */
	uint64_t passed[2];
	struct la_minimum *result;
	struct la_error *err;
};

bool minimum_is_steered(const struct la_setting_values *setting,
			enum la_limit_kind kind,
			const struct la_release_policy *policy)
{
	if (policy && policy->kind == LA_RELEASE_ABOVE)
		return true;
	return kind == LA_LIMIT_CAP &&
	       (setting->garbage_collection_threshold > 0 ||
		setting->expandable_segments);
}

static void remember(struct search *search, uint64_t units, uint64_t reserved)
{
	search->passed[0] = search->question->steers ?
				    units :
				    (reserved + LIMIT_UNIT - 1) / LIMIT_UNIT;
	search->passed[1] = units;
}

/* Does the program run under so many units?  1, 0 or a negative errno. */
static int fits(struct search *search, uint64_t units)
{
	struct la_limit limit = { search->question->kind, units * LIMIT_UNIT };
	struct minimum_play play;
	int code;

	if (units >= search->passed[0] && units <= search->passed[1])
		return 1;
	code = search->question->player(search->question->data, limit, &play);
	if (code < 0)
		return code;
	if (play.ran)
		remember(search, units, play.reserved_peak);
	return play.ran;
}

/* The limit that passes right above one that does not: low < result <= high.
 * Returns 0 or a negative errno value. */
static int bisect(struct search *search, uint64_t low, uint64_t *high)
{
	while (*high - low > 1) {
		uint64_t middle = low + (*high - low) / 2;
		int fit = fits(search, middle);

		if (fit < 0)
			return fit;
		if (fit)
			*high = middle;
		else
			low = middle;
	}
	return 0;
}

/* The first limit from *units on, in growing steps, that passes; *low is the
 * last one that did not. */
static int climb(struct search *search, uint64_t *low, uint64_t *units)
{
	uint64_t step = *units / 32 + 1;
	int fit;

	while (!(fit = fits(search, *units))) {
		if (*units > INT64_MAX / LIMIT_UNIT / 2)
			return la_error_set(search->err, -ERANGE, LA_NO_OFFSET,
					    "no limit suffices");
		*low = *units;
		*units += step;
		step *= 2;
	}
	return fit < 0 ? fit : 0;
}

/* The k-th of n limits spread over the 3 % above units. */
static uint64_t probe_at(uint64_t units, unsigned int k, unsigned int n)
{
	return units + units * 3 * k / (100 * (uint64_t)n);
}

/* The highest of the probes above units that fails, or 0; *above is the one
 * that passes right above it. */
static int highest_failure(struct search *search, uint64_t units,
			   unsigned int probes, uint64_t *failure,
			   uint64_t *above)
{
	unsigned int k;
	int fit;

	*failure = 0;
	*above = probe_at(units, probes, probes) + 1;
	for (k = probes; k; k--) {
		uint64_t at = probe_at(units, k, probes);

		if (at == *above || at == units)
			continue;
		fit = fits(search, at);
		if (fit < 0)
			return fit;
		if (!fit) {
			*failure = at;
			return 0;
		}
		*above = at;
	}
	return 0;
}

/* Move up past each failure above the result; what passed below it was an
 * island. */
static int pass_islands(struct search *search, uint64_t *units,
			unsigned int probes)
{
	uint64_t failure, above;
	int err;

	for (;;) {
		err = highest_failure(search, *units, probes, &failure,
				      &above);
		if (err < 0 || !failure)
			return err;
		search->result->islands++;
		err = climb(search, &failure, &above);
		if (!err)
			err = bisect(search, failure, &above);
		if (err < 0)
			return err;
		*units = above;
	}
}

/* Without a limit: what is reserved then is a limit that passes, unless it
 * steers what the heap does.  *handed_out is the peak of that. */
static int run_free(struct search *search, uint64_t *handed_out)
{
	const struct minimum_question *question = search->question;
	struct la_limit none = { LA_LIMIT_NONE, 0 };
	struct minimum_play play;
	int code = question->player(question->data, none, &play);

	if (code < 0)
		return code;
	*handed_out = play.allocated_peak;
	search->result->reserved_peak = play.reserved_peak;
	search->passed[0] = 1;
	if (!question->steers)
		remember(search, UINT64_MAX, play.reserved_peak);
	return 0;
}

/* The most units that are less than so many bytes. */
static uint64_t units_below(uint64_t bytes)
{
	return bytes ? (bytes - 1) / LIMIT_UNIT : 0;
}

/* Begin at the hint, if it lies between the two: what is sought is not far
 * from it. */
static int try_hint(struct search *search, uint64_t *low, uint64_t *high)
{
	uint64_t hint = search->question->hint / LIMIT_UNIT;
	uint64_t above = hint + hint / 32 + 1;
	int fit;

	if (hint <= *low || hint >= *high)
		return 0;
	fit = fits(search, hint);
	if (fit < 0)
		return fit;
	if (fit) {
		*high = hint;
		return 0;
	}
	*low = hint;
	if (above < *high)
		*high = above;
	return 0;
}

/* Less than what is handed out without a limit hardly ever suffices; what
 * cannot suffice is less than the program's floor. */
static int search_from(struct search *search, uint64_t handed_out,
		       uint64_t *high)
{
	uint64_t floor = units_below(search->question->floor);
	uint64_t start = units_below(handed_out), low;
	int code;

	if (start < floor)
		start = floor;
	low = start;
	if (*high <= low)
		*high = low + 1;
	code = try_hint(search, &low, high);
	if (!code)
		code = climb(search, &low, high);
	if (!code)
		code = bisect(search, low, high);
	if (code < 0 || *high > start + 1 || start == floor)
		return code;
	code = fits(search, start);
	if (code <= 0)
		return code;
	*high = start;
	return bisect(search, floor, high);
}

int minimum_seek(const struct minimum_question *question,
		 struct la_minimum *result, struct la_error *err)
{
	struct search search = {
		.question = question,
		.result = result,
		.err = err,
	};
	uint64_t high, handed_out;
	int code;

	*result = (struct la_minimum){ 0 };
	code = run_free(&search, &handed_out);
	if (code < 0)
		return code;
	high = (result->reserved_peak + LIMIT_UNIT - 1) / LIMIT_UNIT;
	code = search_from(&search, handed_out, &high);
	if (!code && question->probes)
		code = pass_islands(&search, &high, question->probes);
	result->bytes = high * LIMIT_UNIT;
	return code;
}

/* A program whose replays are not kept. */
struct direct {
	const struct la_program *program;
	struct la_replay_options options; /* all but the limit */
	struct la_error *err;
};

static int play_direct(void *data, struct la_limit limit,
		       struct minimum_play *play)
{
	struct direct *direct = data;
	struct la_replay_result result;
	int code;

	direct->options.limit = limit;
	code = la_replay(direct->program, &direct->options, &result,
			 direct->err);
	*play = (struct minimum_play){ result.ran, result.stats.reserved_peak,
				       result.stats.allocated_peak };
	return code;
}

LA_EXPORT int la_minimum_memory(const struct la_program *program,
				const struct la_replay_options *options,
				unsigned int probes, struct la_minimum *result,
				struct la_error *err)
{
	struct direct direct = { program, *options, err };
	const struct minimum_question question = {
		.player = play_direct,
		.data = &direct,
		.kind = options->limit.kind,
		.steers = options->policy == LA_HEAP_COMPACT ||
			  minimum_is_steered(options->setting,
					     options->limit.kind,
					     &options->release),
		.floor = program->floor,
		.probes = probes,
	};

	return minimum_seek(&question, result, err);
}
