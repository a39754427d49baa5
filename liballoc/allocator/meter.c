// SPDX-License-Identifier: Apache-2.0
/* What an arena asks of its device, counted and timed. */

#include <time.h>

#include "allocator/meter.h"
#include "util/util.h"

#define PIECE (2 * MIB) /* mapped memory counts in these */

uint64_t meter_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void count(_Atomic(uint64_t) *counter, uint64_t more)
{
	atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

/* An operation since a moment is over. */
static int end(struct meter *meter, uint64_t start, int result)
{
	count(&meter->time, meter_clock() - start);
	return result;
}

/* The same of one that, if it worked, changed the number of segments. */
static int end_change(struct meter *meter, uint64_t start, int result,
		      int64_t more)
{
	count(&meter->calls, 1);
	if (!result) {
		meter->segments += more;
		if (meter->segments > meter->segments_peak)
			meter->segments_peak = meter->segments;
	}
	return end(meter, start, result);
}

static int meter_alloc(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	return end_change(meter, start,
			  meter->inner->ops->alloc(meter->inner, size, addr),
			  1);
}

static int meter_free(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	return end_change(meter, start,
			  meter->inner->ops->free(meter->inner, addr, size),
			  -1);
}

static int meter_reserve(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	return end(meter, start,
		   meter->inner->ops->reserve(meter->inner, size, addr));
}

static int meter_unreserve(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	return end(meter, start,
		   meter->inner->ops->unreserve(meter->inner, addr, size));
}

static int meter_map(struct la_device *dev, uint64_t addr, uint64_t size,
		     uint64_t granule)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	return end_change(
		meter, start,
		meter->inner->ops->map(meter->inner, addr, size, granule),
		(int64_t)(size / PIECE));
}

static int meter_unmap(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	return end_change(meter, start,
			  meter->inner->ops->unmap(meter->inner, addr, size),
			  -(int64_t)(size / PIECE));
}

static int meter_create(struct la_device *dev, uint64_t size, uint64_t *piece)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	return end_change(meter, start,
			  meter->inner->ops->create(meter->inner, size, piece),
			  1);
}

static int meter_release(struct la_device *dev, uint64_t piece, uint64_t size)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	return end_change(meter, start,
			  meter->inner->ops->release(meter->inner, piece, size),
			  -1);
}

static int meter_attach(struct la_device *dev, uint64_t addr, uint64_t size,
			uint64_t piece)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	return end_change(
		meter, start,
		meter->inner->ops->attach(meter->inner, addr, size, piece), 0);
}

static int meter_detach(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	return end_change(meter, start,
			  meter->inner->ops->detach(meter->inner, addr, size),
			  0);
}

static int meter_record(struct la_device *dev, uint64_t stream, uint64_t *event)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	return end(meter, start,
		   meter->inner->ops->record(meter->inner, stream, event));
}

static int meter_query(struct la_device *dev, uint64_t event)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	return end(meter, start, meter->inner->ops->query(meter->inner, event));
}

static int meter_order(struct la_device *dev, uint64_t stream, uint64_t event)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	count(&meter->orders, 1);
	return end(meter, start,
		   meter->inner->ops->order(meter->inner, stream, event));
}

static int meter_await(struct la_device *dev, uint64_t event)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	count(&meter->awaits, 1);
	return end(meter, start, meter->inner->ops->await(meter->inner, event));
}

static int meter_drain(struct la_device *dev)
{
	struct meter *meter = (struct meter *)dev;
	uint64_t start = meter_clock();

	count(&meter->awaits, 1);
	return end(meter, start, meter->inner->ops->drain(meter->inner));
}

static void meter_forget(struct la_device *dev, uint64_t event)
{
	struct meter *meter = (struct meter *)dev;

	meter->inner->ops->forget(meter->inner, event);
}

static int meter_capturing(struct la_device *dev, uint64_t stream)
{
	struct meter *meter = (struct meter *)dev;

	return meter->inner->ops->capturing(meter->inner, stream);
}

void meter_init(struct meter *meter, struct la_device *inner)
{
	const struct la_device_ops *ops = inner->ops;

	meter->inner = inner;
	meter->device.ops = &meter->ops;
	meter->ops = (struct la_device_ops){
		.alloc = ops->alloc ? meter_alloc : NULL,
		.free = ops->free ? meter_free : NULL,
		.reserve = ops->reserve ? meter_reserve : NULL,
		.unreserve = ops->unreserve ? meter_unreserve : NULL,
		.map = ops->map ? meter_map : NULL,
		.unmap = ops->unmap ? meter_unmap : NULL,
		.create = ops->create ? meter_create : NULL,
		.release = ops->release ? meter_release : NULL,
		.attach = ops->attach ? meter_attach : NULL,
		.detach = ops->detach ? meter_detach : NULL,
		.record = ops->record ? meter_record : NULL,
		.query = ops->query ? meter_query : NULL,
		.order = ops->order ? meter_order : NULL,
		.await = ops->await ? meter_await : NULL,
		.drain = ops->drain ? meter_drain : NULL,
		.forget = ops->forget ? meter_forget : NULL,
		.capturing = ops->capturing ? meter_capturing : NULL,
	};
}
