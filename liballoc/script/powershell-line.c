// SPDX-License-Identifier: Apache-2.0
/* Commands, pipelines, chains and assignments of PowerShell. */
#include <string.h>

#include "script/powershell-parse.h"

/* A variable as an argument, unless a word goes on behind it. */
static struct ps_node *variable_argument(struct ps_parser *p)
{
	size_t start = p->at;
	struct ps_node *node = ps_postfix(p, ps_parse_primary(p));

	if (p->bad || ps_delimiter(p, p->at))
		return node;
	p->at = start;
	return ps_parse_word(p);
}

static struct ps_node *one_argument(struct ps_parser *p)
{
	size_t width;
	int c = ps_peek(p, 0), next = ps_peek(p, 1);
	struct ps_node *node;

	if (c == '$' && (next == '(' || next == '{' || next == '$' ||
			 ps_name_char(p, p->at + 1, &width)))
		return variable_argument(p);
	if (c == '(' || c == '{')
		return ps_postfix(p, ps_parse_primary(p));
	if (c == '@' &&
	    (next == '(' || next == '{' || ps_quote(p, p->at + 1, &width) ||
	     ps_name_char(p, p->at + 1, &width)))
		return ps_postfix(p, ps_parse_primary(p));
	if (ps_quote(p, p->at, &width))
		return ps_postfix(p, ps_parse_string(p));
	node = ps_parse_number(p, true);
	if (node)
		return node;
	return ps_parse_word(p);
}

/* Arguments that commas make a list. */
static struct ps_node *argument(struct ps_parser *p)
{
	struct ps_node *node, *list;

	if (!ps_deeper(p))
		return ps_node(p, PS_N_NONE, p->at);
	node = one_argument(p);
	ps_blanks(p);
	if (ps_peek(p, 0) == ',') {
		list = ps_node(p, PS_N_ARRAY, node->start);
		ps_child(p, list, node);
		while (ps_peek(p, 0) == ',') {
			p->at++;
			ps_lines(p);
			if (ps_delimiter(p, p->at) &&
			    !strchr("({", ps_peek(p, 0)))
				ps_refuse(p, p->at,
					  "an argument is missing behind ,");
			ps_child(p, list, one_argument(p));
			ps_blanks(p);
		}
		node = list;
	}
	p->depth--;
	return node;
}

/* -Name or -Name:value */
static struct ps_node *option(struct ps_parser *p)
{
	struct ps_node *node = ps_node(p, PS_N_OPTION, p->at);
	size_t start, width;

	p->at += ps_dash(p, p->at);
	start = p->at;
	while (ps_name_char(p, p->at, &width) || ps_peek(p, 0) == '-')
		p->at += width;
	node->text = ps_copy(p->ps, p->text + start, p->at - start);
	node->end = p->at;
	if (ps_peek(p, 0) == ':') {
		p->at++;
		ps_blanks(p);
		ps_child(p, node, argument(p));
	} else if (!ps_delimiter(p, p->at)) {
		p->at = node->start;
		return ps_parse_word(p);
	}
	return node;
}

/* > file, 2>&1: true if one was taken */
static bool redirection(struct ps_parser *p, struct ps_node *node)
{
	size_t start = p->at, at = start;
	int c = ps_peek(p, 0);

	if (c == '<') {
		ps_refuse(p, p->at, "< is reserved");
		return true;
	}
	if ((c >= '1' && c <= '6') || c == '*')
		at++;
	if (at >= p->end || p->text[at] != '>')
		return false;
	p->at = at + 1;
	if (ps_peek(p, 0) == '>')
		p->at++;
	if (ps_peek(p, 0) == '&' &&
	    (ps_peek(p, 1) == '1' || ps_peek(p, 1) == '2')) {
		p->at += 2;
		return true;
	}
	node->silent = node->silent || at == start || strchr("1*", c);
	ps_blanks(p);
	if (ps_delimiter(p, p->at) && ps_peek(p, 0) != '(')
		ps_refuse(p, p->at, "no file is named behind >");
	else
		one_argument(p);
	return true;
}

/* --% takes the rest of the line as it is. */
static void rest_of_line(struct ps_parser *p, struct ps_node *command)
{
	struct ps_node *word;
	size_t start;

	p->at += 3;
	ps_blanks(p);
	start = p->at;
	while (p->at < p->end && !ps_newline(p, p->at) && ps_peek(p, 0) != '|')
		p->at++;
	word = ps_node(p, PS_N_WORD, start);
	word->value = ps_text(p->ps, p->text + start, p->at - start);
	ps_child(p, command, word);
}

static bool command_ends(const struct ps_parser *p)
{
	int c = ps_peek(p, 0);

	return c < 0 || c == ';' || c == ')' || c == '}' || c == '|' ||
	       c == '&' || ps_newline(p, p->at);
}

static struct ps_node *command(struct ps_parser *p)
{
	struct ps_node *node = ps_node(p, PS_N_COMMAND, p->at);
	size_t width, dash, at;

	if ((ps_peek(p, 0) == '&' || ps_peek(p, 0) == '.') &&
	    (ps_peek(p, 0) == '&' || ps_delimiter(p, p->at + 1) ||
	     ps_quote(p, p->at + 1, &width) || ps_peek(p, 1) == '$')) {
		node->op = ps_peek(p, 0);
		p->at++;
		ps_blanks(p);
		if (command_ends(p))
			ps_refuse(p, p->at, "nothing to call");
	}
	ps_child(p, node, one_argument(p));
	for (ps_blanks(p); !p->bad && !command_ends(p); ps_blanks(p)) {
		dash = ps_dash(p, p->at);
		at = p->at;
		if (redirection(p, node))
			continue;
		if (ps_starts(p, "--%"))
			rest_of_line(p, node);
		else if (ps_peek(p, 0) == ',')
			ps_refuse(p, p->at, "an argument is missing before ,");
		else if (dash && ps_name_char(p, p->at + dash, &width) &&
			 !(ps_peek(p, dash) >= '0' && ps_peek(p, dash) <= '9'))
			ps_child(p, node, option(p));
		else
			ps_child(p, node, argument(p));
		if (p->at == at)
			ps_refuse(p, at, "this byte begins no argument");
	}
	node->end = p->at;
	return node;
}

/* Bytes of an assignment operator and its sign ('=', '+', ..., '?'), or 0. */
static size_t assign_ahead(const struct ps_parser *p, int *op)
{
	int c = ps_peek(p, 0);
	size_t dash = ps_dash(p, p->at);

	*op = c;
	if (c == '=')
		return 1;
	if (c > 0 && strchr("+*/%", c) && ps_peek(p, 1) == '=')
		return 2;
	if (dash && ps_peek(p, dash) == '=') {
		*op = '-';
		return dash + 1;
	}
	if (!ps_starts(p, "?"
			  "?="))
		return 0;
	ps_modern(p, p->at);
	return 3;
}

static struct ps_node *assignment(struct ps_parser *p, struct ps_node *target,
				  size_t length, int op)
{
	struct ps_node *node = ps_node(p, PS_N_ASSIGN, target->start), *value;

	if (!ps_assignable(target))
		ps_refuse(p, p->at, "nothing that = could assign to");
	if (!ps_deeper(p))
		return node;
	node->op = op;
	p->at += length;
	ps_child(p, node, target);
	ps_lines(p);
	value = ps_parse_statement(p);
	if (!value)
		ps_refuse(p, p->at, "a value is missing behind =");
	ps_child(p, node, value);
	p->depth--;
	return node;
}

static struct ps_node *element(struct ps_parser *p)
{
	struct ps_node *node;

	if (!ps_expression_ahead(p)) {
		if (command_ends(p) && ps_peek(p, 0) != '&')
			return NULL;
		return command(p);
	}
	node = ps_node(p, PS_N_EXPRESSION, p->at);
	ps_child(p, node, ps_parse_expression(p));
	if (!node->first)
		ps_refuse(p, node->start, "an expression is missing here");
	for (ps_blanks(p); redirection(p, node); ps_blanks(p))
		;
	return node;
}

/* A line end before | goes on with the pipeline. */
static bool pipe_ahead(struct ps_parser *p)
{
	size_t at = p->at;

	ps_blanks(p);
	if (ps_newline(p, p->at)) {
		ps_lines(p);
		if (ps_peek(p, 0) != '|') {
			p->at = at;
			return false;
		}
	}
	return ps_peek(p, 0) == '|' && ps_peek(p, 1) != '|';
}

static struct ps_node *pipeline(struct ps_parser *p)
{
	struct ps_node *first = element(p), *node;
	size_t length;
	int op;

	if (!first)
		return NULL;
	length = first->kind == PS_N_EXPRESSION && !p->bad ?
			 assign_ahead(p, &op) :
			 0;
	if (length)
		return assignment(p, first->first, length, op);
	node = ps_node(p, PS_N_PIPELINE, first->start);
	ps_child(p, node, first);
	while (!p->bad && pipe_ahead(p)) {
		p->at++;
		ps_lines(p);
		first = element(p);
		if (!first)
			ps_refuse(p, p->at, "a command is missing behind |");
		else if (first->kind == PS_N_EXPRESSION)
			ps_refuse(p, first->start,
				  "an expression stands behind |");
		ps_child(p, node, first);
	}
	ps_blanks(p);
	if (!p->bad && ps_peek(p, 0) != '&' && !command_ends(p))
		ps_refuse(p, p->at, "unexpected here");
	return node;
}

struct ps_node *ps_parse_line(struct ps_parser *p)
{
	struct ps_node *node = pipeline(p), *chain;
	bool and;

	for (; node && !p->bad; node = chain) {
		ps_blanks(p);
		and = ps_starts(p, "&&");
		if (!and&&!ps_starts(p, "||"))
			break;
		ps_modern(p, p->at);
		p->at += 2;
		ps_lines(p);
		chain = ps_node(p, PS_N_CHAIN, node->start);
		chain->op = !and;
		ps_child(p, chain, node);
		node = pipeline(p);
		if (!node)
			ps_refuse(p, p->at, "a command is missing here");
		ps_child(p, chain, node);
	}
	if (node && !p->bad && ps_peek(p, 0) == '&' &&
	    node->kind == PS_N_PIPELINE) {
		p->at++;
		node->op = '&';
	}
	return node;
}
