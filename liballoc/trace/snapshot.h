/* SPDX-License-Identifier: Apache-2.0 */
/* What a snapshot's objects become: arrays, filled object by object. */
#ifndef LA_TRACE_SNAPSHOT_H
#define LA_TRACE_SNAPSHOT_H

#include <stdbool.h>

#include <liballoc/trace.h>

#include "trace/budget.h"
#include "trace/members.h"
#include "trace/pairs.h"
#include "trace/schema.h"
#include "trace/stacks.h"

/* Value of la_event.action until the end of reading: to be left out. */
enum { LA_ACTION_UNKNOWN = 0xff };

/* Most that a field of LA_KIND_BYTES may say. */
#define LA_MOST_BYTES ((uint64_t)1 << 62)

enum la_value_type {
	LA_VALUE_MARK, /* not a value */
	LA_VALUE_NONE,
	LA_VALUE_BOOL,
	LA_VALUE_INTEGER, /* 0 to 2^64 - 1 */
	LA_VALUE_NEGATIVE, /* -2^63 to -1 */
	LA_VALUE_WIDE, /* an integer beyond 64 bits */
	LA_VALUE_FLOAT,
	LA_VALUE_STRING,
	LA_VALUE_BYTES,
	LA_VALUE_TUPLE,
	LA_VALUE_LIST,
	LA_VALUE_DICT,
	LA_VALUE_SET
};

/*
 * A value on the stack of the pickle machine.  u: an integer; the bits of a
 * float; of a string its number among the kept ones + 1, 0: not kept; of a
 * tuple the number of the pair, or LA_NO_PAIR; of a container its identity,
 * given by la_snapshot_create() when it has a role, else the offset where it
 * was made.
 */
struct la_value {
	uint64_t u;
	uint32_t loop; /* place on the stack + 1 of a container in it, or 0 */
	uint8_t type; /* enum la_value_type */
	uint8_t role; /* enum la_role */
	uint8_t depth; /* of containers: number of containers around it */
	uint8_t name; /* of strings: enum la_name */
};

#define LA_NO_PAIR UINT64_MAX

/* What was said of the program's course at some time. */
struct la_note {
	uint64_t time_us; /* 0: unknown */
	uint64_t device;
	uint32_t name; /* number of the text + 1; 0: unknown */
	uint8_t stage; /* 0: START, 1: END, others: unknown */
};

/* The events of one device. */
struct la_trace {
	struct la_event *events;
	size_t count, room;
	uint32_t *stacks; /* by event, number + 1; NULL: all 0 */
	size_t stack_room;
	size_t unknown; /* of them, LA_ACTION_UNKNOWN */
	bool has_pools; /* pool ids were seen */
};

/* A segment, and what its checks need. */
struct la_segment {
	struct la_recorded_segment segment;
	uint64_t offset; /* where it ends in the pickle */
	uint32_t device;
};

/* The fields of an object that is being filled. */
struct la_object {
	uint64_t id;
	uint64_t slot[LA_SLOTS];
	uint16_t seen; /* bits 1 << slot */
	bool open; /* not yet in its array */
};

struct la_snapshot {
	struct la_schema schema;
	struct la_budget budget;
	struct la_error *err;
	uint64_t offset; /* of the opcode that is being executed */
	struct la_object object[LA_ROLE_COUNT]; /* the last of each role */
	struct la_trace *traces;
	size_t trace_count, trace_room;
	struct la_segment *segments;
	size_t segment_count, segment_room;
	struct la_recorded_block *blocks;
	size_t block_count, block_room;
	/* Of segments and blocks: bits 1 << slot of what some of them have. */
	uint16_t fields[LA_ROLE_COUNT];
	uint64_t blocks_addr; /* of the list's first block, if has_addr */
	uint64_t blocks_end; /* bytes of the list's blocks so far */
	bool blocks_has_addr;
	struct la_note *notes; /* external_annotations */
	size_t note_count, note_room;
	struct la_pairs streams; /* raw value, 0 */
	struct la_pairs tuples; /* pairs of integers */
	struct la_pairs pools; /* of events; number 0: 0, 0 */
	struct la_stacks stacks;
	struct la_members members;
	size_t first_segment, end_segment; /* what the snapshot's list holds */
	size_t first_trace, end_trace;
	char *setting; /* NULL: none */
	unsigned int roles; /* bits 1 << role: of objects with keys */
	unsigned int marks; /* keys that were met, see la_schema_mark() */
};

void la_snapshot_init(struct la_snapshot *snap, uint64_t memory_limit,
		      struct la_error *err);
void la_snapshot_release(struct la_snapshot *snap);

/* Fill the error with the offset of the opcode; returns code. */
int la_snapshot_fail(struct la_snapshot *snap, int code, const char *format,
		     ...) __attribute__((cold, format(printf, 3, 4)));
int la_snapshot_fail_memory(struct la_snapshot *snap, int code)
	__attribute__((cold));

/* The object of the role that was created last is complete. */
int la_snapshot_close(struct la_snapshot *snap, enum la_role role);
/* A new container with a role; fills value->u. */
int la_snapshot_create(struct la_snapshot *snap, struct la_value *value);
/* The same object once more, in a place of the same role; renews value->u. */
int la_snapshot_copy(struct la_snapshot *snap, struct la_value *value);
/* Append `count` items to a list with a role. */
int la_snapshot_append(struct la_snapshot *snap, const struct la_value *list,
		       const struct la_value *items, size_t count);
/* Set `count` items, keys and values in turn, of a dict with a role. */
int la_snapshot_set(struct la_snapshot *snap, const struct la_value *dict,
		    const struct la_value *items, size_t count);
/* The top object is complete. */
int la_snapshot_finish(struct la_snapshot *snap, const struct la_value *top);
/* The input ended early: make do with what there is. */
void la_snapshot_cut(struct la_snapshot *snap);
/* Keep a string; its number + 1, or 0 if there is no room for it.  `always`:
 * there is. */
int la_snapshot_keep_text(struct la_snapshot *snap, const char *text,
			  size_t size, bool always, uint32_t *number);

#endif /* LA_TRACE_SNAPSHOT_H */
