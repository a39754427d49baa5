// SPDX-License-Identifier: Apache-2.0
/*
 * Fronts: each thread keeps small blocks that it freed for its next requests
 * of the same size on the same stream.  Atomics: a front's lock, touched.
 */

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "allocator/internal.h"

enum { SPINS = 100 };

struct front *front_new(struct arena *arena)
{
	size_t size = (sizeof(struct front) + 63) / 64 * 64;
	struct front *front = aligned_alloc(64, size);

	if (!front)
		return NULL;
	memset(front, 0, size);
	front->arena = arena;
	front->next = arena->front;
	front->link = &arena->front;
	if (front->next)
		front->next->link = &front->next;
	arena->front = front;
	return front;
}

/* It was drained. */
void front_free(struct front *front)
{
	*front->link = front->next;
	if (front->next)
		front->next->link = front->link;
	free(front);
}

void front_lock(struct front *front)
{
	unsigned int spins = 0;

	while (atomic_exchange_explicit(&front->lock, 1,
					memory_order_acquire)) {
		while (atomic_load_explicit(&front->lock,
					    memory_order_relaxed))
			if (++spins % SPINS == 0)
				sched_yield();
	}
}

void front_unlock(struct front *front)
{
	atomic_store_explicit(&front->lock, 0, memory_order_release);
}

static uint32_t bin_index(uint32_t units)
{
	return units * UINT32_C(0x9e3779b1) >> 26;
}

/* The cache of a stream, or NULL. */
static struct cache *find_cache(struct front *front, uint64_t stream)
{
	struct cache *cache = &front->cache[front->last];
	uint32_t i;

	if (cache->stream == stream)
		return cache;
	for (i = 0; i < FRONT_STREAMS; i++) {
		cache = &front->cache[i];
		if (cache->stream == stream && cache->count) {
			front->last = i;
			return cache;
		}
	}
	return NULL;
}

/* The cache of a stream, which may be one that is empty now; or NULL: there
 * are too many streams. */
static struct cache *want_cache(struct front *front, uint64_t stream)
{
	struct cache *cache = find_cache(front, stream);
	uint32_t i;

	for (i = 0; !cache && i < FRONT_STREAMS; i++) {
		if (!front->cache[i].count) {
			front->last = i;
			cache = &front->cache[i];
			cache->stream = stream;
		}
	}
	return cache;
}

static void touch(struct front *front)
{
	atomic_store_explicit(&front->touched, true, memory_order_relaxed);
}

static struct lease *pop(struct cache *cache, uint32_t units)
{
	struct lease **link = &cache->bin[bin_index(units)], *lease;

	for (lease = *link; lease; link = &lease->next, lease = *link) {
		if (lease->units == units) {
			*link = lease->next;
			cache->count--;
			return lease;
		}
	}
	return NULL;
}

static bool is_bypassed(const struct arena *arena)
{
	return atomic_load_explicit(&arena->bypassed, memory_order_relaxed);
}

/* Serve a request from a cache of the thread, if there is such a block. */
bool front_take(struct front *front, uint64_t size, uint64_t stream,
		uint64_t *addr)
{
	uint32_t units = (uint32_t)((size + LEASE_UNIT - 1) / LEASE_UNIT);
	struct lease *lease = NULL;
	struct cache *cache;

	if (size > (uint64_t)FRONT_UNITS * LEASE_UNIT ||
	    is_bypassed(front->arena))
		return false;
	front_lock(front);
	cache = find_cache(front, stream);
	if (cache)
		lease = pop(cache, units);
	if (lease) {
		front->bytes -= lease->size;
		front->count--;
		front->tally.requested += (int64_t)size;
		front->tally.live++;
		front->tally.served++;
		front->tally.hits++;
		touch(front);
		atomic_store_explicit(&lease->requested, size,
				      memory_order_relaxed);
		lease_set(lease, LEASE_LIVE);
		*addr = lease->addr;
	}
	front_unlock(front);
	return lease != NULL;
}

/* Keep a block that the program has freed, if it may be kept and there is
 * room; under the lock. */
enum front_answer front_put(struct front *front, struct lease *lease)
{
	struct lease **bin;
	struct cache *cache;

	if (lease->units > FRONT_UNITS || lease->private || lease->use ||
	    is_bypassed(front->arena))
		return FRONT_REFUSED;
	if (front->count == FRONT_COUNT ||
	    front->bytes + lease->size > FRONT_BYTES)
		return FRONT_FULL;
	cache = want_cache(front, lease->stream);
	if (!cache)
		return FRONT_FULL;
	bin = &cache->bin[bin_index(lease->units)];
	lease->next = *bin;
	*bin = lease;
	cache->count++;
	front->count++;
	front->bytes += lease->size;
	front->tally.requested -= (int64_t)lease_requested(lease);
	front->tally.live--;
	front->tally.freed++;
	touch(front);
	lease_set(lease, LEASE_CACHED);
	return FRONT_TOOK;
}

/* All blocks of a cache, in front of a list. */
static void empty_cache(struct cache *cache, struct lease **list)
{
	struct lease *lease, *next;
	size_t i;

	for (i = 0; i < FRONT_BINS && cache->count; i++) {
		for (lease = cache->bin[i]; lease; lease = next) {
			next = lease->next;
			lease->next = *list;
			*list = lease;
			cache->count--;
		}
		cache->bin[i] = NULL;
	}
}

static void fold(struct tally *into, struct tally *from)
{
	into->requested += from->requested;
	into->live += from->live;
	into->served += from->served;
	into->freed += from->freed;
	into->hits += from->hits;
	*from = (struct tally){ 0 };
}

/* Take all that a front has into the arena. */
static void take_all(struct arena *arena, struct front *front)
{
	size_t i;

	if (!atomic_load_explicit(&front->touched, memory_order_relaxed))
		return;
	front_lock(front);
	for (i = 0; i < FRONT_STREAMS && front->count; i++)
		empty_cache(&front->cache[i], &arena->returning);
	front->count = 0;
	front->bytes = 0;
	fold(&arena->tally, &front->tally);
	atomic_store_explicit(&front->touched, false, memory_order_relaxed);
	front_unlock(front);
}

/* Returns the number of blocks that went back to the heap, or what it failed
 * with: the others wait for the next time. */
static long give_back(struct arena *arena)
{
	struct lease *lease;
	long count = 0;
	int err;

	while ((lease = arena->returning)) {
		struct lease *next = lease->next;

		err = lease_give_back(arena, lease);
		if (err < 0)
			return err;
		arena->returning = next;
		count++;
	}
	return count;
}

/* Give the blocks of a front back to the heap, and fold what it counted. */
int front_drain(struct front *front)
{
	long count;

	take_all(front->arena, front);
	count = give_back(front->arena);
	return count < 0 ? (int)count : 0;
}

/* The same of all fronts.  Returns the number of blocks, or what the heap
 * failed with. */
long arena_drain(struct arena *arena)
{
	struct front *front;

	for (front = arena->front; front; front = front->next)
		take_all(arena, front);
	return give_back(arena);
}

/* Be sure that no thread uses what it saw in the map before now. */
void arena_pass_fronts(struct arena *arena)
{
	struct front *front;

	for (front = arena->front; front; front = front->next) {
		front_lock(front);
		front_unlock(front);
	}
}
