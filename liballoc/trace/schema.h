/* SPDX-License-Identifier: Apache-2.0 */
/* The schema of snapshots, torch 1.13 to 2.14, as tables: see schema.c. */
#ifndef LA_TRACE_SCHEMA_H
#define LA_TRACE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a container is for; the value of everything else is dropped. */
enum la_role {
	LA_ROLE_NONE, /* of no interest */
	LA_ROLE_TOP,
	LA_ROLE_SEGMENTS,
	LA_ROLE_SEGMENT,
	LA_ROLE_BLOCKS,
	LA_ROLE_BLOCK,
	LA_ROLE_TRACES,
	LA_ROLE_TRACE,
	LA_ROLE_EVENT,
	LA_ROLE_ANNOTATIONS,
	LA_ROLE_ANNOTATION,
	LA_ROLE_SETTINGS,
	/* What follows may be anywhere and may be anything. */
	LA_ROLE_GROUP, /* a dict in SETTINGS */
	LA_ROLE_FRAMES, /* what a key `frames` has */
	LA_ROLE_FRAME,
	LA_ROLE_COUNT
};

/* Is what has this role refused in an unexpected place? */
static inline bool la_role_is_strict(uint8_t role)
{
	return role && role < LA_ROLE_GROUP;
}

/* Strings that mean something, as keys or as values. */
#define LA_NAMES(X)                                   \
	X(EMPTY, "")                                  \
	X(ALLOC, "alloc")                             \
	X(FREE_REQUESTED, "free_requested")           \
	X(FREE_COMPLETED, "free_completed")           \
	X(SEGMENT_ALLOC, "segment_alloc")             \
	X(SEGMENT_FREE, "segment_free")               \
	X(SEGMENT_MAP, "segment_map")                 \
	X(SEGMENT_UNMAP, "segment_unmap")             \
	X(OOM, "oom")                                 \
	X(SNAPSHOT, "snapshot")                       \
	X(ANNOTATE, "annotate")                       \
	X(INACTIVE, "inactive")                       \
	X(ACTIVE_ALLOCATED, "active_allocated")       \
	X(ACTIVE_PENDING_FREE, "active_pending_free") \
	X(LARGE, "large")                             \
	X(SMALL, "small")                             \
	X(SEGMENTS, "segments")                       \
	X(DEVICE_TRACES, "device_traces")             \
	X(ALLOCATOR_SETTINGS, "allocator_settings")   \
	X(CONF, "PYTORCH_CUDA_ALLOC_CONF")            \
	X(DEVICE, "device")                           \
	X(ADDRESS, "address")                         \
	X(TOTAL_SIZE, "total_size")                   \
	X(STREAM, "stream")                           \
	X(SEGMENT_TYPE, "segment_type")               \
	X(SEGMENT_POOL_ID, "segment_pool_id")         \
	X(IS_EXPANDABLE, "is_expandable")             \
	X(BLOCKS, "blocks")                           \
	X(SIZE, "size")                               \
	X(REQUESTED_SIZE, "requested_size")           \
	X(STATE, "state")                             \
	X(ACTION, "action")                           \
	X(ADDR, "addr")                               \
	X(DEVICE_FREE, "device_free")                 \
	X(TIME_US, "time_us")                         \
	X(POOL_ID, "pool_id")                         \
	X(FRAMES, "frames")                           \
	X(FUNCTION, "name")                           \
	X(FILE, "filename")                           \
	X(LINE, "line")                               \
	X(USER_METADATA, "user_metadata")             \
	X(HOST_SEGMENTS, "host_segments")             \
	X(EXTERNAL_ANNOTATIONS, "external_annotations") \
	X(STAGE, "stage")                             \
	X(START, "START")                             \
	X(END, "END")

enum la_name {
	LA_NAME_NONE,
#define LA_NAME_ENUM(id, text) LA_NAME_##id,
	LA_NAMES(LA_NAME_ENUM)
#undef LA_NAME_ENUM
		LA_NAME_COUNT
};

enum { LA_NAME_LENGTH = 32 }; /* all are shorter */

/* How the value of a field is checked and kept. */
enum la_kind {
	LA_KIND_BYTES, /* integer, 0 to 2^62 */
	LA_KIND_NUMBER, /* integer, 0 to 2^64 - 1 */
	LA_KIND_STREAM, /* the same, interned */
	LA_KIND_BOOL,
	LA_KIND_PAIR, /* tuple of two integers, interned */
	LA_KIND_NAME, /* one of a row of names: its place in the row */
	LA_KIND_TEXT, /* string */
	LA_KIND_LABEL, /* number of a text + 1, 0: no string, or not kept */
	LA_KIND_LINE, /* integer, 0 to 2^32 - 1; 0: none */
	LA_KIND_FRAMES, /* number of a stack + 1, 0: no list, or not kept */
	LA_KIND_CHILD /* container with a role */
};

/* Where the values of an object's fields are collected, one list a role. */
enum la_top_slot {
	LA_TOP_SEGMENTS,
	LA_TOP_TRACES,
	LA_TOP_SETTINGS,
	LA_TOP_ANNOTATIONS
};
enum la_settings_slot { LA_SETTINGS_CONF };
enum la_segment_slot {
	LA_SEGMENT_DEVICE,
	LA_SEGMENT_ADDRESS,
	LA_SEGMENT_SIZE,
	LA_SEGMENT_STREAM,
	LA_SEGMENT_TYPE,
	LA_SEGMENT_BLOCKS,
	LA_SEGMENT_POOL,
	LA_SEGMENT_EXPANDABLE,
	LA_SEGMENT_FRAMES
};
enum la_block_slot {
	LA_BLOCK_SIZE,
	LA_BLOCK_STATE,
	LA_BLOCK_REQUESTED,
	LA_BLOCK_ADDRESS,
	LA_BLOCK_FRAMES
};
enum la_event_slot {
	LA_EVENT_ACTION,
	LA_EVENT_SIZE,
	LA_EVENT_STREAM,
	LA_EVENT_ADDR,
	LA_EVENT_DEVICE_FREE,
	LA_EVENT_TIME,
	LA_EVENT_POOL,
	LA_EVENT_FRAMES
};
enum la_annotation_slot {
	LA_ANNOTATION_NAME,
	LA_ANNOTATION_STAGE,
	LA_ANNOTATION_DEVICE,
	LA_ANNOTATION_TIME
};
enum la_frame_slot { LA_FRAME_FUNCTION, LA_FRAME_FILE, LA_FRAME_LINE };
enum { LA_SLOTS = 9 };

struct la_field {
	uint8_t role; /* enum la_role of the dict */
	uint8_t name; /* enum la_name of the key */
	uint8_t kind; /* enum la_kind */
	uint8_t slot; /* where the value goes */
	uint8_t of; /* child: its role; name: the first of its row */
	uint8_t count; /* name: length of the row */
	const char *since; /* first torch release that writes it */
};

extern const struct la_field la_fields[];

/* A key that every object of a role has from some release on. */
struct la_mark {
	uint8_t role; /* enum la_role */
	uint8_t name; /* enum la_name */
	uint16_t since; /* release: major << 8 | minor */
};

extern const struct la_mark la_marks[]; /* the oldest first */
extern const size_t la_mark_count;

/* The bit of the mark that a key is, or 0. */
unsigned int la_schema_mark(uint8_t role, uint8_t name);

extern const char *const la_names[LA_NAME_COUNT];
extern const char *const la_role_names[LA_ROLE_COUNT]; /* for messages */

/* Role of the elements of a list, by the list's role. */
extern const uint8_t la_element_role[LA_ROLE_COUNT];
/* Fields without which an object is refused, as bits 1 << slot, by role. */
extern const uint8_t la_required[LA_ROLE_COUNT];

/* Lookup tables made of the above, for speed. */
struct la_schema {
	uint8_t field[LA_ROLE_COUNT][LA_NAME_COUNT]; /* index + 1, 0: none */
	/* names by length: the first, and the next of the same length */
	uint8_t first[LA_NAME_LENGTH], next[LA_NAME_COUNT];
	bool initial[256]; /* bytes that a name starts with */
};

void la_schema_init(struct la_schema *schema);

static inline const struct la_field *la_schema_field(const struct la_schema *s,
						     uint8_t role, uint8_t name)
{
	uint8_t field = s->field[role][name];

	return field ? &la_fields[field - 1] : NULL;
}

/* The same as la_schema_name(), for a string that starts as a name does. */
enum la_name la_schema_search(const struct la_schema *schema, const char *text,
			      size_t length);

/* The name that a string is, or LA_NAME_NONE. */
static inline enum la_name la_schema_name(const struct la_schema *schema,
					  const void *text, size_t length)
{
	const uint8_t *bytes = text;

	if (!length)
		return LA_NAME_EMPTY;
	return schema->initial[*bytes] ?
		       la_schema_search(schema, text, length) :
		       LA_NAME_NONE;
}

#endif /* LA_TRACE_SCHEMA_H */
