/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A caching allocator of device 0.  It splits and merges blocks inside of
 * segments, gives free segments back when the driver says no, and reports
 * through libc10.so what it does.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "abi/calls.h"
#include "c10.h"

#define EXPORT __attribute__((visibility("default")))

enum {
	MIB = 1 << 20,
	SMALL_SEGMENT = 2 * MIB,
	LARGE_SEGMENT = 20 * MIB,
	DEVICE = 1 /* CUDA, index 0 */
};

struct block {
	struct block *previous, *next; /* neighbours in the segment */
	struct block *after; /* in the list of all */
	uint64_t addr, size;
	bool used, mapped; /* mapped: in an expandable segment */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block *blocks;
static size_t allocated, reserved, limit;
static bool expandable;

/* The driver's functions, found as the CUDA runtime finds them. */
static struct {
	int (*cuMemAlloc)(CUdeviceptr *, size_t);
	int (*cuMemFree)(CUdeviceptr);
	int (*cuMemGetInfo)(size_t *, size_t *);
	int (*cuMemAddressReserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr,
				   unsigned long long);
	int (*cuMemAddressFree)(CUdeviceptr, size_t);
	int (*cuMemCreate)(CUmemGenericAllocationHandle *, size_t,
			   const CUmemAllocationProp *, unsigned long long);
	int (*cuMemRelease)(CUmemGenericAllocationHandle);
	int (*cuMemMap)(CUdeviceptr, size_t, size_t,
			CUmemGenericAllocationHandle, unsigned long long);
	int (*cuMemUnmap)(CUdeviceptr, size_t);
} driver;

static bool find_driver(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_LAZY);
	int (*find)(const char *, void **, int, uint64_t, unsigned int *);
	unsigned int status;

	if (driver.cuMemAlloc)
		return true;
	if (!library)
		return false;
	find = (__typeof__(find))dlsym(library, "cuGetProcAddress_v2");
#define FIND(name)						\
	find(#name, (void **)&driver.name, 12000, 0, &status)
	FIND(cuMemFree);
	FIND(cuMemGetInfo);
	FIND(cuMemAddressReserve);
	FIND(cuMemAddressFree);
	FIND(cuMemCreate);
	FIND(cuMemRelease);
	FIND(cuMemMap);
	FIND(cuMemUnmap);
	return FIND(cuMemAlloc) == 0;
}

static uint64_t round_block(uint64_t size)
{
	return size < 512 ? 512 : (size + 511) & -512ull;
}

static uint64_t segment_size(uint64_t size)
{
	if (size <= MIB)
		return SMALL_SEGMENT;
	if (size < 10 * MIB)
		return LARGE_SEGMENT;
	return (size + SMALL_SEGMENT - 1) & -(uint64_t)SMALL_SEGMENT;
}

/* A mapped range of its own: reserved, created, mapped. */
static int expand(uint64_t size, CUdeviceptr *addr)
{
	CUmemAllocationProp prop = { .type = 1, .location = { 1, 0 } };
	CUmemGenericAllocationHandle handle;
	int result;

	driver.cuMemAddressReserve(addr, size, 0, 0, 0);
	result = driver.cuMemCreate(&handle, size, &prop, 0);
	if (result) {
		driver.cuMemAddressFree(*addr, size);
		return result;
	}
	driver.cuMemMap(*addr, size, 0, handle, 0);
	driver.cuMemRelease(handle);
	return 0;
}

static struct block *new_segment(uint64_t request)
{
	uint64_t size = segment_size(request);
	struct block *block;
	CUdeviceptr addr;

	if (limit && reserved + size > limit)
		return NULL;
	if (expandable ? expand(size, &addr) : driver.cuMemAlloc(&addr, size))
		return NULL;
	block = calloc(1, sizeof(*block));
	if (!block)
		abort();
	block->addr = addr;
	block->size = size;
	block->mapped = expandable;
	block->after = blocks;
	blocks = block;
	reserved += size;
	return block;
}

static bool fits(const struct block *block, uint64_t size)
{
	bool small = size <= MIB;
	const struct block *first = block;
	uint64_t segment = 0;

	while (first->previous)
		first = first->previous;
	for (; first; first = first->next)
		segment += first->size;
	return !block->used && block->size >= size &&
	       small == (segment == SMALL_SEGMENT);
}

static struct block *best_fit(uint64_t size)
{
	struct block *block, *best = NULL;

	for (block = blocks; block; block = block->after)
		if (fits(block, size) && (!best || block->size < best->size))
			best = block;
	return best;
}

static void split(struct block *block, uint64_t size)
{
	uint64_t rest = block->size - size;
	struct block *half;

	if (rest < (size <= MIB ? 512 : MIB + 1))
		return;
	half = calloc(1, sizeof(*half));
	if (!half)
		abort();
	half->addr = block->addr + size;
	half->size = rest;
	half->mapped = block->mapped;
	half->previous = block;
	half->next = block->next;
	if (half->next)
		half->next->previous = half;
	block->next = half;
	block->size = size;
	half->after = blocks;
	blocks = half;
}

static void forget(struct block *block)
{
	struct block **at = &blocks;

	while (*at != block)
		at = &(*at)->after;
	*at = block->after;
	free(block);
}

static void absorb(struct block *block, struct block *next)
{
	block->size += next->size;
	block->next = next->next;
	if (block->next)
		block->next->previous = block;
	forget(next);
}

static void empty(void)
{
	struct block *block, *after;

	for (block = blocks; block; block = after) {
		after = block->after;
		if (block->used || block->previous || block->next)
			continue;
		if (block->mapped) {
			driver.cuMemUnmap(block->addr, block->size);
			driver.cuMemAddressFree(block->addr, block->size);
		} else {
			driver.cuMemFree(block->addr);
		}
		reserved -= block->size;
		forget(block);
	}
}

static struct block *obtain(uint64_t size)
{
	struct block *block = best_fit(size);

	if (!block)
		block = new_segment(size);
	if (!block) {
		empty();
		block = new_segment(size);
	}
	return block;
}

EXPORT void *mock_torch_alloc(size_t request)
{
	uint64_t size = round_block(request);
	struct block *block;
	void *addr = NULL;
	size_t free, total;

	if (!find_driver())
		return NULL;
	pthread_mutex_lock(&lock);
	block = obtain(size);
	if (block) {
		split(block, size);
		block->used = true;
		allocated += block->size;
		addr = (void *)(uintptr_t)block->addr;
		report_memory(addr, (int64_t)block->size, allocated, reserved,
			      DEVICE);
	} else {
		driver.cuMemGetInfo(&free, &total);
		report_oom((int64_t)size, allocated, reserved, DEVICE);
	}
	pthread_mutex_unlock(&lock);
	return addr;
}

EXPORT void mock_torch_free(void *addr)
{
	struct block *block;

	pthread_mutex_lock(&lock);
	for (block = blocks; block; block = block->after)
		if (block->addr == (uintptr_t)addr && block->used)
			break;
	if (block) {
		block->used = false;
		allocated -= block->size;
		report_memory(addr, -(int64_t)block->size, allocated, reserved,
			      DEVICE);
		if (block->next && !block->next->used)
			absorb(block, block->next);
		if (block->previous && !block->previous->used)
			absorb(block->previous, block);
	}
	pthread_mutex_unlock(&lock);
}

EXPORT void mock_torch_empty_cache(void)
{
	pthread_mutex_lock(&lock);
	empty();
	pthread_mutex_unlock(&lock);
}

EXPORT void mock_torch_limit(size_t bytes)
{
	limit = bytes;
}

EXPORT void mock_torch_expandable(bool on)
{
	expandable = on;
}
