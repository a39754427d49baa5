// SPDX-License-Identifier: Apache-2.0
/*
 * Fronts: each thread keeps small blocks that it freed for its next requests
 * of the same size on the same stream.
 */

#include <stdlib.h>
#include <string.h>

#include "allocator/internal.h"

struct front *front_new(struct arena *arena)
{
	size_t size = (sizeof(struct front) + 63) / 64 * 64;
	struct front *front = aligned_alloc(64, size);

	if (!front)
		return NULL;
	memset(front, 0, size);
	front->arena = arena;
	front->watched = arena->ledger.watching;
	front->next = arena->front;
	front->link = &arena->front;
	if (front->next)
		front->next->link = &front->next;
	arena->front = front;
	return front;
}

/* Its thread ends; it was drained. */
void front_free(struct front *front)
{
	spin_lock(&front->lock);
	ledger_fold(front);
	spin_unlock(&front->lock);
	*front->link = front->next;
	if (front->next)
		front->next->link = front->link;
	free(front);
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

static uint32_t count_of(const struct front *front)
{
	return atomic_load_explicit(&front->count, memory_order_relaxed);
}

static void set_count(struct front *front, uint32_t count)
{
	atomic_store_explicit(&front->count, count, memory_order_relaxed);
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
	uint32_t units = lease_units(size);
	struct lease *lease = NULL;
	struct cache *cache;

	if (units > FRONT_UNITS || is_bypassed(front->arena))
		return false;
	spin_lock(&front->lock);
	cache = find_cache(front, stream);
	if (cache)
		lease = pop(cache, units);
	if (lease) {
		front->bytes -= lease->size;
		set_count(front, count_of(front) - 1);
		ledger_add_hit(front, lease->size, size);
		atomic_store_explicit(&lease->requested, size,
				      memory_order_relaxed);
		lease_set(lease, LEASE_LIVE);
		*addr = lease_addr(lease);
	}
	spin_unlock(&front->lock);
	return lease != NULL;
}

static enum front_answer put(struct front *front, struct lease *lease)
{
	struct lease **bin;
	struct cache *cache;

	if (count_of(front) == FRONT_COUNT ||
	    front->bytes + lease->size > FRONT_BYTES)
		return FRONT_FULL;
	cache = want_cache(front, lease->stream);
	if (!cache)
		return FRONT_FULL;
	bin = &cache->bin[bin_index(lease->units)];
	lease->next = *bin;
	*bin = lease;
	cache->count++;
	set_count(front, count_of(front) + 1);
	front->bytes += lease->size;
	ledger_add_put(front, lease->size, lease_requested(lease));
	lease_set(lease, LEASE_CACHED);
	return FRONT_TOOK;
}

/* Keep a block that the program has freed, if there is room. */
enum front_answer front_put(struct front *front, struct lease *lease)
{
	enum front_answer answer;

	if (is_bypassed(front->arena))
		return FRONT_REFUSED;
	spin_lock(&front->lock);
	answer = put(front, lease);
	spin_unlock(&front->lock);
	return answer;
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

/* Take all blocks that a front has into the arena. */
static void take_all(struct arena *arena, struct front *front)
{
	size_t i;

	if (!count_of(front))
		return;
	spin_lock(&front->lock);
	for (i = 0; i < FRONT_STREAMS; i++)
		empty_cache(&front->cache[i], &arena->returning);
	ledger_fold(front);
	set_count(front, 0);
	front->bytes = 0;
	spin_unlock(&front->lock);
}

/* Returns the number of blocks that went back to the heap, or what it failed
 * with: the others wait for the next time. */
static long give_back(struct arena *arena)
{
	struct lease *lease;
	uint64_t bytes = 0;
	long count = 0;
	int err = 0;

	while ((lease = arena->returning) && !err) {
		struct lease *next = lease->next;
		uint64_t size = lease->size;

		err = lease_give_back(arena, lease);
		if (!err) {
			arena->returning = next;
			bytes += size;
			count++;
		}
	}
	if (count)
		ledger_return(arena, bytes);
	return err < 0 ? err : count;
}

/* Give the blocks of a front back to the heap. */
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
