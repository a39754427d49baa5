// SPDX-License-Identifier: Apache-2.0
/*
 * The heap as it was when the recording began: undo all events, from the
 * final segments back to the first event.  Free memory is what no live or
 * pending block covers; neighbours always merge, so those blocks say it all.
 * A recording from the first allocation on rewinds to nothing.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap/internal.h"
#include "heap/round.h"
#include "replay/addr-set.h"
#include "replay/program.h"

#define UNKNOWN UINT64_MAX

/* A block that is live or pending at the point that was rewound to. */
struct piece {
	uint64_t addr;
	uint64_t size; /* bytes, or UNKNOWN */
	uint64_t asked; /* bytes of the request, or UNKNOWN */
	uint64_t roof; /* where at the latest the next block begins */
	uint8_t state; /* PIECE_LIVE or PIECE_PENDING */
	bool gone; /* not there at that point */
};

struct segment {
	uint64_t addr;
	uint64_t size; /* bytes */
	uint32_t stream;
	bool small;
	bool gone; /* not there at that point */
};

/* The state while it is rewound.  The sets hold the indices of what is not
 * gone, in order of the addresses; nothing in them overlaps, and every piece
 * lies in a segment. */
struct rewind {
	struct la_program *program;
	struct piece *piece; /* owned */
	size_t piece_count, piece_room;
	struct segment *segment; /* owned */
	size_t segment_count, segment_room;
	struct addr_set piece_at, segment_at;
};

static void rewind_destroy(struct rewind *rewind)
{
	free(rewind->piece);
	free(rewind->segment);
	addr_set_destroy(&rewind->piece_at);
	addr_set_destroy(&rewind->segment_at);
}

/* Least bytes that a block of a request has. */
static uint64_t least_size(uint64_t asked)
{
	return asked ? (asked + BLOCK_MIN - 1) / BLOCK_MIN * BLOCK_MIN :
		       BLOCK_MIN;
}

static uint64_t least_end(const struct piece *piece)
{
	return piece->addr + (piece->size != UNKNOWN ?
				      piece->size :
				      least_size(piece->asked));
}

static struct segment *segment_of(const struct rewind *rewind, uint64_t addr)
{
	struct segment *segment;
	uint32_t at;

	if (!addr_set_before(&rewind->segment_at, addr, &at))
		return NULL;
	segment = &rewind->segment[at];
	return addr - segment->addr < segment->size ? segment : NULL;
}

static struct piece *piece_at(const struct rewind *rewind, uint64_t addr)
{
	uint32_t at;

	if (!addr_set_before(&rewind->piece_at, addr, &at) ||
	    rewind->piece[at].addr != addr)
		return NULL;
	return &rewind->piece[at];
}

static int add_piece(struct rewind *rewind, const struct piece *piece)
{
	if (grow_array(&rewind->piece, &rewind->piece_room,
		       rewind->piece_count, sizeof(*piece)) < 0 ||
	    addr_set_add(&rewind->piece_at, piece->addr,
			 (uint32_t)rewind->piece_count) < 0)
		return -ENOMEM;
	rewind->piece[rewind->piece_count++] = *piece;
	return 0;
}

static int add_segment(struct rewind *rewind, const struct segment *segment)
{
	if (grow_array(&rewind->segment, &rewind->segment_room,
		       rewind->segment_count, sizeof(*segment)) < 0 ||
	    addr_set_add(&rewind->segment_at, segment->addr,
			 (uint32_t)rewind->segment_count) < 0)
		return -ENOMEM;
	rewind->segment[rewind->segment_count++] = *segment;
	return 0;
}

/* Take over a final segment with its live and pending blocks. */
static int add_final(struct rewind *rewind,
		     const struct la_recorded_segment *from)
{
	const struct la_recorded_device *device = rewind->program->device;
	struct segment segment = { from->addr, from->size, from->stream,
				   from->small, false };
	uint64_t addr = from->addr;
	uint32_t i;
	int err = add_segment(rewind, &segment);

	for (i = 0; i < from->block_count && !err; i++) {
		const struct la_recorded_block *block =
			&device->blocks[from->first_block + i];
		struct piece piece = {
			.addr = addr,
			.size = block->size,
			.asked = block->requested ? block->requested : UNKNOWN,
			.state = block->state == LA_RECORDED_LIVE ?
					 PIECE_LIVE :
					 PIECE_PENDING,
		};

		if (block->state != LA_RECORDED_FREE)
			err = add_piece(rewind, &piece);
		addr += block->size;
	}
	return err;
}

/* Undo an event.  Each returns 0, -EBADMSG if what came later contradicts it,
 * or -ENOMEM. */

static int undo_alloc(struct rewind *rewind, const struct la_event *event)
{
	struct piece *piece = piece_at(rewind, event->addr);

	if (!piece || piece->state != PIECE_LIVE ||
	    (piece->asked != UNKNOWN && piece->asked != event->size))
		return -EBADMSG;
	piece->gone = true;
	addr_set_remove(&rewind->piece_at, event->addr);
	return 0;
}

static int undo_free_request(struct rewind *rewind,
			     const struct la_event *event)
{
	struct piece *piece = piece_at(rewind, event->addr);

	if (!piece || piece->state != PIECE_PENDING)
		return -EBADMSG;
	piece->state = PIECE_LIVE;
	return 0;
}

static int undo_free_complete(struct rewind *rewind,
			      const struct la_event *event)
{
	struct piece piece = {
		.addr = event->addr,
		.size = UNKNOWN,
		.asked = event->size,
		.state = PIECE_PENDING,
	};
	const struct segment *segment = segment_of(rewind, event->addr);
	uint64_t end = least_end(&piece);
	uint32_t before;

	if (!segment || segment->stream != event->stream ||
	    least_size(event->size) >
		    segment->addr + segment->size - event->addr ||
	    addr_set_any(&rewind->piece_at, event->addr, end))
		return -EBADMSG;
	if (addr_set_before(&rewind->piece_at, event->addr, &before) &&
	    least_end(&rewind->piece[before]) > event->addr)
		return -EBADMSG;
	return add_piece(rewind, &piece);
}

static int undo_segment_alloc(struct rewind *rewind,
			      const struct la_event *event)
{
	struct segment *segment = segment_of(rewind, event->addr);

	if (!segment || segment->addr != event->addr ||
	    segment->size != event->size ||
	    segment->stream != event->stream ||
	    addr_set_any(&rewind->piece_at, event->addr,
			 event->addr + event->size))
		return -EBADMSG;
	segment->gone = true;
	addr_set_remove(&rewind->segment_at, event->addr);
	return 0;
}

static int undo_segment_free(struct rewind *rewind,
			     const struct la_event *event)
{
	struct segment segment = { event->addr, event->size, event->stream,
				   event->size == SMALL_SEGMENT, false };

	if (!event->size || segment_of(rewind, event->addr) ||
	    addr_set_any(&rewind->segment_at, event->addr,
			 event->addr + event->size))
		return -EBADMSG;
	return add_segment(rewind, &segment);
}

static int undo(struct rewind *rewind, const struct la_event *event)
{
	switch (event->action) {
	case LA_ALLOC:
		return undo_alloc(rewind, event);
	case LA_FREE_REQUESTED:
		return undo_free_request(rewind, event);
	case LA_FREE_COMPLETED:
		return undo_free_complete(rewind, event);
	case LA_SEGMENT_ALLOC:
		return undo_segment_alloc(rewind, event);
	case LA_SEGMENT_FREE:
		return undo_segment_free(rewind, event);
	default:
		return 0;
	}
}

/* Undo the events down to `from`.  Where one contradicts what came later, the
 * history was paused: the program starts behind it. */
static int undo_all(struct rewind *rewind, size_t from)
{
	struct la_program *program = rewind->program;
	size_t i;
	int err = 0;

	for (i = program->event_count; i > from && !err; i--)
		err = undo(rewind, &program->event[i - 1]);
	program->info.first_event = err == -EBADMSG ? i + 1 : i;
	return err == -EBADMSG ? 0 : err;
}

static int by_addr_piece(const void *a, const void *b)
{
	const struct piece *left = a, *right = b;

	return (left->addr > right->addr) - (left->addr < right->addr);
}

static int by_addr_segment(const void *a, const void *b)
{
	const struct segment *left = a, *right = b;

	return (left->addr > right->addr) - (left->addr < right->addr);
}

static void sort_what_is_left(struct rewind *rewind)
{
	size_t i, kept = 0;

	for (i = 0; i < rewind->piece_count; i++)
		if (!rewind->piece[i].gone)
			rewind->piece[kept++] = rewind->piece[i];
	rewind->piece_count = kept;
	for (i = kept = 0; i < rewind->segment_count; i++)
		if (!rewind->segment[i].gone)
			rewind->segment[kept++] = rewind->segment[i];
	rewind->segment_count = kept;
	if (rewind->piece_count)
		qsort(rewind->piece, rewind->piece_count,
		      sizeof(*rewind->piece), by_addr_piece);
	if (rewind->segment_count)
		qsort(rewind->segment, rewind->segment_count,
		      sizeof(*rewind->segment), by_addr_segment);
}

/* Number of the last of `count` vague pieces at or before addr, or -1. */
static long last_before(struct piece *const *vague, size_t count,
			uint64_t addr)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (vague[middle]->addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return (long)low - 1;
}

/* Lower the roofs of vague pieces to where later blocks begin behind them,
 * for as long as they live: free blocks are filled from their start. */
static void lower_roofs(struct rewind *rewind, struct piece **vague,
			size_t count)
{
	const struct la_program *program = rewind->program;
	size_t i = program->info.first_event;

	for (; i < program->event_count && count; i++) {
		const struct la_event *event = &program->event[i];
		long at = last_before(vague, count, event->addr);

		if (at < 0)
			continue;
		if (event->action == LA_FREE_COMPLETED &&
		    vague[at]->addr == event->addr) {
			count--;
			memmove(&vague[at], &vague[at + 1],
				(count - (size_t)at) * sizeof(*vague));
		} else if (event->action == LA_ALLOC &&
			   vague[at]->addr < event->addr &&
			   event->addr < vague[at]->roof) {
			vague[at]->roof = event->addr;
		}
	}
}

/* Where each piece ends at the latest. */
static int find_roofs(struct rewind *rewind)
{
	struct piece **vague = malloc((rewind->piece_count + 1) *
				      sizeof(struct piece *));
	size_t count = 0, i, s = 0;

	if (!vague)
		return -ENOMEM;
	for (i = 0; i < rewind->piece_count; i++) {
		struct piece *piece = &rewind->piece[i];
		const struct segment *segment;

		while (s + 1 < rewind->segment_count &&
		       rewind->segment[s + 1].addr <= piece->addr)
			s++;
		segment = &rewind->segment[s];
		piece->roof = segment->addr + segment->size;
		if (i + 1 < rewind->piece_count &&
		    rewind->piece[i + 1].addr < piece->roof)
			piece->roof = rewind->piece[i + 1].addr;
		if (piece->size == UNKNOWN)
			vague[count++] = piece;
	}
	lower_roofs(rewind, vague, count);
	free(vague);
	return 0;
}

/* The size of a piece that the final segments do not tell: the rounded
 * request, and in the large pool up to 1 MiB of slack. */
static void guess_size(struct rewind *rewind, const struct segment *segment,
		       struct piece *piece)
{
	const struct la_setting_values *setting =
		la_setting_values(rewind->program->setting);
	uint64_t room = piece->roof - piece->addr;

	piece->size = piece->asked < REQUEST_MAX ?
			      round_request(setting, piece->asked) :
			      REQUEST_MAX;
	if (piece->size > room)
		piece->size = room;
	if (segment->small)
		return;
	if (piece->size >= setting->max_split_size ||
	    room - piece->size <= KEEP_SLACK)
		piece->size = room;
	else
		rewind->program->info.unsure_count++;
}

static int put_piece(struct la_program *program, size_t *room,
		     const struct start_piece *piece)
{
	if (grow_array(&program->piece, room, program->piece_count,
		       sizeof(*piece)) < 0)
		return -ENOMEM;
	program->piece[program->piece_count++] = *piece;
	return 0;
}

static int put_free(struct la_program *program, size_t *room, uint64_t addr,
		    uint64_t end)
{
	struct start_piece piece = { .addr = addr,
				     .size = end - addr,
				     .state = PIECE_FREE };

	return addr < end ? put_piece(program, room, &piece) : 0;
}

/* One segment with its pieces and the free space between them; *next is the
 * first piece not yet used. */
static int put_segment(struct rewind *rewind, const struct segment *from,
		       size_t *next, size_t *room)
{
	struct la_program *program = rewind->program;
	uint64_t addr = from->addr, end = from->addr + from->size;
	struct start_segment *start = &program->start[program->start_count++];

	*start = (struct start_segment){
		.addr = from->addr,
		.size = from->size,
		.stream = from->stream,
		.first_piece = (uint32_t)program->piece_count,
		.small = from->small,
	};
	for (; *next < rewind->piece_count; ++*next) {
		struct piece *piece = &rewind->piece[*next];
		struct start_piece put;

		if (piece->addr >= end)
			break;
		if (piece->size == UNKNOWN)
			guess_size(rewind, from, piece);
		put = (struct start_piece){
			.addr = piece->addr,
			.size = piece->size,
			.asked = piece->asked != UNKNOWN ? piece->asked :
							   piece->size,
			.slot = program->slot_count++,
			.state = piece->state,
		};
		if (put_free(program, room, addr, piece->addr) < 0 ||
		    put_piece(program, room, &put) < 0)
			return -ENOMEM;
		addr = piece->addr + piece->size;
	}
	if (put_free(program, room, addr, end) < 0)
		return -ENOMEM;
	start->piece_count = (uint32_t)program->piece_count -
			     start->first_piece;
	return 0;
}

void program_begin_empty(struct la_program *program)
{
	free(program->start);
	free(program->piece);
	program->start = NULL;
	program->piece = NULL;
	program->start_count = program->piece_count = 0;
	program->slot_count = 0;
	program->info.first_event = 0;
	program->info.unsure_count = 0;
	program->info.window = false;
}

static int assemble(struct rewind *rewind)
{
	struct la_program *program = rewind->program;
	size_t first = program->info.first_event, next = 0, room = 0, i;
	int err = 0;

	program_begin_empty(program);
	program->info.first_event = first;
	program->start = malloc((rewind->segment_count + 1) *
				sizeof(*program->start));
	if (!program->start)
		return -ENOMEM;
	for (i = 0; i < rewind->segment_count && !err; i++)
		err = put_segment(rewind, &rewind->segment[i], &next, &room);
	program->info.window = rewind->segment_count > 0;
	return err;
}

int program_rewind(struct la_program *program, size_t from)
{
	const struct la_recorded_device *device = program->device;
	struct rewind rewind = { .program = program };
	int err = 0;
	size_t i;

	for (i = 0; i < device->segment_count && !err; i++)
		err = add_final(&rewind, &device->segments[i]);
	if (!err)
		err = undo_all(&rewind, from);
	if (!err) {
		sort_what_is_left(&rewind);
		err = find_roofs(&rewind);
	}
	if (!err)
		err = assemble(&rewind);
	rewind_destroy(&rewind);
	return err;
}

static int load_segment(const struct la_program *program,
			const struct start_segment *start,
			struct la_heap *heap, la_block *slot)
{
	const struct start_piece *from = &program->piece[start->first_piece];
	struct heap_load load = {
		.addr = start->addr,
		.stream = (int)start->stream,
		.small = start->small,
		.piece_count = start->piece_count,
	};
	struct heap_piece *piece;
	uint32_t i;
	int err;

	piece = calloc(start->piece_count + 1, sizeof(*piece));
	if (!piece)
		return -ENOMEM;
	for (i = 0; i < start->piece_count; i++) {
		piece[i].size = from[i].size;
		piece[i].asked = from[i].asked;
		piece[i].state = from[i].state;
	}
	load.piece = piece;
	err = heap_load(heap, &load);
	for (i = 0; i < start->piece_count && !err; i++)
		if (from[i].state != PIECE_FREE)
			slot[from[i].slot] = piece[i].block;
	free(piece);
	return err;
}

int program_load(const struct la_program *program, struct la_heap *heap,
		 la_block *slot)
{
	uint32_t s;
	size_t i;
	int err = 0;

	for (s = 0; s < program->stream_count; s++)
		if (la_heap_stream(heap, program->streams[s]) < 0)
			return -ENOMEM;
	for (i = 0; i < program->start_count && !err; i++)
		err = load_segment(program, &program->start[i], heap, slot);
	return err;
}
