/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_ALLOCATOR_HISTORY_H
#define LA_ALLOCATOR_HISTORY_H

/* The newest events of an arena. */

#include <stddef.h>
#include <stdint.h>

#include <liballoc/event.h>

struct history {
	struct la_event *ring; /* owned; NULL: no events are kept */
	size_t room, count;
	size_t next; /* where the next event goes */
	uint64_t *stream; /* owned; raw values */
	size_t stream_count, stream_room;
	uint64_t now; /* Unix time in us of the call under way; 0: unknown */
};

/* room: events; 0: none are kept.  Returns 0 or -ENOMEM. */
int history_init(struct history *history, size_t room);
void history_release(struct history *history);

/* Add an event at the time of the call under way. */
void history_add(struct history *history, enum la_action action, uint64_t addr,
		 uint64_t size, uint64_t stream);

/* Copy the newest events, oldest first, and the table of streams. */
size_t history_copy(const struct history *history, struct la_event *event,
		    size_t count, uint64_t *stream, size_t streams);

#endif /* LA_ALLOCATOR_HISTORY_H */
