/* SPDX-License-Identifier: Apache-2.0 */
/* libnvidia-ml.so.1: the processes that a variable lists. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mock.h"

enum {
	INVALID_ARGUMENT = 2,
	NOT_FOUND = 6,
	INSUFFICIENT_SIZE = 7
};

struct process_v1 {
	unsigned int pid;
	unsigned long long used;
};

struct process {
	unsigned int pid;
	unsigned long long used;
	unsigned int gpu_instance, compute_instance;
};

struct memory {
	unsigned long long total, free, used;
};

struct memory_v2 {
	unsigned int version;
	unsigned long long total, reserved, free, used;
};

#define API(name, ...) \
	int name(__VA_ARGS__); \
	MOCK_EXPORT int name(__VA_ARGS__)

static int answer(int result)
{
	while (getenv("MOCK_NVML_HANG"))
		pause();
	return result;
}

API(nvmlInit_v2, void)
{
	return answer(0);
}

API(nvmlInit, void)
{
	return answer(0);
}

API(nvmlShutdown, void)
{
	return answer(0);
}


API(nvmlDeviceGetCount_v2, unsigned int *count)
{
	*count = (unsigned int)mock_variable("MOCK_CUDA_DEVICES", "1");
	return answer(0);
}

/* A handle is the device's index, counted from 1. */
API(nvmlDeviceGetHandleByIndex_v2, unsigned int index, void **device)
{
	if (index >= mock_variable("MOCK_CUDA_DEVICES", "1"))
		return answer(INVALID_ARGUMENT);
	*device = (void *)(uintptr_t)(index + 1);
	return answer(0);
}

static void uuid_of(unsigned int index, char text[96])
{
	const unsigned char *b = (const unsigned char *)"mock-device-uid";

	snprintf(text, 96,
		 "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-"
		 "%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3], b[4],
		 b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
		 b[14], '0' + index);
}

API(nvmlDeviceGetUUID, void *device, char *text, unsigned int length)
{
	char uuid[96];

	uuid_of((unsigned int)(uintptr_t)device - 1, uuid);
	if (length <= strlen(uuid))
		return answer(INSUFFICIENT_SIZE);
	strcpy(text, uuid);
	return answer(0);
}

API(nvmlDeviceGetHandleByUUID, const char *text, void **device)
{
	unsigned int i;
	char uuid[96];

	for (i = 0; i < mock_variable("MOCK_CUDA_DEVICES", "1"); i++) {
		uuid_of(i, uuid);
		if (strcmp(text, uuid) == 0)
			return nvmlDeviceGetHandleByIndex_v2(i, device);
	}
	return answer(NOT_FOUND);
}

API(nvmlDeviceGetHandleByPciBusId_v2, const char *id, void **device)
{
	unsigned int bus;

	if (sscanf(id, "%*x:%x", &bus) != 1)
		return answer(INVALID_ARGUMENT);
	return nvmlDeviceGetHandleByIndex_v2(bus - 1, device);
}

static struct memory memory_of(void *device)
{
	struct memory memory = { .total = mock_variable("MOCK_CUDA_TOTAL",
							"16G") };
	void *cuda = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void (*ask)(int, uint64_t *, uint64_t *) = NULL;
	uint64_t free = memory.total, total;

	if (cuda) {
		ask = (void (*)(int, uint64_t *, uint64_t *))
			dlsym(cuda, "mock_cuda_memory");
		if (ask)
			ask((int)(uintptr_t)device - 1, &free, &total);
		dlclose(cuda);
	}
	memory.free = free;
	memory.used = memory.total - free;
	return memory;
}

API(nvmlDeviceGetMemoryInfo, void *device, struct memory *memory)
{
	*memory = memory_of(device);
	return answer(0);
}

API(nvmlDeviceGetMemoryInfo_v2, void *device, struct memory_v2 *memory)
{
	struct memory known = memory_of(device);

	memory->total = known.total;
	memory->reserved = 0;
	memory->free = known.free;
	memory->used = known.used;
	return answer(0);
}

static unsigned int list(struct process *process, unsigned int room)
{
	const char *at = getenv("MOCK_NVML_PROCESSES");
	unsigned int n = 0;

	for (; at && *at; at = strchr(at, ','), at = at ? at + 1 : NULL) {
		const char *colon = strchr(at, ':');

		if (!colon)
			break;
		if (n < room) {
			process[n].pid = strncmp(at, "self", 4) == 0 ?
				(unsigned int)getpid() :
				(unsigned int)strtoul(at, NULL, 10);
			process[n].used = mock_bytes(colon + 1);
			process[n].gpu_instance = UINT32_MAX;
			process[n].compute_instance = UINT32_MAX;
		}
		n++;
	}
	return n;
}

API(nvmlDeviceGetComputeRunningProcesses_v3, void *device, unsigned int *count,
    struct process *process)
{
	unsigned int room = process ? *count : 0;

	if (device != (void *)1) {
		*count = 0;
		return answer(0);
	}
	*count = list(process, room);
	return answer(*count > room ? INSUFFICIENT_SIZE : 0);
}

API(nvmlDeviceGetComputeRunningProcesses_v2, void *device, unsigned int *count,
    struct process *process)
{
	return nvmlDeviceGetComputeRunningProcesses_v3(device, count, process);
}

API(nvmlDeviceGetComputeRunningProcesses, void *device, unsigned int *count,
    struct process_v1 *process)
{
	struct process all[64];
	unsigned int i, n = 64;

	if (nvmlDeviceGetComputeRunningProcesses_v3(device, &n, all) ||
	    n > *count) {
		*count = n;
		return answer(INSUFFICIENT_SIZE);
	}
	for (i = 0; process && i < n; i++)
		process[i] = (struct process_v1){ all[i].pid, all[i].used };
	*count = n;
	return answer(0);
}

API(nvmlDeviceGetGraphicsRunningProcesses_v3, void *device,
    unsigned int *count, struct process *process)
{
	(void)device;
	(void)process;
	*count = 0;
	return answer(0);
}

API(nvmlSystemGetProcessName, unsigned int pid, char *name, unsigned int length)
{
	snprintf(name, length, "process-%u", pid);
	return answer(0);
}
