// SPDX-License-Identifier: Apache-2.0
/*
 * Segments are what the driver gave at once, and runs of mapped memory in the
 * addresses of an expandable one; what lies in no block is free.
 */
#include <errno.h>
#include <stdlib.h>

#include "trace/probe-state.h"
#include "util/array.h"
#include "util/segment.h"
#include "util/util.h"

/* A segment, and its device. */
struct found {
	struct la_recorded_segment segment;
	unsigned int device;
};

/* All of them, of all devices. */
struct finds {
	struct found *found; /* owned */
	size_t count, room;
};

bool la_walk_is_small(const struct la_walk_span *span)
{
	uint64_t size = span->reserved ? span->granule : span->size;

	return size <= SMALL_SEGMENT && span->largest <= SMALL_MAX;
}

static int add(struct finds *finds, struct la_walk *walk,
	       const struct la_walk_span *span, uint64_t addr, uint64_t size)
{
	if (!size)
		return 0;
	if (grow_array(&finds->found, &finds->room, finds->count,
		       sizeof(*finds->found)) < 0)
		return -ENOMEM;
	finds->found[finds->count++] = (struct found){
		.segment = {
			.addr = addr,
			.size = size,
			.stream = span->stream,
			.pool = { 0, la_walk_pool(walk, span->capture) },
			.small = la_walk_is_small(span),
			.expandable = span->reserved,
		},
		.device = span->device,
	};
	return 0;
}

static int find_memory(struct finds *finds, struct la_walk *walk)
{
	const struct la_live *live = &walk->live[LA_WALK_MEMORY];
	size_t i;
	int err = 0;

	for (i = 0; i < live->count && !err; i++) {
		const struct la_walk_span *span = &walk->span[live->tag[i]];

		if (la_live_has(live, i) && span->torch)
			err = add(finds, walk, span, live->addr[i],
				  live->size[i]);
	}
	return err;
}

/* Mappings that follow one another in one span of addresses are one. */
static int find_mapped(struct finds *finds, struct la_walk *walk)
{
	const struct la_live *live = &walk->live[LA_WALK_MAPPED];
	uint32_t run = LA_NO_SPAN; /* the span of the run under way */
	uint64_t addr = 0, end = 0;
	size_t i;
	int err = 0;

	for (i = 0; i <= live->count && !err; i++) {
		uint32_t span = LA_NO_SPAN;

		if (i < live->count && !la_live_has(live, i))
			continue;
		if (i < live->count)
			span = live->tag[i];
		if (span != LA_NO_SPAN && !walk->span[span].torch)
			continue;
		if (run != LA_NO_SPAN &&
		    (span != run || live->addr[i] != end)) {
			err = add(finds, walk, &walk->span[run], addr,
				  end - addr);
			run = LA_NO_SPAN;
		}
		if (span == LA_NO_SPAN)
			continue;
		if (run == LA_NO_SPAN)
			addr = live->addr[i];
		run = span;
		end = live->addr[i] + live->size[i];
	}
	return err;
}

static int compare(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return (x->segment.addr > y->segment.addr) -
	       (x->segment.addr < y->segment.addr);
}

/* Blocks of a device as they are put in order. */
struct blocks {
	struct la_recorded_block *block; /* owned */
	size_t count, room;
};

static int add_block(struct blocks *blocks, uint64_t size, uint64_t requested)
{
	const struct la_recorded_block block = {
		.size = size,
		.requested = requested,
		.state = requested ? LA_RECORDED_LIVE : LA_RECORDED_FREE,
	};

	if (!size)
		return 0;
	if (grow_array(&blocks->block, &blocks->room, blocks->count,
		       sizeof(block)) < 0)
		return -ENOMEM;
	blocks->block[blocks->count++] = block;
	return 0;
}

/* What lies in a segment; what overlaps or reaches beyond is none of it. */
static int fill(struct blocks *blocks, const struct la_walk *walk,
		struct la_recorded_segment *segment)
{
	const struct la_live *live = &walk->live[LA_WALK_BLOCK];
	uint64_t at = segment->addr, end = at + segment->size, seek = at;
	size_t place;
	int err = 0;

	segment->first_block = (uint32_t)blocks->count;
	while (!err && (place = la_live_from(live, seek)) != LA_NOT_LIVE) {
		uint64_t addr = live->addr[place], size = live->size[place];

		if (addr >= end)
			break;
		seek = addr + 1;
		if (!size || size > end - addr)
			continue;
		err = add_block(blocks, addr - at, 0);
		if (!err)
			err = add_block(blocks, size,
					la_walk_request(walk, size));
		at = seek = addr + size;
	}
	if (!err)
		err = add_block(blocks, end - at, 0);
	segment->block_count = (uint32_t)blocks->count - segment->first_block;
	return err;
}

static int take_device(struct la_owned_device *device,
		       const struct la_walk *walk, const struct found *found,
		       size_t count)
{
	struct blocks blocks = { 0 };
	uint64_t end = 0;
	size_t kept = 0, i;
	int err = 0;

	device->segments = calloc(count + 1, sizeof(*device->segments));
	blocks.block = NULL;
	for (i = 0; device->segments && i < count && !err; i++) {
		struct la_recorded_segment *segment = &device->segments[kept];

		*segment = found[i].segment;
		if (segment->addr < end)
			continue;
		end = segment->addr + segment->size;
		err = fill(&blocks, walk, segment);
		kept++;
	}
	if (!blocks.block)
		blocks.block = calloc(1, sizeof(*blocks.block));
	device->blocks = blocks.block;
	if (!device->segments || !device->blocks || err)
		return -ENOMEM;
	device->shown.segments = device->segments;
	device->shown.segment_count = kept;
	device->shown.blocks = device->blocks;
	device->shown.block_count = blocks.count;
	return 0;
}

static int take_all(struct la_walk *walk, struct la_recording *recording,
		    struct finds *finds)
{
	const struct found *found = finds->found;
	size_t left = finds->count, count;
	unsigned int i;
	int err = 0;

	if (left)
		qsort(finds->found, finds->count, sizeof(*finds->found),
		      compare);
	for (i = 0; i < recording->device_count && !err; i++) {
		for (count = 0; count < left && found[count].device == i;)
			count++;
		err = take_device(&recording->devices[i], walk, found, count);
		if (count)
			found += count;
		left -= count;
	}
	return err;
}

int la_walk_take_state(struct la_walk *walk, struct la_recording *recording)
{
	struct finds finds = { 0 };
	int err = find_memory(&finds, walk);

	if (!err)
		err = find_mapped(&finds, walk);
	if (!err)
		err = take_all(walk, recording, &finds);
	free(finds.found);
	return err;
}
