// SPDX-License-Identifier: Apache-2.0
/* Memory of a walk, given back all at once, and within a budget. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "script/powershell.h"

enum { CHUNK = 1 << 16, ALIGN = 16 };

struct ps_chunk {
	struct ps_chunk *next;
	size_t used, size;
	_Alignas(ALIGN) char bytes[];
};

static struct ps_chunk *new_chunk(struct ps *ps, size_t size)
{
	size_t room = size > CHUNK ? size : CHUNK;
	struct ps_chunk *chunk = calloc(1, sizeof(*chunk) + room);

	if (!chunk) {
		ps->failed = true;
		return NULL;
	}
	chunk->size = room;
	chunk->next = ps->chunk;
	ps->chunk = chunk;
	return chunk;
}

void *ps_take(struct ps *ps, size_t size)
{
	struct ps_chunk *chunk = ps->chunk;
	void *taken;

	size = (size + ALIGN - 1) / ALIGN * ALIGN;
	if (size > ps->budget) {
		ps->spent = true;
		ps->budget = 0;
	} else {
		ps->budget -= size;
	}
	if (ps->failed)
		return NULL;
	if (!chunk || chunk->size - chunk->used < size)
		chunk = new_chunk(ps, size);
	if (!chunk)
		return NULL;
	taken = chunk->bytes + chunk->used;
	chunk->used += size;
	return taken;
}

char *ps_copy(struct ps *ps, const char *text, size_t length)
{
	char *copy = ps_take(ps, length + 1);

	if (copy)
		memcpy(copy, text, length);
	return copy;
}

void ps_release(struct ps *ps)
{
	struct ps_chunk *chunk = ps->chunk, *next;

	for (; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	ps->chunk = NULL;
}

void ps_push(struct ps *ps, struct ps_list *list, struct ps_value value)
{
	size_t room = list->room ? 2 * list->room : 4;
	struct ps_value *item;

	if (list->count == list->room) {
		item = ps_take(ps, room * sizeof(*item));
		if (!item)
			return;
		if (list->count)
			memcpy(item, list->item, list->count * sizeof(*item));
		list->item = item;
		list->room = room;
	}
	list->item[list->count++] = value;
}

bool ps_same_word(const char *a, const char *b)
{
	return !strcasecmp(a, b);
}
