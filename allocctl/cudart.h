/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA runtime, as torch calls it; proven by tests/toolkit. */
#ifndef ALLOCCTL_CUDART_H
#define ALLOCCTL_CUDART_H

#include <stdbool.h>
#include <stddef.h>

/* X(member, name, result, parameters) */
#define CUDART_CALLS(X)                                 \
	X(set_device, cudaSetDevice, int, (int))        \
	X(version, cudaRuntimeGetVersion, int, (int *)) \
	X(malloc, cudaMalloc, int, (void **, size_t))   \
	X(free, cudaFree, int, (void *))                \
	X(error_text, cudaGetErrorString, const char *, (int))

struct cudart {
#define MEMBER(member, name, result, parameters) result(*member) parameters;
	CUDART_CALLS(MEMBER)
#undef MEMBER
	char path[4096]; /* what was loaded */
};

/*
 * Load it for a device: the file at path; without one, that of the torch which
 * a python here would import, else what the system has.  False after a message.
 */
bool cudart_open(struct cudart *cudart, const char *path, int device);

/* Say which call failed how. */
void cudart_complain(const struct cudart *cudart, const char *call, int result);

#endif /* ALLOCCTL_CUDART_H */
