/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_FREE_SET_H
#define LA_HEAP_FREE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The free blocks of one pool and stream, ordered by size, then address.
 *
 * Entries lie in sorted leaves of up to FREE_LEAF_MAX; most sets have a few
 * leaves, so a search is one or two short binary searches over memory that is
 * in cache, and a set is copied with two memcpy().
 */
enum { FREE_LEAF_MAX = 32 };

struct free_entry {
	uint64_t size; /* bytes */
	uint64_t addr;
	uint32_t block; /* index into the heap's blocks */
};

struct free_leaf {
	uint32_t count; /* of entries; 0 only while the leaf is spare */
	struct free_entry entry[FREE_LEAF_MAX];
};

struct free_set {
	struct free_leaf *leaf; /* owned; room of them */
	uint32_t *order; /* owned; a permutation of all leaf indices: the
			  * first `used` in key order, then the spare ones */
	uint32_t used;
	uint32_t room;
};

/* A place in a set; invalid after the set has changed. */
struct free_pos {
	uint32_t leaf; /* index into order */
	uint32_t index; /* index into that leaf */
};

void free_set_destroy(struct free_set *set);

/* Make *to equal to *from, reusing its memory.  Returns 0 or -ENOMEM. */
int free_set_copy(struct free_set *to, const struct free_set *from);

/* Make sure that the next count insertions succeed, whatever is removed
 * between them.  Returns 0 or -ENOMEM. */
int free_set_reserve(struct free_set *set, uint32_t count);

void free_set_insert(struct free_set *set, uint64_t size, uint64_t addr,
		     uint32_t block);
void free_set_remove(struct free_set *set, uint64_t size, uint64_t addr);

/* The first entry that is not before (size, 0). */
struct free_pos free_set_find(const struct free_set *set, uint64_t size);

/* The entry at a place, or NULL behind the last one. */
static inline const struct free_entry *free_set_at(const struct free_set *set,
						   struct free_pos pos)
{
	if (pos.leaf >= set->used)
		return NULL;
	return &set->leaf[set->order[pos.leaf]].entry[pos.index];
}

static inline struct free_pos free_set_first(void)
{
	return (struct free_pos){ 0, 0 };
}

static inline struct free_pos free_set_next(const struct free_set *set,
					    struct free_pos pos)
{
	if (++pos.index == set->leaf[set->order[pos.leaf]].count)
		pos = (struct free_pos){ pos.leaf + 1, 0 };
	return pos;
}

/* The place before pos, or false if pos is the first. */
bool free_set_previous(const struct free_set *set, struct free_pos *pos);

#endif /* LA_HEAP_FREE_SET_H */
