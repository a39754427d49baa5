// SPDX-License-Identifier: Apache-2.0
/* Variables, and undoing what a child shell did to them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/shell.h"
#include "util/array.h"

static size_t hash_name(const char *name, size_t length)
{
	size_t hash = 5381;

	while (length--)
		hash = hash * 33 + (unsigned char)*name++;
	return hash;
}

static void grow_table(struct shell *shell)
{
	size_t count = shell->bucket_count ? shell->bucket_count * 2 : 64, i;
	struct variable **bucket = calloc(count, sizeof(struct variable *));
	struct variable *v, *next;

	if (!bucket) {
		shell->error = -ENOMEM;
		return;
	}
	for (i = 0; i < shell->bucket_count; i++)
		for (v = shell->bucket[i]; v; v = next) {
			size_t to = hash_name(v->name, v->length) % count;

			next = v->next;
			v->next = bucket[to];
			bucket[to] = v;
		}
	free(shell->bucket);
	shell->bucket = bucket;
	shell->bucket_count = count;
}

/* What a variable is before the text begins. */
static void begin(struct shell *shell, struct variable *variable)
{
	const char *outer = la_script_outer(shell->script, variable->name,
					    variable->length);

	bool none = variable->watched ||
		    la_script_container_prefix(shell->script, variable->name,
					       variable->length);

	variable->state.assignment = LA_SCRIPT_WHOLE;
	variable->last = variable->seen = LA_SCRIPT_WHOLE;
	variable->state.kind = outer ? VALUE_KNOWN :
			       none  ? VALUE_UNSET :
				       VALUE_UNKNOWN;
	variable->state.exported = outer || !none;
	if (variable->name[0] == '\1') /* of tcsh alone */
		variable->state.kind = VALUE_UNSET;
	if (outer) {
		variable->state.text = strdup(outer);
		if (!variable->state.text)
			shell->error = -ENOMEM;
	}
}

static struct variable *add_variable(struct shell *shell, const char *name,
				     size_t length)
{
	struct variable *variable = calloc(1, sizeof(*variable) + length + 1);
	struct variable **bucket;

	if (shell->variable_count >= shell->bucket_count)
		grow_table(shell);
	if (!variable || !shell->bucket) {
		free(variable);
		shell->error = -ENOMEM;
		return NULL;
	}
	memcpy(variable->name, name, length);
	variable->length = length;
	bucket = &shell->bucket[hash_name(name, length) % shell->bucket_count];
	variable->next = *bucket;
	*bucket = variable;
	shell->variable_count++;
	variable->watched = la_script_watches(shell->script, name, length,
					      false);
	begin(shell, variable);
	if (!variable->watched)
		return variable;
	if (grow_array(&shell->watched, &shell->watched_room,
		       shell->watched_count, sizeof(struct variable *)))
		shell->error = -ENOMEM;
	else
		shell->watched[shell->watched_count++] = variable;
	return variable;
}

struct variable *la_shell_find(const struct shell *shell, const char *name,
			       size_t length)
{
	struct variable *v = NULL;

	if (shell->bucket_count)
		v = shell->bucket[hash_name(name, length) %
				  shell->bucket_count];
	while (v && (v->length != length || memcmp(v->name, name, length)))
		v = v->next;
	return v;
}

struct variable *la_shell_variable(struct shell *shell, const char *name,
				   size_t length)
{
	struct variable *v = la_shell_find(shell, name, length);

	return v ? v : add_variable(shell, name, length);
}

const struct state *la_shell_state(struct shell *shell, const char *name,
				   size_t length)
{
	static const struct state unset = { .assignment = LA_SCRIPT_WHOLE };
	const struct variable *v = la_shell_variable(shell, name, length);

	if (!v || (!v->state.exported && v->state.process != shell->process))
		return &unset;
	return &v->state;
}

void la_shell_set_state(struct shell *shell, struct variable *variable,
			struct state state)
{
	struct change *change;

	if (state.kind == VALUE_KNOWN && !state.text)
		shell->error = -ENOMEM;
	state.process = shell->process;
	if (!shell->marks) {
		free(variable->state.text);
		variable->state = state;
		return;
	}
	if (grow_array(&shell->change, &shell->change_room,
		       shell->change_count, sizeof(*shell->change))) {
		free(state.text);
		shell->error = -ENOMEM;
		return;
	}
	change = &shell->change[shell->change_count++];
	change->variable = variable;
	change->old = variable->state;
	variable->state = state;
}

/* Only running tells what it is. */
static void forget(struct state *state)
{
	free(state->text);
	state->text = NULL;
	state->kind = VALUE_UNKNOWN;
	state->exported = true;
}

size_t la_shell_mark(struct shell *shell)
{
	shell->marks++;
	return shell->change_count;
}

void la_shell_undo(struct shell *shell, size_t mark)
{
	struct change *change;
	struct variable *v;

	while (shell->change_count > mark) {
		change = &shell->change[--shell->change_count];
		v = change->variable;
		v->seen_alone |= v->seen == v->state.assignment &&
				 v->seen != change->old.assignment;
		free(v->state.text);
		v->state = change->old;
		if (v->tangled)
			forget(&v->state);
	}
	shell->marks--;
}

void la_shell_keep(struct shell *shell, size_t mark)
{
	if (--shell->marks)
		return;
	while (shell->change_count > mark)
		free(shell->change[--shell->change_count].old.text);
}

static bool same(const struct state *a, const struct state *b)
{
	return a->kind == b->kind && a->exported == b->exported &&
	       a->kind != VALUE_UNKNOWN &&
	       (a->kind == VALUE_UNSET || !strcmp(a->text, b->text));
}

void la_shell_blur(struct shell *shell, size_t mark)
{
	struct state *state;
	size_t i;

	for (i = mark; i < shell->change_count; i++) {
		state = &shell->change[i].variable->state;
		if (same(&shell->change[i].old, state))
			continue;
		free(state->text);
		state->text = NULL;
		state->kind = VALUE_UNKNOWN;
		state->exported |= shell->change[i].old.exported;
	}
	la_shell_keep(shell, mark);
}

void la_shell_local(struct shell *shell, struct variable *variable)
{
	struct change *local;

	if (grow_array(&shell->local, &shell->local_room, shell->local_count,
		       sizeof(*shell->local))) {
		shell->error = -ENOMEM;
		return;
	}
	local = &shell->local[shell->local_count++];
	*local = (struct change){ variable, variable->state };
	if (local->old.text)
		local->old.text = strdup(local->old.text);
	variable->hidden++;
}

void la_shell_tangle(struct shell *shell, struct variable *variable)
{
	struct state state = variable->state;

	variable->tangled = true;
	state.text = NULL;
	forget(&state);
	la_shell_set_state(shell, variable, state);
}

/* In a block of fish: a variable of the function around it stays. */
static bool stays(const struct shell *shell, const struct change *local)
{
	unsigned int scope = local->variable->state.scope;

	return scope && scope == shell->function_scope && scope != shell->scope;
}

static void give_back(struct shell *shell, struct change *local)
{
	struct variable *v = local->variable;
	unsigned int process = local->old.process;

	la_shell_state_ends(shell, &v->state,
			    "the variable ends with its function or block "
			    "before a program starts");
	if (v->tangled)
		forget(&local->old);
	la_shell_set_state(shell, v, local->old);
	v->state.process = process;
	v->hidden--;
}

void la_shell_leave(struct shell *shell, size_t locals)
{
	size_t i, kept = locals;

	for (i = shell->local_count; i > locals; i--) {
		if (stays(shell, &shell->local[i - 1]))
			continue;
		give_back(shell, &shell->local[i - 1]);
		shell->local[i - 1].variable = NULL;
	}
	for (i = locals; i < shell->local_count; i++)
		if (shell->local[i].variable)
			shell->local[kept++] = shell->local[i];
	shell->local_count = kept;
}

void la_shell_scope_release(struct shell *shell)
{
	struct variable *v;
	size_t i;

	for (i = 0; i < shell->change_count; i++)
		free(shell->change[i].old.text);
	for (i = 0; i < shell->bucket_count; i++)
		while ((v = shell->bucket[i])) {
			shell->bucket[i] = v->next;
			free(v->state.text);
			free(v);
		}
	for (i = 0; i < shell->local_count; i++)
		free(shell->local[i].old.text);
	free(shell->local);
	free(shell->bucket);
	free(shell->change);
	free(shell->watched);
	free(shell->unseen);
	free(shell->plain);
}
