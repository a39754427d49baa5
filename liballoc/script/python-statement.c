// SPDX-License-Identifier: Apache-2.0
/* Statements of Python without a block: assignments, imports and the like. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "script/python-statement.h"
#include "util/util.h"

enum { TARGETS = 8, NAME_BYTES = 64 };

static bool take(struct py *py, const char *text)
{
	return py_take(&py->source, text);
}

static bool is(const struct py *py, const char *text)
{
	return py_is(&py->source, text);
}

static const char *text_of(const struct py *py, const struct py_token *token)
{
	return py->source.text + token->start;
}

void py_begin(struct py *py)
{
	size_t at = py->source.at;

	py->steps++;
	py->start = py_now(&py->source)->start;
	py_skip_to(&py->source, ";");
	py->end = py->source.at > at ? py->source.token[py->source.at - 1].end :
				       py->start;
	py->source.at = at;
}

void py_forget(struct py *py, size_t mark)
{
	size_t i;

	for (i = mark; i < py->touched_count; i++)
		if (py->touched[i]->value)
			py->touched[i]->value = &py_unknown;
	if (!py->maybe && !py->calls)
		py->touched_count = mark;
}

bool py_has_budget(struct py *py)
{
	return py->steps < 4 * py->source.count + 1000;
}

bool py_is_name_meant(const struct py *py, const char *name, size_t length)
{
	char upper[NAME_BYTES];
	size_t i;

	if (length >= sizeof(upper))
		return false;
	for (i = 0; i < length; i++)
		upper[i] = (char)toupper((unsigned char)name[i]);
	if (length > 2 && upper[length - 2] == 'I' && upper[length - 1] == 'G')
		length -= 2;
	return la_script_watches(py->script, upper, length, false);
}

/* NAME = value, where the environment was meant. */
static void see_name(struct py *py, const char *name, size_t length)
{
	char upper[NAME_BYTES];
	size_t i, at;

	if (!py_is_name_meant(py, name, length) || py->reads_name)
		return;
	for (i = 0; i < length; i++)
		upper[i] = (char)toupper((unsigned char)name[i]);
	if (!la_script_watches(py->script, upper, length, false))
		length -= 2;
	at = py_note(py, upper, length, NULL, LA_SCRIPT_LOST);
	la_script_say(py->script, py->part, at, LA_SCRIPT_PYTHON_VARIABLE,
		      py->start, py->end, NULL);
}

/* What is assigned to. */
struct target {
	size_t first, behind; /* tokens */
	const struct py_value *owner, *key; /* of a subscript, or NULL */
};

static void assign(struct py *py, const struct target *target,
		   const struct py_value *value)
{
	size_t at = py->source.at;

	if (target->owner) {
		py_subscript_set(py, target->owner, target->key, value);
		return;
	}
	py->source.at = target->first;
	py_assign_names(py, value);
	py->source.at = at;
}

void py_assign_names(struct py *py, const struct py_value *value)
{
	const struct py_token *token;
	const struct py_value *item;
	size_t i;

	while (take(py, "(") || take(py, "["))
		;
	for (i = 0; py_now(&py->source)->type == PY_NAME && !is(py, "in");
	     i++) {
		token = py_now(&py->source);
		py->source.at++;
		if (is(py, ".") || is(py, "[")) {
			py_skip_to(&py->source, ", =");
			take(py, ",");
			continue;
		}
		item = value;
		if (i || is(py, ","))
			item = value->kind == PY_LIST && i < value->length ?
				       value->item[i] :
				       &py_unknown;
		if (!is(py, ",") && !i)
			see_name(py, text_of(py, token),
				 token->end - token->start);
		py_assign(py, text_of(py, token), token->end - token->start,
			  item);
		if (!take(py, ","))
			break;
	}
}

static struct target read_target(struct py *py, const struct py_value **value)
{
	struct target target = { .first = py->source.at };

	*value = py_expressions(py);
	target.behind = py->source.at;
	if (py->target_end == py->source.at && py->target_owner) {
		target.owner = py->target_owner;
		target.key = py->target_key;
	}
	py->target_owner = NULL;
	return target;
}

static void say(struct py *py, size_t assignment, enum la_script_code code)
{
	la_script_say(py->script, py->part, assignment, code, py->start,
		      py->end, NULL);
}

/* Which slip it is that Python refuses. */
static enum la_script_code slip(const struct py *py, size_t first)
{
	static const char *const words[] = { "export", "set", "setenv", "$",
					     "!",      "%",   "setx" };
	const struct py_token *token = py_now(&py->source);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (py_token_is(&py->source, first, words[i]))
			return LA_SCRIPT_OTHER_LANGUAGE;
	if (token->type == PY_OTHER && (text_of(py, token)[0] & 0x80))
		return LA_SCRIPT_LOOKALIKE;
	return LA_SCRIPT_SYNTAX;
}

const char *py_find_watched(const struct py *py, const char *text,
			    const char *end, size_t *length)
{
	const char *start;

	while (text < end) {
		for (start = text;
		     text < end &&
		     (isalnum((unsigned char)*text) || *text == '_');
		     text++)
			;
		*length = text - start;
		if (la_script_watches(py->script, start, *length, false))
			return start;
		text += text == start;
	}
	return NULL;
}

/* The same in the statement. */
static const char *find_watched(const struct py *py, size_t *length)
{
	const char *text = py->part->text;

	return py_find_watched(py, text + py->start, text + py->end, length);
}

/* Python does not take this statement, hence none of the text. */
static void refuse(struct py *py, size_t first, size_t last)
{
	enum la_script_code code = slip(py, first);
	const char *name;
	size_t length;

	if (!py->refused)
		py->refused = la_script_line(py->script, py->part, py->start);
	if (py->last != last) {
		say(py, py->last, code);
		return;
	}
	name = find_watched(py, &length);
	if (name)
		last = py_note(py, name, length, NULL, LA_SCRIPT_LOST);
	say(py, name ? last : LA_SCRIPT_WHOLE, code);
}

/* a = b = value, a += value, a: type = value, or an expression alone. */
static bool run_assignment(struct py *py)
{
	struct target targets[TARGETS];
	const struct py_value *value;
	const struct py_token *token;
	size_t n = 0;
	char operation;

	for (;;) {
		targets[n] = read_target(py, &value);
		if (take(py, ":"))
			(void)py_expression(py);
		if (!is(py, "=") || n + 1 == TARGETS)
			break;
		take(py, "=");
		n++;
	}
	token = py_now(&py->source);
	if (n) {
		while (n--)
			assign(py, &targets[n], value);
		return true;
	}
	if (token->type != PY_OPERATOR || token->end - token->start < 2 ||
	    text_of(py, token)[token->end - token->start - 1] != '=')
		return false;
	operation = *text_of(py, token);
	py->source.at++;
	if (operation == '|' && value->kind == PY_DICT) {
		const struct py_value *with = py_expressions(py);

		if (with->kind == PY_DICT && value->map == py->os_environ)
			py_environ_update(py, with->map);
		else if (with->kind == PY_DICT)
			py_map_merge(py, value->map, with->map);
		return true;
	}
	if (operation == '/' && token->end - token->start == 2)
		operation = 0;
	assign(py, &targets[0],
	       py_apply(py, operation, value, py_expressions(py)));
	return true;
}

/* Bind what an import names; the name and the path of it. */
static void bind(struct py *py, const struct py_token *name, const char *path,
		 size_t length)
{
	const struct py_value *value = py_path(py, path, length);

	if (py_is_path(value, "os.environ"))
		value = py_dict(py, py->os_environ);
	py_assign(py, text_of(py, name), name->end - name->start, value);
}

/* a.b.c; false: none. */
static bool read_path(struct py *py, struct la_strbuf *path)
{
	const struct py_token *token = py_now(&py->source);

	while (take(py, ".") || take(py, "..."))
		;
	for (; token = py_now(&py->source), token->type == PY_NAME;) {
		la_strbuf_add(path, text_of(py, token),
			      token->end - token->start);
		py->source.at++;
		if (!take(py, "."))
			return true;
		la_strbuf_addstr(path, ".");
	}
	return false;
}

static void see_import(struct py *py, const char *path)
{
	static const char *const names[] = { "torch", "torchvision",
					     "torchaudio",
					     "pytorch_lightning" };
	size_t n = strcspn(path, "."), i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (n == strlen(names[i]) && !memcmp(path, names[i], n) &&
		    !py->maybe && !py->dead && !py->torch_line)
			py->torch_line = la_script_line(
				py->script, py->part, py->start);
}

static void run_import(struct py *py)
{
	struct la_strbuf path = { 0 };
	const struct py_token *first;
	bool more = true;

	while (more) {
		first = py_now(&py->source);
		more = read_path(py, &path);
		if (more)
			see_import(py, path.data);
		if (more && take(py, "as")) {
			bind(py, py_now(&py->source), path.data, path.length);
			py->source.at++;
		} else if (more) {
			bind(py, first, text_of(py, first),
			     first->end - first->start);
		}
		la_strbuf_release(&path);
		path = (struct la_strbuf){ 0 };
		more = more && take(py, ",");
	}
}

static void run_from(struct py *py)
{
	struct la_strbuf path = { 0 }, module = { 0 };
	const struct py_token *name;
	bool more = read_path(py, &module) && take(py, "import");

	if (more)
		see_import(py, module.data);
	if (more)
		take(py, "(");
	while (more && py_now(&py->source)->type == PY_NAME) {
		name = py_now(&py->source);
		la_strbuf_addf(&path, "%s.%.*s", module.data,
			       (int)(name->end - name->start),
			       text_of(py, name));
		py->source.at++;
		if (take(py, "as")) {
			name = py_now(&py->source);
			py->source.at++;
		}
		bind(py, name, la_strbuf_text(&path), path.length);
		la_strbuf_release(&path);
		path = (struct la_strbuf){ 0 };
		more = take(py, ",");
	}
	take(py, "*");
	take(py, ")");
	la_strbuf_release(&module);
}

static void run_del(struct py *py)
{
	do {
		(void)py_expression(py);
		if (py->target_end == py->source.at && py->target_owner)
			py_subscript_delete(py, py->target_owner,
					    py->target_key);
		py->target_owner = NULL;
	} while (take(py, ",") && !py->failed);
}

static void run_return(struct py *py)
{
	const struct py_token *token = py_now(&py->source);
	const struct py_value *value = &py_none;

	if (token->type != PY_NEWLINE && token->type != PY_END)
		value = py_expressions(py);
	py->returned = py->maybe || py->left ? &py_unknown : value;
	py->left = py->left || py->maybe;
	if (!py->maybe && !py->dead && py->calls)
		py->dead = py->returning = true;
}

static void run_raise(struct py *py)
{
	py_skip_to(&py->source, ";");
	if (!py->maybe)
		py->dead = true;
}

static void run_skipped(struct py *py)
{
	py_skip_to(&py->source, ";");
}

static void run_assert(struct py *py)
{
	(void)py_expressions(py);
}

static const struct {
	const char *word;
	void (*run)(struct py *py);
} simples[] = {
	{ "import", run_import },    { "from", run_from },
	{ "del", run_del },	     { "return", run_return },
	{ "raise", run_raise },	     { "global", run_skipped },
	{ "nonlocal", run_skipped }, { "assert", run_assert },
	{ "pass", run_skipped },     { "break", run_skipped },
	{ "continue", run_skipped },
};

/* Does what is left behind a statement show that it is none? */
static bool is_refused(const struct py *py, size_t first, bool strict)
{
	const struct py_token *token = py_now(&py->source);

	if (token->type == PY_NEWLINE || token->type == PY_END || is(py, ";"))
		return false;
	return strict || token->type != PY_OPERATOR ||
	       py_token_is(&py->source, first, "%");
}

static void run_statement(struct py *py)
{
	size_t first = py->source.at, last = py->last, i;
	bool strict = false;

	py_begin(py);
	if (py_now(&py->source)->type == PY_MAGIC) {
		py_magic(py);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(simples); i++)
		if (is(py, simples[i].word))
			break;
	if (i < ARRAY_SIZE(simples)) {
		py->source.at++;
		simples[i].run(py);
		strict = i < 2;
	} else {
		strict = run_assignment(py);
	}
	if (py_now(&py->source)->type == PY_MAGIC)
		py_magic(py);
	py_pending_note(py);
	if (py->source.open && py->source.at + 2 >= py->source.count &&
	    py->last == last && find_watched(py, &i)) {
		const char *name = find_watched(py, &i);

		say(py, py_note(py, name, i, NULL, LA_SCRIPT_UNKNOWN),
		    LA_SCRIPT_INCOMPLETE);
	} else if (!py->source.open && is_refused(py, first, strict)) {
		refuse(py, first, last);
	}
	py_skip_to(&py->source, ";");
}

void py_simple_line(struct py *py)
{
	const struct py_token *token;

	do {
		token = py_now(&py->source);
		if (token->type != PY_NEWLINE && token->type != PY_END)
			run_statement(py);
		if (!is(py, ";"))
			py_skip_to(&py->source, ";");
	} while (take(py, ";") && !py->failed);
	if (py_now(&py->source)->type == PY_OPERATOR)
		py->source.at++;
}

/* Nothing of a text runs that Python refuses. */
static void finish_refused(struct py *py)
{
	const struct la_script_assignment *found;
	size_t i, end = py_count(py);

	for (i = py->begin; i < end; i++) {
		found = la_script_peek(py->script, i);
		if (found->fate == LA_SCRIPT_LOST)
			continue;
		la_script_change(py->script, i, NULL, LA_SCRIPT_LOST);
		la_script_say(py->script, py->part, i, LA_SCRIPT_NOT_REACHED,
			      found->offset - py->part->offset,
			      found->offset - py->part->offset + found->length,
			      "Python refuses line %zu and runs no line of "
			      "the text",
			      py->refused);
	}
}

void py_finish(struct py *py)
{
	const struct la_script_assignment *found;
	const struct py_map *map;
	size_t i;

	for (i = 0; i < py->pending_noted; i++) {
		map = py->pending[i].map;
		found = la_script_peek(py->script, map->assignment);
		if (!map->used && found && found->fate != LA_SCRIPT_LOST)
			la_script_say(py->script, py->part, map->assignment,
				      LA_SCRIPT_ONE_PROGRAM,
				      found->offset - py->part->offset,
				      found->offset - py->part->offset +
					      found->length,
				      NULL);
	}
	if (py->refused && !py->source.open)
		finish_refused(py);
}
