// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "replay/addr-map.h"

enum { ROOM_FIRST = 256 };

void addr_map_destroy(struct addr_map *map)
{
	free(map->entry);
	*map = (struct addr_map){ 0 };
}

static uint32_t home_of(const struct addr_map *map, uint64_t addr)
{
	return (uint32_t)(addr * 0x9e3779b97f4a7c15 >> 32) & (map->room - 1);
}

/* Where the address is, or the empty place where it would go. */
static uint32_t find(const struct addr_map *map, uint64_t addr)
{
	uint32_t at = home_of(map, addr);

	while (map->entry[at].addr != addr &&
	       map->entry[at].addr != UINT64_MAX)
		at = (at + 1) & (map->room - 1);
	return at;
}

static int grow(struct addr_map *map)
{
	struct addr_map old = *map;
	uint32_t i;

	if (old.room > UINT32_MAX / 4)
		return -ENOMEM;
	map->room = old.room ? 2 * old.room : ROOM_FIRST;
	map->entry = malloc(map->room * sizeof(*map->entry));
	if (!map->entry) {
		*map = old;
		return -ENOMEM;
	}
	for (i = 0; i < map->room; i++)
		map->entry[i].addr = UINT64_MAX;
	for (i = 0; i < old.room; i++)
		if (old.entry[i].addr != UINT64_MAX)
			map->entry[find(map, old.entry[i].addr)] = old.entry[i];
	free(old.entry);
	return 0;
}

int addr_map_set(struct addr_map *map, uint64_t addr, uint32_t value)
{
	uint32_t at;

	if (map->count >= map->room / 2 && grow(map) < 0)
		return -ENOMEM;
	at = find(map, addr);
	map->count += map->entry[at].addr == UINT64_MAX;
	map->entry[at] = (struct addr_entry){ addr, value };
	return 0;
}

/* Is an address there? */
static bool has(const struct addr_map *map, uint64_t addr, uint32_t *at)
{
	if (!map->count)
		return false;
	*at = find(map, addr);
	return map->entry[*at].addr != UINT64_MAX;
}

bool addr_map_get(const struct addr_map *map, uint64_t addr, uint32_t *value)
{
	uint32_t at;

	if (!has(map, addr, &at))
		return false;
	*value = map->entry[at].value;
	return true;
}

/* Empty a place and move back what was pushed behind it. */
static void close_gap(struct addr_map *map, uint32_t gap)
{
	uint32_t mask = map->room - 1, at = gap, home;

	for (;;) {
		map->entry[gap].addr = UINT64_MAX;
		do {
			at = (at + 1) & mask;
			if (map->entry[at].addr == UINT64_MAX)
				return;
			home = home_of(map, map->entry[at].addr);
		} while (((at - home) & mask) < ((at - gap) & mask));
		map->entry[gap] = map->entry[at];
		gap = at;
	}
}

bool addr_map_take(struct addr_map *map, uint64_t addr, uint32_t *value)
{
	uint32_t at;

	if (!has(map, addr, &at))
		return false;
	*value = map->entry[at].value;
	map->count--;
	close_gap(map, at);
	return true;
}
