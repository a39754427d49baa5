// SPDX-License-Identifier: Apache-2.0
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "env/file.h"

/* Links of a container lead to its own files, not to those of the same name
 * outside. */
int la_env_open_in_root(int root, const char *file, int flags)
{
	struct open_how how = { .flags = (unsigned int)flags,
				.resolve = RESOLVE_IN_ROOT };

	return (int)syscall(__NR_openat2, root, file, &how, sizeof(how));
}
