// SPDX-License-Identifier: Apache-2.0
/* Figures of an arena, and why a request failed. */

#include <errno.h>

#include "allocator/internal.h"
#include "util/util.h"

/* Sums over free blocks; the blocks of a segment come one after another. */
struct free_sums {
	const struct arena *arena;
	uint64_t inactive; /* bytes in segments that are used too */
	uint64_t private; /* bytes in private pools */
	uint64_t pinned; /* bytes that may not move */
	uint64_t largest; /* bytes of the largest */
	uint64_t segment; /* address of the one at hand */
	uint64_t segment_free; /* its free bytes */
	bool segment_used;
};

static void end_segment(struct free_sums *sums)
{
	if (sums->segment_used)
		sums->inactive += sums->segment_free;
	sums->segment_free = 0;
	sums->segment_used = false;
}

static void sum_up(void *data, const struct la_block_info *info)
{
	struct free_sums *sums = data;

	if (info->segment_addr != sums->segment)
		end_segment(sums);
	sums->segment = info->segment_addr;
	if (info->state != LA_BLOCK_FREE) {
		sums->segment_used = true;
		return;
	}
	sums->segment_free += info->size;
	sums->pinned += arena_pinned(sums->arena, info->addr, info->size);
	if (info->pool[0] || info->pool[1])
		sums->private += info->size;
	if (info->size > sums->largest)
		sums->largest = info->size;
}

static struct free_sums sum_free(struct arena *arena)
{
	struct free_sums sums = { .arena = arena };

	arena_walk(arena, sum_up, &sums);
	end_segment(&sums);
	return sums;
}

/* Behind a failed request: the rest of its facts. */
void arena_describe(struct arena *arena, struct la_allocator_oom *oom)
{
	const struct la_heap_stats *stats = la_heap_stats(arena->heap);
	struct free_sums sums;

	(void)arena_drain(arena); /* what failed counts as allocated */
	sums = sum_free(arena);
	oom->device = arena->number;
	oom->cap = arena->cap;
	oom->total = arena->total;
	oom->allocated = stats->allocated;
	oom->pending = stats->active - stats->allocated;
	oom->reserved = stats->reserved;
	oom->pinned = sums.pinned;
	oom->private_free = sums.private;
	oom->largest_free = sums.largest;
}

LA_EXPORT int la_allocator_oom_of(struct la_allocator *allocator,
				  struct la_allocator_oom *oom)
{
	const struct thread *thread;

	if (!guard_holds(&allocator->guard))
		return -ECHILD;
	thread = thread_known(allocator);
	if (!thread || !thread->failed)
		return -ENOENT;
	*oom = thread->oom;
	return 0;
}

static void read_stats(struct arena *arena, struct la_allocator_stats *stats)
{
	struct meter *meter = &arena->meter;
	struct tally tally;
	struct peaks peaks;
	uint64_t cached;

	ledger_read(arena, &tally, &cached, &peaks);
	*stats = (struct la_allocator_stats){
		.heap = *la_heap_stats(arena->heap),
		.requested = (uint64_t)tally.requested,
		.requested_peak = peaks.requested,
		.live = (uint64_t)tally.live,
		.live_peak = peaks.live,
		.served = tally.served,
		.freed = tally.freed,
		.cached_hits = tally.hits,
		.inactive = sum_free(arena).inactive,
		.segments = (uint64_t)meter->segments,
		.segments_peak = (uint64_t)meter->segments_peak,
		.driver_calls = meter->calls,
		.stream_waits = meter->orders,
		.stalls = meter->awaits,
		.time = arena->time + meter->time,
		.device_time = meter->time,
	};
	stats->heap.allocated -= cached;
	stats->heap.active -= cached;
	stats->heap.allocated_peak = peaks.allocated;
	stats->heap.active_peak = peaks.active;
	stats->heap.reserved_peak = peaks.reserved;
}

LA_EXPORT int la_allocator_stats(struct la_allocator *allocator,
				 unsigned int device,
				 struct la_allocator_stats *stats)
{
	struct passage passage;
	struct arena *arena;
	int err = arena_of(allocator, device, &arena);

	if (err < 0)
		return err;
	arena_enter(arena, &passage);
	read_stats(arena, stats);
	arena_leave(arena, &passage);
	return 0;
}

LA_EXPORT int la_allocator_reset_peaks(struct la_allocator *allocator,
				       unsigned int device)
{
	struct passage passage;
	struct arena *arena;
	int err = arena_of(allocator, device, &arena);

	if (err < 0)
		return err;
	arena_enter(arena, &passage);
	ledger_reset(arena);
	arena->meter.segments_peak = arena->meter.segments;
	arena_leave(arena, &passage);
	return 0;
}
