// SPDX-License-Identifier: Apache-2.0
/* Commands on Env: and on variables. */
#include <string.h>
#include <strings.h>

#include "script/powershell.h"
#include "util/util.h"

/* The name behind Env: or NULL: another drive, or not known. */
static const char *env_name(struct ps *ps, struct ps_value path)
{
	const char *name;

	path = ps_to_text(ps, path);
	if (path.type != PS_TEXT)
		return NULL;
	name = path.text;
	if (!strncasecmp(name, "Microsoft.PowerShell.Core\\", 26))
		name += 26;
	if (!strncasecmp(name, "Environment::", 13))
		name += 13;
	else if (!strncasecmp(name, "Env:", 4))
		name += 4;
	else
		return NULL;
	while (*name == '\\' || *name == '/')
		name++;
	return *name ? name : NULL;
}

static struct ps_value path_of(const struct ps_arguments *args, bool *given)
{
	struct ps_value path =
		ps_argument(args, "LiteralPath", SIZE_MAX, given);

	return *given ? path : ps_argument(args, "Path", 0, given);
}

/* An argument as the command gets it: 1.50 keeps how it was written. */
static struct ps_value value_of(const struct ps_arguments *args, size_t at)
{
	bool given;
	struct ps_value value = ps_argument(args, "Value", at, &given), first;
	size_t i;

	if (!given && args->input)
		return ps_collected(args->input);
	for (i = 0; i < args->count; i++) {
		first = args->item[i].value;
		if (args->item[i].node->kind == PS_N_CONSTANT &&
		    args->item[i].node->op == 1 && first.type == PS_DOUBLE)
			return ps_unknown();
	}
	return value;
}

/* Is the path one with * or ?: which items it means is not followed. */
static bool wild(const char *name)
{
	return strpbrk(name, "*?[");
}

static bool set_item(struct ps *ps, const char *command,
		     const struct ps_arguments *args, struct ps_list *out)
{
	bool given, named;
	struct ps_value path = path_of(args, &given), value, name_value;
	const char *name = env_name(ps, path);
	bool is_new = ps_same_word(command, "New-Item");

	name_value = ps_argument(args, "Name", SIZE_MAX, &named);
	if (is_new && named && name_value.type == PS_TEXT) {
		path = ps_to_text(ps, path);
		if (path.type == PS_TEXT && !strncasecmp(path.text, "env:", 4))
			name = name_value.text;
	}
	if (!name || wild(name))
		return true;
	value = value_of(args, is_new ? SIZE_MAX : 1);
	if (is_new && ps_env_get(ps, name).type == PS_TEXT) {
		ps_argument(args, "Force", SIZE_MAX, &given);
		if (!given) {
			ps_lose(ps, name, LA_SCRIPT_NOT_RUN,
				"New-Item refuses a name that exists");
			return true;
		}
	}
	ps_env_set(ps, name, value.type == PS_NOTHING ? ps_null() : value);
	if (is_new)
		ps_push(ps, out, ps_unknown());
	return true;
}

/* Several paths may be given. */
static bool remove_item(struct ps *ps, const struct ps_arguments *args)
{
	bool given;
	struct ps_list paths = { 0 };
	const char *name;
	size_t i;

	ps_spread(ps, &paths, path_of(args, &given));
	for (i = 0; i < paths.count; i++) {
		name = env_name(ps, paths.item[i]);
		if (!name)
			continue;
		if (wild(name)) {
			struct ps_env *env = ps->env;

			for (; env; env = env->next) {
				int like =
					ps_like(ps, env->name, name,
						!ps->windows);

				if (like > 0)
					ps_env_unset(ps, env->name);
				else if (like < 0)
					ps_env_set(ps, env->name, ps_unknown());
			}
			continue;
		}
		ps_env_unset(ps, name);
	}
	return true;
}

static bool rename_item(struct ps *ps, const struct ps_arguments *args,
			bool copy)
{
	bool given;
	const char *from = env_name(ps, path_of(args, &given)), *to;
	struct ps_value target = ps_to_text(
		ps,
		ps_argument(args, copy ? "Destination" : "NewName", 1, &given));
	struct ps_value value;

	if (!from || target.type != PS_TEXT)
		return true;
	to = env_name(ps, target);
	to = to ? to : target.text;
	value = ps_env_get(ps, from);
	if (value.type == PS_NULL) {
		ps_lose(ps, to, LA_SCRIPT_NOT_RUN,
			"there is no %s that could be copied", from);
		return true;
	}
	ps_env_set(ps, to, value);
	if (!copy)
		ps_env_unset(ps, from);
	return true;
}

static bool get_item(struct ps *ps, const char *command,
		     const struct ps_arguments *args, struct ps_list *out)
{
	bool given;
	const char *name = env_name(ps, path_of(args, &given));
	struct ps_value value, entry = { .type = PS_HASH };

	if (!name || wild(name)) {
		ps_push(ps, out, ps_unknown());
		return true;
	}
	value = ps_env_get(ps, name);
	if (value.type == PS_NULL) {
		if (ps->stop)
			ps_fail(ps);
		return true;
	}
	if (ps_same_word(command, "Get-Content")) {
		ps_push(ps, out, value);
		return true;
	}
	entry.hash = ps_take(ps, sizeof(*entry.hash));
	if (!entry.hash)
		return true;
	entry.hash->kind = PS_ENTRY;
	entry.doubt = value.doubt;
	ps_put(ps, entry.hash, ps_string("Name"),
	       ps_text(ps, name, strlen(name)));
	ps_put(ps, entry.hash, ps_string("Key"),
	       ps_text(ps, name, strlen(name)));
	ps_put(ps, entry.hash, ps_string("Value"), value);
	ps_push(ps, out, entry);
	return true;
}

static bool test_path(struct ps *ps, const struct ps_arguments *args,
		      struct ps_list *out)
{
	bool given;
	const char *name = env_name(ps, path_of(args, &given));
	struct ps_value value = ps_unknown(), found = value;

	if (name && !wild(name))
		value = ps_env_get(ps, name);
	if (value.type != PS_UNKNOWN)
		found = ps_bool(value.type != PS_NULL);
	found.doubt = value.doubt;
	ps_push(ps, out, found);
	return true;
}

/* set V=x makes a variable of that name. */
static bool set_variable(struct ps *ps, const struct ps_arguments *args)
{
	bool given;
	struct ps_value name =
		ps_to_text(ps, ps_argument(args, "Name", 0, &given));
	struct ps_value value = ps_argument(args, "Value", 1, &given);
	char *variable;

	if (name.type != PS_TEXT)
		return true;
	variable = ps_copy(ps, name.text, strcspn(name.text, "= "));
	if (!variable)
		return true;
	ps_lose(ps, variable, LA_SCRIPT_SET_VARIABLE,
		"this makes a variable of PowerShell; write $env:%s = 'value'",
		variable);
	if (!given)
		value = args->input ? ps_collected(args->input) : ps_null();
	ps_write(ps, name.text, value);
	return true;
}

static bool get_variable(struct ps *ps, const struct ps_arguments *args,
			 struct ps_list *out)
{
	bool given;
	struct ps_value name = ps_argument(args, "Name", 0, &given);
	bool only;

	ps_argument(args, "ValueOnly", SIZE_MAX, &only);
	if (!given || !only || name.type != PS_TEXT)
		ps_push(ps, out, ps_unknown());
	else
		ps_push(ps, out, ps_read(ps, name.text, false));
	return true;
}

/* Commands that ask, or only say what they would do. */
static bool asks(const char *name)
{
	static const char *const names[] = { "Set-Item",    "New-Item",
					     "Set-Content", "Remove-Item",
					     "Clear-Item",  "Rename-Item",
					     "Copy-Item" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (ps_same_word(names[i], name))
			return true;
	return false;
}

static bool only_says(struct ps *ps, const struct ps_arguments *args)
{
	bool given;
	struct ps_value flag = ps_argument(args, "WhatIf", SIZE_MAX, &given);
	const char *name = env_name(ps, path_of(args, &given));

	if (ps_truth(flag) < 1)
		return false;
	if (name)
		ps_lose(ps, name, LA_SCRIPT_NOT_RUN,
			"-WhatIf says what would be done, and does nothing");
	return true;
}

static bool item_command(struct ps *ps, const char *name,
			 const struct ps_arguments *args, struct ps_list *out)
{
	if (ps_same_word(name, "Set-Item") || ps_same_word(name, "New-Item") ||
	    ps_same_word(name, "Set-Content"))
		return set_item(ps, name, args, out);
	if (ps_same_word(name, "Remove-Item") ||
	    ps_same_word(name, "Clear-Item"))
		return remove_item(ps, args);
	if (ps_same_word(name, "Rename-Item") ||
	    ps_same_word(name, "Copy-Item"))
		return rename_item(ps, args, ps_same_word(name, "Copy-Item"));
	if (ps_same_word(name, "Get-Item") ||
	    ps_same_word(name, "Get-ChildItem") ||
	    ps_same_word(name, "Get-Content"))
		return get_item(ps, name, args, out);
	if (ps_same_word(name, "Test-Path"))
		return test_path(ps, args, out);
	if (ps_same_word(name, "Set-Variable") ||
	    ps_same_word(name, "New-Variable"))
		return set_variable(ps, args);
	if (ps_same_word(name, "Get-Variable"))
		return get_variable(ps, args, out);
	return ps_same_word(name, "Remove-Variable");
}

bool ps_item_command(struct ps *ps, const char *name,
		     const struct ps_arguments *args, struct ps_list *out)
{
	unsigned int unsure = ps->unsure;
	bool given, done;
	struct ps_value confirm;

	if (!asks(name))
		return item_command(ps, name, args, out);
	if (only_says(ps, args))
		return true;
	confirm = ps_argument(args, "Confirm", SIZE_MAX, &given);
	if (ps->preset || ps_truth(confirm))
		ps->unsure++;
	done = item_command(ps, name, args, out);
	ps->unsure = unsure;
	return done;
}
