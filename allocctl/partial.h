/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file while it is written: partial-posix.c and partial-windows.c, of which
 * the Build file takes one.  There is one at a time.
 */
#ifndef ALLOCCTL_PARTIAL_H
#define ALLOCCTL_PARTIAL_H

#include <stdbool.h>

/*
 * What file a path means, behind links, and a template for the name of its
 * partial file, both for free(); false: no memory, and the template is NULL.
 */
bool partial_name(const char *path, char **target, char **partial);

/*
 * Make the file, with the access that a new file gets; no signal that ends the
 * program leaves it behind.  Its descriptor, or -1 with errno.
 */
int partial_create(char *partial);

/* Give the closed file the name target, which is only replaced by force: 0, or
 * -1 with errno. */
int partial_commit(const char *partial, const char *target, bool force);

void partial_remove(const char *partial);

#endif /* ALLOCCTL_PARTIAL_H */
