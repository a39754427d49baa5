// SPDX-License-Identifier: Apache-2.0
/*
 * Nearly all of a snapshot are events, and nearly all events are flat: dicts
 * whose keys the memo knows, and whose values are numbers, short strings,
 * values of the memo and lists of such.  They, and blocks, are read here with
 * neither the stack nor any step of the machine.
 *
 * This is a short cut and no second reader.  It does exactly what the opcodes
 * would do, one by one, and takes only dicts that are whole in the window,
 * without fault, and for which the stack, the memo and the tables have room.
 * Anything else is left, from the start of the dict, to the machine, which
 * alone grows memory, refuses and fails.  So nothing done here may outlive a
 * dict that is left: entries of the memo count once the dict is complete.
 *
 * Every open container around the list of the last mark has a role (see
 * place.c), and what is taken from the memo here has none, or is a frame or a
 * list of frames, so no container can come to be within itself.
 */
#include "trace/flat.h"
#include "trace/opcode.h"

/* What to do with the value of a key; what is rare is last. */
enum use { USE_NUMBER, USE_STREAM, USE_NAME, USE_NONE, USE_PAIR, USE_FRAMES };

/*
 * A key, learnt from the dict before that had it at the same place: opcode and
 * operand are not looked up again.  No entry of the memo changes meanwhile.
 */
struct key {
	uint64_t bytes; /* opcode and operand */
	uint64_t mask; /* of the bytes that count */
	uint64_t most; /* that the number may be */
	uint64_t *value; /* where it goes: a slot of the object */
	const struct la_field *field; /* NULL: of no interest */
	uint8_t size; /* bytes of opcode and operand */
	uint16_t seen; /* bit in struct la_object */
	uint8_t use; /* enum use */
};

enum {
	KEYS = 16, /* a dict of more is left to the machine */
	FRAMES = 256 /* a list of more likewise */
};

/* What the dicts of one list share. */
struct kin {
	struct key keys[KEYS + 1]; /* by place in the dict; the last: never */
	uint8_t role, depth; /* see struct la_value */
};

struct flat {
	struct la_snapshot *snap;
	const struct la_machine *m;
	struct la_object *object;
	struct kin *kin;
	const uint8_t *end; /* of the window */
	size_t memo_next; /* entry of the memo that is next to be put */
	size_t new_lists; /* of frames */
	size_t most; /* values that the machine would have on the stack */
	unsigned int seen; /* as in struct la_object */
};

enum {
	ITEM_REACH = 2 * LA_OPCODE_REACH, /* bytes of a key and a scalar */
	STRING_HEAD = 5 /* bytes of the opcode and the length, at most */
};

/* What follows reads at p: it returns where it ends, or NULL to leave it. */

static inline bool has(const struct flat *f, const uint8_t *p, size_t size)
{
	return (size_t)(f->end - p) >= size;
}

static inline void reach(struct flat *f, size_t count)
{
	if (count > f->most)
		f->most = count;
}

/* If the value just read goes into the memo, then as its next entry. */
static inline const uint8_t *read_put(struct flat *f, const uint8_t *p,
				      uint64_t packed)
{
	size_t size = 1;

	if (*p == LA_OP_BINPUT || *p == LA_OP_LONG_BINPUT) {
		size = *p == LA_OP_BINPUT ? 1 : 4;
		if (la_opcode_operand(p + 1, (unsigned int)size) !=
		    f->memo_next)
			return NULL;
		size++;
	} else if (*p != LA_OP_MEMOIZE) {
		return p;
	}
	if (f->memo_next >= f->m->memo_room)
		return NULL;
	f->m->memo[f->memo_next++] = packed;
	return p + size;
}

/* A string that is short, as those that mean something are. */
static inline const uint8_t *read_string(struct flat *f, const uint8_t *p,
					 int *name)
{
	size_t head = 2, size = p[1];

	if (*p == LA_OP_BINUNICODE) {
		head = STRING_HEAD;
		size = la_opcode_operand(p + 1, 4);
	} else if (*p != LA_OP_SHORT_BINUNICODE) {
		return NULL;
	}
	if (size >= LA_INPUT_LOOKAHEAD || !has(f, p, size + 2 * ITEM_REACH))
		return NULL;
	p += head;
	*name = (int)la_schema_name(&f->snap->schema, p, size);
	return read_put(f, p + size, LA_PACKED_WORD | (unsigned int)*name);
}

static inline const uint8_t *read_word(struct flat *f, const uint8_t *p,
				       int *name)
{
	uint64_t index = 0;
	size_t size = la_opcode_get(p, &index);

	if (!size)
		return read_string(f, p, name);
	*name = la_memo_word(f->m, index);
	return *name < 0 ? NULL : p + size;
}

/* A value of the memo that has no role. */
static inline const uint8_t *skip_get(const struct flat *f, const uint8_t *p)
{
	uint64_t index = 0;
	size_t size = la_opcode_get(p, &index);

	if (!size || index >= f->m->memo_end ||
	    f->m->memo[index] >> LA_PACKED_BITS & 15)
		return NULL;
	return p + size;
}

/* What is between MARK and APPENDS, below which are `count` values. */
static const uint8_t *skip_batch(struct flat *f, const uint8_t *p, size_t count)
{
	for (p++; p && has(f, p, ITEM_REACH); count++) {
		if (*p == LA_OP_APPENDS) {
			reach(f, count);
			return p + 1;
		}
		p = skip_get(f, p);
	}
	return NULL;
}

static const uint8_t *skip_list(struct flat *f, const uint8_t *p, size_t count)
{
	uint64_t offset = f->m->in->base + (uint64_t)(p - f->m->in->start);
	const uint8_t *next;

	p = read_put(f, p + 1,
		     (uint64_t)LA_VALUE_LIST << (LA_PACKED_BITS + 4) | offset);
	while (p && has(f, p, ITEM_REACH) && *p == LA_OP_MARK)
		p = skip_batch(f, p, count + 2);
	if (!p || !has(f, p, ITEM_REACH))
		return NULL;
	next = skip_get(f, p);
	if (!next || *next != LA_OP_APPEND)
		return p; /* no item: the key that follows */
	reach(f, count + 2);
	return next + 1;
}

/* A value that is of no interest; `count` values are below it. */
static inline const uint8_t *skip_value(struct flat *f, const uint8_t *p,
					size_t count)
{
	uint64_t number;
	size_t size;
	int name;

	switch (*p) {
	case LA_OP_BINGET:
	case LA_OP_LONG_BINGET:
		return skip_get(f, p);
	case LA_OP_SHORT_BINUNICODE:
	case LA_OP_BINUNICODE:
		return read_string(f, p, &name);
	case LA_OP_EMPTY_LIST:
		return skip_list(f, p, count);
	case LA_OP_NONE:
	case LA_OP_NEWTRUE:
	case LA_OP_NEWFALSE:
		return p + 1;
	default:
		size = la_opcode_number(p, &number);
		return size ? p + size : NULL;
	}
}

static inline const uint8_t *read_number(const uint8_t *p, uint64_t most,
					 uint64_t *value)
{
	uint64_t number = 0;
	size_t size = la_opcode_number(p, &number);

	if (!size || number > most)
		return NULL;
	*value = number;
	return p + size;
}

static inline const uint8_t *read_stream(struct flat *f, const uint8_t *p,
					 uint64_t *value)
{
	uint64_t raw = 0;
	uint32_t number = 0;

	p = read_number(p, UINT64_MAX, &raw);
	if (!p || !la_pairs_find(&f->snap->streams, raw, 0, &number))
		return NULL;
	*value = number;
	return p;
}

static inline const uint8_t *read_name(struct flat *f, const uint8_t *p,
				       const struct la_field *field,
				       uint64_t *value)
{
	unsigned int place;
	int name = 0;

	p = read_word(f, p, &name);
	place = (unsigned int)name - field->of;
	if (!p || place >= field->count)
		return NULL;
	*value = place;
	return p;
}

/* Two numbers in a tuple, or one of the memo; `count` values are below it. */
static const uint8_t *read_pair(struct flat *f, const uint8_t *p, size_t count,
				uint64_t *value)
{
	uint64_t first = 0, second = 0, index = 0, packed = 0;
	size_t size = la_opcode_get(p, &index);
	uint32_t number = 0;

	if (size) {
		if (index < f->m->memo_end)
			packed = f->m->memo[index];
		*value = packed & LA_PACKED_MASK;
		return packed >> LA_PACKED_BITS == LA_VALUE_TUPLE << 4 &&
				       *value != LA_PACKED_MASK ?
			       p + size :
			       NULL;
	}
	p = read_number(p, UINT64_MAX, &first);
	if (!p || !has(f, p, ITEM_REACH))
		return NULL;
	p = read_number(p, UINT64_MAX, &second);
	if (!p || !has(f, p, ITEM_REACH) || *p != LA_OP_TUPLE2 ||
	    !la_pairs_find(&f->snap->tuples, first, second, &number))
		return NULL;
	reach(f, count + 2);
	*value = number;
	return read_put(f, p + 1,
			(uint64_t)LA_VALUE_TUPLE << (LA_PACKED_BITS + 4) |
				number);
}

/* The number of an object of the memo, of some type and role; or NULL. */
static inline const uint8_t *get_object(const struct flat *f, const uint8_t *p,
					unsigned int type_and_role,
					uint64_t *number)
{
	uint64_t index = 0;
	size_t size = la_opcode_get(p, &index);

	if (!size || index >= f->m->memo_end ||
	    f->m->memo[index] >> LA_PACKED_BITS != type_and_role)
		return NULL;
	*number = f->m->memo[index] & LA_PACKED_MASK;
	return p + size;
}

/* A frame of the memo; false if there is none at *p, or no room. */
static inline bool read_frame(const struct flat *f, const uint8_t **p,
			      uint32_t *frames, size_t *count)
{
	uint64_t dict = 0;
	const uint8_t *next =
		get_object(f, *p, LA_VALUE_DICT << 4 | LA_ROLE_FRAME, &dict);

	if (!next || *count == FRAMES || !f->snap->stacks.dicts[dict])
		return false;
	frames[(*count)++] = f->snap->stacks.dicts[dict] - 1;
	*p = next;
	return true;
}

/* Frames of the memo between MARK and APPENDS, below which are `below`
 * values. */
static const uint8_t *read_batch(struct flat *f, const uint8_t *p, size_t below,
				 uint32_t *frames, size_t *count)
{
	size_t first = *count;

	for (p++; has(f, p, ITEM_REACH);) {
		if (*p == LA_OP_APPENDS) {
			reach(f, below + *count - first);
			return p + 1;
		}
		if (!read_frame(f, &p, frames, count))
			return NULL;
	}
	return NULL;
}

/* One frame of the memo and APPEND; or no frame, then the list is empty. */
static inline const uint8_t *read_single(struct flat *f, const uint8_t *p,
					 size_t below, uint32_t *frames,
					 size_t *count)
{
	if (!read_frame(f, &p, frames, count))
		return p;
	reach(f, below + 2);
	return *p == LA_OP_APPEND ? p + 1 : NULL;
}

/* A new list of frames, if there is a stack like it. */
static const uint8_t *read_list(struct flat *f, const uint8_t *p, size_t below,
				uint64_t *value)
{
	struct la_stacks *stacks = &f->snap->stacks;
	size_t list = stacks->list_count + f->new_lists;
	uint32_t frames[FRAMES], stack = 0;
	size_t count = 0;

	if (list >= stacks->list_room)
		return NULL;
	p = read_put(f, p + 1,
		     (uint64_t)(LA_VALUE_LIST << 4 | LA_ROLE_FRAMES)
				     << LA_PACKED_BITS |
			     list);
	while (p && has(f, p, ITEM_REACH) && *p == LA_OP_MARK)
		p = read_batch(f, p, below + 2, frames, &count);
	if (p && has(f, p, ITEM_REACH) && !count)
		p = read_single(f, p, below, frames, &count);
	if (!p || !la_chunks_find(&stacks->stacks, frames,
				  count * sizeof(*frames), &stack))
		return NULL;
	*value = stack + 1;
	stacks->lists[list] = stack + 1;
	f->new_lists++;
	return p;
}

static const uint8_t *read_frames(struct flat *f, const uint8_t *p,
				  size_t below, uint64_t *value)
{
	uint64_t list = 0;

	if (f->snap->object[LA_ROLE_FRAMES].open ||
	    f->snap->object[LA_ROLE_FRAME].open)
		return NULL;
	if (*p == LA_OP_EMPTY_LIST)
		return read_list(f, p, below, value);
	p = get_object(f, p, LA_VALUE_LIST << 4 | LA_ROLE_FRAMES, &list);
	if (p)
		*value = f->snap->stacks.lists[list];
	return p;
}

/* Out of line: most events have no such value. */
__attribute__((noinline)) static const uint8_t *
read_rare(struct flat *f, const uint8_t *p, const struct key *key, size_t count)
{
	return key->use == USE_PAIR ? read_pair(f, p, count, key->value) :
				      read_frames(f, p, count, key->value);
}

/* A value; `count` values are below it. */
static inline const uint8_t *read_value(struct flat *f, const uint8_t *p,
					const struct key *key, size_t count)
{
	f->seen |= key->seen;
	if (key->use == USE_NUMBER)
		return read_number(p, key->most, key->value);
	if (key->use == USE_STREAM)
		return read_stream(f, p, key->value);
	if (key->use == USE_NAME)
		return read_name(f, p, key->field, key->value);
	if (__builtin_expect(key->use > USE_NONE, 0))
		return read_rare(f, p, key, count);
	return skip_value(f, p, count);
}

/* How to read the values of a field; false if there is no quick way. */
static bool learn_field(const struct flat *f, const struct la_field *field,
			struct key *key)
{
	key->field = field;
	key->value = &f->object->slot[field->slot];
	key->seen = (uint16_t)(1u << field->slot);
	key->most = UINT64_MAX;
	switch ((enum la_kind)field->kind) {
	case LA_KIND_BYTES:
		key->most = LA_MOST_BYTES;
		key->use = USE_NUMBER;
		return true;
	case LA_KIND_NUMBER:
		key->use = USE_NUMBER;
		return true;
	case LA_KIND_STREAM:
		key->use = USE_STREAM;
		return true;
	case LA_KIND_NAME:
		key->use = USE_NAME;
		return true;
	case LA_KIND_PAIR:
		key->use = USE_PAIR;
		return true;
	case LA_KIND_FRAMES:
		key->use = USE_FRAMES;
		return true;
	default:
		return false;
	}
}

/* Does the machine keep the string that follows such a key? */
static bool is_kept(int name)
{
	return name == LA_NAME_CONF || name == LA_NAME_FUNCTION ||
	       name == LA_NAME_FILE;
}

/* Look up the key at p; false if the memo has no word there. */
static bool learn_key(const struct flat *f, const uint8_t *p, struct key *key)
{
	uint64_t index = 0;
	size_t size = la_opcode_get(p, &index);
	int name = size ? la_memo_word(f->m, index) : -1;
	const struct la_field *field;

	if (name < 0 || is_kept(name) || key == f->kin->keys + KEYS)
		return false;
	key->mask = UINT64_MAX >> (64 - 8 * size);
	key->bytes = la_opcode_bytes(p) & key->mask;
	key->size = (uint8_t)size;
	key->use = USE_NONE;
	key->seen = 0;
	f->snap->marks |= la_schema_mark(f->kin->role, (uint8_t)name);
	field = la_schema_field(&f->snap->schema, f->kin->role, (uint8_t)name);
	return !field || learn_field(f, field, key);
}

/* The items of a dict, from MARK to SETITEMS. */
static inline const uint8_t *read_items(struct flat *f, const uint8_t *p)
{
	struct key *key = f->kin->keys;
	size_t count = 2;

	if (*p++ != LA_OP_MARK)
		return NULL;
	for (; p && has(f, p, ITEM_REACH); key++, count += 2) {
		if (*p == LA_OP_SETITEMS) {
			reach(f, count);
			return p + 1;
		}
		if ((la_opcode_bytes(p) & key->mask) != key->bytes &&
		    !learn_key(f, p, key))
			return NULL;
		p = read_value(f, p + key->size, key, count + 1);
	}
	return NULL;
}

/* Read the items of the dict whose value lies above the top of the stack. */
static inline bool fill_dict(struct la_machine *m, struct kin *kin,
			     const struct la_value *dict)
{
	struct flat f = {
		.snap = m->snap,
		.m = m,
		.object = &m->snap->object[kin->role],
		.kin = kin,
		.end = m->in->end,
		.memo_next = m->memo_end,
	};
	uint64_t packed = (uint64_t)(LA_VALUE_DICT << 4 | kin->role)
				  << LA_PACKED_BITS |
			  dict->u;
	const uint8_t *p = read_put(&f, m->in->p + 1, packed);

	if (p)
		p = read_items(&f, p);
	if (!p || m->count + f.most >= m->room)
		return false;
	f.object->seen = (uint16_t)f.seen;
	if (f.new_lists)
		m->snap->stacks.list_count += f.new_lists;
	m->memo_set += f.memo_next - m->memo_end;
	m->memo_end = f.memo_next;
	m->in->p = p;
	m->count++;
	return true;
}

/* Read one dict: 1, 0 if it is left to the machine, or a negative errno. */
static inline int read_dict(struct la_machine *m, struct kin *kin)
{
	struct la_value *dict = &m->stack[m->count];
	int err;

	la_value_make(dict, LA_VALUE_DICT, 0);
	dict->role = kin->role;
	dict->depth = kin->depth;
	m->snap->offset = la_input_offset(m->in);
	err = la_snapshot_create(m->snap, dict);
	if (err < 0)
		return err;
	if (fill_dict(m, kin, dict))
		return 1;
	m->snap->object[kin->role].open = false;
	return 0;
}

/* The list that takes in the next value, if that is sure, else NULL. */
static const struct la_value *owner(const struct la_machine *m)
{
	const struct la_value *top = la_machine_top(m), *list;
	uint32_t mark;

	if (!m->mark_count || m->mark_count + 2 > LA_MOST_MARKS ||
	    m->memo_set != m->memo_end)
		return NULL;
	mark = m->marks[m->mark_count - 1];
	if (!mark || (top->type != LA_VALUE_MARK && top->type != LA_VALUE_DICT))
		return NULL;
	list = &m->stack[mark - 1];
	if (list->role != LA_ROLE_TRACE && list->role != LA_ROLE_BLOCKS)
		return NULL;
	return list->depth + 2 <= LA_MOST_DEPTH ? list : NULL;
}

int la_flat_read(struct la_machine *m)
{
	const struct la_value *list = owner(m);
	struct kin kin;
	int ret = 1;
	size_t i;

	if (!list)
		return 0;
	kin.role = la_element_role[list->role];
	kin.depth = (uint8_t)(list->depth + 1);
	for (i = 0; i <= KEYS; i++) {
		kin.keys[i].bytes = 1; /* like no key */
		kin.keys[i].mask = 0;
	}
	while (ret > 0 && m->in->end - m->in->p >= ITEM_REACH &&
	       *m->in->p == LA_OP_EMPTY_DICT && m->count < m->room)
		ret = read_dict(m, &kin);
	return ret < 0 ? ret : 0;
}
