// SPDX-License-Identifier: Apache-2.0
/* Tokens of Python. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/python.h"
#include "util/array.h"
#include "util/util.h"

/* A source as it is cut into tokens. */
struct cutter {
	struct py_source *source;
	size_t at;
	uint32_t indent; /* of the logical line */
	unsigned int brackets; /* open */
	bool line_start;
};

static bool is_name_byte(unsigned int c)
{
	return (c | 32) - 'a' < 26u || c - '0' < 10u || c == '_' || c >= 0x80;
}

static bool is_digit(unsigned int c)
{
	return c - '0' < 10u;
}

static int peek(const struct cutter *cut, size_t ahead)
{
	const struct py_source *source = cut->source;

	return cut->at + ahead < source->length ?
		       (unsigned char)source->text[cut->at + ahead] :
		       -1;
}

static int add(struct cutter *cut, enum py_token_type type, size_t start)
{
	struct py_source *source = cut->source;
	struct py_token *token;

	if (grow_array(&source->token, &source->room, source->count,
		       sizeof(*token)))
		return -ENOMEM;
	token = &source->token[source->count++];
	*token = (struct py_token){ .start = start,
				    .end = cut->at,
				    .indent = cut->indent,
				    .type = type };
	return 0;
}

/* Columns before the first token of a line. */
static void read_indent(struct cutter *cut)
{
	for (cut->indent = 0; peek(cut, 0) == ' ' || peek(cut, 0) == '\t' ||
			      peek(cut, 0) == '\f';
	     cut->at++)
		cut->indent = peek(cut, 0) == '\t' ? (cut->indent | 7) + 1 :
						     cut->indent + 1;
}

/* Bytes of a prefix (rb, f, ...) if a string starts here, else -1. */
static int string_prefix(const struct cutter *cut)
{
	int n;

	for (n = 0; n < 3; n++) {
		if (peek(cut, n) == '"' || peek(cut, n) == '\'')
			return n;
		if (peek(cut, n) <= 0 || !strchr("rRbBuUfFtT", peek(cut, n)))
			return -1;
	}
	return -1;
}

/*
 * Behind a quoted text that starts at the quote; false: it has no end.  In an
 * f-string the same quotes may stand within braces.
 */
static bool skip_quoted(struct cutter *cut, unsigned int fields)
{
	int quote = peek(cut, 0);
	bool triple = peek(cut, 1) == quote && peek(cut, 2) == quote;
	unsigned int braces = 0;

	for (cut->at += triple ? 3 : 1; peek(cut, 0) >= 0; cut->at++) {
		if (peek(cut, 0) == '\\' && peek(cut, 1) >= 0) {
			if (peek(cut, 1) == '\r' && peek(cut, 2) == '\n')
				cut->at++;
			cut->at++;
			continue;
		}
		if (peek(cut, 0) == '\n' && !triple)
			return false;
		braces += fields && peek(cut, 0) == '{';
		braces -= braces && peek(cut, 0) == '}';
		if (braces && !triple && peek(cut, 0) == quote) {
			if (!skip_quoted(cut, fields - 1))
				return false;
			cut->at--;
			continue;
		}
		if (peek(cut, 0) != quote)
			continue;
		if (triple && (peek(cut, 1) != quote || peek(cut, 2) != quote))
			continue;
		cut->at += triple ? 3 : 1;
		return true;
	}
	return false;
}

static int add_string(struct cutter *cut, int prefix)
{
	size_t start = cut->at;
	unsigned int fields = 0;
	bool whole;
	int ret;

	for (; prefix > 0; prefix--, cut->at++)
		if ((peek(cut, 0) | 32) == 'f')
			fields = 4;
	whole = skip_quoted(cut, fields);
	ret = add(cut, PY_STRING, start);
	if (ret || whole)
		return ret;
	cut->source->token[cut->source->count - 1].cut = true;
	if (peek(cut, 0) < 0)
		cut->source->open = true;
	return 0;
}

static int add_number(struct cutter *cut)
{
	size_t start = cut->at;

	while (peek(cut, 0) >= 0 &&
	       (is_name_byte(peek(cut, 0)) || peek(cut, 0) == '.' ||
		((peek(cut, 0) == '+' || peek(cut, 0) == '-') &&
		 (cut->source->text[cut->at - 1] | 32) == 'e' &&
		 memcmp(cut->source->text + start, "0x", 2))))
		cut->at++;
	return add(cut, PY_NUMBER, start);
}

/* Characters that word processors put in place of quotes and blanks. */
static size_t lookalike(const struct cutter *cut)
{
	static const char *const signs[] = { "\u2018", "\u2019", "\u201c",
					     "\u201d", "\u00a0", "\ufeff" };
	const struct py_source *source = cut->source;
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(signs); i++) {
		n = strlen(signs[i]);
		if (n <= source->length - cut->at &&
		    !memcmp(source->text + cut->at, signs[i], n))
			return n;
	}
	return 0;
}

static int add_name(struct cutter *cut)
{
	size_t start = cut->at;

	while (peek(cut, 0) >= 0 && is_name_byte(peek(cut, 0)) &&
	       (peek(cut, 0) < 0x80 || !lookalike(cut)))
		cut->at++;
	return add(cut, PY_NAME, start);
}

static int add_operator(struct cutter *cut)
{
	static const char *const longs[] = { "**=", "//=", ">>=", "<<=", "...",
					     "!=",  "==",  "<=",  ">=",	 "->",
					     ":=",  "+=",  "-=",  "*=",	 "/=",
					     "%=",  "|=",  "&=",  "^=",	 "@=",
					     "**",  "//",  "<<",  ">>" };
	const struct py_source *source = cut->source;
	size_t start = cut->at, i, n = 1;
	int c = peek(cut, 0);

	for (i = 0; i < ARRAY_SIZE(longs); i++) {
		n = strlen(longs[i]);
		if (n <= source->length - start &&
		    !memcmp(source->text + start, longs[i], n))
			break;
		n = 1;
	}
	cut->at += n;
	if (c && strchr("([{", c))
		cut->brackets++;
	if (c && strchr(")]}", c) && cut->brackets)
		cut->brackets--;
	if (n == 1 && (!c || !strchr("()[]{}<>=+-*/%@&|^~,.:;", c)))
		return add(cut, PY_OTHER, start);
	return add(cut, PY_OPERATOR, start);
}

/* A line's end: a token if a statement ends with it. */
static int end_line(struct cutter *cut)
{
	int ret = 0;

	if (!cut->line_start && !cut->brackets)
		ret = add(cut, PY_NEWLINE, cut->at);
	cut->at++;
	if (!cut->brackets) {
		cut->line_start = true;
		read_indent(cut);
	}
	return ret;
}

/* What lies between tokens; false: nothing of the kind is here. */
static bool skip_blank(struct cutter *cut)
{
	int c = peek(cut, 0);

	if (c == ' ' || c == '\t' || c == '\f' || c == '\r') {
		cut->at++;
		return true;
	}
	if (c == '#') {
		while (peek(cut, 0) >= 0 && peek(cut, 0) != '\n')
			cut->at++;
		return true;
	}
	if (c != '\\')
		return false;
	if (peek(cut, 1) == '\n' ||
	    (peek(cut, 1) == '\r' && peek(cut, 2) == '\n')) {
		cut->at += peek(cut, 1) == '\n' ? 2 : 3;
		return true;
	}
	return false;
}

const struct py_token *py_now(const struct py_source *source)
{
	return &source->token[source->at];
}

bool py_token_is(const struct py_source *source, size_t index, const char *text)
{
	const struct py_token *token;
	size_t n = strlen(text);

	if (index >= source->count)
		return false;
	token = &source->token[index];
	return (token->type == PY_NAME || token->type == PY_OPERATOR ||
		token->type == PY_OTHER) &&
	       token->end - token->start == n &&
	       !memcmp(source->text + token->start, text, n);
}

/* Does a line of IPython begin here, or behind x =? */
static bool is_magic(const struct cutter *cut)
{
	const struct py_source *source = cut->source;

	if (!source->cell || cut->brackets ||
	    (peek(cut, 0) != '%' && peek(cut, 0) != '!'))
		return false;
	return cut->line_start ||
	       (source->count && py_token_is(source, source->count - 1, "="));
}

static int add_magic(struct cutter *cut)
{
	size_t start = cut->at;

	while (peek(cut, 0) >= 0 &&
	       (peek(cut, 0) != '\n' || cut->source->text[cut->at - 1] == '\\'))
		cut->at++;
	cut->line_start = false;
	return add(cut, PY_MAGIC, start);
}

static int cut_one(struct cutter *cut)
{
	int prefix;
	size_t n;

	if (peek(cut, 0) == '\n')
		return end_line(cut);
	if (skip_blank(cut))
		return 0;
	if (is_magic(cut))
		return add_magic(cut);
	cut->line_start = false;
	prefix = string_prefix(cut);
	if (prefix >= 0)
		return add_string(cut, prefix);
	n = lookalike(cut);
	if (n) {
		cut->at += n;
		return add(cut, PY_OTHER, cut->at - n);
	}
	if (is_digit(peek(cut, 0)) ||
	    (peek(cut, 0) == '.' && peek(cut, 1) >= 0 &&
	     is_digit(peek(cut, 1))))
		return add_number(cut);
	if (is_name_byte(peek(cut, 0)))
		return add_name(cut);
	return add_operator(cut);
}

int py_source_init(struct py_source *source, const char *text, size_t length,
		   bool cell)
{
	struct cutter cut = { .source = source, .line_start = true };
	int ret = 0;

	*source = (struct py_source){ .text = text,
				      .length = length,
				      .cell = cell };
	if (length >= 3 && !memcmp(text, "\ufeff", 3))
		cut.at = 3;
	read_indent(&cut);
	while (!ret && cut.at < length)
		ret = cut_one(&cut);
	if (cut.brackets)
		source->open = true;
	if (!ret)
		ret = add(&cut, PY_NEWLINE, cut.at);
	cut.indent = 0;
	if (!ret)
		ret = add(&cut, PY_END, cut.at);
	if (ret)
		py_source_release(source);
	return ret;
}

void py_source_release(struct py_source *source)
{
	free(source->token);
	source->token = NULL;
}

bool py_is(const struct py_source *source, const char *text)
{
	return py_token_is(source, source->at, text);
}

bool py_take(struct py_source *source, const char *text)
{
	if (!py_is(source, text))
		return false;
	source->at++;
	return true;
}

/* Is the next token one of the blank-separated words? */
static bool is_one_of(const struct py_source *source, const char *words)
{
	char word[16];
	size_t n;

	for (; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (n >= sizeof(word))
			continue;
		memcpy(word, words, n);
		word[n] = '\0';
		if (py_is(source, word))
			return true;
	}
	return false;
}

void py_skip_to(struct py_source *source, const char *stops)
{
	const struct py_token *token;
	unsigned int depth = 0;
	char c;

	for (;; source->at++) {
		token = py_now(source);
		if (token->type == PY_END || token->type == PY_NEWLINE ||
		    (!depth && is_one_of(source, stops)))
			return;
		if (token->type != PY_OPERATOR)
			continue;
		c = source->text[token->start];
		if (strchr("([{", c))
			depth++;
		else if (strchr(")]}", c)) {
			if (!depth)
				return;
			depth--;
		}
	}
}
