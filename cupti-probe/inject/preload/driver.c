/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "core/core.h"
#include "loader/elf.h"
#include "preload/wrappers.h"

/* Order: enum probe_entry, then the two of DRIVER_PROC_ADDRESS. */
static const struct {
	const char *name;
	void *wrapper;
} functions[DRIVER_FUNCTIONS] = {
#define FUNCTION(name, parameters, names) { #name, (void *)name },
	PROBE_WRAPPERS(FUNCTION)
#undef FUNCTION
	{ "cuGetProcAddress", (void *)cuGetProcAddress },
	{ "cuGetProcAddress_v2", (void *)cuGetProcAddress_v2 },
};

/* Addresses in libcuda, found once it is loaded; and what wrappers call. */
static void *driver[DRIVER_FUNCTIONS], *next[DRIVER_FUNCTIONS];
static bool driver_known;

int driver_index(const char *name)
{
	int i;

	for (i = 0; i < DRIVER_FUNCTIONS; i++)
		if (strcmp(functions[i].name, name) == 0)
			return i;
	return -1;
}

void *driver_wrapper(int index)
{
	return functions[index].wrapper;
}

static bool find_all(const struct elf *elf, void *data)
{
	int i;

	(void)data;
	if (strncmp(elf->name, "libcuda.so", 10) != 0 ||
	    !elf_symbol(elf, "cuInit"))
		return false;
	for (i = 0; i < DRIVER_FUNCTIONS; i++)
		__atomic_store_n(&driver[i],
				 elf_symbol(elf, functions[i].name),
				 __ATOMIC_RELAXED);
	return true;
}

/* What is found must not go away when the program closes the library. */
static bool keep_driver(void)
{
	char path[4096];

	return elf_find("libcuda.so", "cuInit", path, sizeof(path)) &&
	       dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static bool find_driver(void)
{
	if (__atomic_load_n(&driver_known, __ATOMIC_ACQUIRE))
		return true;
	if (!keep_driver() || !elf_each(find_all, NULL))
		return false;
	__atomic_store_n(&driver_known, true, __ATOMIC_RELEASE);
	return true;
}

/* In the global scope behind us, where other interposers are; else in
 * libcuda, which may be open for somebody alone. */
static void *find_next(int index)
{
	void *found = probe_symbol(RTLD_NEXT, functions[index].name);

	if (!found)
		dlerror(); /* is not the program's */
	return found || !find_driver() ? found : driver[index];
}

void *driver_next(int index)
{
	void *found = __atomic_load_n(&next[index], __ATOMIC_ACQUIRE);
	int error = errno;

	if (!found) {
		found = find_next(index);
		__atomic_store_n(&next[index], found, __ATOMIC_RELEASE);
	}
	errno = error;
	return found;
}

/* Of two names for one function the later one is the newer. */
void *driver_replace(void *address)
{
	int i;

	if (!address || !find_driver())
		return address;
	for (i = DRIVER_FUNCTIONS - 1; i >= 0; i--)
		if (driver[i] == address)
			return functions[i].wrapper;
	return address;
}
