// SPDX-License-Identifier: Apache-2.0
/* The device on a GPU, against a driver of our own: see tests/mock. */

#include <check.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <liballoc/device.h>

#include "mock/mock.h"
#include "util/util.h"

#define PAGE (2 * MIB)
#define CARD (16 * GIB)
#define STREAM 0x77

enum {
	INVALID_VALUE = 1,
	DEINITIALIZED = 4,
	NO_DEVICE = 100,
	ILLEGAL_ADDRESS = 700,
	CAPTURE_IMPLICIT = 906,
	UNKNOWN = 999
};

/* The driver, as tests call it themselves. */
static struct {
	__typeof__(mock_cuda_fail) *refuse;
	__typeof__(mock_cuda_calls) *calls;
	__typeof__(mock_cuda_things) *things;
	__typeof__(mock_cuda_access) *access;
	__typeof__(mock_cuda_hold) *hold;
	__typeof__(mock_cuda_held) *held;
	__typeof__(mock_cuda_memory) *memory;
	__typeof__(mock_cuda_watch) *watch;
	CUresult (*current)(CUcontext *context);
	CUresult (*set_current)(CUcontext context);
	CUresult (*retain)(CUcontext *context, CUdevice device);
	CUresult (*exchange)(unsigned int *mode);
	CUresult (*begin)(CUstream stream, unsigned int mode);
	CUresult (*end)(CUstream stream, CUgraph *graph);
} cuda;

static struct la_device *dev;

static void *symbol(void *library, const char *name)
{
	void *found = dlsym(library, name);

	ck_assert_msg(found != NULL, "no %s", name);
	return found;
}

/* Beside the folder of this program.  It has the driver's name, so that it is
 * what the device gets. */
static void load_driver(void)
{
	char path[PATH_MAX + 32], self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	void *library;

	ck_assert_int_gt(length, 0);
	self[length] = '\0';
	*strrchr(self, '/') = '\0';
	snprintf(path, sizeof(path), "%s/../mock/libcuda.so.1", self);
	library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	ck_assert_msg(library != NULL, "%s", dlerror());
	*(void **)&cuda.refuse = symbol(library, "mock_cuda_fail");
	*(void **)&cuda.calls = symbol(library, "mock_cuda_calls");
	*(void **)&cuda.things = symbol(library, "mock_cuda_things");
	*(void **)&cuda.access = symbol(library, "mock_cuda_access");
	*(void **)&cuda.hold = symbol(library, "mock_cuda_hold");
	*(void **)&cuda.held = symbol(library, "mock_cuda_held");
	*(void **)&cuda.memory = symbol(library, "mock_cuda_memory");
	*(void **)&cuda.watch = symbol(library, "mock_cuda_watch");
	*(void **)&cuda.current = symbol(library, "cuCtxGetCurrent");
	*(void **)&cuda.set_current = symbol(library, "cuCtxSetCurrent");
	*(void **)&cuda.retain = symbol(library, "cuDevicePrimaryCtxRetain");
	*(void **)&cuda.exchange =
		symbol(library, "cuThreadExchangeStreamCaptureMode");
	*(void **)&cuda.begin = symbol(library, "cuStreamBeginCapture_v2");
	*(void **)&cuda.end = symbol(library, "cuStreamEndCapture");
}

/* Bytes of a device that are taken. */
static uint64_t taken(int device)
{
	uint64_t free, total;

	cuda.memory(device, &free, &total);
	ck_assert_uint_eq(total, CARD);
	return total - free;
}

static void setup(void)
{
	setenv("MOCK_CUDA_DEVICES", "2", 1);
	setenv("MOCK_CUDA_CONTEXT", "0", 1);
	load_driver();
	ck_assert_int_eq(la_device_cuda(&dev, 0, NULL, NULL), 0);
}

static void teardown(void)
{
	la_device_destroy(dev);
}

static CUcontext now_current(void)
{
	CUcontext context;

	ck_assert_int_eq(cuda.current(&context), 0);
	return context;
}

/* The calling thread's mode of captures: 0 is what it starts with. */
static unsigned int mode(void)
{
	unsigned int set = 0, back, got;

	ck_assert_int_eq(cuda.exchange(&set), 0);
	back = got = set;
	ck_assert_int_eq(cuda.exchange(&back), 0);
	return got;
}

static const char *message(void)
{
	static __thread char text[128];

	la_device_cuda_message(dev, text, sizeof(text));
	return text;
}

static uint64_t reserve(uint64_t pages)
{
	uint64_t addr = 0;

	ck_assert_int_eq(dev->ops->reserve(dev, pages * PAGE, &addr), 0);
	ck_assert_uint_eq(addr % PAGE, 0);
	ck_assert_uint_ne(addr, 0);
	return addr;
}

static uint64_t create(uint64_t pages)
{
	uint64_t piece = 0;

	ck_assert_int_eq(dev->ops->create(dev, pages * PAGE, &piece), 0);
	ck_assert_uint_ne(piece, 0);
	return piece;
}

static int attach(uint64_t addr, uint64_t pages, uint64_t piece)
{
	return dev->ops->attach(dev, addr, pages * PAGE, piece);
}

static int detach(uint64_t addr, uint64_t pages)
{
	return dev->ops->detach(dev, addr, pages * PAGE);
}

START_TEST(test_segments_come_and_go)
{
	uint64_t addr = 1, other;

	ck_assert_int_eq(dev->ops->alloc(dev, 6 * MIB, &addr), 0);
	ck_assert_uint_eq(addr % 512, 0);
	ck_assert_uint_eq(taken(0), 6 * MIB);
	ck_assert_int_eq(dev->ops->alloc(dev, 2 * MIB, &other), 0);
	ck_assert_int_eq(dev->ops->free(dev, addr, 6 * MIB), 0);
	ck_assert_uint_eq(taken(0), 2 * MIB);
	ck_assert_int_eq(dev->ops->free(dev, addr, 6 * MIB), -EINVAL);
	ck_assert_int_eq(dev->ops->free(dev, other, 2 * MIB), 0);
	ck_assert_uint_eq(cuda.things(), 0);
}
END_TEST

START_TEST(test_full_card_is_enospc)
{
	uint64_t addr = 1, piece = 1;

	ck_assert_str_eq(message(), "");
	ck_assert_int_eq(dev->ops->alloc(dev, CARD + 512, &addr), -ENOSPC);
	ck_assert_uint_eq(addr, 1);
	ck_assert_str_eq(message(), "cuMemAlloc: out of memory "
				    "(2, CUDA_ERROR_OUT_OF_MEMORY)");
	ck_assert_int_eq(dev->ops->create(dev, CARD + PAGE, &piece), -ENOSPC);
	ck_assert_uint_eq(piece, 1);
	ck_assert_str_eq(message(), "cuMemCreate: out of memory "
				    "(2, CUDA_ERROR_OUT_OF_MEMORY)");
	ck_assert_int_eq(dev->ops->alloc(dev, 512, &addr), 0);
}
END_TEST

START_TEST(test_pieces_move)
{
	uint64_t range = reserve(8), first = create(2), second = create(1);

	ck_assert_uint_eq(taken(0), 3 * PAGE);
	ck_assert_int_eq(attach(range, 2, first), 0);
	ck_assert_int_eq(attach(range + 2 * PAGE, 1, second), 0);
	ck_assert_int_eq(attach(range + 4 * PAGE, 2, first), 0);
	ck_assert_uint_eq(cuda.access(range), 1);
	ck_assert_uint_eq(cuda.access(range + 2 * PAGE), 1);
	ck_assert_int_eq(detach(range, 3), 0);
	ck_assert_int_eq(attach(range + PAGE, 1, second), 0);
	ck_assert_int_eq(detach(range, 8), 0);
	ck_assert_int_eq(dev->ops->release(dev, first, 2 * PAGE), 0);
	ck_assert_int_eq(dev->ops->release(dev, second, PAGE), 0);
	ck_assert_int_eq(dev->ops->unreserve(dev, range, 8 * PAGE), 0);
	ck_assert_uint_eq(cuda.things(), 0);
	ck_assert_uint_eq(taken(0), 0);
}
END_TEST

START_TEST(test_what_the_driver_refuses_changes_nothing)
{
	uint64_t range = reserve(8), first = create(2), second = create(1);
	unsigned long things;

	ck_assert_int_eq(attach(range, 2, first), 0);
	things = cuda.things();
	ck_assert_int_eq(attach(range + PAGE, 1, second), -EINVAL);
	ck_assert_int_eq(attach(range + 4 * PAGE, 1, first), -ENOTSUP);
	ck_assert_int_eq(attach(range + 7 * PAGE, 2, first), -EINVAL);
	ck_assert_int_eq(attach(range - PAGE, 1, second), -EINVAL);
	ck_assert_int_eq(detach(range, 1), -EINVAL);
	ck_assert_int_eq(detach(range + 4 * PAGE, 1), -EINVAL);
	ck_assert_int_eq(dev->ops->unreserve(dev, range, 8 * PAGE), -EINVAL);
	ck_assert_int_eq(dev->ops->unreserve(dev, range, 4 * PAGE), -EINVAL);
	ck_assert_int_eq(dev->ops->reserve(dev, 0, &range), -EINVAL);
	ck_assert_uint_eq(cuda.things(), things);
	ck_assert_uint_eq(taken(0), 3 * PAGE);
	ck_assert_int_eq(detach(range, 2), 0);
}
END_TEST

/* Three granules of 20 MiB, of which the one in the middle goes first. */
START_TEST(test_granules_are_unmapped_one_by_one)
{
	uint64_t granule = 20 * MIB, range = reserve(64), at;

	ck_assert_int_eq(dev->ops->map(dev, range, 3 * granule, granule), 0);
	ck_assert_uint_eq(taken(0), 3 * granule);
	for (at = 0; at < 3 * granule; at += granule)
		ck_assert_uint_eq(cuda.access(range + at), 1);
	ck_assert_int_eq(dev->ops->unmap(dev, range + granule, granule), 0);
	ck_assert_uint_eq(taken(0), 2 * granule);
	ck_assert_int_eq(dev->ops->unmap(dev, range, PAGE), -EINVAL);
	ck_assert_int_eq(dev->ops->map(dev, range + granule, granule, PAGE), 0);
	ck_assert_int_eq(dev->ops->unmap(dev, range, 3 * granule), 0);
	ck_assert_uint_eq(taken(0), 0);
	ck_assert_int_eq(dev->ops->unreserve(dev, range, 64 * PAGE), 0);
	ck_assert_uint_eq(cuda.things(), 0);
}
END_TEST

/* Whichever call of a mapping fails, nothing is mapped. */
START_TEST(test_mapping_is_whole_or_not_at_all)
{
	static const char *const name[] = { "cuMemCreate", "cuMemMap",
					    "cuMemRelease", "cuMemSetAccess" };
	uint64_t range = reserve(8);
	unsigned int skip;
	int err;

	for (skip = 0; skip < 3; skip++) {
		cuda.refuse(name[_i], skip, _i ? UNKNOWN : 2);
		err = dev->ops->map(dev, range, 3 * PAGE, PAGE);
		if (_i == 3 && skip)
			break;
		ck_assert_int_eq(err, _i ? -EIO : -ENOSPC);
		ck_assert_uint_eq(taken(0), 0);
		ck_assert_uint_eq(cuda.things(), 1);
		ck_assert_int_eq(strncmp(message(), name[_i], strlen(name[_i])),
				 0);
	}
	if (_i == 3)
		ck_assert_int_eq(dev->ops->unmap(dev, range, 3 * PAGE), 0);
	cuda.refuse("cuMemSetAccess", 0, INVALID_VALUE);
	ck_assert_int_eq(attach(range, 1, create(1)), -EINVAL);
	ck_assert_uint_eq(cuda.access(range), 0);
	ck_assert_int_eq(dev->ops->unreserve(dev, range, 8 * PAGE), 0);
}
END_TEST

static CUmemAllocationProp seen; /* of the last piece that was made */

static void see(const struct mock_call *call)
{
	const struct cuMemCreate_params *params = call->params;

	if (!strcmp(call->name, "cuMemCreate"))
		seen = *params->prop;
}

/* Of device 1; network cards reach it, as this driver says that they can, and
 * other processes only where that was asked for. */
START_TEST(test_pieces_are_of_one_kind)
{
	const struct la_device_cuda_options options = { .exportable = _i };
	struct la_device *other;
	uint64_t piece;

	ck_assert_int_eq(la_device_cuda(&other, 1, _i ? &options : NULL, NULL),
			 0);
	cuda.watch(see);
	ck_assert_int_eq(other->ops->create(other, PAGE, &piece), 0);
	cuda.watch(NULL);
	ck_assert_uint_eq(seen.type, 1);
	ck_assert_uint_eq(seen.location.type, 1);
	ck_assert_int_eq(seen.location.id, 1);
	ck_assert_uint_eq(seen.requested_handle_types, _i ? 1 : 0);
	ck_assert_uint_eq(seen.flags[0], 0);
	ck_assert_uint_eq(seen.flags[1], 1);
	ck_assert_int_eq(other->ops->release(other, piece, PAGE), 0);
	la_device_destroy(other);
}
END_TEST

START_TEST(test_events_tell_what_is_done)
{
	uint64_t first, second;

	cuda.hold(1);
	ck_assert_int_eq(dev->ops->record(dev, STREAM, &first), 0);
	ck_assert_int_eq(dev->ops->query(dev, first), 0);
	ck_assert_int_eq(dev->ops->order(dev, 0, first), 0);
	cuda.hold(0);
	ck_assert_int_eq(dev->ops->query(dev, first), 1);
	cuda.hold(1);
	ck_assert_int_eq(dev->ops->record(dev, 0, &second), 0);
	ck_assert_uint_ne(second, first);
	ck_assert_int_eq(dev->ops->await(dev, second), 0);
	ck_assert_int_eq(cuda.held(), 0);
	ck_assert_int_eq(dev->ops->query(dev, second), 1);
	ck_assert_str_eq(message(), "");
}
END_TEST

START_TEST(test_events_are_used_again)
{
	uint64_t event[200];
	int i, j;

	for (i = 0; i < 20; i++) {
		for (j = 0; j < 200; j++)
			ck_assert_int_eq(dev->ops->record(dev, 0, &event[j]),
					 0);
		for (j = 0; j < 200; j++)
			dev->ops->forget(dev, event[j]);
	}
	ck_assert_uint_eq(cuda.things(), 200);
	la_device_destroy(dev);
	ck_assert_uint_eq(cuda.things(), 0);
	ck_assert_int_eq(la_device_cuda(&dev, 0, NULL, NULL), 0);
}
END_TEST

/* A thread that captures, in the strictest mode, with whatever context. */
START_TEST(test_captures_stay_valid)
{
	CUstream stream = (CUstream)(uintptr_t)STREAM;
	uint64_t addr, event, other = 1;
	CUgraph graph;

	ck_assert_int_eq(dev->ops->capturing(dev, STREAM), 0);
	ck_assert_int_eq(cuda.begin(stream, 0), 0);
	ck_assert_int_eq(dev->ops->capturing(dev, STREAM), 1);
	ck_assert_int_eq(dev->ops->capturing(dev, 0), 0);
	ck_assert_int_eq(dev->ops->alloc(dev, PAGE, &addr), 0);
	ck_assert_int_eq(dev->ops->free(dev, addr, PAGE), 0);
	ck_assert_int_eq(dev->ops->record(dev, 0, &event), 0);
	ck_assert_int_eq(dev->ops->query(dev, event), 1);
	ck_assert_int_eq(dev->ops->await(dev, event), 0);
	ck_assert_int_eq(dev->ops->record(dev, STREAM, &other), -EBUSY);
	ck_assert_uint_eq(other, 1);
	ck_assert_int_eq(dev->ops->order(dev, STREAM, event), -EBUSY);
	ck_assert_int_eq(cuda.end(stream, &graph), 0);
	ck_assert_int_eq(dev->ops->capturing(dev, STREAM), 0);
	cuda.refuse("cuStreamIsCapturing", 0, CAPTURE_IMPLICIT);
	ck_assert_int_eq(dev->ops->capturing(dev, 0), 1);
	ck_assert_str_eq(message(), "");
}
END_TEST

START_TEST(test_context_and_mode_are_put_back)
{
	unsigned int thread_local_mode = 1;
	uint64_t addr = 0, event;
	CUcontext other;

	ck_assert_ptr_null(now_current());
	ck_assert_int_eq(dev->ops->alloc(dev, PAGE, &addr), 0);
	ck_assert_ptr_null(now_current());
	ck_assert_int_eq(cuda.retain(&other, 1), 0);
	ck_assert_int_eq(cuda.set_current(other), 0);
	ck_assert_int_eq(cuda.exchange(&thread_local_mode), 0);
	ck_assert_int_eq(dev->ops->free(dev, addr, PAGE), 0);
	ck_assert_int_eq(dev->ops->free(dev, addr, PAGE), -EINVAL);
	ck_assert_int_eq(dev->ops->record(dev, 0, &event), 0);
	ck_assert_ptr_eq(now_current(), other);
	ck_assert_uint_eq(mode(), 1);
}
END_TEST

/* Each operation, in an order in which all of them work; once more where it
 * failed. */
struct round {
	uint64_t addr, range, piece, event;
	int failed; /* operations */
	int code; /* of the last that failed */
};

static int note(struct round *round, int code)
{
	if (code >= 0)
		return code;
	round->failed++;
	round->code = code;
	return code;
}

#define TRY(round, call) ((note((round), (call)) < 0) ? (call) : 0)

static void do_segment(struct round *round)
{
	const struct la_device_ops *ops = dev->ops;

	round->addr = 1;
	if (note(round, ops->alloc(dev, PAGE, &round->addr)) < 0) {
		ck_assert_uint_eq(round->addr, 1);
		ck_assert_int_eq(ops->alloc(dev, PAGE, &round->addr), 0);
	}
	ck_assert_int_eq(TRY(round, ops->free(dev, round->addr, PAGE)), 0);
}

static void do_piece(struct round *round)
{
	const struct la_device_ops *ops = dev->ops;
	uint64_t at;

	round->range = round->piece = 1;
	if (note(round, ops->reserve(dev, 4 * PAGE, &round->range)) < 0) {
		ck_assert_uint_eq(round->range, 1);
		round->range = reserve(4);
	}
	if (note(round, ops->create(dev, PAGE, &round->piece)) < 0) {
		ck_assert_uint_eq(round->piece, 1);
		round->piece = create(1);
	}
	at = round->range + PAGE;
	ck_assert_int_eq(TRY(round, attach(at, 1, round->piece)), 0);
	ck_assert_uint_eq(cuda.access(at), 1);
	ck_assert_int_eq(TRY(round, detach(at, 1)), 0);
	ck_assert_int_eq(TRY(round, ops->release(dev, round->piece, PAGE)), 0);
	ck_assert_int_eq(
		TRY(round, ops->unreserve(dev, round->range, 4 * PAGE)), 0);
}

static void do_event(struct round *round)
{
	const struct la_device_ops *ops = dev->ops;

	round->event = 1;
	if (note(round, ops->record(dev, 0, &round->event)) < 0) {
		ck_assert_uint_eq(round->event, 1);
		ck_assert_int_eq(ops->record(dev, 0, &round->event), 0);
	}
	if (note(round, ops->query(dev, round->event)) < 0)
		ck_assert_int_eq(ops->query(dev, round->event), 1);
	ck_assert_int_eq(TRY(round, ops->order(dev, 7, round->event)), 0);
	ck_assert_int_eq(TRY(round, ops->await(dev, round->event)), 0);
	ck_assert_int_eq(TRY(round, ops->drain(dev)), 0);
	ck_assert_int_eq(TRY(round, ops->capturing(dev, 7)), 0);
	ops->forget(dev, round->event);
}

static void do_queries(struct round *round)
{
	uint64_t free = 1, total = 1;
	char name[32] = "none";

	if (note(round, la_device_cuda_memory(dev, &free, &total)) < 0) {
		ck_assert_uint_eq(free, 1);
		ck_assert_uint_eq(total, 1);
	} else {
		ck_assert_uint_eq(free, CARD);
		ck_assert_uint_eq(total, CARD);
	}
	ck_assert_str_eq(name, "none");
	if (note(round, la_device_cuda_name(dev, name, sizeof(name))) < 0)
		ck_assert_str_eq(name, "none");
	else
		ck_assert_str_eq(name, "Mock GPU 0");
}

static struct round do_all(void)
{
	struct round round = { 0 };

	do_segment(&round);
	do_piece(&round);
	do_event(&round);
	do_queries(&round);
	return round;
}

/* Each call of the driver fails once: one operation fails, and is made again
 * as if it had never been. */
START_TEST(test_each_call_may_fail)
{
	static const char *const name[] = {
		"cuMemAlloc",
		"cuMemFree",
		"cuMemAddressReserve",
		"cuMemAddressFree",
		"cuMemCreate",
		"cuMemRelease",
		"cuMemMap",
		"cuMemUnmap",
		"cuMemSetAccess",
		"cuEventCreate",
		"cuEventRecord",
		"cuEventQuery",
		"cuEventSynchronize",
		"cuCtxSynchronize",
		"cuStreamWaitEvent",
		"cuStreamIsCapturing",
		"cuMemGetInfo",
		"cuDeviceGetName",
		"cuCtxGetCurrent",
		"cuCtxPushCurrent",
		"cuThreadExchangeStreamCaptureMode",
	};
	struct round round;
	char expected[128];

	cuda.refuse(name[_i], 0, UNKNOWN);
	round = do_all();
	ck_assert_int_eq(round.failed, 1);
	ck_assert_int_eq(round.code, -EIO);
	snprintf(expected, sizeof(expected),
		 "%s: unknown error (999, "
		 "CUDA_ERROR_UNKNOWN)",
		 name[_i]);
	ck_assert_str_eq(message(), expected);
	ck_assert_ptr_null(now_current());
	ck_assert_uint_eq(mode(), 0);
	ck_assert_int_eq(do_all().failed, 0);
	ck_assert_uint_eq(taken(0), 0);
	ck_assert_uint_eq(cuda.things(), 1);
}
END_TEST

/* All fail with a code and never come to the driver. */
static void assert_dead(int code)
{
	unsigned long calls = cuda.calls();
	const struct la_device_ops *ops = dev->ops;
	uint64_t got = 1, total = 1;
	char name[8];

	ck_assert_int_eq(ops->alloc(dev, PAGE, &got), code);
	ck_assert_int_eq(ops->free(dev, PAGE, PAGE), code);
	ck_assert_int_eq(ops->reserve(dev, PAGE, &got), code);
	ck_assert_int_eq(ops->unreserve(dev, PAGE, PAGE), code);
	ck_assert_int_eq(ops->map(dev, PAGE, PAGE, PAGE), code);
	ck_assert_int_eq(ops->unmap(dev, PAGE, PAGE), code);
	ck_assert_int_eq(ops->create(dev, PAGE, &got), code);
	ck_assert_int_eq(ops->release(dev, 1, PAGE), code);
	ck_assert_int_eq(ops->attach(dev, PAGE, PAGE, 1), code);
	ck_assert_int_eq(ops->detach(dev, PAGE, PAGE), code);
	ck_assert_int_eq(ops->record(dev, 0, &got), code);
	ck_assert_int_eq(ops->query(dev, 1), code);
	ck_assert_int_eq(ops->order(dev, 0, 1), code);
	ck_assert_int_eq(ops->await(dev, 1), code);
	ck_assert_int_eq(ops->drain(dev), code);
	ck_assert_int_eq(ops->capturing(dev, 0), code);
	ck_assert_int_eq(la_device_cuda_peer(dev, 1), code);
	ck_assert_int_eq(la_device_cuda_memory(dev, &got, &total), code);
	ck_assert_int_eq(la_device_cuda_name(dev, name, sizeof(name)), code);
	ck_assert_uint_eq(got, 1);
	ck_assert_uint_eq(total, 1);
	ck_assert_uint_eq(cuda.calls(), calls);
}

/* cuda.h says of these that nothing else comes after them; and of two more it
 * is so. */
START_TEST(test_broken_gpu_stays_broken)
{
	static const int fatal[] = { 226, 700, 702, 710, 714, 715, 716, 717,
				     718, 719, 721, 810, 911, 214, 220 };
	uint64_t event;

	ck_assert_int_eq(dev->ops->record(dev, 0, &event), 0);
	cuda.refuse("cuEventQuery", 0, fatal[_i]);
	ck_assert_int_eq(dev->ops->query(dev, event), -EIO);
	assert_dead(-EIO);
	ck_assert_int_eq(strncmp(message(), "cuEventQuery: ", 14), 0);
	dev->ops->forget(dev, event);
}
END_TEST

START_TEST(test_ended_driver_is_no_failure)
{
	static const int gone[] = { 3, 4, 709 };
	uint64_t addr;

	ck_assert_int_eq(dev->ops->alloc(dev, PAGE, &addr), 0);
	cuda.refuse(_i ? "cuMemFree" : "cuCtxGetCurrent", 0, gone[_i]);
	ck_assert_int_eq(dev->ops->free(dev, addr, PAGE), -ESHUTDOWN);
	ck_assert_str_eq(message(), "");
	assert_dead(-ESHUTDOWN);
}
END_TEST

START_TEST(test_forked_child_has_no_device)
{
	uint64_t addr;
	int status;
	pid_t child;

	ck_assert_int_eq(dev->ops->alloc(dev, PAGE, &addr), 0);
	child = fork();
	if (!child) {
		assert_dead(-ECHILD);
		la_device_destroy(dev);
		_exit(cuda.things() != 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(dev->ops->free(dev, addr, PAGE), 0);
}
END_TEST

START_TEST(test_two_devices_are_apart)
{
	struct la_device *other;
	uint64_t here, there, piece;

	ck_assert_int_eq(la_device_cuda(&other, 1, NULL, NULL), 0);
	ck_assert_int_eq(dev->ops->alloc(dev, PAGE, &here), 0);
	ck_assert_int_eq(other->ops->alloc(other, 2 * PAGE, &there), 0);
	ck_assert_int_eq(other->ops->create(other, PAGE, &piece), 0);
	ck_assert_uint_eq(taken(0), PAGE);
	ck_assert_uint_eq(taken(1), 3 * PAGE);
	cuda.refuse("cuMemFree", 0, ILLEGAL_ADDRESS);
	ck_assert_int_eq(dev->ops->free(dev, here, PAGE), -EIO);
	assert_dead(-EIO);
	ck_assert_int_eq(other->ops->free(other, there, 2 * PAGE), 0);
	la_device_destroy(other);
}
END_TEST

START_TEST(test_peer_reaches_what_is_mapped_and_what_will_be)
{
	uint64_t range = reserve(8), more = reserve(4), later = create(1);

	ck_assert_int_eq(attach(range + 5 * PAGE, 1, later), 0);
	ck_assert_int_eq(detach(range + 5 * PAGE, 1), 0);
	ck_assert_int_eq(attach(range + PAGE, 2, create(2)), 0);
	ck_assert_int_eq(attach(range + 3 * PAGE, 1, create(1)), 0);
	ck_assert_int_eq(attach(range + 7 * PAGE, 1, create(1)), 0);
	ck_assert_int_eq(dev->ops->map(dev, more, 2 * PAGE, PAGE), 0);
	ck_assert_int_eq(la_device_cuda_peer(dev, 1), 0);
	ck_assert_int_eq(la_device_cuda_peer(dev, 1), 0);
	ck_assert_int_eq(la_device_cuda_peer(dev, 0), 0);
	ck_assert_uint_eq(cuda.access(range + PAGE), 3);
	ck_assert_uint_eq(cuda.access(range + 3 * PAGE), 3);
	ck_assert_uint_eq(cuda.access(range + 7 * PAGE), 3);
	ck_assert_uint_eq(cuda.access(more), 3);
	ck_assert_uint_eq(cuda.access(more + PAGE), 3);
	ck_assert_int_eq(attach(range, 1, later), 0);
	ck_assert_uint_eq(cuda.access(range), 3);
	ck_assert_int_eq(dev->ops->map(dev, more + 2 * PAGE, PAGE, PAGE), 0);
	ck_assert_uint_eq(cuda.access(more + 2 * PAGE), 3);
}
END_TEST

START_TEST(test_peer_may_be_out_of_reach)
{
	uint64_t range = reserve(4), piece = create(1);

	ck_assert_int_eq(attach(range, 1, create(1)), 0);
	ck_assert_int_eq(la_device_cuda_peer(dev, 2), -ENODEV);
	setenv("MOCK_CUDA_PEERS", "0", 1);
	ck_assert_int_eq(la_device_cuda_peer(dev, 1), -ENOTSUP);
	setenv("MOCK_CUDA_PEERS", "1", 1);
	cuda.refuse("cuMemSetAccess", 0, UNKNOWN);
	ck_assert_int_eq(la_device_cuda_peer(dev, 1), -EIO);
	ck_assert_int_eq(attach(range + PAGE, 1, piece), 0);
	ck_assert_uint_eq(cuda.access(range + PAGE), 1);
	ck_assert_int_eq(la_device_cuda_peer(dev, 1), 0);
	ck_assert_uint_eq(cuda.access(range + PAGE), 3);
}
END_TEST

enum { THREADS = 4, ROUNDS = 500 };

/* What needs no lock, of an event that lasts; NULL: all was well. */
static void *ask(void *event)
{
	uint64_t asked = *(uint64_t *)event;
	int i, wrong = 0;

	for (i = 0; i < ROUNDS; i++) {
		wrong += dev->ops->query(dev, asked) != 1;
		wrong += dev->ops->order(dev, STREAM, asked) != 0;
		wrong += dev->ops->await(dev, asked) != 0;
		wrong += dev->ops->capturing(dev, STREAM) != 0;
		wrong += dev->ops->query(dev, 1) != -EINVAL;
		(void)message();
	}
	return wrong ? event : NULL;
}

START_TEST(test_events_are_asked_beside_all_else)
{
	uint64_t event, addr, other, range = reserve(2);
	pthread_t thread[THREADS];
	void *wrong;
	int i;

	ck_assert_int_eq(dev->ops->record(dev, 0, &event), 0);
	for (i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&thread[i], NULL, ask, &event),
				 0);
	for (i = 0; i < ROUNDS; i++) {
		ck_assert_int_eq(dev->ops->alloc(dev, PAGE, &addr), 0);
		ck_assert_int_eq(dev->ops->record(dev, 0, &other), 0);
		ck_assert_int_eq(dev->ops->map(dev, range, PAGE, PAGE), 0);
		ck_assert_int_eq(dev->ops->unmap(dev, range, PAGE), 0);
		if (i % 2)
			dev->ops->forget(dev, other);
		ck_assert_int_eq(dev->ops->free(dev, addr, PAGE), 0);
	}
	for (i = 0; i < THREADS; i++) {
		ck_assert_int_eq(pthread_join(thread[i], &wrong), 0);
		ck_assert_ptr_null(wrong);
	}
}
END_TEST

/* One by one, the calls with which it begins. */
START_TEST(test_device_that_cannot_begin)
{
	static const struct {
		const char *name;
		int result, code;
		const char *text;
	} rows[] = {
		{ "cuInit", NO_DEVICE, -ENODEV, "cuInit: " },
		{ "cuDeviceGet", 101, -ENODEV, "cuDeviceGet: " },
		{ "cuDeviceGetAttribute", UNKNOWN, -EIO,
		  "cuDeviceGetAttribute: " },
		{ "cuDevicePrimaryCtxRetain", 2, -ENOSPC,
		  "cuDevicePrimaryCtxRetain: out of memory" },
		{ "cuMemGetAllocationGranularity", DEINITIALIZED, -ESHUTDOWN,
		  "the driver has shut down" },
	};
	struct la_device *none = NULL;
	struct la_error err = { 0 };

	setenv("MOCK_CUDA_CONTEXT", "1M", 1);
	la_device_destroy(dev);
	dev = NULL;
	cuda.refuse(rows[_i].name, 0, rows[_i].result);
	ck_assert_int_eq(la_device_cuda(&none, 1, NULL, &err), rows[_i].code);
	ck_assert_ptr_null(none);
	ck_assert_int_eq(err.code, rows[_i].code);
	ck_assert_int_eq(
		strncmp(err.text, rows[_i].text, strlen(rows[_i].text)), 0);
	ck_assert_uint_eq(taken(1), 0);
}
END_TEST

START_TEST(test_device_that_is_not_there)
{
	struct la_device *none = NULL;
	struct la_error err;

	ck_assert_int_eq(la_device_cuda(&none, 2, NULL, &err), -ENODEV);
	ck_assert_ptr_null(none);
	ck_assert_int_eq(strncmp(err.text, "cuDeviceGet: ", 13), 0);
}
END_TEST

START_TEST(test_name_has_to_fit)
{
	char name[11] = "none";

	ck_assert_int_eq(la_device_cuda_name(dev, name, 10), -ENAMETOOLONG);
	ck_assert_str_eq(name, "none");
	ck_assert_int_eq(la_device_cuda_name(dev, name, 11), 0);
	ck_assert_str_eq(name, "Mock GPU 0");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("device-cuda");
	TCase *tc = tcase_create("device-cuda");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_segments_come_and_go);
	tcase_add_test(tc, test_full_card_is_enospc);
	tcase_add_test(tc, test_pieces_move);
	tcase_add_test(tc, test_what_the_driver_refuses_changes_nothing);
	tcase_add_test(tc, test_granules_are_unmapped_one_by_one);
	tcase_add_loop_test(tc, test_mapping_is_whole_or_not_at_all, 0, 4);
	tcase_add_loop_test(tc, test_pieces_are_of_one_kind, 0, 2);
	tcase_add_test(tc, test_events_tell_what_is_done);
	tcase_add_test(tc, test_events_are_used_again);
	tcase_add_test(tc, test_captures_stay_valid);
	tcase_add_test(tc, test_context_and_mode_are_put_back);
	tcase_add_loop_test(tc, test_each_call_may_fail, 0, 21);
	tcase_add_loop_test(tc, test_broken_gpu_stays_broken, 0, 15);
	tcase_add_loop_test(tc, test_ended_driver_is_no_failure, 0, 3);
	tcase_add_test(tc, test_forked_child_has_no_device);
	tcase_add_test(tc, test_two_devices_are_apart);
	tcase_add_test(tc, test_peer_reaches_what_is_mapped_and_what_will_be);
	tcase_add_test(tc, test_peer_may_be_out_of_reach);
	tcase_add_test(tc, test_events_are_asked_beside_all_else);
	tcase_add_loop_test(tc, test_device_that_cannot_begin, 0, 5);
	tcase_add_test(tc, test_device_that_is_not_there);
	tcase_add_test(tc, test_name_has_to_fit);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
