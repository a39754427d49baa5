// SPDX-License-Identifier: Apache-2.0
/*
 * The heap as it was when the recording began: undo all events, from the
 * final segments back to the first event.  Free memory is what no live or
 * pending block covers; neighbours always merge, so those blocks say it all.
 * A recording from the first allocation on rewinds to nothing.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "heap/internal.h"
#include "heap/round.h"
#include "replay/addr-map.h"
#include "replay/program.h"
#include "util/error.h"

#define SIZE_UNKNOWN UINT64_MAX

/* A block that is live or pending at the point that was rewound to. */
struct piece {
	uint64_t addr;
	uint64_t size; /* bytes, or SIZE_UNKNOWN */
	uint64_t asked; /* bytes of the request */
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

/* The state while it is rewound; the maps hold what is not gone. */
struct rewind {
	struct la_program *program;
	struct piece *piece; /* owned */
	size_t piece_count, piece_room;
	struct segment *segment; /* owned */
	size_t segment_count, segment_room;
	struct addr_map piece_at, segment_at; /* by address */
};

static void rewind_destroy(struct rewind *rewind)
{
	free(rewind->piece);
	free(rewind->segment);
	addr_map_destroy(&rewind->piece_at);
	addr_map_destroy(&rewind->segment_at);
}

static int add_piece(struct rewind *rewind, const struct piece *piece)
{
	uint32_t at;

	if (addr_map_get(&rewind->piece_at, piece->addr, &at))
		return -EBADMSG;
	if (grow_array(&rewind->piece, &rewind->piece_room,
		       rewind->piece_count, sizeof(*piece)) < 0)
		return -ENOMEM;
	rewind->piece[rewind->piece_count] = *piece;
	return addr_map_set(&rewind->piece_at, piece->addr,
			    (uint32_t)rewind->piece_count++);
}

static int remove_piece(struct rewind *rewind, uint64_t addr)
{
	uint32_t at;

	if (!addr_map_take(&rewind->piece_at, addr, &at))
		return -EBADMSG;
	rewind->piece[at].gone = true;
	return 0;
}

static int add_segment(struct rewind *rewind, const struct segment *segment)
{
	uint32_t at;

	if (addr_map_get(&rewind->segment_at, segment->addr, &at))
		return -EBADMSG;
	if (grow_array(&rewind->segment, &rewind->segment_room,
		       rewind->segment_count, sizeof(*segment)) < 0)
		return -ENOMEM;
	rewind->segment[rewind->segment_count] = *segment;
	return addr_map_set(&rewind->segment_at, segment->addr,
			    (uint32_t)rewind->segment_count++);
}

static int remove_segment(struct rewind *rewind, uint64_t addr)
{
	uint32_t at;

	if (!addr_map_take(&rewind->segment_at, addr, &at))
		return -EBADMSG;
	rewind->segment[at].gone = true;
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
			.asked = block->requested ? block->requested :
						    block->size,
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

/* The free of a block is undone: before it, the block was live. */
static int unfree(struct rewind *rewind, const struct la_event *event)
{
	uint32_t at;

	if (!addr_map_get(&rewind->piece_at, event->addr, &at))
		return -EBADMSG;
	rewind->piece[at].state = PIECE_LIVE;
	return 0;
}

static int uncomplete(struct rewind *rewind, const struct la_event *event)
{
	struct piece piece = {
		.addr = event->addr,
		.size = SIZE_UNKNOWN,
		.asked = event->size,
		.state = PIECE_PENDING,
	};

	return add_piece(rewind, &piece);
}

static int unfree_segment(struct rewind *rewind, const struct la_event *event)
{
	struct segment segment = { event->addr, event->size, event->stream,
				   event->size == SMALL_SEGMENT, false };

	return add_segment(rewind, &segment);
}

static int undo(struct rewind *rewind, const struct la_event *event)
{
	switch (event->action) {
	case LA_ALLOC:
		return remove_piece(rewind, event->addr);
	case LA_FREE_REQUESTED:
		return unfree(rewind, event);
	case LA_FREE_COMPLETED:
		return uncomplete(rewind, event);
	case LA_SEGMENT_ALLOC:
		return remove_segment(rewind, event->addr);
	case LA_SEGMENT_FREE:
		return unfree_segment(rewind, event);
	default:
		return 0;
	}
}

/* Undo the events.  Where one contradicts what came later, the history was
 * paused: the program starts behind it. */
static int undo_all(struct rewind *rewind)
{
	struct la_program *program = rewind->program;
	size_t i;
	int err;

	for (i = program->event_count; i; i--) {
		err = undo(rewind, &program->event[i - 1]);
		if (err == -EBADMSG) {
			program->info.first_event = i;
			return 0;
		}
		if (err < 0)
			return err;
	}
	return 0;
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
		if (piece->size == SIZE_UNKNOWN)
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
	if (segment->small)
		return;
	if (piece->size >= setting->max_split_size ||
	    room - piece->size <= KEEP_SLACK)
		piece->size = room;
	else
		rewind->program->info.unsure_count++;
}

static int contradiction(const struct piece *piece, struct la_error *err)
{
	return la_error_set(err, -EBADMSG, LA_NO_OFFSET,
			    "the events contradict the final segments: no "
			    "room for the block at 0x%" PRIx64, piece->addr);
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
		       size_t *next, size_t *room, struct la_error *err)
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
		if (piece->size == SIZE_UNKNOWN)
			guess_size(rewind, from, piece);
		if (piece->addr < addr || piece->size > end - piece->addr)
			return contradiction(piece, err);
		put = (struct start_piece){ piece->addr, piece->size,
					    piece->asked, program->slot_count++,
					    piece->state };
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

static int assemble(struct rewind *rewind, struct la_error *err)
{
	struct la_program *program = rewind->program;
	size_t next = 0, room = 0, i;
	int code;

	program->start = malloc((rewind->segment_count + 1) *
				sizeof(*program->start));
	if (!program->start)
		return -ENOMEM;
	for (i = 0; i < rewind->segment_count; i++) {
		const struct segment *segment = &rewind->segment[i];

		if (segment->addr + segment->size < segment->addr ||
		    (i && segment[-1].addr + segment[-1].size > segment->addr))
			return la_error_set(err, -EBADMSG, LA_NO_OFFSET,
					    "segments overlap at 0x%" PRIx64,
					    segment->addr);
		code = put_segment(rewind, segment, &next, &room, err);
		if (code < 0)
			return code;
	}
	if (next < rewind->piece_count)
		return contradiction(&rewind->piece[next], err);
	program->info.window = rewind->segment_count > 0;
	return 0;
}

int program_rewind(struct la_program *program, struct la_error *err)
{
	const struct la_recorded_device *device = program->device;
	struct rewind rewind = { .program = program };
	int code = 0;
	size_t i;

	for (i = 0; i < device->segment_count && !code; i++)
		code = add_final(&rewind, &device->segments[i]);
	if (code == -EBADMSG)
		la_error_set(err, code, LA_NO_OFFSET,
			     "two final segments or blocks at one address");
	if (!code)
		code = undo_all(&rewind);
	if (!code) {
		sort_what_is_left(&rewind);
		code = find_roofs(&rewind);
	}
	if (!code)
		code = assemble(&rewind, err);
	rewind_destroy(&rewind);
	return code;
}

static int load_segment(const struct la_program *program,
			const struct start_segment *start,
			struct la_heap *heap, la_block *slot)
{
	const struct start_piece *from = &program->piece[start->first_piece];
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
	err = heap_load(heap, start->addr, (int)start->stream, start->small,
			piece, start->piece_count);
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
