// SPDX-License-Identifier: Apache-2.0
/* Tokens of a shell's text; words are made in token-word.c. */
#include <stdlib.h>
#include <string.h>

#include "script/token.h"
#include "util/util.h"

enum {
	ARENA_CHUNK = 16 << 10,
	ARENA_MOST = 384 << 20 /* bytes: more is no script */
};

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size; /* bytes of data */
	_Alignas(max_align_t) char data[];
};

static struct arena_chunk *add_chunk(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk;

	size = size > ARENA_CHUNK ? size : ARENA_CHUNK;
	if (arena->size + size > ARENA_MOST)
		return NULL;
	chunk = malloc(sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	*chunk = (struct arena_chunk){ arena->chunk, 0, size };
	if (!arena->chunk)
		arena->oldest = chunk;
	arena->chunk = chunk;
	arena->size += size;
	return chunk;
}

void *la_arena_get(struct arena *arena, size_t size)
{
	struct arena_chunk *chunk = arena->chunk;
	void *memory;

	size = (size + 15) & ~(size_t)15;
	if (!chunk || chunk->size - chunk->used < size)
		chunk = add_chunk(arena, size);
	if (!chunk) {
		arena->failed = true;
		return NULL;
	}
	memory = chunk->data + chunk->used;
	chunk->used += size;
	memset(memory, 0, size);
	return memory;
}

char *la_arena_copy(struct arena *arena, const char *text, size_t length)
{
	char *copy = la_arena_get(arena, length + 1);

	if (copy && length)
		memcpy(copy, text, length);
	return copy;
}

void la_arena_join(struct arena *arena, struct arena *from)
{
	if (!from->chunk)
		return;
	if (arena->chunk)
		arena->oldest->next = from->chunk;
	else
		arena->chunk = from->chunk;
	arena->oldest = from->oldest;
	arena->size += from->size;
	arena->failed |= from->failed || arena->size > ARENA_MOST;
	*from = (struct arena){ 0 };
}

void la_arena_release(struct arena *arena)
{
	struct arena_chunk *chunk;

	while ((chunk = arena->chunk)) {
		arena->chunk = chunk->next;
		free(chunk);
	}
	arena->size = 0;
}

void la_arena_reset(struct arena *arena)
{
	struct arena_chunk *chunk;

	while ((chunk = arena->chunk) && chunk->next) {
		arena->chunk = chunk->next;
		arena->size -= chunk->size;
		free(chunk);
	}
	if (chunk)
		chunk->used = 0;
}

void la_lexer_init(struct lexer *lexer, const struct shell_table *table,
		   const char *text, size_t length, struct arena *arena)
{
	*lexer = (struct lexer){ .table = table,
				 .text = text,
				 .length = length,
				 .arena = arena };
}

void la_lexer_release(struct lexer *lexer)
{
	la_strbuf_release(&lexer->scratch);
}

const char *la_word_plain(const struct word *word)
{
	const struct piece *piece = word ? word->first : NULL;

	if (!piece || piece->next || piece->quoted || piece->kind != PIECE_TEXT)
		return "";
	return piece->text;
}

static char peek(const struct lexer *lexer, size_t ahead)
{
	size_t at = lexer->at + ahead;

	return at < lexer->length ? lexer->text[at] : '\0';
}

static bool is_continuation(const struct lexer *lexer)
{
	return peek(lexer, 0) == '\\' && peek(lexer, 1) == '\n';
}

static void skip_blanks(struct lexer *lexer)
{
	const char *newline;

	for (;;) {
		char c = peek(lexer, 0);

		if (c == ' ' || c == '\t') {
			lexer->at++;
		} else if (is_continuation(lexer)) {
			lexer->at += 2;
			lexer->open_end = lexer->at == lexer->length;
		} else if (c == '\\' && lexer->at + 1 == lexer->length) {
			lexer->at++;
			lexer->open_end = true;
		} else if (c == '#') {
			newline = memchr(lexer->text + lexer->at, '\n',
					 lexer->length - lexer->at);
			lexer->at = newline ? (size_t)(newline - lexer->text) :
					      lexer->length;
		} else {
			return;
		}
	}
}

/* Is the line [at, stop) the one that ends a here-document? */
static bool ends_heredoc(const struct heredoc *doc, const char *line,
			 const char *stop)
{
	size_t length = strlen(doc->end);

	while (doc->tabs && line < stop && *line == '\t')
		line++;
	return (size_t)(stop - line) == length &&
	       !memcmp(line, doc->end, length);
}

/* Read the bodies that begin at the line at lexer.at. */
static void skip_heredocs(struct lexer *lexer)
{
	const char *end = lexer->text + lexer->length;
	struct heredoc *doc;
	const char *line, *stop;

	for (doc = lexer->pending; doc; doc = doc->next) {
		doc->start = doc->stop = lexer->at;
		for (line = lexer->text + lexer->at; line < end;
		     line = stop + (stop < end)) {
			stop = memchr(line, '\n', end - line);
			stop = stop ? stop : end;
			doc->stop = line - lexer->text;
			lexer->at = stop - lexer->text + (stop < end);
			if (ends_heredoc(doc, line, stop))
				break;
			doc->stop = lexer->at;
		}
	}
	lexer->pending = lexer->last_pending = NULL;
}

static const char *const redirects[] = { "&>>", "<<<", "<<-", ">>&", ">&!",
					 "&>",	">>",  "<<",  ">&",  "<&",
					 "<>",	">|",  ">!",  ">?",  ">",
					 "<" };
static const char *const operators[] = { ";;&", "&&", "||", ";;", ";&", "|&",
					 "&|",	"&!", ";",  "&",  "|",	"(",
					 ")" };

static bool has_operator(const struct lexer *lexer, const char *operator)
{
	unsigned int has = lexer->table->has;

	if (!strncmp(operator, "&>", 2))
		return has & SHELL_AND_REDIRECT;
	if (!strcmp(operator, "<<<"))
		return has & SHELL_HERE_STRING;
	if (!strcmp(operator, "<<") || !strcmp(operator, "<<-"))
		return !(has & SHELL_FISH);
	if (!strcmp(operator, ">!"))
		return has & (SHELL_TCSH | SHELL_MODIFIERS);
	if (!strcmp(operator, ">&!") || !strcmp(operator, ">>&"))
		return has & SHELL_TCSH;
	if (!strcmp(operator, ">?"))
		return has & SHELL_FISH;
	if (!strcmp(operator, "&|") || !strcmp(operator, "&!"))
		return has & SHELL_MODIFIERS;
	if (operator[0] == ';' && operator[1])
		return !(has & (SHELL_FISH | SHELL_TCSH));
	return true;
}

static bool take_operator(struct lexer *lexer, struct token *token,
			  const char *const *list, size_t count)
{
	size_t i, length;

	for (i = 0; i < count; i++) {
		if (lexer->text[lexer->at] != *list[i])
			continue;
		length = strlen(list[i]);
		if (length > lexer->length - lexer->at ||
		    memcmp(lexer->text + lexer->at, list[i], length) ||
		    !has_operator(lexer, list[i]))
			continue;
		memcpy(token->operator, list[i], length + 1);
		lexer->at += length;
		return true;
	}
	return false;
}

/* A number that a redirection begins with. */
static size_t descriptor_length(const struct lexer *lexer)
{
	size_t n = 0;

	if (lexer->table->has & SHELL_TCSH)
		return 0;
	while (peek(lexer, n) >= '0' && peek(lexer, n) <= '9')
		n++;
	return n && (peek(lexer, n) == '<' || peek(lexer, n) == '>') ? n : 0;
}

static bool begins_process(const struct lexer *lexer)
{
	return lexer->table->has & SHELL_PROCESS &&
	       (peek(lexer, 0) == '<' || peek(lexer, 0) == '>') &&
	       peek(lexer, 1) == '(';
}

struct token la_lexer_next(struct lexer *lexer)
{
	struct token token = { .kind = TOKEN_END };
	size_t number;

	skip_blanks(lexer);
	token.start = token.end = lexer->at;
	if (lexer->at == lexer->length)
		return token;
	if (peek(lexer, 0) == '\n') {
		token.kind = TOKEN_NEWLINE;
		lexer->at++;
		skip_heredocs(lexer);
		token.end = token.start + 1;
		return token;
	}
	number = descriptor_length(lexer);
	lexer->at += number;
	if (!begins_process(lexer) &&
	    take_operator(lexer, &token, redirects, ARRAY_SIZE(redirects))) {
		token.kind = TOKEN_REDIRECT;
	} else if (!number && !begins_process(lexer) &&
		   !(lexer->table->has & SHELL_FISH && peek(lexer, 0) == '(') &&
		   take_operator(lexer, &token, operators,
				 ARRAY_SIZE(operators))) {
		token.kind = TOKEN_OPERATOR;
	} else {
		lexer->at -= number;
		token.word = la_lexer_word(lexer);
		token.kind = token.word ? TOKEN_WORD : TOKEN_WRONG;
	}
	token.end = lexer->at;
	return token;
}
