/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_TIMED_H
#define LA_REPLAY_TIMED_H

#include <liballoc/replay.h>

/* A device that sums up what its operations on pieces cost. */
struct timed {
	struct la_device device; /* first member */
	struct la_device *inner; /* owned */
	const struct la_costs *costs; /* borrowed */
	uint64_t held, held_peak; /* bytes of pieces */
	uint64_t fresh; /* the piece that raised the peak last, or 0 */
	double first; /* microseconds, of pieces that raised the peak */
	double later; /* ... of all others */
};

/* inner is owned by the result, which device->ops->destroy() releases; NULL:
 * out of memory. */
struct timed *timed_new(struct la_device *inner, const struct la_costs *costs);

#endif /* LA_REPLAY_TIMED_H */
