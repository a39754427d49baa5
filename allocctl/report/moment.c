// SPDX-License-Identifier: Apache-2.0
/* A moment at which nothing failed, summed up from its map. */

#include "view.h"

/* A sum that stops at the most it can say. */
static void add(uint64_t *sum, uint64_t bytes)
{
	if (__builtin_add_overflow(*sum, bytes, sum))
		*sum = UINT64_MAX;
}

static void add_hole(struct la_holes *holes, uint64_t size)
{
	int bin = 63 - __builtin_clzll(size);

	holes->count++;
	add(&holes->bytes, size);
	if (size > holes->largest)
		holes->largest = size;
	holes->bin_count[bin]++;
	add(&holes->bin_bytes[bin], size);
}

static void add_block(struct la_picture_part *total,
		      const struct la_map_block *block)
{
	switch ((enum la_map_state)block->state) {
	case LA_MAP_FREE:
		add_hole(&total->holes, block->size);
		return;
	case LA_MAP_LIVE:
		add(&total->live, block->size);
		total->live_count++;
		break;
	case LA_MAP_PENDING:
		add(&total->pending, block->size);
		total->pending_count++;
		break;
	}
	add(&total->requested, block->requested);
}

static void add_segment(struct la_picture_part *total,
			const struct la_map_segment *segment)
{
	total->segments++;
	add(&total->reserved, segment->size);
	if (!segment->expandable)
		return;
	total->ranges++;
	add(&total->range_bytes, segment->size);
}

/* Only of a request that failed it is known where it would have looked: all
 * holes stand in the first place. */
void moment_of_map(struct la_oom_state *out, const struct la_map *map)
{
	struct la_picture_part *total = &out->picture.total;
	size_t i;

	*out = (struct la_oom_state){ .event = map->event };
	for (i = 0; i < map->segment_count; i++)
		add_segment(total, &map->segment[i]);
	for (i = 0; i < map->block_count; i++)
		add_block(total, &map->block[i]);
	out->stats.reserved = total->reserved;
	out->stats.allocated = total->live;
	out->stats.active = total->live;
	add(&out->stats.active, total->pending);
	out->free[LA_FREE_OWN] = total->holes;
}
