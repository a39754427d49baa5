/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_ALLOCATOR_INTERNAL_H
#define LA_ALLOCATOR_INTERNAL_H

/*
 * lease   a block that a heap handed out: the program has it, or a cache
 * front   what a thread has of an arena: caches of small blocks by stream
 * arena   what serves one device: its heap, leases, events, pools, history
 *
 * Locks: a front's, which only its thread takes often, and an arena's mutex.
 * Who holds an arena's may take those of its fronts; who holds a front's may
 * take none but the ledger's; nobody holds two arenas'.  The allocator's own,
 * around the list of threads, is taken with no other held.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <liballoc/allocator.h>

#include "allocator/guard.h"
#include "allocator/history.h"
#include "allocator/lease-map.h"
#include "allocator/ledger.h"
#include "allocator/meter.h"
#include "allocator/spin.h"

enum lease_state {
	LEASE_SPARE, /* not in use */
	LEASE_LIVE, /* the program has it */
	LEASE_CACHED, /* a front has it, or it is on its way back */
	LEASE_ENDING, /* the program has freed it, its fate is open */
	LEASE_PENDING /* other streams may still use it */
};

/* Written by whoever has it by its state: the program's thread that allocates
 * or frees, the front under its lock, else the arena under its lock. */
struct lease {
	_Atomic(uint64_t) addr;
	uint64_t size; /* bytes of the block, as the heap counts them */
	_Atomic(uint64_t) requested; /* bytes of the request that it serves */
	uint64_t stream; /* raw value, of the request */
	struct use *use; /* arena's lock: streams that it is used on beside
			  * its own, or NULL */
	struct lease *next; /* in a cache, or among the spare ones */
	la_block block;
	uint32_t uses_left; /* pending: uses that are not done */
	uint32_t units; /* of the request, see lease_units() */
	uint8_t private; /* of a private pool? */
	_Atomic(uint8_t) state; /* enum lease_state */
};

/* Of a lease that others may look at, too. */
static inline uint64_t lease_addr(const struct lease *lease)
{
	return atomic_load_explicit(&lease->addr, memory_order_relaxed);
}

static inline uint64_t lease_requested(const struct lease *lease)
{
	return atomic_load_explicit(&lease->requested, memory_order_relaxed);
}

static inline enum lease_state lease_state(const struct lease *lease)
{
	return (enum lease_state)atomic_load_explicit(&lease->state,
						      memory_order_acquire);
}

static inline void lease_set(struct lease *lease, enum lease_state state)
{
	atomic_store_explicit(&lease->state, (uint8_t)state,
			      memory_order_release);
}

/* May a lease that was found by an address be taken for it? */
static inline bool lease_is_live(const struct lease *lease, uint64_t addr)
{
	return lease && lease_addr(lease) == addr &&
	       lease_state(lease) == LEASE_LIVE;
}

#define LEASE_UNIT 512 /* bytes; requests of equal units get equal blocks */

/* A request in units, rounded up; UINT32_MAX: that many, or more. */
static inline uint32_t lease_units(uint64_t size)
{
	uint64_t units = size / LEASE_UNIT + (size % LEASE_UNIT != 0);

	return units < UINT32_MAX ? (uint32_t)units : UINT32_MAX;
}

/* A stream that a block is used on beside its own. */
struct use {
	struct use *next; /* of its lease, or among the spare ones */
	struct use *later; /* in its queue, or among the deferred ones */
	struct lease *lease;
	uint64_t event; /* queued: what has to be done */
	uint32_t queue; /* index of its stream's queue */
	bool marked; /* is event set? */
};

/* Uses of one stream, in the order in which they will be done. */
struct queue {
	uint64_t stream; /* raw value */
	struct use *first, *last; /* NULL: none */
};

enum {
	FRONT_UNITS = 2048, /* largest request of a cache: 1 MiB */
	FRONT_STREAMS = 8, /* caches of a front */
	FRONT_BINS = 64, /* lists of a cache; a power of 2 */
	FRONT_COUNT = 512, /* most blocks of a front */
	FRONT_BYTES = 8 << 20 /* most bytes of a front */
};

/* Blocks freed by one thread, for its requests on one stream. */
struct cache {
	uint64_t stream; /* raw value; any while count is 0 */
	uint32_t count; /* blocks */
	struct lease *bin[FRONT_BINS]; /* newest first; by units */
};

struct front {
	_Atomic(uint32_t) lock; /* of all below but where told otherwise */
	struct arena *arena;
	struct front *next, **link; /* arena's lock: of the arena */
	bool watched; /* does the ledger hear of each change? */
	struct tally tally; /* changes that the ledger does not know */
	uint64_t bytes; /* in caches */
	_Atomic(uint32_t) count; /* blocks in caches; written under the lock */
	uint32_t last; /* index of the cache last used */
	struct cache cache[FRONT_STREAMS];
};

/* What becomes of a block that is offered to a front. */
enum front_answer {
	FRONT_TOOK,
	FRONT_FULL, /* it would, but for the room */
	FRONT_REFUSED
};

/* Requests of some streams go to a private pool. */
struct route {
	struct route *next;
	uint64_t id[2];
	int pool; /* the heap's number */
	la_stream_filter *filter;
	void *data; /* of filter and release */
	void (*release)(void *data); /* or NULL */
};

/* A private pool that somebody uses. */
struct pool_users {
	uint64_t id[2];
	uint64_t count;
};

/* A range that stays where it is. */
struct pin {
	uint64_t addr, size;
	uint64_t count; /* times that it was pinned */
};

struct arena {
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t settled; /* no thread waits for queues any more */
	struct la_allocator *allocator;
	unsigned int number; /* of the device */
	struct meter meter;
	struct la_heap *heap; /* owned; used under the lock */
	uint64_t cap; /* bytes, UINT64_MAX: none */
	uint64_t total; /* bytes of the card, 0: unknown */

	struct lease_map map; /* live and cached leases; also read without
			       * the lock */
	struct lease *spare; /* leases to be used again */
	struct slab *slab; /* owned; where leases are */
	struct lease *returning; /* from caches to the heap */
	struct front *front; /* all threads' */
	_Atomic(bool) bypassed; /* read without the lock: caches are of no
				 * use, as requests have routes or history
				 * is kept */

	struct queue *queue; /* owned */
	size_t queue_count, queue_room;
	struct use *deferred; /* their streams were being captured */
	struct use *spare_use; /* owned; to be used again */
	uint64_t queued; /* uses in queues */
	bool waiting; /* a thread waits for queues without the lock: their
		       * uses stay */

	struct route *route; /* owned; in order of their beginning */
	struct pool_users *pool; /* owned */
	size_t pool_count, pool_room;

	struct pin *pin; /* owned */
	size_t pin_count, pin_room;

	struct ledger ledger;
	uint64_t emptied; /* when empty_above last did; 0: never */
	uint32_t untimed; /* passages until one is timed */
	uint64_t time; /* ns between taking and leaving it, estimated; less
			* the device's */
	struct history history;
};

struct la_allocator {
	struct guard guard;
	pthread_key_t key; /* of a thread's struct thread */
	pthread_mutex_t lock; /* of thread */
	struct thread *thread; /* owned; all */
	double empty_above;
	void (*split)(void *data, unsigned int device, uint64_t addr,
		      uint64_t size, uint64_t whole);
	void *split_data;
	unsigned int count; /* arenas */
	struct arena arena[];
};

/* What a thread has of an allocator; used by it alone. */
struct thread {
	struct la_allocator *allocator;
	struct thread *next, **link; /* allocator's lock: of the allocator */
	unsigned int last; /* arena of its last block freed */
	bool failed; /* is oom set? */
	struct la_allocator_oom oom;
	struct front *front[]; /* owned; by arena, or NULL */
};

/* A time for which an arena's lock is held. */
struct passage {
	uint64_t start; /* 0: not timed */
	uint64_t device; /* the meter's time at the start */
};

/* arena.c: one device */
int arena_of(struct la_allocator *allocator, unsigned int device,
	     struct arena **arena);
int arena_init(struct arena *arena, unsigned int number,
	       const struct la_allocator_config *config, struct la_error *err);
void arena_release(struct arena *arena);
void arena_start(struct arena *arena, struct passage *passage);
void arena_stop(struct arena *arena, const struct passage *passage);
int arena_alloc(struct arena *arena, uint64_t size, uint64_t stream,
		uint64_t *addr, struct la_allocator_oom *oom);
int arena_free(struct arena *arena, struct front *full, struct lease *lease);

/* Take the lock of an arena, and leave it. */
static inline void arena_enter(struct arena *arena, struct passage *passage)
{
	pthread_mutex_lock(&arena->lock);
	arena->history.now = 0;
	passage->start = 0;
	if (!arena->untimed--)
		arena_start(arena, passage);
}

static inline void arena_leave(struct arena *arena,
			       const struct passage *passage)
{
	if (passage->start)
		arena_stop(arena, passage);
	if (arena->ledger.watching)
		ledger_note(arena);
	pthread_mutex_unlock(&arena->lock);
}

/* lease.c: blocks that the heap handed out */
struct lease *lease_new(struct arena *arena);
void lease_drop(struct arena *arena, struct lease *lease);
int lease_give_back(struct arena *arena, struct lease *lease);
void slabs_free(struct slab *slab);
void uses_free(struct use *use);
void leases_visit(const struct arena *arena,
		  void (*visit)(void *data, const struct lease *lease),
		  void *data);

/* front.c: caches of threads */
struct front *front_new(struct arena *arena);
void front_free(struct front *front);
bool front_take(struct front *front, uint64_t size, uint64_t stream,
		uint64_t *addr);
enum front_answer front_put(struct front *front, struct lease *lease);
int front_drain(struct front *front);
long arena_drain(struct arena *arena);

/* May a block that the program has freed be kept? */
static inline bool front_likes(const struct lease *lease)
{
	return lease->units <= FRONT_UNITS && !lease->private && !lease->use;
}

/* thread.c: what a thread has */
int threads_init(struct la_allocator *allocator);
void threads_free(struct la_allocator *allocator);
struct thread *thread_new(struct la_allocator *allocator);
struct front *thread_front(struct thread *thread, unsigned int device);

/* NULL: it has nothing yet. */
static inline struct thread *thread_known(const struct la_allocator *allocator)
{
	return pthread_getspecific(allocator->key);
}

/* NULL: out of memory. */
static inline struct thread *thread_of(struct la_allocator *allocator)
{
	struct thread *thread = thread_known(allocator);

	return thread ? thread : thread_new(allocator);
}

/* pending.c: blocks that other streams use */
int pending_use(struct arena *arena, struct lease *lease, uint64_t stream);
int pending_begin(struct arena *arena, struct lease *lease);
long pending_settle(struct arena *arena);
void pending_forget(struct arena *arena);
extern const struct la_heap_waiter arena_waiter;

/* pools.c: private pools */
int arena_route(struct arena *arena, uint64_t stream);
void routes_free(struct arena *arena);

/* show.c: blocks as the program sees them */
void arena_walk(struct arena *arena, la_heap_visitor *visitor, void *data);

/* pins.c: bytes of a range that stay where they are */
uint64_t arena_pinned(const struct arena *arena, uint64_t addr, uint64_t size);

/* figures.c: what is told of an arena */
void arena_describe(struct arena *arena, struct la_allocator_oom *oom);

#endif /* LA_ALLOCATOR_INTERNAL_H */
