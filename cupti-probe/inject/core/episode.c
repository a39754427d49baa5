// SPDX-License-Identifier: Apache-2.0
/* Opens and ends episodes; the states are explained in episode.h. */

#include <string.h>

#include "core/core.h"
#include "core/driver.h"
#include "core/episode.h"
#include "core/nvml.h"
#include "core/reporter.h"
#include "core/sample.h"
#include "core/state.h"
#include "core/store.h"

/* ns between waits for NVML at first failures: retries may be many */
#define NVML_PAUSE 1000000000ull

/* Of each episode, in memory of the process alone. */
static struct {
	uint64_t last; /* time of its last failure or free */
	uint64_t asked; /* time of asking NVML; 0: not */
	bool open; /* nothing has decided it */
	bool inside; /* its thread is in a call */
} watch[LA_PROBE_OOMS];

static uint64_t nvml_waited; /* time */

static uint64_t get(const uint64_t *where)
{
	return __atomic_load_n(where, __ATOMIC_RELAXED);
}

static void put(uint64_t *where, uint64_t value)
{
	__atomic_store_n(where, value, __ATOMIC_RELAXED);
}

static void add(uint64_t *where, uint64_t value)
{
	__atomic_fetch_add(where, value, __ATOMIC_RELAXED);
}

static void set(bool *where, bool value)
{
	__atomic_store_n(where, value, __ATOMIC_RELEASE);
}

static bool is_set(const bool *where)
{
	return __atomic_load_n(where, __ATOMIC_ACQUIRE);
}

static uint32_t state_of(const struct la_probe_oom *oom)
{
	return __atomic_load_n(&oom->state, __ATOMIC_ACQUIRE);
}

static unsigned int index_of(const struct la_probe_oom *oom)
{
	return (unsigned int)(oom - store.oom);
}

static struct la_probe_oom *current(const struct episode *e)
{
	if (!e->oom ||
	    __atomic_load_n(&e->oom->serial, __ATOMIC_ACQUIRE) != e->serial)
		return NULL;
	return e->oom;
}

static void note(enum la_probe_op op, const struct la_probe_oom *oom,
		 uint64_t addr, uint64_t size, uint64_t time)
{
	struct la_probe_record record = {
		.time = time,
		.addr = addr,
		.size = size,
		.other = index_of(oom),
		.call = (uint16_t)oom->call,
		.op = op,
		.device = (uint8_t)oom->device,
	};

	store_record(LA_PROBE_DRIVER, &record);
}

static bool is_oom(uint32_t state)
{
	return state >= LA_PROBE_OOM_REPORTED;
}

static void count(const struct la_probe_oom *oom, uint32_t from, uint32_t to)
{
	struct la_probe_device *device =
		oom->device < LA_PROBE_DEVICES ? &store.device[oom->device] :
						 NULL;
	uint64_t ooms = (uint64_t)is_oom(to) - (uint64_t)is_oom(from);
	uint64_t retries = to == LA_PROBE_OOM_RETRIED;

	add(&store.header->ooms, ooms);
	add(&store.header->retries, retries);
	if (!device)
		return;
	add(&device->ooms, ooms);
	add(&device->retries, retries);
}

/* What the device holds, as far as it is known without asking. */
static void keep_holders(struct la_probe_oom *oom)
{
	const struct la_probe_device *device;
	int i;

	if (oom->device >= LA_PROBE_DEVICES)
		return;
	device = &store.device[oom->device];
	for (i = 0; i < LA_PROBE_KIND_COUNT; i++)
		put(&oom->live[i], get(&device->live[i]));
	put(&oom->context, get(&device->context));
	put(&oom->pool_reserved, get(&device->pool_reserved));
	put(&oom->pool_used, get(&device->pool_used));
	put(&oom->graph_reserved, get(&device->graph_reserved));
	put(&oom->graph_used, get(&device->graph_used));
}

/* From one state to another; false: somebody else was faster. */
static bool settle(struct la_probe_oom *oom, uint32_t from, uint32_t to,
		   uint64_t now)
{
	if (!__atomic_compare_exchange_n(&oom->state, &from, to, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	put(&oom->closed, to == LA_PROBE_OOM_OPEN ? 0 : now);
	set(&watch[index_of(oom)].open, to == LA_PROBE_OOM_OPEN);
	count(oom, from, to);
	if (to == LA_PROBE_OOM_OPEN)
		return true;
	keep_holders(oom);
	note(LA_PROBE_OP_EPISODE_CLOSE, oom, to, oom->size, now);
	if (to == LA_PROBE_OOM_REPORTED)
		reporter_want(now);
	else if (is_oom(to))
		reporter_want(now + RETRY_WAIT);
	return true;
}

static void ask_processes(struct la_probe_oom *oom, uint64_t now)
{
	struct episode *e = &me.episode;
	uint64_t waited = get(&nvml_waited);

	e->asked = nvml_ask(oom->device);
	put(&watch[index_of(oom)].asked, e->asked);
	if (now - waited < NVML_PAUSE)
		return;
	put(&nvml_waited, now);
	(void)nvml_fill(oom, oom->device, e->asked, now + NVML_WAIT);
}

/* Begin with a slot, which nobody else sees before publish(). */
static struct la_probe_oom *open_slot(unsigned int device, uint64_t now)
{
	struct episode *e = &me.episode;
	struct la_probe_oom *oom;
	unsigned int i;

	memset(e, 0, sizeof(*e));
	oom = store_oom(&e->serial);
	i = index_of(oom);
	put(&watch[i].last, now);
	put(&watch[i].asked, 0);
	set(&watch[i].inside, false);
	oom->time = now;
	oom->thread = store_thread();
	oom->device = device;
	e->oom = oom;
	return oom;
}

static void publish(struct la_probe_oom *oom)
{
	keep_holders(oom);
	__atomic_store_n(&oom->state, LA_PROBE_OOM_OPEN, __ATOMIC_RELEASE);
	set(&watch[index_of(oom)].open, true);
	__atomic_store_n(&oom->serial, me.episode.serial, __ATOMIC_RELEASE);
	add(&store.header->episodes, 1);
}

/* The pool that the failing call took from, or NULL. */
static CUmemoryPool pool_of(const struct la_probe_record *record)
{
	if (record->op != LA_PROBE_OP_ASYNC_ALLOC)
		return NULL;
	if (record->other)
		return (CUmemoryPool)(uintptr_t)record->other;
	return driver_pool(record->device);
}

static void ask_memory(struct la_probe_oom *oom, CUmemoryPool pool)
{
	unsigned int here;
	CUcontext context;

	if (!driver_here(&context, &here) || here != oom->device)
		return;
	(void)sample_take(here, &oom->free, &oom->total);
	sample_pools(here, pool);
}

static void open_episode(const struct call *call, uint64_t now)
{
	const struct la_probe_record *record = call->record;
	struct la_probe_oom *oom = open_slot(record->device, now);
	struct episode *e = &me.episode;

	e->op = record->op;
	e->size = record->size;
	e->other = record->other;
	oom->call = record->call;
	oom->result = record->result;
	oom->failures = 1;
	oom->op = record->op;
	oom->size = record->size;
	ask_memory(oom, pool_of(record));
	publish(oom);
	note(LA_PROBE_OP_EPISODE_OPEN, oom, 0, oom->size, now);
	ask_processes(oom, now);
}

/* Does one more failure belong to the episode? */
static bool continues(const struct episode *e, struct la_probe_oom *oom,
		      const struct la_probe_record *record, uint64_t now)
{
	switch (state_of(oom)) {
	case LA_PROBE_OOM_OPEN:
		return true;
	case LA_PROBE_OOM_EXPIRED:
		return !e->served && e->op == record->op &&
		       e->size == record->size &&
		       now - get(&watch[index_of(oom)].last) <= RETRY_WAIT &&
		       settle(oom, LA_PROBE_OOM_EXPIRED, LA_PROBE_OOM_OPEN,
			      now);
	default:
		return false;
	}
}

static void failed(const struct call *call, uint64_t now)
{
	struct episode *e = &me.episode;
	struct la_probe_oom *oom = current(e);

	if (!oom || !continues(e, oom, call->record, now)) {
		open_episode(call, now);
		return;
	}
	oom->failures++;
	e->created = false;
	put(&watch[index_of(oom)].last, now);
}

static bool is_allocation(unsigned int op)
{
	return op == LA_PROBE_OP_ALLOC || op == LA_PROBE_OP_ASYNC_ALLOC ||
	       op == LA_PROBE_OP_CREATE || op == LA_PROBE_OP_ARRAY_CREATE;
}

/* Is it what failed, done? */
static bool is_same_try(const struct episode *e,
			const struct la_probe_record *record)
{
	if (e->op == LA_PROBE_OP_CREATE)
		return record->op == LA_PROBE_OP_MAP && e->created;
	return record->op == e->op && record->size >= e->size &&
	       (e->op != LA_PROBE_OP_ALLOC || record->other == e->other);
}

/* Until when a success undoes the state. */
static bool may_undo(const struct episode *e, const struct la_probe_oom *oom,
		     uint32_t state, uint64_t now)
{
	switch (state) {
	case LA_PROBE_OOM_OPEN:
		return true;
	case LA_PROBE_OOM_ASKED:
		return !e->served && now - get(&oom->closed) <= ASK_WAIT;
	case LA_PROBE_OOM_EXPIRED:
		return !e->served &&
		       now - get(&watch[index_of(oom)].last) <= TRY_WAIT;
	default:
		return false;
	}
}

static void succeeded(const struct la_probe_record *record, uint64_t now)
{
	struct episode *e = &me.episode;
	struct la_probe_oom *oom = current(e);
	uint32_t state;

	if (!oom)
		return;
	state = state_of(oom);
	if (is_same_try(e, record)) {
		while (may_undo(e, oom, state, now) &&
		       !settle(oom, state, LA_PROBE_OOM_RETRIED, now))
			state = state_of(oom);
		e->oom = NULL;
	} else if (e->op == LA_PROBE_OP_CREATE &&
		   record->op == LA_PROBE_OP_CREATE &&
		   record->size >= e->size) {
		e->created = true;
		put(&watch[index_of(oom)].last, now);
	} else if (is_allocation(record->op) && state != LA_PROBE_OOM_OPEN) {
		e->oom = NULL;
	}
}

static void freed(uint64_t now)
{
	struct la_probe_oom *oom = current(&me.episode);

	if (!oom || state_of(oom) != LA_PROBE_OOM_OPEN)
		return;
	oom->frees++;
	put(&watch[index_of(oom)].last, now);
}

static void set_inside(bool inside)
{
	struct la_probe_oom *oom = current(&me.episode);

	if (oom)
		set(&watch[index_of(oom)].inside, inside);
}

void episode_enter(void)
{
	if (me.episode.oom)
		set_inside(true);
}

void episode_exit(const struct call *call, uint64_t now)
{
	const struct la_probe_record *record = call->record;
	bool takes = account_takes(record->op);

	if (record->result == CUDA_ERROR_OUT_OF_MEMORY && !takes)
		failed(call, now);
	else if (record->result == CUDA_SUCCESS && me.episode.oom && takes)
		freed(now);
	else if (record->result == CUDA_SUCCESS && me.episode.oom)
		succeeded(record, now);
	if (me.episode.oom)
		set_inside(false);
}

void episode_asked(uint64_t free, uint64_t now)
{
	struct episode *e = &me.episode;
	struct la_probe_oom *oom = current(e);

	if (!oom || state_of(oom) != LA_PROBE_OOM_OPEN)
		return;
	put(&oom->free_last, free);
	(void)nvml_fill(oom, oom->device, e->asked, now + NVML_WAIT);
	(void)settle(oom, LA_PROBE_OOM_OPEN, LA_PROBE_OOM_ASKED, now);
}

void episode_served(void)
{
	me.episode.served = true;
}

/* Bytes that PyTorch's allocator tells when it gives up. */
struct told {
	uint64_t request, allocated, reserved;
};

/* Before the state says so. */
static void keep_told(struct la_probe_oom *oom, const struct told *told)
{
	put(&oom->request, told->request);
	put(&oom->allocated, told->allocated);
	put(&oom->reserved, told->reserved);
}

/* Attach the report to what this thread failed at before. */
static bool report_episode(struct la_probe_oom *oom, const struct told *told,
			   uint64_t now)
{
	uint32_t state = state_of(oom);

	while (state == LA_PROBE_OOM_OPEN || state == LA_PROBE_OOM_ASKED ||
	       state == LA_PROBE_OOM_EXPIRED) {
		keep_told(oom, told);
		if (settle(oom, state, LA_PROBE_OOM_REPORTED, now))
			return true;
		state = state_of(oom);
	}
	return false;
}

static void report_refusal(unsigned int device, const struct told *told,
			   uint64_t now)
{
	struct la_probe_oom *oom = open_slot(device, now);

	ask_memory(oom, NULL);
	oom->free_last = oom->free;
	keep_told(oom, told);
	publish(oom);
	note(LA_PROBE_OP_EPISODE_OPEN, oom, 0, told->request, now);
	ask_processes(oom, now);
	(void)settle(oom, LA_PROBE_OOM_OPEN, LA_PROBE_OOM_REPORTED, now);
}

void episode_reported(unsigned int device, uint64_t request,
		      uint64_t allocated, uint64_t reserved)
{
	const struct told told = { request, allocated, reserved };
	struct episode *e = &me.episode;
	struct la_probe_oom *oom = e->served ? NULL : current(e);
	uint64_t now = store_now();

	if (oom)
		(void)nvml_fill(oom, device, e->asked, now + NVML_WAIT);
	if (!oom || !report_episode(oom, &told, now))
		report_refusal(device, &told, now);
	e->oom = NULL;
	reporter_wait();
}

static void expire(struct la_probe_oom *oom, uint64_t now)
{
	unsigned int i = index_of(oom);

	(void)nvml_fill(oom, oom->device, get(&watch[i].asked), 0);
	(void)settle(oom, LA_PROBE_OOM_OPEN, LA_PROBE_OOM_EXPIRED, now);
}

void episode_expire(uint64_t now)
{
	unsigned int i;

	for (i = 0; i < LA_PROBE_OOMS; i++)
		if (is_set(&watch[i].open) && !is_set(&watch[i].inside) &&
		    (int64_t)(now - get(&watch[i].last)) >
			    (int64_t)LA_PROBE_OOM_WAIT)
			expire(&store.oom[i], now);
}

void episode_end(void)
{
	uint64_t now = store_now();
	unsigned int i;

	for (i = 0; i < LA_PROBE_OOMS; i++)
		if (is_set(&watch[i].open))
			expire(&store.oom[i], now);
}
