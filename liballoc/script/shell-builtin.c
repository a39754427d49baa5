// SPDX-License-Identifier: Apache-2.0
/* Builtins of the Bourne family that matter to variables, and those that do
 * not. */
#include <errno.h>
#include <string.h>

#include "script/shell.h"
#include "script/written.h"
#include "util/util.h"

typedef void run_fn(struct shell *shell, const struct node *node,
		    const struct fields *words);

static bool known(const struct fields *words)
{
	size_t i;

	for (i = 0; i < words->count; i++)
		if (words->at[i].text.unknown)
			return false;
	return !words->open;
}

static void run_true(struct shell *shell, const struct node *node,
		     const struct fields *words)
{
	(void)node;
	(void)words;
	shell->status = STATUS_TRUE;
}

static void run_false(struct shell *shell, const struct node *node,
		      const struct fields *words)
{
	(void)node;
	(void)words;
	shell->status = STATUS_FALSE;
}

static void run_maybe(struct shell *shell, const struct node *node,
		      const struct fields *words)
{
	(void)node;
	(void)words;
	shell->status = STATUS_MAYBE;
}

/* Prints what is not followed. */
static void run_prints(struct shell *shell, const struct node *node,
		       const struct fields *words)
{
	(void)node;
	(void)words;
	if (shell->capture)
		shell->capture->unknown = true;
	shell->status = STATUS_MAYBE;
}

static void run_cd(struct shell *shell, const struct node *node,
		   const struct fields *words)
{
	la_script_files_leave(shell->script);
	run_prints(shell, node, words);
}

static void run_echo(struct shell *shell, const struct node *node,
		     const struct fields *words)
{
	if (la_shell_prints(shell, node, words))
		return;
	if (shell->capture && node->redirects)
		shell->capture->unknown = true;
	else if (shell->capture)
		la_shell_echo(shell, words);
}

static void run_printf(struct shell *shell, const struct node *node,
		       const struct fields *words)
{
	struct text value = { .unknown = true };
	struct place place = { node->start, node->end };

	if (!strcmp(text_at(words, 1), "-v") && words->count > 2) {
		la_shell_assign(shell, text_at(words, 2),
				strlen(text_at(words, 2)), &value, place,
				false);
		return;
	}
	if (la_shell_prints(shell, node, words))
		return;
	if (shell->capture && node->redirects)
		shell->capture->unknown = true;
	else if (shell->capture)
		la_shell_printf(shell, words);
}

static void run_test(struct shell *shell, const struct node *node,
		     const struct fields *words)
{
	size_t last = words->count;

	(void)node;
	if (!strcmp(text_at(words, 0), "[")) {
		if (strcmp(text_at(words, last - 1), "]")) {
			shell->status = STATUS_MAYBE;
			return;
		}
		last--;
	}
	shell->status = words->open ? STATUS_MAYBE :
				      la_shell_test(shell, words, 1, last);
}

/* Scripts of bash have none. */
static void run_alias(struct shell *shell, const struct node *node,
		      const struct fields *words)
{
	bool none = shell->table->has & SHELL_EXPORT_BRACES;
	const char *text;
	size_t i;

	(void)node;
	for (i = 1; i < words->count && !none; i++) {
		text = text_at(words, i);
		if (strchr(text, '='))
			la_shell_alias(shell, text, strcspn(text, "="));
	}
	shell->status = STATUS_MAYBE;
}

static void run_unset(struct shell *shell, const struct node *node,
		      const struct fields *words)
{
	(void)node;
	la_shell_unset_words(shell, words);
}

static void run_read(struct shell *shell, const struct node *node,
		     const struct fields *words)
{
	size_t i;

	(void)node;
	for (i = 1; i < words->count; i++)
		if (!words->at[i].text.unknown && text_at(words, i)[0] != '-')
			la_shell_assign(shell, text_at(words, i),
					strlen(text_at(words, i)), NULL,
					(struct place){ words->at[i].start,
							words->at[i].end },
					false);
	shell->status = STATUS_MAYBE;
}

static void set_option(struct shell *shell, char letter, bool on)
{
	if (letter == 'a')
		shell->allexport = on;
	else if (letter == 'e')
		shell->errexit = on;
	else if (letter == 'u')
		shell->nounset = on;
}

static void set_named_option(struct shell *shell, const char *name, bool on)
{
	if (!strcmp(name, "allexport"))
		set_option(shell, 'a', on);
	else if (!strcmp(name, "errexit"))
		set_option(shell, 'e', on);
	else if (!strcmp(name, "nounset"))
		set_option(shell, 'u', on);
}

/* Letters that some shell's set does not know end its scripts. */
static bool is_set_letter(const struct shell *shell, char letter)
{
	const char *more = shell->table->has & SHELL_MODIFIERS ?
				   "gqABDEFGHIJKLMNOPQRSTUVWXYZ0123456789" :
			   !strcmp(shell->table->name, "sh") ? "VEI" :
			   shell->table->has & SHELL_BRACES  ? "BCHPTkpr" :
							       "Ck";

	return strchr("abefhkmnuvxCost", letter) || strchr(more, letter);
}

static enum la_script_code set_code(const struct fields *words)
{
	const char *option = text_at(words, 1);

	if (*option == '-' && !option[1 + strspn(option + 1, "x")])
		return LA_SCRIPT_XTRACE;
	return *option == '-' ? LA_SCRIPT_OTHER_LANGUAGE :
				LA_SCRIPT_POSITIONAL;
}

static void run_set(struct shell *shell, const struct node *node,
		    const struct fields *words)
{
	struct place place = { node->start, node->end };
	const char *option;
	size_t i, k;

	for (i = 1; i < words->count; i++) {
		option = text_at(words, i);
		if ((*option != '-' && *option != '+') || !option[1] ||
		    !strcmp(option, "--"))
			break;
		for (k = 1; option[k]; k++) {
			if (!is_set_letter(shell, option[k])) {
				la_shell_error(shell, place, set_code(words),
					       NULL);
				return;
			}
			set_option(shell, option[k], *option == '-');
			if (option[k] == 'o')
				set_named_option(shell, text_at(words, ++i),
						 *option == '-');
		}
	}
	if (i < words->count) {
		shell->arguments = NULL;
		la_shell_lost(shell, place.start, place.end, set_code(words),
			      NULL);
	}
}

static void leave(struct shell *shell, enum flow flow)
{
	if (!shell->doubt)
		shell->flow = flow;
}

static void may_leave(struct shell *shell, const struct node *node,
		      enum flow flow)
{
	if (shell->doubt)
		la_shell_may_end(shell,
				 (struct place){ node->start, node->end });
	leave(shell, flow);
}

static void run_exec(struct shell *shell, const struct node *node,
		     const struct fields *words)
{
	struct fields rest = { words->at + 1, words->count - 1, 0, false };

	if (words->count < 2)
		return;
	if (!la_shell_nested_shell(shell, node, &rest))
		la_shell_program(shell, &rest, node);
	may_leave(shell, node, FLOW_END);
}

static void run_command(struct shell *shell, const struct node *node,
			const struct fields *words)
{
	bool zsh = shell->table->has & SHELL_MODIFIERS;
	struct fields rest = { words->at + 1, words->count - 1, 0,
			       words->open };

	if (!rest.count || text_at(words, 1)[0] == '-') {
		run_prints(shell, node, words);
	} else if ((!zsh || strcmp(text_at(words, 0), "command")) &&
		   la_shell_is_builtin(shell, text_at(words, 1))) {
		la_shell_builtin(shell, node, &rest);
	} else if (!la_shell_nested_shell(shell, node, &rest)) {
		la_shell_program(shell, &rest, node);
		run_prints(shell, node, words);
	}
}

static void run_eval(struct shell *shell, const struct node *node,
		     const struct fields *words)
{
	(void)node;
	la_shell_eval(shell, words, 1);
}

/* Another file may set anything. */
static void run_source(struct shell *shell, const struct node *node,
		       const struct fields *words)
{
	size_t i;

	shell->status = STATUS_MAYBE;
	if (!strcmp(text_at(words, 1), "/dev/null") ||
	    la_shell_reads_written(shell, words))
		return;
	for (i = 0; i < shell->watched_count; i++)
		if (shell->watched[i]->last != LA_SCRIPT_WHOLE) {
			la_script_say(shell->script, shell->part,
				      LA_SCRIPT_WHOLE, LA_SCRIPT_NEEDS_RUNNING,
				      node->start, node->end,
				      "the file read here may set %s too",
				      shell->watched[i]->name);
			return;
		}
}

static void run_exit(struct shell *shell, const struct node *node,
		     const struct fields *words)
{
	(void)words;
	may_leave(shell, node, FLOW_END);
}

static void run_return(struct shell *shell, const struct node *node,
		       const struct fields *words)
{
	(void)words;
	if (shell->in_function)
		may_leave(shell, node, FLOW_RETURN);
	else if (shell->table->has & (SHELL_ERRORS_END | SHELL_FISH))
		may_leave(shell, node, FLOW_END);
}

static void run_break(struct shell *shell, const struct node *node,
		      const struct fields *words)
{
	(void)node;
	leave(shell, !strcmp(text_at(words, 0), "break") ? FLOW_BREAK :
							   FLOW_CONTINUE);
}

/* Some shells end where there is nothing to shift. */
static void run_shift(struct shell *shell, const struct node *node,
		      const struct fields *words)
{
	(void)words;
	shell->arguments = NULL;
	shell->status = STATUS_MAYBE;
	if (shell->table->has & SHELL_ERRORS_END)
		la_shell_may_end(shell,
				 (struct place){ node->start, node->end });
}

static const struct builtin {
	const char *name;
	run_fn *run;
	unsigned int needs; /* shell_feature */
} builtins[] = {
	{ ".", run_source, 0 },
	{ ":", run_true, 0 },
	{ "[", run_test, 0 },
	{ "alias", run_alias, 0 },
	{ "autoload", run_maybe, SHELL_MODIFIERS },
	{ "bg", run_maybe, 0 },
	{ "bind", run_maybe, SHELL_EXPORT_BRACES },
	{ "bindkey", run_maybe, SHELL_MODIFIERS },
	{ "break", run_break, 0 },
	{ "builtin", run_command, SHELL_BRACES },
	{ "cd", run_cd, 0 },
	{ "command", run_command, 0 },
	{ "compdef", run_maybe, SHELL_MODIFIERS },
	{ "complete", run_maybe, SHELL_EXPORT_BRACES },
	{ "continue", run_break, 0 },
	{ "dirs", run_prints, SHELL_BRACES },
	{ "echo", run_echo, 0 },
	{ "enable", run_maybe, SHELL_EXPORT_BRACES },
	{ "eval", run_eval, 0 },
	{ "exec", run_exec, 0 },
	{ "exit", run_exit, 0 },
	{ "false", run_false, 0 },
	{ "fg", run_maybe, 0 },
	{ "getopts", run_read, 0 },
	{ "hash", run_maybe, 0 },
	{ "jobs", run_prints, 0 },
	{ "kill", run_maybe, 0 },
	{ "let", run_maybe, SHELL_BRACES },
	{ "popd", run_cd, SHELL_BRACES },
	{ "print", run_prints, SHELL_BRACES },
	{ "printf", run_printf, 0 },
	{ "pushd", run_cd, SHELL_BRACES },
	{ "pwd", run_prints, 0 },
	{ "read", run_read, 0 },
	{ "return", run_return, 0 },
	{ "set", run_set, 0 },
	{ "setopt", run_maybe, SHELL_MODIFIERS },
	{ "shift", run_shift, 0 },
	{ "shopt", run_maybe, SHELL_EXPORT_BRACES },
	{ "source", run_source, SHELL_BRACES },
	{ "test", run_test, 0 },
	{ "times", run_prints, 0 },
	{ "trap", run_maybe, 0 },
	{ "true", run_true, 0 },
	{ "type", run_prints, 0 },
	{ "ulimit", run_prints, 0 },
	{ "umask", run_prints, 0 },
	{ "unalias", run_maybe, 0 },
	{ "unset", run_unset, 0 },
	{ "unsetopt", run_maybe, SHELL_MODIFIERS },
	{ "wait", run_maybe, 0 },
	{ "zmodload", run_maybe, SHELL_MODIFIERS },
	{ "zstyle", run_maybe, SHELL_MODIFIERS },
};

/* Has the shell it?  The builtin of ksh loads commands. */
static bool has(const struct shell *shell, const struct builtin *builtin)
{
	if (!strcmp(builtin->name, "builtin"))
		return la_shell_has_command(shell->table, builtin->name);
	return (shell->table->has & builtin->needs) == builtin->needs;
}

static const struct builtin *find(const struct shell *shell, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(builtins); i++)
		if (la_is_word(builtins[i].name, name) &&
		    has(shell, &builtins[i]))
			return &builtins[i];
	return NULL;
}

bool la_shell_declares(const struct shell *shell, const char *name)
{
	static const char *const names[] = { "export",	"readonly", "declare",
					     "typeset", "local",    "global" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (la_is_word(names[i], name))
			return la_shell_has_command(shell->table, name);
	return false;
}

bool la_shell_is_builtin(const struct shell *shell, const char *name)
{
	return la_shell_declares(shell, name) || find(shell, name);
}

void la_shell_builtin(struct shell *shell, const struct node *node,
		      const struct fields *words)
{
	const char *name = text_at(words, 0);
	const struct builtin *builtin = find(shell, name);

	if (la_shell_declares(shell, name)) {
		la_shell_declare(shell, node, words);
		return;
	}
	if (!known(words) && builtin && (builtin->run == run_set))
		shell->arguments = NULL;
	if (builtin)
		builtin->run(shell, node, words);
}
