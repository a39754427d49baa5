/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_ALLOCATOR_LEDGER_H
#define LA_ALLOCATOR_LEDGER_H

/*
 * Figures of an arena and their peaks, exact although most changes happen in
 * caches of threads, which share nothing.
 *
 * The heap takes what caches hold for allocated.  While its figures are not
 * above a peak, no cache can raise the true ones above it, and fronts count
 * for themselves.  Else they are watched: each change goes into the ledger at
 * once, until the figures are well below the peaks again.
 */

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct front;

/* Sums of what was served and freed. */
struct tally {
	int64_t requested; /* bytes of live leases as asked for */
	int64_t live; /* live leases */
	uint64_t served, freed; /* requests, blocks */
	uint64_t hits; /* of served: by a cache */
};

/* What peaks are kept of. */
struct peaks {
	uint64_t allocated, active, requested, reserved; /* bytes */
	uint64_t live; /* leases */
};

struct ledger {
	_Atomic(uint32_t) lock; /* of all below but watching; taken last */
	bool watching; /* arena's lock: are all fronts watched? */
	bool exact; /* the same, and have all told what they hold? */
	struct tally tally; /* without what fronts count for themselves */
	uint64_t allocated, active; /* watching: bytes, as the heap has it */
	uint64_t cached; /* of allocated: in fronts that are watched, or on
			  * the way back from a front */
	struct peaks peaks;
};

/* A front served a request with a block of so many bytes, or took the block of
 * one; under its lock. */
void ledger_add_hit(struct front *front, uint64_t size, uint64_t requested);
void ledger_add_put(struct front *front, uint64_t size, uint64_t requested);

/* The heap served a block, which raises peaks unless fronts are watched, or
 * freed one; under the arena's lock, as the next. */
void ledger_add_served(struct arena *arena, uint64_t requested);
void ledger_add_freed(struct arena *arena, uint64_t requested);

/* The heap has other figures than before; those that are only lower do not
 * matter while nothing is watched. */
void ledger_note(struct arena *arena);

/* So many bytes came back from fronts to the heap. */
void ledger_return(struct arena *arena, uint64_t bytes);

/* What a front has counted for itself, and the bytes that it holds, become
 * part of the ledger; under both locks. */
void ledger_fold(struct front *front);

/* Let peaks begin anew. */
void ledger_reset(struct arena *arena);

/* The true figures at a moment; cached: bytes in all fronts. */
void ledger_read(struct arena *arena, struct tally *tally, uint64_t *cached,
		 struct peaks *peaks);

#endif /* LA_ALLOCATOR_LEDGER_H */
