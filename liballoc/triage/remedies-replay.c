// SPDX-License-Identifier: Apache-2.0
/* What other settings would have done: la_remedies_replay(). */

#include <errno.h>
#include <stdlib.h>

#include "triage/trials.h"
#include "util/error.h"
#include "util/util.h"

/* The rows become the caller's. */
static int hand_over(struct trials *trials, struct la_trial **out,
		     size_t *count)
{
	struct la_trial *trial = calloc(trials->count + 1, sizeof(*trial));
	size_t i;

	if (!trial)
		return -ENOMEM;
	for (i = 0; i < trials->count; i++) {
		trial[i] = trials->attempt[i].trial;
		trials->attempt[i].trial = (struct la_trial){ 0 };
	}
	*out = trial;
	*count = trials->count;
	return 0;
}

LA_EXPORT int la_remedies_replay(struct la_trial **out, size_t *count,
				 const struct la_program *program,
				 const struct la_facts *facts,
				 const struct la_remedies_options *options,
				 struct la_error *err)
{
	const struct la_program_info *info = la_program_info(program);
	struct trials trials = {
		.program = program,
		.info = info,
		.facts = facts,
		.options = options,
		.release = options->release ? options->release :
					      info->release,
	};
	int code;

	if (!facts->recorded || !facts->amount[LA_AMOUNT_REQUEST].basis)
		return la_error_set(err, -ENOENT, LA_NO_OFFSET,
				    "no request failed");
	code = trials_list(&trials);
	if (!code)
		code = trials_replay(&trials);
	if (!code && options->whole)
		code = trials_replay_whole(&trials);
	if (!code)
		code = hand_over(&trials, out, count);
	trials_release(&trials);
	return code < 0 ? la_error_set(err, code, LA_NO_OFFSET,
				       "out of memory") :
			  0;
}

LA_EXPORT void la_trials_free(struct la_trial *trial, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		free(trial[i].setting);
		free(trial[i].objection);
	}
	free(trial);
}

LA_EXPORT const char *la_past_name(enum la_past past)
{
	static const char *const names[] = {
		[LA_PAST_UNKNOWN] = "unknown",
		[LA_PAST_STUCK] = "stuck",
		[LA_PAST_DEPENDS] = "depends",
		[LA_PAST_PAST] = "past",
	};

	return names[past];
}
