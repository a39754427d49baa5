// SPDX-License-Identifier: Apache-2.0
/* Pieces that lie wholly under free blocks: found, waited for, taken away. */

#include <errno.h>
#include <stdlib.h>

#include "heap/compact/compact.h"
#include "util/array.h"

/* The largest first, of equals the lowest. */
static int by_size(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* A stream of which something has to be waited for. */
struct busy {
	uint32_t stream; /* ALL_STREAMS: any; NO_STREAM: none */
	uint64_t clock; /* of what was freed last */
};

/* May a set's stream still use what lies over a piece?  What was freed in a
 * private pool may have been used by graphs, on whatever stream they were
 * launched. */
static struct busy busy_of_set(const struct la_heap *heap,
			       const struct set *set, const struct piece *piece)
{
	const struct compact *compact = heap->compact;
	struct busy busy = { set->stream, set->freed_at };
	uint64_t freed_at = piece->freed_at > compact->since ?
				    piece->freed_at :
				    compact->since;

	if (set->pool != LA_DEFAULT_POOL) {
		busy.stream = set->freed_at <= compact->drained_at ?
				      NO_STREAM :
				      ALL_STREAMS;
		return busy;
	}
	if (compact->marking && freed_at < busy.clock)
		busy.clock = freed_at;
	if (busy.clock <= set->quiet_at)
		busy.stream = NO_STREAM;
	return busy;
}

/* Who still uses a victim. */
static struct busy busy_of(const struct la_heap *heap,
			   const struct victim *victim)
{
	const struct piece *piece = &heap->compact->piece[victim->piece];
	uint64_t end = piece->addr + piece_size(piece);
	struct busy busy = { NO_STREAM, 0 };
	uint32_t id = victim->first;

	while (block_end(heap, id) <= piece->addr)
		id = heap->block[id].next;
	for (; busy.stream == NO_STREAM && id != LA_NO_BLOCK &&
	       heap->block[id].addr < end;
	     id = heap->block[id].next)
		busy = busy_of_set(heap, &heap->set[heap->block[id].set],
				   piece);
	return busy;
}

static bool is_movable(const struct la_heap *heap, const struct victim *victim,
		       const struct hunt *hunt)
{
	const struct piece *piece = &heap->compact->piece[victim->piece];
	uint64_t spot = hunt->spot->addr;

	return !piece->pins &&
	       (piece->addr + piece_size(piece) <= spot ||
		piece->addr >= spot + hunt->size) &&
	       (!hunt->quiet || busy_of(heap, victim).stream == NO_STREAM);
}

/* Note pieces of a run until there are so many bytes of them.  Returns what is
 * still wanted, or -ENOMEM. */
static int64_t add_victims(struct la_heap *heap, const struct run *run,
			   const struct hunt *hunt, int64_t wanted)
{
	struct compact *compact = heap->compact;
	uint64_t at = page_up(run->addr), end = run->addr + run->size;

	while (wanted > 0 && at + PAGE <= end) {
		uint32_t number = compact_piece_at(heap, at);
		const struct piece *piece = &compact->piece[number];
		struct victim victim = { number, run->first };
		uint64_t stop = piece->addr + piece_size(piece);

		if (piece->addr == at && stop <= end &&
		    is_movable(heap, &victim, hunt)) {
			if (grow_array(&compact->victim, &compact->victim_room,
				       compact->victim_count,
				       sizeof(victim)) < 0)
				return -ENOMEM;
			compact->victim[compact->victim_count++] = victim;
			wanted -= (int64_t)piece_size(piece);
		}
		at = stop;
	}
	return wanted > 0 ? wanted : 0;
}

/* Choose pieces that can go away.  Returns 0, -ENOSPC if there are too few, or
 * -ENOMEM. */
int compact_find_victims(struct la_heap *heap, const struct hunt *hunt)
{
	struct compact *compact = heap->compact;
	const struct reach reach = {
		.pool = hunt->pool,
		.set = NO_SET,
		.others = true,
	};
	int64_t left = hunt->wanted > INT64_MAX ? INT64_MAX :
						  (int64_t)hunt->wanted;
	size_t i;

	compact->victim_count = 0;
	if (compact_look(heap, &reach) < 0)
		return -ENOMEM;
	if (compact->run_count)
		qsort(compact->run, compact->run_count, sizeof(*compact->run),
		      by_size);
	for (i = 0; i < compact->run_count && left > 0; i++)
		left = add_victims(heap, &compact->run[i], hunt, left);
	return left < 0 ? (int)left : left > 0 ? -ENOSPC : 0;
}

/* Wait for a stream while no other thread uses the heap. */
static int wait_locked(struct la_heap *heap, uint32_t stream)
{
	const struct la_device_ops *ops = heap->device->ops;
	uint64_t event;
	int err = ops->record(heap->device, heap->stream[stream], &event);

	if (err < 0)
		return err;
	err = ops->await(heap->device, event);
	ops->forget(heap->device, event);
	return err;
}

/* Wait for a stream, or all; locked: no other thread uses the heap then. */
static int wait_for(struct la_heap *heap, uint32_t stream, bool locked)
{
	if (stream == ALL_STREAMS)
		return heap->device->ops->drain(heap->device);
	return locked ? wait_locked(heap, stream) :
			heap->waiter.synchronize(heap->waiter.data,
						 heap->stream[stream]);
}

/* Without a waiter nothing runs on the device.  -EAGAIN: a stream is being
 * captured since it was looked at. */
static int wait_for_stream(struct la_heap *heap, uint32_t stream, bool locked)
{
	uint64_t clock = heap->compact->clock;
	int err = 0;

	if (has_streams(heap))
		err = wait_for(heap, stream, locked);
	if (!err)
		compact_note_wait(heap, stream, clock);
	return err == -EBUSY ? -EAGAIN : err;
}

/*
 * Wait for the streams that still use victims.  locked: let no other thread
 * use the heap meanwhile.  Returns 0; -EAGAIN: others used it, look anew; or
 * what a wait failed with.
 */
int compact_quieten(struct la_heap *heap, bool locked)
{
	const struct compact *compact = heap->compact;
	bool shared = heap->waiter.synchronize && !locked, waited = false;
	struct busy busy;
	size_t i;
	int err;

	for (i = 0; i < compact->victim_count; i++) {
		while ((busy = busy_of(heap, &compact->victim[i])).stream !=
		       NO_STREAM) {
			if (!waited)
				heap->stats.stalls++;
			waited = true;
			err = compact_await_mark(heap, busy.stream, busy.clock);
			if (!err)
				continue;
			if (err == -ENOENT)
				err = wait_for_stream(heap, busy.stream,
						      locked);
			if (err < 0 || shared)
				return err < 0 ? err : -EAGAIN;
		}
	}
	return 0;
}

/* Take all victims from their addresses. */
int compact_unback_victims(struct la_heap *heap)
{
	const struct compact *compact = heap->compact;
	uint32_t id = LA_NO_BLOCK, run = LA_NO_BLOCK;
	size_t i;
	int err = 0;

	for (i = 0; i < compact->victim_count && !err; i++) {
		const struct victim *victim = &compact->victim[i];

		if (victim->first != run)
			id = run = victim->first;
		err = compact_unback(heap, victim->piece, &id);
	}
	return err;
}
