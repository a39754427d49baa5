// SPDX-License-Identifier: Apache-2.0
/*
 * What streams are done with, told without a wait for all that is queued: the
 * host is ahead of the device, and what moves mostly was freed long ago.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap/compact/compact.h"

enum { MARK_EVERY = 32 }; /* frees */

/* A stream, or all, was waited for when the clock was at `clock`. */
void compact_note_wait(struct la_heap *heap, uint32_t stream, uint64_t clock)
{
	uint32_t i;

	if (stream == ALL_STREAMS)
		heap->compact->drained_at = clock;
	for (i = 0; i < heap->set_count; i++) {
		struct set *set = &heap->set[i];

		if ((stream == ALL_STREAMS || set->stream == stream) &&
		    set->quiet_at < clock)
			set->quiet_at = clock;
	}
}

void compact_start_marking(struct la_heap *heap)
{
	struct compact *compact = heap->compact;

	if (compact->marking || !has_streams(heap))
		return;
	compact->marking = true;
	compact->since = compact->clock;
}

static struct mark *mark_at(struct marks *marks, unsigned int i)
{
	return &marks->mark[(marks->first + i) % MARKS];
}

/* The oldest mark is done. */
static void pop_mark(struct la_heap *heap, uint32_t stream)
{
	struct marks *marks = &heap->compact->marks[stream];
	struct mark *mark = mark_at(marks, 0);

	compact_note_wait(heap, stream, mark->clock);
	heap->device->ops->forget(heap->device, mark->event);
	marks->first = (marks->first + 1) % MARKS;
	marks->count--;
}

static void poll_stream(struct la_heap *heap, uint32_t stream)
{
	const struct la_device_ops *ops = heap->device->ops;
	struct marks *marks = &heap->compact->marks[stream];

	while (marks->count &&
	       ops->query(heap->device, mark_at(marks, 0)->event) == 1)
		pop_mark(heap, stream);
}

/* See how far the streams are. */
void compact_poll_marks(struct la_heap *heap)
{
	uint32_t i;

	for (i = 0; i < heap->compact->marks_count; i++)
		poll_stream(heap, i);
}

/* The marks of a stream; NULL: out of memory. */
static struct marks *marks_of(struct la_heap *heap, uint32_t stream)
{
	struct compact *compact = heap->compact;
	uint32_t count = heap->stream_count;
	struct marks *marks;

	if (stream < compact->marks_count)
		return &compact->marks[stream];
	marks = realloc(compact->marks, count * sizeof(*marks));
	if (!marks)
		return NULL;
	memset(&marks[compact->marks_count], 0,
	       (count - compact->marks_count) * sizeof(*marks));
	compact->marks = marks;
	compact->marks_count = count;
	return &marks[stream];
}

/* Mark a stream if there was no mark for a while.  Where that fails, as while
 * it is captured, moving waits longer. */
static void mark_stream(struct la_heap *heap, uint32_t stream)
{
	const struct la_device_ops *ops = heap->device->ops;
	uint64_t clock = heap->compact->clock;
	struct marks *marks = marks_of(heap, stream);
	struct mark mark = { .clock = clock };

	if (!marks ||
	    (marks->count &&
	     clock < mark_at(marks, marks->count - 1)->clock + MARK_EVERY))
		return;
	if (marks->count == MARKS)
		poll_stream(heap, stream);
	if (ops->record(heap->device, heap->stream[stream], &mark.event) < 0)
		return;
	if (marks->count == MARKS)
		ops->forget(heap->device,
			    mark_at(marks, --marks->count)->event);
	*mark_at(marks, marks->count++) = mark;
}

/* What is queued on the set's stream by now uses [addr, addr + size), and
 * nothing that comes later. */
void compact_note_use(struct la_heap *heap, uint32_t set, uint64_t addr,
		      uint64_t size)
{
	struct compact *compact = heap->compact;
	uint64_t end = addr + size;

	heap->set[set].freed_at = ++compact->clock;
	if (!compact->marking)
		return;
	while (addr < end) {
		struct piece *piece =
			&compact->piece[compact_piece_at(heap, addr)];

		piece->freed_at = compact->clock;
		addr = piece->addr + piece_size(piece);
	}
	mark_stream(heap, heap->set[set].stream);
}

/* Wait until a stream is done with what was freed until `clock`.  -ENOENT: no
 * mark tells. */
int compact_await_mark(struct la_heap *heap, uint32_t stream, uint64_t clock)
{
	const struct la_device_ops *ops = heap->device->ops;
	struct compact *compact = heap->compact;
	struct marks *marks;
	unsigned int i = 0;
	int err;

	if (stream >= compact->marks_count)
		return -ENOENT;
	marks = &compact->marks[stream];
	while (i < marks->count && mark_at(marks, i)->clock < clock)
		i++;
	if (i == marks->count)
		return -ENOENT;
	err = ops->await(heap->device, mark_at(marks, i)->event);
	if (err < 0)
		return err;
	do
		pop_mark(heap, stream);
	while (i--);
	return 0;
}

/* The pressure is over. */
void compact_stop_marking(struct la_heap *heap)
{
	struct compact *compact = heap->compact;
	uint32_t stream;

	for (stream = 0; stream < compact->marks_count; stream++) {
		struct marks *marks = &compact->marks[stream];

		while (marks->count)
			heap->device->ops->forget(
				heap->device,
				mark_at(marks, --marks->count)->event);
	}
	compact->marking = false;
}
