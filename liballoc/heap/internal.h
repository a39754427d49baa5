/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_INTERNAL_H
#define LA_HEAP_INTERNAL_H

#include <liballoc/heap.h>

#include "heap/block.h"
#include "heap/free-set.h"
#include "heap/policy.h"
#include "heap/pool-table.h"
#include "heap/rules.h"
#include "util/segment.h"
#include "util/util.h"

/* Constants of the policy; sizes in bytes. */
#define BLOCK_MIN ((uint64_t)512) /* every size is a multiple of it */
#define KEEP_SLACK (1 * MIB) /* a remainder that stays with its block */
#define REQUEST_MAX ((uint64_t)1 << 60) /* refused from here on */
#define TOTAL_UNKNOWN (80 * GIB) /* taken for a card of unknown size */

/* Every pool has its large and its small blocks. */
enum size_class { LARGE_CLASS, SMALL_CLASS, CLASS_COUNT };

/* The default pool, or a private one (a CUDA graph's, a MemPool). */
struct pool {
	uint64_t id[2];
	uint64_t searches[CLASS_COUNT]; /* requests routed to each class */
	int64_t growths; /* segments, and requests that grew a chain, less
			  * segments and mappings given back.  torch forgets a
			  * pool that was given up when it is 0. */
	uint32_t drops; /* times that its pending blocks were waited for */
	bool given_up; /* flushes take from it */
};

/* The idle blocks of one pool, class and stream. */
struct set {
	struct free_set free;
	uint32_t unmapped; /* root of the unmapped blocks, by address */
	uint32_t pool; /* index into the heap's pools */
	uint32_t stream; /* number */
	uint8_t class; /* enum size_class */
	/* Policy compact: the clock when a block was freed last, and when the
	 * stream was last waited for. */
	uint64_t freed_at, quiet_at;
};

/* One reservation of an expandable segment, filled with memory in granules.
 * Its blocks cover it from end to end. */
struct chain {
	uint64_t addr;
	uint64_t size; /* bytes */
	uint64_t granule; /* bytes; divides size */
	uint32_t set; /* of all its blocks */
};

struct la_heap {
	const struct heap_policy *policy;
	struct compact *compact; /* owned; of policy compact, else NULL */
	struct la_heap_waiter waiter; /* without functions: nothing runs on
				       * the device */
	struct la_setting_values setting;
	struct la_device *device; /* borrowed */
	uint64_t cap; /* bytes; UINT64_MAX: none */
	uint64_t total; /* bytes of the card, which size the chains */
	heap_rules rules; /* of the release */
	bool by_age; /* are equal blocks told apart by it? */
	uint64_t registered; /* order of the next segment, or block, where that
			      * is not its address */
	bool silent; /* would a failure of the request at hand not be an OOM,
		      * but one that torch leaves no event of? */
	bool ages; /* is age collection on? */
	la_heap_listener *listener;
	la_heap_split_listener *split_listener;
	void *listener_data;
	struct la_heap_stats stats;

	struct block *block; /* owned; block_room of them */
	uint32_t block_count; /* in use once; those behind are untouched */
	uint32_t block_room;
	uint32_t spare; /* head of the spare blocks, or LA_NO_BLOCK */
	uint32_t pending_first, pending_last; /* in order of the requests */
	uint32_t flushes; /* times that all pending blocks were waited for */

	uint64_t *stream; /* owned; raw values by number */
	uint32_t *stream_order; /* owned; numbers by raw value */
	uint32_t stream_count;
	struct pool *pool; /* owned; the first is the default pool */
	uint32_t *given_up; /* owned; those given up, as flushes go */
	uint32_t pool_count, given_up_count;
	struct pool_table table; /* of those given up, unless ... */
	bool in_order; /* ... they are walked in the order of the calls */
	struct set *set; /* owned */
	uint32_t *set_at; /* owned; [pool][class][stream]: index or NO_SET */
	uint32_t set_count;
	struct chain *chain; /* owned; by address.  A damaged recording may
			      * let them overlap: then one that begins later
			      * is found first */
	uint32_t chain_count;

	uint32_t *scratch; /* owned; blocks of the walk under way */
	uint32_t scratch_room;
};

#define NO_SET UINT32_MAX

static inline uint32_t *set_slot(const struct la_heap *heap, uint32_t pool,
				 enum size_class class, uint32_t stream)
{
	return &heap->set_at[(pool * CLASS_COUNT + class) *
				     heap->stream_count + stream];
}

static inline uint64_t set_stream(const struct la_heap *heap, uint32_t set)
{
	return heap->stream[heap->set[set].stream];
}

/* Number of requests that were routed to the pool and class of a set. */
static inline uint64_t *set_searches(const struct la_heap *heap, uint32_t set)
{
	const struct set *of = &heap->set[set];

	return &heap->pool[of->pool].searches[of->class];
}

/* Is the block all of its segment, or of its chain? */
static inline bool is_whole(const struct block *block)
{
	return block->prev == LA_NO_BLOCK && block->next == LA_NO_BLOCK;
}

/* Is the block a segment that could go back to the device? */
static inline bool is_idle_segment(const struct block *block)
{
	return is_whole(block) && !block->chained;
}

/* The size that a block of a chain can grow to by mapping. */
static inline uint64_t block_reach(const struct la_heap *heap, uint32_t id)
{
	const struct block *block = &heap->block[id];
	const struct block *next = &heap->block[block->next];

	if (block->next == LA_NO_BLOCK || next->state != BLOCK_UNMAPPED)
		return block->size;
	return block->size + next->size;
}

static inline void emit(const struct la_heap *heap, enum la_action action,
			uint64_t addr, uint64_t size, uint32_t set)
{
	if (heap->listener)
		heap->listener(heap->listener_data, action, addr, size,
			       set_stream(heap, set));
}

/* blocks.c: pieces of segments */
int blocks_grow(struct la_heap *heap);
uint32_t block_new(struct la_heap *heap, uint64_t addr, uint64_t size,
		   uint32_t set);
void block_forget(struct la_heap *heap, uint32_t id);
uint32_t block_part(struct la_heap *heap, uint32_t id, uint64_t size);
void block_cut(struct la_heap *heap, uint32_t id, uint64_t size);
uint32_t block_carve(struct la_heap *heap, uint32_t id, uint64_t addr,
		     uint64_t size);
void block_merge(struct la_heap *heap, uint32_t id);
void block_insert(struct la_heap *heap, uint32_t id);
void block_remove(struct la_heap *heap, uint32_t id);

/* Make sure that two blocks can be made. */
static inline int block_reserve(struct la_heap *heap)
{
	if (heap->block_room - heap->block_count >= 2)
		return 0;
	return blocks_grow(heap);
}

uint32_t heap_first_unmapped(const struct la_heap *heap, uint32_t set,
			     uint64_t addr);

/* sets.c: streams, pools and their sets */
int heap_add_pool(struct la_heap *heap, const uint64_t id[2]);
int heap_add_set(struct la_heap *heap, uint32_t stream, uint32_t pool,
		 enum size_class class, uint32_t *slot);
void heap_reopen_pool(struct la_heap *heap, uint32_t pool);

/* The set of a stream, pool and class, made if there is none.  Returns 0 or
 * -ENOMEM. */
static inline int heap_find_set(struct la_heap *heap, int stream, int pool,
				enum size_class class, uint32_t *set)
{
	uint32_t *slot = set_slot(heap, (uint32_t)pool, class,
				  (uint32_t)stream);
	int err = 0;

	if (*slot == NO_SET)
		err = heap_add_set(heap, (uint32_t)stream, (uint32_t)pool,
				   class, slot);
	*set = *slot;
	return err;
}

int heap_give_up_pool(struct la_heap *heap, int pool);

/* torch.c: the path of a request */
uint32_t heap_search(const struct la_heap *heap, uint32_t set, uint64_t size);
void heap_hand_out(struct la_heap *heap, uint32_t id, uint64_t size,
		   uint64_t asked);

/* live.c: blocks are handed out and come back, as the functions of a policy */
void heap_cut(struct la_heap *heap, uint32_t id, uint64_t size);
void heap_make_live(struct la_heap *heap, uint32_t id, uint64_t asked);
int heap_release_block(struct la_heap *heap, la_block block);
void heap_make_pending(struct la_heap *heap, la_block block);
int heap_complete_block(struct la_heap *heap, la_block block);
int heap_block_pool(const struct la_heap *heap, la_block block);
uint32_t heap_pool_waits(const struct la_heap *heap, int pool);

/* grow.c: memory from the device */
int heap_obtain(struct la_heap *heap, uint32_t set, uint64_t size,
		uint32_t *id);
void heap_count_got(struct la_heap *heap, uint64_t size);

/* chain.c: expandable segments; NULL: an address in none of them */
int heap_grow_chain(struct la_heap *heap, uint32_t set, uint64_t size,
		    uint32_t *id);
int heap_reserve_chain(struct la_heap *heap, uint32_t set, uint32_t *id);
int heap_map(struct la_heap *heap, uint32_t id, uint64_t size);
int heap_unmap(struct la_heap *heap, uint32_t id);
struct chain *heap_chain_of(const struct la_heap *heap, uint64_t addr);
uint64_t heap_chain_size(const struct la_heap *heap, uint64_t granule);
uint64_t heap_granule(const struct la_heap *heap, enum size_class class);
int heap_add_chain(struct la_heap *heap, const struct chain *chain);

/* flush.c: memory back to the device */
int heap_list_idle(struct la_heap *heap, uint32_t pool, enum size_class class);
int heap_release_segment(struct la_heap *heap, uint32_t id);
int heap_flush(struct la_heap *heap);
int heap_drop_pool(struct la_heap *heap, int pool);
int heap_complete_pending(struct la_heap *heap, int pool);

/* walk.c, check.c: the blocks, for others */
void heap_walk_blocks(const struct la_heap *heap, la_heap_visitor *visitor,
		      void *data);
void heap_show_block(const struct la_heap *heap, uint32_t id,
		     struct la_block_info *info);
int heap_check_blocks(const struct la_heap *heap, struct la_error *err);
int heap_check_lists(const struct la_heap *heap, const uint64_t *bytes,
		     const uint64_t *count, struct la_error *err);
int heap_broken(struct la_error *err, const char *what, uint64_t addr);

#endif /* LA_HEAP_INTERNAL_H */
