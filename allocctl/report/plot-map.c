// SPDX-License-Identifier: Apache-2.0
/* What lies where: the addresses that the device gave, in rows. */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "allocctl/source.h"
#include "axis.h"
#include "map-rows.h"
#include "plot.h"
#include "util/size.h"

enum {
	WIDTH = 960,
	LEFT = 136,
	CELLS = 800, /* of a row, each one wide */
	TOP = 112, /* of the first row */
	ROW_HEIGHT = 20, /* with the gap below */
	BAR_HEIGHT = 15,
	ROWS = 28,
	EDGE_WIDTH = 3, /* blocks that are as wide have an edge */
	TIP_WIDTH = 24, /* ... tell what they are */
	NAME_WIDTH = 64 /* ... have their size written upon them */
};

struct map_plot {
	struct la_strbuf *out;
	struct map_rows rows;
	struct map_cell cell[CELLS]; /* of the row that is being drawn */
};

static double x_of(const struct map_plot *p, map_bytes in_row)
{
	return LEFT + CELLS * ((double)in_row / (double)p->rows.row_bytes);
}

static double y_of(size_t row)
{
	return TOP + (double)row * ROW_HEIGHT;
}

/* Diagonal lines within a box, in step with those of its neighbours. */
static void add_hatching(struct la_strbuf *out, const struct svg_box *box)
{
	double right = box->x + box->width, bottom = box->y + box->height;
	double x, from, to;

	for (x = floor((box->x - box->height) / 5) * 5; x < right; x += 5) {
		from = fmax(0, box->x - x);
		to = fmin(box->height, right - x);
		if (from >= to)
			continue;
		svg_to(out, "M", x + from, bottom - from);
		svg_to(out, "L", x + to, bottom - to);
	}
}

/* Lines along a box. */
static void add_lines(struct la_strbuf *out, const struct svg_box *box)
{
	double y;

	for (y = 2.5; y < box->height; y += 5) {
		svg_to(out, "M", box->x, box->y + y);
		la_strbuf_addstr(out, "h");
		svg_number(out, box->width);
	}
}

static bool has_kind(const struct map_cell *cell, unsigned int kind)
{
	return map_cell_kind(cell) == kind;
}

/* All runs of cells of a kind, each with add(). */
static void add_runs(struct map_plot *p, size_t row, unsigned int kind,
		     void (*add)(struct la_strbuf *, const struct svg_box *))
{
	size_t i, from;

	for (i = 0; i < CELLS; i++) {
		for (from = i; i < CELLS && has_kind(&p->cell[i], kind); i++)
			;
		if (i > from)
			add(p->out, &(struct svg_box){
					    (double)(LEFT + from), y_of(row),
					    (double)(i - from), BAR_HEIGHT });
	}
}

static void draw_kind(struct map_plot *p, size_t row, unsigned int kind)
{
	bool solid = kind >= MAP_LIVE && kind < MAP_PENDING;
	enum svg_ink ink = SVG_PART_0 + (kind - MAP_LIVE) % MAP_PARTS;

	svg_path_begin(p->out);
	add_runs(p, row, kind, svg_path_box);
	svg_path_end(p->out, solid ? ink : SVG_CACHED, SVG_NONE, 0, NULL);
	if (kind < MAP_PENDING)
		return;
	svg_path_begin(p->out);
	add_runs(p, row, kind, kind < MAP_UNUSED ? add_hatching : add_lines);
	svg_path_end(p->out, SVG_NONE, ink, kind < MAP_UNUSED ? 1.8 : 1, NULL);
}

static void draw_row(struct map_plot *p, size_t row)
{
	bool used[MAP_KINDS + 1] = { false };
	unsigned int kind;
	size_t i;

	for (i = 0; i < CELLS; i++)
		used[map_cell_kind(&p->cell[i])] = true;
	for (kind = 0; kind < MAP_KINDS; kind++)
		if (used[kind])
			draw_kind(p, row, kind);
	memset(p->cell, 0, sizeof(p->cell));
}

static void draw_rows(struct map_plot *p)
{
	struct map_walk walk = { 0 };
	struct map_piece piece;
	size_t row = 0;

	while (map_walk_next(&p->rows, &walk, &piece)) {
		if (piece.row != row)
			draw_row(p, row);
		row = piece.row;
		map_cells_add(&p->rows, p->cell, &piece);
	}
	if (p->rows.row_count)
		draw_row(p, row);
}

/* Where blocks meet, and more clearly where segments do. */
static void draw_edges(struct map_plot *p, bool of_segments)
{
	struct map_walk walk = { 0 };
	struct map_piece piece;
	double x, y, last = -1, last_y = -1;
	double beyond = of_segments ? 2 : 0;

	svg_path_begin(p->out);
	while (map_walk_next(&p->rows, &walk, &piece)) {
		x = x_of(p, piece.from);
		y = y_of(piece.row);
		if (!(of_segments ? piece.begins_segment : piece.begins) ||
		    (y == last_y && x < last + EDGE_WIDTH) ||
		    (!of_segments &&
		     x_of(p, piece.to) < x + EDGE_WIDTH))
			continue;
		last = x;
		last_y = y;
		svg_to(p->out, "M", x, y - beyond);
		la_strbuf_addstr(p->out, "v");
		svg_number(p->out, BAR_HEIGHT + 2 * beyond);
	}
	svg_path_end(p->out, SVG_NONE, of_segments ? SVG_INK : SVG_PAPER, 1,
		     NULL);
}

static void tip_text(struct la_strbuf *tip, const struct map_rows *rows,
		     const struct la_map_block *block)
{
	char size[LA_SIZE_TEXT], count[32];
	static const char *const states[] = {
		[LA_MAP_FREE] = "free",
		[LA_MAP_LIVE] = "live",
		[LA_MAP_PENDING] = "pending",
	};

	la_strbuf_addf(tip, "%s %s", la_size_format(size, block->size),
		       block->state <= LA_MAP_PENDING ? states[block->state] :
							"?");
	if (block->state != LA_MAP_FREE)
		la_strbuf_addf(tip, ", stream %s",
			       map_stream_text(count, rows, block->stream));
	la_strbuf_addf(tip, ", at 0x%" PRIx64, block->addr);
	if (block->requested)
		la_strbuf_addf(tip, ", requested %s",
			       la_size_format(size, block->requested));
	if (map_unused(block))
		la_strbuf_addf(tip, ", unused %s",
			       la_size_format(size, map_unused(block)));
	if (block->state != LA_MAP_FREE && block->event != UINT64_MAX)
		la_strbuf_addf(tip, " by event %s",
			       source_count_text(count, block->event));
}

/* What is legible upon a block. */
static enum svg_ink ink_on(const struct map_plot *p,
			   const struct la_map_block *block)
{
	static const enum svg_ink inks[MAP_PARTS] = {
		SVG_ON_FILL,   SVG_ON_BRIGHT, SVG_ON_BRIGHT, SVG_ON_BRIGHT,
		SVG_ON_BRIGHT, SVG_ON_BRIGHT, SVG_ON_FILL,   SVG_ON_BRIGHT,
	};

	return block->state == LA_MAP_FREE ?
		       SVG_FAINT :
		       inks[map_kind(&p->rows, block) - MAP_LIVE];
}

/* The size upon it, and all else where a pointer rests. */
static void draw_piece(struct map_plot *p, const struct map_piece *piece)
{
	double x = x_of(p, piece->from), y = y_of(piece->row);
	struct svg_box box = { x, y, x_of(p, piece->to) - x, BAR_HEIGHT };
	const struct la_map_block *block = piece->block;
	struct svg_label label = { .x = x + box.width / 2, .y = y + 11.5,
				   .anchor = SVG_MIDDLE, .size = 10,
				   .ink = SVG_FAINT };
	char size[LA_SIZE_TEXT];
	struct la_strbuf tip = { 0 };

	if (box.width < TIP_WIDTH)
		return;
	if (box.width >= NAME_WIDTH && piece->begins &&
	    block->state != LA_MAP_PENDING) {
		label.ink = ink_on(p, block);
		svg_text_within(p->out, &label, box.width - 4,
				la_size_format(size, block->size));
	}
	tip_text(&tip, &p->rows, block);
	svg_rect(p->out, &box, SVG_NONE, SVG_NONE, la_strbuf_text(&tip));
	p->out->failed |= tip.failed;
	la_strbuf_release(&tip);
}

static void draw_pieces(struct map_plot *p)
{
	struct map_walk walk = { 0 };
	struct map_piece piece;

	while (map_walk_next(&p->rows, &walk, &piece))
		draw_piece(p, &piece);
}

/* The address at which each row begins. */
static void draw_addresses(struct map_plot *p)
{
	struct svg_label label = { .x = LEFT - 10, .anchor = SVG_END,
				   .ink = SVG_FAINT, .size = 10.5 };
	struct map_walk walk = { 0 };
	struct map_piece piece;
	uint64_t addr, before = 0;
	char text[32];

	while (map_walk_next(&p->rows, &walk, &piece)) {
		before = piece.begins ? 0 : before;
		addr = piece.block->addr + before;
		before += (uint64_t)(piece.to - piece.from);
		if (piece.from)
			continue;
		snprintf(text, sizeof(text), "0x%" PRIx64, addr);
		label.y = y_of(piece.row) + 11.5;
		svg_text(p->out, &label, text);
	}
}

static void draw_scale(struct map_plot *p)
{
	struct svg_label label = { .y = TOP - 12, .anchor = SVG_END,
				   .ink = SVG_FAINT, .size = 11 };
	char text[33] = "+";
	int i;

	for (i = 0; i <= 4; i++) {
		label.x = LEFT + CELLS * i / 4.0;
		svg_line(p->out, (double[]){ label.x, TOP - 8 },
			 (double[]){ label.x, TOP - 3 }, SVG_FAINT, 1, NULL);
		axis_bytes_text(text + 1, (double)p->rows.row_bytes * i / 4);
		label.anchor = i < 4 ? SVG_MIDDLE : SVG_END;
		svg_text(p->out, &label, i ? text : "0");
	}
}

/* An entry upon whose square something is drawn. */
static double add_legend(struct la_strbuf *out, double x, const char *text,
			 void (*add)(struct la_strbuf *,
				     const struct svg_box *))
{
	const struct svg_box square = { x, 58, 12, 12 };
	double next = axis_legend(out, x, 68, SVG_CACHED, text);

	svg_path_begin(out);
	add(out, &square);
	svg_path_end(out, SVG_NONE, SVG_PART_0, 1.5, NULL);
	return next;
}

static void draw_legend(struct map_plot *p)
{
	char name[40], size[LA_SIZE_TEXT], text[80];
	const struct map_rows *rows = &p->rows;
	double x = axis_legend(p->out, 16, 68, SVG_CACHED, "free"), y = 68;
	size_t i;

	if (rows->pending)
		x = add_legend(p->out, x, "pending", add_hatching);
	if (rows->unused)
		x = add_legend(p->out, x, "unused in blocks", add_lines);
	for (i = 0; i < rows->part_count; i++) {
		snprintf(text, sizeof(text), "%s: %s",
			 map_part_name(name, rows, i),
			 map_size_text(size, rows->part[i].bytes));
		if (x + 18 + svg_text_width(text, 12) > WIDTH - 16) {
			if (y > 68)
				break;
			x = 16;
			y = 86;
		}
		x = axis_legend(p->out, x, y, SVG_PART_0 + i, text);
	}
}

static void draw(struct map_plot *p, const char *says)
{
	size_t rows = p->rows.row_count ? p->rows.row_count : 1;
	unsigned int height = TOP + (unsigned int)rows * ROW_HEIGHT + 12;

	svg_begin(p->out, &(struct svg_head){ "plot-map", WIDTH, height,
					      "Address map", says });
	axis_title(p->out, "Address map", says);
	draw_legend(p);
	if (p->rows.row_count) {
		draw_scale(p);
		draw_rows(p);
		draw_edges(p, false);
		draw_edges(p, true);
		draw_pieces(p);
		draw_addresses(p);
	}
	svg_end(p->out);
}

int plot_map_svg(struct la_strbuf *out, const struct la_map *map,
		 const struct la_recording *recording)
{
	struct map_plot p = { .out = out };
	struct la_strbuf says = { 0 };
	int err = map_rows_init(&p.rows, map, recording, ROWS, CELLS);

	if (err)
		return err;
	map_describe(&says, &p.rows);
	draw(&p, la_strbuf_text(&says));
	out->failed |= says.failed;
	la_strbuf_release(&says);
	return out->failed ? -ENOMEM : 0;
}
