// SPDX-License-Identifier: Apache-2.0
/* A driver for the probe to ask. */

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"
#include "core/driver.h"
#include "core/store.h"
#include "support/probe-driver.h"

struct probe_driver probe_driver = {
	.free = UINT64_C(70) << 30,
	.total = UINT64_C(80) << 30,
	.context = 0xc0,
};

static char folder[64];

/* What an answer about memory costs a capture that is not relaxed. */
static void look_at_mode(void)
{
	if (probe_driver.captured && probe_driver.mode != CAPTURE_MODE_RELAXED)
		probe_driver.strict = true;
}

static CUresult get_memory(size_t *free_bytes, size_t *total)
{
	struct timespec wait = { 0, (long)probe_driver.delay };

	if (!probe_driver.context)
		return 201;
	look_at_mode();
	if (wait.tv_nsec)
		nanosleep(&wait, NULL);
	__atomic_fetch_add(&probe_driver.asked, 1, __ATOMIC_RELAXED);
	*free_bytes = probe_driver.free;
	*total = probe_driver.total;
	return 0;
}

static CUresult get_context(CUcontext *context)
{
	*context = (CUcontext)probe_driver.context;
	return 0;
}

static CUresult get_device(CUdevice *device)
{
	*device = probe_driver.device;
	return probe_driver.context ? 0 : 201;
}

static CUresult push(CUcontext context)
{
	ck_assert_uint_eq(probe_driver.context, 0);
	probe_driver.context = (uintptr_t)context;
	return 0;
}

static CUresult pop(CUcontext *context)
{
	*context = (CUcontext)probe_driver.context;
	probe_driver.context = 0;
	return 0;
}

static CUresult get_primary(CUdevice device, unsigned int *flags, int *active)
{
	(void)device;
	*flags = 0;
	*active = probe_driver.active;
	return 0;
}

static CUresult get_count(int *count)
{
	*count = 2;
	return 0;
}

static CUresult get_name(char *name, int size, CUdevice device)
{
	snprintf(name, (size_t)size, "Card %d", device);
	return 0;
}

static CUresult get_uuid(void *uuid, CUdevice device)
{
	memset(uuid, 0x10 + device, 16);
	return 0;
}

static CUresult get_pool(CUmemoryPool *pool, CUdevice device)
{
	*pool = (CUmemoryPool)(uintptr_t)(0x500 + device);
	return 0;
}

static CUresult get_attribute(CUmemoryPool pool, unsigned int attribute,
			      void *value)
{
	(void)pool;
	look_at_mode();
	probe_driver.pools_asked++;
	*(uint64_t *)value = attribute == POOL_RESERVED_CURRENT ?
				     probe_driver.reserved :
				     probe_driver.used;
	return 0;
}

static CUresult exchange(unsigned int *mode)
{
	unsigned int old = probe_driver.mode;

	probe_driver.mode = *mode;
	*mode = old;
	return 0;
}

static CUresult is_capturing(CUstream stream, unsigned int *status)
{
	*status = probe_driver.captured &&
		  (uintptr_t)stream == probe_driver.captured;
	return 0;
}

void probe_driver_start(void)
{
	snprintf(folder, sizeof(folder), "/tmp/test-probe-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	setenv("CUPTI_PROBE_DIR", folder, 1);
	setenv("CUPTI_PROBE_SIZE", "8M", 1);
	setenv("CUPTI_PROBE_NVML", "off", 0);
	setenv("CUPTI_PROBE_REPORT", "off", 0);
	driver = (struct driver){
		.memory = get_memory,
		.context = get_context,
		.device = get_device,
		.push = push,
		.pop = pop,
		.primary = get_primary,
		.count = get_count,
		.name = get_name,
		.uuid = get_uuid,
		.pool_default = get_pool,
		.pool_current = get_pool,
		.pool_attribute = get_attribute,
		.exchange = exchange,
		.capturing = is_capturing,
		.capturing_ptsz = is_capturing,
		.ready = true,
	};
	ck_assert(probe_start(LA_PROBE_FRONT_PRELOAD));
}

void probe_driver_end(void)
{
	unlink(store.path);
	rmdir(folder);
}
