// SPDX-License-Identifier: Apache-2.0
/*
 * A request that found no block: addresses where few pages lack memory get it,
 * from the device or from where it lies free.  Start at compact_obtain().
 */

#include <errno.h>
#include <stdlib.h>

#include "heap/compact/compact.h"

enum {
	ROUNDS_SHARED = 2, /* so often other threads may come in between; then
			    * the heap stays locked */
	SQUEEZED_MOST = 16 /* at each so many requests it is tried whether the
			    * device has more again */
};

/* Which streams are being captured?  Returns 0 or -ENOMEM. */
int compact_look_at_streams(struct la_heap *heap)
{
	struct compact *compact = heap->compact;
	const struct la_device_ops *ops = heap->device->ops;
	uint32_t i;
	bool *barred;

	if (compact->barred_count < heap->stream_count) {
		barred = realloc(compact->barred,
				 heap->stream_count * sizeof(*barred));
		if (!barred)
			return -ENOMEM;
		compact->barred = barred;
		compact->barred_count = heap->stream_count;
	}
	compact->capturing = has_streams(heap) &&
			     heap->waiter.capturing(heap->waiter.data);
	for (i = 0; i < heap->stream_count; i++) {
		compact->barred[i] =
			has_streams(heap) &&
			ops->capturing(heap->device, heap->stream[i]) != 0;
		compact->capturing |= compact->barred[i];
	}
	return 0;
}

int compact_take(struct la_heap *heap, uint32_t set, uint64_t size,
		 uint32_t *id)
{
	if (block_reserve(heap) < 0)
		return -ENOMEM;
	*id = free_set_from(&heap->set[set].free, heap->block, size, 0);
	if (*id == LA_NO_BLOCK)
		return 0;
	block_remove(heap, *id);
	return 1;
}

/* Have a set's stream wait on the device for what another one's does.  -EAGAIN:
 * that one is being captured since it was looked at. */
static int order_behind(struct la_heap *heap, uint32_t set, uint32_t owner)
{
	const struct la_device_ops *ops = heap->device->ops;
	uint64_t event;
	int err;

	heap->stats.waits++;
	if (!has_streams(heap))
		return 0;
	err = ops->record(heap->device, set_stream(heap, owner), &event);
	if (err < 0)
		return err == -EBUSY ? -EAGAIN : err;
	err = ops->order(heap->device, set_stream(heap, set), event);
	ops->forget(heap->device, event);
	return err;
}

static bool must_wait(const struct la_heap *heap, uint32_t set, uint32_t owner)
{
	return heap->set[owner].stream != heap->set[set].stream &&
	       !set_is_quiet(&heap->set[owner]);
}

/* Make the part of a block that lies in [addr, addr + size) free for a set. */
static int occupy_block(struct la_heap *heap, uint32_t *id, uint64_t addr,
			uint64_t size, uint32_t set)
{
	const struct block *block = &heap->block[*id];
	uint64_t end = addr + size;
	bool waits;
	int err;

	if (block->state == BLOCK_UNMAPPED)
		return compact_back(heap, id, addr, size, set);
	if (block->set == set)
		return 0;
	if (block_reserve(heap) < 0)
		return -ENOMEM;
	waits = must_wait(heap, set, heap->block[*id].set);
	err = waits ? order_behind(heap, set, heap->block[*id].set) : 0;
	if (err < 0)
		return err;
	if (addr < heap->block[*id].addr)
		addr = heap->block[*id].addr;
	if (end > block_end(heap, *id))
		end = block_end(heap, *id);
	if (waits)
		compact_note_use(heap, set, addr, end - addr);
	*id = compact_turn(heap, *id, addr, end - addr, BLOCK_FREE, set);
	return 0;
}

/* Make a spot one block that begins there and is in no set. */
static int occupy(struct la_heap *heap, const struct spot *spot, uint64_t size,
		  uint32_t set, uint32_t *out)
{
	uint32_t id = spot->at;
	int err;

	for (;;) {
		err = occupy_block(heap, &id, spot->addr, size, set);
		if (err < 0)
			return err;
		if (block_end(heap, id) >= spot->addr + size)
			break;
		id = heap->block[id].next;
	}
	if (block_reserve(heap) < 0)
		return -ENOMEM;
	*out = block_carve(heap, id, spot->addr,
			   block_end(heap, id) - spot->addr);
	return 0;
}

static bool fits(const struct la_heap *heap, uint64_t missing)
{
	const struct compact *compact = heap->compact;

	return missing <= compact->limit &&
	       compact->mapped <= compact->limit - missing;
}

/* Seek a spot, in new addresses if there is none in those that are there. */
static int seek_spot(struct la_heap *heap, const struct reach *reach,
		     uint64_t size, bool tight, struct spot *spot)
{
	int err = compact_look(heap, reach);

	if (err < 0)
		return err;
	*spot = compact_place(heap, size, tight);
	if (spot->at != LA_NO_BLOCK)
		return 0;
	err = compact_add_area(heap, reach->pool, size);
	if (!err)
		err = compact_look(heap, reach);
	if (!err)
		*spot = compact_place(heap, size, tight);
	return err;
}

/* May the request take what other streams freed? */
static bool may_share(const struct la_heap *heap, uint32_t set)
{
	return heap->set[set].pool == LA_DEFAULT_POOL &&
	       !heap->compact->barred[heap->set[set].stream];
}

/* Growth: new memory beside the stream's own.  -ENOSPC: not in the limit. */
static int grow(struct la_heap *heap, uint32_t set, uint64_t size, uint32_t *id)
{
	const struct reach reach = {
		.pool = heap->set[set].pool,
		.set = set,
		.holes = true,
	};
	struct spot spot;
	int err = seek_spot(heap, &reach, size, false, &spot);

	if (err < 0)
		return err;
	if (!fits(heap, spot.missing))
		return -ENOSPC;
	return occupy(heap, &spot, size, set, id);
}

/* The smallest run of the last look that serves a request, the lowest of
 * equals. */
static struct spot best_run(const struct la_heap *heap, uint64_t size)
{
	const struct compact *compact = heap->compact;
	struct spot best = { .at = LA_NO_BLOCK };
	size_t i;

	for (i = 0; i < compact->run_count; i++) {
		const struct run *run = &compact->run[i];

		if (run->size < size ||
		    (best.at != LA_NO_BLOCK &&
		     (run->size > best.room ||
		      (run->size == best.room && run->addr > best.addr))))
			continue;
		best = (struct spot){ .addr = run->addr,
				      .room = run->size,
				      .at = run->first };
	}
	return best;
}

/* What other streams freed, behind what they still do.  -ENOSPC: no run of it
 * is long enough. */
static int borrow(struct la_heap *heap, uint32_t set, uint64_t size,
		  uint32_t *id)
{
	const struct reach reach = {
		.pool = heap->set[set].pool,
		.set = set,
		.others = true,
	};
	struct spot spot;

	if (!may_share(heap, set))
		return -ENOSPC;
	if (compact_look(heap, &reach) < 0)
		return -ENOMEM;
	spot = best_run(heap, size);
	if (spot.at == LA_NO_BLOCK)
		return -ENOSPC;
	return occupy(heap, &spot, size, set, id);
}

/* Take from their addresses as many pieces as a spot needs, if there are
 * enough such that no stream has to be waited for.  Returns as move(). */
static int make_room(struct la_heap *heap, const struct spot *spot,
		     uint64_t size, bool locked)
{
	struct compact *compact = heap->compact;
	struct hunt hunt = {
		.pool = ANY_POOL,
		.spot = spot,
		.size = size,
		.wanted = compact->mapped + spot->missing - compact->limit,
		.quiet = compact->marking,
	};
	int err;

	compact_start_marking(heap);
	compact_poll_marks(heap);
	err = compact_find_victims(heap, &hunt);
	if (err == -ENOSPC && hunt.quiet) {
		hunt.quiet = false;
		err = compact_find_victims(heap, &hunt);
	}
	if (!err)
		err = compact_quieten(heap, locked);
	if (!err)
		err = compact_unback_victims(heap);
	if (!err)
		err = compact_release_spares(heap, compact->limit);
	return err;
}

/* Move pieces under a spot.  -ENOSPC: there are too few; -EAGAIN: other
 * threads used the heap meanwhile. */
static int move(struct la_heap *heap, uint32_t set, uint64_t size, bool locked,
		uint32_t *id)
{
	const struct reach reach = {
		.pool = heap->set[set].pool,
		.set = set,
		.holes = true,
		.others = may_share(heap, set),
	};
	struct spot spot;
	int err = seek_spot(heap, &reach, size, true, &spot);

	if (!err && !fits(heap, spot.missing)) {
		err = make_room(heap, &spot, size, locked);
		if (!err)
			err = seek_spot(heap, &reach, size, true, &spot);
	}
	return err < 0 ? err : occupy(heap, &spot, size, set, id);
}

/* Wait for all pending blocks.  Returns 0 or a negative errno value. */
int compact_wait_for_pending(struct la_heap *heap)
{
	heap->stats.syncs++;
	heap->flushes++;
	return heap_complete_pending(heap, -1);
}

/* The last resort: wait for pending blocks, let other threads free some, and
 * believe again in memory that the device refused.  -ENOSPC: there is nothing
 * to hope for. */
static int hope(struct la_heap *heap)
{
	struct compact *compact = heap->compact;
	bool hopeful = compact->limit < compact_cap(heap);
	int err;

	compact->limit = compact_cap(heap);
	if (heap->waiter.settle || heap->pending_first != LA_NO_BLOCK) {
		hopeful = true;
		heap->stats.retries++;
		err = compact_wait_for_pending(heap);
		if (err < 0)
			return err;
	}
	return hopeful ? 0 : -ENOSPC;
}

/* Complete the pending blocks whose streams are done, and take one of what
 * became free.  Returns as compact_take(). */
static int take_settled(struct la_heap *heap, uint32_t set, uint64_t size,
			uint32_t *id)
{
	int count;

	if (!heap->waiter.settle)
		return 0;
	count = heap->waiter.settle(heap->waiter.data, false);
	return count < 0 ? count : compact_take(heap, set, size, id);
}

/* All that does not wait for pending blocks; -EAGAIN: other threads used the
 * heap. */
static int try_all(struct la_heap *heap, uint32_t set, uint64_t size,
		   bool locked, uint32_t *id)
{
	int err = compact_take(heap, set, size, id);

	if (err)
		return err < 0 ? err : 0;
	if (compact_look_at_streams(heap) < 0)
		return -ENOMEM;
	err = grow(heap, set, size, id);
	if (err != -ENOSPC)
		return err;
	err = take_settled(heap, set, size, id);
	if (err)
		return err < 0 ? err : 0;
	if (compact_look_at_streams(heap) < 0)
		return -ENOMEM;
	err = borrow(heap, set, size, id);
	return err == -ENOSPC ? move(heap, set, size, locked, id) : err;
}

/* The same until no other thread comes in between, and the device has said how
 * much there is. */
static int try_until_known(struct la_heap *heap, uint32_t set, uint64_t size,
			   uint32_t *id)
{
	unsigned int round = 0;
	uint64_t refusals;
	int err;

	do {
		refusals = heap->compact->refusals;
		err = try_all(heap, set, size, round >= ROUNDS_SHARED, id);
		round += err == -EAGAIN;
	} while (err == -EAGAIN ||
		 (err == -ENOSPC && heap->compact->refusals > refusals));
	return err;
}

/* What the device refused another process may have given back meanwhile. */
static void forget_refusal(struct la_heap *heap)
{
	struct compact *compact = heap->compact;

	if (compact->limit < compact_cap(heap) &&
	    ++compact->squeezed % SQUEEZED_MOST == 0)
		compact->limit = compact_cap(heap);
}

/* On success *id is a block in no set that is large enough. */
int compact_obtain(struct la_heap *heap, uint32_t set, uint64_t size,
		   uint32_t *id)
{
	int err;

	if (size > heap->cap)
		return -ENOSPC;
	forget_refusal(heap);
	err = try_until_known(heap, set, size, id);
	if (err != -ENOSPC)
		return err;
	err = hope(heap);
	return err < 0 ? err : try_until_known(heap, set, size, id);
}
