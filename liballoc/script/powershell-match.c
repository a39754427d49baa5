// SPDX-License-Identifier: Apache-2.0
/*
 * Regular expressions, as far as replacements of settings need them: a
 * matcher that tries one way after the other within a number of steps.
 * Classes, groups, alternatives, anchors and counts are known; anything else
 * makes the answer unknown.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "script/powershell.h"
#include "util/strbuf.h"

enum { STEPS = 100000, NESTING = 400 };

struct matcher {
	const char *text, *end, *start;
	struct ps_span *group;
	bool cased;
	bool lost; /* a construct that is not known, or too long */
	unsigned int steps, depth;
};

/* What has to match behind a piece. */
struct rest {
	const char *pattern, *end;
	const struct rest *next;
	int close; /* a group that ends here, or -1 */
	size_t open; /* where it began */
};

static bool match_rest(struct matcher *m, const struct rest *rest,
		       const char *at);

static char folded(const struct matcher *m, char c)
{
	return m->cased ? c : (char)tolower((unsigned char)c);
}

/* The end of a group or class that begins at p. */
static const char *closing(const char *p, const char *end)
{
	int depth = 0;

	for (; p < end; p++) {
		if (*p == '\\' && p + 1 < end) {
			p++;
		} else if (*p == '[') {
			p++;
			if (p < end && *p == '^')
				p++;
			if (p < end && *p == ']')
				p++;
			for (; p < end && *p != ']'; p++)
				if (*p == '\\')
					p++;
			if (!depth)
				return p < end ? p + 1 : NULL;
		} else if (*p == '(') {
			depth++;
		} else if (*p == ')' && --depth == 0) {
			return p + 1;
		}
	}
	return NULL;
}

/* \d and the like: 1, 0, or -1: not a class. */
static int shorthand(char name, unsigned char c)
{
	switch (name) {
	case 'd':
		return c >= '0' && c <= '9';
	case 'D':
		return !(c >= '0' && c <= '9');
	case 'w':
		return c == '_' || (c < 0x80 && isalnum(c));
	case 'W':
		return !(c == '_' || (c < 0x80 && isalnum(c)));
	case 's':
		return c == ' ' || (c >= '\t' && c <= '\r');
	case 'S':
		return !(c == ' ' || (c >= '\t' && c <= '\r'));
	default:
		return -1;
	}
}

/* A backslash's plain character, or 0: not known. */
static char escaped(char c)
{
	if (c == 't')
		return '\t';
	if (c == 'n')
		return '\n';
	if (c == 'r')
		return '\r';
	return isalnum((unsigned char)c) ? 0 : c;
}

static bool in_range(const struct matcher *m, char low, char high, char c)
{
	if (c >= low && c <= high)
		return true;
	return !m->cased && isalpha((unsigned char)c) && (c ^ 0x20) >= low &&
	       (c ^ 0x20) <= high;
}

static bool in_class(struct matcher *m, const char *p, const char *end, char c)
{
	bool negated = *p == '^', found = false;
	int known;
	char low;

	for (p += negated; p < end; p++) {
		low = *p;
		if (*p == '\\' && p + 1 < end) {
			known = shorthand(*++p, c);
			if (known >= 0) {
				found = found || known;
				continue;
			}
			low = escaped(*p);
			m->lost = m->lost || !low;
		}
		if (*p == '[')
			m->lost = m->lost || (p + 1 < end && p[1] == ':');
		if (p + 2 < end && p[1] == '-' && p[2] != '\\' && p[2] != '[') {
			found = found || in_range(m, low, p[2], c);
			p += 2;
		} else {
			found = found || in_range(m, low, low, c);
		}
	}
	return found != negated;
}

/* One character's piece of a pattern: where it ends; *fits tells. */
static const char *single(struct matcher *m, const char *p, const char *end,
			  const char *at, bool *fits)
{
	const char *close;
	char plain;
	int known;

	*fits = at < m->end;
	if (*p == '[') {
		close = closing(p, end);
		if (!close) {
			m->lost = true;
			return end;
		}
		*fits = *fits && in_class(m, p + 1, close - 1, *at);
		return close;
	}
	if (*p == '.') {
		*fits = *fits && *at != '\n';
		return p + 1;
	}
	if (*p != '\\') {
		*fits = *fits && folded(m, *at) == folded(m, *p);
		return p + 1;
	}
	if (p + 1 >= end) {
		m->lost = true;
		return end;
	}
	known = shorthand(p[1], *fits ? (unsigned char)*at : 0);
	plain = escaped(p[1]);
	m->lost = m->lost || (known < 0 && !plain);
	*fits = *fits &&
		(known >= 0 ? known : folded(m, *at) == folded(m, plain));
	return p + 2;
}

struct count {
	unsigned int least, most;
	bool lazy;
};

static const char *take_count(struct matcher *m, const char *p, const char *end,
			      struct count *n)
{
	char *after;

	*n = (struct count){ 1, 1, false };
	if (p >= end || !strchr("*+?{", *p))
		return p;
	n->least = *p == '+';
	n->most = *p == '?' ? 1 : STEPS;
	if (*p == '{') {
		if (p + 1 >= end || !isdigit((unsigned char)p[1])) {
			m->lost = true;
			return end;
		}
		n->least = n->most = (unsigned int)strtoul(p + 1, &after, 10);
		if (*after == ',')
			n->most = after[1] == '}' ?
					  STEPS :
					  (unsigned int)strtoul(after + 1,
								&after, 10);
		p = strchr(after, '}');
		if (!p || p >= end) {
			m->lost = true;
			return end;
		}
	}
	p++;
	n->lazy = p < end && *p == '?';
	if (p < end && *p == '+')
		m->lost = true;
	return p + n->lazy;
}

static bool repeat_single(struct matcher *m, const char *piece, const char *end,
			  const struct count *n, const struct rest *rest,
			  const char *at)
{
	unsigned int taken = 0;
	bool fits = true;

	while (taken < n->most && !(n->lazy && taken >= n->least)) {
		single(m, piece, end, at, &fits);
		if (!fits)
			break;
		at++;
		taken++;
	}
	if (!n->lazy) {
		for (; taken >= n->least; taken--, at--) {
			if (match_rest(m, rest, at))
				return true;
			if (!taken || m->lost)
				break;
		}
		return false;
	}
	for (; taken >= n->least; taken++, at++) {
		if (match_rest(m, rest, at))
			return true;
		single(m, piece, end, at, &fits);
		if (!fits || m->lost || taken >= n->most)
			break;
	}
	return false;
}

/* The number of a group, counted by the parentheses before it. */
static int group_number(const struct matcher *m, const char *at)
{
	const char *p;
	int number = 1;

	for (p = m->start; p < at; p++) {
		if (*p == '\\' && p + 1 < at)
			p++;
		else if (*p == '[')
			p = closing(p, at) ? closing(p, at) - 1 : p;
		else if (*p == '(' && p[1] != '?')
			number++;
	}
	return number;
}

/* Alternatives within a group, each with what follows the group. */
static bool match_group(struct matcher *m, const char *p, const char *end,
			const struct rest *rest, const char *at)
{
	const char *close = closing(p, end), *inner, *bar;
	struct rest group = { .next = rest, .close = -1 };
	int depth = 0;

	if (!close) {
		m->lost = true;
		return false;
	}
	inner = p + 1;
	if (*inner == '?') {
		m->lost = m->lost || inner[1] != ':';
		inner += 2;
	} else {
		group.close = group_number(m, p);
		m->lost = m->lost || group.close >= PS_GROUPS;
	}
	group.open = at - m->text;
	for (bar = inner; bar < close && !m->lost; bar++) {
		if (*bar == '\\')
			bar++;
		else if (*bar == '(')
			depth++;
		else if (*bar == '[')
			m->lost = m->lost || memchr(bar, '|', close - bar);
		if ((*bar == '|' && !depth) || bar == close - 1) {
			struct rest body = { inner, bar, &group, -1, 0 };

			group.pattern = group.end = NULL;
			if (match_rest(m, &body, at))
				return true;
			inner = bar + 1;
		}
		if (*bar == ')')
			depth--;
	}
	return false;
}

static bool boundary(const struct matcher *m, const char *at)
{
	bool before = at > m->text && shorthand('w', at[-1]) > 0;
	bool after = at < m->end && shorthand('w', *at) > 0;

	return before != after;
}

static bool match_here(struct matcher *m, const char *p, const char *end,
		       const struct rest *next, const char *at)
{
	const char *piece_end;
	struct rest rest = { p + 1, end, next, -1, 0 };
	struct count n;
	bool fits;

	if (*p == '^')
		return at == m->text && match_rest(m, &rest, at);
	if (*p == '$')
		return (at == m->end || (at + 1 == m->end && *at == '\n')) &&
		       match_rest(m, &rest, at);
	if (*p == '\\' && p + 1 < end && p[1] == 'b') {
		rest.pattern++;
		return boundary(m, at) && match_rest(m, &rest, at);
	}
	if (*p == '(') {
		piece_end = closing(p, end);
		if (!piece_end) {
			m->lost = true;
			return false;
		}
		rest.pattern = take_count(m, piece_end, end, &n);
		if (n.least == 0 && n.most == 1 && !n.lazy)
			return match_group(m, p, end, &rest, at) ||
			       (!m->lost && match_rest(m, &rest, at));
		m->lost = m->lost || n.least != 1 || n.most != 1;
		return !m->lost && match_group(m, p, end, &rest, at);
	}
	if (strchr("*+?{)", *p) && *p) {
		m->lost = true;
		return false;
	}
	piece_end = single(m, p, end, at, &fits);
	rest.pattern = take_count(m, piece_end, end, &n);
	return !m->lost && repeat_single(m, p, end, &n, &rest, at);
}

static bool match_rest(struct matcher *m, const struct rest *rest,
		       const char *at)
{
	struct ps_span before;
	bool found;

	if (!rest) {
		m->group[0].end = at - m->text;
		return true;
	}
	if (++m->steps > STEPS || m->depth > NESTING)
		m->lost = true;
	if (m->lost)
		return false;
	m->depth++;
	if (rest->pattern < rest->end) {
		found = match_here(m, rest->pattern, rest->end, rest->next, at);
	} else if (rest->close < 0) {
		found = match_rest(m, rest->next, at);
	} else {
		before = m->group[rest->close];
		m->group[rest->close] =
			(struct ps_span){ rest->open, at - m->text };
		found = match_rest(m, rest->next, at);
		if (!found)
			m->group[rest->close] = before;
	}
	m->depth--;
	return found;
}

/* A bar outside of groups: each side is one of the ways. */
static bool match_ways(struct matcher *m, const char *pattern, const char *at)
{
	const char *end = pattern + strlen(pattern), *bar = pattern;
	struct rest way = { pattern, end, NULL, -1, 0 };

	for (; bar <= end; bar++) {
		if (bar < end && (*bar == '(' || *bar == '[')) {
			bar = closing(bar, end);
			if (!bar) {
				m->lost = true;
				return false;
			}
			bar--;
		} else if (*bar == '\\' && bar + 1 < end) {
			bar++;
		} else if (bar == end || *bar == '|') {
			way.end = bar;
			if (match_rest(m, &way, at) || m->lost)
				return !m->lost;
			way.pattern = bar + 1;
		}
	}
	return false;
}

static bool ascii(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

int ps_match(struct ps *ps, struct ps_value text, size_t from,
	     const char *pattern, bool cased, struct ps_span group[PS_GROUPS])
{
	struct matcher m = { .text = text.text,
			     .end = text.text + text.length,
			     .start = pattern,
			     .group = group,
			     .cased = cased };
	size_t i, at, tried = 0;

	if (!ascii(text.text, text.length) || !ascii(pattern, strlen(pattern)))
		return -1;
	for (at = from; at <= text.length; at++) {
		for (i = 0; i < PS_GROUPS; i++)
			group[i] = (struct ps_span){ 1, 0 };
		group[0].start = at;
		if (match_ways(&m, pattern, text.text + at))
			return ps_try(ps, m.steps - tried) ? 1 : -1;
		if (!ps_try(ps, m.steps - tried + 1) || m.lost)
			return -1;
		tried = m.steps;
	}
	return 0;
}

/* What $1, ${1}, $&, $$ of a replacement stand for; false: not known. */
static bool substitute(struct la_strbuf *out, const char *by, const char *text,
		       const struct ps_span *group)
{
	int number;

	for (; *by; by++) {
		if (*by != '$') {
			la_strbuf_add(out, by, 1);
			continue;
		}
		if (by[1] == '$') {
			la_strbuf_add(out, ++by, 1);
			continue;
		}
		if (by[1] == '{' && isdigit((unsigned char)by[2]) &&
		    by[3] == '}') {
			number = by[2] - '0';
			by += 3;
		} else if (by[1] == '&') {
			number = 0;
			by++;
		} else if (isdigit((unsigned char)by[1]) &&
			   !isdigit((unsigned char)by[2])) {
			number = *++by - '0';
		} else {
			return false;
		}
		if (number && group[number].start > group[number].end)
			return false;
		la_strbuf_add(out, text + group[number].start,
			      group[number].end - group[number].start);
	}
	return true;
}

struct ps_value ps_replace(struct ps *ps, struct ps_value text,
			   struct ps_value pattern, struct ps_value by,
			   bool cased)
{
	struct ps_span group[PS_GROUPS];
	struct la_strbuf out = { 0 };
	struct ps_value result = ps_unknown();
	unsigned int doubt = text.doubt | pattern.doubt | by.doubt;
	bool block = by.type == PS_BLOCK; /* run for each match, by 6.1 on */
	size_t at = 0, from = 0;
	int found = 0;

	text = ps_to_text(ps, text);
	pattern = ps_to_text(ps, pattern);
	by = ps_to_text(ps, by);
	if (text.type != PS_TEXT || pattern.type != PS_TEXT ||
	    by.type != PS_TEXT || block)
		return result;
	while (from <= text.length && out.length <= PS_STRING) {
		found = ps_match(ps, text, from, pattern.text, cased, group);
		if (found <= 0)
			break;
		la_strbuf_add(&out, text.text + at, group[0].start - at);
		if (!substitute(&out, by.text, text.text, group)) {
			found = -1;
			break;
		}
		at = group[0].end;
		from = at > group[0].start ? at : at + 1;
	}
	if (found >= 0 && out.length <= PS_STRING) {
		la_strbuf_add(&out, text.text + at, text.length - at);
		result = ps_text(ps, la_strbuf_text(&out), out.length);
	}
	la_strbuf_release(&out);
	result.doubt |= doubt;
	return result;
}

struct ps_value ps_split(struct ps *ps, struct ps_value text,
			 struct ps_value by, int64_t most, bool cased)
{
	struct ps_span group[PS_GROUPS];
	struct ps_value list = ps_array(ps);
	size_t at = 0;
	int found = 0;

	text = ps_to_text(ps, text);
	by = ps_to_text(ps, by);
	if (text.type != PS_TEXT || by.type != PS_TEXT || !by.length ||
	    most < 0 || strchr(by.text, '(') || list.type != PS_ARRAY)
		return ps_unknown();
	while (!most || (int64_t)list.list->count + 1 < most) {
		found = ps_match(ps, text, at, by.text, cased, group);
		if (found <= 0 || list.list->count > PS_LIST)
			break;
		if (group[0].end == group[0].start)
			return ps_unknown();
		ps_push(ps, list.list,
			ps_text(ps, text.text + at, group[0].start - at));
		at = group[0].end;
	}
	if (found < 0)
		return ps_unknown();
	ps_push(ps, list.list, ps_text(ps, text.text + at, text.length - at));
	return list;
}
