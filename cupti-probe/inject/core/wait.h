/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for a number to change: futexes, which need no lock. */
#ifndef PROBE_WAIT_H
#define PROBE_WAIT_H

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Until *bell is no longer seen, or for at most ns; may return early. */
static inline void wait_for(const uint32_t *bell, uint32_t seen, uint64_t ns)
{
	struct timespec limit = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	(void)syscall(SYS_futex, bell, FUTEX_WAIT_PRIVATE, seen, &limit, NULL,
		      0);
}

static inline void wait_ring(uint32_t *bell)
{
	__atomic_fetch_add(bell, 1, __ATOMIC_RELEASE);
	(void)syscall(SYS_futex, bell, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL,
		      NULL, 0);
}

#endif /* PROBE_WAIT_H */
