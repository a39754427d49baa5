// SPDX-License-Identifier: Apache-2.0
/*
 * Blocks that were freed while other streams than their own use them: an
 * event on each of these tells when it is done.  Start at pending_begin().
 */

#include <errno.h>
#include <stdlib.h>

#include "allocator/internal.h"
#include "util/array.h"

#define SECOND 1000000000 /* in ns */

/* The index of a stream's queue; or -ENOMEM. */
static int64_t find_queue(struct arena *arena, uint64_t stream)
{
	size_t i;

	for (i = 0; i < arena->queue_count; i++)
		if (arena->queue[i].stream == stream)
			return (int64_t)i;
	if (grow_array(&arena->queue, &arena->queue_room, i,
		       sizeof(*arena->queue)) < 0)
		return -ENOMEM;
	arena->queue[arena->queue_count++] = (struct queue){ .stream = stream };
	return (int64_t)i;
}

static struct use *new_use(struct arena *arena)
{
	struct use *use = arena->spare_use;

	if (!use)
		return malloc(sizeof(*use));
	arena->spare_use = use->next;
	return use;
}

/* A live block is used on a stream.  Returns 0 or -ENOMEM. */
int pending_use(struct arena *arena, struct lease *lease, uint64_t stream)
{
	int64_t queue = find_queue(arena, stream);
	struct use *use;

	if (queue < 0)
		return -ENOMEM;
	for (use = lease->use; use; use = use->next)
		if (use->queue == (uint32_t)queue)
			return 0;
	use = new_use(arena);
	if (!use)
		return -ENOMEM;
	*use = (struct use){ .next = lease->use,
			     .lease = lease,
			     .queue = (uint32_t)queue };
	lease->use = use;
	return 0;
}

static const struct la_device_ops *ops_of(const struct arena *arena)
{
	return arena->meter.device.ops;
}

/* Mark what a use waits for.  Returns 1, or 0: not now, as its stream is being
 * captured; or what the device failed with. */
static int mark(struct arena *arena, struct use *use)
{
	int err = ops_of(arena)->record(&arena->meter.device,
					arena->queue[use->queue].stream,
					&use->event);

	if (err == -EBUSY)
		return 0;
	return err < 0 ? err : 1;
}

static void enqueue(struct arena *arena, struct use *use)
{
	struct queue *queue = &arena->queue[use->queue];

	use->later = NULL;
	if (queue->last)
		queue->last->later = use;
	else
		queue->first = use;
	queue->last = use;
	arena->queued++;
}

static void forget_event(struct arena *arena, const struct use *use)
{
	ops_of(arena)->forget(&arena->meter.device, use->event);
}

/* A lease's uses are over. */
static int complete(struct arena *arena, struct lease *lease)
{
	int err = la_heap_free_complete(arena->heap, lease->block);
	struct use *use;

	while ((use = lease->use)) {
		lease->use = use->next;
		use->next = arena->spare_use;
		arena->spare_use = use;
	}
	lease_drop(arena, lease);
	return err;
}

/* A device that runs nothing is done at once. */
static int complete_at_once(struct arena *arena, struct lease *lease)
{
	lease_map_remove(&arena->map, lease_addr(lease));
	la_heap_free_request(arena->heap, lease->block);
	return complete(arena, lease);
}

/* Mark the uses of a lease; all or none. */
static int mark_all(struct arena *arena, struct lease *lease)
{
	struct use *use, *undo;
	int marked;

	for (use = lease->use; use; use = use->next) {
		marked = mark(arena, use);
		if (marked < 0)
			break;
		use->marked = marked;
	}
	if (!use)
		return 0;
	for (undo = lease->use; undo != use; undo = undo->next)
		if (undo->marked)
			forget_event(arena, undo);
	return marked;
}

/* Free a block that other streams use.  Returns 0, or what the device failed
 * with: then the block is as before. */
int pending_begin(struct arena *arena, struct lease *lease)
{
	struct use *use;
	int err;

	if (!ops_of(arena)->record)
		return complete_at_once(arena, lease);
	err = mark_all(arena, lease);
	if (err < 0)
		return err;
	lease_map_remove(&arena->map, lease_addr(lease));
	lease_set(lease, LEASE_PENDING);
	la_heap_free_request(arena->heap, lease->block);
	lease->uses_left = 0;
	for (use = lease->use; use; use = use->next) {
		lease->uses_left++;
		if (use->marked) {
			enqueue(arena, use);
		} else {
			use->later = arena->deferred;
			arena->deferred = use;
		}
	}
	return 0;
}

/* Queue the uses whose streams are no longer captured. */
static int queue_deferred(struct arena *arena)
{
	struct use **link = &arena->deferred, *use;
	int marked;

	while ((use = *link)) {
		marked = mark(arena, use);
		if (marked < 0)
			return marked;
		use->marked = marked;
		if (marked) {
			*link = use->later;
			enqueue(arena, use);
		} else {
			link = &use->later;
		}
	}
	return 0;
}

/* The first use of a queue is done.  Returns 1 if its block is complete. */
static int dequeue(struct arena *arena, struct queue *queue)
{
	struct use *use = queue->first;
	int err;

	queue->first = use->later;
	if (!queue->first)
		queue->last = NULL;
	arena->queued--;
	forget_event(arena, use);
	if (--use->lease->uses_left)
		return 0;
	err = complete(arena, use->lease);
	return err < 0 ? err : 1;
}

/* Complete blocks up to the first use of a queue that is not done. */
static long complete_queue(struct arena *arena, struct queue *queue)
{
	long count = 0;
	int result;

	while (queue->first) {
		result = ops_of(arena)->query(&arena->meter.device,
					      queue->first->event);
		if (result > 0) {
			result = dequeue(arena, queue);
			count += result > 0;
		} else if (!result) {
			break;
		}
		if (result < 0)
			return result;
	}
	return count;
}

/* Complete the blocks whose streams are done.  Returns their number, or what
 * the device failed with. */
long pending_settle(struct arena *arena)
{
	long count = 0, more = 0;
	size_t i;
	int err;

	if (arena->waiting)
		return 0;
	err = arena->deferred ? queue_deferred(arena) : 0;
	for (i = 0; i < arena->queue_count && arena->queued && more >= 0; i++) {
		more = complete_queue(arena, &arena->queue[i]);
		count += more;
	}
	if (more < 0)
		return more;
	return err < 0 ? err : count;
}

/* Wait for an event with the lock dropped. */
static int await(struct arena *arena, uint64_t event)
{
	int err;

	pthread_mutex_unlock(&arena->lock);
	err = ops_of(arena)->await(&arena->meter.device, event);
	pthread_mutex_lock(&arena->lock);
	arena->history.now = 0;
	return err;
}

/* Wait for all queues: no use leaves them meanwhile. */
static int await_queues(struct arena *arena)
{
	size_t i;
	int err = 0;

	arena->waiting = true;
	for (i = 0; i < arena->queue_count && !err; i++)
		if (arena->queue[i].last)
			err = await(arena, arena->queue[i].last->event);
	arena->waiting = false;
	pthread_cond_broadcast(&arena->settled);
	return err;
}

/* Another thread waits already: wait for it.  Returns 1 if there was one. */
static int await_other(struct arena *arena)
{
	int found = arena->waiting;

	while (arena->waiting)
		pthread_cond_wait(&arena->settled, &arena->lock);
	return found;
}

/* config.empty_above: a request needs memory of the device.  Returns 1 if the
 * cache was emptied. */
static int empty_above(struct arena *arena)
{
	const struct la_heap_stats *stats = la_heap_stats(arena->heap);
	double ratio = arena->allocator->empty_above;
	uint64_t whole = arena->cap == UINT64_MAX ? arena->total : arena->cap;
	uint64_t now;
	int err;

	if (!(ratio > 0) || !whole || arena->route ||
	    (double)stats->reserved <= ratio * (double)whole)
		return 0;
	now = meter_clock();
	if (arena->emptied && now - arena->emptied < SECOND)
		return 0;
	arena->emptied = now;
	err = la_heap_empty_cache(arena->heap);
	return err < 0 ? err : 1;
}

/* The heap cannot serve a request from what it has. */
static int settle(void *data, bool wait)
{
	struct arena *arena = data;
	long drained = arena_drain(arena), settled;
	int err = 0, other = 0;

	if (drained < 0)
		return (int)drained;
	if (wait) {
		other = await_other(arena);
		err = arena->deferred ? queue_deferred(arena) : 0;
		if (!err && arena->queued)
			err = await_queues(arena);
	} else {
		other = empty_above(arena);
		err = other < 0 ? other : 0;
	}
	settled = err < 0 ? err : pending_settle(arena);
	return (int)(settled < 0 ? settled : drained + settled + other);
}

static int synchronize(void *data, uint64_t stream)
{
	struct arena *arena = data;
	uint64_t event;
	int err;

	if (!ops_of(arena)->record)
		return 0;
	err = ops_of(arena)->record(&arena->meter.device, stream, &event);
	if (err < 0)
		return err;
	err = await(arena, event);
	ops_of(arena)->forget(&arena->meter.device, event);
	return err;
}

/* While a pool is filled a graph may be. */
static bool capturing(void *data)
{
	const struct arena *arena = data;

	return arena->route;
}

const struct la_heap_waiter arena_waiter = {
	.settle = settle,
	.synchronize = synchronize,
	.capturing = capturing,
};

/* Release what is kept of queues; leases own the uses that are in them.  In a
 * child of fork() the device's events are not its. */
void pending_forget(struct arena *arena)
{
	const struct use *use;
	size_t i;

	for (i = 0; i < arena->queue_count; i++)
		for (use = arena->queue[i].first; use; use = use->later)
			if (guard_holds(&arena->allocator->guard))
				forget_event(arena, use);
	uses_free(arena->spare_use);
	free(arena->queue);
}
