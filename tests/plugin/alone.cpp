// SPDX-License-Identifier: Apache-2.0
// A C++ program that knows nothing of torch: a std::runtime_error.
#include <cstdio>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <sys/types.h>

int main(int, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	void *found = library ? dlsym(library, "la_torch_alloc") : nullptr;
	auto alloc = reinterpret_cast<void *(*)(ssize_t, int, void *)>(found);

	if (!found)
		return 2;
	try {
		alloc(ssize_t(1) << 40, 0, nullptr);
	} catch (const std::runtime_error &error) {
		std::string text = error.what();

		std::puts(text.c_str());
		return text.rfind("CUDA out of memory. Tried", 0) != 0;
	}
	return 3;
}
