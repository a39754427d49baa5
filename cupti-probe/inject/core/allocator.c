// SPDX-License-Identifier: Apache-2.0
/*
 * What PyTorch's allocator reports.  Its lock is held, and there may be a
 * hundred thousand of these a second: no system calls, and the clock is read
 * twice only now and then.  Where nobody sees the driver's calls it is here
 * that the driver is asked, ten times a second, how much is free.
 */

#include <errno.h>
#include <stdbool.h>

#include "core/account.h"
#include "core/core.h"
#include "core/episode.h"
#include "core/sample.h"
#include "core/state.h"
#include "core/store.h"

enum {
	TIMED = 8, /* of so many hooks one is timed */
	FLUSHED = 64 /* hooks, until their time goes to the header */
};

static void put(uint64_t *where, uint64_t value)
{
	__atomic_store_n(where, value, __ATOMIC_RELAXED);
}

/* The lock of the device's allocator keeps others from writing these. */
static void put_peak(uint64_t *peak, uint64_t value)
{
	if (value > __atomic_load_n(peak, __ATOMIC_RELAXED))
		put(peak, value);
}

static void keep_sums(unsigned int device, bool more, uint64_t allocated,
		      uint64_t reserved)
{
	struct la_probe_device *d = &store.device[device];

	put(&d->blocks, __atomic_load_n(&d->blocks, __ATOMIC_RELAXED) + more);
	put(&d->allocated, allocated);
	put(&d->reserved, reserved);
	put_peak(&d->peak_allocated, allocated);
	put_peak(&d->peak_reserved, reserved);
}

static void gain(const struct la_probe_record *record)
{
	struct la_probe_holding holding = {
		.addr = record->addr,
		.size = record->size,
		.time = record->time,
		.thread = store_thread(),
		.references = 1,
		.kind = LA_PROBE_KIND_BLOCK,
		.device = record->device,
	};

	store_add(&holding, NULL);
	if (me.episode.oom)
		episode_served();
}

static void took(uint64_t begin)
{
	if (me.block_count++ % TIMED == 0)
		me.block_time += (store_now() - begin) * TIMED;
	if (me.block_count % FLUSHED)
		return;
	hook_took(me.block_time);
	me.block_time = 0;
}

static bool driver_is_seen(void)
{
	const struct la_probe_view *view = &store.header->view[LA_PROBE_DRIVER];

	return __atomic_load_n(&view->from, __ATOMIC_RELAXED) &&
	       !__atomic_load_n(&view->until, __ATOMIC_RELAXED);
}

void probe_block(const void *addr, int64_t size, uint64_t allocated,
		 uint64_t reserved, unsigned int device)
{
	int saved = errno;
	struct la_probe_record record;

	if (device >= LA_PROBE_DEVICES || !size || !hook_begin())
		return;
	record = (struct la_probe_record){
		.time = store_now(),
		.addr = (uintptr_t)addr,
		.size = size > 0 ? (uint64_t)size : -(uint64_t)size,
		.stream = allocated,
		.other = reserved,
		.op = size > 0 ? LA_PROBE_OP_BLOCK_ALLOC :
				 LA_PROBE_OP_BLOCK_FREE,
		.device = (uint8_t)device,
	};
	if (size > 0)
		gain(&record);
	else
		store_remove(record.addr, LA_PROBE_KIND_BLOCK, NULL);
	keep_sums(device, size > 0, allocated, reserved);
	store_record(LA_PROBE_ALLOCATOR, &record);
	if (!driver_is_seen())
		sample_unseen(device, record.time);
	took(record.time);
	hook_end();
	errno = saved;
}

void probe_block_oom(int64_t size, uint64_t allocated, uint64_t reserved,
		     unsigned int device)
{
	int saved = errno;
	struct la_probe_record record;

	if (device >= LA_PROBE_DEVICES || !hook_begin())
		return;
	record = (struct la_probe_record){
		.time = store_now(),
		.size = (uint64_t)size,
		.stream = allocated,
		.other = reserved,
		.result = CUDA_ERROR_OUT_OF_MEMORY,
		.op = LA_PROBE_OP_BLOCK_OOM,
		.device = (uint8_t)device,
	};
	store_record(LA_PROBE_ALLOCATOR, &record);
	episode_reported(device, (uint64_t)size, allocated, reserved);
	hook_took(store_now() - record.time);
	hook_end();
	errno = saved;
}
