/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_ADDR_MAP_H
#define LA_REPLAY_ADDR_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* Address -> number; open addressing with linear probing, at most half full.
 * An address of UINT64_MAX cannot be stored. */
struct addr_map {
	struct addr_entry {
		uint64_t addr; /* UINT64_MAX: the place is empty */
		uint32_t value;
	} *entry; /* owned; room of them, a power of two */
	uint32_t room;
	uint32_t count;
};

void addr_map_destroy(struct addr_map *map);

/* Set the value of an address.  Returns 0 or -ENOMEM. */
int addr_map_set(struct addr_map *map, uint64_t addr, uint32_t value);

/* Returns false, and leaves *value alone, if the address is not there. */
bool addr_map_get(const struct addr_map *map, uint64_t addr, uint32_t *value);
bool addr_map_take(struct addr_map *map, uint64_t addr, uint32_t *value);

#endif /* LA_REPLAY_ADDR_MAP_H */
