// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "env/internal.h"
#include "util/error.h"
#include "util/util.h"

LA_EXPORT int la_env_own(struct la_env **out)
{
	size_t count = 0;

	while (environ && environ[count])
		count++;
	return la_env_of_entries(out, (const char *const *)environ, count,
				 LA_PLATFORM_LINUX);
}

LA_EXPORT int la_env_fresh(struct la_env **out, struct la_error *err)
{
	(void)out;
	return la_error_set(err, -ENOTSUP, LA_NO_OFFSET,
			    "only Windows keeps an environment for programs "
			    "started afresh");
}
