// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap/pool-table.h"

enum { CAPACITY_MIN = 4, PROBES_MIN = 4 };

static uint32_t slot_count(const struct pool_table *table)
{
	return table->capacity ? table->capacity + table->probes + 1 : 0;
}

static uint32_t wanted_slot(const struct pool_table *table, uint64_t key)
{
	return (uint32_t)(key * 11400714819323198485u >>
			  (64 - __builtin_ctz(table->capacity)));
}

void pool_table_destroy(struct pool_table *table)
{
	free(table->slot);
	*table = (struct pool_table){ 0 };
}

static int grow(struct pool_table *table)
{
	struct pool_table bigger = { .capacity = 2 * table->capacity };
	uint32_t i, doublings;
	int err = 0;

	if (bigger.capacity < CAPACITY_MIN)
		bigger.capacity = CAPACITY_MIN;
	doublings = (uint32_t)__builtin_ctz(bigger.capacity);
	bigger.probes = doublings < PROBES_MIN ? PROBES_MIN : doublings;
	bigger.slot = malloc(slot_count(&bigger) * sizeof(*bigger.slot));
	if (!bigger.slot)
		return -ENOMEM;
	for (i = 0; i < slot_count(&bigger); i++)
		bigger.slot[i].distance = -1;
	for (i = 0; i < slot_count(table) && !err; i++)
		if (table->slot[i].distance >= 0)
			err = pool_table_insert(&bigger, table->slot[i].key,
						table->slot[i].pool);
	if (err < 0) {
		free(bigger.slot);
		return err;
	}
	free(table->slot);
	*table = bigger;
	return 0;
}

static void swap(struct pool_slot *a, struct pool_slot *b)
{
	struct pool_slot c = *a;

	*a = *b;
	*b = c;
}

/* Put an entry at a slot whose own is nearer to its wanted place, and carry
 * that one on.  Returns 1 if one is left without a place, in *carried. */
static int displace(struct pool_table *table, uint32_t at,
		    struct pool_slot *carried)
{
	uint32_t first = at;

	for (;; at++, carried->distance++) {
		struct pool_slot *slot = &table->slot[at];

		if (slot->distance < 0) {
			*slot = *carried;
			table->count++;
			return 0;
		}
		if (slot->distance < carried->distance) {
			swap(slot, carried);
		} else if ((uint32_t)carried->distance + 1 == table->probes) {
			uint64_t key = table->slot[first].key;
			uint32_t pool = table->slot[first].pool;

			table->slot[first].key = carried->key;
			table->slot[first].pool = carried->pool;
			carried->key = key;
			carried->pool = pool;
			return 1;
		}
	}
}

int pool_table_insert(struct pool_table *table, uint64_t key, uint32_t pool)
{
	struct pool_slot entry = { .key = key, .pool = pool };

	for (;;) {
		uint32_t at = table->capacity ? wanted_slot(table, entry.key) :
						0;

		entry.distance = 0;
		while (table->capacity &&
		       table->slot[at].distance >= entry.distance) {
			if (table->slot[at].pool == entry.pool)
				return 0;
			at++;
			entry.distance++;
		}
		if (table->capacity &&
		    (uint32_t)entry.distance < table->probes &&
		    2 * (table->count + 1) <= table->capacity &&
		    !displace(table, at, &entry))
			return 0;
		if (grow(table) < 0)
			return -ENOMEM;
	}
}

void pool_table_remove(struct pool_table *table, uint32_t pool)
{
	uint32_t count = slot_count(table), at = 0;

	while (at < count && (table->slot[at].distance < 0 ||
			      table->slot[at].pool != pool))
		at++;
	if (at == count)
		return;
	for (; at + 1 < count && table->slot[at + 1].distance > 0; at++) {
		table->slot[at] = table->slot[at + 1];
		table->slot[at].distance--;
	}
	table->slot[at].distance = -1;
	table->count--;
}

uint32_t pool_table_list(const struct pool_table *table, uint32_t *pools)
{
	uint32_t count = 0, i;

	for (i = 0; i < slot_count(table); i++)
		if (table->slot[i].distance >= 0)
			pools[count++] = table->slot[i].pool;
	return count;
}

int pool_table_copy(struct pool_table *to, const struct pool_table *from)
{
	size_t bytes = slot_count(from) * sizeof(*from->slot);
	struct pool_slot *slot = realloc(to->slot, bytes + 1);

	if (!slot)
		return -ENOMEM;
	if (bytes)
		memcpy(slot, from->slot, bytes);
	*to = *from;
	to->slot = slot;
	return 0;
}
