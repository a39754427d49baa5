/* SPDX-License-Identifier: Apache-2.0 */
#include "preload/wrappers.h"

#include "core/core.h"
#include "preload/driver.h"
#include "preload/preload.h"
#include "preload/symbol.h"

#define EXPORT __attribute__((visibility("default")))
#define BARE(...) __VA_ARGS__

enum {
	CUDA_ERROR_NOT_INITIALIZED = 3
};

#define WRAPPER(called, parameters, names)				\
	EXPORT CUresult called parameters				\
	{								\
		__typeof__(&called) next = (__typeof__(&called))	\
			driver_next(PROBE_##called);			\
		const struct called##_params params = { BARE names };	\
		CUresult result;					\
									\
		if (!next)						\
			return CUDA_ERROR_NOT_INITIALIZED;		\
		if (!preload_sees() ||					\
		    !probe_enter(PROBE_##called, &params))		\
			return next names;				\
		result = next names;					\
		probe_exit(PROBE_##called, &params, result);		\
		return result;						\
	}
PROBE_WRAPPERS(WRAPPER)

/* The caller's pointer leads to our wrapper from now on. */
static void replace(int result, void **pfn, const void *caller)
{
	if (!result && pfn && *pfn && !symbol_is_for_itself(caller))
		*pfn = driver_replace(*pfn);
}

EXPORT CUresult cuGetProcAddress(const char *symbol, void **pfn, int version,
				 uint64_t flags)
{
	__typeof__(&cuGetProcAddress) next = (__typeof__(&cuGetProcAddress))
		driver_next(DRIVER_PROC_ADDRESS);
	CUresult result;

	if (!next)
		return CUDA_ERROR_NOT_INITIALIZED;
	result = next(symbol, pfn, version, flags);
	replace(result, pfn, __builtin_return_address(0));
	return result;
}

EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **pfn,
				    int version, uint64_t flags,
				    unsigned int *status)
{
	__typeof__(&cuGetProcAddress_v2) next =
		(__typeof__(&cuGetProcAddress_v2))
		driver_next(DRIVER_PROC_ADDRESS_V2);
	CUresult result;

	if (!next)
		return CUDA_ERROR_NOT_INITIALIZED;
	result = next(symbol, pfn, version, flags, status);
	replace(result, pfn, __builtin_return_address(0));
	return result;
}
