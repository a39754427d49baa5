/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA driver as a table of functions, and what its results mean. */
#ifndef LA_DEVICE_CUDA_DRIVER_H
#define LA_DEVICE_CUDA_DRIVER_H

#include <stdbool.h>

#include <liballoc/error.h>

#include "device/cuda-abi.h"

struct la_cu {
	void *library; /* owned: of dlopen() */
#define MEMBER(member, name, parameters) la_cu_result(*member) parameters;
	LA_CU_CALLS(MEMBER)
#undef MEMBER
};

enum la_cu_call {
#define NUMBER(member, name, parameters) LA_CU_CALL_##member,
	LA_CU_CALLS(NUMBER)
#undef NUMBER
};

/* Load the driver and initialise it; la_cu_close() at the end.  Returns 0 or
 * a negative errno value. */
int la_cu_open(struct la_cu *cu, struct la_error *err);
void la_cu_close(struct la_cu *cu);

/* A result as 0 or a negative errno value. */
int la_cu_errno(la_cu_result result);

/* Whether the process gets nothing else from the driver any more. */
bool la_cu_is_fatal(la_cu_result result);

/* Whether the driver is gone, as it is when a process ends. */
bool la_cu_is_gone(la_cu_result result);

/* One line: "cuMemCreate: out of memory (CUDA_ERROR_OUT_OF_MEMORY)". */
void la_cu_describe(const struct la_cu *cu, enum la_cu_call call,
		    la_cu_result result, char *text, size_t size);

#endif /* LA_DEVICE_CUDA_DRIVER_H */
