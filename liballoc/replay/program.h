/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_PROGRAM_H
#define LA_REPLAY_PROGRAM_H

#include <liballoc/replay.h>

#include "heap/inside.h"
#include "util/array.h"
#include "util/util.h"

enum op_kind {
	OP_ALLOC, /* a request */
	OP_FREE, /* its free, usable again at once */
	OP_FREE_REQUEST, /* its free; other streams still use it */
	OP_FREE_COMPLETE, /* they are done, unless a flush waited for them */
	OP_FLUSH, /* empty_cache() */
	OP_FAIL, /* a request that ended in OOM */
	OP_PLACE, /* adopted: a request put where the event says */
	OP_DROP, /* adopted: the segment of the event given back */
};

/* One thing that a program did. */
struct op {
	uint64_t size; /* bytes of a request */
	uint32_t slot; /* of the request, see struct la_program */
	uint32_t event; /* index of the event that tells of it */
	uint32_t stream; /* of the request; index into streams */
	uint8_t kind; /* enum op_kind */
	bool must; /* OP_FAIL: no other request follows */
};

/* A segment that was there when the recording began. */
struct start_segment {
	uint64_t addr;
	uint64_t size; /* bytes */
	uint32_t stream; /* index into streams */
	uint32_t first_piece; /* index into pieces */
	uint32_t piece_count;
	bool small;
};

/* A piece of such a segment. */
struct start_piece {
	uint64_t addr;
	uint64_t size; /* bytes */
	uint64_t asked; /* bytes of the request */
	uint32_t slot; /* of a live or pending piece */
	uint8_t state; /* PIECE_FREE, PIECE_LIVE, PIECE_PENDING */
};

/* Every live request has a slot; slots are used again, so that their number
 * is the highest number of requests that were live together. */
struct la_program {
	const struct la_recording *recording; /* borrowed */
	const struct la_recorded_device *device; /* of the recording */
	const struct la_event *event; /* what the allocator did, in order */
	size_t event_count;
	struct la_event *filtered; /* owned; event, where the recording has
				    * others between them; else NULL */
	struct la_setting *setting; /* owned; in force when recording */
	struct la_program_info info;
	uint64_t cap; /* in force when recording, or UINT64_MAX */
	uint64_t card; /* bytes above which the device refused, or UINT64_MAX:
			* it refuses where nothing else explains the events */

	struct op *op; /* owned */
	size_t op_count, op_room;
	uint64_t *answer; /* owned; addresses that the driver gave, in order;
			   * ANSWER_REFUSED where it refused */
	size_t answer_count, answer_room;
	uint32_t slot_count;
	uint64_t floor; /* bytes that no setting and no limit does without:
			 * peak of what is live and not yet given up, as a
			 * flush can wait for what is pending */
	size_t doubt; /* where the last stretch ends, of those soon behind the
		       * start, that was adopted or not explained; 0: none */
	uint64_t peak_recorded; /* highest value of the bytes held */
	uint64_t refused; /* lowest reserved + segment that was refused
			   * without a known cap, or UINT64_MAX */
	uint64_t full_card; /* reserved + free bytes of the device at the last
			     * OOM of a full card, or UINT64_MAX */

	uint64_t *streams; /* owned; raw values */
	uint32_t stream_count;
	struct start_segment *start; /* owned; by address */
	size_t start_count;
	struct start_piece *piece; /* owned */
	size_t piece_count;
};

/* Where a reading under an assumed cap ended. */
enum cap_verdict {
	CAP_FITS, /* it explains all events */
	CAP_TOO_LOW, /* the heap gives back more than was recorded */
	CAP_TOO_HIGH /* the heap gives back less than was recorded */
};

#define ANSWER_REFUSED UINT64_MAX

/* Limits are sought in multiples of it, as segments are; bytes.  Only an odd
 * large_segment_size_mb makes others. */
#define LIMIT_UNIT (2 * MIB)

/* window.c: the heap as it was when the recording began, or at event `from` if
 * that is later.  Returns 0 or -ENOMEM. */
int program_rewind(struct la_program *program, size_t from);

/* window.c: nothing was there when the recording began. */
void program_begin_empty(struct la_program *program);

/* Streams and starting segments of a fresh heap; slot[i] becomes the block of
 * slot i.  Returns 0 or -ENOMEM. */
int program_load(const struct la_program *program, struct la_heap *heap,
		 la_block *slot);

/* decode.c: events -> ops and answers.  With a verdict, a cap is on trial: the
 * reading ends at the first event that it does not explain. */
int program_decode(struct la_program *program, enum cap_verdict *verdict,
		   struct la_error *err);

/* limit.c: which limit was in force when recording */
void limit_before_decode(struct la_program *program,
			 const struct la_program_options *options);
void limit_after_decode(struct la_program *program);
uint64_t limit_recorded_peak(const struct la_program *program);

/* cap.c: decode; where the limit is unknown, with the one that the events
 * tell of. */
int decode_with_limit(struct la_program *program, struct la_error *err);

#endif /* LA_REPLAY_PROGRAM_H */
