/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who else is on a device, as NVML tells.  A thread of its own asks, so that
 * a driver that hangs holds up nobody: hooks wait for it at most NVML_WAIT.
 *
 * The own process is known by its pid, unless one of that pid was there before
 * its first context, or, in a container where NVML's pids are those of the
 * host, by being the only newcomer since then; else it stays unknown.
 */
#ifndef PROBE_NVML_H
#define PROBE_NVML_H

#include <stdbool.h>
#include <stdint.h>

#include <liballoc/probe-format.h>

#define NVML_WAIT 30000000ull /* ns; a hook may take 50 ms in all */
/* ns, once a process, before its first context, which takes longer itself */
#define NVML_WAIT_BEFORE 150000000ull

typedef struct nvmlDevice_st *nvml_device;

struct nvml_memory_v1 {
	unsigned long long total, free, used; /* bytes */
};

struct nvml_memory_v2 {
	unsigned int version;
	unsigned long long total, reserved, free, used; /* bytes */
};

struct nvml_process {
	unsigned int pid;
	unsigned long long used; /* bytes; all ones: not told */
	unsigned int instance, compute_instance;
};

/* X(member, symbol, parameters); 0 is success; symbols that there may not
 * be stay NULL. */
#define NVML_SYMBOLS(X) \
	X(init, "nvmlInit_v2", (void)) \
	X(count, "nvmlDeviceGetCount_v2", (unsigned int *count)) \
	X(by_index, "nvmlDeviceGetHandleByIndex_v2", \
	  (unsigned int index, nvml_device *device)) \
	X(by_uuid, "nvmlDeviceGetHandleByUUID", \
	  (const char *uuid, nvml_device *device)) \
	X(uuid, "nvmlDeviceGetUUID", \
	  (nvml_device device, char *uuid, unsigned int size)) \
	X(memory, "nvmlDeviceGetMemoryInfo", \
	  (nvml_device device, struct nvml_memory_v1 *memory)) \
	X(memory_v2, "nvmlDeviceGetMemoryInfo_v2", \
	  (nvml_device device, struct nvml_memory_v2 *memory)) \
	X(processes, "nvmlDeviceGetComputeRunningProcesses_v3", \
	  (nvml_device device, unsigned int *count, struct nvml_process *out)) \
	X(processes_v2, "nvmlDeviceGetComputeRunningProcesses_v2", \
	  (nvml_device device, unsigned int *count, struct nvml_process *out))

/* NVML's functions.  Filled by the thread; ready is stored last. */
struct nvml {
#define X(member, symbol, parameters) int(*member) parameters;
	NVML_SYMBOLS(X)
#undef X
	bool ready;
};

extern struct nvml nvml;

/* The thread may begin when there is something to ask. */
void nvml_allow(void);

/* Bytes that were free before the process had a context on any device: waits
 * for the answer. */
bool nvml_free_before(unsigned int device, uint64_t *free);

/* A context is there: look who came. */
void nvml_find_self(unsigned int device);

/* Begin to ask about a device; the time to give to nvml_fill(). */
uint64_t nvml_ask(unsigned int device);

/* Write what was answered since asked to an OOM, waiting until a time; 0: not
 * at all.  False: there is no answer yet. */
bool nvml_fill(struct la_probe_oom *oom, unsigned int device, uint64_t asked,
	       uint64_t until);

#endif /* PROBE_NVML_H */
