/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the stack, where a process finds its environment. */
#ifndef LA_TRIAGE_CORE_START_H
#define LA_TRIAGE_CORE_START_H

#include "triage/core.h"

struct la_core_start {
	uint8_t *data; /* owned; NULL: no segment holds it */
	uint64_t addr; /* of data in the process */
	size_t size;
};

/* Does a segment hold the end of the environment?  0 or -ENOMEM. */
int la_core_start_expect(struct la_core_start *start,
			 const struct la_core *core,
			 const struct la_core_segment *segment);

/* Keep what belongs to it. */
void la_core_start_feed(struct la_core_start *start, uint64_t addr,
			const uint8_t *data, size_t size);

/* Add the environment to the core; 0 or -ENOMEM. */
int la_core_start_read(const struct la_core_start *start, struct la_core *core);

#endif /* LA_TRIAGE_CORE_START_H */
