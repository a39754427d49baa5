// SPDX-License-Identifier: Apache-2.0
/* The core's thread: whatever must not be done inside of a hook. */

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "core/core.h"
#include "core/driver.h"
#include "core/episode.h"
#include "core/nvml.h"
#include "core/reporter.h"
#include "core/store.h"
#include "core/thread.h"
#include "core/wait.h"

#define TICK 100000000ull /* ns */

enum {
	STACK = 256 << 10 /* bytes, of which other libraries' TLS is part */
};

void (*probe_tick)(void);

static uint32_t bell;

bool thread_create(void *(*run)(void *))
{
	sigset_t all, before;
	pthread_attr_t attr;
	pthread_t thread;
	bool done;

	if (pthread_attr_init(&attr))
		return false;
	sigfillset(&all);
	(void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	(void)pthread_attr_setstacksize(&attr, STACK);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	done = !pthread_create(&thread, &attr, run, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	return done;
}

static void *run(void *unused)
{
	void (*tick)(void);
	uint32_t seen;
	uint64_t now;

	(void)unused;
	(void)prctl(PR_SET_NAME, "cupti-probe");
	for (;;) {
		seen = __atomic_load_n(&bell, __ATOMIC_ACQUIRE);
		now = store_now();
		__atomic_store_n(&store.header->heartbeat, now,
				 __ATOMIC_RELAXED);
		store_prepare();
		driver_open();
		tick = __atomic_load_n(&probe_tick, __ATOMIC_ACQUIRE);
		if (tick)
			tick();
		episode_expire(now);
		reporter_run(now);
		wait_for(&bell, seen, TICK);
	}
	return NULL;
}

void thread_start(bool may_ask)
{
	if (!thread_create(run))
		probe_note("no thread could be made: no reports, no NVML");
	else if (may_ask)
		nvml_allow();
}

void thread_wake(void)
{
	wait_ring(&bell);
}
