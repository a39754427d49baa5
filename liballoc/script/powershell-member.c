// SPDX-License-Identifier: Apache-2.0
/* Members and methods of values. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "script/powershell.h"
#include "util/strbuf.h"
#include "util/util.h"

static bool ascii(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text >= 0x80)
			return false;
	return true;
}

static struct ps_value hash_member(struct ps *ps, const struct ps_hash *hash,
				   const char *name)
{
	struct ps_value *found = ps_find(hash, name);
	struct ps_value list = { .type = PS_ARRAY };
	bool known = hash->kind == PS_ORDERED || hash->key.count < 2;

	(void)ps;
	if (found)
		return *found;
	if (hash->kind == PS_OBJECT || hash->kind == PS_ENTRY)
		return ps_null();
	if (ps_same_word(name, "Count"))
		return ps_int((int64_t)hash->key.count);
	list.list = (struct ps_list *)&hash->key;
	if (ps_same_word(name, "Keys"))
		return known ? list : ps_unknown();
	list.list = (struct ps_list *)&hash->value;
	if (ps_same_word(name, "Values"))
		return known ? list : ps_unknown();
	return ps_null();
}

/* A list has the members of its items. */
static struct ps_value each_member(struct ps *ps, struct ps_value list,
				   const char *name)
{
	struct ps_list *out = ps_take(ps, sizeof(*out));
	struct ps_value one;
	size_t i;

	for (i = 0; out && i < list.list->count; i++) {
		one = ps_member(ps, list.list->item[i], name);
		if (one.type == PS_UNKNOWN)
			return one;
		if (one.type != PS_NULL)
			ps_spread(ps, out, one);
	}
	if (!out || !out->count)
		return out ? ps_null() : ps_unknown();
	return ps_collected(out);
}

struct ps_value ps_member(struct ps *ps, struct ps_value object,
			  const char *name)
{
	struct ps_value result = ps_unknown();
	bool count = ps_same_word(name, "Count");
	bool length = ps_same_word(name, "Length");

	if (object.type == PS_HASH)
		result = hash_member(ps, object.hash, name);
	else if (object.type == PS_ARRAY && (count || length))
		result = ps_int((int64_t)object.list->count);
	else if (object.type == PS_ARRAY)
		result = each_member(ps, object, name);
	else if (object.type == PS_NULL || object.type == PS_NOTHING)
		result = count ? ps_int(0) : ps_null();
	else if (object.type == PS_TEXT && length)
		result = ascii(object.text) ? ps_int((int64_t)object.length) :
					      ps_unknown();
	else if (object.type != PS_UNKNOWN && (count || length))
		result = ps_int(1);
	else if (object.type == PS_TEXT || object.type == PS_INT)
		result = ps_null();
	result.doubt |= object.doubt;
	return result;
}

static struct ps_value text_at(struct ps *ps, struct ps_value text, int64_t i)
{
	struct ps_value c = { .type = PS_CHAR };

	(void)ps;
	if (!ascii(text.text))
		return ps_unknown();
	if (i < 0)
		i += (int64_t)text.length;
	if (i < 0 || (size_t)i >= text.length)
		return ps_null();
	c.number = text.text[i];
	return c;
}

static struct ps_value one_index(struct ps *ps, struct ps_value object,
				 struct ps_value index)
{
	struct ps_value *found;
	int64_t i;

	if (object.type == PS_HASH && index.type == PS_TEXT) {
		found = ps_find(object.hash, index.text);
		return found ? *found : ps_null();
	}
	if (index.type != PS_INT)
		return ps_unknown();
	i = index.number;
	if (object.type == PS_HASH) {
		if (object.hash->kind == PS_HASHTABLE) {
			for (i = 0; (size_t)i < object.hash->key.count; i++)
				if (object.hash->key.item[i].type == PS_INT &&
				    object.hash->key.item[i].number ==
					    index.number)
					return object.hash->value.item[i];
		}
		return ps_unknown();
	}
	if (object.type == PS_TEXT)
		return text_at(ps, object, i);
	if (object.type != PS_ARRAY)
		return ps_unknown();
	if (i < 0)
		i += (int64_t)object.list->count;
	return i < 0 || (size_t)i >= object.list->count ? ps_null() :
							  object.list->item[i];
}

struct ps_value ps_index(struct ps *ps, struct ps_value object,
			 struct ps_value index)
{
	struct ps_value result, one;
	size_t i;

	if (object.type == PS_UNKNOWN || object.type == PS_NULL)
		return ps_unknown();
	if (index.type != PS_ARRAY) {
		result = one_index(ps, object, index);
	} else {
		result = ps_array(ps);
		for (i = 0; i < index.list->count; i++) {
			one = one_index(ps, object, index.list->item[i]);
			if (one.type == PS_UNKNOWN || result.type != PS_ARRAY)
				return ps_unknown();
			if (one.type != PS_NULL)
				ps_push(ps, result.list, one);
		}
	}
	result.doubt |= object.doubt | index.doubt;
	return result;
}

static struct ps_value argument_text(struct ps *ps, const struct ps_list *args,
				     size_t i)
{
	return i < args->count ? ps_to_text(ps, args->item[i]) : ps_unknown();
}

static struct ps_value text_replace(struct ps *ps, struct ps_value text,
				    struct ps_value from, struct ps_value to)
{
	struct la_strbuf out = { 0 };
	const char *at = text.text, *found;
	struct ps_value result;

	if (from.type != PS_TEXT || to.type != PS_TEXT || !from.length)
		return ps_unknown();
	while ((found = strstr(at, from.text)) && out.length < PS_STRING) {
		la_strbuf_add(&out, at, found - at);
		la_strbuf_add(&out, to.text, to.length);
		at = found + from.length;
	}
	la_strbuf_addstr(&out, at);
	result = found ? ps_unknown() :
			 ps_text(ps, la_strbuf_text(&out), out.length);
	la_strbuf_release(&out);
	result.doubt = from.doubt | to.doubt;
	return result;
}

static struct ps_value text_case(struct ps *ps, struct ps_value text, bool up)
{
	char *copy =
		ascii(text.text) ? ps_copy(ps, text.text, text.length) : NULL;
	size_t i;

	if (!copy)
		return ps_unknown();
	for (i = 0; i < text.length; i++)
		copy[i] = (char)(up ? toupper((unsigned char)copy[i]) :
				      tolower((unsigned char)copy[i]));
	text.text = copy;
	return text;
}

static struct ps_value text_trim(struct ps *ps, struct ps_value text,
				 const struct ps_list *args, bool head,
				 bool tail)
{
	struct ps_value set = args->count ? argument_text(ps, args, 0) :
					    ps_string(" \t\r\n\v\f");
	size_t start = 0, end = text.length;

	if (args->count == 1 && args->item[0].type == PS_ARRAY)
		set = ps_join(ps, args->item[0], ps_string(""));
	if (set.type != PS_TEXT || !ascii(set.text) || args->count > 1 ||
	    !ascii(text.text))
		return ps_unknown();
	while (head && start < end && strchr(set.text, text.text[start]))
		start++;
	while (tail && end > start && strchr(set.text, text.text[end - 1]))
		end--;
	return ps_text(ps, text.text + start, end - start);
}

static struct ps_value text_split(struct ps *ps, struct ps_value text,
				  const struct ps_list *args)
{
	struct ps_value by = argument_text(ps, args, 0), list = ps_array(ps);
	const char *at = text.text, *found;

	if (args->count != 1 || by.type != PS_TEXT || by.length != 1 ||
	    list.type != PS_ARRAY)
		return ps_unknown();
	while ((found = strstr(at, by.text)) && list.list->count < PS_LIST) {
		ps_push(ps, list.list, ps_text(ps, at, found - at));
		at = found + by.length;
	}
	ps_push(ps, list.list, ps_text(ps, at, strlen(at)));
	return found ? ps_unknown() : list;
}

/* Substring and Remove. */
static struct ps_value text_part(struct ps *ps, struct ps_value text,
				 const struct ps_list *args, bool remove)
{
	struct ps_value first, second, head;
	size_t start, length;

	if (!args->count || args->count > 2 || !ascii(text.text) ||
	    args->item[0].type != PS_INT || args->item[0].number < 0)
		return ps_unknown();
	start = args->item[0].number;
	length = start <= text.length ? text.length - start : 0;
	if (args->count == 2) {
		if (args->item[1].type != PS_INT || args->item[1].number < 0 ||
		    (size_t)args->item[1].number > length) {
			ps_fail(ps);
			return ps_unknown();
		}
		length = args->item[1].number;
	}
	if (start > text.length) {
		ps_fail(ps);
		return ps_unknown();
	}
	first = ps_text(ps, text.text + start, length);
	if (!remove)
		return first;
	head = ps_text(ps, text.text, start);
	second = ps_text(ps, text.text + start + length,
			 text.length - start - length);
	return ps_binary(ps, PS_ADD, head, second);
}

/* PadLeft and PadRight. */
static struct ps_value text_pad(struct ps *ps, struct ps_value text,
				const struct ps_list *args, bool left)
{
	struct ps_value blanks;
	char *bytes;
	size_t n;

	if (args->count != 1 || args->item[0].type != PS_INT ||
	    args->item[0].number < 0 || args->item[0].number > PS_STRING ||
	    !ascii(text.text))
		return ps_unknown();
	n = args->item[0].number;
	n = n > text.length ? n - text.length : 0;
	bytes = ps_take(ps, n + 1);
	if (!bytes)
		return ps_unknown();
	memset(bytes, ' ', n);
	blanks = ps_text(ps, bytes, n);
	return left ? ps_binary(ps, PS_ADD, blanks, text) :
		      ps_binary(ps, PS_ADD, text, blanks);
}

static struct ps_value text_insert(struct ps *ps, struct ps_value text,
				   const struct ps_list *args)
{
	struct ps_value added = argument_text(ps, args, 1), head, tail;
	size_t at;

	if (args->count != 2 || args->item[0].type != PS_INT ||
	    args->item[0].number < 0 || added.type != PS_TEXT ||
	    !ascii(text.text))
		return ps_unknown();
	at = args->item[0].number;
	if (at > text.length) {
		ps_fail(ps);
		return ps_unknown();
	}
	head = ps_text(ps, text.text, at);
	tail = ps_text(ps, text.text + at, text.length - at);
	return ps_binary(ps, PS_ADD, ps_binary(ps, PS_ADD, head, added), tail);
}

static struct ps_value text_test(struct ps_value text, struct ps_value other,
				 const char *name)
{
	const char *found;

	if (other.type != PS_TEXT || !ascii(text.text))
		return ps_unknown();
	found = strstr(text.text, other.text);
	if (ps_same_word(name, "Contains"))
		return ps_bool(found);
	if (ps_same_word(name, "IndexOf"))
		return ps_int(found ? found - text.text : -1);
	if (ps_same_word(name, "StartsWith"))
		return ps_bool(found == text.text);
	return ps_bool(
		other.length <= text.length &&
		!strcmp(text.text + text.length - other.length, other.text));
}

static bool one_of(const char *name, const char *a, const char *b)
{
	return ps_same_word(name, a) || ps_same_word(name, b);
}

static struct ps_value text_invoke(struct ps *ps, struct ps_value text,
				   const char *name, const struct ps_list *args)
{
	if (one_of(name, "ToString", "Clone") && !args->count)
		return text;
	if (ps_same_word(name, "Replace") && args->count == 2)
		return text_replace(ps, text, argument_text(ps, args, 0),
				    argument_text(ps, args, 1));
	if (one_of(name, "ToLower", "ToLowerInvariant"))
		return text_case(ps, text, false);
	if (one_of(name, "ToUpper", "ToUpperInvariant"))
		return text_case(ps, text, true);
	if (!strncasecmp(name, "Trim", 4))
		return text_trim(ps, text, args, !ps_same_word(name, "TrimEnd"),
				 !ps_same_word(name, "TrimStart"));
	if (ps_same_word(name, "Split"))
		return text_split(ps, text, args);
	if (one_of(name, "PadLeft", "PadRight"))
		return text_pad(ps, text, args, ps_same_word(name, "PadLeft"));
	if (ps_same_word(name, "Insert"))
		return text_insert(ps, text, args);
	if (one_of(name, "Substring", "Remove"))
		return text_part(ps, text, args, ps_same_word(name, "Remove"));
	if (args->count == 1 && (one_of(name, "Contains", "IndexOf") ||
				 one_of(name, "StartsWith", "EndsWith")))
		return text_test(text, argument_text(ps, args, 0), name);
	return ps_unknown();
}

/* A table of one entry has an order, too. */
static struct ps_value entries(struct ps *ps, const struct ps_hash *hash)
{
	struct ps_value list = ps_array(ps), entry = { .type = PS_HASH };
	size_t i;

	if (list.type != PS_ARRAY ||
	    (hash->kind != PS_ORDERED && hash->key.count > 1))
		return ps_unknown();
	for (i = 0; i < hash->key.count; i++) {
		entry.hash = ps_take(ps, sizeof(*entry.hash));
		if (!entry.hash)
			return ps_unknown();
		entry.hash->kind = PS_ENTRY;
		ps_put(ps, entry.hash, ps_string("Key"), hash->key.item[i]);
		ps_put(ps, entry.hash, ps_string("Name"), hash->key.item[i]);
		ps_put(ps, entry.hash, ps_string("Value"), hash->value.item[i]);
		ps_push(ps, list.list, entry);
	}
	return list;
}

static struct ps_value hash_invoke(struct ps *ps, struct ps_value object,
				   const char *name, const struct ps_list *args)
{
	struct ps_value key = argument_text(ps, args, 0);

	if (!args->count && ps_same_word(name, "GetEnumerator") &&
	    object.hash->kind != PS_OBJECT)
		return entries(ps, object.hash);
	if (object.hash->kind == PS_OBJECT || key.type != PS_TEXT)
		return ps_unknown();
	if (args->count == 1 && (one_of(name, "ContainsKey", "Contains")))
		return ps_bool(ps_find(object.hash, key.text));
	if (args->count == 2 && ps_same_word(name, "Add")) {
		ps_put(ps, object.hash, args->item[0], args->item[1]);
		return (struct ps_value){ .type = PS_NOTHING };
	}
	return ps_unknown();
}

struct ps_value ps_invoke(struct ps *ps, struct ps_value object,
			  const char *name, const struct ps_list *args)
{
	struct ps_value result = ps_unknown();
	size_t i;

	for (i = 0; i < args->count; i++)
		if (args->item[i].type == PS_UNKNOWN)
			return result;
	if (object.type == PS_TEXT)
		result = text_invoke(ps, object, name, args);
	else if (object.type == PS_NULL)
		ps_fail(ps);
	else if (object.type == PS_HASH)
		result = hash_invoke(ps, object, name, args);
	else if (object.type == PS_ARRAY && args->count == 1 &&
		 ps_same_word(name, "Contains"))
		result = ps_binary(ps, PS_CONTAINS | PS_CASED, object,
				   args->item[0]);
	else if (ps_same_word(name, "ToString") && args->count < 2 &&
		 object.type != PS_ARRAY && object.type != PS_HASH)
		result = ps_format_one(
			ps, object,
			args->count ? ps_to_text(ps, args->item[0]).text : "");
	result.doubt |= object.doubt;
	for (i = 0; i < args->count; i++)
		result.doubt |= args->item[i].doubt;
	return result;
}
