// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "device/forward.h"
#include "torch/lazy.h"

struct lazy {
	struct forward forward; /* first member */
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
	*inner = made(&lazy->forward.device);
	if (!*inner)
		status = la_device_cuda(inner, lazy->ordinal, NULL, NULL);
	if (status == 0)
		atomic_store_explicit(&lazy->inner, *inner,
				      memory_order_release);
	pthread_mutex_unlock(&lazy->lock);
	return status;
}

static int lazy_begin(struct forward *forward, struct la_device **inner)
{
	*inner = made(&forward->device);
	return *inner ? 0 : make((struct lazy *)forward, inner);
}

static void lazy_forget(struct la_device *dev, uint64_t event)
{
	struct la_device *inner = made(dev);

	if (inner)
		inner->ops->forget(inner, event);
}

static void lazy_destroy(struct la_device *dev)
{
	struct lazy *lazy = (struct lazy *)dev;

	la_device_destroy(made(dev));
	pthread_mutex_destroy(&lazy->lock);
	free(lazy);
}

static const struct la_device_ops lazy_ops = {
	FORWARD_OPS,
	.forget = lazy_forget,
	.destroy = lazy_destroy,
};

int la_lazy_new(struct la_device **out, unsigned int ordinal)
{
	struct lazy *lazy = calloc(1, sizeof(*lazy));

	if (!lazy)
		return -ENOMEM;
	lazy->forward.device.ops = &lazy_ops;
	lazy->forward.begin = lazy_begin;
	lazy->ordinal = ordinal;
	pthread_mutex_init(&lazy->lock, NULL);
	*out = &lazy->forward.device;
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
