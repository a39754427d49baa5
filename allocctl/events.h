/* SPDX-License-Identifier: Apache-2.0 */
/* The events and splits of a replay, written as they happen. */
#ifndef ALLOCCTL_EVENTS_H
#define ALLOCCTL_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <liballoc/heap.h>

struct event_log {
	const char *path; /* borrowed */
	FILE *file; /* owned unless to_stdout; NULL: no events are written */
	bool to_stdout;
	bool splits; /* splits go to stdout */
	uint64_t device;
};

/* "-" is stdout.  False after a message. */
bool event_log_open(struct event_log *log, const char *path);
bool event_log_close(struct event_log *log);

/* Listeners; data is the log. */
la_heap_listener event_log_hear;
la_heap_split_listener event_log_split;

#endif /* ALLOCCTL_EVENTS_H */
