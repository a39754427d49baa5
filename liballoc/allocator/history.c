// SPDX-License-Identifier: Apache-2.0
/* The newest events of an arena, in a ring. */

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "allocator/history.h"
#include "util/array.h"

int history_init(struct history *history, size_t room)
{
	*history = (struct history){ .room = room };
	if (!room)
		return 0;
	history->ring = calloc(room, sizeof(*history->ring));
	return history->ring ? 0 : -ENOMEM;
}

void history_release(struct history *history)
{
	free(history->ring);
	free(history->stream);
}

static uint64_t unix_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Index of a stream in the table; or -ENOMEM. */
static int64_t stream_index(struct history *history, uint64_t stream)
{
	size_t i;

	for (i = 0; i < history->stream_count; i++)
		if (history->stream[i] == stream)
			return (int64_t)i;
	if (grow_array(&history->stream, &history->stream_room, i,
		       sizeof(*history->stream)) < 0)
		return -ENOMEM;
	history->stream[history->stream_count++] = stream;
	return (int64_t)i;
}

void history_add(struct history *history, enum la_action action, uint64_t addr,
		 uint64_t size, uint64_t stream)
{
	int64_t index;

	if (!history->ring)
		return;
	index = stream_index(history, stream);
	if (index < 0) {
		/* One with a gap would be wrong: it begins anew. */
		history->count = 0;
		return;
	}
	if (!history->now)
		history->now = unix_us();
	history->ring[history->next] = (struct la_event){
		.addr = addr,
		.size = size,
		.time_us = history->now,
		.stream = (uint32_t)index,
		.action = (uint8_t)action,
	};
	history->next = (history->next + 1) % history->room;
	history->count += history->count < history->room;
}

size_t history_copy(const struct history *history, struct la_event *event,
		    size_t count, uint64_t *stream, size_t streams)
{
	size_t i;

	if (count > history->count)
		count = history->count;
	for (i = 0; i < count; i++)
		event[i] = history->ring[(history->next + history->room -
					  count + i) %
					 history->room];
	for (i = 0; i < streams && i < history->stream_count; i++)
		stream[i] = history->stream[i];
	return count;
}
