// SPDX-License-Identifier: Apache-2.0
/* What a device's memory looks like, and what stays where it is. */

#include <errno.h>

#include "allocator/internal.h"
#include "util/util.h"

struct walk {
	struct arena *arena;
	la_heap_visitor *visitor;
	void *data; /* of visitor */
};

/* A block as the program sees it: the heap knows neither what a cache has
 * taken since nor the request that a cache has served with it. */
static void show(void *data, const struct la_block_info *info)
{
	const struct walk *walk = data;
	const struct lease *lease = NULL;
	struct la_block_info seen = *info;

	if (info->state == LA_BLOCK_LIVE)
		lease = lease_map_find(&walk->arena->map, info->addr);
	if (lease && lease_state(lease) == LEASE_CACHED) {
		seen.state = LA_BLOCK_FREE;
		seen.requested = 0;
		seen.block = LA_NO_BLOCK;
	} else if (lease) {
		seen.requested = lease_requested(lease);
	}
	walk->visitor(walk->data, &seen);
}

static void walk_arena(struct arena *arena, la_heap_visitor *visitor,
		       void *data)
{
	struct walk walk = { arena, visitor, data };

	(void)arena_drain(arena); /* what failed is shown as free too */
	la_heap_walk(arena->heap, show, &walk);
}

LA_EXPORT int la_allocator_walk(struct la_allocator *allocator,
				unsigned int device, la_heap_visitor *visitor,
				void *data)
{
	struct passage passage;
	struct arena *arena;
	int err = arena_of(allocator, device, &arena);

	if (err < 0)
		return err;
	arena_enter(arena, &passage);
	walk_arena(arena, visitor, data);
	arena_leave(arena, &passage);
	return 0;
}

/* A range that is looked for, and what is there. */
struct range {
	uint64_t addr, size;
	uint64_t held; /* bytes of it that are the heap's memory */
	uint64_t segment_addr, segment_size; /* of the live block that holds
					      * addr; 0: there is none */
};

static void look(void *data, const struct la_block_info *info)
{
	struct range *range = data;
	uint64_t from = info->addr, end = info->addr + info->size;

	if (info->state == LA_BLOCK_LIVE && range->addr >= from &&
	    range->addr < end) {
		range->segment_addr = info->segment_addr;
		range->segment_size = info->segment_size;
	}
	if (from < range->addr)
		from = range->addr;
	if (end > range->addr + range->size)
		end = range->addr + range->size;
	if (from < end)
		range->held += end - from;
}

static void look_in(struct arena *arena, struct range *range)
{
	struct passage passage;

	arena_enter(arena, &passage);
	walk_arena(arena, look, range);
	arena_leave(arena, &passage);
}

LA_EXPORT int la_allocator_base(struct la_allocator *allocator, uint64_t addr,
				uint64_t *base, uint64_t *size)
{
	struct range range = { .addr = addr };
	unsigned int i;

	if (!guard_holds(&allocator->guard))
		return -ECHILD;
	for (i = 0; i < allocator->count && !range.segment_size; i++)
		look_in(&allocator->arena[i], &range);
	if (!range.segment_size)
		return -ENOENT;
	*base = range.segment_addr;
	*size = range.segment_size;
	return 0;
}

LA_EXPORT int la_allocator_pin(struct la_allocator *allocator, uint64_t addr,
			       uint64_t size, bool pinned)
{
	unsigned int i;

	(void)pinned;
	if (!guard_holds(&allocator->guard))
		return -ECHILD;
	for (i = 0; i < allocator->count; i++) {
		struct range range = { .addr = addr, .size = size };

		look_in(&allocator->arena[i], &range);
		if (range.held == size)
			return 0;
	}
	return -ENOENT;
}

LA_EXPORT long la_allocator_history(struct la_allocator *allocator,
				    unsigned int device, struct la_event *event,
				    size_t count, uint64_t *stream,
				    size_t streams)
{
	struct passage passage;
	struct arena *arena;
	int err = arena_of(allocator, device, &arena);

	if (err < 0)
		return err;
	arena_enter(arena, &passage);
	count = history_copy(&arena->history, event, count, stream, streams);
	arena_leave(arena, &passage);
	return (long)count;
}
