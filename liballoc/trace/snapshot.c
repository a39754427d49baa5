// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/snapshot.h"
#include "util/error.h"
#include "util/util.h"

enum {
	MOST_TRACES = 1024, /* also bounds the number of a device */
	EVENT_BITS = 40 /* an event's identity: trace << EVENT_BITS | index */
};

#define RARE_FIELDS (1 << LA_EVENT_POOL | 1 << LA_EVENT_FRAMES)
#define EVENT_INDEX (((uint64_t)1 << EVENT_BITS) - 1)

int la_snapshot_fail(struct la_snapshot *snap, int code, const char *format,
		     ...)
{
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return la_error_set(snap->err, code, snap->offset,
			    "%s at offset %" PRIu64, text, snap->offset);
}

int la_snapshot_fail_memory(struct la_snapshot *snap, int code)
{
	return la_snapshot_fail(snap, code,
				code == -E2BIG ?
					"too large for the memory limit" :
					"out of memory");
}

static int grow(struct la_snapshot *snap, void *array, size_t *room,
		size_t count, size_t size)
{
	int err = 0;

	if (count >= UINT32_MAX)
		return la_snapshot_fail(snap, -E2BIG, "too many entries");
	if (count == *room)
		err = la_budget_grow(&snap->budget, array, room, count + 1,
				     size);
	return err < 0 ? la_snapshot_fail_memory(snap, err) : 0;
}

void la_snapshot_init(struct la_snapshot *snap, uint64_t memory_limit,
		      struct la_error *err)
{
	memset(snap, 0, sizeof(*snap));
	la_schema_init(&snap->schema);
	snap->budget.limit = memory_limit;
	snap->err = err;
}

void la_snapshot_release(struct la_snapshot *snap)
{
	size_t i;

	for (i = 0; i < snap->trace_count; i++) {
		free(snap->traces[i].events);
		free(snap->traces[i].stacks);
	}
	free(snap->traces);
	free(snap->segments);
	free(snap->blocks);
	free(snap->notes);
	la_pairs_release(&snap->streams);
	la_pairs_release(&snap->tuples);
	la_pairs_release(&snap->pools);
	la_stacks_release(&snap->stacks);
	la_members_release(&snap->members);
	free(snap->setting);
}

int la_snapshot_keep_text(struct la_snapshot *snap, const char *text,
			  size_t size, bool always, uint32_t *number)
{
	int err = la_stacks_keep(&snap->stacks, &snap->budget, text, size,
				 always, number);

	return err < 0 ? la_snapshot_fail_memory(snap, err) : 0;
}

/* Objects, each moved to its array when the next one starts or its list
 * takes it in. */

/* Room for one more event. */
static inline int grow_trace(struct la_snapshot *snap, struct la_trace *trace)
{
	return trace->count < trace->room ?
		       0 :
		       grow(snap, &trace->events, &trace->room, trace->count,
			    sizeof(*trace->events));
}

/* The stack of the event that is next. */
static inline int set_stack(struct la_snapshot *snap, struct la_trace *trace,
			    uint32_t stack)
{
	bool first = !trace->stacks;
	int err;

	if (first && !stack)
		return 0;
	if (trace->count >= trace->stack_room) {
		err = grow(snap, &trace->stacks, &trace->stack_room,
			   trace->stack_room, sizeof(*trace->stacks));
		if (err < 0)
			return err;
	}
	if (first)
		memset(trace->stacks, 0, trace->count * sizeof(*trace->stacks));
	trace->stacks[trace->count] = stack;
	return 0;
}

static int add_event(struct la_snapshot *snap, struct la_trace *trace,
		     const struct la_event *event, uint32_t stack)
{
	int err = grow_trace(snap, trace);

	if (err == 0)
		err = set_stack(snap, trace, stack);
	if (err < 0)
		return err;
	trace->events[trace->count++] = *event;
	trace->unknown += event->action == LA_ACTION_UNKNOWN;
	return 0;
}

static int fail_required(struct la_snapshot *snap, enum la_role role,
			 unsigned int missing)
{
	size_t i = 0;

	while (la_fields[i].role != role ||
	       !(missing & 1u << la_fields[i].slot))
		i++;
	return la_snapshot_fail(snap, -EBADMSG, "%s without '%s'",
				la_role_names[role],
				la_names[la_fields[i].name]);
}

static inline int check_required(struct la_snapshot *snap, enum la_role role)
{
	unsigned int missing = la_required[role] & ~snap->object[role].seen;

	return missing ? fail_required(snap, role, missing) : 0;
}

/* The slot of an event's address. */
static inline enum la_event_slot addr_slot(uint8_t action)
{
	return action == LA_OOM ? LA_EVENT_DEVICE_FREE : LA_EVENT_ADDR;
}

/* Checks an event of a known kind. */
static inline int check_event(struct la_snapshot *snap, uint8_t action)
{
	const struct la_object *object = &snap->object[LA_ROLE_EVENT];
	enum la_event_slot slot = addr_slot(action);
	uint64_t end;
	int err;

	err = check_required(snap, LA_ROLE_EVENT);
	if (err < 0)
		return err;
	if (!(object->seen & 1u << slot))
		return la_snapshot_fail(snap, -EBADMSG, "event without '%s'",
					slot == LA_EVENT_ADDR ? "addr" :
								"device_free");
	if (__builtin_add_overflow(object->slot[slot],
				   object->slot[LA_EVENT_SIZE], &end))
		return la_snapshot_fail(
			snap, -EBADMSG,
			"event reaches beyond 64-bit addresses");
	return 0;
}

/* The index of the event's pool among those of events. */
static int intern_pool(struct la_snapshot *snap, uint16_t *pool)
{
	const struct la_object *object = &snap->object[LA_ROLE_EVENT];
	const struct la_pair *id =
		&snap->tuples.pairs[object->slot[LA_EVENT_POOL]];
	uint32_t number = 0;
	int err = 0;

	if (!snap->pools.count)
		err = la_pairs_intern(&snap->pools, &snap->budget, 0, 0,
				      &number);
	if (err == 0)
		err = la_pairs_intern(&snap->pools, &snap->budget, id->first,
				      id->second, &number);
	if (err < 0)
		return la_snapshot_fail_memory(snap, err);
	if (number > UINT16_MAX)
		return la_snapshot_fail(snap, -E2BIG,
					"events of more than %d pools",
					UINT16_MAX + 1);
	*pool = (uint16_t)number;
	return 0;
}

/* An event that is in its place, but for its pool and its stack. */
__attribute__((noinline)) static int close_rare(struct la_snapshot *snap,
						struct la_trace *trace)
{
	const struct la_object *object = &snap->object[LA_ROLE_EVENT];
	struct la_event *event = &trace->events[trace->count];
	uint32_t stack = 0;
	int err = 0;

	if (object->seen & 1 << LA_EVENT_POOL) {
		trace->has_pools = true;
		err = intern_pool(snap, &event->pool);
	}
	if (object->seen & 1 << LA_EVENT_FRAMES)
		stack = (uint32_t)object->slot[LA_EVENT_FRAMES];
	if (err == 0)
		err = set_stack(snap, trace, stack);
	if (err < 0)
		return err;
	trace->count++;
	trace->unknown += event->action == LA_ACTION_UNKNOWN;
	return 0;
}

static int close_event(struct la_snapshot *snap)
{
	struct la_object *object = &snap->object[LA_ROLE_EVENT];
	struct la_trace *trace = &snap->traces[object->id >> EVENT_BITS];
	const uint64_t *slot = object->slot;
	unsigned int seen = object->seen;
	uint8_t action = 0;
	int err = 0;

	object->open = false;
	if (seen & 1 << LA_EVENT_ACTION)
		action = (uint8_t)slot[LA_EVENT_ACTION];
	if (action != LA_ACTION_UNKNOWN)
		err = check_event(snap, action);
	if (err == 0)
		err = grow_trace(snap, trace);
	if (err < 0)
		return err;
	trace->events[trace->count] = (struct la_event){
		.addr = action == LA_ACTION_UNKNOWN ? 0 :
						      slot[addr_slot(action)],
		.size = slot[LA_EVENT_SIZE],
		.time_us = seen & 1 << LA_EVENT_TIME ? slot[LA_EVENT_TIME] : 0,
		.stream = (uint32_t)slot[LA_EVENT_STREAM],
		.action = action,
	};
	if (trace->stacks || seen & RARE_FIELDS)
		return close_rare(snap, trace);
	trace->count++;
	trace->unknown += action == LA_ACTION_UNKNOWN;
	return 0;
}

/* Blocks follow one another: each tells where the list starts. */
static int check_block_addr(struct la_snapshot *snap, uint64_t addr)
{
	uint64_t start = addr - snap->blocks_end;

	if (addr < snap->blocks_end ||
	    (snap->blocks_has_addr && start != snap->blocks_addr))
		return la_snapshot_fail(
			snap, -EBADMSG,
			"block does not start where the last one ends");
	snap->blocks_addr = start;
	snap->blocks_has_addr = true;
	return 0;
}

static int close_block(struct la_snapshot *snap)
{
	struct la_object *object = &snap->object[LA_ROLE_BLOCK];
	struct la_recorded_block block = { 0 };
	int err;

	object->open = false;
	err = check_required(snap, LA_ROLE_BLOCK);
	if (err < 0)
		return err;
	snap->fields[LA_ROLE_BLOCK] |= object->seen;
	block.size = object->slot[LA_BLOCK_SIZE];
	block.state = (uint8_t)object->slot[LA_BLOCK_STATE];
	if (object->seen & 1 << LA_BLOCK_REQUESTED)
		block.requested = object->slot[LA_BLOCK_REQUESTED];
	if (object->seen & 1 << LA_BLOCK_FRAMES)
		block.stack = (uint32_t)object->slot[LA_BLOCK_FRAMES];
	if (!block.size)
		return la_snapshot_fail(snap, -EBADMSG, "block of 0 bytes");
	if (object->seen & 1 << LA_BLOCK_ADDRESS) {
		err = check_block_addr(snap, object->slot[LA_BLOCK_ADDRESS]);
		if (err < 0)
			return err;
	}
	snap->blocks_end += block.size;
	if (snap->blocks_end > LA_MOST_BYTES)
		return la_snapshot_fail(snap, -EBADMSG,
					"blocks of more than 2^62 bytes");
	err = grow(snap, &snap->blocks, &snap->block_room, snap->block_count,
		   sizeof(*snap->blocks));
	if (err < 0)
		return err;
	snap->blocks[snap->block_count++] = block;
	return 0;
}

static int check_segment(struct la_snapshot *snap,
			 const struct la_segment *entry)
{
	const struct la_recorded_segment *segment = &entry->segment;
	uint64_t end;

	if (entry->device >= MOST_TRACES)
		return la_snapshot_fail(
			snap, -EBADMSG, "segment of device %" PRIu64,
			snap->object[LA_ROLE_SEGMENT].slot[LA_SEGMENT_DEVICE]);
	if (!segment->size)
		return la_snapshot_fail(snap, -EBADMSG, "segment of 0 bytes");
	if (__builtin_add_overflow(segment->addr, segment->size, &end))
		return la_snapshot_fail(
			snap, -EBADMSG,
			"segment reaches beyond 64-bit addresses");
	if (snap->blocks_end != segment->size)
		return la_snapshot_fail(snap, -EBADMSG,
					"blocks of %" PRIu64
					" bytes in a segment of %" PRIu64,
					snap->blocks_end, segment->size);
	if (snap->blocks_has_addr && snap->blocks_addr != segment->addr)
		return la_snapshot_fail(
			snap, -EBADMSG,
			"first block is not at the start of its segment");
	return 0;
}

static void fill_segment(const struct la_snapshot *snap,
			 struct la_segment *entry)
{
	const struct la_object *object = &snap->object[LA_ROLE_SEGMENT];
	struct la_recorded_segment *segment = &entry->segment;
	const uint64_t *slot = object->slot;

	entry->offset = snap->offset;
	entry->device = slot[LA_SEGMENT_DEVICE] < MOST_TRACES ?
				(uint32_t)slot[LA_SEGMENT_DEVICE] :
				MOST_TRACES;
	segment->addr = slot[LA_SEGMENT_ADDRESS];
	segment->size = slot[LA_SEGMENT_SIZE];
	segment->stream = (uint32_t)slot[LA_SEGMENT_STREAM];
	segment->small = slot[LA_SEGMENT_TYPE] != 0;
	segment->first_block = (uint32_t)slot[LA_SEGMENT_BLOCKS];
	segment->block_count =
		(uint32_t)(snap->block_count - slot[LA_SEGMENT_BLOCKS]);
	if (object->seen & 1 << LA_SEGMENT_EXPANDABLE)
		segment->expandable = slot[LA_SEGMENT_EXPANDABLE] != 0;
	if (object->seen & 1 << LA_SEGMENT_FRAMES)
		segment->stack = (uint32_t)slot[LA_SEGMENT_FRAMES];
	if (object->seen & 1 << LA_SEGMENT_POOL) {
		const struct la_pair *pool =
			&snap->tuples.pairs[slot[LA_SEGMENT_POOL]];

		segment->pool[0] = pool->first;
		segment->pool[1] = pool->second;
	}
}

static int close_segment(struct la_snapshot *snap)
{
	struct la_object *object = &snap->object[LA_ROLE_SEGMENT];
	struct la_segment entry = { 0 };
	int err;

	object->open = false;
	err = check_required(snap, LA_ROLE_SEGMENT);
	if (err < 0)
		return err;
	snap->fields[LA_ROLE_SEGMENT] |= object->seen;
	fill_segment(snap, &entry);
	err = check_segment(snap, &entry);
	if (err < 0)
		return err;
	err = grow(snap, &snap->segments, &snap->segment_room,
		   snap->segment_count, sizeof(*snap->segments));
	if (err < 0)
		return err;
	snap->segments[snap->segment_count++] = entry;
	return 0;
}

static int close_annotation(struct la_snapshot *snap)
{
	struct la_object *object = &snap->object[LA_ROLE_ANNOTATION];
	uint64_t value[LA_ANNOTATION_TIME + 1] = { 0 };
	unsigned int i;
	int err;

	object->open = false;
	value[LA_ANNOTATION_STAGE] = LA_ACTION_UNKNOWN;
	for (i = 0; i < ARRAY_SIZE(value); i++)
		if (object->seen & 1u << i)
			value[i] = object->slot[i];
	err = grow(snap, &snap->notes, &snap->note_room, snap->note_count,
		   sizeof(*snap->notes));
	if (err < 0)
		return err;
	snap->notes[snap->note_count++] = (struct la_note){
		.time_us = value[LA_ANNOTATION_TIME],
		.device = value[LA_ANNOTATION_DEVICE],
		.name = (uint32_t)value[LA_ANNOTATION_NAME],
		.stage = (uint8_t)value[LA_ANNOTATION_STAGE],
	};
	return 0;
}

static int close_frame(struct la_snapshot *snap)
{
	struct la_object *object = &snap->object[LA_ROLE_FRAME];
	uint32_t value[3] = { 0 };
	struct la_frame_parts parts;
	unsigned int i;
	int err;

	object->open = false;
	for (i = 0; i < ARRAY_SIZE(value); i++)
		if (object->seen & 1u << i)
			value[i] = (uint32_t)object->slot[i];
	parts = (struct la_frame_parts){
		.function = value[LA_FRAME_FUNCTION],
		.file = value[LA_FRAME_FILE],
		.line = value[LA_FRAME_LINE],
	};
	err = la_stacks_close_frame(&snap->stacks, &snap->budget, object->id,
				    &parts);
	return err < 0 ? la_snapshot_fail_memory(snap, err) : 0;
}

static int close_frames(struct la_snapshot *snap)
{
	struct la_object *object = &snap->object[LA_ROLE_FRAMES];
	int err;

	object->open = false;
	err = la_stacks_close_list(&snap->stacks, &snap->budget, object->id);
	return err < 0 ? la_snapshot_fail_memory(snap, err) : 0;
}

static inline int close_object(struct la_snapshot *snap, enum la_role role)
{
	if (!snap->object[role].open)
		return 0;
	switch (role) {
	case LA_ROLE_EVENT:
		return close_event(snap);
	case LA_ROLE_BLOCK:
		return close_block(snap);
	case LA_ROLE_SEGMENT:
		return close_segment(snap);
	case LA_ROLE_ANNOTATION:
		return close_annotation(snap);
	case LA_ROLE_FRAMES:
		return close_frames(snap);
	case LA_ROLE_FRAME:
		return close_frame(snap);
	default:
		return 0;
	}
}

int la_snapshot_close(struct la_snapshot *snap, enum la_role role)
{
	return close_object(snap, role);
}

static int create_object(struct la_snapshot *snap, enum la_role role,
			 uint64_t id)
{
	struct la_object *object = &snap->object[role];

	object->id = id;
	object->seen = 0;
	object->open = true;
	return 0;
}

static int create_trace(struct la_snapshot *snap, uint64_t *id)
{
	static const struct la_trace empty;
	int err;

	if (snap->trace_count == MOST_TRACES)
		return la_snapshot_fail(snap, -E2BIG,
					"traces of more than %d devices",
					MOST_TRACES);
	err = grow(snap, &snap->traces, &snap->trace_room, snap->trace_count,
		   sizeof(*snap->traces));
	if (err < 0)
		return err;
	*id = snap->trace_count;
	snap->traces[snap->trace_count++] = empty;
	return 0;
}

static inline uint64_t next_event_id(const struct la_snapshot *snap)
{
	size_t trace = snap->trace_count - 1;

	return (uint64_t)trace << EVENT_BITS | snap->traces[trace].count;
}

int la_snapshot_create(struct la_snapshot *snap, struct la_value *value)
{
	enum la_role role = value->role;
	int err = close_object(snap, role);

	if (err < 0)
		return err;
	value->u = snap->offset;
	switch (role) {
	case LA_ROLE_SEGMENTS:
		snap->first_segment = snap->segment_count;
		return 0;
	case LA_ROLE_BLOCKS:
		value->u = snap->block_count;
		snap->blocks_end = 0;
		snap->blocks_has_addr = false;
		return 0;
	case LA_ROLE_TRACES:
		snap->first_trace = snap->trace_count;
		return 0;
	case LA_ROLE_TRACE:
		return create_trace(snap, &value->u);
	case LA_ROLE_EVENT:
		value->u = next_event_id(snap);
		return create_object(snap, role, value->u);
	case LA_ROLE_ANNOTATIONS:
		snap->note_count = 0;
		return 0;
	case LA_ROLE_SETTINGS:
		free(snap->setting);
		snap->setting = NULL;
		la_members_clear(&snap->members);
		break;
	case LA_ROLE_GROUP:
		err = la_members_new_group(&snap->members, &snap->budget,
					   &value->u);
		break;
	case LA_ROLE_FRAMES:
		err = la_stacks_new_list(&snap->stacks, &snap->budget,
					 &value->u);
		break;
	case LA_ROLE_FRAME:
		err = la_stacks_new_frame(&snap->stacks, &snap->budget,
					  &value->u);
		break;
	default:
		break;
	}
	if (err < 0)
		return la_snapshot_fail_memory(snap, err);
	return create_object(snap, role, value->u);
}

static uint32_t stack_of(const struct la_trace *trace, size_t event)
{
	return trace->stacks ? trace->stacks[event] : 0;
}

static int copy_event(struct la_snapshot *snap, struct la_value *value)
{
	const struct la_trace *from = &snap->traces[value->u >> EVENT_BITS];
	struct la_trace *to;
	struct la_event event;
	uint32_t stack;
	int err;

	err = close_object(snap, LA_ROLE_EVENT);
	if (err < 0)
		return err;
	event = from->events[value->u & EVENT_INDEX];
	stack = stack_of(from, value->u & EVENT_INDEX);
	value->u = next_event_id(snap);
	to = &snap->traces[snap->trace_count - 1];
	to->has_pools |= from->has_pools;
	return add_event(snap, to, &event, stack);
}

static int copy_trace(struct la_snapshot *snap, struct la_value *value)
{
	size_t from = value->u, i;
	int err;

	err = create_trace(snap, &value->u);
	if (err == 0)
		snap->traces[value->u].has_pools = snap->traces[from].has_pools;
	for (i = 0; err == 0 && i < snap->traces[from].count; i++) {
		struct la_event event = snap->traces[from].events[i];

		err = add_event(snap, &snap->traces[value->u], &event,
				stack_of(&snap->traces[from], i));
	}
	return err;
}

int la_snapshot_copy(struct la_snapshot *snap, struct la_value *value)
{
	switch (value->role) {
	case LA_ROLE_EVENT:
		return copy_event(snap, value);
	case LA_ROLE_TRACE:
		return copy_trace(snap, value);
	case LA_ROLE_FRAMES:
	case LA_ROLE_FRAME:
		return close_object(snap, value->role);
	case LA_ROLE_GROUP:
		return 0;
	default:
		return la_snapshot_fail(snap, -EBADMSG,
					"the same %s occurs twice",
					la_role_names[value->role]);
	}
}

/* Frames into their list, unless that is complete; other things are none. */
static int append_frames(struct la_snapshot *snap, const struct la_value *list,
			 const struct la_value *items, size_t count)
{
	const struct la_object *object = &snap->object[LA_ROLE_FRAMES];
	size_t i;
	int err;

	err = close_object(snap, LA_ROLE_FRAME);
	if (err < 0 || !object->open || object->id != list->u)
		return err;
	for (i = 0; i < count && err == 0; i++)
		if (items[i].role == LA_ROLE_FRAME)
			err = la_stacks_add(&snap->stacks, &snap->budget,
					    items[i].u);
	return err < 0 ? la_snapshot_fail_memory(snap, err) : 0;
}

int la_snapshot_append(struct la_snapshot *snap, const struct la_value *list,
		       const struct la_value *items, size_t count)
{
	enum la_role element = la_element_role[list->role];
	size_t i;

	if (list->role == LA_ROLE_FRAMES)
		return append_frames(snap, list, items, count);
	for (i = 0; i < count; i++)
		if (items[i].role != element)
			return la_snapshot_fail(
				snap, -EBADMSG,
				"%s has an item that is not a %s",
				la_role_names[list->role],
				la_role_names[element]);
	return close_object(snap, element);
}

int la_snapshot_finish(struct la_snapshot *snap, const struct la_value *top)
{
	if (top->role != LA_ROLE_TOP && top->role != LA_ROLE_SEGMENTS)
		return la_snapshot_fail(
			snap, -EBADMSG,
			"neither a snapshot nor a list of segments");
	snap->end_segment = snap->segment_count;
	snap->end_trace = snap->trace_count;
	return 0;
}

void la_snapshot_cut(struct la_snapshot *snap)
{
	snap->err = NULL;
	(void)close_object(snap, LA_ROLE_EVENT);
	(void)close_object(snap, LA_ROLE_SEGMENT);
	(void)close_object(snap, LA_ROLE_ANNOTATION);
	snap->end_segment = snap->segment_count;
	snap->end_trace = snap->trace_count;
}
