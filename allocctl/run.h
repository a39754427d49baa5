/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of allocctl run. */
#ifndef ALLOCCTL_RUN_H
#define ALLOCCTL_RUN_H

#include <limits.h>
#include <stdint.h>

/* What was put on the command line. */
struct run_options {
	int policy; /* enum la_heap_policy; -1: not named */
	uint64_t limit; /* bytes; 0: not named */
	const char *record; /* NULL: not named */
};

/*
 * run-environment.c: what the program finds in its environment; folder: a new
 * one, where its processes leave their figures.  A status; not STATUS_DONE
 * after a message, and then there is no folder.
 */
int run_environment(const struct run_options *options, char folder[PATH_MAX]);

/* run-summary.c: print the figures in a folder on standard error, and remove
 * it.  status: of wait(2), of the program. */
void run_summary(const char *folder, int status);

#endif /* ALLOCCTL_RUN_H */
