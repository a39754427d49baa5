// SPDX-License-Identifier: Apache-2.0
/* Strings, here-strings, variables and bare words of PowerShell. */
#include <string.h>

#include "script/powershell-parse.h"
#include "util/strbuf.h"

/* A string as it is read: bytes, and pieces that are expanded. */
struct pieces {
	struct ps_node *node; /* EXPAND */
	struct la_strbuf bytes;
};

static struct ps_value value_of(struct ps_parser *p, struct la_strbuf *bytes)
{
	struct ps_value value =
		ps_text(p->ps, la_strbuf_text(bytes), bytes->length);

	if (bytes->failed)
		p->ps->failed = true;
	la_strbuf_release(bytes);
	return value;
}

static void flush(struct ps_parser *p, struct pieces *pieces, bool even_empty)
{
	struct ps_node *piece;

	if (!pieces->bytes.length && !even_empty)
		return;
	piece = ps_node(p, PS_N_CONSTANT, p->at);
	piece->value = value_of(p, &pieces->bytes);
	pieces->bytes = (struct la_strbuf){ 0 };
	ps_child(p, pieces->node, piece);
}

/* One without anything to expand is a constant. */
static struct ps_node *finish(struct ps_parser *p, struct pieces *pieces)
{
	flush(p, pieces, !pieces->node->first);
	pieces->node->end = p->at;
	if (!pieces->node->first->next &&
	    pieces->node->first->kind == PS_N_CONSTANT) {
		pieces->node->kind = PS_N_CONSTANT;
		pieces->node->value = pieces->node->first->value;
		pieces->node->first = pieces->node->last = NULL;
		pieces->node->height = 0;
	}
	return pieces->node;
}

static void add_code_point(struct la_strbuf *out, unsigned long code)
{
	char bytes[4];
	size_t n = 0;

	if (code < 0x80) {
		bytes[n++] = code;
	} else if (code < 0x800) {
		bytes[n++] = 0xc0 | code >> 6;
		bytes[n++] = 0x80 | (code & 0x3f);
	} else if (code < 0x10000) {
		bytes[n++] = 0xe0 | code >> 12;
		bytes[n++] = 0x80 | (code >> 6 & 0x3f);
		bytes[n++] = 0x80 | (code & 0x3f);
	} else {
		bytes[n++] = 0xf0 | (code >> 18 & 7);
		bytes[n++] = 0x80 | (code >> 12 & 0x3f);
		bytes[n++] = 0x80 | (code >> 6 & 0x3f);
		bytes[n++] = 0x80 | (code & 0x3f);
	}
	la_strbuf_add(out, bytes, n);
}

/* `u{1f600}, behind the u. */
static void unicode_escape(struct ps_parser *p, struct la_strbuf *out)
{
	unsigned long code = 0;
	size_t start = p->at, digits = 0;
	const char *hex = "0123456789abcdef", *digit;

	p->at++;
	for (; ps_peek(p, 0) > 0; p->at++, digits++) {
		digit = strchr(hex, ps_peek(p, 0) | 0x20);
		if (!digit)
			break;
		code = code << 4 | (unsigned long)(digit - hex);
		if (digits > 6)
			break;
	}
	if (!digits || digits > 6 || code > 0x10ffff || ps_peek(p, 0) != '}')
		ps_refuse(p, start, "`u{ } holds no character's number");
	else
		p->at++;
	add_code_point(out, code);
}

/* An escape, at the backtick. */
static void escape(struct ps_parser *p, struct la_strbuf *out)
{
	static const char from[] = "0abefnrtv";
	static const char to[] = { 0, 7, 8, 27, 12, 10, 13, 9, 11 };
	const char *known;
	int c = ps_peek(p, 1);

	p->at += c < 0 ? 1 : 2;
	known = c > 0 ? strchr(from, c) : NULL;
	if (c == 'u' && ps_peek(p, 0) == '{') {
		unicode_escape(p, out);
	} else if (known) {
		la_strbuf_add(out, &to[known - from], 1);
	} else if (c == '\r' && ps_peek(p, 0) == '\n') {
		p->at++;
		la_strbuf_addstr(out, "\r\n");
	} else if (c >= 0) {
		la_strbuf_add(out, p->text + p->at - 1, 1);
	}
}

/* $( ) within a string, at the $. */
static void sub_expression(struct ps_parser *p, struct pieces *pieces)
{
	struct ps_node *sub = ps_node(p, PS_N_SUB, p->at);
	bool no_comma = p->no_comma;

	if (!ps_deeper(p))
		return;
	p->no_comma = false;
	p->at += 2;
	ps_child(p, sub, ps_parse_statements(p, ')'));
	ps_take_char(p, ')', "$( is not closed");
	p->no_comma = no_comma;
	p->depth--;
	ps_child(p, pieces->node, sub);
}

/* What a $ in a string or a word starts. */
static void dollar(struct ps_parser *p, struct pieces *pieces)
{
	struct ps_node *variable;

	if (ps_peek(p, 1) == '(') {
		flush(p, pieces, false);
		sub_expression(p, pieces);
		return;
	}
	variable = ps_parse_variable(p, true);
	if (!variable) {
		la_strbuf_addstr(&pieces->bytes, "$");
		p->at++;
		return;
	}
	flush(p, pieces, false);
	ps_child(p, pieces->node, variable);
}

static void one_piece(struct ps_parser *p, struct pieces *pieces)
{
	int c = ps_peek(p, 0);

	if (c == '`') {
		escape(p, &pieces->bytes);
	} else if (c == '$') {
		dollar(p, pieces);
	} else {
		la_strbuf_add(&pieces->bytes, p->text + p->at, 1);
		p->at++;
	}
}

/* Until the quote that closes; a doubled one is part of the string. */
static void quoted(struct ps_parser *p, struct pieces *pieces, char quote)
{
	size_t start = p->at, width, next;

	ps_quote(p, p->at, &width);
	p->at += width;
	for (;;) {
		if (p->at >= p->end) {
			ps_refuse(p, start, "a string is not closed");
			return;
		}
		if (ps_quote(p, p->at, &width) == quote) {
			p->at += width;
			if (ps_quote(p, p->at, &next) != quote)
				return;
			la_strbuf_add(&pieces->bytes, p->text + p->at, next);
			p->at += next;
		} else if (quote == '"') {
			one_piece(p, pieces);
		} else {
			la_strbuf_add(&pieces->bytes, p->text + p->at, 1);
			p->at++;
		}
	}
}

struct ps_node *ps_parse_string(struct ps_parser *p)
{
	struct pieces pieces = { ps_node(p, PS_N_EXPAND, p->at), { 0 } };
	size_t width;

	quoted(p, &pieces, ps_quote(p, p->at, &width));
	return finish(p, &pieces);
}

/* Does a line end and @ close a here-string here?  Its bytes, or 0. */
static size_t here_close(const struct ps_parser *p, size_t at, char quote)
{
	size_t line = ps_newline(p, at), width;

	if (!line || ps_quote(p, at + line, &width) != quote ||
	    at + line + width >= p->end || p->text[at + line + width] != '@')
		return 0;
	return line + width + 1;
}

struct ps_node *ps_parse_here(struct ps_parser *p)
{
	struct pieces pieces = { ps_node(p, PS_N_EXPAND, p->at), { 0 } };
	size_t start = p->at, width, n;
	char quote = ps_quote(p, p->at + 1, &width);

	p->at += 1 + width;
	while (ps_peek(p, 0) == ' ' || ps_peek(p, 0) == '\t')
		p->at++;
	n = ps_newline(p, p->at);
	if (!n)
		ps_refuse(p, p->at, "text stands behind @\" on its line");
	/* The first line end belongs to the mark, unless the close follows. */
	if (!here_close(p, p->at, quote))
		p->at += n;
	while (!(n = here_close(p, p->at, quote))) {
		if (p->at >= p->end) {
			ps_refuse(p, start, "a here-string is not closed");
			break;
		}
		if (quote == '"') {
			one_piece(p, &pieces);
		} else {
			la_strbuf_add(&pieces.bytes, p->text + p->at, 1);
			p->at++;
		}
	}
	p->at += n;
	return finish(p, &pieces);
}

static struct ps_node *variable_node(struct ps_parser *p, size_t start,
				     size_t from, size_t to, bool in_text)
{
	struct ps_node *node = ps_node(p, PS_N_VARIABLE, start);

	node->text = ps_copy(p->ps, p->text + from, to - from);
	node->op = in_text ? 2 : 0;
	return node;
}

/* ${name}: anything up to the brace; a backtick escapes. */
static struct ps_node *braced(struct ps_parser *p, bool in_text)
{
	size_t start = p->at, from = p->at + 2;
	const char *close = memchr(p->text + from, '}', p->end - from);
	struct ps_node *node;

	if (!close || close == p->text + from) {
		ps_refuse(p, start, "${ is not closed");
		return ps_node(p, PS_N_NONE, start);
	}
	p->at = close - p->text + 1;
	node = variable_node(p, start, from, close - p->text, in_text);
	node->op = 0;
	return node;
}

struct ps_node *ps_parse_variable(struct ps_parser *p, bool in_text)
{
	size_t start = p->at, at = p->at + 1, width;
	int c = ps_peek(p, 1);

	if (c == '{')
		return braced(p, in_text);
	if (c > 0 && strchr("$^?", c)) {
		p->at += 2;
		return variable_node(p, start, start + 1, p->at, in_text);
	}
	for (;;) {
		if (ps_name_char(p, at, &width) ||
		    (at > start + 1 && at < p->end && p->text[at] == '?' &&
		     !in_text))
			at += width;
		else if (at > start + 1 && at < p->end && p->text[at] == ':' &&
			 !(at + 1 < p->end && p->text[at + 1] == ':'))
			at++;
		else
			break;
	}
	if (at == start + 1)
		return NULL;
	p->at = at;
	if (p->text[at - 1] == ':' &&
	    !memchr(p->text + start + 1, ':', at - start - 2))
		ps_refuse(p, at - 1,
			  "no name stands behind the colon of a "
			  "variable; ${name}: is meant");
	return variable_node(p, start, start + 1, at, in_text);
}

static bool word_piece(struct ps_parser *p, struct pieces *pieces)
{
	size_t width;
	char quote = ps_quote(p, p->at, &width);

	if (quote) {
		quoted(p, pieces, quote);
		return true;
	}
	/* A backtick joins lines only where a token starts. */
	if (ps_peek(p, 0) == '`' && ps_newline(p, p->at + 1))
		return false;
	if (ps_peek(p, 0) == '$' && ps_peek(p, 1) == '(') {
		dollar(p, pieces);
		return true;
	}
	if (ps_delimiter(p, p->at))
		return false;
	one_piece(p, pieces);
	return true;
}

struct ps_node *ps_parse_word(struct ps_parser *p)
{
	struct pieces pieces = { ps_node(p, PS_N_EXPAND, p->at), { 0 } };
	struct ps_node *node;

	while (!p->bad && word_piece(p, &pieces))
		;
	node = finish(p, &pieces);
	if (node->kind == PS_N_CONSTANT)
		node->kind = PS_N_WORD;
	return node;
}
