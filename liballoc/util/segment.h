/* SPDX-License-Identifier: Apache-2.0 */
/* What torch's allocator asks of the device; sizes in bytes. */
#ifndef LA_UTIL_SEGMENT_H
#define LA_UTIL_SEGMENT_H

#include <stdint.h>

#include "util/util.h"

#define SMALL_MAX (1 * MIB) /* largest request of the small pool */
#define SMALL_SEGMENT (2 * MIB) /* segment, or granule, of the small pool */
#define LARGE_SEGMENT (20 * MIB) /* where large_segment_size_mb is not set */
#define MID_MAX (10 * MIB) /* from here on a segment of its own size */
#define SEGMENT_ROUND (2 * MIB) /* ... rounded up to this */

/* For a request; large: the segment of one that is neither small nor has its
 * own. */
static inline uint64_t segment_for(uint64_t size, uint64_t large)
{
	if (size <= SMALL_MAX)
		return SMALL_SEGMENT;
	if (size < MID_MAX)
		return large;
	return (size + SEGMENT_ROUND - 1) / SEGMENT_ROUND * SEGMENT_ROUND;
}

#endif /* LA_UTIL_SEGMENT_H */
