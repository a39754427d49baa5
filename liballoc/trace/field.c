// SPDX-License-Identifier: Apache-2.0
/* The values of an object's fields, checked and collected. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/snapshot.h"

static int fail_field(struct la_snapshot *snap, const struct la_field *field,
		      const char *problem)
{
	return la_snapshot_fail(snap, -EBADMSG, "%s: '%s' %s",
				la_role_names[field->role],
				la_names[field->name], problem);
}

static int fail_integer(struct la_snapshot *snap, const struct la_field *field,
			const struct la_value *value)
{
	switch (value->type) {
	case LA_VALUE_NEGATIVE:
		return fail_field(snap, field, "is negative");
	case LA_VALUE_INTEGER:
	case LA_VALUE_WIDE:
		return fail_field(snap, field, "is out of range");
	default:
		return fail_field(snap, field, "is not an integer");
	}
}

static inline int set_integer(struct la_snapshot *snap,
			      const struct la_field *field,
			      const struct la_value *value, uint64_t most)
{
	if (value->type != LA_VALUE_INTEGER || value->u > most)
		return fail_integer(snap, field, value);
	snap->object[field->role].slot[field->slot] = value->u;
	return 0;
}

static int set_stream(struct la_snapshot *snap, const struct la_field *field,
		      const struct la_value *value)
{
	struct la_object *object = &snap->object[field->role];
	uint32_t number;
	int err;

	err = set_integer(snap, field, value, UINT64_MAX);
	if (err < 0)
		return err;
	err = la_pairs_intern(&snap->streams, &snap->budget, value->u, 0,
			      &number);
	if (err < 0)
		return la_snapshot_fail_memory(snap, err);
	object->slot[field->slot] = number;
	return 0;
}

static int set_name(struct la_snapshot *snap, const struct la_field *field,
		    const struct la_value *value)
{
	unsigned int place = (unsigned int)value->name - field->of;

	if (value->type != LA_VALUE_STRING)
		return fail_field(snap, field, "is not a string");
	if (place >= field->count) {
		if (field->role != LA_ROLE_EVENT &&
		    field->role != LA_ROLE_ANNOTATION)
			return fail_field(snap, field, "is not a known word");
		place = LA_ACTION_UNKNOWN;
	}
	snap->object[field->role].slot[field->slot] = place;
	return 0;
}

/* The number + 1 of a string that was kept, 0 for any other value. */
static int find_text(struct la_snapshot *snap, const struct la_value *value,
		     uint32_t *number)
{
	const char *name = la_names[value->name];

	*number = 0;
	if (value->type != LA_VALUE_STRING)
		return 0;
	if (value->name)
		return la_snapshot_keep_text(snap, name, strlen(name), true,
					     number);
	*number = (uint32_t)value->u;
	return 0;
}

static int set_text(struct la_snapshot *snap, const struct la_field *field,
		    const struct la_value *value)
{
	uint32_t number = 0;
	int err;

	if (value->type != LA_VALUE_STRING)
		return fail_field(snap, field, "is not a string");
	err = find_text(snap, value, &number);
	if (err < 0)
		return err;
	if (!number)
		return fail_field(snap, field,
				  "has a NUL byte or is above 64 KiB");
	free(snap->setting);
	snap->setting = strdup(la_chunk(&snap->stacks.texts, number - 1));
	return snap->setting ? 0 : la_snapshot_fail_memory(snap, -ENOMEM);
}

static int set_label(struct la_snapshot *snap, const struct la_field *field,
		     const struct la_value *value)
{
	uint32_t number = 0;
	int err = find_text(snap, value, &number);

	snap->object[field->role].slot[field->slot] = number;
	return err;
}

static int set_frames(struct la_snapshot *snap, const struct la_field *field,
		      const struct la_value *value)
{
	uint64_t *slot = &snap->object[field->role].slot[field->slot];
	int err = la_snapshot_close(snap, LA_ROLE_FRAMES);

	*slot = value->role == LA_ROLE_FRAMES ? snap->stacks.lists[value->u] :
						0;
	return err;
}

static int set_child(struct la_snapshot *snap, const struct la_field *field,
		     const struct la_value *value)
{
	if (value->role != field->of) {
		if (value->type == LA_VALUE_LIST ||
		    value->type == LA_VALUE_DICT)
			return fail_field(snap, field,
					  "has an unexpected container");
		return fail_field(snap, field, "is not a container");
	}
	snap->object[field->role].slot[field->slot] = value->u;
	return 0;
}

/* A member of allocator_settings, or of a dict in it. */
static int add_member(struct la_snapshot *snap, const struct la_value *dict,
		      const struct la_value *key, const struct la_value *value)
{
	struct la_member member = { .u = value->u, .type = value->type };
	uint32_t text = 0;
	int err;

	err = find_text(snap, key, &member.key);
	if (err < 0 || !member.key)
		return err;
	if (value->role == LA_ROLE_GROUP) {
		snap->members.groups[value->u] = member.key;
		return 0;
	}
	if (value->type == LA_VALUE_STRING) {
		err = find_text(snap, value, &text);
		member.u = text;
	}
	if (err < 0 || value->type > LA_VALUE_STRING ||
	    value->type == LA_VALUE_WIDE ||
	    (value->type == LA_VALUE_STRING && !text))
		return err;
	if (dict->role == LA_ROLE_GROUP)
		member.group = (uint32_t)dict->u + 1;
	err = la_members_add(&snap->members, &snap->budget, &member);
	return err < 0 ? la_snapshot_fail_memory(snap, err) : 0;
}

static inline int set_field(struct la_snapshot *snap,
			    const struct la_field *field,
			    const struct la_value *value)
{
	struct la_object *object = &snap->object[field->role];

	object->seen |= (uint16_t)(1u << field->slot);
	switch ((enum la_kind)field->kind) {
	case LA_KIND_BYTES:
		return set_integer(snap, field, value, LA_MOST_BYTES);
	case LA_KIND_NUMBER:
		return set_integer(snap, field, value, UINT64_MAX);
	case LA_KIND_STREAM:
		return set_stream(snap, field, value);
	case LA_KIND_BOOL:
		if (value->type != LA_VALUE_BOOL)
			return fail_field(snap, field, "is not a bool");
		break;
	case LA_KIND_PAIR:
		if (value->type != LA_VALUE_TUPLE || value->u == LA_NO_PAIR)
			return fail_field(snap, field,
					  "is not a pair of integers");
		break;
	case LA_KIND_NAME:
		return set_name(snap, field, value);
	case LA_KIND_TEXT:
		return set_text(snap, field, value);
	case LA_KIND_LABEL:
		return set_label(snap, field, value);
	case LA_KIND_LINE:
		object->slot[field->slot] =
			value->type == LA_VALUE_INTEGER &&
					value->u <= UINT32_MAX ?
				value->u :
				0;
		return 0;
	case LA_KIND_FRAMES:
		return set_frames(snap, field, value);
	case LA_KIND_CHILD:
		return set_child(snap, field, value);
	}
	object->slot[field->slot] = value->u;
	return 0;
}

int la_snapshot_set(struct la_snapshot *snap, const struct la_value *dict,
		    const struct la_value *items, size_t count)
{
	const struct la_object *object = &snap->object[dict->role];
	bool keeps_all =
		dict->role == LA_ROLE_SETTINGS || dict->role == LA_ROLE_GROUP;
	size_t i;
	int err = 0;

	if (!object->open || object->id != dict->u)
		return dict->role == LA_ROLE_FRAME ?
			       0 :
			       la_snapshot_fail(
				       snap, -EBADMSG,
				       "%s changed after it was complete",
				       la_role_names[dict->role]);
	for (i = 0; i < count; i += 2) {
		const struct la_field *field = NULL;

		if (keeps_all)
			err = add_member(snap, dict, &items[i], &items[i + 1]);
		if (err < 0)
			return err;

		snap->roles |= 1u << dict->role;
		snap->marks |= la_schema_mark(dict->role, items[i].name);
		if (items[i].type == LA_VALUE_STRING)
			field = la_schema_field(&snap->schema, dict->role,
						items[i].name);
		if (field) {
			err = set_field(snap, field, &items[i + 1]);
			if (err < 0)
				return err;
		} else if (la_role_is_strict(items[i + 1].role) && !keeps_all) {
			return la_snapshot_fail(
				snap, -EBADMSG, "%s in an unexpected place",
				la_role_names[items[i + 1].role]);
		}
	}
	return 0;
}
