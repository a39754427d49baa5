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

#endif /* LA_ENV_FILE_H */
