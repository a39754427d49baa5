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

#include "trace/flat.h"
#include "trace/machine.h"
#include "trace/opcode.h"
#include "trace/pickle.h"
#include "util/error.h"

enum {
	HIGHEST_PROTOCOL = 5,
	MOST_TEXT = 64 << 10 /* bytes of a string that is kept */
};

/*
 * Opcodes that name or call code, or ask for something from outside: GLOBAL,
 * STACK_GLOBAL, REDUCE, BUILD, INST, OBJ, NEWOBJ, NEWOBJ_EX, EXT1, EXT2, EXT4,
 * PERSID, BINPERSID, BYTEARRAY8, NEXT_BUFFER, READONLY_BUFFER.
 */
static const uint8_t dangerous[] =
	"c\x93Rbio\x81\x92\x82\x83\x84PQ\x96\x97\x98";

int la_machine_fail(struct la_machine *m, int code, const char *problem)
{
	return la_error_set(m->snap->err, code, m->snap->offset,
			    "%s at offset %" PRIu64, problem, m->snap->offset);
}

int la_machine_fail_memory(struct la_machine *m, int code)
{
	return la_machine_fail(m, code,
			       code == -E2BIG ?
				       "too large for the memory limit" :
				       "out of memory");
}

/* The input ended, or could not be read. */
static int fail_input(struct la_machine *m)
{
	const struct la_error *error = &m->in->error;

	if (!error->code)
		return -ENODATA;
	return la_error_set(m->snap->err, error->code, error->offset,
			    "%s at offset %" PRIu64, error->text,
			    error->offset);
}

static int grow_stack(struct la_machine *m)
{
	int err;

	if (m->count >= UINT32_MAX)
		return la_machine_fail(m, -E2BIG, "too many values");
	err = la_budget_grow(&m->snap->budget, &m->stack, &m->room,
			     m->count + 1, sizeof(*m->stack));
	return err < 0 ? la_machine_fail_memory(m, err) : 0;
}

/* There is room: no opcode pushes more than one value, see step(). */
static inline int push_plain(struct la_machine *m, enum la_value_type type,
			     uint64_t u)
{
	la_value_make(&m->stack[m->count++], type, u);
	return 0;
}

static int push(struct la_machine *m, const struct la_value *value)
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

static inline int push_signed(struct la_machine *m, uint64_t value)
{
	return push_plain(m, value >> 63 ? LA_VALUE_NEGATIVE : LA_VALUE_INTEGER,
			  value);
}

/* A two's complement number of any length; `bytes` are in the window. */
static int push_long(struct la_machine *m, const uint8_t *bytes, size_t size)
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

static int read_long(struct la_machine *m, uint64_t size)
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

static int read_long4(struct la_machine *m, uint64_t size)
{
	if (size >> 31)
		return la_machine_fail(m, -EBADMSG,
				       "integer of negative length");
	return read_long(m, size);
}

/* Strings. */

static int keep_text(struct la_machine *m, uint64_t size)
{
	uint32_t number = 0;
	size_t done = 0;
	char *text;
	int err = 0;

	text = calloc(1, size + 1);
	if (!text)
		return la_machine_fail_memory(m, -ENOMEM);
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
		err = la_snapshot_keep_text(m->snap, text, size,
					    la_machine_in_settings(m), &number);
	free(text);
	return err < 0 ? err : push_plain(m, LA_VALUE_STRING, number);
}

/* Is the next string one of allocator_settings, of a frame, or the name of an
 * annotation? */
static bool is_wanted(const struct la_machine *m, uint64_t size)
{
	const struct la_value *key = la_machine_top(m);

	if (size > MOST_TEXT)
		return false;
	return la_machine_in_settings(m) ||
	       (key && key->type == LA_VALUE_STRING &&
		(key->name == LA_NAME_FUNCTION || key->name == LA_NAME_FILE));
}

static int read_string(struct la_machine *m, uint64_t size)
{
	enum la_name name = LA_NAME_NONE;
	struct la_input *in = m->in;

	if (size < LA_INPUT_LOOKAHEAD) {
		if (!la_input_has(in, size))
			return fail_input(m);
		name = la_schema_name(&m->snap->schema, in->p, size);
	}
	if (!name && is_wanted(m, size))
		return keep_text(m, size);
	if (size <= (uint64_t)(in->end - in->p))
		in->p += size;
	else if (!la_input_skip(in, size))
		return fail_input(m);
	la_value_make(&m->stack[m->count], LA_VALUE_STRING, 0);
	m->stack[m->count++].name = (uint8_t)name;
	return 0;
}

static int read_bytes(struct la_machine *m, uint64_t size)
{
	if (!la_input_skip(m->in, size))
		return fail_input(m);
	return push_plain(m, LA_VALUE_BYTES, 0);
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
	case LA_ROLE_ANNOTATIONS:
	case LA_ROLE_FRAMES:
		return type == LA_VALUE_LIST ? role : LA_ROLE_NONE;
	default:
		return type == LA_VALUE_DICT ? role : LA_ROLE_NONE;
	}
}

static int push_container(struct la_machine *m, enum la_value_type type)
{
	struct la_place place = la_machine_place(m, type);
	struct la_value value = { .u = m->snap->offset, .type = (uint8_t)type };

	if (place.depth > LA_MOST_DEPTH)
		return la_machine_fail(m, -E2BIG,
				       "nested deeper than 64 containers");
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

static int push_mark(struct la_machine *m)
{
	if (m->mark_count == LA_MOST_MARKS)
		return la_machine_fail(m, -E2BIG,
				       "nested deeper than 64 containers");
	m->marks[m->mark_count++] = (uint32_t)m->count;
	return push_plain(m, LA_VALUE_MARK, 0);
}

/* Taking values in. */

static int pop_mark(struct la_machine *m, size_t *first)
{
	if (!m->mark_count)
		return la_machine_fail(m, -EBADMSG, "no mark on the stack");
	*first = m->marks[--m->mark_count] + (size_t)1;
	return 0;
}

/* A container goes into the one at `at`. */
static int check_item(struct la_machine *m, size_t at,
		      const struct la_value *item)
{
	struct la_value *container = &m->stack[at];

	if (la_role_is_strict(item->role) && !container->role)
		return la_machine_fail(
			m, -EBADMSG,
			"part of a snapshot in an unexpected place");
	if (item->loop == at + 1)
		return la_machine_fail(m, -EBADMSG, "container within itself");
	if (item->loop && (!container->loop || item->loop < container->loop))
		container->loop = item->loop;
	return 0;
}

/* The items above `first` go into the container at `at`. */
static int check_items(struct la_machine *m, size_t at, size_t first)
{
	const struct la_value *item = m->stack + first;
	const struct la_value *end = m->stack + m->count;
	uint8_t role = m->stack[at].role;
	int err = 0;

	if (m->stack[at].depth == LA_FROM_MEMO)
		return la_machine_fail(
			m, -EBADMSG, "container changed after it was complete");
	for (; item < end && err == 0; item++)
		if (item->loop || (item->role && !role))
			err = check_item(m, at, item);
	return err;
}

static int append(struct la_machine *m, size_t at, size_t first)
{
	struct la_value *list = &m->stack[at];
	int err;

	if (list->type != LA_VALUE_LIST)
		return la_machine_fail(m, -EBADMSG,
				       "items for what is not a list");
	err = check_items(m, at, first);
	if (err == 0 && list->role)
		err = la_snapshot_append(m->snap, list, m->stack + first,
					 m->count - first);
	m->count = at + 1;
	return err;
}

static int set_items(struct la_machine *m, size_t at, size_t first)
{
	struct la_value *dict = &m->stack[at];
	size_t count = m->count - first;
	int err;

	if (dict->type != LA_VALUE_DICT)
		return la_machine_fail(m, -EBADMSG,
				       "items for what is not a dict");
	if (count % 2)
		return la_machine_fail(m, -EBADMSG, "key without a value");
	err = check_items(m, at, first);
	if (err == 0 && dict->role)
		err = la_snapshot_set(m->snap, dict, m->stack + first, count);
	m->count = at + 1;
	return err;
}

static int add_items(struct la_machine *m, size_t at, size_t first)
{
	int err;

	if (m->stack[at].type != LA_VALUE_SET)
		return la_machine_fail(m, -EBADMSG,
				       "items for what is not a set");
	err = check_items(m, at, first);
	m->count = at + 1;
	return err;
}

/* The container below the last mark takes in what is above it. */
static int take_marked(struct la_machine *m,
		       int (*take)(struct la_machine *m, size_t at,
				   size_t first))
{
	size_t first = 0;
	int err = pop_mark(m, &first);

	if (err < 0)
		return err;
	if (first < 2)
		return la_machine_fail(m, -EBADMSG, "mark without a container");
	return take(m, first - 2, first);
}

/* The container below the last `count` values takes them in. */
static int take_last(struct la_machine *m, size_t count,
		     int (*take)(struct la_machine *m, size_t at, size_t first))
{
	size_t bottom = 0;

	if (m->mark_count)
		bottom = m->marks[m->mark_count - 1] + (size_t)1;
	if (m->count < bottom + count + 1)
		return la_machine_fail(m, -EBADMSG,
				       "too few values on the stack");
	return take(m, m->count - count - 1, m->count - count);
}

/* The `count` values on top become one tuple or frozenset. */
static int gather(struct la_machine *m, enum la_value_type type, size_t first)
{
	struct la_value value = { .u = LA_NO_PAIR, .type = (uint8_t)type };
	const struct la_value *item = m->stack + first;
	size_t count = m->count - first, i;
	uint32_t number;
	int err;

	for (i = 0; i < count; i++) {
		if (la_role_is_strict(item[i].role))
			return la_machine_fail(
				m, -EBADMSG,
				"part of a snapshot in an unexpected place");
		if (item[i].loop && (!value.loop || item[i].loop < value.loop))
			value.loop = item[i].loop;
	}
	if (type == LA_VALUE_SET) {
		value.u = m->snap->offset;
	} else if (count == 2 && item[0].type == LA_VALUE_INTEGER &&
		   item[1].type == LA_VALUE_INTEGER) {
		err = la_pairs_intern(&m->snap->tuples, &m->snap->budget,
				      item[0].u, item[1].u, &number);
		if (err < 0)
			return la_machine_fail_memory(m, err);
		value.u = number;
	}
	m->count = first;
	return push(m, &value);
}

static int gather_marked(struct la_machine *m, enum la_value_type type)
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

static int gather_last(struct la_machine *m, size_t count)
{
	size_t bottom = 0;

	if (m->mark_count)
		bottom = m->marks[m->mark_count - 1] + (size_t)1;
	if (m->count < bottom + count)
		return la_machine_fail(m, -EBADMSG,
				       "too few values on the stack");
	return gather(m, LA_VALUE_TUPLE, m->count - count);
}

static int refuse(struct la_machine *m, uint8_t opcode)
{
	bool runs = memchr(dangerous, opcode, sizeof(dangerous) - 1);

	return la_error_set(m->snap->err, -EBADMSG, m->snap->offset,
			    "opcode 0x%02x at offset %" PRIu64 "%s", opcode,
			    m->snap->offset,
			    runs ? " could run code" :
				   " does not occur in snapshots");
}

static int check_protocol(struct la_machine *m, uint64_t protocol)
{
	if (protocol > HIGHEST_PROTOCOL)
		return la_machine_fail(m, -EBADMSG, "pickle protocol above 5");
	return 0;
}

static int stop(struct la_machine *m)
{
	if (m->count != 1 || m->mark_count)
		return la_machine_fail(m, -EBADMSG,
				       "end of the pickle amid a value");
	m->stop = true;
	return la_snapshot_finish(m->snap, &m->stack[0]);
}

static int push_int32(struct la_machine *m, uint64_t value)
{
	return push_signed(m, (uint64_t)(int64_t)(int32_t)value);
}

static int push_integer(struct la_machine *m, uint64_t value)
{
	return push_plain(m, LA_VALUE_INTEGER, value);
}

/* Its bytes are big-endian. */
static int push_float(struct la_machine *m, uint64_t value)
{
	return push_plain(m, LA_VALUE_FLOAT, __builtin_bswap64(value));
}

/* The length of a frame says nothing that its opcodes do not say. */
static int enter_frame(struct la_machine *m, uint64_t size)
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
with(struct la_machine *m, size_t size,
     int (*act)(struct la_machine *m, uint64_t))
{
	struct la_input *in = m->in;
	uint64_t operand;

	if (!la_input_has(in, size))
		return fail_input(m);
	operand = read_little(in, in->p, size);
	in->p += size;
	return act(m, operand);
}

static inline int execute_operand(struct la_machine *m, uint8_t opcode)
{
	switch (opcode) {
	case LA_OP_PROTO:
		return with(m, 1, check_protocol);
	case LA_OP_FRAME:
		return with(m, 8, enter_frame);
	case LA_OP_BINGET:
		return with(m, 1, la_memo_get);
	case LA_OP_LONG_BINGET:
		return with(m, 4, la_memo_get);
	case LA_OP_BINPUT:
		return with(m, 1, la_memo_put);
	case LA_OP_LONG_BINPUT:
		return with(m, 4, la_memo_put);
	case LA_OP_BININT1:
		return with(m, 1, push_integer);
	case LA_OP_BININT2:
		return with(m, 2, push_integer);
	case LA_OP_BININT:
		return with(m, 4, push_int32);
	case LA_OP_LONG1:
		return with(m, 1, read_long);
	case LA_OP_LONG4:
		return with(m, 4, read_long4);
	case LA_OP_BINFLOAT:
		return with(m, 8, push_float);
	case LA_OP_SHORT_BINSTRING:
	case LA_OP_SHORT_BINUNICODE:
		return with(m, 1, read_string);
	case LA_OP_BINSTRING:
	case LA_OP_BINUNICODE:
		return with(m, 4, read_string);
	case LA_OP_BINUNICODE8:
		return with(m, 8, read_string);
	case LA_OP_SHORT_BINBYTES:
		return with(m, 1, read_bytes);
	case LA_OP_BINBYTES:
		return with(m, 4, read_bytes);
	case LA_OP_BINBYTES8:
		return with(m, 8, read_bytes);
	default:
		return refuse(m, opcode);
	}
}

static inline int execute(struct la_machine *m, uint8_t opcode)
{
	switch (opcode) {
	case LA_OP_STOP:
		return stop(m);
	case LA_OP_MARK:
		return push_mark(m);
	case LA_OP_MEMOIZE:
		return la_memo_put(m, m->memo_set);
	case LA_OP_EMPTY_DICT:
		return push_container(m, LA_VALUE_DICT);
	case LA_OP_EMPTY_LIST:
		return push_container(m, LA_VALUE_LIST);
	case LA_OP_EMPTY_SET:
		return push_container(m, LA_VALUE_SET);
	case LA_OP_SETITEM:
		return take_last(m, 2, set_items);
	case LA_OP_SETITEMS:
		return take_marked(m, set_items);
	case LA_OP_APPEND:
		return take_last(m, 1, append);
	case LA_OP_APPENDS:
		return take_marked(m, append);
	case LA_OP_ADDITEMS:
		return take_marked(m, add_items);
	case LA_OP_NONE:
		return push_plain(m, LA_VALUE_NONE, 0);
	case LA_OP_NEWTRUE:
		return push_plain(m, LA_VALUE_BOOL, 1);
	case LA_OP_NEWFALSE:
		return push_plain(m, LA_VALUE_BOOL, 0);
	case LA_OP_EMPTY_TUPLE:
		return gather_last(m, 0);
	case LA_OP_TUPLE1:
		return gather_last(m, 1);
	case LA_OP_TUPLE2:
		return gather_last(m, 2);
	case LA_OP_TUPLE3:
		return gather_last(m, 3);
	case LA_OP_TUPLE:
		return gather_marked(m, LA_VALUE_TUPLE);
	case LA_OP_FROZENSET:
		return gather_marked(m, LA_VALUE_SET);
	default:
		return execute_operand(m, opcode);
	}
}

/* The scalar that an opcode makes and the opcode's length, 0: ask step(). */
static inline size_t make_scalar(const struct la_machine *m, const uint8_t *p,
				 struct la_value *value)
{
	uint64_t number = 0;
	size_t size = la_opcode_get(p, &number);

	if (size)
		return la_memo_get_word(m, number, value) ? size : 0;
	size = la_opcode_number(p, &number);
	if (size)
		la_value_make(value, LA_VALUE_INTEGER, number);
	return size;
}

/*
 * Keys, numbers and known words, which make up nearly all of a snapshot, with
 * the machine's state in registers.  Stops at anything else.
 */
static void push_scalars(struct la_machine *m)
{
	const uint8_t *p = m->in->p, *end = m->in->end;
	struct la_value *value = m->stack + m->count;
	const struct la_value *full = m->stack + m->room;
	size_t size;

	while (end - p >= LA_OPCODE_REACH && value < full) {
		size = make_scalar(m, p, value);
		if (!size)
			break;
		p += size;
		value++;
	}
	m->in->p = p;
	m->count = (size_t)(value - m->stack);
}

/* The opcodes that make_scalar() knows. */
static const bool scalars[256] = {
	[LA_OP_BINGET] = true,	[LA_OP_LONG_BINGET] = true,
	[LA_OP_LONG1] = true,	[LA_OP_BININT1] = true,
	[LA_OP_BININT2] = true, [LA_OP_BININT] = true,
};

static inline int step(struct la_machine *m)
{
	struct la_input *in = m->in;
	int err;

	if (in->p < in->end && scalars[*in->p])
		push_scalars(m);
	if (in->p < in->end && *in->p == LA_OP_EMPTY_DICT) {
		err = la_flat_read(m);
		if (err < 0)
			return err;
	}
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

static int run(struct la_machine *m)
{
	int err = grow_stack(m);

	if (err < 0)
		return err;
	if (!la_input_has(m->in, 1))
		return fail_input(m);
	if (*m->in->p != LA_OP_PROTO)
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
	struct la_machine m = { .snap = snap, .in = in };
	int err = run(&m);
	uint64_t end;

	free(m.stack);
	free(m.memo);
	if (err != -ENODATA)
		return err;
	end = in->base + (uint64_t)(in->end - in->start);
	if (!end)
		return la_error_set(snap->err, -EBADMSG, 0,
				    "the file is empty");
	if (!partial)
		return la_error_set(snap->err, -EBADMSG, end,
				    "truncated at offset %" PRIu64
				    "; --partial uses what is there",
				    end);
	la_snapshot_cut(snap);
	*truncated = true;
	return 0;
}
