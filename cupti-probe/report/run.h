/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of cupti-probe run. */
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "ended.h"

enum { RUN_NAME = 40 };

/* What was put on the command line. */
struct run_options {
	int front; /* enum run_front */
	const char *dir; /* NULL: not named */
	uint64_t size; /* bytes of a recording; 0: not told */
	bool snapshot;
};

enum run_front { RUN_PRELOAD, RUN_CUPTI };

/*
 * run-environment.c: what the program finds in its environment; name: of this
 * run.  A status; not STATUS_DONE after a message.
 */
int run_environment(const struct run_options *options, char name[RUN_NAME]);

/* run-kills.c: how often the kernel killed a process for want of memory. */
struct run_kills {
	uint64_t cgroup, node; /* UINT64_MAX: unknown */
};

void run_kills_read(struct run_kills *kills);

/* Whether it did so in between; evidence is a sentence then. */
bool run_kills_rose(char evidence[256], const struct run_kills *before,
		    const struct run_kills *after);

/* run-after.c: write reports of this run, and say so in a line or two.
 * status: of wait(2), of the program. */
void run_after(const char *name, int status, const struct run_kills *before);

#endif /* REPORT_RUN_H */
