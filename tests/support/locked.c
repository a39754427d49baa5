// SPDX-License-Identifier: Apache-2.0
/* A simulated device behind a lock, see locked.h. */

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "device/forward.h"
#include "support/locked.h"

struct locked {
	struct forward forward; /* first member */
	pthread_mutex_t lock; /* of inner and sim */
	struct la_device *inner; /* owned */
	struct la_device *sim;
};

static struct locked *take(struct la_device *dev)
{
	struct locked *locked = (struct locked *)dev;

	pthread_mutex_lock(&locked->lock);
	return locked;
}

static int end(struct locked *locked, int result)
{
	pthread_mutex_unlock(&locked->lock);
	return result;
}

static int locked_begin(struct forward *forward, struct la_device **inner)
{
	*inner = take(&forward->device)->inner;
	return 0;
}

static int locked_end(struct forward *forward, int result)
{
	return end((struct locked *)forward, result);
}

static void locked_forget(struct la_device *dev, uint64_t event)
{
	struct locked *locked = take(dev);

	locked->inner->ops->forget(locked->inner, event);
	end(locked, 0);
}

static void locked_destroy(struct la_device *dev)
{
	struct locked *locked = (struct locked *)dev;

	pthread_mutex_destroy(&locked->lock);
	la_device_destroy(locked->inner);
	free(locked);
}

static const struct la_device_ops locked_ops = {
	FORWARD_OPS,
	.forget = locked_forget,
	.destroy = locked_destroy,
};

struct la_device *locked_new(struct la_device *inner, struct la_device *sim)
{
	struct locked *locked = calloc(1, sizeof(*locked));

	assert(locked);
	locked->forward = (struct forward){
		.device.ops = &locked_ops,
		.begin = locked_begin,
		.end = locked_end,
	};
	locked->inner = inner;
	locked->sim = sim;
	pthread_mutex_init(&locked->lock, NULL);
	return &locked->forward.device;
}

void locked_use(struct la_device *dev, uint64_t stream, uint64_t addr,
		uint64_t size)
{
	struct locked *locked = take(dev);
	int err = la_device_sim_use(locked->sim, stream, addr, size);

	assert(!err);
	end(locked, err);
}

void locked_run(struct la_device *dev, uint64_t stream)
{
	struct locked *locked = take(dev);

	la_device_sim_run(locked->sim, stream);
	end(locked, 0);
}

void locked_capture(struct la_device *dev, uint64_t stream, bool captured)
{
	struct locked *locked = take(dev);
	int err = la_device_sim_capture(locked->sim, stream, captured);

	assert(!err);
	end(locked, err);
}

uint64_t locked_violations(struct la_device *dev)
{
	struct locked *locked = take(dev);
	uint64_t count = la_device_sim_violations(locked->sim);

	end(locked, 0);
	return count;
}

int locked_order(struct la_device *dev, uint64_t stream, uint64_t behind)
{
	struct locked *locked = take(dev);
	const struct la_device_ops *ops = locked->sim->ops;
	uint64_t event = 0;
	int err = ops->record(locked->sim, behind, &event);

	if (err)
		return end(locked, err);
	err = ops->order(locked->sim, stream, event);
	ops->forget(locked->sim, event);
	return end(locked, err);
}

uint64_t locked_events(struct la_device *dev)
{
	struct locked *locked = take(dev);
	const struct la_device_sim_counts *counts =
		la_device_sim_counts(locked->sim);
	uint64_t count = counts->records - counts->forgets;

	end(locked, 0);
	return count;
}

uint64_t locked_held(struct la_device *dev)
{
	struct locked *locked = take(dev);
	const struct la_device_sim_counts *counts =
		la_device_sim_counts(locked->sim);
	uint64_t held = counts->alloc.bytes - counts->free.bytes +
			counts->map.bytes - counts->unmap.bytes +
			counts->create.bytes - counts->release.bytes;

	end(locked, 0);
	return held;
}
