// SPDX-License-Identifier: Apache-2.0
/* Commands that run text, or start programs and shells. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "script/launcher.h"
#include "script/powershell.h"
#include "util/util.h"

enum { WORDS = 64 };

void ps_started(struct ps *ps)
{
	struct ps_env *env = ps->env;

	for (; env; env = env->next) {
		if (env->again)
			ps_env_say(ps, env);
		env->used = true;
	}
}

static void ps_text_run(struct ps *ps, struct ps_value text,
			struct ps_list *out)
{
	struct ps_node *script, *pin = ps->pin;
	const char *why;
	size_t bad;

	if (text.type != PS_TEXT || ps->calls >= PS_CALLS) {
		ps->unsure++;
		return;
	}
	script = ps_parse(ps, text.text, 0, text.length, &bad, &why);
	if (ps->big) {
		ps->big = false;
		ps->unsure++;
		return;
	}
	if (!script) {
		ps_fail(ps);
		return;
	}
	ps->pin = pin ? pin : ps->now;
	ps->calls++;
	ps_run_block(ps, script, out);
	ps->calls--;
	ps->pin = pin;
}

void ps_perhaps_text(struct ps *ps, struct ps_value text)
{
	struct ps_list out = { 0 };
	enum ps_flow flow = ps->flow;

	ps->unsure++;
	ps_text_run(ps, text, &out);
	ps->unsure--;
	ps->flow = flow;
}

void ps_perhaps_blocks(struct ps *ps, const struct ps_arguments *args)
{
	struct ps_arguments none = { 0 };
	struct ps_list out = { 0 };
	enum ps_flow flow = ps->flow;
	size_t i;

	ps->unsure++;
	for (i = 0; i < args->count; i++)
		if (args->item[i].value.type == PS_BLOCK)
			ps_call(ps, args->item[i].value.block, &none, true,
				&out);
	ps->unsure--;
	ps->flow = flow;
}

/* In the child, what no program saw is lost; its programs' is said of them. */
static void settle(struct ps *ps, struct ps_env *env, struct ps_env *before)
{
	struct ps_env *outer = before;

	while (outer && strcmp(outer->name, env->name) != 0)
		outer = outer->next;
	if (!env->watched || env->place == LA_SCRIPT_WHOLE ||
	    (outer && outer->place == env->place))
		return;
	if (!env->used) {
		la_script_change(ps->script, env->place, NULL, LA_SCRIPT_LOST);
		la_script_say(ps->script, ps->part, env->place,
			      LA_SCRIPT_CHILD_ENDS, ps->now->start,
			      ps->now->end,
			      "a child process sets it, and ends");
		return;
	}
	outer = ps_env(ps, env->name, true);
	if (outer)
		outer->again = true;
}

/* What a child of this kind sets ends with it. */
static void in_child(struct ps *ps, const struct ps_node *script,
		     struct ps_value text)
{
	struct ps_arguments none = { 0 };
	struct ps_list out = { 0 };
	struct ps_env *env, *before = ps->env, *copy, *own;
	size_t count = 0, i = 0;

	ps_started(ps);
	for (env = before; env; env = env->next)
		count++;
	copy = ps_take(ps, (count + 1) * sizeof(*copy));
	if (!copy)
		return;
	for (env = before; env; env = env->next) {
		copy[i] = *env;
		copy[i].next = env->next ? &copy[i + 1] : NULL;
		i++;
	}
	ps->env = count ? copy : NULL;
	if (script)
		ps_call(ps, script, &none, true, &out);
	else
		ps_text_run(ps, text, &out);
	if (ps->flow != PS_EXITED || ps->calls)
		ps->flow = PS_ON;
	own = ps->env;
	ps->env = before;
	for (env = own; env; env = env->next)
		settle(ps, env, before);
}

static void start_process(struct ps *ps, const struct ps_arguments *args)
{
	bool given, fresh;
	struct ps_value table =
		ps_argument(args, "Environment", SIZE_MAX, &given);
	struct ps_value value;
	struct ps_env *env;
	size_t i;

	ps_started(ps);
	ps_argument(args, "UseNewEnvironment", SIZE_MAX, &fresh);
	for (env = ps->env; fresh && env; env = env->next)
		if (env->place != LA_SCRIPT_WHOLE)
			ps_lose(ps, env->name, LA_SCRIPT_NOT_PASSED,
				"-UseNewEnvironment gives the program what "
				"the registry has, not this");
	for (i = 0; given && table.type == PS_HASH && i < table.hash->key.count;
	     i++) {
		value = ps_to_text(ps, table.hash->value.item[i]);
		if (table.hash->key.item[i].type == PS_TEXT)
			ps_env_set(ps, table.hash->key.item[i].text, value);
	}
}

/* The text behind -c or /c of a shell, or NULL. */
static const struct ps_argument *shell_text(const struct ps_arguments *args,
					    const char *const *flags)
{
	size_t i, f;
	const char *word;

	for (i = 0; i + 1 < args->count; i++) {
		word = args->item[i].option ? args->item[i].option :
		       args->item[i].value.type == PS_TEXT ?
					      args->item[i].value.text :
					      "";
		for (f = 0; flags[f]; f++)
			if (ps_same_word(word, flags[f]))
				return &args->item[i + 1];
	}
	return NULL;
}

static void foreign(struct ps *ps, enum la_script_kind kind,
		    const struct ps_argument *argument)
{
	struct la_script_part part = { .ends = true };
	const struct ps_node *at = ps->pin ? ps->pin : argument->node;
	struct ps_value text = ps_to_text(ps, argument->value);
	int ret;

	if (text.type != PS_TEXT)
		return;
	part.text = text.text;
	part.length = text.length;
	part.offset = la_script_offset(ps->part, at->start);
	ret = la_script_nested(ps->script, kind, &part, ps->err);
	if (ret && ret != -ENOTSUP)
		ps->ret = ret;
}

/* Up to 7.2 quotes in an argument are lost on Windows. */
static void in_powershell(struct ps *ps, struct ps_value text)
{
	bool quotes = ps->windows && memchr(text.text, '"', text.length);

	ps->unsure += quotes;
	in_child(ps, NULL, text);
	ps->unsure -= quotes;
}

static bool shell(struct ps *ps, const char *name,
		  const struct ps_arguments *args)
{
	static const char *const c[] = { "c", "-c", "lc", "-lc", "ic", NULL };
	static const char *const slash[] = { "/c", "/k", "/C", NULL };
	static const char *const command[] = { "c", "Command", "-c", "-Command",
					       NULL };
	static const struct {
		const char *name;
		enum la_script_kind kind;
		const char *const *flags;
	} shells[] = {
		{ "bash", LA_SCRIPT_BASH, c },
		{ "sh", LA_SCRIPT_SH, c },
		{ "dash", LA_SCRIPT_SH, c },
		{ "zsh", LA_SCRIPT_ZSH, c },
		{ "ksh", LA_SCRIPT_KSH, c },
		{ "fish", LA_SCRIPT_FISH, c },
		{ "cmd", LA_SCRIPT_CMD, slash },
		{ "cmd.exe", LA_SCRIPT_CMD, slash },
		{ "pwsh", LA_SCRIPT_POWERSHELL, command },
		{ "powershell", LA_SCRIPT_POWERSHELL, command },
		{ "pwsh.exe", LA_SCRIPT_POWERSHELL, command },
		{ "powershell.exe", LA_SCRIPT_POWERSHELL, command },
	};
	const struct ps_argument *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shells); i++) {
		if (!ps_same_word(shells[i].name, name))
			continue;
		text = shell_text(args, shells[i].flags);
		if (!text)
			return false;
		ps_started(ps);
		if (shells[i].kind != LA_SCRIPT_POWERSHELL)
			foreign(ps, shells[i].kind, text);
		else if (text->value.type == PS_BLOCK)
			in_child(ps, text->value.block, text->value);
		else if (text->value.type == PS_TEXT)
			in_powershell(ps, text->value);
		return true;
	}
	return false;
}

/* setx V x */
static void setx(struct ps *ps, const struct ps_arguments *args)
{
	size_t i;

	for (i = 0; i < args->count; i++)
		if (args->item[i].value.type == PS_TEXT &&
		    ps_watched(ps, args->item[i].value.text))
			ps_lose(ps, args->item[i].value.text,
				LA_SCRIPT_REGISTRY,
				"setx writes the registry of Windows: programs "
				"of sessions that start later see it, this "
				"one's do not");
}

static bool launch(struct ps *ps, const char *name,
		   const struct ps_arguments *args)
{
	struct la_script_word words[WORDS] = { { name, 0, 0 } };
	struct la_script_given none = { 0 };
	struct la_script_command command = { .word = words, .count = 1,
					     .given = &none };
	const struct ps_node *node;
	struct ps_value text;
	size_t i;

	if (ps->pin)
		return false;
	words[0].start = ps->now->start;
	words[0].end = ps->now->end;
	for (i = 0; i < args->count && command.count < WORDS; i++) {
		node = args->item[i].node;
		text = ps_to_text(ps, args->item[i].value);
		if (args->item[i].option)
			text = ps_text(ps, ps->part->text + node->start,
				       node->end - node->start);
		words[command.count++] = (struct la_script_word){
			text.type == PS_TEXT ? text.text : NULL, node->start,
			node->end
		};
	}
	return la_script_launch(ps->script, ps->part, &command);
}

bool ps_child_command(struct ps *ps, const char *name,
		      const struct ps_arguments *args, struct ps_list *out)
{
	bool given;
	struct ps_arguments none = { 0 };
	struct ps_value block = ps_argument(args, "ScriptBlock", 0, &given);

	if (ps_same_word(name, "Invoke-Expression")) {
		block = ps_argument(args, "Command", 0, &given);
		if (!given && args->input)
			block = ps_collected(args->input);
		ps_text_run(ps, block, out);
		return true;
	}
	if (ps_same_word(name, "Invoke-Command") && block.type == PS_BLOCK &&
	    args->count == 1) {
		ps_call(ps, block.block, &none, true, out);
		return true;
	}
	if (ps_same_word(name, "Start-Job") && block.type == PS_BLOCK) {
		in_child(ps, block.block, block);
		ps_push(ps, out, ps_unknown());
		return true;
	}
	if (ps_same_word(name, "Measure-Command")) {
		block = ps_argument(args, "Expression", 0, &given);
		if (block.type == PS_BLOCK)
			ps_call(ps, block.block, &none, false,
				&(struct ps_list){ 0 });
		ps_push(ps, out, ps_unknown());
		return true;
	}
	if (ps_same_word(name, "Start-Process")) {
		start_process(ps, args);
		return true;
	}
	if (ps_same_word(name, "setx") || ps_same_word(name, "setx.exe")) {
		setx(ps, args);
		if (!ps->windows)
			ps_fail(ps);
		return true;
	}
	if (!ps->windows &&
	    (ps_same_word(name, "cmd") || ps_same_word(name, "cmd.exe"))) {
		shell(ps, name, args);
		ps_fail(ps);
		return true;
	}
	if (!shell(ps, name, args)) {
		if (!launch(ps, name, args))
			return false;
		ps_started(ps);
	}
	ps_push(ps, out, ps_unknown());
	return true;
}
