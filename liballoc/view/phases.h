/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a program that it gave a name, found by time. */
#ifndef LA_VIEW_PHASES_H
#define LA_VIEW_PHASES_H

#include <liballoc/view.h>

struct phases {
	const struct la_recording *recording; /* borrowed */
	uint32_t *order; /* owned; annotations of the device, by time */
	uint64_t *event; /* owned; of each of these: the first event at its
			  * time or later */
	size_t count;
	size_t passed; /* of these, those that have an event */
};

/* Returns 0 or -ENOMEM. */
int phases_init(struct phases *phases, const struct la_recording *recording,
		unsigned int device);
void phases_destroy(struct phases *phases);

/* The next event. */
void phases_pass(struct phases *phases, const struct la_view_event *event);

/* All events went by: list the phases.  Returns 0 or -ENOMEM. */
int phases_finish(struct phases *phases, struct la_timeline *timeline);

#endif /* LA_VIEW_PHASES_H */
