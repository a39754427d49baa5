// SPDX-License-Identifier: Apache-2.0
/* export, readonly, declare, typeset, local and unset. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "script/shell.h"

/* What the options of one such command ask for. */
struct wish {
	bool export, unexport, readonly, local, global;
	bool odd; /* arrays, numbers: the value is not what it says */
	bool wrong; /* no such option */
};

static const char *text_of(const struct field *field)
{
	return la_strbuf_text(&field->text.bytes);
}

static void read_option(const struct shell *shell, const char *command,
			char sign, char letter, struct wish *wish)
{
	bool declare = strcmp(command, "export") && strcmp(command, "readonly");
	bool bash = shell->table->has & SHELL_EXPORT_BRACES;

	if (letter == 'x' && declare)
		*(sign == '-' ? &wish->export : &wish->unexport) = true;
	else if (letter == 'n' && bash && !declare)
		wish->unexport = true;
	else if (letter == 'r' && declare)
		wish->readonly = true;
	else if (letter == 'g' && declare)
		wish->global = true;
	else if (letter == 'p' && !declare)
		wish->odd = !bash;
	else if (!declare && !bash)
		wish->wrong = true;
	else
		wish->odd = true;
}

/* Options of words; the index of the first word behind them. */
static size_t read_options(const struct shell *shell,
			   const struct fields *words, struct wish *wish)
{
	const char *command = text_of(&words->at[0]), *option;
	size_t i, k;

	for (i = 1; i < words->count; i++) {
		option = text_of(&words->at[i]);
		if (words->at[i].text.unknown || !option[0] || !option[1] ||
		    (option[0] != '-' && option[0] != '+'))
			break;
		if (!strcmp(option, "--"))
			return i + 1;
		for (k = 1; option[k]; k++)
			read_option(shell, command, option[0], option[k], wish);
	}
	return i;
}

static size_t name_length(const char *text)
{
	size_t n = 0;

	if (isdigit((unsigned char)*text))
		return 0;
	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return n;
}

/* A word that is no name, or ends in one that = should follow. */
static void refuse(struct shell *shell, const struct node *node,
		   const struct fields *words, size_t index)
{
	const char *text = text_of(&words->at[index]);
	const char *before = text_of(&words->at[index - 1]);
	size_t places = la_script_count(shell->script);
	bool blanks = *text == '=' ||
		      (*before && before[strlen(before) - 1] == '=');
	struct place place = { node->start, node->end };

	la_shell_error(shell, place,
		       blanks ? LA_SCRIPT_BLANKS : LA_SCRIPT_SYNTAX, NULL);
	if (*text == '=' && la_script_count(shell->script) > places)
		la_script_say(shell->script, shell->part, places,
			      LA_SCRIPT_NOT_EXPORTED, node->start, node->end,
			      NULL);
}

static void make_readonly(struct shell *shell, const char *name, size_t length)
{
	struct variable *v = la_shell_variable(shell, name, length);
	struct state state;

	if (!v)
		return;
	state = v->state;
	if (state.text)
		state.text = strdup(state.text);
	state.readonly = true;
	la_shell_set_state(shell, v, state);
}

/* local V: a new variable until the function ends. */
static void make_local(struct shell *shell, const char *name, size_t length,
		       const struct wish *wish)
{
	const struct state *old = la_shell_state(shell, name, length);
	struct variable *v = la_shell_variable(shell, name, length);
	struct state state = { .assignment = LA_SCRIPT_WHOLE };

	if (!v || !wish->local)
		return;
	state.exported = wish->export ||
			 (old->exported &&
			  shell->table->has & SHELL_LOCAL_EXPORTS);
	la_shell_local(shell, v);
	la_shell_set_state(shell, v, state);
}

static void declare_value(struct shell *shell, const struct field *field,
			  size_t name, size_t skip, const struct wish *wish)
{
	const char *text = text_of(field);
	const struct state *old = la_shell_state(shell, text, name);
	struct text value = { .unknown = field->text.unknown || wish->odd };
	struct place place = { field->start, field->end };

	/* In ksh, typeset may take the mark of an export away. */
	if (!strcmp(shell->table->name, "ksh") && old->exported &&
	    !wish->export && !wish->readonly)
		value.unknown = true;
	if (skip == 2) {
		value.unknown |= old->kind == VALUE_UNKNOWN;
		if (old->kind == VALUE_KNOWN)
			la_text_add(&value, old->text, strlen(old->text));
	}
	la_text_add(&value, text + name + skip,
		    field->text.bytes.length - name - skip);
	make_local(shell, text, name, wish);
	if (!la_shell_assign(shell, text, name, &value, place, wish->export)) {
		shell->status = STATUS_FALSE;
		if (shell->table->has & SHELL_ERRORS_END)
			la_shell_stop(shell, place);
	}
	la_strbuf_release(&value.bytes);
	if (wish->readonly)
		make_readonly(shell, text, name);
	if (wish->unexport)
		la_shell_unexport(shell, text, name, place);
}

static void declare_name(struct shell *shell, const struct field *field,
			 size_t name, const struct wish *wish)
{
	const char *text = text_of(field);
	struct place place = { field->start, field->end };
	const struct state *state;

	if (wish->local && wish->odd)
		return;
	make_local(shell, text, name, wish);
	state = la_shell_state(shell, text, name);
	if (shell->table->has & SHELL_MODIFIERS && state->kind == VALUE_UNSET)
		/* zsh: it is empty, and in the environment once used. */
		la_shell_assign(shell, text, name, NULL, place, wish->export);
	else if (wish->export)
		la_shell_export(shell, text, name, place);
	if (wish->unexport)
		la_shell_unexport(shell, text, name, place);
	if (wish->readonly)
		make_readonly(shell, text, name);
}

/* One argument: NAME, NAME=value, NAME+=value, or wrong. */
static bool declare_one(struct shell *shell, const struct field *field,
			const struct wish *wish)
{
	const char *text = text_of(field);
	size_t name = name_length(text);
	bool append = text[name] == '+' && text[name + 1] == '=';

	if (field->text.unknown && !field->lexical) {
		la_script_say(shell->script, shell->part, LA_SCRIPT_WHOLE,
			      LA_SCRIPT_NEEDS_RUNNING, field->start,
			      field->end,
			      "only running it could tell what this sets");
		return true;
	}
	if (append && !(shell->table->has & SHELL_EXPORT_APPEND) &&
	    (wish->export || !(shell->table->has & SHELL_APPEND)))
		return false;
	if (!name || (text[name] && text[name] != '=' && !append))
		return false;
	if (text[name])
		declare_value(shell, field, name, 1 + append, wish);
	else
		declare_name(shell, field, name, wish);
	return true;
}

/* A letter that not all shells know: some end, some go on. */
static void refuse_option(struct shell *shell, const struct node *node)
{
	struct place place = { node->start, node->end };

	if (!strcmp(shell->table->name, "sh")) {
		la_shell_error(shell, place, LA_SCRIPT_SYNTAX, NULL);
		return;
	}
	la_shell_doubt(shell, node->start, node->end);
	la_shell_may_end(shell, place);
	shell->status = STATUS_MAYBE;
}

void la_shell_declare(struct shell *shell, const struct node *node,
		      const struct fields *words)
{
	const char *command = text_of(&words->at[0]);
	struct wish wish = { .export = !strcmp(command, "export"),
			     .readonly = !strcmp(command, "readonly") };
	size_t i = read_options(shell, words, &wish);

	shell->export_count++;
	if (wish.wrong) {
		refuse_option(shell, node);
		return;
	}
	if (wish.unexport)
		wish.export = false;
	wish.local = shell->has_locals && !wish.global &&
		     strcmp(command, "export") && strcmp(command, "readonly") &&
		     !(wish.export && shell->table->has & SHELL_MODIFIERS);
	if (!shell->in_function && !strcmp(command, "local")) {
		la_shell_lost(shell, node->start, node->end, LA_SCRIPT_SYNTAX,
			      NULL);
		shell->doubt++;
		shell->status = shell->table->has & SHELL_EXPORT_BRACES ?
					STATUS_FALSE :
					STATUS_MAYBE;
		if (shell->table->has & SHELL_ERRORS_END)
			la_shell_may_end(shell, (struct place){ node->start,
								node->end });
	}
	for (; i < words->count && shell->flow == FLOW_NEXT; i++)
		if (!declare_one(shell, &words->at[i], &wish))
			refuse(shell, node, words, i);
	if (!shell->in_function && !strcmp(command, "local"))
		shell->doubt--;
}

void la_shell_unset_words(struct shell *shell, const struct fields *words)
{
	const struct field *field;
	struct place place;
	size_t i, n;

	for (i = 1; i < words->count; i++) {
		field = &words->at[i];
		place = (struct place){ field->start, field->end };
		n = name_length(text_of(field));
		if (!strcmp(text_of(field), "-f"))
			return;
		if (field->text.unknown || !n || text_of(field)[n])
			continue;
		if (la_shell_state(shell, text_of(field), n)->readonly)
			shell->status = STATUS_FALSE;
		else
			la_shell_unset(shell, text_of(field), n, place);
	}
}
