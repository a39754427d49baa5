// SPDX-License-Identifier: Apache-2.0
/* A start whose segments are moved into chains: see chains.h. */

#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"
#include "heap/round.h"
#include "replay/chains.h"

/* Chains that were not there lie behind all that was. */
#define CHAINS_BASE ((uint64_t)1 << 50)

struct mover {
	struct la_program *out; /* start and piece are being filled */
	const struct la_program *program; /* borrowed */
	uint64_t granule; /* of the chain under way */
	size_t room; /* of out->piece */
	size_t made; /* chains so far */
};

static bool is_same_chain(const struct start_segment *a,
			  const struct start_segment *b)
{
	return !a->reserved && !b->reserved && a->stream == b->stream &&
	       a->pool == b->pool && a->small == b->small;
}

/* Is it the first segment of its chain? */
static bool is_first(const struct la_program *program, size_t at)
{
	size_t i = 0;

	while (i < at && !is_same_chain(&program->start[i],
					&program->start[at]))
		i++;
	return i == at;
}

static struct start_segment *chain_of(const struct mover *mover)
{
	return &mover->out->start[mover->out->start_count - 1];
}

/* Append to the chain under way; idle pieces that touch become one. */
static int append(struct mover *mover, struct start_piece piece)
{
	struct la_program *out = mover->out;
	struct start_segment *chain = chain_of(mover);
	struct start_piece *last =
		chain->piece_count ? &out->piece[out->piece_count - 1] : NULL;

	if (!piece.size)
		return 0;
	if (last && !is_busy(last) && last->state == piece.state) {
		last->size += piece.size;
		return 0;
	}
	piece.addr = last ? last->addr + last->size : chain->addr;
	if (grow_array(&out->piece, &mover->room, out->piece_count,
		       sizeof(piece)) < 0)
		return -ENOMEM;
	out->piece[out->piece_count++] = piece;
	chain->piece_count++;
	return 0;
}

/* Free bytes from `begin` to `end` of a segment: whole pages are unmapped. */
static int append_free(struct mover *mover, uint64_t begin, uint64_t end)
{
	uint64_t first = round_up(begin, mover->granule);
	uint64_t last = end / mover->granule * mover->granule;
	int err;

	if (first >= last)
		return append(mover, (struct start_piece){
					     .size = end - begin,
					     .state = PIECE_FREE });
	err = append(mover, (struct start_piece){ .size = first - begin,
						  .state = PIECE_FREE });
	if (!err)
		err = append(mover, (struct start_piece){
					    .size = last - first,
					    .state = PIECE_UNMAPPED });
	return err ? err :
		     append(mover, (struct start_piece){
					   .size = end - last,
					   .state = PIECE_FREE });
}

/* From a page's start on; what is left of the last page is free. */
static int append_segment(struct mover *mover,
			  const struct start_segment *segment)
{
	const struct start_piece *piece =
		&mover->program->piece[segment->first_piece];
	uint64_t at = 0, idle = 0;
	uint32_t i;
	int err = 0;

	for (i = 0; i < segment->piece_count && !err; i++) {
		if (is_busy(&piece[i])) {
			err = append_free(mover, idle, at);
			if (!err)
				err = append(mover, piece[i]);
			idle = at + piece[i].size;
		}
		at += piece[i].size;
	}
	return err ? err :
		     append_free(mover, idle, round_up(at, mover->granule));
}

/* What is unmapped at the end of a chain is not of it. */
static void close_chain(struct mover *mover)
{
	struct la_program *out = mover->out;
	struct start_segment *chain = chain_of(mover);
	uint64_t end = chain->addr;
	uint32_t i;

	while (chain->piece_count &&
	       out->piece[out->piece_count - 1].state == PIECE_UNMAPPED) {
		out->piece_count--;
		chain->piece_count--;
	}
	for (i = 0; i < chain->piece_count; i++) {
		const struct start_piece *piece =
			&out->piece[chain->first_piece + i];

		end += piece->size;
		if (piece->state != PIECE_UNMAPPED)
			chain->size += piece->size;
	}
	if (chain->reserved < end - chain->addr)
		chain->reserved = end - chain->addr;
	if (!chain->piece_count)
		out->start_count--;
}

static void begin_chain(struct mover *mover,
			const struct start_segment *segment, uint64_t granule)
{
	struct la_program *out = mover->out;
	uint64_t bytes = program_chain_bytes(mover->program);

	mover->granule = segment->small ? SMALL_SEGMENT : granule;
	out->start[out->start_count++] = (struct start_segment){
		.addr = CHAINS_BASE + mover->made++ * round_up(2 * bytes, GIB),
		.reserved = round_up(bytes, mover->granule),
		.stream = segment->stream,
		.pool = segment->pool,
		.first_piece = (uint32_t)out->piece_count,
		.small = segment->small,
	};
}

/* A chain that was there stays as it is. */
static int copy_chain(struct mover *mover, const struct start_segment *chain)
{
	struct la_program *out = mover->out;
	uint32_t i;
	int err = 0;

	out->start[out->start_count++] = *chain;
	chain_of(mover)->first_piece = (uint32_t)out->piece_count;
	chain_of(mover)->piece_count = 0;
	for (i = 0; i < chain->piece_count && !err; i++)
		err = append(mover,
			     mover->program->piece[chain->first_piece + i]);
	return err;
}

static int move_segments(struct mover *mover, size_t first, uint64_t granule)
{
	const struct la_program *program = mover->program;
	size_t i;
	int err = 0;

	begin_chain(mover, &program->start[first], granule);
	for (i = first; i < program->start_count && !err; i++)
		if (is_same_chain(&program->start[first], &program->start[i]))
			err = append_segment(mover, &program->start[i]);
	close_chain(mover);
	return err;
}

int program_chain(struct la_program *out, const struct la_program *program,
		  uint64_t granule)
{
	struct mover mover = { .out = out, .program = program };
	size_t i;
	int err = 0;

	*out = *program;
	out->piece = NULL;
	out->piece_count = out->start_count = 0;
	out->start = calloc(program->start_count + 1, sizeof(*out->start));
	if (!out->start)
		return -ENOMEM;
	for (i = 0; i < program->start_count && !err; i++) {
		if (program->start[i].reserved)
			err = copy_chain(&mover, &program->start[i]);
		else if (is_first(program, i))
			err = move_segments(&mover, i, granule);
	}
	return err;
}
