// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "core/spin.h"

enum {
	SPINS = 100, /* before the processor is left to others */
	YIELDS = 100 /* before it is left to those of less priority too */
};

/* The holder was interrupted: let it run.  A thread of real time that only
 * yielded could wait for ever.  No point of cancellation. */
static void let_run(unsigned int times)
{
	const struct timespec pause = { .tv_nsec = 50000 };
	int saved = errno;

	if (times < YIELDS)
		sched_yield();
	else
		syscall(SYS_nanosleep, &pause, NULL);
	errno = saved;
}

void spin_wait(spinlock *lock)
{
	unsigned int spins, times = 0;

	do {
		for (spins = 0; spins < SPINS; spins++)
			if (!__atomic_load_n(lock, __ATOMIC_RELAXED))
				break;
		if (spins == SPINS)
			let_run(times++);
	} while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE));
}
