/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_PARALLEL_H
#define LA_REPLAY_PARALLEL_H

#include <stddef.h>

/* One piece of work; 0 or a negative errno value. */
typedef int la_parallel_work(void *data, size_t index);

/*
 * Do work 0 to count - 1 on that many threads, the caller's among them.
 * Returns 0, or what the first failed one returned; then some were not begun.
 */
int la_parallel(unsigned int threads, size_t count, la_parallel_work *work,
		void *data);

#endif /* LA_REPLAY_PARALLEL_H */
