/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An address map cut into rows: the reserved bytes one after the other, what
 * lies between segments left out.  Pictures and terminals share it.
 */
#ifndef ALLOCCTL_REPORT_MAP_ROWS_H
#define ALLOCCTL_REPORT_MAP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/view.h>

#include "util/strbuf.h"

/* Sums of sizes: segments may claim more than 64 bits can count. */
typedef unsigned __int128 map_bytes;

enum {
	MAP_PARTS = 8, /* streams that are told apart; the last: all others */
	MAP_FREE = 0, /* kinds of bytes: free ... */
	MAP_LIVE = 1, /* ... live, + the part */
	MAP_PENDING = MAP_LIVE + MAP_PARTS, /* ... pending, + the part */
	MAP_UNUSED = MAP_PENDING + MAP_PARTS, /* ... unused, + the part */
	MAP_KINDS = MAP_UNUSED + MAP_PARTS,
	MAP_ROW_LEAST = 4096 /* bytes: more than any row has cells */
};

/* The streams that hold most, the first most. */
struct map_part {
	uint32_t stream;
	map_bytes bytes; /* live and pending */
};

struct map_rows {
	const struct la_map *map; /* borrowed */
	const struct la_recording *recording; /* likewise; or NULL */
	struct map_part part[MAP_PARTS]; /* the last: sums of all others */
	size_t part_count; /* of these, used ones */
	size_t other_count; /* streams in the last */
	map_bytes reserved, live, pending;
	map_bytes unused; /* of live and pending ones: behind their requests */
	map_bytes row_bytes; /* a power of two, at least MAP_ROW_LEAST */
	size_t row_count;
	unsigned int cell_count; /* of a row */
};

/* At most so many rows, each of so many cells; 0 or -ENOMEM. */
int map_rows_init(struct map_rows *rows, const struct la_map *map,
		  const struct la_recording *recording, size_t row_most,
		  unsigned int cell_count);

/* What is in one row of one block; in order. */
struct map_piece {
	const struct la_map_segment *segment;
	const struct la_map_block *block;
	size_t row;
	map_bytes from, to; /* bytes from the start of the row */
	map_bytes used; /* likewise: behind it the block is unused */
	bool begins; /* the block begins here */
	bool begins_segment;
};

/* Zero-initialised: before the first piece. */
struct map_walk {
	size_t segment, block; /* that come next; block: within the segment */
	map_bytes at; /* reserved bytes that lie before */
	uint64_t done; /* bytes of the block that lie before */
};

bool map_walk_next(const struct map_rows *rows, struct map_walk *walk,
		   struct map_piece *piece);

/* Bytes of each kind in one cell. */
struct map_cell {
	map_bytes bytes[MAP_KINDS];
};

void map_cells_add(const struct map_rows *rows, struct map_cell *cell,
		   const struct map_piece *piece);

/* The kind that has most of a cell; MAP_KINDS: nothing is there. */
unsigned int map_cell_kind(const struct map_cell *cell);

/* MAP_LIVE or MAP_PENDING and a part, or MAP_FREE. */
unsigned int map_kind(const struct map_rows *rows,
		      const struct la_map_block *block);

/* Bytes of a block behind its request. */
uint64_t map_unused(const struct la_map_block *block);

/* "0", "0x5581aa"; "number 3" where there is no recording that tells it. */
const char *map_stream_text(char text[32], const struct map_rows *rows,
			    uint32_t stream);

/* What a part is called: "stream 0x5581aa", "5 other streams". */
const char *map_part_name(char text[40], const struct map_rows *rows,
			  size_t part);

/* As torch prints sizes; more than 64 bits: the most that they can say. */
const char *map_size_text(char text[32], map_bytes bytes);

/* "before event 12,345: 1.00 GiB reserved in 3 segments: ...". */
void map_describe(struct la_strbuf *text, const struct map_rows *rows);

#endif /* ALLOCCTL_REPORT_MAP_ROWS_H */
