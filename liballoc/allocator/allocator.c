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
	return thread && thread->front[device] &&
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

/* What a thread finds at an address. */
struct found {
	struct arena *arena;
	struct front *front;
	struct lease *lease; /* NULL: nothing */
	enum front_answer answer; /* to the lease */
};

/* Free the block at an address of one arena as far as the thread's front can:
 * keep it, or take it from the program.  A thread without memory for a front
 * looks under the arena's lock. */
static void free_in(struct la_allocator *allocator, struct thread *thread,
		    unsigned int device, uint64_t addr, struct found *found)
{
	struct arena *arena = &allocator->arena[device];
	struct front *front = thread ? thread_front(thread, device) : NULL;

	*found = (struct found){ .arena = arena,
				 .front = front,
				 .answer = FRONT_REFUSED };
	if (front)
		spin_lock(&front->lock);
	else
		pthread_mutex_lock(&arena->lock);
	found->lease = lease_map_find(&arena->map, addr);
	if (found->lease && !lease_try(found->lease, LEASE_LIVE, LEASE_ENDING))
		found->lease = NULL;
	if (front && found->lease)
		found->answer = front_put(front, found->lease);
	if (front)
		spin_unlock(&front->lock);
	else
		pthread_mutex_unlock(&arena->lock);
}

LA_EXPORT int la_allocator_release(struct la_allocator *allocator,
				   uint64_t addr)
{
	struct thread *thread;
	struct found found;
	unsigned int i, device;

	if (!guard_holds(&allocator->guard))
		return -ECHILD;
	if (!addr)
		return 0;
	thread = thread_of(allocator);
	device = thread ? thread->last : 0;
	for (i = 0; i < allocator->count; i++) {
		free_in(allocator, thread, device, addr, &found);
		if (found.lease)
			break;
		device = (device + 1) % allocator->count;
	}
	if (i == allocator->count)
		return -ENOENT;
	if (thread)
		thread->last = device;
	if (found.answer == FRONT_TOOK)
		return 0;
	return arena_free(found.arena,
			  found.answer == FRONT_FULL ? found.front : NULL,
			  found.lease);
}

/* The live lease at an address, whose arena's lock is held then; or NULL. */
static struct lease *find_lease(struct la_allocator *allocator, uint64_t addr,
				struct arena **arena)
{
	struct lease *lease;
	unsigned int i;

	for (i = 0; i < allocator->count; i++) {
		*arena = &allocator->arena[i];
		pthread_mutex_lock(&(*arena)->lock);
		lease = lease_map_find(&(*arena)->map, addr);
		if (lease && lease_state(lease) == LEASE_LIVE)
			return lease;
		pthread_mutex_unlock(&(*arena)->lock);
	}
	return NULL;
}

LA_EXPORT int la_allocator_record_stream(struct la_allocator *allocator,
					 uint64_t addr, uint64_t stream)
{
	struct arena *arena;
	struct lease *lease;
	int err = 0;

	if (!guard_holds(&allocator->guard))
		return -ECHILD;
	lease = find_lease(allocator, addr, &arena);
	if (!lease)
		return -ENOENT;
	if (lease->stream != stream)
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
