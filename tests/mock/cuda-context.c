/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, contexts, and what can be asked of them and of pools. */
#include <stdio.h>
#include <string.h>

#include "cuda-model.h"

enum {
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	INVALID_DEVICE = 101,
	INVALID_CONTEXT = 201
};

#define DO(name) \
	CUresult do_##name(const struct name##_params *p); \
	CUresult do_##name(const struct name##_params *p)

#define API(name, ...) \
	CUresult name(__VA_ARGS__); \
	MOCK_EXPORT CUresult name(__VA_ARGS__)

static uint64_t context_bytes(void)
{
	return mock_variable("MOCK_CUDA_CONTEXT", "256M");
}

static CUresult begin(struct mock_context *context, int device)
{
	if (!model_take(device, context_bytes()))
		return OUT_OF_MEMORY;
	context->device = device;
	context->live = true;
	model.pool[device].device = device;
	model.graph[device].device = device;
	model.graph[device].threshold = UINT64_MAX; /* until it is trimmed */
	return CUDA_SUCCESS;
}

static void end(struct mock_context *context)
{
	if (context->live)
		model_give(context->device, context_bytes());
	context->live = false;
}

DO(cuDevicePrimaryCtxRetain)
{
	struct mock_context *context = &model.primary[p->dev];
	CUresult result = CUDA_SUCCESS;

	if (p->dev >= model_devices())
		return INVALID_DEVICE;
	model_lock();
	if (!context->references)
		result = begin(context, p->dev);
	if (!result) {
		context->references++;
		*p->pctx = (CUcontext)context;
	}
	model_unlock();
	return result;
}

static CUresult release(int device)
{
	struct mock_context *context = &model.primary[device];
	CUresult result = INVALID_CONTEXT;

	model_lock();
	if (context->references) {
		result = CUDA_SUCCESS;
		if (!--context->references)
			end(context);
	}
	model_unlock();
	return result;
}

DO(cuDevicePrimaryCtxRelease)
{
	return release(p->dev);
}

DO(cuDevicePrimaryCtxRelease_v2)
{
	return release(p->dev);
}

DO(cuDevicePrimaryCtxReset_v2)
{
	model_lock();
	end(&model.primary[p->dev]);
	model.primary[p->dev].references = 0;
	model_unlock();
	return CUDA_SUCCESS;
}

static CUresult create(CUcontext *handle, int device)
{
	struct mock_context *context = calloc(1, sizeof(*context));
	CUresult result;

	if (!context)
		return OUT_OF_MEMORY;
	model_lock();
	result = begin(context, device);
	model_unlock();
	if (result) {
		free(context);
		return result;
	}
	*handle = (CUcontext)context;
	current = context;
	return CUDA_SUCCESS;
}

DO(cuCtxCreate)
{
	return create(p->pctx, p->dev);
}

DO(cuCtxCreate_v2)
{
	return create(p->pctx, p->dev);
}

DO(cuCtxCreate_v3)
{
	return create(p->pctx, p->dev);
}

DO(cuCtxCreate_v4)
{
	return create(p->pctx, p->dev);
}

DO(cuCtxDestroy_v2)
{
	struct mock_context *context = (struct mock_context *)p->ctx;

	if (current == context)
		current = NULL;
	model_lock();
	end(context);
	model_unlock();
	free(context);
	return CUDA_SUCCESS;
}

DO(cuGreenCtxCreate)
{
	return create((CUcontext *)p->phCtx, p->dev);
}

DO(cuGreenCtxDestroy)
{
	const struct cuCtxDestroy_v2_params params = { (CUcontext)p->hCtx };

	return do_cuCtxDestroy_v2(&params);
}

API(cuDriverGetVersion, int *version)
{
	*version = (int)mock_variable("MOCK_CUDA_DRIVER", "13000");
	return CUDA_SUCCESS;
}

API(cuDeviceGetCount, int *count)
{
	*count = model_devices();
	return CUDA_SUCCESS;
}

API(cuDeviceGet, CUdevice *device, int ordinal)
{
	CUresult result = model_due(__func__);

	if (result)
		return result;
	if (ordinal < 0 || ordinal >= model_devices())
		return INVALID_DEVICE;
	*device = ordinal;
	return CUDA_SUCCESS;
}

API(cuDeviceGetName, char *name, int length, CUdevice device)
{
	CUresult result = model_due(__func__);

	if (result)
		return result;
	snprintf(name, length, "Mock GPU %d", device);
	return CUDA_SUCCESS;
}

API(cuDeviceGetUuid_v2, void *uuid, CUdevice device)
{
	memcpy(uuid, "mock-device-uid", 15);
	((char *)uuid)[15] = (char)('0' + device);
	return CUDA_SUCCESS;
}

API(cuDeviceGetUuid, void *uuid, CUdevice device)
{
	return cuDeviceGetUuid_v2(uuid, device);
}

API(cuDeviceTotalMem_v2, size_t *bytes, CUdevice device)
{
	(void)device;
	*bytes = mock_variable("MOCK_CUDA_TOTAL", "16G");
	return CUDA_SUCCESS;
}

API(cuDeviceGetAttribute, int *value, int attribute, CUdevice device)
{
	CUresult result = model_due(__func__);

	if (result)
		return result;
	(void)attribute;
	(void)device;
	*value = 1;
	return CUDA_SUCCESS;
}

API(cuDeviceGetPCIBusId, char *id, int length, CUdevice device)
{
	snprintf(id, length, "0000:%02x:00.0", device + 1);
	return CUDA_SUCCESS;
}

API(cuDevicePrimaryCtxGetState, CUdevice device, unsigned int *flags,
    int *active)
{
	*flags = 0;
	*active = model.primary[device].live;
	return CUDA_SUCCESS;
}

API(cuCtxGetDevice, CUdevice *device)
{
	if (!current)
		return INVALID_CONTEXT;
	*device = current->device;
	return CUDA_SUCCESS;
}

API(cuCtxGetCurrent, CUcontext *context)
{
	CUresult result = model_due(__func__);

	if (result)
		return result;
	*context = (CUcontext)current;
	return CUDA_SUCCESS;
}

API(cuCtxSetCurrent, CUcontext context)
{
	current = (struct mock_context *)context;
	return CUDA_SUCCESS;
}

static __thread struct mock_context *pushed[16];
static __thread int depth;

API(cuCtxPushCurrent_v2, CUcontext context)
{
	CUresult result = model_due(__func__);

	if (result)
		return result;
	if (depth == 16)
		return INVALID_VALUE;
	pushed[depth++] = current;
	current = (struct mock_context *)context;
	return CUDA_SUCCESS;
}

API(cuCtxPopCurrent_v2, CUcontext *context)
{
	CUresult result = model_due(__func__);

	if (result)
		return result;
	if (!depth)
		return INVALID_CONTEXT;
	if (context)
		*context = (CUcontext)current;
	current = pushed[--depth];
	return CUDA_SUCCESS;
}

API(cuGetErrorName, CUresult error, const char **name)
{
	*name = error == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" :
					 "CUDA_ERROR_UNKNOWN";
	return CUDA_SUCCESS;
}

API(cuGetErrorString, CUresult error, const char **text)
{
	*text = error == OUT_OF_MEMORY ? "out of memory" : "unknown error";
	return CUDA_SUCCESS;
}

API(cuDeviceGetDefaultMemPool, CUmemoryPool *pool, CUdevice device)
{
	model.pool[device].device = device;
	*pool = (CUmemoryPool)&model.pool[device];
	return CUDA_SUCCESS;
}

API(cuDeviceGetMemPool, CUmemoryPool *pool, CUdevice device)
{
	return cuDeviceGetDefaultMemPool(pool, device);
}

API(cuMemPoolGetAttribute, CUmemoryPool handle, CUmemPool_attribute attribute,
    void *value)
{
	const struct pool *pool = (const struct pool *)handle;
	const uint64_t *values[] = {
		[4] = &pool->threshold,	   [5] = &pool->reserved,
		[6] = &pool->reserved_high, [7] = &pool->used,
		[8] = &pool->used_high,
	};

	if (attribute < 4 || attribute > 8)
		return INVALID_VALUE;
	model_lock();
	memcpy(value, values[attribute], sizeof(uint64_t));
	model_unlock();
	return CUDA_SUCCESS;
}

API(cuDeviceGetGraphMemAttribute, CUdevice device, unsigned int attribute,
    void *value)
{
	const struct pool *pool = &model.graph[device];
	const uint64_t *values[] = { &pool->used, &pool->used_high,
				     &pool->reserved, &pool->reserved_high };

	if (attribute > 3)
		return INVALID_VALUE;
	model_lock();
	memcpy(value, values[attribute], sizeof(uint64_t));
	model_unlock();
	return CUDA_SUCCESS;
}

API(cuMemGetAllocationGranularity, size_t *granularity,
    const CUmemAllocationProp *prop, unsigned int option)
{
	CUresult result = model_due(__func__);

	(void)prop;
	(void)option;
	*granularity = 2 << 20;
	return result;
}

API(cuPointerGetAttribute, void *data, unsigned int attribute, CUdeviceptr ptr)
{
	struct item *item;

	if (attribute != 9) /* ordinal of the device */
		return INVALID_VALUE;
	model_lock();
	item = model_find(ITEM_DEVICE, ptr);
	if (item)
		memcpy(data, &item->device, sizeof(int));
	model_unlock();
	return item ? CUDA_SUCCESS : INVALID_VALUE;
}

API(cuDeviceCanAccessPeer, int *can, CUdevice device, CUdevice peer)
{
	CUresult result = model_due(__func__);

	*can = device != peer && mock_variable("MOCK_CUDA_PEERS", "1");
	return result;
}
