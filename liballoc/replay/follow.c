// SPDX-License-Identifier: Apache-2.0
/* The heap of a recording, as the events tell it: struct follower. */

#include <errno.h>
#include <stdlib.h>

#include "heap/round.h"
#include "replay/follow.h"

static int grant(struct la_device *dev, uint64_t addr, uint64_t size)
{
	(void)dev, (void)addr, (void)size;
	return 0;
}

static int grant_granules(struct la_device *dev, uint64_t addr, uint64_t size,
			  uint64_t granule)
{
	(void)granule;
	return grant(dev, addr, size);
}

static int reserve(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	(void)size;
	*addr = ((struct follower *)dev)->chain_at;
	return 0;
}

/* Segments are not asked for: follow_segment() puts them there. */
static const struct la_device_ops follow_ops = {
	.free = grant,
	.reserve = reserve,
	.unreserve = grant,
	.map = grant_granules,
	.unmap = grant,
};

int follow_init(struct follower *follower, const struct la_program *program)
{
	struct la_heap_config config = {
		.setting = la_setting_values(program->setting),
		.device = &follower->device,
		.cap = UINT64_MAX,
		.total = program->info.total,
		.release = program->info.release,
	};
	uint32_t i;
	int err;

	*follower = (struct follower){ .device.ops = &follow_ops };
	err = la_heap_new(&follower->heap, &config, NULL);
	for (i = 0; i < program->stream_count && !err; i++)
		if (la_heap_stream(follower->heap, program->streams[i]) < 0)
			err = -ENOMEM;
	if (err < 0)
		follow_destroy(follower);
	return err;
}

void follow_destroy(struct follower *follower)
{
	la_heap_free(follower->heap);
	spans_destroy(&follower->held);
	addr_map_destroy(&follower->block_at);
	free(follower->span_of);
}

uint32_t follow_block(const struct follower *follower, uint64_t addr,
		      enum block_state state)
{
	const struct block *block;
	uint32_t id;

	if (!addr_map_get(&follower->block_at, addr, &id))
		return LA_NO_BLOCK;
	block = &follower->heap->block[id];
	return block->addr == addr && block->state == state ? id : LA_NO_BLOCK;
}

static int reserve_spans(struct follower *follower)
{
	uint32_t room = follower->heap->block_room, *bigger;

	if (follower->span_room >= room)
		return 0;
	bigger = realloc(follower->span_of, room * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	follower->span_of = bigger;
	follower->span_room = room;
	return 0;
}

static int note(struct follower *follower, uint32_t id, uint32_t span)
{
	if (id == LA_NO_BLOCK)
		return 0;
	follower->span_of[id] = span;
	return addr_map_set(&follower->block_at, follower->heap->block[id].addr,
			    id);
}

/* A block has changed: it, or what was cut off, starts somewhere else. */
static int note_around(struct follower *follower, uint32_t id, uint32_t span)
{
	const struct block *block = &follower->heap->block[id];

	if (reserve_spans(follower) < 0 || note(follower, id, span) < 0 ||
	    note(follower, block->prev, span) < 0)
		return -ENOMEM;
	return note(follower, block->next, span);
}

int follow_request(struct follower *follower, uint64_t addr)
{
	uint32_t id = follow_block(follower, addr, BLOCK_LIVE);

	if (id == LA_NO_BLOCK)
		return -EBADMSG;
	la_heap_free_request(follower->heap, id);
	return 0;
}

int follow_complete(struct follower *follower, uint64_t addr)
{
	uint32_t id = follow_block(follower, addr, BLOCK_PENDING);

	if (id == LA_NO_BLOCK)
		return -EBADMSG;
	la_heap_free_complete(follower->heap, id);
	return note_around(follower, id, follower->span_of[id]);
}

static bool is_size(uint64_t size)
{
	return size && size < REQUEST_MAX && size % BLOCK_MIN == 0;
}

/* Spans do not overlap. */
static int hold(struct follower *follower, uint64_t addr, uint64_t size)
{
	const struct span span = { .addr = addr, .end = addr + size };

	return spans_add(&follower->held, &span);
}

int follow_segment(struct follower *follower, const struct la_event *event,
		   uint32_t span)
{
	struct la_heap *heap = follower->heap;
	uint32_t set, id;
	int err;

	if (!is_size(event->size))
		return -EBADMSG;
	err = hold(follower, event->addr, event->size);
	if (err < 0)
		return err;
	if (heap_find_set(heap, (int)event->stream, LA_DEFAULT_POOL,
			  follow_class(event), &set) < 0 ||
	    block_reserve(heap) < 0)
		return -ENOMEM;
	id = block_new(heap, event->addr, event->size, set);
	block_insert(heap, id);
	heap_count_got(heap, event->size);
	return note_around(follower, id, span);
}

int follow_chain(struct follower *follower, const struct la_event *event,
		 uint32_t span)
{
	struct la_heap *heap = follower->heap;
	uint64_t size =
		heap_chain_size(heap, heap_granule(heap, follow_class(event)));
	uint32_t set, id;
	int err = hold(follower, event->addr, size);

	if (err < 0)
		return err;
	if (heap_find_set(heap, (int)event->stream, LA_DEFAULT_POOL,
			  follow_class(event), &set) < 0)
		return -ENOMEM;
	follower->chain_at = event->addr;
	err = heap_reserve_chain(heap, set, &id);
	return err < 0 ? err : note_around(follower, id, span);
}

int follow_map(struct follower *follower, const struct la_event *event,
	       uint32_t id)
{
	struct la_heap *heap = follower->heap;
	const struct set *set = &heap->set[heap->block[id].set];
	uint64_t granule = heap_granule(heap, set->class);
	uint32_t span = follower->span_of[id];
	int err;

	if (!is_size(event->size) || set->stream != event->stream ||
	    round_up(event->size, granule) > heap->block[id].size)
		return -EBADMSG;
	err = heap_map(heap, id, event->size);
	return err < 0 ? err : note_around(follower, id, span);
}

static int give_segment(struct follower *follower, uint32_t id)
{
	struct la_heap *heap = follower->heap;

	if (!is_idle_segment(&heap->block[id]))
		return -EBADMSG;
	spans_remove(&follower->held, heap->block[id].addr);
	return heap_release_segment(heap, id);
}

/* The free block of a chain that an event takes granules from. */
static uint32_t find_mapped(const struct follower *follower,
			    const struct la_event *event, enum size_class class,
			    uint64_t *work)
{
	const struct la_heap *heap = follower->heap;
	uint32_t set = follow_set(follower, event->stream, class), id;
	const struct free_set *free;

	if (set == NO_SET)
		return LA_NO_BLOCK;
	free = &heap->set[set].free;
	for (id = free_set_from(free, heap->block, event->size, 0);
	     id != LA_NO_BLOCK && *work;
	     id = free_set_next(free, heap->block, id), --*work) {
		const struct block *block = &heap->block[id];

		if (block->chained && event->addr - block->addr < block->size)
			return id;
	}
	return LA_NO_BLOCK;
}

/* The block that was cut out of a free one is the one behind the crumb in
 * front, or there was no crumb and it kept the number. */
static int give_granules(struct follower *follower, uint32_t id, bool *gone)
{
	struct la_heap *heap = follower->heap;
	uint32_t span = follower->span_of[id];
	uint64_t chain = heap_chain_of(heap, heap->block[id].addr)->addr;
	int err = heap_unmap(heap, id);

	if (err < 0)
		return err;
	*gone = heap->block[id].state == BLOCK_SPARE;
	if (*gone) {
		spans_remove(&follower->held, chain);
		return 0;
	}
	if (heap->block[id].state == BLOCK_FREE &&
	    heap->block[id].next != LA_NO_BLOCK) {
		err = note_around(follower, id, span);
		id = heap->block[id].next;
	}
	return err < 0 ? err : note_around(follower, id, span);
}

int follow_give(struct follower *follower, const struct la_event *event,
		uint64_t *work, uint32_t *span, bool *gone)
{
	bool is_segment = event->action == LA_SEGMENT_FREE;
	const struct la_heap *heap = follower->heap;
	uint32_t id;

	if (is_segment)
		id = follow_block(follower, event->addr, BLOCK_FREE);
	else
		id = find_mapped(follower, event, LARGE_CLASS, work);
	if (!is_segment && id == LA_NO_BLOCK)
		id = find_mapped(follower, event, SMALL_CLASS, work);
	if (id == LA_NO_BLOCK ||
	    heap->set[heap->block[id].set].stream != event->stream)
		return -EBADMSG;
	*span = follower->span_of[id];
	*gone = is_segment;
	return is_segment ? give_segment(follower, id) :
			    give_granules(follower, id, gone);
}

int follow_take(struct follower *follower, uint32_t id, uint64_t rounded,
		uint64_t asked)
{
	struct la_heap *heap = follower->heap;

	if (heap->block[id].size < rounded)
		return -EBADMSG;
	if (block_reserve(heap) < 0)
		return -ENOMEM;
	block_remove(heap, id);
	heap_hand_out(heap, id, rounded, asked);
	return note_around(follower, id, follower->span_of[id]);
}
