/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_PROGRAM_H
#define LA_REPLAY_PROGRAM_H

#include <liballoc/replay.h>

#include "heap/inside.h"
#include "replay/labels.h"
#include "util/array.h"
#include "util/util.h"

enum op_kind {
	OP_ALLOC, /* a request */
	OP_FREE, /* its free, usable again at once */
	OP_FREE_REQUEST, /* its free; other streams still use it */
	OP_FREE_COMPLETE, /* they are done, unless a flush waited for them */
	OP_FLUSH, /* empty_cache() */
	OP_GIVE_UP, /* the last user of a pool is gone */
	OP_DROP_POOL, /* the last handle of a MemPool is gone */
	OP_SET, /* another setting */
	OP_FAIL, /* a request that ended in OOM */
	OP_PLACE, /* adopted: a request put where the event says */
	OP_DROP, /* adopted: the segment of the event given back */
};

/* One thing that a program did. */
struct op {
	uint64_t size; /* bytes of a request */
	uint32_t slot; /* of the request, see struct la_program; OP_SET: index
			* into changes */
	uint32_t event; /* index of the event that tells of it */
	uint32_t stream; /* of the request; index into streams */
	uint16_t pool; /* of the request; index into pools */
	uint8_t kind; /* enum op_kind */
	bool must; /* OP_FAIL: no other request follows */
};

/* Does the op ask for memory, and get it? */
static inline bool is_served(const struct op *op)
{
	return op->kind == OP_ALLOC || op->kind == OP_PLACE;
}

/* A segment or chain that was there when the recording began. */
struct start_segment {
	uint64_t addr;
	uint64_t size; /* bytes of the segment, or mapped in the chain */
	uint64_t reserved; /* bytes of the chain's reservation; 0: a segment */
	uint32_t stream; /* index into streams */
	uint32_t pool; /* index into pools */
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
	uint8_t state; /* PIECE_FREE, PIECE_LIVE, ... */
};

/* Is a piece live or pending? */
static inline bool is_busy(const struct start_piece *piece)
{
	return piece->state == PIECE_LIVE || piece->state == PIECE_PENDING;
}

/* A setting that was made while the program ran. */
struct change {
	size_t event; /* before which */
	struct la_setting *setting; /* owned */
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
	uint64_t chain_card; /* bytes of the card that size the chains */
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
	struct change *change; /* owned; by event */
	size_t change_count;
	uint16_t *event_pool; /* owned; from the recording's numbers of pools
			       * to those of the program; NULL: its events do
			       * not tell pools */
	uint64_t (*pool)[2]; /* owned; ids; the first is the default pool */
	uint32_t pool_count;
	struct labels labels; /* pools that were inferred, and those that had
			       * to be tried for it */
	struct la_inferred_pool *inferred; /* owned; of private pools */
	size_t first_taken; /* event of the first stretch that was not
			     * predicted, or event_count */
	size_t doubt; /* where the last stretch ends, of those soon behind the
		       * start, that was adopted or not explained; 0: none */
	uint64_t work; /* spent on reading so far, see WORK_SEEK */
	uint64_t peak_recorded; /* highest value of the bytes held */
	uint64_t granted; /* highest reserved + segment that was granted */
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

/* Make a range from its least to its greatest value hold one more. */
static inline void widen_range(uint64_t range[2], uint64_t value)
{
	if (value < range[0])
		range[0] = value;
	if (value > range[1])
		range[1] = value;
}

/* pools.c: the number of a pool, which is added if it is new; -E2BIG if there
 * are too many, or -ENOMEM. */
int program_pool(struct la_program *program, const uint64_t id[2]);

/* pools.c: the number of the pool of a final segment. */
int program_segment_pool(struct la_program *program,
			 const struct la_recorded_segment *segment);

/* pools.c: bytes of addresses that a chain has, roughly: before its granule
 * rounds them up. */
uint64_t program_chain_bytes(const struct la_program *program);

/* pools.c: the number of the pool of a chain that is not there at the end: that
 * of the nearest memory of its class and stream that is. */
int program_chain_pool(struct la_program *program,
		       const struct la_event *event, bool small);

/* pools.c: learn which pool each event tells of, if they do.  Returns 0, -E2BIG
 * or -ENOMEM. */
int program_read_pools(struct la_program *program);

/* Does the event tell its pool (torch 2.12 and later)? */
static inline bool program_event_pool(const struct la_program *program,
				      const struct la_event *event,
				      uint32_t *pool)
{
	if (!program->event_pool)
		return false;
	*pool = program->event_pool[event->pool];
	return true;
}

/* rewind.c: the heap as it was when the recording began, or at event `from` if
 * that is later.  Returns 0, -E2BIG or -ENOMEM. */
int program_rewind(struct la_program *program, size_t from);

/* start.c: nothing was there when the recording began. */
void program_begin_empty(struct la_program *program);

/* start.c: streams and pools of a fresh heap get the program's numbers.
 * Returns 0 or -ENOMEM. */
int program_introduce(const struct la_program *program, struct la_heap *heap);

/* pack.c: what was live or pending at the start, on a fresh heap, as slots
 * have it; nothing else.  Returns 0, -ENOSPC or -ENOMEM. */
int program_pack(const struct la_program *program, struct la_heap *heap,
		 la_block *slot);

/* start.c: streams, pools and starting segments of a fresh heap; slot[i]
 * becomes the block of slot i.  Returns 0 or -ENOMEM. */
int program_load(const struct la_program *program, struct la_heap *heap,
		 la_block *slot);

/*
 * decode.c: events -> ops and answers.  With a verdict, a cap is on trial: the
 * reading ends at the first event that it does not explain.  Labels tell the
 * pools of segments that are gone by the end; without them, NULL, they are
 * found where the default pool leads to a contradiction.
 */
int program_decode(struct la_program *program, const struct labels *labels,
		   enum cap_verdict *verdict, struct la_error *err);

/* changes.c: a setting made before an event, behind all that are known.
 * Returns 0 or -ENOMEM. */
int program_add_change(struct la_program *program, size_t event,
		       const char *text);
void program_forget_changes(struct la_program *program);

/* changes.c: where the recording is not understood, perhaps a setter ran: seek
 * the moment. */
int program_seek_change(struct la_program *program, struct la_error *err);

/*
 * What a search may spend on reading the program again and again: one for each
 * event that is followed, and READING_WORK and a part of the heap's blocks,
 * which are copied, for each reading that is tried.
 */
#define WORK_SEEK ((uint64_t)20000000)
enum { READING_WORK = 64, BLOCKS_OF_WORK = 8 };

/* May the program be read once more by a search that began with so much work
 * done? */
static inline bool program_may_read(const struct la_program *program,
				    uint64_t began_with)
{
	return program->work + program->event_count <= began_with + WORK_SEEK;
}

/* Did the device get memory back? */
static inline bool is_given_back(enum la_action action)
{
	return action == LA_SEGMENT_FREE || action == LA_SEGMENT_UNMAP;
}

/* Index of the first event that was not predicted, or event_count. */
static inline size_t program_reached(const struct la_program *program)
{
	size_t understood = program->info.understood;

	return understood < program->first_taken ? understood :
						   program->first_taken;
}

/* seek-pools.c: where a full recording is not understood, perhaps segments
 * that are gone by the end were of private pools: seek those of all. */
int program_seek_pools(struct la_program *program, struct la_error *err);

/* program.c: la_program_new() for options->release; options is not NULL. */
int program_read(struct la_program **out, const struct la_recording *recording,
		 unsigned int device, const struct la_program_options *options,
		 struct la_error *err);

/* engine.c: la_replay() that ends before the next op once `stop`, which a
 * listener sets, is not 0. */
int replay_until(const int *stop, const struct la_program *program,
		 const struct la_replay_options *options,
		 struct la_replay_result *result, struct la_error *err);

/* program.c: are all events explained, and none taken as recorded? */
bool program_is_predicted(const struct la_program *program);

/* program.c: bytes that a request of so many takes, whatever the setting. */
uint64_t program_live_bytes(uint64_t asked);

/* program.c: is memory of so many bytes, mapped at once, of the small pool's
 * chains?  These map single granules, those of the large pool multiples of
 * their own, larger granule. */
bool maps_small(const struct la_setting_values *setting, uint64_t size);

/* program.c: a setting as a release reads it at the start. */
int program_parse(struct la_setting **out, const char *text,
		  unsigned int release, struct la_error *err);

/* limit.c: which limit was in force when recording */
void limit_before_decode(struct la_program *program,
			 const struct la_program_options *options);
void limit_after_decode(struct la_program *program);
uint64_t limit_recorded_peak(const struct la_program *program);

/* card.c: the card's size by the spacing of the reservations */
uint64_t program_card_by_chains(const struct la_program *program);

/* cap.c: decode; where the limit is unknown, with the one that the events
 * tell of. */
int decode_with_limit(struct la_program *program, struct la_error *err);

#endif /* LA_REPLAY_PROGRAM_H */
