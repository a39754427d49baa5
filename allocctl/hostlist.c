// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostlist.h"
#include "util/array.h"

enum { DIGITS = 18, BRACKETS = 8 };

static const char no_memory[] = "out of memory";
static const char bad_range[] = "a range is not LOW-HIGH";

/* A range in brackets, or one number. */
struct range {
	uint64_t low, high;
	int width; /* of the number with its leading zeros */
};

static const char *add_name(struct hostlist *list, const char *text,
			    size_t length)
{
	char *name;

	if (!length)
		return "a name is empty";
	if (length > HOSTLIST_NAME)
		return "a name is longer than 255 bytes";
	if (list->count == HOSTLIST_MOST)
		return "it stands for more than 200000 names";
	name = strndup(text, length);
	if (!name || grow_array(&list->name, &list->room, list->count,
				sizeof(*list->name)) < 0) {
		free(name);
		return no_memory;
	}
	list->name[list->count++] = name;
	return NULL;
}

/* Bytes of a number, with its value; 0: none, or one that is too long. */
static size_t read_number(const char *text, uint64_t *out)
{
	size_t n = 0;

	for (*out = 0; isdigit((unsigned char)text[n]); n++) {
		if (n == DIGITS)
			return 0;
		*out = *out * 10 + (uint64_t)(text[n] - '0');
	}
	return n;
}

/* Bytes of a range, or 0. */
static size_t read_range(const char *text, struct range *range)
{
	size_t n = read_number(text, &range->low), more;

	range->high = range->low;
	range->width = (int)n;
	if (!n || text[n] != '-')
		return n;
	more = read_number(text + n + 1, &range->high);
	return more && range->high >= range->low ? n + 1 + more : 0;
}

static const char *expand_name(struct hostlist *list, const char *head,
			       const char *text, size_t length, int brackets);

/* Each number of a bracket between what is before it and what follows. */
static const char *expand_range(struct hostlist *list, const char *head,
				size_t head_length, const struct range *range,
				const char *tail, size_t tail_length,
				int brackets)
{
	const char *wrong = NULL;
	uint64_t number;
	char *name;

	for (number = range->low; !wrong && number <= range->high; number++) {
		if (asprintf(&name, "%.*s%0*" PRIu64, (int)head_length, head,
			     range->width, number) < 0)
			return no_memory;
		wrong = expand_name(list, name, tail, tail_length, brackets);
		free(name);
	}
	return wrong;
}

/* What the bracket at open holds, up to close. */
static const char *expand_bracket(struct hostlist *list, const char *head,
				  const char *open, const char *close,
				  size_t length, int brackets)
{
	const char *at = open + 1, *tail = close + 1, *wrong = NULL;
	size_t tail_length = length - (size_t)(tail - open), n;
	struct range range;

	do {
		n = read_range(at, &range);
		at += n;
		if (!n || (*at != ',' && at != close))
			return bad_range;
		wrong = expand_range(list, head, strlen(head), &range, tail,
				     tail_length, brackets + 1);
	} while (!wrong && at++ != close);
	return wrong;
}

/* head: what brackets before this part of the name have made. */
static const char *expand_name(struct hostlist *list, const char *head,
			       const char *text, size_t length, int brackets)
{
	const char *open = memchr(text, '[', length), *close, *wrong;
	struct la_strbuf name = { 0 };

	la_strbuf_addstr(&name, head);
	la_strbuf_add(&name, text, open ? (size_t)(open - text) : length);
	if (name.failed)
		return no_memory;
	if (!open) {
		wrong = add_name(list, la_strbuf_text(&name), name.length);
	} else {
		length -= (size_t)(open - text);
		close = memchr(open, ']', length);
		wrong = !close ? "a [ has no ]" :
			brackets == BRACKETS ?
				 "it has too many brackets" :
				 expand_bracket(list, la_strbuf_text(&name),
						open, close, length, brackets);
	}
	la_strbuf_release(&name);
	return wrong;
}

/* Bytes up to a comma that is in no brackets. */
static size_t name_length(const char *text)
{
	bool inside = false;
	size_t n;

	for (n = 0; text[n] && (inside || text[n] != ','); n++)
		inside = text[n] == '[' || (inside && text[n] != ']');
	return n;
}

const char *hostlist_expand(struct hostlist *list, const char *text)
{
	const char *wrong;
	size_t n;

	do {
		n = name_length(text);
		wrong = expand_name(list, "", text, n, 0);
		text += n;
	} while (!wrong && *text++ == ',');
	return wrong;
}

void hostlist_release(struct hostlist *list)
{
	while (list->count)
		free(list->name[--list->count]);
	free(list->name);
	*list = (struct hostlist){ 0 };
}

static int compare_digits(const char **name, const char **other)
{
	const char *a = *name, *b = *other;
	size_t n, m;

	a += strspn(a, "0");
	b += strspn(b, "0");
	n = strspn(a, "0123456789");
	m = strspn(b, "0123456789");
	*name = a + n;
	*other = b + m;
	if (n != m)
		return n < m ? -1 : 1;
	return memcmp(a, b, n);
}

int hostlist_compare(const char *name, const char *other)
{
	const char *a = name, *b = other;
	int order = 0;

	while (*a && *b && !order) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			order = compare_digits(&a, &b);
			continue;
		}
		order = (unsigned char)*a++ - (unsigned char)*b++;
	}
	if (!order)
		order = (unsigned char)*a - (unsigned char)*b;
	return order ? order : strcmp(name, other);
}

static int compare(const void *a, const void *b)
{
	const char *const *name = a, *const *other = b;

	return hostlist_compare(*name, *other);
}

void hostlist_sort(struct hostlist *list)
{
	size_t i, kept = 0;

	if (list->count)
		qsort(list->name, list->count, sizeof(*list->name), compare);
	for (i = 0; i < list->count; i++) {
		if (kept && !strcmp(list->name[kept - 1], list->name[i]))
			free(list->name[i]);
		else
			list->name[kept++] = list->name[i];
	}
	list->count = kept;
}

bool hostlist_has(const struct hostlist *list, const char *name)
{
	return list->count && bsearch(&name, list->name, list->count,
				      sizeof(*list->name), compare);
}

/* A name around its last number. */
struct parts {
	size_t head; /* bytes before the number */
	size_t digits; /* 0: there is none that can be counted */
	uint64_t number;
};

static struct parts split(const char *name)
{
	struct parts parts = { .head = strlen(name) };
	size_t end = parts.head, start;

	while (end && !isdigit((unsigned char)name[end - 1]))
		end--;
	for (start = end; start && isdigit((unsigned char)name[start - 1]);)
		start--;
	if (start == end || end - start > DIGITS || strpbrk(name, "[],"))
		return parts;
	parts.head = start;
	parts.digits = read_number(name + start, &parts.number);
	return parts;
}

/* May both stand in one pair of brackets? */
static bool is_alike(const char *name, struct parts a, const char *other,
		     struct parts b)
{
	return a.digits && b.digits && a.head == b.head &&
	       !memcmp(name, other, a.head) &&
	       !strcmp(name + a.head + a.digits, other + b.head + b.digits);
}

static bool is_next(const char *name, struct parts a, const char *other,
		    struct parts b)
{
	return b.number == a.number + 1 &&
	       (a.digits == b.digits ||
		(name[a.head] != '0' && other[b.head] != '0'));
}

/* The first name behind a row of numbers that begins at i. */
static size_t end_of_row(const char *const *name, size_t count, size_t i)
{
	struct parts at = split(name[i]), next;

	while (++i < count) {
		next = split(name[i]);
		if (!is_next(name[i - 1], at, name[i], next))
			break;
		at = next;
	}
	return i;
}

/*
 * "[1-3,7]" of names that are alike; one of them needs no brackets.  Returns
 * how many have found a place.
 */
static size_t fold_alike(struct la_strbuf *out, const char *const *name,
			 size_t count, size_t *pieces)
{
	struct parts first = split(name[0]), part;
	size_t i, next;

	la_strbuf_add(out, name[0], first.head);
	if (count > 1)
		la_strbuf_addstr(out, "[");
	for (i = 0; i < count && *pieces; i = next, --*pieces) {
		next = end_of_row(name, count, i);
		if (i)
			la_strbuf_addstr(out, ",");
		part = split(name[i]);
		la_strbuf_add(out, name[i] + part.head, part.digits);
		if (next == i + 1)
			continue;
		part = split(name[next - 1]);
		la_strbuf_addstr(out, "-");
		la_strbuf_add(out, name[next - 1] + part.head, part.digits);
	}
	if (count > 1)
		la_strbuf_addstr(out, "]");
	la_strbuf_addstr(out, name[0] + first.head + first.digits);
	return i;
}

size_t hostlist_fold(struct la_strbuf *out, const char *const *name,
		     size_t count, size_t pieces)
{
	struct parts first;
	size_t i, k;

	for (i = 0; i < count && pieces;) {
		first = split(name[i]);
		for (k = i + 1; k < count; k++)
			if (!is_alike(name[i], first, name[k], split(name[k])))
				break;
		if (i)
			la_strbuf_addstr(out, ",");
		i += fold_alike(out, name + i, k - i, &pieces);
	}
	return count - i;
}
