/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_DECODE_H
#define LA_REPLAY_DECODE_H

#include "replay/addr-map.h"
#include "replay/program.h"
#include "replay/script.h"
#include "replay/spans.h"

/* A growing list of event indices. */
struct index_list {
	uint32_t *at; /* owned */
	size_t count, room;
};

/*
 * Reads a program from a recording by following it on a heap.  Events that
 * the heap alone explains are followed at once; a stretch with segment events
 * is explained on a copy of the heap (explain.c).
 */
struct decoder {
	struct la_program *program; /* borrowed; what is read goes there */
	struct la_heap *heap; /* owned; as recorded so far */
	struct la_heap *trial; /* owned; a copy to try a reading on */
	struct script script; /* the device of both */
	la_block *block; /* owned; by slot */
	size_t block_room;
	size_t next_change; /* of the program's, that is not yet in force */
	enum cap_verdict *verdict; /* borrowed; NULL unless a cap is on trial */
	struct index_list spare; /* slots that are not in use */
	struct addr_map slot_at; /* address of a live or pending block */
	struct spans held; /* segments and reservations; a damaged recording
			    * may let them overlap */
	struct index_list maps; /* all segment_map events */
	struct labels *labels; /* borrowed; what was inferred */
	struct labels known; /* of segments that are there at the end */
	bool final_labels; /* what was inferred is not doubted */
	bool routed; /* requests may have gone to private pools */
	uint32_t *recent; /* owned; pool of the last request, by stream */

	/* The stretch under way, see explain.c. */
	struct index_list head, later, segments;
	struct index_list gave; /* pools that gave memory back, in order */
	struct index_list pools; /* that the request may have gone to */
	struct index_list extra; /* events that brought spans from which failed
				  * readings gave back too much */
	struct index_list suspects; /* ... that may be of a private pool */
	struct index_list first_run, second_run; /* scratch */
};

int list_add(struct index_list *list, uint32_t value);

/* A slot that is not in use, or LA_NO_BLOCK without memory. */
uint32_t decode_new_slot(struct decoder *decoder);

int decode_add_op(struct decoder *decoder, const struct op *op);

/* The op that completes the free of event `at`; the slot stays in use. */
int decode_add_complete(struct decoder *decoder, uint32_t at);

/* The block that a request of event `at` got; the slot is now in use. */
int decode_hold(struct decoder *decoder, uint32_t at, uint32_t slot,
		la_block block);

/* Event `at` completed the free of a block; its slot can be used again. */
int decode_let_go(struct decoder *decoder, uint32_t at);

/*
 * Explain the events from begin to end: completions and segment events, then
 * perhaps the alloc or oom that they belong to.  Returns 1 if a reading was
 * found, 0 if none was, -EAGAIN if a label was inferred with which the decoding
 * has to begin anew, or another negative errno value.
 */
int decode_explain(struct decoder *decoder, size_t begin, size_t end);

#endif /* LA_REPLAY_DECODE_H */
