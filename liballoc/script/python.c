// SPDX-License-Identifier: Apache-2.0
/*
 * Statements of Python, run as far as they can be known: la_script_read_python
 * runs the lines in order; what stands in branches may not run and is
 * forgotten behind them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/python-statement.h"
#include "util/array.h"
#include "util/error.h"

enum { BLOCKS = 100, UNROLLED = 16, CALLS = 8 };

static bool take(struct py *py, const char *text)
{
	return py_take(&py->source, text);
}

static bool is(const struct py *py, const char *text)
{
	return py_is(&py->source, text);
}

static bool at_line_end(const struct py *py)
{
	const struct py_token *token = py_now(&py->source);

	return token->type == PY_NEWLINE || token->type == PY_END;
}

static void run_lines(struct py *py, uint32_t indent);

/* Past the lines that are indented more. */
static void skip_block(struct py *py, uint32_t indent)
{
	if (take(py, ":") && !at_line_end(py))
		py_skip_to(&py->source, "");
	if (py_now(&py->source)->type == PY_NEWLINE)
		py->source.at++;
	while (py_now(&py->source)->type != PY_END &&
	       py_now(&py->source)->indent > indent)
		py->source.at++;
}

/* What stands behind a colon: a line or a block. */
static void run_block(struct py *py, uint32_t indent)
{
	py_skip_to(&py->source, ":");
	take(py, ":");
	if (!at_line_end(py)) {
		py_simple_line(py);
		return;
	}
	if (py_now(&py->source)->type == PY_NEWLINE)
		py->source.at++;
	run_lines(py, indent + 1);
}

/* A block that may not run: what it assigns is not known behind it. */
static void run_branch(struct py *py, uint32_t indent)
{
	size_t mark = py->touched_count;

	py->maybe++;
	run_block(py, indent);
	py->maybe--;
	py_forget(py, mark);
}

static void run_if(struct py *py, uint32_t indent)
{
	bool done = false;
	int is_true;

	for (;;) {
		if (take(py, "else")) {
			is_true = 1;
		} else {
			py->source.at++;
			is_true = py_truth(py_expression(py));
		}
		if (done || !is_true)
			py_skip_to(&py->source, ":");
		if (done || !is_true)
			skip_block(py, indent);
		else if (is_true > 0 && !py->unsure)
			run_block(py, indent);
		else
			run_branch(py, indent);
		py->unsure = !done && (py->unsure || is_true < 0);
		done = done || (is_true > 0);
		if (py_now(&py->source)->indent != indent ||
		    (!is(py, "elif") && !is(py, "else")))
			break;
	}
	py->unsure = false;
}

/* Names that a loop assigns have no known value within it. */
static void forget_assigned(struct py *py, size_t from, size_t to)
{
	const struct py_token *token;
	struct py_entry *entry;

	for (; from + 1 < to; from++) {
		token = &py->source.token[from];
		if (token->type != PY_NAME || token[1].type != PY_OPERATOR ||
		    py->source.text[token[1].end - 1] != '=')
			continue;
		entry = py_map_find(py->variable,
				    py->source.text + token->start,
				    token->end - token->start);
		if (entry)
			entry->value = &py_unknown;
	}
}

static bool jumps(const struct py *py, size_t from, size_t to)
{
	for (; from < to; from++)
		if (py_token_is(&py->source, from, "break") ||
		    py_token_is(&py->source, from, "continue") ||
		    py_token_is(&py->source, from, "return"))
			return true;
	return false;
}

/* for targets in items: the body once for each of them. */
static void unroll(struct py *py, uint32_t indent, size_t targets,
		   const struct py_value *items, size_t body, size_t behind)
{
	size_t i;

	for (i = 0; i < items->length && !py->failed; i++) {
		py->source.at = targets;
		py_assign_names(py, items->item[i]);
		py->source.at = body;
		run_block(py, indent);
	}
	py->source.at = behind;
}

static void run_for(struct py *py, uint32_t indent)
{
	size_t targets = py->source.at + 1, body, behind;
	const struct py_value *items;

	py_skip_to(&py->source, "in :");
	take(py, "in");
	items = py_expressions(py);
	py_skip_to(&py->source, ":");
	body = py->source.at;
	skip_block(py, indent);
	behind = py->source.at;
	if (items->kind == PY_LIST && items->length <= UNROLLED &&
	    !jumps(py, body, behind) && py_has_budget(py)) {
		unroll(py, indent, targets, items, body, behind);
		return;
	}
	py->source.at = targets;
	py_assign_names(py, &py_unknown);
	forget_assigned(py, body, behind);
	py->source.at = body;
	run_branch(py, indent);
}

static void run_while(struct py *py, uint32_t indent)
{
	size_t body;

	py_skip_to(&py->source, ":");
	body = py->source.at;
	skip_block(py, indent);
	forget_assigned(py, body, py->source.at);
	py->source.at = body;
	run_branch(py, indent);
}

static void run_try(struct py *py, uint32_t indent)
{
	bool dead = py->dead, raised;

	run_block(py, indent);
	raised = py->dead && !dead && !py->returning;
	if (raised)
		py->dead = dead;
	while (py_now(&py->source)->indent == indent && is(py, "except")) {
		if (raised)
			run_block(py, indent);
		else
			run_branch(py, indent);
		raised = false;
	}
}

static void run_with(struct py *py, uint32_t indent)
{
	py->source.at++;
	(void)py_expressions(py);
	py_pending_note(py);
	run_block(py, indent);
}

/* The names between def NAME( and ): unknown, or what a call gives. */
static void bind_parameters(struct py *py, size_t parameters,
			    const struct py_arguments *arguments)
{
	const struct py_value *value, *given;
	const struct py_token *token;
	char name[64];
	size_t n, i;

	py->source.at = parameters;
	for (i = 0; !is(py, ")") && !at_line_end(py); i++) {
		while (take(py, "*") || take(py, "**"))
			arguments = NULL;
		token = py_now(&py->source);
		n = token->end - token->start;
		n = n < sizeof(name) ? n : sizeof(name) - 1;
		memcpy(name, py->source.text + token->start, n);
		name[n] = '\0';
		py_skip_to(&py->source, "= ,");
		value = take(py, "=") ? py_expression(py) : &py_unknown;
		given = arguments ? py_argument(arguments, i, name) : NULL;
		if (!arguments || arguments->more)
			value = &py_unknown;
		py_assign(py, py->source.text + token->start,
			  token->end - token->start, given ? given : value);
		py_skip_to(&py->source, ",");
		if (!take(py, ","))
			break;
	}
}

/* A function that nothing calls here: if something does, it does this. */
static void run_uncalled(struct py *py, size_t parameters, size_t body,
			 uint32_t indent)
{
	size_t mark = py->touched_count;
	bool dead = py->dead;

	py->maybe++;
	py->calls++;
	bind_parameters(py, parameters, NULL);
	py->source.at = body;
	run_block(py, indent);
	py->calls--;
	py->maybe--;
	py->dead = dead;
	py->returning = false;
	py_forget(py, mark);
}

static void run_def(struct py *py, uint32_t indent)
{
	struct py_function function = { .indent = indent };
	const struct py_token *name;
	struct py_value *value;

	take(py, "async");
	take(py, "def");
	name = py_now(&py->source);
	function.name = py->source.text + name->start;
	function.length = name->end - name->start;
	py->source.at++;
	take(py, "(");
	function.parameters = py->source.at;
	py_skip_to(&py->source, ")");
	py_skip_to(&py->source, ":");
	take(py, ")");
	py_skip_to(&py->source, ":");
	function.body = py->source.at;
	if (py->in_class || py->calls ||
	    !py_map_find(py->called, function.name, function.length)) {
		run_uncalled(py, function.parameters, function.body, indent);
		return;
	}
	skip_block(py, indent);
	value = py_alloc(py, sizeof(*value));
	if (!value || grow_array(&py->function, &py->function_room,
				 py->function_count, sizeof(*py->function))) {
		py->failed = -ENOMEM;
		return;
	}
	*value = (struct py_value){ .kind = PY_FUNCTION,
				    .number = (int64_t)py->function_count };
	py->function[py->function_count++] = function;
	py_assign(py, function.name, function.length, value);
}

const struct py_value *py_run(struct py *py, size_t index,
			      const struct py_arguments *arguments)
{
	struct py_function *function = &py->function[index];
	size_t at = py->source.at, mark = py->touched_count;
	size_t start = py->start, end = py->end;
	bool dead = py->dead, left = py->left;

	if (function->running || py->calls > CALLS || !py_has_budget(py) ||
	    py->source.text != py->part->text)
		return &py_unknown;
	function->running = function->called = true;
	py->calls++;
	py->returned = &py_none;
	py->left = false;
	bind_parameters(py, function->parameters, arguments);
	py->source.at = function->body;
	run_block(py, function->indent);
	py->calls--;
	py->function[index].running = false;
	if (py->left)
		py->returned = &py_unknown;
	py->left = left;
	if (py->returning)
		py->dead = dead;
	py->returning = false;
	py_forget(py, mark);
	py->source.at = at;
	py->start = start;
	py->end = end;
	return py->returned;
}

static void run_class(struct py *py, uint32_t indent)
{
	bool outer = py->in_class;

	py->in_class = true;
	run_block(py, indent);
	py->in_class = outer;
}

static void run_async(struct py *py, uint32_t indent);

static const struct {
	const char *word;
	void (*run)(struct py *py, uint32_t indent);
} compounds[] = {
	{ "if", run_if },	{ "for", run_for },
	{ "while", run_while }, { "try", run_try },
	{ "with", run_with },	{ "def", run_def },
	{ "class", run_class }, { "async", run_async },
	{ "else", run_block },	{ "finally", run_block },
	{ "elif", run_branch }, { "except", run_branch },
};

/* The statement with a block that begins here; false: none. */
static bool run_compound(struct py *py)
{
	uint32_t indent = py_now(&py->source)->indent;
	size_t i;

	for (i = 0; i < sizeof(compounds) / sizeof(*compounds); i++) {
		if (!is(py, compounds[i].word))
			continue;
		py_begin(py);
		compounds[i].run(py, indent);
		return true;
	}
	return false;
}

static void run_async(struct py *py, uint32_t indent)
{
	py->source.at++;
	if (!run_compound(py))
		run_block(py, indent);
}

/* match x: and case y: are words of their own elsewhere. */
static bool run_match(struct py *py)
{
	uint32_t indent = py_now(&py->source)->indent;
	size_t at = py->source.at;
	bool has;

	if (!is(py, "match") && !is(py, "case"))
		return false;
	py_skip_to(&py->source, ":");
	has = is(py, ":") &&
	      py->source.token[py->source.at + 1].type == PY_NEWLINE;
	py->source.at = at;
	if (has)
		run_branch(py, indent);
	return has;
}

static void run_line(struct py *py)
{
	if (is(py, "@")) {
		py_skip_to(&py->source, "");
		return;
	}
	if (!run_compound(py) && !run_match(py))
		py_simple_line(py);
}

static void run_lines(struct py *py, uint32_t indent)
{
	size_t before;

	if (py->blocks == BLOCKS) {
		py->failed = la_error_set(py->err, -EFBIG, py->part->offset,
					  "nested too deep");
		return;
	}
	py->blocks++;
	while (py_now(&py->source)->type != PY_END && !py->failed) {
		before = py->source.at;
		if (py_now(&py->source)->type == PY_NEWLINE) {
			py->source.at++;
			continue;
		}
		if (py_now(&py->source)->indent < indent)
			break;
		run_line(py);
		py->source.at += py->source.at == before;
	}
	py->blocks--;
}

/* Names that are called, and what the text has at all. */
static void look_ahead(struct py *py)
{
	const struct py_source *source = &py->source;
	const struct py_token *token;
	size_t i;

	for (i = 0; i + 1 < source->count && !py->failed; i++) {
		token = &source->token[i];
		if (token->type != PY_NAME)
			continue;
		if (py_token_is(source, i, "torch") && i &&
		    (py_token_is(source, i - 1, "import") ||
		     py_token_is(source, i - 1, "from")))
			py->imports_torch = true;
		if (py_is_name_meant(py, source->text + token->start,
				     token->end - token->start) &&
		    !py_token_is(source, i + 1, "=") &&
		    !py_token_is(source, i + 1, ":"))
			py->reads_name = true;
		if (py_token_is(source, i + 1, "(") &&
		    !(i && (py_token_is(source, i - 1, "def") ||
			    py_token_is(source, i - 1, "."))))
			py_map_set(py, py->called, source->text + token->start,
				   token->end - token->start, &py_none);
	}
}

/* Functions that something calls which was not understood. */
static void run_left(struct py *py)
{
	size_t i;

	py->maybe++;
	for (i = 0; i < py->function_count && !py->failed; i++)
		if (!py->function[i].called)
			py_run(py, i, &(struct py_arguments){ .more = true });
	py->maybe--;
}

static int run_all(struct py *py)
{
	py->variable = py_map_new(py);
	py->os_environ = py_map_new(py);
	py->c_environ = py_map_new(py);
	py->called = py_map_new(py);
	if (py->failed)
		return py->failed;
	py->os_environ->environment = py->c_environ->environment = true;
	py->last = LA_SCRIPT_WHOLE;
	py->begin = py_count(py);
	look_ahead(py);
	py_map_set(py, py->variable, "__name__", 8, py_text(py, "__main__", 8));
	run_lines(py, 0);
	run_left(py);
	py_finish(py);
	return py->failed;
}

int la_script_read_python(struct la_script *script,
			  const struct la_script_part *part,
			  struct la_error *err)
{
	struct py py = {
		.script = script, .part = part, .err = err, .returned = &py_none
	};
	int ret;

	ret = py_source_init(&py.source, part->text, part->length,
			     la_script_kind_now(script) == LA_SCRIPT_CELL);
	if (ret)
		return la_error_set(err, ret, LA_NO_OFFSET, "out of memory");
	ret = run_all(&py);
	py_release(&py);
	return ret;
}
