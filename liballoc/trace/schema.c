// SPDX-License-Identifier: Apache-2.0
/* What snapshots hold, release by release; unlisted keys are dropped. */
#include <string.h>

#include "trace/schema.h"
#include "util/util.h"

#define FIELD(ROLE, NAME, SINCE, KIND, SLOT)                              \
	{                                                                 \
		.role = LA_ROLE_##ROLE, .name = LA_NAME_##NAME,           \
		.kind = LA_KIND_##KIND, .slot = LA_##SLOT, .since = SINCE \
	}
#define CHILD(ROLE, NAME, SINCE, OF, SLOT)                                    \
	{                                                                     \
		.role = LA_ROLE_##ROLE, .name = LA_NAME_##NAME,               \
		.kind = LA_KIND_CHILD, .slot = LA_##SLOT, .of = LA_ROLE_##OF, \
		.since = SINCE                                                \
	}
#define ONE_OF(ROLE, NAME, SINCE, FIRST, LAST, SLOT)                          \
	{                                                                     \
		.role = LA_ROLE_##ROLE, .name = LA_NAME_##NAME,               \
		.kind = LA_KIND_NAME, .slot = LA_##SLOT,                      \
		.of = LA_NAME_##FIRST,                                        \
		.count = LA_NAME_##LAST - LA_NAME_##FIRST + 1, .since = SINCE \
	}

/* clang-format off */
const struct la_field la_fields[] = {
	CHILD(TOP, SEGMENTS, "2.0", SEGMENTS, TOP_SEGMENTS),
	CHILD(TOP, DEVICE_TRACES, "2.0", TRACES, TOP_TRACES),
	CHILD(TOP, ALLOCATOR_SETTINGS, "2.3", SETTINGS, TOP_SETTINGS),
	CHILD(TOP, EXTERNAL_ANNOTATIONS, "2.6", ANNOTATIONS, TOP_ANNOTATIONS),

	FIELD(SETTINGS, CONF, "2.3", TEXT, SETTINGS_CONF),

	FIELD(SEGMENT, DEVICE, "1.13", NUMBER, SEGMENT_DEVICE),
	FIELD(SEGMENT, ADDRESS, "1.13", NUMBER, SEGMENT_ADDRESS),
	FIELD(SEGMENT, TOTAL_SIZE, "1.13", BYTES, SEGMENT_SIZE),
	FIELD(SEGMENT, STREAM, "1.13", STREAM, SEGMENT_STREAM),
	ONE_OF(SEGMENT, SEGMENT_TYPE, "1.13", LARGE, SMALL, SEGMENT_TYPE),
	CHILD(SEGMENT, BLOCKS, "1.13", BLOCKS, SEGMENT_BLOCKS),
	FIELD(SEGMENT, SEGMENT_POOL_ID, "2.1", PAIR, SEGMENT_POOL),
	FIELD(SEGMENT, IS_EXPANDABLE, "2.1", BOOL, SEGMENT_EXPANDABLE),
	FIELD(SEGMENT, FRAMES, "2.1", FRAMES, SEGMENT_FRAMES),

	FIELD(BLOCK, SIZE, "1.13", BYTES, BLOCK_SIZE),
	ONE_OF(BLOCK, STATE, "1.13", INACTIVE, ACTIVE_PENDING_FREE,
	       BLOCK_STATE),
	FIELD(BLOCK, REQUESTED_SIZE, "2.1", BYTES, BLOCK_REQUESTED),
	FIELD(BLOCK, ADDRESS, "2.1", NUMBER, BLOCK_ADDRESS),
	FIELD(BLOCK, FRAMES, "2.1", FRAMES, BLOCK_FRAMES),

	ONE_OF(EVENT, ACTION, "2.0", ALLOC, ANNOTATE, EVENT_ACTION),
	FIELD(EVENT, SIZE, "2.0", BYTES, EVENT_SIZE),
	FIELD(EVENT, STREAM, "2.0", STREAM, EVENT_STREAM),
	FIELD(EVENT, ADDR, "2.0", NUMBER, EVENT_ADDR),
	FIELD(EVENT, DEVICE_FREE, "2.0", BYTES, EVENT_DEVICE_FREE),
	FIELD(EVENT, TIME_US, "2.2", NUMBER, EVENT_TIME),
	FIELD(EVENT, POOL_ID, "2.12", PAIR, EVENT_POOL),
	FIELD(EVENT, FRAMES, "2.0", FRAMES, EVENT_FRAMES),

	FIELD(ANNOTATION, FUNCTION, "2.6", LABEL, ANNOTATION_NAME),
	ONE_OF(ANNOTATION, STAGE, "2.6", START, END, ANNOTATION_STAGE),
	FIELD(ANNOTATION, DEVICE, "2.6", NUMBER, ANNOTATION_DEVICE),
	FIELD(ANNOTATION, TIME_US, "2.6", NUMBER, ANNOTATION_TIME),

	FIELD(FRAME, FUNCTION, "2.0", LABEL, FRAME_FUNCTION),
	FIELD(FRAME, FILE, "2.0", LABEL, FRAME_FILE),
	FIELD(FRAME, LINE, "2.0", LINE, FRAME_LINE),
};
/* clang-format on */

const struct la_mark la_marks[] = {
	{ LA_ROLE_SEGMENT, LA_NAME_IS_EXPANDABLE, 2 << 8 | 1 },
	{ LA_ROLE_EVENT, LA_NAME_USER_METADATA, 2 << 8 | 10 },
	{ LA_ROLE_EVENT, LA_NAME_POOL_ID, 2 << 8 | 12 },
	{ LA_ROLE_TOP, LA_NAME_HOST_SEGMENTS, 2 << 8 | 14 },
};

const size_t la_mark_count = ARRAY_SIZE(la_marks);

unsigned int la_schema_mark(uint8_t role, uint8_t name)
{
	size_t i;

	for (i = 0; i < la_mark_count; i++)
		if (la_marks[i].role == role && la_marks[i].name == name)
			return 1u << i;
	return 0;
}

const char *const la_names[LA_NAME_COUNT] = {
#define NAME_TEXT(id, text) [LA_NAME_##id] = text,
	LA_NAMES(NAME_TEXT)
};

const char *const la_role_names[LA_ROLE_COUNT] = {
	[LA_ROLE_NONE] = "value",
	[LA_ROLE_TOP] = "snapshot",
	[LA_ROLE_SEGMENTS] = "list of segments",
	[LA_ROLE_SEGMENT] = "segment",
	[LA_ROLE_BLOCKS] = "list of blocks",
	[LA_ROLE_BLOCK] = "block",
	[LA_ROLE_TRACES] = "list of traces",
	[LA_ROLE_TRACE] = "trace",
	[LA_ROLE_EVENT] = "event",
	[LA_ROLE_ANNOTATIONS] = "list of annotations",
	[LA_ROLE_ANNOTATION] = "annotation",
	[LA_ROLE_SETTINGS] = "allocator_settings",
	[LA_ROLE_GROUP] = "dict of allocator_settings",
	[LA_ROLE_FRAMES] = "list of frames",
	[LA_ROLE_FRAME] = "frame",
};

const uint8_t la_element_role[LA_ROLE_COUNT] = {
	[LA_ROLE_SEGMENTS] = LA_ROLE_SEGMENT,
	[LA_ROLE_BLOCKS] = LA_ROLE_BLOCK,
	[LA_ROLE_TRACES] = LA_ROLE_TRACE,
	[LA_ROLE_TRACE] = LA_ROLE_EVENT,
	[LA_ROLE_ANNOTATIONS] = LA_ROLE_ANNOTATION,
	[LA_ROLE_FRAMES] = LA_ROLE_FRAME,
};

const uint8_t la_required[LA_ROLE_COUNT] = {
	[LA_ROLE_SEGMENT] = 1 << LA_SEGMENT_DEVICE | 1 << LA_SEGMENT_ADDRESS |
			    1 << LA_SEGMENT_SIZE | 1 << LA_SEGMENT_STREAM |
			    1 << LA_SEGMENT_TYPE | 1 << LA_SEGMENT_BLOCKS,
	[LA_ROLE_BLOCK] = 1 << LA_BLOCK_SIZE | 1 << LA_BLOCK_STATE,
	[LA_ROLE_EVENT] = 1 << LA_EVENT_ACTION | 1 << LA_EVENT_SIZE |
			  1 << LA_EVENT_STREAM,
};

void la_schema_init(struct la_schema *schema)
{
	size_t i, length;

	memset(schema, 0, sizeof(*schema));
	for (i = 0; i < ARRAY_SIZE(la_fields); i++)
		schema->field[la_fields[i].role][la_fields[i].name] =
			(uint8_t)(i + 1);
	for (i = 1; i < LA_NAME_COUNT; i++) {
		length = strlen(la_names[i]);
		schema->next[i] = schema->first[length];
		schema->first[length] = (uint8_t)i;
		schema->initial[(uint8_t)la_names[i][0]] |= length > 0;
	}
}

enum la_name la_schema_search(const struct la_schema *schema, const char *text,
			      size_t length)
{
	unsigned int name;

	if (length >= LA_NAME_LENGTH)
		return LA_NAME_NONE;
	for (name = schema->first[length]; name; name = schema->next[name])
		if (!memcmp(la_names[name], text, length))
			break;
	return (enum la_name)name;
}
