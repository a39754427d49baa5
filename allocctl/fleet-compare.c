// SPDX-License-Identifier: Apache-2.0
/* Which nodes say the same, and who has said nothing. */
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "fleet.h"
#include "util/array.h"

const char *const fleet_fact_names[FLEET_FACTS] = {
	[FLEET_SETTING] = "setting", [FLEET_ORIGIN] = "origin",
	[FLEET_TORCH] = "torch",     [FLEET_DRIVER] = "driver",
	[FLEET_GPUS] = "gpus",	     [FLEET_ALLOCCTL] = "allocctl",
	[FLEET_FAULTS] = "faults",
};

struct fleet_node *fleet_add(struct fleet *fleet, const char *name)
{
	struct fleet_node *node;

	fleet->full |= fleet->count == FLEET_NODES;
	if (fleet->full || fleet->failed)
		return NULL;
	if (grow_array(&fleet->node, &fleet->room, fleet->count,
		       sizeof(*fleet->node)) < 0) {
		fleet->failed = true;
		return NULL;
	}
	node = &fleet->node[fleet->count];
	*node = (struct fleet_node){
		.name = strdup(name),
		.order = fleet->count++,
	};
	fleet->failed |= !node->name;
	return node;
}

void fleet_add_error(struct fleet *fleet, const char *name, const char *why)
{
	struct fleet_node *node = fleet_add(fleet, name);

	if (node)
		node->error = strdup(why);
	if (node && !node->error)
		fleet->failed = true;
}

/* Alike: 0.  A report is before an error. */
static int compare_answers(const struct fleet_node *a,
			   const struct fleet_node *b)
{
	int order = !!a->error - !!b->error;
	size_t i;

	if (a->error || b->error)
		return order;
	for (i = 0; i < FLEET_FACTS && !order; i++)
		order = strcmp(a->fact[i], b->fact[i]);
	return order;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct fleet_node *node = a, *other = b;
	int order = hostlist_compare(node->name, other->name);

	if (!order)
		order = compare_answers(node, other);
	return order ? order : (node->order > other->order ? 1 : -1);
}

static void release_node(struct fleet_node *node)
{
	size_t i;

	for (i = 0; i < FLEET_FACTS; i++)
		free(node->fact[i]);
	free(node->error);
	free(node->name);
}

static void add_name(struct fleet *fleet, struct hostlist *list,
		     const char *name)
{
	if (grow_array(&list->name, &list->room, list->count,
		       sizeof(*list->name)) < 0 ||
	    !(list->name[list->count] = strdup(name)))
		fleet->failed = true;
	else
		list->count++;
}

/* Of each node what it has said, each thing once, and no error if it has
 * reported. */
static void merge(struct fleet *fleet)
{
	struct fleet_node *node = fleet->node, *last;
	size_t i, kept = 0;

	if (fleet->count)
		qsort(node, fleet->count, sizeof(*node), compare_nodes);
	for (i = 0; i < fleet->count; i++) {
		last = kept ? &node[kept - 1] : NULL;
		if (!last || strcmp(last->name, node[i].name)) {
			fleet->answered += !node[i].error;
			node[kept++] = node[i];
		} else if (node[i].error || !compare_answers(last, &node[i])) {
			release_node(&node[i]);
		} else {
			add_name(fleet, &fleet->conflicting, node[i].name);
			node[kept++] = node[i];
		}
	}
	fleet->count = kept;
	hostlist_sort(&fleet->conflicting);
}

static void find_missing(struct fleet *fleet)
{
	struct fleet_node wanted = { .error = NULL };
	size_t i, k = 0;

	for (i = 0; i < fleet->expected.count; i++) {
		wanted.name = fleet->expected.name[i];
		while (k < fleet->count &&
		       hostlist_compare(fleet->node[k].name, wanted.name) < 0)
			k++;
		if (k == fleet->count ||
		    strcmp(fleet->node[k].name, wanted.name))
			add_name(fleet, &fleet->missing, wanted.name);
	}
}

/* A value and who says it. */
struct saying {
	const char *value, *name;
};

static int compare_sayings(const void *a, const void *b)
{
	const struct saying *saying = a, *other = b;
	int order = strcmp(saying->value, other->value);

	return order ? order : hostlist_compare(saying->name, other->name);
}

static int compare_groups(const void *a, const void *b)
{
	const struct fleet_group *group = a, *other = b;

	if (group->count != other->count)
		return group->count > other->count ? -1 : 1;
	return strcmp(group->value, other->value);
}

/* The sayings are sorted. */
static bool add_groups(struct fleet_groups *groups, const struct saying *saying,
		       size_t count)
{
	struct fleet_group *group = NULL;
	size_t i;

	groups->group = calloc(count + 1, sizeof(*groups->group));
	groups->names = calloc(count + 1, sizeof(*groups->names));
	if (!groups->group || !groups->names)
		return false;
	for (i = 0; i < count; i++) {
		if (!group || strcmp(saying[i].value, group->value)) {
			group = &groups->group[groups->count++];
			group->value = saying[i].value;
			group->node = groups->names + i;
		} else if (!strcmp(saying[i].name, saying[i - 1].name)) {
			continue;
		}
		group->node[group->count++] = saying[i].name;
	}
	if (count)
		qsort(groups->group, groups->count, sizeof(*groups->group),
		      compare_groups);
	return true;
}

/* By a fact, or by what went wrong. */
static void group(struct fleet *fleet, struct fleet_groups *groups, size_t fact)
{
	struct saying *saying = calloc(fleet->count + 1, sizeof(*saying));
	size_t i, n = 0;

	for (i = 0; saying && i < fleet->count; i++) {
		saying[n].name = fleet->node[i].name;
		saying[n].value = fact < FLEET_FACTS ?
					  fleet->node[i].fact[fact] :
					  fleet->node[i].error;
		n += saying[n].value != NULL;
	}
	if (saying && n)
		qsort(saying, n, sizeof(*saying), compare_sayings);
	if (!saying || !add_groups(groups, saying, n))
		fleet->failed = true;
	free(saying);
}

void fleet_compare(struct fleet *fleet)
{
	size_t i;

	if (fleet->failed || fleet->full)
		return;
	merge(fleet);
	find_missing(fleet);
	for (i = 0; i < FLEET_FACTS; i++)
		group(fleet, &fleet->fact[i], i);
	group(fleet, &fleet->errors, FLEET_FACTS);
}

int fleet_status(const struct fleet *fleet)
{
	size_t i;

	if (!fleet->answered || fleet->missing.count || fleet->errors.count ||
	    fleet->launcher_status)
		return STATUS_CANNOT_TELL;
	for (i = 0; i < FLEET_FACTS; i++)
		if (fleet->fact[i].count > 1)
			return STATUS_FINDINGS;
	return STATUS_DONE;
}

static void release_part(struct fleet_part *part)
{
	free(part->name);
	free(part->id);
	free(part->text);
}

static void release_groups(struct fleet_groups *groups)
{
	free(groups->group);
	free(groups->names);
}

void fleet_release(struct fleet *fleet)
{
	size_t i;

	for (i = 0; i < FLEET_FACTS; i++)
		release_groups(&fleet->fact[i]);
	release_groups(&fleet->errors);
	while (fleet->count)
		release_node(&fleet->node[--fleet->count]);
	free(fleet->node);
	while (fleet->part_count)
		release_part(&fleet->part[--fleet->part_count]);
	free(fleet->part);
	free(fleet->other_line);
	hostlist_release(&fleet->expected);
	hostlist_release(&fleet->missing);
	hostlist_release(&fleet->conflicting);
}
