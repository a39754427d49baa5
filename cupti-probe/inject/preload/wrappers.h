/* SPDX-License-Identifier: Apache-2.0 */
/* Exported functions that have the names of the driver's. */
#ifndef PROBE_PRELOAD_WRAPPERS_H
#define PROBE_PRELOAD_WRAPPERS_H

#include "abi/calls.h"

#define WRAPPER(name, parameters, names) CUresult name parameters;
PROBE_WRAPPERS(WRAPPER)
#undef WRAPPER

CUresult cuGetProcAddress(const char *symbol, void **pfn, int version,
			  uint64_t flags);
CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int version,
			     uint64_t flags, unsigned int *status);

#endif /* PROBE_PRELOAD_WRAPPERS_H */
