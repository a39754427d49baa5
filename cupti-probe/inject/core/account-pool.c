// SPDX-License-Identifier: Apache-2.0
/*
 * The driver's own pools, and allocations in the order of a stream.  While
 * its stream is captured such a call makes a node of a graph and allocates
 * nothing.
 */

#include "core/account.h"
#include "core/driver.h"
#include "core/sample.h"

static const enum la_probe_kind freed[] = {
	LA_PROBE_KIND_ASYNC,
	LA_PROBE_KIND_DEVICE,
	LA_PROBE_KIND_GRAPH,
	LA_PROBE_KIND_FOREIGN,
};

static bool is_ptsz(enum probe_entry entry)
{
	return entry == PROBE_cuMemAllocAsync_ptsz ||
	       entry == PROBE_cuMemFreeAsync_ptsz ||
	       entry == PROBE_cuMemAllocFromPoolAsync_ptsz;
}

static void alloc_enter(struct frame *frame)
{
	const struct cuMemAllocAsync_params *p = frame->params;

	frame->fresh = driver_is_captured(p->hStream, is_ptsz(frame->entry));
}

static void from_pool_enter(struct frame *frame)
{
	const struct cuMemAllocFromPoolAsync_params *p = frame->params;

	frame->fresh = driver_is_captured(p->hStream, is_ptsz(frame->entry));
}

static void gain(struct call *call, CUdeviceptr *addr, uint64_t size,
		 CUmemoryPool pool, CUstream stream)
{
	bool captured = call->frame->fresh;

	if (captured)
		call->record->op = LA_PROBE_OP_GRAPH_ALLOC;
	else
		sample_uses_pools();
	call->record->stream = (uintptr_t)stream;
	call->record->other = (uintptr_t)pool;
	account_gain(call, captured ? LA_PROBE_KIND_GRAPH : LA_PROBE_KIND_ASYNC,
		     account_succeeded(call) ? *addr : 0, size,
		     (uintptr_t)pool);
}

static void alloc(struct call *call)
{
	const struct cuMemAllocAsync_params *p = call->params;

	gain(call, p->dptr, p->bytesize, NULL, p->hStream);
}

static void from_pool(struct call *call)
{
	const struct cuMemAllocFromPoolAsync_params *p = call->params;

	gain(call, p->dptr, p->bytesize, p->pool, p->hStream);
}

static void free_enter(struct frame *frame)
{
	const struct cuMemFreeAsync_params *p = frame->params;

	frame->fresh = driver_is_captured(p->hStream, is_ptsz(frame->entry));
	if (frame->fresh)
		account_take(frame, p->dptr,
			     &(const enum la_probe_kind){ LA_PROBE_KIND_GRAPH },
			     1);
	else
		account_take(frame, p->dptr, freed,
			     sizeof(freed) / sizeof(*freed));
}

static void free_exit(struct call *call)
{
	const struct cuMemFreeAsync_params *p = call->params;

	if (call->frame->fresh)
		call->record->op = LA_PROBE_OP_GRAPH_FREE;
	call->record->stream = (uintptr_t)p->hStream;
	account_taken(call, p->dptr);
}

static void pool_create(struct call *call)
{
	const struct cuMemPoolCreate_params *p = call->params;
	const CUmemPoolProps *props = p->poolProps;

	if (!account_succeeded(call))
		return;
	call->record->addr = (uintptr_t)*p->pool;
	if (props->location.type == LOCATION_DEVICE)
		call->record->device = (uint8_t)props->location.id;
}

static void pool_destroy(struct call *call)
{
	const struct cuMemPoolDestroy_params *p = call->params;

	call->record->addr = (uintptr_t)p->pool;
}

static void pool_trim(struct call *call)
{
	const struct cuMemPoolTrimTo_params *p = call->params;

	call->record->addr = (uintptr_t)p->pool;
	call->record->size = p->minBytesToKeep;
}

static void pool_set(struct call *call)
{
	const struct cuMemPoolSetAttribute_params *p = call->params;

	call->record->addr = (uintptr_t)p->pool;
	call->record->other = p->attr;
}

static void pool_access(struct call *call)
{
	const struct cuMemPoolSetAccess_params *p = call->params;

	call->record->addr = (uintptr_t)p->pool;
}

static void pool_of_device(struct call *call)
{
	const struct cuDeviceSetMemPool_params *p = call->params;

	call->record->addr = (uintptr_t)p->pool;
	call->record->device = (uint8_t)p->dev;
}

static void pool_of_location(struct call *call)
{
	const struct cuMemSetMemPool_params *p = call->params;

	call->record->addr = (uintptr_t)p->pool;
}

static void pool_export(struct call *call)
{
	const struct cuMemPoolExportToShareableHandle_params *p = call->params;

	call->record->addr = (uintptr_t)p->pool;
}

static void pool_import(struct call *call)
{
	const struct cuMemPoolImportFromShareableHandle_params *p =
		call->params;

	if (account_succeeded(call))
		call->record->addr = (uintptr_t)*p->pool_out;
}

static void pointer_export(struct call *call)
{
	const struct cuMemPoolExportPointer_params *p = call->params;

	call->record->addr = p->ptr;
}

/* Another process's memory, of a size that nobody tells. */
static void pointer_import(struct call *call)
{
	const struct cuMemPoolImportPointer_params *p = call->params;
	uint64_t addr = account_succeeded(call) ? *p->ptr_out : 0;

	account_gain(call, LA_PROBE_KIND_FOREIGN, addr,
		     addr ? driver_size(addr) : 0, 0);
	call->record->other = (uintptr_t)p->pool;
}

const struct call_row calls_pool[] = {
	{ PROBE_cuMemAllocAsync, LA_PROBE_OP_ASYNC_ALLOC, alloc_enter, alloc },
	{ PROBE_cuMemAllocAsync_ptsz, LA_PROBE_OP_ASYNC_ALLOC, alloc_enter,
	  alloc },
	{ PROBE_cuMemFreeAsync, LA_PROBE_OP_ASYNC_FREE, free_enter, free_exit },
	{ PROBE_cuMemFreeAsync_ptsz, LA_PROBE_OP_ASYNC_FREE, free_enter,
	  free_exit },
	{ PROBE_cuMemAllocFromPoolAsync, LA_PROBE_OP_ASYNC_ALLOC,
	  from_pool_enter, from_pool },
	{ PROBE_cuMemAllocFromPoolAsync_ptsz, LA_PROBE_OP_ASYNC_ALLOC,
	  from_pool_enter, from_pool },
	{ PROBE_cuMemPoolCreate, LA_PROBE_OP_POOL_CREATE, NULL, pool_create },
	{ PROBE_cuMemPoolDestroy, LA_PROBE_OP_POOL_DESTROY, NULL,
	  pool_destroy },
	{ PROBE_cuMemPoolTrimTo, LA_PROBE_OP_POOL_TRIM, NULL, pool_trim },
	{ PROBE_cuMemPoolSetAttribute, LA_PROBE_OP_POOL_SET, NULL, pool_set },
	{ PROBE_cuMemPoolSetAccess, LA_PROBE_OP_OTHER, NULL, pool_access },
	{ PROBE_cuDeviceSetMemPool, LA_PROBE_OP_OTHER, NULL, pool_of_device },
	{ PROBE_cuMemSetMemPool, LA_PROBE_OP_OTHER, NULL, pool_of_location },
	{ PROBE_cuMemPoolExportToShareableHandle, LA_PROBE_OP_OTHER, NULL,
	  pool_export },
	{ PROBE_cuMemPoolImportFromShareableHandle, LA_PROBE_OP_OTHER, NULL,
	  pool_import },
	{ PROBE_cuMemPoolExportPointer, LA_PROBE_OP_OTHER, NULL,
	  pointer_export },
	{ PROBE_cuMemPoolImportPointer, LA_PROBE_OP_IPC_OPEN, NULL,
	  pointer_import },
	CALLS_END
};
