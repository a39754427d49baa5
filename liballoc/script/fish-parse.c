// SPDX-License-Identifier: Apache-2.0
/* Commands of fish, as the same tree. */
#include <ctype.h>

#include "script/block-parse.h"
#include "script/parser-token.h"
#include "util/util.h"

static struct node *parse_list(struct parser *parser);
static struct node *parse_body(struct parser *parser);
static struct node *parse_chain(struct parser *parser);

static void expect_end(struct parser *parser)
{
	if (!take_word(parser, "end"))
		la_parser_fail(parser, "end is missing");
}

static void parse_if(struct parser *parser, struct node *node)
{
	struct node **tail = &node->child, *part;

	do {
		part = la_parser_node(parser, NODE_GROUP);
		if (!part)
			return;
		part->child = parse_chain(parser);
		*tail = part;
		tail = &part->next;
		part = *tail = parse_body(parser);
		if (!part)
			return;
		tail = &part->next;
		if (!take_word(parser, "else")) {
			expect_end(parser);
			return;
		}
	} while (take_word(parser, "if"));
	*tail = parse_body(parser);
	expect_end(parser);
}

static void parse_while(struct parser *parser, struct node *node)
{
	node->child = la_parser_node(parser, NODE_GROUP);
	if (!node->child)
		return;
	node->child->child = parse_chain(parser);
	node->child->next = parse_body(parser);
	expect_end(parser);
}

static void parse_for(struct parser *parser, struct node *node)
{
	struct word **tail = &node->words;

	node->name = plain(parser);
	if (!*node->name)
		la_parser_fail(parser, "the loop has no variable");
	la_parser_advance(parser);
	if (!take_word(parser, "in"))
		la_parser_fail(parser, "in is missing");
	node->listed = true;
	for (; parser->token.kind == TOKEN_WORD; la_parser_advance(parser)) {
		*tail = parser->token.word;
		tail = &(*tail)->next;
	}
	node->child = parse_body(parser);
	expect_end(parser);
}

static void parse_switch(struct parser *parser, struct node *node)
{
	struct node **tail = &node->child, *clause;
	struct word **words;

	if (parser->token.kind != TOKEN_WORD) {
		la_parser_fail(parser, "switch of nothing");
		return;
	}
	node->words = parser->token.word;
	la_parser_advance(parser);
	la_block_skip_ends(parser);
	while (take_word(parser, "case")) {
		clause = la_parser_node(parser, NODE_CLAUSE);
		if (!clause)
			return;
		for (words = &clause->words; parser->token.kind == TOKEN_WORD;
		     la_parser_advance(parser)) {
			*words = parser->token.word;
			words = &(*words)->next;
		}
		clause->child = parse_list(parser);
		*tail = clause;
		tail = &clause->next;
	}
	expect_end(parser);
}

static void parse_function(struct parser *parser, struct node *node)
{
	node->name = plain(parser);
	while (parser->token.kind == TOKEN_WORD)
		la_parser_advance(parser);
	node->child = parse_body(parser);
	expect_end(parser);
}

static void parse_begin(struct parser *parser, struct node *node)
{
	node->child = parse_list(parser);
	expect_end(parser);
}

static const struct compound {
	const char *word;
	enum node_kind kind;
	void (*parse)(struct parser *parser, struct node *node);
} compounds[] = {
	{ "if", NODE_IF, parse_if },
	{ "while", NODE_WHILE, parse_while },
	{ "for", NODE_FOR, parse_for },
	{ "switch", NODE_CASE, parse_switch },
	{ "function", NODE_FUNCTION, parse_function },
	{ "begin", NODE_GROUP, parse_begin },
};

static struct node *parse_compound(struct parser *parser,
				   const struct compound *compound)
{
	struct node *node;

	if (parser->depth == SHELL_TREE_DEPTH) {
		la_parser_fail(parser, "nested too deep");
		return NULL;
	}
	node = la_parser_node(parser, compound->kind);
	if (!node)
		return NULL;
	parser->depth++;
	la_parser_advance(parser);
	compound->parse(parser, node);
	parser->depth--;
	while (la_parser_redirect(parser, node))
		;
	node->end = parser->token.start;
	return node;
}

/* Words that only stand at the start of a block's part. */
static bool ends_block(const struct parser *parser)
{
	return at_word(parser, "end") || at_word(parser, "else") ||
	       at_word(parser, "case");
}

/* Does the word begin with NAME=? */
static bool is_assignment(const struct word *word)
{
	const struct piece *piece = word->first;
	size_t n = 0;

	if (!piece || piece->quoted || piece->kind != PIECE_TEXT)
		return false;
	while (isalnum((unsigned char)piece->text[n]) || piece->text[n] == '_')
		n++;
	return n && piece->text[n] == '=';
}

/* V=x alone is wrong in fish; before a command it is for that one. */
static bool is_assignment_alone(const struct node *node)
{
	const struct word *word = node->words;

	while (word && is_assignment(word))
		word = word->next;
	return node->words && !word;
}

/* ( ) in the word that names the command. */
static bool is_made(const struct node *node)
{
	const struct word *word = node->words;
	const struct piece *piece;

	while (word && is_assignment(word))
		word = word->next;
	for (piece = word ? word->first : NULL; piece; piece = piece->next)
		if (piece->kind == PIECE_COMMAND)
			return true;
	return false;
}

/* { and } that have no other. */
static bool is_unbalanced(const struct word *word)
{
	const struct piece *piece;
	const char *at;
	int depth = 0;

	for (piece = word->first; piece && depth >= 0; piece = piece->next) {
		if (piece->kind != PIECE_TEXT || piece->quoted)
			continue;
		for (at = piece->text; *at && depth >= 0; at++)
			depth += (*at == '{') - (*at == '}');
	}
	return depth;
}

static void check_simple(struct parser *parser, const struct node *node)
{
	const struct word *word;

	if (is_made(node))
		la_parser_fail(parser, "a command is made by another");
	if (is_assignment_alone(node) && !node->open)
		la_parser_fail(parser, "fish has no NAME=value line");
	for (word = node->words; word; word = word->next)
		if (is_unbalanced(word))
			la_parser_fail(parser, "a brace without the other");
}

static struct node *parse_command(struct parser *parser)
{
	struct node *node, *not;
	size_t i;

	if (at_word(parser, "not") || at_word(parser, "!")) {
		not = la_parser_node(parser, NODE_NOT);
		la_parser_advance(parser);
		if (!not || parser->depth == SHELL_TREE_DEPTH)
			return NULL;
		parser->depth++;
		not->child = parse_command(parser);
		parser->depth--;
		return not->child ? not : NULL;
	}
	for (i = 0; i < ARRAY_SIZE(compounds); i++)
		if (at_word(parser, compounds[i].word))
			return parse_compound(parser, &compounds[i]);
	if (parser->token.kind != TOKEN_WORD || ends_block(parser))
		return NULL;
	node = la_parser_node(parser, NODE_SIMPLE);
	if (!node)
		return NULL;
	la_parser_simple(parser, node);
	check_simple(parser, node);
	return node;
}

static struct node *parse_pipe(struct parser *parser)
{
	struct node *node = la_parser_node(parser, NODE_PIPE);

	if (!node)
		return NULL;
	take_word(parser, "time");
	return la_parser_pipe(parser, node, parse_command, true);
}

/* and, or, && and ||: how the next command is joined to the one before. */
static enum joint take_joint(struct parser *parser)
{
	if (at_operator(parser, "&&") || at_word(parser, "and")) {
		la_parser_advance(parser);
		return JOINT_AND;
	}
	if (at_operator(parser, "||") || at_word(parser, "or")) {
		la_parser_advance(parser);
		return JOINT_OR;
	}
	return JOINT_FIRST;
}

static struct node *parse_chain(struct parser *parser)
{
	struct node *chain = la_parser_node(parser, NODE_CHAIN), **tail;
	enum joint joint = take_joint(parser);

	if (!chain)
		return NULL;
	for (tail = &chain->child;; tail = &(*tail)->next) {
		*tail = parse_pipe(parser);
		if (!*tail) {
			if (chain->child || joint != JOINT_FIRST)
				la_parser_fail(parser, "a command is missing");
			return chain->child ? chain : NULL;
		}
		(*tail)->joint = joint;
		la_block_skip_ends(parser);
		joint = take_joint(parser);
		if (joint == JOINT_FIRST)
			break;
		skip_newlines(parser);
	}
	return chain;
}

static const struct block_grammar grammar = { parse_chain, ends_block };

static struct node *parse_list(struct parser *parser)
{
	return la_block_list(parser, &grammar);
}

static struct node *parse_body(struct parser *parser)
{
	return la_block_body(parser, &grammar);
}

struct node *la_fish_parse(struct parser *parser)
{
	return la_block_parse(parser, &grammar);
}
