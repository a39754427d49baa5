/* SPDX-License-Identifier: Apache-2.0 */
/* What fish and tcsh have in common: lines in blocks that a word ends. */
#ifndef LA_SCRIPT_BLOCK_PARSE_H
#define LA_SCRIPT_BLOCK_PARSE_H

#include "script/shell.h"

struct block_grammar {
	/* A command, or several joined; NULL: what is at hand begins none. */
	struct node *(*chain)(struct parser *parser);
	/* Is what is at hand the end of a block? */
	bool (*ends)(const struct parser *parser);
};

/* Past line ends, ; and &. */
void la_block_skip_ends(struct parser *parser);

/* Commands up to the end of the block, or of the text. */
struct node *la_block_list(struct parser *parser,
			   const struct block_grammar *grammar);

/* The same as one node. */
struct node *la_block_body(struct parser *parser,
			   const struct block_grammar *grammar);

/* As la_shell_parse(): the next chain of the text. */
struct node *la_block_parse(struct parser *parser,
			    const struct block_grammar *grammar);

#endif /* LA_SCRIPT_BLOCK_PARSE_H */
