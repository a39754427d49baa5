// SPDX-License-Identifier: Apache-2.0
/* Statements, as the engine would run them. */
#include <string.h>

#include "script/powershell.h"

static void run(struct ps *ps, struct ps_node *node, struct ps_list *out);

void ps_fail(struct ps *ps)
{
	if (ps->flow == PS_ON)
		ps->flow = ps->stop ? PS_THROWN : PS_FAILED;
}

/* An error ends its statement, and no more, unless a try is around. */
static void recover(struct ps *ps)
{
	if (ps->flow == PS_FAILED && !ps->trying)
		ps->flow = PS_ON;
}

/* A process block, or a filter: once for each item that comes in. */
void ps_run_each(struct ps *ps, struct ps_node *node,
		 const struct ps_list *input, struct ps_list *out)
{
	bool unknown;
	size_t i;

	if (!input)
		ps_run_block(ps, node, out);
	for (i = 0; input && i < input->count && ps->flow == PS_ON; i++) {
		if (ps->steps)
			ps->steps--;
		else
			ps->spent = true;
		unknown = input->item[i].type == PS_UNKNOWN;
		ps_write(ps, "_", input->item[i]);
		ps->unsure += unknown;
		ps_run_block(ps, node, out);
		ps->unsure -= unknown;
	}
}

void ps_run_block(struct ps *ps, struct ps_node *node, struct ps_list *out)
{
	struct ps_node *one = node->first;

	for (; one && ps->flow == PS_ON; one = one->next) {
		if (one->kind == PS_N_PARAMETERS)
			continue;
		if (one->kind == PS_N_BLOCK && one->op == 'p')
			ps_run_each(ps, one, ps->scope->input, out);
		else if (one->kind == PS_N_BLOCK)
			ps_run_block(ps, one, out);
		else
			run(ps, one, out);
		recover(ps);
	}
}

/* Run it, though it may not be run. */
static void run_perhaps(struct ps *ps, struct ps_node *node,
			struct ps_list *out)
{
	struct ps_list ignored = { 0 };
	size_t before = out->count;

	ps->unsure++;
	ps_run_block(ps, node, &ignored);
	if (ps->flow == PS_ON)
		ps->unsure--;
	/* Else what follows is not known to be run: unsure stays. */
	ps->flow = PS_ON;
	if (ignored.count) {
		out->count = before;
		ps_push(ps, out, ps_unknown());
	}
}

struct ps_value ps_run_value(struct ps *ps, struct ps_node *node)
{
	struct ps_list *out = ps_take(ps, sizeof(*out));
	struct ps_value value;
	struct ps_node *target;
	size_t i;

	if (!out)
		return ps_unknown();
	if (node->kind == PS_N_PIPELINE && !node->first->next &&
	    node->first->kind == PS_N_EXPRESSION && !node->first->silent)
		return ps_eval(ps, node->first->first);
	run(ps, node, out);
	if (node->kind == PS_N_ASSIGN) {
		target = node->first;
		return target->kind == PS_N_ARRAY ? ps_unknown() :
						    ps_eval(ps, target);
	}
	for (i = 0; out->count > 1 && i < out->count; i++)
		if (out->item[i].type == PS_UNKNOWN)
			return ps_unknown();
	value = ps_collected(out);
	return value;
}

/* A bare word behind = that can be no command. */
static void warn_bareword(struct ps *ps, struct ps_node *node)
{
	struct ps_node *target = node->first, *value = node->last;

	if (target->kind != PS_N_VARIABLE || value->kind != PS_N_PIPELINE ||
	    value->first->kind != PS_N_COMMAND ||
	    strncmp(target->text, "env:", 4) != 0)
		return;
	if (value->first->first->kind == PS_N_WORD)
		ps_lose(ps, target->text + 4, LA_SCRIPT_BAREWORD,
			"%s is run as a command, which fails; quote the value",
			value->first->first->value.text);
}

static int operator_of(int sign)
{
	return sign == '+' ? PS_ADD :
	       sign == '-' ? PS_SUB :
	       sign == '*' ? PS_MUL :
	       sign == '/' ? PS_DIV :
			     PS_REM;
}

static void assign(struct ps *ps, struct ps_node *node)
{
	struct ps_node *target = node->first, *outer = ps->now;
	struct ps_value value, old;

	ps->now = ps->pin ? ps->pin : node;
	node->ran = true;
	if (node->op == '?') {
		old = ps_eval(ps, target);
		if (old.type != PS_NULL && old.type != PS_UNKNOWN)
			goto out;
		value = ps_run_value(ps, target->next);
		value.doubt |= old.doubt;
		if (old.type == PS_UNKNOWN)
			value = old;
	} else if (node->op != '=') {
		old = ps_eval(ps, target);
		value = ps_binary(ps, operator_of(node->op), old,
				  ps_run_value(ps, target->next));
	} else {
		value = ps_run_value(ps, target->next);
	}
	if (ps->flow == PS_ON) {
		if (target->next->kind == PS_N_CHAIN ||
		    (target->next->kind == PS_N_PIPELINE &&
		     (target->next->first->next ||
		      target->next->first->silent)))
			value.doubt |= PS_PIPED;
		ps_assign(ps, target, value);
	} else if (ps->flow == PS_FAILED || ps->flow == PS_THROWN) {
		warn_bareword(ps, node);
	}
out:
	ps->now = outer;
}

static void run_if(struct ps *ps, struct ps_node *node, struct ps_list *out)
{
	struct ps_node *part = node->first;
	struct ps_value value;
	unsigned int doubt = ps->doubt, unsure = 0;
	int truth;

	for (; part && part->next && ps->flow == PS_ON;
	     part = part->next->next) {
		value = ps_run_value(ps, part);
		truth = ps_truth(value);
		ps->doubt |= value.doubt;
		if (ps->flow != PS_ON || !truth)
			continue;
		if (truth > 0 && !unsure) {
			ps_run_block(ps, part->next, out);
			goto done;
		}
		run_perhaps(ps, part->next, out);
		unsure++;
	}
	if (part && !part->next && ps->flow == PS_ON) {
		if (unsure)
			run_perhaps(ps, part, out);
		else
			ps_run_block(ps, part, out);
	}
done:
	ps->doubt = doubt;
}

/* What break and continue left; false: the loop ends. */
static bool loop_on(struct ps *ps)
{
	if (ps->flow == PS_CONTINUED) {
		ps->flow = PS_ON;
	} else if (ps->flow == PS_BROKEN) {
		ps->flow = PS_ON;
		return false;
	}
	return ps->flow == PS_ON && !ps->spent;
}

static void run_loop(struct ps *ps, struct ps_node *node, struct ps_list *out)
{
	bool first = node->kind == PS_N_DO, until = node->op;
	struct ps_node *test = node->first, *step = NULL;
	struct ps_node *block = node->last;
	int truth;

	if (node->kind == PS_N_FOR) {
		if (node->first->kind != PS_N_NONE)
			ps_run_value(ps, node->first);
		test = node->first->next;
		step = test->next;
		until = false;
	}
	for (;; first = false) {
		if (ps->steps)
			ps->steps--;
		else
			ps->spent = true;
		truth = first || test->kind == PS_N_NONE ?
				1 ^ (first && until) :
				ps_truth(ps_run_value(ps, test));
		if (truth < 0 || ps->spent || ps->unsure) {
			run_perhaps(ps, block, out);
			return;
		}
		if (ps->flow != PS_ON || truth == until)
			return;
		ps_run_block(ps, block, out);
		if (!loop_on(ps))
			return;
		if (step && step->kind != PS_N_NONE)
			ps_run_value(ps, step);
	}
}

static void run_foreach(struct ps *ps, struct ps_node *node,
			struct ps_list *out)
{
	struct ps_node *name = node->first, *block = node->last;
	struct ps_value list = ps_run_value(ps, name->next);
	struct ps_list items = { 0 };
	size_t i;

	if (ps->flow != PS_ON)
		return;
	if (list.type == PS_UNKNOWN) {
		ps_write(ps, name->text, list);
		run_perhaps(ps, block, out);
		return;
	}
	if (list.type != PS_NULL)
		ps_spread(ps, &items, list);
	for (i = 0; i < items.count; i++) {
		if (ps->steps)
			ps->steps--;
		else
			ps->spent = true;
		ps_write(ps, name->text, items.item[i]);
		ps_run_block(ps, block, out);
		if (!loop_on(ps))
			return;
	}
}

/* Does a case hold?  1, 0 or -1. */
static int case_holds(struct ps *ps, struct ps_node *test, int flags,
		      struct ps_value value)
{
	int cased = flags & 4 ? PS_CASED : 0;
	struct ps_value wanted;

	if (test->kind == PS_N_BLOCKVALUE) {
		struct ps_arguments none = { 0 };
		struct ps_list out = { 0 };

		ps_write(ps, "_", value);
		ps_call(ps, test->first, &none, true, &out);
		return ps_truth(ps_collected(&out));
	}
	wanted = ps_eval(ps, test);
	if (flags & 8)
		return -1;
	if (flags & 1)
		return ps_truth(ps_binary(ps, PS_MATCH | cased, value, wanted));
	if (flags & 2)
		return ps_truth(ps_binary(ps, PS_LIKE | cased, value, wanted));
	return ps_equal(ps, wanted, value, cased);
}

static bool is_default(const struct ps_node *test)
{
	return test->kind == PS_N_WORD && test->value.type == PS_TEXT &&
	       ps_same_word(test->value.text, "default");
}

static void switch_one(struct ps *ps, struct ps_node *node,
		       struct ps_value value, struct ps_list *out)
{
	struct ps_node *test, *otherwise = NULL;
	bool found = false;
	int holds;

	for (test = node->first->next; test && ps->flow == PS_ON;
	     test = test->next->next) {
		if (is_default(test)) {
			otherwise = test->next;
			continue;
		}
		holds = case_holds(ps, test, node->op, value);
		if (!holds)
			continue;
		ps_write(ps, "_", value);
		found = found || holds > 0;
		if (holds > 0)
			ps_run_block(ps, test->next, out);
		else
			run_perhaps(ps, test->next, out);
		if (holds < 0 && otherwise)
			run_perhaps(ps, otherwise, out);
	}
	if (!found && otherwise && ps->flow == PS_ON)
		ps_run_block(ps, otherwise, out);
}

static void run_switch(struct ps *ps, struct ps_node *node, struct ps_list *out)
{
	struct ps_value value = ps_run_value(ps, node->first);
	struct ps_node *test;
	struct ps_list items = { 0 };
	size_t i;

	if (value.type == PS_UNKNOWN) {
		for (test = node->first->next; test; test = test->next->next)
			run_perhaps(ps, test->next, out);
		return;
	}
	ps_spread(ps, &items, value);
	for (i = 0; i < items.count; i++) {
		switch_one(ps, node, items.item[i], out);
		if (!loop_on(ps))
			return;
	}
}

static void run_try(struct ps *ps, struct ps_node *node, struct ps_list *out)
{
	struct ps_node *part = node->first->next, *handler = NULL;
	struct ps_node *finally = NULL;
	enum ps_flow flow;
	size_t handlers = 0;
	bool risky;

	for (; part; part = part->next) {
		if (part->op == 'f')
			finally = part;
		else if (!handlers++)
			handler = part;
	}
	ps->trying++;
	risky = ps->risky;
	ps->risky = false;
	ps_run_block(ps, node->first, out);
	ps->trying--;
	for (part = node->first->next; part && ps->flow == PS_ON && ps->risky;
	     part = part->next)
		if (part->op != 'f')
			run_perhaps(ps, part, out);
	ps->risky = risky;
	if (handler && (ps->flow == PS_FAILED || ps->flow == PS_THROWN)) {
		ps->flow = PS_ON;
		ps_write(ps, "_", ps_unknown());
		if (handlers > 1)
			run_perhaps(ps, handler, out);
		else
			ps_run_block(ps, handler, out);
	}
	if (finally) {
		flow = ps->flow;
		ps->flow = PS_ON;
		ps_run_block(ps, finally, out);
		if (ps->flow == PS_ON)
			ps->flow = flow;
	}
}

static void run_pipeline(struct ps *ps, struct ps_node *node,
			 struct ps_list *out)
{
	struct ps_node *one = node->first;
	struct ps_list *now = NULL, *next;
	struct ps_value value;

	if (node->op == '&')
		return; /* a job, which keeps what it sets */
	for (; one && ps->flow == PS_ON; one = one->next, now = next) {
		next = one->next || one->silent ? ps_take(ps, sizeof(*next)) :
						  out;
		if (!next)
			return;
		if (one->kind == PS_N_EXPRESSION) {
			value = ps_eval(ps, one->first);
			if (ps->flow == PS_ON)
				ps_spread(ps, next, value);
		} else {
			ps_command(ps, one, now, next);
		}
		if (one->silent)
			next->count = 0;
	}
}

/* A command behind && runs if the one before it has not failed. */
static void run_chain(struct ps *ps, struct ps_node *node, struct ps_list *out)
{
	bool failed;

	ps->trying++;
	run(ps, node->first, out);
	ps->trying--;
	failed = ps->flow == PS_FAILED;
	if (failed && !ps->trying)
		ps->flow = PS_ON;
	if (ps->flow != PS_ON)
		return;
	if (failed != node->op)
		return;
	run(ps, node->first->next, out);
}

static void define(struct ps *ps, struct ps_node *node)
{
	struct ps_function *function = ps_function(ps);
	const char *colon = strchr(node->text, ':');

	if (!function)
		return;
	function->name = colon ? colon + 1 : node->text;
	function->script = node->first;
	node->first->op = node->op;
}

static void leave(struct ps *ps, struct ps_node *node, struct ps_list *out)
{
	if (node->first)
		run(ps, node->first, out);
	if (ps->flow != PS_ON)
		return;
	ps->flow = node->kind == PS_N_RETURN   ? PS_RETURNED :
		   node->kind == PS_N_THROW    ? PS_THROWN :
		   node->kind == PS_N_EXIT     ? PS_EXITED :
		   node->kind == PS_N_CONTINUE ? PS_CONTINUED :
						 PS_BROKEN;
}

static void run(struct ps *ps, struct ps_node *node, struct ps_list *out)
{
	if (!ps->steps || ps->failed)
		ps->spent = true;
	else
		ps->steps--;
	if (ps->failed)
		return;
	switch (node->kind) {
	case PS_N_PIPELINE:
		run_pipeline(ps, node, out);
		break;
	case PS_N_CHAIN:
		run_chain(ps, node, out);
		break;
	case PS_N_ASSIGN:
		assign(ps, node);
		break;
	case PS_N_IF:
		run_if(ps, node, out);
		break;
	case PS_N_WHILE:
	case PS_N_DO:
	case PS_N_FOR:
		run_loop(ps, node, out);
		break;
	case PS_N_FOREACH:
		run_foreach(ps, node, out);
		break;
	case PS_N_SWITCH:
		run_switch(ps, node, out);
		break;
	case PS_N_TRY:
		run_try(ps, node, out);
		break;
	case PS_N_FUNCTION:
		define(ps, node);
		break;
	case PS_N_OPAQUE:
		/* What is behind it may not be run as it stands. */
		ps_env_doubt(ps, node->start, node->end);
		ps->unsure += node->op != 'c';
		break;
	case PS_N_NONE:
		break;
	default:
		leave(ps, node,
		      node->kind == PS_N_RETURN ? out : &(struct ps_list){ 0 });
	}
}
