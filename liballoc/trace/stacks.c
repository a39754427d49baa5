// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/stacks.h"

void la_stacks_release(struct la_stacks *stacks)
{
	la_chunks_release(&stacks->texts);
	la_chunks_release(&stacks->frames);
	la_chunks_release(&stacks->stacks);
	free(stacks->dicts);
	free(stacks->lists);
	free(stacks->open);
}

static bool has_room(const struct la_stacks *stacks, size_t size)
{
	size_t used = la_chunks_used(&stacks->texts) +
		      la_chunks_used(&stacks->frames) +
		      la_chunks_used(&stacks->stacks);

	return used < LA_STACKS_ROOM && size < LA_STACKS_ROOM - used;
}

/* The number + 1 of a chunk in a set of these, 0 if it has no room. */
static int keep(struct la_stacks *stacks, struct la_chunks *set,
		struct la_budget *budget, const void *data, size_t size,
		bool always, uint32_t *number)
{
	int err = 0;

	*number = 0;
	if (!la_chunks_find(set, data, size, number)) {
		if (!always && !has_room(stacks, size))
			return 0;
		err = la_chunks_intern(set, budget, data, size, number);
	}
	*number += err == 0;
	return err;
}

int la_stacks_keep(struct la_stacks *stacks, struct la_budget *budget,
		   const char *text, size_t size, bool always, uint32_t *number)
{
	*number = 0;
	if (memchr(text, 0, size))
		return 0;
	return keep(stacks, &stacks->texts, budget, text, size + 1, always,
		    number);
}

static int new_object(struct la_budget *budget, uint32_t **objects,
		      size_t *count, size_t *room, uint64_t *object)
{
	int err = 0;

	if (*count >= UINT32_MAX - 1)
		return -E2BIG;
	if (*count == *room)
		err = la_budget_grow(budget, objects, room, *count + 1,
				     sizeof(**objects));
	if (err < 0)
		return err;
	(*objects)[*count] = 0;
	*object = (*count)++;
	return 0;
}

int la_stacks_new_frame(struct la_stacks *stacks, struct la_budget *budget,
			uint64_t *dict)
{
	return new_object(budget, &stacks->dicts, &stacks->dict_count,
			  &stacks->dict_room, dict);
}

int la_stacks_close_frame(struct la_stacks *stacks, struct la_budget *budget,
			  uint64_t dict, const struct la_frame_parts *parts)
{
	return keep(stacks, &stacks->frames, budget, parts, sizeof(*parts),
		    false, &stacks->dicts[dict]);
}

int la_stacks_new_list(struct la_stacks *stacks, struct la_budget *budget,
		       uint64_t *list)
{
	stacks->open_count = 0;
	stacks->open_is_lost = false;
	return new_object(budget, &stacks->lists, &stacks->list_count,
			  &stacks->list_room, list);
}

int la_stacks_add(struct la_stacks *stacks, struct la_budget *budget,
		  uint64_t dict)
{
	uint32_t frame = stacks->dicts[dict];
	int err = 0;

	if (!frame || stacks->open_count == LA_STACKS_DEPTH) {
		stacks->open_is_lost = true;
		return 0;
	}
	if (stacks->open_count == stacks->open_room)
		err = la_budget_grow(budget, &stacks->open, &stacks->open_room,
				     stacks->open_count + 1,
				     sizeof(*stacks->open));
	if (err == 0)
		stacks->open[stacks->open_count++] = frame - 1;
	return err;
}

int la_stacks_close_list(struct la_stacks *stacks, struct la_budget *budget,
			 uint64_t list)
{
	int err = 0;

	if (!stacks->open_is_lost)
		err = keep(stacks, &stacks->stacks, budget, stacks->open,
			   stacks->open_count * sizeof(*stacks->open), false,
			   &stacks->lists[list]);
	stacks->lost += err == 0 && !stacks->lists[list];
	return err;
}
