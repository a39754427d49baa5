// SPDX-License-Identifier: Apache-2.0
/* Commands that pass values on, and those that leave nothing. */
#include <string.h>
#include <strings.h>

#include "script/powershell.h"
#include "util/util.h"

/* -Begin or -End of ForEach-Object. */
static void around(struct ps *ps, const struct ps_arguments *args,
		   const char *which, struct ps_list *out)
{
	struct ps_arguments none = { 0 };
	bool given;
	struct ps_value block = ps_argument(args, which, SIZE_MAX, &given);

	if (given && block.type == PS_BLOCK && ps->flow == PS_ON)
		ps_call(ps, block.block, &none, false, out);
}

/* Are these the arguments of ForEach-Object that are followed? */
static bool plain(const struct ps_arguments *args)
{
	static const char *const followed[] = { "Begin", "Process", "End" };
	size_t i, j;

	for (i = 0; i < args->count; i++) {
		for (j = 0; args->count > 1 && j < 3; j++)
			if (args->item[i].option &&
			    ps_same_word(args->item[i].option, followed[j]))
				break;
		if (j == 3)
			return false;
	}
	return true;
}

static void for_each(struct ps *ps, const struct ps_arguments *args,
		     bool filter, struct ps_list *out)
{
	struct ps_arguments none = { 0 };
	struct ps_list passed;
	struct ps_value item;
	bool given;
	struct ps_value block = ps_argument(
		args, filter ? "FilterScript" : "Process", 0, &given);
	size_t i;
	int truth;

	if (block.type == PS_TEXT && !filter && args->count == 1) {
		for (i = 0; args->input && i < args->input->count; i++)
			ps_push(ps, out,
				ps_member(ps, args->input->item[i],
					  block.text));
		return;
	}
	if (block.type != PS_BLOCK || !plain(args) ||
	    (args->count == 1 && args->item[0].option &&
	     !ps_same_word(args->item[0].option,
			   filter ? "FilterScript" : "Process"))) {
		ps_perhaps_blocks(ps, args);
		ps_push(ps, out, ps_unknown());
		return;
	}
	around(ps, args, "Begin", out);
	for (i = 0; args->input && i < args->input->count; i++) {
		if (ps->steps)
			ps->steps--;
		item = args->input->item[i];
		ps_write(ps, "_", item);
		passed = (struct ps_list){ 0 };
		if (item.type == PS_UNKNOWN)
			ps->unsure++;
		ps_call(ps, block.block, &none, false, filter ? &passed : out);
		if (item.type == PS_UNKNOWN)
			ps->unsure--;
		if (ps->flow != PS_ON)
			return;
		if (!filter)
			continue;
		truth = ps_truth(ps_collected(&passed));
		if (truth)
			ps_push(ps, out, truth < 0 ? ps_unknown() : item);
	}
	around(ps, args, "End", out);
}

static void select_some(struct ps *ps, const struct ps_arguments *args,
			struct ps_list *out)
{
	bool first, last;
	struct ps_value n = ps_argument(args, "First", SIZE_MAX, &first), m;
	size_t count = args->input ? args->input->count : 0, i;

	m = ps_argument(args, "Last", SIZE_MAX, &last);
	if (args->count != 1 || first == last ||
	    (first ? n : m).type != PS_INT || (first ? n : m).number < 0) {
		ps_push(ps, out, ps_unknown());
		return;
	}
	for (i = 0; i < count; i++) {
		if (first && (int64_t)i >= n.number)
			break;
		if (last && (int64_t)i + m.number < (int64_t)count)
			continue;
		ps_push(ps, out, args->input->item[i]);
	}
}

static void write_output(struct ps *ps, const struct ps_arguments *args,
			 struct ps_list *out)
{
	size_t i;

	for (i = 0; args->input && i < args->input->count; i++)
		ps_push(ps, out, args->input->item[i]);
	for (i = 0; i < args->count; i++)
		ps_spread(ps, out, args->item[i].value);
}

/* Join-String -Separator */
static void join_string(struct ps *ps, const struct ps_arguments *args,
			struct ps_list *out)
{
	bool given;
	struct ps_value by = ps_argument(args, "Separator", SIZE_MAX, &given);
	struct ps_value list = { .type = PS_ARRAY };

	list.list = (struct ps_list *)args->input;
	if (args->count != given || !args->input)
		ps_push(ps, out, ps_unknown());
	else
		ps_push(ps, out,
			ps_join(ps, list, given ? by : ps_string("")));
}

static void tee(struct ps *ps, const struct ps_arguments *args,
		struct ps_list *out)
{
	bool given;
	struct ps_value name = ps_argument(args, "Variable", SIZE_MAX, &given);
	size_t i;

	for (i = 0; args->input && i < args->input->count; i++)
		ps_push(ps, out, args->input->item[i]);
	if (given && name.type == PS_TEXT)
		ps_write(ps, name.text, ps_collected(out));
}

/* Commands that leave no output and touch no environment. */
static bool silent(const char *name)
{
	static const char *const names[] = {
		"Out-Null",	 "Out-Host",	      "Out-Default",
		"Write-Host",	 "Write-Verbose",     "Write-Debug",
		"Write-Warning", "Write-Information", "Write-Progress",
		"Start-Sleep",	 "Import-Module",     "Set-Location",
		"Clear-Host",	 "Set-StrictMode",    "Set-ExecutionPolicy",
		"Out-File",	 "Remove-Module",     "Write-Error"
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (ps_same_word(names[i], name))
			return true;
	return false;
}

static bool set_alias(struct ps *ps, const struct ps_arguments *args)
{
	bool given;
	struct ps_value name = ps_argument(args, "Name", 0, &given);
	struct ps_value target = ps_argument(args, "Value", 1, &given);
	struct ps_function *alias;

	if (name.type != PS_TEXT || target.type != PS_TEXT)
		return true;
	alias = ps_function(ps);
	if (alias) {
		alias->name = name.text;
		alias->target = ps_builtin_name(ps, target.text);
	}
	return true;
}

bool ps_pipe_command(struct ps *ps, const char *name,
		     const struct ps_arguments *args, struct ps_list *out)
{
	bool off;

	if (ps_same_word(name, "Set-StrictMode")) {
		ps_argument(args, "Off", SIZE_MAX, &off);
		ps->strict = !off;
	}
	if (silent(name))
		return true;
	if (ps_same_word(name, "Write-Output"))
		write_output(ps, args, out);
	else if (ps_same_word(name, "ForEach-Object"))
		for_each(ps, args, false, out);
	else if (ps_same_word(name, "Where-Object"))
		for_each(ps, args, true, out);
	else if (ps_same_word(name, "Select-Object"))
		select_some(ps, args, out);
	else if (ps_same_word(name, "Join-String"))
		join_string(ps, args, out);
	else if (ps_same_word(name, "Tee-Object"))
		tee(ps, args, out);
	else if (ps_same_word(name, "Set-Alias") ||
		 ps_same_word(name, "New-Alias"))
		return set_alias(ps, args);
	else
		return false;
	return true;
}
