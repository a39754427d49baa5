// SPDX-License-Identifier: Apache-2.0
/* Which settings are worth a look, and which one is best. */

#include <math.h>
#include <stdint.h>

#include "replay/choose.h"

/* Costs are orders of magnitude: times closer than this are the same. */
#define TIME_SHARE 0.1
#define TIME_SECONDS 0.05
/* Memory closer than this is the same: less than probes can tell apart. */
#define MEMORY_SHARE 0.005

double la_choose_slack(double seconds)
{
	return fmax(seconds * (1 + TIME_SHARE), seconds + TIME_SECONDS);
}

uint64_t la_choose_less(uint64_t memory)
{
	return memory - (uint64_t)((double)memory * MEMORY_SHARE);
}

static uint64_t memory_of(const struct la_tuned *tuned)
{
	return tuned->minimum_memory_range[1];
}

static int option_count(const char *setting)
{
	int count = *setting != 0, depth = 0;

	for (; *setting; setting++) {
		depth += (*setting == '[') - (*setting == ']');
		count += *setting == ',' && !depth;
	}
	return count;
}

/* Of what costs about the same time: fewer options, less memory, less time,
 * the earlier. */
static bool is_better(const struct la_tuned *a, const struct la_tuned *b)
{
	int less = option_count(a->setting) - option_count(b->setting);

	if (less)
		return less < 0;
	if (memory_of(a) != memory_of(b))
		return memory_of(a) < memory_of(b);
	if (a->seconds < b->seconds || b->seconds < a->seconds)
		return a->seconds < b->seconds;
	return a < b;
}

static bool fits(const struct la_tuned *tuned)
{
	return tuned->minimum_memory && tuned->outcome == LA_OUTCOME_RUNS;
}

static bool any_fits(const struct la_tuned *tuned, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (fits(&tuned[i]))
			return true;
	return false;
}

static bool dominates(const struct la_tuned *a, const struct la_tuned *b)
{
	return a->minimum_memory <= b->minimum_memory &&
	       a->seconds <= b->seconds &&
	       (a->minimum_memory < b->minimum_memory ||
		a->seconds < b->seconds);
}

static bool counts(const struct la_tuned *tuned, bool must_fit)
{
	return must_fit ? fits(tuned) : tuned->minimum_memory != 0;
}

void la_choose_front(struct la_tuned *tuned, size_t count)
{
	bool must_fit = any_fits(tuned, count);
	size_t i, k;

	for (i = 0; i < count; i++) {
		tuned[i].pareto = counts(&tuned[i], must_fit);
		for (k = 0; k < count && tuned[i].pareto; k++)
			if (counts(&tuned[k], must_fit) &&
			    dominates(&tuned[k], &tuned[i]))
				tuned[i].pareto = false;
	}
}

/* It fits, and larger limits that were tried do as well. */
static bool is_firm(const struct la_tuned *tuned)
{
	return fits(tuned) && memory_of(tuned) <= tuned->limit.bytes;
}

/* What a winner is chosen from, narrowed step by step. */
struct choice {
	const struct la_tuned *tuned;
	const bool *eligible; /* by setting: may it win? */
	size_t count;
	bool firm; /* only those that are */
	uint64_t memory; /* and take no more than that, in bytes */
	double seconds; /* and no more than that */
};

static bool is_eligible(const struct choice *choice, size_t i)
{
	const struct la_tuned *tuned = &choice->tuned[i];

	return choice->eligible[i] &&
	       (choice->firm ? is_firm(tuned) : fits(tuned)) &&
	       memory_of(tuned) <= choice->memory &&
	       tuned->seconds <= choice->seconds;
}

static void narrow_to_firm(struct choice *choice)
{
	size_t i;

	for (i = 0; i < choice->count; i++)
		choice->firm |= choice->eligible[i] &&
				is_firm(&choice->tuned[i]);
}

static void narrow_by_memory(struct choice *choice)
{
	uint64_t least = UINT64_MAX;
	size_t i;

	for (i = 0; i < choice->count; i++)
		if (is_eligible(choice, i) &&
		    memory_of(&choice->tuned[i]) < least)
			least = memory_of(&choice->tuned[i]);
	if (least != UINT64_MAX)
		choice->memory =
			least + (uint64_t)((double)least * MEMORY_SHARE);
}

static void narrow_by_time(struct choice *choice)
{
	double least = INFINITY;
	size_t i;

	for (i = 0; i < choice->count; i++)
		if (is_eligible(choice, i))
			least = fmin(least, choice->tuned[i].seconds);
	choice->seconds = la_choose_slack(least);
}

size_t la_choose_winner(const struct la_tuned *tuned, const bool *eligible,
			size_t count, bool limited)
{
	struct choice choice = { .tuned = tuned,
				 .eligible = eligible,
				 .count = count,
				 .memory = UINT64_MAX,
				 .seconds = INFINITY };
	size_t best = SIZE_MAX, i;

	narrow_to_firm(&choice);
	if (!limited)
		narrow_by_memory(&choice);
	narrow_by_time(&choice);
	for (i = 0; i < count; i++)
		if (is_eligible(&choice, i) &&
		    (best == SIZE_MAX || is_better(&tuned[i], &tuned[best])))
			best = i;
	return best;
}
