/* SPDX-License-Identifier: Apache-2.0 */
/* Free blocks by size, as a request that failed sees them. */
#ifndef ALLOCCTL_REPORT_HOLE_BINS_H
#define ALLOCCTL_REPORT_HOLE_BINS_H

#include <liballoc/replay.h>

#include "util/strbuf.h"

/* Where a hole lies as the request sees it, by enum la_free_place. */
extern const char *const hole_places[LA_FREE_PLACES];

/* Bins from the smallest hole or request to the largest. */
struct hole_bins {
	const struct la_oom_state *oom; /* borrowed */
	int first, last; /* bins that are shown; last < first: none */
	int request; /* bin of the request; -1: it has no size */
	double most; /* bytes of the fullest bin */
};

void hole_bins_init(struct hole_bins *bins, const struct la_oom_state *oom);

/* What a picture of these shows. */
const char *hole_bins_title(const struct hole_bins *bins);

/* Bytes, and blocks, of a bin in all places. */
double hole_bins_bytes(const struct hole_bins *bins, int bin);
uint64_t hole_bins_count(const struct hole_bins *bins, int bin);

/* "2.00 GiB failed; the largest hole that it could use has 1.00 GiB, ...". */
void hole_bins_describe(struct la_strbuf *text, const struct hole_bins *bins);

#endif /* ALLOCCTL_REPORT_HOLE_BINS_H */
