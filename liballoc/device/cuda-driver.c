// SPDX-License-Identifier: Apache-2.0
/* The CUDA driver as a table of functions, and what its results mean. */

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "device/cuda-driver.h"
#include "util/error.h"
#include "util/util.h"

#define LIBRARY "libcuda.so.1"

typedef la_cu_result get_address(const char *name, void **address, int since,
				 uint64_t flags, unsigned int *status);
typedef la_cu_result get_address_v1(const char *name, void **address, int since,
				    uint64_t flags);

/* Drivers before 12.0 have the shorter one alone. */
struct finder {
	get_address *get;
	get_address_v1 *get_v1;
};

static void *find(const struct finder *finder, const char *name)
{
	void *address = NULL;
	unsigned int status = 0;
	la_cu_result result;

	if (finder->get)
		result = finder->get(name, &address, LA_CU_SINCE,
				     LA_CU_LEGACY_STREAM, &status);
	else
		result = finder->get_v1(name, &address, LA_CU_SINCE,
					LA_CU_LEGACY_STREAM);
	return result ? NULL : address;
}

static int find_all(struct la_cu *cu, struct la_error *err)
{
	struct finder finder = { NULL, NULL };

	*(void **)&finder.get = dlsym(cu->library, "cuGetProcAddress_v2");
	*(void **)&finder.get_v1 = dlsym(cu->library, "cuGetProcAddress");
	if (!finder.get && !finder.get_v1)
		return la_error_set(err, -ENOTSUP, LA_NO_OFFSET,
				    "the driver is older than CUDA 11.3");
#define FIND(member, name, parameters)                           \
	*(void **)&cu->member = find(&finder, #name);            \
	if (!cu->member)                                         \
		return la_error_set(err, -ENOTSUP, LA_NO_OFFSET, \
				    "the driver lacks '%s'", #name);
	LA_CU_CALLS(FIND)
#undef FIND
	return 0;
}

static int begin(struct la_cu *cu, struct la_error *err)
{
	char text[200];
	la_cu_result result;
	int code = find_all(cu, err);

	if (code < 0)
		return code;
	result = cu->init(0);
	if (!result)
		return 0;
	la_cu_describe(cu, LA_CU_CALL_init, result, text, sizeof(text));
	return la_error_set(err, la_cu_errno(result), LA_NO_OFFSET, "%s", text);
}

int la_cu_open(struct la_cu *cu, struct la_error *err)
{
	int code;

	/* The driver has threads of its own, which outlive its handle. */
	cu->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!cu->library)
		return la_error_set(err, -ENODEV, LA_NO_OFFSET,
				    "no NVIDIA driver: no '%s'", LIBRARY);
	code = begin(cu, err);
	if (code < 0)
		la_cu_close(cu);
	return code;
}

void la_cu_close(struct la_cu *cu)
{
	dlclose(cu->library);
}

/* The driver's name of a function. */
static const char *call_name(enum la_cu_call call)
{
	static const char *const name[] = {
#define NAME(member, called, parameters) #called,
		LA_CU_CALLS(NAME)
#undef NAME
	};

	return name[call];
}

bool la_cu_is_fatal(la_cu_result result)
{
	static const la_cu_result fatal[] = {
		LA_CU_ECC_UNCORRECTABLE,
		LA_CU_NVLINK_UNCORRECTABLE,
		LA_CU_CONTAINED,
		LA_CU_ILLEGAL_ADDRESS,
		LA_CU_LAUNCH_TIMEOUT,
		LA_CU_ASSERT,
		LA_CU_HARDWARE_STACK_ERROR,
		LA_CU_ILLEGAL_INSTRUCTION,
		LA_CU_MISALIGNED_ADDRESS,
		LA_CU_INVALID_ADDRESS_SPACE,
		LA_CU_INVALID_PC,
		LA_CU_LAUNCH_FAILED,
		LA_CU_TENSOR_MEMORY_LEAK,
		LA_CU_MPS_CLIENT_TERMINATED,
		LA_CU_EXTERNAL_DEVICE,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fatal); i++)
		if (fatal[i] == result)
			return true;
	return false;
}

bool la_cu_is_gone(la_cu_result result)
{
	return result == LA_CU_DEINITIALIZED ||
	       result == LA_CU_NOT_INITIALIZED ||
	       result == LA_CU_CONTEXT_IS_DESTROYED;
}

int la_cu_errno(la_cu_result result)
{
	if (la_cu_is_gone(result))
		return -ESHUTDOWN;
	if (result >= LA_CU_CAPTURE_FIRST && result <= LA_CU_CAPTURE_LAST)
		return -EBUSY;
	switch (result) {
	case LA_CU_SUCCESS:
		return 0;
	case LA_CU_INVALID_VALUE:
		return -EINVAL;
	case LA_CU_OUT_OF_MEMORY:
		return -ENOSPC;
	case LA_CU_NO_DEVICE:
	case LA_CU_INVALID_DEVICE:
		return -ENODEV;
	case LA_CU_NOT_PERMITTED:
		return -EPERM;
	case LA_CU_NOT_SUPPORTED:
	case LA_CU_PEER_ACCESS_UNSUPPORTED:
		return -ENOTSUP;
	default:
		return -EIO;
	}
}

void la_cu_describe(const struct la_cu *cu, enum la_cu_call call,
		    la_cu_result result, char *text, size_t size)
{
	const char *name = NULL, *meaning = NULL;

	if (cu->error_name(result, &name) || !name)
		name = "no name";
	if (cu->error_text(result, &meaning) || !meaning)
		meaning = "unknown error";
	snprintf(text, size, "%s: %s (%d, %s)", call_name(call), meaning,
		 result, name);
}
