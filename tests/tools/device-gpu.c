// SPDX-License-Identifier: Apache-2.0
/*
 * device-gpu [fault]: the device on a real GPU does what its contract says;
 * with fault: it is broken by a kernel that writes to no memory.  Exit status
 * 77: there is no GPU.
 */

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <liballoc/device.h>

#include "util/util.h"

#define PAGE (2 * MIB)
#define TEST 0x5a

typedef void *handle;

/* What the test itself asks of the driver. */
static struct {
	int (*retain)(handle *context, int device);
	int (*set_current)(handle context);
	int (*fill)(uint64_t addr, unsigned char value, size_t size);
	int (*read)(void *to, uint64_t addr, size_t size);
	int (*stream)(handle *stream, unsigned int flags);
	int (*begin)(handle stream, unsigned int mode);
	int (*end)(handle stream, handle *graph);
	int (*load)(handle *module, const void *image);
	int (*function)(handle *function, handle module, const char *name);
	int (*launch)(handle function, unsigned int, unsigned int, unsigned int,
		      unsigned int, unsigned int, unsigned int, unsigned int,
		      handle stream, void **parameters, void **extra);
} cu;

static struct la_device *dev;

#define EXPECT(what, got, wanted) expect(__LINE__, what, got, wanted)

static void expect(int line, const char *what, long long got, long long wanted)
{
	char text[128];

	if (got == wanted)
		return;
	la_device_cuda_message(dev, text, sizeof(text));
	fprintf(stderr,
		"line %d: %s: got %lld, wanted %lld; last failure: %s\n", line,
		what, got, wanted, text);
	exit(1);
}

static void find_calls(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	*(void **)&cu.retain = dlsym(library, "cuDevicePrimaryCtxRetain");
	*(void **)&cu.set_current = dlsym(library, "cuCtxSetCurrent");
	*(void **)&cu.fill = dlsym(library, "cuMemsetD8_v2");
	*(void **)&cu.read = dlsym(library, "cuMemcpyDtoH_v2");
	*(void **)&cu.stream = dlsym(library, "cuStreamCreate");
	*(void **)&cu.begin = dlsym(library, "cuStreamBeginCapture_v2");
	*(void **)&cu.end = dlsym(library, "cuStreamEndCapture");
	*(void **)&cu.load = dlsym(library, "cuModuleLoadData");
	*(void **)&cu.function = dlsym(library, "cuModuleGetFunction");
	*(void **)&cu.launch = dlsym(library, "cuLaunchKernel");
}

static void use_context(int ordinal)
{
	handle context;

	EXPECT("retain", cu.retain(&context, ordinal), 0);
	EXPECT("set current", cu.set_current(context), 0);
}

static void fill(uint64_t addr, unsigned char value, uint64_t size)
{
	EXPECT("fill", cu.fill(addr, value, size), 0);
	EXPECT("drain", dev->ops->drain(dev), 0);
}

static int byte_at(uint64_t addr)
{
	unsigned char byte = 0;

	EXPECT("read", cu.read(&byte, addr, 1), 0);
	return byte;
}

static void check_segments(void)
{
	uint64_t addr;

	EXPECT("alloc", dev->ops->alloc(dev, 3 * MIB, &addr), 0);
	EXPECT("alignment", (long long)(addr % 512), 0);
	fill(addr, TEST, 3 * MIB);
	EXPECT("last byte", byte_at(addr + 3 * MIB - 1), TEST);
	EXPECT("free", dev->ops->free(dev, addr, 3 * MIB), 0);
	puts("segments: 1 alloc, 1 free");
}

static uint64_t create(uint64_t pages)
{
	uint64_t piece;

	EXPECT("create", dev->ops->create(dev, pages * PAGE, &piece), 0);
	return piece;
}

static int attach(uint64_t addr, uint64_t pages, uint64_t piece)
{
	return dev->ops->attach(dev, addr, pages * PAGE, piece);
}

/* What is written at one address is read at the other, and after a move. */
static void check_pieces(void)
{
	uint64_t range, two = create(2), one = create(1);

	EXPECT("reserve", dev->ops->reserve(dev, 16 * PAGE, &range), 0);
	EXPECT("attach", attach(range, 2, two), 0);
	EXPECT("alias", attach(range + 8 * PAGE, 2, two), 0);
	EXPECT("attach", attach(range + 2 * PAGE, 1, one), 0);
	fill(range + PAGE, TEST, PAGE);
	EXPECT("byte of alias", byte_at(range + 9 * PAGE), TEST);
	EXPECT("attach over", attach(range, 1, one) < 0, 1);
	EXPECT("attach a part", attach(range + 4 * PAGE, 1, two) < 0, 1);
	EXPECT("detach a part", dev->ops->detach(dev, range, PAGE) < 0, 1);
	EXPECT("byte still there", byte_at(range + PAGE), TEST);
	EXPECT("detach both", dev->ops->detach(dev, range, 3 * PAGE), 0);
	EXPECT("move", attach(range + 3 * PAGE, 2, two), 0);
	EXPECT("byte moved", byte_at(range + 4 * PAGE), TEST);
	EXPECT("detach", dev->ops->detach(dev, range + 3 * PAGE, 2 * PAGE), 0);
	EXPECT("detach", dev->ops->detach(dev, range + 8 * PAGE, 2 * PAGE), 0);
	EXPECT("release", dev->ops->release(dev, two, 2 * PAGE), 0);
	EXPECT("release", dev->ops->release(dev, one, PAGE), 0);
	EXPECT("unreserve", dev->ops->unreserve(dev, range, 16 * PAGE), 0);
	puts("pieces: aliases, moves and refusals as in the simulator");
}

static uint64_t room(void)
{
	uint64_t free, total;

	EXPECT("memory", la_device_cuda_memory(dev, &free, &total), 0);
	return free;
}

static void check_granules(void)
{
	uint64_t granule = 20 * MIB, before = room(), range;

	EXPECT("reserve", dev->ops->reserve(dev, 4 * granule, &range), 0);
	EXPECT("map", dev->ops->map(dev, range, 3 * granule, granule), 0);
	EXPECT("mapped", (long long)(before - room()) >= 60 << 20, 1);
	fill(range, TEST, 3 * granule);
	EXPECT("unmap one", dev->ops->unmap(dev, range + granule, granule), 0);
	EXPECT("byte", byte_at(range + 2 * granule), TEST);
	EXPECT("unmap one", dev->ops->unmap(dev, range, granule), 0);
	EXPECT("unmap one", dev->ops->unmap(dev, range + 2 * granule, granule),
	       0);
	EXPECT("unreserve", dev->ops->unreserve(dev, range, 4 * granule), 0);
	EXPECT("given back", (long long)(before - room()) <= 4 << 20, 1);
	puts("granules: 3 mapped at once, unmapped one by one");
}

static void check_full_card(void)
{
	uint64_t before = room(), piece[4096], count = 0, i;
	char text[128];
	int err = 0;

	while (!err && count < ARRAY_SIZE(piece)) {
		err = dev->ops->create(dev, GIB, &piece[count]);
		count += !err;
	}
	EXPECT("full", err, -ENOSPC);
	la_device_cuda_message(dev, text, sizeof(text));
	EXPECT("message", strncmp(text, "cuMemCreate: ", 13), 0);
	for (i = 0; i < count; i++)
		EXPECT("release", dev->ops->release(dev, piece[i], GIB), 0);
	EXPECT("given back", (long long)(before - room()) <= 64 << 20, 1);
	printf("full card: %llu pieces of 1 GiB, then: %s\n",
	       (unsigned long long)count, text);
}

static void check_events(void)
{
	uint64_t event;
	handle stream;

	EXPECT("stream", cu.stream(&stream, 1), 0);
	EXPECT("record", dev->ops->record(dev, (uintptr_t)stream, &event), 0);
	EXPECT("order", dev->ops->order(dev, 0, event), 0);
	EXPECT("await", dev->ops->await(dev, event), 0);
	EXPECT("query", dev->ops->query(dev, event), 1);
	dev->ops->forget(dev, event);
	puts("events: recorded, waited for on device and host");
}

/* In the strictest mode, by the thread that captures. */
static void check_capture(void)
{
	uint64_t addr, range, event, piece, at;
	handle stream, graph = NULL;

	EXPECT("stream", cu.stream(&stream, 1), 0);
	at = (uintptr_t)stream;
	EXPECT("capturing", dev->ops->capturing(dev, at), 0);
	EXPECT("begin", cu.begin(stream, 0), 0);
	EXPECT("capturing", dev->ops->capturing(dev, at), 1);
	EXPECT("alloc", dev->ops->alloc(dev, PAGE, &addr), 0);
	EXPECT("free", dev->ops->free(dev, addr, PAGE), 0);
	piece = create(1);
	EXPECT("reserve", dev->ops->reserve(dev, PAGE, &range), 0);
	EXPECT("attach", attach(range, 1, piece), 0);
	EXPECT("detach", dev->ops->detach(dev, range, PAGE), 0);
	EXPECT("release", dev->ops->release(dev, piece, PAGE), 0);
	EXPECT("unreserve", dev->ops->unreserve(dev, range, PAGE), 0);
	EXPECT("record", dev->ops->record(dev, at, &event), -EBUSY);
	EXPECT("record", dev->ops->record(dev, 2, &event), 0);
	EXPECT("query", dev->ops->query(dev, event) < 0, 0);
	EXPECT("await", dev->ops->await(dev, event), 0);
	EXPECT("order", dev->ops->order(dev, at, event), -EBUSY);
	dev->ops->forget(dev, event);
	EXPECT("end", cu.end(stream, &graph), 0);
	EXPECT("graph", graph != NULL, 1);
	puts("capture: stays valid under every operation but drain");
}

static void check_drain(void)
{
	handle stream, graph = NULL;

	EXPECT("stream", cu.stream(&stream, 1), 0);
	EXPECT("begin", cu.begin(stream, 0), 0);
	EXPECT("drain", dev->ops->drain(dev), -EBUSY);
	EXPECT("end", cu.end(stream, &graph) != 0, 1);
	EXPECT("drain", dev->ops->drain(dev), 0);
	puts("drain: refused beside a capture, which it ends");
}

static void check_fork(void)
{
	uint64_t addr;
	int status;
	pid_t child = fork();

	if (!child)
		_exit(dev->ops->alloc(dev, PAGE, &addr) != -ECHILD);
	EXPECT("wait", waitpid(child, &status, 0) == child, 1);
	EXPECT("child", status, 0);
	puts("fork: the child is refused");
}

static void check_peer(void)
{
	uint64_t range, one = create(1), two = create(1);
	int err = la_device_cuda_peer(dev, 1);

	if (err == -ENODEV || err == -ENOTSUP) {
		puts("peer: none here");
		return;
	}
	EXPECT("peer", err, 0);
	EXPECT("reserve", dev->ops->reserve(dev, 2 * PAGE, &range), 0);
	EXPECT("attach", attach(range, 1, one), 0);
	EXPECT("attach", attach(range + PAGE, 1, two), 0);
	use_context(1);
	fill(range, TEST, 2 * PAGE);
	use_context(0);
	EXPECT("byte", byte_at(range + PAGE), TEST);
	puts("peer: reaches what is attached");
}

/* A kernel that writes to address 16. */
static void check_fault(void)
{
	static const char kernel[] = ".version 6.0\n.target sm_50\n"
				     ".address_size 64\n"
				     ".visible .entry fault() {\n"
				     ".reg .b64 %at;\n.reg .b32 %v;\n"
				     "mov.u64 %at, 16;\nmov.u32 %v, 1;\n"
				     "st.global.u32 [%at], %v;\nret;\n}\n";
	handle module, function;
	uint64_t event, addr;

	EXPECT("load", cu.load(&module, kernel), 0);
	EXPECT("function", cu.function(&function, module, "fault"), 0);
	EXPECT("launch",
	       cu.launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL), 0);
	if (!dev->ops->record(dev, 0, &event))
		EXPECT("await", dev->ops->await(dev, event), -EIO);
	EXPECT("alloc", dev->ops->alloc(dev, PAGE, &addr), -EIO);
	EXPECT("free", dev->ops->free(dev, 0, PAGE), -EIO);
	puts("fault: known, and every operation fails");
}

int main(int argc, char **argv)
{
	struct la_error err;
	int code = la_device_cuda(&dev, 0, NULL, &err);
	char name[128];

	if (code == -ENODEV) {
		printf("no GPU: %s\n", err.text);
		return 77;
	}
	if (code < 0) {
		fprintf(stderr, "device-gpu: %s\n", err.text);
		return 1;
	}
	find_calls();
	use_context(0);
	EXPECT("name", la_device_cuda_name(dev, name, sizeof(name)), 0);
	puts(name);
	if (argc > 1 && !strcmp(argv[1], "fault")) {
		check_fault();
		la_device_destroy(dev);
		return 0;
	}
	check_segments();
	check_pieces();
	check_granules();
	check_full_card();
	check_events();
	check_capture();
	check_drain();
	check_fork();
	check_peer();
	la_device_destroy(dev);
	return 0;
}
