/* SPDX-License-Identifier: Apache-2.0 */
/* What lies where while events go by. */
#ifndef LA_VIEW_SCENE_H
#define LA_VIEW_SCENE_H

#include <liballoc/view.h>

#include "replay/addr-set.h"

/* A live or pending block. */
struct scene_block {
	uint64_t addr;
	uint64_t size; /* bytes */
	uint64_t asked; /* bytes of the request */
	uint64_t event; /* of the request, as la_map_block.event */
	uint64_t request; /* its number, as la_view_event.request */
	uint32_t stream, stack; /* as in struct la_map_block */
	uint32_t next_spare; /* gone: the next entry that can be used again */
	uint8_t state; /* enum la_map_state; LA_MAP_FREE: gone */
};

/* Memory that was given in one event, or what is left of it. */
struct scene_range {
	uint64_t addr;
	uint64_t size; /* bytes; 0: gone */
	uint64_t pool[2]; /* id */
	uint32_t stream; /* as in struct la_map_segment */
	uint32_t next_spare; /* as above */
	bool small;
	bool chained; /* of a reservation */
};

/* Ranges never overlap, and no two blocks begin at one address: of what
 * contradicts, the later event holds. */
struct scene {
	struct scene_block *block; /* owned */
	size_t block_count, block_room; /* with those that are gone */
	uint32_t spare_block; /* the first that is gone, or SCENE_NONE */
	struct addr_set block_at; /* indices */
	struct scene_range *range; /* owned */
	size_t range_count, range_room; /* with those that are gone */
	uint32_t spare_range; /* likewise */
	struct addr_set range_at; /* indices */
	uint64_t requests; /* LA_ALLOC so far */
	/* Bytes of requests and of ranges; events may claim more than 64 bits
	 * can count, see scene_bytes() */
	unsigned __int128 live, reserved;
};

#define SCENE_NONE UINT32_MAX

void scene_init(struct scene *scene);
void scene_destroy(struct scene *scene);

/* Follow an event, and fill in its request.  Returns 0 or -ENOMEM. */
int scene_follow(struct scene *scene, struct la_view_event *event);

/* The range that holds an address, or NULL. */
const struct scene_range *scene_range_of(const struct scene *scene,
					 uint64_t addr);

/* Mapped memory that touches is one segment. */
bool scene_continues(const struct scene_range *range,
		     const struct scene_range *next);

/* Bytes from an address on that are one free block, if it begins there. */
uint64_t scene_room(const struct scene *scene, uint64_t addr);

/* A sum as the views tell it: at most UINT64_MAX. */
static inline uint64_t scene_bytes(unsigned __int128 sum)
{
	return sum < UINT64_MAX ? (uint64_t)sum : UINT64_MAX;
}

#endif /* LA_VIEW_SCENE_H */
