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
	uint32_t *number; /* owned; by frame: that of the recording */
	size_t number_room;
	uint32_t *slot; /* owned; hash table of frames, + 1; 0: empty */
	size_t slot_count; /* a power of two, twice the frames at least */
};

/* Those of all blocks that are held; count is 0 if none has a stack.  Returns
 * 0 or -ENOMEM. */
int calls_read(struct calls *calls, const struct view *view);
void calls_release(struct calls *calls);

#endif /* ALLOCCTL_REPORT_CALLS_H */
