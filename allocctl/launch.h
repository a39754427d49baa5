/* SPDX-License-Identifier: Apache-2.0 */
/* What launchers share: a program that runs as if it were in our place. */
#ifndef ALLOCCTL_LAUNCH_H
#define ALLOCCTL_LAUNCH_H

#include <limits.h>
#include <stdbool.h>

#include "allocctl/opt.h"

/* Statuses, as shells and env(1) have them. */
enum { LAUNCH_NOT_EXECUTABLE = 126, LAUNCH_NOT_FOUND = 127 };

/*
 * Parse the options in front of the program, which begins with or without
 * "--".  The number of arguments before it; OPT_HELP; or OPT_ERROR after a
 * message, also where there is no program.
 */
int launch_parse(int argc, char **argv, const struct opt_spec *spec);

/*
 * Run the program until it ends; ended: of wait(2).  A status; not STATUS_DONE
 * after a message, and that of shells where it could not be started.
 */
int launch_child(char **argv, int *ended);

/* End as the program did; returns the exit status if that is not possible. */
int launch_end_alike(int ended);

/*
 * The first that is there of some places, NULL at the end: beside this
 * program, in a tree that was built or in a prefix that was moved, and, with a
 * slash in front, where it was installed to.
 */
bool launch_find(char out[PATH_MAX], const char *const *place);

/* Set a variable to two texts with sep between them; either may be NULL or
 * empty.  False: no memory. */
bool launch_join(const char *name, const char *first, char sep,
		 const char *second);

/* Python programs begin with liballoc's sitecustomize.py.  A status; not
 * STATUS_DONE after a message. */
int launch_set_shim(void);

#endif /* ALLOCCTL_LAUNCH_H */
