// SPDX-License-Identifier: Apache-2.0
/* Attributes of files on macOS, and lists of access beside them. */
#include <copyfile.h>

#include "set.h"

bool set_file_attributes(int from, int to)
{
	return !fcopyfile(from, to, NULL, COPYFILE_ACL | COPYFILE_XATTR);
}
