/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that Windows gives all programs of a user, or of the machine. */
#ifndef ALLOCCTL_REGISTRY_H
#define ALLOCCTL_REGISTRY_H

#include <stdbool.h>

/*
 * Set a variable (value NULL: remove it) and tell running programs.  What
 * was there before the first change is kept for registry_undo().  0 or
 * -errno: -EACCES without the right to change the machine's.
 */
int registry_set(bool machine, const char *variable, const char *value);

/* Put back what was there before; -ENOENT: nothing was kept. */
int registry_undo(bool machine, const char *variable);

#endif /* ALLOCCTL_REGISTRY_H */
