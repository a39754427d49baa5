// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "util/array.h"

enum {
	WITH_STREAM = 0x10,
	WITH_STACK = 0x20,
	WITH_POOL = 0x40,
	WITH_TIME = 0x80
};

/* An alloc whose block is not just the request, rounded up. */
#define LOG_ALLOC_SIZED 10

/* A snapshot with this stream: event 0 is next. */
#define LOG_EVENTS_BEGIN UINT32_MAX

int log_init(struct log *log, uint32_t *stack_number, uint32_t *stack_count)
{
	*log = (struct log){
		.stack_number = stack_number,
		.stack_count = stack_count,
	};
	if (grow_array(&log->pool_id, &log->pool_room, 0,
		       sizeof(*log->pool_id)) < 0)
		return -ENOMEM;
	memset(log->pool_id[log->pool_count++], 0, sizeof(*log->pool_id));
	return 0;
}

void log_release(struct log *log)
{
	la_strbuf_release(&log->bytes);
	free(log->pool_id);
}

void log_restart(struct log *log)
{
	struct log fresh = {
		.stack_number = log->stack_number,
		.stack_count = log->stack_count,
		.pool_id = log->pool_id,
		.pool_count = log->pool_count,
		.pool_room = log->pool_room,
	};

	la_strbuf_release(&log->bytes);
	*log = fresh;
}

static void put_byte(struct log *log, unsigned int byte)
{
	char c = (char)byte;

	la_strbuf_add(&log->bytes, &c, 1);
}

static void put(struct log *log, uint64_t value)
{
	char text[10];
	size_t length = 0;

	for (; value >= 0x80; value >>= 7)
		text[length++] = (char)(value | 0x80);
	text[length++] = (char)value;
	la_strbuf_add(&log->bytes, text, length);
}

static void put_addr(struct log *log, uint64_t addr)
{
	uint64_t change = addr - log->addr;

	put(log, change >> 63 ? ~(change << 1) : change << 1);
	log->addr = addr;
}

static uint32_t number_of_stack(struct log *log, uint32_t stack)
{
	if (!stack)
		return 0;
	if (!log->stack_number[stack])
		log->stack_number[stack] = ++*log->stack_count;
	return log->stack_number[stack];
}

/* Few pools are used, and most often the last one. */
static uint32_t number_of_pool(struct log *log, const uint64_t id[2])
{
	size_t i = log->pool;

	if (!memcmp(log->pool_id[i], id, sizeof(*log->pool_id)))
		return (uint32_t)i;
	for (i = 0; i < log->pool_count; i++)
		if (!memcmp(log->pool_id[i], id, sizeof(*log->pool_id)))
			return (uint32_t)i;
	if (grow_array(&log->pool_id, &log->pool_room, log->pool_count,
		       sizeof(*log->pool_id)) < 0) {
		log->error = -ENOMEM;
		return 0;
	}
	memcpy(log->pool_id[log->pool_count], id, sizeof(*log->pool_id));
	return (uint32_t)log->pool_count++;
}

static bool is_sized(const struct la_view_event *event)
{
	uint64_t rounded = event->size ? (event->size + 511) / 512 * 512 : 512;

	return event->action == LA_ALLOC && event->block &&
	       event->block != rounded;
}

static bool gives_memory(uint8_t action)
{
	return action == LA_SEGMENT_ALLOC || action == LA_SEGMENT_MAP;
}

/* The first byte, and what it says follows. */
static void begin(struct log *log, const struct la_view_event *event)
{
	bool asks = event->action == LA_ALLOC;
	bool gives = gives_memory(event->action);
	uint32_t stream = asks || gives || event->action == LA_OOM ?
				  event->stream :
				  log->stream;
	uint32_t stack = asks ? number_of_stack(log, event->stack) :
				log->stack;
	uint32_t pool = gives ? number_of_pool(log, event->pool) : log->pool;
	uint64_t time = event->time_us > log->time_us && log->begun ?
				event->time_us - log->time_us :
				0;

	put_byte(log, (is_sized(event) ? LOG_ALLOC_SIZED : event->action) |
			      (stream != log->stream) * WITH_STREAM |
			      (stack != log->stack) * WITH_STACK |
			      (pool != log->pool) * WITH_POOL |
			      (time != 0) * WITH_TIME);
	if (stream != log->stream)
		put(log, stream);
	if (stack != log->stack)
		put(log, stack);
	if (pool != log->pool)
		put(log, pool);
	if (time)
		put(log, time);
	log->stream = stream;
	log->stack = stack;
	log->pool = pool;
	log->time_us += time;
}

static void begin_events(struct log *log)
{
	if (log->begun)
		return;
	put_byte(log, LA_SNAPSHOT | WITH_STREAM);
	put(log, LOG_EVENTS_BEGIN);
	log->begun = true;
}

/* Times count from the first that is known. */
static void note_time(struct log *log, uint64_t time_us)
{
	if (!time_us)
		return;
	if (!log->first_us)
		log->first_us = log->time_us = time_us;
	if (time_us > log->last_us)
		log->last_us = time_us;
}

static void put_body(struct log *log, const struct la_view_event *event)
{
	switch ((enum la_action)event->action) {
	case LA_ALLOC:
		log->requests++;
		__attribute__((fallthrough));
	case LA_SEGMENT_ALLOC:
	case LA_SEGMENT_FREE:
	case LA_SEGMENT_MAP:
	case LA_SEGMENT_UNMAP:
		put_addr(log, event->addr);
		put(log, event->size);
		if (is_sized(event))
			put(log, event->block);
		break;
	case LA_FREE_REQUESTED:
	case LA_FREE_COMPLETED:
		put(log, log->requests - 1 - event->request);
		break;
	case LA_OOM:
		put(log, event->size);
		put(log, event->addr);
		break;
	case LA_SNAPSHOT:
	case LA_ANNOTATE:
	case LA_ACTION_COUNT:
		break;
	}
}

int log_add(void *data, const struct la_view_event *event)
{
	struct log *log = data;
	struct la_view_event shown = *event;

	if (event->event != UINT64_MAX) {
		begin_events(log);
		note_time(log, event->time_us);
	}
	if (event->request == UINT64_MAX &&
	    (event->action == LA_FREE_REQUESTED ||
	     event->action == LA_FREE_COMPLETED))
		shown.action = LA_SNAPSHOT;
	begin(log, &shown);
	put_body(log, &shown);
	return log->error;
}

static void add_block(struct log *log, const struct la_map_block *block)
{
	struct la_view_event event = {
		.event = UINT64_MAX,
		.addr = block->addr,
		.size = block->requested,
		.block = block->size,
		.stream = block->stream,
		.stack = block->stack,
		.action = LA_ALLOC,
		.request = log->requests,
	};

	if (block->state == LA_MAP_FREE)
		return;
	log_add(log, &event);
	event.action = LA_FREE_REQUESTED;
	if (block->state == LA_MAP_PENDING)
		log_add(log, &event);
}

int log_add_map(struct log *log, const struct la_map *map)
{
	size_t i;
	uint32_t k;

	for (i = 0; i < map->segment_count; i++) {
		const struct la_map_segment *segment = &map->segment[i];
		const struct la_view_event event = {
			.event = UINT64_MAX,
			.addr = segment->addr,
			.size = segment->size,
			.pool = { segment->pool[0], segment->pool[1] },
			.stream = segment->stream,
			.action = segment->expandable ? LA_SEGMENT_MAP :
							LA_SEGMENT_ALLOC,
		};

		log_add(log, &event);
		for (k = 0; k < segment->block_count; k++)
			add_block(log, &map->block[segment->first_block + k]);
	}
	return log_finish(log);
}

int log_finish(struct log *log)
{
	begin_events(log);
	return log->bytes.failed ? -ENOMEM : log->error;
}
