// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>

#include "setting/tokenizer.h"

/* Tokens while they are made. */
struct lexing {
	struct la_tokens *tokens;
	char *word; /* where the next token's text goes */
};

bool la_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_space(char c)
{
	return c == ' ';
}

static bool is_separator(char c)
{
	return c == ',' || c == ':' || c == '[' || c == ']';
}

/* A separator makes two tokens, a piece with a colon in it makes four. */
size_t la_tokens_storage(const char *source, size_t length)
{
	size_t i, size, nr = 1;

	for (i = 0; i < length; i++)
		if (is_separator(source[i]))
			nr += 4;
	if (__builtin_mul_overflow(nr, sizeof(struct la_token) + 1, &size) ||
	    __builtin_add_overflow(size, length, &size))
		return SIZE_MAX;
	return size;
}

static size_t max_tokens(const char *source, size_t length)
{
	return (la_tokens_storage(source, length) - length) /
	       (sizeof(struct la_token) + 1);
}

/* The next token; its text is filled in by add_byte(). */
static struct la_token *add_token(struct lexing *x, size_t offset)
{
	struct la_token *token = &x->tokens->token[x->tokens->nr++];

	*token = (struct la_token){ .text = x->word,
				    .offset = offset,
				    .end = offset };
	return token;
}

static void add_byte(struct lexing *x, struct la_token *token, char c,
		     size_t end)
{
	x->word[token->length++] = c;
	token->end = end;
}

static void end_token(struct lexing *x, const struct la_token *token)
{
	x->word[token->length] = '\0';
	x->word += token->length + 1;
}

/* The token that starts at i, no blank; returns the byte after it. */
static size_t lex_token(struct lexing *x, bool (*is_deleted)(char c), size_t i)
{
	const char *source = x->tokens->source;
	const size_t length = x->tokens->source_length;
	struct la_token *token = add_token(x, i);

	do {
		if (is_deleted(source[i]))
			continue;
		token->joined |= token->length && i != token->end;
		add_byte(x, token, source[i], i + 1);
		if (is_separator(source[i]))
			break;
	} while (++i < length && !is_separator(source[i]));
	end_token(x, token);
	return token->end;
}

static void lex(struct lexing *x, bool (*is_deleted)(char c))
{
	const size_t length = x->tokens->source_length;
	size_t i = 0;

	while (i < length) {
		if (is_deleted(x->tokens->source[i]))
			i++;
		else
			i = lex_token(x, is_deleted, i);
	}
}

static void add_word(struct lexing *x, size_t offset, size_t end)
{
	struct la_token *token = add_token(x, offset);

	for (; offset < end; offset++)
		add_byte(x, token, x->tokens->source[offset], offset + 1);
	end_token(x, token);
}

static void add_separator(struct lexing *x, char c, size_t offset, size_t end)
{
	struct la_token *token = add_token(x, offset);

	add_byte(x, token, c, end);
	end_token(x, token);
}

/* What is not a colon from i on, or what is, up to end. */
static size_t skip(const char *source, size_t i, size_t end, bool colons)
{
	while (i < end && (source[i] == ':') == colons)
		i++;
	return i;
}

/* The byte after the piece that starts at i. */
static size_t end_of_piece(const char *source, size_t length, size_t i)
{
	while (i < length && source[i] != ',' && !la_is_blank(source[i]))
		i++;
	return i;
}

bool la_next_piece(struct la_piece *piece, const char *source, size_t length)
{
	size_t end;

	while (piece->next < length) {
		piece->key = piece->next;
		end = end_of_piece(source, length, piece->key);
		piece->next = end + 1;
		piece->colon = skip(source, piece->key, end, false);
		piece->value = skip(source, piece->colon, end, true);
		piece->value_end = skip(source, piece->value, end, false);
		if (piece->value < end)
			return true;
	}
	return false;
}

bool la_piece_is(const struct la_piece *piece, const char *source,
		 const char *text)
{
	size_t length = piece->colon - piece->key;

	return length == strlen(text) &&
	       !memcmp(source + piece->key, text, length);
}

static void cut_pieces(struct lexing *x)
{
	struct la_tokens *tokens = x->tokens;
	struct la_piece piece = { 0 };

	while (la_next_piece(&piece, tokens->source, tokens->source_length)) {
		if (tokens->nr)
			add_separator(x, ',', piece.key - 1, piece.key);
		add_word(x, piece.key, piece.colon);
		add_separator(x, ':', piece.colon, piece.value);
		add_word(x, piece.value, piece.value_end);
	}
}

void la_tokens_init(struct la_tokens *tokens, void *storage,
		    enum la_lexer lexer, const char *source, size_t length)
{
	struct lexing x = { .tokens = tokens };

	*tokens = (struct la_tokens){
		.token = storage,
		.source = source,
		.source_length = length,
	};
	x.word = (char *)&tokens->token[max_tokens(source, length)];
	if (lexer == LA_LEXER_PIECES)
		cut_pieces(&x);
	else
		lex(&x, lexer == LA_LEXER_SPACES ? is_space : la_is_blank);
}

bool la_token_is(const struct la_tokens *tokens, size_t i, const char *text)
{
	return i < tokens->nr && tokens->token[i].length == strlen(text) &&
	       !memcmp(tokens->token[i].text, text, tokens->token[i].length);
}
