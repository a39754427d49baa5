// SPDX-License-Identifier: Apache-2.0
/*
 * What calls of the driver do to what counts as live.  Expected values are
 * what the CUDA driver API's documentation says must be there, written out by
 * hand, or those of a model that knows no table.
 */

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <liballoc/probe.h>

#include "core/core.h"
#include "core/store.h"
#include "support/probe-driver.h"
#include "util/util.h"

enum {
	FAILS = 1, /* any result but success */
	NOT_PERMITTED = 800,
	NOT_SUPPORTED = 801
};

/* One call of the driver with these parameters, which returns result. */
#define CALL(name, result, ...) \
	do { \
		struct name##_params params_ = { __VA_ARGS__ }; \
		ck_assert(probe_enter(PROBE_##name, &params_)); \
		probe_exit(PROBE_##name, &params_, result); \
	} while (0)

#define live(kind) (store.device[0].live[LA_PROBE_KIND_##kind])
#define peak(kind) (store.device[0].peak[LA_PROBE_KIND_##kind])
#define number(kind) (store.device[0].count[LA_PROBE_KIND_##kind])

static bool holds(uint64_t addr, enum la_probe_kind kind)
{
	struct la_probe_holding found;

	return store_find(addr, kind, &found);
}

static void alloc(CUdeviceptr addr, size_t size)
{
	CALL(cuMemAlloc_v2, 0, &addr, size);
}

static void create(CUmemGenericAllocationHandle handle, size_t size, int result)
{
	const CUmemAllocationProp prop = { .type = 1, .location = { 1, 0 } };

	CALL(cuMemCreate, result, &handle, size, &prop, 0);
}

static void map(CUdeviceptr addr, size_t size,
		CUmemGenericAllocationHandle handle, int result)
{
	CALL(cuMemMap, result, addr, size, 0, handle, 0);
}

static void unmap(CUdeviceptr addr, size_t size, int result)
{
	CALL(cuMemUnmap, result, addr, size);
}

static void release(CUmemGenericAllocationHandle handle, int result)
{
	CALL(cuMemRelease, result, handle);
}

START_TEST(test_alloc_is_live_until_free)
{
	alloc(0x1000, 100);
	alloc(0x2000, 50);
	ck_assert_uint_eq(live(DEVICE), 150);
	ck_assert_uint_eq(number(DEVICE), 2);
	CALL(cuMemFree_v2, 0, 0x1000);
	ck_assert_uint_eq(live(DEVICE), 50);
	CALL(cuMemFree_v2, 0, 0x2000);
	ck_assert_uint_eq(live(DEVICE), 0);
	ck_assert_uint_eq(number(DEVICE), 0);
	ck_assert_uint_eq(peak(DEVICE), 150);
	ck_assert_uint_eq(store.header->calls, 4);
	ck_assert_uint_eq(store.header->failed_calls, 0);
}
END_TEST

START_TEST(test_failed_calls_change_nothing)
{
	CUdeviceptr junk = 0x7000;

	alloc(0x1000, 100);
	CALL(cuMemAlloc_v2, FAILS, &junk, 64);
	CALL(cuMemFree_v2, FAILS, 0x1000);
	ck_assert_uint_eq(live(DEVICE), 100);
	ck_assert_uint_eq(number(DEVICE), 1);
	ck_assert(holds(0x1000, LA_PROBE_KIND_DEVICE));
	ck_assert(!holds(0x7000, LA_PROBE_KIND_DEVICE));
	ck_assert_uint_eq(store.header->failed_calls, 2);
	ck_assert_uint_eq(store.header->episodes, 0);
	CALL(cuMemFree_v2, 0, 0x9999);
	ck_assert_uint_eq(live(DEVICE), 100);
}
END_TEST

START_TEST(test_address_is_free_before_the_call_returns)
{
	struct cuMemFree_v2_params params = { 0x1000 };
	CUdeviceptr addr = 0x1000;

	alloc(0x1000, 100);
	ck_assert(probe_enter(PROBE_cuMemFree_v2, &params));
	/* Another thread is given it at once; a call within the call is
	 * as good. */
	CALL(cuMemAlloc_v2, 0, &addr, 30);
	probe_exit(PROBE_cuMemFree_v2, &params, 0);
	ck_assert_uint_eq(live(DEVICE), 30);
	ck_assert(holds(0x1000, LA_PROBE_KIND_DEVICE));
}
END_TEST

START_TEST(test_pitch_and_managed)
{
	CUdeviceptr addr = 0x1000;
	size_t pitch = 512;

	CALL(cuMemAllocPitch_v2, 0, &addr, &pitch, 100, 10, 4);
	ck_assert_uint_eq(live(DEVICE), 5120);
	addr = 0x2000;
	CALL(cuMemAllocManaged, 0, &addr, 300, 1);
	ck_assert_uint_eq(live(MANAGED), 300);
	CALL(cuMemFree_v2, 0, 0x2000);
	CALL(cuMemFree_v2, 0, 0x1000);
	ck_assert_uint_eq(live(MANAGED) + live(DEVICE), 0);
}
END_TEST

START_TEST(test_host_memory_is_no_device_memory)
{
	void *p = (void *)0x5000;

	CALL(cuMemHostAlloc, 0, &p, 4096, 0);
	CALL(cuMemHostRegister_v2, 0, (void *)0x9000, 8192, 0);
	ck_assert_uint_eq(live(HOST), 4096);
	ck_assert_uint_eq(live(REGISTERED), 8192);
	ck_assert_uint_eq(live(DEVICE), 0);
	CALL(cuMemHostUnregister, FAILS, (void *)0x9000);
	ck_assert_uint_eq(live(REGISTERED), 8192);
	CALL(cuMemHostUnregister, 0, (void *)0x9000);
	CALL(cuMemFreeHost, 0, p);
	ck_assert_uint_eq(live(HOST) + live(REGISTERED), 0);
}
END_TEST

/* "The memory allocation will be freed when all outstanding mappings to the
 * memory are unmapped and when all outstanding references to the handle are
 * also released." */
START_TEST(test_physical_memory_outlives_its_handle)
{
	create(0xa, 2 * MIB, 0);
	ck_assert_uint_eq(live(PHYSICAL), 2 * MIB);
	map(0x10000000, 2 * MIB, 0xa, 0);
	ck_assert_uint_eq(live(PHYSICAL), 2 * MIB);
	release(0xa, 0);
	ck_assert_uint_eq(live(PHYSICAL), 2 * MIB);
	ck_assert_uint_eq(live(MAPPING), 2 * MIB);
	unmap(0x10000000, 2 * MIB, 0);
	ck_assert_uint_eq(live(PHYSICAL), 0);
	ck_assert_uint_eq(live(MAPPING), 0);
}
END_TEST

START_TEST(test_physical_memory_outlives_its_mapping)
{
	create(0xa, 2 * MIB, 0);
	map(0x10000000, 2 * MIB, 0xa, 0);
	unmap(0x10000000, 2 * MIB, 0);
	ck_assert_uint_eq(live(PHYSICAL), 2 * MIB);
	release(0xa, 0);
	ck_assert_uint_eq(live(PHYSICAL), 0);
}
END_TEST

START_TEST(test_each_reference_and_mapping_counts)
{
	CUmemGenericAllocationHandle same = 0xa;

	create(0xa, 2 * MIB, 0);
	map(0x10000000, 2 * MIB, 0xa, 0);
	map(0x20000000, 2 * MIB, 0xa, 0);
	CALL(cuMemRetainAllocationHandle, 0, &same, (void *)0x10000000);
	release(0xa, 0);
	unmap(0x10000000, 2 * MIB, 0);
	unmap(0x20000000, 2 * MIB, 0);
	ck_assert_uint_eq(live(PHYSICAL), 2 * MIB);
	release(0xa, 0);
	ck_assert_uint_eq(live(PHYSICAL), 0);
	ck_assert_uint_eq(peak(PHYSICAL), 2 * MIB);
}
END_TEST

START_TEST(test_failed_vmm_calls_change_nothing)
{
	create(0xb, 2 * MIB, NOT_SUPPORTED);
	create(0xb, 2 * MIB, NOT_PERMITTED);
	ck_assert_uint_eq(live(PHYSICAL), 0);
	ck_assert_uint_eq(store.header->episodes, 0);
	create(0xa, 2 * MIB, 0);
	map(0x10000000, 2 * MIB, 0xa, FAILS);
	release(0xa, FAILS);
	ck_assert_uint_eq(live(PHYSICAL), 2 * MIB);
	map(0x10000000, 2 * MIB, 0xa, 0);
	release(0xa, 0);
	unmap(0x10000000, 1 * MIB, FAILS);
	ck_assert_uint_eq(live(PHYSICAL), 2 * MIB);
	unmap(0x10000000, 2 * MIB, 0);
	ck_assert_uint_eq(live(PHYSICAL), 0);
}
END_TEST

START_TEST(test_one_unmap_ends_many_mappings)
{
	unsigned int i;

	for (i = 0; i < 100; i++) {
		create(0x100 + i, 2 * MIB, 0);
		map(0x10000000 + i * 2 * MIB, 2 * MIB, 0x100 + i, 0);
		release(0x100 + i, 0);
	}
	ck_assert_uint_eq(live(PHYSICAL), 200 * MIB);
	unmap(0x10000000, 150 * MIB, 0);
	ck_assert_uint_eq(live(PHYSICAL), 50 * MIB);
	ck_assert_uint_eq(number(MAPPING), 25);
	unmap(0x10000000 + 150 * MIB, 50 * MIB, 0);
	ck_assert_uint_eq(live(PHYSICAL), 0);
}
END_TEST

/* The last unmap gives the handle's number back before it returns here. */
START_TEST(test_handle_number_is_given_again)
{
	struct cuMemUnmap_params params = { 0x10000000, 2 * MIB };

	create(0xa, 2 * MIB, 0);
	map(0x10000000, 2 * MIB, 0xa, 0);
	release(0xa, 0);
	ck_assert(probe_enter(PROBE_cuMemUnmap, &params));
	create(0xa, 20 * MIB, 0);
	probe_exit(PROBE_cuMemUnmap, &params, 0);
	ck_assert_uint_eq(live(PHYSICAL), 20 * MIB);
	ck_assert_uint_eq(live(MAPPING), 0);
	release(0xa, 0);
	ck_assert_uint_eq(live(PHYSICAL), 0);
}
END_TEST

START_TEST(test_imports_are_none_of_our_bytes)
{
	CUmemGenericAllocationHandle handle = 0xf;

	CALL(cuMemImportFromShareableHandle, 0, &handle, NULL, 1);
	map(0x10000000, 4 * MIB, 0xf, 0);
	ck_assert_uint_eq(live(PHYSICAL), 0);
	ck_assert_uint_eq(live(FOREIGN), 4 * MIB);
	release(0xf, 0);
	ck_assert_uint_eq(live(FOREIGN), 4 * MIB);
	unmap(0x10000000, 4 * MIB, 0);
	ck_assert_uint_eq(live(FOREIGN), 0);
}
END_TEST

START_TEST(test_addresses_are_no_memory)
{
	CUdeviceptr addr = 0x10000000;

	CALL(cuMemAddressReserve, 0, &addr, 90 * GIB, 0, 0, 0);
	ck_assert_uint_eq(live(ADDRESSES), 90 * GIB);
	ck_assert_uint_eq(live(PHYSICAL) + live(DEVICE), 0);
	CALL(cuMemAddressFree, 0, addr, 90 * GIB);
	ck_assert_uint_eq(live(ADDRESSES), 0);
}
END_TEST

START_TEST(test_handles_of_other_places)
{
	const CUmemAllocationProp host = { .type = 1, .location = { 3, 0 } };
	const CUmemAllocationProp other = { .type = 1, .location = { 1, 1 } };
	CUmemGenericAllocationHandle handle = 0xa;

	CALL(cuMemCreate, 0, &handle, 2 * MIB, &host, 0);
	ck_assert_uint_eq(live(PHYSICAL), 0);
	ck_assert_uint_eq(live(HOST), 2 * MIB);
	release(0xa, 0);
	ck_assert_uint_eq(live(HOST), 0);
	CALL(cuMemCreate, 0, &handle, 2 * MIB, &other, 0);
	ck_assert_uint_eq(live(PHYSICAL), 0);
	ck_assert_uint_eq(store.device[1].live[LA_PROBE_KIND_PHYSICAL],
			  2 * MIB);
}
END_TEST

enum {
	MODEL_HANDLES = 24,
	MODEL_PLACES = 48,
	STEPS = 20000
};

/* A handle is there while owners or mappings are; a place is a handle or
 * -1. */
static struct {
	uint64_t size[MODEL_HANDLES];
	int owners[MODEL_HANDLES], mappings[MODEL_HANDLES];
	int place[MODEL_PLACES];
} model;

static uint64_t place_addr(int place)
{
	return 0x10000000 + (uint64_t)place * 64 * MIB;
}

static void model_release_or_create(int h, int result)
{
	CUmemGenericAllocationHandle handle = 0x1000 + (unsigned int)h;

	if (model.owners[h]) {
		release(handle, result);
		model.owners[h] -= !result;
	} else if (!model.mappings[h]) {
		model.size[h] = (uint64_t)(1 + rand() % 16) * 2 * MIB;
		create(handle, model.size[h], result);
		model.owners[h] = !result;
	}
}

static void model_map_or_unmap(int h, int place, int result)
{
	CUmemGenericAllocationHandle handle = 0x1000 + (unsigned int)h;
	int old = model.place[place];

	if (old >= 0) {
		unmap(place_addr(place), model.size[old], result);
		if (!result) {
			model.place[place] = -1;
			model.mappings[old]--;
		}
	} else if (model.owners[h]) {
		map(place_addr(place), model.size[h], handle, result);
		if (!result) {
			model.place[place] = h;
			model.mappings[h]++;
		}
	}
}

static void model_retain(int place)
{
	CUmemGenericAllocationHandle handle;
	int h = model.place[place];

	if (h < 0)
		return;
	handle = 0x1000 + (unsigned int)h;
	CALL(cuMemRetainAllocationHandle, 0, &handle,
	     (void *)place_addr(place));
	model.owners[h]++;
}

static void model_unmap_all(void)
{
	int i;

	unmap(place_addr(0), MODEL_PLACES * 64 * MIB, 0);
	for (i = 0; i < MODEL_PLACES; i++)
		if (model.place[i] >= 0) {
			model.mappings[model.place[i]]--;
			model.place[i] = -1;
		}
}

static void model_compare(void)
{
	uint64_t physical = 0, mapped = 0, handles = 0, mappings = 0;
	int i;

	for (i = 0; i < MODEL_HANDLES; i++)
		if (model.owners[i] || model.mappings[i]) {
			physical += model.size[i];
			handles++;
		}
	for (i = 0; i < MODEL_PLACES; i++)
		if (model.place[i] >= 0) {
			mapped += model.size[model.place[i]];
			mappings++;
		}
	ck_assert_uint_eq(live(PHYSICAL), physical);
	ck_assert_uint_eq(number(PHYSICAL), handles);
	ck_assert_uint_eq(live(MAPPING), mapped);
	ck_assert_uint_eq(number(MAPPING), mappings);
}

START_TEST(test_vmm_agrees_with_a_model)
{
	int i, step;

	srand(8);
	for (i = 0; i < MODEL_PLACES; i++)
		model.place[i] = -1;
	for (step = 0; step < STEPS; step++) {
		int h = rand() % MODEL_HANDLES;
		int place = rand() % MODEL_PLACES;
		int result = rand() % 8 ? 0 : FAILS;

		switch (rand() % 8) {
		case 0 ... 2:
			model_release_or_create(h, result);
			break;
		case 3 ... 6:
			model_map_or_unmap(h, place, result);
			break;
		default:
			if (rand() % 64)
				model_retain(place);
			else
				model_unmap_all();
		}
		model_compare();
	}
	ck_assert_uint_eq(store.header->lost_holdings, 0);
}
END_TEST

/* "During stream capture, this function results in the creation of an
 * allocation node. In this case, the allocation is owned by the graph instead
 * of the memory pool." */
START_TEST(test_async_in_a_capture_is_of_the_graph)
{
	CUdeviceptr addr = 0x1000;
	CUgraph graph;

	CALL(cuMemAllocAsync, 0, &addr, 100, (CUstream)0x51);
	ck_assert_uint_eq(live(ASYNC), 100);
	CALL(cuStreamBeginCapture_v2, 0, (CUstream)0x51, 0);
	probe_driver.captured = 0x51;
	addr = 0x2000;
	CALL(cuMemAllocAsync, 0, &addr, 70, (CUstream)0x51);
	addr = 0x3000;
	CALL(cuMemAllocAsync, 0, &addr, 9, (CUstream)0x52);
	ck_assert_uint_eq(live(ASYNC), 109);
	ck_assert_uint_eq(live(GRAPH), 70);
	CALL(cuMemFreeAsync, 0, 0x2000, (CUstream)0x51);
	ck_assert_uint_eq(live(GRAPH), 0);
	probe_driver.captured = 0;
	CALL(cuStreamEndCapture, 0, (CUstream)0x51, &graph);
	CALL(cuMemFreeAsync, 0, 0x1000, (CUstream)0x51);
	CALL(cuMemFree_v2, 0, 0x3000);
	ck_assert_uint_eq(live(ASYNC), 0);
	ck_assert(!probe_driver.strict);
}
END_TEST

/* How many records are there of calls? */
static size_t records_of_calls(void)
{
	const struct la_probe_record *record;
	struct la_probe *probe;
	size_t count, i, of_calls = 0;

	ck_assert_int_eq(la_probe_open(&probe, store.path, NULL), 0);
	record = la_probe_records(probe, &count);
	for (i = 0; i < count; i++)
		of_calls += record[i].call != 0;
	la_probe_free(probe);
	return of_calls;
}

/* By the functions for any type, and by the old ones for one type. */
START_TEST(test_memory_nodes_of_a_graph)
{
	CUgraphNodeParams more = { .type = CU_GRAPH_NODE_TYPE_MEM_ALLOC };
	CUgraphNodeParams less = { .type = CU_GRAPH_NODE_TYPE_MEM_FREE };
	CUgraphNodeParams other = { .type = 0 };
	CUDA_MEM_ALLOC_NODE_PARAMS old = { .size = 7, .addr = 0x3000 };
	CUgraphNode node;

	CALL(cuGraphAddMemAllocNode, 0, &node, NULL, NULL, 0, &old);
	more.alloc.size = 70;
	more.alloc.addr = 0x1000;
	CALL(cuGraphAddNode, 0, &node, NULL, NULL, 0, &more);
	more.alloc.addr = 0x2000;
	CALL(cuGraphAddNode_v2, 0, &node, NULL, NULL, NULL, 0, &more);
	more.alloc.addr = 0x4000;
	CALL(cuGraphAddNode_v3, FAILS, &node, NULL, NULL, NULL, 0, &more);
	ck_assert_uint_eq(live(GRAPH), 147);
	less.free = 0x2000;
	CALL(cuGraphAddNode_v3, FAILS, &node, NULL, NULL, NULL, 0, &less);
	ck_assert_uint_eq(live(GRAPH), 147);
	CALL(cuGraphAddNode_v3, 0, &node, NULL, NULL, NULL, 0, &less);
	less.free = 0x1000;
	CALL(cuGraphAddNode, 0, &node, NULL, NULL, 0, &less);
	CALL(cuGraphAddMemFreeNode, 0, &node, NULL, NULL, 0, 0x3000);
	ck_assert_uint_eq(live(GRAPH), 0);
	ck_assert_uint_eq(records_of_calls(), 8);
	CALL(cuGraphAddNode_v2, 0, &node, NULL, NULL, NULL, 0, &other);
	CALL(cuGraphAddNode_v2, 0, &node, NULL, NULL, NULL, 0, NULL);
	ck_assert_uint_eq(records_of_calls(), 8);
	CALL(cuGraphAddNode_v2, FAILS, &node, NULL, NULL, NULL, 0, &other);
	ck_assert_uint_eq(records_of_calls(), 9);
}
END_TEST

START_TEST(test_arrays_are_estimated)
{
	const CUDA_ARRAY_DESCRIPTOR flat = { 64, 32, 0x20, 4 };
	const CUDA_ARRAY3D_DESCRIPTOR cube = { 16, 16, 16, 0x10, 2, 0 };
	const CUDA_ARRAY3D_DESCRIPTOR sparse = { 16, 16, 16, 0x10, 2, 0x40 };
	CUarray array = (CUarray)0xaa0;
	CUmipmappedArray mipmap = (CUmipmappedArray)0xab0;

	CALL(cuArrayCreate_v2, 0, &array, &flat);
	ck_assert_uint_eq(live(ARRAY), 64 * 32 * 4 * 4);
	CALL(cuArrayDestroy, 0, array);
	CALL(cuArray3DCreate_v2, 0, &array, &sparse);
	ck_assert_uint_eq(live(ARRAY), 0);
	/* 16³, 8³ and 4³ texels of 4 bytes */
	CALL(cuMipmappedArrayCreate, 0, &mipmap, &cube, 3);
	ck_assert_uint_eq(live(ARRAY), 4 * (4096 + 512 + 64));
	CALL(cuMipmappedArrayDestroy, 0, mipmap);
	ck_assert_uint_eq(live(ARRAY), 0);
}
END_TEST

/* "These resources also include memory allocations by cuMemAlloc(),
 * cuMemAllocHost(), cuMemAllocManaged() and cuMemAllocPitch()." */
START_TEST(test_context_takes_its_memory_along)
{
	CUcontext context = (CUcontext)0xc1;

	alloc(0x1000, 100);
	CALL(cuCtxCreate_v2, 0, &context, 0, 0);
	probe_driver.context = 0xc1;
	alloc(0x2000, 30);
	create(0xa, 2 * MIB, 0);
	ck_assert_uint_eq(store.device[0].contexts, 1);
	probe_driver.context = 0xc0;
	CALL(cuCtxDestroy_v2, 0, context);
	ck_assert_uint_eq(live(DEVICE), 100);
	ck_assert_uint_eq(number(DEVICE), 1);
	ck_assert_uint_eq(live(PHYSICAL), 2 * MIB);
	ck_assert_uint_eq(store.device[0].contexts, 0);
}
END_TEST

/* Another thread's new context may have the number of the old one. */
START_TEST(test_memory_of_the_next_context_stays)
{
	CUcontext context = (CUcontext)0xc1;
	struct cuCtxDestroy_v2_params params = { context };

	CALL(cuCtxCreate_v2, 0, &context, 0, 0);
	probe_driver.context = 0xc1;
	alloc(0x1000, 100);
	ck_assert(probe_enter(PROBE_cuCtxDestroy_v2, &params));
	alloc(0x2000, 30);
	probe_exit(PROBE_cuCtxDestroy_v2, &params, 0);
	ck_assert_uint_eq(live(DEVICE), 30);
	ck_assert(holds(0x2000, LA_PROBE_KIND_DEVICE));
}
END_TEST

START_TEST(test_cost_of_a_context)
{
	struct cuCtxCreate_v2_params params;
	CUcontext context = (CUcontext)0xc1;

	params = (struct cuCtxCreate_v2_params){ &context, 0, 0 };
	ck_assert(probe_enter(PROBE_cuCtxCreate_v2, &params));
	probe_driver.free -= 526 * MIB;
	probe_driver.context = 0xc1;
	probe_exit(PROBE_cuCtxCreate_v2, &params, 0);
	ck_assert_uint_eq(store.device[0].context, 526 * MIB);
	ck_assert_uint_eq(store.device[0].free, probe_driver.free);
	CALL(cuCtxDestroy_v2, 0, context);
	ck_assert_uint_eq(store.device[0].context, 0);
}
END_TEST

/* The first one of a process: nobody could be asked before, and what is in
 * use after it is not all its own. */
START_TEST(test_cost_of_the_first_context_is_unknown)
{
	CUcontext context = (CUcontext)0xc0;

	probe_driver.context = 0;
	CALL(cuDevicePrimaryCtxRetain, 0, &context, 0);
	probe_driver.active = 1;
	ck_assert_uint_eq(store.device[0].contexts, 1);
	ck_assert_uint_eq(store.device[0].context, 0);
	ck_assert_uint_eq(store.device[0].free, probe_driver.free);
	ck_assert_uint_eq(probe_driver.context, 0);
	CALL(cuDevicePrimaryCtxRetain, 0, &context, 0);
	ck_assert_uint_eq(store.device[0].contexts, 1);
	CALL(cuDevicePrimaryCtxRelease_v2, 0, 0);
	ck_assert_uint_eq(store.device[0].contexts, 1);
	probe_driver.active = 0;
	CALL(cuDevicePrimaryCtxRelease_v2, 0, 0);
	ck_assert_uint_eq(store.device[0].contexts, 0);
}
END_TEST

START_TEST(test_devices_are_described)
{
	alloc(0x1000, 1);
	ck_assert_uint_eq(store.header->device_count, 2);
	ck_assert_str_eq(store.device[1].name, "Card 1");
	ck_assert_uint_eq(store.device[1].uuid[15], 0x11);
}
END_TEST

/* At most ten times a second, and 100 times more rarely if it is slow. */
START_TEST(test_samples_are_rare)
{
	unsigned int i;

	for (i = 0; i < 1000; i++)
		alloc(0x1000 + 16 * i, 16);
	ck_assert_uint_le(probe_driver.asked, 2);
	ck_assert_uint_ge(probe_driver.asked, 1);
	probe_driver.delay = 2000000;
	probe_driver.asked = 0;
	for (i = 0; i < 50; i++) {
		usleep(10000);
		alloc(0x100000 + 16 * i, 16);
	}
	ck_assert_uint_eq(probe_driver.asked, 1);
}
END_TEST

START_TEST(test_no_sample_in_a_capture)
{
	CALL(cuStreamBeginCapture_v2, 0, (CUstream)0x51, 0);
	probe_driver.captured = 0x51;
	probe_driver.asked = 0;
	usleep(120000);
	alloc(0x1000, 16);
	ck_assert_uint_eq(probe_driver.asked, 0);
}
END_TEST

START_TEST(test_errno_is_untouched)
{
	CUdeviceptr addr = 0x1000;

	errno = 12345;
	CALL(cuMemAlloc_v2, 2, &addr, 99);
	probe_block((void *)0x1000, 512, 512, 2 * MIB, 0);
	probe_block_oom(512, 512, 2 * MIB, 0);
	ck_assert_int_eq(errno, 12345);
}
END_TEST

START_TEST(test_forked_child_is_inert)
{
	struct cuMemFree_v2_params params = { 0x1000 };
	struct la_probe_holding block;
	pid_t pid;
	int status;

	alloc(0x1000, 100);
	pid = fork();
	if (!pid) {
		probe_block((void *)0x1000, 512, 512, 2 * MIB, 0);
		_exit(probe_enter(PROBE_cuMemFree_v2, &params) ||
		      probe_start(LA_PROBE_FRONT_CUPTI));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(live(DEVICE), 100);
	ck_assert(!store_find(0x1000, LA_PROBE_KIND_BLOCK, &block));
}
END_TEST

static void *begin(void *data)
{
	(void)data;
	ck_assert(probe_start(LA_PROBE_FRONT_PRELOAD));
	return NULL;
}

/* The probe waits a while for a folder that another process has locked. */
START_TEST(test_fork_while_it_begins)
{
	char folder[] = "/tmp/test-probe-XXXXXX";
	int fd = open(mkdtemp(folder), O_RDONLY | O_DIRECTORY), status;
	pthread_t thread;
	pid_t pid;

	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	setenv("CUPTI_PROBE_DIR", folder, 1);
	setenv("CUPTI_PROBE_NVML", "off", 1);
	setenv("CUPTI_PROBE_REPORT", "off", 1);
	ck_assert_int_eq(pthread_create(&thread, NULL, begin, NULL), 0);
	usleep(50000);
	pid = fork();
	if (!pid) {
		alarm(10);
		_exit(probe_start(LA_PROBE_FRONT_PRELOAD));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	close(fd);
	pthread_join(thread, NULL);
	unlink(store.path);
	rmdir(folder);
}
END_TEST

START_TEST(test_first_front_wins)
{
	ck_assert(probe_start(LA_PROBE_FRONT_PRELOAD));
	ck_assert(!probe_start(LA_PROBE_FRONT_CUPTI));
	ck_assert_uint_eq(store.header->front, LA_PROBE_FRONT_PRELOAD);
}
END_TEST

START_TEST(test_blocks)
{
	struct la_probe_holding block;

	probe_block((void *)0x1000, 512, 512, 2 * MIB, 0);
	probe_block((void *)0x1200, 1024, 1536, 2 * MIB, 0);
	ck_assert(store_find(0x1000, LA_PROBE_KIND_BLOCK, &block));
	ck_assert_uint_eq(block.size, 512);
	probe_block((void *)0x1000, -512, 1024, 2 * MIB, 0);
	ck_assert(!store_find(0x1000, LA_PROBE_KIND_BLOCK, &block));
	ck_assert(store_find(0x1200, LA_PROBE_KIND_BLOCK, &block));
	ck_assert_uint_eq(live(BLOCK), 0);
	ck_assert_uint_eq(store.device[0].allocated, 1024);
	ck_assert_uint_eq(store.device[0].peak_allocated, 1536);
	ck_assert_uint_eq(store.device[0].reserved, 2 * MIB);
	ck_assert_uint_eq(store.device[0].blocks, 2);
	/* One from before the view began. */
	probe_block((void *)0x9000, -512, 512, 2 * MIB, 0);
	ck_assert_uint_eq(store.device[0].allocated, 512);
	ck_assert_uint_eq(store.device[0].blocks, 2);
}
END_TEST

/* Where the driver's calls are not seen, those of the allocator ask it. */
START_TEST(test_blocks_ask_for_unseen_calls)
{
	uintptr_t i;

	for (i = 1; i <= 1000; i++)
		probe_block((void *)(i << 12), 512, 512 * i, 2 * MIB, 0);
	ck_assert_uint_ge(probe_driver.asked, 1);
	ck_assert_uint_le(probe_driver.asked, 2);
	ck_assert_uint_eq(store.device[0].free, probe_driver.free);
	ck_assert_uint_eq(store.header->device_count, 2);
	probe_view_begin(LA_PROBE_DRIVER);
	probe_driver.asked = 0;
	usleep(120000);
	probe_block((void *)(i << 12), 512, 512, 2 * MIB, 0);
	ck_assert_uint_eq(probe_driver.asked, 0);
	probe_view_end(LA_PROBE_DRIVER, "a profiler has it");
	probe_block((void *)(i << 13), 512, 512, 2 * MIB, 0);
	ck_assert_uint_eq(probe_driver.asked, 1);
	/* Another device than this thread's is none of its business. */
	usleep(120000);
	probe_block((void *)(i << 14), 512, 512, 2 * MIB, 1);
	ck_assert_uint_eq(probe_driver.asked, 1);
}
END_TEST

enum {
	THREADS = 8,
	ROUNDS = 3000
};

/* All want the same few addresses, as the driver gives them: a lock stands
 * for its own, and is not held while hooks run. */
static struct {
	pthread_mutex_t lock;
	bool taken[THREADS];
} card = { .lock = PTHREAD_MUTEX_INITIALIZER };

static unsigned int take(void)
{
	unsigned int i = 0;

	pthread_mutex_lock(&card.lock);
	while (card.taken[i])
		i++;
	card.taken[i] = true;
	pthread_mutex_unlock(&card.lock);
	return i;
}

static void give(unsigned int i)
{
	pthread_mutex_lock(&card.lock);
	card.taken[i] = false;
	pthread_mutex_unlock(&card.lock);
}

static void *churn(void *unused)
{
	struct cuMemAlloc_v2_params a;
	struct cuMemFree_v2_params f;
	CUdeviceptr addr;
	int round;

	(void)unused;
	for (round = 0; round < ROUNDS; round++) {
		a = (struct cuMemAlloc_v2_params){ &addr, 4096 };
		probe_enter(PROBE_cuMemAlloc_v2, &a);
		addr = 0x1000 * (1 + take());
		probe_exit(PROBE_cuMemAlloc_v2, &a, 0);
		f = (struct cuMemFree_v2_params){ addr };
		probe_enter(PROBE_cuMemFree_v2, &f);
		give((unsigned int)(addr / 0x1000 - 1));
		probe_exit(PROBE_cuMemFree_v2, &f, 0);
	}
	return NULL;
}

START_TEST(test_threads_share_addresses)
{
	pthread_t thread[THREADS];
	int i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, churn, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	ck_assert_uint_eq(live(DEVICE), 0);
	ck_assert_uint_eq(number(DEVICE), 0);
	ck_assert_uint_eq(store.header->calls, 2 * THREADS * ROUNDS);
	ck_assert_uint_ge(peak(DEVICE), 4096);
	ck_assert_uint_le(peak(DEVICE), THREADS * 4096);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe-account");
	TCase *t = tcase_create("calls");
	SRunner *r;
	int failed;

	tcase_add_checked_fixture(t, probe_driver_start, probe_driver_end);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_alloc_is_live_until_free);
	tcase_add_test(t, test_failed_calls_change_nothing);
	tcase_add_test(t, test_address_is_free_before_the_call_returns);
	tcase_add_test(t, test_pitch_and_managed);
	tcase_add_test(t, test_host_memory_is_no_device_memory);
	tcase_add_test(t, test_physical_memory_outlives_its_handle);
	tcase_add_test(t, test_physical_memory_outlives_its_mapping);
	tcase_add_test(t, test_each_reference_and_mapping_counts);
	tcase_add_test(t, test_failed_vmm_calls_change_nothing);
	tcase_add_test(t, test_one_unmap_ends_many_mappings);
	tcase_add_test(t, test_handle_number_is_given_again);
	tcase_add_test(t, test_imports_are_none_of_our_bytes);
	tcase_add_test(t, test_addresses_are_no_memory);
	tcase_add_test(t, test_handles_of_other_places);
	tcase_add_test(t, test_vmm_agrees_with_a_model);
	tcase_add_test(t, test_async_in_a_capture_is_of_the_graph);
	tcase_add_test(t, test_memory_nodes_of_a_graph);
	tcase_add_test(t, test_arrays_are_estimated);
	tcase_add_test(t, test_context_takes_its_memory_along);
	tcase_add_test(t, test_memory_of_the_next_context_stays);
	tcase_add_test(t, test_cost_of_a_context);
	tcase_add_test(t, test_cost_of_the_first_context_is_unknown);
	tcase_add_test(t, test_devices_are_described);
	tcase_add_test(t, test_samples_are_rare);
	tcase_add_test(t, test_no_sample_in_a_capture);
	tcase_add_test(t, test_errno_is_untouched);
	tcase_add_test(t, test_forked_child_is_inert);
	tcase_add_test(t, test_first_front_wins);
	tcase_add_test(t, test_blocks);
	tcase_add_test(t, test_blocks_ask_for_unseen_calls);
	tcase_add_test(t, test_threads_share_addresses);
	suite_add_tcase(s, t);
	t = tcase_create("begin");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_fork_while_it_begins);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
