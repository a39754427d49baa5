// SPDX-License-Identifier: Apache-2.0
/* For builds without libyaml. */

#include <errno.h>

#include <liballoc/replay.h>

#include "util/error.h"
#include "util/util.h"

LA_EXPORT int la_costs_read(struct la_costs *costs, const char *path,
			    struct la_error *err)
{
	(void)costs, (void)path;
	return la_error_set(err, -ENOTSUP, LA_NO_OFFSET,
			    "this build has no YAML reader (libyaml)");
}
