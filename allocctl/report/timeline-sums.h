/* SPDX-License-Identifier: Apache-2.0 */
/* What the pictures of bytes over time say and share. */
#ifndef ALLOCCTL_REPORT_TIMELINE_SUMS_H
#define ALLOCCTL_REPORT_TIMELINE_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include <liballoc/view.h>

#include "util/strbuf.h"

struct timeline_sums {
	const struct la_timeline *view; /* borrowed */
	bool limit_seen; /* the limit is near enough to be drawn */
	uint64_t high; /* bytes of the highest that is drawn, not 0 */
};

void timeline_sum(struct timeline_sums *sums, const struct la_timeline *view);

/* "1,000 events; peak 1.00 GiB live before event 12, 1.50 GiB reserved; ...".
 */
void timeline_describe(struct la_strbuf *text,
		       const struct timeline_sums *sums);

/* Make a range hold another. */
void timeline_widen(uint64_t range[2], const uint64_t by[2]);

#endif /* ALLOCCTL_REPORT_TIMELINE_SUMS_H */
