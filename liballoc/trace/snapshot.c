// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/snapshot.h"
#include "util/error.h"

enum {
	MOST_TRACES = 1024, /* also bounds the number of a device */
	EVENT_BITS = 40 /* an event's identity: trace << EVENT_BITS | index */
};

#define EVENT_INDEX (((uint64_t)1 << EVENT_BITS) - 1)

static const char *const role_names[LA_ROLE_COUNT] = {
	[LA_ROLE_NONE] = "value",
	[LA_ROLE_TOP] = "snapshot",
	[LA_ROLE_SEGMENTS] = "list of segments",
	[LA_ROLE_SEGMENT] = "segment",
	[LA_ROLE_BLOCKS] = "list of blocks",
	[LA_ROLE_BLOCK] = "block",
	[LA_ROLE_TRACES] = "list of traces",
	[LA_ROLE_TRACE] = "trace",
	[LA_ROLE_EVENT] = "event",
	[LA_ROLE_SETTINGS] = "allocator_settings",
};

__attribute__((format(printf, 3, 4))) static int
fail(struct la_snapshot *snap, int code, const char *format, ...)
{
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return la_error_set(snap->err, code, snap->offset,
			    "%s at offset %" PRIu64, text, snap->offset);
}

static int fail_memory(struct la_snapshot *snap, int code)
{
	return fail(snap, code,
		    code == -E2BIG ? "too large for the memory limit" :
				     "out of memory");
}

static int grow(struct la_snapshot *snap, void *array, size_t *room,
		size_t count, size_t size)
{
	int err = 0;

	if (count >= UINT32_MAX)
		return fail(snap, -E2BIG, "too many entries");
	if (count == *room)
		err = la_budget_grow(&snap->budget, array, room, count + 1,
				     size);
	return err < 0 ? fail_memory(snap, err) : 0;
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

	for (i = 0; i < snap->trace_count; i++)
		free(snap->traces[i].events);
	free(snap->traces);
	free(snap->segments);
	free(snap->blocks);
	la_pairs_release(&snap->streams);
	la_pairs_release(&snap->tuples);
	la_pairs_release(&snap->pools);
	free(snap->text);
	free(snap->setting);
}

int la_snapshot_keep_text(struct la_snapshot *snap, const void *text,
			  size_t size, uint64_t *number)
{
	char *copy;

	if (memchr(text, 0, size))
		return fail(snap, -EBADMSG, "setting has a NUL byte");
	copy = strndup(text, size);
	if (!copy)
		return fail_memory(snap, -ENOMEM);
	free(snap->text);
	snap->text = copy;
	*number = ++snap->text_number;
	return 0;
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

static int add_event(struct la_snapshot *snap, struct la_trace *trace,
		     const struct la_event *event)
{
	int err = grow_trace(snap, trace);

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
	return fail(snap, -EBADMSG, "%s without '%s'", role_names[role],
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
		return fail(snap, -EBADMSG, "event without '%s'",
			    slot == LA_EVENT_ADDR ? "addr" : "device_free");
	if (__builtin_add_overflow(object->slot[slot],
				   object->slot[LA_EVENT_SIZE], &end))
		return fail(snap, -EBADMSG,
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
		return fail_memory(snap, err);
	if (number > UINT16_MAX)
		return fail(snap, -E2BIG, "events of more than %d pools",
			    UINT16_MAX + 1);
	*pool = (uint16_t)number;
	return 0;
}

static int close_event(struct la_snapshot *snap)
{
	struct la_object *object = &snap->object[LA_ROLE_EVENT];
	struct la_trace *trace = &snap->traces[object->id >> EVENT_BITS];
	const uint64_t *slot = object->slot;
	unsigned int seen = object->seen;
	uint16_t pool = 0;
	uint8_t action = 0;
	int err = 0;

	object->open = false;
	if (seen & 1 << LA_EVENT_ACTION)
		action = (uint8_t)slot[LA_EVENT_ACTION];
	if (action != LA_ACTION_UNKNOWN)
		err = check_event(snap, action);
	if (err == 0 && seen & 1 << LA_EVENT_POOL) {
		trace->has_pools = true;
		err = intern_pool(snap, &pool);
	}
	if (err == 0)
		err = grow_trace(snap, trace);
	if (err < 0)
		return err;
	trace->events[trace->count++] = (struct la_event){
		.addr = action == LA_ACTION_UNKNOWN ? 0 :
						      slot[addr_slot(action)],
		.size = slot[LA_EVENT_SIZE],
		.time_us = seen & 1 << LA_EVENT_TIME ? slot[LA_EVENT_TIME] : 0,
		.stream = (uint32_t)slot[LA_EVENT_STREAM],
		.pool = pool,
		.action = action,
	};
	trace->unknown += action == LA_ACTION_UNKNOWN;
	return 0;
}

/* Blocks follow one another: each tells where the list starts. */
static int check_block_addr(struct la_snapshot *snap, uint64_t addr)
{
	uint64_t start = addr - snap->blocks_end;

	if (addr < snap->blocks_end ||
	    (snap->blocks_has_addr && start != snap->blocks_addr))
		return fail(snap, -EBADMSG,
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
	block.size = object->slot[LA_BLOCK_SIZE];
	block.state = (uint8_t)object->slot[LA_BLOCK_STATE];
	if (object->seen & 1 << LA_BLOCK_REQUESTED)
		block.requested = object->slot[LA_BLOCK_REQUESTED];
	if (!block.size)
		return fail(snap, -EBADMSG, "block of 0 bytes");
	if (object->seen & 1 << LA_BLOCK_ADDRESS) {
		err = check_block_addr(snap, object->slot[LA_BLOCK_ADDRESS]);
		if (err < 0)
			return err;
	}
	snap->blocks_end += block.size;
	if (snap->blocks_end > LA_MOST_BYTES)
		return fail(snap, -EBADMSG, "blocks of more than 2^62 bytes");
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
		return fail(
			snap, -EBADMSG, "segment of device %" PRIu64,
			snap->object[LA_ROLE_SEGMENT].slot[LA_SEGMENT_DEVICE]);
	if (!segment->size)
		return fail(snap, -EBADMSG, "segment of 0 bytes");
	if (__builtin_add_overflow(segment->addr, segment->size, &end))
		return fail(snap, -EBADMSG,
			    "segment reaches beyond 64-bit addresses");
	if (snap->blocks_end != segment->size)
		return fail(snap, -EBADMSG,
			    "blocks of %" PRIu64
			    " bytes in a segment of %" PRIu64,
			    snap->blocks_end, segment->size);
	if (snap->blocks_has_addr && snap->blocks_addr != segment->addr)
		return fail(snap, -EBADMSG,
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
	default:
		return 0;
	}
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
		return fail(snap, -E2BIG, "traces of more than %d devices",
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
		break;
	case LA_ROLE_SETTINGS:
		free(snap->setting);
		snap->setting = NULL;
		break;
	default:
		break;
	}
	return create_object(snap, role, value->u);
}

static int copy_event(struct la_snapshot *snap, struct la_value *value)
{
	const struct la_trace *from = &snap->traces[value->u >> EVENT_BITS];
	struct la_trace *to;
	struct la_event event;
	int err;

	err = close_object(snap, LA_ROLE_EVENT);
	if (err < 0)
		return err;
	event = from->events[value->u & EVENT_INDEX];
	value->u = next_event_id(snap);
	to = &snap->traces[snap->trace_count - 1];
	to->has_pools |= from->has_pools;
	return add_event(snap, to, &event);
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

		err = add_event(snap, &snap->traces[value->u], &event);
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
	default:
		return fail(snap, -EBADMSG, "the same %s occurs twice",
			    role_names[value->role]);
	}
}

int la_snapshot_append(struct la_snapshot *snap, const struct la_value *list,
		       const struct la_value *items, size_t count)
{
	enum la_role element = la_element_role[list->role];
	size_t i;

	for (i = 0; i < count; i++)
		if (items[i].role != element)
			return fail(snap, -EBADMSG,
				    "%s has an item that is not a %s",
				    role_names[list->role],
				    role_names[element]);
	return close_object(snap, element);
}

static int fail_field(struct la_snapshot *snap, const struct la_field *field,
		      const char *problem)
{
	return fail(snap, -EBADMSG, "%s: '%s' %s", role_names[field->role],
		    la_names[field->name], problem);
}

static int fail_integer(struct la_snapshot *snap, const struct la_field *field,
			const struct la_value *value)
{
	switch (value->type) {
	case LA_VALUE_NEGATIVE:
		return fail_field(snap, field, "is negative");
	case LA_VALUE_INTEGER:
	case LA_VALUE_WIDE:
		return fail_field(snap, field, "is out of range");
	default:
		return fail_field(snap, field, "is not an integer");
	}
}

static inline int set_integer(struct la_snapshot *snap,
			      const struct la_field *field,
			      const struct la_value *value, uint64_t most)
{
	if (value->type != LA_VALUE_INTEGER || value->u > most)
		return fail_integer(snap, field, value);
	snap->object[field->role].slot[field->slot] = value->u;
	return 0;
}

static int set_stream(struct la_snapshot *snap, const struct la_field *field,
		      const struct la_value *value)
{
	struct la_object *object = &snap->object[field->role];
	uint32_t number;
	int err;

	err = set_integer(snap, field, value, UINT64_MAX);
	if (err < 0)
		return err;
	err = la_pairs_intern(&snap->streams, &snap->budget, value->u, 0,
			      &number);
	if (err < 0)
		return fail_memory(snap, err);
	object->slot[field->slot] = number;
	return 0;
}

static int set_name(struct la_snapshot *snap, const struct la_field *field,
		    const struct la_value *value)
{
	unsigned int place = (unsigned int)value->name - field->of;

	if (value->type != LA_VALUE_STRING)
		return fail_field(snap, field, "is not a string");
	if (place >= field->count) {
		if (field->role != LA_ROLE_EVENT)
			return fail_field(snap, field, "is not a known word");
		place = LA_ACTION_UNKNOWN;
	}
	snap->object[field->role].slot[field->slot] = place;
	return 0;
}

static int set_text(struct la_snapshot *snap, const struct la_field *field,
		    const struct la_value *value)
{
	const char *text = NULL;

	if (value->type != LA_VALUE_STRING)
		return fail_field(snap, field, "is not a string");
	if (value->name)
		text = la_names[value->name];
	else if (value->u && value->u == snap->text_number)
		text = snap->text;
	if (!text)
		return fail_field(snap, field,
				  "shares its text with another value");
	free(snap->setting);
	snap->setting = strdup(text);
	return snap->setting ? 0 : fail_memory(snap, -ENOMEM);
}

static int set_child(struct la_snapshot *snap, const struct la_field *field,
		     const struct la_value *value)
{
	if (value->role != field->of) {
		if (value->type == LA_VALUE_LIST ||
		    value->type == LA_VALUE_DICT)
			return fail_field(snap, field,
					  "has an unexpected container");
		return fail_field(snap, field, "is not a container");
	}
	snap->object[field->role].slot[field->slot] = value->u;
	return 0;
}

static inline int set_field(struct la_snapshot *snap,
			    const struct la_field *field,
			    const struct la_value *value)
{
	struct la_object *object = &snap->object[field->role];

	object->seen |= (uint8_t)(1u << field->slot);
	switch ((enum la_kind)field->kind) {
	case LA_KIND_BYTES:
		return set_integer(snap, field, value, LA_MOST_BYTES);
	case LA_KIND_NUMBER:
		return set_integer(snap, field, value, UINT64_MAX);
	case LA_KIND_STREAM:
		return set_stream(snap, field, value);
	case LA_KIND_BOOL:
		if (value->type != LA_VALUE_BOOL)
			return fail_field(snap, field, "is not a bool");
		break;
	case LA_KIND_PAIR:
		if (value->type != LA_VALUE_TUPLE || value->u == LA_NO_PAIR)
			return fail_field(snap, field,
					  "is not a pair of integers");
		break;
	case LA_KIND_NAME:
		return set_name(snap, field, value);
	case LA_KIND_TEXT:
		return set_text(snap, field, value);
	case LA_KIND_CHILD:
		return set_child(snap, field, value);
	}
	object->slot[field->slot] = value->u;
	return 0;
}

int la_snapshot_set(struct la_snapshot *snap, const struct la_value *dict,
		    const struct la_value *items, size_t count)
{
	const struct la_object *object = &snap->object[dict->role];
	size_t i;
	int err;

	if (!object->open || object->id != dict->u)
		return fail(snap, -EBADMSG, "%s changed after it was complete",
			    role_names[dict->role]);
	for (i = 0; i < count; i += 2) {
		const struct la_field *field = NULL;

		if (items[i].type == LA_VALUE_STRING)
			field = la_schema_field(&snap->schema, dict->role,
						items[i].name);
		if (field) {
			err = set_field(snap, field, &items[i + 1]);
			if (err < 0)
				return err;
		} else if (items[i + 1].role) {
			return fail(snap, -EBADMSG, "%s in an unexpected place",
				    role_names[items[i + 1].role]);
		}
	}
	return 0;
}

int la_snapshot_finish(struct la_snapshot *snap, const struct la_value *top)
{
	if (top->role != LA_ROLE_TOP && top->role != LA_ROLE_SEGMENTS)
		return fail(snap, -EBADMSG,
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
	snap->end_segment = snap->segment_count;
	snap->end_trace = snap->trace_count;
}
