/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated device that several threads may use, as a real one. */
#ifndef LA_TESTS_LOCKED_H
#define LA_TESTS_LOCKED_H

#include <liballoc/device.h>

/* sim is a simulated device, which inner is or passes operations on to; inner
 * is owned by the result. */
struct la_device *locked_new(struct la_device *inner, struct la_device *sim);

/* The functions of the simulated device of these names. */
void locked_use(struct la_device *dev, uint64_t stream, uint64_t addr,
		uint64_t size);
void locked_run(struct la_device *dev, uint64_t stream);
void locked_capture(struct la_device *dev, uint64_t stream, bool captured);
uint64_t locked_violations(struct la_device *dev);

/* Have a stream wait for what is queued on another.  Returns 0, or -EBUSY if
 * that is being captured. */
int locked_order(struct la_device *dev, uint64_t stream, uint64_t behind);

/* Events that were recorded and not forgotten. */
uint64_t locked_events(struct la_device *dev);

/* Bytes that are held: segments, mapped memory, pieces. */
uint64_t locked_held(struct la_device *dev);

#endif /* LA_TESTS_LOCKED_H */
