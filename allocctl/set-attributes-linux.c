// SPDX-License-Identifier: Apache-2.0
/* Attributes of files on Linux, where lists of access are among them. */
#include <errno.h>
#include <string.h>
#include <sys/xattr.h>

#include "set.h"

bool set_file_attributes(const char *path, int to)
{
	char names[4096], value[65536], *name;
	ssize_t left = listxattr(path, names, sizeof(names)), n;

	if (left < 0)
		return errno == ENOTSUP;
	for (name = names; left > 0;
	     left -= strlen(name) + 1, name += strlen(name) + 1) {
		n = getxattr(path, name, value, sizeof(value));
		if (n < 0)
			return false;
		if (fsetxattr(to, name, value, (size_t)n, 0) < 0 &&
		    errno != ENOTSUP && strncmp(name, "security.", 9))
			return false;
	}
	return true;
}
