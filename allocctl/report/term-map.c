// SPDX-License-Identifier: Apache-2.0
/* What lies where, for a terminal: a character for some bytes. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "map-rows.h"
#include "term.h"

enum { ROWS = 20, ADDRESS_COLUMNS = 20 };

/* How much of it is live: its height; without anything live a point, or what
 * is pending or unused. */
static const char *cell_text(const struct map_cell *cell, unsigned int kind)
{
	map_bytes live = 0, all = 0;
	unsigned int i;

	for (i = 0; i < MAP_KINDS; i++) {
		all += cell->bytes[i];
		if (i >= MAP_LIVE && i < MAP_PENDING)
			live += cell->bytes[i];
	}
	if (kind >= MAP_UNUSED)
		return "░";
	if (kind >= MAP_PENDING)
		return "▒";
	return live ? term_column((double)live / (double)all) : "·";
}

/* The colour of what there is most of, but for what is free. */
static unsigned int shown_kind(const struct map_cell *cell)
{
	struct map_cell held = *cell;
	unsigned int kind;

	held.bytes[MAP_FREE] = 0;
	kind = map_cell_kind(&held);
	return kind == MAP_KINDS ? map_cell_kind(cell) : kind;
}

static void add_cells(struct la_strbuf *out, struct map_cell *cell,
		      size_t count, const struct plot_terminal *terminal)
{
	unsigned int kind, last = MAP_FREE;
	size_t i;

	for (i = 0; i < count; i++) {
		kind = shown_kind(&cell[i]);
		if (kind == MAP_KINDS)
			break;
		if (kind != last) {
			term_plain(out, terminal);
			if (kind != MAP_FREE)
				term_ink(out, terminal,
					 SVG_PART_0 + (kind - MAP_LIVE) %
							      MAP_PARTS);
		}
		last = kind;
		la_strbuf_addstr(out, cell_text(&cell[i], kind));
	}
	if (last != MAP_FREE)
		term_plain(out, terminal);
	la_strbuf_addstr(out, "\n");
	memset(cell, 0, count * sizeof(*cell));
}

static void add_address(struct la_strbuf *out, const struct map_piece *piece,
			uint64_t before)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64,
		 piece->block->addr + before);
	term_cell(out, text, ADDRESS_COLUMNS - 2, true);
	la_strbuf_addstr(out, "  ");
}

static void add_rows(struct la_strbuf *out, const struct map_rows *rows,
		     struct map_cell *cell,
		     const struct plot_terminal *terminal)
{
	struct map_walk walk = { 0 };
	struct map_piece piece;
	uint64_t before = 0;
	size_t row = 0;

	while (map_walk_next(rows, &walk, &piece)) {
		before = piece.begins ? 0 : before;
		if (piece.row != row)
			add_cells(out, cell, rows->cell_count, terminal);
		row = piece.row;
		if (!piece.from)
			add_address(out, &piece, before);
		before += (uint64_t)(piece.to - piece.from);
		map_cells_add(rows, cell, &piece);
	}
	if (rows->row_count)
		add_cells(out, cell, rows->cell_count, terminal);
}

static void add_legend(struct la_strbuf *out, const struct map_rows *rows,
		       const struct plot_terminal *terminal)
{
	char text[40], size[32];
	size_t i;

	la_strbuf_addf(out, "a row is %s: · free, ▁▂▃▄▅▆▇█ part that is live",
		       axis_bytes_text(text, (double)rows->row_bytes));
	if (rows->pending)
		la_strbuf_addstr(out, ", ▒ pending");
	if (rows->unused)
		la_strbuf_addstr(out, ", ░ unused in blocks");
	la_strbuf_addstr(out, "\n");
	for (i = 0; i < rows->part_count; i++) {
		term_ink(out, terminal, SVG_PART_0 + i);
		la_strbuf_addstr(out, "█");
		term_plain(out, terminal);
		la_strbuf_addf(out, " %s: %s\n",
			       map_part_name(text, rows, i),
			       map_size_text(size, rows->part[i].bytes));
	}
}

int plot_map_term(struct la_strbuf *out, const struct la_map *map,
		  const struct la_recording *recording,
		  const struct plot_terminal *terminal)
{
	unsigned int cells = term_columns(terminal) - ADDRESS_COLUMNS;
	struct map_cell *cell = calloc(cells, sizeof(*cell));
	struct la_strbuf says = { 0 };
	struct map_rows rows;
	int err = cell ? map_rows_init(&rows, map, recording, ROWS, cells) :
			 -ENOMEM;

	if (!err) {
		map_describe(&says, &rows);
		term_title(out, terminal, "Address map",
			   la_strbuf_text(&says));
		add_rows(out, &rows, cell, terminal);
		add_legend(out, &rows, terminal);
		out->failed |= says.failed;
		la_strbuf_release(&says);
	}
	free(cell);
	return err ? err : out->failed ? -ENOMEM : 0;
}
