/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A CUDA without a GPU: libraries that tests load instead of the driver, CUPTI,
 * NVML and PyTorch's c10.  Variables that set their behaviour:
 *
 *   MOCK_CUDA_TOTAL=BYTES       memory of a device (16G)
 *   MOCK_CUDA_OTHERS=BYTES      of it: used by other processes (0)
 *   MOCK_CUDA_CONTEXT=BYTES     that a context takes (256M)
 *   MOCK_CUDA_DEVICES=N         devices (1)
 *   MOCK_CUDA_DRIVER=VERSION    cuDriverGetVersion (13000)
 *   MOCK_CUDA_PEERS=0           no device reaches another (1)
 *   MOCK_CUDA_TIMES=LIST        what calls take: "NAME:us:us-per-MiB ..."; of
 *                               each a fifth takes ten times as long.  By the
 *                               clock of libmock_clock.so, which stands still
 *                               otherwise
 *   MOCK_CUPTI_VERSION=N        cuptiGetVersion (by the library's major)
 *   MOCK_CUPTI_RESULT=N         what cuptiSubscribe answers
 *   MOCK_CUPTI_HOLDER=NAME      who has subscribed before the program began
 *   MOCK_CUPTI_RENAMED=ID       a callback whose name is another's
 *   MOCK_NVML_PROCESSES=LIST    "pid:bytes,..."; pid self is the caller
 *   MOCK_NVML_HANG=1            no function of NVML returns
 *
 * BYTES may end in K, M or G.
 */
#ifndef TESTS_MOCK_H
#define TESTS_MOCK_H

#include <stdint.h>
#include <stdlib.h>

#include "abi/calls.h"

#define MOCK_EXPORT __attribute__((visibility("default")))

/* Where libmock_clock.so is not loaded: NULL. */
#define MOCK_SPEND(name, bytes)				\
	do {						\
		if (mock_spend)				\
			mock_spend(name, bytes);	\
	} while (0)

/* One side of a call, as the driver tells CUPTI. */
struct mock_call {
	unsigned int exit; /* 0: before, 1: after */
	unsigned int id;
	const char *name;
	const void *params;
	CUresult *result; /* NULL before */
	CUcontext context;
	uint64_t *data; /* shared by both sides */
	uint32_t correlation;
};

typedef void (*mock_watcher)(const struct mock_call *call);

/* libcuda.so.1: whom it tells of each call, NULL: nobody. */
void mock_cuda_watch(mock_watcher watcher);

/* libcuda.so.1: bytes of a device as all processes see it. */
void mock_cuda_memory(int device, uint64_t *free, uint64_t *total);

/* libcuda.so.1: a call of a function, by its name without _vN, fails with a
 * result and does nothing: the next one after skip others. */
void mock_cuda_fail(const char *name, unsigned int skip, CUresult result);

/* libcuda.so.1: calls so far, things that the program has got and not given
 * back (events included), and what kernels can reach from which devices: bit
 * n for device n, of the mapping at an address. */
unsigned long mock_cuda_calls(void);
unsigned long mock_cuda_things(void);
unsigned int mock_cuda_access(uint64_t addr);

/* libcuda.so.1: events that are recorded from now on are not done until this
 * is taken back or somebody waits; whether it holds still. */
void mock_cuda_hold(int hold);
int mock_cuda_held(void);

/* libmock_clock.so: a call of a function has taken its time. */
__attribute__((weak)) void mock_spend(const char *name, uint64_t bytes);

/* Bytes of a variable or of a word, with its unit. */
static inline uint64_t mock_bytes(const char *text)
{
	char *end;
	uint64_t bytes = strtoull(text, &end, 0);

	return bytes << (*end == 'K' ? 10 : *end == 'M' ? 20 :
			 *end == 'G' ? 30 : 0);
}

static inline uint64_t mock_variable(const char *name, const char *otherwise)
{
	const char *text = getenv(name);

	return mock_bytes(text && *text ? text : otherwise);
}

#endif /* TESTS_MOCK_H */
