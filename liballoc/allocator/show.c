// SPDX-License-Identifier: Apache-2.0
/* What a device's memory looks like, and what happened to it. */

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

void arena_walk(struct arena *arena, la_heap_visitor *visitor, void *data)
{
	struct walk walk = { arena, visitor, data };

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
	(void)arena_drain(arena); /* what failed is shown as free, too */
	arena_walk(arena, visitor, data);
	arena_leave(arena, &passage);
	return 0;
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
