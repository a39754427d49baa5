/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that may hang, crash or leave processes behind, done by a child:
 * child-posix.c with child-linux.c or child-macos.c, or child-windows.c.
 */
#ifndef ALLOCCTL_CHILD_H
#define ALLOCCTL_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

struct child {
	/* In the child: what is written to out is read here.  If it returns
	 * the child ends with status 0. */
	void (*act)(void *arg, int out);
	/* Is there no need to read on?  NULL: it is read up to the end. */
	bool (*enough)(void *arg, const struct la_strbuf *output);
	void *arg;
	long ms; /* that it may take */
	size_t most; /* bytes that it may write */
};

enum child_end {
	CHILD_ENOUGH, /* enough was read */
	CHILD_ENDED, /* with a status */
	CHILD_MUTE, /* it closed its output and ran on */
	CHILD_LATE, /* it took too long */
	CHILD_LOUD, /* it wrote too much */
	CHILD_NONE /* it could not be started */
};

/*
 * Do it, and end whatever it started, also what left its session.  status: as
 * shells have it, 128 and more for a signal.  Not on Windows.
 */
enum child_end child_run(const struct child *child, struct la_strbuf *output,
			 int *status);

/*
 * Let a child fill in an answer, bytes that are the same there and here; on
 * Windows this process does.  NULL, or why there is none, static.
 */
const char *child_ask(void (*ask)(void *answer), void *answer, size_t size,
		      long ms);

/* Processes that are children of this one. */
struct child_list {
	int pid[256];
	size_t count; /* more than there is room for: not known */
};

/* Of a system: processes without a parent become ours, as far as it can. */
void child_adopt(struct child_list *before);

/* End those that have become ours since. */
void child_end_adopted(const struct child_list *before);

/* The calling process ends when its parent does, where that can be asked. */
void child_end_with_parent(void);

#endif /* ALLOCCTL_CHILD_H */
