// SPDX-License-Identifier: Apache-2.0
/* The structure of an allocator, checked from outside its operations. */

#include <errno.h>
#include <inttypes.h>

#include "allocator/internal.h"
#include "util/error.h"
#include "util/util.h"

/* What the leases of an arena add up to. */
struct sums {
	const struct arena *arena;
	uint64_t allocated, pending; /* bytes */
	int64_t requested, live; /* of those that the program has */
	size_t noted; /* leases that belong into the map */
	uint64_t cached; /* leases of fronts, or on their way back */
	uint64_t watched; /* bytes of those that the ledger knows of */
	uint64_t uses_left;
	uint64_t lost; /* address of one that the map does not know */
};

static void sum_up(void *data, const struct lease *lease)
{
	enum lease_state state = lease_state(lease);
	struct sums *sums = data;

	if (state == LEASE_PENDING) {
		sums->pending += lease->size;
		sums->uses_left += lease->uses_left;
		return;
	}
	if (lease_map_find(&sums->arena->map, lease_addr(lease)) != lease)
		sums->lost = lease_addr(lease);
	sums->allocated += lease->size;
	sums->noted++;
	if (state == LEASE_CACHED) {
		sums->cached++;
		return;
	}
	sums->requested += (int64_t)lease_requested(lease);
	sums->live++;
}

static int broken(struct la_error *err, const char *what, uint64_t value)
{
	return la_error_set(err, -EUCLEAN, LA_NO_OFFSET, "%s: 0x%" PRIx64, what,
			    value);
}

/* Blocks and bytes of a cache; -EUCLEAN if one does not belong there. */
static int add_cache(const struct cache *cache, uint64_t *count,
		     uint64_t *bytes, struct la_error *err)
{
	const struct lease *lease;
	uint64_t before = *count;
	size_t i;

	for (i = 0; i < FRONT_BINS && cache->count; i++) {
		for (lease = cache->bin[i]; lease; lease = lease->next) {
			if (lease_state(lease) != LEASE_CACHED ||
			    lease->stream != cache->stream || lease->use)
				return broken(err, "wrong block in a cache",
					      lease_addr(lease));
			*bytes += lease->size;
			++*count;
		}
	}
	if (*count - before != cache->count)
		return broken(err, "wrong count of a cache", cache->count);
	return 0;
}

static int check_front(const struct front *front, struct sums *sums,
		       struct la_error *err)
{
	uint64_t count = 0, bytes = 0;
	size_t i;
	int code = 0;

	for (i = 0; i < FRONT_STREAMS && !code; i++)
		code = add_cache(&front->cache[i], &count, &bytes, err);
	if (code < 0)
		return code;
	if (count != front->count || bytes != front->bytes)
		return broken(err, "wrong figures of a front", bytes);
	sums->cached -= count;
	if (front->watched)
		sums->watched += bytes;
	sums->requested -= front->tally.requested;
	sums->live -= front->tally.live;
	return 0;
}

static int check_queues(const struct arena *arena, const struct sums *sums,
			struct la_error *err)
{
	const struct use *use;
	uint64_t queued = 0, deferred = 0;
	size_t i;

	for (i = 0; i < arena->queue_count; i++)
		for (use = arena->queue[i].first; use; use = use->later)
			queued++;
	for (use = arena->deferred; use; use = use->later)
		deferred++;
	if (queued != arena->queued || queued + deferred != sums->uses_left)
		return broken(err, "wrong number of uses", queued + deferred);
	return 0;
}

static int check_sums(const struct arena *arena, const struct sums *sums,
		      struct la_error *err)
{
	const struct la_heap_stats *stats = la_heap_stats(arena->heap);
	const struct lease *lease;
	uint64_t returning = 0, watched = sums->watched;

	for (lease = arena->returning; lease; lease = lease->next) {
		watched += lease->size;
		returning++;
	}
	if (sums->cached != returning)
		return broken(err, "blocks in no cache", sums->cached);
	if (sums->lost)
		return broken(err, "address unknown", sums->lost);
	if (lease_map_count(&arena->map) != sums->noted)
		return broken(err, "addresses of nothing", sums->noted);
	if (stats->allocated != sums->allocated)
		return broken(err, "wrong bytes allocated", sums->allocated);
	if (stats->active != sums->allocated + sums->pending)
		return broken(err, "wrong bytes pending", sums->pending);
	if (arena->ledger.tally.live != sums->live)
		return broken(err, "wrong number of live blocks",
			      (uint64_t)sums->live);
	if (arena->ledger.tally.requested != sums->requested)
		return broken(err, "wrong bytes requested",
			      (uint64_t)sums->requested);
	if (arena->ledger.cached != watched)
		return broken(err, "wrong bytes cached", watched);
	return check_queues(arena, sums, err);
}

/* With all locks held. */
static int check_locked(const struct arena *arena, struct la_error *err)
{
	struct sums sums = { .arena = arena };
	const struct front *front;
	int code = la_heap_check(arena->heap, err);

	leases_visit(arena, sum_up, &sums);
	for (front = arena->front; front && !code; front = front->next)
		code = check_front(front, &sums, err);
	return code < 0 ? code : check_sums(arena, &sums, err);
}

static int check_arena(struct arena *arena, struct la_error *err)
{
	struct front *front;
	int code;

	pthread_mutex_lock(&arena->lock);
	for (front = arena->front; front; front = front->next)
		spin_lock(&front->lock);
	code = check_locked(arena, err);
	for (front = arena->front; front; front = front->next)
		spin_unlock(&front->lock);
	pthread_mutex_unlock(&arena->lock);
	return code;
}

LA_EXPORT int la_allocator_check(struct la_allocator *allocator,
				 struct la_error *err)
{
	unsigned int i;
	int code = 0;

	if (!guard_holds(&allocator->guard))
		return -ECHILD;
	for (i = 0; i < allocator->count && !code; i++)
		code = check_arena(&allocator->arena[i], err);
	return code;
}
