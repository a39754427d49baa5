/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_ALLOCATOR_METER_H
#define LA_ALLOCATOR_METER_H

/* A device that passes all operations on, and counts and times them. */

#include <stdatomic.h>
#include <stdint.h>

#include <liballoc/device.h>

struct meter {
	struct la_device device; /* first member */
	struct la_device_ops ops; /* of device; NULL where inner's are */
	struct la_device *inner; /* borrowed */
	_Atomic(uint64_t) calls; /* that change memory */
	_Atomic(uint64_t) orders; /* of streams that wait for others */
	_Atomic(uint64_t) awaits; /* of the host */
	_Atomic(uint64_t) time; /* ns in all operations */
	int64_t segments; /* held; pieces, and mapped memory by 2 MiB, too */
	int64_t segments_peak; /* highest value of segments since the reset */
};

void meter_init(struct meter *meter, struct la_device *inner);

/* Nanoseconds of a clock that only moves forward. */
uint64_t meter_clock(void);

#endif /* LA_ALLOCATOR_METER_H */
