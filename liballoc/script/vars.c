// SPDX-License-Identifier: Apache-2.0
/* Names with values, and ${...} as files write it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "script/vars.h"
#include "util/array.h"

enum {
	NESTED = 16, /* most ${ within ${ */
	MOST_OPEN = 64, /* most ${ that are open, whatever is in them */
	MOST_NAMES = 1 << 16 /* kept */
};

void la_script_vars_release(struct la_script_vars *vars)
{
	size_t i;

	for (i = 0; i < vars->count; i++) {
		free(vars->var[i].name);
		free(vars->var[i].value);
	}
	free(vars->var);
	free(vars->slot);
	memset(vars, 0, sizeof(*vars));
}

static uint32_t hash(const char *name, size_t length)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	while (length--)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return h;
}

/* The slot of a name, or the free one where it would be put. */
static size_t slot_of(const struct la_script_vars *vars, const char *name,
		      size_t length)
{
	size_t mask = vars->slots - 1, i;
	const char *has;

	length = strnlen(name, length);
	for (i = hash(name, length) & mask; vars->slot[i]; i = (i + 1) & mask) {
		has = vars->var[vars->slot[i] - 1].name;
		if (!strncmp(has, name, length) && !has[length])
			break;
	}
	return i;
}

static size_t position(const struct la_script_vars *vars, const char *name,
		       size_t length)
{
	uint32_t found;

	if (!vars->count)
		return 0;
	found = vars->slot[slot_of(vars, name, length)];
	return found ? found - 1 : vars->count;
}

const struct la_script_var *
la_script_vars_find(const struct la_script_vars *vars, const char *name,
		    size_t length)
{
	size_t i = position(vars, name, length);

	return i < vars->count ? &vars->var[i] : NULL;
}

static void enter(struct la_script_vars *vars, size_t index)
{
	const char *name = vars->var[index].name;

	vars->slot[slot_of(vars, name, strlen(name))] = index + 1;
}

/* Free a slot; those behind it may have been put there because it was taken.
 */
static void free_slot(struct la_script_vars *vars, size_t i)
{
	size_t mask = vars->slots - 1;
	uint32_t index;

	vars->slot[i] = 0;
	while (i = (i + 1) & mask, (index = vars->slot[i])) {
		vars->slot[i] = 0;
		enter(vars, index - 1);
	}
}

void la_script_vars_unset(struct la_script_vars *vars, const char *name,
			  size_t length)
{
	size_t i = position(vars, name, length);
	struct la_script_var *var, *last;

	if (i == vars->count)
		return;
	var = &vars->var[i];
	free_slot(vars, slot_of(vars, name, length));
	vars->bytes -= var->value ? strlen(var->value) : 0;
	last = &vars->var[--vars->count];
	if (var != last)
		vars->slot[slot_of(vars, last->name, strlen(last->name))] =
			i + 1;
	free(var->name);
	free(var->value);
	*var = *last;
}

/* Room for one more variable and its slot; 0 or -ENOMEM. */
static int make_room(struct la_script_vars *vars)
{
	size_t slots = vars->slots ? 2 * vars->slots : 64, i;
	uint32_t *slot;

	if (grow_array(&vars->var, &vars->room, vars->count,
		       sizeof(*vars->var)))
		return -ENOMEM;
	if (2 * (vars->count + 1) <= vars->slots)
		return 0;
	slot = calloc(slots, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(vars->slot);
	vars->slot = slot;
	vars->slots = slots;
	for (i = 0; i < vars->count; i++)
		enter(vars, i);
	return 0;
}

/* A copy; NULL for none, and for one that there is no room to keep. */
static char *copy_value(struct la_script_vars *vars, const char *value)
{
	size_t length = value ? strlen(value) : 0;
	char *copy;

	if (!value || length >= LA_SCRIPT_VALUE ||
	    length > LA_SCRIPT_VALUES - vars->bytes)
		return NULL;
	copy = strdup(value);
	vars->failed |= !copy;
	vars->bytes += copy ? length : 0;
	return copy;
}

void la_script_vars_set(struct la_script_vars *vars, const char *name,
			size_t length, const char *value)
{
	size_t i = position(vars, name, length);
	struct la_script_var *var;
	char *copy;

	if (i == vars->count && vars->count == MOST_NAMES) {
		vars->full = true;
		return;
	}
	copy = copy_value(vars, value);
	la_script_vars_unset(vars, name, length);
	if (make_room(vars)) {
		free(copy);
		vars->failed = true;
		return;
	}
	var = &vars->var[vars->count];
	var->value = copy;
	var->name = strndup(name, length);
	if (!var->name) {
		free(copy);
		vars->failed = true;
		return;
	}
	enter(vars, vars->count++);
}

void la_script_value_release(struct la_script_value *value)
{
	la_strbuf_release(&value->text);
	memset(value, 0, sizeof(*value));
}

static void keep_name(char *to, const char *name, size_t length)
{
	if (length >= LA_SCRIPT_NAME)
		length = LA_SCRIPT_NAME - 1;
	memcpy(to, name, length);
	to[length] = '\0';
}

void la_script_value_unknown(struct la_script_value *value, const char *name,
			     size_t length)
{
	if (!value->unknown)
		keep_name(value->because, name, length);
	value->unknown = true;
}

void la_script_value_add(struct la_script_value *value, const char *name,
			 size_t length, const char *found)
{
	size_t bytes = strlen(found);

	if (bytes + value->text.length < LA_SCRIPT_VALUE) {
		la_strbuf_add(&value->text, found, bytes);
		return;
	}
	la_script_value_unknown(value, name, length);
	value->too_long = true;
}

size_t la_script_name(const char *text, size_t length)
{
	size_t n;

	for (n = 0; n < length; n++)
		if (!(text[n] == '_' || (text[n] >= 'a' && text[n] <= 'z') ||
		      (text[n] >= 'A' && text[n] <= 'Z') ||
		      (n && text[n] >= '0' && text[n] <= '9')))
			break;
	return n;
}

enum state { SET, UNSET, UNKNOWN };

static enum state look_up(const struct la_script_scope *scope,
			  const char *name, size_t length, const char **value)
{
	const struct la_script_var *var =
		la_script_vars_find(scope->vars, name, length);

	*value = var ? var->value :
		       la_script_outer(scope->script, name, length);
	if (*value)
		return SET;
	return var || scope->vars->full || (scope->flags & LA_SCRIPT_OPEN) ?
		       UNKNOWN :
		       UNSET;
}

static void expand_all(const struct la_script_scope *scope, const char *text,
		       size_t length, struct la_script_value *value,
		       unsigned int depth);

/* Where the brace that opens before text closes; length: nowhere; SIZE_MAX:
 * too much opens before it closes. */
static size_t closing_brace(const struct la_script_scope *scope,
			    const char *text, size_t length)
{
	unsigned int open = 1, within = 0;
	size_t i;

	for (i = 0; i < length && within < MOST_OPEN; i++) {
		if (scope->escape && text[i] == scope->escape) {
			i++;
		} else if (text[i] == '{' && i && text[i - 1] == '$') {
			within++;
			open += !(scope->flags & LA_SCRIPT_FLAT);
		} else if (text[i] == '}' && !--open) {
			return i;
		}
	}
	return within < MOST_OPEN ? length : SIZE_MAX;
}

/* One ${...}, taken apart. */
struct braces {
	const char *name;
	size_t length; /* of the name */
	bool colon; /* empty counts as not set */
	char what; /* - + ? or 0: nothing follows the name */
	const char *word;
	size_t word_length;
};

/* False if the reader does not know this form. */
static bool take_apart(const struct la_script_scope *scope, const char *inside,
		       size_t length, struct braces *b)
{
	size_t n = la_script_name(inside, length);

	*b = (struct braces){ .name = inside, .length = n };
	if (!n)
		return false;
	if (n == length)
		return true;
	b->colon = inside[n] == ':';
	n += b->colon;
	if ((scope->flags & LA_SCRIPT_PLAIN) || n == length ||
	    !strchr("-+?", inside[n]))
		return false;
	if (!(scope->flags & LA_SCRIPT_WORDS) &&
	    (!b->colon || inside[n] != '-'))
		return false;
	b->what = inside[n];
	b->word = inside + n + 1;
	b->word_length = length - n - 1;
	return true;
}

static void add_word(const struct la_script_scope *scope,
		     const struct braces *b, struct la_script_value *value,
		     unsigned int depth)
{
	if (scope->flags & LA_SCRIPT_FLAT)
		la_strbuf_add(&value->text, b->word, b->word_length);
	else
		expand_all(scope, b->word, b->word_length, value, depth + 1);
}

/* Not known from the text: a default is taken, and said to be assumed. */
static void add_unknown(const struct la_script_scope *scope,
			const struct braces *b, struct la_script_value *value,
			unsigned int depth)
{
	const struct la_script_var *var =
		la_script_vars_find(scope->vars, b->name, b->length);

	if (b->what != '-' || var) {
		la_script_value_unknown(value, b->name, b->length);
		return;
	}
	keep_name(value->assumed, b->name, b->length);
	add_word(scope, b, value, depth);
}

static void add_braces(const struct la_script_scope *scope,
		       const struct braces *b, struct la_script_value *value,
		       unsigned int depth)
{
	const char *found = NULL;
	enum state state = look_up(scope, b->name, b->length, &found);
	bool set = state == SET && !(b->colon && !*found);

	if (state == UNKNOWN)
		add_unknown(scope, b, value, depth);
	else if (b->what == '+')
		set ? add_word(scope, b, value, depth) : (void)0;
	else if (set)
		la_script_value_add(value, b->name, b->length, found);
	else if (b->what == '-')
		add_word(scope, b, value, depth);
	else if (b->what == '?')
		la_script_value_unknown(value, b->name, b->length);
}

/* Is it to stay as it is written? */
static bool stays(const struct la_script_scope *scope, const char *name,
		  size_t length)
{
	const char *found;

	return (scope->flags & LA_SCRIPT_KEEP_UNSET) &&
	       look_up(scope, name, length, &found) == UNSET;
}

static size_t expand(const struct la_script_scope *scope, const char *text,
		     size_t length, struct la_script_value *value,
		     unsigned int depth)
{
	struct braces b = { .name = text + 1 };
	size_t end;

	if (length > 1 && text[1] == '$' &&
	    (scope->flags & LA_SCRIPT_DOLLARS)) {
		la_strbuf_add(&value->text, "$", 1);
		return 2;
	}
	if (length > 1 && text[1] == '{') {
		end = closing_brace(scope, text + 2, length - 2);
		if (end == SIZE_MAX) {
			la_script_value_unknown(value, "", 0);
			return 2;
		}
		end += 2;
		if (end >= length)
			return 0;
		if (depth == NESTED ||
		    !take_apart(scope, text + 2, end - 2, &b))
			la_script_value_unknown(value, text + 2, b.length);
		else if (stays(scope, b.name, b.length))
			return 0;
		else
			add_braces(scope, &b, value, depth);
		return end + 1;
	}
	b.length = la_script_name(text + 1, length - 1);
	if (!(scope->flags & LA_SCRIPT_BARE) || !b.length ||
	    stays(scope, b.name, b.length))
		return 0;
	add_braces(scope, &b, value, depth);
	return 1 + b.length;
}

static void expand_all(const struct la_script_scope *scope, const char *text,
		       size_t length, struct la_script_value *value,
		       unsigned int depth)
{
	size_t i = 0, n;

	while (i < length) {
		n = text[i] == '$' ? expand(scope, text + i, length - i, value,
					    depth) :
				     0;
		if (!n && scope->escape && text[i] == scope->escape &&
		    i + 1 < length)
			i++;
		if (!n)
			la_strbuf_add(&value->text, text + i, 1);
		i += n ? n : 1;
	}
}

size_t la_script_expand(const struct la_script_scope *scope, const char *text,
			size_t length, struct la_script_value *value)
{
	return expand(scope, text, length, value, 0);
}

void la_script_expand_all(const struct la_script_scope *scope,
			  const char *text, size_t length,
			  struct la_script_value *value)
{
	expand_all(scope, text, length, value, 0);
}
