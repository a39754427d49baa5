// SPDX-License-Identifier: Apache-2.0
/* What lies where at one moment: la_map_read(). */

#include <errno.h>
#include <stdlib.h>

#include "util/error.h"
#include "util/util.h"
#include "view/walk.h"

static int by_range(const void *a, const void *b)
{
	const struct scene_range *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static int by_block(const void *a, const void *b)
{
	const struct scene_block *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Those that are there, by address; returns how many. */
static size_t sort_ranges(struct scene *scene)
{
	size_t count = 0, i;

	for (i = 0; i < scene->range_count; i++)
		if (scene->range[i].size)
			scene->range[count++] = scene->range[i];
	if (count)
		qsort(scene->range, count, sizeof(*scene->range), by_range);
	return count;
}

static size_t sort_blocks(struct scene *scene)
{
	size_t count = 0, i;

	for (i = 0; i < scene->block_count; i++)
		if (scene->block[i].state != LA_MAP_FREE)
			scene->block[count++] = scene->block[i];
	if (count)
		qsort(scene->block, count, sizeof(*scene->block), by_block);
	return count;
}

static void list_segments(struct la_map *map, const struct scene_range *range,
			  size_t count)
{
	size_t i;

	for (i = 0; i < count; i++, range++) {
		if (i && scene_continues(range - 1, range)) {
			map->segment[map->segment_count - 1].size +=
				range->size;
			continue;
		}
		map->segment[map->segment_count++] = (struct la_map_segment){
			.addr = range->addr,
			.size = range->size,
			.pool = { range->pool[0], range->pool[1] },
			.stream = range->stream,
			.small = range->small,
			.expandable = range->chained,
		};
	}
}

static void add_free(struct la_map *map, const struct la_map_segment *segment,
		     uint64_t from, uint64_t to)
{
	if (from < to)
		map->block[map->block_count++] = (struct la_map_block){
			.addr = from,
			.size = to - from,
			.event = UINT64_MAX,
			.stream = segment->stream,
			.state = LA_MAP_FREE,
		};
}

/* Bytes of a block, up to the next one and the end of the segment. */
static uint64_t fit(const struct scene_block *block,
		    const struct scene_block *next, uint64_t end)
{
	uint64_t roof = next && next->addr < end ? next->addr : end;

	return block->size < roof - block->addr ? block->size :
						  roof - block->addr;
}

/* The blocks of a segment, and what is free between them.  What contradicts
 * the rest is cut or left out.  Returns how many were looked at. */
static size_t list_blocks(struct la_map *map, struct la_map_segment *segment,
			  const struct scene_block *block, size_t count)
{
	uint64_t at = segment->addr, end = segment->addr + segment->size, size;
	size_t i;

	segment->first_block = (uint32_t)map->block_count;
	for (i = 0; i < count && block[i].addr < end; i++) {
		if (block[i].addr < at)
			continue;
		add_free(map, segment, at, block[i].addr);
		size = fit(&block[i], i + 1 < count ? &block[i + 1] : NULL,
			   end);
		map->block[map->block_count++] = (struct la_map_block){
			.addr = block[i].addr,
			.size = size,
			.requested = block[i].asked,
			.event = block[i].event,
			.stream = block[i].stream,
			.stack = block[i].stack,
			.state = block[i].state,
		};
		at = block[i].addr + size;
	}
	add_free(map, segment, at, end);
	segment->block_count = (uint32_t)map->block_count -
			       segment->first_block;
	return i;
}

static int draw(struct la_map *map, struct scene *scene)
{
	size_t ranges = sort_ranges(scene), blocks = sort_blocks(scene), i;
	size_t done = 0;

	map->segment = calloc(ranges + 1, sizeof(*map->segment));
	map->block = calloc(ranges + 2 * blocks + 1, sizeof(*map->block));
	if (!map->segment || !map->block)
		return -ENOMEM;
	list_segments(map, scene->range, ranges);
	for (i = 0; i < map->segment_count; i++)
		done += list_blocks(map, &map->segment[i], scene->block + done,
				    blocks - done);
	return 0;
}

LA_EXPORT int la_map_read(struct la_map *out,
			  const struct la_recording *recording,
			  unsigned int device,
			  const struct la_program *program,
			  const struct la_view_options *options, uint64_t event,
			  struct la_error *err)
{
	struct la_map map = { 0 };
	struct walk walk;
	int code = walk_init(&walk, recording, device, program, options, err);

	walk.end = event;
	walk.sized = true;
	if (!code)
		code = walk_run(&walk, err);
	map.event = walk.next;
	if (!code && draw(&map, &walk.scene) < 0)
		code = la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	walk_destroy(&walk);
	if (code < 0)
		la_map_release(&map);
	else
		*out = map;
	return code;
}

LA_EXPORT void la_map_release(struct la_map *map)
{
	free(map->segment);
	free(map->block);
	*map = (struct la_map){ 0 };
}
