/* SPDX-License-Identifier: Apache-2.0 */
/* Who holds memory: requests of the same stack, where stacks were recorded. */
#ifndef ALLOCCTL_HOLDERS_H
#define ALLOCCTL_HOLDERS_H

#include "source.h"

/* The stacks of a device. */
struct holders {
	const struct la_recording *recording; /* borrowed */
	uint32_t *stack; /* owned; by event of the program, 0: unknown; NULL:
			  * none was recorded */
	uint64_t count; /* of events */
};

/* False if out of memory. */
bool holders_init(struct holders *holders, const struct source *source);
void holders_release(struct holders *holders);

/* For la_replay_options: by stack, and what has none by size. */
uint64_t holders_key(void *holders, uint64_t event, uint64_t size);

/* The stack of an event; 0: unknown. */
uint32_t holders_stack(const struct holders *holders, uint64_t event);

/* The innermost frame that is not torch's own, or the innermost; NULL: none
 * is known. */
const struct la_frame *holders_frame_of(const struct la_recording *recording,
					uint32_t stack);
const struct la_frame *holders_frame(const struct holders *holders,
				     uint64_t event);

/* An object, with the frames of a stack. */
void holders_json(struct la_json *json, const struct la_recording *recording,
		  const struct la_holder *holder, uint32_t stack);

#endif /* ALLOCCTL_HOLDERS_H */
