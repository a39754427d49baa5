// SPDX-License-Identifier: Apache-2.0
/*
 * Where no file tells: the ancestor from which on a variable is there with
 * its value.  What an ancestor has now but had not at its start, it set itself.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "env/seek.h"
#include "util/util.h"

static bool has(const char *value, const char *wanted)
{
	return value && !strcmp(value, wanted);
}

static void note(const struct la_env_seeker *s, const char *variable,
		 const char *value, const struct la_env_ancestor *a,
		 const char *how)
{
	struct la_strbuf file = { 0 };
	struct la_env_place place = {
		.scope = LA_ENV_PARENT,
		.part = LA_ENV_TAKES_PART,
		.reader = how,
	};

	la_strbuf_addf(&file, "process %" PRId64 " (%s)", a->pid,
		       a->command ? a->command : "?");
	if (!file.failed)
		la_env_find_value(s->finder, file.data, variable, value,
				  &place);
	la_strbuf_release(&file);
}

/* Up to the first that has it neither at its start nor now. */
static void trace(const struct la_env_seeker *s, const char *variable,
		  const char *value)
{
	const struct la_env_process_info *own = &s->search->process->info;
	struct la_env_ancestor *ancestor, self = {
		.pid = own->pid,
		.command = own->command,
		.initial = la_env_value(own->initial, variable, 0),
	};
	size_t count, i;

	if (la_env_ancestors(&ancestor, &count, s->search->process,
			     variable) < 0)
		return;
	if (!la_env_unknown(own->initial) && !has(self.initial, value)) {
		note(s, variable, value, &self,
		     "set by the process itself, after its start");
		la_env_ancestors_free(ancestor, count);
		return;
	}
	for (i = 0; i < count && has(ancestor[i].initial, value); i++)
		;
	if (i < count && has(ancestor[i].current, value))
		note(s, variable, value, &ancestor[i],
		     "set by it after its start, and passed on");
	else if (i < count && ancestor[i].unknown)
		note(s, variable, value, i ? &ancestor[i - 1] : &self,
		     "started with it, by a process that cannot be looked at");
	else if (i < count)
		note(s, variable, value, &ancestor[i],
		     "gave it to what it started, without having it itself");
	else if (count)
		note(s, variable, value, &ancestor[count - 1],
		     "started with it: the first process that is seen");
	la_env_ancestors_free(ancestor, count);
}

void la_env_seek_parents(const struct la_env_seeker *s)
{
	const char *name, *value;
	size_t i;

	if (!s->search->process || !s->search->env)
		return;
	for (i = 0; (name = la_env_setting_name(i)); i++) {
		value = la_env_value(s->search->env, name, 0);
		if (value && la_env_finder_wants(s->finder, name))
			trace(s, name, value);
	}
}
