// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "setting/tokenizer.h"

static bool is_separator(char c)
{
	return c == ',' || c == ':' || c == '[' || c == ']';
}

/* The C locale's blanks: bytes of other scripts are never one. */
static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/*
 * The token that starts at or after position, its text written to *word, which
 * moves on.  False at the end of the source.
 */
static bool next_token(const char *source, size_t length, size_t *position,
		       char **word, struct la_token *out)
{
	size_t i = *position;

	while (i < length && is_blank(source[i]))
		i++;
	if (i == length)
		return false;
	*out = (struct la_token){ .text = *word, .offset = i };
	do {
		if (is_blank(source[i]))
			continue;
		out->joined |= out->length && i != out->end;
		(*word)[out->length++] = source[i];
		out->end = i + 1;
		if (is_separator(source[i]))
			break;
	} while (++i < length && !is_separator(source[i]));
	(*word)[out->length] = '\0';
	*word += out->length + 1;
	*position = out->end;
	return true;
}

/* An upper bound that is exact but for blanks. */
static size_t count_tokens(const char *source, size_t length)
{
	size_t i, nr = 1;

	for (i = 0; i < length; i++)
		if (is_separator(source[i]))
			nr += 2;
	return nr;
}

int la_tokens_init(struct la_tokens *tokens, const char *source, size_t length)
{
	size_t max = count_tokens(source, length), position = 0;
	char *word;

	*tokens = (struct la_tokens){ .source_length = length };
	tokens->token = calloc(max, sizeof(*tokens->token));
	tokens->words = malloc(length + max);
	if (!tokens->token || !tokens->words) {
		la_tokens_release(tokens);
		return -ENOMEM;
	}
	word = tokens->words;
	while (next_token(source, length, &position, &word,
			  &tokens->token[tokens->nr]))
		tokens->nr++;
	return 0;
}

void la_tokens_release(struct la_tokens *tokens)
{
	free(tokens->token);
	free(tokens->words);
	*tokens = (struct la_tokens){ 0 };
}

bool la_token_is(const struct la_tokens *tokens, size_t i, const char *text)
{
	return i < tokens->nr && tokens->token[i].length == strlen(text) &&
	       !memcmp(tokens->token[i].text, text, tokens->token[i].length);
}
