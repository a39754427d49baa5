// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "heap/internal.h"
#include "replay/program.h"
#include "view/kinds.h"

int kinds_init(struct kinds *kinds, const struct la_program *program)
{
	size_t i;
	int err = 0;

	*kinds = (struct kinds){ .program = program };
	for (i = 0; i < program->event_count && !err; i++)
		if (program->event[i].action == LA_SEGMENT_ALLOC &&
		    program->event[i].addr != UINT64_MAX)
			err = addr_map_set(&kinds->last,
					   program->event[i].addr,
					   (uint32_t)i);
	return err;
}

void kinds_destroy(struct kinds *kinds)
{
	addr_map_destroy(&kinds->last);
}

bool kinds_is_small(const struct la_setting_values *setting,
		    const struct la_view_event *event)
{
	return event->action == LA_SEGMENT_ALLOC ?
		       event->size == SMALL_SEGMENT :
		       maps_small(setting, event->size);
}

/* The segment of the snapshot that holds an address, or NULL. */
static const struct la_recorded_segment *
final_segment(const struct la_recorded_device *device, uint64_t addr)
{
	size_t low = 0, high = device->segment_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (device->segments[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || addr - device->segments[low - 1].addr >=
			    device->segments[low - 1].size)
		return NULL;
	return &device->segments[low - 1];
}

static bool find_final(const struct kinds *kinds, struct la_view_event *event)
{
	const struct la_recorded_segment *segment =
		final_segment(kinds->program->device, event->addr);
	uint32_t last;

	if (!segment || segment->stream != event->stream ||
	    segment->expandable != (event->action == LA_SEGMENT_MAP))
		return false;
	if (event->action == LA_SEGMENT_ALLOC &&
	    (!addr_map_get(&kinds->last, event->addr, &last) ||
	     last != event->event))
		return false;
	memcpy(event->pool, segment->pool, sizeof(event->pool));
	event->small = segment->small;
	return true;
}

static bool find_inferred(struct kinds *kinds, struct la_view_event *event)
{
	const struct la_inferred_pool *pool = kinds->program->inferred;
	size_t count = kinds->program->info.inferred_count;

	while (kinds->inferred < count &&
	       pool[kinds->inferred].event < event->event)
		kinds->inferred++;
	if (kinds->inferred == count ||
	    pool[kinds->inferred].event != event->event)
		return false;
	memcpy(event->pool, pool[kinds->inferred].pool, sizeof(event->pool));
	return true;
}

/* Memory of the same reservation has one pool and one class. */
static bool find_beside(const struct scene *scene,
			struct la_view_event *event)
{
	const struct scene_range *range =
		scene_range_of(scene, event->addr - 1);

	if (!range || !range->chained || range->stream != event->stream)
		range = scene_range_of(scene, event->addr + event->size);
	if (event->action != LA_SEGMENT_MAP || !range || !range->chained ||
	    range->stream != event->stream)
		return false;
	memcpy(event->pool, range->pool, sizeof(event->pool));
	event->small = range->small;
	return true;
}

void kinds_find(struct kinds *kinds, const struct scene *scene,
		uint16_t pool, struct la_view_event *event)
{
	const struct la_program *program = kinds->program;
	bool found;

	event->small = kinds_is_small(la_setting_values(program->setting),
				      event);
	found = find_final(kinds, event);
	if (program->device->has_pool_ids)
		la_recording_pool(program->recording, pool, event->pool);
	else if (!find_inferred(kinds, event) && !found)
		find_beside(scene, event);
}
