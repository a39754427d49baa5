// SPDX-License-Identifier: Apache-2.0
/* Operands of PowerShell: values, members, calls, casts. */
#include <string.h>
#include <strings.h>

#include "script/powershell-parse.h"
#include "util/util.h"

static struct ps_node *statements_in(struct ps_parser *p, enum ps_kind kind,
				     size_t skip, char closer)
{
	struct ps_node *node = ps_node(p, kind, p->at);
	bool no_comma = p->no_comma;

	if (!ps_deeper(p))
		return node;
	p->no_comma = false;
	p->at += skip;
	ps_child(p, node, ps_parse_statements(p, closer));
	ps_take_char(p, closer, "a bracket is not closed");
	node->end = p->at;
	p->no_comma = no_comma;
	p->depth--;
	return node;
}

/* ( pipeline ) */
static struct ps_node *parenthesis(struct ps_parser *p)
{
	struct ps_node *node = ps_node(p, PS_N_PAREN, p->at), *line;
	bool no_comma = p->no_comma;

	if (!ps_deeper(p))
		return node;
	p->no_comma = false;
	p->at++;
	ps_lines(p);
	line = ps_parse_line(p);
	if (!line)
		ps_refuse(p, p->at, "an expression is missing behind (");
	ps_child(p, node, line);
	ps_lines(p);
	ps_take_char(p, ')', ") is missing");
	node->end = p->at;
	p->no_comma = no_comma;
	p->depth--;
	return node;
}

/* A key of a hashtable: a bare word, or an expression. */
static struct ps_node *hash_key(struct ps_parser *p)
{
	struct ps_node *key;
	size_t start = p->at, width;

	while (ps_name_char(p, p->at, &width))
		p->at += width;
	if (p->at > start &&
	    !(p->text[start] >= '0' && p->text[start] <= '9')) {
		key = ps_node(p, PS_N_CONSTANT, start);
		key->value = ps_text(p->ps, p->text + start, p->at - start);
		return key;
	}
	p->at = start;
	return ps_parse_operand(p);
}

static void hash_pair(struct ps_parser *p, struct ps_node *node)
{
	struct ps_node *key = hash_key(p), *value;

	if (!key) {
		ps_refuse(p, p->at, "a key is missing");
		return;
	}
	ps_child(p, node, key);
	ps_blanks(p);
	ps_take_char(p, '=', "= is missing behind a key");
	ps_lines(p);
	value = ps_parse_statement(p);
	if (!value)
		ps_refuse(p, p->at, "a value is missing behind =");
	ps_child(p, node, value);
}

static struct ps_node *hash_literal(struct ps_parser *p)
{
	struct ps_node *node = ps_node(p, PS_N_HASH, p->at);
	bool no_comma = p->no_comma;
	size_t line;

	if (!ps_deeper(p))
		return node;
	p->no_comma = false;
	p->at += 2;
	ps_lines(p);
	while (!p->bad && ps_peek(p, 0) != '}') {
		hash_pair(p, node);
		ps_blanks(p);
		line = ps_newline(p, p->at);
		if (!line && ps_peek(p, 0) != ';' && ps_peek(p, 0) != '}')
			ps_refuse(p, p->at, "unexpected in a hashtable");
		while (ps_newline(p, p->at) || ps_peek(p, 0) == ';') {
			p->at++;
			ps_lines(p);
		}
	}
	ps_take_char(p, '}', "@{ is not closed");
	node->end = p->at;
	p->no_comma = no_comma;
	p->depth--;
	return node;
}

static struct ps_node *block_value(struct ps_parser *p)
{
	struct ps_node *node = ps_node(p, PS_N_BLOCKVALUE, p->at);
	bool no_comma = p->no_comma;

	p->no_comma = false;
	ps_child(p, node, ps_parse_script(p));
	p->no_comma = no_comma;
	node->end = p->at;
	return node;
}

static struct ps_node *at_sign(struct ps_parser *p)
{
	size_t width;
	struct ps_node *node;

	if (ps_peek(p, 1) == '(')
		return statements_in(p, PS_N_LIST, 2, ')');
	if (ps_peek(p, 1) == '{')
		return hash_literal(p);
	if (ps_quote(p, p->at + 1, &width))
		return ps_parse_here(p);
	node = ps_parse_variable(p, false);
	if (!node)
		ps_refuse(p, p->at, "@ stands alone");
	else
		node->op = 1;
	return node;
}

struct ps_node *ps_parse_primary(struct ps_parser *p)
{
	size_t width;
	int c = ps_peek(p, 0);
	struct ps_node *node;

	if (ps_quote(p, p->at, &width))
		return ps_parse_string(p);
	switch (c) {
	case '$':
		if (ps_peek(p, 1) == '(')
			return statements_in(p, PS_N_SUB, 2, ')');
		node = ps_parse_variable(p, false);
		if (!node)
			ps_refuse(p, p->at, "$ stands alone");
		return node;
	case '@':
		return at_sign(p);
	case '(':
		return parenthesis(p);
	case '{':
		return block_value(p);
	default:
		return ps_parse_number(p, false);
	}
}

/* The name of a member, or an expression that gives it. */
static struct ps_node *member_name(struct ps_parser *p)
{
	size_t start = p->at, width;
	struct ps_node *name;

	while (ps_name_char(p, p->at, &width))
		p->at += width;
	if (p->at == start) {
		name = ps_parse_primary(p);
		if (!name)
			ps_refuse(p, start, "the name of a member is missing");
		return name;
	}
	name = ps_node(p, PS_N_CONSTANT, start);
	name->value = ps_text(p->ps, p->text + start, p->at - start);
	return name;
}

static void call_arguments(struct ps_parser *p, struct ps_node *call)
{
	bool no_comma = p->no_comma;
	struct ps_node *argument;

	p->no_comma = true;
	p->at++;
	ps_lines(p);
	while (!p->bad && ps_peek(p, 0) != ')') {
		argument = ps_parse_expression(p);
		if (!argument)
			ps_refuse(p, p->at, "an argument is missing");
		ps_child(p, call, argument);
		ps_lines(p);
		if (ps_peek(p, 0) == ')')
			break;
		ps_take_char(p, ',', ") is missing");
		ps_lines(p);
		if (ps_peek(p, 0) == ')')
			ps_refuse(p, p->at, "an argument is missing");
	}
	ps_take_char(p, ')', ") is missing");
	p->no_comma = no_comma;
}

static struct ps_node *member(struct ps_parser *p, struct ps_node *object,
			      int op, size_t skip)
{
	struct ps_node *node = ps_node(p, PS_N_MEMBER, object->start);

	p->at += skip;
	node->op = op;
	ps_child(p, node, object);
	ps_child(p, node, member_name(p));
	if (ps_peek(p, 0) == '(' && ps_deeper(p)) {
		node->kind = PS_N_INVOKE;
		call_arguments(p, node);
		p->depth--;
	}
	node->end = p->at;
	return node;
}

static struct ps_node *element(struct ps_parser *p, struct ps_node *object,
			       size_t skip)
{
	struct ps_node *node = ps_node(p, PS_N_INDEX, object->start), *index;
	bool no_comma = p->no_comma;

	if (!ps_deeper(p))
		return node;
	p->no_comma = false;
	p->at += skip;
	ps_lines(p);
	ps_child(p, node, object);
	index = ps_parse_expression(p);
	if (!index)
		ps_refuse(p, p->at, "an index is missing");
	ps_child(p, node, index);
	ps_lines(p);
	ps_take_char(p, ']', "] is missing");
	node->end = p->at;
	p->no_comma = no_comma;
	p->depth--;
	return node;
}

bool ps_assignable(const struct ps_node *node)
{
	const struct ps_node *item;

	switch (node->kind) {
	case PS_N_VARIABLE:
	case PS_N_MEMBER:
	case PS_N_INDEX:
		return true;
	case PS_N_CAST:
		return ps_assignable(node->first);
	case PS_N_ARRAY:
		for (item = node->first; item; item = item->next)
			if (!ps_assignable(item))
				return false;
		return true;
	default:
		return false;
	}
}

/* Of ++ and --. */
static void check_step(struct ps_parser *p, const struct ps_node *operand)
{
	if (!operand ||
	    (operand->kind != PS_N_PAREN && !ps_assignable(operand)))
		ps_refuse(p, p->at, "nothing that ++ or -- could change");
}

static struct ps_node *step_behind(struct ps_parser *p, struct ps_node *operand,
				   char sign)
{
	struct ps_node *node = ps_node(p, PS_N_STEP, operand->start);

	p->at += 2;
	node->op = sign | 256;
	check_step(p, operand);
	ps_child(p, node, operand);
	return node;
}

struct ps_node *ps_postfix(struct ps_parser *p, struct ps_node *node)
{
	size_t width;
	int next;

	while (node && !p->bad) {
		next = ps_peek(p, 1);
		if (ps_starts(p, "++") || ps_starts(p, "--"))
			return step_behind(p, node, ps_peek(p, 0));
		if (ps_starts(p, "::"))
			node = member(p, node, ':', 2);
		else if (ps_peek(p, 0) == '.' &&
			 (ps_name_char(p, p->at + 1, &width) ||
			  ps_quote(p, p->at + 1, &width) || next == '$' ||
			  next == '('))
			node = member(p, node, '.', 1);
		else if (ps_starts(p, "?.") && node->kind == PS_N_VARIABLE)
			node = member(p, node, '.', 2);
		else if (ps_peek(p, 0) == '[')
			node = element(p, node, 1);
		else if (ps_starts(p, "?[") && node->kind == PS_N_VARIABLE)
			node = element(p, node, 2);
		else
			return node;
	}
	return node;
}

/* The end of [type] at a place, or 0; *simple: no attribute. */
static size_t type_end(const struct ps_parser *p, bool *simple)
{
	size_t at = p->at, width;
	int depth = 0, round = 0;

	*simple = true;
	for (; at < p->end; at++) {
		if (p->text[at] == '(') {
			*simple = false;
			round++;
		} else if (p->text[at] == ')') {
			round--;
		} else if (p->text[at] == '[' && !round) {
			depth++;
		} else if (p->text[at] == ']' && !round) {
			if (!--depth)
				return at + 1;
		} else if (!round && !ps_name_char(p, at, &width) &&
			   !(p->text[at] && strchr(".,+` ", p->text[at]))) {
			return 0;
		}
	}
	return 0;
}

/* Does an operand follow, so that [type] is a cast? */
static bool cast_ahead(struct ps_parser *p)
{
	size_t width;
	int c;

	if (ps_peek(p, 0) == '[')
		return true;
	ps_blanks(p);
	c = ps_peek(p, 0);
	return ps_quote(p, p->at, &width) ||
	       (c > 0 && strchr("$(@{[0123456789!.", c) &&
		!ps_starts(p, "..")) ||
	       (ps_dash(p, p->at) && ps_peek(p, 1) >= '0' &&
		ps_peek(p, 1) <= '9');
}

static struct ps_node *ps_parse_bracket(struct ps_parser *p)
{
	size_t start = p->at, end;
	struct ps_node *node, *operand;
	bool simple;

	end = type_end(p, &simple);
	if (!end || end == start + 2) {
		ps_refuse(p, start, "[ starts no type");
		return NULL;
	}
	p->at = end;
	node = ps_node(p, PS_N_CLASS, start);
	node->text = ps_copy(p->ps, p->text + start + 1, end - start - 2);
	if (ps_starts(p, "::"))
		return ps_postfix(p, node);
	if (!cast_ahead(p))
		return simple ? node :
				(ps_refuse(p, start, "[ starts no type"), NULL);
	if (!ps_deeper(p))
		return NULL;
	operand = ps_parse_operand(p);
	p->depth--;
	if (!simple || !operand)
		return operand;
	node->kind = PS_N_CAST;
	ps_child(p, node, operand);
	return node;
}

/* A unary operator's sign and bytes, or 0. */
static int unary_ahead(const struct ps_parser *p, size_t *length)
{
	static const struct {
		const char *word;
		int op;
	} words[] = { { "not", PS_NOT },      { "bnot", PS_BNOT },
		      { "join", PS_JOIN },    { "split", PS_SPLIT },
		      { "isplit", PS_SPLIT }, { "csplit", PS_SPLIT } };
	size_t dash = ps_dash(p, p->at), i, width, n;

	*length = 1;
	if (ps_peek(p, 0) == '!')
		return PS_NOT;
	if (ps_peek(p, 0) == ',' && !p->no_comma)
		return PS_COMMA;
	if (ps_peek(p, 0) == '+')
		return PS_ADD;
	for (i = 0; dash && i < ARRAY_SIZE(words); i++) {
		n = strlen(words[i].word);
		if (p->end - p->at >= dash + n &&
		    !strncasecmp(p->text + p->at + dash, words[i].word, n) &&
		    !ps_name_char(p, p->at + dash + n, &width)) {
			*length = dash + n;
			return words[i].op;
		}
	}
	*length = dash;
	return dash ? PS_SUB : 0;
}

static struct ps_node *step_ahead(struct ps_parser *p)
{
	struct ps_node *node = ps_node(p, PS_N_STEP, p->at), *operand;

	node->op = ps_peek(p, 0);
	p->at += 2;
	operand = ps_parse_operand(p);
	check_step(p, operand);
	ps_child(p, node, operand);
	return node;
}

struct ps_node *ps_parse_operand(struct ps_parser *p)
{
	struct ps_node *node, *operand;
	size_t length;
	int op;

	if (p->bad || !ps_deeper(p))
		return NULL;
	if (ps_starts(p, "++") || ps_starts(p, "--")) {
		node = step_ahead(p);
	} else if ((op = unary_ahead(p, &length))) {
		node = ps_node(p, PS_N_UNARY, p->at);
		node->op = op;
		p->at += length;
		ps_lines(p);
		operand = ps_parse_operand(p);
		if (!operand)
			ps_refuse(p, p->at, "an operand is missing");
		ps_child(p, node, operand);
	} else if (ps_peek(p, 0) == '[') {
		node = ps_parse_bracket(p);
	} else {
		node = ps_postfix(p, ps_parse_primary(p));
	}
	p->depth--;
	return node;
}
