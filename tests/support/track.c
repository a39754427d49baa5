// SPDX-License-Identifier: Apache-2.0
/* A device that keeps books, see track.h. */

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "support/track.h"

struct range {
	uint64_t addr;
	uint64_t size;
};

/* What is handed out, in no order. */
struct ranges {
	struct range *range; /* owned */
	size_t count, room;
};

struct track {
	struct la_device device; /* first member */
	struct la_device *inner; /* owned */
	struct ranges segments, reservations, granules;
	uint64_t held; /* bytes of segments and granules */
};

/* Ranges of one kind do not overlap. */
static void add(struct ranges *ranges, uint64_t addr, uint64_t size)
{
	size_t i;

	for (i = 0; i < ranges->count; i++)
		assert(addr + size <= ranges->range[i].addr ||
		       ranges->range[i].addr + ranges->range[i].size <= addr);
	if (ranges->count == ranges->room) {
		ranges->room = 2 * ranges->room + 16;
		ranges->range = realloc(ranges->range,
					ranges->room * sizeof(*ranges->range));
		assert(ranges->range);
	}
	ranges->range[ranges->count++] = (struct range){ addr, size };
}

static struct range *find(const struct ranges *ranges, uint64_t addr)
{
	size_t i = 0;

	while (i < ranges->count && ranges->range[i].addr != addr)
		i++;
	assert(i < ranges->count);
	return &ranges->range[i];
}

static void drop(struct ranges *ranges, uint64_t addr)
{
	struct range *range = find(ranges, addr);

	*range = ranges->range[--ranges->count];
}

static int track_alloc(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct track *track = (struct track *)dev;
	uint64_t got = 1;
	int err;

	assert(size && size % 512 == 0);
	err = track->inner->ops->alloc(track->inner, size, &got);
	if (err < 0) {
		assert(got == 1);
		return err;
	}
	add(&track->segments, got, size);
	track->held += size;
	*addr = got;
	return 0;
}

static int track_free(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct track *track = (struct track *)dev;
	int err;

	assert(find(&track->segments, addr)->size == size);
	err = track->inner->ops->free(track->inner, addr, size);
	if (err < 0)
		return err;
	drop(&track->segments, addr);
	track->held -= size;
	return 0;
}

static int track_reserve(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct track *track = (struct track *)dev;
	int err;

	assert(size && size % (2 << 20) == 0);
	err = track->inner->ops->reserve(track->inner, size, addr);
	if (!err)
		add(&track->reservations, *addr, size);
	return err;
}

/* The granule of 2 MiB at addr of a reservation. */
static bool is_mapped(const struct track *track, uint64_t addr)
{
	size_t i;

	for (i = 0; i < track->granules.count; i++)
		if (track->granules.range[i].addr == addr)
			return true;
	return false;
}

static int track_unreserve(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct track *track = (struct track *)dev;
	uint64_t at;
	int err;

	assert(find(&track->reservations, addr)->size == size);
	for (at = addr; track->granules.count && at < addr + size;
	     at += 2 << 20)
		assert(!is_mapped(track, at));
	err = track->inner->ops->unreserve(track->inner, addr, size);
	if (!err)
		drop(&track->reservations, addr);
	return err;
}

static bool is_reserved(const struct track *track, uint64_t addr, uint64_t size)
{
	size_t i;

	for (i = 0; i < track->reservations.count; i++) {
		const struct range *range = &track->reservations.range[i];

		if (addr >= range->addr && size <= range->size &&
		    addr - range->addr <= range->size - size)
			return true;
	}
	return false;
}

static int track_map(struct la_device *dev, uint64_t addr, uint64_t size,
		     uint64_t granule)
{
	struct track *track = (struct track *)dev;
	uint64_t at;
	int err;

	assert(size && granule && granule % (2 << 20) == 0 &&
	       size % granule == 0 && is_reserved(track, addr, size));
	err = track->inner->ops->map(track->inner, addr, size, granule);
	if (err < 0)
		return err;
	for (at = addr; at < addr + size; at += 2 << 20)
		add(&track->granules, at, 2 << 20);
	track->held += size;
	return 0;
}

static int track_unmap(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct track *track = (struct track *)dev;
	uint64_t at;
	int err;

	for (at = addr; at < addr + size; at += 2 << 20)
		find(&track->granules, at);
	err = track->inner->ops->unmap(track->inner, addr, size);
	if (err < 0)
		return err;
	for (at = addr; at < addr + size; at += 2 << 20)
		drop(&track->granules, at);
	track->held -= size;
	return 0;
}

static void track_destroy(struct la_device *dev)
{
	struct track *track = (struct track *)dev;

	la_device_destroy(track->inner);
	free(track->segments.range);
	free(track->reservations.range);
	free(track->granules.range);
	free(track);
}

static const struct la_device_ops track_ops = {
	.alloc = track_alloc,
	.free = track_free,
	.reserve = track_reserve,
	.unreserve = track_unreserve,
	.map = track_map,
	.unmap = track_unmap,
	.destroy = track_destroy,
};

struct la_device *track_new(struct la_device *inner)
{
	struct track *track = calloc(1, sizeof(*track));

	assert(track);
	track->device.ops = &track_ops;
	track->inner = inner;
	return &track->device;
}

uint64_t track_held(const struct la_device *dev)
{
	return ((const struct track *)dev)->held;
}
