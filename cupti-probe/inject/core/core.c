// SPDX-License-Identifier: Apache-2.0
/*
 * Begins and ends the probe, and takes each call of the driver to what knows
 * it.  Read probe_enter() and probe_exit() first.
 */

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/calls.h"
#include "core/core.h"
#include "core/driver.h"
#include "core/episode.h"
#include "core/reporter.h"
#include "core/sample.h"
#include "core/shield.h"
#include "core/state.h"
#include "core/store.h"
#include "core/thread.h"

enum {
	NOT_BEGUN,
	BEGINNING, /* in one thread; the others wait */
	ON,
	OFF
};

static struct {
	unsigned int phase;
	enum la_probe_front front; /* before phase is ON */
	/* A page that the kernel clears in a child of fork(2), also in one
	 * that libc was not asked for: not 0 in this process alone. */
	const uint32_t *here;
	struct config config; /* once it has been read */
} core;

_Thread_local struct thread_state me;

static unsigned int phase(void)
{
	return __atomic_load_n(&core.phase, __ATOMIC_ACQUIRE);
}

static void set_phase(unsigned int value)
{
	__atomic_store_n(&core.phase, value, __ATOMIC_RELEASE);
}

/* The child has no CUDA; also where the parent was only beginning. */
static void in_child(void)
{
	set_phase(OFF);
}

static void read_config(void)
{
	config_read(&core.config);
}

const struct config *probe_config(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, read_config);
	return &core.config;
}

static bool mark_process(void)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return false;
	(void)madvise(page, bytes, MADV_WIPEONFORK);
	*page = 1;
	core.here = page;
	return true;
}

/* First of all a child that another thread forks meanwhile is told that it
 * has nobody to wait for. */
static bool begin(enum la_probe_front front)
{
	const struct config *config;
	char message[256];

	(void)pthread_atfork(NULL, NULL, in_child);
	config = probe_config();
	if (config->off || !mark_process() || store_open(config, message))
		return false;
	store.header->front = front;
	calls_init();
	driver_open();
	reporter_init(config);
	core.front = front;
	set_phase(ON);
	thread_start(config->nvml);
	return true;
}

static bool is_front(enum la_probe_front front)
{
	while (phase() == BEGINNING)
		(void)sched_yield();
	return phase() == ON && core.front == front;
}

bool probe_start(enum la_probe_front front)
{
	unsigned int none = NOT_BEGUN;
	struct shield shield;
	int saved = errno;

	shield_raise(&shield);
	if (!__atomic_compare_exchange_n(&core.phase, &none, BEGINNING, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		shield_lower(&shield);
		return is_front(front);
	}
	me.depth++;
	if (!begin(front))
		set_phase(OFF);
	me.depth--;
	shield_lower(&shield);
	errno = saved;
	return phase() == ON;
}

__attribute__((destructor)) static void end(void)
{
	if (phase() != ON || !hook_begin())
		return;
	episode_end();
	reporter_end();
	store_end();
	hook_end();
}

bool hook_begin(void)
{
	if (phase() != ON || me.depth || !*core.here)
		return false;
	me.depth = 1;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return true;
}

void hook_end(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	me.depth = 0;
}

void hook_took(uint64_t ns)
{
	__atomic_fetch_add(&store.header->hook_time, ns, __ATOMIC_RELAXED);
}

/* The outermost call is forgotten where there are too many. */
static struct frame *push(enum probe_entry entry, const void *params)
{
	struct frame *frame;

	if (me.frames == FRAMES) {
		memmove(me.frame, me.frame + 1,
			(FRAMES - 1) * sizeof(*me.frame));
		me.frames--;
	}
	frame = &me.frame[me.frames++];
	memset(frame, 0, sizeof(*frame));
	frame->entry = entry;
	frame->params = params;
	return frame;
}

/* Calls above it never returned: they were unwound. */
static bool pop(enum probe_entry entry, const void *params, struct frame *frame)
{
	unsigned int i;

	for (i = me.frames; i; i--) {
		if (me.frame[i - 1].entry != entry ||
		    me.frame[i - 1].params != params)
			continue;
		*frame = me.frame[i - 1];
		me.frames = i - 1;
		return true;
	}
	return false;
}

bool probe_enter(enum probe_entry entry, const void *params)
{
	int saved = errno;
	struct frame *frame;

	if (!hook_begin())
		return false;
	driver_describe();
	frame = push(entry, params);
	frame->time = store_now();
	if (calls_row(entry)->enter)
		calls_row(entry)->enter(frame);
	episode_enter();
	frame->spent = store_now() - frame->time;
	hook_end();
	errno = saved;
	return true;
}

static void count(int result)
{
	__atomic_fetch_add(&store.header->calls, 1, __ATOMIC_RELAXED);
	if (result)
		__atomic_fetch_add(&store.header->failed_calls, 1,
				   __ATOMIC_RELAXED);
}

static void account(struct frame *frame, int result, uint64_t now)
{
	const struct call_row *row = calls_row(frame->entry);
	struct la_probe_record record = {
		.time = account_takes(row->op) ? frame->time : now,
		.call = (uint16_t)calls_id(frame->entry),
		.result = (int16_t)result,
		.op = row->op,
		.device = DEVICE_UNKNOWN,
	};
	struct call call = {
		.params = frame->params,
		.frame = frame,
		.record = &record,
	};
	unsigned int here = DEVICE_UNKNOWN;

	if (driver_here(&call.context, &here))
		record.device = (uint8_t)here;
	if (row->exit)
		row->exit(&call);
	if (record.op != LA_PROBE_OP_NONE)
		store_record(LA_PROBE_DRIVER, &record);
	count(result);
	episode_exit(&call, now);
	if (!result && record.op != LA_PROBE_OP_CONTEXT_DESTROY)
		sample_maybe(here, now);
}

void probe_exit(enum probe_entry entry, const void *params, int result)
{
	int saved = errno;
	struct frame frame;
	uint64_t now;

	if (!hook_begin())
		return;
	now = store_now();
	if (pop(entry, params, &frame)) {
		account(&frame, result, now);
		hook_took(frame.spent + store_now() - now);
	}
	hook_end();
	errno = saved;
}
