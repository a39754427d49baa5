// SPDX-License-Identifier: Apache-2.0
/* One question under all layouts: la_replay_all_layouts(). */

#include "replay/program.h"
#include "util/util.h"

LA_EXPORT int la_replay_all_layouts(const struct la_program *program,
				    const struct la_replay_options *options,
				    struct la_answer *answer,
				    struct la_error *err)
{
	struct la_replay_options each = *options;
	bool one = options->as_recorded || options->policy == LA_HEAP_COMPACT;
	unsigned int layouts = one ? 1 : LA_LAYOUT_COUNT, i;
	struct la_replay_result result;
	int code;

	*answer = (struct la_answer){ .reserved_peak_range = { UINT64_MAX } };
	for (i = 0; i < layouts; i++) {
		each.layout = i;
		code = la_replay(program, &each, &result, err);
		if (code < 0)
			return code;
		if (!i)
			answer->rule = result;
		answer->ran += result.ran;
		widen_range(answer->reserved_peak_range,
			    result.stats.reserved_peak);
		each.listener = NULL;
		each.split_listener = NULL;
		if (!result.ran)
			each.oom = NULL;
	}
	answer->outcome = answer->ran == layouts ? LA_OUTCOME_RUNS :
			  answer->ran	       ? LA_OUTCOME_DEPENDS :
						 LA_OUTCOME_OOM;
	return 0;
}
