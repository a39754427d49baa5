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

/* The first slot for an address that has no lease. */
static size_t free_slot(const struct map_table *table, uint64_t addr)
{
	size_t mask = ((size_t)1 << table->bits) - 1;
	size_t at = map_first_slot(table, addr);

	while (map_lease_of(&table->slot[at]))
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
	struct map_table *table = map_table_of(map), *before;

	for (; table; table = before) {
		before = table->before;
		free(table);
	}
}

size_t lease_map_count(const struct lease_map *map)
{
	return map_table_of(map)->live;
}

/* There is room. */
static inline void put(struct map_table *table, uint64_t addr,
		       struct lease *lease)
{
	struct map_slot *slot = &table->slot[free_slot(table, addr)];

	table->used += !map_addr_of(slot);
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

		if (!map_lease_of(slot))
			continue;
		atomic_init(&list->addr, map_addr_of(slot));
		atomic_init(&list->lease, map_lease_of(slot));
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
static __attribute__((noinline)) int remake(struct lease_map *map,
					    struct map_table *table)
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
		put(to, map_addr_of(&list[i]), map_lease_of(&list[i]));
	free(list);
	atomic_store_explicit(&map->table, to, memory_order_release);
	return 0;
}

int lease_map_insert(struct lease_map *map, uint64_t addr, struct lease *lease)
{
	struct map_table *table = map_table_of(map);

	if (table->used >= (size_t)1 << (table->bits - 1) &&
	    remake(map, table) < 0)
		return -ENOMEM;
	put(map_table_of(map), addr, lease);
	return 0;
}

/* No search goes on behind a slot whose next is unused: it, and those before it
 * without a lease, become unused too. */
static void forget_addresses(struct map_table *table, size_t at)
{
	size_t mask = ((size_t)1 << table->bits) - 1;

	if (map_addr_of(&table->slot[(at + 1) & mask]))
		return;
	for (; !map_lease_of(&table->slot[at]) && map_addr_of(&table->slot[at]);
	     at = (at - 1) & mask) {
		atomic_store_explicit(&table->slot[at].addr, 0,
				      memory_order_release);
		table->used--;
	}
}

void lease_map_remove(struct lease_map *map, uint64_t addr)
{
	struct map_table *table = map_table_of(map);
	struct map_slot *slot = &table->slot[map_slot_of(table, addr)];

	atomic_store_explicit(&slot->lease, NULL, memory_order_release);
	table->live--;
	forget_addresses(table, (size_t)(slot - table->slot));
}
