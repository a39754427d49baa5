// SPDX-License-Identifier: Apache-2.0
/* Commands of tcsh, as the same tree.  Expressions only running tells. */
#include <string.h>

#include "script/block-parse.h"
#include "script/parser-token.h"
#include "util/util.h"

static struct node *parse_list(struct parser *parser);
static struct node *parse_body(struct parser *parser);
static struct node *parse_command(struct parser *parser);

/* Past ( ... ), whose words go to node. */
static void parse_parentheses(struct parser *parser, struct node *node)
{
	struct word **tail = &node->words;
	size_t depth = 0;

	if (!at_operator(parser, "("))
		la_parser_fail(parser, "( is missing");
	while (!parser->wrong) {
		if (parser->token.kind == TOKEN_END ||
		    parser->token.kind == TOKEN_NEWLINE)
			la_parser_fail(parser, ") is missing");
		if (at_operator(parser, "("))
			depth++;
		else if (at_operator(parser, ")"))
			depth--;
		if (parser->token.kind == TOKEN_WORD) {
			*tail = parser->token.word;
			tail = &(*tail)->next;
		}
		la_parser_advance(parser);
		if (!depth)
			return;
	}
}

/* ( expression ) as a command whose end is not known. */
static struct node *parse_expression(struct parser *parser)
{
	struct node *group = la_parser_node(parser, NODE_GROUP);
	struct node *odd = la_parser_node(parser, NODE_ODD);

	if (!group || !odd)
		return NULL;
	parse_parentheses(parser, odd);
	group->child = odd;
	return group;
}

static void expect(struct parser *parser, const char *word, const char *why)
{
	if (!take_word(parser, word))
		la_parser_fail(parser, why);
}

/* if (x) command, or if (x) then ... else if (y) then ... else ... endif. */
static void parse_if(struct parser *parser, struct node *node)
{
	struct node **tail = &node->child, *part;

	do {
		part = *tail = parse_expression(parser);
		if (!part)
			return;
		tail = &part->next;
		if (!take_word(parser, "then")) {
			part = *tail = la_parser_node(parser, NODE_GROUP);
			if (part)
				part->child = parse_command(parser);
			return;
		}
		part = *tail = parse_body(parser);
		if (!part)
			return;
		tail = &part->next;
		if (!take_word(parser, "else")) {
			expect(parser, "endif", "endif is missing");
			return;
		}
	} while (take_word(parser, "if"));
	*tail = parse_body(parser);
	expect(parser, "endif", "endif is missing");
}

static void parse_while(struct parser *parser, struct node *node)
{
	node->child = parse_expression(parser);
	if (!node->child)
		return;
	node->child->next = parse_body(parser);
	expect(parser, "end", "end is missing");
}

static void parse_foreach(struct parser *parser, struct node *node)
{
	if (parser->token.kind == TOKEN_WORD)
		node->name = la_word_plain(parser->token.word);
	if (!node->name || !*node->name)
		la_parser_fail(parser, "the loop has no variable");
	la_parser_advance(parser);
	parse_parentheses(parser, node);
	node->listed = true;
	node->child = parse_body(parser);
	expect(parser, "end", "end is missing");
}

/* Which case it is, only running tells: case, default, breaksw are words. */
static void parse_switch(struct parser *parser, struct node *node)
{
	parse_parentheses(parser, node);
	node->words = NULL;
	node->child = parse_list(parser);
	expect(parser, "endsw", "endsw is missing");
}

static const struct compound {
	const char *word;
	enum node_kind kind;
	void (*parse)(struct parser *parser, struct node *node);
} compounds[] = {
	{ "if", NODE_IF, parse_if },
	{ "while", NODE_WHILE, parse_while },
	{ "foreach", NODE_FOR, parse_foreach },
	{ "switch", NODE_ODD, parse_switch },
};

static bool ends_block(const struct parser *parser)
{
	static const char *const words[] = { "else", "endif", "end", "endsw" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (at_word(parser, words[i]))
			return true;
	return at_operator(parser, ")");
}

static struct node *parse_compound(struct parser *parser,
				   const struct compound *compound)
{
	struct node *node = la_parser_node(parser, compound->kind);

	if (!node)
		return NULL;
	la_parser_advance(parser);
	compound->parse(parser, node);
	node->end = parser->token.start;
	return node;
}

/* Does a line end there, without a backslash before it? */
static bool has_line_end(const struct parser *parser, size_t start, size_t end)
{
	const char *text = parser->lexer.text;
	size_t i;

	for (i = start + 1; i < end; i++)
		if (text[i] == '\n' && text[i - 1] != '\\')
			return true;
	return false;
}

static struct node *parse_subshell(struct parser *parser)
{
	struct node *node = la_parser_node(parser, NODE_SUBSHELL);

	if (!node)
		return NULL;
	la_parser_advance(parser);
	node->child = parse_list(parser);
	if (!at_operator(parser, ")") ||
	    has_line_end(parser, node->start, parser->token.start))
		la_parser_fail(parser, ") is missing");
	la_parser_advance(parser);
	while (la_parser_redirect(parser, node))
		;
	return node;
}

/* Words; set x = (a b) has some in parentheses. */
static struct node *parse_simple(struct parser *parser)
{
	struct node *node = la_parser_node(parser, NODE_SIMPLE);
	struct node inner = { 0 };
	struct word **tail;

	if (!node)
		return NULL;
	la_parser_simple(parser, node);
	if (!at_operator(parser, "("))
		return node;
	if (!node->words || (strcmp(la_word_plain(node->words), "set") &&
			     strcmp(la_word_plain(node->words), "@"))) {
		la_parser_fail(parser, "a parenthesis out of place");
		return node;
	}
	for (tail = &node->words; *tail; tail = &(*tail)->next)
		;
	parse_parentheses(parser, &inner);
	*tail = inner.words;
	node->grouped = true;
	node->end = parser->token.start;
	la_parser_simple(parser, node);
	return node;
}

static struct node *parse_flat(struct parser *parser)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(compounds); i++)
		if (at_word(parser, compounds[i].word))
			return parse_compound(parser, &compounds[i]);
	if (at_operator(parser, "("))
		return parse_subshell(parser);
	if (parser->token.kind != TOKEN_WORD || ends_block(parser))
		return NULL;
	return parse_simple(parser);
}

static struct node *parse_command(struct parser *parser)
{
	struct node *node;

	if (parser->depth == SHELL_TREE_DEPTH) {
		la_parser_fail(parser, "nested too deep");
		return NULL;
	}
	parser->depth++;
	node = parse_flat(parser);
	parser->depth--;
	return node;
}

static struct node *parse_pipe(struct parser *parser)
{
	struct node *node = la_parser_node(parser, NODE_PIPE);

	return node ? la_parser_pipe(parser, node, parse_command, false) : NULL;
}

static struct node *parse_chain(struct parser *parser)
{
	struct node *chain = la_parser_node(parser, NODE_CHAIN), **tail;
	enum joint joint = JOINT_FIRST;

	if (!chain)
		return NULL;
	for (tail = &chain->child;; tail = &(*tail)->next) {
		*tail = parse_pipe(parser);
		if (!*tail) {
			if (chain->child)
				la_parser_fail(parser, "a command is missing");
			return chain->child ? chain : NULL;
		}
		(*tail)->joint = joint;
		if (at_operator(parser, "&&"))
			joint = JOINT_AND;
		else if (at_operator(parser, "||"))
			joint = JOINT_OR;
		else
			return chain;
		la_parser_advance(parser);
	}
}

/* A chain; with & behind it, a child shell runs it. */
static struct node *parse_one(struct parser *parser)
{
	struct node *node = parse_chain(parser), *child;

	if (!node || !at_operator(parser, "&"))
		return node;
	child = la_parser_node(parser, NODE_SUBSHELL);
	if (!child)
		return NULL;
	child->start = node->start;
	child->child = node;
	return child;
}

static const struct block_grammar grammar = { parse_one, ends_block };

static struct node *parse_list(struct parser *parser)
{
	return la_block_list(parser, &grammar);
}

static struct node *parse_body(struct parser *parser)
{
	return la_block_body(parser, &grammar);
}

struct node *la_tcsh_parse(struct parser *parser)
{
	return la_block_parse(parser, &grammar);
}
