// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

#include <liballoc/event.h>

#include "util/util.h"

LA_EXPORT const char *la_action_name(enum la_action action)
{
	static const char *const names[] = {
		[LA_ALLOC] = "alloc",
		[LA_FREE_REQUESTED] = "free_requested",
		[LA_FREE_COMPLETED] = "free_completed",
		[LA_SEGMENT_ALLOC] = "segment_alloc",
		[LA_SEGMENT_FREE] = "segment_free",
		[LA_SEGMENT_MAP] = "segment_map",
		[LA_SEGMENT_UNMAP] = "segment_unmap",
		[LA_OOM] = "oom",
		[LA_SNAPSHOT] = "snapshot",
		[LA_ANNOTATE] = "annotate",
	};

	return (size_t)action < ARRAY_SIZE(names) ? names[action] : NULL;
}
