// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/program.h"
#include "view/scene.h"

void scene_init(struct scene *scene)
{
	*scene = (struct scene){
		.spare_block = SCENE_NONE,
		.spare_range = SCENE_NONE,
	};
}

void scene_destroy(struct scene *scene)
{
	free(scene->block);
	free(scene->range);
	addr_set_destroy(&scene->block_at);
	addr_set_destroy(&scene->range_at);
}

/* The block that begins at an address. */
static bool find_block(const struct scene *scene, uint64_t addr, uint32_t *at)
{
	return addr_set_before(&scene->block_at, addr, at) &&
	       scene->block[*at].addr == addr;
}

static void remove_block(struct scene *scene, uint32_t at)
{
	struct scene_block *block = &scene->block[at];

	addr_set_remove(&scene->block_at, block->addr);
	scene->live -= program_live_bytes(block->asked);
	block->state = LA_MAP_FREE;
	block->next_spare = scene->spare_block;
	scene->spare_block = at;
}

/* An entry for a block, or SCENE_NONE. */
static uint32_t new_block(struct scene *scene)
{
	uint32_t at = scene->spare_block;

	if (at != SCENE_NONE) {
		scene->spare_block = scene->block[at].next_spare;
		return at;
	}
	if (scene->block_count >= SCENE_NONE ||
	    grow_array(&scene->block, &scene->block_room, scene->block_count,
		       sizeof(*scene->block)) < 0)
		return SCENE_NONE;
	return (uint32_t)scene->block_count++;
}

static int add_block(struct scene *scene, const struct la_view_event *event)
{
	uint32_t at;

	if (find_block(scene, event->addr, &at))
		remove_block(scene, at);
	at = new_block(scene);
	if (at == SCENE_NONE)
		return -ENOMEM;
	scene->block[at] = (struct scene_block){
		.addr = event->addr,
		.size = event->block ? event->block :
				       program_live_bytes(event->size),
		.asked = event->size,
		.event = event->event,
		.request = scene->requests++,
		.stream = event->stream,
		.stack = event->stack,
		.state = LA_MAP_LIVE,
	};
	scene->live += program_live_bytes(event->size);
	return addr_set_add(&scene->block_at, event->addr, at);
}

static void free_block(struct scene *scene, struct la_view_event *event)
{
	uint32_t at;

	if (!find_block(scene, event->addr, &at))
		return;
	event->request = scene->block[at].request;
	if (event->action == LA_FREE_REQUESTED) {
		scene->block[at].state = LA_MAP_PENDING;
		return;
	}
	remove_block(scene, at);
}

const struct scene_range *scene_range_of(const struct scene *scene,
					 uint64_t addr)
{
	const struct scene_range *range;
	uint32_t at;

	if (!addr_set_before(&scene->range_at, addr, &at))
		return NULL;
	range = &scene->range[at];
	return addr - range->addr < range->size ? range : NULL;
}

bool scene_continues(const struct scene_range *range,
		     const struct scene_range *next)
{
	return range->chained && next->chained &&
	       range->addr + range->size == next->addr &&
	       range->stream == next->stream && range->small == next->small &&
	       !memcmp(range->pool, next->pool, sizeof(range->pool));
}

uint64_t scene_room(const struct scene *scene, uint64_t addr)
{
	const struct scene_range *range = scene_range_of(scene, addr), *next;
	uint64_t roof = UINT64_MAX, end = addr;
	uint32_t at;

	if (addr_set_after(&scene->block_at, addr, &at))
		roof = scene->block[at].addr;
	for (; range && end < roof; range = next) {
		end = range->addr + range->size;
		next = scene_range_of(scene, end);
		if (next && !scene_continues(range, next))
			next = NULL;
	}
	return (end < roof ? end : roof) - addr;
}

static int add_range(struct scene *scene, const struct scene_range *range)
{
	uint32_t at = scene->spare_range;

	if (at != SCENE_NONE) {
		scene->spare_range = scene->range[at].next_spare;
	} else {
		if (scene->range_count >= SCENE_NONE ||
		    grow_array(&scene->range, &scene->range_room,
			       scene->range_count, sizeof(*range)) < 0)
			return -ENOMEM;
		at = (uint32_t)scene->range_count++;
	}
	scene->range[at] = *range;
	scene->reserved += range->size;
	return addr_set_add(&scene->range_at, range->addr, at);
}

static void remove_range(struct scene *scene, uint32_t at)
{
	struct scene_range *range = &scene->range[at];

	addr_set_remove(&scene->range_at, range->addr);
	scene->reserved -= range->size;
	range->size = 0;
	range->next_spare = scene->spare_range;
	scene->spare_range = at;
}

/* Take addresses from the one range that `at` is. */
static int cut_range(struct scene *scene, uint32_t at, uint64_t from,
		     uint64_t to)
{
	struct scene_range left = scene->range[at], right = left;
	int err = 0;

	remove_range(scene, at);
	if (left.addr < from) {
		left.size = from - left.addr;
		err = add_range(scene, &left);
	}
	if (!err && right.addr + right.size > to) {
		right.size -= to - right.addr;
		right.addr = to;
		err = add_range(scene, &right);
	}
	return err;
}

/* Nothing lies between two addresses any more. */
static int clear(struct scene *scene, uint64_t from, uint64_t to)
{
	const struct scene_range *range;
	uint32_t at;
	int err = 0;

	while (from < to && !err) {
		if (!addr_set_before(&scene->range_at, to - 1, &at))
			return 0;
		range = &scene->range[at];
		if (range->addr + range->size <= from)
			return 0;
		err = cut_range(scene, at, from, to);
	}
	return err;
}

static int change_range(struct scene *scene, const struct la_view_event *event)
{
	uint64_t most = UINT64_MAX - event->addr;
	const struct scene_range range = {
		.addr = event->addr,
		.size = event->size < most ? event->size : most,
		.pool = { event->pool[0], event->pool[1] },
		.stream = event->stream,
		.small = event->small,
		.chained = event->action == LA_SEGMENT_MAP,
	};
	int err = clear(scene, range.addr, range.addr + range.size);

	if (err || is_given_back(event->action) || !range.size)
		return err;
	return add_range(scene, &range);
}

int scene_follow(struct scene *scene, struct la_view_event *event)
{
	event->request = UINT64_MAX;
	switch ((enum la_action)event->action) {
	case LA_ALLOC:
		return add_block(scene, event);
	case LA_FREE_REQUESTED:
	case LA_FREE_COMPLETED:
		free_block(scene, event);
		return 0;
	case LA_SEGMENT_ALLOC:
	case LA_SEGMENT_FREE:
	case LA_SEGMENT_MAP:
	case LA_SEGMENT_UNMAP:
		return change_range(scene, event);
	case LA_OOM:
	case LA_SNAPSHOT:
	case LA_ANNOTATE:
	case LA_ACTION_COUNT:
		break;
	}
	return 0;
}
