// SPDX-License-Identifier: Apache-2.0
/*
 * What becomes of calls that fail for want of memory.  The sequences are
 * those that PyTorch 2.11 made on a card: native, two failing cuMemAlloc with
 * frees between them and one cuMemGetInfo; expandable, two failing cuMemCreate
 * among creations and releases; cudaMallocAsync, one failing call; a cap,
 * none.
 *
 * Promise: bounded-time.
 */

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/core.h"
#include "core/nvml.h"
#include "core/store.h"
#include "support/probe-driver.h"
#include "util/util.h"

enum {
	OUT_OF_MEMORY = 2
};

#define CALL(name, result, ...) \
	do { \
		struct name##_params params_ = { __VA_ARGS__ }; \
		ck_assert(probe_enter(PROBE_##name, &params_)); \
		probe_exit(PROBE_##name, &params_, result); \
	} while (0)

static void alloc(CUdeviceptr addr, size_t size, int result)
{
	CALL(cuMemAlloc_v2, result, &addr, size);
}

static void give(CUdeviceptr addr)
{
	CALL(cuMemFree_v2, 0, addr);
}

static void ask(size_t free_bytes)
{
	size_t total = probe_driver.total;

	CALL(cuMemGetInfo_v2, 0, &free_bytes, &total);
}

static void create(CUmemGenericAllocationHandle handle, int result)
{
	const CUmemAllocationProp prop = { .type = 1, .location = { 1, 0 } };

	CALL(cuMemCreate, result, &handle, 20 * MIB, &prop, 0);
}

static void map(CUdeviceptr addr, CUmemGenericAllocationHandle handle)
{
	CALL(cuMemMap, 0, addr, 20 * MIB, 0, handle, 0);
}

#define READ(what) __atomic_load_n(&(what), __ATOMIC_ACQUIRE)

/* What the n-th episode came to, and how many there were. */
static const struct la_probe_oom *expect(unsigned int n,
					 enum la_probe_oom_state state)
{
	const struct la_probe_oom *oom = &store.oom[n];

	ck_assert_uint_eq(oom->serial, n + 1);
	ck_assert_uint_eq(READ(oom->state), state);
	return oom;
}

static void expect_counts(uint64_t episodes, uint64_t retries, uint64_t ooms)
{
	ck_assert_uint_eq(READ(store.header->episodes), episodes);
	ck_assert_uint_eq(READ(store.header->retries), retries);
	ck_assert_uint_eq(READ(store.header->ooms), ooms);
	ck_assert_uint_eq(READ(store.device[0].retries), retries);
	ck_assert_uint_eq(READ(store.device[0].ooms), ooms);
}

static void torch_oom(void)
{
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	give(0x1000);
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	ask(300 * MIB);
	probe_block_oom(2 * GIB - 512, 60 * GIB, 70 * GIB, 0);
}

START_TEST(test_report_settles_an_episode)
{
	const struct la_probe_oom *oom;

	alloc(0x1000, 20 * MIB, 0);
	alloc(0x2000, 30 * MIB, 0);
	probe_driver.free = 299 * MIB;
	torch_oom();
	oom = expect(0, LA_PROBE_OOM_REPORTED);
	expect_counts(1, 0, 1);
	ck_assert_uint_eq(oom->size, 2 * GIB);
	ck_assert_uint_eq(oom->failures, 2);
	ck_assert_uint_eq(oom->frees, 1);
	ck_assert_uint_eq(oom->call, 243);
	ck_assert_int_eq(oom->result, OUT_OF_MEMORY);
	ck_assert_uint_eq(oom->op, LA_PROBE_OP_ALLOC);
	ck_assert_uint_eq(oom->free, 299 * MIB);
	ck_assert_uint_eq(oom->total, probe_driver.total);
	ck_assert_uint_eq(oom->free_last, 300 * MIB);
	ck_assert_uint_eq(oom->request, 2 * GIB - 512);
	ck_assert_uint_eq(oom->allocated, 60 * GIB);
	ck_assert_uint_eq(oom->reserved, 70 * GIB);
	ck_assert_uint_eq(oom->live[LA_PROBE_KIND_DEVICE], 30 * MIB);
	ck_assert_uint_eq(oom->thread, store_thread());
	ck_assert_uint_ge(oom->closed, oom->time);
}
END_TEST

/* Reads each report as soon as its state says that it is there, which shows
 * what comes too late if the machine has a core to spare. */
static void *read_reports(void *missing)
{
	unsigned int i;

	for (i = 0; i < LA_PROBE_OOMS; i++) {
		while (READ(store.oom[i].state) != LA_PROBE_OOM_REPORTED)
			;
		if (store.oom[i].request != 2 * GIB - 512 ||
		    store.oom[i].allocated != 60 * GIB ||
		    store.oom[i].reserved != 70 * GIB)
			++*(unsigned int *)missing;
	}
	return NULL;
}

START_TEST(test_what_is_reported_is_there_before_the_state)
{
	unsigned int i, missing = 0;
	pthread_t reader;

	ck_assert_int_eq(pthread_create(&reader, NULL, read_reports, &missing),
			 0);
	for (i = 0; i < LA_PROBE_OOMS; i++)
		if (i % 2)
			torch_oom();
		else
			probe_block_oom(2 * GIB - 512, 60 * GIB, 70 * GIB, 0);
	pthread_join(reader, NULL);
	ck_assert_uint_eq(missing, 0);
}
END_TEST

START_TEST(test_success_of_that_size_is_a_retry)
{
	alloc(0x1000, 20 * MIB, 0);
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	give(0x1000);
	alloc(0x3000, 1 * GIB, 0);
	expect(0, LA_PROBE_OOM_OPEN);
	alloc(0x2000, 2 * GIB, 0);
	expect(0, LA_PROBE_OOM_RETRIED);
	expect_counts(1, 1, 0);
}
END_TEST

START_TEST(test_other_kinds_of_memory_are_no_retry)
{
	void *p = (void *)0x5000;
	CUdeviceptr addr = 0x6000;

	alloc(0, 2 * MIB, OUT_OF_MEMORY);
	CALL(cuMemHostAlloc, 0, &p, 4 * MIB, 0);
	CALL(cuMemAllocManaged, 0, &addr, 4 * MIB, 1);
	expect(0, LA_PROBE_OOM_OPEN);
}
END_TEST

START_TEST(test_asking_makes_it_an_oom)
{
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	ask(100);
	expect(0, LA_PROBE_OOM_ASKED);
	expect_counts(1, 0, 1);
	usleep(2000);
	alloc(0x1000, 3 * GIB, 0);
	expect(0, LA_PROBE_OOM_ASKED);
	ask(100);
	expect_counts(1, 0, 1);
}
END_TEST

/* Within a millisecond; a busy machine may need more than one try. */
START_TEST(test_success_right_after_asking_is_a_retry)
{
	unsigned int i;

	for (i = 0; i < 100 && !READ(store.header->retries); i++) {
		alloc(0, 2 * GIB, OUT_OF_MEMORY);
		ask(100);
		alloc(0x1000, 2 * GIB, 0);
	}
	ck_assert_uint_eq(READ(store.header->retries), 1);
	ck_assert_uint_eq(READ(store.header->ooms), i - 1);
	expect(i - 1, LA_PROBE_OOM_RETRIED);
}
END_TEST

START_TEST(test_silence_makes_it_an_oom)
{
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	expect(0, LA_PROBE_OOM_OPEN);
	usleep(400000);
	expect(0, LA_PROBE_OOM_EXPIRED);
	expect_counts(1, 0, 1);
}
END_TEST

/* An allocator that waits for the device before it tries again. */
START_TEST(test_late_retry_undoes_silence)
{
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	usleep(400000);
	expect(0, LA_PROBE_OOM_EXPIRED);
	alloc(0x1000, 2 * GIB, 0);
	expect(0, LA_PROBE_OOM_RETRIED);
	expect_counts(1, 1, 0);
}
END_TEST

START_TEST(test_late_failure_is_of_the_same_episode)
{
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	usleep(400000);
	expect(0, LA_PROBE_OOM_EXPIRED);
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	ck_assert_uint_eq(expect(0, LA_PROBE_OOM_OPEN)->failures, 2);
	expect_counts(1, 0, 0);
	ask(100);
	probe_block_oom(2 * GIB, 1, 1, 0);
	expect(0, LA_PROBE_OOM_REPORTED);
	expect_counts(1, 0, 1);
}
END_TEST

START_TEST(test_a_long_call_is_no_silence)
{
	struct cuMemFree_v2_params params = { 0x1000 };

	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	ck_assert(probe_enter(PROBE_cuMemFree_v2, &params));
	usleep(400000);
	expect(0, LA_PROBE_OOM_OPEN);
	probe_exit(PROBE_cuMemFree_v2, &params, 0);
	alloc(0x1000, 2 * GIB, 0);
	expect(0, LA_PROBE_OOM_RETRIED);
}
END_TEST

START_TEST(test_refusal_by_a_cap_has_no_call)
{
	const struct la_probe_oom *oom;

	probe_block((void *)0x1000, 512, 512, 2 * MIB, 0);
	probe_block_oom(4 * GIB, 512, 2 * MIB, 0);
	oom = expect(0, LA_PROBE_OOM_REPORTED);
	expect_counts(1, 0, 1);
	ck_assert_uint_eq(oom->call, 0);
	ck_assert_uint_eq(oom->size, 0);
	ck_assert_uint_eq(oom->request, 4 * GIB);
	ck_assert_uint_eq(oom->free, probe_driver.free);
	ck_assert_uint_eq(oom->total, probe_driver.total);
}
END_TEST

/* Something else failed before; the allocator went on, then met its cap. */
START_TEST(test_report_after_service_is_another_episode)
{
	alloc(0, 2 * MIB, OUT_OF_MEMORY);
	probe_block((void *)0x1000, 512, 512, 2 * MIB, 0);
	probe_block_oom(4 * GIB, 512, 2 * MIB, 0);
	ck_assert_uint_eq(expect(1, LA_PROBE_OOM_REPORTED)->call, 0);
	expect(0, LA_PROBE_OOM_OPEN);
}
END_TEST

/* Pieces are given back when one fails; all are there before one is mapped. */
START_TEST(test_expandable_retry)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		create(0x10 + i, 0);
	create(0, OUT_OF_MEMORY);
	for (i = 0; i < 5; i++)
		CALL(cuMemRelease, 0, 0x10 + i);
	for (i = 0; i < 8; i++)
		create(0x20 + i, 0);
	expect(0, LA_PROBE_OOM_OPEN);
	for (i = 0; i < 8; i++)
		map(0x10000000 + i * 20 * MIB, 0x20 + i);
	ck_assert_uint_eq(expect(0, LA_PROBE_OOM_RETRIED)->frees, 5);
	expect_counts(1, 1, 0);
}
END_TEST

START_TEST(test_expandable_oom)
{
	unsigned int round, i;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < 5; i++)
			create(0x10 + i, 0);
		create(0, OUT_OF_MEMORY);
		for (i = 0; i < 5; i++)
			CALL(cuMemRelease, 0, 0x10 + i);
	}
	ask(100);
	probe_block_oom(500 * MIB, 1, 1, 0);
	ck_assert_uint_eq(expect(0, LA_PROBE_OOM_REPORTED)->failures, 2);
	ck_assert_uint_eq(store.oom[0].size, 20 * MIB);
	ck_assert_uint_eq(store.oom[0].request, 500 * MIB);
	expect_counts(1, 0, 1);
}
END_TEST

START_TEST(test_async_oom_asks_the_pools)
{
	CUdeviceptr addr = 0x1000;
	const struct la_probe_oom *oom;

	CALL(cuMemAllocAsync, 0, &addr, 100, NULL);
	probe_driver.reserved = 9 * GIB;
	probe_driver.used = 3 * GIB;
	CALL(cuMemAllocAsync, OUT_OF_MEMORY, &addr, 8 * GIB, NULL);
	ask(100);
	oom = expect(0, LA_PROBE_OOM_ASKED);
	ck_assert_uint_eq(oom->op, LA_PROBE_OP_ASYNC_ALLOC);
	ck_assert_uint_eq(oom->pool_reserved, 9 * GIB);
	ck_assert_uint_eq(oom->pool_used, 3 * GIB);
}
END_TEST

/* In a strict capture the attributes of a pool break it. */
START_TEST(test_questions_leave_a_capture_alone)
{
	CUdeviceptr addr = 0x1000;

	CALL(cuMemAllocAsync, 0, &addr, 100, NULL);
	CALL(cuStreamBeginCapture_v2, 0, (CUstream)0x51, 0);
	probe_driver.captured = 0x51;
	probe_driver.pools_asked = 0;
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	ck_assert_uint_gt(probe_driver.pools_asked, 0);
	ck_assert(!probe_driver.strict);
	ck_assert_uint_eq(probe_driver.mode, 0);
	ck_assert_uint_eq(store.oom[0].free, probe_driver.free);
}
END_TEST

START_TEST(test_five_in_a_row)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		torch_oom();
	for (i = 0; i < 5; i++)
		ck_assert_uint_eq(expect(i, LA_PROBE_OOM_REPORTED)->failures,
				  2);
	expect_counts(5, 0, 5);
}
END_TEST

/* Loops that look for the largest batch; retries do not push out OOMs. */
START_TEST(test_thousands_are_counted)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		torch_oom();
	for (i = 0; i < 2000; i++) {
		alloc(0, 2 * GIB, OUT_OF_MEMORY);
		alloc(0x1000, 2 * GIB, 0);
		give(0x1000);
	}
	for (i = 0; i < 2; i++)
		torch_oom();
	expect_counts(2005, 2000, 5);
	for (i = 0; i < 3; i++)
		expect(i, LA_PROBE_OOM_REPORTED);
	ck_assert_uint_eq(store.oom[3].serial, 2004);
	ck_assert_uint_eq(store.oom[4].serial, 2005);
	ck_assert_uint_eq(store.oom[3].state, LA_PROBE_OOM_REPORTED);
}
END_TEST

static void *fail_elsewhere(void *unused)
{
	(void)unused;
	alloc(0, 7 * MIB, OUT_OF_MEMORY);
	alloc(0x9000, 7 * MIB, 0);
	return NULL;
}

START_TEST(test_episodes_are_of_their_thread)
{
	pthread_t thread;

	alloc(0, 2 * MIB, OUT_OF_MEMORY);
	pthread_create(&thread, NULL, fail_elsewhere, NULL);
	pthread_join(thread, NULL);
	expect(0, LA_PROBE_OOM_OPEN);
	expect(1, LA_PROBE_OOM_RETRIED);
	alloc(0x1000, 2 * MIB, 0);
	expect(0, LA_PROBE_OOM_RETRIED);
}
END_TEST

/* A stand-in for NVML: 80 GiB, of which others hold some. */
static struct {
	bool hangs;
	pthread_mutex_t lock; /* count, process */
	unsigned int count;
	struct nvml_process process[4];
} card = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void hang(void)
{
	__atomic_store_n(&card.hangs, true, __ATOMIC_RELAXED);
}

/* What NVML lists from now on: all of these. */
static void list(unsigned int count, const struct nvml_process *processes)
{
	pthread_mutex_lock(&card.lock);
	card.count = count;
	memcpy(card.process, processes, count * sizeof(*processes));
	pthread_mutex_unlock(&card.lock);
}

static int nothing(void)
{
	return 0;
}

static int get_count(unsigned int *count)
{
	*count = 1;
	return 0;
}

static int by_index(unsigned int index, nvml_device *device)
{
	*device = (nvml_device)(uintptr_t)(1 + index);
	return 0;
}

/* Device 0 of the stand-in driver has a UUID of 0x10 everywhere. */
static const char card_uuid[] = "GPU-10101010-1010-1010-1010-101010101010";

static int by_uuid(const char *uuid, nvml_device *device)
{
	return strcmp(uuid, card_uuid) ? 6 : by_index(0, device);
}

static int get_uuid(nvml_device device, char *uuid, unsigned int size)
{
	(void)device;
	snprintf(uuid, size, "%s", card_uuid);
	return 0;
}

static int get_memory(nvml_device device, struct nvml_memory_v1 *memory)
{
	(void)device;
	while (READ(card.hangs))
		sleep(1);
	memory->total = 80 * GIB;
	memory->free = 70 * GIB;
	memory->used = 10 * GIB;
	return 0;
}

static int get_processes(nvml_device device, unsigned int *count,
			 struct nvml_process *out)
{
	(void)device;
	pthread_mutex_lock(&card.lock);
	*count = card.count;
	memcpy(out, card.process, sizeof(card.process));
	pthread_mutex_unlock(&card.lock);
	return 0;
}

static const struct nvml_process somebody[] = { { 4711, 5 * GIB, 0, 0 } };

static void start_with_nvml(void)
{
	nvml = (struct nvml){
		.init = nothing,
		.count = get_count,
		.by_index = by_index,
		.by_uuid = by_uuid,
		.uuid = get_uuid,
		.memory = get_memory,
		.processes = get_processes,
		.ready = true,
	};
	list(1, somebody);
	setenv("CUPTI_PROBE_NVML", "on", 1);
	probe_driver.context = 0;
	probe_driver_start();
}

/* A context that takes 1 GiB; what NVML lists then. */
static void first_context(unsigned int count, const struct nvml_process *then)
{
	CUcontext context = (CUcontext)0xc0;
	struct cuDevicePrimaryCtxRetain_params params = { &context, 0 };

	ck_assert(probe_enter(PROBE_cuDevicePrimaryCtxRetain, &params));
	probe_driver.free = 69 * GIB;
	list(count, then);
	probe_exit(PROBE_cuDevicePrimaryCtxRetain, &params, 0);
	probe_driver.context = 0xc0;
}

/* The process itself, by a pid of another name space. */
static const struct nvml_process and_us[] = {
	{ 4711, 5 * GIB, 0, 0 },
	{ 99999999, 1 * GIB, 0, 0 },
};

START_TEST(test_nvml_names_the_others)
{
	static const struct nvml_process later[] = {
		{ 4711, 5 * GIB, 0, 0 },
		{ 99999999, 1 * GIB, 0, 0 },
		{ 4712, 9 * GIB, 0, 0 },
		{ 4713, UINT64_MAX, 0, 0 },
	};
	const struct la_probe_oom *oom = &store.oom[0];

	first_context(2, and_us);
	ck_assert_uint_eq(store.device[0].context, 1 * GIB);
	usleep(50000);
	list(4, later);
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	ck_assert_uint_eq(oom->nvml_total, 80 * GIB);
	ck_assert_uint_eq(oom->nvml_used, 10 * GIB);
	ck_assert_uint_eq(oom->processes, 4);
	ck_assert_uint_eq(oom->process_count, 4);
	ck_assert_uint_eq(oom->process[0].pid, 4712);
	ck_assert_uint_eq(oom->process[0].self, 0);
	ck_assert_uint_eq(oom->process[1].pid, 4711);
	ck_assert_uint_eq(oom->process[2].pid, 99999999);
	ck_assert_uint_eq(oom->process[2].self, 1);
	ck_assert_uint_eq(oom->process[3].pid, 4713);
	ck_assert_uint_eq(oom->process[3].self, 0);
}
END_TEST

START_TEST(test_own_pid_is_known)
{
	const struct nvml_process then[] = {
		{ 4711, 5 * GIB, 0, 0 },
		{ (unsigned int)getpid(), 1 * GIB, 0, 0 },
	};

	first_context(2, then);
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	ck_assert_uint_eq(store.oom[0].process[0].self, 0);
	ck_assert_uint_eq(store.oom[0].process[1].self, 1);
}
END_TEST

/* In a container: a process of the host has the number that is ours inside. */
START_TEST(test_own_pid_is_not_another_process_of_the_host)
{
	const struct nvml_process then[] = {
		{ (unsigned int)getpid(), 5 * GIB, 0, 0 },
		{ 99999999, 1 * GIB, 0, 0 },
	};

	list(1, then);
	first_context(2, then);
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	ck_assert_uint_eq(store.oom[0].process[0].self, 0);
	ck_assert_uint_eq(store.oom[0].process[1].pid, 99999999);
	ck_assert_uint_eq(store.oom[0].process[1].self, 1);
}
END_TEST

START_TEST(test_two_newcomers_leave_it_unknown)
{
	static const struct nvml_process then[] = {
		{ 4711, 5 * GIB, 0, 0 },
		{ 99999999, 1 * GIB, 0, 0 },
		{ 4712, 9 * GIB, 0, 0 },
	};
	const struct la_probe_process *listed = store.oom[0].process;

	first_context(3, then);
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
	ck_assert_uint_eq(store.oom[0].process_count, 3);
	ck_assert_uint_eq(listed[0].self + listed[1].self + listed[2].self, 0);
}
END_TEST

static double took(void (*what)(void))
{
	uint64_t begin = store_now();

	what();
	return (double)(store_now() - begin) / 1e6;
}

static void nap(void)
{
	usleep(20000);
}

/* ms: what is promised, and twice what the machine is late by just now. */
static double limit(void)
{
	return 50 + 2 * (took(nap) - 20);
}

static void fail_once(void)
{
	alloc(0, 2 * GIB, OUT_OF_MEMORY);
}

static void report(void)
{
	probe_block_oom(2 * GIB, 1, 1, 0);
}

START_TEST(test_nvml_that_hangs_holds_nobody_up)
{
	unsigned int i;

	first_context(2, and_us);
	usleep(50000);
	hang();
	ck_assert_double_lt(took(fail_once), limit());
	ck_assert_double_lt(took(report), limit());
	for (i = 0; i < 5; i++)
		ck_assert_double_lt(took(torch_oom), limit());
	ck_assert_uint_eq(store.oom[0].nvml_total, 0);
	ck_assert_uint_eq(store.oom[0].state, LA_PROBE_OOM_REPORTED);
}
END_TEST

static void hang_at_once(void)
{
	hang();
	start_with_nvml();
}

static void retain(void)
{
	first_context(2, and_us);
}

START_TEST(test_nvml_that_hangs_at_once)
{
	ck_assert_double_lt(took(retain), NVML_WAIT_BEFORE / 1e6 + limit());
	ck_assert_uint_eq(store.device[0].contexts, 1);
	ck_assert_uint_eq(store.device[0].context, 0);
	ck_assert_double_lt(took(fail_once), limit());
}
END_TEST

static TCase *driver_case(void)
{
	TCase *t = tcase_create("states");

	tcase_add_checked_fixture(t, probe_driver_start, probe_driver_end);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_report_settles_an_episode);
	tcase_add_test(t, test_what_is_reported_is_there_before_the_state);
	tcase_add_test(t, test_success_of_that_size_is_a_retry);
	tcase_add_test(t, test_other_kinds_of_memory_are_no_retry);
	tcase_add_test(t, test_asking_makes_it_an_oom);
	tcase_add_test(t, test_success_right_after_asking_is_a_retry);
	tcase_add_test(t, test_silence_makes_it_an_oom);
	tcase_add_test(t, test_late_retry_undoes_silence);
	tcase_add_test(t, test_late_failure_is_of_the_same_episode);
	tcase_add_test(t, test_a_long_call_is_no_silence);
	tcase_add_test(t, test_refusal_by_a_cap_has_no_call);
	tcase_add_test(t, test_report_after_service_is_another_episode);
	tcase_add_test(t, test_expandable_retry);
	tcase_add_test(t, test_expandable_oom);
	tcase_add_test(t, test_async_oom_asks_the_pools);
	tcase_add_test(t, test_questions_leave_a_capture_alone);
	tcase_add_test(t, test_five_in_a_row);
	tcase_add_test(t, test_thousands_are_counted);
	tcase_add_test(t, test_episodes_are_of_their_thread);
	return t;
}

static TCase *nvml_case(void)
{
	TCase *t = tcase_create("nvml");

	tcase_add_checked_fixture(t, start_with_nvml, probe_driver_end);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, test_nvml_names_the_others);
	tcase_add_test(t, test_own_pid_is_known);
	tcase_add_test(t, test_own_pid_is_not_another_process_of_the_host);
	tcase_add_test(t, test_two_newcomers_leave_it_unknown);
	tcase_add_test(t, test_nvml_that_hangs_holds_nobody_up);
	return t;
}

static TCase *hung_case(void)
{
	TCase *t = tcase_create("nvml-hangs");

	tcase_add_checked_fixture(t, hang_at_once, probe_driver_end);
	tcase_add_test(t, test_nvml_that_hangs_at_once);
	return t;
}

int main(void)
{
	Suite *s = suite_create("probe-episode");
	SRunner *r;
	int failed;

	suite_add_tcase(s, driver_case());
	suite_add_tcase(s, nvml_case());
	suite_add_tcase(s, hung_case());
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
