// SPDX-License-Identifier: Apache-2.0
/* Expressions of Python, as far as their value can be known. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/python.h"
#include "util/array.h"
#include "util/error.h"
#include "util/util.h"

enum { DEEP = 100 };

static bool take(struct py *py, const char *text)
{
	return py_take(&py->source, text);
}

static bool is(const struct py *py, const char *text)
{
	return py_is(&py->source, text);
}

/* The text of the token that is read next. */
static const char *now(const struct py *py, size_t *length)
{
	const struct py_token *token = py_now(&py->source);

	*length = token->end - token->start;
	return py->source.text + token->start;
}

const struct py_value *py_lookup(struct py *py, const char *name, size_t length)
{
	const struct py_entry *entry;

	entry = py_map_find(py->variable, name, length);
	if (entry)
		return entry->value ? entry->value : &py_unknown;
	if (length == 7 && !memcmp(name, "environ", 7))
		return py_dict(py, py->os_environ);
	return py_path(py, name, length);
}

void py_assign(struct py *py, const char *name, size_t length,
	       const struct py_value *value)
{
	struct py_entry *entry;

	entry = py_map_set(py, py->variable, name, length, value);
	if (entry && (py->maybe || py->calls))
		py_touch(py, entry);
}

/* Values of a list as it is read. */
struct items {
	const struct py_value **value;
	size_t count, room;
};

static void items_add(struct py *py, struct items *items,
		      const struct py_value *value)
{
	if (grow_array(&items->value, &items->room, items->count,
		       sizeof(*items->value)))
		py->failed = -ENOMEM;
	else
		items->value[items->count++] = value;
}

static bool items_add_all(struct py *py, struct items *items,
			  const struct py_value *list)
{
	size_t i;

	for (i = 0; list->kind == PY_LIST && i < list->length; i++)
		items_add(py, items, list->item[i]);
	return list->kind == PY_LIST;
}

/* Behind the closing bracket; false if something else stands before it. */
static bool close_bracket(struct py *py, const char *bracket)
{
	if (take(py, bracket))
		return true;
	py_skip_to(&py->source, bracket);
	take(py, bracket);
	return false;
}

/* [a, b] and (a, b) up to the closing bracket. */
static const struct py_value *read_items(struct py *py, const char *bracket,
					 bool tuple)
{
	const struct py_value *value;
	struct items items = { 0 };
	bool comma = !tuple, known = true;

	while (!is(py, bracket) && known) {
		if (take(py, "*"))
			known = items_add_all(py, &items, py_expression(py));
		else
			items_add(py, &items, py_expression(py));
		if (!take(py, ","))
			break;
		comma = true;
	}
	known = close_bracket(py, bracket) && known;
	if (!known)
		value = &py_unknown;
	else if (!comma && items.count == 1)
		value = items.value[0];
	else
		value = py_list(py, items.value, items.count);
	free(items.value);
	return value;
}

/* {k: v, **other} up to the closing brace. */
static const struct py_value *read_dict(struct py *py)
{
	struct py_map *map = py_map_new(py);
	const struct py_value *key, *value;
	bool known = map;

	while (known && !is(py, "}")) {
		if (take(py, "**")) {
			value = py_expression(py);
			if (value->kind == PY_DICT)
				py_map_merge(py, map, value->map);
			else
				map->environment = true;
		} else {
			key = py_expression(py);
			known = take(py, ":");
			value = known ? py_expression(py) : &py_unknown;
			if (known)
				py_dict_set(py, map, key, value);
		}
		if (!take(py, ","))
			break;
	}
	known = close_bracket(py, "}") && known;
	return known ? py_dict(py, map) : &py_unknown;
}

static const struct py_value *read_strings(struct py *py)
{
	const struct py_value *value, *next;
	struct la_strbuf out = { 0 };
	bool known = true, bytes = false;

	for (; py_now(&py->source)->type == PY_STRING; py->source.at++) {
		next = py_literal(py, py_now(&py->source));
		bytes = bytes || next->kind == PY_BYTES;
		known = known && py_str(&out, next);
	}
	if (out.failed)
		py->failed = -ENOMEM;
	value = bytes ? &py_bytes :
		known ? py_text(py, la_strbuf_text(&out), out.length) :
			&py_unknown;
	la_strbuf_release(&out);
	return value;
}

/* A number as str() would give it: floats only as they are mostly written. */
static const struct py_value *read_number(struct py *py)
{
	static const struct py_value none = { .kind = PY_FLOAT };
	const struct py_value *value;
	char word[32], *end;
	long long number;
	size_t length;
	const char *text = now(py, &length);

	py->source.at++;
	if (length >= sizeof(word))
		return &none;
	memcpy(word, text, length);
	word[length] = '\0';
	errno = 0;
	number = strtoll(word, &end, 0);
	if (!errno && !*end &&
	    (word[0] != '0' || length == 1 || (word[1] | 32) == 'x'))
		return py_int(py, number);
	end = word + strspn(word, "0123456789");
	if (*end != '.' || end == word || end - word > 15 ||
	    (word[0] == '0' && end - word > 1))
		return &none;
	length = strspn(end + 1, "0123456789");
	if (end[1 + length] || !length || length > 6 ||
	    (end[length] == '0' && length > 1) ||
	    (word[0] == '0' && !strncmp(end, ".0000", 5)) ||
	    end - word + length > 15)
		return &none;
	value = py_text(py, word, strlen(word));
	if (value->kind == PY_TEXT)
		((struct py_value *)value)->kind = PY_FLOAT;
	return value;
}

static const struct py_value *read_name(struct py *py)
{
	static const struct {
		const char *name;
		enum py_kind kind;
		int64_t number;
	} words[] = { { "None", PY_NOTHING, 0 },
		      { "True", PY_BOOL, 1 },
		      { "False", PY_BOOL, 0 } };
	size_t length, i;
	const char *name = now(py, &length);

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (is(py, words[i].name)) {
			py->source.at++;
			return words[i].kind == PY_BOOL ?
				       py_bool(py, words[i].number) :
				       &py_none;
		}
	py->source.at++;
	return py_lookup(py, name, length);
}

static const struct py_value *read_atom(struct py *py)
{
	const struct py_token *token = py_now(&py->source);

	switch (token->type) {
	case PY_STRING:
		return read_strings(py);
	case PY_NUMBER:
		return read_number(py);
	case PY_NAME:
		return read_name(py);
	case PY_OPERATOR:
		break;
	default:
		return &py_unknown;
	}
	if (take(py, "("))
		return read_items(py, ")", true);
	if (take(py, "["))
		return read_items(py, "]", false);
	if (take(py, "{"))
		return read_dict(py);
	take(py, "...");
	return &py_unknown;
}

/* Arguments as they are read. */
struct call {
	struct items value; /* of the same count */
	const char **names;
	size_t *lengths;
	size_t room, room_lengths, count;
};

static void call_add(struct py *py, struct call *call, const char *name,
		     size_t length, const struct py_value *value)
{
	if (grow_array(&call->names, &call->room, call->count,
		       sizeof(*call->names)) ||
	    grow_array(&call->lengths, &call->room_lengths, call->count,
		       sizeof(*call->lengths))) {
		py->failed = -ENOMEM;
		return;
	}
	call->names[call->count] = name;
	call->lengths[call->count] = length;
	items_add(py, &call->value, value);
	call->count = call->value.count;
}

/* **{...}: as if each were written. */
static bool call_add_all(struct py *py, struct call *call,
			 const struct py_value *value)
{
	const struct py_entry *entry;

	if (value->kind != PY_DICT || value->map->environment)
		return false;
	for (entry = value->map->first; entry; entry = entry->later)
		if (entry->value)
			call_add(py, call, entry->name, entry->length,
				 entry->value);
	return true;
}

static void read_argument(struct py *py, struct call *call,
			  struct py_arguments *arguments)
{
	const char *name = NULL;
	size_t length = 0;

	if (take(py, "*")) {
		(void)py_expression(py);
		arguments->more = true;
		return;
	}
	if (take(py, "**")) {
		if (!call_add_all(py, call, py_expression(py)))
			arguments->more = true;
		return;
	}
	if (py_now(&py->source)->type == PY_NAME &&
	    py_token_is(&py->source, py->source.at + 1, "=")) {
		name = now(py, &length);
		py->source.at += 2;
	}
	call_add(py, call, name, length, py_expression(py));
	if (is(py, "for") || is(py, "async")) {
		call->value.value[call->count - 1] = &py_unknown;
		py_skip_to(&py->source, ")");
	}
}

static const struct py_value *read_call(struct py *py,
					const struct py_value *callee)
{
	struct py_arguments arguments = { 0 };
	const struct py_value *value;
	struct call call = { 0 };

	while (!is(py, ")") && !py->failed) {
		read_argument(py, &call, &arguments);
		if (!take(py, ","))
			break;
	}
	arguments.more = !close_bracket(py, ")") || arguments.more;
	arguments.value = call.value.value;
	arguments.name = call.names;
	arguments.name_length = call.lengths;
	arguments.count = call.count;
	value = py->failed ? &py_unknown : py_call(py, callee, &arguments);
	free(call.value.value);
	free(call.names);
	free(call.lengths);
	return value;
}

/* x.name */
static const struct py_value *read_member(struct py *py,
					  const struct py_value *owner)
{
	struct la_strbuf path = { 0 };
	const struct py_value *value;
	struct py_value *member;
	size_t length;
	const char *name = now(py, &length);

	if (py_now(&py->source)->type != PY_NAME)
		return &py_unknown;
	py->source.at++;
	if (owner->kind == PY_PATH) {
		la_strbuf_addf(&path, "%s.%.*s", owner->text, (int)length,
			       name);
		value = !strcmp(la_strbuf_text(&path), "os.environ") ?
				py_dict(py, py->os_environ) :
				py_path(py, la_strbuf_text(&path), path.length);
		la_strbuf_release(&path);
		return value;
	}
	value = py_text(py, name, length);
	member = py_alloc(py, sizeof(*member));
	if (!member || value->kind != PY_TEXT)
		return &py_unknown;
	*member = *value;
	member->kind = PY_MEMBER;
	member->owner = owner;
	return member;
}

static const struct py_value *read_primary(struct py *py)
{
	const struct py_value *value = read_atom(py), *key;

	while (!py->failed) {
		if (take(py, "(")) {
			value = read_call(py, value);
		} else if (take(py, "[")) {
			key = read_items(py, "]", true);
			py->target_owner = value;
			py->target_key = key;
			py->target_end = py->source.at;
			value = py_subscript(py, value, key);
		} else if (take(py, ".")) {
			value = read_member(py, value);
		} else {
			break;
		}
	}
	return value;
}

static const struct py_value *read_unary(struct py *py);

static const struct py_value *read_operand(struct py *py)
{
	const struct py_value *value;

	take(py, "await");
	if (take(py, "-")) {
		value = read_unary(py);
		return value->kind == PY_INT && value->number != INT64_MIN ?
			       py_int(py, -value->number) :
			       &py_unknown;
	}
	if (take(py, "+"))
		return read_unary(py);
	if (take(py, "~")) {
		(void)read_unary(py);
		return &py_unknown;
	}
	value = read_primary(py);
	if (take(py, "**")) {
		(void)read_unary(py);
		return &py_unknown;
	}
	return value;
}

static const struct py_value *read_unary(struct py *py)
{
	const struct py_value *value = &py_unknown;

	if (py->depth > DEEP)
		return value;
	py->depth++;
	value = read_operand(py);
	py->depth--;
	return value;
}

static const struct py_value *calculate(struct py *py, char operation,
					int64_t a, int64_t b)
{
	int64_t result = 0;
	bool lost = false;

	if (operation == '+')
		lost = __builtin_add_overflow(a, b, &result);
	else if (operation == '-')
		lost = __builtin_sub_overflow(a, b, &result);
	else if (operation == '*')
		lost = __builtin_mul_overflow(a, b, &result);
	else if (b > 0 && a >= 0)
		result = operation == '%' ? a % b : a / b;
	else
		lost = true;
	return lost ? &py_unknown : py_int(py, result);
}

static const struct py_value *merge(struct py *py, const struct py_value *a,
				    const struct py_value *b)
{
	struct py_map *map = py_map_new(py);

	if (!map)
		return &py_unknown;
	py_map_merge(py, map, a->map);
	py_map_merge(py, map, b->map);
	return py_dict(py, map);
}

static const struct py_value *repeat(struct py *py, const struct py_value *text,
				     int64_t n)
{
	struct la_strbuf out = { 0 };
	const struct py_value *value;

	if (n > 1024 || (uint64_t)n * text->length > 65536)
		return &py_unknown;
	for (; n > 0; n--)
		la_strbuf_add(&out, text->text, text->length);
	value = py_text(py, la_strbuf_text(&out), out.length);
	la_strbuf_release(&out);
	return value;
}

static const struct py_value *
concatenate(struct py *py, const struct py_value *a, const struct py_value *b)
{
	struct items items = { 0 };
	const struct py_value *value;

	items_add_all(py, &items, a);
	items_add_all(py, &items, b);
	value = py_list(py, items.value, items.count);
	free(items.value);
	return value;
}

const struct py_value *py_apply(struct py *py, char operation,
				const struct py_value *a,
				const struct py_value *b)
{
	struct la_strbuf out = { 0 };
	const struct py_value *value;

	if (operation == '|')
		return a->kind == PY_DICT && b->kind == PY_DICT ?
			       merge(py, a, b) :
			       &py_unknown;
	if (operation == '%' && a->kind == PY_TEXT)
		return py_percent(py, a, b);
	if (operation == '*' && a->kind == PY_TEXT && b->kind == PY_INT)
		return repeat(py, a, b->number);
	if (a->kind == PY_INT && b->kind == PY_INT)
		return calculate(py, operation, a->number, b->number);
	if (operation == '+' && a->kind == PY_LIST && b->kind == PY_LIST)
		return concatenate(py, a, b);
	if (operation != '+' || a->kind != PY_TEXT || b->kind != PY_TEXT)
		return &py_unknown;
	la_strbuf_add(&out, a->text, a->length);
	la_strbuf_add(&out, b->text, b->length);
	value = py_text(py, la_strbuf_text(&out), out.length);
	la_strbuf_release(&out);
	return value;
}

static const struct py_value *read_product(struct py *py)
{
	const struct py_value *value = read_unary(py), *right;
	char operation;

	for (;;) {
		if (take(py, "*"))
			operation = '*';
		else if (take(py, "//"))
			operation = '/';
		else if (take(py, "%"))
			operation = '%';
		else if (take(py, "/") || take(py, "@"))
			operation = 0;
		else
			return value;
		right = read_unary(py);
		value = operation ? py_apply(py, operation, value, right) :
				    &py_unknown;
	}
}

static const struct py_value *read_sum(struct py *py)
{
	const struct py_value *value = read_product(py);

	for (;;) {
		if (take(py, "+"))
			value = py_apply(py, '+', value, read_product(py));
		else if (take(py, "-"))
			value = py_apply(py, '-', value, read_product(py));
		else
			return value;
	}
}

/* | & ^ << >>, whose precedence among each other seldom matters here */
static const struct py_value *read_bits(struct py *py)
{
	const struct py_value *value = read_sum(py);

	for (;;) {
		if (take(py, "|")) {
			value = py_apply(py, '|', value, read_sum(py));
		} else if (take(py, "&") || take(py, "^") || take(py, "<<") ||
			   take(py, ">>")) {
			(void)read_sum(py);
			value = &py_unknown;
		} else {
			return value;
		}
	}
}

/* name in os.environ, as far as it is known */
static const struct py_value *is_in(struct py *py, const struct py_value *key,
				    const struct py_value *in, bool inverse)
{
	const struct py_entry *entry;

	if (in->kind != PY_DICT || key->kind != PY_TEXT)
		return &py_unknown;
	entry = py_map_find(in->map, key->text, key->length);
	if (!entry && in->map->environment)
		return la_script_outer(py->script, key->text, key->length) ?
			       py_bool(py, !inverse) :
			       &py_unknown;
	return py_bool(py, (entry && entry->value) != inverse);
}

static const struct py_value *are_equal(struct py *py, const struct py_value *a,
					const struct py_value *b, bool inverse)
{
	if (a->kind == PY_TEXT && b->kind == PY_TEXT)
		return py_bool(py, !strcmp(a->text, b->text) != inverse);
	if (a->kind == PY_NOTHING && b->kind == PY_NOTHING)
		return py_bool(py, !inverse);
	return &py_unknown;
}

static const struct py_value *read_comparison(struct py *py)
{
	const struct py_value *value = read_bits(py), *right;
	bool inverse;

	for (;;) {
		if (is(py, "in") ||
		    (is(py, "not") &&
		     py_token_is(&py->source, py->source.at + 1, "in"))) {
			inverse = take(py, "not");
			take(py, "in");
			right = read_bits(py);
			value = is_in(py, value, right, inverse);
		} else if (is(py, "==") || is(py, "!=") || is(py, "is")) {
			inverse = is(py, "!=");
			py->source.at++;
			inverse = take(py, "not") || inverse;
			right = read_bits(py);
			value = are_equal(py, value, right, inverse);
		} else if (take(py, "<") || take(py, ">") || take(py, "<=") ||
			   take(py, ">=")) {
			(void)read_bits(py);
			value = &py_unknown;
		} else {
			return value;
		}
	}
}

int py_truth(const struct py_value *value)
{
	switch (value->kind) {
	case PY_BOOL:
	case PY_INT:
		return value->number != 0;
	case PY_NOTHING:
		return 0;
	case PY_TEXT:
	case PY_LIST:
		return value->length != 0;
	default:
		return -1;
	}
}

static const struct py_value *read_not(struct py *py)
{
	int is_true;

	if (!take(py, "not"))
		return read_comparison(py);
	if (py->depth > DEEP)
		return &py_unknown;
	py->depth++;
	is_true = py_truth(read_not(py));
	py->depth--;
	return is_true < 0 ? &py_unknown : py_bool(py, !is_true);
}

static const struct py_value *read_junction(struct py *py)
{
	const struct py_value *value = read_not(py), *right;
	int is_true;
	bool either;

	while (is(py, "and") || is(py, "or")) {
		either = is(py, "or");
		py->source.at++;
		is_true = py_truth(value);
		py->maybe++;
		right = read_not(py);
		py->maybe--;
		if (is_true < 0)
			value = &py_unknown;
		else if ((is_true == 1) != either)
			value = right;
	}
	return value;
}

static const struct py_value *unknown_but(struct py *py,
					  const struct py_value *value)
{
	struct py_value *hint;

	if (value->kind != PY_TEXT)
		return &py_unknown;
	hint = py_alloc(py, sizeof(*hint));
	if (!hint)
		return &py_unknown;
	*hint = *value;
	hint->kind = PY_UNKNOWN;
	return hint;
}

/* a if b else c, where a was read. */
static const struct py_value *read_conditional(struct py *py,
					       const struct py_value *value)
{
	const struct py_value *otherwise;
	int is_true = py_truth(read_junction(py));

	if (!take(py, "else"))
		return &py_unknown;
	otherwise = py_expression(py);
	if (is_true < 0)
		return unknown_but(py, value);
	return is_true ? value : otherwise;
}

static const struct py_value *read_expression(struct py *py)
{
	const struct py_value *value;
	const char *name;
	size_t length;

	if (take(py, "lambda")) {
		py_skip_to(&py->source, ", )");
		return &py_unknown;
	}
	if (take(py, "yield")) {
		take(py, "from");
		(void)py_expressions(py);
		return &py_unknown;
	}
	if (py_now(&py->source)->type == PY_NAME &&
	    py_token_is(&py->source, py->source.at + 1, ":=")) {
		name = now(py, &length);
		py->source.at += 2;
		value = py_expression(py);
		py_assign(py, name, length, value);
		return value;
	}
	value = read_junction(py);
	if (take(py, "if"))
		value = read_conditional(py, value);
	return value;
}

const struct py_value *py_expression(struct py *py)
{
	const struct py_value *value;

	if (py->depth > DEEP) {
		py_skip_to(&py->source, ", : )");
		return &py_unknown;
	}
	py->depth++;
	value = read_expression(py);
	py->depth--;
	return value;
}

const struct py_value *py_expressions(struct py *py)
{
	const struct py_value *value = py_expression(py);
	struct items items = { 0 };
	const struct py_token *token;

	if (!is(py, ","))
		return value;
	items_add(py, &items, value);
	while (take(py, ",") && !py->failed) {
		token = py_now(&py->source);
		if (token->type == PY_NEWLINE || token->type == PY_END ||
		    is(py, "=") || is(py, ";") || is(py, ")"))
			break;
		items_add(py, &items, py_expression(py));
	}
	value = py_list(py, items.value, items.count);
	free(items.value);
	return value;
}
