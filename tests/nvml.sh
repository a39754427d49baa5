# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What allocctl doctor asks of NVML, as it is declared there; sourced.

nvml_source() {	# in C, with two GPUs, of which the second is divided
	cat <<'END'
#include <stdio.h>
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
int nvmlSystemGetDriverVersion(char *out, unsigned int size)
{
	snprintf(out, size, "580.65.06");
	return 0;
}
int nvmlDeviceGetCount_v2(unsigned int *out) { *out = 2; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned int i, void **out)
{
	*out = (char *)0 + i + 1;
	return 0;
}
int nvmlDeviceGetName(void *gpu, char *out, unsigned int size)
{
	snprintf(out, size, "NVIDIA H%d", gpu == (char *)0 + 1 ? 200 : 100);
	return 0;
}
int nvmlDeviceGetMemoryInfo(void *gpu, unsigned long long *out)
{
	(void)gpu;
	out[0] = 3ull << 30;
	out[1] = 2ull << 30;
	out[2] = 1ull << 30;
	return 0;
}
int nvmlDeviceGetMigMode(void *gpu, unsigned int *now, unsigned int *next)
{
	*now = *next = gpu != (char *)0 + 1;
	return 0;
}
END
}
