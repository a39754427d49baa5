// SPDX-License-Identifier: Apache-2.0
/* What an arena asks of its device, counted and timed. */

#include <time.h>

#include "allocator/meter.h"
#include "device/page.h"

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

static int end(struct meter *meter, uint64_t start, int result)
{
	count(&meter->time, meter_clock() - start);
	return result;
}

/* That worked, and so changed the number of segments. */
static void change(struct meter *meter, int64_t more)
{
	meter->segments += more;
	if (meter->segments > meter->segments_peak)
		meter->segments_peak = meter->segments;
}

/* The result of an operation of the inner device, timed. */
#define TIMED(dev, operation, ...)                                             \
	({                                                                     \
		struct meter *meter = (struct meter *)(dev);                   \
		uint64_t start = meter_clock();                                \
                                                                               \
		end(meter, start,                                              \
		    meter->inner->ops->operation(meter->inner,                 \
						 ##__VA_ARGS__));              \
	})

/* The same of one that is counted, and takes so many segments if it works. */
#define CHANGED(dev, more, operation, ...)                                     \
	({                                                                     \
		int result = TIMED(dev, operation, ##__VA_ARGS__);             \
                                                                               \
		count(&((struct meter *)(dev))->calls, 1);                     \
		if (!result)                                                   \
			change((struct meter *)(dev), more);                   \
		result;                                                        \
	})

static int meter_alloc(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	return CHANGED(dev, 1, alloc, size, addr);
}

static int meter_free(struct la_device *dev, uint64_t addr, uint64_t size)
{
	return CHANGED(dev, -1, free, addr, size);
}

static int meter_reserve(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	return TIMED(dev, reserve, size, addr);
}

static int meter_unreserve(struct la_device *dev, uint64_t addr, uint64_t size)
{
	return TIMED(dev, unreserve, addr, size);
}

static int meter_map(struct la_device *dev, uint64_t addr, uint64_t size,
		     uint64_t granule)
{
	return CHANGED(dev, (int64_t)(size / PAGE), map, addr, size, granule);
}

static int meter_unmap(struct la_device *dev, uint64_t addr, uint64_t size)
{
	return CHANGED(dev, -(int64_t)(size / PAGE), unmap, addr, size);
}

static int meter_create(struct la_device *dev, uint64_t size, uint64_t *piece)
{
	return CHANGED(dev, 1, create, size, piece);
}

static int meter_release(struct la_device *dev, uint64_t piece, uint64_t size)
{
	return CHANGED(dev, -1, release, piece, size);
}

static int meter_attach(struct la_device *dev, uint64_t addr, uint64_t size,
			uint64_t piece)
{
	return CHANGED(dev, 0, attach, addr, size, piece);
}

static int meter_detach(struct la_device *dev, uint64_t addr, uint64_t size)
{
	return CHANGED(dev, 0, detach, addr, size);
}

static int meter_record(struct la_device *dev, uint64_t stream, uint64_t *event)
{
	return TIMED(dev, record, stream, event);
}

static int meter_query(struct la_device *dev, uint64_t event)
{
	return TIMED(dev, query, event);
}

static int meter_order(struct la_device *dev, uint64_t stream, uint64_t event)
{
	count(&((struct meter *)dev)->orders, 1);
	return TIMED(dev, order, stream, event);
}

static int meter_await(struct la_device *dev, uint64_t event)
{
	count(&((struct meter *)dev)->awaits, 1);
	return TIMED(dev, await, event);
}

static int meter_drain(struct la_device *dev)
{
	count(&((struct meter *)dev)->awaits, 1);
	return TIMED(dev, drain);
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
