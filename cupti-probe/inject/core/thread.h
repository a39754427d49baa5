/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core's thread: writes the heartbeat, lets the front end look around,
 * ends episodes that nothing else ends, and starts the reporter.
 */
#ifndef PROBE_THREAD_H
#define PROBE_THREAD_H

#include <stdbool.h>

/* A small detached thread that gets no signals; it may end at any time. */
bool thread_create(void *(*run)(void *));

/* Begin; may_ask: NVML, that is. */
void thread_start(bool may_ask);

/* There is something to do, now. */
void thread_wake(void);

#endif /* PROBE_THREAD_H */
