/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_WINDOW_H
#define LA_REPLAY_WINDOW_H

/*
 * The heap as it was when the recording began: rewind.c undoes all events,
 * from the final segments back to the first event; start.c makes segments,
 * chains and blocks of what is left.  Free memory is what no live or pending
 * block covers; neighbours always merge, so those blocks say it all.
 */

#include "heap/internal.h"
#include "replay/addr-map.h"
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

/* To what some memory belongs. */
struct kind {
	uint32_t stream; /* index into streams */
	uint32_t pool; /* index into pools */
	bool small;
};

/* A segment, or a granule of 2 MiB that is mapped in a chain. */
struct range {
	uint64_t addr;
	uint64_t size; /* bytes */
	struct kind kind;
	bool chained; /* a granule; later a run of them */
	bool gone; /* not there at that point */
	uint32_t next_spare; /* gone: the next range that can be used again */
};

/* The state while it is rewound.  The sets hold the indices of what is not
 * gone, in order of the addresses; nothing in them overlaps, and every piece
 * lies in a range, or in granules that follow one another. */
struct rewind {
	struct la_program *program;
	struct piece *piece; /* owned */
	size_t piece_count, piece_room;
	struct range *range; /* owned */
	size_t range_count, range_room;
	uint32_t spare; /* head of the ranges that are gone */
	uint64_t granules_left; /* that may still be walked over */
	struct addr_set piece_at, range_at;
	uint64_t chain_bytes; /* of addresses that a chain has, roughly */
	struct addr_map unmapped; /* unmap event: place in unmap_kind */
	struct kind *unmap_kind; /* owned */
	size_t unmap_count, unmap_room;
};

/* Least bytes that a block of a request has: in some releases a size need not
 * be rounded, and where it is, addresses are, too. */
static inline uint64_t least_size(uint64_t asked)
{
	return asked > BLOCK_MIN ? asked : BLOCK_MIN;
}

/* start.c: what is left, made the start of the program. */
int rewind_assemble(struct rewind *rewind);

#endif /* LA_REPLAY_WINDOW_H */
