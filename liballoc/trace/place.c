// SPDX-License-Identifier: Apache-2.0
/* Where the next value of a pickle goes, as far as the stack tells. */
#include "trace/machine.h"

static enum la_role element_role(const struct la_value *list)
{
	return list->type == LA_VALUE_LIST ? la_element_role[list->role] :
					     LA_ROLE_NONE;
}

static enum la_role value_role(const struct la_machine *m,
			       const struct la_value *dict,
			       const struct la_value *key)
{
	const struct la_field *field =
		la_schema_field(&m->snap->schema, dict->role, key->name);

	if (key->name == LA_NAME_FRAMES)
		return LA_ROLE_FRAMES;
	return field && field->kind == LA_KIND_CHILD ? field->of : LA_ROLE_NONE;
}

/* The container that owns the open mark, or NULL. */
static const struct la_value *mark_owner(const struct la_machine *m)
{
	size_t mark;

	if (!m->mark_count)
		return NULL;
	mark = m->marks[m->mark_count - 1];
	return mark && la_is_container(&m->stack[mark - 1]) ?
		       &m->stack[mark - 1] :
		       NULL;
}

static struct la_place place_in(const struct la_value *parent,
				enum la_role role)
{
	struct la_place place = { role, 0 };

	if (parent->depth != LA_FROM_MEMO)
		place.depth = parent->depth + 1u;
	return place;
}

/*
 * After a key: the value of the dict below it (SETITEM), or of the owner of the
 * mark (SETITEMS).  Where both may be, the one that knows the key wins; taking
 * the value in checks the guess.
 */
static struct la_place known_after_key(const struct la_machine *m,
				       const struct la_value *owner,
				       const struct la_value *below,
				       const struct la_value *key)
{
	struct la_place place = { LA_ROLE_NONE, 0 };
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

/* Dicts in allocator_settings go by any name. */
static struct la_place place_after_key(const struct la_machine *m,
				       const struct la_value *key)
{
	const struct la_value *owner = mark_owner(m);
	const struct la_value *below = m->count > 1 ? key - 1 : NULL;
	struct la_place place = known_after_key(m, owner, below, key);

	if (!place.role && ((owner && owner->role == LA_ROLE_SETTINGS) ||
			    (below && below->role == LA_ROLE_SETTINGS)))
		place.role = LA_ROLE_GROUP;
	return place;
}

/* A list on top takes the next value in (APPEND), unless that is a list and
 * the one on top is a trace, which has none: then it is a sibling. */
struct la_place la_machine_place(const struct la_machine *m,
				 enum la_value_type type)
{
	const struct la_value *last = la_machine_top(m), *owner;

	if (!last)
		return (struct la_place){ m->have_top ? LA_ROLE_NONE :
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
	return (struct la_place){ LA_ROLE_NONE, m->mark_count / 2 };
}

static bool is_settings(const struct la_value *value)
{
	return value && (value->role == LA_ROLE_SETTINGS ||
			 value->role == LA_ROLE_GROUP);
}

bool la_machine_in_settings(const struct la_machine *m)
{
	const struct la_value *last = la_machine_top(m);

	return is_settings(mark_owner(m)) || is_settings(last) ||
	       (m->count > 1 && last->type == LA_VALUE_STRING &&
		is_settings(last - 1));
}

static bool is_same(const struct la_value *a, const struct la_value *b)
{
	return a->type == b->type && a->role == b->role && a->u == b->u;
}

/* Owners of marks, and containers on top of each other that wait for APPEND or
 * SETITEM. */
uint32_t la_machine_loop(const struct la_machine *m,
			 const struct la_value *value)
{
	size_t i, at = m->count, steps;

	for (i = m->mark_count; i-- > 0;)
		if (m->marks[i] && is_same(&m->stack[m->marks[i] - 1], value))
			return m->marks[i];
	for (steps = 0; at && steps < LA_MOST_DEPTH; steps++) {
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
