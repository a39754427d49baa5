/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file while it is written: partial-posix.c and partial-windows.c, of which
 * the Build file takes one.  There is one at a time.
 */
#ifndef ALLOCCTL_PARTIAL_H
#define ALLOCCTL_PARTIAL_H

#include <stdbool.h>
#include <stdio.h>

struct partial;

/*
 * Begin what path is to hold, in file, which is the caller's to write to and
 * not to close; it may be stdout.  A pipe and a device are written directly.
 * Links are followed if they are the user's or root's; what another user has
 * put there is not written to, nor waited for.  NULL with errno.
 */
struct partial *partial_open(const char *path, FILE **file);

/*
 * Give the file its name and the access that a new file gets; one that is there
 * is only replaced by force.  0, or -1 with errno: then nothing is left.
 */
int partial_commit(struct partial *partial, bool force);

void partial_cancel(struct partial *partial);

#endif /* ALLOCCTL_PARTIAL_H */
