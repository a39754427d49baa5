// SPDX-License-Identifier: Apache-2.0
/*
 * What a history that starts late tells of another setting.
 *
 * At the start there are the live blocks, which no setting changes, and what
 * the recorded one made of the rest.  At best another has nothing but those
 * blocks, at worst all that was held; where expandable segments are on, whole
 * pages without a block are no loss.
 */

#include "triage/late.h"
#include "triage/situation.h"
#include "util/util.h"

/* Measured on full recordings cut to their ends: with these settings no
 * program ran out of memory before the recorded one did. */
#define CURING_SPLIT (128 * MIB)

/* Where less is left, a start that is a little other gives another answer: a
 * page of large blocks. */
#define CLOSE (20 * MIB)

enum la_start late_start(const struct la_setting_values *values,
			 enum bound bound)
{
	if (bound == BOUND_BEST)
		return LA_START_PACKED;
	return values->expandable_segments ? LA_START_CHAINED : LA_START_HELD;
}

/* Others may fail where the recorded one did not, and so before the history
 * begins. */
static bool is_cure(const struct la_setting_values *values,
		    const struct la_setting_values *recorded)
{
	if (la_values_round_up(values))
		return false;
	return values->expandable_segments ||
	       (!recorded->expandable_segments &&
		values->max_split_size <= CURING_SPLIT);
}

bool late_is_close(const struct la_replay_result *result,
		   const struct la_limit *limit)
{
	return result->ran && result->stats.reserved + CLOSE > limit->bytes;
}

enum la_past late_judge(const struct la_setting_values *values,
			const struct la_setting_values *recorded,
			const enum la_past answer[BOUND_COUNT])
{
	if (answer[BOUND_WORST] != answer[BOUND_BEST])
		return LA_PAST_UNKNOWN;
	if (answer[BOUND_BEST] == LA_PAST_PAST && !is_cure(values, recorded))
		return LA_PAST_UNKNOWN;
	return answer[BOUND_BEST];
}
