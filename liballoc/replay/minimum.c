// SPDX-License-Identifier: Apache-2.0
/* The smallest limit under which a program runs: la_minimum_memory(). */

#include <errno.h>

#include "replay/program.h"
#include "util/error.h"
#include "util/util.h"

struct search {
	const struct la_program *program; /* borrowed */
	struct la_replay_options options; /* all but the limit */
	/* Limits that are known to pass, both ends included, in units of
	 * LIMIT_UNIT: with less room than the limit but no less than what was
	 * reserved, the same requests are refused. */
	uint64_t passed[2];
	struct la_minimum *result;
	struct la_error *err;
};

static bool limit_steers(const struct la_replay_options *options)
{
	return options->limit.kind == LA_LIMIT_CAP &&
	       options->setting->garbage_collection_threshold > 0;
}

static void remember(struct search *search, uint64_t units, uint64_t reserved)
{
	search->passed[0] = limit_steers(&search->options) ?
				    units :
				    (reserved + LIMIT_UNIT - 1) / LIMIT_UNIT;
	search->passed[1] = units;
}

/* Does the program run under so many units?  1, 0 or a negative errno. */
static int fits(struct search *search, uint64_t units)
{
	struct la_replay_result replay;
	int code;

	if (units >= search->passed[0] && units <= search->passed[1])
		return 1;
	search->options.limit.bytes = units * LIMIT_UNIT;
	code = la_replay(search->program, &search->options, &replay,
			 search->err);
	if (code < 0)
		return code;
	if (replay.ran)
		remember(search, units, replay.stats.reserved_peak);
	return replay.ran;
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
	struct la_replay_options options = search->options;
	struct la_replay_result replay;
	int code;

	options.limit.kind = LA_LIMIT_NONE;
	code = la_replay(search->program, &options, &replay, search->err);
	if (code < 0)
		return code;
	*handed_out = replay.stats.allocated_peak;
	search->result->reserved_peak = replay.stats.reserved_peak;
	search->passed[0] = 1;
	if (!limit_steers(&search->options))
		remember(search, UINT64_MAX, replay.stats.reserved_peak);
	return 0;
}

/* The most units that are less than so many bytes. */
static uint64_t units_below(uint64_t bytes)
{
	return bytes ? (bytes - 1) / LIMIT_UNIT : 0;
}

/* Less than what is handed out without a limit hardly ever suffices; what
 * cannot suffice is less than the program's floor. */
static int search_from(struct search *search, uint64_t handed_out,
		       uint64_t *high)
{
	uint64_t floor = units_below(search->program->floor);
	uint64_t start = units_below(handed_out), low;
	int code;

	if (start < floor)
		start = floor;
	low = start;
	if (*high <= low)
		*high = low + 1;
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

LA_EXPORT int la_minimum_memory(const struct la_program *program,
				const struct la_replay_options *options,
				unsigned int probes, struct la_minimum *result,
				struct la_error *err)
{
	struct search search = {
		.program = program,
		.options = *options,
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
	if (!code && probes)
		code = pass_islands(&search, &high, probes);
	result->bytes = high * LIMIT_UNIT;
	return code;
}
