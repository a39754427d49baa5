// SPDX-License-Identifier: Apache-2.0
/* Values of PowerShell, and how they become text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/powershell.h"
#include "util/strbuf.h"

enum { EXACT_DIGITS = 15, NUMBER_TEXT = 40 };

struct ps_value ps_unknown(void)
{
	return (struct ps_value){ .type = PS_UNKNOWN };
}

struct ps_value ps_null(void)
{
	return (struct ps_value){ .type = PS_NULL };
}

struct ps_value ps_bool(bool truth)
{
	return (struct ps_value){ .type = PS_BOOL, .number = truth };
}

struct ps_value ps_int(int64_t number)
{
	bool narrow = number >= INT32_MIN && number <= INT32_MAX;

	return (struct ps_value){ .type = narrow ? PS_INT : PS_LONG,
				  .number = number };
}

struct ps_value ps_real(double real)
{
	return (struct ps_value){ .type = PS_DOUBLE, .real = real };
}

struct ps_value ps_string(const char *text)
{
	return (struct ps_value){ .type = PS_TEXT,
				  .text = text,
				  .length = strlen(text) };
}

struct ps_value ps_text(struct ps *ps, const char *text, size_t length)
{
	bool whole = length <= LA_SCRIPT_BYTES && !memchr(text, 0, length);
	const char *copy = whole ? ps_copy(ps, text, length) : NULL;

	return copy ? (struct ps_value){ .type = PS_TEXT,
					 .text = copy,
					 .length = length } :
		      ps_unknown();
}

struct ps_value ps_array(struct ps *ps)
{
	struct ps_list *list = ps_take(ps, sizeof(*list));

	return list ? (struct ps_value){ .type = PS_ARRAY, .list = list } :
		      ps_unknown();
}

/* Fifteen digits, if they are all that it has: releases of .NET differ in
 * what they print of others. */
static struct ps_value real_text(struct ps *ps, double real)
{
	char text[NUMBER_TEXT], *e;

	if (!isfinite(real))
		return ps_unknown();
	snprintf(text, sizeof(text), "%.*g", EXACT_DIGITS, real);
	if (strtod(text, NULL) != real || (real == 0 && signbit(real)))
		return ps_unknown();
	e = strchr(text, 'e');
	if (e)
		*e = 'E';
	return ps_text(ps, text, strlen(text));
}

static struct ps_value list_text(struct ps *ps, const struct ps_list *list)
{
	struct ps_value text, by = ps_read(ps, "OFS", true);
	struct ps_value joined = { .type = PS_ARRAY };

	joined.list = (struct ps_list *)list;
	if (by.type != PS_TEXT)
		by = by.type == PS_NULL ? ps_string(" ") : ps_unknown();
	by.doubt = 0;
	text = ps_join(ps, joined, by);
	if (list->count > 1)
		text.doubt |= PS_JOINED;
	return text;
}

/* @{a=1; b=2} */
static struct ps_value object_text(struct ps *ps, const struct ps_hash *hash)
{
	struct la_strbuf out = { 0 };
	struct ps_value part, text;
	size_t i;

	la_strbuf_addstr(&out, "@{");
	for (i = 0; i < hash->key.count; i++) {
		part = ps_to_text(ps, hash->value.item[i]);
		if (part.type != PS_TEXT) {
			la_strbuf_release(&out);
			return ps_unknown();
		}
		la_strbuf_addf(&out, "%s%s=%s", i ? "; " : "",
			       hash->key.item[i].text, part.text);
	}
	la_strbuf_addstr(&out, "}");
	text = ps_text(ps, la_strbuf_text(&out), out.length);
	la_strbuf_release(&out);
	return text;
}

static struct ps_value hash_text(struct ps *ps, const struct ps_hash *hash)
{
	struct ps_value text;

	if (hash->kind == PS_OBJECT)
		text = object_text(ps, hash);
	else if (hash->kind == PS_HASHTABLE)
		text = ps_string("System.Collections.Hashtable");
	else if (hash->kind == PS_ENTRY)
		text = ps_string("System.Collections.DictionaryEntry");
	else
		text = ps_string("System.Collections.Specialized."
				 "OrderedDictionary");
	text.doubt |= PS_TYPE_NAME;
	return text;
}

static struct ps_value char_text(struct ps *ps, int64_t code)
{
	char text[2] = { (char)code, '\0' };

	return code > 0 && code < 0x80 ? ps_text(ps, text, 1) : ps_unknown();
}

static struct ps_value plain_text(struct ps *ps, struct ps_value value)
{
	char text[NUMBER_TEXT];

	switch (value.type) {
	case PS_NULL:
	case PS_NOTHING:
		return ps_string("");
	case PS_BOOL:
		return ps_string(value.number ? "True" : "False");
	case PS_INT:
	case PS_LONG:
		snprintf(text, sizeof(text), "%lld", (long long)value.number);
		return ps_text(ps, text, strlen(text));
	case PS_DOUBLE:
		return real_text(ps, value.real);
	case PS_CHAR:
		return char_text(ps, value.number);
	case PS_TEXT:
		return value;
	case PS_ARRAY:
		return list_text(ps, value.list);
	case PS_HASH:
		return hash_text(ps, value.hash);
	case PS_BLOCK:
		return ps_text(ps, value.block->text + value.block->start + 1,
			       value.block->end - value.block->start - 2);
	default:
		return ps_unknown();
	}
}

struct ps_value ps_to_text(struct ps *ps, struct ps_value value)
{
	struct ps_value text = plain_text(ps, value);

	text.doubt |= value.doubt;
	return text;
}

int ps_truth(struct ps_value value)
{
	switch (value.type) {
	case PS_NULL:
	case PS_NOTHING:
		return 0;
	case PS_BOOL:
	case PS_INT:
	case PS_LONG:
	case PS_CHAR:
		return value.number != 0;
	case PS_DOUBLE:
		return value.real != 0;
	case PS_TEXT:
		return value.length != 0;
	case PS_ARRAY:
		if (value.list->count == 1)
			return value.list->item[0].type == PS_ARRAY ?
				       -1 :
				       ps_truth(value.list->item[0]);
		return value.list->count != 0;
	case PS_HASH:
	case PS_BLOCK:
	case PS_CLASS:
		return 1;
	default:
		return -1;
	}
}

/* A number as people write it, with blanks around it. */
static bool text_number(const char *text, size_t length, struct ps_value *out)
{
	char *end;
	long long whole;

	while (length && strchr(" \t", *text)) {
		text++;
		length--;
	}
	if (!length) {
		*out = ps_int(0);
		return true;
	}
	if (!strchr("+-.0123456789", *text) || strpbrk(text, "xXpPnN"))
		return false;
	whole = strtoll(text, &end, 10);
	if (end - text < NUMBER_TEXT / 2 && end[strspn(end, " \t")] == '\0' &&
	    end != text) {
		*out = ps_int(whole);
		return true;
	}
	*out = ps_real(strtod(text, &end));
	return end != text && end[strspn(end, " \t")] == '\0';
}

bool ps_number(struct ps *ps, struct ps_value value, struct ps_value *out)
{
	bool found = true;

	(void)ps;
	switch (value.type) {
	case PS_NULL:
	case PS_NOTHING:
		*out = ps_int(0);
		break;
	case PS_BOOL:
	case PS_CHAR:
		*out = ps_int(value.number);
		break;
	case PS_INT:
	case PS_LONG:
	case PS_DOUBLE:
		*out = value;
		break;
	case PS_TEXT:
		found = text_number(value.text, value.length, out);
		break;
	default:
		found = false;
	}
	out->doubt = value.doubt;
	return found;
}

struct ps_value *ps_find(const struct ps_hash *hash, const char *key)
{
	size_t i;

	for (i = 0; i < hash->key.count; i++)
		if (hash->key.item[i].type == PS_TEXT &&
		    ps_same_word(hash->key.item[i].text, key))
			return &hash->value.item[i];
	return NULL;
}

void ps_put(struct ps *ps, struct ps_hash *hash, struct ps_value key,
	    struct ps_value value)
{
	struct ps_value *old =
		key.type == PS_TEXT ? ps_find(hash, key.text) : NULL;

	if (old) {
		*old = value;
		return;
	}
	ps_push(ps, &hash->key, key);
	ps_push(ps, &hash->value, value);
}

struct ps_value ps_collected(const struct ps_list *out)
{
	if (!out->count)
		return (struct ps_value){ .type = PS_NOTHING };
	if (out->count == 1)
		return out->item[0];
	return (struct ps_value){ .type = PS_ARRAY,
				  .list = (struct ps_list *)out };
}

void ps_spread(struct ps *ps, struct ps_list *out, struct ps_value value)
{
	size_t i;

	if (value.type == PS_NOTHING)
		return;
	if (value.type != PS_ARRAY) {
		ps_push(ps, out, value);
		return;
	}
	for (i = 0; i < value.list->count && !ps->spent; i++) {
		ps_push(ps, out, value.list->item[i]);
		out->item[out->count - 1].doubt |= value.doubt;
	}
}
