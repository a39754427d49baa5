/* SPDX-License-Identifier: Apache-2.0 */
/* What the entry points of calls.txt do to the mock's memory. */
#include <string.h>

#include "cuda-model.h"

enum {
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	INVALID_CONTEXT = 201,
	NOT_SUPPORTED = 801,
	CAPTURE_UNSUPPORTED = 900,
	MIB = 1 << 20,
	PAGE = 2 * MIB
};

#define DO(name) \
	CUresult do_##name(const struct name##_params *p); \
	CUresult do_##name(const struct name##_params *p)

static uint64_t whole_pages(uint64_t size)
{
	return size < MIB ? (size + 511) & -512ull :
			    (size + PAGE - 1) & -(uint64_t)PAGE;
}

/* Memory of the current device for an item at a new address. */
static CUresult allocate(enum item_kind kind, uint64_t size, uint64_t *addr)
{
	CUresult result = OUT_OF_MEMORY;
	uint64_t taken = whole_pages(size);

	if (!current)
		return INVALID_CONTEXT;
	if (!size)
		return INVALID_VALUE;
	model_lock();
	if (model_take(current->device, taken)) {
		*addr = model_address(size);
		model_add(kind, current->device, *addr, size, taken);
		result = CUDA_SUCCESS;
	}
	model_unlock();
	return result;
}

static CUresult drop(enum item_kind kind, uint64_t addr)
{
	struct item *item;

	model_lock();
	item = model_find(kind, addr);
	if (item)
		model_drop(item);
	model_unlock();
	return item ? CUDA_SUCCESS : INVALID_VALUE;
}

/* A handle that takes none of the device. */
static CUresult thing(enum item_kind kind, void *handle)
{
	uint64_t addr;

	model_lock();
	addr = model_address(1);
	model_add(kind, 0, addr, 0, 0);
	model_unlock();
	memcpy(handle, &addr, sizeof(addr));
	return CUDA_SUCCESS;
}

DO(cuMemAlloc_v2)
{
	uint64_t addr;
	CUresult result;

	if (model_is_unsafe())
		return CAPTURE_UNSUPPORTED;
	result = allocate(ITEM_DEVICE, p->bytesize, &addr);
	if (!result)
		*p->dptr = addr;
	return result;
}

DO(cuMemAllocPitch_v2)
{
	uint64_t pitch = (p->WidthInBytes + 511) & -512ull, addr;
	CUresult result = allocate(ITEM_DEVICE, pitch * p->Height, &addr);

	if (!result) {
		*p->dptr = addr;
		*p->pPitch = pitch;
	}
	return result;
}

DO(cuMemFree_v2)
{
	if (model_is_unsafe())
		return CAPTURE_UNSUPPORTED;
	if (!p->dptr || !drop(ITEM_DEVICE, p->dptr) ||
	    !drop(ITEM_ASYNC, p->dptr))
		return CUDA_SUCCESS;
	return drop(ITEM_MANAGED, p->dptr);
}

DO(cuMemAllocManaged)
{
	if (!current)
		return INVALID_CONTEXT;
	model_lock();
	*p->dptr = model_address(p->bytesize);
	model_add(ITEM_MANAGED, current->device, *p->dptr, p->bytesize, 0);
	model_unlock();
	return CUDA_SUCCESS;
}

static CUresult host(void **pp, uint64_t size)
{
	if (!current)
		return INVALID_CONTEXT;
	model_lock();
	*pp = (void *)(uintptr_t)model_address(size);
	model_add(ITEM_HOST, 0, (uintptr_t)*pp, size, 0);
	model_unlock();
	return CUDA_SUCCESS;
}

DO(cuMemAllocHost_v2)
{
	return host(p->pp, p->bytesize);
}

DO(cuMemHostAlloc)
{
	return host(p->pp, p->bytesize);
}

DO(cuMemFreeHost)
{
	return drop(ITEM_HOST, (uintptr_t)p->p);
}

DO(cuMemHostRegister_v2)
{
	model_lock();
	model_add(ITEM_REGISTERED, 0, (uintptr_t)p->p, p->bytesize, 0);
	model_unlock();
	return CUDA_SUCCESS;
}

DO(cuMemHostUnregister)
{
	return drop(ITEM_REGISTERED, (uintptr_t)p->p);
}

/* More is used of a pool: what it has not got it takes of the device. */
static bool pool_take(struct pool *pool, uint64_t size)
{
	uint64_t spare = pool->reserved - pool->used;
	uint64_t more = size > spare ? size - spare : 0;

	if (!model_take(pool->device, more))
		return false;
	pool->reserved += more;
	pool->used += size;
	if (pool->reserved > pool->reserved_high)
		pool->reserved_high = pool->reserved;
	if (pool->used > pool->used_high)
		pool->used_high = pool->used;
	return true;
}

/* The pool keeps no more than keep bytes beyond what is used. */
static void pool_trim(struct pool *pool, uint64_t keep)
{
	uint64_t want = keep > pool->used ? keep : pool->used;

	if (pool->reserved <= want)
		return;
	model_give(pool->device, pool->reserved - want);
	pool->reserved = want;
}

static struct pool *pool_of(CUmemoryPool pool)
{
	struct pool *own = (struct pool *)pool;

	return own ? own : &model.pool[current->device];
}

static CUresult async(struct pool *pool, uint64_t size, CUdeviceptr *dptr)
{
	CUresult result = OUT_OF_MEMORY;
	struct item *item;

	model_lock();
	if (pool_take(pool, whole_pages(size))) {
		*dptr = model_address(size);
		item = model_add(ITEM_ASYNC, pool->device, *dptr, size, 0);
		item->other = (uintptr_t)pool;
		result = CUDA_SUCCESS;
	}
	model_unlock();
	return result;
}

static CUresult async_free(uint64_t addr)
{
	struct item *item;
	struct pool *pool;

	model_lock();
	item = model_find(ITEM_ASYNC, addr);
	if (item) {
		pool = (struct pool *)(uintptr_t)item->other;
		pool->used -= whole_pages(item->size);
		model_drop(item);
		pool_trim(pool, pool->threshold);
	}
	model_unlock();
	return item ? CUDA_SUCCESS : INVALID_VALUE;
}

#define DO_ASYNC(name, pool)						\
	DO(name)							\
	{								\
		if (!current)						\
			return INVALID_CONTEXT;				\
		return async(pool_of(pool), p->bytesize, p->dptr);	\
	}
DO_ASYNC(cuMemAllocAsync, NULL)
DO_ASYNC(cuMemAllocAsync_ptsz, NULL)
DO_ASYNC(cuMemAllocFromPoolAsync, p->pool)
DO_ASYNC(cuMemAllocFromPoolAsync_ptsz, p->pool)

DO(cuMemFreeAsync)
{
	return async_free(p->dptr);
}

DO(cuMemFreeAsync_ptsz)
{
	return async_free(p->dptr);
}

DO(cuMemPoolCreate)
{
	struct pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return OUT_OF_MEMORY;
	pool->device = p->poolProps->location.id;
	*p->pool = (CUmemoryPool)pool;
	return CUDA_SUCCESS;
}

DO(cuMemPoolDestroy)
{
	struct pool *pool = (struct pool *)p->pool;

	model_lock();
	pool_trim(pool, 0);
	model_unlock();
	free(pool);
	return CUDA_SUCCESS;
}

DO(cuMemPoolTrimTo)
{
	model_lock();
	pool_trim((struct pool *)p->pool, p->minBytesToKeep);
	model_unlock();
	return CUDA_SUCCESS;
}

DO(cuMemPoolSetAttribute)
{
	struct pool *pool = (struct pool *)p->pool;

	if (p->attr == 4)
		memcpy(&pool->threshold, p->value, sizeof(pool->threshold));
	return CUDA_SUCCESS;
}

DO(cuMemAddressReserve)
{
	model_lock();
	*p->ptr = model_address(p->size);
	model_add(ITEM_ADDRESSES, 0, *p->ptr, p->size, 0);
	model_unlock();
	return CUDA_SUCCESS;
}

static CUresult refuse(struct item *item, const void *data)
{
	(void)item;
	(void)data;
	return INVALID_VALUE;
}

DO(cuMemAddressFree)
{
	CUresult result;

	model_lock();
	result = model_visit(ITEM_MAPPING, p->ptr, p->size, refuse, NULL);
	model_unlock();
	return result ? result : drop(ITEM_ADDRESSES, p->ptr);
}

DO(cuMemCreate)
{
	CUresult result = OUT_OF_MEMORY;
	int device = p->prop->location.id;

	MOCK_SPEND("cuMemCreate", p->size);
	if (!p->size || p->size % PAGE)
		return INVALID_VALUE;
	model_lock();
	if (model_take(device, p->size)) {
		*p->handle = model_address(1);
		model_add(ITEM_PHYSICAL, device, *p->handle, p->size, p->size);
		result = CUDA_SUCCESS;
	}
	model_unlock();
	return result;
}

/* With the lock: memory goes back when neither owner nor mapping is left. */
static CUresult let_go(struct item *item, unsigned int *references)
{
	if (!item || !*references)
		return INVALID_VALUE;
	--*references;
	if (!item->owners && !item->mappings)
		model_drop(item);
	return CUDA_SUCCESS;
}

DO(cuMemRelease)
{
	CUresult result;
	struct item *item;

	model_lock();
	item = model_find(ITEM_PHYSICAL, p->handle);
	MOCK_SPEND("cuMemRelease", item ? item->size : 0);
	result = let_go(item, item ? &item->owners : NULL);
	model_unlock();
	return result;
}

/* With the lock: the whole of a handle, where addresses are and no memory. */
static CUresult may_map(const struct item *item,
			const struct cuMemMap_params *p)
{
	if (!item)
		return INVALID_VALUE;
	if (p->offset || p->size != item->size)
		return NOT_SUPPORTED;
	return model_visit(ITEM_MAPPING, p->ptr, p->size, refuse, NULL);
}

DO(cuMemMap)
{
	CUresult result;
	struct item *item;

	MOCK_SPEND("cuMemMap", p->size);
	model_lock();
	item = model_find(ITEM_PHYSICAL, p->handle);
	result = may_map(item, p);
	if (!result) {
		item->mappings++;
		model_add(ITEM_MAPPING, item->device, p->ptr, p->size, 0)
			->other = p->handle;
	}
	model_unlock();
	return result;
}

struct extent {
	uint64_t addr, size;
};

static CUresult is_inside(struct item *item, const void *data)
{
	const struct extent *range = data;

	return item->addr >= range->addr &&
			       item->addr + item->size <=
				       range->addr + range->size ?
		       CUDA_SUCCESS :
		       INVALID_VALUE;
}

static CUresult unmap(struct item *mapping, const void *data)
{
	struct item *item = model_find(ITEM_PHYSICAL, mapping->other);

	(void)data;
	let_go(item, item ? &item->mappings : NULL);
	model_drop(mapping);
	return CUDA_SUCCESS;
}

/* With the lock: some mappings, and none in part. */
static CUresult are_whole(const struct extent *range)
{
	if (!model_visit(ITEM_MAPPING, range->addr, range->size, refuse, NULL))
		return INVALID_VALUE;
	return model_visit(ITEM_MAPPING, range->addr, range->size, is_inside,
			   range);
}

DO(cuMemUnmap)
{
	const struct extent range = { p->ptr, p->size };
	CUresult result;

	MOCK_SPEND("cuMemUnmap", p->size);
	model_lock();
	result = are_whole(&range);
	if (!result)
		model_visit(ITEM_MAPPING, p->ptr, p->size, unmap, NULL);
	model_unlock();
	return result;
}

static CUresult give_access(struct item *mapping, const void *data)
{
	const CUmemAccessDesc *desc = data;
	unsigned int bit = 1u << desc->location.id;

	mapping->access &= ~bit;
	if (desc->flags)
		mapping->access |= bit;
	return CUDA_SUCCESS;
}

DO(cuMemSetAccess)
{
	const struct extent range = { p->ptr, p->size };
	CUresult result;
	size_t i;

	MOCK_SPEND("cuMemSetAccess", p->size);
	model_lock();
	result = are_whole(&range);
	for (i = 0; !result && i < p->count; i++)
		result = model_visit(ITEM_MAPPING, p->ptr, p->size, give_access,
				     &p->desc[i]);
	model_unlock();
	return result;
}

DO(cuMemImportFromShareableHandle)
{
	CUresult result = thing(ITEM_PHYSICAL, p->handle);

	return result;
}

DO(cuMemRetainAllocationHandle)
{
	struct item *mapping, *item = NULL;

	model_lock();
	mapping = model_find(ITEM_MAPPING, (uintptr_t)p->addr);
	if (mapping)
		item = model_find(ITEM_PHYSICAL, mapping->other);
	if (item) {
		item->owners++;
		*p->handle = item->addr;
	}
	model_unlock();
	return item ? CUDA_SUCCESS : INVALID_VALUE;
}

static CUresult array(CUarray *handle, uint64_t elements, unsigned int channels)
{
	uint64_t addr;
	CUresult result = allocate(ITEM_ARRAY, elements * channels * 4, &addr);

	if (!result)
		*handle = (CUarray)(uintptr_t)addr;
	return result;
}

DO(cuArrayCreate_v2)
{
	const CUDA_ARRAY_DESCRIPTOR *d = p->pAllocateArray;

	return array(p->pHandle, d->width * (d->height ? d->height : 1),
		     d->channels);
}

DO(cuArray3DCreate_v2)
{
	const CUDA_ARRAY3D_DESCRIPTOR *d = p->pAllocateArray;

	return array(p->pHandle, d->width * (d->height ? d->height : 1) *
		     (d->depth ? d->depth : 1), d->channels);
}

DO(cuArrayDestroy)
{
	return drop(ITEM_ARRAY, (uintptr_t)p->hArray);
}

DO(cuGraphAddMemAllocNode)
{
	struct pool *pool = &model.graph[p->nodeParams->pool.location.id];
	CUresult result = async(pool, p->nodeParams->size,
				&p->nodeParams->addr);

	return result ? result : thing(ITEM_THING, p->phGraphNode);
}

DO(cuGraphAddMemFreeNode)
{
	CUresult result = async_free(p->dptr);

	return result ? result : thing(ITEM_THING, p->phGraphNode);
}

static CUresult node(CUgraphNode *out, CUgraphNodeParams *n)
{
	struct cuGraphAddMemAllocNode_params more = {
		.phGraphNode = out,
		.nodeParams = &n->alloc,
	};
	struct cuGraphAddMemFreeNode_params less = {
		.phGraphNode = out,
		.dptr = n->free,
	};

	return n->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ?
		       do_cuGraphAddMemAllocNode(&more) :
	       n->type == CU_GRAPH_NODE_TYPE_MEM_FREE ?
		       do_cuGraphAddMemFreeNode(&less) :
		       thing(ITEM_THING, out);
}

DO(cuGraphAddNode)
{
	return node(p->phGraphNode, p->nodeParams);
}

DO(cuGraphAddNode_v2)
{
	return node(p->phGraphNode, p->nodeParams);
}

DO(cuGraphAddNode_v3)
{
	return node(p->phGraphNode, p->nodeParams);
}

DO(cuDeviceGraphMemTrim)
{
	model_lock();
	pool_trim(&model.graph[p->device], 0);
	model_unlock();
	return CUDA_SUCCESS;
}

#define DO_THING(name, handle)						\
	DO(name)							\
	{								\
		return thing(ITEM_THING, p->handle);			\
	}
DO_THING(cuGraphInstantiate, phGraphExec)
DO_THING(cuGraphInstantiate_v2, phGraphExec)
DO_THING(cuGraphInstantiateWithFlags, phGraphExec)
DO_THING(cuGraphInstantiateWithParams, phGraphExec)
DO_THING(cuGraphInstantiateWithParams_ptsz, phGraphExec)
DO_THING(cuModuleLoad, module)
DO_THING(cuModuleLoadData, module)
DO_THING(cuModuleLoadDataEx, module)
DO_THING(cuModuleLoadFatBinary, module)
DO_THING(cuLibraryLoadData, library)
DO_THING(cuLibraryLoadFromFile, library)
DO_THING(cuMulticastCreate, mcHandle)

DO(cuIpcGetMemHandle)
{
	memset(p->pHandle, 0, sizeof(*p->pHandle));
	memcpy(p->pHandle->bytes, &p->dptr, sizeof(p->dptr));
	return CUDA_SUCCESS;
}

DO(cuIpcOpenMemHandle)
{
	return thing(ITEM_FOREIGN, p->pdptr);
}

DO(cuIpcOpenMemHandle_v2)
{
	return thing(ITEM_FOREIGN, p->pdptr);
}

DO(cuIpcCloseMemHandle)
{
	return drop(ITEM_FOREIGN, p->dptr);
}

DO(cuImportExternalMemory)
{
	return thing(ITEM_THING, p->extMem_out);
}

DO(cuExternalMemoryGetMappedBuffer)
{
	return thing(ITEM_FOREIGN, p->devPtr);
}

DO(cuMemGetInfo_v2)
{
	uint64_t free, total;

	if (!current)
		return INVALID_CONTEXT;
	mock_cuda_memory(current->device, &free, &total);
	*p->free = free;
	*p->total = total;
	return CUDA_SUCCESS;
}
