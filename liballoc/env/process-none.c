// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include "env/internal.h"
#include "util/error.h"

int la_env_process_read(struct la_env_process *process, int64_t pid,
			struct la_error *err)
{
	(void)process, (void)pid;
	return la_error_set(err, -ENOTSUP, LA_NO_OFFSET,
			    "other processes are not read on this system");
}
