// SPDX-License-Identifier: Apache-2.0
/* A table of things that are told by handles: index + 1 and, in the upper
 * half, the generation. */

#include <stdlib.h>
#include <string.h>

#include "device/slots.h"
#include "util/array.h"

static struct slot *slot_at(const struct slots *slots, size_t index)
{
	return (struct slot *)((char *)slots->slot + index * slots->element);
}

void *la_slots_take(struct slots *slots)
{
	size_t index = slots->free - 1;
	struct slot *slot, fresh = { .generation = 1 };

	if (slots->free) {
		slot = slot_at(slots, index);
		slots->free = slot->next;
		fresh.generation = slot->generation;
	} else {
		index = slots->count;
		if (grow_array(&slots->slot, &slots->room, slots->count,
			       slots->element) < 0)
			return NULL;
		slot = slot_at(slots, index);
		slots->count++;
	}
	fresh.handle = (uint64_t)fresh.generation << 32 | (index + 1);
	memset(slot, 0, slots->element);
	*slot = fresh;
	return slot;
}

void *la_slots_at(const struct slots *slots, uint64_t handle)
{
	size_t index = (uint32_t)handle;
	struct slot *slot;

	if (!index || index > slots->count)
		return NULL;
	slot = slot_at(slots, index - 1);
	return slot->handle == handle ? slot : NULL;
}

void la_slots_drop(struct slots *slots, void *element)
{
	struct slot *slot = element;
	uint32_t number = (uint32_t)slot->handle;

	slot->handle = 0;
	slot->generation++;
	slot->next = slots->free;
	slots->free = number;
}

void *la_slots_next(const struct slots *slots, size_t *at)
{
	while (*at < slots->count) {
		struct slot *slot = slot_at(slots, (*at)++);

		if (slot->handle)
			return slot;
	}
	return NULL;
}
