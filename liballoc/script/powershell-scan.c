// SPDX-License-Identifier: Apache-2.0
/* Characters of PowerShell: blanks, line ends, quotes, dashes, comments. */
#include <string.h>
#include <strings.h>

#include "script/powershell-parse.h"
#include "util/utf8.h"

int ps_peek(const struct ps_parser *p, size_t ahead)
{
	return p->end - p->at > ahead ? (unsigned char)p->text[p->at + ahead] :
					-1;
}

static bool text_at(const struct ps_parser *p, size_t at, const char *text)
{
	size_t length = strlen(text);

	return at <= p->end && p->end - at >= length &&
	       !memcmp(p->text + at, text, length);
}

bool ps_starts(const struct ps_parser *p, const char *text)
{
	return text_at(p, p->at, text);
}

size_t ps_newline(const struct ps_parser *p, size_t at)
{
	if (text_at(p, at, "\r\n"))
		return 2;
	return text_at(p, at, "\n") || text_at(p, at, "\r");
}

void ps_modern(const struct ps_parser *p, size_t at)
{
	if (!p->ps->modern && !p->ps->pin)
		p->ps->modern = at + 1;
}

size_t ps_dash(const struct ps_parser *p, size_t at)
{
	if (text_at(p, at, "-"))
		return 1;
	return text_at(p, at, "\u2013") || text_at(p, at, "\u2014") ||
			       text_at(p, at, "\u2015") ?
		       3 :
		       0;
}

char ps_quote(const struct ps_parser *p, size_t at, size_t *width)
{
	*width = 1;
	if (at >= p->end)
		return 0;
	if (p->text[at] == '"' || p->text[at] == '\'')
		return p->text[at];
	*width = 3;
	if (text_at(p, at, "\u201c") || text_at(p, at, "\u201d") ||
	    text_at(p, at, "\u201e"))
		return '"';
	if (text_at(p, at, "\u2018") || text_at(p, at, "\u2019") ||
	    text_at(p, at, "\u201a") || text_at(p, at, "\u201b"))
		return '\'';
	return 0;
}

static size_t blank(const struct ps_parser *p, size_t at)
{
	if (at >= p->end)
		return 0;
	if (strchr(" \t\v\f", p->text[at]) && p->text[at])
		return 1;
	return text_at(p, at, "\xc2\xa0") || text_at(p, at, "\xc2\x85") ? 2 : 0;
}

/* Past a comment, if one starts here. */
static bool comment(struct ps_parser *p)
{
	const char *close;

	if (ps_starts(p, "<#")) {
		close = memmem(p->text + p->at, p->end - p->at, "#>", 2);
		if (close)
			p->at = close - p->text + 2;
		else
			ps_refuse(p, p->at, "a comment is not closed");
		return true;
	}
	if (ps_peek(p, 0) != '#')
		return false;
	while (p->at < p->end && !ps_newline(p, p->at))
		p->at++;
	return true;
}

void ps_blanks(struct ps_parser *p)
{
	size_t n;

	for (;;) {
		if ((n = blank(p, p->at)))
			p->at += n;
		else if (ps_peek(p, 0) == '`' && (n = ps_newline(p, p->at + 1)))
			p->at += 1 + n;
		else if (!comment(p))
			return;
	}
}

void ps_lines(struct ps_parser *p)
{
	size_t n;

	do {
		ps_blanks(p);
		n = ps_newline(p, p->at);
		p->at += n;
	} while (n);
}

bool ps_delimiter(const struct ps_parser *p, size_t at)
{
	return at >= p->end || !p->text[at] || blank(p, at) ||
	       strchr("\r\n(),;{}|&<>", p->text[at]);
}

bool ps_name_char(const struct ps_parser *p, size_t at, size_t *width)
{
	unsigned char c;

	*width = 1;
	if (at >= p->end)
		return false;
	c = p->text[at];
	if (c >= 0x80) {
		size_t w, n = la_utf8_char(p->text + at, p->end - at);

		*width = n ? n : 1;
		return n && !blank(p, at) && !ps_quote(p, at, &w) &&
		       !ps_dash(p, at);
	}
	return c == '_' || (c >= '0' && c <= '9') ||
	       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

bool ps_keyword(const struct ps_parser *p, const char *word)
{
	size_t length = strlen(word), width;

	return p->end - p->at >= length &&
	       !strncasecmp(p->text + p->at, word, length) &&
	       !ps_name_char(p, p->at + length, &width) &&
	       !(p->at + length < p->end && p->text[p->at + length] &&
		 strchr("-.:=\\/", p->text[p->at + length]));
}

void ps_refuse(struct ps_parser *p, size_t at, const char *why)
{
	if (!p->bad) {
		p->bad_at = at;
		p->why = why;
	}
	p->bad = true;
	p->at = p->end;
}

bool ps_take_char(struct ps_parser *p, char c, const char *why)
{
	if (ps_peek(p, 0) != c) {
		ps_refuse(p, p->at, why);
		return false;
	}
	p->at++;
	return true;
}

struct ps_node *ps_node(struct ps_parser *p, enum ps_kind kind, size_t start)
{
	struct ps_node *node = ps_take(p->ps, sizeof(*node));

	if (!node || p->ps->spent) {
		p->ps->big = true;
		ps_refuse(p, start, "the text is too long");
		return node ? node : &p->spare;
	}
	node->kind = kind;
	node->start = start;
	node->end = p->at;
	node->place = LA_SCRIPT_WHOLE;
	return node;
}

void ps_child(struct ps_parser *p, struct ps_node *node, struct ps_node *child)
{
	if (!child || p->ps->failed)
		return;
	if (node->last)
		node->last->next = child;
	else
		node->first = child;
	node->last = child;
	if (node->height <= child->height)
		node->height = child->height + 1;
	if (node->height > PS_HEIGHT) {
		p->ps->big = true;
		ps_refuse(p, child->start, "nested too deep");
	}
	node->end = p->at;
}

bool ps_deeper(struct ps_parser *p)
{
	if (p->depth >= PS_HEIGHT / 2) {
		p->ps->big = true;
		ps_refuse(p, p->at, "nested too deep");
	}
	p->depth += !p->bad;
	return !p->bad;
}
