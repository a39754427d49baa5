/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_ALLOCATOR_LEASE_MAP_H
#define LA_ALLOCATOR_LEASE_MAP_H

/*
 * Leases by address.  One thread at a time writes.  Others may look up
 * meanwhile, with no lock: what they find may then be the lease of another
 * address, and what they do not find may be there.  A slot whose lease is gone
 * keeps its address until another takes it, so that a search goes on, unless
 * none has to.
 */

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct lease;

struct map_slot {
	_Atomic(uint64_t) addr; /* 0: never used */
	_Atomic(struct lease *) lease; /* NULL: gone */
};

struct map_table {
	struct map_table *before; /* owned; smaller, still read by some */
	unsigned int bits; /* there are 2^bits slots */
	size_t used; /* slots with an address */
	size_t live; /* slots with a lease */
	struct map_slot slot[];
};

struct lease_map {
	_Atomic(struct map_table *) table; /* owned */
};

/* Returns 0 or -ENOMEM. */
int lease_map_init(struct lease_map *map);
void lease_map_release(struct lease_map *map);

static inline struct map_table *map_table_of(const struct lease_map *map)
{
	return atomic_load_explicit(&map->table, memory_order_acquire);
}

static inline size_t map_first_slot(const struct map_table *table,
				    uint64_t addr)
{
	return (size_t)((addr >> 9) * UINT64_C(0x9e3779b97f4a7c15) >>
			(64 - table->bits));
}

static inline uint64_t map_addr_of(const struct map_slot *slot)
{
	return atomic_load_explicit(&slot->addr, memory_order_acquire);
}

static inline struct lease *map_lease_of(const struct map_slot *slot)
{
	return atomic_load_explicit(&slot->lease, memory_order_acquire);
}

/* The first slot of an address; or the unused one behind all that may be. */
static inline size_t map_slot_of(const struct map_table *table,
				 uint64_t addr)
{
	size_t mask = ((size_t)1 << table->bits) - 1;
	size_t at = map_first_slot(table, addr);

	for (;; at = (at + 1) & mask) {
		uint64_t found = map_addr_of(&table->slot[at]);

		if (found == addr || !found)
			return at;
	}
}

/* The lease at an address, or NULL. */
static inline struct lease *lease_map_find(const struct lease_map *map,
					   uint64_t addr)
{
	const struct map_table *table = map_table_of(map);

	return map_lease_of(&table->slot[map_slot_of(table, addr)]);
}

/* Note the lease of an address that has none.  Returns 0 or -ENOMEM. */
int lease_map_insert(struct lease_map *map, uint64_t addr, struct lease *lease);

/* Forget the lease of an address that has one. */
void lease_map_remove(struct lease_map *map, uint64_t addr);

/* The number of leases; the writer's to ask. */
size_t lease_map_count(const struct lease_map *map);

#endif /* LA_ALLOCATOR_LEASE_MAP_H */
