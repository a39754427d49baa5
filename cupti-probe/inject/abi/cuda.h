/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of the CUDA driver API, as far as the probe looks into them: what it
 * needs to read parameters and to ask for memory.  Proven against cuda.h of
 * the toolkits by tests/toolkit.
 */
#ifndef PROBE_ABI_CUDA_H
#define PROBE_ABI_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned int CUdeviceptr_v1;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;

/* Enumerations of the API. */
typedef unsigned int CUlimit;
typedef unsigned int CUjit_option;
typedef unsigned int CUlibraryOption;
typedef unsigned int CUmemPool_attribute;
typedef unsigned int CUstreamCaptureMode;
typedef unsigned int CUmemAllocationType;
typedef unsigned int CUmemAllocationHandleType;

/* Handles. */
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUlib_st *CUlibrary;
typedef struct CUstream_st *CUstream;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUextMemory_st *CUexternalMemory;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;

/* Passed through only. */
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUctxCreateParams_st CUctxCreateParams;
typedef struct CUgraphEdgeData_st CUgraphEdgeData;
typedef struct CUarrayMapInfo_st CUarrayMapInfo;
typedef struct CUmulticastObjectProp_st CUmulticastObjectProp;
typedef struct CUmemPoolPtrExportData_st CUmemPoolPtrExportData;
typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS_st CUDA_GRAPH_INSTANTIATE_PARAMS;
typedef struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC_st
	CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC_st
	CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;

typedef struct {
	unsigned char bytes[64];
} CUipcMemHandle;

typedef struct {
	unsigned int type; /* 1: device */
	int id; /* ordinal */
} CUmemLocation;

typedef struct {
	unsigned int type;
	unsigned int requested_handle_types;
	CUmemLocation location;
	void *windows;
	unsigned char flags[8];
} CUmemAllocationProp;

typedef struct {
	CUmemLocation location;
	unsigned int flags;
} CUmemAccessDesc;

typedef struct {
	CUmemAllocationType type;
	CUmemAllocationHandleType handle_types;
	CUmemLocation location;
	void *windows;
	size_t max_size; /* bytes; 0: the driver's choice */
	unsigned char rest[56];
} CUmemPoolProps;

typedef struct {
	CUmemPoolProps pool;
	const CUmemAccessDesc *access;
	size_t access_count;
	size_t size; /* bytes */
	CUdeviceptr addr; /* out */
} CUDA_MEM_ALLOC_NODE_PARAMS;

typedef struct {
	unsigned int type;
	int reserved[3];
	union {
		CUDA_MEM_ALLOC_NODE_PARAMS alloc;
		CUdeviceptr free;
		long long space[29];
	};
	long long rest;
} CUgraphNodeParams;

typedef struct {
	unsigned int width, height; /* elements */
	unsigned int format;
	unsigned int channels;
} CUDA_ARRAY_DESCRIPTOR_v1;

typedef struct {
	size_t width, height; /* elements */
	unsigned int format;
	unsigned int channels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct {
	unsigned int width, height, depth; /* elements */
	unsigned int format;
	unsigned int channels;
	unsigned int flags;
} CUDA_ARRAY3D_DESCRIPTOR_v1;

typedef struct {
	size_t width, height, depth; /* elements */
	unsigned int format;
	unsigned int channels;
	unsigned int flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef struct {
	unsigned long long offset;
	unsigned long long size; /* bytes */
	unsigned int flags;
	unsigned int reserved[16];
} CUDA_EXTERNAL_MEMORY_BUFFER_DESC;

enum {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_OUT_OF_MEMORY = 2,
	CU_GRAPH_NODE_TYPE_MEM_ALLOC = 10,
	CU_GRAPH_NODE_TYPE_MEM_FREE = 11
};

#endif /* PROBE_ABI_CUDA_H */
