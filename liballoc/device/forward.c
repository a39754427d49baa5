// SPDX-License-Identifier: Apache-2.0
/* Operations that go to another device. */

#include "device/forward.h"

static int begin(struct la_device *dev, struct la_device **inner)
{
	struct forward *forward = (struct forward *)dev;

	return forward->begin(forward, inner);
}

static int end(struct la_device *dev, int result)
{
	struct forward *forward = (struct forward *)dev;

	return forward->end ? forward->end(forward, result) : result;
}

/* The result of an operation of the inner device, or why it was not asked. */
#define FORWARD(dev, operation, ...)                                           \
	({                                                                     \
		struct la_device *inner;                                       \
		int err = begin(dev, &inner);                                  \
                                                                               \
		err ? err : end(dev, inner->ops->operation(inner,              \
							   ##__VA_ARGS__));    \
	})

int la_forward_alloc(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	return FORWARD(dev, alloc, size, addr);
}

int la_forward_free(struct la_device *dev, uint64_t addr, uint64_t size)
{
	return FORWARD(dev, free, addr, size);
}

int la_forward_reserve(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	return FORWARD(dev, reserve, size, addr);
}

int la_forward_unreserve(struct la_device *dev, uint64_t addr, uint64_t size)
{
	return FORWARD(dev, unreserve, addr, size);
}

int la_forward_map(struct la_device *dev, uint64_t addr, uint64_t size,
		   uint64_t granule)
{
	return FORWARD(dev, map, addr, size, granule);
}

int la_forward_unmap(struct la_device *dev, uint64_t addr, uint64_t size)
{
	return FORWARD(dev, unmap, addr, size);
}

int la_forward_create(struct la_device *dev, uint64_t size, uint64_t *piece)
{
	return FORWARD(dev, create, size, piece);
}

int la_forward_release(struct la_device *dev, uint64_t piece, uint64_t size)
{
	return FORWARD(dev, release, piece, size);
}

int la_forward_attach(struct la_device *dev, uint64_t addr, uint64_t size,
		      uint64_t piece)
{
	return FORWARD(dev, attach, addr, size, piece);
}

int la_forward_detach(struct la_device *dev, uint64_t addr, uint64_t size)
{
	return FORWARD(dev, detach, addr, size);
}

int la_forward_record(struct la_device *dev, uint64_t stream, uint64_t *event)
{
	return FORWARD(dev, record, stream, event);
}

int la_forward_query(struct la_device *dev, uint64_t event)
{
	return FORWARD(dev, query, event);
}

int la_forward_order(struct la_device *dev, uint64_t stream, uint64_t event)
{
	return FORWARD(dev, order, stream, event);
}

int la_forward_await(struct la_device *dev, uint64_t event)
{
	return FORWARD(dev, await, event);
}

int la_forward_drain(struct la_device *dev)
{
	return FORWARD(dev, drain);
}

int la_forward_capturing(struct la_device *dev, uint64_t stream)
{
	return FORWARD(dev, capturing, stream);
}
