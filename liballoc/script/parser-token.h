/* SPDX-License-Identifier: Apache-2.0 */
/* The token at hand, as the parsers of shells ask for it. */
#ifndef LA_SCRIPT_PARSER_TOKEN_H
#define LA_SCRIPT_PARSER_TOKEN_H

#include <string.h>

#include "script/shell.h"

static inline const char *plain(const struct parser *parser)
{
	return parser->token.kind == TOKEN_WORD ?
		       la_word_plain(parser->token.word) :
		       "";
}

static inline bool at_word(const struct parser *parser, const char *word)
{
	return la_is_word(plain(parser), word);
}

static inline bool take_word(struct parser *parser, const char *word)
{
	if (!at_word(parser, word))
		return false;
	la_parser_advance(parser);
	return true;
}

static inline bool at_operator(const struct parser *parser,
			       const char *operator)
{
	return parser->token.kind == TOKEN_OPERATOR &&
	       la_is_word(parser->token.operator, operator);
}

static inline void skip_newlines(struct parser *parser)
{
	while (parser->token.kind == TOKEN_NEWLINE)
		la_parser_advance(parser);
}

#endif /* LA_SCRIPT_PARSER_TOKEN_H */
