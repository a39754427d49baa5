/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_LABELS_H
#define LA_REPLAY_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* To which pool a segment or chain belonged, or a request went that failed. */
struct label {
	uint32_t event; /* the segment_alloc, the first segment_map of a
			 * chain, or the oom */
	uint32_t pool; /* number in the program's pools */
};

/* Labels by event; no event has two. */
struct labels {
	struct label *at; /* owned */
	size_t count, room;
};

void labels_destroy(struct labels *labels);

/* Set the label of an event.  Returns 0 or -ENOMEM. */
int labels_set(struct labels *labels, uint32_t event, uint32_t pool);

/* Add the label of an event behind all others; in the wrong order until
 * labels_reverse() if the event is an earlier one.  Returns 0 or -ENOMEM. */
int labels_add(struct labels *labels, uint32_t event, uint32_t pool);
void labels_reverse(struct labels *labels);

/* Make *to equal to *from.  Returns 0 or -ENOMEM. */
int labels_copy(struct labels *to, const struct labels *from);

/* Returns false, and leaves *pool alone, if the event has none. */
bool labels_get(const struct labels *labels, uint32_t event, uint32_t *pool);

#endif /* LA_REPLAY_LABELS_H */
