// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "torch/lazy.h"

struct lazy {
	struct la_device dev; /* first */
	struct la_device *_Atomic inner; /* owned; NULL: not used yet */
	unsigned int ordinal;
	pthread_mutex_t lock; /* of making inner */
};

static struct la_device *made(struct la_device *dev)
{
	struct lazy *lazy = (struct lazy *)dev;

	return atomic_load_explicit(&lazy->inner, memory_order_acquire);
}

static int make(struct lazy *lazy, struct la_device **inner)
{
	int status = 0;

	pthread_mutex_lock(&lazy->lock);
	*inner = made(&lazy->dev);
	if (!*inner)
		status = la_device_cuda(inner, lazy->ordinal, NULL, NULL);
	if (status == 0)
		atomic_store_explicit(&lazy->inner, *inner,
				      memory_order_release);
	pthread_mutex_unlock(&lazy->lock);
	return status;
}

static int use(struct la_device *dev, struct la_device **inner)
{
	*inner = made(dev);
	return *inner ? 0 : make((struct lazy *)dev, inner);
}

static int lazy_alloc(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->alloc(inner, size, addr);
}

static int lazy_free(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->free(inner, addr, size);
}

static int lazy_reserve(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->reserve(inner, size, addr);
}

static int lazy_unreserve(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->unreserve(inner, addr, size);
}

static int lazy_map(struct la_device *dev, uint64_t addr, uint64_t size,
		    uint64_t granule)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->map(inner, addr, size, granule);
}

static int lazy_unmap(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->unmap(inner, addr, size);
}

static int lazy_create(struct la_device *dev, uint64_t size, uint64_t *piece)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->create(inner, size, piece);
}

static int lazy_release(struct la_device *dev, uint64_t piece, uint64_t size)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->release(inner, piece, size);
}

static int lazy_attach(struct la_device *dev, uint64_t addr, uint64_t size,
		       uint64_t piece)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->attach(inner, addr, size, piece);
}

static int lazy_detach(struct la_device *dev, uint64_t addr, uint64_t size)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->detach(inner, addr, size);
}

static int lazy_record(struct la_device *dev, uint64_t stream, uint64_t *event)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->record(inner, stream, event);
}

static int lazy_query(struct la_device *dev, uint64_t event)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->query(inner, event);
}

static int lazy_order(struct la_device *dev, uint64_t stream, uint64_t event)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->order(inner, stream, event);
}

static int lazy_await(struct la_device *dev, uint64_t event)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->await(inner, event);
}

static void lazy_forget(struct la_device *dev, uint64_t event)
{
	struct la_device *inner = made(dev);

	if (inner)
		inner->ops->forget(inner, event);
}

static int lazy_capturing(struct la_device *dev, uint64_t stream)
{
	struct la_device *inner;
	int status = use(dev, &inner);

	return status ? status : inner->ops->capturing(inner, stream);
}

static void lazy_destroy(struct la_device *dev)
{
	struct lazy *lazy = (struct lazy *)dev;

	la_device_destroy(made(dev));
	pthread_mutex_destroy(&lazy->lock);
	free(lazy);
}

static const struct la_device_ops lazy_ops = {
	.alloc = lazy_alloc,
	.free = lazy_free,
	.reserve = lazy_reserve,
	.unreserve = lazy_unreserve,
	.map = lazy_map,
	.unmap = lazy_unmap,
	.create = lazy_create,
	.release = lazy_release,
	.attach = lazy_attach,
	.detach = lazy_detach,
	.record = lazy_record,
	.query = lazy_query,
	.order = lazy_order,
	.await = lazy_await,
	.forget = lazy_forget,
	.capturing = lazy_capturing,
	.destroy = lazy_destroy,
};

int la_lazy_new(struct la_device **out, unsigned int ordinal)
{
	struct lazy *lazy = calloc(1, sizeof(*lazy));

	if (!lazy)
		return -ENOMEM;
	lazy->dev.ops = &lazy_ops;
	lazy->ordinal = ordinal;
	pthread_mutex_init(&lazy->lock, NULL);
	*out = &lazy->dev;
	return 0;
}

uint64_t la_lazy_free_bytes(struct la_device *dev)
{
	struct la_device *inner = made(dev);
	uint64_t free_bytes, total;

	if (!inner || la_device_cuda_memory(inner, &free_bytes, &total) < 0)
		return UINT64_MAX;
	return free_bytes;
}

void la_lazy_message(struct la_device *dev, char *text, size_t size)
{
	struct la_device *inner = made(dev);

	*text = '\0';
	if (inner)
		la_device_cuda_message(inner, text, size);
}
