// SPDX-License-Identifier: Apache-2.0
/* Asks the driver about contexts, devices and memory, from inside of hooks. */

#include <dlfcn.h>
#include <string.h>

#include "core/core.h"
#include "core/driver.h"
#include "core/store.h"

struct driver driver;

static struct {
	bool opening; /* by one thread at a time */
	bool expected; /* there was a call: one look from inside of hooks */
	bool described; /* the devices are in the file, or will be */
	int captures; /* that are open */
} seen;

void driver_open(void)
{
	void *library;

	if (__atomic_load_n(&driver.ready, __ATOMIC_ACQUIRE) ||
	    __atomic_exchange_n(&seen.opening, true, __ATOMIC_ACQUIRE))
		return;
	library = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
	if (library) {
#define X(member, symbol, parameters) \
	driver.member = (CUresult(*) parameters)probe_symbol(library, symbol);
		DRIVER_SYMBOLS(X)
#undef X
		__atomic_store_n(&driver.ready, true, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&seen.opening, false, __ATOMIC_RELEASE);
}

static bool is_ready(void)
{
	return __atomic_load_n(&driver.ready, __ATOMIC_ACQUIRE);
}

static void describe_device(CUdevice ordinal)
{
	struct la_probe_device *device = &store.device[ordinal];
	uint8_t uuid[sizeof(device->uuid)];
	size_t total = 0;

	if (driver.name)
		(void)driver.name(device->name, sizeof(device->name), ordinal);
	if (driver.total && !driver.total(&total, ordinal))
		__atomic_store_n(&device->total, total, __ATOMIC_RELAXED);
	if ((driver.uuid && !driver.uuid(uuid, ordinal)) ||
	    (driver.uuid_v1 && !driver.uuid_v1(uuid, ordinal)))
		memcpy(device->uuid, uuid, sizeof(uuid));
}

void driver_describe(void)
{
	int version = 0, count = 0, i;

	if (__atomic_load_n(&seen.described, __ATOMIC_ACQUIRE))
		return;
	if (!is_ready() &&
	    !__atomic_exchange_n(&seen.expected, true, __ATOMIC_RELAXED))
		driver_open();
	if (!is_ready() || !driver.count || driver.count(&count) ||
	    __atomic_exchange_n(&seen.described, true, __ATOMIC_ACQ_REL))
		return;
	if (driver.version && !driver.version(&version))
		store.header->driver_version = version;
	if (count > LA_PROBE_DEVICES)
		count = LA_PROBE_DEVICES;
	for (i = 0; i < count; i++)
		describe_device(i);
	__atomic_store_n(&store.header->device_count, count, __ATOMIC_RELEASE);
}

bool driver_here(CUcontext *context, unsigned int *device)
{
	CUdevice ordinal;

	*context = NULL;
	if (!is_ready() || !driver.context || driver.context(context) ||
	    !*context || !driver.device || driver.device(&ordinal) ||
	    ordinal < 0 || ordinal >= LA_PROBE_DEVICES)
		return false;
	*device = ordinal;
	return true;
}

/* Queries are allowed in every capture mode but may count as unsafe in a
 * strict one: the thread's mode is relaxed around them. */
static bool relax(unsigned int *mode)
{
	*mode = CAPTURE_MODE_RELAXED;
	return driver.exchange && !driver.exchange(mode);
}

static void restore(bool relaxed, unsigned int *mode)
{
	if (relaxed)
		(void)driver.exchange(mode);
}

bool driver_memory(uint64_t *free, uint64_t *total)
{
	size_t answer[2];
	unsigned int mode;
	bool relaxed, done;

	if (!is_ready() || !driver.memory)
		return false;
	relaxed = relax(&mode);
	done = !driver.memory(&answer[0], &answer[1]);
	restore(relaxed, &mode);
	if (!done)
		return false;
	*free = answer[0];
	*total = answer[1];
	return true;
}

bool driver_memory_of(CUcontext context, uint64_t *free, uint64_t *total)
{
	bool done;

	if (!is_ready() || !driver.push || !driver.pop || driver.push(context))
		return false;
	done = driver_memory(free, total);
	(void)driver.pop(&context);
	return done;
}

/* Inside of a strict capture this attribute makes the capture invalid. */
static bool add_pool(CUmemoryPool pool, uint64_t *reserved, uint64_t *used)
{
	uint64_t r = 0, u = 0;

	if (driver.pool_attribute(pool, POOL_RESERVED_CURRENT, &r) ||
	    driver.pool_attribute(pool, POOL_USED_CURRENT, &u))
		return false;
	*reserved += r;
	*used += u;
	return true;
}

CUmemoryPool driver_pool(unsigned int device)
{
	CUmemoryPool pool = NULL;

	if (is_ready() && driver.pool_current &&
	    driver.pool_current(&pool, (CUdevice)device))
		return NULL;
	return pool;
}

bool driver_pools(unsigned int device, CUmemoryPool more, uint64_t *reserved,
		  uint64_t *used)
{
	CUmemoryPool base = NULL;
	uint64_t r = 0, u = 0;
	unsigned int mode;
	bool done = false;
	bool relaxed;

	if (!is_ready() || !driver.pool_default || !driver.pool_attribute)
		return false;
	relaxed = relax(&mode);
	if (relaxed || !driver_captures()) {
		(void)driver.pool_default(&base, (CUdevice)device);
		done = base && add_pool(base, &r, &u);
		if (more && more != base)
			done |= add_pool(more, &r, &u);
	}
	restore(relaxed, &mode);
	if (!done)
		return false;
	*reserved = r;
	*used = u;
	return true;
}

bool driver_graphs(unsigned int device, uint64_t *reserved, uint64_t *used)
{
	uint64_t r = 0, u = 0;
	unsigned int mode;
	bool relaxed, done;

	if (!is_ready() || !driver.graph_attribute)
		return false;
	relaxed = relax(&mode);
	done = !driver.graph_attribute((CUdevice)device, GRAPH_RESERVED_CURRENT,
				       &r) &&
	       !driver.graph_attribute((CUdevice)device, GRAPH_USED_CURRENT,
				       &u);
	restore(relaxed, &mode);
	if (!done)
		return false;
	*reserved = r;
	*used = u;
	return true;
}

bool driver_primary_is_active(CUdevice device)
{
	unsigned int flags;
	int active = 0;

	return is_ready() && driver.primary &&
	       !driver.primary(device, &flags, &active) && active;
}

uint64_t driver_size(CUdeviceptr addr)
{
	size_t size = 0;

	if (!is_ready() || !driver.range || driver.range(NULL, &size, addr))
		return 0;
	return size;
}

void driver_capture(int change)
{
	int count = __atomic_load_n(&seen.captures, __ATOMIC_RELAXED);
	int next;

	do {
		next = count + change < 0 ? 0 : count + change;
	} while (!__atomic_compare_exchange_n(&seen.captures, &count, next,
					      true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
}

bool driver_captures(void)
{
	return __atomic_load_n(&seen.captures, __ATOMIC_RELAXED) > 0;
}

bool driver_is_captured(CUstream stream, bool ptsz)
{
	unsigned int status = CAPTURE_STATUS_NONE;
	CUresult (*ask)(CUstream, unsigned int *);

	if (!driver_captures() || !is_ready())
		return false;
	ask = ptsz ? driver.capturing_ptsz : driver.capturing;
	return ask && !ask(stream, &status) && status == CAPTURE_STATUS_ACTIVE;
}
