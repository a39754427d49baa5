// SPDX-License-Identifier: Apache-2.0
/* Asks how much memory is free, and not too often. */

#include <stddef.h>

#include "core/driver.h"
#include "core/sample.h"
#include "core/store.h"

#define MSEC 1000000ull /* ns */

enum {
	PERIOD = 100, /* ms between samples */
	PERIOD_SLOW = 10000 /* ms, where answers take long */
};

static struct {
	uint64_t due[LA_PROBE_DEVICES]; /* time of the next sample */
	bool pools, graphs; /* are in use */
} state;

void sample_uses_pools(void)
{
	__atomic_store_n(&state.pools, true, __ATOMIC_RELAXED);
}

void sample_uses_graphs(void)
{
	__atomic_store_n(&state.graphs, true, __ATOMIC_RELAXED);
}

static void put(uint64_t *where, uint64_t value)
{
	__atomic_store_n(where, value, __ATOMIC_RELAXED);
}

void sample_pools(unsigned int device, CUmemoryPool failed)
{
	struct la_probe_device *d = &store.device[device];
	uint64_t reserved, used;

	if (__atomic_load_n(&state.pools, __ATOMIC_RELAXED) &&
	    driver_pools(device, failed, &reserved, &used)) {
		put(&d->pool_reserved, reserved);
		put(&d->pool_used, used);
	}
	if (__atomic_load_n(&state.graphs, __ATOMIC_RELAXED) &&
	    driver_graphs(device, &reserved, &used)) {
		put(&d->graph_reserved, reserved);
		put(&d->graph_used, used);
	}
}

void sample_seen(unsigned int device, uint64_t free, uint64_t total,
		 unsigned int call, uint64_t time)
{
	struct la_probe_record record = {
		.time = time,
		.size = free,
		.other = total,
		.call = (uint16_t)call,
		.op = LA_PROBE_OP_MEMORY,
		.device = (uint8_t)device,
	};
	struct la_probe_device *d;
	uint64_t least;

	store_record(LA_PROBE_DRIVER, &record);
	if (device >= LA_PROBE_DEVICES)
		return;
	d = &store.device[device];
	least = __atomic_load_n(&d->least_free, __ATOMIC_RELAXED);
	if (free < least || !__atomic_load_n(&d->free_time, __ATOMIC_RELAXED))
		put(&d->least_free, free);
	put(&d->free, free);
	put(&d->total, total);
	put(&d->free_time, time);
}

bool sample_take(unsigned int device, uint64_t *free, uint64_t *total)
{
	uint64_t begin = store_now(), end, period;
	bool done = driver_memory(free, total);

	end = store_now();
	period = (end - begin > MSEC ? PERIOD_SLOW : PERIOD) * MSEC;
	if (device < LA_PROBE_DEVICES)
		put(&state.due[device], end + period);
	if (done)
		sample_seen(device, *free, *total, 0, end);
	return done;
}

void sample_maybe(unsigned int device, uint64_t now)
{
	uint64_t free, total, due;

	if (device >= LA_PROBE_DEVICES || driver_captures())
		return;
	due = __atomic_load_n(&state.due[device], __ATOMIC_RELAXED);
	if (now < due ||
	    !__atomic_compare_exchange_n(&state.due[device], &due,
					 now + PERIOD * MSEC, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	if (sample_take(device, &free, &total))
		sample_pools(device, NULL);
}

void sample_unseen(unsigned int device, uint64_t now)
{
	CUcontext context;
	unsigned int here;

	if (now < __atomic_load_n(&state.due[device], __ATOMIC_RELAXED) ||
	    !driver_here(&context, &here) || here != device)
		return;
	driver_describe();
	sample_maybe(device, now);
}
