/* SPDX-License-Identifier: Apache-2.0 */
/* libcudart.so.13, over the libcuda.so.1 here. */
#include "mock.h"

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuMemAlloc_v2(CUdeviceptr *addr, size_t size);
CUresult cuMemFree_v2(CUdeviceptr addr);
CUresult cuInit(unsigned int flags);

#define API(name, ...) \
	int name(__VA_ARGS__); \
	MOCK_EXPORT int name(__VA_ARGS__)

static uint64_t last; /* bytes of the last allocation */

API(cudaSetDevice, int device)
{
	CUcontext context;
	CUresult result = cuInit(0);

	if (!result)
		result = cuDevicePrimaryCtxRetain(&context, device);
	return result ? result : cuCtxSetCurrent(context);
}

API(cudaRuntimeGetVersion, int *version)
{
	*version = 13000;
	return 0;
}

API(cudaMalloc, void **at, size_t size)
{
	CUdeviceptr addr = 0;
	CUresult result = cuMemAlloc_v2(&addr, size);

	MOCK_SPEND(__func__, size);
	last = size;
	*at = (void *)(uintptr_t)addr;
	return result;
}

API(cudaFree, void *at)
{
	MOCK_SPEND(__func__, last);
	return cuMemFree_v2((uintptr_t)at);
}

const char *cudaGetErrorString(int error);
MOCK_EXPORT const char *cudaGetErrorString(int error)
{
	return error == 2 ? "out of memory" : "some error";
}
