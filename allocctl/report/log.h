/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in few bytes, for the script of the page.  A record begins with a
 * byte: the action, and in its upper bits which of these follow: stream,
 * stack, pool (their numbers), and microseconds since the last event.  The
 * first three hold until they are told anew: streams of requests and of
 * memory that is given, stacks of requests, pools of memory.  Then come
 *
 *	alloc		address, bytes
 *	alloc (10)	address, bytes, bytes of the block: others have the
 *			request's, rounded up to 512
 *	segment_...	address, bytes
 *	free_...	how many requests lie between it and its own
 *	oom		bytes, bytes free on the device
 *
 * Numbers have seven bits a byte, the least first; addresses are told by the
 * difference to the last one, its sign in the lowest bit.  What was there at
 * the start comes first, and ends with a snapshot of stream 2^32 - 1, which
 * does not hold.  A free of what is not known is a snapshot too.
 */
#ifndef ALLOCCTL_REPORT_LOG_H
#define ALLOCCTL_REPORT_LOG_H

#include <liballoc/view.h>

#include "util/strbuf.h"

struct log {
	struct la_strbuf bytes; /* owned */
	uint64_t addr, time_us; /* of the last record that had one */
	uint64_t first_us, last_us; /* times of all events; 0: unknown */
	uint64_t requests; /* so far */
	uint32_t stream, stack, pool; /* as told last */
	bool begun; /* events have */
	uint32_t *stack_number; /* borrowed; by stack of the recording: number
				 * + 1 on the page, 0: none yet */
	uint32_t *stack_count; /* borrowed; of the page */
	uint64_t (*pool_id)[2]; /* owned; by number, the first is 0, 0 */
	size_t pool_count, pool_room;
	int error; /* -ENOMEM: something is missing */
};

/* Returns 0 or -ENOMEM. */
int log_init(struct log *log, uint32_t *stack_number, uint32_t *stack_count);
void log_release(struct log *log);

/* Begin another one, with the same numbers of stacks and pools. */
void log_restart(struct log *log);

/* A la_view_visitor; data is a struct log. */
la_view_visitor log_add;

/* What lies where, as if all of it was there at the start. */
int log_add_map(struct log *log, const struct la_map *map);

/* No more comes.  Returns 0 or -ENOMEM. */
int log_finish(struct log *log);

#endif /* ALLOCCTL_REPORT_LOG_H */
