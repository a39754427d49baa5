// SPDX-License-Identifier: Apache-2.0
/* The smallest limit under which a program runs: la_minimum_memory(). */

#include <errno.h>

#include "replay/program.h"
#include "util/util.h"

/* All that is held from a device are multiples of it, so only those limits
 * make a difference; in bytes. */
#define UNIT (2 * MIB)

struct search {
	const struct la_program *program; /* borrowed */
	struct la_replay_options options; /* all but the limit */
	struct la_minimum *result;
	struct la_error *err;
};

/* Does the program run under `units` x UNIT?  1, 0 or a negative errno. */
static int fits(struct search *search, uint64_t units)
{
	struct la_replay_result replay;
	int code;

	search->options.limit.bytes = units * UNIT;
	search->result->replays++;
	code = la_replay(search->program, &search->options, &replay,
			 search->err);
	return code < 0 ? code : replay.ran;
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
		if (*units > INT64_MAX / UNIT / 2)
			return -ERANGE;
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
	struct la_minimum *result = search->result;
	uint64_t failure, above;
	int err;

	for (;;) {
		err = highest_failure(search, *units, probes, &failure,
				      &above);
		if (err < 0 || !failure)
			return err;
		if (!result->islands++)
			result->island = *units * UNIT;
		err = climb(search, &failure, &above);
		if (!err)
			err = bisect(search, failure, &above);
		if (err < 0)
			return err;
		*units = above;
	}
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
	struct la_replay_options unlimited = *options;
	struct la_replay_result replay;
	uint64_t low, high;
	int code;

	*result = (struct la_minimum){ 0 };
	unlimited.limit.kind = LA_LIMIT_NONE;
	code = la_replay(program, &unlimited, &replay, err);
	if (code < 0)
		return code;
	low = replay.stats.active_peak ?
		      (replay.stats.active_peak - 1) / UNIT :
		      0;
	low = low ? low - 1 : 0;
	high = (replay.stats.reserved_peak + UNIT - 1) / UNIT;
	if (high <= low)
		high = low + 1;
	code = climb(&search, &low, &high);
	if (!code)
		code = bisect(&search, low, &high);
	if (!code && probes)
		code = pass_islands(&search, &high, probes);
	result->bytes = high * UNIT;
	return code;
}
