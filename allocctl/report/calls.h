/* SPDX-License-Identifier: Apache-2.0 */
/* Who called whom, to hold what a map shows. */
#ifndef ALLOCCTL_REPORT_CALLS_H
#define ALLOCCTL_REPORT_CALLS_H

#include "plot.h"
#include "view.h"

/* Frames of a flame graph; zero-initialised: none. */
struct calls {
	struct plot_flame_frame *frame; /* owned; the first is the root */
	size_t count, room;
	struct calls_child *child; /* owned; by frame */
	size_t child_room;
};

/* Those of all blocks that are held; count is 0 if none has a stack.  Returns
 * 0 or -ENOMEM. */
int calls_read(struct calls *calls, const struct view *view);
void calls_release(struct calls *calls);

#endif /* ALLOCCTL_REPORT_CALLS_H */
