// SPDX-License-Identifier: Apache-2.0
/* The figures of several programs as one: the worst decides. */

#include "replay/tuning.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static enum la_outcome worse(enum la_outcome a, enum la_outcome b)
{
	if (a == LA_OUTCOME_OOM || b == LA_OUTCOME_OOM)
		return LA_OUTCOME_OOM;
	return a == LA_OUTCOME_RUNS ? b : a;
}

static void join(struct la_tuned *row, const struct la_tuned *other)
{
	int k;

	row->minimum_memory_at_least = larger(row->minimum_memory_at_least,
					      other->minimum_memory_at_least);
	row->replayed &= other->replayed;
	row->cut |= other->cut;
	row->outcome = worse(row->outcome, other->outcome);
	row->limit.bytes = larger(row->limit.bytes, other->limit.bytes);
	row->peak_reserved = larger(row->peak_reserved, other->peak_reserved);
	row->minimum_memory =
		row->minimum_memory && other->minimum_memory ?
			larger(row->minimum_memory, other->minimum_memory) :
			0;
	for (k = 0; k < 2; k++) {
		row->peak_reserved_range[k] =
			larger(row->peak_reserved_range[k],
			       other->peak_reserved_range[k]);
		row->minimum_memory_range[k] =
			larger(row->minimum_memory_range[k],
			       other->minimum_memory_range[k]);
	}
	row->islands = larger(row->islands, other->islands);
	if (other->seconds > row->seconds) {
		row->operations = other->operations;
		row->seconds = other->seconds;
	}
	if (other->seconds_unlimited > row->seconds_unlimited)
		row->seconds_unlimited = other->seconds_unlimited;
}

void tuning_copy_figures(struct la_tuned *row, const struct la_tuned *from)
{
	struct la_tuned own = *row;

	*row = *from;
	row->setting = own.setting;
	row->objection = own.objection;
	row->asked = own.asked;
	row->recorded = own.recorded;
}

void tuning_sum_up(struct la_tuning *tuning, size_t i)
{
	struct la_tuned *row = &tuning->tuned[i];
	size_t p;

	tuning_copy_figures(row, &tuning->each[0][i]);
	for (p = 1; p < tuning->program_count; p++)
		join(row, &tuning->each[p][i]);
}
