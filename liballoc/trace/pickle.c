// SPDX-License-Identifier: Apache-2.0
/*
 * The stack holds typed values, never objects: a container that matters is
 * created in the snapshot's arrays at once, its role told by its place on the
 * stack, and is checked again when its parent takes it in.  Nothing here
 * recurses, and nothing is allocated for what an operand merely claims.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/pickle.h"
#include "util/error.h"

enum {
	HIGHEST_PROTOCOL = 5,
	MOST_DEPTH = 64, /* containers in containers */
	MOST_MARKS = 2 * MOST_DEPTH,
	MOST_TEXT = 64 << 10, /* bytes of the string of the settings */
	MEMO_SLACK = 1 << 16, /* entries that a memo may skip */
	LONGEST_SCALAR = 16, /* bytes that make_scalar() looks at, at most */
	FROM_MEMO = 0xff /* la_value.depth: complete, must not change */
};

enum opcode {
	OP_MARK = '(',
	OP_STOP = '.',
	OP_BINFLOAT = 'G',
	OP_BININT = 'J',
	OP_BININT1 = 'K',
	OP_BININT2 = 'M',
	OP_NONE = 'N',
	OP_BINSTRING = 'T',
	OP_SHORT_BINSTRING = 'U',
	OP_BINUNICODE = 'X',
	OP_APPEND = 'a',
	OP_APPENDS = 'e',
	OP_BINGET = 'h',
	OP_LONG_BINGET = 'j',
	OP_BINPUT = 'q',
	OP_LONG_BINPUT = 'r',
	OP_SETITEM = 's',
	OP_SETITEMS = 'u',
	OP_BINBYTES = 'B',
	OP_SHORT_BINBYTES = 'C',
	OP_TUPLE = 't',
	OP_EMPTY_TUPLE = ')',
	OP_EMPTY_LIST = ']',
	OP_EMPTY_DICT = '}',
	OP_PROTO = 0x80,
	OP_TUPLE1 = 0x85,
	OP_TUPLE2 = 0x86,
	OP_TUPLE3 = 0x87,
	OP_NEWTRUE = 0x88,
	OP_NEWFALSE = 0x89,
	OP_LONG1 = 0x8a,
	OP_LONG4 = 0x8b,
	OP_SHORT_BINUNICODE = 0x8c,
	OP_BINUNICODE8 = 0x8d,
	OP_BINBYTES8 = 0x8e,
	OP_EMPTY_SET = 0x8f,
	OP_ADDITEMS = 0x90,
	OP_FROZENSET = 0x91,
	OP_MEMOIZE = 0x94,
	OP_FRAME = 0x95,
};

/*
 * Opcodes that name or call code, or ask for something from outside: GLOBAL,
 * STACK_GLOBAL, REDUCE, BUILD, INST, OBJ, NEWOBJ, NEWOBJ_EX, EXT1, EXT2, EXT4,
 * PERSID, BINPERSID, BYTEARRAY8, NEXT_BUFFER, READONLY_BUFFER.
 */
static const uint8_t dangerous[] = "c\x93Rbio\x81\x92\x82\x83\x84PQ\x96\x97\x98";

struct machine {
	struct la_snapshot *snap;
	struct la_input *in;
	struct la_value *stack;
	size_t count, room;
	/* Of stack entries: where each open mark is, and its depth. */
	uint32_t marks[MOST_MARKS];
	unsigned int mark_count;
	/* Packed values, see pack(); 0: not set. */
	uint64_t *memo;
	size_t memo_end, memo_room;
	size_t memo_set; /* entries that are set */
	bool have_top, stop;
};

static int fail(struct machine *m, int code, const char *problem)
{
	return la_error_set(m->snap->err, code, m->snap->offset,
			    "%s at offset %" PRIu64, problem, m->snap->offset);
}

static int fail_memory(struct machine *m, int code)
{
	return fail(m, code,
		    code == -E2BIG ? "too large for the memory limit" :
				     "out of memory");
}

/* The input ended, or could not be read. */
static int fail_input(struct machine *m)
{
	const struct la_error *error = &m->in->error;

	if (!error->code)
		return -ENODATA;
	return la_error_set(m->snap->err, error->code, error->offset,
			    "%s at offset %" PRIu64, error->text,
			    error->offset);
}

/* The value on top of the stack, or NULL. */
static inline struct la_value *top(const struct machine *m)
{
	return m->count ? &m->stack[m->count - 1] : NULL;
}

static int grow_stack(struct machine *m)
{
	int err;

	if (m->count >= UINT32_MAX)
		return fail(m, -E2BIG, "too many values");
	err = la_budget_grow(&m->snap->budget, &m->stack, &m->room,
			     m->count + 1, sizeof(*m->stack));
	return err < 0 ? fail_memory(m, err) : 0;
}

/*
 * There is room: no opcode pushes more than one value, see step().  Values are
 * made in place, member by member: copying one that was just written waits for
 * the stores to drain.
 */
static inline void make(struct la_value *value, enum la_value_type type,
			uint64_t u)
{
	value->u = u;
	value->loop = 0;
	value->type = (uint8_t)type;
	value->role = LA_ROLE_NONE;
	value->depth = 0;
	value->name = LA_NAME_NONE;
}

static inline int push_plain(struct machine *m, enum la_value_type type,
			     uint64_t u)
{
	make(&m->stack[m->count++], type, u);
	return 0;
}

static int push(struct machine *m, const struct la_value *value)
{
	m->stack[m->count++] = *value;
	return 0;
}

/* Numbers; bytes of an operand are little-endian. */

static uint64_t little(const uint8_t *bytes, size_t size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | bytes[size];
	return value;
}

/* The same, in one load where the window goes on for eight bytes. */
static inline uint64_t read_little(const struct la_input *in,
				   const uint8_t *bytes, size_t size)
{
	uint64_t value;

	if (in->end - bytes < 8)
		return little(bytes, size);
	memcpy(&value, bytes, sizeof(value));
	value = le64toh(value);
	return size < 8 ? value & (((uint64_t)1 << 8 * size) - 1) : value;
}

static inline int push_signed(struct machine *m, uint64_t value)
{
	return push_plain(m,
			  value >> 63 ? LA_VALUE_NEGATIVE : LA_VALUE_INTEGER,
			  value);
}

/* A two's complement number of any length; `bytes` are in the window. */
static int push_long(struct machine *m, const uint8_t *bytes, size_t size)
{
	bool negative = size && bytes[size - 1] & 0x80;
	uint8_t fill = negative ? 0xff : 0;
	uint64_t value;

	while (size > 8 && bytes[size - 1] == fill)
		size--;
	if (size > 8)
		return push_plain(m, LA_VALUE_WIDE, 0);
	value = read_little(m->in, bytes, size);
	if (!negative)
		return push_plain(m, LA_VALUE_INTEGER, value);
	if (size < 8)
		value |= UINT64_MAX << 8 * size;
	if (!(value >> 63))
		return push_plain(m, LA_VALUE_WIDE, 0);
	return push_plain(m, LA_VALUE_NEGATIVE, value);
}

static int read_long(struct machine *m, uint64_t size)
{
	int err;

	if (size >= LA_INPUT_LOOKAHEAD) {
		if (!la_input_skip(m->in, size))
			return fail_input(m);
		return push_plain(m, LA_VALUE_WIDE, 0);
	}
	if (!la_input_has(m->in, size))
		return fail_input(m);
	err = push_long(m, m->in->p, size);
	m->in->p += size;
	return err;
}

static int read_long4(struct machine *m, uint64_t size)
{
	if (size >> 31)
		return fail(m, -EBADMSG, "integer of negative length");
	return read_long(m, size);
}

/* Strings. */

static int keep_text(struct machine *m, uint64_t size)
{
	uint64_t number = 0;
	size_t done = 0;
	char *text;
	int err = 0;

	if (size > MOST_TEXT)
		return fail(m, -E2BIG, "setting of more than 64 KiB");
	text = malloc(size + 1);
	if (!text)
		return fail_memory(m, -ENOMEM);
	while (done < size && err == 0) {
		size_t part = size - done;

		if (!la_input_has(m->in, 1)) {
			err = fail_input(m);
			break;
		}
		if (part > (size_t)(m->in->end - m->in->p))
			part = (size_t)(m->in->end - m->in->p);
		memcpy(text + done, m->in->p, part);
		m->in->p += part;
		done += part;
	}
	if (err == 0)
		err = la_snapshot_keep_text(m->snap, text, size, &number);
	free(text);
	return err < 0 ? err : push_plain(m, LA_VALUE_STRING, number);
}

static bool is_setting(const struct machine *m)
{
	const struct la_value *key = top(m);

	return key && key->type == LA_VALUE_STRING &&
	       key->name == LA_NAME_CONF;
}

static int read_string(struct machine *m, uint64_t size)
{
	enum la_name name = LA_NAME_NONE;
	struct la_input *in = m->in;

	if (size < LA_INPUT_LOOKAHEAD) {
		if (!la_input_has(in, size))
			return fail_input(m);
		name = la_schema_name(&m->snap->schema, in->p, size);
	}
	if (!name && is_setting(m))
		return keep_text(m, size);
	if (size <= (uint64_t)(in->end - in->p))
		in->p += size;
	else if (!la_input_skip(in, size))
		return fail_input(m);
	make(&m->stack[m->count], LA_VALUE_STRING, 0);
	m->stack[m->count++].name = (uint8_t)name;
	return 0;
}

static int read_bytes(struct machine *m, uint64_t size)
{
	if (!la_input_skip(m->in, size))
		return fail_input(m);
	return push_plain(m, LA_VALUE_BYTES, 0);
}

/* The place of the next value on the stack, which tells its role. */

struct place {
	enum la_role role;
	unsigned int depth;
};

static bool is_container(const struct la_value *value)
{
	return value->type >= LA_VALUE_LIST;
}

static enum la_role element_role(const struct la_value *list)
{
	return list->type == LA_VALUE_LIST ? la_element_role[list->role] :
					     LA_ROLE_NONE;
}

static enum la_role value_role(const struct machine *m,
			       const struct la_value *dict,
			       const struct la_value *key)
{
	const struct la_field *field =
		la_schema_field(&m->snap->schema, dict->role, key->name);

	return field && field->kind == LA_KIND_CHILD ? field->of :
						       LA_ROLE_NONE;
}

/* The container that owns the open mark, or NULL. */
static const struct la_value *mark_owner(const struct machine *m)
{
	size_t mark;

	if (!m->mark_count)
		return NULL;
	mark = m->marks[m->mark_count - 1];
	return mark && is_container(&m->stack[mark - 1]) ?
		       &m->stack[mark - 1] :
		       NULL;
}

static struct place place_in(const struct la_value *parent, enum la_role role)
{
	struct place place = { role, 0 };

	if (parent->depth != FROM_MEMO)
		place.depth = parent->depth + 1u;
	return place;
}

/*
 * After a key: the value of the dict below it (SETITEM), or of the owner of the
 * mark (SETITEMS).  Where both may be, the one that knows the key wins; taking
 * the value in checks the guess.
 */
static struct place place_after_key(const struct machine *m,
				    const struct la_value *key)
{
	const struct la_value *owner = mark_owner(m);
	const struct la_value *below = m->count > 1 ? key - 1 : NULL;
	struct place place = { LA_ROLE_NONE, 0 };
	size_t above;

	if (below && below->type == LA_VALUE_DICT) {
		place = place_in(below, value_role(m, below, key));
		if (place.role)
			return place;
	}
	if (!owner)
		return place;
	above = m->count - 1 - m->marks[m->mark_count - 1];
	if (owner->type == LA_VALUE_DICT && above % 2)
		return place_in(owner, value_role(m, owner, key));
	if (owner->type == LA_VALUE_LIST)
		return place_in(owner, element_role(owner));
	return place;
}

/* A list on top takes the next value in (APPEND), unless that is a list and
 * the one on top is a trace, which has none: then it is a sibling. */
static struct place find_place(const struct machine *m,
			       enum la_value_type type)
{
	const struct la_value *last = top(m), *owner;

	if (!last)
		return (struct place){ m->have_top ? LA_ROLE_NONE :
						     LA_ROLE_TOP,
				       0 };
	if (last->type == LA_VALUE_STRING)
		return place_after_key(m, last);
	if (last->type == LA_VALUE_LIST &&
	    !(last->role == LA_ROLE_TRACE && type == LA_VALUE_LIST))
		return place_in(last, element_role(last));
	owner = mark_owner(m);
	if (owner)
		return place_in(owner, element_role(owner));
	return (struct place){ LA_ROLE_NONE, m->mark_count / 2 };
}

static enum la_role role_of_type(enum la_role role, enum la_value_type type)
{
	switch (role) {
	case LA_ROLE_TOP:
		return type == LA_VALUE_LIST ? LA_ROLE_SEGMENTS :
		       type == LA_VALUE_DICT ? role :
					       LA_ROLE_NONE;
	case LA_ROLE_SEGMENTS:
	case LA_ROLE_BLOCKS:
	case LA_ROLE_TRACES:
	case LA_ROLE_TRACE:
		return type == LA_VALUE_LIST ? role : LA_ROLE_NONE;
	default:
		return type == LA_VALUE_DICT ? role : LA_ROLE_NONE;
	}
}

static int push_container(struct machine *m, enum la_value_type type)
{
	struct place place = find_place(m, type);
	struct la_value value = { .u = m->snap->offset,
				  .type = (uint8_t)type };

	if (place.depth > MOST_DEPTH)
		return fail(m, -E2BIG, "nested deeper than 64 containers");
	value.depth = (uint8_t)place.depth;
	value.role = (uint8_t)role_of_type(place.role, type);
	if (!m->count)
		m->have_top = true;
	if (value.role) {
		int err = la_snapshot_create(m->snap, &value);

		if (err < 0)
			return err;
	}
	return push(m, &value);
}

static int push_mark(struct machine *m)
{
	if (m->mark_count == MOST_MARKS)
		return fail(m, -E2BIG, "nested deeper than 64 containers");
	m->marks[m->mark_count++] = (uint32_t)m->count;
	return push_plain(m, LA_VALUE_MARK, 0);
}

/* The memo: 4 bits of type, 4 of role, 56 of identity or number. */

#define PACKED_BITS 56
#define PACKED_MASK (((uint64_t)1 << PACKED_BITS) - 1)

static int pack(struct machine *m, const struct la_value *value,
		uint64_t *packed)
{
	uint64_t u = value->u;

	if (value->type == LA_VALUE_STRING)
		u = u << 8 | value->name;
	else if (value->type == LA_VALUE_NEGATIVE)
		u &= PACKED_MASK;
	else if (value->type == LA_VALUE_TUPLE)
		u = u == LA_NO_PAIR ? PACKED_MASK : u;
	if (u > PACKED_MASK)
		return fail(m, -EBADMSG, "memo of a number above 56 bits");
	*packed = (uint64_t)(value->type << 4 | value->role) << PACKED_BITS |
		  u;
	return 0;
}

static inline void unpack(uint64_t packed, struct la_value *value)
{
	uint64_t u = packed & PACKED_MASK;

	value->loop = 0;
	value->type = (uint8_t)(packed >> PACKED_BITS >> 4);
	value->role = (uint8_t)(packed >> PACKED_BITS & 15);
	value->depth = FROM_MEMO;
	value->name = LA_NAME_NONE;
	value->u = u;
	if (value->type == LA_VALUE_STRING) {
		value->name = (uint8_t)u;
		value->u = u >> 8;
	} else if (value->type == LA_VALUE_NEGATIVE) {
		value->u = u | ~PACKED_MASK;
	} else if (value->type == LA_VALUE_TUPLE && u == PACKED_MASK) {
		value->u = LA_NO_PAIR;
	}
}

static int grow_memo(struct machine *m, uint64_t index)
{
	int err;

	if (index > m->memo_set + MEMO_SLACK)
		return fail(m, -EBADMSG, "memo index out of order");
	if (index >= m->memo_room) {
		err = la_budget_grow(&m->snap->budget, &m->memo, &m->memo_room,
				     index + 1, sizeof(*m->memo));
		if (err < 0)
			return fail_memory(m, err);
	}
	while (m->memo_end <= index)
		m->memo[m->memo_end++] = 0;
	return 0;
}

static int memo_put(struct machine *m, uint64_t index)
{
	const struct la_value *value = top(m);
	uint64_t packed = 0;
	int err;

	if (!value || value->type == LA_VALUE_MARK)
		return fail(m, -EBADMSG, "memo of nothing");
	err = pack(m, value, &packed);
	if (err < 0)
		return err;
	if (index >= m->memo_end) {
		err = grow_memo(m, index);
		if (err < 0)
			return err;
	}
	m->memo_set += !m->memo[index];
	m->memo[index] = packed;
	return 0;
}

static bool is_same(const struct la_value *a, const struct la_value *b)
{
	return a->type == b->type && a->role == b->role && a->u == b->u;
}

/*
 * Where on the stack, plus 1, the container is that the next value will end
 * up in and that is `value` itself; 0 if there is none.  Owners of marks, and
 * containers on top of each other that wait for APPEND or SETITEM.
 */
static uint32_t find_loop(const struct machine *m,
			  const struct la_value *value)
{
	size_t i, at = m->count, steps;

	for (i = m->mark_count; i-- > 0;)
		if (m->marks[i] && is_same(&m->stack[m->marks[i] - 1], value))
			return m->marks[i];
	for (steps = 0; at && steps < MOST_DEPTH; steps++) {
		if (m->stack[at - 1].type == LA_VALUE_STRING && at > 1 &&
		    m->stack[at - 2].type == LA_VALUE_DICT)
			at--;
		else if (m->stack[at - 1].type != LA_VALUE_LIST)
			break;
		if (is_same(&m->stack[at - 1], value))
			return (uint32_t)at;
		at--;
	}
	return 0;
}

/*
 * A container once more: another one of its role, else of no interest.  Roles
 * nest in one order, so one in a place of its own role cannot hold itself.
 */
static int get_again(struct machine *m, struct la_value *value)
{
	if (value->role && find_place(m, value->type).role == value->role)
		return la_snapshot_copy(m->snap, value);
	value->loop = find_loop(m, value);
	value->role = LA_ROLE_NONE;
	return 0;
}

static int memo_get(struct machine *m, uint64_t index)
{
	struct la_value *value = &m->stack[m->count];
	int err = 0;

	if (index >= m->memo_end || !m->memo[index])
		return fail(m, -EBADMSG, "memo index that was never set");
	unpack(m->memo[index], value);
	if (is_container(value))
		err = get_again(m, value);
	m->count++;
	return err;
}

/* The commonest of them: a string that is not kept. */
static inline bool get_scalar(const struct machine *m, uint64_t index,
			      struct la_value *value)
{
	uint64_t packed;

	if (index >= m->memo_end)
		return false;
	packed = m->memo[index];
	if (packed >> 8 != (uint64_t)LA_VALUE_STRING << (PACKED_BITS + 4 - 8))
		return false;
	make(value, LA_VALUE_STRING, 0);
	value->name = (uint8_t)packed;
	return true;
}

/* Taking values in. */

static int pop_mark(struct machine *m, size_t *first)
{
	if (!m->mark_count)
		return fail(m, -EBADMSG, "no mark on the stack");
	*first = m->marks[--m->mark_count] + (size_t)1;
	return 0;
}

/* The items above `first` go into the container at `at`. */
static int check_items(struct machine *m, size_t at, size_t first)
{
	struct la_value *container = &m->stack[at];
	size_t i;

	if (container->depth == FROM_MEMO)
		return fail(m, -EBADMSG,
			    "container changed after it was complete");
	for (i = first; i < m->count; i++) {
		const struct la_value *item = &m->stack[i];

		if (item->type < LA_VALUE_TUPLE)
			continue;
		if (item->role && !container->role)
			return fail(m, -EBADMSG,
				    "part of a snapshot in an unexpected place");
		if (item->loop == at + 1)
			return fail(m, -EBADMSG, "container within itself");
		if (item->loop && (!container->loop ||
				   item->loop < container->loop))
			container->loop = item->loop;
	}
	return 0;
}

static int append(struct machine *m, size_t at, size_t first)
{
	struct la_value *list = &m->stack[at];
	int err;

	if (list->type != LA_VALUE_LIST)
		return fail(m, -EBADMSG, "items for what is not a list");
	err = check_items(m, at, first);
	if (err == 0 && list->role)
		err = la_snapshot_append(m->snap, list, m->stack + first,
					 m->count - first);
	m->count = at + 1;
	return err;
}

static int set_items(struct machine *m, size_t at, size_t first)
{
	struct la_value *dict = &m->stack[at];
	size_t count = m->count - first;
	int err;

	if (dict->type != LA_VALUE_DICT)
		return fail(m, -EBADMSG, "items for what is not a dict");
	if (count % 2)
		return fail(m, -EBADMSG, "key without a value");
	err = check_items(m, at, first);
	if (err == 0 && dict->role)
		err = la_snapshot_set(m->snap, dict, m->stack + first, count);
	m->count = at + 1;
	return err;
}

static int add_items(struct machine *m, size_t at, size_t first)
{
	int err;

	if (m->stack[at].type != LA_VALUE_SET)
		return fail(m, -EBADMSG, "items for what is not a set");
	err = check_items(m, at, first);
	m->count = at + 1;
	return err;
}

/* The container below the last mark takes in what is above it. */
static int take_marked(struct machine *m,
		       int (*take)(struct machine *m, size_t at, size_t first))
{
	size_t first = 0;
	int err = pop_mark(m, &first);

	if (err < 0)
		return err;
	if (first < 2)
		return fail(m, -EBADMSG, "mark without a container");
	return take(m, first - 2, first);
}

/* The container below the last `count` values takes them in. */
static int take_last(struct machine *m, size_t count,
		     int (*take)(struct machine *m, size_t at, size_t first))
{
	size_t bottom = 0;

	if (m->mark_count)
		bottom = m->marks[m->mark_count - 1] + (size_t)1;
	if (m->count < bottom + count + 1)
		return fail(m, -EBADMSG, "too few values on the stack");
	return take(m, m->count - count - 1, m->count - count);
}

/* The `count` values on top become one tuple or frozenset. */
static int gather(struct machine *m, enum la_value_type type, size_t first)
{
	struct la_value value = { .u = LA_NO_PAIR, .type = (uint8_t)type };
	const struct la_value *item = m->stack + first;
	size_t count = m->count - first, i;
	uint32_t number;
	int err;

	for (i = 0; i < count; i++) {
		if (item[i].role)
			return fail(m, -EBADMSG,
				    "part of a snapshot in an unexpected place");
		if (item[i].loop && (!value.loop || item[i].loop < value.loop))
			value.loop = item[i].loop;
	}
	if (type == LA_VALUE_SET) {
		value.u = m->snap->offset;
	} else if (count == 2 && item[0].type == LA_VALUE_INTEGER &&
		   item[1].type == LA_VALUE_INTEGER) {
		err = la_pairs_intern(&m->snap->pools, &m->snap->budget,
				      item[0].u, item[1].u, &number);
		if (err < 0)
			return fail_memory(m, err);
		value.u = number;
	}
	m->count = first;
	return push(m, &value);
}

static int gather_marked(struct machine *m, enum la_value_type type)
{
	size_t first = 0;
	int err = pop_mark(m, &first);

	if (err < 0)
		return err;
	err = gather(m, type, first);
	if (err < 0)
		return err;
	m->stack[first - 1] = m->stack[first];
	m->count = first;
	return 0;
}

static int gather_last(struct machine *m, size_t count)
{
	size_t bottom = 0;

	if (m->mark_count)
		bottom = m->marks[m->mark_count - 1] + (size_t)1;
	if (m->count < bottom + count)
		return fail(m, -EBADMSG, "too few values on the stack");
	return gather(m, LA_VALUE_TUPLE, m->count - count);
}

static int refuse(struct machine *m, uint8_t opcode)
{
	bool runs = memchr(dangerous, opcode, sizeof(dangerous) - 1);

	return la_error_set(m->snap->err, -EBADMSG, m->snap->offset,
			    "opcode 0x%02x at offset %" PRIu64 "%s", opcode,
			    m->snap->offset,
			    runs ? " could run code" :
				   " does not occur in snapshots");
}

static int check_protocol(struct machine *m, uint64_t protocol)
{
	if (protocol > HIGHEST_PROTOCOL)
		return fail(m, -EBADMSG, "pickle protocol above 5");
	return 0;
}

static int stop(struct machine *m)
{
	if (m->count != 1 || m->mark_count)
		return fail(m, -EBADMSG, "end of the pickle amid a value");
	m->stop = true;
	return la_snapshot_finish(m->snap, &m->stack[0]);
}

static int push_int32(struct machine *m, uint64_t value)
{
	return push_signed(m, (uint64_t)(int64_t)(int32_t)value);
}

static int push_integer(struct machine *m, uint64_t value)
{
	return push_plain(m, LA_VALUE_INTEGER, value);
}

static int push_float(struct machine *m, uint64_t value)
{
	(void)value; /* no float of a snapshot is of interest */
	return push_plain(m, LA_VALUE_FLOAT, 0);
}

/* The length of a frame says nothing that its opcodes do not say. */
static int enter_frame(struct machine *m, uint64_t size)
{
	(void)m;
	(void)size;
	return 0;
}

/*
 * Take the operand of `size` bytes that follows the opcode, and act.  Inlined
 * with constants: the next opcode is then found without waiting for this one.
 */
__attribute__((always_inline)) static inline int
with(struct machine *m, size_t size, int (*act)(struct machine *m, uint64_t))
{
	struct la_input *in = m->in;
	uint64_t operand;

	if (!la_input_has(in, size))
		return fail_input(m);
	operand = read_little(in, in->p, size);
	in->p += size;
	return act(m, operand);
}

static inline int execute_operand(struct machine *m, uint8_t opcode)
{
	switch (opcode) {
	case OP_PROTO:
		return with(m, 1, check_protocol);
	case OP_FRAME:
		return with(m, 8, enter_frame);
	case OP_BINGET:
		return with(m, 1, memo_get);
	case OP_LONG_BINGET:
		return with(m, 4, memo_get);
	case OP_BINPUT:
		return with(m, 1, memo_put);
	case OP_LONG_BINPUT:
		return with(m, 4, memo_put);
	case OP_BININT1:
		return with(m, 1, push_integer);
	case OP_BININT2:
		return with(m, 2, push_integer);
	case OP_BININT:
		return with(m, 4, push_int32);
	case OP_LONG1:
		return with(m, 1, read_long);
	case OP_LONG4:
		return with(m, 4, read_long4);
	case OP_BINFLOAT:
		return with(m, 8, push_float);
	case OP_SHORT_BINSTRING:
	case OP_SHORT_BINUNICODE:
		return with(m, 1, read_string);
	case OP_BINSTRING:
	case OP_BINUNICODE:
		return with(m, 4, read_string);
	case OP_BINUNICODE8:
		return with(m, 8, read_string);
	case OP_SHORT_BINBYTES:
		return with(m, 1, read_bytes);
	case OP_BINBYTES:
		return with(m, 4, read_bytes);
	case OP_BINBYTES8:
		return with(m, 8, read_bytes);
	default:
		return refuse(m, opcode);
	}
}

static inline int execute(struct machine *m, uint8_t opcode)
{
	switch (opcode) {
	case OP_STOP:
		return stop(m);
	case OP_MARK:
		return push_mark(m);
	case OP_MEMOIZE:
		return memo_put(m, m->memo_set);
	case OP_EMPTY_DICT:
		return push_container(m, LA_VALUE_DICT);
	case OP_EMPTY_LIST:
		return push_container(m, LA_VALUE_LIST);
	case OP_EMPTY_SET:
		return push_container(m, LA_VALUE_SET);
	case OP_SETITEM:
		return take_last(m, 2, set_items);
	case OP_SETITEMS:
		return take_marked(m, set_items);
	case OP_APPEND:
		return take_last(m, 1, append);
	case OP_APPENDS:
		return take_marked(m, append);
	case OP_ADDITEMS:
		return take_marked(m, add_items);
	case OP_NONE:
		return push_plain(m, LA_VALUE_NONE, 0);
	case OP_NEWTRUE:
		return push_plain(m, LA_VALUE_BOOL, 1);
	case OP_NEWFALSE:
		return push_plain(m, LA_VALUE_BOOL, 0);
	case OP_EMPTY_TUPLE:
		return gather_last(m, 0);
	case OP_TUPLE1:
		return gather_last(m, 1);
	case OP_TUPLE2:
		return gather_last(m, 2);
	case OP_TUPLE3:
		return gather_last(m, 3);
	case OP_TUPLE:
		return gather_marked(m, LA_VALUE_TUPLE);
	case OP_FROZENSET:
		return gather_marked(m, LA_VALUE_SET);
	default:
		return execute_operand(m, opcode);
	}
}

/* A number of one to eight bytes that is not negative; its length, or 0. */
static inline size_t make_long(const uint8_t *p, struct la_value *value)
{
	unsigned int size = p[1];
	uint64_t number;

	if (size - 1 > 7 || p[1 + size] & 0x80)
		return 0;
	memcpy(&number, p + 2, sizeof(number));
	number = le64toh(number) << (64 - 8 * size);
	make(value, LA_VALUE_INTEGER, number >> (64 - 8 * size));
	return 2 + size;
}

/* The scalar that an opcode makes and the opcode's length, 0: ask step(). */
static inline size_t make_scalar(const struct machine *m, const uint8_t *p,
				 struct la_value *value)
{
	uint32_t operand;

	memcpy(&operand, p + 1, sizeof(operand));
	operand = le32toh(operand);
	if (*p == OP_LONG_BINGET)
		return get_scalar(m, operand, value) ? 5 : 0;
	switch (*p) {
	case OP_BINGET:
		return get_scalar(m, operand & 0xff, value) ? 2 : 0;
	case OP_LONG1:
		return make_long(p, value);
	case OP_BININT1:
		make(value, LA_VALUE_INTEGER, operand & 0xff);
		return 2;
	case OP_BININT2:
		make(value, LA_VALUE_INTEGER, operand & 0xffff);
		return 3;
	case OP_BININT:
		make(value, LA_VALUE_INTEGER, operand);
		return operand >> 31 ? 0 : 5;
	default:
		return 0;
	}
}

/*
 * Keys, numbers and known words, which make up nearly all of a snapshot, with
 * the machine's state in registers.  Stops at anything else.
 */
static void push_scalars(struct machine *m)
{
	const uint8_t *p = m->in->p, *end = m->in->end;
	struct la_value *value = m->stack + m->count;
	const struct la_value *full = m->stack + m->room;
	size_t size;

	while (end - p >= LONGEST_SCALAR && value < full) {
		size = make_scalar(m, p, value);
		if (!size)
			break;
		p += size;
		value++;
	}
	m->in->p = p;
	m->count = (size_t)(value - m->stack);
}

static inline int step(struct machine *m)
{
	struct la_input *in = m->in;
	int err;

	push_scalars(m);
	m->snap->offset = la_input_offset(in);
	if (m->count == m->room) {
		err = grow_stack(m);
		if (err < 0)
			return err;
	}
	if (!la_input_has(in, 1))
		return fail_input(m);
	return execute(m, *in->p++);
}

static int run(struct machine *m)
{
	int err = grow_stack(m);

	if (err < 0)
		return err;
	if (!la_input_has(m->in, 1))
		return fail_input(m);
	if (*m->in->p != OP_PROTO)
		return la_error_set(m->snap->err, -EBADMSG, 0,
				    "not a pickle of protocol 2 or later");
	while (!m->stop && err == 0)
		err = step(m);
	if (err == 0 && !la_input_drain(m->in))
		err = fail_input(m);
	return err;
}

int la_pickle_read(struct la_snapshot *snap, struct la_input *in, bool partial,
		   bool *truncated)
{
	struct machine m = { .snap = snap, .in = in };
	int err = run(&m);

	free(m.stack);
	free(m.memo);
	if (err != -ENODATA)
		return err;
	if (!partial) {
		uint64_t end = in->base + (uint64_t)(in->end - in->start);

		return la_error_set(snap->err, -EBADMSG, end,
				    "truncated at offset %" PRIu64
				    "; --partial uses what is there",
				    end);
	}
	la_snapshot_cut(snap);
	*truncated = true;
	return 0;
}
