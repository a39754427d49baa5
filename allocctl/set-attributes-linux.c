// SPDX-License-Identifier: Apache-2.0
/* Attributes of files on Linux, where lists of access are among them. */
#include <errno.h>
#include <string.h>
#include <sys/xattr.h>

#include "set.h"

/* All that a file can have. */
enum { NAMES_BYTES = 65536, VALUE_BYTES = 65536 };

static bool has(const char *names, ssize_t length, const char *name)
{
	const char *at;

	for (at = names; at < names + length; at += strlen(at) + 1)
		if (!strcmp(at, name))
			return true;
	return false;
}

/* A new file has lists of access by those of its folder. */
bool set_file_attributes(int from, int to)
{
	static const char access[] = "system.posix_acl_access";
	char names[NAMES_BYTES], value[VALUE_BYTES], *name;
	ssize_t length = flistxattr(from, names, sizeof(names)), n;

	if (length < 0)
		return errno == ENOTSUP;
	for (name = names; name < names + length; name += strlen(name) + 1) {
		n = fgetxattr(from, name, value, sizeof(value));
		if (n < 0)
			return false;
		if (fsetxattr(to, name, value, (size_t)n, 0) < 0 &&
		    errno != ENOTSUP && strncmp(name, "security.", 9))
			return false;
	}
	return has(names, length, access) || !fremovexattr(to, access) ||
	       errno == ENODATA || errno == ENOTSUP;
}
