/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens of releases 2.10 and later: each of , : [ ] is one, everything
 * between them is one, and blanks are deleted wherever they stand, inside
 * words too.
 */
#ifndef LA_SETTING_TOKENIZER_H
#define LA_SETTING_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>

struct la_token {
	const char *text; /* without blanks, terminated */
	size_t length; /* bytes of text */
	size_t offset; /* of the first byte in the original string */
	size_t end; /* just past the last byte in the original string */
	bool joined; /* blanks inside it were deleted */
};

struct la_tokens {
	struct la_token *token;
	size_t nr;
	size_t source_length; /* bytes of the original string */
	char *words; /* what the tokens' text points into */
};

/* 0 or -ENOMEM; release with la_tokens_release(). */
int la_tokens_init(struct la_tokens *tokens, const char *source,
		   size_t length);
void la_tokens_release(struct la_tokens *tokens);

/* Whether token i exists and reads text. */
bool la_token_is(const struct la_tokens *tokens, size_t i, const char *text);

#endif /* LA_SETTING_TOKENIZER_H */
