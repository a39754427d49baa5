// SPDX-License-Identifier: Apache-2.0
#include <errno.h>

#include "env/file.h"

int la_env_open_in_root(int root, const char *file, int flags)
{
	(void)root, (void)file, (void)flags;
	errno = ENOSYS;
	return -1;
}
