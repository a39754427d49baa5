// SPDX-License-Identifier: Apache-2.0
/* Commands: their names, arguments, and functions of the text. */
#include <string.h>
#include <strings.h>

#include "script/powershell.h"
#include "util/array.h"
#include "util/util.h"

static const struct {
	const char *alias, *name;
	bool windows; /* only there */
} aliases[] = {
	{ "si", "Set-Item", false },
	{ "ni", "New-Item", false },
	{ "ri", "Remove-Item", false },
	{ "rd", "Remove-Item", false },
	{ "del", "Remove-Item", false },
	{ "erase", "Remove-Item", false },
	{ "rm", "Remove-Item", true },
	{ "rmdir", "Remove-Item", true },
	{ "cli", "Clear-Item", false },
	{ "rni", "Rename-Item", false },
	{ "ren", "Rename-Item", false },
	{ "cpi", "Copy-Item", false },
	{ "copy", "Copy-Item", false },
	{ "cp", "Copy-Item", true },
	{ "gi", "Get-Item", false },
	{ "gc", "Get-Content", false },
	{ "type", "Get-Content", false },
	{ "cat", "Get-Content", true },
	{ "gci", "Get-ChildItem", false },
	{ "dir", "Get-ChildItem", false },
	{ "ls", "Get-ChildItem", true },
	{ "set", "Set-Variable", false },
	{ "sv", "Set-Variable", false },
	{ "nv", "New-Variable", false },
	{ "gv", "Get-Variable", false },
	{ "rv", "Remove-Variable", false },
	{ "echo", "Write-Output", false },
	{ "write", "Write-Output", true },
	{ "%", "ForEach-Object", false },
	{ "foreach", "ForEach-Object", false },
	{ "?", "Where-Object", false },
	{ "where", "Where-Object", false },
	{ "select", "Select-Object", false },
	{ "iex", "Invoke-Expression", false },
	{ "icm", "Invoke-Command", false },
	{ "sajb", "Start-Job", false },
	{ "saps", "Start-Process", false },
	{ "start", "Start-Process", true },
	{ "mi", "Move-Item", false },
	{ "move", "Move-Item", false },
	{ "mv", "Move-Item", true },
	{ "clc", "Clear-Content", false },
	{ "sal", "Set-Alias", false },
	{ "sl", "Set-Location", false },
	{ "cd", "Set-Location", false },
	{ "chdir", "Set-Location", false },
};

const char *ps_builtin_name(const struct ps *ps, const char *name)
{
	size_t i;

	if (!strncasecmp(name, "Microsoft.PowerShell.", 21) &&
	    strchr(name, '\\'))
		name = strchr(name, '\\') + 1;
	for (i = 0; i < ARRAY_SIZE(aliases); i++)
		if ((ps->windows || !aliases[i].windows) &&
		    ps_same_word(aliases[i].alias, name))
			return aliases[i].name;
	return name;
}

struct ps_value ps_argument(const struct ps_arguments *args, const char *option,
			    size_t position, bool *given)
{
	size_t i, at = 0, length;

	*given = true;
	for (i = 0; option && i < args->count; i++) {
		if (!args->item[i].option)
			continue;
		length = strlen(args->item[i].option);
		if (length &&
		    !strncasecmp(args->item[i].option, option, length))
			return args->item[i].value;
	}
	for (i = 0; i < args->count; i++)
		if (!args->item[i].option && at++ == position)
			return args->item[i].value;
	*given = false;
	return ps_null();
}

static void put(struct ps *ps, struct ps_arguments *args, const char *option,
		struct ps_value value, const struct ps_node *node)
{
	size_t room = args->room ? 2 * args->room : 8;
	struct ps_argument *item;

	if (args->count == args->room) {
		item = ps_take(ps, room * sizeof(*item));
		if (!item)
			return;
		if (args->count)
			memcpy(item, args->item, args->count * sizeof(*item));
		args->item = item;
		args->room = room;
	}
	args->item[args->count++] = (struct ps_argument){ option, value, node };
}

/* @name: a table of options, or a list of arguments. */
static void splat(struct ps *ps, struct ps_arguments *args,
		  struct ps_node *node)
{
	struct ps_value value = ps_read(ps, node->text, false);
	size_t i;

	if (value.type == PS_HASH) {
		for (i = 0; i < value.hash->key.count; i++)
			if (value.hash->key.item[i].type == PS_TEXT)
				put(ps, args, value.hash->key.item[i].text,
				    value.hash->value.item[i], node);
	} else if (value.type == PS_ARRAY) {
		for (i = 0; i < value.list->count; i++)
			put(ps, args, NULL, value.list->item[i], node);
	} else {
		put(ps, args, NULL, value, node);
	}
}

/* Options that take no value. */
static bool is_switch(const char *option)
{
	static const char *const switches[] = {
		"Force",	  "Recurse", "NoNewline",   "PassThru",
		"Confirm",	  "WhatIf",  "Verbose",	    "Debug",
		"NoNewWindow",	  "Wait",    "NoEnumerate", "UseNewEnvironment",
		"AsPlainText",	  "Unique",  "AsJob",	    "NoProfile",
		"NonInteractive", "NoLogo",  "NoExit",	    "Login",
		"SimpleMatch",	  "Raw",     "AsString",    "ValueOnly",
		"Append"
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(switches); i++)
		if (ps_same_word(switches[i], option))
			return true;
	return false;
}

static void collect(struct ps *ps, struct ps_node *node,
		    struct ps_arguments *args, bool switches)
{
	struct ps_node *one = node->first->next;
	struct ps_value value;

	for (; one && ps->flow == PS_ON; one = one->next) {
		if (one->kind == PS_N_VARIABLE && one->op == 1) {
			splat(ps, args, one);
			continue;
		}
		if (one->kind != PS_N_OPTION) {
			put(ps, args, NULL, ps_eval(ps, one), one);
			continue;
		}
		value = ps_bool(true);
		if (one->first)
			value = ps_eval(ps, one->first);
		else if (switches && !is_switch(one->text) && one->next &&
			 one->next->kind != PS_N_OPTION)
			value = ps_eval(ps, one->next);
		put(ps, args, one->text, value, one);
		if (!one->first && switches && !is_switch(one->text) &&
		    one->next && one->next->kind != PS_N_OPTION)
			one = one->next;
	}
}

static void bind(struct ps *ps, struct ps_node *parameter,
		 const struct ps_arguments *args, size_t position)
{
	bool given;
	bool script = !args->item && !ps->calls;
	struct ps_value value =
		ps_argument(args, parameter->text, position, &given);

	if (!given && parameter->first) {
		value = ps_eval(ps, parameter->first);
		if (script)
			value.doubt |= PS_ARGUMENT;
	} else if (!given && parameter->value.type == PS_TEXT &&
		   ps_same_word(parameter->value.text, "string")) {
		value = ps_string("");
	}
	if (!given && script)
		value.doubt |= PS_ARGUMENT;
	/* It may take what comes in. */
	if (!given && args->input)
		value = ps_unknown();
	if (parameter->value.type == PS_TEXT &&
	    !ps_same_word(parameter->value.text, "switch"))
		value = ps_cast(ps, parameter->value.text, value);
	ps_write(ps, parameter->text, value);
}

/* $args of a block without parameters. */
static void bind_rest(struct ps *ps, const struct ps_arguments *args)
{
	struct ps_value list = ps_array(ps);
	size_t i;

	for (i = 0; i < args->count && list.type == PS_ARRAY; i++) {
		if (args->item[i].option)
			list = ps_unknown();
		else
			ps_push(ps, list.list, args->item[i].value);
	}
	ps_write(ps, "args", list);
}

void ps_call(struct ps *ps, const struct ps_node *script,
	     const struct ps_arguments *args, bool scoped, struct ps_list *out)
{
	struct ps_scope scope = { ps->scope, NULL, args->input, scoped };
	struct ps_node *parameter;
	size_t position = 0;

	if (ps->spent || ps->calls >= PS_CALLS || ps->called++ >= PS_CALLED) {
		ps->spent = true;
		return;
	}
	ps->scope = &scope;
	if (script->first && script->first->kind == PS_N_PARAMETERS)
		for (parameter = script->first->first; parameter;
		     parameter = parameter->next)
			bind(ps, parameter, args, position++);
	if (scoped && !position)
		bind_rest(ps, args);
	ps->calls++;
	if (ps->flow == PS_ON && script->op == 'p')
		ps_run_each(ps, (struct ps_node *)script, args->input, out);
	else if (ps->flow == PS_ON)
		ps_run_block(ps, (struct ps_node *)script, out);
	ps->calls--;
	if (ps->flow == PS_RETURNED)
		ps->flow = PS_ON;
	if (!scoped && scope.variable) {
		struct ps_variable *last = scope.variable;

		while (last->next)
			last = last->next;
		last->next = scope.outer->variable;
		scope.outer->variable = scope.variable;
	}
	ps->scope = scope.outer;
}

struct ps_function *ps_function(struct ps *ps)
{
	struct ps_function *f = NULL;

	if (ps->functions++ < PS_FUNCTIONS)
		f = ps_take(ps, sizeof(*f));
	else
		ps->spent = true;
	if (f) {
		f->next = ps->function;
		ps->function = f;
	}
	return f;
}

static const struct ps_function *function(const struct ps *ps, const char *name)
{
	const struct ps_function *f = ps->function;

	while (f && !ps_same_word(f->name, name))
		f = f->next;
	return f;
}

/* A word that no file or command is named by. */
static bool no_command(const char *name)
{
	static const char *const words[] = { "export", "unset", "setenv",
					     "PYTORCH_CUDA_ALLOC_CONF" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (ps_same_word(name, words[i]))
			return true;
	if (strchr("/.~\\", name[0]) ||
	    (name[0] && name[1] == ':' && name[2] && strchr("\\/", name[2])))
		return false;
	return strpbrk(name, ":=[]%<>") || strchr(name, '_') ||
	       (strlen(name) > 0 &&
		strspn(name, "0123456789.") == strlen(name));
}

/* V=x and export V=x, of other shells: which variable is meant? */
static void warn_other(struct ps *ps, const char *name,
		       const struct ps_arguments *args)
{
	const char *word = name, *equals;
	char *variable;
	size_t i = 0;

	do {
		equals = strchr(word, '=');
		variable =
			ps_copy(ps, word + (*word == '%'),
				equals ? (size_t)(equals - word) :
					 strcspn(word + (*word == '%'), "%"));
		if (variable && ps_watched(ps, variable)) {
			ps_lose(ps, variable, LA_SCRIPT_OTHER_LANGUAGE,
				"PowerShell has no such command; write "
				"$env:%s = 'value'",
				variable);
			return;
		}
		while (i < args->count && args->item[i].value.type != PS_TEXT)
			i++;
		word = i < args->count ? args->item[i].value.text : NULL;
		i++;
	} while (word);
}

static bool found_command(struct ps *ps, const char *name,
			  const struct ps_arguments *args, struct ps_list *out)
{
	return ps_item_command(ps, name, args, out) ||
	       ps_pipe_command(ps, name, args, out) ||
	       ps_child_command(ps, name, args, out);
}

/* -ErrorAction Stop: what fails is thrown. */
static bool stops(const struct ps_arguments *args)
{
	bool given;
	struct ps_value action =
		ps_argument(args, "ErrorAction", SIZE_MAX, &given);

	if (!given)
		action = ps_argument(args, "EA", SIZE_MAX, &given);
	return given && (action.type != PS_TEXT ||
			 ps_same_word(action.text, "Stop"));
}

static void named(struct ps *ps, struct ps_node *node, const char *name,
		  struct ps_arguments *args, struct ps_list *out)
{
	const struct ps_function *f = function(ps, name);

	if (f && f->script) {
		collect(ps, node, args, true);
		if (ps->flow == PS_ON)
			ps_call(ps, f->script, args, node->op != '.', out);
		return;
	}
	name = f ? f->target : ps_builtin_name(ps, name);
	collect(ps, node, args, strchr(name, '-'));
	if (ps->flow == PS_ON && stops(args))
		ps->risky = true;
	if (ps->flow != PS_ON || found_command(ps, name, args, out))
		return;
	if (no_command(name)) {
		warn_other(ps, name, args);
		ps_fail(ps);
		return;
	}
	ps_perhaps_blocks(ps, args);
	ps->risky |= ps->stop && strchr(name, '-');
	ps_started(ps);
	ps_push(ps, out, ps_unknown());
}

void ps_command(struct ps *ps, struct ps_node *node,
		const struct ps_list *input, struct ps_list *out)
{
	struct ps_node *outer = ps->now;
	struct ps_value what = ps_eval(ps, node->first);
	struct ps_arguments args = { .input = input };

	ps->now = ps->pin ? ps->pin : outer ? outer : node;
	if (what.type == PS_BLOCK) {
		if (node->op) {
			collect(ps, node, &args, true);
			ps_call(ps, what.block, &args, node->op == '&', out);
		} else {
			ps_push(ps, out, what);
		}
	} else if (what.type == PS_TEXT && what.length) {
		named(ps, node, what.text, &args, out);
	} else if (what.type == PS_UNKNOWN) {
		ps_started(ps);
		ps_push(ps, out, what);
	} else {
		ps_fail(ps);
	}
	ps->now = outer;
}
