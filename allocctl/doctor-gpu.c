// SPDX-License-Identifier: Apache-2.0
/* GPUs by NVML, which comes with the driver, else by what the driver writes
 * into /proc. */
#include <stdio.h>
#include <string.h>

#include "child.h"
#include "doctor.h"
#include "platform.h"
#include "util/util.h"

/* A driver that sleeps takes a second for each GPU to wake up. */
enum { NVML_MS = 5000 };

/* As NVML declares them. */
struct memory {
	unsigned long long total, free, used;
};

typedef int simple_call(void);
typedef int version_call(char *out, unsigned int size);
typedef int count_call(unsigned int *out);
typedef int handle_call(unsigned int index, void **out);
typedef int name_call(void *gpu, char *out, unsigned int size);
typedef int memory_call(void *gpu, struct memory *out);
typedef int mig_call(void *gpu, unsigned int *now, unsigned int *pending);

struct nvml {
	void *library;
	simple_call *start, *stop;
	version_call *driver;
	count_call *count;
	handle_call *handle;
	name_call *name;
	memory_call *memory;
	mig_call *mig; /* NULL: a driver that has none */
};

/* A pointer to a function that is called so; C has no cast for it. */
static void take(struct nvml *nvml, const char *name, void *out)
{
	void *symbol = platform_library_symbol(nvml->library, name);

	memcpy(out, &symbol, sizeof(symbol));
}

static bool load(struct nvml *nvml)
{
	nvml->library = platform_library_open(platform_nvml);
	if (!nvml->library)
		return false;
	take(nvml, "nvmlInit_v2", &nvml->start);
	take(nvml, "nvmlShutdown", &nvml->stop);
	take(nvml, "nvmlSystemGetDriverVersion", &nvml->driver);
	take(nvml, "nvmlDeviceGetCount_v2", &nvml->count);
	take(nvml, "nvmlDeviceGetHandleByIndex_v2", &nvml->handle);
	take(nvml, "nvmlDeviceGetName", &nvml->name);
	take(nvml, "nvmlDeviceGetMemoryInfo", &nvml->memory);
	take(nvml, "nvmlDeviceGetMigMode", &nvml->mig);
	return nvml->start && nvml->stop && nvml->driver && nvml->count &&
	       nvml->handle && nvml->name && nvml->memory;
}

static void read_gpu(const struct nvml *nvml, unsigned int index,
		     struct doctor_gpus *gpus)
{
	struct doctor_gpu *gpu = &gpus->gpu[gpus->count];
	unsigned int now = 0, pending = 0;
	struct memory memory;
	void *handle;

	*gpu = (struct doctor_gpu){ .name = "unknown" };
	gpus->count++;
	if (nvml->handle(index, &handle))
		return;
	if (nvml->name(handle, gpu->name, sizeof(gpu->name)))
		strcpy(gpu->name, "unknown");
	gpu->name[sizeof(gpu->name) - 1] = '\0';
	if (!nvml->memory(handle, &memory)) {
		gpu->total = memory.total;
		gpu->used = memory.used;
	}
	if (nvml->mig && !nvml->mig(handle, &now, &pending))
		gpu->mig = now == 1;
}

static void ask_nvml(void *answer)
{
	struct doctor_gpus *gpus = answer;
	struct nvml nvml = { 0 };
	unsigned int i;
	int code;

	if (!load(&nvml)) {
		snprintf(gpus->why, sizeof(gpus->why), "no %s",
			 platform_nvml);
		return;
	}
	code = nvml.start();
	if (code) {
		snprintf(gpus->why, sizeof(gpus->why),
			 "NVML does not start: error %d", code);
		return;
	}
	gpus->how = "NVML";
	if (nvml.driver(gpus->driver, sizeof(gpus->driver)))
		*gpus->driver = '\0';
	gpus->driver[sizeof(gpus->driver) - 1] = '\0';
	if (nvml.count(&gpus->seen))
		gpus->seen = 0;
	for (i = 0; i < gpus->seen && i < DOCTOR_GPUS; i++)
		read_gpu(&nvml, i, gpus);
	nvml.stop();
}

/* "... Module  550.54.14  ...": the first word that is a number. */
static void read_driver(struct doctor_gpus *gpus)
{
	FILE *file = fopen("/proc/driver/nvidia/version", "r");
	char line[512], *word, *rest;

	if (!file)
		return;
	if (!fgets(line, sizeof(line), file))
		*line = '\0';
	fclose(file);
	gpus->how = "/proc/driver/nvidia";
	for (word = strtok_r(line, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest))
		if (strchr("0123456789", *word) && strchr(word, '.')) {
			snprintf(gpus->driver, sizeof(gpus->driver), "%.63s",
				 word);
			return;
		}
}

/* NVML may hang or crash where the driver is broken. */
void doctor_find_gpus(struct doctor_gpus *gpus)
{
	const char *trouble =
		child_ask(ask_nvml, gpus, sizeof(*gpus), NVML_MS);

	if (trouble)
		snprintf(gpus->why, sizeof(gpus->why), "NVML: %s", trouble);
	if (!gpus->how)
		read_driver(gpus);
}
