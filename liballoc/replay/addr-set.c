// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/addr-set.h"

void addr_set_destroy(struct addr_set *set)
{
	while (set->count)
		free(set->leaf[--set->count]);
	free(set->leaf);
	*set = (struct addr_set){ 0 };
}

/* The first leaf whose last address is not below addr, or the last leaf. */
static uint32_t find_leaf(const struct addr_set *set, uint64_t addr)
{
	uint32_t low = 0, high = set->count - 1;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		const struct addr_leaf *leaf = set->leaf[middle];

		if (leaf->addr[leaf->count - 1] < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first entry whose address is not below addr, or count. */
static uint32_t find_entry(const struct addr_leaf *leaf, uint64_t addr)
{
	uint32_t low = 0, high = leaf->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (leaf->addr[middle] < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A new leaf at a place. */
static struct addr_leaf *insert_leaf(struct addr_set *set, uint32_t at)
{
	uint32_t room = set->room ? 2 * set->room : 16;
	struct addr_leaf **bigger, *leaf = malloc(sizeof(*leaf));

	if (!leaf)
		return NULL;
	if (set->count == set->room) {
		bigger = realloc(set->leaf, room * sizeof(*bigger));
		if (!bigger) {
			free(leaf);
			return NULL;
		}
		set->leaf = bigger;
		set->room = room;
	}
	memmove(&set->leaf[at + 1], &set->leaf[at],
		(set->count - at) * sizeof(struct addr_leaf *));
	set->leaf[at] = leaf;
	set->count++;
	leaf->count = 0;
	return leaf;
}

static void move_entries(struct addr_leaf *to, uint32_t at,
			 const struct addr_leaf *from, uint32_t first,
			 uint32_t count)
{
	memmove(&to->addr[at], &from->addr[first], count * sizeof(*to->addr));
	memmove(&to->index[at], &from->index[first],
		count * sizeof(*to->index));
}

/* Move the upper half of a full leaf into a new one behind it. */
static int split_leaf(struct addr_set *set, uint32_t at)
{
	struct addr_leaf *upper = insert_leaf(set, at + 1);
	struct addr_leaf *lower = set->leaf[at];

	if (!upper)
		return -ENOMEM;
	lower->count = ADDR_LEAF_MAX / 2;
	upper->count = ADDR_LEAF_MAX - lower->count;
	move_entries(upper, 0, lower, lower->count, upper->count);
	return 0;
}

int addr_set_add(struct addr_set *set, uint64_t addr, uint32_t index)
{
	struct addr_leaf *leaf;
	uint32_t at, entry;

	if (!set->count && !insert_leaf(set, 0))
		return -ENOMEM;
	at = find_leaf(set, addr);
	if (set->leaf[at]->count == ADDR_LEAF_MAX) {
		if (split_leaf(set, at) < 0)
			return -ENOMEM;
		at = find_leaf(set, addr);
	}
	leaf = set->leaf[at];
	entry = find_entry(leaf, addr);
	move_entries(leaf, entry + 1, leaf, entry, leaf->count - entry);
	leaf->addr[entry] = addr;
	leaf->index[entry] = index;
	leaf->count++;
	return 0;
}

void addr_set_remove(struct addr_set *set, uint64_t addr)
{
	uint32_t at = find_leaf(set, addr);
	struct addr_leaf *leaf = set->leaf[at];
	uint32_t entry = find_entry(leaf, addr);

	leaf->count--;
	move_entries(leaf, entry, leaf, entry + 1, leaf->count - entry);
	if (leaf->count || set->count == 1)
		return;
	free(leaf);
	set->count--;
	memmove(&set->leaf[at], &set->leaf[at + 1],
		(set->count - at) * sizeof(struct addr_leaf *));
}

bool addr_set_before(const struct addr_set *set, uint64_t addr,
		     uint32_t *index)
{
	const struct addr_leaf *leaf;
	uint32_t at, entry;

	if (!set->count)
		return false;
	at = find_leaf(set, addr);
	leaf = set->leaf[at];
	entry = find_entry(leaf, addr);
	if (entry < leaf->count && leaf->addr[entry] == addr)
		entry++;
	if (!entry) {
		if (!at)
			return false;
		leaf = set->leaf[at - 1];
		entry = leaf->count;
	}
	*index = leaf->index[entry - 1];
	return true;
}

/* The leaf and the place in it of the first address that is at least addr;
 * NULL if there is none. */
static const struct addr_leaf *first_from(const struct addr_set *set,
					  uint64_t addr, uint32_t *entry)
{
	const struct addr_leaf *leaf;

	if (!set->count)
		return NULL;
	leaf = set->leaf[find_leaf(set, addr)];
	*entry = find_entry(leaf, addr);
	return *entry < leaf->count ? leaf : NULL;
}

bool addr_set_after(const struct addr_set *set, uint64_t addr,
		    uint32_t *index)
{
	uint32_t entry;
	const struct addr_leaf *leaf = first_from(set, addr, &entry);

	if (leaf)
		*index = leaf->index[entry];
	return leaf;
}

bool addr_set_any(const struct addr_set *set, uint64_t addr, uint64_t end)
{
	uint32_t entry;
	const struct addr_leaf *leaf = first_from(set, addr, &entry);

	return leaf && leaf->addr[entry] < end;
}
