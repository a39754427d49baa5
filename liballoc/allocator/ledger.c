// SPDX-License-Identifier: Apache-2.0
/* Figures and peaks of an arena. */

#include "allocator/internal.h"
#include "util/util.h"

/* Fronts are no longer watched when all figures are so far below the peaks. */
#define FAR_BYTES (32 * MIB)
#define FAR_LEASES 4096

static void add(struct tally *tally, const struct tally *change)
{
	tally->requested += change->requested;
	tally->live += change->live;
	tally->served += change->served;
	tally->freed += change->freed;
	tally->hits += change->hits;
}

static void raise_to(uint64_t *peak, uint64_t value)
{
	if (value > *peak)
		*peak = value;
}

static void raise_all(struct ledger *ledger)
{
	struct peaks *peaks = &ledger->peaks;

	raise_to(&peaks->allocated, ledger->allocated - ledger->cached);
	raise_to(&peaks->active, ledger->active - ledger->cached);
	raise_to(&peaks->requested, (uint64_t)ledger->tally.requested);
	raise_to(&peaks->live, (uint64_t)ledger->tally.live);
}

static void serve(struct tally *tally, uint64_t requested)
{
	tally->requested += (int64_t)requested;
	tally->live++;
	tally->served++;
}

static void end(struct tally *tally, uint64_t requested)
{
	tally->requested -= (int64_t)requested;
	tally->live--;
	tally->freed++;
}

void ledger_add_hit(struct front *front, uint64_t size, uint64_t requested)
{
	struct ledger *ledger = &front->arena->ledger;

	if (!front->watched) {
		serve(&front->tally, requested);
		front->tally.hits++;
		return;
	}
	spin_lock(&ledger->lock);
	serve(&ledger->tally, requested);
	ledger->tally.hits++;
	ledger->cached -= size;
	if (ledger->exact)
		raise_all(ledger);
	spin_unlock(&ledger->lock);
}

void ledger_add_put(struct front *front, uint64_t size, uint64_t requested)
{
	struct ledger *ledger = &front->arena->ledger;

	if (!front->watched) {
		end(&front->tally, requested);
		return;
	}
	spin_lock(&ledger->lock);
	end(&ledger->tally, requested);
	ledger->cached += size;
	spin_unlock(&ledger->lock);
}

/* Fronts that are not watched do not touch the ledger: it needs no lock. */
void ledger_add_freed(struct arena *arena, uint64_t requested)
{
	struct ledger *ledger = &arena->ledger;

	if (!ledger->watching) {
		end(&ledger->tally, requested);
		return;
	}
	spin_lock(&ledger->lock);
	end(&ledger->tally, requested);
	spin_unlock(&ledger->lock);
}

void ledger_fold(struct front *front)
{
	struct ledger *ledger = &front->arena->ledger;

	spin_lock(&ledger->lock);
	add(&ledger->tally, &front->tally);
	front->tally = (struct tally){ 0 };
	if (!front->watched)
		ledger->cached += front->bytes;
	spin_unlock(&ledger->lock);
}

static void watch(struct arena *arena)
{
	struct ledger *ledger = &arena->ledger;
	struct front *front;

	ledger->watching = true;
	for (front = arena->front; front; front = front->next) {
		spin_lock(&front->lock);
		ledger_fold(front);
		front->watched = true;
		spin_unlock(&front->lock);
	}
	spin_lock(&ledger->lock);
	ledger->exact = true;
	raise_all(ledger);
	spin_unlock(&ledger->lock);
}

static void unwatch(struct arena *arena)
{
	struct ledger *ledger = &arena->ledger;
	struct front *front;

	ledger->watching = false;
	spin_lock(&ledger->lock);
	ledger->exact = false;
	spin_unlock(&ledger->lock);
	for (front = arena->front; front; front = front->next) {
		spin_lock(&front->lock);
		spin_lock(&ledger->lock);
		front->watched = false;
		ledger->cached -= front->bytes;
		spin_unlock(&ledger->lock);
		spin_unlock(&front->lock);
	}
}

/* Is a figure of the heap above its peak? */
static bool is_above(const struct ledger *ledger,
		     const struct la_heap_stats *stats)
{
	const struct peaks *peaks = &ledger->peaks;

	return stats->allocated > peaks->allocated ||
	       stats->active > peaks->active ||
	       ledger->tally.requested > (int64_t)peaks->requested ||
	       ledger->tally.live > (int64_t)peaks->live;
}

/* Are all figures far below their peaks, so that fronts are not watched and
 * not by turns? */
static bool is_far_below(const struct ledger *ledger)
{
	const struct peaks *peaks = &ledger->peaks;

	return ledger->allocated + FAR_BYTES < peaks->allocated &&
	       ledger->active + FAR_BYTES < peaks->active &&
	       ledger->tally.requested + (int64_t)FAR_BYTES <
		       (int64_t)peaks->requested &&
	       ledger->tally.live + FAR_LEASES < (int64_t)peaks->live;
}

static bool has_cached(const struct arena *arena)
{
	const struct front *front;

	for (front = arena->front; front; front = front->next)
		if (atomic_load_explicit(&front->count, memory_order_relaxed))
			return true;
	return arena->returning != NULL;
}

static void copy(struct ledger *ledger, const struct la_heap_stats *stats)
{
	ledger->allocated = stats->allocated;
	ledger->active = stats->active;
}

/* Nobody but the holder of the arena's lock uses the ledger. */
static void note_unwatched(struct arena *arena,
			   const struct la_heap_stats *stats)
{
	struct ledger *ledger = &arena->ledger;

	raise_to(&ledger->peaks.reserved, stats->reserved);
	if (!is_above(ledger, stats))
		return;
	copy(ledger, stats);
	if (has_cached(arena))
		watch(arena);
	else
		raise_all(ledger);
}

void ledger_add_served(struct arena *arena, uint64_t requested)
{
	struct ledger *ledger = &arena->ledger;

	if (!ledger->watching) {
		serve(&ledger->tally, requested);
		note_unwatched(arena, la_heap_stats(arena->heap));
		return;
	}
	spin_lock(&ledger->lock);
	serve(&ledger->tally, requested);
	spin_unlock(&ledger->lock);
}

void ledger_note(struct arena *arena)
{
	const struct la_heap_stats *stats = la_heap_stats(arena->heap);
	struct ledger *ledger = &arena->ledger;
	bool far;

	if (!ledger->watching) {
		note_unwatched(arena, stats);
		return;
	}
	spin_lock(&ledger->lock);
	copy(ledger, stats);
	raise_to(&ledger->peaks.reserved, stats->reserved);
	raise_all(ledger);
	far = is_far_below(ledger);
	spin_unlock(&ledger->lock);
	if (far)
		unwatch(arena);
}

void ledger_return(struct arena *arena, uint64_t bytes)
{
	struct ledger *ledger = &arena->ledger;

	spin_lock(&ledger->lock);
	copy(ledger, la_heap_stats(arena->heap));
	ledger->cached -= bytes;
	spin_unlock(&ledger->lock);
}

void ledger_reset(struct arena *arena)
{
	const struct la_heap_stats *stats = la_heap_stats(arena->heap);
	struct ledger *ledger = &arena->ledger;

	watch(arena);
	spin_lock(&ledger->lock);
	copy(ledger, stats);
	ledger->peaks = (struct peaks){ .reserved = stats->reserved };
	raise_all(ledger);
	spin_unlock(&ledger->lock);
}

void ledger_read(struct arena *arena, struct tally *tally, uint64_t *cached,
		 struct peaks *peaks)
{
	struct ledger *ledger = &arena->ledger;
	struct front *front;

	for (front = arena->front; front; front = front->next)
		spin_lock(&front->lock);
	spin_lock(&ledger->lock);
	*tally = ledger->tally;
	*cached = ledger->cached;
	*peaks = ledger->peaks;
	spin_unlock(&ledger->lock);
	for (front = arena->front; front; front = front->next) {
		add(tally, &front->tally);
		if (!front->watched)
			*cached += front->bytes;
		spin_unlock(&front->lock);
	}
}
