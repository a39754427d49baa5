// SPDX-License-Identifier: Apache-2.0
/* A snapshot in memory and as a pickle of protocol 4, see snapshot.h. */

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "heap/internal.h"
#include "support/snapshot.h"

void snapshot_release(struct snapshot *snapshot)
{
	free(snapshot->event);
	free(snapshot->segment);
	free(snapshot->block);
}

void snapshot_add(struct snapshot *snapshot, const struct la_event *event)
{
	if (snapshot->event_count == snapshot->event_room) {
		snapshot->event_room = 2 * snapshot->event_room + 64;
		snapshot->event = realloc(snapshot->event,
					  snapshot->event_room *
						  sizeof(*event));
		assert(snapshot->event);
	}
	snapshot->event[snapshot->event_count++] = *event;
}

/* The pool of what holds an address: that of the request which got it. */
static uint16_t pool_at(const struct snapshot *snapshot, uint64_t addr)
{
	size_t i;

	for (i = snapshot->event_count; i; i--) {
		const struct la_event *event = &snapshot->event[i - 1];

		if ((event->action == LA_SEGMENT_ALLOC ||
		     event->action == LA_SEGMENT_MAP) &&
		    addr - event->addr < event->size)
			return event->pool;
	}
	return 0;
}

/* Is the event one of the request under way itself? */
static bool is_of_request(enum la_action action)
{
	return action == LA_ALLOC || action == LA_OOM ||
	       action == LA_SEGMENT_ALLOC || action == LA_SEGMENT_MAP;
}

void snapshot_hear(void *data, enum la_action action, uint64_t addr,
		   uint64_t size, uint64_t stream)
{
	struct snapshot *snapshot = data;
	const struct la_event event = {
		.addr = action == LA_OOM ? snapshot->device_free : addr,
		.size = size,
		.time_us = snapshot->event_count + 1,
		.stream = (uint32_t)stream,
		.pool = is_of_request(action) ? snapshot->pool :
						pool_at(snapshot, addr),
		.action = action,
	};

	snapshot_add(snapshot, &event);
}

static void add_segment(struct snapshot *snapshot,
			const struct la_block_info *info)
{
	snapshot->segment[snapshot->segment_count++] =
		(struct la_recorded_segment){
			.addr = info->segment_addr,
			.size = info->segment_size,
			.pool = { info->pool[0], info->pool[1] },
			.stream = (uint32_t)info->stream,
			.first_block = (uint32_t)snapshot->block_count,
			.small = info->small,
			.expandable = info->granule > 0,
		};
}

static void take_block(void *data, const struct la_block_info *info)
{
	static const uint8_t states[] = {
		[LA_BLOCK_FREE] = LA_RECORDED_FREE,
		[LA_BLOCK_LIVE] = LA_RECORDED_LIVE,
		[LA_BLOCK_PENDING] = LA_RECORDED_PENDING,
	};
	struct snapshot *snapshot = data;

	if (info->addr == info->segment_addr)
		add_segment(snapshot, info);
	snapshot->segment[snapshot->segment_count - 1].block_count++;
	snapshot->block[snapshot->block_count++] = (struct la_recorded_block){
		.size = info->size,
		.requested = info->requested,
		.state = states[info->state],
	};
}

static int by_addr(const void *a, const void *b)
{
	const struct la_recorded_segment *left = a, *right = b;

	return (left->addr > right->addr) - (left->addr < right->addr);
}

void snapshot_take(struct snapshot *snapshot, const struct la_heap *heap)
{
	size_t room = heap->block_count + 1;

	snapshot->segment = calloc(room, sizeof(*snapshot->segment));
	snapshot->block = calloc(room, sizeof(*snapshot->block));
	assert(snapshot->segment && snapshot->block);
	la_heap_walk(heap, take_block, snapshot);
	qsort(snapshot->segment, snapshot->segment_count,
	      sizeof(*snapshot->segment), by_addr);
}

void snapshot_cut(struct snapshot *snapshot, size_t at, size_t count)
{
	size_t left;

	if (at >= snapshot->event_count)
		return;
	left = snapshot->event_count - at;
	if (count > left)
		count = left;
	memmove(&snapshot->event[at], &snapshot->event[at + count],
		(left - count) * sizeof(*snapshot->event));
	snapshot->event_count -= count;
}

/* Bytes that grow. */
struct pickle {
	uint8_t *data; /* owned */
	size_t size, room;
};

static void put(struct pickle *pickle, const void *data, size_t size)
{
	if (pickle->room - pickle->size < size) {
		pickle->room = 2 * pickle->room + size + 256;
		pickle->data = realloc(pickle->data, pickle->room);
		assert(pickle->data);
	}
	memcpy(pickle->data + pickle->size, data, size);
	pickle->size += size;
}

static void put_code(struct pickle *pickle, const char *codes)
{
	put(pickle, codes, strlen(codes));
}

/* SHORT_BINUNICODE */
static void put_text(struct pickle *pickle, const char *text)
{
	uint8_t head[] = { 0x8c, (uint8_t)strlen(text) };

	put(pickle, head, sizeof(head));
	put(pickle, text, head[1]);
}

/* LONG1 of nine bytes, little endian and never negative. */
static void put_number(struct pickle *pickle, uint64_t value)
{
	uint8_t code[11] = { 0x8a, 9 };
	int i;

	for (i = 0; i < 8; i++)
		code[2 + i] = (uint8_t)(value >> 8 * i);
	put(pickle, code, sizeof(code));
}

static void put_pair(struct pickle *pickle, const char *key, uint64_t value)
{
	put_text(pickle, key);
	put_number(pickle, value);
}

static void put_words(struct pickle *pickle, const char *key, const char *text)
{
	put_text(pickle, key);
	put_text(pickle, text);
}

/* TUPLE2 */
static void put_pool(struct pickle *pickle, const char *key,
		     const uint64_t id[2])
{
	put_text(pickle, key);
	put_number(pickle, id[0]);
	put_number(pickle, id[1]);
	put_code(pickle, "\x86");
}

static void put_event(struct pickle *pickle, const struct snapshot *snapshot,
		      const struct la_event *event)
{
	put_code(pickle, "}(");
	put_words(pickle, "action", la_action_name(event->action));
	put_pair(pickle, event->action == LA_OOM ? "device_free" : "addr",
		 event->addr);
	put_pair(pickle, "size", event->size);
	put_pair(pickle, "stream", event->stream);
	put_pair(pickle, "time_us", event->time_us);
	put_words(pickle, "user_metadata", "");
	if (snapshot->pool_id)
		put_pool(pickle, "pool_id", snapshot->pool_id[event->pool]);
	put_code(pickle, "u");
}

static void put_block(struct pickle *pickle,
		      const struct la_recorded_block *block)
{
	static const char *const states[] = {
		[LA_RECORDED_FREE] = "inactive",
		[LA_RECORDED_LIVE] = "active_allocated",
		[LA_RECORDED_PENDING] = "active_pending_free",
	};

	put_code(pickle, "}(");
	put_pair(pickle, "size", block->size);
	put_pair(pickle, "requested_size", block->requested);
	put_words(pickle, "state", states[block->state]);
	put_code(pickle, "u");
}

static void put_segment(struct pickle *pickle, const struct snapshot *snapshot,
			const struct la_recorded_segment *segment)
{
	uint32_t i;

	put_code(pickle, "}(");
	put_pair(pickle, "device", 0);
	put_pair(pickle, "address", segment->addr);
	put_pair(pickle, "total_size", segment->size);
	put_pair(pickle, "stream", segment->stream);
	put_words(pickle, "segment_type", segment->small ? "small" : "large");
	put_pool(pickle, "segment_pool_id", segment->pool);
	put_text(pickle, "is_expandable");
	put_code(pickle, segment->expandable ? "\x88" : "\x89");
	put_text(pickle, "blocks");
	put_code(pickle, "](");
	for (i = 0; i < segment->block_count; i++)
		put_block(pickle, &snapshot->block[segment->first_block + i]);
	put_code(pickle, "eu");
}

uint8_t *snapshot_pickle(const struct snapshot *snapshot, size_t *size)
{
	struct pickle pickle = { 0 };
	size_t i;

	put_code(&pickle, "\x80\x04}(");
	put_text(&pickle, "segments");
	put_code(&pickle, "](");
	for (i = 0; i < snapshot->segment_count; i++)
		put_segment(&pickle, snapshot, &snapshot->segment[i]);
	put_code(&pickle, "e");
	put_text(&pickle, "device_traces");
	put_code(&pickle, "](](");
	for (i = 0; i < snapshot->event_count; i++)
		put_event(&pickle, snapshot, &snapshot->event[i]);
	put_code(&pickle, "ee");
	if (snapshot->setting) {
		put_text(&pickle, "allocator_settings");
		put_code(&pickle, "}(");
		put_words(&pickle, "PYTORCH_CUDA_ALLOC_CONF",
			  snapshot->setting);
		put_code(&pickle, "u");
	}
	put_code(&pickle, "u.");
	*size = pickle.size;
	return pickle.data;
}
