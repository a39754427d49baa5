/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's functions, and what stands for them. */
#ifndef PROBE_PRELOAD_DRIVER_H
#define PROBE_PRELOAD_DRIVER_H

#include "abi/calls.h"

enum {
	DRIVER_PROC_ADDRESS = PROBE_ENTRY_COUNT, /* cuGetProcAddress */
	DRIVER_PROC_ADDRESS_V2,
	DRIVER_FUNCTIONS
};

/* Index of a function that has a wrapper, or -1. */
int driver_index(const char *name);

/* Our exported function of that index. */
void *driver_wrapper(int index);

/* What a wrapper calls: the next one that the program would have found
 * without us; NULL: there is no driver, or it lacks that function. */
void *driver_next(int index);

/* The wrapper of a function of libcuda; any other address as it is. */
void *driver_replace(void *address);

#endif /* PROBE_PRELOAD_DRIVER_H */
