// SPDX-License-Identifier: Apache-2.0
/* Leases: blocks that a heap handed out. */

#include <stdlib.h>
#include <string.h>

#include "allocator/internal.h"
#include "heap/inside.h"

enum { SLAB_LEASES = 255 };

/* Where leases are: they stay until the arena is released, as other threads
 * may still look at one that is gone. */
struct slab {
	struct slab *next;
	_Alignas(64) struct lease lease[SLAB_LEASES];
};

/* A spare lease, or NULL: out of memory. */
struct lease *lease_new(struct arena *arena)
{
	struct lease *lease = arena->spare;
	struct slab *slab;
	size_t i;

	if (!lease) {
		slab = aligned_alloc(64, sizeof(*slab));
		if (!slab)
			return NULL;
		memset(slab, 0, sizeof(*slab));
		slab->next = arena->slab;
		arena->slab = slab;
		for (i = 0; i < SLAB_LEASES; i++)
			lease_drop(arena, &slab->lease[i]);
		lease = arena->spare;
	}
	arena->spare = lease->next;
	return lease;
}

void lease_drop(struct arena *arena, struct lease *lease)
{
	lease_set(lease, LEASE_SPARE);
	lease->next = arena->spare;
	arena->spare = lease;
}

/* Free the block of a lease that no stream but its own uses, and forget the
 * lease.  Returns 0, or what the heap failed with: then it is as before. */
int lease_give_back(struct arena *arena, struct lease *lease)
{
	int err = la_heap_release(arena->heap, lease->block);

	if (err < 0)
		return err;
	lease_map_remove(&arena->map, lease_addr(lease));
	lease_drop(arena, lease);
	return 0;
}

void uses_free(struct use *use)
{
	struct use *next;

	for (; use; use = next) {
		next = use->next;
		free(use);
	}
}

void slabs_free(struct slab *slab)
{
	struct slab *next;
	size_t i;

	for (; slab; slab = next) {
		next = slab->next;
		for (i = 0; i < SLAB_LEASES; i++)
			uses_free(slab->lease[i].use);
		free(slab);
	}
}

/* Show all leases that are in use. */
void leases_visit(const struct arena *arena,
		  void (*visit)(void *data, const struct lease *lease),
		  void *data)
{
	const struct slab *slab;
	size_t i;

	for (slab = arena->slab; slab; slab = slab->next)
		for (i = 0; i < SLAB_LEASES; i++)
			if (lease_state(&slab->lease[i]) != LEASE_SPARE)
				visit(data, &slab->lease[i]);
}
