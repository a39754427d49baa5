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
	struct map_table *table =
		calloc(1, sizeof(*table) + slots * sizeof(table->slot[0]));

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

static uint64_t addr_of(const struct map_slot *slot)
{
	return atomic_load_explicit(&slot->addr, memory_order_acquire);
}

static struct lease *lease_of(const struct map_slot *slot)
{
	return atomic_load_explicit(&slot->lease, memory_order_acquire);
}

/* The first slot of an address; or the unused one behind all that may be. */
static size_t find_slot(const struct map_table *table, uint64_t addr)
{
	size_t mask = ((size_t)1 << table->bits) - 1;
	size_t at = first_slot(table, addr);

	for (;; at = (at + 1) & mask) {
		uint64_t found = addr_of(&table->slot[at]);

		if (found == addr || !found)
			return at;
	}
}

/* The first slot for an address that has no lease. */
static size_t free_slot(const struct map_table *table, uint64_t addr)
{
	size_t mask = ((size_t)1 << table->bits) - 1;
	size_t at = first_slot(table, addr);

	while (lease_of(&table->slot[at]))
		at = (at + 1) & mask;
	return at;
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
	struct map_table *table = table_of(map), *before;

	for (; table; table = before) {
		before = table->before;
		free(table);
	}
}

struct lease *lease_map_find(const struct lease_map *map, uint64_t addr)
{
	const struct map_table *table = table_of(map);

	return lease_of(&table->slot[find_slot(table, addr)]);
}

size_t lease_map_count(const struct lease_map *map)
{
	return table_of(map)->live;
}

/* There is room. */
static void put(struct map_table *table, uint64_t addr, struct lease *lease)
{
	struct map_slot *slot = &table->slot[free_slot(table, addr)];

	table->used += !addr_of(slot);
	table->live++;
	atomic_store_explicit(&slot->lease, lease, memory_order_release);
	atomic_store_explicit(&slot->addr, addr, memory_order_release);
}

/* The leases of a table and their addresses, in slots of an array. */
static void list_live(const struct map_table *table, struct map_slot *list)
{
	size_t i;

	for (i = 0; i < (size_t)1 << table->bits; i++) {
		const struct map_slot *slot = &table->slot[i];

		if (!lease_of(slot))
			continue;
		atomic_init(&list->addr, addr_of(slot));
		atomic_init(&list->lease, lease_of(slot));
		list++;
	}
}

static void clear(struct map_table *table)
{
	size_t i;

	for (i = 0; i < (size_t)1 << table->bits; i++) {
		atomic_store_explicit(&table->slot[i].lease, NULL,
				      memory_order_relaxed);
		atomic_store_explicit(&table->slot[i].addr, 0,
				      memory_order_relaxed);
	}
	table->used = table->live = 0;
}

/* Make room: in the same table, by forgetting addresses without a lease, or in
 * one twice as big.  Returns 0 or -ENOMEM. */
static int remake(struct lease_map *map, struct map_table *table)
{
	size_t count = table->live, i;
	bool grows = count > (size_t)1 << (table->bits - 2);
	struct map_table *to = grows ? new_table(table->bits + 1) : table;
	struct map_slot *list = malloc((count + 1) * sizeof(*list));

	if (!to || !list) {
		free(list);
		if (grows)
			free(to);
		return -ENOMEM;
	}
	list_live(table, list);
	if (grows)
		to->before = table;
	else
		clear(table);
	for (i = 0; i < count; i++)
		put(to, addr_of(&list[i]), lease_of(&list[i]));
	free(list);
	atomic_store_explicit(&map->table, to, memory_order_release);
	return 0;
}

int lease_map_insert(struct lease_map *map, uint64_t addr, struct lease *lease)
{
	struct map_table *table = table_of(map);

	if (table->used >= (size_t)1 << (table->bits - 1) &&
	    remake(map, table) < 0)
		return -ENOMEM;
	put(table_of(map), addr, lease);
	return 0;
}

void lease_map_remove(struct lease_map *map, uint64_t addr)
{
	struct map_table *table = table_of(map);
	struct map_slot *slot = &table->slot[find_slot(table, addr)];

	atomic_store_explicit(&slot->lease, NULL, memory_order_release);
	table->live--;
}
