// SPDX-License-Identifier: Apache-2.0
/* What operations on pieces cost: first touch apart from what comes later. */

#include <stdlib.h>

#include "replay/costs.h"
#include "replay/timed.h"

static int timed_reserve(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	const struct timed *timed = (struct timed *)dev;

	return timed->inner->ops->reserve(timed->inner, size, addr);
}

static int timed_create(struct la_device *dev, uint64_t size, uint64_t *piece)
{
	struct timed *timed = (struct timed *)dev;
	double cost = costs_between(timed->costs, COST(create), size);
	int err = timed->inner->ops->create(timed->inner, size, piece);

	if (err < 0)
		return err;
	timed->held += size;
	if (timed->held <= timed->held_peak) {
		timed->later += cost;
		return 0;
	}
	timed->held_peak = timed->held;
	timed->fresh = *piece;
	timed->first += cost;
	return 0;
}

static int timed_release(struct la_device *dev, uint64_t piece, uint64_t size)
{
	struct timed *timed = (struct timed *)dev;

	timed->held -= size;
	timed->later += costs_between(timed->costs, COST(release), size);
	return timed->inner->ops->release(timed->inner, piece, size);
}

static int timed_attach(struct la_device *dev, uint64_t addr, uint64_t size,
			uint64_t piece)
{
	struct timed *timed = (struct timed *)dev;
	double cost = costs_between(timed->costs, COST(attach), size);

	if (piece == timed->fresh)
		timed->first += cost;
	else
		timed->later += cost;
	timed->fresh = 0;
	return timed->inner->ops->attach(timed->inner, addr, size, piece);
}

static int timed_detach(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct timed *timed = (struct timed *)dev;

	timed->later += costs_between(timed->costs, COST(detach), size);
	return timed->inner->ops->detach(timed->inner, addr, size);
}

static void timed_destroy(struct la_device *dev)
{
	struct timed *timed = (struct timed *)dev;

	la_device_destroy(timed->inner);
	free(timed);
}

static const struct la_device_ops timed_ops = {
	.reserve = timed_reserve,
	.create = timed_create,
	.release = timed_release,
	.attach = timed_attach,
	.detach = timed_detach,
	.destroy = timed_destroy,
};

struct timed *timed_new(struct la_device *inner, const struct la_costs *costs)
{
	struct timed *timed = calloc(1, sizeof(*timed));

	if (!timed)
		return NULL;
	timed->device.ops = &timed_ops;
	timed->inner = inner;
	timed->costs = costs;
	return timed;
}
