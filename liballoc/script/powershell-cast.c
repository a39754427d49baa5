// SPDX-License-Identifier: Apache-2.0
/* [type]value and -is of PowerShell. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "script/powershell.h"
#include "util/util.h"

enum kind {
	AS_TEXT,
	AS_INT,
	AS_LONG,
	AS_REAL,
	AS_BOOL,
	AS_CHAR,
	AS_ARRAY,
	AS_TEXTS,
	AS_INTS,
	AS_VOID,
	AS_HASH,
	AS_ORDERED,
	AS_OBJECT,
	AS_SAME,
	AS_BLOCK
};

static const struct {
	const char *name;
	enum kind kind;
} types[] = {
	{ "string", AS_TEXT },	     { "int", AS_INT },
	{ "int32", AS_INT },	     { "long", AS_LONG },
	{ "int64", AS_LONG },	     { "uint32", AS_LONG },
	{ "uint64", AS_LONG },	     { "double", AS_REAL },
	{ "bool", AS_BOOL },	     { "boolean", AS_BOOL },
	{ "char", AS_CHAR },	     { "array", AS_ARRAY },
	{ "object[]", AS_ARRAY },    { "string[]", AS_TEXTS },
	{ "int[]", AS_INTS },	     { "int32[]", AS_INTS },
	{ "void", AS_VOID },	     { "hashtable", AS_HASH },
	{ "ordered", AS_ORDERED },   { "pscustomobject", AS_OBJECT },
	{ "psobject", AS_SAME },     { "object", AS_SAME },
	{ "scriptblock", AS_BLOCK },
};

static bool kind_of(const char *type, enum kind *kind)
{
	size_t i;

	if (!strncasecmp(type, "System.", 7))
		type += 7;
	if (!strncasecmp(type, "Collections.", 12))
		type += 12;
	if (!strncasecmp(type, "Management.Automation.", 22))
		type += 22;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (!ps_same_word(types[i].name, type))
			continue;
		*kind = types[i].kind;
		return true;
	}
	return false;
}

/* Halves go to the even neighbour, as Convert does. */
static struct ps_value to_whole(struct ps *ps, struct ps_value v, bool wide)
{
	struct ps_value number;

	if (v.type == PS_UNKNOWN || v.type == PS_BLOCK || v.type == PS_ARRAY)
		return ps_unknown();
	if (!ps_number(ps, v, &number)) {
		if (v.type == PS_TEXT && strpbrk(v.text, "xXkKmMgG"))
			return ps_unknown();
		ps_fail(ps);
		return ps_unknown();
	}
	if (number.type == PS_DOUBLE) {
		if (!(fabs(number.real) < 1e15))
			return ps_unknown();
		number = ps_int((int64_t)nearbyint(number.real));
	}
	if (!wide &&
	    (number.number < INT32_MIN || number.number > INT32_MAX)) {
		ps_fail(ps);
		return ps_unknown();
	}
	number.type = wide ? PS_LONG : PS_INT;
	return number;
}

static struct ps_value to_char(struct ps_value v)
{
	if (v.type == PS_TEXT && v.length == 1)
		v = ps_int((unsigned char)*v.text);
	else if (v.type != PS_INT && v.type != PS_CHAR)
		return ps_unknown();
	v.type = PS_CHAR;
	return v;
}

static struct ps_value each(struct ps *ps, struct ps_value v, const char *type)
{
	struct ps_value array = ps_array(ps);
	struct ps_list items = { 0 };
	size_t i;

	ps_spread(ps, &items, v);
	for (i = 0; i < items.count && array.type == PS_ARRAY; i++)
		ps_push(ps, array.list,
			type ? ps_cast(ps, type, items.item[i]) :
			       items.item[i]);
	return array;
}

static struct ps_value to_hash(struct ps *ps, struct ps_value v,
			       enum ps_hash_kind kind)
{
	struct ps_value copy = v;

	if (v.type != PS_HASH)
		return v.type == PS_NULL ? v : ps_unknown();
	copy.hash = ps_take(ps, sizeof(*copy.hash));
	if (!copy.hash)
		return ps_unknown();
	*copy.hash = *v.hash;
	copy.hash->kind = kind;
	return copy;
}

static struct ps_value convert(struct ps *ps, enum kind kind, struct ps_value v)
{
	int truth;

	switch (kind) {
	case AS_TEXT:
		return ps_to_text(ps, v);
	case AS_INT:
	case AS_LONG:
		return to_whole(ps, v, kind == AS_LONG);
	case AS_REAL:
		if (!ps_number(ps, v, &v))
			return ps_unknown();
		return v.type == PS_DOUBLE ? v : ps_real((double)v.number);
	case AS_BOOL:
		truth = ps_truth(v);
		return truth < 0 ? ps_unknown() : ps_bool(truth);
	case AS_CHAR:
		return to_char(v);
	case AS_ARRAY:
		return v.type == PS_NULL ? v : each(ps, v, NULL);
	case AS_TEXTS:
		return v.type == PS_NULL ? v : each(ps, v, "string");
	case AS_INTS:
		return v.type == PS_NULL ? v : each(ps, v, "int");
	case AS_VOID:
		return (struct ps_value){ .type = PS_NOTHING };
	case AS_ORDERED:
		return to_hash(ps, v, PS_ORDERED);
	case AS_OBJECT:
		return to_hash(ps, v, PS_OBJECT);
	case AS_HASH:
		return v.type == PS_HASH && v.hash->kind == PS_OBJECT ?
			       ps_unknown() :
			       v;
	default:
		return v;
	}
}

struct ps_value ps_cast(struct ps *ps, const char *type, struct ps_value v)
{
	unsigned int doubt = v.doubt;
	enum kind kind;

	if (!kind_of(type, &kind) || (v.type == PS_UNKNOWN && kind != AS_VOID))
		return ps_unknown();
	v = convert(ps, kind, v);
	v.doubt |= doubt;
	return v;
}

bool ps_is(struct ps_value value, const char *type, bool *known)
{
	enum kind kind;

	*known = kind_of(type, &kind) && value.type != PS_UNKNOWN;
	switch (value.type) {
	case PS_TEXT:
		return kind == AS_TEXT;
	case PS_INT:
		return kind == AS_INT;
	case PS_BOOL:
		return kind == AS_BOOL;
	case PS_NULL:
		return false;
	case PS_ARRAY:
		*known = *known && kind != AS_TEXTS && kind != AS_INTS;
		return kind == AS_ARRAY;
	case PS_HASH:
		*known = *known && value.hash->kind == PS_HASHTABLE;
		return kind == AS_HASH;
	default:
		*known = false;
		return false;
	}
}
