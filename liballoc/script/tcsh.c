// SPDX-License-Identifier: Apache-2.0
/*
 * Simple commands of tcsh: setenv and its like.  Variables of the shell, which
 * set makes, and the environment are two things; $x asks the former first.
 */
#include <ctype.h>
#include <string.h>

#include "script/shell.h"
#include "util/util.h"

static size_t name_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return isdigit((unsigned char)*text) ? 0 : n;
}

static bool is_name(const char *text)
{
	size_t n = name_length(text);

	return n && !text[n];
}

/* An error of a builtin ends the script. */
static void refuse(struct shell *shell, const struct node *node,
		   enum la_script_code code, const char *why)
{
	la_shell_lost(shell, node->start, node->end, code, why);
	shell->status = STATUS_FALSE;
	if (!shell->doubt)
		shell->flow = FLOW_END;
}

static void run_setenv(struct shell *shell, const struct node *node,
		       const struct fields *words)
{
	const char *name = text_at(words, 1);
	struct place place = { node->start, node->end };
	struct text empty = { 0 };

	if (words->open || (words->count > 1 && words->at[1].text.unknown)) {
		la_shell_havoc(shell, name, name_length(name), place);
	} else if (words->count > 3) {
		refuse(shell, node, LA_SCRIPT_SYNTAX,
		       "setenv takes a name and one value");
	} else if (words->count > 1 && !is_name(name)) {
		refuse(shell, node, LA_SCRIPT_OTHER_LANGUAGE,
		       "setenv wants a blank between name and value");
	} else if (words->count > 1) {
		la_shell_assign(shell, name, strlen(name),
				words->count > 2 ? &words->at[2].text : &empty,
				place, true);
	}
}

static void run_unsetenv(struct shell *shell, const struct node *node,
			 const struct fields *words)
{
	size_t i;

	(void)node;
	for (i = 1; i < words->count; i++)
		la_shell_unset(shell, text_at(words, i),
			       strlen(text_at(words, i)),
			       (struct place){ words->at[i].start,
					       words->at[i].end });
}

/* set x=v, set x = v: a variable of the shell alone. */
static void run_set(struct shell *shell, const struct node *node,
		    const struct fields *words)
{
	const char *text = text_at(words, 1), *value;
	size_t n = name_length(text);
	struct text made = { .unknown = true };

	if (la_script_watches(shell->script, text, n, false)) {
		la_shell_lost(shell, node->start, node->end,
			      LA_SCRIPT_POSITIONAL, NULL);
		return;
	}
	if (!n || (text[n] && text[n] != '='))
		return;
	value = text[n] ? text + n + 1 : text_at(words, 2);
	value += !text[n] && *value == '=';
	if (!*value && words->count > 2)
		value = text_at(words, words->count - 1);
	made.unknown = words->open || words->count > 4 ||
		       strchr(la_strbuf_text(&words->at[1].text.bytes), '(') ||
		       words->at[words->count - 1].text.unknown;
	la_text_add(&made, value, strlen(value));
	la_shell_assign(shell, text, n, &made,
			(struct place){ node->start, node->end }, false);
	la_strbuf_release(&made.bytes);
}

static void run_eval(struct shell *shell, const struct node *node,
		     const struct fields *words)
{
	(void)node;
	la_shell_eval(shell, words, 1);
}

/* @ x = 1: arithmetic. */
static void run_arithmetic(struct shell *shell, const struct node *node,
			   const struct fields *words)
{
	la_shell_havoc(shell, text_at(words, 1), name_length(text_at(words, 1)),
		       (struct place){ node->start, node->end });
}

/* An alias may stand for anything. */
static void run_alias(struct shell *shell, const struct node *node,
		      const struct fields *words)
{
	(void)words;
	la_shell_lost(shell, node->start, node->end, LA_SCRIPT_NEEDS_RUNNING,
		      NULL);
}

static const struct {
	const char *name;
	void (*run)(struct shell *shell, const struct node *node,
		    const struct fields *words);
} commands[] = {
	{ "setenv", run_setenv }, { "unsetenv", run_unsetenv },
	{ "set", run_set },	  { "eval", run_eval },
	{ "@", run_arithmetic },  { "alias", run_alias },
};

/* Builtins that the Bourne family has too, alike enough. */
static bool is_shared(const char *name)
{
	static const char *const names[] = { "echo", "cd",   "source", "exit",
					     "exec", "wait", "true",   "false",
					     "printf", "test" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* Labels of switch, and what leaves it: nothing to do. */
static bool is_label(const char *name)
{
	size_t length = strlen(name);

	return !strcmp(name, "case") || !strcmp(name, "breaksw") ||
	       (length && name[length - 1] == ':');
}

static void run_words(struct shell *shell, const struct node *node,
		      const struct fields *words)
{
	const char *name = text_at(words, 0);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name)) {
			commands[i].run(shell, node, words);
			return;
		}
	if (is_label(name))
		return;
	if (is_shared(name)) {
		la_shell_builtin(shell, node, words);
		return;
	}
	if (la_shell_slip(shell, node, words))
		return;
	shell->status = STATUS_MAYBE;
	if (shell->capture)
		shell->capture->unknown = true;
	if (!la_shell_nested_shell(shell, node, words))
		la_shell_program(shell, words, node);
}

void la_tcsh_command(struct shell *shell, const struct node *node)
{
	struct fields words = { 0 };
	bool patterns = false;
	size_t i;

	la_shell_fields(shell, node->words, &words);
	for (i = 0; i < words.count; i++)
		patterns |= words.at[i].pattern;
	if (shell->flow == FLOW_NEXT && patterns)
		refuse(shell, node, LA_SCRIPT_GLOB,
		       "no file matches: the command does not run");
	else if (shell->flow == FLOW_NEXT && words.count)
		run_words(shell, node, &words);
	la_shell_fields_release(&words);
}
