// SPDX-License-Identifier: Apache-2.0
/* A device that fails one operation and passes the rest on. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <liballoc/device.h>

#include "util/util.h"

struct fault {
	struct la_device device; /* first member */
	struct la_device *inner; /* owned */
	uint64_t left; /* operations up to the one that fails; 0: it did */
	int code;
};

static bool is_due(struct fault *fault)
{
	return fault->left && !--fault->left;
}

static int fault_alloc(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->alloc(fault->inner, size, addr);
}

static int fault_free(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->free(fault->inner, addr, size);
}

static int fault_reserve(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->reserve(fault->inner, size, addr);
}

static int fault_unreserve(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->unreserve(fault->inner, addr, size);
}

static int fault_map(struct la_device *dev, uint64_t addr, uint64_t size,
		     uint64_t granule)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->map(fault->inner, addr, size, granule);
}

static int fault_unmap(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->unmap(fault->inner, addr, size);
}

static int fault_create(struct la_device *dev, uint64_t size, uint64_t *piece)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->create(fault->inner, size, piece);
}

static int fault_release(struct la_device *dev, uint64_t piece, uint64_t size)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->release(fault->inner, piece, size);
}

static int fault_attach(struct la_device *dev, uint64_t addr, uint64_t size,
			uint64_t piece)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->attach(fault->inner, addr, size, piece);
}

static int fault_detach(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->detach(fault->inner, addr, size);
}

static int fault_record(struct la_device *dev, uint64_t stream, uint64_t *event)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->record(fault->inner, stream, event);
}

static int fault_query(struct la_device *dev, uint64_t event)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->query(fault->inner, event);
}

static int fault_order(struct la_device *dev, uint64_t stream, uint64_t event)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->order(fault->inner, stream, event);
}

static int fault_await(struct la_device *dev, uint64_t event)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->await(fault->inner, event);
}

static int fault_capturing(struct la_device *dev, uint64_t stream)
{
	struct fault *fault = (struct fault *)dev;

	if (is_due(fault))
		return fault->code;
	return fault->inner->ops->capturing(fault->inner, stream);
}

static void fault_forget(struct la_device *dev, uint64_t event)
{
	struct fault *fault = (struct fault *)dev;

	fault->inner->ops->forget(fault->inner, event);
}

static void fault_destroy(struct la_device *dev)
{
	struct fault *fault = (struct fault *)dev;

	la_device_destroy(fault->inner);
	free(fault);
}

static const struct la_device_ops fault_ops = {
	.alloc = fault_alloc,
	.free = fault_free,
	.reserve = fault_reserve,
	.unreserve = fault_unreserve,
	.map = fault_map,
	.unmap = fault_unmap,
	.create = fault_create,
	.release = fault_release,
	.attach = fault_attach,
	.detach = fault_detach,
	.record = fault_record,
	.query = fault_query,
	.order = fault_order,
	.await = fault_await,
	.forget = fault_forget,
	.capturing = fault_capturing,
	.destroy = fault_destroy,
};

LA_EXPORT int la_device_fault(struct la_device **out, struct la_device *inner,
			      uint64_t nth, int code)
{
	struct fault *fault = malloc(sizeof(*fault));

	if (!fault)
		return -ENOMEM;
	*fault = (struct fault){
		.device.ops = &fault_ops,
		.inner = inner,
		.left = nth,
		.code = code,
	};
	*out = &fault->device;
	return 0;
}
