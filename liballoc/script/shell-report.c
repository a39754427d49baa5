// SPDX-License-Identifier: Apache-2.0
/* What becomes of the watched variables: places and what is said of them. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/shell.h"
#include "util/array.h"
#include "util/util.h"

static void remember(struct shell *shell, size_t **list, size_t *room,
		     size_t *count, size_t place)
{
	if (grow_array(list, room, *count, sizeof(**list)))
		shell->error = -ENOMEM;
	else
		(*list)[(*count)++] = place;
}

static void remember_unseen(struct shell *shell, struct state *state)
{
	state->unseen = shell->unseen_count;
	remember(shell, &shell->unseen, &shell->unseen_room,
		 &shell->unseen_count, state->assignment);
}

static void say(struct shell *shell, size_t place, enum la_script_code code,
		struct place at, const char *why)
{
	if (why)
		la_script_say(shell->script, shell->part, place, code, at.start,
			      at.end, "%s", why);
	else
		la_script_say(shell->script, shell->part, place, code, at.start,
			      at.end, NULL);
}

/* The bytes of the part that an assignment stands at. */
static struct place place_of(const struct shell *shell,
			     const struct la_script_assignment *a)
{
	size_t start = a->offset - shell->part->offset;

	if (!shell->part->exact || a->offset < shell->part->offset ||
	    start > shell->part->length)
		return (struct place){ 0, 0 };
	return (struct place){ start, start + a->length };
}

/* Characters that only look like a quote or a blank. */
static const char *const lookalikes[] = {
	"\xe2\x80\x98", "\xe2\x80\x99", "\xe2\x80\x9c", "\xe2\x80\x9d",
	"\xc2\xa0",	"\xef\xbc\x9a", "\xe2\x80\x8b", "\xe2\x80\xaf",
	"\xc2\xab",	"\xc2\xbb",	NULL
};

static void say_of_value(struct shell *shell, size_t place, const char *value,
			 struct place at)
{
	size_t length = strlen(value), i;

	if (length && value[length - 1] == '\r')
		say(shell, place, LA_SCRIPT_CARRIAGE_RETURN, at, NULL);
	else if (length && (value[length - 1] == ' ' ||
			    value[length - 1] == '\t'))
		say(shell, place, LA_SCRIPT_TRAILING_BLANK, at, NULL);
	for (i = 0; lookalikes[i]; i++)
		if (strstr(value, lookalikes[i])) {
			say(shell, place, LA_SCRIPT_LOOKALIKE, at, NULL);
			return;
		}
}

static enum la_script_fate fate_of(const struct state *state)
{
	if (state->kind == VALUE_UNSET)
		return LA_SCRIPT_REMOVED;
	if (!state->exported)
		return LA_SCRIPT_LOST;
	return state->kind == VALUE_KNOWN ? LA_SCRIPT_ARRIVES :
					    LA_SCRIPT_UNKNOWN;
}

static const char *value_of(const struct state *state)
{
	return state->exported && state->kind == VALUE_KNOWN ? state->text :
							       NULL;
}

static void say_doubts(struct shell *shell, const struct state *state,
		       struct place at)
{
	if (state->kind == VALUE_UNKNOWN && state->exported)
		say(shell, state->assignment, LA_SCRIPT_NEEDS_RUNNING, at,
		    NULL);
	else if (shell->doubt)
		say(shell, state->assignment, LA_SCRIPT_NEEDS_RUNNING, at,
		    "only running it could tell whether this line runs");
}

/* Note the place that gave a watched variable its state. */
static void report(struct shell *shell, struct variable *variable,
		   struct place at)
{
	struct state *state = &variable->state;

	state->assignment = la_script_add(shell->script, shell->part,
					  variable->name, variable->length,
					  value_of(state), fate_of(state),
					  at.start, at.end);
	if (state->assignment == LA_SCRIPT_WHOLE)
		shell->error = -ENOSPC;
	state->part = shell->part;
	state->start = at.start;
	state->end = at.end;
	variable->last = state->assignment;
	variable->once = false;
	if (state->kind == VALUE_KNOWN)
		say_of_value(shell, state->assignment, state->text, at);
	say_doubts(shell, state, at);
	if (state->kind == VALUE_UNSET)
		return;
	if (state->exported)
		remember_unseen(shell, state);
	else
		remember(shell, &shell->plain, &shell->plain_room,
			 &shell->plain_count, state->assignment);
}

static char *copy_text(const struct text *value)
{
	return strndup(la_strbuf_text(&value->bytes), value->bytes.length);
}

bool la_shell_assign(struct shell *shell, const char *name, size_t length,
		     const struct text *value, struct place place, bool export)
{
	struct variable *v = la_shell_variable(shell, name, length);
	struct state state = { .assignment = LA_SCRIPT_WHOLE };
	const struct state *old = la_shell_state(shell, name, length);
	size_t refused;

	if (!v)
		return true;
	if (old->readonly) {
		if (!v->watched)
			return false;
		refused = la_script_add(shell->script, shell->part, name,
					length, NULL, LA_SCRIPT_LOST,
					place.start, place.end);
		say(shell, refused, LA_SCRIPT_READ_ONLY, place, NULL);
		v->last = refused;
		return false;
	}
	/* A variable of which nothing is known is most likely none. */
	state.exported = export || shell->allexport ||
			 (old->exported &&
			  (v->watched || old->kind == VALUE_KNOWN ||
			   old->assignment != LA_SCRIPT_WHOLE));
	state.exported |= v->tangled;
	state.scope = old->scope;
	state.kind = value && !value->unknown && !v->tangled ?
			     VALUE_KNOWN :
			     VALUE_UNKNOWN;
	if (state.kind == VALUE_KNOWN)
		state.text = copy_text(value);
	la_shell_set_state(shell, v, state);
	if (v->watched && !shell->error)
		report(shell, v, place);
	return true;
}

void la_shell_export(struct shell *shell, const char *name, size_t length,
		     struct place place)
{
	struct variable *v = la_shell_variable(shell, name, length);
	const struct state *old = la_shell_state(shell, name, length);
	struct state state = *old;

	if (!v || old->exported)
		return;
	if (state.text)
		state.text = strdup(state.text);
	state.exported = true;
	la_shell_set_state(shell, v, state);
	if (!v->watched || state.kind == VALUE_UNSET || shell->error)
		return;
	if (v->last != state.assignment ||
	    state.assignment == LA_SCRIPT_WHOLE) {
		report(shell, v, place);
		return;
	}
	la_script_change(shell->script, state.assignment, value_of(&v->state),
			 fate_of(&v->state));
	say_doubts(shell, &v->state, place);
	remember_unseen(shell, &v->state);
}

void la_shell_unexport(struct shell *shell, const char *name, size_t length,
		       struct place place)
{
	struct variable *v = la_shell_variable(shell, name, length);
	const struct state *old = la_shell_state(shell, name, length);
	struct state state = *old;

	if (!v || !old->exported)
		return;
	if (state.text)
		state.text = strdup(state.text);
	state.exported = false;
	la_shell_set_state(shell, v, state);
	if (v->watched && state.kind != VALUE_UNSET && !shell->error)
		report(shell, v, place);
}

void la_shell_unset(struct shell *shell, const char *name, size_t length,
		    struct place place)
{
	struct variable *v = la_shell_variable(shell, name, length);
	struct state state = { .assignment = LA_SCRIPT_WHOLE };

	if (!v)
		return;
	if (v->tangled) {
		la_shell_assign(shell, name, length, NULL, place, false);
		return;
	}
	la_shell_set_state(shell, v, state);
	if (v->watched && !shell->error)
		report(shell, v, place);
}

static bool is_name_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The name that stands at byte at of the text; its length, 0: none. */
static size_t watched_name(const struct shell *shell, size_t at, size_t end)
{
	const char *text = shell->part->text;
	size_t n = 0;

	if (!is_name_byte(text[at]) || (at && is_name_byte(text[at - 1])))
		return 0;
	while (at + n < end && is_name_byte(text[at + n]))
		n++;
	return la_script_watches(shell->script, text + at, n, false) ? n : 0;
}

/* Is what stands behind a name the sign of an assignment? */
static bool is_meant(const char *text, size_t at, size_t end)
{
	while (at < end && strchr("'\"]", text[at]) && text[at])
		at++;
	if (at < end && (text[at] == '=' || text[at] == ':'))
		return true;
	while (at < end && (text[at] == ' ' || text[at] == '\t'))
		at++;
	return at < end && !strchr("\n;|&)#", text[at]);
}

void la_shell_lost(struct shell *shell, size_t start, size_t end,
		   enum la_script_code code, const char *why)
{
	struct variable *v;
	size_t at, n, place;

	for (at = start; at < end; at += n ? n : 1) {
		n = watched_name(shell, at, end);
		if (!n || (at && shell->part->text[at - 1] == '$') ||
		    !is_meant(shell->part->text, at + n, end))
			continue;
		place = la_script_add(shell->script, shell->part,
				      shell->part->text + at, n, NULL,
				      LA_SCRIPT_LOST, at, at + n);
		if (place == LA_SCRIPT_WHOLE) {
			shell->error = -ENOSPC;
			return;
		}
		say(shell, place, code, (struct place){ at, at + n }, why);
		v = la_shell_variable(shell, shell->part->text + at, n);
		if (v)
			v->last = place;
	}
}

void la_shell_doubt(struct shell *shell, size_t start, size_t end)
{
	size_t at, n;

	for (at = start; at < end; at += n ? n : 1) {
		n = watched_name(shell, at, end);
		if (n)
			la_shell_assign(shell, shell->part->text + at, n, NULL,
					(struct place){ at, at + n }, true);
	}
}

/* Say again what a variable is, where something else was said since. */
static void repeat(struct shell *shell, struct variable *v)
{
	const struct la_script_part *now = shell->part;
	struct place at = { v->state.start, v->state.end };

	shell->part = v->state.part;
	report(shell, v, at);
	shell->part = now;
}

static bool is_exported(const struct state *state)
{
	return state->exported && state->kind != VALUE_UNSET;
}

/* The place said last is for no program that starts now. */
static void say_once(struct shell *shell, struct variable *v,
		     const struct la_script_assignment *last)
{
	size_t i;

	if (!shell->doubt) {
		say(shell, v->last, LA_SCRIPT_ONE_COMMAND,
		    place_of(shell, last), NULL);
		v->once = true;
		return;
	}
	for (i = 0; i < last->diagnostic_count; i++)
		if (last->diagnostics[i].code == LA_SCRIPT_NEEDS_RUNNING)
			return;
	say(shell, v->last, LA_SCRIPT_NEEDS_RUNNING, place_of(shell, last),
	    "only running it could tell whether the last program has it");
}

/* A program starts, which finds the variable's state. */
static void see(struct shell *shell, struct variable *v)
{
	const struct la_script_assignment *last =
		la_script_peek(shell->script, v->last);

	if (!last || (v->last == v->state.assignment &&
		      (last->fate != LA_SCRIPT_LOST || !v->state.exported)))
		return;
	if (is_exported(&v->state) && v->state.assignment != LA_SCRIPT_WHOLE)
		repeat(shell, v);
	else if (last->fate == LA_SCRIPT_ARRIVES && !v->once)
		say_once(shell, v, last);
}

/* After its launcher added places from before on. */
static void note_seen(struct shell *shell, struct variable *v, size_t before)
{
	bool launcher = v->last != LA_SCRIPT_WHOLE && v->last >= before;
	size_t place = launcher		       ? v->last :
		       is_exported(&v->state) ? v->state.assignment :
						LA_SCRIPT_WHOLE;

	v->seen_maybe = shell->doubt && (v->seen_maybe || v->seen != place);
	v->seen_alone = launcher;
	v->seen = place;
}

static struct la_script_word *words_of(const struct fields *words,
				       const struct node *node, size_t *count)
{
	struct la_script_word *word = calloc(words->count + 1, sizeof(*word));
	size_t i;

	for (i = 0; word && i < words->count; i++)
		word[i] = (struct la_script_word){
			words->at[i].text.unknown ?
				NULL :
				la_strbuf_text(&words->at[i].text.bytes),
			words->at[i].start, words->at[i].end
		};
	*count = words->count;
	if (word && node->open)
		word[(*count)++] = (struct la_script_word){ NULL, node->end,
							    node->end };
	return word;
}

static struct la_script_given *given_of(struct shell *shell, size_t *count)
{
	struct la_script_given *given;
	struct variable *v;
	size_t i;

	given = calloc(shell->watched_count + 1, sizeof(*given));
	for (*count = i = 0; given && i < shell->watched_count; i++) {
		v = shell->watched[i];
		if (!v->state.exported || v->state.kind == VALUE_UNSET)
			continue;
		given[(*count)++] = (struct la_script_given){
			v->name, value_of(&v->state), v->state.assignment
		};
	}
	return given;
}

/* What containers get of it: APPTAINERENV_V for V. */
static struct la_script_given *prefixed_of(struct shell *shell, size_t *count)
{
	static const char *const prefixes[] = { "APPTAINERENV_",
						"SINGULARITYENV_" };
	struct la_script_given *given;
	const struct state *state;
	struct la_strbuf name;
	struct variable *v;
	const char *watched;
	size_t i, k;

	for (i = 0; la_script_watched(shell->script, i);)
		i++;
	given = calloc(2 * i + 1, sizeof(*given));
	for (*count = i = 0;
	     given && (watched = la_script_watched(shell->script, i)); i++)
		for (k = 0; k < ARRAY_SIZE(prefixes); k++) {
			name = (struct la_strbuf){ 0 };
			la_strbuf_addf(&name, "%s%s", prefixes[k], watched);
			v = la_shell_variable(shell, la_strbuf_text(&name),
					      name.length);
			state = v ? la_shell_state(shell, v->name, v->length) :
				    NULL;
			if (state && state->exported &&
			    state->kind != VALUE_UNSET)
				given[(*count)++] = (struct la_script_given){
					v->name, value_of(state),
					LA_SCRIPT_WHOLE
				};
			la_strbuf_release(&name);
		}
	return given;
}

void la_shell_adopt(struct shell *shell, size_t before)
{
	const struct la_script_assignment *a;
	struct variable *v;
	size_t i;

	for (i = before; (a = la_script_peek(shell->script, i)); i++) {
		v = la_shell_variable(shell, a->variable, strlen(a->variable));
		if (!v)
			return;
		v->last = i;
		v->once = false;
		if (shell->doubt && a->fate == LA_SCRIPT_ARRIVES)
			say(shell, i, LA_SCRIPT_NEEDS_RUNNING,
			    place_of(shell, a), NULL);
	}
}

/* V=... of which only running tells the rest, as a launcher's argument. */
static void note_unknown(struct shell *shell, const struct fields *words)
{
	const struct field *field;
	struct variable *v;
	struct place at;
	size_t i, n;

	for (i = 1; i < words->count; i++) {
		field = &words->at[i];
		n = strcspn(text_at(words, i), "=");
		if (!field->text.unknown || !text_at(words, i)[n] ||
		    !la_script_watches(shell->script, text_at(words, i), n,
				       false))
			continue;
		v = la_shell_variable(shell, text_at(words, i), n);
		if (!v)
			return;
		at = (struct place){ field->start, field->end };
		v->last = la_script_add(shell->script, shell->part, v->name, n,
					NULL, LA_SCRIPT_UNKNOWN, at.start,
					at.end);
		v->once = false;
		say(shell, v->last, LA_SCRIPT_NEEDS_RUNNING, at, NULL);
	}
}

void la_shell_program(struct shell *shell, const struct fields *words,
		      const struct node *node)
{
	struct la_script_command command;
	struct la_script_word *word;
	struct la_script_given *given, *prefixed;
	bool launched = false;
	size_t i, before;

	la_shell_touches(shell, words);
	for (i = 0; i < shell->watched_count; i++)
		see(shell, shell->watched[i]);
	shell->unseen_count = 0;
	shell->program_count++;
	before = la_script_count(shell->script);
	word = words_of(words, node, &command.count);
	given = given_of(shell, &command.given_count);
	prefixed = prefixed_of(shell, &command.prefixed_count);
	command.word = word;
	command.given = given;
	command.prefixed = prefixed;
	if (!word || !given || !prefixed)
		shell->error = -ENOMEM;
	else if (command.count)
		launched = la_script_launch(shell->script, shell->part,
					    &command);
	free(word);
	free(given);
	free(prefixed);
	la_shell_adopt(shell, before);
	if (launched)
		note_unknown(shell, words);
	for (i = 0; i < shell->watched_count; i++)
		note_seen(shell, shell->watched[i], before);
}

static void lose(struct shell *shell, size_t place, enum la_script_code code,
		 const char *why)
{
	const struct la_script_assignment *a =
		la_script_peek(shell->script, place);

	if (!a || a->fate == LA_SCRIPT_LOST)
		return;
	la_script_change(shell->script, place, NULL, LA_SCRIPT_LOST);
	say(shell, place, code, place_of(shell, a), why);
}

void la_shell_state_ends(struct shell *shell, const struct state *state,
			 const char *why)
{
	if (state->unseen >= shell->unseen_count ||
	    shell->unseen[state->unseen] != state->assignment)
		return;
	shell->unseen[state->unseen] = LA_SCRIPT_WHOLE;
	lose(shell, state->assignment, LA_SCRIPT_CHILD_ENDS, why);
}

void la_shell_ends(struct shell *shell, size_t unseen,
		   enum la_script_code code, const char *why)
{
	while (shell->unseen_count > unseen)
		lose(shell, shell->unseen[--shell->unseen_count], code, why);
}

/* The place of a variable that holds when the text ends: what programs
 * started next find, or the last one found. */
static size_t holder_of(struct shell *shell, struct variable *v, bool ends)
{
	const struct la_script_assignment *last;

	if (ends)
		return v->seen;
	last = la_script_peek(shell->script, v->last);
	if (is_exported(&v->state) && v->state.assignment != LA_SCRIPT_WHOLE &&
	    last && v->last != v->state.assignment &&
	    (last->fate == LA_SCRIPT_LOST || v->last != v->seen))
		repeat(shell, v);
	last = la_script_peek(shell->script, v->last);
	if (last && last->fate == LA_SCRIPT_LOST && v->seen_alone)
		return v->seen;
	return v->last;
}

/* All other places than those that hold are over. */
static void end_places(struct shell *shell, bool ends)
{
	const struct la_script_assignment *a;
	struct variable *v;
	size_t i, count;

	for (i = 0; i < shell->watched_count; i++) {
		v = shell->watched[i];
		v->last = holder_of(shell, v, ends);
		a = la_script_peek(shell->script, v->last);
		if (a && v->last == v->seen && v->seen_maybe)
			say(shell, v->last, LA_SCRIPT_NEEDS_RUNNING,
			    place_of(shell, a), NULL);
	}
	count = la_script_count(shell->script);
	for (i = shell->first; i < count; i++) {
		a = la_script_peek(shell->script, i);
		v = la_shell_variable(shell, a->variable, strlen(a->variable));
		if (v && v->last != i)
			la_script_over(shell->script, i);
	}
}

void la_shell_finish(struct shell *shell, bool ends)
{
	const struct la_script_assignment *a;
	size_t i;

	for (i = 0; i < shell->plain_count; i++) {
		a = la_script_peek(shell->script, shell->plain[i]);
		if (a && a->fate == LA_SCRIPT_LOST)
			say(shell, shell->plain[i], LA_SCRIPT_NOT_EXPORTED,
			    place_of(shell, a), NULL);
	}
	end_places(shell, ends);
}
