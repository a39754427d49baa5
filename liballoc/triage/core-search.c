// SPDX-License-Identifier: Apache-2.0
/* Messages in the memory of a core. */
#include "triage/core.h"
#include "util/util.h"

static int feed_log(void *log, const void *data, size_t size)
{
	return la_log_feed(log, data, size);
}

LA_EXPORT int la_core_search(struct la_core *core, struct la_log *log,
			     struct la_error *err)
{
	return la_core_scan(core, feed_log, log, err);
}
