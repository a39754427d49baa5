// SPDX-License-Identifier: Apache-2.0
/* Operators of PowerShell on values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/powershell.h"
#include "util/strbuf.h"

static struct ps_value arithmetic_whole(int op, int64_t a, int64_t b, bool wide)
{
	int64_t result = 0;
	bool over = false;

	switch (op) {
	case PS_ADD:
		over = __builtin_add_overflow(a, b, &result);
		break;
	case PS_SUB:
		over = __builtin_sub_overflow(a, b, &result);
		break;
	case PS_MUL:
		over = __builtin_mul_overflow(a, b, &result);
		break;
	case PS_DIV:
		if (a == INT64_MIN || a % b)
			return ps_real((double)a / (double)b);
		result = a / b;
		break;
	default:
		if (a == INT64_MIN)
			return ps_unknown();
		result = a % b;
	}
	if (over)
		return ps_unknown();
	if (!wide && (result < INT32_MIN || result > INT32_MAX))
		return ps_real((double)result);
	return wide ? (struct ps_value){ .type = PS_LONG, .number = result } :
		      ps_int(result);
}

static double real_of(struct ps_value v)
{
	return v.type == PS_DOUBLE ? v.real : (double)v.number;
}

static struct ps_value arithmetic(struct ps *ps, int op, struct ps_value a,
				  struct ps_value b)
{
	struct ps_value left, right;

	if (!ps_number(ps, a, &left) || !ps_number(ps, b, &right))
		return ps_unknown();
	if (left.type != PS_DOUBLE && right.type != PS_DOUBLE) {
		if ((op == PS_DIV || op == PS_REM) && !right.number) {
			ps_fail(ps);
			return ps_unknown();
		}
		return arithmetic_whole(op, left.number, right.number,
					left.type == PS_LONG ||
						right.type == PS_LONG);
	}
	switch (op) {
	case PS_ADD:
		return ps_real(real_of(left) + real_of(right));
	case PS_SUB:
		return ps_real(real_of(left) - real_of(right));
	case PS_MUL:
		return ps_real(real_of(left) * real_of(right));
	case PS_DIV:
		return ps_real(real_of(left) / real_of(right));
	default:
		return ps_real(fmod(real_of(left), real_of(right)));
	}
}

static struct ps_value concatenate(struct ps *ps, struct ps_value a,
				   struct ps_value b)
{
	struct la_strbuf out = { 0 };
	struct ps_value text;

	b = ps_to_text(ps, b);
	if (b.type != PS_TEXT || a.length + b.length > PS_STRING)
		return ps_unknown();
	la_strbuf_add(&out, a.text, a.length);
	la_strbuf_add(&out, b.text, b.length);
	text = ps_text(ps, la_strbuf_text(&out), out.length);
	la_strbuf_release(&out);
	text.doubt = b.doubt;
	return text;
}

static struct ps_value add(struct ps *ps, struct ps_value a, struct ps_value b)
{
	struct ps_value array;

	if (a.type == PS_TEXT)
		return concatenate(ps, a, b);
	if (a.type == PS_CHAR)
		return ps_unknown();
	if (a.type == PS_ARRAY) {
		array = ps_array(ps);
		if (array.type != PS_ARRAY || a.list->count > PS_LIST)
			return ps_unknown();
		ps_spread(ps, array.list, a);
		if (b.type == PS_ARRAY)
			ps_spread(ps, array.list, b);
		else
			ps_push(ps, array.list, b);
		return array;
	}
	if (a.type == PS_NULL || a.type == PS_NOTHING)
		return b.type == PS_NOTHING ? ps_null() : b;
	if (a.type == PS_HASH)
		return ps_unknown();
	return arithmetic(ps, PS_ADD, a, b);
}

static struct ps_value repeat(struct ps *ps, struct ps_value a,
			      struct ps_value b)
{
	struct la_strbuf out = { 0 };
	struct ps_value text, array;
	int64_t i;

	if (!ps_number(ps, b, &b) || b.type != PS_INT || b.number < 0)
		return ps_unknown();
	if (a.type == PS_ARRAY) {
		array = ps_array(ps);
		if ((int64_t)a.list->count * b.number > PS_LIST ||
		    array.type != PS_ARRAY)
			return ps_unknown();
		for (i = 0; i < b.number; i++)
			ps_spread(ps, array.list, a);
		return array;
	}
	if ((int64_t)a.length * b.number > PS_STRING)
		return ps_unknown();
	for (i = 0; a.length && i < b.number; i++)
		la_strbuf_add(&out, a.text, a.length);
	text = ps_text(ps, la_strbuf_text(&out), out.length);
	la_strbuf_release(&out);
	return text;
}

static struct ps_value range(struct ps *ps, struct ps_value a,
			     struct ps_value b)
{
	struct ps_value array = ps_array(ps);
	int64_t i, step;

	a = ps_cast(ps, "int", a);
	b = ps_cast(ps, "int", b);
	if (a.type != PS_INT || b.type != PS_INT || array.type != PS_ARRAY ||
	    llabs(a.number - b.number) > PS_LIST)
		return ps_unknown();
	step = a.number <= b.number ? 1 : -1;
	for (i = a.number;; i += step) {
		ps_push(ps, array.list, ps_int(i));
		if (i == b.number)
			break;
	}
	return array;
}

struct ps_value ps_join(struct ps *ps, struct ps_value list, struct ps_value by)
{
	struct la_strbuf out = { 0 };
	struct ps_list items = { 0 };
	struct ps_value text = ps_unknown(), part;
	unsigned int doubt = list.doubt | by.doubt;
	size_t i;

	ps_spread(ps, &items, list);
	by = ps_to_text(ps, by);
	for (i = 0; i < items.count && by.type == PS_TEXT; i++) {
		part = items.item[i].type == PS_ARRAY &&
				       items.item[i].list->count > 1 ?
			       ps_unknown() :
			       ps_to_text(ps, items.item[i]);
		if (part.type != PS_TEXT || out.length > PS_STRING)
			break;
		doubt |= part.doubt;
		if (i)
			la_strbuf_add(&out, by.text, by.length);
		la_strbuf_add(&out, part.text, part.length);
	}
	if (i == items.count && by.type == PS_TEXT)
		text = ps_text(ps, la_strbuf_text(&out), out.length);
	la_strbuf_release(&out);
	text.doubt |= doubt;
	return text;
}

static bool ascii(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text >= 0x80)
			return false;
	return true;
}

static int compare_text(struct ps_value a, struct ps_value b, bool cased)
{
	return cased ? strcmp(a.text, b.text) : strcasecmp(a.text, b.text);
}

int ps_equal(struct ps *ps, struct ps_value a, struct ps_value b, bool cased)
{
	struct ps_value number;

	if (a.type == PS_UNKNOWN || b.type == PS_UNKNOWN || a.type == PS_HASH ||
	    b.type == PS_HASH || b.type == PS_ARRAY || a.type == PS_NOTHING ||
	    b.type == PS_NOTHING)
		return -1;
	if (a.type == PS_NULL || b.type == PS_NULL)
		return a.type == b.type;
	if (a.type == PS_BOOL) {
		int truth = ps_truth(b);

		return truth < 0 ? -1 : truth == (a.number != 0);
	}
	if (a.type == PS_TEXT || a.type == PS_CHAR) {
		a = ps_to_text(ps, a);
		b = ps_to_text(ps, b);
		if (a.type != PS_TEXT || b.type != PS_TEXT)
			return -1;
		if (!cased && !(ascii(a.text) && ascii(b.text)) &&
		    strcmp(a.text, b.text) != 0)
			return -1;
		return !compare_text(a, b, cased);
	}
	if (!ps_number(ps, a, &number))
		return -1;
	if (!ps_number(ps, b, &b))
		return b.type == PS_TEXT ? -1 : 0;
	return real_of(number) == real_of(b);
}

/* Below 0, 0 or above; false: not known. */
static bool order(struct ps *ps, struct ps_value a, struct ps_value b,
		  int *sign)
{
	double x, y;

	if (a.type == PS_TEXT || a.type == PS_NULL || b.type == PS_NULL ||
	    !ps_number(ps, a, &a) || !ps_number(ps, b, &b))
		return false;
	x = real_of(a);
	y = real_of(b);
	*sign = x < y ? -1 : x > y;
	return true;
}

static int like_class(const char **pattern, unsigned char c)
{
	const char *p = *pattern + 1, *close = strchr(p, ']');
	bool found = false;

	if (!close || close == p)
		return -1;
	for (; p < close; p++) {
		if (p[1] == '-' && p + 2 < close) {
			found = found || ((unsigned char)*p <= c &&
					  c <= (unsigned char)p[2]);
			p += 2;
		} else {
			found = found || (unsigned char)*p == c;
		}
	}
	*pattern = close;
	return found;
}

static int same_char(char a, char b, bool cased)
{
	return cased ? a == b : !strncasecmp(&a, &b, 1);
}

bool ps_try(struct ps *ps, size_t tries)
{
	ps->tries -= tries < ps->tries ? tries : ps->tries;
	ps->spent |= !ps->tries;
	return !ps->spent;
}

int ps_like(struct ps *ps, const char *text, const char *pattern, bool cased)
{
	const char *star = NULL, *from = NULL;
	int found;

	if (!ascii(text) || !ascii(pattern))
		return -1;
	while (*text) {
		if (!ps_try(ps, 1))
			return -1;
		if (*pattern == '*') {
			star = ++pattern;
			from = text;
			continue;
		}
		if (*pattern == '`' ||
		    (*pattern == '[' && !cased && strpbrk(pattern, "-")))
			return -1;
		found = *pattern == '[' ? like_class(&pattern, *text) :
			*pattern == '?' ? 1 :
					  same_char(*pattern, *text, cased);
		if (found < 0)
			return -1;
		if (found && *pattern) {
			pattern++;
			text++;
		} else if (star) {
			pattern = star;
			text = ++from;
		} else {
			return 0;
		}
	}
	return pattern[strspn(pattern, "*")] == '\0';
}

/* One comparison of single values: 1, 0 or -1. */
static int compare(struct ps *ps, int op, struct ps_value a, struct ps_value b)
{
	bool cased = op & PS_CASED;
	int sign, found;

	op &= ~PS_CASED;
	if (op == PS_EQ || op == PS_NE) {
		found = ps_equal(ps, a, b, cased);
		return found < 0 ? -1 : found == (op == PS_EQ);
	}
	if (op == PS_LIKE || op == PS_NOTLIKE) {
		a = ps_to_text(ps, a);
		b = ps_to_text(ps, b);
		if (a.type != PS_TEXT || b.type != PS_TEXT)
			return -1;
		found = ps_like(ps, a.text, b.text, cased);
		return found < 0 ? -1 : found == (op == PS_LIKE);
	}
	if (!order(ps, a, b, &sign))
		return -1;
	return op == PS_GT ? sign > 0 :
	       op == PS_GE ? sign >= 0 :
	       op == PS_LT ? sign < 0 :
			     sign <= 0;
}

static struct ps_value truth_of(int found)
{
	return found < 0 ? ps_unknown() : ps_bool(found);
}

static int matches(struct ps *ps, struct ps_value a, struct ps_value b,
		   bool cased)
{
	struct ps_span group[PS_GROUPS];
	struct ps_value all, piece;
	int result, i;

	a = ps_to_text(ps, a);
	b = ps_to_text(ps, b);
	if (a.type != PS_TEXT || b.type != PS_TEXT)
		return -1;
	result = ps_match(ps, a, 0, b.text, cased, group);
	if (result <= 0)
		return result;
	all = (struct ps_value){ .type = PS_HASH };
	all.hash = ps_take(ps, sizeof(*all.hash));
	for (i = 0; all.hash && i < PS_GROUPS; i++) {
		if (group[i].start > group[i].end)
			continue;
		piece = ps_text(ps, a.text + group[i].start,
				group[i].end - group[i].start);
		ps_put(ps, all.hash, ps_int(i), piece);
	}
	ps_write(ps, "Matches", all.hash ? all : ps_unknown());
	return 1;
}

static struct ps_value one_comparison(struct ps *ps, int op, struct ps_value a,
				      struct ps_value b)
{
	int plain = op & ~PS_CASED, found;

	if (plain == PS_MATCH || plain == PS_NOTMATCH) {
		found = matches(ps, a, b, op & PS_CASED);
		return truth_of(found < 0 ? -1 : found == (plain == PS_MATCH));
	}
	return truth_of(compare(ps, op, a, b));
}

/* A list on the left keeps the items for which it holds. */
static struct ps_value comparison(struct ps *ps, int op, struct ps_value a,
				  struct ps_value b)
{
	struct ps_value kept, one;
	size_t i;

	if (a.type != PS_ARRAY)
		return one_comparison(ps, op, a, b);
	kept = ps_array(ps);
	for (i = 0; i < a.list->count && kept.type == PS_ARRAY; i++) {
		one = one_comparison(ps, op, a.list->item[i], b);
		if (one.type != PS_BOOL)
			return ps_unknown();
		if (one.number)
			ps_push(ps, kept.list, a.list->item[i]);
	}
	return kept;
}

static struct ps_value contains(struct ps *ps, struct ps_value list,
				struct ps_value item, bool cased, bool wanted)
{
	struct ps_list items = { 0 };
	size_t i;
	int found;

	if (list.type == PS_UNKNOWN)
		return list;
	ps_spread(ps, &items, list);
	for (i = 0; i < items.count; i++) {
		found = ps_equal(ps, items.item[i], item, cased);
		if (found)
			return found < 0 ? ps_unknown() : ps_bool(wanted);
	}
	return ps_bool(!wanted);
}

static struct ps_value logical(int op, struct ps_value a, struct ps_value b)
{
	int x = ps_truth(a), y = ps_truth(b);

	if (op == PS_AND && (!x || !y))
		return ps_bool(false);
	if (op == PS_OR && (x > 0 || y > 0))
		return ps_bool(true);
	if (x < 0 || y < 0)
		return ps_unknown();
	return ps_bool(op == PS_XOR ? x != y : op == PS_AND);
}

static struct ps_value bits(struct ps *ps, int op, struct ps_value a,
			    struct ps_value b)
{
	if (!ps_number(ps, a, &a) || !ps_number(ps, b, &b) ||
	    a.type != PS_INT || b.type != PS_INT)
		return ps_unknown();
	switch (op) {
	case PS_BAND:
		return ps_int(a.number & b.number);
	case PS_BOR:
		return ps_int(a.number | b.number);
	case PS_BXOR:
		return ps_int(a.number ^ b.number);
	case PS_SHL:
		return ps_int((int32_t)((uint32_t)a.number << (b.number & 31)));
	default:
		return ps_int((int32_t)a.number >> (b.number & 31));
	}
}

static struct ps_value type_test(struct ps *ps, int op, struct ps_value a,
				 struct ps_value b)
{
	bool known, is;

	if (b.type != PS_CLASS && b.type != PS_TEXT)
		return ps_unknown();
	if (op == PS_AS) {
		a = ps_cast(ps, b.text, a);
		if (ps->flow == PS_ON)
			return a;
		ps->flow = PS_ON;
		return ps_null();
	}
	is = ps_is(a, b.text, &known);
	return known ? ps_bool(is == (op == PS_IS)) : ps_unknown();
}

static struct ps_value list_of(struct ps *ps, struct ps_value v)
{
	struct ps_value array = ps_array(ps);

	if (array.type == PS_ARRAY)
		ps_spread(ps, array.list, v);
	return array;
}

static struct ps_value replace(struct ps *ps, struct ps_value a,
			       struct ps_value b, bool cased)
{
	struct ps_value by = ps_string(""), out;
	size_t i;

	if (b.type == PS_ARRAY) {
		if (!b.list->count || b.list->count > 2)
			return ps_unknown();
		if (b.list->count == 2)
			by = b.list->item[1];
		b = b.list->item[0];
	}
	if (a.type != PS_ARRAY)
		return ps_replace(ps, a, b, by, cased);
	out = ps_array(ps);
	for (i = 0; i < a.list->count && out.type == PS_ARRAY; i++)
		ps_push(ps, out.list,
			ps_replace(ps, a.list->item[i], b, by, cased));
	return out;
}

static struct ps_value split(struct ps *ps, struct ps_value a,
			     struct ps_value b, bool cased)
{
	int64_t most = 0;

	if (b.type == PS_ARRAY) {
		if (b.list->count != 2 || b.list->item[1].type != PS_INT)
			return ps_unknown();
		most = b.list->item[1].number;
		b = b.list->item[0];
	}
	return a.type == PS_ARRAY ? ps_unknown() :
				    ps_split(ps, a, b, most, cased);
}

static struct ps_value apply(struct ps *ps, int op, struct ps_value a,
			     struct ps_value b)
{
	bool cased = op & PS_CASED;
	int plain = op & ~PS_CASED;

	switch (plain) {
	case PS_ADD:
		return add(ps, a, b);
	case PS_MUL:
		if (a.type == PS_TEXT || a.type == PS_ARRAY)
			return repeat(ps, a, b);
		return arithmetic(ps, op, a, b);
	case PS_SUB:
	case PS_DIV:
	case PS_REM:
		return arithmetic(ps, op, a, b);
	case PS_RANGE:
		return range(ps, a, b);
	case PS_JOIN:
		return ps_join(ps, a, b);
	case PS_FORMAT:
		b = list_of(ps, b);
		return b.type == PS_ARRAY ? ps_format(ps, a, b.list) : b;
	case PS_REPLACE:
		return replace(ps, a, b, cased);
	case PS_SPLIT:
		return split(ps, a, b, cased);
	case PS_CONTAINS:
	case PS_NOTCONTAINS:
		return contains(ps, a, b, cased, plain == PS_CONTAINS);
	case PS_IN:
	case PS_NOTIN:
		return contains(ps, b, a, cased, plain == PS_IN);
	case PS_AND:
	case PS_OR:
	case PS_XOR:
		return logical(op, a, b);
	case PS_BAND:
	case PS_BOR:
	case PS_BXOR:
	case PS_SHL:
	case PS_SHR:
		return bits(ps, op, a, b);
	case PS_IS:
	case PS_ISNOT:
	case PS_AS:
		return type_test(ps, op, a, b);
	default:
		return comparison(ps, op, a, b);
	}
}

struct ps_value ps_binary(struct ps *ps, int op, struct ps_value a,
			  struct ps_value b)
{
	struct ps_value result;

	if (a.type == PS_UNKNOWN || b.type == PS_UNKNOWN) {
		result = op == PS_AND || op == PS_OR ? logical(op, a, b) :
						       ps_unknown();
	} else {
		result = apply(ps, op, a, b);
	}
	result.doubt |= a.doubt | b.doubt;
	return result;
}

struct ps_value ps_unary(struct ps *ps, int op, struct ps_value a)
{
	struct ps_value result = ps_unknown();
	int truth;

	switch (op) {
	case PS_NOT:
		truth = ps_truth(a);
		result = truth < 0 ? result : ps_bool(!truth);
		break;
	case PS_BNOT:
		if (a.type == PS_INT)
			result = ps_int(~a.number);
		break;
	case PS_JOIN:
		result = ps_join(ps, a, ps_string(""));
		break;
	case PS_COMMA:
		result = ps_array(ps);
		if (result.type == PS_ARRAY)
			ps_push(ps, result.list, a);
		break;
	case PS_ADD:
	case PS_SUB:
		if (a.type != PS_UNKNOWN)
			result = arithmetic(ps, op, ps_int(0), a);
		break;
	case PS_SPLIT:
		if (a.type == PS_TEXT)
			result = ps_split(ps, a, ps_string("\\s+"), 0, false);
		break;
	}
	result.doubt |= a.doubt;
	return result;
}
