// SPDX-License-Identifier: Apache-2.0
/* What cmd knows of variables, and which of it programs saw. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/cmd.h"

void cmd_environment_free(struct cmd_environment *environment)
{
	size_t i;

	if (!environment)
		return;
	for (i = 0; i < environment->count; i++) {
		free(environment->variable[i].name);
		free(environment->variable[i].value);
	}
	free(environment);
}

struct cmd_environment *cmd_environment_copy(const struct cmd_environment *from)
{
	struct cmd_environment *copy = calloc(1, sizeof(*copy));
	size_t i;

	for (i = 0; copy && i < from->count; i++) {
		struct cmd_variable *v = &copy->variable[i];

		*v = from->variable[i];
		v->name = strdup(v->name);
		v->value = v->value ? strdup(v->value) : NULL;
		copy->count++;
		if (!v->name || (from->variable[i].value && !v->value)) {
			cmd_environment_free(copy);
			return NULL;
		}
	}
	if (copy)
		copy->delayed = from->delayed;
	return copy;
}

struct cmd_variable *cmd_find(const struct cmd_environment *environment,
			      const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < environment->count; i++)
		if (strlen(environment->variable[i].name) == length &&
		    !strncasecmp(environment->variable[i].name, name, length))
			return (struct cmd_variable *)&environment->variable[i];
	return NULL;
}

const char *cmd_value(struct cmd_run *run, const char *name, size_t length,
		      bool *known)
{
	const struct cmd_variable *v = cmd_find(run->environment, name, length);
	const char *outer;

	if (v) {
		*known = v->known;
		return v->value;
	}
	outer = run->environment->count < CMD_VARIABLES ?
			la_script_outer(run->script, name, length) :
			NULL;
	*known = outer;
	return outer;
}

bool cmd_watches(struct cmd_run *run, const char *name, size_t length)
{
	return la_script_watches(run->script, name, length, true);
}

/* Its entry, a new one if need be; NULL: there is no more room. */
static struct cmd_variable *variable(struct cmd_run *run, const char *name,
				     size_t length)
{
	struct cmd_environment *e = run->environment;
	struct cmd_variable *v = cmd_find(e, name, length);
	size_t i;

	if (v || e->count == CMD_VARIABLES)
		return v;
	v = &e->variable[e->count];
	*v = (struct cmd_variable){ .assignment = LA_SCRIPT_WHOLE };
	v->watched = cmd_watches(run, name, length);
	v->name = strndup(name, length);
	if (!v->name) {
		run->ret = -ENOMEM;
		return NULL;
	}
	/* Case makes no difference; torch asks for the upper one. */
	for (i = 0; v->watched && i < length; i++)
		v->name[i] = (char)toupper((unsigned char)v->name[i]);
	if (v->watched &&
	    !la_script_watches(run->script, v->name, length, false))
		memcpy(v->name, name, length);
	e->count++;
	return v;
}

static size_t note(struct cmd_run *run, const struct cmd_variable *v,
		   enum la_script_fate fate, const char *value, size_t start,
		   size_t end)
{
	return la_script_add(run->script, run->part, v->name, strlen(v->name),
			     value, fate, start, end);
}

static enum la_script_fate fate_of(const struct cmd_variable *v)
{
	if (!v->known)
		return LA_SCRIPT_UNKNOWN;
	return v->value ? LA_SCRIPT_ARRIVES : LA_SCRIPT_REMOVED;
}

size_t cmd_assign(struct cmd_run *run, const char *name, size_t length,
		  const char *value, bool known, size_t start, size_t end)
{
	struct cmd_variable *v = variable(run, name, length);

	if (!v)
		return LA_SCRIPT_WHOLE;
	free(v->value);
	v->value = known && value ? strdup(value) : NULL;
	if (known && value && !v->value)
		run->ret = -ENOMEM;
	v->known = known;
	v->unit = run->unit;
	v->stale = false;
	if (!v->watched)
		return LA_SCRIPT_WHOLE;
	v->programs = run->programs;
	v->assignment = note(run, v, fate_of(v), v->value, start, end);
	return v->assignment;
}

size_t cmd_lose(struct cmd_run *run, const char *name, size_t length,
		size_t start, size_t end)
{
	struct cmd_variable *v = variable(run, name, length);
	bool fresh = v && !v->value && !v->known &&
		     v->assignment == LA_SCRIPT_WHOLE;

	if (!v)
		return LA_SCRIPT_WHOLE;
	if (fresh)
		v->stale = false;
	return note(run, v, LA_SCRIPT_LOST, NULL, start, end);
}

void cmd_program(struct cmd_run *run)
{
	struct cmd_environment *e = run->environment;
	size_t i;

	run->programs++;
	for (i = 0; i < e->count; i++) {
		struct cmd_variable *v = &e->variable[i];

		if (!v->stale || !v->watched)
			continue;
		v->stale = false;
		v->programs = run->programs - 1;
		v->assignment = note(run, v, fate_of(v), v->value,
				     v->stale_start, v->stale_end);
		la_script_say(run->script, run->part, v->assignment,
			      v->stale_code, v->stale_start, v->stale_end,
			      NULL);
	}
}

static bool same(const struct cmd_variable *a, const struct cmd_variable *b)
{
	return a->known == b->known && !a->value == !b->value &&
	       (!a->value || !strcmp(a->value, b->value));
}

static bool unseen(const struct cmd_run *run, const struct cmd_variable *v)
{
	const struct la_script_assignment *a =
		la_script_peek(run->script, v->assignment);

	return v->watched && a && v->programs == run->programs &&
	       (a->fate == LA_SCRIPT_ARRIVES || a->fate == LA_SCRIPT_REMOVED ||
		a->fate == LA_SCRIPT_UNKNOWN);
}

/* Its last place, as an offset of the part. */
static void last_place(const struct cmd_run *run, const struct cmd_variable *v,
		       size_t *start, size_t *end)
{
	const struct la_script_assignment *a =
		la_script_peek(run->script, v->assignment);

	*start = a && a->offset >= run->part->offset && run->part->exact ?
			 a->offset - run->part->offset :
			 0;
	*end = *start + (a && run->part->exact ? a->length : 0);
}

/* Whether the line that set it ran is not known. */
static void doubt(struct cmd_run *run, struct cmd_variable *v)
{
	size_t start, end;

	v->known = false;
	free(v->value);
	v->value = NULL;
	if (!v->watched || v->assignment == LA_SCRIPT_WHOLE)
		return;
	last_place(run, v, &start, &end);
	if (!unseen(run, v)) {
		v->stale = true;
		v->stale_start = start;
		v->stale_end = end;
		v->stale_code = LA_SCRIPT_NEEDS_RUNNING;
		return;
	}
	la_script_change(run->script, v->assignment, NULL, LA_SCRIPT_UNKNOWN);
	la_script_say(run->script, run->part, v->assignment,
		      LA_SCRIPT_NEEDS_RUNNING, start, end,
		      "whether this is run, only running it could tell");
}

void cmd_join(struct cmd_run *run, struct cmd_environment *before)
{
	struct cmd_environment *now = run->environment;
	struct cmd_variable *old, *v;
	size_t i;

	for (i = 0; i < now->count; i++) {
		v = &now->variable[i];
		old = cmd_find(before, v->name, strlen(v->name));
		if (!old || !same(old, v))
			doubt(run, v);
	}
	for (i = 0; i < before->count; i++) {
		old = &before->variable[i];
		if (!cmd_find(now, old->name, strlen(old->name))) {
			v = variable(run, old->name, strlen(old->name));
			if (v)
				v->assignment = old->assignment;
		}
	}
	cmd_environment_free(before);
}

static void lose(struct cmd_run *run, struct cmd_variable *v,
		 enum la_script_code code)
{
	const struct la_script_assignment *a =
		la_script_peek(run->script, v->assignment);
	size_t start, end;

	if (!unseen(run, v) || a->fate == LA_SCRIPT_REMOVED)
		return;
	last_place(run, v, &start, &end);
	la_script_change(run->script, v->assignment, NULL, LA_SCRIPT_LOST);
	la_script_say(run->script, run->part, v->assignment, code, start, end,
		      NULL);
}

void cmd_settle(struct cmd_run *run, enum la_script_code code)
{
	size_t i;

	for (i = 0; i < run->environment->count; i++)
		lose(run, &run->environment->variable[i], code);
}

/* v as it was before, once more: the next program shows it. */
static void take_back(struct cmd_variable *old, const struct cmd_variable *v,
		      enum la_script_code code, size_t start, size_t end)
{
	old->assignment = v->assignment;
	old->stale = true;
	old->stale_start = start;
	old->stale_end = end;
	old->stale_code = code;
}

void cmd_restore(struct cmd_run *run, struct cmd_environment *before,
		 enum la_script_code code, size_t start, size_t end)
{
	struct cmd_environment *now = run->environment;
	struct cmd_variable *v, *old;
	size_t i;

	run->environment = before;
	for (i = 0; i < now->count; i++) {
		v = &now->variable[i];
		old = cmd_find(before, v->name, strlen(v->name));
		if (!v->watched || v->assignment == LA_SCRIPT_WHOLE ||
		    (old && old->assignment == v->assignment && same(old, v)))
			continue;
		if (!old)
			old = variable(run, v->name, strlen(v->name));
		if (unseen(run, v))
			lose(run, v, code);
		if (old && (!old->known || !same(old, v)))
			take_back(old, v, code, start, end);
	}
	cmd_environment_free(now);
}

static bool names(const struct cmd_run *run, size_t start, size_t end,
		  const char *name)
{
	size_t length = strlen(name);

	for (; start + length <= end; start++)
		if (!strncasecmp(run->part->text + start, name, length))
			return true;
	return false;
}

void cmd_forget(struct cmd_run *run, size_t start, size_t end)
{
	size_t i;

	for (i = 0; i < run->environment->count; i++) {
		struct cmd_variable *v = &run->environment->variable[i];

		if (names(run, start, end, v->name)) {
			v->known = false;
			free(v->value);
			v->value = NULL;
			v->stale = v->watched &&
				   v->assignment != LA_SCRIPT_WHOLE;
			last_place(run, v, &v->stale_start, &v->stale_end);
			v->stale_code = LA_SCRIPT_NEEDS_RUNNING;
		}
	}
}
