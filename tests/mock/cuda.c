/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcuda.so.1: every entry point of calls.txt.  Each tells its watcher, does
 * what do_NAME() says, or nothing, and tells it again.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "cuda-model.h"

enum {
	NOT_INITIALIZED = 3,
	NOT_FOUND = 500
};

#define PARENS_OFF(...) __VA_ARGS__

#define DECLARE(name, parameters, names)				\
	CUresult name parameters;					\
	__attribute__((weak, visibility("hidden")))			\
	CUresult do_##name(const struct name##_params *p);
PROBE_WRAPPERS(DECLARE)

static mock_watcher watcher;
static int initialized;
static uint32_t correlations;

MOCK_EXPORT void mock_cuda_watch(mock_watcher wanted)
{
	__atomic_store_n(&watcher, wanted, __ATOMIC_SEQ_CST);
}

static void tell(struct mock_call *call)
{
	mock_watcher who = __atomic_load_n(&watcher, __ATOMIC_SEQ_CST);

	if (who)
		who(call);
}

#define ID(name, id, since) static const unsigned int id_##name = id;
PROBE_CALLS(ID)

#define ENTRY(called, parameters, names)				\
	MOCK_EXPORT CUresult called parameters				\
	{								\
		struct called##_params params = { PARENS_OFF names };	\
		uint64_t data = 0;					\
		CUresult result = CUDA_SUCCESS;				\
		struct mock_call call = {				\
			.id = id_##called, .name = #called,		\
			.params = &params, .data = &data,		\
			.context = (CUcontext)current,			\
			.correlation = __atomic_add_fetch(		\
				&correlations, 1, __ATOMIC_RELAXED)	\
		};							\
									\
		if (!__atomic_load_n(&initialized, __ATOMIC_ACQUIRE))	\
			return NOT_INITIALIZED;				\
		tell(&call);						\
		result = model_due(#called);				\
		if (!result && do_##called)				\
			result = do_##called(&params);			\
		call.exit = 1;						\
		call.result = &result;					\
		call.context = (CUcontext)current;			\
		tell(&call);						\
		return result;						\
	}
PROBE_WRAPPERS(ENTRY)

/* As the driver does: the variable names one library. */
static void inject(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path && *path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*begin)(void);

	if (!library)
		return;
	begin = (int (*)(void))dlsym(library, "InitializeInjection");
	if (begin)
		begin();
}

CUresult cuInit(unsigned int flags);
MOCK_EXPORT CUresult cuInit(unsigned int flags)
{
	CUresult result = model_due(__func__);

	(void)flags;
	if (result)
		return result;
	if (!__atomic_exchange_n(&initialized, 1, __ATOMIC_ACQ_REL))
		inject();
	return CUDA_SUCCESS;
}

/* The entry points by name, for cuGetProcAddress(). */
static const struct function {
	const char *name;
	int since;
	void *address;
} functions[] = {
#define FUNCTION(name, id, since) { #name, since, (void *)name },
	PROBE_CALLS(FUNCTION)
#undef FUNCTION
};

/* Whether name is base with _vN or not, and _ptsz or not as wanted. */
static int variant(const char *name, const char *base, int per_thread)
{
	size_t length = strlen(base);

	if (strncmp(name, base, length) != 0)
		return 0;
	name += length;
	if (name[0] == '_' && name[1] == 'v' && name[2] > '0' && name[2] <= '9')
		name += 3;
	return strcmp(name, per_thread ? "_ptsz" : "") == 0;
}

static const struct function *newest(const char *base, int version,
				     int per_thread)
{
	const struct function *best = NULL;
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (variant(functions[i].name, base, per_thread) &&
		    functions[i].since <= version &&
		    (!best || functions[i].since >= best->since))
			best = &functions[i];
	return best;
}

CUresult cuGetProcAddress(const char *symbol, void **pfn, int version,
			  uint64_t flags);
CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int version,
			     uint64_t flags, unsigned int *status);

/* A function that is none of the entry points, by its own name or as _v2. */
static void *other(const char *symbol)
{
	void *self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void *address = self ? dlsym(self, symbol) : NULL;
	char second[64];

	snprintf(second, sizeof(second), "%s_v2", symbol);
	if (self && dlsym(self, second))
		address = dlsym(self, second);
	if (self)
		dlclose(self);
	return address;
}

static void *proc_address(const char *symbol, int version, uint64_t flags)
{
	const struct function *found;

	if (strcmp(symbol, "cuGetProcAddress") == 0)
		return version >= 12000 ? (void *)cuGetProcAddress_v2 :
					  (void *)cuGetProcAddress;
	found = flags & 2 ? newest(symbol, version, 1) : NULL;
	if (!found)
		found = newest(symbol, version, 0);
	if (found)
		return found->address;
	return strstr(symbol, "_v") ? NULL : other(symbol);
}

MOCK_EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **pfn,
					 int version, uint64_t flags,
					 unsigned int *status)
{
	*pfn = proc_address(symbol, version, flags);
	if (status)
		*status = *pfn ? 0 : 1;
	return *pfn || status ? CUDA_SUCCESS : NOT_FOUND;
}

MOCK_EXPORT CUresult cuGetProcAddress(const char *symbol, void **pfn,
				      int version, uint64_t flags)
{
	return cuGetProcAddress_v2(symbol, pfn, version, flags, NULL);
}
