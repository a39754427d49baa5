// SPDX-License-Identifier: Apache-2.0
/* The environment during the walk, and what is noted of it. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "script/place.h"
#include "script/powershell.h"
#include "util/strbuf.h"
#include "util/util.h"

/* What each doubt is said as. */
static const struct {
	enum ps_doubt doubt;
	enum la_script_code code;
	const char *text;
} doubts[] = {
	{ PS_WAS_UNSET, LA_SCRIPT_TAKEN_UNSET, NULL },
	{ PS_NO_VARIABLE, LA_SCRIPT_EMPTY_VARIABLE, NULL },
	{ PS_COLON, LA_SCRIPT_VARIABLE_COLON, NULL },
	{ PS_JOINED, LA_SCRIPT_LIST_JOINED, NULL },
	{ PS_PIPED, LA_SCRIPT_PIPELINE, NULL },
	{ PS_CULTURE, LA_SCRIPT_NEEDS_RUNNING,
	  "the country that is set may write the number in another way" },
	{ PS_ARGUMENT, LA_SCRIPT_NEEDS_RUNNING,
	  "an argument of the script would replace the default" },
	{ PS_TYPE_NAME, LA_SCRIPT_LIST_JOINED,
	  "an object becomes the name of its type; write $($x.member)" },
};

bool ps_watched(const struct ps *ps, const char *name)
{
	return la_script_watches(ps->script, name, strlen(name), ps->windows);
}

struct ps_env *ps_env(struct ps *ps, const char *name, bool make)
{
	struct ps_env *env = ps->env;
	const char *outer;

	for (; env; env = env->next)
		if (ps->windows ? !strcasecmp(env->name, name) :
				  !strcmp(env->name, name))
			return env;
	if (!make)
		return NULL;
	env = ps_take(ps, sizeof(*env));
	if (!env)
		return NULL;
	env->name = ps_copy(ps, name, strlen(name));
	env->place = LA_SCRIPT_WHOLE;
	env->watched = ps_watched(ps, name);
	outer = la_script_outer(ps->script, name, strlen(name));
	if (outer) {
		env->value = ps_text(ps, outer, strlen(outer));
	} else if (env->watched) {
		env->value = ps_null();
		env->value.doubt = PS_WAS_UNSET;
	}
	env->next = ps->env;
	ps->env = env;
	return env;
}

struct ps_value ps_env_get(struct ps *ps, const char *name)
{
	struct ps_env *env = ps_env(ps, name, true);

	return env && !ps->spent ? env->value : ps_unknown();
}

static void say(struct ps *ps, size_t place, enum la_script_code code,
		const char *text)
{
	size_t start = ps->now ? ps->now->start : 0;
	size_t end = ps->now ? ps->now->end : 0;

	if (text)
		la_script_say(ps->script, ps->part, place, code, start, end,
			      "%s", text);
	else
		la_script_say(ps->script, ps->part, place, code, start, end,
			      NULL);
}

static void say_doubts(struct ps *ps, size_t place, struct ps_value value)
{
	unsigned int doubt = value.doubt | ps->doubt;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(doubts); i++)
		if (doubt & doubts[i].doubt)
			say(ps, place, doubts[i].code, doubts[i].text);
	if (value.type == PS_UNKNOWN)
		say(ps, place, LA_SCRIPT_NEEDS_RUNNING, NULL);
	else if (value.type == PS_TEXT && !value.length)
		say(ps, place, LA_SCRIPT_EMPTY_REMOVES, NULL);
}

/* Note what the variable is from here on. */
static void note(struct ps *ps, struct ps_env *env)
{
	struct ps_value v = env->value;
	enum la_script_fate fate = v.type == PS_TEXT ? LA_SCRIPT_ARRIVES :
				   v.type == PS_NULL ? LA_SCRIPT_REMOVED :
						       LA_SCRIPT_UNKNOWN;
	const char *value = v.type == PS_TEXT ? v.text : NULL;

	env->used = false;
	if (!env->watched)
		return;
	if (ps->now && ps->now->place != LA_SCRIPT_WHOLE &&
	    ps->now->place == env->place) {
		la_script_change(ps->script, env->place, value, fate);
		if (fate == LA_SCRIPT_UNKNOWN &&
		    la_script_peek(ps->script, env->place)->diagnostic_count)
			return;
	} else {
		env->place = la_script_add(ps->script, ps->part, env->name,
					   strlen(env->name), value, fate,
					   ps->now ? ps->now->start : 0,
					   ps->now ? ps->now->end : 0);
		if (ps->now)
			ps->now->place = env->place;
	}
	say_doubts(ps, env->place, v);
}

void ps_env_doubt(struct ps *ps, size_t start, size_t end)
{
	struct la_script_span in = { start, end }, at;
	struct ps_node here = { .place = LA_SCRIPT_WHOLE }, *outer = ps->now;
	char *name;

	if (ps->pin)
		here = *ps->pin;
	for (; in.start < end; in.start = at.end) {
		at = la_script_mention(ps->script, ps->part->text, in);
		if (at.start == at.end)
			break;
		name = ps_copy(ps, ps->part->text + at.start,
			       at.end - at.start);
		here.start = at.start;
		here.end = at.end;
		here.place = LA_SCRIPT_WHOLE;
		ps->now = &here;
		if (name)
			ps_env_set(ps, name, ps_unknown());
	}
	ps->now = outer;
}

void ps_env_say(struct ps *ps, struct ps_env *env)
{
	env->again = false;
	note(ps, env);
}

/* Another spelling of a watched name is another variable but on Windows. */
static void warn_case(struct ps *ps, const char *name)
{
	if (!ps->windows && !ps_watched(ps, name) &&
	    la_script_watches(ps->script, name, strlen(name), true))
		ps_lose(ps, name, LA_SCRIPT_NOT_EXPORTED,
			"names differ in case but on Windows");
}

void ps_env_set(struct ps *ps, const char *name, struct ps_value value)
{
	struct ps_env *env = ps_env(ps, name, true);

	if (!env)
		return;
	warn_case(ps, name);
	if (ps->unsure || ps->spent)
		value = ps_unknown();
	env->value = value.type == PS_NULL ? value : ps_to_text(ps, value);
	note(ps, env);
}

void ps_env_unset(struct ps *ps, const char *name)
{
	ps_env_set(ps, name, ps_null());
}

void ps_lose(struct ps *ps, const char *name, enum la_script_code code,
	     const char *format, ...)
{
	struct la_strbuf text = { 0 };
	struct ps_env *env;
	va_list args;
	size_t place;

	if (!la_script_watches(ps->script, name, strlen(name), true))
		return;
	if (ps->now && ps->now->told)
		return;
	if (ps->now)
		ps->now->told = true;
	va_start(args, format);
	la_strbuf_vaddf(&text, format, args);
	va_end(args);
	env = ps_env(ps, name, false);
	place = env ? env->place : LA_SCRIPT_WHOLE;
	/* What a program sees is said last, so this is said of it. */
	if (place == LA_SCRIPT_WHOLE)
		place = la_script_add(ps->script, ps->part, name, strlen(name),
				      NULL, LA_SCRIPT_LOST,
				      ps->now ? ps->now->start : 0,
				      ps->now ? ps->now->end : 0);
	say(ps, place, code, text.failed ? NULL : la_strbuf_text(&text));
	la_strbuf_release(&text);
}

void ps_finish(struct ps *ps)
{
	struct ps_env *env;

	ps->now = NULL;
	for (env = ps->env; env && ps->part->ends; env = env->next) {
		if (env->place == LA_SCRIPT_WHOLE || env->used)
			continue;
		la_script_change(ps->script, env->place, NULL, LA_SCRIPT_LOST);
		la_script_say(ps->script, ps->part, env->place,
			      LA_SCRIPT_CHILD_ENDS, 0, 0, NULL);
	}
}
