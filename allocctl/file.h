/* SPDX-License-Identifier: Apache-2.0 */
/* A whole file in memory. */
#ifndef ALLOCCTL_FILE_H
#define ALLOCCTL_FILE_H

#include <stddef.h>

#include <liballoc/error.h>

enum { FILE_BYTES = 16 << 20 }; /* longest that is read */

/*
 * Bytes of a file, or of standard input for "-"; terminated, to be freed.
 * 0 or -errno with err filled; -EFBIG beyond FILE_BYTES.
 */
int file_read(char **text, size_t *length, const char *path,
	      struct la_error *err);

#endif /* ALLOCCTL_FILE_H */
