// SPDX-License-Identifier: Apache-2.0
/* Statements of PowerShell. */
#include <string.h>
#include <strings.h>

#include "script/powershell-parse.h"
#include "util/util.h"

static struct ps_node *parse_parameters(struct ps_parser *p);

static struct ps_node *parse_braces(struct ps_parser *p)
{
	struct ps_node *block;

	ps_lines(p);
	if (!ps_deeper(p) || !ps_take_char(p, '{', "{ is missing"))
		return ps_node(p, PS_N_NONE, p->at);
	block = ps_parse_statements(p, '}');
	ps_take_char(p, '}', "{ is not closed");
	p->depth--;
	return block;
}

/* ( pipeline ) of if, while and switch */
static void condition(struct ps_parser *p, struct ps_node *node)
{
	struct ps_node *line;

	ps_lines(p);
	ps_take_char(p, '(', "( is missing");
	ps_lines(p);
	line = ps_parse_line(p);
	if (!line)
		ps_refuse(p, p->at, "a condition is missing");
	ps_child(p, node, line);
	ps_lines(p);
	ps_take_char(p, ')', ") is missing");
}

/* Is there such a word behind line ends?  It is taken. */
static bool word_follows(struct ps_parser *p, const char *word)
{
	size_t at = p->at;

	ps_lines(p);
	if (ps_keyword(p, word)) {
		p->at += strlen(word);
		return true;
	}
	p->at = at;
	return false;
}

static void parse_if(struct ps_parser *p, struct ps_node *node)
{
	do {
		condition(p, node);
		ps_child(p, node, parse_braces(p));
	} while (!p->bad && word_follows(p, "elseif"));
	if (!p->bad && word_follows(p, "else"))
		ps_child(p, node, parse_braces(p));
}

static void parse_while(struct ps_parser *p, struct ps_node *node)
{
	condition(p, node);
	ps_child(p, node, parse_braces(p));
}

static void parse_do(struct ps_parser *p, struct ps_node *node)
{
	struct ps_node *block = parse_braces(p);

	node->op = word_follows(p, "until");
	if (!node->op && !word_follows(p, "while"))
		ps_refuse(p, p->at, "while or until is missing");
	condition(p, node);
	ps_child(p, node, block);
}

/* One of the three statements of for ( ; ; ). */
static void for_part(struct ps_parser *p, struct ps_node *node, char closer)
{
	struct ps_node *line;

	ps_lines(p);
	line = ps_peek(p, 0) == ';' || ps_peek(p, 0) == ')' ? NULL :
							      ps_parse_line(p);
	ps_child(p, node, line ? line : ps_node(p, PS_N_NONE, p->at));
	ps_lines(p);
	if (ps_peek(p, 0) == closer)
		p->at++;
	else if (closer == ')' || ps_peek(p, 0) != ')')
		ps_refuse(p, p->at, ") is missing");
}

static void parse_for(struct ps_parser *p, struct ps_node *node)
{
	ps_lines(p);
	ps_take_char(p, '(', "( is missing");
	for_part(p, node, ';');
	for_part(p, node, ';');
	for_part(p, node, ')');
	ps_child(p, node, parse_braces(p));
}

static void parse_foreach(struct ps_parser *p, struct ps_node *node)
{
	struct ps_node *part;

	ps_lines(p);
	while (ps_dash(p, p->at)) { /* -parallel */
		while (!ps_delimiter(p, p->at))
			p->at++;
		ps_lines(p);
		node->kind = PS_N_OPAQUE;
	}
	ps_take_char(p, '(', "( is missing");
	ps_lines(p);
	part = ps_peek(p, 0) == '$' ? ps_parse_variable(p, false) : NULL;
	if (!part)
		ps_refuse(p, p->at, "a variable is missing");
	ps_child(p, node, part);
	if (!word_follows(p, "in"))
		ps_refuse(p, p->at, "in is missing");
	ps_lines(p);
	part = ps_parse_line(p);
	if (!part)
		ps_refuse(p, p->at, "a list is missing");
	ps_child(p, node, part);
	ps_lines(p);
	ps_take_char(p, ')', ") is missing");
	ps_child(p, node, parse_braces(p));
}

enum {
	SWITCH_REGEX = 1,
	SWITCH_WILDCARD = 2,
	SWITCH_CASED = 4,
	SWITCH_OTHER = 8
};

static void switch_options(struct ps_parser *p, struct ps_node *node)
{
	int c;

	for (ps_lines(p); ps_dash(p, p->at); ps_lines(p)) {
		p->at += ps_dash(p, p->at);
		c = ps_peek(p, 0) | 0x20;
		node->op |= c == 'r' || c == 'm' ? SWITCH_REGEX :
			    c == 'w'		 ? SWITCH_WILDCARD :
			    c == 'c'		 ? SWITCH_CASED :
			    c == 'e'		 ? 0 :
						   SWITCH_OTHER;
		while (!ps_delimiter(p, p->at))
			p->at++;
	}
}

static struct ps_node *switch_test(struct ps_parser *p)
{
	size_t width;
	int c = ps_peek(p, 0);

	if (ps_quote(p, p->at, &width) || (c > 0 && strchr("$({@", c)))
		return ps_postfix(p, ps_parse_primary(p));
	return ps_delimiter(p, p->at) ? NULL : ps_parse_word(p);
}

static void parse_switch(struct ps_parser *p, struct ps_node *node)
{
	struct ps_node *test;

	switch_options(p, node);
	condition(p, node);
	ps_lines(p);
	ps_take_char(p, '{', "{ is missing");
	for (ps_lines(p); !p->bad && ps_peek(p, 0) != '}'; ps_lines(p)) {
		if (ps_peek(p, 0) == ';') {
			p->at++;
			continue;
		}
		test = switch_test(p);
		if (!test)
			ps_refuse(p, p->at, "a case is missing");
		ps_child(p, node, test);
		ps_child(p, node, parse_braces(p));
	}
	ps_take_char(p, '}', "{ is not closed");
}

static void parse_try(struct ps_parser *p, struct ps_node *node)
{
	struct ps_node *block;
	bool handled = false;

	ps_child(p, node, parse_braces(p));
	while (!p->bad && word_follows(p, "catch")) {
		ps_lines(p);
		while (ps_peek(p, 0) == '[' || ps_peek(p, 0) == ',') {
			while (p->at < p->end && ps_peek(p, 0) != ']' &&
			       ps_peek(p, 0) != '{')
				p->at++;
			if (ps_peek(p, 0) == ']')
				p->at++;
			ps_lines(p);
		}
		ps_child(p, node, parse_braces(p));
		handled = true;
	}
	if (!p->bad && word_follows(p, "finally")) {
		block = parse_braces(p);
		block->op = 'f';
		ps_child(p, node, block);
		handled = true;
	}
	if (!handled)
		ps_refuse(p, p->at, "catch or finally is missing");
}

static void parse_function(struct ps_parser *p, struct ps_node *node)
{
	struct ps_node *parameters = NULL, *script;
	size_t start;

	ps_blanks(p);
	start = p->at;
	while (!ps_delimiter(p, p->at))
		p->at++;
	if (p->at == start)
		ps_refuse(p, p->at, "a function's name is missing");
	node->text = ps_copy(p->ps, p->text + start, p->at - start);
	ps_lines(p);
	if (ps_peek(p, 0) == '(')
		parameters = parse_parameters(p);
	ps_lines(p);
	script = ps_parse_script(p);
	if (parameters && script->first) {
		parameters->next = script->first->next;
		script->first = parameters;
		if (!script->last || !parameters->next)
			script->last = parameters;
	}
	ps_child(p, node, script);
}

static void parse_value(struct ps_parser *p, struct ps_node *node)
{
	ps_blanks(p);
	ps_child(p, node, ps_parse_line(p));
}

/* A label behind break; what it leaves is not followed. */
static void parse_label(struct ps_parser *p, struct ps_node *node)
{
	size_t start, width;

	ps_blanks(p);
	start = p->at;
	while (ps_name_char(p, p->at, &width))
		p->at += width;
	if (p->at > start)
		node->kind = PS_N_OPAQUE;
}

/* class, enum, data, trap: to the end of its braces. */
static void parse_opaque(struct ps_parser *p, struct ps_node *node)
{
	while (!p->bad && p->at < p->end && ps_peek(p, 0) != '{')
		p->at++;
	if (node->op == 'c') {
		int depth = 0;

		for (; p->at < p->end; p->at++) {
			depth += ps_peek(p, 0) == '{';
			depth -= ps_peek(p, 0) == '}';
			if (!depth)
				break;
		}
		ps_take_char(p, '}', "{ is not closed");
		return;
	}
	ps_child(p, node, parse_braces(p));
}

static void parse_using(struct ps_parser *p, struct ps_node *node)
{
	node->kind = PS_N_NONE;
	while (p->at < p->end && !ps_newline(p, p->at) && ps_peek(p, 0) != ';')
		p->at++;
}

/* begin { } process { } end { } within a function. */
static void parse_named(struct ps_parser *p, struct ps_node *node)
{
	ps_child(p, node, parse_braces(p));
}

static const struct statement {
	const char *word;
	enum ps_kind kind;
	void (*parse)(struct ps_parser *p, struct ps_node *node);
	int op;
} statements[] = {
	{ "if", PS_N_IF, parse_if, 0 },
	{ "while", PS_N_WHILE, parse_while, 0 },
	{ "do", PS_N_DO, parse_do, 0 },
	{ "for", PS_N_FOR, parse_for, 0 },
	{ "foreach", PS_N_FOREACH, parse_foreach, 0 },
	{ "switch", PS_N_SWITCH, parse_switch, 0 },
	{ "try", PS_N_TRY, parse_try, 0 },
	{ "function", PS_N_FUNCTION, parse_function, 0 },
	{ "filter", PS_N_FUNCTION, parse_function, 'p' },
	{ "return", PS_N_RETURN, parse_value, 0 },
	{ "throw", PS_N_THROW, parse_value, 0 },
	{ "exit", PS_N_EXIT, parse_value, 0 },
	{ "break", PS_N_BREAK, parse_label, 0 },
	{ "continue", PS_N_CONTINUE, parse_label, 0 },
	{ "class", PS_N_OPAQUE, parse_opaque, 'c' },
	{ "enum", PS_N_OPAQUE, parse_opaque, 'c' },
	{ "trap", PS_N_OPAQUE, parse_opaque, 0 },
	{ "data", PS_N_OPAQUE, parse_opaque, 0 },
	{ "using", PS_N_NONE, parse_using, 0 },
};

/* Only where a block begins are these words names of its parts. */
static const struct statement named[] = {
	{ "begin", PS_N_BLOCK, parse_named, 0 },
	{ "process", PS_N_BLOCK, parse_named, 'p' },
	{ "end", PS_N_BLOCK, parse_named, 0 },
};

static struct ps_node *keyword_statement(struct ps_parser *p,
					 const struct statement *table,
					 size_t count)
{
	struct ps_node *node;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!ps_keyword(p, table[i].word))
			continue;
		node = ps_node(p, table[i].kind, p->at);
		node->op = table[i].op;
		p->at += strlen(table[i].word);
		if (ps_deeper(p)) {
			table[i].parse(p, node);
			p->depth--;
		}
		node->end = p->at;
		return node;
	}
	return NULL;
}

struct ps_node *ps_parse_statement(struct ps_parser *p)
{
	struct ps_node *node;
	size_t at = p->at, width;

	if (ps_peek(p, 0) == ':' && ps_name_char(p, p->at + 1, &width)) {
		for (p->at++; ps_name_char(p, p->at, &width);)
			p->at += width;
		ps_lines(p);
		if (!ps_keyword(p, "for") && !ps_keyword(p, "foreach") &&
		    !ps_keyword(p, "while") && !ps_keyword(p, "do") &&
		    !ps_keyword(p, "switch"))
			p->at = at;
	}
	node = keyword_statement(p, statements, ARRAY_SIZE(statements));
	return node ? node : ps_parse_line(p);
}

/* Does a statement of this kind need ; or a line end behind it? */
static bool needs_end(const struct ps_node *node)
{
	return node->kind == PS_N_PIPELINE || node->kind == PS_N_CHAIN ||
	       node->kind == PS_N_ASSIGN || node->kind == PS_N_RETURN ||
	       node->kind == PS_N_THROW || node->kind == PS_N_EXIT ||
	       node->kind == PS_N_BREAK || node->kind == PS_N_CONTINUE;
}

static void take_statements(struct ps_parser *p, struct ps_node *block,
			    char closer)
{
	struct ps_node *node;

	for (;;) {
		ps_lines(p);
		if (ps_peek(p, 0) == ';') {
			p->at++;
			continue;
		}
		if (p->bad || p->at >= p->end ||
		    (closer && ps_peek(p, 0) == closer))
			return;
		node = ps_parse_statement(p);
		if (!node) {
			ps_refuse(p, p->at, "unexpected here");
			return;
		}
		ps_child(p, block, node);
		ps_blanks(p);
		if (!p->bad && needs_end(node) && p->at < p->end &&
		    ps_peek(p, 0) != ';' && !ps_newline(p, p->at) &&
		    !(closer && ps_peek(p, 0) == closer) &&
		    p->text[p->at - 1] != '&')
			ps_refuse(p, p->at, "unexpected here");
	}
}

struct ps_node *ps_parse_statements(struct ps_parser *p, char closer)
{
	struct ps_node *block = ps_node(p, PS_N_BLOCK, p->at);

	take_statements(p, block, closer);
	block->end = p->at;
	return block;
}

/* [attributes] $name = default */
static struct ps_node *parameter(struct ps_parser *p)
{
	struct ps_node *node, *name, *value, *cast;

	ps_lines(p);
	name = ps_parse_operand(p);
	node = ps_node(p, PS_N_PARAMETER, p->at);
	for (cast = name; cast && cast->kind == PS_N_CAST; cast = cast->first)
		if (!node->value.type)
			node->value =
				ps_text(p->ps, cast->text, strlen(cast->text));
	if (!cast || cast->kind != PS_N_VARIABLE) {
		ps_refuse(p, p->at, "a parameter's name is missing");
		return node;
	}
	node->text = cast->text;
	ps_lines(p);
	if (ps_peek(p, 0) == '=') {
		p->at++;
		ps_lines(p);
		value = ps_parse_expression(p);
		if (!value)
			ps_refuse(p, p->at, "a value is missing behind =");
		ps_child(p, node, value);
	}
	return node;
}

static struct ps_node *parse_parameters(struct ps_parser *p)
{
	struct ps_node *node = ps_node(p, PS_N_PARAMETERS, p->at);
	bool no_comma = p->no_comma;

	p->no_comma = true;
	p->at++;
	ps_lines(p);
	while (!p->bad && ps_peek(p, 0) != ')') {
		ps_child(p, node, parameter(p));
		ps_lines(p);
		if (ps_peek(p, 0) != ',')
			break;
		p->at++;
		ps_lines(p);
	}
	ps_take_char(p, ')', ") is missing");
	p->no_comma = no_comma;
	return node;
}

/* param( ) at the head of a script or block, behind its attributes. */
static struct ps_node *head(struct ps_parser *p)
{
	size_t at = p->at, close;
	const char *found;

	ps_lines(p);
	while (ps_peek(p, 0) == '[') {
		found = memchr(p->text + p->at, ']', p->end - p->at);
		close = found ? (size_t)(found - p->text) : p->end;
		p->at = close < p->end ? close + 1 : close;
		ps_lines(p);
	}
	if (ps_keyword(p, "param")) {
		p->at += strlen("param");
		ps_lines(p);
		if (ps_peek(p, 0) == '(')
			return parse_parameters(p);
	}
	p->at = at;
	return ps_node(p, PS_N_PARAMETERS, p->at);
}

/* Parameters, then statements, until closer. */
static void script_body(struct ps_parser *p, struct ps_node *script,
			char closer)
{
	struct ps_node *part;

	ps_child(p, script, head(p));
	do {
		for (ps_lines(p); ps_peek(p, 0) == ';'; ps_lines(p))
			p->at++;
		part = keyword_statement(p, named, ARRAY_SIZE(named));
		ps_child(p, script, part);
	} while (part && !p->bad);
	take_statements(p, script, closer);
	script->end = p->at;
}

struct ps_node *ps_parse_script(struct ps_parser *p)
{
	struct ps_node *script = ps_node(p, PS_N_SCRIPT, p->at);

	if (!ps_deeper(p) || !ps_take_char(p, '{', "{ is missing"))
		return script;
	script_body(p, script, '}');
	ps_take_char(p, '}', "{ is not closed");
	p->depth--;
	script->end = p->at;
	script->text = p->text;
	return script;
}

struct ps_node *ps_parse(struct ps *ps, const char *text, size_t start,
			 size_t end, size_t *bad, const char **why)
{
	struct ps_parser p = { ps,    text,  start, end,  0,
			       false, false, 0,	    NULL, { 0 } };
	struct ps_node *script = ps_node(&p, PS_N_SCRIPT, start);

	script_body(&p, script, 0);
	*bad = p.bad_at;
	*why = p.why;
	return p.bad ? NULL : script;
}
