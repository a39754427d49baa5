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
static void lock(struct ledger *ledger)
{
	if (ledger->watching)
		spin_lock(&ledger->lock);
}

static void unlock(struct ledger *ledger)
{
	if (ledger->watching)
		spin_unlock(&ledger->lock);
}

void ledger_add_served(struct arena *arena, uint64_t requested)
{
	lock(&arena->ledger);
	serve(&arena->ledger.tally, requested);
	unlock(&arena->ledger);
}

void ledger_add_freed(struct arena *arena, uint64_t requested)
{
	lock(&arena->ledger);
	end(&arena->ledger.tally, requested);
	unlock(&arena->ledger);
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

/* Is a figure above its peak, or, so that fronts are not watched and not by
 * turns, not far below it? */
static bool is_near(const struct ledger *ledger)
{
	uint64_t bytes = ledger->watching ? FAR_BYTES : 0;
	uint64_t leases = ledger->watching ? FAR_LEASES : 0;
	const struct peaks *peaks = &ledger->peaks;
	const struct tally *tally = &ledger->tally;

	return ledger->allocated + bytes > peaks->allocated ||
	       ledger->active + bytes > peaks->active ||
	       tally->requested + (int64_t)bytes > (int64_t)peaks->requested ||
	       tally->live + (int64_t)leases > (int64_t)peaks->live;
}

static bool has_cached(const struct arena *arena)
{
	const struct front *front;

	for (front = arena->front; front; front = front->next)
		if (atomic_load_explicit(&front->count, memory_order_relaxed))
			return true;
	return arena->returning != NULL;
}

void ledger_note(struct arena *arena, uint64_t returned)
{
	const struct la_heap_stats *stats = la_heap_stats(arena->heap);
	struct ledger *ledger = &arena->ledger;
	bool near;

	lock(ledger);
	ledger->allocated = stats->allocated;
	ledger->active = stats->active;
	ledger->reserved = stats->reserved;
	ledger->cached -= returned;
	raise_to(&ledger->peaks.reserved, stats->reserved);
	if (ledger->exact)
		raise_all(ledger);
	near = is_near(ledger);
	unlock(ledger);
	if (!near && ledger->watching)
		unwatch(arena);
	else if (near && !ledger->watching && has_cached(arena))
		watch(arena);
	else if (near && !ledger->watching)
		raise_all(ledger);
}

void ledger_reset(struct arena *arena)
{
	struct ledger *ledger = &arena->ledger;

	watch(arena);
	spin_lock(&ledger->lock);
	ledger->peaks = (struct peaks){ .reserved = ledger->reserved };
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
