// SPDX-License-Identifier: Apache-2.0
/* The memo of a pickle: eight bytes an entry. */
#include <errno.h>

#include "trace/machine.h"

enum { MEMO_SLACK = 1 << 16 }; /* entries that a memo may skip */

static int pack(struct la_machine *m, const struct la_value *value,
		uint64_t *packed)
{
	uint64_t u = value->u;

	if (value->type == LA_VALUE_STRING)
		u = u << 8 | value->name;
	else if (value->type == LA_VALUE_FLOAT)
		u >>= 64 - LA_PACKED_BITS; /* the last digits go */
	else if (value->type == LA_VALUE_NEGATIVE ||
		 (value->type == LA_VALUE_TUPLE && u == LA_NO_PAIR))
		u &= LA_PACKED_MASK; /* of a negative one the sign counts */
	if (u > LA_PACKED_MASK)
		return la_machine_fail(m, -EBADMSG,
				       "memo of a number above 56 bits");
	*packed = (uint64_t)(value->type << 4 | value->role) << LA_PACKED_BITS |
		  u;
	return 0;
}

static inline void unpack(uint64_t packed, struct la_value *value)
{
	uint64_t u = packed & LA_PACKED_MASK;

	value->loop = 0;
	value->type = (uint8_t)(packed >> LA_PACKED_BITS >> 4);
	value->role = (uint8_t)(packed >> LA_PACKED_BITS & 15);
	value->depth = LA_FROM_MEMO;
	value->name = LA_NAME_NONE;
	value->u = u;
	if (value->type == LA_VALUE_STRING) {
		value->name = (uint8_t)u;
		value->u = u >> 8;
	} else if (value->type == LA_VALUE_FLOAT) {
		value->u = u << (64 - LA_PACKED_BITS);
	} else if (value->type == LA_VALUE_NEGATIVE) {
		value->u = u | ~LA_PACKED_MASK;
	} else if (value->type == LA_VALUE_TUPLE && u == LA_PACKED_MASK) {
		value->u = LA_NO_PAIR;
	}
}

static int grow_memo(struct la_machine *m, uint64_t index)
{
	int err;

	if (index > m->memo_set + MEMO_SLACK)
		return la_machine_fail(m, -EBADMSG, "memo index out of order");
	if (index >= m->memo_room) {
		err = la_budget_grow(&m->snap->budget, &m->memo, &m->memo_room,
				     index + 1, sizeof(*m->memo));
		if (err < 0)
			return la_machine_fail_memory(m, err);
	}
	while (m->memo_end <= index)
		m->memo[m->memo_end++] = 0;
	return 0;
}

int la_memo_put(struct la_machine *m, uint64_t index)
{
	const struct la_value *value = la_machine_top(m);
	uint64_t packed = 0;
	int err;

	if (!value || value->type == LA_VALUE_MARK)
		return la_machine_fail(m, -EBADMSG, "memo of nothing");
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

/*
 * A container once more: another one of its role, else of no interest.  Roles
 * nest in one order, so one in a place of its own role cannot hold itself.
 */
static int get_again(struct la_machine *m, struct la_value *value)
{
	if (value->role && la_machine_place(m, value->type).role == value->role)
		return la_snapshot_copy(m->snap, value);
	value->loop = la_machine_loop(m, value);
	value->role = LA_ROLE_NONE;
	return 0;
}

int la_memo_get(struct la_machine *m, uint64_t index)
{
	struct la_value *value = &m->stack[m->count];
	int err = 0;

	if (index >= m->memo_end || !m->memo[index])
		return la_machine_fail(m, -EBADMSG,
				       "memo index that was never set");
	unpack(m->memo[index], value);
	if (la_is_container(value))
		err = get_again(m, value);
	m->count++;
	return err;
}
