// SPDX-License-Identifier: Apache-2.0
/* The short cut for events and blocks: what it takes, and what it leaves. */
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/slow.h"
#include "trace/flat.h"
#include "trace/pickle.h"

/* A machine in a trace, between events, with these in its memo: */

enum {
	MEMO_ALLOC, /* 0 on: words */
	MEMO_ACTION,
	MEMO_ADDR,
	MEMO_SIZE,
	MEMO_STREAM,
	MEMO_TIME,
	MEMO_OTHER, /* a word of no meaning */
	MEMO_LIST, /* a list of no interest */
	MEMO_EVENT, /* an event */
	MEMO_CONF,
	MEMO_NEW, /* a kind of event that is not known */
	MEMO_POOL,
	MEMO_PAIR, /* (0, 1) */
	MEMO_SINGLE, /* (1,) */
	MEMO_FRAMES,
	MEMO_FRAME, /* a frame */
	MEMO_STACK, /* a list of that frame */
	MEMO_SET /* entries that are set */
};

enum { ROOM = 64, LIMIT = 1 << 20 };

struct rig {
	struct la_snapshot snap;
	struct la_error err;
	struct la_input in;
	struct la_machine m;
	struct la_value stack[ROOM];
	uint64_t memo[ROOM];
	char *bytes; /* a block of its own, so that a read past it is seen */
};

static const enum la_name words[MEMO_SET] = {
	[MEMO_ALLOC] = LA_NAME_ALLOC,	[MEMO_ACTION] = LA_NAME_ACTION,
	[MEMO_ADDR] = LA_NAME_ADDR,	[MEMO_SIZE] = LA_NAME_SIZE,
	[MEMO_STREAM] = LA_NAME_STREAM, [MEMO_TIME] = LA_NAME_TIME_US,
	[MEMO_CONF] = LA_NAME_CONF,	[MEMO_POOL] = LA_NAME_POOL_ID,
	[MEMO_FRAMES] = LA_NAME_FRAMES,
};

static void rig_add_stack(struct rig *rig)
{
	const struct la_frame_parts parts = { .line = 3 };
	struct la_stacks *stacks = &rig->snap.stacks;
	struct la_budget *budget = &rig->snap.budget;
	uint64_t object;

	la_stacks_new_frame(stacks, budget, &object);
	la_stacks_close_frame(stacks, budget, object, &parts);
	rig->m.memo[MEMO_FRAME] = (uint64_t)(LA_VALUE_DICT << 4 | LA_ROLE_FRAME)
					  << LA_PACKED_BITS |
				  object;
	la_stacks_new_list(stacks, budget, &object);
	la_stacks_add(stacks, budget, 0);
	la_stacks_close_list(stacks, budget, object);
	rig->m.memo[MEMO_STACK] =
		(uint64_t)(LA_VALUE_LIST << 4 | LA_ROLE_FRAMES)
			<< LA_PACKED_BITS |
		object;
}

static void rig_open(struct rig *rig, const char *bytes, size_t size)
{
	struct la_machine *m = &rig->m;
	uint32_t number;
	size_t i;

	memset(rig, 0, sizeof(*rig));
	rig->bytes = malloc(size);
	memcpy(rig->bytes, bytes, size);
	la_snapshot_init(&rig->snap, LIMIT, &rig->err);
	la_input_open_memory(&rig->in, rig->bytes, size, LIMIT, NULL);
	m->snap = &rig->snap;
	m->in = &rig->in;
	m->stack = rig->stack;
	m->memo = rig->memo;
	m->room = m->memo_room = ROOM;
	m->memo_end = m->memo_set = MEMO_SET;
	for (i = 0; i < MEMO_SET; i++)
		m->memo[i] = LA_PACKED_WORD | words[i];
	m->memo[MEMO_LIST] = (uint64_t)LA_VALUE_LIST << (LA_PACKED_BITS + 4);
	m->memo[MEMO_EVENT] = (uint64_t)(LA_VALUE_DICT << 4 | LA_ROLE_EVENT)
			      << LA_PACKED_BITS;
	m->memo[MEMO_PAIR] = (uint64_t)LA_VALUE_TUPLE << (LA_PACKED_BITS + 4) |
			     1;
	m->memo[MEMO_SINGLE] = m->memo[MEMO_PAIR] | LA_PACKED_MASK;
	rig_add_stack(rig);
	la_value_make(&rig->stack[0], LA_VALUE_LIST, 0);
	rig->stack[0].role = LA_ROLE_TRACE;
	rig->stack[0].depth = 2;
	la_snapshot_create(&rig->snap, &rig->stack[0]);
	la_value_make(&rig->stack[1], LA_VALUE_MARK, 0);
	m->count = 2;
	m->marks[0] = 1;
	m->mark_count = 1;
	la_pairs_intern(&rig->snap.streams, &rig->snap.budget, 5, 0, &number);
	la_pairs_intern(&rig->snap.streams, &rig->snap.budget, 0, 0, &number);
	la_pairs_intern(&rig->snap.tuples, &rig->snap.budget, 5, 6, &number);
	la_pairs_intern(&rig->snap.tuples, &rig->snap.budget, 0, 1, &number);
}

static void rig_close(struct rig *rig)
{
	la_snapshot_release(&rig->snap);
	la_input_close(&rig->in);
	free(rig->bytes);
}

struct dict {
	const char *bytes;
	size_t size;
	size_t memo; /* entries that it puts */
};

#define DICT(MEMO, BYTES) { BYTES, sizeof(BYTES) - 1, MEMO }
/* More than a scalar's reach, so that the dicts above are whole. */
#define REST "eu0123456789012345678901234567890123456789012345678901234567890"
#define HEAD "h\1h\0h\2\x8a\6\0\0\0\0\0\x7fh\4K\0h\5\x8a\7\1\0\0\0\0\0\6"
#define REST_SIZE "h\3J\0\2\0\0"
#define WHOLE HEAD REST_SIZE
/* With the five of WHOLE as many as are taken. */
#define ELEVEN "h\6Nh\6Nh\6Nh\6Nh\6Nh\6Nh\6Nh\6Nh\6Nh\6Nh\6N"

static const struct dict taken[] = {
	DICT(0, "}(" WHOLE "u"),
	DICT(1, "}\x94(" WHOLE "u"),
	DICT(1, "}q\x11(" WHOLE "u"),
	DICT(1, "}r\x11\0\0\0(" WHOLE "u"),
	/* the key or the word with a wide index, the number with any width */
	DICT(0, "}(" HEAD "j\3\0\0\0J\0\2\0\0u"),
	DICT(0, "}(" WHOLE "j\1\0\0\0j\0\0\0\0u"),
	DICT(0, "}(" HEAD "h\3M\0\2u"),
	DICT(0, "}(" HEAD "h\3\x8a\2\0\2u"),
	DICT(0, "}(" HEAD "h\3\x8a\10\0\2\0\0\0\0\0\0u"),
	/* the last of several of the same name counts */
	DICT(0, "}(" HEAD "h\3K\7" REST_SIZE "u"),
	DICT(0, "}(h\4K\5" WHOLE "u"),
	DICT(0, "}(" WHOLE ELEVEN "u"),
	/* strings, with and without a place in the memo */
	DICT(1, "}(" WHOLE "h\6\x8c\3N/A\x94u"),
	DICT(1, "}(" WHOLE "h\6X\3\0\0\0N/Aq\x11u"),
	DICT(0, "}(" WHOLE "h\6\x8c\0u"),
	DICT(2, "}\x94(" WHOLE "h\1\x8c\5alloc\x94u"),
	/* what is of no interest */
	DICT(0, "}(" WHOLE "h\6Nh\6\x88h\6\x89h\6K\1h\6h\6h\6h\7u"),
	DICT(1, "}(" WHOLE "h\6]\x94u"),
	DICT(0, "}(" WHOLE "h\6]h\6h\6u"),
	DICT(2, "}\x94(" WHOLE "h\6]\x94(h\6j\7\0\0\0h\7eu"),
	DICT(2, "}\x94(" WHOLE "h\6]\x94(h\6e(h\7eu"),
	DICT(2, "}\x94(" WHOLE "h\6]\x94h\7au"),
	DICT(1, "}\x94(" WHOLE "h\6]h\7ah\6Nu"),
};

static void check_taken(const struct rig *rig, const struct dict *dict,
			size_t times)
{
	const struct la_object *object = &rig->snap.object[LA_ROLE_EVENT];
	const struct la_value *value = &rig->stack[rig->m.count - 1];

	ck_assert_uint_eq(rig->m.count, 2 + times);
	ck_assert_uint_eq(rig->m.memo_end, MEMO_SET + times * dict->memo);
	ck_assert_uint_eq(rig->m.memo_set, rig->m.memo_end);
	ck_assert_uint_eq(la_input_offset(&rig->in), times * dict->size);
	ck_assert_uint_eq(value->type, LA_VALUE_DICT);
	ck_assert_uint_eq(value->role, LA_ROLE_EVENT);
	ck_assert_uint_eq(value->depth, 3);
	ck_assert_uint_eq(value->u, times - 1);
	ck_assert(object->open && object->id == times - 1);
	ck_assert_uint_eq(object->slot[LA_EVENT_ACTION], LA_ALLOC);
	ck_assert_uint_eq(object->slot[LA_EVENT_ADDR], 0x7f0000000000);
	ck_assert_uint_eq(object->slot[LA_EVENT_STREAM], 1);
	ck_assert_uint_eq(object->slot[LA_EVENT_TIME], 0x6000000000001);
	ck_assert_uint_eq(object->slot[LA_EVENT_SIZE], 512);
	ck_assert_uint_eq(object->seen,
			  1 << LA_EVENT_ACTION | 1 << LA_EVENT_SIZE |
				  1 << LA_EVENT_STREAM | 1 << LA_EVENT_ADDR |
				  1 << LA_EVENT_TIME);
}

START_TEST(test_flat_event_is_taken)
{
	const struct dict *dict = &taken[_i];
	char bytes[1024];
	struct rig rig;

	memcpy(bytes, dict->bytes, dict->size);
	memcpy(bytes + dict->size, REST, sizeof(REST));
	rig_open(&rig, bytes, dict->size + sizeof(REST));
	ck_assert_int_eq(la_flat_read(&rig.m), 0);
	check_taken(&rig, dict, 1);
	if (dict->memo && dict->bytes[1] != '(')
		ck_assert_uint_eq(rig.memo[MEMO_SET], rig.memo[MEMO_EVENT]);
	rig_close(&rig);
}
END_TEST

START_TEST(test_flat_events_are_taken_in_a_row)
{
	static const struct dict dict =
		DICT(2, "}\x94(" WHOLE "h\6\x8c\3N/A\x94u");
	char bytes[1024];
	struct rig rig;
	size_t i;

	for (i = 0; i < 3; i++)
		memcpy(bytes + i * dict.size, dict.bytes, dict.size);
	memcpy(bytes + 3 * dict.size, REST, sizeof(REST));
	rig_open(&rig, bytes, 3 * dict.size + sizeof(REST));
	ck_assert_int_eq(la_flat_read(&rig.m), 0);
	check_taken(&rig, &dict, 3);
	ck_assert_uint_eq(rig.snap.traces[0].count, 2);
	ck_assert_uint_eq(rig.snap.traces[0].events[1].size, 512);
	ck_assert_uint_eq(rig.snap.traces[0].events[1].addr, 0x7f0000000000);
	ck_assert_uint_eq(rig.memo[MEMO_SET + 1], LA_PACKED_WORD);
	ck_assert_uint_eq(rig.memo[MEMO_SET + 2], rig.memo[MEMO_EVENT] | 1);
	rig_close(&rig);
}
END_TEST

static const struct dict pooled[] = {
	DICT(0, "}(" WHOLE "h\x0bh\x0cu"),
	DICT(0, "}(" WHOLE "h\x0bK\0K\1\x86u"),
	DICT(1, "}(" WHOLE "h\x0bK\0K\1\x86\x94u"),
	DICT(2, "}\x94(" WHOLE "h\x0bK\0\x8a\1\1\x86q\x12u"),
	DICT(0, "}(h\x0bK\5K\6\x86h\x0bK\0K\1\x86" WHOLE "u"),
};

START_TEST(test_pool_of_event_is_taken)
{
	const struct dict *dict = &pooled[_i];
	const struct la_object *object;
	char bytes[1024];
	struct rig rig;

	memcpy(bytes, dict->bytes, dict->size);
	memcpy(bytes + dict->size, REST, sizeof(REST));
	rig_open(&rig, bytes, dict->size + sizeof(REST));
	ck_assert_int_eq(la_flat_read(&rig.m), 0);
	ck_assert_uint_eq(la_input_offset(&rig.in), dict->size);
	ck_assert_uint_eq(rig.m.memo_end, MEMO_SET + dict->memo);
	if (dict->memo)
		ck_assert_uint_eq(rig.memo[rig.m.memo_end - 1],
				  rig.memo[MEMO_PAIR]);
	object = &rig.snap.object[LA_ROLE_EVENT];
	ck_assert_uint_eq(object->seen >> LA_EVENT_POOL, 1);
	ck_assert_uint_eq(object->slot[LA_EVENT_POOL], 1);
	rig_close(&rig);
}
END_TEST

static const struct dict framed[] = {
	DICT(0, "}(" WHOLE "h\x0eh\x10u"),
	DICT(0, "}(" WHOLE "h\x0e]h\17au"),
	DICT(1, "}(" WHOLE "h\x0e]\x94h\17au"),
	DICT(2, "}\x94(" WHOLE "h\x0e]q\x12(h\17eu"),
	DICT(0, "}(h\x0e](h\17eh\x0e]h\17a" WHOLE "u"),
};

START_TEST(test_stack_of_event_is_taken)
{
	const struct dict *dict = &framed[_i];
	const struct la_object *object;
	struct la_stacks *stacks;
	char bytes[1024];
	struct rig rig;

	memcpy(bytes, dict->bytes, dict->size);
	memcpy(bytes + dict->size, REST, sizeof(REST));
	rig_open(&rig, bytes, dict->size + sizeof(REST));
	ck_assert_int_eq(la_flat_read(&rig.m), 0);
	ck_assert_uint_eq(la_input_offset(&rig.in), dict->size);
	ck_assert_uint_eq(rig.m.memo_end, MEMO_SET + dict->memo);
	stacks = &rig.snap.stacks;
	if (dict->memo)
		ck_assert_uint_eq(rig.memo[rig.m.memo_end - 1],
				  rig.memo[MEMO_STACK] + 1);
	ck_assert_uint_eq(stacks->lists[stacks->list_count - 1], 1);
	object = &rig.snap.object[LA_ROLE_EVENT];
	ck_assert_uint_eq(object->seen >> LA_EVENT_FRAMES, 1);
	ck_assert_uint_eq(object->slot[LA_EVENT_FRAMES], 1);
	rig_close(&rig);
}
END_TEST

#define LONG_WORD \
	"0123456789012345678901234567890123456789012345678901234567890123"

static const struct dict left[] = {
	DICT(0, "}"),
	DICT(0, "}u"),
	DICT(0, "}\x94\x94(" WHOLE "u"),
	DICT(0, "}q\x12(" WHOLE "u"),
	DICT(0, "}r\x0b\1\0\0(" WHOLE "u"),
	DICT(0, "}q\x05(" WHOLE "u"),
	/* keys */
	DICT(0, "}(" WHOLE "h\x11Nu"),
	DICT(0, "}\x94(" WHOLE "h\x11Nu"),
	DICT(0, "}(" WHOLE "j\3\1\0\0Nu"),
	DICT(0, "}(" WHOLE "h\7Nu"),
	DICT(0, "}(" WHOLE "h\x09\x8c\1xu"),
	DICT(0, "}(" WHOLE "\x8c\1xNu"),
	DICT(0, "}(" WHOLE "K\1Nu"),
	DICT(0, "}(" WHOLE ELEVEN "h\6Nu"),
	/* values */
	DICT(0, "}(" WHOLE "h\3J\xff\xff\xff\xffu"),
	DICT(0, "}(" WHOLE "h\3\x8a\10\1\0\0\0\0\0\0\x40u"),
	DICT(0, "}(" WHOLE "h\2\x8a\10\1\0\0\0\0\0\0\x80u"),
	DICT(0, "}(" WHOLE "h\2\x8a\11\1\0\0\0\0\0\0\x80\0u"),
	DICT(0, "}(" WHOLE "h\2\x8a\0u"),
	DICT(0, "}(" WHOLE "h\2Nu"),
	DICT(0, "}(" WHOLE "h\2h\0u"),
	DICT(0, "}(" WHOLE "h\4K\6u"),
	DICT(0, "}(" WHOLE "h\1h\x0au"),
	DICT(0, "}(" WHOLE "h\1K\0u"),
	DICT(0, "}(" WHOLE "h\6J\xff\xff\xff\xffu"),
	DICT(0, "}(" WHOLE "h\6h\x08u"),
	DICT(0, "}(" WHOLE "h\6h\x11u"),
	DICT(0, "}(" WHOLE "h\6)u"),
	DICT(0, "}(" WHOLE "h\6}u"),
	DICT(0, "}(" WHOLE "h\6\x8c\x40" LONG_WORD "u"),
	DICT(0, "}(" WHOLE "h\6X\xff\xff\xff\xffu"),
	DICT(0, "}(" WHOLE "h\6](K\1eu"),
	DICT(0, "}(" WHOLE "h\6](h\10eu"),
	DICT(0, "}(" WHOLE "h\6]\x94(h\21eu"),
	DICT(0, "}(" WHOLE "h\6](h\6u"),
	/* pools */
	DICT(0, "}(" WHOLE "h\x0bNu"),
	DICT(0, "}(" WHOLE "h\x0bh\x0du"),
	DICT(0, "}(" WHOLE "h\x0bh\0u"),
	DICT(0, "}(" WHOLE "h\x0bh\x11u"),
	DICT(0, "}(" WHOLE "h\x0bK\0K\2\x86u"),
	DICT(0, "}(" WHOLE "h\x0bK\0J\xff\xff\xff\xff\x86u"),
	DICT(0, "}(" WHOLE "h\x0bK\0N\x86u"),
	DICT(0, "}(" WHOLE "h\x0bK\0\x85u"),
	DICT(0, "}(" WHOLE "h\x0bK\0K\1K\1\x87u"),
	DICT(0, "}(" WHOLE "h\x0bK\0K\1\x86q\x12u"),
	/* frames */
	DICT(0, "}(" WHOLE "h\x0eNu"),
	DICT(0, "}(" WHOLE "h\x0eh\7u"),
	DICT(0, "}(" WHOLE "h\x0eh\17u"),
	DICT(0, "}(" WHOLE "h\x0e]u"),
	DICT(0, "}(" WHOLE "h\x0e](eu"),
	DICT(0, "}(" WHOLE "h\x0e](h\17h\17eu"),
	DICT(0, "}(" WHOLE "h\x0e](h\17h\6eu"),
	DICT(0, "}(" WHOLE "h\x0e]\x94h\17Nu"),
	DICT(0, "}(" WHOLE "h\x0e]\x94h\17ah\17au"),
	/* opcodes that are not expected */
	DICT(0, "}(" WHOLE "h\6\x95\1\0\0\0\0\0\0\0Nu"),
	DICT(0, "}(" WHOLE "s"),
	DICT(0, "}(" WHOLE "h\6u"),
};

static void check_left(const struct rig *rig, size_t size)
{
	ck_assert_uint_eq(rig->m.count, 2);
	ck_assert_uint_eq(rig->m.memo_end, MEMO_SET);
	ck_assert_uint_eq(rig->m.memo_set, MEMO_SET);
	ck_assert_uint_eq(la_input_offset(&rig->in), 0);
	ck_assert(!rig->snap.object[LA_ROLE_EVENT].open);
	ck_assert_uint_eq(rig->snap.streams.count, 2);
	ck_assert_uint_eq(rig->snap.stacks.list_count, 1);
	ck_assert_uint_eq((size_t)(rig->in.end - rig->in.p), size);
}

START_TEST(test_other_dict_is_left)
{
	const struct dict *dict = &left[_i];
	char bytes[1024];
	struct rig rig;

	memcpy(bytes, dict->bytes, dict->size);
	memcpy(bytes + dict->size, REST, sizeof(REST));
	rig_open(&rig, bytes, dict->size + sizeof(REST));
	ck_assert_int_eq(la_flat_read(&rig.m), 0);
	check_left(&rig, dict->size + sizeof(REST));
	rig_close(&rig);
}
END_TEST

START_TEST(test_dict_that_is_not_whole_is_left)
{
	static const char whole[] = "}\x94(" WHOLE "h\6\x8c\3N/A\x94u" REST;
	size_t end = sizeof(whole) - sizeof(REST), size;
	struct rig rig;

	for (size = 1; size < end; size++) {
		rig_open(&rig, whole, size);
		ck_assert_int_eq(la_flat_read(&rig.m), 0);
		check_left(&rig, size);
		rig_close(&rig);
	}
}
END_TEST

/* Calls it with one thing changed, and wants the dict left. */
static void check_changed(void (*change)(struct rig *rig))
{
	static const char whole[] =
		"}\x94(" WHOLE "h\6]\x94(h\7h\7h\7h\7h\7eu" REST;
	struct rig rig;

	rig_open(&rig, whole, sizeof(whole));
	change(&rig);
	ck_assert_int_eq(la_flat_read(&rig.m), 0);
	ck_assert_uint_eq(la_input_offset(&rig.in), 0);
	ck_assert(!rig.snap.object[LA_ROLE_EVENT].open);
	rig_close(&rig);
}

static void fill_memo(struct rig *rig)
{
	rig->m.memo_room = MEMO_SET + 1;
}

static void leave_memo_gap(struct rig *rig)
{
	rig->m.memo_set--;
}

/* Mark, dict and ten items below the list, its mark and five items. */
static void fill_stack(struct rig *rig)
{
	rig->m.room = 2 + 2 + 11 + 2 + 5;
}

static void fill_marks(struct rig *rig)
{
	while (rig->m.mark_count < LA_MOST_MARKS - 1)
		rig->m.marks[rig->m.mark_count++] = 1;
}

static void deepen(struct rig *rig)
{
	rig->stack[0].depth = LA_MOST_DEPTH - 1;
}

static void complete_list(struct rig *rig)
{
	rig->stack[0].depth = LA_FROM_MEMO;
}

static void change_role(struct rig *rig)
{
	rig->stack[0].role = LA_ROLE_NONE;
}

static void drop_mark(struct rig *rig)
{
	rig->m.mark_count = 0;
}

static void put_string_on_top(struct rig *rig)
{
	la_value_make(&rig->stack[rig->m.count++], LA_VALUE_STRING, 0);
}

START_TEST(test_machine_that_is_not_ready_is_left)
{
	check_changed(fill_memo);
	check_changed(leave_memo_gap);
	check_changed(fill_stack);
	check_changed(fill_marks);
	check_changed(deepen);
	check_changed(complete_list);
	check_changed(change_role);
	check_changed(drop_mark);
	check_changed(put_string_on_top);
}
END_TEST

static void leave_room(struct rig *rig)
{
	rig->m.room = 2 + 2 + 11 + 2 + 5 + 1;
	rig->m.memo_room = MEMO_SET + 2;
	rig->stack[0].depth = LA_MOST_DEPTH - 2;
}

START_TEST(test_just_enough_room_is_enough)
{
	static const char whole[] =
		"}\x94(" WHOLE "h\6]\x94(h\7h\7h\7h\7h\7eu" REST;
	const char *list = memchr(whole, ']', sizeof(whole));
	struct rig rig;

	rig_open(&rig, whole, sizeof(whole));
	leave_room(&rig);
	ck_assert_int_eq(la_flat_read(&rig.m), 0);
	ck_assert_uint_eq(rig.m.count, 3);
	/* the list is known by its offset, as the machine has it */
	ck_assert_uint_eq(rig.memo[MEMO_SET + 1],
			  (uint64_t)LA_VALUE_LIST << (LA_PACKED_BITS + 4) |
				  (uint64_t)(list - whole));
	rig_close(&rig);
}
END_TEST

/* Whole pickles, with and without the short cut. */

static void check_same(const void *data, size_t size, uint64_t limit)
{
	const char *differs = slow_differs(data, size, false, limit);

	ck_assert_msg(!differs, "%zu bytes: %s", size, differs);
	differs = slow_differs(data, size, true, limit);
	ck_assert_msg(!differs, "partial, %zu bytes: %s", size, differs);
}

static size_t unpack(const char *path, char **data)
{
	size_t room = 64 << 20, size = 0;
	FILE *file = fopen(path, "rb");
	struct la_input in;

	ck_assert_ptr_nonnull(file);
	*data = malloc(room);
	ck_assert_int_eq(la_input_open_fd(&in, fileno(file), room, NULL), 0);
	while (la_input_fill(&in, 1)) {
		memcpy(*data + size, in.p, (size_t)(in.end - in.p));
		size += (size_t)(in.end - in.p);
		in.p = in.end;
	}
	la_input_close(&in);
	fclose(file);
	return size;
}

START_TEST(test_recordings_read_the_same)
{
	static const char *const patterns[] = {
		"tests/data/pickles/*.pickle",
		"tests/data/windows-gnn.*.pickle.xz",
		"tests/data/two.pickle.xz",
		"tests/data/streams.default.pickle.xz",
	};
	glob_t files = { 0 };
	char *data;
	size_t i, size;

	for (i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &files);
	ck_assert_uint_ge(files.gl_pathc, 40);
	for (i = 0; i < files.gl_pathc; i++) {
		size = unpack(files.gl_pathv[i], &data);
		check_same(data, size, 1 << 30);
		free(data);
	}
	globfree(&files);
}
END_TEST

#define STR(LEN, TEXT) "\x8c" LEN TEXT "\x94"
/* Memo: 0 the top, 1 the key, 2 traces, 3 the trace, 4 the event, 5 on: */
#define TOP "\x80\4}\x94" STR("\x0d", "device_traces") "]\x94]\x94("
#define FIRST                                                      \
	"}\x94(" STR("\6", "action") STR("\5", "alloc")            \
	STR("\4", "addr") "\x8a\6\0\0\0\0\0\x7f" STR("\6", "stream") \
	"K\0" STR("\4", "size") "K\7" STR("\6", "frames") "]\x94u"
#define NEXT "}\x94(h\5h\6h\7\x8a\6\0\0\0\0\0\x7fh\x08K\0h\x09M\7\7h\x0a]\x94u"
#define END "eas."

static const struct dict mixed[] = {
	DICT(0, NEXT), /* as expected */
	DICT(0, "e(" NEXT), /* the next batch */
	DICT(0, "e" NEXT "a("), /* APPEND */
	DICT(0, "h\4"), /* an event again */
	DICT(0, "}\x94(h\5h\6h\7K\1u(h\x08K\0h\x09M\7\7u"), /* two SETITEMS */
	DICT(0, "}(h\5h\6h\7K\1h\x08K\0uh\x09M\7\7s"), /* and SETITEM */
	DICT(0, "}(h\5h\6h\7K\1h\7K\2h\x08K\0h\x09M\7\7h\x09K\3u"),
	DICT(0, "}(h\5h\6h\7K\1h\x08K\1h\x09M\7\7u"), /* another stream */
	DICT(0, "}\x94(h\5" STR("\3", "new") "u"), /* an unknown kind */
	DICT(0, "}(h\5h\6h\7K\1h\x08K\0u"), /* no size */
	DICT(0, "}(h\7K\1h\x08K\0h\x09M\7\7u"), /* no action */
	DICT(0, "}(h\5h\6h\x08K\0h\x09M\7\7u"), /* no addr */
	DICT(0, "}(h\5h\6h\7\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0"
		"h\x08K\0h\x09M\7\7u"), /* past the end */
	DICT(0, "}(h\5h\6h\7K\1h\x08K\0h\x09J\xff\xff\xff\xffu"),
	DICT(0, "}\x94q\4(h\5h\6h\7K\1h\x08K\0h\x09K\1u"), /* memo changed */
	DICT(0, "K\1q\5"), /* the word of a key overwritten */
	DICT(0, "]\x94(h\6ee("), /* a list among the events */
	DICT(0, "}\x94("), /* one that never ends */
	DICT(0, "\x95\0\0\0\0\0\0\0\0"), /* a frame */
};

enum { KINDS = sizeof(mixed) / sizeof(*mixed) };

static size_t add(char *data, size_t size, const char *bytes, size_t count)
{
	memcpy(data + size, bytes, count);
	return size + count;
}

/* Events as expected around two others. */
static size_t mix(char *data, const struct dict *one, const struct dict *two)
{
	static const char tail[] = NEXT NEXT END;
	size_t size = add(data, 0, TOP FIRST NEXT NEXT,
			  sizeof(TOP FIRST NEXT NEXT) - 1);

	size = add(data, size, one->bytes, one->size);
	size = add(data, size, NEXT, sizeof(NEXT) - 1);
	size = add(data, size, two->bytes, two->size);
	return add(data, size, tail, sizeof(tail) - 1);
}

START_TEST(test_mixed_events_read_the_same)
{
	char data[2048];
	size_t i, size, end;

	for (i = 0; i < KINDS; i++) {
		end = mix(data, &mixed[_i], &mixed[i]);
		check_same(data, end, 1 << 20);
	}
	end = mix(data, &mixed[_i], &mixed[_i]);
	for (size = 0; size < end; size++) {
		char *copy = malloc(size ? size : 1);

		memcpy(copy, data, size);
		check_same(copy, size, 1 << 20);
		free(copy);
	}
}
END_TEST

START_TEST(test_memory_limit_is_met_at_the_same_place)
{
	enum { COUNT = 300 };
	static char data[COUNT * sizeof(NEXT) + 1024];
	size_t size = add(data, 0, TOP FIRST, sizeof(TOP FIRST) - 1), i;

	for (i = 0; i < COUNT; i++)
		size = add(data, size, NEXT, sizeof(NEXT) - 1);
	size = add(data, size, END, sizeof(END) - 1);
	for (i = 0; i < 64 << 10; i += 97)
		check_same(data, size, i);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flat");
	TCase *alone = tcase_create("alone");
	TCase *pickles = tcase_create("pickles");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(alone, test_flat_event_is_taken, 0,
			    sizeof(taken) / sizeof(*taken));
	tcase_add_loop_test(alone, test_stack_of_event_is_taken, 0,
			    sizeof(framed) / sizeof(*framed));
	tcase_add_loop_test(alone, test_pool_of_event_is_taken, 0,
			    sizeof(pooled) / sizeof(*pooled));
	tcase_add_test(alone, test_flat_events_are_taken_in_a_row);
	tcase_add_loop_test(alone, test_other_dict_is_left, 0,
			    sizeof(left) / sizeof(*left));
	tcase_add_test(alone, test_dict_that_is_not_whole_is_left);
	tcase_add_test(alone, test_machine_that_is_not_ready_is_left);
	tcase_add_test(alone, test_just_enough_room_is_enough);
	suite_add_tcase(suite, alone);
	tcase_set_timeout(pickles, 60);
	tcase_add_test(pickles, test_recordings_read_the_same);
	tcase_add_loop_test(pickles, test_mixed_events_read_the_same, 0, KINDS);
	tcase_add_test(pickles, test_memory_limit_is_met_at_the_same_place);
	suite_add_tcase(suite, pickles);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
