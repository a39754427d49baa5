// SPDX-License-Identifier: Apache-2.0
/* Attributes of files on macOS, and lists of access beside them. */
#include <copyfile.h>
#include <fcntl.h>
#include <unistd.h>

#include "set.h"

bool set_file_attributes(const char *path, int to)
{
	int from = open(path, O_RDONLY | O_CLOEXEC);
	bool done;

	if (from < 0)
		return false;
	done = !fcopyfile(from, to, NULL, COPYFILE_ACL | COPYFILE_XATTR);
	close(from);
	return done;
}
