/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts `cupti-probe report --write FILE`, which reads the file from outside
 * and outlives the program.  That never learns of it: no SIGCHLD, and nothing
 * that its wait() finds.  At most REPORTS a process, and one in REPORT_PAUSE.
 */
#ifndef PROBE_REPORTER_H
#define PROBE_REPORTER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config.h"

#define REPORT_PAUSE 30000000000ull /* ns */

enum {
	REPORTS = 6 /* the first, and five more */
};

/* Find the program and keep the environment for it. */
void reporter_init(const struct config *config);

/* An OOM is confirmed: report at that time, if it still is then. */
void reporter_want(uint64_t time);

/* Start it, if one is wanted by now. */
void reporter_run(uint64_t now);

/* Of an OOM that ends the program at once: give the core's thread a moment to
 * start the first report. */
void reporter_wait(void);

/* The program ends: what is wanted is wanted now. */
void reporter_end(void);

#endif /* PROBE_REPORTER_H */
