// SPDX-License-Identifier: Apache-2.0
/* Costs from a user's file, which has the keys of conf/device-costs.yaml. */

#include <string.h>

#include <liballoc/replay.h>

#include "util/util.h"
#include "util/yaml.h"

static int read_bytes(const struct la_yaml *node, uint64_t *out,
		      struct la_error *err)
{
	double mb;
	int code = la_yaml_number(node, &mb, err);

	if (!code && mb * (double)MIB > 1e15)
		code = la_yaml_bad(node, err, "no number, or one too large");
	if (!code)
		*out = (uint64_t)(mb * (double)MIB);
	return code;
}

#define ONE(name) +1
_Static_assert(sizeof(struct la_cost_point) ==
		       sizeof(uint64_t) +
			       (0 LA_COST_NAMES(ONE)) * sizeof(double),
	       "all have a name");
#undef ONE

/* The cost of this name, or NULL. */
static double *costs_member(struct la_cost_point *point, const char *name)
{
	const struct {
		const char *name;
		double *cost;
	} member[] = {
#define MEMBER(name) { #name, &point->name },
		LA_COST_NAMES(MEMBER)
#undef MEMBER
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(member); i++)
		if (!strcmp(name, member[i].name))
			return member[i].cost;
	return NULL;
}

static int read_point_member(struct la_cost_point *point,
			     const struct la_yaml *node, struct la_error *err)
{
	const char *key = node->key->text;
	double *member;

	if (!strcmp(key, "size"))
		return read_bytes(node, &point->size, err);
	member = costs_member(point, key);
	if (member)
		return la_yaml_number(node, member, err);
	return la_yaml_bad(node->key, err, "unknown key");
}

static int read_point(struct la_costs *costs, const struct la_yaml *node,
		      struct la_error *err)
{
	struct la_cost_point point = { 0 };
	const struct la_yaml *member;
	int code = 0;

	if (node->kind != LA_YAML_MAP)
		return la_yaml_bad(node, err, "no mapping");
	for (member = node->first; member && !code; member = member->next)
		code = read_point_member(&point, member, err);
	if (code < 0)
		return code;
	if (costs->point_count == LA_COST_POINTS)
		return la_yaml_bad(node, err, "too many sizes");
	if (costs->point_count &&
	    point.size <= costs->point[costs->point_count - 1].size)
		return la_yaml_bad(node, err, "sizes have to ascend");
	costs->point[costs->point_count++] = point;
	return 0;
}

static int read_points(struct la_costs *costs, const struct la_yaml *list,
		       struct la_error *err)
{
	const struct la_yaml *node;
	int code = 0;

	if (list->kind != LA_YAML_LIST)
		return la_yaml_bad(list, err, "no list");
	for (node = list->first; node && !code; node = node->next)
		code = read_point(costs, node, err);
	return code;
}

static int read_gpu(struct la_costs *costs, const struct la_yaml *node,
		    struct la_error *err)
{
	size_t length;

	if (node->kind != LA_YAML_SCALAR)
		return la_yaml_bad(node, err, "no name");
	length = strlen(node->text);
	if (length >= sizeof(costs->gpu))
		return la_yaml_bad(node, err, "too long a name");
	memcpy(costs->gpu, node->text, length + 1);
	return 0;
}

static int read_member(struct la_costs *costs, const struct la_yaml *node,
		       struct la_error *err)
{
	if (!strcmp(node->key->text, "context"))
		return read_bytes(node, &costs->context, err);
	if (!strcmp(node->key->text, "wait"))
		return la_yaml_number(node, &costs->wait, err);
	if (!strcmp(node->key->text, "order"))
		return la_yaml_number(node, &costs->order, err);
	if (!strcmp(node->key->text, "gpu"))
		return read_gpu(costs, node, err);
	if (!strcmp(node->key->text, "total"))
		return read_bytes(node, &costs->total, err);
	if (!strcmp(node->key->text, "sizes"))
		return read_points(costs, node, err);
	return la_yaml_bad(node->key, err, "unknown key");
}

static int read_costs(struct la_costs *costs, const struct la_yaml *tree,
		      struct la_error *err)
{
	const struct la_yaml *node;
	int code = 0;

	if (tree->kind != LA_YAML_MAP)
		return la_yaml_bad(tree, err, "no mapping");
	for (node = tree->first; node && !code; node = node->next)
		code = read_member(costs, node, err);
	if (!code && !costs->point_count)
		code = la_yaml_bad(tree, err, "no sizes");
	return code;
}

LA_EXPORT int la_costs_read(struct la_costs *costs, const char *path,
			    struct la_error *err)
{
	struct la_costs read = { 0 };
	struct la_yaml *tree;
	int code = la_yaml_read(&tree, path, err);

	if (code < 0)
		return code;
	code = read_costs(&read, tree, err);
	la_yaml_free(tree);
	if (!code)
		*costs = read;
	return code;
}
