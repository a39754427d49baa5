// SPDX-License-Identifier: Apache-2.0
/*
 * What a history that starts late tells of another setting.
 *
 * At the start there are the live blocks, which no setting changes, and what
 * the recorded one made of the rest.  At best another has nothing but those
 * blocks, at worst all that was held; where expandable segments are on, whole
 * pages without a block are no loss.
 */

#include <string.h>

#include "triage/late.h"
#include "triage/situation.h"
#include "util/util.h"

/* Measured on full recordings cut to their ends: with these settings no
 * program ran out of memory before the recorded one did. */
#define CURING_SPLIT (128 * MIB)

/* Where less is left, a start that is a little other gives another answer:
 * a page of large blocks, and of the limit what other settings scatter. */
#define CLOSE (20 * MIB)
#define CLOSE_SHARE 32

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

/* Does it give segments back by age, which nothing tells of those that are
 * held at the start?  Without a cap it does nothing. */
static bool collects(const struct la_setting_values *values,
		     const struct la_limit *limit)
{
	return values->garbage_collection_threshold > 0 &&
	       limit->kind == LA_LIMIT_CAP;
}

bool late_differs(const struct la_setting_values *values,
		  const struct la_setting_values *recorded,
		  const struct la_limit *limit)
{
	return collects(values, limit) || collects(recorded, limit) ||
	       values->expandable_segments != recorded->expandable_segments ||
	       values->max_split_size != recorded->max_split_size ||
	       values->max_non_split_rounding !=
		       recorded->max_non_split_rounding ||
	       values->large_segment_size != recorded->large_segment_size ||
	       values->per_process_memory_fraction !=
		       recorded->per_process_memory_fraction ||
	       memcmp(values->roundup_power2_divisions,
		      recorded->roundup_power2_divisions,
		      sizeof(values->roundup_power2_divisions));
}

/* Live blocks alone fill the limit, wherever they are. */
static bool is_full(const struct la_replay_result *result,
		    const struct la_limit *limit)
{
	return !result->ran && result->stats.allocated + result->oom_size +
						CLOSE > limit->bytes;
}

bool late_is_open(const struct la_setting_values *values,
		  const struct la_replay_result *result,
		  const struct la_limit *limit)
{
	bool expandable = values->expandable_segments;
	uint64_t close = limit->bytes / CLOSE_SHARE;

	if (expandable || close < CLOSE)
		close = CLOSE;
	if (result->ran)
		return result->stats.reserved + close > limit->bytes;
	return (expandable || collects(values, limit)) &&
	       !is_full(result, limit);
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
