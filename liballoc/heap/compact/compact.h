/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_COMPACT_H
#define LA_HEAP_COMPACT_H

#include "device/page.h"
#include "heap/internal.h"

/*
 * Policy compact.  Blocks cover areas: reserved ranges of addresses, of which
 * the default pool has one and each private pool one of its own.  A free block
 * belongs to the stream that freed it; an unmapped one, a hole, to its pool.
 * All pools' blocks are of the large class.  Pieces, the handles of the
 * device, lie under all that is not a hole, and move while they lie wholly
 * under free blocks.
 */

enum { ORDERS = 8 }; /* a piece has 2^order pages, up to 256 MiB */

#define NO_PIECE UINT32_MAX
#define NO_STREAM UINT32_MAX
#define ALL_STREAMS (UINT32_MAX - 1)

struct piece {
	uint64_t handle; /* of the device */
	uint64_t addr; /* where it lies; 0: it is spare, or not in use */
	uint32_t next; /* spare: the next of its order; not in use: the next
			* of these; or NO_PIECE */
	uint32_t pins; /* it must not move while there are any */
	uint8_t order;
	uint64_t freed_at; /* the clock when what lies over it was freed last,
			    * see compact.marking */
};

enum { MARKS = 32 };

/* Events on one stream: what was freed until then is quiet once they are
 * done.  In a ring, the oldest first. */
struct marks {
	struct mark {
		uint64_t clock;
		uint64_t event; /* of the device; owned */
	} mark[MARKS];
	unsigned int first, count;
};

/* One reservation; its blocks cover it from end to end. */
struct area {
	uint64_t addr;
	uint64_t size; /* bytes */
	uint32_t *piece_of; /* owned; by page: index of its piece + 1, or 0 */
	size_t page_room; /* pages behind have no piece */
};

/* Neighbouring blocks that some request could use together. */
struct run {
	uint64_t addr;
	uint64_t size; /* bytes */
	uint32_t first; /* block */
};

/* A piece that is going to move. */
struct victim {
	uint32_t piece;
	uint32_t first; /* a block of its area that does not lie behind it */
};

struct compact {
	/* Most bytes that pieces may take: the heap's cap, or what was held
	 * when the device refused more. */
	uint64_t limit;
	uint64_t refusals; /* so often the device had less */
	uint64_t squeezed; /* requests without a block while the limit was
			    * below the cap */
	uint64_t mapped; /* bytes of pieces that lie somewhere; all others
			  * are spare */
	/* Frees so far.  What a stream freed is quiet once the stream was
	 * waited for later than that, see struct set. */
	uint64_t clock;
	uint64_t drained_at; /* clock when all streams were last waited for */
	/* Pieces had to move: since the clock `since` frees are noted in pieces
	 * and marked on streams, so that a piece that lies free for a while
	 * need not be waited for. */
	bool marking;
	uint64_t since;
	struct marks *marks; /* owned; by stream */
	uint32_t marks_count;
	struct area *area; /* owned */
	size_t area_count, area_room;
	struct piece *piece; /* owned */
	size_t piece_count, piece_room;
	uint32_t unused; /* the first piece that is not in use, or NO_PIECE */
	uint32_t spare[ORDERS]; /* the first spare piece, or NO_PIECE */
	bool *barred; /* owned; by stream: it is being captured, so that it
		       * can neither be waited for nor wait; as of the last
		       * look */
	uint32_t barred_count;
	bool capturing; /* may any stream be captured, also an unknown one? */
	struct run *run; /* owned; of the last look */
	size_t run_count, run_room;
	struct victim *victim; /* owned; of the last look */
	size_t victim_count, victim_room;
};

/* What a request that found no block may use. */
struct reach {
	uint32_t pool; /* whose blocks; ANY_POOL: of the default pool and of
			* those that were given up */
	uint32_t set; /* of the request, or NO_SET */
	bool holes; /* holes too */
	bool others; /* what other streams freed */
};

#define ANY_POOL UINT32_MAX

/* Where a request goes: at addr, inside of a block. */
struct spot {
	uint64_t addr;
	uint64_t missing; /* bytes of pages without a piece under it */
	uint64_t taken; /* pages under it that no live block shares */
	uint64_t room; /* bytes of the run */
	uint32_t at; /* the block, LA_NO_BLOCK: there is no spot */
};

/* Which pieces are to go away. */
struct hunt {
	uint32_t pool; /* from where; ANY_POOL: from all that may lose them */
	const struct spot *spot; /* none under [spot, spot + size) */
	uint64_t size;
	uint64_t wanted; /* bytes; UINT64_MAX: all */
	bool quiet; /* only those that nothing has to be waited for */
};

static inline uint64_t block_end(const struct la_heap *heap, uint32_t id)
{
	return heap->block[id].addr + heap->block[id].size;
}

static inline uint64_t piece_size(const struct piece *piece)
{
	return PAGE << piece->order;
}

static inline uint64_t page_up(uint64_t addr)
{
	return (addr + PAGE - 1) & ~(PAGE - 1);
}

static inline uint64_t page_down(uint64_t addr)
{
	return addr & ~(PAGE - 1);
}

/* The cap in whole pages. */
static inline uint64_t compact_cap(const struct la_heap *heap)
{
	return page_down(heap->cap);
}

/* Is there a device on which streams run? */
static inline bool has_streams(const struct la_heap *heap)
{
	return heap->waiter.synchronize && heap->device->ops->record;
}

/* Was all that a stream of the set queued on its free blocks waited for? */
static inline bool set_is_quiet(const struct set *set)
{
	return set->freed_at <= set->quiet_at;
}

/* area.c: addresses, and which piece lies where */
int compact_add_area(struct la_heap *heap, uint32_t pool, uint64_t size);
struct area *compact_area_of(const struct la_heap *heap, uint64_t addr);
uint32_t compact_piece_at(const struct la_heap *heap, uint64_t addr);
int compact_enter(struct la_heap *heap, uint32_t piece, uint64_t addr);
void compact_leave(struct la_heap *heap, uint32_t piece);
int compact_hole_set(struct la_heap *heap, uint32_t pool, uint32_t *set);
uint32_t compact_turn(struct la_heap *heap, uint32_t id, uint64_t addr,
		      uint64_t size, enum block_state state, uint32_t set);

/* run.c: what can be used, and where */
int compact_look(struct la_heap *heap, const struct reach *reach);
struct spot compact_place(const struct la_heap *heap, uint64_t size,
			  bool tight);

/* piece.c: memory under addresses */
int compact_back(struct la_heap *heap, uint32_t *id, uint64_t addr,
		 uint64_t size, uint32_t set);
int compact_unback(struct la_heap *heap, uint32_t piece, uint32_t *id);
int compact_release_spares(struct la_heap *heap, uint64_t bytes);

/* victim.c: pieces that may move */
int compact_find_victims(struct la_heap *heap, const struct hunt *hunt);
int compact_quieten(struct la_heap *heap, bool locked);
int compact_unback_victims(struct la_heap *heap);

/* marks.c: what streams are done with */
void compact_start_marking(struct la_heap *heap);
void compact_note_use(struct la_heap *heap, uint32_t set, uint64_t addr,
		      uint64_t size);
void compact_poll_marks(struct la_heap *heap);
int compact_await_mark(struct la_heap *heap, uint32_t stream, uint64_t clock);
void compact_note_wait(struct la_heap *heap, uint32_t stream, uint64_t clock);
void compact_stop_marking(struct la_heap *heap);

/* grow.c: a request that found no block */
/* Take a block that serves a request out of the set.  Returns 1, 0 if there is
 * none, or -ENOMEM. */
int compact_take(struct la_heap *heap, uint32_t set, uint64_t size,
		 uint32_t *id);
int compact_obtain(struct la_heap *heap, uint32_t set, uint64_t size,
		   uint32_t *id);
int compact_look_at_streams(struct la_heap *heap);
int compact_wait_for_pending(struct la_heap *heap);

/* pins.c: what has to stay where it is */
int compact_pin(struct la_heap *heap, uint64_t addr, uint64_t size,
		bool pinned);
int compact_base(const struct la_heap *heap, uint64_t addr, uint64_t *base,
		 uint64_t *size);

/* walk.c, check.c: the blocks, for others */
void compact_walk(const struct la_heap *heap, la_heap_visitor *visitor,
		  void *data);
int compact_check(const struct la_heap *heap, struct la_error *err);

#endif /* LA_HEAP_COMPACT_H */
