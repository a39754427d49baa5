// SPDX-License-Identifier: Apache-2.0
/* Members of types: [Environment], [string], [math]. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "script/powershell.h"

static const char *short_name(const char *type)
{
	return strncasecmp(type, "System.", 7) ? type : type + 7;
}

struct ps_value ps_static(struct ps *ps, const char *type, const char *name)
{
	type = short_name(type);
	if (ps_same_word(type, "string") && ps_same_word(name, "Empty"))
		return ps_string("");
	if (ps_same_word(type, "Environment") && ps_same_word(name, "NewLine"))
		return ps_string(ps->windows ? "\r\n" : "\n");
	if (ps_same_word(type, "EnvironmentVariableTarget"))
		return ps_text(ps, name, strlen(name));
	if (ps_same_word(type, "int") || ps_same_word(type, "int32")) {
		if (ps_same_word(name, "MaxValue"))
			return ps_int(INT32_MAX);
	}
	return ps_unknown();
}

/* Process, User or Machine: the letter, or 0: not known. */
static char target(struct ps *ps, const struct ps_list *args, size_t at)
{
	struct ps_value value;

	if (args->count <= at)
		return 'p';
	value = args->item[at];
	if (value.type == PS_INT)
		return value.number == 0 ? 'p' : value.number == 1 ? 'u' : 'm';
	value = ps_to_text(ps, value);
	if (value.type != PS_TEXT)
		return 0;
	if (ps_same_word(value.text, "Process"))
		return 'p';
	if (ps_same_word(value.text, "User"))
		return 'u';
	return ps_same_word(value.text, "Machine") ? 'm' : 0;
}

static struct ps_value set_variable(struct ps *ps, const struct ps_list *args)
{
	struct ps_value name, value, nothing = { .type = PS_NOTHING };
	char where = target(ps, args, 2);

	if (args->count < 2 || args->count > 3) {
		ps_fail(ps);
		return nothing;
	}
	name = ps_to_text(ps, args->item[0]);
	if (name.type != PS_TEXT)
		return nothing;
	value = ps_to_text(ps, args->item[1]);
	if (where == 'p')
		ps_env_set(ps, name.text, value);
	else if (!where)
		ps_env_set(ps, name.text, ps_unknown());
	else
		ps_lose(ps, name.text, LA_SCRIPT_REGISTRY,
			ps->windows ?
				"the registry gets it: programs of sessions "
				"that start later see it, this one's do not" :
				"User and Machine do nothing but on Windows, "
				"where sessions that start later see it");
	return nothing;
}

static struct ps_value environment_call(struct ps *ps, const char *name,
					const struct ps_list *args)
{
	struct ps_value variable;

	if (ps_same_word(name, "SetEnvironmentVariable"))
		return set_variable(ps, args);
	if (!ps_same_word(name, "GetEnvironmentVariable") || !args->count)
		return ps_unknown();
	variable = ps_to_text(ps, args->item[0]);
	if (variable.type != PS_TEXT)
		return ps_unknown();
	if (target(ps, args, 1) == 'p')
		return ps_env_get(ps, variable.text);
	return ps->windows ? ps_unknown() : ps_null();
}

/* Arguments from the second on; one list stands for its items. */
static struct ps_list behind(struct ps *ps, const struct ps_list *args)
{
	struct ps_list list = { 0 };
	size_t i;

	if (args->count == 2)
		ps_spread(ps, &list, args->item[1]);
	for (i = 1; args->count != 2 && i < args->count; i++)
		ps_push(ps, &list, args->item[i]);
	return list;
}

static struct ps_value string_call(struct ps *ps, const char *name,
				   const struct ps_list *args)
{
	struct ps_list rest;
	struct ps_value list = { .type = PS_ARRAY }, text;

	if (!args->count)
		return ps_unknown();
	rest = behind(ps, args);
	list.list = &rest;
	if (ps_same_word(name, "Join") && args->count > 1)
		return ps_join(ps, list, args->item[0]);
	if (ps_same_word(name, "Format"))
		return ps_format(ps, args->item[0], &rest);
	list.list = (struct ps_list *)args;
	if (ps_same_word(name, "Concat"))
		return args->count == 1 && args->item[0].type != PS_ARRAY ?
			       ps_unknown() :
			       ps_join(ps, list, ps_string(""));
	text = ps_to_text(ps, args->item[0]);
	if (text.type != PS_TEXT)
		return text;
	if (ps_same_word(name, "IsNullOrEmpty"))
		text = ps_bool(!text.length);
	else if (ps_same_word(name, "IsNullOrWhiteSpace"))
		text = ps_bool(strspn(text.text, " \t\r\n\v\f") == text.length);
	else
		return ps_unknown();
	text.doubt = args->item[0].doubt;
	return text;
}

static struct ps_value math_call(struct ps *ps, const char *name,
				 const struct ps_list *args)
{
	struct ps_value a, b = ps_int(0);
	double x, y;

	if (!args->count || args->count > 2 ||
	    !ps_number(ps, args->item[0], &a) ||
	    (args->count == 2 && !ps_number(ps, args->item[1], &b)))
		return ps_unknown();
	x = a.type == PS_DOUBLE ? a.real : (double)a.number;
	y = b.type == PS_DOUBLE ? b.real : (double)b.number;
	if (args->count == 1 && ps_same_word(name, "Floor"))
		return ps_real(floor(x));
	if (args->count == 1 && ps_same_word(name, "Ceiling"))
		return ps_real(ceil(x));
	if (args->count == 1 && ps_same_word(name, "Truncate"))
		return ps_real(trunc(x));
	if (args->count == 1 && ps_same_word(name, "Round"))
		return ps_real(nearbyint(x));
	if (args->count == 1 && ps_same_word(name, "Abs"))
		return x < 0 ? ps_unary(ps, PS_SUB, a) : a;
	if (args->count == 1)
		return ps_unknown();
	if (ps_same_word(name, "Pow"))
		return ps_real(powl(x, y));
	if (ps_same_word(name, "Max"))
		return x < y ? b : a;
	if (ps_same_word(name, "Min"))
		return x < y ? a : b;
	return ps_unknown();
}

struct ps_value ps_static_call(struct ps *ps, const char *type,
			       const char *name, const struct ps_list *args)
{
	struct ps_value result = ps_unknown();
	unsigned int doubt = 0;
	size_t i;

	type = short_name(type);
	for (i = 0; i < args->count; i++)
		doubt |= args->item[i].doubt;
	if (ps_same_word(type, "Environment"))
		return environment_call(ps, name, args);
	for (i = 0; i < args->count; i++)
		if (args->item[i].type == PS_UNKNOWN)
			return result;
	if (ps_same_word(type, "scriptblock") && args->count == 1)
		ps_perhaps_text(ps, args->item[0]);
	else if (ps_same_word(type, "string"))
		result = string_call(ps, name, args);
	else if (ps_same_word(type, "math"))
		result = math_call(ps, name, args);
	else if (ps_same_word(type, "regex") && args->count == 3 &&
		 ps_same_word(name, "Replace"))
		result = ps_replace(ps, args->item[0], args->item[1],
				    args->item[2], true);
	else if (ps_same_word(name, "Parse") && args->count == 1)
		result = ps_cast(ps, type, args->item[0]);
	result.doubt |= doubt;
	return result;
}
