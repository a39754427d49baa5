// SPDX-License-Identifier: Apache-2.0
/* What is wrong with an environment: one function for each code. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env/choice.h"
#include "util/array.h"
#include "util/util.h"

/* The word of a code. */
static const char *kind_of(enum la_script_code code)
{
	const struct la_script_code_info *info;
	size_t i;

	for (i = 0; (info = la_script_code_at(i)); i++)
		if (info->code == code)
			return info->kind;
	return "";
}

/* Say something; variable belongs to the judgement or is static. */
static void __attribute__((format(printf, 5, 6)))
say(struct la_env_judgement *j, enum la_script_code code, const char *variable,
    bool harmless, const char *format, ...)
{
	struct la_env_finding *finding;
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0 ||
	    grow_array(&j->finding, &j->finding_room, j->face.finding_count,
		       sizeof(*finding)) < 0) {
		if (length >= 0)
			free(text);
		j->failed = true;
		return;
	}
	finding = &j->finding[j->face.finding_count++];
	*finding = (struct la_env_finding){
		.code = code,
		.kind = kind_of(code),
		.variable = variable,
		.text = text,
		.harmless = harmless,
	};
	j->face.finding = j->finding;
}

static bool same_value(const struct la_env_variable *a,
		       const struct la_env_variable *b)
{
	return a && b && !strcmp(a->value, b->value);
}

static void judge_halves(struct la_env_judgement *j)
{
	const struct la_env_variable *shared = j->face.common;
	const struct la_env_variable *device = j->face.device;
	const char *which = j->context.release < LA_RELEASE(2, 10) ?
				    "options of host memory" :
				    "options common to all devices";

	if (!shared || shared == device || j->context.build == LA_BUILD_CPU)
		return;
	if (device)
		say(j, LA_SCRIPT_TWO_VARIABLES, shared->name,
		    same_value(shared, device),
		    "%s are read from %s, those of the CUDA allocator "
		    "from %s",
		    which, shared->name, device->name);
	else
		say(j, LA_SCRIPT_TWO_VARIABLES, shared->name, false,
		    "%s are read from %s, those of the CUDA allocator "
		    "from no variable that is set",
		    which, shared->name);
}

static void judge_twice(struct la_env_judgement *j,
			const struct la_env_variable *variable)
{
	if (variable->last)
		say(j, LA_SCRIPT_TWICE_IN_BLOCK, variable->name,
		    !strcmp(variable->value, variable->last),
		    "%s is there twice: C, and so torch, takes the first "
		    "one, bash keeps the last one",
		    variable->name);
}

/* A setting that torch does not use. */
static void judge_unread(struct la_env_judgement *j,
			 const struct la_env_variable *variable)
{
	const struct la_env_variable *used =
		j->face.device ? j->face.device : j->face.common;
	bool new_name = !strcmp(variable->name, "PYTORCH_ALLOC_CONF");
	bool other_build = !new_name && la_setting_variable_unread(
						variable->name, &j->context);
	bool harmless = same_value(variable, used);

	if (j->context.build == LA_BUILD_CPU &&
	    j->context.release < LA_RELEASE(2, 10))
		return;
	if (new_name && j->context.release < LA_RELEASE(2, 10))
		say(j, LA_SCRIPT_NEW_NAME, variable->name, harmless, "%s: %s",
		    variable->name,
		    la_setting_variable_unread(variable->name, &j->context));
	else if (other_build)
		say(j, LA_SCRIPT_OTHER_BUILD, variable->name, harmless,
		    "%s: %s", variable->name, variable->unread);
	else if (used)
		say(j, LA_SCRIPT_SHADOWED, variable->name, harmless,
		    "%s has no effect: %s is set%s and comes first",
		    variable->name, used->name,
		    *used->value ? "" : ", though empty,");
}

/* In 2.9 only host memory obeys it. */
static void judge_new_name(struct la_env_judgement *j,
			   const struct la_env_variable *variable)
{
	if (!strcmp(variable->name, "PYTORCH_ALLOC_CONF") &&
	    j->context.release == LA_RELEASE(2, 9) && !variable->device)
		say(j, LA_SCRIPT_NEW_NAME, variable->name,
		    same_value(variable, j->face.device), "%s: %s",
		    variable->name,
		    la_setting_variable_unread(variable->name, &j->context));
}

static void judge_caching(struct la_env_judgement *j,
			  const struct la_env_variable *variable)
{
	if (!strcmp(variable->name, "PYTORCH_NO_HIP_MEMORY_CACHING") &&
	    j->context.build != LA_BUILD_ROCM)
		return;
	if (!strcmp(variable->value, "1") ||
	    j->context.release <= LA_RELEASE(2, 6))
		say(j, LA_SCRIPT_CACHING_OFF, variable->name, false,
		    "%s turns caching off, and all settings with it%s",
		    variable->name,
		    strcmp(variable->value, "1") ?
			    "; in this release its presence is enough" :
			    "");
	else
		say(j, LA_SCRIPT_CACHING_OFF, variable->name, false,
		    "%s with a value other than 1 turns caching off in "
		    "some releases; unset it",
		    variable->name);
}

static void judge_variable(struct la_env_judgement *j,
			   const struct la_env_variable *variable)
{
	size_t length = strlen(variable->name);

	judge_twice(j, variable);
	switch (variable->role) {
	case LA_ENV_SETTING:
		if (variable->unread)
			judge_unread(j, variable);
		else
			judge_new_name(j, variable);
		break;
	case LA_ENV_MISSPELT:
		say(j, LA_SCRIPT_MISSPELT, variable->name, false,
		    "torch reads no %s; %s was probably meant", variable->name,
		    la_env_meant(variable->name, length));
		break;
	case LA_ENV_CACHING:
		judge_caching(j, variable);
		break;
	case LA_ENV_DEVICES:
	case LA_ENV_MPS:
		break;
	}
}

void la_env_judge(struct la_env_judgement *j)
{
	const char *unknown = la_env_unknown(j->env);
	size_t i;

	if (unknown)
		say(j, LA_SCRIPT_ENV_UNKNOWN, NULL, false,
		    "the environment is not known: %s", unknown);
	judge_halves(j);
	for (i = 0; i < j->face.variable_count; i++)
		judge_variable(j, &j->variable[i]);
}

static const char *value_or_unset(const char *value)
{
	return value ? value : "(unset)";
}

LA_EXPORT int la_env_choice_compare(struct la_env_choice *choice,
				    const struct la_env *other,
				    enum la_script_code code, const char *text)
{
	struct la_env_judgement *j = (struct la_env_judgement *)choice;
	const char *name, *here, *there;
	size_t i;

	if (la_env_unknown(j->env) || la_env_unknown(other))
		return 0;
	for (i = 0; (name = la_env_setting_name(i)); i++) {
		here = la_env_value(j->env, name, 0);
		there = la_env_value(other, name, 0);
		if (here == there || (here && there && !strcmp(here, there)))
			continue;
		say(j, code, name, false, "%s is '%s' here but '%s' %s", name,
		    value_or_unset(here), value_or_unset(there), text);
	}
	return j->failed ? -ENOMEM : 0;
}
