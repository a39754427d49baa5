/* SPDX-License-Identifier: Apache-2.0 */
/* Locks that are held for nanoseconds, without a call of the system. */
#ifndef PROBE_SPIN_H
#define PROBE_SPIN_H

/* 0: free.  Lies in memory of the process alone. */
typedef unsigned int spinlock;

/* Until the lock is ours. */
void spin_wait(spinlock *lock);

static inline void spin_lock(spinlock *lock)
{
	if (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		spin_wait(lock);
}

static inline void spin_unlock(spinlock *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

#endif /* PROBE_SPIN_H */
