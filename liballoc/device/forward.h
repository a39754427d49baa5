/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_DEVICE_FORWARD_H
#define LA_DEVICE_FORWARD_H

#include <liballoc/device.h>

/*
 * A device that does the same around each operation of another one.  Its own
 * begins with struct forward, whose ops hold FORWARD_OPS and its own forget
 * and destroy.
 */
struct forward {
	struct la_device device; /* first member */
	/* Before an operation: *inner is where it goes.  What is not 0 is its
	 * result, and inner is not asked. */
	int (*begin)(struct forward *forward, struct la_device **inner);
	/* After it; returns its result.  NULL: nothing to do. */
	int (*end)(struct forward *forward, int result);
};

int la_forward_alloc(struct la_device *dev, uint64_t size, uint64_t *addr);
int la_forward_free(struct la_device *dev, uint64_t addr, uint64_t size);
int la_forward_reserve(struct la_device *dev, uint64_t size, uint64_t *addr);
int la_forward_unreserve(struct la_device *dev, uint64_t addr, uint64_t size);
int la_forward_map(struct la_device *dev, uint64_t addr, uint64_t size,
		   uint64_t granule);
int la_forward_unmap(struct la_device *dev, uint64_t addr, uint64_t size);
int la_forward_create(struct la_device *dev, uint64_t size, uint64_t *piece);
int la_forward_release(struct la_device *dev, uint64_t piece, uint64_t size);
int la_forward_attach(struct la_device *dev, uint64_t addr, uint64_t size,
		      uint64_t piece);
int la_forward_detach(struct la_device *dev, uint64_t addr, uint64_t size);
int la_forward_record(struct la_device *dev, uint64_t stream, uint64_t *event);
int la_forward_query(struct la_device *dev, uint64_t event);
int la_forward_order(struct la_device *dev, uint64_t stream, uint64_t event);
int la_forward_await(struct la_device *dev, uint64_t event);
int la_forward_drain(struct la_device *dev);
int la_forward_capturing(struct la_device *dev, uint64_t stream);

/* All that can fail. */
#define FORWARD_OPS                                                       \
	.alloc = la_forward_alloc, .free = la_forward_free,               \
	.reserve = la_forward_reserve, .unreserve = la_forward_unreserve, \
	.map = la_forward_map, .unmap = la_forward_unmap,                 \
	.create = la_forward_create, .release = la_forward_release,       \
	.attach = la_forward_attach, .detach = la_forward_detach,         \
	.record = la_forward_record, .query = la_forward_query,           \
	.order = la_forward_order, .await = la_forward_await,             \
	.drain = la_forward_drain, .capturing = la_forward_capturing

#endif /* LA_DEVICE_FORWARD_H */
