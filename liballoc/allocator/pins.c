// SPDX-License-Identifier: Apache-2.0
/* Memory that others know by its address, so that it stays where it is. */

#include <errno.h>

#include "allocator/internal.h"
#include "heap/inside.h"
#include "util/array.h"
#include "util/util.h"

static struct pin *find_pin(struct arena *arena, uint64_t addr, uint64_t size)
{
	size_t i;

	for (i = 0; i < arena->pin_count; i++)
		if (arena->pin[i].addr == addr && arena->pin[i].size == size)
			return &arena->pin[i];
	return NULL;
}

/* Pin or unpin in the heap, and keep count. */
static int pin(struct arena *arena, uint64_t addr, uint64_t size, bool pinned)
{
	struct pin *known = find_pin(arena, addr, size);
	int err;

	if (!known && !pinned)
		return -ENOENT;
	if (!known && grow_array(&arena->pin, &arena->pin_room,
				 arena->pin_count, sizeof(*arena->pin)) < 0)
		return -ENOMEM;
	err = heap_pin(arena->heap, addr, size, pinned);
	if (err < 0)
		return err;
	if (known)
		known->count += pinned ? 1 : -1;
	else
		arena->pin[arena->pin_count++] = (struct pin){ addr, size, 1 };
	if (known && !known->count)
		*known = arena->pin[--arena->pin_count];
	return 0;
}

uint64_t arena_pinned(const struct arena *arena, uint64_t addr, uint64_t size)
{
	uint64_t bytes = 0, end = addr + size;
	size_t i;

	for (i = 0; i < arena->pin_count; i++) {
		const struct pin *known = &arena->pin[i];
		uint64_t from = known->addr > addr ? known->addr : addr;
		uint64_t to = known->addr + known->size;

		if (to > end)
			to = end;
		if (from < to)
			bytes += to - from;
	}
	return bytes < size ? bytes : size;
}

/* An address that is looked for. */
struct sought {
	uint64_t addr;
	bool live; /* result: is it in a live block? */
};

static void look(void *data, const struct la_block_info *info)
{
	struct sought *sought = data;

	if (sought->addr - info->addr < info->size)
		sought->live = info->state == LA_BLOCK_LIVE;
}

/* Pin what the device gave around an address of a live block. */
static int pin_around(struct arena *arena, uint64_t addr, uint64_t *base,
		      uint64_t *size)
{
	struct sought sought = { .addr = addr };
	uint64_t from, bytes;
	int err;

	arena_walk(arena, look, &sought);
	if (!sought.live)
		return -ENOENT;
	err = heap_base(arena->heap, addr, &from, &bytes);
	if (!err)
		err = pin(arena, from, bytes, true);
	if (err < 0)
		return err;
	*base = from;
	*size = bytes;
	return 0;
}

LA_EXPORT int la_allocator_base(struct la_allocator *allocator, uint64_t addr,
				uint64_t *base, uint64_t *size)
{
	struct passage passage;
	unsigned int i;
	int err = -ENOENT;

	if (!guard_holds(&allocator->guard))
		return -ECHILD;
	for (i = 0; i < allocator->count && err == -ENOENT; i++) {
		struct arena *arena = &allocator->arena[i];

		arena_enter(arena, &passage);
		err = pin_around(arena, addr, base, size);
		arena_leave(arena, &passage);
	}
	return err;
}

LA_EXPORT int la_allocator_pin(struct la_allocator *allocator, uint64_t addr,
			       uint64_t size, bool pinned)
{
	struct passage passage;
	unsigned int i;
	int err = -ENOENT;

	if (!guard_holds(&allocator->guard))
		return -ECHILD;
	for (i = 0; i < allocator->count && err == -ENOENT; i++) {
		struct arena *arena = &allocator->arena[i];

		arena_enter(arena, &passage);
		err = pin(arena, addr, size, pinned);
		arena_leave(arena, &passage);
	}
	return err;
}
