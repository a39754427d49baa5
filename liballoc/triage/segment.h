/* SPDX-License-Identifier: Apache-2.0 */
/* What torch asks of the device, where large_segment_size_mb is not set. */
#ifndef LA_TRIAGE_SEGMENT_H
#define LA_TRIAGE_SEGMENT_H

#include <stdint.h>

#include "util/util.h"

#define SEGMENT_SMALL (2 * MIB) /* for requests up to 1 MiB */
#define SEGMENT_LARGE (20 * MIB) /* for larger ones below 10 MiB */
#define SEGMENT_ROUND (2 * MIB) /* others are rounded up to this */

/* For a request of so many bytes. */
static inline uint64_t la_segment_for(uint64_t size)
{
	if (size <= MIB)
		return SEGMENT_SMALL;
	if (size < 10 * MIB)
		return SEGMENT_LARGE;
	return (size + SEGMENT_ROUND - 1) / SEGMENT_ROUND * SEGMENT_ROUND;
}

#endif /* LA_TRIAGE_SEGMENT_H */
