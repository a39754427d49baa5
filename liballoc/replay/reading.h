/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_READING_H
#define LA_REPLAY_READING_H

#include "replay/decode.h"

/* What the program gave back before the request of a stretch. */
enum given {
	GIVEN_NOTHING,
	GIVEN_UP, /* nothing yet, but private pools that gave memory had been
		   * given up, so that the request's own flush took it */
	GIVEN_FLUSH, /* it emptied the cache; private pools that gave memory
		      * were given up by then */
	GIVEN_POOLS /* private pools were dropped; then perhaps a flush */
};

/* What a reading says of the stretch. */
struct reading {
	size_t begin, end; /* events of the stretch */
	const struct la_event *request; /* the alloc or oom, or NULL */
	uint32_t pool; /* of the request */
	bool refuse; /* the driver may refuse */
	enum given given;
	bool adopt; /* segment frees are taken as recorded */
	size_t late; /* completions of head that the request's own flush made */
};

/* Try a reading.  Returns 1 if it is right, and then it is what happened; 0 if
 * not; or a negative errno. */
int reading_attempt(struct decoder *decoder, const struct reading *reading);

/* The op of the request of a stretch; a slot only for one that was served. */
int reading_begin_request(struct decoder *decoder,
			  const struct reading *reading, struct op *request);

/* Index of the event of the stretch that brings a new segment, or the first
 * memory of a new chain; SPAN_BEFORE if none does. */
uint32_t reading_new_span(const struct decoder *decoder);

/* Segments that the stretch gave back, as recorded. */
size_t reading_count_frees(const struct decoder *decoder);

#endif /* LA_REPLAY_READING_H */
