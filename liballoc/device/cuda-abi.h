/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA driver API, as far as the device uses it.  Proven against cuda.h of
 * the toolkits by tests/toolkit.
 */
#ifndef LA_DEVICE_CUDA_ABI_H
#define LA_DEVICE_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef int la_cu_result;
typedef int la_cu_device;
typedef unsigned long long la_cu_addr;
typedef unsigned long long la_cu_piece; /* CUmemGenericAllocationHandle */
typedef struct CUctx_st *la_cu_context;
typedef struct CUstream_st *la_cu_stream;
typedef struct CUevent_st *la_cu_event;

struct la_cu_location {
	unsigned int type; /* LA_CU_LOCATION_DEVICE */
	int id; /* ordinal */
};

struct la_cu_piece_kind { /* CUmemAllocationProp */
	unsigned int type; /* LA_CU_PINNED */
	unsigned int export_types;
	struct la_cu_location location;
	void *windows;
	struct {
		unsigned char compression;
		unsigned char rdma; /* reachable by network cards */
		unsigned short usage;
		unsigned char reserved[4];
	} flags;
};

struct la_cu_access { /* CUmemAccessDesc */
	struct la_cu_location location;
	unsigned int flags;
};

enum {
	LA_CU_SUCCESS = 0,
	LA_CU_INVALID_VALUE = 1,
	LA_CU_OUT_OF_MEMORY = 2,
	LA_CU_NOT_INITIALIZED = 3,
	LA_CU_DEINITIALIZED = 4,
	LA_CU_NO_DEVICE = 100,
	LA_CU_INVALID_DEVICE = 101,
	LA_CU_PEER_ACCESS_UNSUPPORTED = 217,
	LA_CU_NOT_READY = 600,
	LA_CU_CONTEXT_IS_DESTROYED = 709,
	LA_CU_NOT_PERMITTED = 800,
	LA_CU_NOT_SUPPORTED = 801,
	LA_CU_CAPTURE_FIRST = 900, /* of those about captures */
	LA_CU_CAPTURE_IMPLICIT = 906,
	LA_CU_CAPTURE_LAST = 908,

	/* After these the process gets nothing else any more. */
	LA_CU_ECC_UNCORRECTABLE = 214,
	LA_CU_NVLINK_UNCORRECTABLE = 220,
	LA_CU_CONTAINED = 226,
	LA_CU_ILLEGAL_ADDRESS = 700,
	LA_CU_LAUNCH_TIMEOUT = 702,
	LA_CU_ASSERT = 710,
	LA_CU_HARDWARE_STACK_ERROR = 714,
	LA_CU_ILLEGAL_INSTRUCTION = 715,
	LA_CU_MISALIGNED_ADDRESS = 716,
	LA_CU_INVALID_ADDRESS_SPACE = 717,
	LA_CU_INVALID_PC = 718,
	LA_CU_LAUNCH_FAILED = 719,
	LA_CU_TENSOR_MEMORY_LEAK = 721,
	LA_CU_MPS_CLIENT_TERMINATED = 810,
	LA_CU_EXTERNAL_DEVICE = 911,

	LA_CU_LOCATION_DEVICE = 1,
	LA_CU_PINNED = 1,
	LA_CU_FILE_DESCRIPTOR = 1, /* export type */
	LA_CU_READ_WRITE = 3,
	LA_CU_GRANULARITY_MINIMUM = 0,
	LA_CU_ATTRIBUTE_RDMA = 110,
	LA_CU_DISABLE_TIMING = 2,
	LA_CU_MODE_RELAXED = 2,
	LA_CU_LEGACY_STREAM = 1
};

/* The driver from which on all of these are there, CUDA 11.3. */
#define LA_CU_SINCE 11030

/* X(member, name, parameters) */
#define LA_CU_CALLS(X)                                                         \
	X(init, cuInit, (unsigned int))                                        \
	X(error_name, cuGetErrorName, (la_cu_result, const char **))           \
	X(error_text, cuGetErrorString, (la_cu_result, const char **))         \
	X(device_count, cuDeviceGetCount, (int *))                             \
	X(device, cuDeviceGet, (la_cu_device *, int))                          \
	X(device_name, cuDeviceGetName, (char *, int, la_cu_device))           \
	X(device_total, cuDeviceTotalMem, (size_t *, la_cu_device))            \
	X(attribute, cuDeviceGetAttribute, (int *, int, la_cu_device))         \
	X(can_access, cuDeviceCanAccessPeer,                                   \
	  (int *, la_cu_device, la_cu_device))                                 \
	X(retain, cuDevicePrimaryCtxRetain, (la_cu_context *, la_cu_device))   \
	X(let_go, cuDevicePrimaryCtxRelease, (la_cu_device))                   \
	X(current, cuCtxGetCurrent, (la_cu_context *))                         \
	X(push, cuCtxPushCurrent, (la_cu_context))                             \
	X(pop, cuCtxPopCurrent, (la_cu_context *))                             \
	X(exchange_mode, cuThreadExchangeStreamCaptureMode, (unsigned int *))  \
	X(memory, cuMemGetInfo, (size_t *, size_t *))                          \
	X(alloc, cuMemAlloc, (la_cu_addr *, size_t))                           \
	X(free, cuMemFree, (la_cu_addr))                                       \
	X(granularity, cuMemGetAllocationGranularity,                          \
	  (size_t *, const struct la_cu_piece_kind *, unsigned int))           \
	X(reserve, cuMemAddressReserve,                                        \
	  (la_cu_addr *, size_t, size_t, la_cu_addr, unsigned long long))      \
	X(unreserve, cuMemAddressFree, (la_cu_addr, size_t))                   \
	X(create, cuMemCreate,                                                 \
	  (la_cu_piece *, size_t, const struct la_cu_piece_kind *,             \
	   unsigned long long))                                                \
	X(release, cuMemRelease, (la_cu_piece))                                \
	X(map, cuMemMap,                                                       \
	  (la_cu_addr, size_t, size_t, la_cu_piece, unsigned long long))       \
	X(unmap, cuMemUnmap, (la_cu_addr, size_t))                             \
	X(set_access, cuMemSetAccess,                                          \
	  (la_cu_addr, size_t, const struct la_cu_access *, size_t))           \
	X(event_new, cuEventCreate, (la_cu_event *, unsigned int))             \
	X(event_free, cuEventDestroy, (la_cu_event))                           \
	X(event_record, cuEventRecord, (la_cu_event, la_cu_stream))            \
	X(event_query, cuEventQuery, (la_cu_event))                            \
	X(event_await, cuEventSynchronize, (la_cu_event))                      \
	X(drain, cuCtxSynchronize, (void))                                     \
	X(order, cuStreamWaitEvent, (la_cu_stream, la_cu_event, unsigned int)) \
	X(capturing, cuStreamIsCapturing, (la_cu_stream, unsigned int *))

#endif /* LA_DEVICE_CUDA_ABI_H */
