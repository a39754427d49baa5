/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_ALLOCATOR_LEASE_MAP_H
#define LA_ALLOCATOR_LEASE_MAP_H

/*
 * Leases by address.  One thread at a time writes; others may look up
 * meanwhile, if no table that lease_map_insert() retired is freed before they
 * are done.  A slot keeps its address when the lease is gone, as addresses
 * come back; a bigger or cleaner table takes over when half of the slots have
 * one.
 */

#include <stddef.h>
#include <stdint.h>

struct lease;

struct map_slot {
	_Atomic(uint64_t) addr; /* 0: never used */
	_Atomic(struct lease *) lease; /* NULL: gone */
};

struct map_table {
	unsigned int bits; /* there are 2^bits slots */
	size_t used; /* slots with an address; the writer's */
	size_t live; /* slots with a lease; the writer's */
	struct map_slot slot[];
};

struct lease_map {
	_Atomic(struct map_table *) table; /* owned */
};

/* Returns 0 or -ENOMEM. */
int lease_map_init(struct lease_map *map);
void lease_map_release(struct lease_map *map);

/* The lease at an address, or NULL. */
struct lease *lease_map_find(const struct lease_map *map, uint64_t addr);

/*
 * Note the lease of an address that has none.  *retired is a table to be
 * freed when no reader uses it any more, or NULL.  Returns 0, -EEXIST if the
 * address has a lease, or -ENOMEM.
 */
int lease_map_insert(struct lease_map *map, uint64_t addr, struct lease *lease,
		     struct map_table **retired);

/* The number of leases; the writer's to ask. */
size_t lease_map_count(const struct lease_map *map);

/* Forget the lease of an address that has one. */
void lease_map_remove(struct lease_map *map, uint64_t addr);

#endif /* LA_ALLOCATOR_LEASE_MAP_H */
