/* SPDX-License-Identifier: Apache-2.0 */
#include "cupti/library.h"

#include <dlfcn.h>
#include <string.h>

#include "core/core.h"
#include "loader/elf.h"

#define PATH_BYTES 4096

static bool resolve(struct cupti *cupti, void *library)
{
#define FIND(name, parameters)						\
	*(void **)&cupti->name = probe_symbol(library, #name);		\
	if (!cupti->name)						\
		return false;
	CUPTI_FUNCTIONS(FIND)
	*(void **)&cupti->cuptiSubscribe_v2 =
		probe_symbol(library, "cuptiSubscribe_v2");
	return true;
}

static void *load(const char *name, int flags)
{
	return dlopen(name, RTLD_LAZY | RTLD_LOCAL | flags);
}

static void *mapped(void)
{
	char path[PATH_BYTES];

	return elf_find("libcupti.so", "cuptiGetVersion", path, sizeof(path)) ?
		       load(path, RTLD_NOLOAD) : NULL;
}

static int driver_major(void)
{
	int (*get)(int *version);
	int version = 0;

	*(void **)&get = elf_find("libcuda.so", "cuDriverGetVersion", NULL, 0);
	return get && !get(&version) ? version / 1000 : 0;
}

/* A name or path and a number below 100 behind it. */
static void *load_numbered(const char *name, int number)
{
	char text[PATH_BYTES + 16];
	size_t length = strlen(name);

	memcpy(text, name, length);
	if (number > 9)
		text[length++] = (char)('0' + number / 10);
	text[length++] = (char)('0' + number % 10);
	text[length] = '\0';
	return load(text, 0);
}

/* Until 11 the name has the minor version too. */
static void *load_newest(int major)
{
	void *library = NULL;
	int minor;

	for (; major >= 12 && !library; major--)
		library = load_numbered("libcupti.so.", major);
	for (minor = 8; minor >= 0 && !library; minor--)
		library = load_numbered("libcupti.so.11.", minor);
	return library ? library : load("libcupti.so", 0);
}

/* Places of libcupti, from the folder of a mapped library. */
static const struct {
	const char *beside; /* how that library's name begins */
	const char *place;
	int major; /* the driver must be of it or newer */
} places[] = {
	{ "libcudart.so", "libcupti.so.13", 13 },
	{ "libcudart.so", "libcupti.so.12", 12 },
	{ "libcudart.so", "../extras/CUPTI/lib64/libcupti.so", 0 },
	{ "libcudart.so", "../../cuda_cupti/lib/libcupti.so.12", 12 },
	{ "libcudart.so", "../../cuda_cupti/lib/libcupti.so.11.8", 11 },
	{ "libtorch", "../../nvidia/cu13/lib/libcupti.so.13", 13 },
	{ "libtorch", "../../nvidia/cuda_cupti/lib/libcupti.so.12", 12 },
	{ "libtorch", "../../nvidia/cuda_cupti/lib/libcupti.so.11.8", 11 },
	{ "libc10_cuda.so", "../../nvidia/cu13/lib/libcupti.so.13", 13 },
	{ "libc10_cuda.so", "../../nvidia/cuda_cupti/lib/libcupti.so.12", 12 },
};

struct folder {
	const char *beside;
	char path[PATH_BYTES]; /* with its last slash; room for a place */
};

static bool folder_of(const struct elf *elf, void *data)
{
	struct folder *folder = data;
	size_t length = (size_t)(elf->name - elf->path);

	if (strncmp(elf->name, folder->beside, strlen(folder->beside)) != 0 ||
	    !length || length > sizeof(folder->path) - 64)
		return false;
	memcpy(folder->path, elf->path, length);
	folder->path[length] = '\0';
	return true;
}

static void *load_beside(int major)
{
	struct folder folder;
	void *library = NULL;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(*places) && !library; i++) {
		folder.beside = places[i].beside;
		if (places[i].major > major || !elf_each(folder_of, &folder))
			continue;
		strcat(folder.path, places[i].place);
		library = load(folder.path, 0);
	}
	return library;
}

bool cupti_find(struct cupti *cupti)
{
	int major = driver_major();
	void *library = mapped();

	if (!library)
		library = load_newest(major);
	if (!library)
		library = load_beside(major);
	return library && resolve(cupti, library);
}
