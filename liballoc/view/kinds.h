/* SPDX-License-Identifier: Apache-2.0 */
/* To which pool and class recorded memory belongs. */
#ifndef LA_VIEW_KINDS_H
#define LA_VIEW_KINDS_H

#include "replay/addr-map.h"
#include "view/scene.h"

struct la_program;

struct kinds {
	const struct la_program *program; /* borrowed */
	struct addr_map last; /* address: the last event that gave it */
	size_t inferred; /* pools that were inferred of events before */
};

/* Returns 0 or -ENOMEM. */
int kinds_init(struct kinds *kinds, const struct la_program *program);
void kinds_destroy(struct kinds *kinds);

/*
 * Fill in pool and class of an event that gives memory; events come in order.
 * Before torch 2.12 no event tells its pool: it is what was inferred, what the
 * final snapshot says, or that of the memory beside it.
 */
void kinds_find(struct kinds *kinds, const struct scene *scene,
		uint16_t pool, struct la_view_event *event);

/* Are blocks in the memory that an event gives small ones?  setting: that is
 * in force. */
bool kinds_is_small(const struct la_setting_values *setting,
		    const struct la_view_event *event);

#endif /* LA_VIEW_KINDS_H */
