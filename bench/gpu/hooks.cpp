// SPDX-License-Identifier: Apache-2.0
/*
 * Time of one allocation and one release at the hooks of liballoc-torch.so
 * against torch's own allocator, in one process on one GPU.
 *
 * Each thread has a stream and 64 live blocks of random sizes: a step releases
 * one at random and allocates another.  Both play the same steps in turns,
 * seven times; printed are medians of the time that passed, divided by the
 * steps of one thread (a pair) and the steps of all threads in a second.
 *
 * Usage: hooks LIBALLOC-TORCH.SO [torch|compact]
 * Build: see README.md here
 */
#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace cache = c10::cuda::CUDACachingAllocator;

static constexpr size_t KIB = 1 << 10, MIB = 1 << 20;
static constexpr int REPETITIONS = 7, LIVE = 64, STEPS = 50000;

struct Load {
	const char *name;
	size_t low, high; // bytes of a request
};

static const Load loads[] = {
	{ "0.5-2.5 KB", KIB / 2, 5 * KIB / 2 },
	{ "1-5 MB", MIB, 5 * MIB },
	{ "32-160 MB", 32 * MIB, 160 * MIB },
};

static void *(*hook_alloc)(ssize_t, int, void *);
static void (*hook_free)(void *, ssize_t, int, void *);
static void (*hook_reset)();

struct Hooks {
	static void *alloc(size_t size, cudaStream_t stream)
	{
		return hook_alloc((ssize_t)size, 0, stream);
	}
	static void release(void *at, size_t size, cudaStream_t stream)
	{
		hook_free(at, (ssize_t)size, 0, stream);
	}
};

struct Native {
	static void *alloc(size_t size, cudaStream_t stream)
	{
		return cache::raw_alloc_with_stream(size, stream);
	}
	static void release(void *at, size_t, cudaStream_t)
	{
		cache::raw_delete(at);
	}
};

static void fail(const char *what)
{
	fprintf(stderr, "hooks: %s\n", what);
	exit(EXIT_FAILURE);
}

template <class Subject>
static void work(const Load &load, uint64_t seed, cudaStream_t stream,
		 std::barrier<> &start)
{
	void *at[LIVE];
	size_t size[LIVE];
	uint64_t state = seed;
	auto draw = [&](uint64_t below) {
		state = state * 6364136223846793005 + 1442695040888963407;
		return (state >> 20) % below;
	};
	auto take = [&](uint64_t i) {
		size[i] = load.low + draw(load.high - load.low);
		at[i] = Subject::alloc(size[i], stream);
		if (!at[i])
			fail("out of memory");
	};

	for (int i = 0; i < LIVE; i++)
		take((uint64_t)i);
	start.arrive_and_wait();
	for (int i = 0; i < STEPS; i++) {
		uint64_t one = draw(LIVE);

		Subject::release(at[one], size[one], stream);
		take(one);
	}
	start.arrive_and_wait();
	for (int i = 0; i < LIVE; i++)
		Subject::release(at[i], size[i], stream);
}

/* Nanoseconds that STEPS steps of each thread take, by STEPS. */
template <class Subject>
static double play(const Load &load, std::vector<cudaStream_t> &streams)
{
	std::barrier<> start((ptrdiff_t)streams.size() + 1);
	std::vector<std::thread> threads;

	for (size_t i = 0; i < streams.size(); i++)
		threads.emplace_back(work<Subject>, std::cref(load), i,
				     streams[i], std::ref(start));
	start.arrive_and_wait();
	auto begin = std::chrono::steady_clock::now();
	start.arrive_and_wait();
	std::chrono::duration<double, std::nano> took =
		std::chrono::steady_clock::now() - begin;
	for (std::thread &thread : threads)
		thread.join();
	return took.count() / STEPS;
}

static double median(std::vector<double> &values)
{
	std::sort(values.begin(), values.end());
	return values[values.size() / 2];
}

static void measure(const Load &load, unsigned int count)
{
	std::vector<cudaStream_t> streams(count);
	std::vector<double> ours, native;

	for (cudaStream_t &stream : streams)
		if (cudaStreamCreate(&stream))
			fail("no stream");
	play<Hooks>(load, streams);
	play<Native>(load, streams);
	for (int i = 0; i < REPETITIONS; i++) {
		ours.push_back(play<Hooks>(load, streams));
		native.push_back(play<Native>(load, streams));
	}
	double a = median(ours), b = median(native);
	printf("%-10s %u threads: liballoc %6.0f ns (%.0f to %.0f), torch %6.0f ns (%.0f to %.0f), ratio %.1f; "
	       "%.1f and %.1f M pairs/s\n",
	       load.name, count, a, ours.front(), ours.back(), b,
	       native.front(), native.back(), b / a, count * 1e3 / a,
	       count * 1e3 / b);
	fflush(stdout);
	hook_reset();
	cache::emptyCache();
}

int main(int argc, char **argv)
{
	char why[256] = "";
	std::string options = std::string("policy:") +
			      (argc > 2 ? argv[2] : "compact");
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;

	if (!library)
		fail("usage: hooks LIBALLOC-TORCH.SO [torch|compact]");
	auto configure = (int (*)(const char *, const char *, char *,
				  size_t))dlsym(library, "la_torch_configure");
	auto init = (void (*)(int))dlsym(library, "la_torch_init");

	hook_reset = (decltype(hook_reset))dlsym(library, "la_torch_reset");
	hook_alloc = (decltype(hook_alloc))dlsym(library, "la_torch_alloc");
	hook_free = (decltype(hook_free))dlsym(library, "la_torch_free");
	if (configure("2.11.0", options.c_str(), why, sizeof(why)))
		fail(why);
	if (cudaFree(nullptr))
		fail("no GPU");
	init(1);
	cache::init(1);
	for (const Load &load : loads)
		for (unsigned int count = 1; count <= 8; count *= 2)
			measure(load, count);
	return EXIT_SUCCESS;
}
