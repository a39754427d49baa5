/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_ALLOCATOR_GUARD_H
#define LA_ALLOCATOR_GUARD_H

/*
 * Tells the process that made something from the children of its fork().
 *
 * The kernel gives a child zeros in place of the guard's page, so that asking
 * is one load: no handler of fork() that would outlive the guard or need a
 * global, and no system call on each request.  Whoever asks first takes no
 * lock that another thread held at the fork.
 */

#include <stdbool.h>
#include <stdint.h>

struct guard {
	const uint32_t *page; /* owned */
	int pid; /* asked for where the kernel keeps the page */
};

/* Returns 0 or -ENOMEM. */
int guard_init(struct guard *guard);
void guard_release(struct guard *guard);

/* Where the kernel cannot do it; a system call. */
bool guard_by_pid(const struct guard *guard);

enum { GUARD_GONE, GUARD_OWN, GUARD_BY_PID };

/* Is this the process that made it? */
static inline bool guard_holds(const struct guard *guard)
{
	uint32_t state = __atomic_load_n(guard->page, __ATOMIC_RELAXED);

	return state == GUARD_OWN ||
	       (state == GUARD_BY_PID && guard_by_pid(guard));
}

#endif /* LA_ALLOCATOR_GUARD_H */
