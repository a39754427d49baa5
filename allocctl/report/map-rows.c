// SPDX-License-Identifier: Apache-2.0
/* An address map cut into rows: see map-rows.h. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "allocctl/source.h"
#include "map-rows.h"
#include "util/size.h"

static int by_stream(const void *a, const void *b)
{
	const struct map_part *x = a, *y = b;

	return (x->stream > y->stream) - (x->stream < y->stream);
}

/* The most bytes first; of equals the lower stream. */
static int by_bytes(const void *a, const void *b)
{
	const struct map_part *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return by_stream(a, b);
}

/* Sums by stream, in place; returns how many streams there are. */
static size_t join_streams(struct map_part *part, size_t count)
{
	size_t i, used = 0;

	qsort(part, count, sizeof(*part), by_stream);
	for (i = 0; i < count; i++)
		if (used && part[used - 1].stream == part[i].stream)
			part[used - 1].bytes += part[i].bytes;
		else
			part[used++] = part[i];
	qsort(part, used, sizeof(*part), by_bytes);
	return used;
}

static void keep_largest(struct map_rows *rows, const struct map_part *part,
			 size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (i < MAP_PARTS - 1) {
			rows->part[rows->part_count++] = part[i];
			continue;
		}
		rows->part_count = MAP_PARTS;
		rows->part[MAP_PARTS - 1].bytes += part[i].bytes;
		rows->other_count++;
	}
}

uint64_t map_unused(const struct la_map_block *block)
{
	return block->requested && block->requested < block->size ?
		       block->size - block->requested :
		       0;
}

static int sum_up(struct map_rows *rows)
{
	const struct la_map *map = rows->map;
	struct map_part *part = calloc(map->block_count + 1, sizeof(*part));
	size_t i, count = 0;

	if (!part)
		return -ENOMEM;
	for (i = 0; i < map->segment_count; i++)
		rows->reserved += map->segment[i].size;
	for (i = 0; i < map->block_count; i++) {
		const struct la_map_block *block = &map->block[i];

		if (block->state == LA_MAP_FREE)
			continue;
		if (block->state == LA_MAP_LIVE)
			rows->live += block->size;
		else
			rows->pending += block->size;
		rows->unused += map_unused(block);
		part[count++] = (struct map_part){ block->stream, block->size };
	}
	keep_largest(rows, part, join_streams(part, count));
	free(part);
	return 0;
}

int map_rows_init(struct map_rows *rows, const struct la_map *map,
		  const struct la_recording *recording, size_t row_most,
		  unsigned int cell_count)
{
	int err;

	*rows = (struct map_rows){ .map = map,
				   .recording = recording,
				   .row_bytes = MAP_ROW_LEAST,
				   .cell_count = cell_count };
	err = sum_up(rows);
	if (err)
		return err;
	while (rows->row_bytes * row_most < rows->reserved)
		rows->row_bytes *= 2;
	rows->row_count = (size_t)((rows->reserved + rows->row_bytes - 1) /
				   rows->row_bytes);
	return 0;
}

/* The next block that has bytes; false: there is none. */
static bool find_block(const struct la_map *map, struct map_walk *walk)
{
	for (; walk->segment < map->segment_count; walk->segment++) {
		const struct la_map_segment *s = &map->segment[walk->segment];

		for (; walk->block < s->block_count; walk->block++)
			if (map->block[s->first_block + walk->block].size)
				return true;
		walk->block = 0;
	}
	return false;
}

/* Where the used part of a block ends, within what a row has of it. */
static map_bytes used_to(const struct map_piece *piece, uint64_t done)
{
	uint64_t used = piece->block->size - map_unused(piece->block);
	map_bytes to = piece->from + (used > done ? used - done : 0);

	return to < piece->to ? to : piece->to;
}

bool map_walk_next(const struct map_rows *rows, struct map_walk *walk,
		   struct map_piece *piece)
{
	const struct la_map_segment *segment;
	const struct la_map_block *block;
	map_bytes size;

	if (!find_block(rows->map, walk))
		return false;
	segment = &rows->map->segment[walk->segment];
	block = &rows->map->block[segment->first_block + walk->block];
	*piece = (struct map_piece){
		.segment = segment,
		.block = block,
		.row = (size_t)(walk->at / rows->row_bytes),
		.from = walk->at % rows->row_bytes,
		.begins = !walk->done,
		.begins_segment = !walk->done && !walk->block,
	};
	size = block->size - walk->done;
	if (size > rows->row_bytes - piece->from)
		size = rows->row_bytes - piece->from;
	piece->to = piece->from + size;
	piece->used = used_to(piece, walk->done);
	walk->at += size;
	walk->done += (uint64_t)size;
	if (walk->done == block->size) {
		walk->block++;
		walk->done = 0;
	}
	return true;
}

unsigned int map_kind(const struct map_rows *rows,
		      const struct la_map_block *block)
{
	unsigned int i;

	if (block->state == LA_MAP_FREE)
		return MAP_FREE;
	for (i = 0; i < MAP_PARTS - 1; i++)
		if (i < rows->part_count &&
		    rows->part[i].stream == block->stream)
			break;
	return (block->state == LA_MAP_LIVE ? MAP_LIVE : MAP_PENDING) + i;
}

static void add_span(const struct map_rows *rows, struct map_cell *cell,
		     unsigned int kind, map_bytes from, map_bytes to)
{
	map_bytes cells = rows->cell_count, at, end;
	size_t i = (size_t)(from * cells / rows->row_bytes);

	for (at = from; at < to && i < cells; at = end, i++) {
		end = ((map_bytes)i + 1) * rows->row_bytes / cells;
		if (end > to)
			end = to;
		if (end > at)
			cell[i].bytes[kind] += end - at;
		else
			end = at;
	}
}

void map_cells_add(const struct map_rows *rows, struct map_cell *cell,
		   const struct map_piece *piece)
{
	unsigned int kind = map_kind(rows, piece->block);

	add_span(rows, cell, kind, piece->from, piece->used);
	if (piece->used < piece->to)
		add_span(rows, cell, MAP_UNUSED + (kind - MAP_LIVE) % MAP_PARTS,
			 piece->used, piece->to);
}

unsigned int map_cell_kind(const struct map_cell *cell)
{
	unsigned int i, most = MAP_KINDS;

	for (i = 0; i < MAP_KINDS; i++)
		if (cell->bytes[i] &&
		    (most == MAP_KINDS || cell->bytes[i] > cell->bytes[most]))
			most = i;
	return most;
}

const char *map_stream_text(char text[32], const struct map_rows *rows,
			    uint32_t stream)
{
	if (rows->recording)
		return source_stream_text(text, rows->recording, stream);
	snprintf(text, 32, "number %u", stream);
	return text;
}

const char *map_part_name(char text[40], const struct map_rows *rows,
			  size_t part)
{
	char stream[32];

	if (part < MAP_PARTS - 1)
		snprintf(text, 40, "stream %s",
			 map_stream_text(stream, rows,
					 rows->part[part].stream));
	else
		snprintf(text, 40, "%zu other streams", rows->other_count);
	return text;
}

const char *map_size_text(char text[32], map_bytes bytes)
{
	return la_size_format(text, bytes > UINT64_MAX ? UINT64_MAX :
							 (uint64_t)bytes);
}

void map_describe(struct la_strbuf *text, const struct map_rows *rows)
{
	map_bytes free_bytes = rows->reserved - rows->live - rows->pending;
	char size[LA_SIZE_TEXT], count[32];

	la_strbuf_addf(text, "before event %s: ",
		       source_count_text(count, rows->map->event));
	la_strbuf_addf(text, "%s reserved in %s segment%s: ",
		       map_size_text(size, rows->reserved),
		       source_count_text(count, rows->map->segment_count),
		       rows->map->segment_count == 1 ? "" : "s");
	la_strbuf_addf(text, "%s live, ", map_size_text(size, rows->live));
	if (rows->pending)
		la_strbuf_addf(text, "%s pending, ",
			       map_size_text(size, rows->pending));
	if (rows->unused)
		la_strbuf_addf(text, "%s of these unused, ",
			       map_size_text(size, rows->unused));
	la_strbuf_addf(text, "%s free", map_size_text(size, free_bytes));
	if (rows->reserved)
		la_strbuf_addf(text, " (%.1f %%)",
			       100 * (double)free_bytes /
				       (double)rows->reserved);
}
