/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words and operators of a shell's text.  One tokenizer serves every shell;
 * a table says what differs.
 */
#ifndef LA_SCRIPT_TOKEN_H
#define LA_SCRIPT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "script/internal.h"
#include "util/strbuf.h"

/* What a shell's language has; bits of shell_table.has. */
enum shell_feature {
	SHELL_BRACES = 1 << 0, /* {a,b} makes words of arguments */
	SHELL_DOLLAR_SINGLE = 1 << 1, /* $'a\n' */
	SHELL_DOLLAR_BRACKET = 1 << 2, /* $[1+2] */
	SHELL_SUBSTITUTE = 1 << 3, /* ${x/a/b} and ${x:1} */
	SHELL_APPEND = 1 << 4, /* V+=x */
	SHELL_DOUBLE_BRACKET = 1 << 5, /* [[ ]] */
	SHELL_FUNCTION_WORD = 1 << 6, /* function f { } */
	SHELL_AND_REDIRECT = 1 << 7, /* &> file */
	SHELL_HERE_STRING = 1 << 8, /* <<< word */
	SHELL_PROCESS = 1 << 9, /* <( ) */
	SHELL_ARRAYS = 1 << 10, /* V=(a b) */
	SHELL_SPLITS = 1 << 11, /* words come of an unquoted $x */
	SHELL_NO_MATCH_FAILS = 1 << 12, /* a pattern without a file is wrong */
	SHELL_LAST_STAYS = 1 << 13, /* no child for the end of a pipeline */
	SHELL_MODIFIERS = 1 << 14, /* $x:e */
	SHELL_ERRORS_END = 1 << 15, /* a builtin's error ends the script */
	SHELL_PREFIX_STAYS = 1 << 16, /* V=x eval: V stays set */
	SHELL_TILDE_ARGUMENT = 1 << 17, /* cmd V=~ */
	SHELL_EXPORT_BRACES = 1 << 18, /* export V={a,b} makes words */
	SHELL_EXPORT_APPEND = 1 << 19, /* export V+=x */
	SHELL_FISH = 1 << 20, /* quotes, escapes and ( ) of fish */
	SHELL_TCSH = 1 << 21, /* quotes, ! and $ of tcsh */
	SHELL_ECHO_ESCAPES = 1 << 22, /* echo 'a\tb' makes a tabulator */
	SHELL_ARITHMETIC = 1 << 23, /* (( )) */
	SHELL_LOCAL_EXPORTS = 1 << 24, /* local V keeps an outer export */
	SHELL_FUNCTION_PREFIX = 1 << 25, /* V=x f: f's programs see V */
};

struct shell_table {
	const char *name; /* for messages */
	unsigned int has; /* enum shell_feature */
	const char *ends; /* characters that end a word */
	const char *escaped; /* what a backslash escapes in "" */
	const char *const *commands; /* builtins that set, NULL at the end */
};

/* The table of a shell's kind; another kind's: that of sh. */
const struct shell_table *la_shell_table(enum la_script_kind kind);

/* Does the shell have such a command that sets variables? */
bool la_shell_has_command(const struct shell_table *table, const char *name);

/* strcmp() for tables of words, of which most differ at once. */
static inline bool la_is_word(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}

/* Memory that is given back all at once; at most ARENA_MOST of it. */
struct arena {
	struct arena_chunk *chunk, *oldest; /* from newest to oldest */
	size_t size; /* bytes of all chunks */
	bool failed;
};

void *la_arena_get(struct arena *arena, size_t size);
char *la_arena_copy(struct arena *arena, const char *text, size_t length);
/* Move all that from holds. */
void la_arena_join(struct arena *arena, struct arena *from);
void la_arena_release(struct arena *arena);
/* The same, but keep some of it for what is needed next. */
void la_arena_reset(struct arena *arena);

enum piece_kind {
	PIECE_TEXT, /* bytes */
	PIECE_PARAMETER, /* $x, ${x:-d} */
	PIECE_COMMAND, /* $(cmd), `cmd` */
	PIECE_ODD /* arithmetic, array, <( ): only running tells */
};

/* A part of a word; all strings are in the arena, terminated. */
struct piece {
	struct piece *next;
	enum piece_kind kind;
	bool quoted; /* no splitting, no patterns */
	bool exact; /* COMMAND: text stands as is at start */
	bool index; /* PARAMETER: $x[1], ${x[1]}, ${!x}, ${(f)x} */
	bool braced; /* PARAMETER: ${x} */
	const char *text; /* TEXT: bytes; PARAMETER: name; else source */
	size_t length;
	size_t start, end; /* bytes of the text that was tokenized */
	const char *operator; /* PARAMETER: "", ":-", "#", ... */
	struct word *argument; /* PARAMETER: behind the operator; or NULL */
};

struct word {
	struct word *next;
	struct piece *first;
	size_t start, end;
};

enum token_kind {
	TOKEN_END, /* of the text */
	TOKEN_NEWLINE,
	TOKEN_WORD,
	TOKEN_OPERATOR, /* ; & && || | ( ) ;; */
	TOKEN_REDIRECT, /* < > >> >& << ... */
	TOKEN_WRONG /* lexer.wrong says why */
};

struct token {
	enum token_kind kind;
	char operator[4]; /* OPERATOR, REDIRECT; terminated */
	struct word *word; /* WORD */
	size_t start, end;
};

/* A here-document whose body begins at the next line. */
struct heredoc {
	struct heredoc *next;
	const char *end; /* the line that ends it */
	bool tabs; /* <<-: leading tabulators go */
	bool literal; /* the end was quoted: nothing is expanded */
	size_t start, stop; /* of the body, once it was read */
};

struct lexer {
	const struct shell_table *table;
	const char *text; /* terminated or not */
	size_t length, at;
	struct arena *arena;
	struct la_strbuf scratch; /* bytes of pieces being made */
	struct heredoc *pending, *last_pending; /* the next line begins them */
	const char *wrong; /* what is wrong, static */
	unsigned int depth; /* quotes and braces within each other */
	bool open_end; /* a backslash was the last byte */
};

void la_lexer_init(struct lexer *lexer, const struct shell_table *table,
		   const char *text, size_t length, struct arena *arena);
void la_lexer_release(struct lexer *lexer);

/* The next token. */
struct token la_lexer_next(struct lexer *lexer);

/* One word at lexer.at; NULL when wrong. */
struct word *la_lexer_word(struct lexer *lexer);

/* Byte behind the parenthesis that closes the one before at; 0: none. */
size_t la_lexer_closing(const char *text, size_t length, size_t at,
			char close);

/* The word's bytes if it is one unquoted text, else "". */
const char *la_word_plain(const struct word *word);

#endif /* LA_SCRIPT_TOKEN_H */
