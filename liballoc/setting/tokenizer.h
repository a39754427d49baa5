/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens of a string: each of , : [ ] is one, everything between them is one.
 * Blanks are deleted wherever they stand, inside words too; which bytes are
 * blanks depends on the release.
 */
#ifndef LA_SETTING_TOKENIZER_H
#define LA_SETTING_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>

enum la_lexer {
	/* Up to 1.13: pieces between blanks and commas; of each, the first two
	 * fields between colons, as KEY : VALUE with a comma between pieces.
	 * A piece of one field leaves no token. */
	LA_LEXER_PIECES,
	LA_LEXER_SPACES, /* 2.0 to 2.9: spaces alone are deleted */
	LA_LEXER_BLANKS /* from 2.10 on: all blanks are */
};

struct la_token {
	const char *text; /* without blanks, terminated */
	size_t length; /* bytes of text */
	size_t offset; /* of the first byte in the original string */
	size_t end; /* just past the last byte in the original string */
	bool joined; /* blanks inside it were deleted */
};

/* In storage of the caller's. */
struct la_tokens {
	struct la_token *token;
	size_t nr;
	const char *source; /* the original string, not terminated */
	size_t source_length; /* bytes of it */
};

/* Bytes that the tokens of a string may need; SIZE_MAX for too many. */
size_t la_tokens_storage(const char *source, size_t length);

/* storage: as many bytes as that, aligned for struct la_token. */
void la_tokens_init(struct la_tokens *tokens, void *storage,
		    enum la_lexer lexer, const char *source, size_t length);

/*
 * A piece between blanks and commas that has two fields or more between
 * colons: places in the string.  Zero-initialised: before the first one.
 */
struct la_piece {
	size_t key, colon, value, value_end;
	size_t next; /* where the next one is sought */
};

/* False at the end of the string. */
bool la_next_piece(struct la_piece *piece, const char *source, size_t length);

/* Whether the piece's key reads text. */
bool la_piece_is(const struct la_piece *piece, const char *source,
		 const char *text);

/* Whether token i exists and reads text. */
bool la_token_is(const struct la_tokens *tokens, size_t i, const char *text);

/* The six blanks of the C locale: bytes of other scripts are never one. */
bool la_is_blank(char c);

#endif /* LA_SETTING_TOKENIZER_H */
