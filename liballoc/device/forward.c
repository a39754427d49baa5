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

int la_forward_alloc(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->alloc(inner, size, addr));
}

int la_forward_free(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->free(inner, addr, size));
}

int la_forward_reserve(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->reserve(inner, size, addr));
}

int la_forward_unreserve(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->unreserve(inner, addr, size));
}

int la_forward_map(struct la_device *dev, uint64_t addr, uint64_t size,
		   uint64_t granule)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err :
		     end(dev, inner->ops->map(inner, addr, size, granule));
}

int la_forward_unmap(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->unmap(inner, addr, size));
}

int la_forward_create(struct la_device *dev, uint64_t size, uint64_t *piece)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->create(inner, size, piece));
}

int la_forward_release(struct la_device *dev, uint64_t piece, uint64_t size)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->release(inner, piece, size));
}

int la_forward_attach(struct la_device *dev, uint64_t addr, uint64_t size,
		      uint64_t piece)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err :
		     end(dev, inner->ops->attach(inner, addr, size, piece));
}

int la_forward_detach(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->detach(inner, addr, size));
}

int la_forward_record(struct la_device *dev, uint64_t stream, uint64_t *event)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->record(inner, stream, event));
}

int la_forward_query(struct la_device *dev, uint64_t event)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->query(inner, event));
}

int la_forward_order(struct la_device *dev, uint64_t stream, uint64_t event)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->order(inner, stream, event));
}

int la_forward_await(struct la_device *dev, uint64_t event)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->await(inner, event));
}

int la_forward_drain(struct la_device *dev)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->drain(inner));
}

int la_forward_capturing(struct la_device *dev, uint64_t stream)
{
	struct la_device *inner;
	int err = begin(dev, &inner);

	return err ? err : end(dev, inner->ops->capturing(inner, stream));
}
