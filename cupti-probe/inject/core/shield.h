/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Around what a thread must not leave in the middle: the others wait for its
 * end, and so would a handler of its own that called the driver.
 */
#ifndef PROBE_SHIELD_H
#define PROBE_SHIELD_H

#include <pthread.h>
#include <signal.h>

struct shield {
	sigset_t signals; /* blocked before */
	int cancellation; /* its state before */
};

static inline void shield_raise(struct shield *shield)
{
	sigset_t all;

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE,
				     &shield->cancellation);
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &shield->signals);
}

static inline void shield_lower(const struct shield *shield)
{
	(void)pthread_sigmask(SIG_SETMASK, &shield->signals, NULL);
	(void)pthread_setcancelstate(shield->cancellation, NULL);
}

#endif /* PROBE_SHIELD_H */
