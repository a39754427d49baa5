/* SPDX-License-Identifier: Apache-2.0 */
/* Frames as a tree, each after its parent, the largest first. */
#ifndef ALLOCCTL_REPORT_FLAME_TREE_H
#define ALLOCCTL_REPORT_FLAME_TREE_H

#include "plot.h"

/* Where a frame is: parts of the root's bytes. */
struct flame_place {
	uint32_t frame; /* index */
	uint32_t depth; /* the root: 0 */
	double from, part; /* within the root: 0 to 1 */
};

/*
 * As many places as frames, for free(), the root first: behind each what it
 * calls, with all that is called there; NULL: no memory.  What its parent has
 * no room for (frames that claim more than it) gets a part of 0.
 */
struct flame_place *flame_places(const struct plot_flame_frame *frame,
				 size_t count);

/* "function"; "?" where it is unknown. */
const char *flame_name(const struct plot_flame_frame *frame);

/* "function (file:12): 1.00 GiB, 12.5 %". */
void flame_tip(struct la_strbuf *text, const struct plot_flame_frame *frame,
	       double part);

/* "1.00 GiB in 12 places; most, 500.00 MiB (48.8 %), in function". */
void flame_describe(struct la_strbuf *text,
		    const struct plot_flame_frame *frame,
		    const struct flame_place *place, size_t count);

#endif /* ALLOCCTL_REPORT_FLAME_TREE_H */
