/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that pickle.c runs: its state, and what its parts share. */
#ifndef LA_TRACE_MACHINE_H
#define LA_TRACE_MACHINE_H

#include "trace/input.h"
#include "trace/snapshot.h"

enum {
	LA_MOST_DEPTH = 64, /* containers in containers */
	LA_MOST_MARKS = 2 * LA_MOST_DEPTH,
	LA_FROM_MEMO = 0xff /* la_value.depth: complete, must not change */
};

struct la_machine {
	struct la_snapshot *snap;
	struct la_input *in;
	struct la_value *stack;
	size_t count, room;
	/* Of stack entries: where each open mark is, and its depth. */
	uint32_t marks[LA_MOST_MARKS];
	unsigned int mark_count;
	/* Packed values, see memo.c; 0: not set. */
	uint64_t *memo;
	size_t memo_end, memo_room;
	size_t memo_set; /* entries that are set */
	bool have_top, stop;
};

/* The place of the next value on the stack, which tells its role. */
struct la_place {
	enum la_role role;
	unsigned int depth;
};

struct la_place la_machine_place(const struct la_machine *m,
				 enum la_value_type type);
/* Is the next value a key or a value in allocator_settings? */
bool la_machine_in_settings(const struct la_machine *m);
/*
 * Where on the stack, plus 1, the container is that the next value will end
 * up in and that is `value` itself; 0 if there is none.
 */
uint32_t la_machine_loop(const struct la_machine *m,
			 const struct la_value *value);

/* Put the value on top into the memo. */
int la_memo_put(struct la_machine *m, uint64_t index);
/* Push a value of the memo; there is room for it. */
int la_memo_get(struct la_machine *m, uint64_t index);

/* Fill the error, if there is one, with the offset of the opcode. */
int la_machine_fail(struct la_machine *m, int code, const char *problem);
int la_machine_fail_memory(struct la_machine *m, int code);

static inline bool la_is_container(const struct la_value *value)
{
	return value->type >= LA_VALUE_LIST;
}

/* The value on top of the stack, or NULL. */
static inline struct la_value *la_machine_top(const struct la_machine *m)
{
	return m->count ? &m->stack[m->count - 1] : NULL;
}

/*
 * Values are made in place, member by member: copying one that was just
 * written waits for the stores to drain.
 */
static inline void la_value_make(struct la_value *value,
				 enum la_value_type type, uint64_t u)
{
	value->u = u;
	value->loop = 0;
	value->type = (uint8_t)type;
	value->role = LA_ROLE_NONE;
	value->depth = 0;
	value->name = LA_NAME_NONE;
}

/* An entry: 4 bits of type, 4 of role, 56 of identity or number. */
#define LA_PACKED_BITS 56
#define LA_PACKED_MASK (((uint64_t)1 << LA_PACKED_BITS) - 1)

#define LA_PACKED_WORD ((uint64_t)LA_VALUE_STRING << (LA_PACKED_BITS + 4))

/* A string that is not kept, of the memo: its enum la_name, else -1. */
static inline int la_memo_word(const struct la_machine *m, uint64_t index)
{
	uint64_t packed;

	if (index >= m->memo_end)
		return -1;
	packed = m->memo[index];
	return packed >> 8 == LA_PACKED_WORD >> 8 ? (int)(packed & 0xff) : -1;
}

static inline bool la_memo_get_word(const struct la_machine *m, uint64_t index,
				    struct la_value *value)
{
	int name = la_memo_word(m, index);

	if (name < 0)
		return false;
	la_value_make(value, LA_VALUE_STRING, 0);
	value->name = (uint8_t)name;
	return true;
}

#endif /* LA_TRACE_MACHINE_H */
