// SPDX-License-Identifier: Apache-2.0
/*
 * The cap of a recording that does not tell it, where age collection may have
 * been on: what was given back, and when, leaves an interval.  A lower cap
 * gives back more, so it is found by bisection: decode_with_limit().
 */

#include "replay/program.h"
#include "util/util.h"

/* How closely the ends of the interval are found; bytes. */
#define PRECISION (1 * MIB)

/* The highest cap that is one; bytes. */
#define CAP_MAX ((uint64_t)INT64_MAX)

/* Caps that are tried in each round of a scan. */
#define SCAN 32

static int try_cap(struct la_program *program, uint64_t cap,
		   enum cap_verdict *verdict, struct la_error *err)
{
	program->cap = cap;
	return program_decode(program, NULL, verdict, err);
}

/* Any cap from low up to high that fits.  Returns 1 if there is one. */
static int find_cap(struct la_program *program, uint64_t low, uint64_t high,
		    uint64_t *cap, struct la_error *err)
{
	enum cap_verdict verdict;
	int code;

	while (low < high) {
		*cap = low + (high - low) / 2;
		code = try_cap(program, *cap, &verdict, err);
		if (code < 0)
			return code;
		if (verdict == CAP_FITS)
			return 1;
		if (verdict == CAP_TOO_LOW)
			low = *cap + 1;
		else
			high = *cap;
	}
	return 0;
}

/* The same where the way to go is not clear, as a refusal of the cap flushes
 * and a lower cap would have collected in time: close in on the caps that
 * explain most. */
static int scan_caps(struct la_program *program, uint64_t low, uint64_t high,
		     uint64_t *cap, struct la_error *err)
{
	while (low < high) {
		uint64_t step = (high - low) / SCAN + 1, at;
		uint64_t best = low, most = 0;
		enum cap_verdict verdict;

		for (at = low; at <= high; at += step) {
			int code = try_cap(program, at, &verdict, err);

			*cap = at;
			if (code < 0 || verdict == CAP_FITS)
				return code < 0 ? code : 1;
			if (program->info.understood < most)
				continue;
			most = program->info.understood;
			best = at;
		}
		if (step == 1)
			break;
		low = best - low > step ? best - step : low;
		high = high - best > step ? best + step : high;
	}
	return 0;
}

/* Move *fits towards *fails, a cap that does not fit, as far as it goes. */
static int widen(struct la_program *program, uint64_t *fits, uint64_t *fails,
		 struct la_error *err)
{
	while ((*fits > *fails ? *fits - *fails : *fails - *fits) > PRECISION) {
		uint64_t middle = *fits / 2 + *fails / 2;
		enum cap_verdict verdict;
		int code = try_cap(program, middle, &verdict, err);

		if (code < 0)
			return code;
		if (verdict == CAP_FITS)
			*fits = middle;
		else
			*fails = middle;
	}
	return 0;
}

/* The ends of the interval around a cap that fits; the range that is told
 * reaches to the caps that were seen not to fit. */
static int find_ends(struct la_program *program, uint64_t cap, uint64_t below,
		     uint64_t above, struct la_error *err)
{
	struct la_program_info *info = &program->info;
	uint64_t low = cap, high = cap;
	int code = widen(program, &low, &below, err);

	if (!code)
		code = widen(program, &high, &above, err);
	info->limit_range[0] = below + 1;
	info->limit_range[1] = above - 1;
	info->limit.kind = LA_LIMIT_CAP;
	info->limit.bytes = program->cap = high;
	return code;
}

/* A cap so high that the threshold is never reached. */
static uint64_t idle_cap(const struct la_program *program, uint64_t peak)
{
	double cap = (double)peak / la_program_setting(program)
					    ->garbage_collection_threshold;

	return cap < (double)CAP_MAX ? (uint64_t)cap + 2 : CAP_MAX;
}

static int search_cap(struct la_program *program, struct la_error *err)
{
	uint64_t peak = limit_recorded_peak(program), cap;
	uint64_t highest = idle_cap(program, peak);
	int got = find_cap(program, peak, highest, &cap, err);

	if (!got)
		got = scan_caps(program, peak, highest, &cap, err);
	program->cap = UINT64_MAX;
	if (got > 0)
		got = find_ends(program, cap, peak ? peak - 1 : 0,
				highest + 1, err);
	return got < 0 ? got : program_decode(program, NULL, NULL, err);
}

/* What was refused tells of a limit: of the card, or of a cap, which is asked
 * before an expandable segment grows by less or more than was asked for. */
static void assume_limit(struct la_program *program, uint64_t refused)
{
	bool known = program->full_card != UINT64_MAX;

	if (!known && la_program_setting(program)->expandable_segments)
		program->cap = refused - 1;
	else
		program->card = known ? program->full_card : refused - 1;
}

/* Refusals were read where nothing else explains the events.  Now that they
 * tell of a limit, what a refusal caused need not be a flush of the program.
 * Keep the new reading only if it explains as much. */
static int read_refusals(struct la_program *program, struct la_error *err)
{
	struct la_program_info before = program->info;
	uint64_t refused = program->refused;
	int code;

	if (refused == UINT64_MAX || !before.flush_count)
		return 0;
	assume_limit(program, refused);
	code = program_decode(program, NULL, NULL, err);
	if (program->cap != UINT64_MAX)
		program->refused = refused;
	if (code < 0 || (program->info.understood == before.understood &&
			 program->info.adopted_count <= before.adopted_count))
		return code;
	program->card = program->cap = UINT64_MAX;
	return program_decode(program, NULL, NULL, err);
}

int decode_with_limit(struct la_program *program, struct la_error *err)
{
	const struct la_program_info *info = &program->info;
	const struct la_setting_values *setting = la_program_setting(program);
	/* Expandable segments are never collected. */
	bool ages = setting->garbage_collection_threshold > 0 &&
		    !setting->expandable_segments;
	enum cap_verdict verdict = CAP_FITS;
	int code;

	if (info->limit_source == LA_LIMIT_FROM_EVENTS && ages) {
		code = program_decode(program, NULL, &verdict, err);
		if (code < 0 || verdict == CAP_FITS)
			return code;
		code = search_cap(program, err);
	} else {
		code = program_decode(program, NULL, NULL, err);
	}
	if (code < 0 || program->cap != UINT64_MAX)
		return code;
	return read_refusals(program, err);
}
