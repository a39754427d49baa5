/* SPDX-License-Identifier: Apache-2.0 */
/* What launchers share: a program that runs as if it were in our place. */
#ifndef ALLOCCTL_LAUNCH_H
#define ALLOCCTL_LAUNCH_H

#include <limits.h>
#include <stdbool.h>

#include "allocctl/opt.h"

/* As shells and env(1) have it. */
enum { LAUNCH_NOT_EXECUTABLE = 126, LAUNCH_NOT_FOUND = 127 };

/* What became of the program. */
struct launch_result {
	int error; /* errno if it could not be started, or 0 */
	int status; /* of wait(2) */
};

/* Run it until it ends; a status, not STATUS_DONE after a message. */
int launch_child(struct launch_result *result, char **argv);

/* "cannot run ..."; the exit status that shells have for that. */
int launch_failed(const struct launch_result *result, const char *program);

/* End as the program did; returns the exit status if that is not possible. */
int launch_end_alike(const struct launch_result *result);

/* The number of arguments before the program, which begins with or without
 * "--". */
int launch_own_words(int argc, char **argv, const struct opt *opts);

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
