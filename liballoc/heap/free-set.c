// SPDX-License-Identifier: Apache-2.0
/* An ordered set of free blocks in sorted leaves. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap/free-set.h"

__extension__ typedef unsigned __int128 free_key;

static inline free_key key_of(uint64_t size, uint64_t addr)
{
	return (free_key)size << 64 | addr;
}

static inline bool is_before(const struct free_entry *entry, free_key key)
{
	return key_of(entry->size, entry->addr) < key;
}

static inline struct free_leaf *leaf_at(const struct free_set *set,
					uint32_t at)
{
	return &set->leaf[set->order[at]];
}

void free_set_destroy(struct free_set *set)
{
	free(set->leaf);
	free(set->order);
	*set = (struct free_set){ 0 };
}

/* Grow to room leaves; the new ones are spare. */
static int set_room(struct free_set *set, uint32_t room)
{
	struct free_leaf *leaf;
	uint32_t *order;

	leaf = realloc(set->leaf, room * sizeof(*leaf));
	if (!leaf)
		return -ENOMEM;
	set->leaf = leaf;
	order = realloc(set->order, room * sizeof(*order));
	if (!order)
		return -ENOMEM;
	set->order = order;
	for (; set->room < room; set->room++) {
		leaf[set->room].count = 0;
		order[set->room] = set->room;
	}
	return 0;
}

int free_set_copy(struct free_set *to, const struct free_set *from)
{
	uint32_t i;

	if (to->room < from->room && set_room(to, from->room) < 0)
		return -ENOMEM;
	for (i = 0; i < from->used; i++) {
		const struct free_leaf *leaf = leaf_at(from, i);

		to->order[i] = i;
		to->leaf[i].count = leaf->count;
		memcpy(to->leaf[i].entry, leaf->entry,
		       leaf->count * sizeof(*leaf->entry));
	}
	for (to->used = i; i < to->room; i++)
		to->order[i] = i;
	return 0;
}

int free_set_reserve(struct free_set *set, uint32_t count)
{
	uint32_t room = set->room;

	if (room - set->used >= count)
		return 0;
	while (room - set->used < count)
		room = room ? 2 * room : 1;
	return set_room(set, room);
}

/* The first leaf whose last entry is not before key, or `used`. */
static uint32_t find_leaf(const struct free_set *set, free_key key)
{
	uint32_t low = 0, high = set->used;

	while (low < high) {
		uint32_t middle = (low + high) / 2;
		const struct free_leaf *leaf = leaf_at(set, middle);

		if (is_before(&leaf->entry[leaf->count - 1], key))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first entry that is not before key, or count. */
static uint32_t find_in_leaf(const struct free_leaf *leaf, free_key key)
{
	const struct free_entry *base = leaf->entry;
	uint32_t n = leaf->count;

	while (n > 1) {
		uint32_t half = n / 2;

		base += is_before(&base[half - 1], key) ? half : 0;
		n -= half;
	}
	return (uint32_t)(base - leaf->entry) + is_before(base, key);
}

struct free_pos free_set_find(const struct free_set *set, uint64_t size)
{
	free_key key = key_of(size, 0);
	uint32_t at = find_leaf(set, key);

	if (at == set->used)
		return (struct free_pos){ at, 0 };
	return (struct free_pos){ at, find_in_leaf(leaf_at(set, at), key) };
}

bool free_set_previous(const struct free_set *set, struct free_pos *pos)
{
	if (pos->index) {
		pos->index--;
		return true;
	}
	if (!pos->leaf)
		return false;
	pos->leaf--;
	pos->index = leaf_at(set, pos->leaf)->count - 1;
	return true;
}

/* Put a spare leaf into the order at a place; there must be one. */
static struct free_leaf *take_spare(struct free_set *set, uint32_t at)
{
	uint32_t spare = set->order[set->used];

	memmove(&set->order[at + 1], &set->order[at],
		(set->used - at) * sizeof(*set->order));
	set->order[at] = spare;
	set->used++;
	return &set->leaf[spare];
}

static void make_spare(struct free_set *set, uint32_t at)
{
	uint32_t spare = set->order[at];

	set->used--;
	memmove(&set->order[at], &set->order[at + 1],
		(set->used - at) * sizeof(*set->order));
	set->order[set->used] = spare;
}

/* Move the upper half of a full leaf into a spare one behind it. */
static void split_leaf(struct free_set *set, uint32_t at)
{
	struct free_leaf *upper = take_spare(set, at + 1);
	struct free_leaf *lower = leaf_at(set, at);

	lower->count = FREE_LEAF_MAX / 2;
	upper->count = FREE_LEAF_MAX - lower->count;
	memcpy(upper->entry, &lower->entry[lower->count],
	       upper->count * sizeof(*upper->entry));
}

void free_set_insert(struct free_set *set, uint64_t size, uint64_t addr,
		     uint32_t block)
{
	free_key key = key_of(size, addr);
	uint32_t at = find_leaf(set, key), index;
	struct free_leaf *leaf;

	if (!set->used)
		take_spare(set, 0)->count = 0;
	else if (at == set->used)
		at--;
	leaf = leaf_at(set, at);
	if (leaf->count == FREE_LEAF_MAX) {
		split_leaf(set, at);
		leaf = leaf_at(set, at);
		if (is_before(&leaf->entry[leaf->count - 1], key))
			leaf = leaf_at(set, at + 1);
	}
	index = leaf->count ? find_in_leaf(leaf, key) : 0;
	memmove(&leaf->entry[index + 1], &leaf->entry[index],
		(leaf->count - index) * sizeof(*leaf->entry));
	leaf->entry[index] = (struct free_entry){ size, addr, block };
	leaf->count++;
}

/* Join a leaf that has become small with the one behind it. */
static void join_leaves(struct free_set *set, uint32_t at)
{
	struct free_leaf *leaf = leaf_at(set, at), *next;

	if (!leaf->count) {
		make_spare(set, at);
		return;
	}
	if (at + 1 == set->used)
		return;
	next = leaf_at(set, at + 1);
	if (leaf->count + next->count > FREE_LEAF_MAX / 2)
		return;
	memcpy(&leaf->entry[leaf->count], next->entry,
	       next->count * sizeof(*next->entry));
	leaf->count += next->count;
	make_spare(set, at + 1);
}

void free_set_remove(struct free_set *set, uint64_t size, uint64_t addr)
{
	free_key key = key_of(size, addr);
	uint32_t at = find_leaf(set, key);
	struct free_leaf *leaf = leaf_at(set, at);
	uint32_t index = find_in_leaf(leaf, key);

	leaf->count--;
	memmove(&leaf->entry[index], &leaf->entry[index + 1],
		(leaf->count - index) * sizeof(*leaf->entry));
	if (leaf->count < FREE_LEAF_MAX / 4)
		join_leaves(set, at);
}
