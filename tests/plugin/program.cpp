// SPDX-License-Identifier: Apache-2.0
// A C++ program calls the hooks as torch does: exceptions, and filters that are
// std::functions of all kinds.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <functional>
#include <stdexcept>
#include <sys/types.h>
#include <thread>
#include <typeinfo>
#include <utility>

#include "c10.hpp"

using stream_t = struct stream *;
using pool_t = std::pair<unsigned long long, unsigned long long>;

static void *library;

template <typename T> static T hook(const char *name)
{
	void *found = dlsym(library, name);

	if (!found)
		std::abort();
	return reinterpret_cast<T>(found);
}

#define EXPECT(x)                                             \
	do {                                                  \
		if (!(x)) {                                   \
			std::printf("not so: %s\n", #x);      \
			std::exit(1);                         \
		}                                             \
	} while (0)

static stream_t stream(std::size_t number)
{
	return reinterpret_cast<stream_t>(number);
}

// A callable that counts its copies, larger than what fits in place.
struct Counted {
	static int alive, called;
	stream_t wanted;
	char bulk[100] = {};

	explicit Counted(stream_t of) : wanted(of) { alive++; }
	Counted(const Counted &other) : wanted(other.wanted) { alive++; }
	~Counted() { alive--; }
	bool operator()(stream_t is) const
	{
		called++;
		return is == wanted;
	}
};
int Counted::alive, Counted::called;

static bool never(stream_t)
{
	return false;
}

static void filters()
{
	auto alloc = hook<void *(*)(ssize_t, int, stream_t)>("la_torch_alloc");
	auto begin = hook<void (*)(int, pool_t, std::function<bool(stream_t)>)>(
		"la_torch_begin_allocate_to_pool");
	auto end = hook<void (*)(int, pool_t)>("la_torch_end_allocate_to_pool");
	auto release = hook<void (*)(int, pool_t)>("la_torch_release_pool");
	const pool_t large(1, 0), lambda(2, 0), pointer(3, 0);

	{
		std::function<bool(stream_t)> filter = Counted(stream(5));
		begin(0, large, filter);
	}
	EXPECT(Counted::alive == 1);
	int calls = 0, *counter = &calls;
	begin(0, lambda, [counter](stream_t) { return ++*counter < 0; });
	begin(0, pointer, never);
	EXPECT(alloc(1 << 20, 0, stream(5)) != nullptr);
	EXPECT(Counted::called > 0);
	EXPECT(alloc(3 << 20, 0, stream(6)) != nullptr);
	EXPECT(calls > 0);
	end(0, large);
	EXPECT(Counted::alive == 0);
	end(0, lambda);
	end(0, pointer);
	for (const pool_t &id : { large, lambda, pointer })
		release(0, id);
}

// torch's filters throw what the driver fails with; the next request is served.
static void throwing_filter()
{
	auto alloc = hook<void *(*)(ssize_t, int, stream_t)>("la_torch_alloc");
	auto begin = hook<void (*)(int, pool_t, std::function<bool(stream_t)>)>(
		"la_torch_begin_allocate_to_pool");
	auto end = hook<void (*)(int, pool_t)>("la_torch_end_allocate_to_pool");
	const pool_t pool(4, 0);
	bool thrown = false;

	begin(0, pool, [](stream_t is) {
		if (is == stream(7))
			throw std::runtime_error("of a filter");
		return false;
	});
	try {
		alloc(1 << 20, 0, stream(7));
	} catch (const std::runtime_error &) {
		thrown = true;
	}
	EXPECT(thrown);
	EXPECT(alloc(1 << 20, 0, stream(6)) != nullptr);
	end(0, pool);
}

// What is thrown unwinds through C, in each of two threads.
static void run_out(bool found)
{
	auto alloc = hook<void *(*)(ssize_t, int, stream_t)>("la_torch_alloc");

	for (int i = 0; i < 200; i++) {
		try {
			alloc(ssize_t(1) << 40, 0, stream(1));
			EXPECT(!"nothing was thrown");
		} catch (const c10::OutOfMemoryError &error) {
			EXPECT(found);
			EXPECT(typeid(error) == typeid(c10::OutOfMemoryError));
			EXPECT(std::string(error.what()).rfind(
				       "CUDA out of memory. Tried to allocate "
				       "1024.00 GiB. GPU 0 ", 0) == 0);
			EXPECT(std::string(error.function) == "la_torch_alloc");
		} catch (const c10::Error &error) {
			EXPECT(!found);
			EXPECT(std::string(error.what()).find(
				       "has no c10::OutOfMemoryError") !=
			       std::string::npos);
		}
	}
}

// PLUGIN C10 [C10_CUDA]
int main(int, char **argv)
{
	library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	EXPECT(library);
	EXPECT(dlopen(argv[2], RTLD_NOW | RTLD_LOCAL));
	if (argv[3])
		EXPECT(dlopen(argv[3], RTLD_NOW | RTLD_LOCAL));
	std::thread other(run_out, argv[3] != nullptr);
	run_out(argv[3] != nullptr);
	other.join();
	EXPECT(c10::alive == 0);
	filters();
	throwing_filter();
	return 0;
}
