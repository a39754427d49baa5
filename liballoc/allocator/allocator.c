// SPDX-License-Identifier: Apache-2.0
/* Heaps of all devices for all threads: the calls of a request. */

#include <errno.h>
#include <stdlib.h>

#include "allocator/internal.h"
#include "heap/inside.h"
#include "util/error.h"
#include "util/util.h"

static int init_arenas(struct la_allocator *allocator,
		       const struct la_allocator_config *config,
		       struct la_error *err)
{
	int code = 0;

	while (allocator->count < config->device_count && !code) {
		struct arena *arena = &allocator->arena[allocator->count];

		arena->allocator = allocator;
		code = arena_init(arena, allocator->count, config, err);
		allocator->count += !code;
	}
	return code;
}

static void release_arenas(struct la_allocator *allocator)
{
	unsigned int i;

	for (i = 0; i < allocator->count; i++)
		arena_release(&allocator->arena[i]);
}

static int init(struct la_allocator *allocator,
		const struct la_allocator_config *config, struct la_error *err)
{
	int code = guard_init(&allocator->guard);

	if (code < 0)
		return code;
	code = threads_init(allocator);
	if (code < 0)
		goto err_release_guard;
	code = init_arenas(allocator, config, err);
	if (code < 0)
		goto err_release_arenas;
	return 0;

err_release_arenas:
	release_arenas(allocator);
	threads_free(allocator);
err_release_guard:
	guard_release(&allocator->guard);
	return code;
}

LA_EXPORT int la_allocator_new(struct la_allocator **out,
			       const struct la_allocator_config *config,
			       struct la_error *err)
{
	struct la_allocator *allocator;
	int code;

	allocator = calloc(1, sizeof(*allocator) +
				      config->device_count *
					      sizeof(allocator->arena[0]));
	code = allocator ? 0 : -ENOMEM;
	if (!code) {
		allocator->empty_above = config->empty_above;
		allocator->split = config->split;
		allocator->split_data = config->split_data;
		code = init(allocator, config, err);
	}
	if (code == -ENOMEM)
		la_error_set(err, code, LA_NO_OFFSET, "out of memory");
	if (code < 0) {
		free(allocator);
		return code;
	}
	*out = allocator;
	return 0;
}

LA_EXPORT void la_allocator_free(struct la_allocator *allocator)
{
	if (!allocator)
		return;
	release_arenas(allocator);
	threads_free(allocator);
	guard_release(&allocator->guard);
	free(allocator);
}

int arena_of(struct la_allocator *allocator, unsigned int device,
	     struct arena **arena)
{
	if (!guard_holds(&allocator->guard))
		return -ECHILD;
	if (device >= allocator->count)
		return -ENODEV;
	*arena = &allocator->arena[device];
	return 0;
}

/* Serve a request from what the thread has freed before. */
static bool take_cached(const struct thread *thread, unsigned int device,
			uint64_t size, uint64_t stream, uint64_t *addr)
{
	return size <= FRONT_UNITS * LEASE_UNIT && thread &&
	       thread->front[device] &&
	       front_take(thread->front[device], size, stream, addr);
}

static int alloc(struct la_allocator *allocator, unsigned int device,
		 uint64_t size, uint64_t stream, uint64_t *addr)
{
	struct la_allocator_oom oom;
	struct thread *thread;
	int err = arena_alloc(&allocator->arena[device], size, stream, addr,
			      &oom);

	thread = err == -ENOSPC ? thread_of(allocator) : NULL;
	if (thread) {
		thread->failed = true;
		thread->oom = oom;
	}
	return err;
}

LA_EXPORT int la_allocator_alloc(struct la_allocator *allocator,
				 unsigned int device, uint64_t size,
				 uint64_t stream, uint64_t *addr)
{
	if (!guard_holds(&allocator->guard))
		return -ECHILD;
	if (device >= allocator->count)
		return -ENODEV;
	if (!size) {
		*addr = 0;
		return 0;
	}
	if (take_cached(thread_known(allocator), device, size, stream, addr))
		return 0;
	return alloc(allocator, device, size, stream, addr);
}

/* The live lease at an address and its arena, or NULL.  A look without locks
 * may miss it. */
static struct lease *find_lease(struct la_allocator *allocator, uint64_t addr,
				struct arena **arena)
{
	struct lease *lease;
	unsigned int i;

	for (i = 0; i < allocator->count; i++) {
		*arena = &allocator->arena[i];
		lease = lease_map_find(&(*arena)->map, addr);
		if (lease_is_live(lease, addr))
			return lease;
	}
	return NULL;
}

/* The same, and sure. */
static struct lease *find_lease_locked(struct la_allocator *allocator,
				       uint64_t addr, struct arena **arena)
{
	struct lease *lease = NULL;
	unsigned int i;

	for (i = 0; i < allocator->count && !lease; i++) {
		*arena = &allocator->arena[i];
		pthread_mutex_lock(&(*arena)->lock);
		lease = lease_map_find(&(*arena)->map, addr);
		if (!lease_is_live(lease, addr))
			lease = NULL;
		pthread_mutex_unlock(&(*arena)->lock);
	}
	return lease;
}

/* The same, found sooner in the likeliest arena. */
static inline struct lease *find(struct la_allocator *allocator, uint64_t addr,
				 unsigned int likely, struct arena **arena)
{
	struct lease *lease;

	*arena = &allocator->arena[likely];
	lease = lease_map_find(&(*arena)->map, addr);
	if (lease_is_live(lease, addr))
		return lease;
	lease = find_lease(allocator, addr, arena);
	return lease ? lease : find_lease_locked(allocator, addr, arena);
}

/* Free a block through the thread's front, or past it. */
static int free_lease(struct thread *thread, struct arena *arena,
		      struct lease *lease)
{
	enum front_answer answer = FRONT_REFUSED;
	struct front *front = NULL;

	if (thread && front_likes(lease))
		front = thread_front(thread, arena->number);
	if (front)
		answer = front_put(front, lease);
	if (answer == FRONT_TOOK)
		return 0;
	lease_set(lease, LEASE_ENDING);
	return arena_free(arena, answer == FRONT_FULL ? front : NULL, lease);
}

LA_EXPORT int la_allocator_release(struct la_allocator *allocator,
				   uint64_t addr)
{
	struct thread *thread;
	struct arena *arena;
	struct lease *lease;

	if (!guard_holds(&allocator->guard))
		return -ECHILD;
	if (!addr)
		return 0;
	thread = thread_of(allocator);
	lease = find(allocator, addr, thread ? thread->last : 0, &arena);
	if (!lease)
		return -ENOENT;
	if (thread)
		thread->last = arena->number;
	return free_lease(thread, arena, lease);
}

LA_EXPORT int la_allocator_record_stream(struct la_allocator *allocator,
					 uint64_t addr, uint64_t stream)
{
	struct arena *arena;
	struct lease *lease;
	int err;

	if (!guard_holds(&allocator->guard))
		return -ECHILD;
	lease = find(allocator, addr, 0, &arena);
	if (!lease)
		return -ENOENT;
	if (lease->stream == stream)
		return 0;
	pthread_mutex_lock(&arena->lock);
	err = pending_use(arena, lease, stream);
	pthread_mutex_unlock(&arena->lock);
	return err;
}

LA_EXPORT int la_allocator_set_cap(struct la_allocator *allocator,
				   unsigned int device, uint64_t cap)
{
	struct passage passage;
	struct arena *arena;
	int err = arena_of(allocator, device, &arena);

	if (err < 0)
		return err;
	arena_enter(arena, &passage);
	arena->cap = cap;
	heap_set_cap(arena->heap, cap);
	arena_leave(arena, &passage);
	return 0;
}

LA_EXPORT int la_allocator_empty_cache(struct la_allocator *allocator)
{
	struct passage passage;
	unsigned int i;
	long drained;
	int err, first = 0;

	if (!guard_holds(&allocator->guard))
		return -ECHILD;
	for (i = 0; i < allocator->count; i++) {
		struct arena *arena = &allocator->arena[i];

		arena_enter(arena, &passage);
		drained = arena_drain(arena);
		err = drained < 0 ? (int)drained :
				    la_heap_empty_cache(arena->heap);
		arena_leave(arena, &passage);
		if (!first)
			first = err;
	}
	return first;
}
