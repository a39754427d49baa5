// SPDX-License-Identifier: Apache-2.0
/*
 * A CUDA runtime and driver without a GPU, to be preloaded: memory comes from
 * a simulated device of ours (LAYOUT, CARD, TOTAL in the environment), and
 * what is asked of it is printed.  Nothing touches the memory.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/device.h>

enum { SUCCESS = 0, OUT_OF_MEMORY = 2, TOTAL_AT = 288 };

int cuMemSetAccess(void);

static int last_error;

static uint64_t number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : UINT64_MAX;
}

static struct la_device *device(void)
{
	static struct la_device *sim;

	if (!sim && la_device_sim(&sim, (enum la_layout)number("LAYOUT"),
				  number("CARD"), 0))
		abort();
	return sim;
}

static struct la_segment {
	uint64_t addr, size;
} segment[1 << 16];
static int segments;

int cudaMalloc(void **out, size_t size)
{
	uint64_t addr;

	if (device()->ops->alloc(device(), size, &addr))
		return last_error = OUT_OF_MEMORY;
	segment[segments++] = (struct la_segment){ addr, size };
	printf("segment_alloc %" PRIx64 " %zu\n", addr, size);
	*out = (void *)addr;
	return SUCCESS;
}

int cudaFree(void *at)
{
	int i = 0;

	while (i < segments && segment[i].addr != (uint64_t)at)
		i++;
	if (i == segments) {
		printf("bad_free %" PRIx64 "\n", (uint64_t)at);
		return SUCCESS;
	}
	device()->ops->free(device(), segment[i].addr, segment[i].size);
	printf("segment_free %" PRIx64 " %" PRIu64 "\n", segment[i].addr,
	       segment[i].size);
	segment[i] = segment[--segments];
	return SUCCESS;
}

int cudaMemGetInfo(size_t *free, size_t *total)
{
	*free = *total = number("TOTAL");
	return SUCCESS;
}

int cudaGetDeviceProperties_v2(void *properties, int id)
{
	uint64_t total = number("TOTAL");

	(void)id;
	memset(properties, 0, TOTAL_AT);
	memcpy((char *)properties + TOTAL_AT, &total, sizeof(total));
	return SUCCESS;
}

int cudaGetDeviceProperties(void *properties, int id)
{
	return cudaGetDeviceProperties_v2(properties, id);
}

int cudaGetLastError(void)
{
	int error = last_error;

	last_error = SUCCESS;
	return error;
}

const char *cudaGetErrorString(int error)
{
	return error == OUT_OF_MEMORY ? "out of memory" : "error";
}

const char *cudaGetErrorName(int error)
{
	return cudaGetErrorString(error);
}

int cudaGetDevice(int *id)
{
	*id = 0;
	return SUCCESS;
}

int cudaGetDeviceCount(int *count)
{
	*count = 1;
	return SUCCESS;
}

int cudaStreamIsCapturing(void *stream, int *status)
{
	(void)stream;
	*status = 0;
	return SUCCESS;
}

int cudaStreamGetCaptureInfo_v2(void *stream, int *status)
{
	return cudaStreamIsCapturing(stream, status);
}

int cudaStreamGetCaptureInfo(void *stream, int *status)
{
	return cudaStreamIsCapturing(stream, status);
}

int cudaDriverGetVersion(int *version)
{
	*version = 13000;
	return SUCCESS;
}

int cudaGetDriverEntryPoint(const char *symbol, void **at)
{
	*at = dlsym(RTLD_DEFAULT, symbol);
	if (!*at)
		*at = (void *)cuMemSetAccess;
	return SUCCESS;
}

int cudaGetDriverEntryPointByVersion(const char *symbol, void **at,
				     unsigned int version,
				     unsigned long long flags, int *status)
{
	(void)version;
	(void)flags;
	if (status)
		*status = 0;
	return cudaGetDriverEntryPoint(symbol, at);
}

int cuMemAddressReserve(uint64_t *out, size_t size, size_t alignment,
			uint64_t wish, unsigned long long flags)
{
	(void)alignment;
	(void)wish;
	(void)flags;
	return device()->ops->reserve(device(), size, out) ? OUT_OF_MEMORY :
							     SUCCESS;
}

int cuMemAddressFree(uint64_t addr, size_t size)
{
	device()->ops->unreserve(device(), addr, size);
	return SUCCESS;
}

/* A handle is the number of bytes. */
int cuMemCreate(uint64_t *handle, size_t size)
{
	if (device()->ops->map(device(), 0, size, size))
		return OUT_OF_MEMORY;
	*handle = size;
	return SUCCESS;
}

int cuMemRelease(uint64_t handle)
{
	device()->ops->unmap(device(), 0, handle);
	return SUCCESS;
}

int cuMemMap(uint64_t addr, size_t size)
{
	printf("segment_map %" PRIx64 " %zu\n", addr, size);
	return SUCCESS;
}

int cuMemUnmap(uint64_t addr, size_t size)
{
	printf("segment_unmap %" PRIx64 " %zu\n", addr, size);
	return SUCCESS;
}

int cuMemSetAccess(void)
{
	return SUCCESS;
}

int cuDeviceGetAttribute(int *value)
{
	*value = 0;
	return SUCCESS;
}

int cuDeviceGet(int *id)
{
	*id = 0;
	return SUCCESS;
}

int cuMemGetAllocationGranularity(size_t *size)
{
	*size = 2 << 20;
	return SUCCESS;
}

int cuGetErrorString(int error, const char **text)
{
	*text = cudaGetErrorString(error);
	return SUCCESS;
}
