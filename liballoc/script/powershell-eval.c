// SPDX-License-Identifier: Apache-2.0
/* Values of expressions, variables, and assignments to them. */
#include <string.h>
#include <strings.h>

#include "script/powershell.h"
#include "util/strbuf.h"
#include "util/util.h"

/* The name behind global: and the like, which are one scope here. */
static const char *unscoped(const char *name)
{
	static const char *const scopes[] = {
		"global:",  "script:",	 "local:",
		"private:", "variable:", "using:"
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(scopes); i++)
		if (!strncasecmp(name, scopes[i], strlen(scopes[i])))
			return name + strlen(scopes[i]);
	return name;
}

static struct ps_variable *find(struct ps *ps, const char *name, bool here)
{
	struct ps_scope *scope = ps->scope;
	struct ps_variable *v;

	for (; scope; scope = scope->outer) {
		for (v = scope->variable; v; v = v->next)
			if (ps_same_word(v->name, name))
				return v;
		if (here && scope->function)
			break;
	}
	return NULL;
}

/* Variables that the engine itself sets. */
static bool automatic(const struct ps *ps, const char *name,
		      struct ps_value *value)
{
	static const char *const unknown[] = { "PSVersionTable",
					       "PID",
					       "HOME",
					       "PWD",
					       "Host",
					       "PROFILE",
					       "MyInvocation",
					       "PSScriptRoot",
					       "PSCommandPath",
					       "PSHOME",
					       "ShellId",
					       "LASTEXITCODE",
					       "Error",
					       "input",
					       "?",
					       "PSItem",
					       "PSCulture",
					       "PSUICulture",
					       "EnabledExperimentalFeatures",
					       "ExecutionContext",
					       "StackTrace",
					       "PSBoundParameters",
					       "args",
					       "this",
					       "sender",
					       "event",
					       "foreach",
					       "switch",
					       "^" };
	size_t i;

	*value = ps_unknown();
	if (ps_same_word(name, "true") || ps_same_word(name, "false"))
		*value = ps_bool((name[0] | 0x20) == 't');
	else if (ps_same_word(name, "null"))
		*value = ps_null();
	else if (ps_same_word(name, "IsWindows"))
		*value = ps_bool(ps->windows);
	else if (ps_same_word(name, "IsLinux"))
		*value = ps_bool(!ps->windows);
	else if (ps_same_word(name, "IsMacOS"))
		*value = ps_bool(false);
	else if (ps_same_word(name, "IsCoreCLR"))
		*value = ps_bool(true);
	else
		for (i = 0; i < ARRAY_SIZE(unknown); i++)
			if (ps_same_word(name, unknown[i]))
				return true;
	return value->type != PS_UNKNOWN;
}

struct ps_value ps_read(struct ps *ps, const char *name, bool in_text)
{
	struct ps_value value;
	struct ps_variable *v;

	if (!strncasecmp(name, "env:", 4)) {
		value = ps_env_get(ps, name + 4);
		if (strchr(name + 4, ':')) {
			value = ps_null();
			value.doubt = PS_COLON;
		}
		return value;
	}
	name = unscoped(name);
	v = ps_same_word(name, "args") ? find(ps, name, true) : NULL;
	if (v)
		return v->value;
	if (automatic(ps, name, &value))
		return value;
	v = find(ps, name, false);
	if (v)
		return v->value;
	if (ps_same_word(name, "OFS") || ps_same_word(name, "_"))
		return ps_null();
	value = ps->spent || ps->strict ? ps_unknown() : ps_null();
	value.doubt = strchr(name, ':') && in_text ? PS_COLON : PS_NO_VARIABLE;
	return value;
}

void ps_write(struct ps *ps, const char *name, struct ps_value value)
{
	struct ps_variable *v;
	struct ps_scope *scope = ps->scope;
	bool global = !strncasecmp(name, "global:", 7) ||
		      !strncasecmp(name, "script:", 7);

	name = unscoped(name);
	if (ps->unsure || ps->spent)
		value = ps_unknown();
	if (ps_same_word(name, "ErrorActionPreference"))
		ps->stop = value.type == PS_TEXT &&
			   ps_same_word(value.text, "Stop");
	ps->preset |= ps_same_word(name, "PSDefaultParameterValues") ||
		      ps_same_word(name, "WhatIfPreference") ||
		      ps_same_word(name, "ConfirmPreference");
	v = find(ps, name, !global);
	if (!v) {
		while (scope->outer && (global || !scope->function))
			scope = scope->outer;
		v = ps_take(ps, sizeof(*v));
		if (!v)
			return;
		v->name = ps_copy(ps, name, strlen(name));
		v->next = scope->variable;
		scope->variable = v;
	}
	v->value = value;
}

/* One member or element of a hashtable or list. */
static void assign_part(struct ps *ps, struct ps_node *target,
			struct ps_value value)
{
	struct ps_value object = ps_eval(ps, target->first);
	struct ps_value key = ps_eval(ps, target->first->next);

	if (ps->unsure)
		value = ps_unknown();
	if (object.type == PS_HASH && key.type == PS_TEXT)
		ps_put(ps, object.hash, key, value);
	else if (object.type == PS_ARRAY && key.type == PS_INT &&
		 key.number >= 0 && (size_t)key.number < object.list->count)
		object.list->item[key.number] = value;
	else if (target->first->kind == PS_N_VARIABLE)
		ps_write(ps, target->first->text, ps_unknown());
}

/* $a, $b = list: the last takes the rest. */
static void assign_each(struct ps *ps, struct ps_node *target,
			struct ps_value value)
{
	struct ps_list *items = ps_take(ps, sizeof(*items)), *rest;
	struct ps_node *one;
	size_t i = 0;

	if (!items)
		return;
	if (value.type != PS_UNKNOWN)
		ps_spread(ps, items, value);
	for (one = target->first; one; one = one->next, i++) {
		rest = ps_take(ps, sizeof(*rest));
		if (!rest)
			return;
		*rest = *items;
		rest->item += i < items->count ? i : items->count;
		rest->count -= i < items->count ? i : items->count;
		if (value.type == PS_UNKNOWN)
			ps_assign(ps, one, value);
		else if (i >= items->count)
			ps_assign(ps, one, ps_null());
		else if (!one->next)
			ps_assign(ps, one, ps_collected(rest));
		else
			ps_assign(ps, one, items->item[i]);
	}
}

static void assign_variable(struct ps *ps, const char *name,
			    struct ps_value value)
{
	const char *plain = unscoped(name);

	if (!strncasecmp(name, "env:", 4)) {
		ps_env_set(ps, name + 4, value);
		return;
	}
	if (ps_same_word(plain, "null"))
		return;
	ps_lose(ps, plain, LA_SCRIPT_SET_VARIABLE,
		"a variable of PowerShell; write $env:%s", plain);
	ps_write(ps, name, value);
}

void ps_assign(struct ps *ps, struct ps_node *target, struct ps_value value)
{
	switch (target->kind) {
	case PS_N_VARIABLE:
		assign_variable(ps, target->text, value);
		break;
	case PS_N_CAST:
		ps_assign(ps, target->first, ps_cast(ps, target->text, value));
		break;
	case PS_N_ARRAY:
		assign_each(ps, target, value);
		break;
	case PS_N_PAREN:
		break;
	default:
		assign_part(ps, target, value);
	}
}

static struct ps_value expand(struct ps *ps, struct ps_node *node)
{
	struct la_strbuf out = { 0 };
	struct ps_value value = ps_string("");
	struct ps_node *piece;
	unsigned int doubt = 0;

	for (piece = node->first; piece; piece = piece->next) {
		value = ps_to_text(ps, ps_eval(ps, piece));
		doubt |= value.doubt;
		if (value.type != PS_TEXT || out.length > PS_STRING)
			break;
		la_strbuf_add(&out, value.text, value.length);
	}
	value = piece ? ps_unknown() :
			ps_text(ps, la_strbuf_text(&out), out.length);
	la_strbuf_release(&out);
	value.doubt |= doubt;
	return value;
}

static struct ps_value list_literal(struct ps *ps, struct ps_node *node)
{
	struct ps_value array = ps_array(ps);
	struct ps_node *item;

	for (item = node->first; item && array.type == PS_ARRAY;
	     item = item->next)
		ps_push(ps, array.list, ps_eval(ps, item));
	return array;
}

/* @( ) and $( ) */
static struct ps_value output_of(struct ps *ps, struct ps_node *node)
{
	struct ps_value array = ps_array(ps), one;

	if (array.type != PS_ARRAY)
		return array;
	ps_run_block(ps, node->first, array.list);
	if (array.list->count == 1 && array.list->item[0].type == PS_UNKNOWN)
		return array.list->item[0];
	if (node->kind == PS_N_LIST)
		return array;
	one = ps_collected(array.list);
	return one;
}

static struct ps_value hash_literal(struct ps *ps, struct ps_node *node)
{
	struct ps_value value = { .type = PS_HASH }, key;
	struct ps_node *item;

	value.hash = ps_take(ps, sizeof(*value.hash));
	for (item = node->first; item && item->next && value.hash;
	     item = item->next->next) {
		key = ps_eval(ps, item);
		if (key.type == PS_UNKNOWN)
			return ps_unknown();
		ps_put(ps, value.hash, key, ps_run_value(ps, item->next));
	}
	return value.hash ? value : ps_unknown();
}

static struct ps_value cast(struct ps *ps, struct ps_node *node)
{
	struct ps_value value = ps_eval(ps, node->first);

	/* A table is in order only if it is made so. */
	return ps_cast(ps, node->text, value);
}

static struct ps_value step(struct ps *ps, struct ps_node *node)
{
	struct ps_value before = ps_eval(ps, node->first), after;

	after = ps_binary(ps, (node->op & 255) == '+' ? PS_ADD : PS_SUB,
			  before.type == PS_NULL ? ps_int(0) : before,
			  ps_int(1));
	ps_assign(ps, node->first, after);
	return (struct ps_value){ .type = PS_NOTHING };
}

static struct ps_value binary(struct ps *ps, struct ps_node *node)
{
	struct ps_value a = ps_eval(ps, node->first), b;
	int truth = ps_truth(a);
	bool and = node->op == PS_AND, or = node->op == PS_OR;

	if (ps->flow != PS_ON)
		return ps_unknown();
	if (((and&&!truth) || (or &&truth > 0))) {
		b = ps_bool(or);
		b.doubt = a.doubt;
		return b;
	}
	if (node->op == PS_COALESCE) {
		if (a.type != PS_NULL && a.type != PS_NOTHING)
			return a;
		b = ps_eval(ps, node->first->next);
		b.doubt |= a.doubt;
		return b;
	}
	ps->unsure += (and || or) && truth < 0;
	b = ps_eval(ps, node->first->next);
	ps->unsure -= (and || or) && truth < 0;
	return ps_binary(ps, node->op, a, b);
}

static struct ps_value ternary(struct ps *ps, struct ps_node *node)
{
	struct ps_value condition = ps_eval(ps, node->first), value;
	struct ps_node *yes = node->first->next;
	int truth = ps_truth(condition);

	if (truth < 0)
		return ps_unknown();
	value = ps_eval(ps, truth ? yes : yes->next);
	value.doubt |= condition.doubt;
	return value;
}

static struct ps_value member(struct ps *ps, struct ps_node *node)
{
	struct ps_node *name_node = node->first->next, *argument;
	struct ps_value name = ps_to_text(ps, ps_eval(ps, name_node));
	struct ps_value object = ps_unknown();
	struct ps_list args = { 0 };
	bool type = node->op == ':' && node->first->kind == PS_N_CLASS;

	if (!type)
		object = ps_eval(ps, node->first);
	for (argument = name_node->next; argument; argument = argument->next)
		ps_push(ps, &args, ps_eval(ps, argument));
	if (name.type != PS_TEXT || ps->flow != PS_ON)
		return ps_unknown();
	if (!type && node->op == ':')
		return ps_unknown();
	if (node->kind == PS_N_MEMBER)
		return type ? ps_static(ps, node->first->text, name.text) :
			      ps_member(ps, object, name.text);
	if (object.type == PS_BLOCK && ps_same_word(name.text, "Invoke")) {
		struct ps_arguments none = { 0 };
		struct ps_list *out = ps_take(ps, sizeof(*out));

		if (!out)
			return ps_unknown();
		/* What it is given is not followed. */
		ps->unsure += args.count > 0;
		ps_call(ps, object.block, &none, true, out);
		ps->unsure -= args.count > 0;
		return args.count ? ps_unknown() : ps_collected(out);
	}
	return type ? ps_static_call(ps, node->first->text, name.text, &args) :
		      ps_invoke(ps, object, name.text, &args);
}

static struct ps_value element(struct ps *ps, struct ps_node *node)
{
	struct ps_value object = ps_eval(ps, node->first);

	return ps_index(ps, object, ps_eval(ps, node->first->next));
}

struct ps_value ps_eval(struct ps *ps, struct ps_node *node)
{
	if (ps->spent || ps->failed)
		return ps_unknown();
	switch (node->kind) {
	case PS_N_CONSTANT:
	case PS_N_WORD:
		return node->value;
	case PS_N_EXPAND:
		return expand(ps, node);
	case PS_N_VARIABLE:
		return ps_read(ps, node->text, node->op == 2);
	case PS_N_ARRAY:
		return list_literal(ps, node);
	case PS_N_LIST:
	case PS_N_SUB:
		return output_of(ps, node);
	case PS_N_PAREN:
		return ps_run_value(ps, node->first);
	case PS_N_HASH:
		return hash_literal(ps, node);
	case PS_N_BLOCKVALUE:
		return (struct ps_value){ .type = PS_BLOCK,
					  .block = node->first };
	case PS_N_CLASS:
		return (struct ps_value){ .type = PS_CLASS,
					  .text = node->text,
					  .length = strlen(node->text) };
	case PS_N_CAST:
		return cast(ps, node);
	case PS_N_UNARY:
		return ps_unary(ps, node->op, ps_eval(ps, node->first));
	case PS_N_STEP:
		return step(ps, node);
	case PS_N_BINARY:
		return binary(ps, node);
	case PS_N_TERNARY:
		return ternary(ps, node);
	case PS_N_MEMBER:
	case PS_N_INVOKE:
		return member(ps, node);
	case PS_N_INDEX:
		return element(ps, node);
	default:
		return ps_unknown();
	}
}
