// SPDX-License-Identifier: Apache-2.0
/* Where a request could go: runs of idle blocks, and places in them. */

#include <errno.h>

#include "heap/compact/compact.h"
#include "util/array.h"

static bool is_pool_in_reach(const struct la_heap *heap,
			     const struct reach *reach, uint32_t pool)
{
	if (reach->pool == ANY_POOL)
		return pool == LA_DEFAULT_POOL || heap->pool[pool].given_up;
	return pool == reach->pool;
}

/* Is a stream that may use what the set freed being captured? */
static bool is_barred(const struct la_heap *heap, const struct set *set)
{
	const struct compact *compact = heap->compact;

	return compact->barred[set->stream] ||
	       (set->pool != LA_DEFAULT_POOL && compact->capturing);
}

static bool is_in_reach(const struct la_heap *heap, const struct reach *reach,
			uint32_t id)
{
	const struct block *block = &heap->block[id];
	const struct set *set = &heap->set[block->set];

	if (block->state == BLOCK_UNMAPPED)
		return reach->holes && is_pool_in_reach(heap, reach, set->pool);
	if (block->state != BLOCK_FREE)
		return false;
	return block->set == reach->set ||
	       (reach->others && !is_barred(heap, set) &&
		is_pool_in_reach(heap, reach, set->pool));
}

/* Note the run that begins with a block, if one does. */
static int add_run(struct la_heap *heap, const struct reach *reach, uint32_t id)
{
	struct compact *compact = heap->compact;
	uint32_t prev = heap->block[id].prev;
	struct run run = { .addr = heap->block[id].addr, .first = id };

	if (!is_in_reach(heap, reach, id) ||
	    (prev != LA_NO_BLOCK && is_in_reach(heap, reach, prev)))
		return 0;
	if (grow_array(&compact->run, &compact->run_room, compact->run_count,
		       sizeof(run)) < 0)
		return -ENOMEM;
	for (; id != LA_NO_BLOCK && is_in_reach(heap, reach, id);
	     id = heap->block[id].next)
		run.size += heap->block[id].size;
	compact->run[compact->run_count++] = run;
	return 0;
}

/* Find all runs of what is in reach.  Returns 0 or -ENOMEM. */
int compact_look(struct la_heap *heap, const struct reach *reach)
{
	uint32_t i, id;

	heap->compact->run_count = 0;
	for (i = 0; i < heap->set_count; i++) {
		const struct free_set *free = &heap->set[i].free;

		for (id = heap_first_unmapped(heap, i, 0); id != LA_NO_BLOCK;
		     id = heap_first_unmapped(heap, i,
					      heap->block[id].addr + 1))
			if (add_run(heap, reach, id) < 0)
				return -ENOMEM;
		for (id = free_set_first(free, heap->block); id != LA_NO_BLOCK;
		     id = free_set_next(free, heap->block, id))
			if (add_run(heap, reach, id) < 0)
				return -ENOMEM;
	}
	return 0;
}

/* Bytes of the pages of holes that [addr, addr + size) touches; addr lies in
 * the block. */
static uint64_t missing_under(const struct la_heap *heap, uint32_t id,
			      uint64_t addr, uint64_t size)
{
	uint64_t end = addr + size, missing = 0, from, to;

	for (; id != LA_NO_BLOCK && heap->block[id].addr < end;
	     id = heap->block[id].next) {
		if (heap->block[id].state != BLOCK_UNMAPPED)
			continue;
		from = addr > heap->block[id].addr ? addr :
						     heap->block[id].addr;
		to = end < block_end(heap, id) ? end : block_end(heap, id);
		missing += page_up(to) - page_down(from);
	}
	return missing;
}

/* Pages that a request at addr touches and that no live block shares. */
static uint64_t pages_taken(const struct run *run, uint64_t addr, uint64_t size)
{
	uint64_t from = page_down(addr), end = page_up(addr + size);

	if (from < run->addr)
		from += PAGE;
	if (end > run->addr + run->size)
		end -= PAGE;
	return end > from ? (end - from) / PAGE : 0;
}

/* Fewest new pages, then the least room left over, then the lowest address;
 * tight: before all, fewest pages taken from where others could go. */
static bool is_better(const struct spot *a, const struct spot *b, bool tight)
{
	if (b->at == LA_NO_BLOCK)
		return true;
	if (tight && a->taken != b->taken)
		return a->taken < b->taken;
	if (a->missing != b->missing)
		return a->missing < b->missing;
	if (a->room != b->room)
		return a->room < b->room;
	return a->addr < b->addr;
}

/* Where the best place is sought. */
struct search {
	const struct la_heap *heap;
	const struct run *run; /* the one at hand */
	uint64_t size; /* bytes of the request */
	bool tight;
	struct spot best;
};

/* Try a request at an address in a block of the run. */
static void try_at(struct search *search, uint64_t addr, uint32_t at)
{
	struct spot spot = {
		.addr = addr,
		.missing = missing_under(search->heap, at, addr, search->size),
		.taken = pages_taken(search->run, addr, search->size),
		.room = search->run->size,
		.at = at,
	};

	if (is_better(&spot, &search->best, search->tight))
		search->best = spot;
}

/* Try a request up to the end of a block of the run. */
static void try_end(struct search *search, uint32_t at)
{
	uint64_t end = block_end(search->heap, at);

	if (end - search->run->addr < search->size)
		return;
	while (search->heap->block[at].addr > end - search->size)
		at = search->heap->block[at].prev;
	try_at(search, end - search->size, at);
}

static void search_run(struct search *search)
{
	const struct run *run = search->run;
	const struct block *block = search->heap->block;
	uint64_t end = run->addr + run->size;
	uint32_t id = run->first;

	for (;; id = block[id].next) {
		bool is_free = block[id].state == BLOCK_FREE;
		bool is_last = block_end(search->heap, id) == end;

		if ((is_free || id == run->first) &&
		    end - block[id].addr >= search->size)
			try_at(search, block[id].addr, id);
		if (is_free || is_last)
			try_end(search, id);
		if (is_last)
			return;
	}
}

/* The best place in the runs of the last look; tight: memory is short. */
struct spot compact_place(const struct la_heap *heap, uint64_t size, bool tight)
{
	const struct compact *compact = heap->compact;
	struct search search = {
		.heap = heap,
		.size = size,
		.tight = tight,
		.best.at = LA_NO_BLOCK,
	};
	size_t i;

	for (i = 0; i < compact->run_count; i++) {
		search.run = &compact->run[i];
		if (search.run->size >= size)
			search_run(&search);
	}
	return search.best;
}
