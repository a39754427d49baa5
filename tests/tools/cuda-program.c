/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda-program WAY OPERATIONS: do what a program of CUDA does, and print what
 * came of it.  WAY is how the driver is reached: linked, dlsym, proc, proc2,
 * next, default, dlvsym.  OPERATIONS are divided by ";"; Results of those that
 * return one are numbered from 0, and others name them by that number:
 *
 *   init, begin [DEVICE], end       cuInit; context of a device
 *   alloc SIZE, free N              cuMemAlloc; managed, pitch, host,
 *   async SIZE, asyncfree N         hostfree N are like them
 *   reserve SIZE, create SIZE, map R H, unmap R, release H, unreserve R
 *   module, capture, graph, pool, info
 *   oom                             ask for more than there is
 *   torch SIZE, torchfree N, torchlimit SIZE, torchexpandable, torchempty
 *   profiler, profile, profiled     another subscriber of CUPTI is loaded,
 *                                   begins, ends
 *   threads N COUNT                 N threads alloc and free COUNT times
 *   sleep MS, fork OPERATIONS...    the rest in a child, which is awaited
 *   exec PROGRAM, kill, exit STATUS
 *   torchclose                      close libc10_cuda.so
 *   twin                            load the injected library, close it twice
 *   reports                         print what reached libc10.so
 *   signals                         print which are caught, blocked, ignored
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock/c10.h"
#include "mock/mock.h"

#define FAR 1234 /* errno before each operation */

static const char *way;
static uint64_t results[4096];
static uint64_t sizes[4096];
static unsigned int result_count;

static void *library(const char *name, int flags)
{
	void *handle = dlopen(name, RTLD_NOW | flags);

	if (!handle) {
		fprintf(stderr, "cuda-program: %s\n", dlerror());
		exit(3);
	}
	return handle;
}

static void *proc_address(const char *name, bool second)
{
	static int (*get)(const char *, void **, int, uint64_t);
	static int (*get_v2)(const char *, void **, int, uint64_t,
			     unsigned int *);
	void *cuda = library("libcuda.so.1", 0), *address = NULL;
	char base[64];
	char *suffix;
	unsigned int status;

	snprintf(base, sizeof(base), "%s", name);
	suffix = strstr(base, "_v");
	if (suffix)
		*suffix = '\0';
	get = (__typeof__(get))dlsym(cuda, "cuGetProcAddress");
	get_v2 = (__typeof__(get_v2))dlsym(cuda, "cuGetProcAddress_v2");
	if (second)
		get_v2(base, &address, 13000, 0, &status);
	else
		get(base, &address, 11080, 0);
	return address;
}

static void *linked(const char *name)
{
	void *(*find)(const char *) = (void *(*)(const char *))
		dlsym(library("libmock_linked.so", 0), "mock_linked");
	void *address = find(name);

	return address ? address : dlsym(library("libcuda.so.1", 0), name);
}

static void *function(const char *name)
{
	void *address = NULL;

	if (strcmp(way, "linked") == 0)
		address = linked(name);
	else if (strcmp(way, "dlsym") == 0)
		address = dlsym(library("libcuda.so.1", 0), name);
	else if (strcmp(way, "proc") == 0)
		address = proc_address(name, false);
	else if (strcmp(way, "proc2") == 0)
		address = proc_address(name, true);
	else if (library("libcuda.so.1", RTLD_GLOBAL))
		address = strcmp(way, "next") == 0 ? dlsym(RTLD_NEXT, name) :
			  strcmp(way, "default") == 0 ?
				dlsym(RTLD_DEFAULT, name) :
				dlvsym(library("libcuda.so.1", 0), name,
				       "libcuda.so.1");
	if (!address) {
		fprintf(stderr, "cuda-program: no %s by %s\n", name, way);
		exit(3);
	}
	return address;
}

/* CALL(NAME, type of the function)(arguments): its result. */
#define CALL(name, ...) \
	((int (*)(__VA_ARGS__))function(#name))

static int keep(int result, uint64_t value, uint64_t size)
{
	if (!result && result_count < 4096) {
		sizes[result_count] = size;
		results[result_count++] = value;
	}
	return result;
}

static void *allocator;

static void *torch(const char *name)
{
	if (!allocator)
		allocator = library("libc10_cuda.so", RTLD_LOCAL);
	return dlsym(allocator, name);
}

static int begin(int device)
{
	CUcontext context;
	int result;

	result = CALL(cuDevicePrimaryCtxRetain, CUcontext *, CUdevice)
		(&context, device);
	return result ? result :
		CALL(cuCtxSetCurrent, CUcontext)(context);
}

struct work {
	CUcontext context;
	int (*alloc)(CUdeviceptr *, size_t);
	int (*free)(CUdeviceptr);
	int (*use)(CUcontext);
	int count;
	int failures;
};

static void *work(void *argument)
{
	struct work *w = argument;
	CUdeviceptr addr;
	int i;

	w->use(w->context);
	for (i = 0; i < w->count; i++)
		if (w->alloc(&addr, 4096 + i % 7 * 512) || w->free(addr))
			w->failures++;
	return NULL;
}

static int threads(int n, int count)
{
	struct work shared = { .count = count }, each[256];
	pthread_t thread[256];
	int i, failures = 0;

	*(void **)&shared.alloc = function("cuMemAlloc_v2");
	*(void **)&shared.free = function("cuMemFree_v2");
	*(void **)&shared.use = function("cuCtxSetCurrent");
	CALL(cuCtxGetCurrent, CUcontext *)(&shared.context);
	for (i = 0; i < n && i < 256; i++) {
		each[i] = shared;
		pthread_create(&thread[i], NULL, work, &each[i]);
	}
	for (i = 0; i < n && i < 256; i++) {
		pthread_join(thread[i], NULL);
		failures += each[i].failures;
	}
	return failures;
}

static int allocate(const char *what, uint64_t size)
{
	CUdeviceptr addr = 0;
	size_t pitch;
	void *host;
	int r;

	if (strcmp(what, "alloc") == 0) {
		r = CALL(cuMemAlloc_v2, CUdeviceptr *, size_t)(&addr, size);
	} else if (strcmp(what, "managed") == 0) {
		r = CALL(cuMemAllocManaged, CUdeviceptr *, size_t, unsigned int)
			(&addr, size, 1);
	} else if (strcmp(what, "pitch") == 0) {
		r = CALL(cuMemAllocPitch_v2, CUdeviceptr *, size_t *, size_t,
			 size_t, unsigned int)
			(&addr, &pitch, 99, size / 512, 4);
	} else if (strcmp(what, "async") == 0) {
		r = CALL(cuMemAllocAsync, CUdeviceptr *, size_t, CUstream)
			(&addr, size, NULL);
	} else if (strcmp(what, "host") == 0) {
		r = CALL(cuMemHostAlloc, void **, size_t, unsigned int)
			(&host, size, 0);
		addr = (uintptr_t)host;
	} else {
		return -1;
	}
	return keep(r, addr, size);
}

static int give_back(const char *what, uint64_t addr)
{
	if (strcmp(what, "free") == 0)
		return CALL(cuMemFree_v2, CUdeviceptr)(addr);
	if (strcmp(what, "asyncfree") == 0)
		return CALL(cuMemFreeAsync, CUdeviceptr, CUstream)(addr, NULL);
	if (strcmp(what, "hostfree") == 0)
		return CALL(cuMemFreeHost, void *)((void *)(uintptr_t)addr);
	if (strcmp(what, "release") == 0)
		return CALL(cuMemRelease, CUmemGenericAllocationHandle)(addr);
	return -1;
}

static int virtual(const char *what, uint64_t a, uint64_t b)
{
	CUmemAllocationProp prop = { .type = 1, .location = { 1, 0 } };
	CUmemGenericAllocationHandle handle = 0;
	CUdeviceptr addr = 0;
	int r;

	if (strcmp(what, "reserve") == 0) {
		r = CALL(cuMemAddressReserve, CUdeviceptr *, size_t, size_t,
			 CUdeviceptr, unsigned long long)(&addr, a, 0, 0, 0);
		return keep(r, addr, a);
	}
	if (strcmp(what, "create") == 0) {
		r = CALL(cuMemCreate, CUmemGenericAllocationHandle *, size_t,
			 const CUmemAllocationProp *, unsigned long long)
			(&handle, a, &prop, 0);
		return keep(r, handle, a);
	}
	if (strcmp(what, "map") == 0)
		return CALL(cuMemMap, CUdeviceptr, size_t, size_t,
			    CUmemGenericAllocationHandle, unsigned long long)
			(results[a], sizes[b], 0, results[b], 0);
	if (strcmp(what, "unmap") == 0)
		return CALL(cuMemUnmap, CUdeviceptr, size_t)
			(results[a], sizes[a]);
	if (strcmp(what, "unreserve") == 0)
		return CALL(cuMemAddressFree, CUdeviceptr, size_t)
			(results[a], sizes[a]);
	return -1;
}

static int handles(const char *what)
{
	CUmemPoolProps props = { .type = 1, .location = { 1, 0 } };
	CUmemoryPool pool = NULL;
	CUgraphExec exec = NULL;
	CUmodule module = NULL;
	CUgraph graph = NULL;
	int r;

	if (strcmp(what, "module") == 0) {
		r = CALL(cuModuleLoadData, CUmodule *, const void *)
			(&module, "");
		return keep(r, (uintptr_t)module, 0);
	}
	if (strcmp(what, "pool") == 0) {
		r = CALL(cuMemPoolCreate, CUmemoryPool *,
			 const CUmemPoolProps *)(&pool, &props);
		return r ? r : CALL(cuMemPoolDestroy, CUmemoryPool)(pool);
	}
	if (strcmp(what, "capture") == 0) {
		CALL(cuStreamBeginCapture_v2, CUstream, CUstreamCaptureMode)
			(NULL, 0);
		return CALL(cuStreamEndCapture, CUstream, CUgraph *)
			(NULL, &graph);
	}
	if (strcmp(what, "graph") == 0) {
		CALL(cuGraphInstantiateWithFlags, CUgraphExec *, CUgraph,
		     unsigned long long)(&exec, NULL, 0);
		return CALL(cuGraphExecDestroy, CUgraphExec)(exec);
	}
	return -1;
}

static int cached(const char *what, uint64_t a)
{
	void *block;

	if (strcmp(what, "torch") == 0) {
		block = ((void *(*)(size_t))torch("mock_torch_alloc"))(a);
		return keep(block ? 0 : 2, (uintptr_t)block, a);
	}
	if (strcmp(what, "torchfree") == 0)
		((void (*)(void *))torch("mock_torch_free"))
			((void *)(uintptr_t)results[a]);
	else if (strcmp(what, "torchlimit") == 0)
		((void (*)(size_t))torch("mock_torch_limit"))(a);
	else if (strcmp(what, "torchexpandable") == 0)
		((void (*)(bool))torch("mock_torch_expandable"))(true);
	else if (strcmp(what, "torchempty") == 0)
		((void (*)(void))torch("mock_torch_empty_cache"))();
	else if (strcmp(what, "torchclose") == 0 && allocator) {
		dlclose(allocator);
		allocator = NULL;
	} else
		return -1;
	return 0;
}

static int memory(const char *what)
{
	CUdeviceptr addr = 0;
	size_t free, total;
	int r;

	r = CALL(cuMemGetInfo_v2, size_t *, size_t *)(&free, &total);
	if (strcmp(what, "oom") == 0)
		return CALL(cuMemAlloc_v2, CUdeviceptr *, size_t)
			(&addr, total + 1);
	printf("%zu of %zu free\n", free, total);
	return r;
}

static int profiler(const char *what)
{
	char name[32];

	if (strcmp(what, "profiler") == 0)
		return !library("libmock_profiler.so", 0);
	snprintf(name, sizeof(name), "mock_profile_%s",
		 strcmp(what, "profile") == 0 ? "begin" : "end");
	return ((int (*)(void))dlsym(library("libmock_profiler.so", 0), name))();
}

/* The reports that reached libc10 itself. */
static int reports(void)
{
	void *c10 = library("libc10.so", 0);

	printf("%lu reports, %lu of them OOM\n",
	       ((unsigned long (*)(void))dlsym(c10, "mock_c10_reports"))() +
	       ((unsigned long (*)(void))dlsym(c10, "mock_c10_ooms"))(),
	       ((unsigned long (*)(void))dlsym(c10, "mock_c10_ooms"))());
	return 0;
}

/* Of this thread and the process, as the kernel sees them; 32 and 33 are
 * libc's own, which catches them when the first thread is made. */
static int signals(void)
{
	FILE *file = fopen("/proc/thread-self/status", "re");
	unsigned long long mask;
	char line[256], name[8];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Sig%7[A-Za-z]: %llx", name, &mask) == 2 &&
		    strcmp(name, "Q") != 0)
			printf("Sig%s %llx\n", name, mask & ~(3ull << 31));
	return file ? fclose(file) : -1;
}

/* More references to the injected library than were made are dropped. */
static int twin(void)
{
	void *handle = library(getenv("CUDA_INJECTION64_PATH"), 0);

	return dlclose(handle) || dlclose(handle);
}

static void child(char *rest)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		return;
	waitpid(pid, &status, 0);
	printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) :
						 -WTERMSIG(status));
	*rest = '\0';
}

static int process(const char *what, const char *argument, char *rest)
{
	if (strcmp(what, "sleep") == 0)
		usleep((unsigned int)atoi(argument) * 1000);
	else if (strcmp(what, "fork") == 0)
		child(rest);
	else if (strcmp(what, "exit") == 0)
		exit(atoi(argument));
	else if (strcmp(what, "kill") == 0)
		raise(SIGKILL);
	else if (strcmp(what, "twin") == 0)
		return twin();
	else if (strcmp(what, "signals") == 0)
		return signals();
	else if (strcmp(what, "exec") == 0)
		return execlp(argument, argument, (char *)NULL);
	else
		return -1;
	return 0;
}

static int one(const char *what, const char *first, const char *second,
	       char *rest)
{
	uint64_t a = mock_bytes(first), b = mock_bytes(second);
	int r;

	if (strcmp(what, "init") == 0)
		return CALL(cuInit, unsigned int)(0);
	if (strcmp(what, "begin") == 0)
		return begin((int)a);
	if (strcmp(what, "end") == 0)
		return CALL(cuDevicePrimaryCtxRelease_v2, CUdevice)(0);
	if (strcmp(what, "info") == 0 || strcmp(what, "oom") == 0)
		return memory(what);
	if (strncmp(what, "profile", 7) == 0)
		return profiler(what);
	if (strcmp(what, "reports") == 0)
		return reports();
	if (strcmp(what, "threads") == 0)
		return threads((int)a, (int)b);
	r = allocate(what, a);
	r = r < 0 ? give_back(what, results[a % 4096]) : r;
	r = r < 0 ? virtual(what, a, b) : r;
	r = r < 0 ? handles(what) : r;
	r = r < 0 ? cached(what, a) : r;
	return r < 0 ? process(what, first, rest) : r;
}

static void operate(char *text)
{
	char what[32], first[256], second[32];
	char *end = text + strlen(text), *next;
	int result, changed;

	for (; text < end; text = next) {
		next = text + strcspn(text, ";");
		if (next < end)
			*next++ = '\0';
		what[0] = first[0] = second[0] = '\0';
		if (sscanf(text, "%31s %255s %31s", what, first, second) < 1)
			continue;
		errno = FAR;
		result = one(what, first, second, next);
		if (*next == '\0' && next < end)
			end = next;
		changed = errno;
		printf("%s %s %s: %d", what, first, second, result);
		if (changed != FAR)
			printf(", errno %d", changed);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fputs("usage: cuda-program WAY OPERATIONS\n", stderr);
		return 2;
	}
	way = argv[1];
	operate(argv[2]);
	return 0;
}
