// SPDX-License-Identifier: Apache-2.0
/* Expressions of PowerShell: operators by precedence. */
#include <string.h>
#include <strings.h>

#include "script/powershell-parse.h"
#include "util/util.h"

struct word_operator {
	const char *word;
	int op;
	int precedence;
};

enum {
	LOGICAL = 1,
	BITWISE,
	COMPARE,
	COALESCE,
	ADDITIVE,
	TIMES,
	FORMAT,
	RANGE
};

/* Operators that may have i or c in front. */
static const struct word_operator compared[] = {
	{ "eq", PS_EQ, COMPARE },
	{ "ne", PS_NE, COMPARE },
	{ "gt", PS_GT, COMPARE },
	{ "ge", PS_GE, COMPARE },
	{ "lt", PS_LT, COMPARE },
	{ "le", PS_LE, COMPARE },
	{ "like", PS_LIKE, COMPARE },
	{ "notlike", PS_NOTLIKE, COMPARE },
	{ "match", PS_MATCH, COMPARE },
	{ "notmatch", PS_NOTMATCH, COMPARE },
	{ "contains", PS_CONTAINS, COMPARE },
	{ "notcontains", PS_NOTCONTAINS, COMPARE },
	{ "in", PS_IN, COMPARE },
	{ "notin", PS_NOTIN, COMPARE },
	{ "replace", PS_REPLACE, COMPARE },
	{ "split", PS_SPLIT, COMPARE },
};

static const struct word_operator plain[] = {
	{ "or", PS_OR, LOGICAL },	{ "and", PS_AND, LOGICAL },
	{ "xor", PS_XOR, LOGICAL },	{ "bor", PS_BOR, BITWISE },
	{ "band", PS_BAND, BITWISE },	{ "bxor", PS_BXOR, BITWISE },
	{ "join", PS_JOIN, COMPARE },	{ "is", PS_IS, COMPARE },
	{ "isnot", PS_ISNOT, COMPARE }, { "as", PS_AS, COMPARE },
	{ "shl", PS_SHL, COMPARE },	{ "shr", PS_SHR, COMPARE },
	{ "f", PS_FORMAT, FORMAT },
};

static bool word_is(const struct ps_parser *p, size_t at, const char *word)
{
	size_t length = strlen(word), width;

	return at <= p->end && p->end - at >= length &&
	       !strncasecmp(p->text + at, word, length) &&
	       !ps_name_char(p, at + length, &width);
}

/* An operator of letters behind a dash. */
static int word_operator(const struct ps_parser *p, size_t *length,
			 int *precedence)
{
	size_t dash = ps_dash(p, p->at), at = p->at + dash, i;
	const struct word_operator *o;
	int letter = dash ? ps_peek(p, dash) | 0x20 : 0;

	if (!dash)
		return 0;
	for (i = 0; i < ARRAY_SIZE(plain); i++) {
		o = &plain[i];
		if (!word_is(p, at, o->word))
			continue;
		*length = dash + strlen(o->word);
		*precedence = o->precedence;
		return o->op;
	}
	for (i = 0; i < ARRAY_SIZE(compared); i++) {
		o = &compared[i];
		*precedence = o->precedence;
		*length = dash + strlen(o->word);
		if (word_is(p, at, o->word))
			return o->op;
		++*length;
		if ((letter == 'i' || letter == 'c') &&
		    word_is(p, at + 1, o->word))
			return o->op | (letter == 'c' ? PS_CASED : 0);
	}
	return 0;
}

static int sign_operator(const struct ps_parser *p, size_t *length,
			 int *precedence)
{
	int c = ps_peek(p, 0), next = ps_peek(p, 1);

	*length = 1;
	*precedence = ADDITIVE;
	if (c == '.' && next == '.') {
		*length = 2;
		*precedence = RANGE;
		return PS_RANGE;
	}
	if (c == '?' && next == '?' && ps_peek(p, 2) != '=') {
		*length = 2;
		*precedence = COALESCE;
		ps_modern(p, p->at);
		return PS_COALESCE;
	}
	if (next == '=')
		return 0;
	if (c == '+' && next != '+')
		return PS_ADD;
	*length = ps_dash(p, p->at);
	if (*length && !ps_dash(p, p->at + *length) &&
	    ps_peek(p, *length) != '=')
		return PS_SUB;
	*length = 1;
	*precedence = TIMES;
	return c == '*' ? PS_MUL : c == '/' ? PS_DIV : c == '%' ? PS_REM : 0;
}

static int operator_ahead(const struct ps_parser *p, size_t *length,
			  int *precedence)
{
	int op = word_operator(p, length, precedence);

	return op ? op : sign_operator(p, length, precedence);
}

static struct ps_node *missing(struct ps_parser *p)
{
	ps_refuse(p, p->at, "an expression is missing here");
	return ps_node(p, PS_N_NONE, p->at);
}

/* a, b */
static struct ps_node *parse_array(struct ps_parser *p)
{
	struct ps_node *first = ps_parse_operand(p), *array;

	if (!first)
		return NULL;
	ps_blanks(p);
	if (p->no_comma || ps_peek(p, 0) != ',')
		return first;
	array = ps_node(p, PS_N_ARRAY, first->start);
	ps_child(p, array, first);
	while (ps_peek(p, 0) == ',') {
		p->at++;
		ps_lines(p);
		first = ps_parse_operand(p);
		ps_child(p, array, first ? first : missing(p));
		ps_blanks(p);
	}
	return array;
}

static struct ps_node *parse_binary(struct ps_parser *p, int least)
{
	struct ps_node *left = parse_array(p), *right, *both;
	size_t length;
	int op, precedence;

	if (!left || !ps_deeper(p))
		return left;
	for (ps_blanks(p); !p->bad; ps_blanks(p)) {
		op = operator_ahead(p, &length, &precedence);
		if (!op || precedence < least)
			break;
		p->at += length;
		ps_lines(p);
		right = parse_binary(p, precedence + 1);
		both = ps_node(p, PS_N_BINARY, left->start);
		both->op = op;
		ps_child(p, both, left);
		ps_child(p, both, right ? right : missing(p));
		left = both;
	}
	p->depth--;
	return left;
}

struct ps_node *ps_parse_expression(struct ps_parser *p)
{
	struct ps_node *node = parse_binary(p, LOGICAL), *ternary;

	if (!node || p->bad || ps_peek(p, 0) != '?' || ps_peek(p, 1) == '?' ||
	    !ps_deeper(p))
		return node;
	ps_modern(p, p->at);
	ternary = ps_node(p, PS_N_TERNARY, node->start);
	ps_child(p, ternary, node);
	p->at++;
	ps_lines(p);
	node = ps_parse_expression(p);
	ps_child(p, ternary, node ? node : missing(p));
	ps_lines(p);
	ps_take_char(p, ':', "a colon is missing behind ?");
	ps_lines(p);
	node = ps_parse_expression(p);
	ps_child(p, ternary, node ? node : missing(p));
	p->depth--;
	return ternary;
}

bool ps_expression_ahead(struct ps_parser *p)
{
	static const char *const words[] = { "not",   "bnot",	"join",
					     "split", "isplit", "csplit" };
	size_t width, i, dash = ps_dash(p, p->at), at = p->at;
	struct ps_node *number;
	int c = ps_peek(p, 0), next = ps_peek(p, 1);

	if (ps_quote(p, p->at, &width) || (c > 0 && strchr("$({[!,", c)))
		return true;
	if (c == '@')
		return next == '(' || next == '{' ||
		       ps_quote(p, p->at + 1, &width);
	if (dash) {
		for (i = 0; i < ARRAY_SIZE(words); i++)
			if (word_is(p, p->at + dash, words[i]))
				return true;
		next = ps_peek(p, dash);
	}
	if (dash || c == '+') {
		if (ps_dash(p, p->at + 1) || next == '+')
			next = ps_peek(p, 2);
		return next > 0 && strchr("$([.0123456789", next);
	}
	number = ps_parse_number(p, false);
	if (number && (ps_delimiter(p, p->at) || number->op == 0)) {
		p->at = at;
		return true;
	}
	p->at = at;
	return false;
}
