// SPDX-License-Identifier: Apache-2.0
#include "script/block-parse.h"
#include "script/parser-token.h"

void la_block_skip_ends(struct parser *parser)
{
	while (parser->token.kind == TOKEN_NEWLINE ||
	       at_operator(parser, ";") || at_operator(parser, "&"))
		la_parser_advance(parser);
}

struct node *la_block_list(struct parser *parser,
			   const struct block_grammar *grammar)
{
	struct node *first = NULL, **tail = &first;

	la_block_skip_ends(parser);
	while (!parser->wrong && parser->token.kind != TOKEN_END &&
	       !grammar->ends(parser)) {
		*tail = grammar->chain(parser);
		if (!*tail) {
			la_parser_fail(parser, "a word out of place");
			break;
		}
		tail = &(*tail)->next;
		la_block_skip_ends(parser);
	}
	return first;
}

struct node *la_block_body(struct parser *parser,
			   const struct block_grammar *grammar)
{
	struct node *node = la_parser_node(parser, NODE_GROUP);

	if (node)
		node->child = la_block_list(parser, grammar);
	return node;
}

/* So that the next chain begins with the token at hand: of a line end, the
 * last byte behind the here-documents that were read there. */
static void step_back(struct parser *parser)
{
	struct lexer *lexer = &parser->lexer;

	if (parser->token.kind == TOKEN_NEWLINE)
		lexer->at -= lexer->text[lexer->at - 1] == '\n';
	else
		lexer->at = parser->token.start;
}

struct node *la_block_parse(struct parser *parser,
			    const struct block_grammar *grammar)
{
	struct node *node;

	la_parser_advance(parser);
	la_block_skip_ends(parser);
	if (parser->wrong || parser->token.kind == TOKEN_END)
		return NULL;
	node = grammar->chain(parser);
	if (!node)
		la_parser_fail(parser, "a word out of place");
	step_back(parser);
	return parser->wrong ? NULL : node;
}
