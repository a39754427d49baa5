/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_FOLLOW_H
#define LA_REPLAY_FOLLOW_H

#include "heap/internal.h"
#include "replay/addr-map.h"
#include "replay/program.h"
#include "replay/spans.h"

/*
 * The heap of a full recording, followed as the events tell it: blocks lie
 * where they lay, memory comes and goes where it did, nothing is predicted.
 *
 * Where blocks lie, are cut and merged does not depend on the pools, so all is
 * in the default pool here; the sets of the heap are one for each stream and
 * class.  Each segment and chain is a span with a number of the caller's.
 */
struct follower {
	struct la_device device; /* first; it grants all */
	uint64_t chain_at; /* where the next reservation lies */
	struct la_heap *heap; /* owned */
	struct spans held; /* segments and chains: they do not overlap */
	struct addr_map block_at; /* start of a block -> its number; entries
				   * of blocks that are gone stay behind */
	uint32_t *span_of; /* owned; by block: its span */
	uint32_t span_room;
};

/* All return 0, -ENOMEM, or -EBADMSG where an event does not fit to those
 * before it. */
int follow_init(struct follower *follower, const struct la_program *program);
void follow_destroy(struct follower *follower);

/* A free was requested, or completed, of the block at an address. */
int follow_request(struct follower *follower, uint64_t addr);
int follow_complete(struct follower *follower, uint64_t addr);

/* The device gave a segment, or a reservation in which the event is going to
 * map the first granules. */
int follow_segment(struct follower *follower, const struct la_event *event,
		   uint32_t span);
int follow_chain(struct follower *follower, const struct la_event *event,
		 uint32_t span);

/* Memory was mapped behind the start of an unmapped block. */
int follow_map(struct follower *follower, const struct la_event *event,
	       uint32_t id);

/* Memory of a span went back, perhaps the last of it.  A search for where it
 * was takes from *work, steps that may still be done. */
int follow_give(struct follower *follower, const struct la_event *event,
		uint64_t *work, uint32_t *span, bool *gone);

/* A free block was handed out for a request of so many bytes. */
int follow_take(struct follower *follower, uint32_t id, uint64_t rounded,
		uint64_t asked);

/* The block of a state that starts at an address, or LA_NO_BLOCK. */
uint32_t follow_block(const struct follower *follower, uint64_t addr,
		      enum block_state state);

/* The set of a stream and class, or NO_SET while nothing was there. */
static inline uint32_t follow_set(const struct follower *follower,
				  uint32_t stream, enum size_class class)
{
	return *set_slot(follower->heap, LA_DEFAULT_POOL, class, stream);
}

static inline enum size_class follow_class(const struct la_event *event)
{
	return event->size == SMALL_SEGMENT ? SMALL_CLASS : LARGE_CLASS;
}

#endif /* LA_REPLAY_FOLLOW_H */
