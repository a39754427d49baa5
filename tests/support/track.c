// SPDX-License-Identifier: Apache-2.0
/* A device that keeps books, see track.h. */

#include <assert.h>
#include <stdlib.h>

#include "support/track.h"

struct range {
	uint64_t addr;
	uint64_t size;
};

struct track {
	struct la_device device; /* first member */
	struct la_device *inner; /* owned */
	struct range *range; /* owned; what is handed out, in no order */
	size_t count, room;
	uint64_t held; /* sum of their bytes */
};

static int track_alloc(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct track *track = (struct track *)dev;
	uint64_t got = 1;
	size_t i;
	int err;

	assert(size && size % 512 == 0);
	err = track->inner->ops->alloc(track->inner, size, &got);
	if (err < 0) {
		assert(got == 1);
		return err;
	}
	for (i = 0; i < track->count; i++)
		assert(got + size <= track->range[i].addr ||
		       track->range[i].addr + track->range[i].size <= got);
	if (track->count == track->room) {
		track->room = 2 * track->room + 16;
		track->range = realloc(track->range,
				       track->room * sizeof(*track->range));
		assert(track->range);
	}
	track->range[track->count++] = (struct range){ got, size };
	track->held += size;
	*addr = got;
	return 0;
}

static int track_free(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct track *track = (struct track *)dev;
	size_t i = 0;
	int err;

	while (i < track->count && track->range[i].addr != addr)
		i++;
	assert(i < track->count && track->range[i].size == size);
	err = track->inner->ops->free(track->inner, addr, size);
	if (err < 0)
		return err;
	track->range[i] = track->range[--track->count];
	track->held -= size;
	return 0;
}

static void track_destroy(struct la_device *dev)
{
	struct track *track = (struct track *)dev;

	la_device_destroy(track->inner);
	free(track->range);
	free(track);
}

static const struct la_device_ops track_ops = {
	.alloc = track_alloc,
	.free = track_free,
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
