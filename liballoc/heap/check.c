// SPDX-License-Identifier: Apache-2.0
/* The structure of a heap, checked from outside its operations. */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "heap/internal.h"
#include "util/error.h"

int heap_broken(struct la_error *err, const char *what, uint64_t addr)
{
	return la_error_set(err, -EUCLEAN, LA_NO_OFFSET, "%s at 0x%" PRIx64,
			    what, addr);
}

static bool is_used(const struct la_heap *heap, uint32_t id)
{
	return id < heap->block_count && heap->block[id].state != BLOCK_SPARE;
}

/* One block: sizes, neighbours, and that free neighbours were merged. */
static int check_block(const struct la_heap *heap, uint32_t id,
		       struct la_error *err)
{
	const struct block *block = &heap->block[id], *next;

	if (!block->size ||
	    (block->size % BLOCK_MIN &&
	     !rules_have(heap->rules, RULE_UNIT_DIVISION)))
		return heap_broken(err, "block of odd size", block->addr);
	if (block->set >= heap->set_count)
		return heap_broken(err, "block of no set", block->addr);
	if (block->prev != LA_NO_BLOCK &&
	    (!is_used(heap, block->prev) ||
	     heap->block[block->prev].next != id))
		return heap_broken(err, "block unlinked from behind", block->addr);
	if (block->next == LA_NO_BLOCK)
		return 0;
	next = &heap->block[block->next];
	if (!is_used(heap, block->next) || next->prev != id)
		return heap_broken(err, "block unlinked from front", block->addr);
	if (next->addr != block->addr + block->size ||
	    next->set != block->set || next->chained != block->chained)
		return heap_broken(err, "neighbours that do not touch", block->addr);
	if (next->state == block->state && (block->state == BLOCK_FREE ||
					    block->state == BLOCK_UNMAPPED))
		return heap_broken(err, "idle neighbours of one state",
			      block->addr);
	return 0;
}

/* Deeper than any treap of blocks at honest addresses. */
enum { DEPTH_MAX = 1000 };

/* The blocks in a state, and how many of them were not met yet. */
struct met {
	uint8_t state; /* enum block_state */
	uint64_t left;
};

/* A tree of a set: all of it blocks of the set and in the state. */
static int check_tree(const struct la_heap *heap, uint32_t index, uint32_t id,
		      int depth, struct met *met, struct la_error *err)
{
	const struct block *block = &heap->block[id];
	int side;

	if (!is_used(heap, id) || block->state != met->state ||
	    block->set != index || !met->left || depth == DEPTH_MAX)
		return heap_broken(err, "stale entry", 0);
	met->left--;
	for (side = 0; side < 2; side++) {
		uint32_t child = block->child[side];

		if (child != LA_NO_BLOCK &&
		    check_tree(heap, index, child, depth + 1, met, err) < 0)
			return -EUCLEAN;
	}
	return 0;
}

/* Going through a set meets its blocks in ascending order. */
static int check_order(const struct la_heap *heap, const struct free_set *set,
		       uint64_t count, struct la_error *err)
{
	uint32_t id = free_set_first(set, heap->block), next;

	for (; id != LA_NO_BLOCK; id = next) {
		next = free_set_next(set, heap->block, id);
		if (free_set_from(set, heap->block, heap->block[id].size,
				  heap->block[id].order) != id)
			return heap_broken(err, "entry out of place",
				      heap->block[id].addr);
		if (!count--)
			return heap_broken(err, "entry met twice", 0);
		if (next != LA_NO_BLOCK &&
		    free_set_before(set, heap->block, heap->block[next].size,
				    heap->block[next].order) != id)
			return heap_broken(err, "entry out of order",
				      heap->block[id].addr);
	}
	return count ? heap_broken(err, "entry never met", 0) : 0;
}

static int check_free_set(const struct la_heap *heap, uint32_t index,
			  struct met *met, struct la_error *err)
{
	const struct free_set *set = &heap->set[index].free;
	uint64_t before = met->left, bits;
	int w, bin;

	for (w = 0; w < FREE_WORDS; w++) {
		if ((set->word[w] != 0) != (set->words >> w & 1))
			return heap_broken(err, "bins that are not found", 0);
		for (bits = set->word[w]; bits; bits &= bits - 1) {
			bin = 64 * w + __builtin_ctzll(bits);
			if (check_tree(heap, index, set->root[bin], 0, met,
				       err) < 0)
				return -EUCLEAN;
		}
	}
	return check_order(heap, set, before - met->left, err);
}

/* The unmapped blocks of a set are found in the order of their addresses. */
static int check_unmapped(const struct la_heap *heap, uint32_t index,
			  struct met *met, struct la_error *err)
{
	uint64_t before = met->left, addr = 0;
	uint32_t root = heap->set[index].unmapped, id;

	if (root == LA_NO_BLOCK)
		return 0;
	if (check_tree(heap, index, root, 0, met, err) < 0)
		return -EUCLEAN;
	for (before -= met->left; before; before--) {
		id = heap_first_unmapped(heap, index, addr);
		if (id == LA_NO_BLOCK)
			return heap_broken(err, "unmapped block never met", addr);
		addr = heap->block[id].addr + 1;
	}
	return 0;
}

static int check_sets(const struct la_heap *heap, const uint64_t *count,
		      struct la_error *err)
{
	struct met free = { BLOCK_FREE, count[BLOCK_FREE] };
	struct met unmapped = { BLOCK_UNMAPPED, count[BLOCK_UNMAPPED] };
	uint32_t i;

	for (i = 0; i < heap->set_count; i++) {
		const struct set *set = &heap->set[i];

		if (*set_slot(heap, set->pool, set->class, set->stream) != i)
			return heap_broken(err, "set that is not found", 0);
		if (check_free_set(heap, i, &free, err) < 0 ||
		    check_unmapped(heap, i, &unmapped, err) < 0)
			return -EUCLEAN;
	}
	if (free.left || unmapped.left)
		return heap_broken(err, "idle block in no set", 0);
	return 0;
}

/* A block of a chain lies in one, its unmapped ones on granules. */
static int check_chained(const struct la_heap *heap,
			 const struct block *block, struct la_error *err)
{
	const struct chain *chain = heap_chain_of(heap, block->addr);
	uint64_t offset;

	if (!chain)
		return heap_broken(err, "block of no chain", block->addr);
	offset = block->addr - chain->addr;
	if (block->size > chain->size - offset)
		return heap_broken(err, "block beyond its chain", block->addr);
	if ((block->prev == LA_NO_BLOCK) != !offset ||
	    (block->next == LA_NO_BLOCK) !=
		    (block->size == chain->size - offset))
		return heap_broken(err, "chain not covered", block->addr);
	if (block->state == BLOCK_UNMAPPED &&
	    (offset % chain->granule || block->size % chain->granule))
		return heap_broken(err, "part of a granule unmapped", block->addr);
	return 0;
}

static int check_pending(const struct la_heap *heap, uint64_t count,
			 struct la_error *err)
{
	uint32_t id = heap->pending_first, before = LA_NO_BLOCK;

	for (; id != LA_NO_BLOCK; id = heap->block[id].pending.after) {
		if (!is_used(heap, id) || !count-- ||
		    heap->block[id].state != BLOCK_PENDING ||
		    heap->block[id].pending.before != before)
			return heap_broken(err, "pending list", 0);
		before = id;
	}
	if (count || heap->pending_last != before)
		return heap_broken(err, "pending list too short", 0);
	return 0;
}

/* Blocks that are not in use can all be had again. */
static int check_spare(const struct la_heap *heap, uint64_t count,
		       struct la_error *err)
{
	uint32_t id = heap->spare;

	for (; id != LA_NO_BLOCK; id = heap->block[id].next)
		if (id >= heap->block_count || is_used(heap, id) || !count--)
			return heap_broken(err, "spare list", 0);
	return count ? heap_broken(err, "spare list too short", 0) : 0;
}

/* Each block is where those of its state are kept; bytes and counts are by
 * state. */
int heap_check_lists(const struct la_heap *heap, const uint64_t *bytes,
		     const uint64_t *count, struct la_error *err)
{
	if (check_sets(heap, count, err) < 0)
		return -EUCLEAN;
	if (heap->stats.allocated != bytes[BLOCK_LIVE] ||
	    heap->stats.active != bytes[BLOCK_LIVE] + bytes[BLOCK_PENDING])
		return heap_broken(err, "wrong sums", 0);
	if (check_spare(heap, count[BLOCK_SPARE], err) < 0)
		return -EUCLEAN;
	return check_pending(heap, count[BLOCK_PENDING], err);
}

int heap_check_blocks(const struct la_heap *heap, struct la_error *err)
{
	uint64_t bytes[BLOCK_STATES] = { 0 };
	uint64_t count[BLOCK_STATES] = { 0 };
	uint32_t i;

	for (i = 0; i < heap->block_count; i++) {
		const struct block *block = &heap->block[i];

		count[block->state]++;
		if (block->state == BLOCK_SPARE)
			continue;
		if (check_block(heap, i, err) < 0 ||
		    (block->chained && check_chained(heap, block, err) < 0))
			return -EUCLEAN;
		bytes[block->state] += block->size;
	}
	if (heap->stats.reserved != heap->stats.active + bytes[BLOCK_FREE])
		return heap_broken(err, "wrong sums", 0);
	return heap_check_lists(heap, bytes, count, err);
}
