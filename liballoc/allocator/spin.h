/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_ALLOCATOR_SPIN_H
#define LA_ALLOCATOR_SPIN_H

/* Locks that are held for some ten instructions. */

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

enum { SPINS = 100 };

static inline void spin_lock(_Atomic(uint32_t) *lock)
{
	unsigned int spins = 0;

	while (atomic_exchange_explicit(lock, 1, memory_order_acquire))
		while (atomic_load_explicit(lock, memory_order_relaxed))
			if (++spins % SPINS == 0)
				sched_yield();
}

static inline void spin_unlock(_Atomic(uint32_t) *lock)
{
	atomic_store_explicit(lock, 0, memory_order_release);
}

#endif /* LA_ALLOCATOR_SPIN_H */
