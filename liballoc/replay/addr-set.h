/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_ADDR_SET_H
#define LA_REPLAY_ADDR_SET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Addresses in order, each with an index.  Entries lie in sorted leaves of up
 * to ADDR_LEAF_MAX; a search is two short binary searches.
 */
enum { ADDR_LEAF_MAX = 64 };

struct addr_leaf {
	uint32_t count; /* of entries; 0 only in an empty set's one leaf */
	uint64_t addr[ADDR_LEAF_MAX];
	uint32_t index[ADDR_LEAF_MAX];
};

struct addr_set {
	struct addr_leaf **leaf; /* owned, as is each; in order */
	uint32_t count, room;
};

void addr_set_destroy(struct addr_set *set);

/* Add an address that is not in the set.  Returns 0 or -ENOMEM. */
int addr_set_add(struct addr_set *set, uint64_t addr, uint32_t index);

/* Take out an address that is in the set. */
void addr_set_remove(struct addr_set *set, uint64_t addr);

/* The last address that is at most addr; false if there is none. */
bool addr_set_before(const struct addr_set *set, uint64_t addr,
		     uint32_t *index);

/* The first address that is at least addr; false if there is none. */
bool addr_set_after(const struct addr_set *set, uint64_t addr,
		    uint32_t *index);

/* Is there an address from addr on and below end? */
bool addr_set_any(const struct addr_set *set, uint64_t addr, uint64_t end);

#endif /* LA_REPLAY_ADDR_SET_H */
