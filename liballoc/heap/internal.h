/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_HEAP_INTERNAL_H
#define LA_HEAP_INTERNAL_H

#include <liballoc/heap.h>

#include "heap/block.h"
#include "heap/free-set.h"
#include "util/util.h"

/* Constants of the policy; sizes in bytes. */
#define BLOCK_MIN ((uint64_t)512) /* every size is a multiple of it */
#define SMALL_MAX (1 * MIB) /* largest request of the small pool */
#define SMALL_SEGMENT (2 * MIB) /* segment of the small pool */
#define MID_MAX (10 * MIB) /* from here on a segment of its own size */
#define SEGMENT_ROUND (2 * MIB) /* ... rounded up to this */
#define KEEP_SLACK (1 * MIB) /* a remainder that stays with its block */
#define REQUEST_MAX ((uint64_t)1 << 60) /* refused from here on */

enum pool { LARGE_POOL, SMALL_POOL, POOL_COUNT };

struct la_heap {
	struct la_setting_values setting;
	struct la_device *device; /* borrowed */
	uint64_t cap; /* bytes; UINT64_MAX: none */
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

	uint64_t *stream; /* owned; raw values by number */
	uint32_t *stream_order; /* owned; numbers by raw value */
	struct free_set *set; /* owned; free blocks, see set_index() */
	uint32_t stream_count;
	uint64_t searches[POOL_COUNT]; /* requests routed to each pool */

	uint32_t *scratch; /* owned; blocks of the walk under way */
	uint32_t scratch_room;
};

static inline uint32_t set_index(int stream, enum pool pool)
{
	return (uint32_t)stream * POOL_COUNT + pool;
}

static inline enum pool set_pool(uint32_t set)
{
	return set % POOL_COUNT;
}

static inline uint64_t set_stream(const struct la_heap *heap, uint32_t set)
{
	return heap->stream[set / POOL_COUNT];
}

/* Is the block all of its segment? */
static inline bool is_whole(const struct block *block)
{
	return block->prev == LA_NO_BLOCK && block->next == LA_NO_BLOCK;
}

static inline void emit(const struct la_heap *heap, enum la_action action,
			uint64_t addr, uint64_t size, uint32_t set)
{
	if (heap->listener)
		heap->listener(heap->listener_data, action, addr, size,
			       set_stream(heap, set));
}

/* blocks.c: pieces of segments */
int block_reserve(struct la_heap *heap);
uint32_t block_new(struct la_heap *heap, uint64_t addr, uint64_t size,
		   uint32_t set);
void block_forget(struct la_heap *heap, uint32_t id);
void block_cut(struct la_heap *heap, uint32_t id, uint64_t size);
void block_merge(struct la_heap *heap, uint32_t id);
void block_insert(struct la_heap *heap, uint32_t id);
void block_remove(struct la_heap *heap, uint32_t id);

/* heap.c: the path of a request, and its streams */
int heap_add_stream(struct la_heap *heap);
uint32_t heap_search(const struct la_heap *heap, uint32_t index, uint64_t size);
void heap_hand_out(struct la_heap *heap, uint32_t id, uint64_t size,
		   uint64_t asked);

/* grow.c: memory from the device, and back to it */
int heap_obtain(struct la_heap *heap, uint32_t set, uint64_t size,
		uint32_t *id);
int heap_flush(struct la_heap *heap);
int heap_release_segment(struct la_heap *heap, uint32_t id);

#endif /* LA_HEAP_INTERNAL_H */
