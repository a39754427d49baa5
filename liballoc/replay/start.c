// SPDX-License-Identifier: Apache-2.0
/* The start of a program: segments, chains and blocks of what rewinding left,
 * and the heap that is filled with them; see window.h. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap/internal.h"
#include "heap/round.h"
#include "replay/window.h"

static int by_addr_piece(const void *a, const void *b)
{
	const struct piece *left = a, *right = b;

	return (left->addr > right->addr) - (left->addr < right->addr);
}

static int by_addr_range(const void *a, const void *b)
{
	const struct range *left = a, *right = b;

	return (left->addr > right->addr) - (left->addr < right->addr);
}

static bool same_kind(const struct kind *a, const struct kind *b)
{
	return a->stream == b->stream && a->pool == b->pool &&
	       a->small == b->small;
}

/* Granules that touch become one range. */
static void join_granules(struct rewind *rewind)
{
	size_t kept = 0, i;

	for (i = 0; i < rewind->range_count; i++) {
		struct range *range = &rewind->range[i];
		struct range *last = kept ? &rewind->range[kept - 1] : NULL;

		if (last && range->chained && last->chained &&
		    last->addr + last->size == range->addr &&
		    same_kind(&last->kind, &range->kind))
			last->size += range->size;
		else
			rewind->range[kept++] = *range;
	}
	rewind->range_count = kept;
}

static void sort_what_is_left(struct rewind *rewind)
{
	size_t i, kept = 0;

	for (i = 0; i < rewind->piece_count; i++)
		if (!rewind->piece[i].gone)
			rewind->piece[kept++] = rewind->piece[i];
	rewind->piece_count = kept;
	for (i = kept = 0; i < rewind->range_count; i++)
		if (!rewind->range[i].gone)
			rewind->range[kept++] = rewind->range[i];
	rewind->range_count = kept;
	if (rewind->piece_count)
		qsort(rewind->piece, rewind->piece_count,
		      sizeof(*rewind->piece), by_addr_piece);
	if (rewind->range_count)
		qsort(rewind->range, rewind->range_count,
		      sizeof(*rewind->range), by_addr_range);
	join_granules(rewind);
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
		const struct range *range;

		while (s + 1 < rewind->range_count &&
		       rewind->range[s + 1].addr <= piece->addr)
			s++;
		range = &rewind->range[s];
		piece->roof = range->addr + range->size;
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
static void guess_size(struct rewind *rewind, const struct range *range,
		       struct piece *piece)
{
	const struct la_setting_values *setting =
		la_setting_values(rewind->program->setting);
	uint64_t room = piece->roof - piece->addr;
	struct la_setting_values fitted = *setting;

	rules_fit(rules_of(rewind->program->info.release), &fitted);
	piece->size = piece->asked < REQUEST_MAX ?
			      round_request(&fitted, piece->asked) :
			      REQUEST_MAX;
	if (piece->size > room)
		piece->size = room;
	if (range->kind.small || range->chained)
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

/* Idle pieces of no bytes are none. */
static int put_idle(struct la_program *program, size_t *room, uint64_t addr,
		    uint64_t end, uint8_t state)
{
	struct start_piece piece = { .addr = addr,
				     .size = end - addr,
				     .state = state };

	return addr < end ? put_piece(program, room, &piece) : 0;
}

/* Where all that was put ends. */
static uint64_t end_of_all(const struct la_program *program)
{
	const struct start_piece *last;

	if (!program->piece_count)
		return 0;
	last = &program->piece[program->piece_count - 1];
	return last->addr + last->size;
}

static uint64_t end_of_pieces(const struct la_program *program)
{
	const struct start_segment *start =
		&program->start[program->start_count - 1];

	return program->piece_count == start->first_piece ?
		       start->addr :
		       end_of_all(program);
}

/* The chain that was put last, or NULL. */
static const struct start_segment *last_chain(const struct la_program *program)
{
	size_t i = program->start_count;

	while (i && !program->start[i - 1].reserved)
		i--;
	return i ? &program->start[i - 1] : NULL;
}

static bool is_in_chain(const struct start_segment *chain, uint64_t addr)
{
	return chain && addr - chain->addr < chain->reserved;
}

/* The lowest address that the recording maps in the chain that has `held`
 * bytes at its start, the lowest at addr: its own start, as chains are filled
 * from there.  It lies behind all that was put. */
static uint64_t chain_start(const struct rewind *rewind,
			    const struct range *lowest, uint64_t held)
{
	const struct la_program *program = rewind->program;
	const struct start_segment *before = last_chain(program);
	uint64_t low = lowest->addr;
	uint64_t floor = end_of_all(program);
	const struct la_setting_values *setting =
		la_setting_values(program->setting);
	size_t i;

	for (i = program->info.first_event; i < program->event_count; i++) {
		const struct la_event *event = &program->event[i];
		bool map = event->action == LA_SEGMENT_MAP;
		struct kind kind = { event->stream, lowest->kind.pool,
				     maps_small(setting, event->size) };
		uint32_t at;

		if (!map && event->action != LA_SEGMENT_UNMAP)
			continue;
		if (addr_map_get(&rewind->unmapped, i, &at))
			kind = rewind->unmap_kind[at];
		if (event->addr - lowest->addr + rewind->chain_bytes >=
			    2 * rewind->chain_bytes ||
		    is_in_chain(before, event->addr) ||
		    !same_kind(&kind, &lowest->kind))
			continue;
		held += map ? event->size : -event->size;
		if (map && event->addr < low && event->addr >= floor)
			low = event->addr;
		if (!held || held > INT64_MAX)
			break; /* given back; then comes another chain */
	}
	return low;
}

/*
 * Does a range lie in the chain that was put last?  Of memory that is gone by
 * the end the pool is a guess: near to what the chain holds it is of the
 * chain.
 */
static bool continues_chain(const struct rewind *rewind,
			    const struct range *range)
{
	const struct la_program *program = rewind->program;
	const struct start_segment *last;

	if (!range->chained || !program->start_count)
		return false;
	last = &program->start[program->start_count - 1];
	return last->reserved && last->stream == range->kind.stream &&
	       last->small == range->kind.small &&
	       range->addr + range->size <= last->addr + last->reserved &&
	       (last->pool == range->kind.pool ||
		range->addr - end_of_pieces(program) < last->reserved / 2);
}

/* Bytes that the ranges of a chain hold, from its first range on. */
static uint64_t held_in_chain(const struct rewind *rewind, size_t first)
{
	const struct range *lowest = &rewind->range[first];
	uint64_t held = 0;
	size_t i;

	for (i = first; i < rewind->range_count; i++) {
		const struct range *range = &rewind->range[i];

		if (range->addr - lowest->addr >= rewind->chain_bytes)
			break;
		if (range->chained && same_kind(&range->kind, &lowest->kind))
			held += range->size;
	}
	return held;
}

static void begin_start(struct rewind *rewind, size_t at)
{
	struct la_program *program = rewind->program;
	const struct range *range = &rewind->range[at];
	struct start_segment *start = &program->start[program->start_count++];
	uint64_t granule = la_setting_values(program->setting)
				   ->large_segment_size;

	*start = (struct start_segment){
		.addr = range->addr,
		.stream = range->kind.stream,
		.pool = range->kind.pool,
		.first_piece = (uint32_t)program->piece_count,
		.small = range->kind.small,
	};
	if (!range->chained)
		return;
	start->addr = chain_start(rewind, range, held_in_chain(rewind, at));
	start->reserved = round_up(rewind->chain_bytes,
				   range->kind.small ? SMALL_SEGMENT :
						       granule);
}

static int put_busy(struct rewind *rewind, const struct range *range,
		    struct piece *piece, size_t *room)
{
	struct la_program *program = rewind->program;
	struct start_piece put;

	if (piece->size == UNKNOWN)
		guess_size(rewind, range, piece);
	put = (struct start_piece){
		.addr = piece->addr,
		.size = piece->size,
		.asked = piece->asked != UNKNOWN ? piece->asked : piece->size,
		.slot = program->slot_count++,
		.state = piece->state,
	};
	return put_piece(program, room, &put);
}

/* One range with its pieces and the free space between them; *next is the
 * first piece not yet used. */
static int put_range(struct rewind *rewind, size_t at, size_t *next,
		     size_t *room)
{
	struct la_program *program = rewind->program;
	const struct range *range = &rewind->range[at];
	uint64_t addr = range->addr, end = addr + range->size;
	int err;

	if (!continues_chain(rewind, range))
		begin_start(rewind, at);
	err = put_idle(program, room, end_of_pieces(program), addr,
		       PIECE_UNMAPPED);
	for (; *next < rewind->piece_count && !err; ++*next) {
		struct piece *piece = &rewind->piece[*next];

		if (piece->addr >= end)
			break;
		err = put_idle(program, room, addr, piece->addr, PIECE_FREE);
		if (!err)
			err = put_busy(rewind, range, piece, room);
		addr = piece->addr + piece->size;
	}
	return err < 0 ? err : put_idle(program, room, addr, end, PIECE_FREE);
}

/* How many pieces the starting segments have, and bytes. */
static void count_pieces(struct la_program *program)
{
	size_t i;

	for (i = 0; i < program->start_count; i++) {
		struct start_segment *start = &program->start[i];
		size_t end = i + 1 < program->start_count ?
				     start[1].first_piece :
				     program->piece_count, at;

		start->piece_count = (uint32_t)end - start->first_piece;
		for (at = start->first_piece; at < end; at++)
			if (program->piece[at].state != PIECE_UNMAPPED)
				start->size += program->piece[at].size;
	}
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

/*
 * A chain whose first granules hold no memory seems to begin, and so to end,
 * further up than it does: it ends before the next one.
 */
static void clip_chain(struct la_program *program, size_t at)
{
	struct start_segment *start = &program->start[at];
	uint64_t granule = start->small ? SMALL_SEGMENT :
					  la_setting_values(program->setting)
						  ->large_segment_size;
	const struct start_piece *last =
		&program->piece[start->first_piece + start->piece_count - 1];
	uint64_t least = last->addr + last->size - start->addr, room;

	if (!start->reserved)
		return;
	if (at + 1 < program->start_count) {
		room = (start[1].addr - start->addr) / granule * granule;
		if (room < start->reserved)
			start->reserved = room;
	}
	if (start->reserved < least)
		start->reserved = least;
}

static int assemble(struct rewind *rewind)
{
	struct la_program *program = rewind->program;
	size_t first = program->info.first_event, next = 0, room = 0, i;
	int err = 0;

	program_begin_empty(program);
	program->info.first_event = first;
	program->start = malloc((rewind->range_count + 1) *
				sizeof(*program->start));
	if (!program->start)
		return -ENOMEM;
	for (i = 0; i < rewind->range_count && !err; i++)
		err = put_range(rewind, i, &next, &room);
	count_pieces(program);
	for (i = 0; i < program->start_count; i++)
		clip_chain(program, i);
	program->info.window = rewind->range_count > 0;
	return err;
}

int rewind_assemble(struct rewind *rewind)
{
	int err;

	sort_what_is_left(rewind);
	err = find_roofs(rewind);
	return err < 0 ? err : assemble(rewind);
}

static int load_segment(const struct la_program *program,
			const struct start_segment *start,
			struct la_heap *heap, la_block *slot)
{
	const struct start_piece *from = &program->piece[start->first_piece];
	struct heap_load load = {
		.addr = start->addr,
		.reserved = start->reserved,
		.pool = (int)start->pool,
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
		if (is_busy(&from[i]))
			slot[from[i].slot] = piece[i].block;
	free(piece);
	return err;
}

int program_introduce(const struct la_program *program, struct la_heap *heap)
{
	uint32_t s;

	for (s = 0; s < program->stream_count; s++)
		if (la_heap_stream(heap, program->streams[s]) < 0)
			return -ENOMEM;
	for (s = 1; s < program->pool_count; s++)
		if (la_heap_pool(heap, program->pool[s]) < 0)
			return -ENOMEM;
	return 0;
}

int program_load(const struct la_program *program, struct la_heap *heap,
		 la_block *slot)
{
	size_t i;
	int err;

	heap_walk_in_order(heap);
	err = program_introduce(program, heap);
	for (i = 0; i < program->start_count && !err; i++)
		err = load_segment(program, &program->start[i], heap, slot);
	return err;
}
