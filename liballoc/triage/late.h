/* SPDX-License-Identifier: Apache-2.0 */
/* Histories that start late: what another setting held then is not known. */
#ifndef LA_TRIAGE_LATE_H
#define LA_TRIAGE_LATE_H

#include <liballoc/triage.h>

/* From where a setting is replayed: as badly off, or as well, as it can be. */
enum bound { BOUND_WORST, BOUND_BEST, BOUND_COUNT };

enum la_start late_start(const struct la_setting_values *values,
			 enum bound bound);

/* Could it have led to another state before the history begins? */
bool late_differs(const struct la_setting_values *values,
		  const struct la_setting_values *recorded,
		  const struct la_limit *limit);

/* Does the result hang on the start: it ran with little left, or failed with
 * memory free that the setting may have used better? */
bool late_is_open(const struct la_setting_values *values,
		  const struct la_replay_result *result,
		  const struct la_limit *limit);

/* What the answers from both say of a setting. */
enum la_past late_judge(const struct la_setting_values *values,
			const struct la_setting_values *recorded,
			const enum la_past answer[BOUND_COUNT]);

#endif /* LA_TRIAGE_LATE_H */
