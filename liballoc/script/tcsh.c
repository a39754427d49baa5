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

/* An error of a builtin ends the script, but not before its line does. */
static void refuse(struct shell *shell, const struct node *node,
		   enum la_script_code code, const char *why)
{
	la_shell_lost(shell, node->start, node->end, code, why);
	shell->status = STATUS_FALSE;
	if (shell->doubt)
		la_shell_may_end(shell,
				 (struct place){ node->start, node->end });
	else
		shell->line_ends = true;
}

/* As it is written, before expansions. */
static size_t word_count(const struct node *node)
{
	const struct word *word;
	size_t n = 0;

	for (word = node->words; word; word = word->next)
		n++;
	return n;
}

static void run_setenv(struct shell *shell, const struct node *node,
		       const struct fields *words)
{
	const char *name = text_at(words, 1);
	struct place place = { node->start, node->end };
	struct text value = { 0 };

	if (words->count > 1 && words->at[1].text.unknown) {
		la_shell_doubt(shell, node->start, node->end);
	} else if (words->count > 3 && word_count(node) > 3) {
		refuse(shell, node, LA_SCRIPT_SYNTAX,
		       "setenv takes a name and one value");
	} else if (words->count > 1 && !is_name(name)) {
		refuse(shell, node, LA_SCRIPT_OTHER_LANGUAGE,
		       "setenv wants a blank between name and value");
	} else if (words->count > 1) {
		la_shell_join(words, 2, &value);
		la_shell_assign(shell, name, strlen(name), &value, place, true);
		la_strbuf_release(&value.bytes);
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

/* What the shell alone has is kept under another name than what its programs
 * get. */
static void set_own(struct shell *shell, const struct node *node,
		    const struct field *name, size_t length,
		    const struct text *value)
{
	struct place place = { node->start, node->end };
	struct la_strbuf own = { 0 };
	struct variable *v;

	la_strbuf_add(&own, "\1", 1);
	la_strbuf_add(&own, la_strbuf_text(&name->text.bytes), length);
	la_shell_assign(shell, la_strbuf_text(&own), own.length, value, place,
			false);
	v = la_shell_variable(shell, la_strbuf_text(&own), own.length);
	if (v)
		v->state.list = node->grouped;
	la_strbuf_release(&own);
}

/* set x=v, set x = v, set x = (a b): variables of the shell alone. */
static void run_set(struct shell *shell, const struct node *node,
		    const struct fields *words)
{
	struct text value = { 0 };
	const char *text, *equals;
	size_t i = 1, n;

	if (words->count < 2)
		return;
	text = text_at(words, 1);
	n = name_length(text);
	la_shell_lost(shell, node->start, node->end, LA_SCRIPT_POSITIONAL,
		      NULL);
	if (!n || (text[n] && text[n] != '=')) {
		refuse(shell, node, LA_SCRIPT_SYNTAX, NULL);
		return;
	}
	equals = text[n] ? text + n : text_at(words, ++i);
	if (*equals && *equals != '=')
		refuse(shell, node, LA_SCRIPT_POSITIONAL, NULL);
	if (*equals == '=' && (equals[1] || words->at[i].text.unknown)) {
		la_text_add(&value, equals + 1, strlen(equals + 1));
		value.unknown = words->open || words->at[i].text.unknown ||
				words->count > i + 1;
	} else if (*equals == '=' && (node->grouped || i > 1)) {
		la_shell_join(words, i + 1, &value);
		value.unknown |= !node->grouped && words->count > i + 2;
	}
	set_own(shell, node, &words->at[1], n, &value);
	la_strbuf_release(&value.bytes);
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
	struct text value = { .unknown = true };

	if (words->count > 1)
		set_own(shell, node, &words->at[1],
			name_length(text_at(words, 1)), &value);
}

static void run_alias(struct shell *shell, const struct node *node,
		      const struct fields *words)
{
	(void)node;
	if (words->count > 2)
		la_shell_alias(shell, text_at(words, 1),
			       strlen(text_at(words, 1)));
}

static void run_words(struct shell *shell, const struct node *node,
		      const struct fields *words);

/* repeat N command; twice or once, the last counts. */
static void run_repeat(struct shell *shell, const struct node *node,
		       const struct fields *words)
{
	struct fields rest = { words->at + 2, words->count - 2, 0,
			       words->open };

	if (words->count > 2)
		run_words(shell, node, &rest);
}

static void run_command(struct shell *shell, const struct node *node,
			const struct fields *words)
{
	(void)words;
	la_shell_lost(shell, node->start, node->end, LA_SCRIPT_NOT_FOUND, NULL);
	shell->status = STATUS_FALSE;
}

static const struct {
	const char *name;
	void (*run)(struct shell *shell, const struct node *node,
		    const struct fields *words);
} commands[] = {
	{ "setenv", run_setenv }, { "unsetenv", run_unsetenv },
	{ "set", run_set },	  { "eval", run_eval },
	{ "@", run_arithmetic },  { "alias", run_alias },
	{ "repeat", run_repeat }, { "command", run_command },
};

/* Builtins that the Bourne family has too, alike enough. */
static bool is_shared(const char *name)
{
	static const char *const names[] = { "echo", "cd",   "source", "exit",
					     "exec", "wait", "true",   "false",
					     "printf", "test" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (la_is_word(names[i], name))
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
	const struct function *alias;
	const char *name = text_at(words, 0);
	struct fields all = *words;
	size_t i;

	alias = la_shell_function(shell, name);
	if (alias) {
		la_shell_call(shell, alias, &all);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (la_is_word(commands[i].name, name)) {
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
	if (la_shell_writes(shell, node, words))
		return;
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
	if (shell->flow == FLOW_END)
		la_shell_lost(shell, node->start, node->end, LA_SCRIPT_SYNTAX,
			      "a variable here is not set: the script ends");
	if (shell->flow == FLOW_NEXT && patterns)
		refuse(shell, node, LA_SCRIPT_GLOB,
		       "no file matches: the command does not run");
	else if (shell->flow == FLOW_NEXT && words.count)
		run_words(shell, node, &words);
	la_shell_fields_release(&words);
}
