// SPDX-License-Identifier: Apache-2.0
/* Leases by address: open addressing.  Atomics are those of this file. */

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "allocator/lease-map.h"

enum { BITS_MIN = 10 };

static struct map_table *new_table(unsigned int bits)
{
	size_t slots = (size_t)1 << bits;
	struct map_table *table = calloc(
		1, sizeof(*table) + slots * sizeof(table->slot[0]));

	if (table)
		table->bits = bits;
	return table;
}

static struct map_table *table_of(const struct lease_map *map)
{
	return atomic_load_explicit(&map->table, memory_order_acquire);
}

static size_t first_slot(const struct map_table *table, uint64_t addr)
{
	return (size_t)((addr >> 9) * UINT64_C(0x9e3779b97f4a7c15) >>
			(64 - table->bits));
}

/* The slot of an address, or the unused one where it would go. */
static size_t find_slot(const struct map_table *table, uint64_t addr)
{
	size_t mask = ((size_t)1 << table->bits) - 1;
	size_t at = first_slot(table, addr);

	for (;; at = (at + 1) & mask) {
		uint64_t found = atomic_load_explicit(&table->slot[at].addr,
						      memory_order_acquire);

		if (found == addr || !found)
			return at;
	}
}

int lease_map_init(struct lease_map *map)
{
	struct map_table *table = new_table(BITS_MIN);

	if (!table)
		return -ENOMEM;
	atomic_init(&map->table, table);
	return 0;
}

void lease_map_release(struct lease_map *map)
{
	free(table_of(map));
}

struct lease *lease_map_find(const struct lease_map *map, uint64_t addr)
{
	const struct map_table *table = table_of(map);
	const struct map_slot *slot = &table->slot[find_slot(table, addr)];

	return atomic_load_explicit(&slot->lease, memory_order_acquire);
}

size_t lease_map_count(const struct lease_map *map)
{
	return table_of(map)->live;
}

static void put(struct map_table *table, uint64_t addr, struct lease *lease)
{
	struct map_slot *slot = &table->slot[find_slot(table, addr)];
	bool is_new = !atomic_load_explicit(&slot->addr, memory_order_relaxed);

	atomic_store_explicit(&slot->lease, lease, memory_order_release);
	atomic_store_explicit(&slot->addr, addr, memory_order_release);
	table->used += is_new;
	table->live++;
}

/* A table of which at most a quarter is used. */
static struct map_table *remade(const struct map_table *table)
{
	unsigned int bits = BITS_MIN;
	struct map_table *fresh;
	size_t i;

	while ((size_t)1 << bits < 4 * (table->live + 1))
		bits++;
	fresh = new_table(bits);
	for (i = 0; fresh && i < (size_t)1 << table->bits; i++) {
		const struct map_slot *slot = &table->slot[i];
		struct lease *lease = atomic_load_explicit(
			&slot->lease, memory_order_relaxed);

		if (lease)
			put(fresh,
			    atomic_load_explicit(&slot->addr,
						 memory_order_relaxed),
			    lease);
	}
	return fresh;
}

int lease_map_insert(struct lease_map *map, uint64_t addr, struct lease *lease,
		     struct map_table **retired)
{
	struct map_table *table = table_of(map), *fresh;

	*retired = NULL;
	if (lease_map_find(map, addr))
		return -EEXIST;
	if (table->used >= (size_t)1 << (table->bits - 1)) {
		fresh = remade(table);
		if (!fresh)
			return -ENOMEM;
		atomic_store_explicit(&map->table, fresh,
				      memory_order_release);
		*retired = table;
		table = fresh;
	}
	put(table, addr, lease);
	return 0;
}

void lease_map_remove(struct lease_map *map, uint64_t addr)
{
	struct map_table *table = table_of(map);
	struct map_slot *slot = &table->slot[find_slot(table, addr)];

	atomic_store_explicit(&slot->lease, NULL, memory_order_release);
	table->live--;
}
