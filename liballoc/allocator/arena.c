// SPDX-License-Identifier: Apache-2.0
/* One device: the path of a request that no cache serves, and of a free. */

#include <errno.h>
#include <stdlib.h>

#include "allocator/internal.h"
#include "heap/inside.h"

/* One passage of so many is timed; odd, as requests and frees may alternate. */
enum { SAMPLE = 127 };

static void hear(void *data, enum la_action action, uint64_t addr,
		 uint64_t size, uint64_t stream)
{
	struct arena *arena = data;

	history_add(&arena->history, action, addr, size, stream);
}

static void hear_split(void *data, uint64_t addr, uint64_t size, uint64_t whole)
{
	const struct arena *arena = data;
	const struct la_allocator *allocator = arena->allocator;

	allocator->split(allocator->split_data, arena->number, addr, size,
			 whole);
}

static int new_heap(struct arena *arena,
		    const struct la_allocator_config *config,
		    struct la_error *err)
{
	struct la_heap_waiter waiter = arena_waiter;
	struct la_heap_config heap = {
		.policy = config->policy,
		.setting = config->setting,
		.device = &arena->meter.device,
		.cap = UINT64_MAX,
		.total = arena->total,
		.waiter = &waiter,
		.listener = config->history ? hear : NULL,
		.split_listener = config->split ? hear_split : NULL,
		.listener_data = arena,
	};

	waiter.data = arena;
	return la_heap_new(&arena->heap, &heap, err);
}

/* It is held for less time than to sleep and wake takes: waiting spins. */
static void lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
#ifdef __GLIBC__
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
	pthread_mutex_init(lock, &kind);
	pthread_mutexattr_destroy(&kind);
}

/* In memory of zeros. */
int arena_init(struct arena *arena, unsigned int number,
	       const struct la_allocator_config *config, struct la_error *err)
{
	int code;

	arena->number = number;
	arena->cap = UINT64_MAX;
	arena->total = config->total ? config->total[number] : 0;
	atomic_init(&arena->bypassed, config->history > 0);
	meter_init(&arena->meter, config->device[number]);
	if (lease_map_init(&arena->map) < 0)
		return -ENOMEM;
	if (history_init(&arena->history, config->history) < 0) {
		lease_map_release(&arena->map);
		return -ENOMEM;
	}
	code = new_heap(arena, config, err);
	if (code < 0) {
		history_release(&arena->history);
		lease_map_release(&arena->map);
		return code;
	}
	lock_init(&arena->lock);
	pthread_cond_init(&arena->settled, NULL);
	return 0;
}

void arena_release(struct arena *arena)
{
	pending_forget(arena);
	routes_free(arena);
	la_heap_free(arena->heap);
	history_release(&arena->history);
	lease_map_release(&arena->map);
	slabs_free(arena->slab);
	free(arena->pool);
	free(arena->pin);
}

/* A passage is timed from here on. */
void arena_start(struct arena *arena, struct passage *passage)
{
	arena->untimed = SAMPLE - 1;
	passage->device = arena->meter.time;
	passage->start = meter_clock();
}

/* ... to here, and stands for those that are not. */
void arena_stop(struct arena *arena, const struct passage *passage)
{
	uint64_t time = meter_clock() - passage->start;
	uint64_t device = arena->meter.time - passage->device;

	if (time > device)
		arena->time += SAMPLE * (time - device);
}

/* Note the block of a lease. */
static int begin_lease(struct arena *arena, struct lease *lease)
{
	uint64_t addr;

	heap_place_of(arena->heap, lease->block, &addr, &lease->size);
	atomic_store_explicit(&lease->addr, addr, memory_order_relaxed);
	lease_set(lease, LEASE_LIVE);
	return lease_map_insert(&arena->map, addr, lease);
}

/* A block of a pool of the heap for a lease. */
static int serve(struct arena *arena, uint64_t size, uint64_t stream, int pool,
		 struct lease *lease)
{
	int number = la_heap_stream(arena->heap, stream);
	long settled =
		arena->queued || arena->deferred ? pending_settle(arena) : 0;
	int err;

	if (number < 0 || settled < 0)
		return number < 0 ? number : (int)settled;
	atomic_store_explicit(&lease->requested, size, memory_order_relaxed);
	lease->stream = stream;
	lease->units = lease_units(size);
	lease->private = pool != LA_DEFAULT_POOL;
	err = la_heap_alloc(arena->heap, size, number, pool, &lease->block);
	if (err < 0)
		return err;
	err = begin_lease(arena, lease);
	if (err < 0)
		(void)la_heap_release(arena->heap, lease->block);
	return err;
}

int arena_alloc(struct arena *arena, uint64_t size, uint64_t stream,
		uint64_t *addr, struct la_allocator_oom *oom)
{
	struct passage passage;
	struct lease *lease;
	int pool, err;

	arena_enter(arena, &passage);
	pool = arena->route ? arena_route(arena, stream) : LA_DEFAULT_POOL;
	lease = lease_new(arena);
	err = lease ? serve(arena, size, stream, pool, lease) : -ENOMEM;
	if (!err) {
		*addr = lease_addr(lease);
		ledger_add_served(arena, size);
	} else if (lease) {
		lease_drop(arena, lease);
	}
	if (err == -ENOSPC) {
		*oom = (struct la_allocator_oom){ .size = size,
						  .stream = stream };
		arena_describe(arena, oom);
	}
	arena_leave(arena, &passage);
	return err;
}

/* Free a lease that is ending and that no cache took.  The thread's front, if
 * it is full, is emptied: what it holds is not what is asked for. */
int arena_free(struct arena *arena, struct front *full, struct lease *lease)
{
	uint64_t requested = lease_requested(lease);
	struct passage passage;
	int err;

	arena_enter(arena, &passage);
	if (full)
		(void)front_drain(full); /* what failed is tried again */
	err = lease->use ? pending_begin(arena, lease) :
			   lease_give_back(arena, lease);
	if (err < 0)
		lease_set(lease, LEASE_LIVE);
	else
		ledger_add_freed(arena, requested);
	arena_leave(arena, &passage);
	return err;
}
