// SPDX-License-Identifier: Apache-2.0
/*
 * torch asks for its variables one after the other and takes the first that
 * is set; from 2.10 on the parser of options common to all devices and that
 * of the CUDA allocator ask for different ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "env/choice.h"
#include "util/array.h"
#include "util/distance.h"
#include "util/util.h"

static const char cuda[] = "PYTORCH_CUDA_ALLOC_CONF";
static const char hip[] = "PYTORCH_HIP_ALLOC_CONF";
static const char common[] = "PYTORCH_ALLOC_CONF";

/* Of torch's own, and those of its relatives for other devices. */
static const char *const settings[] = { cuda, hip, common };
static const char *const relatives[] = {
	"PYTORCH_NPU_ALLOC_CONF", "PYTORCH_MLU_ALLOC_CONF",
	"PYTORCH_MUSA_ALLOC_CONF", "PYTORCH_XPU_ALLOC_CONF",
	"PYTORCH_GCU_ALLOC_CONF",
};

/* Variables with a name that is known. */
static const struct {
	const char *name;
	enum la_env_role role;
} others[] = {
	{ "CUDA_VISIBLE_DEVICES", LA_ENV_DEVICES },
	{ "HIP_VISIBLE_DEVICES", LA_ENV_DEVICES },
	{ "PYTORCH_MPS_HIGH_WATERMARK_RATIO", LA_ENV_MPS },
	{ "PYTORCH_MPS_LOW_WATERMARK_RATIO", LA_ENV_MPS },
	{ "PYTORCH_NO_CUDA_MEMORY_CACHING", LA_ENV_CACHING },
	{ "PYTORCH_NO_HIP_MEMORY_CACHING", LA_ENV_CACHING },
};

/* Who is asked in turn, from a release on, by a build: NULL at the end. */
struct order {
	unsigned int since;
	enum la_build build;
	const char *device[4], *common[4];
};

/* Of each build the newest release first. */
static const struct order orders[] = {
	{ LA_RELEASE(2, 10), LA_BUILD_CUDA, { cuda, common },
	  { cuda, hip, common } },
	{ LA_RELEASE(2, 9), LA_BUILD_CUDA, { cuda }, { common, cuda, hip } },
	{ 0, LA_BUILD_CUDA, { cuda }, { cuda } },
	{ LA_RELEASE(2, 10), LA_BUILD_ROCM, { cuda, hip, common },
	  { cuda, hip, common } },
	{ LA_RELEASE(2, 9), LA_BUILD_ROCM, { cuda, hip },
	  { common, cuda, hip } },
	{ LA_RELEASE(2, 7), LA_BUILD_ROCM, { cuda, hip }, { cuda, hip } },
	{ 0, LA_BUILD_ROCM, { hip }, { hip } },
	{ LA_RELEASE(2, 10), LA_BUILD_CPU, { NULL }, { cuda, hip, common } },
	{ 0, LA_BUILD_CPU, { NULL }, { NULL } },
};

LA_EXPORT const char *la_env_setting_name(size_t index)
{
	return index < ARRAY_SIZE(settings) ? settings[index] : NULL;
}

static const struct order *find_order(const struct la_setting_context *context)
{
	const struct order *order = orders;

	while (order->build != context->build ||
	       order->since > context->release)
		order++;
	return order;
}

const char *la_env_meant(const char *name, size_t length)
{
	size_t i, distance, best = 4;
	const char *near = NULL;

	for (i = 0; i < ARRAY_SIZE(relatives); i++)
		if (strlen(relatives[i]) == length &&
		    !strncmp(relatives[i], name, length))
			return NULL;
	if (memmem(name, length, "ALLOC_CONF", strlen("ALLOC_CONF")) &&
	    memmem(name, length, "TORCH", strlen("TORCH")))
		near = cuda;
	for (i = 0; i < ARRAY_SIZE(settings); i++) {
		distance = length > 64 ? SIZE_MAX :
					 la_distance(name, length, settings[i],
						     strlen(settings[i]));
		if (!distance)
			return NULL;
		if (strlen(settings[i]) == length &&
		    !strncasecmp(settings[i], name, length))
			distance = 0;
		if (distance >= best)
			continue;
		best = distance;
		near = settings[i];
	}
	return near;
}

static struct la_env_variable *add(struct la_env_judgement *j, const char *name,
				   size_t length, enum la_env_role role)
{
	struct la_env_variable *variable;
	const char *value;
	size_t nth;

	if (grow_array(&j->variable, &j->room, j->face.variable_count,
		       sizeof(*j->variable)) < 0) {
		j->failed = true;
		return NULL;
	}
	variable = &j->variable[j->face.variable_count];
	*variable = (struct la_env_variable){ .role = role };
	variable->name = strndup(name, length);
	if (!variable->name) {
		j->failed = true;
		return NULL;
	}
	j->face.variable_count++;
	for (nth = 0; (value = la_env_value(j->env, variable->name, nth));
	     nth++) {
		if (nth)
			variable->last = value;
		else
			variable->value = value;
	}
	return variable;
}

static bool is_noted(const struct la_env_judgement *j, const char *name,
		     size_t length)
{
	size_t i;

	for (i = 0; i < j->face.variable_count; i++)
		if (strlen(j->variable[i].name) == length &&
		    la_env_same_name(j->env, j->variable[i].name, name, length))
			return true;
	return false;
}

static int compare_names(const void *a, const void *b)
{
	const struct la_env_variable *l = a, *r = b;

	return strcmp(l->name, r->name);
}

static void add_others(struct la_env_judgement *j)
{
	size_t first = j->face.variable_count, i, n;
	const char *entry;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (la_env_value(j->env, others[i].name, 0))
			add(j, others[i].name, strlen(others[i].name),
			    others[i].role);
	for (i = 0; (entry = la_env_entry(j->env, i)) && !j->failed; i++) {
		n = strcspn(entry, "=");
		if (!is_noted(j, entry, n) && la_env_meant(entry, n))
			add(j, entry, n, LA_ENV_MISSPELT);
	}
	if (j->variable)
		qsort(j->variable + first, j->face.variable_count - first,
		      sizeof(*j->variable), compare_names);
}

static void add_settings(struct la_env_judgement *j, const struct order *order)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(order->common) && order->common[i]; i++)
		if (la_env_value(j->env, order->common[i], 0))
			add(j, order->common[i], strlen(order->common[i]),
			    LA_ENV_SETTING);
	for (i = 0; i < ARRAY_SIZE(settings); i++)
		if (la_env_value(j->env, settings[i], 0) &&
		    !is_noted(j, settings[i], strlen(settings[i])))
			add(j, settings[i], strlen(settings[i]),
			    LA_ENV_SETTING);
}

/* The first of an order that is set. */
static struct la_env_variable *winner(struct la_env_judgement *j,
				      const char *const *order)
{
	size_t i, k;

	for (i = 0; i < 4 && order[i]; i++)
		for (k = 0; k < j->face.variable_count; k++)
			if (!strcmp(j->variable[k].name, order[i]))
				return &j->variable[k];
	return NULL;
}

static const char *unread(const struct la_env_judgement *j,
			  const struct la_env_variable *variable)
{
	const char *why;

	if (variable->role != LA_ENV_SETTING || variable->common ||
	    variable->device)
		return NULL;
	why = la_setting_variable_unread(variable->name, &j->context);
	return why ? why : "another variable that is set comes first";
}

static void choose(struct la_env_judgement *j)
{
	const struct order *order = find_order(&j->context);
	struct la_env_variable *device, *shared;
	size_t i;

	add_settings(j, order);
	add_others(j);
	device = winner(j, order->device);
	shared = winner(j, order->common);
	if (device)
		device->device = true;
	if (shared)
		shared->common = true;
	for (i = 0; i < j->face.variable_count; i++)
		j->variable[i].unread = unread(j, &j->variable[i]);
	j->face.variable = j->variable;
	j->face.device = device;
	j->face.common = shared;
	la_env_judge(j);
}

LA_EXPORT int la_env_choose(struct la_env_choice **out,
			    const struct la_env *env,
			    const struct la_setting_context *context)
{
	struct la_env_judgement *j = calloc(1, sizeof(*j));

	if (!j)
		return -ENOMEM;
	j->env = env;
	j->context = *context;
	choose(j);
	if (j->failed) {
		la_env_choice_free(&j->face);
		return -ENOMEM;
	}
	*out = &j->face;
	return 0;
}

LA_EXPORT void la_env_choice_free(struct la_env_choice *choice)
{
	struct la_env_judgement *j = (struct la_env_judgement *)choice;
	size_t i;

	if (!choice)
		return;
	for (i = 0; i < choice->variable_count; i++)
		free((char *)j->variable[i].name);
	for (i = 0; i < choice->finding_count; i++)
		free((char *)j->finding[i].text);
	free(j->variable);
	free(j->finding);
	free(j);
}
