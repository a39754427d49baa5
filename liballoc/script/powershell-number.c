// SPDX-License-Identifier: Apache-2.0
/* Numbers of PowerShell: 0x10, 1.50, 1e3, 4kb, 128L. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/powershell-parse.h"

enum { NUMBER_BYTES = 64 };

struct number {
	char digits[NUMBER_BYTES];
	size_t length;
	int base;
	bool real;
};

static bool take_digits(const struct ps_parser *p, size_t *at, struct number *n,
			const char *digits)
{
	size_t start = n->length;

	for (; *at < p->end && p->text[*at] && strchr(digits, p->text[*at]);
	     ++*at) {
		if (n->length + 2 > NUMBER_BYTES)
			return false;
		n->digits[n->length++] = p->text[*at];
	}
	n->digits[n->length] = '\0';
	return n->length > start;
}

static void take_sign(const struct ps_parser *p, size_t *at, struct number *n)
{
	if (*at < p->end && (p->text[*at] == '-' || p->text[*at] == '+'))
		n->digits[n->length++] = p->text[(*at)++];
}

/* The point and the exponent, if there are any. */
static bool take_fraction(const struct ps_parser *p, size_t *at,
			  struct number *n, bool whole)
{
	static const char decimal[] = "0123456789";

	if (*at < p->end && p->text[*at] == '.' &&
	    !(*at + 1 < p->end && p->text[*at + 1] == '.')) {
		n->real = true;
		n->digits[n->length++] = p->text[(*at)++];
		if (!take_digits(p, at, n, decimal) && !whole)
			return false;
	} else if (!whole) {
		return false;
	}
	if (*at < p->end && (p->text[*at] | 0x20) == 'e') {
		n->real = true;
		n->digits[n->length++] = p->text[(*at)++];
		take_sign(p, at, n);
		return take_digits(p, at, n, decimal);
	}
	return true;
}

static bool take_number(const struct ps_parser *p, size_t *at, struct number *n)
{
	bool whole;

	n->base = 10;
	if (*at + 1 < p->end && p->text[*at] == '0') {
		n->base = (p->text[*at + 1] | 0x20) == 'x' ? 16 :
			  (p->text[*at + 1] | 0x20) == 'b' ? 2 :
							     10;
	}
	if (n->base != 10) {
		*at += 2;
		return take_digits(p, at, n,
				   n->base == 2 ? "01" :
						  "0123456789abcdefABCDEF");
	}
	whole = take_digits(p, at, n, "0123456789");
	return n->length + 8 < NUMBER_BYTES && take_fraction(p, at, n, whole);
}

/* Letters of a type, then of a multiplier. */
static int64_t take_suffix(const struct ps_parser *p, size_t *at, char *type)
{
	static const char units[] = "kmgtp";
	const char *unit;
	size_t i = *at;

	*type = 0;
	if (i < p->end && p->text[i] && strchr("lLdDnNuUsSyY", p->text[i])) {
		*type = p->text[i++] | 0x20;
		if (*type == 'u' && i < p->end && p->text[i] &&
		    strchr("lLsSyY", p->text[i]))
			i++;
	}
	*at = i;
	if (i + 1 >= p->end || (p->text[i + 1] | 0x20) != 'b')
		return 1;
	unit = p->text[i] ? strchr(units, p->text[i] | 0x20) : NULL;
	if (!unit)
		return 1;
	*at += 2;
	return (int64_t)1 << 10 * (unit - units + 1);
}

static struct ps_value integer(const struct number *n, int64_t scale, char type)
{
	unsigned long long parsed;
	struct ps_value value;
	int64_t number;

	errno = 0;
	parsed = strtoull(n->digits, NULL, n->base);
	if (errno || parsed > INT64_MAX)
		return ps_unknown();
	number = parsed;
	/* 0xFFFFFFFF is -1 */
	if (n->base != 10 && !type && number > INT32_MAX &&
	    number <= UINT32_MAX)
		number = (int32_t)number;
	if (__builtin_mul_overflow(number, scale, &number))
		return ps_unknown();
	value = ps_int(number);
	if (type && type != 's' && type != 'y' && type != 'u')
		value.type = PS_LONG;
	return value;
}

static struct ps_value number_value(const struct number *n, int64_t scale,
				    char type)
{
	if (!n->real)
		return integer(n, scale, type);
	if (type)
		return ps_unknown();
	return ps_real(strtod(n->digits, NULL) * (double)scale);
}

/* May something else follow a number? */
static bool ends(const struct ps_parser *p, size_t at, bool argument)
{
	size_t width;

	if (ps_delimiter(p, at) || ps_quote(p, at, &width))
		return true;
	if (argument)
		return false;
	return strchr("!%*+-./=[]?#", p->text[at]) || ps_dash(p, at);
}

struct ps_node *ps_parse_number(struct ps_parser *p, bool argument)
{
	struct number n = { .length = 0 };
	size_t at = p->at, start = p->at;
	struct ps_node *node;
	int64_t scale;
	char type;

	if (argument && ps_peek(p, 0) == '-')
		take_sign(p, &at, &n);
	if (at >= p->end || !p->text[at] ||
	    !strchr(".0123456789", p->text[at]) || !take_number(p, &at, &n))
		return NULL;
	scale = take_suffix(p, &at, &type);
	if (!ends(p, at, argument))
		return NULL;
	p->at = at;
	node = ps_node(p, PS_N_CONSTANT, start);
	if (n.digits[0] == '-' && n.base != 10)
		node->value = ps_unknown();
	else
		node->value = number_value(&n, scale, type);
	if (argument) {
		node->text = ps_copy(p->ps, p->text + start, at - start);
		node->op = 1; /* its text may stand for it */
	}
	return node;
}
