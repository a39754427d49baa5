/* SPDX-License-Identifier: Apache-2.0 */
/* Files that may set variables: file-posix.c or windows-file.c. */
#ifndef LA_ENV_FILE_H
#define LA_ENV_FILE_H

#include "util/strbuf.h"

/*
 * Append a file below a root, NULL for /, whose links lead nowhere else;
 * 0 or -errno: -EFBIG beyond 16 MiB, -EINVAL if it is no regular file.
 */
int la_env_file_read(const char *root, const char *file, struct la_strbuf *out);

/*
 * Append all of what is open, at most so many bytes in all, and close it.  Not
 * on Windows; 0 or -errno: -EFBIG beyond them.
 */
int la_env_read_all(int fd, size_t most, struct la_strbuf *out);

/*
 * Open a file below a folder, from which no link leads out: root-linux.c or
 * root-none.c.  -1 with errno ENOSYS where the system cannot.
 */
int la_env_open_in_root(int root, const char *file, int flags);

#endif /* LA_ENV_FILE_H */
