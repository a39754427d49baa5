/* SPDX-License-Identifier: Apache-2.0 */
/* What is in memory, and kernels. */
#include <string.h>

#include "cuda-model.h"

enum {
	INVALID_VALUE = 1,
	INVALID_CONTEXT = 201
};

#define API(name, ...) \
	CUresult name(__VA_ARGS__); \
	MOCK_EXPORT CUresult name(__VA_ARGS__)

/* With the lock: what holds the bytes at an address that the current device
 * reaches, or NULL. */
static struct item *holder;

static CUresult take_segment(struct item *item, const void *data)
{
	(void)data;
	if (item->device != current->device)
		return CUDA_SUCCESS;
	holder = item;
	return INVALID_VALUE; /* the search ends */
}

static CUresult take_mapping(struct item *item, const void *data)
{
	(void)data;
	if (!(item->access >> current->device & 1))
		return CUDA_SUCCESS;
	holder = model_find(ITEM_PHYSICAL, item->other);
	return INVALID_VALUE;
}

static struct item *holder_of(uint64_t addr)
{
	holder = NULL;
	model_visit(ITEM_DEVICE, addr, 1, take_segment, NULL);
	if (!holder)
		model_visit(ITEM_MAPPING, addr, 1, take_mapping, NULL);
	return holder;
}

/* A value for all that holds a part of it. */
API(cuMemsetD8_v2, CUdeviceptr addr, unsigned char value, size_t size)
{
	CUresult result = model_due(__func__);
	struct item *item;
	uint64_t at;

	if (result || !current)
		return result ? result : INVALID_CONTEXT;
	model_lock();
	for (at = addr; at < addr + size && !result; at += 2 << 20) {
		item = holder_of(at);
		if (item)
			item->value = value;
		else
			result = INVALID_VALUE;
	}
	model_unlock();
	return result;
}

API(cuMemcpyDtoH_v2, void *to, CUdeviceptr addr, size_t size)
{
	CUresult result = model_due(__func__);
	struct item *item;

	if (result || !current)
		return result ? result : INVALID_CONTEXT;
	model_lock();
	item = holder_of(addr);
	if (item)
		memset(to, item->value, size);
	model_unlock();
	return item ? CUDA_SUCCESS : INVALID_VALUE;
}

API(cuStreamCreate, CUstream *stream, unsigned int flags)
{
	CUresult result = model_due(__func__);

	(void)flags;
	model_lock();
	*stream = (CUstream)(uintptr_t)model_address(1);
	model_unlock();
	return result;
}

API(cuModuleGetFunction, void **function, CUmodule module, const char *name)
{
	CUresult result = model_due(__func__);

	(void)name;
	*function = module;
	return result;
}

API(cuLaunchKernel, void *function, unsigned int a, unsigned int b,
    unsigned int c, unsigned int d, unsigned int e, unsigned int f,
    unsigned int shared, CUstream stream, void **parameters, void **extra)
{
	CUresult result = model_due(__func__);

	(void)function, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
	(void)shared, (void)stream, (void)parameters, (void)extra;
	model.broken = true;
	return result;
}
