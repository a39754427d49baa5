// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "env/internal.h"
#include "util/array.h"
#include "util/util.h"

enum { ANCESTORS_MAX = 128 }; /* a process is no deeper than that */

struct ancestors {
	struct la_env_ancestor *ancestor;
	size_t count, room;
};

/* A copy of a text that may be missing; false: no memory. */
static bool copy(const char **out, const char *text)
{
	*out = text ? strdup(text) : NULL;
	return *out || !text;
}

static int add(struct ancestors *list, const struct la_env_process_info *info,
	       const char *variable)
{
	const char *no_initial = la_env_unknown(info->initial);
	const char *no_current = la_env_unknown(info->current);
	struct la_env_ancestor *ancestor;

	if (grow_array(&list->ancestor, &list->room, list->count,
		       sizeof(*ancestor)) < 0)
		return -ENOMEM;
	ancestor = &list->ancestor[list->count++];
	*ancestor = (struct la_env_ancestor){ .pid = info->pid };
	return copy(&ancestor->command, info->command) &&
			       copy(&ancestor->arguments, info->arguments) &&
			       copy(&ancestor->initial,
				    la_env_value(info->initial, variable, 0)) &&
			       copy(&ancestor->current,
				    la_env_value(info->current, variable, 0)) &&
			       copy(&ancestor->unknown,
				    no_initial && no_current ? no_initial :
							       NULL) ?
		       0 :
		       -ENOMEM;
}

LA_EXPORT int la_env_ancestors(struct la_env_ancestor **out, size_t *count,
			       const struct la_env_process *process,
			       const char *variable)
{
	int64_t parent = process->info.parent;
	struct ancestors list = { 0 };
	struct la_env_process *next;
	int ret = 0;

	while (ret == 0 && parent > 0 && list.count < ANCESTORS_MAX) {
		ret = la_env_process_open(&next, parent, NULL);
		if (ret < 0) {
			ret = ret == -ENOMEM ? ret : 0;
			break;
		}
		ret = add(&list, &next->info, variable);
		parent = next->info.parent;
		la_env_process_free(next);
	}
	if (ret < 0) {
		la_env_ancestors_free(list.ancestor, list.count);
		return ret;
	}
	*out = list.ancestor;
	*count = list.count;
	return 0;
}

LA_EXPORT void la_env_ancestors_free(struct la_env_ancestor *ancestor,
				     size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		free((char *)ancestor[i].command);
		free((char *)ancestor[i].arguments);
		free((char *)ancestor[i].initial);
		free((char *)ancestor[i].current);
		free((char *)ancestor[i].unknown);
	}
	free(ancestor);
}
