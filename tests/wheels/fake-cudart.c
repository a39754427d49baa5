// SPDX-License-Identifier: Apache-2.0
/*
 * A CUDA runtime for the whole of torch, without a GPU: GPUS devices (none
 * where the variable is not set) that do nothing.  What is not here, the
 * libraries of CUDA included, says yes; see stub_cuda in wheels.sh.  No memory
 * comes from it: that is the business of the allocator under test.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, NO_DEVICE = 100, TOTAL_AT = 288, VERSION = 13000 };

static const uint64_t total = UINT64_C(80) << 30;

int cudaGetDeviceCount(int *count)
{
	const char *gpus = getenv("GPUS");

	*count = gpus ? atoi(gpus) : 0;
	return *count ? SUCCESS : NO_DEVICE;
}

int cudaGetDevice(int *id)
{
	*id = 0;
	return SUCCESS;
}

/* The name comes first, and nothing of what torch asks is behind TOTAL_AT. */
int cudaGetDeviceProperties(void *properties, int id)
{
	(void)id;
	memset(properties, 0, TOTAL_AT + 8);
	strcpy(properties, "Fake GPU");
	memcpy((char *)properties + TOTAL_AT, &total, sizeof(total));
	return SUCCESS;
}

int cudaGetDeviceProperties_v2(void *properties, int id)
{
	return cudaGetDeviceProperties(properties, id);
}

int cudaMemGetInfo(size_t *free, size_t *all)
{
	*free = *all = total;
	return SUCCESS;
}

int cudaDriverGetVersion(int *version)
{
	*version = VERSION;
	return SUCCESS;
}

int cudaRuntimeGetVersion(int *version)
{
	*version = VERSION;
	return SUCCESS;
}

int cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	*least = *greatest = 0;
	return SUCCESS;
}

int cudaStreamCreateWithPriority(void **stream, unsigned int flags,
				 int priority)
{
	(void)flags;
	(void)priority;
	*stream = malloc(1);
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

int cudaDeviceCanAccessPeer(int *can, int id, int peer)
{
	(void)id;
	(void)peer;
	*can = 0;
	return SUCCESS;
}

const char *cudaGetErrorString(int error)
{
	return error ? "an error" : "no error";
}

const char *cudaGetErrorName(int error)
{
	return cudaGetErrorString(error);
}
