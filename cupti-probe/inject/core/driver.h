/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the probe itself asks of the driver, from inside of hooks.  Nothing here
 * makes a context, waits for a device or disturbs a stream capture; each
 * function that asks says whether it got an answer.
 */
#ifndef PROBE_DRIVER_H
#define PROBE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/cuda.h"

enum {
	CAPTURE_MODE_RELAXED = 2,
	CAPTURE_STATUS_NONE = 0,
	CAPTURE_STATUS_ACTIVE = 1,
	POOL_RESERVED_CURRENT = 5,
	POOL_USED_CURRENT = 7,
	GRAPH_USED_CURRENT = 0,
	GRAPH_RESERVED_CURRENT = 2
};

/* X(member, symbol, parameters); what a driver lacks stays NULL. */
#define DRIVER_SYMBOLS(X) \
	X(memory, "cuMemGetInfo_v2", (size_t *free, size_t *total)) \
	X(context, "cuCtxGetCurrent", (CUcontext *context)) \
	X(device, "cuCtxGetDevice", (CUdevice *device)) \
	X(push, "cuCtxPushCurrent_v2", (CUcontext context)) \
	X(pop, "cuCtxPopCurrent_v2", (CUcontext *context)) \
	X(primary, "cuDevicePrimaryCtxGetState", \
	  (CUdevice device, unsigned int *flags, int *active)) \
	X(count, "cuDeviceGetCount", (int *count)) \
	X(name, "cuDeviceGetName", (char *name, int size, CUdevice device)) \
	X(uuid, "cuDeviceGetUuid_v2", (void *uuid, CUdevice device)) \
	X(uuid_v1, "cuDeviceGetUuid", (void *uuid, CUdevice device)) \
	X(total, "cuDeviceTotalMem_v2", (size_t *bytes, CUdevice device)) \
	X(version, "cuDriverGetVersion", (int *version)) \
	X(range, "cuMemGetAddressRange_v2", \
	  (CUdeviceptr *base, size_t *size, CUdeviceptr addr)) \
	X(pool_default, "cuDeviceGetDefaultMemPool", \
	  (CUmemoryPool *pool, CUdevice device)) \
	X(pool_current, "cuDeviceGetMemPool", \
	  (CUmemoryPool *pool, CUdevice device)) \
	X(pool_attribute, "cuMemPoolGetAttribute", \
	  (CUmemoryPool pool, unsigned int attribute, void *value)) \
	X(graph_attribute, "cuDeviceGetGraphMemAttribute", \
	  (CUdevice device, unsigned int attribute, void *value)) \
	X(exchange, "cuThreadExchangeStreamCaptureMode", (unsigned int *mode)) \
	X(capturing, "cuStreamIsCapturing", \
	  (CUstream stream, unsigned int *status)) \
	X(capturing_ptsz, "cuStreamIsCapturing_ptsz", \
	  (CUstream stream, unsigned int *status))

/* The driver's functions.  Filled once, by driver_open(); ready is stored
 * last. */
struct driver {
#define X(member, symbol, parameters) CUresult(*member) parameters;
	DRIVER_SYMBOLS(X)
#undef X
	bool ready;
};

extern struct driver driver;

/* Look for the driver among what is loaded; loads nothing. */
void driver_open(void);

/* Write what the devices are to the file, once the driver can be asked. */
void driver_describe(void);

/* Of this thread: its context, or NULL, and the ordinal of its device. */
bool driver_here(CUcontext *context, unsigned int *device);

/* Bytes of the current context's device, or of another context's. */
bool driver_memory(uint64_t *free, uint64_t *total);
bool driver_memory_of(CUcontext context, uint64_t *free, uint64_t *total);

/*
 * Sums over the device's default pool, which nobody can destroy, and over
 * one that this thread is using, unless that is NULL.
 */
CUmemoryPool driver_pool(unsigned int device); /* current one, or NULL */
bool driver_pools(unsigned int device, CUmemoryPool more, uint64_t *reserved,
		  uint64_t *used);
bool driver_graphs(unsigned int device, uint64_t *reserved, uint64_t *used);

bool driver_primary_is_active(CUdevice device);
uint64_t driver_size(CUdeviceptr addr); /* 0: unknown */

/* Captures that are open in the process, as their calls tell. */
void driver_capture(int change);
bool driver_captures(void);
/* Is this stream being captured?  ptsz: 0 is the thread's own stream. */
bool driver_is_captured(CUstream stream, bool ptsz);

#endif /* PROBE_DRIVER_H */
