// SPDX-License-Identifier: Apache-2.0
/* Private pools: which requests go to them, and who uses them. */

#include <errno.h>
#include <stdlib.h>

#include "allocator/internal.h"
#include "util/array.h"
#include "util/util.h"

static bool is_of(const uint64_t a[2], const uint64_t b[2])
{
	return a[0] == b[0] && a[1] == b[1];
}

static int find_pool(const struct arena *arena, uint64_t stream)
{
	const struct route *route;

	for (route = arena->route; route; route = route->next)
		if (route->filter(route->data, stream))
			return route->pool;
	return LA_DEFAULT_POOL;
}

static void unlock(struct arena *const *locked)
{
	if (*locked)
		pthread_mutex_unlock(&(*locked)->lock);
}

/* The heap's number of the pool that a stream's requests go to.  What a filter
 * of C++ throws goes through to the program, and the lock does not stay. */
int arena_route(struct arena *arena, uint64_t stream)
{
	struct arena *locked __attribute__((cleanup(unlock))) = arena;
	int pool = find_pool(arena, stream);

	locked = NULL;
	return pool;
}

/* Where the route of a pool is, or would be. */
static struct route **find_route(struct arena *arena, const uint64_t id[2])
{
	struct route **link = &arena->route;

	while (*link && !is_of((*link)->id, id))
		link = &(*link)->next;
	return link;
}

static void end_route(struct route *route)
{
	if (route->release)
		route->release(route->data);
	free(route);
}

void routes_free(struct arena *arena)
{
	struct route *route;

	while ((route = arena->route)) {
		arena->route = route->next;
		end_route(route);
	}
}

/* What is known of a pool's users, or NULL. */
static struct pool_users *find_users(struct arena *arena, const uint64_t id[2])
{
	size_t i;

	for (i = 0; i < arena->pool_count; i++)
		if (is_of(arena->pool[i].id, id))
			return &arena->pool[i];
	return NULL;
}

static int add_user(struct arena *arena, const uint64_t id[2])
{
	struct pool_users *users = find_users(arena, id);

	if (!users) {
		if (grow_array(&arena->pool, &arena->pool_room,
			       arena->pool_count, sizeof(*arena->pool)) < 0)
			return -ENOMEM;
		users = &arena->pool[arena->pool_count++];
		*users = (struct pool_users){ .id = { id[0], id[1] } };
	}
	users->count++;
	return 0;
}

/* Requests pass the caches by while they may have a route. */
static void look_at_routes(struct arena *arena)
{
	atomic_store_explicit(&arena->bypassed,
			      arena->route || arena->history.ring,
			      memory_order_relaxed);
}

static int begin(struct arena *arena, struct route *route)
{
	struct route **link = find_route(arena, route->id);

	if (*link)
		return -EEXIST;
	route->pool = la_heap_pool(arena->heap, route->id);
	if (route->pool < 0 || add_user(arena, route->id) < 0)
		return -ENOMEM;
	*link = route;
	look_at_routes(arena);
	return 0;
}

LA_EXPORT int la_allocator_begin_pool(struct la_allocator *allocator,
				      unsigned int device, const uint64_t id[2],
				      la_stream_filter *filter, void *data,
				      void (*release)(void *data))
{
	struct passage passage;
	struct arena *arena;
	struct route *route;
	int err = arena_of(allocator, device, &arena);

	if (err < 0)
		return err;
	route = malloc(sizeof(*route));
	if (!route)
		return -ENOMEM;
	*route = (struct route){ .id = { id[0], id[1] },
				 .filter = filter,
				 .data = data,
				 .release = release };
	arena_enter(arena, &passage);
	err = begin(arena, route);
	arena_leave(arena, &passage);
	if (err < 0)
		free(route);
	return err;
}

LA_EXPORT int la_allocator_end_pool(struct la_allocator *allocator,
				    unsigned int device, const uint64_t id[2])
{
	struct passage passage;
	struct route **link, *route;
	struct arena *arena;
	int err = arena_of(allocator, device, &arena);

	if (err < 0)
		return err;
	arena_enter(arena, &passage);
	link = find_route(arena, id);
	route = *link;
	if (route) {
		*link = route->next;
		look_at_routes(arena);
	}
	arena_leave(arena, &passage);
	if (!route)
		return -ENOENT;
	end_route(route);
	return 0;
}

/* One user less of a pool; behind the last one it is given up. */
static int remove_user(struct arena *arena, const uint64_t id[2])
{
	struct pool_users *users = find_users(arena, id);
	int pool;

	if (!users)
		return -ENOENT;
	if (users->count > 1) {
		users->count--;
		return 0;
	}
	pool = la_heap_pool(arena->heap, id);
	if (pool > LA_DEFAULT_POOL)
		pool = la_heap_pool_give_up(arena->heap, pool);
	if (pool < 0)
		return pool;
	*users = arena->pool[--arena->pool_count];
	return 0;
}

LA_EXPORT int la_allocator_release_pool(struct la_allocator *allocator,
					unsigned int device,
					const uint64_t id[2])
{
	struct passage passage;
	struct arena *arena;
	int err = arena_of(allocator, device, &arena);

	if (err < 0)
		return err;
	arena_enter(arena, &passage);
	err = remove_user(arena, id);
	arena_leave(arena, &passage);
	return err;
}
