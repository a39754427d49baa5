// SPDX-License-Identifier: Apache-2.0
/* How large the free blocks are when a request fails. */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "allocctl/source.h"
#include "axis.h"
#include "hole-bins.h"
#include "plot.h"
#include "util/size.h"

enum {
	WIDTH = 960,
	HEIGHT = 360,
	LEFT = 84,
	RIGHT = 936,
	TOP = 106,
	BOTTOM = HEIGHT - 50
};

struct holes_plot {
	struct la_strbuf *out;
	struct hole_bins bins;
	struct svg_box area;
	struct axis x; /* bins: log2 of sizes */
	struct axis y; /* bytes of a bin */
};

static void lay_out(struct holes_plot *p)
{
	const struct hole_bins *bins = &p->bins;
	bool any = bins->last >= bins->first;

	p->area = (struct svg_box){ LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP };
	p->x = (struct axis){ any ? bins->first : 0,
			      any ? bins->last + 1 : 1, LEFT, RIGHT };
	/* A few bars are no wider for being few. */
	if (p->x.high - p->x.low < 8)
		p->x.high = p->x.low + 8;
	p->y = (struct axis){ 0, bins->most ? bins->most * 1.12 : 1, BOTTOM,
			      TOP };
}

static void tip_text(struct la_strbuf *tip, int bin, int place,
		     const struct la_holes *holes)
{
	char from[32], to[32], size[LA_SIZE_TEXT], count[32];

	la_strbuf_addf(tip, "%s to %s%s%s: %s in ",
		       axis_bytes_text(from, ldexp(1, bin)),
		       axis_bytes_text(to, ldexp(1, bin + 1)),
		       place ? ", " : "", place ? hole_places[place] : "",
		       la_size_format(size, holes->bin_bytes[bin]));
	la_strbuf_addf(tip, "%s hole%s",
		       source_count_text(count, holes->bin_count[bin]),
		       holes->bin_count[bin] == 1 ? "" : "s");
}

/* One upon the other: what the request can use is lowest. */
static void draw_bar(struct holes_plot *p, int bin)
{
	double x = axis_at(&p->x, bin), width = axis_at(&p->x, bin + 1) - x;
	double below = 0, top = BOTTOM, next;
	char count[32];
	int place;

	for (place = 0; place < LA_FREE_PLACES; place++) {
		const struct la_holes *holes = &p->bins.oom->free[place];
		struct la_strbuf tip = { 0 };

		if (!holes->bin_count[bin])
			continue;
		below += (double)holes->bin_bytes[bin];
		next = fmin(axis_at(&p->y, below), top - 1);
		tip_text(&tip, bin, place, holes);
		svg_rect(p->out,
			 &(struct svg_box){ x + 2, next, width - 4,
					    top - next },
			 SVG_PART_0 + place, SVG_NONE, la_strbuf_text(&tip));
		p->out->failed |= tip.failed;
		la_strbuf_release(&tip);
		top = next;
	}
	if (top < BOTTOM)
		svg_text(p->out,
			 &(struct svg_label){ .x = x + width / 2,
					      .y = top - 5,
					      .anchor = SVG_MIDDLE,
					      .ink = SVG_INK, .size = 11 },
			 source_count_text(count,
					   hole_bins_count(&p->bins, bin)));
}

/* Sizes stand where bins meet; of many every second or third. */
static void draw_sizes(struct holes_plot *p)
{
	double each = axis_at(&p->x, p->x.low + 1) - LEFT;
	int every = (int)ceil(66 / each), bin;
	struct svg_label label = { .y = BOTTOM + 18, .anchor = SVG_MIDDLE,
				   .ink = SVG_FAINT, .size = 11 };
	double x;
	char text[32];

	svg_line(p->out, (double[]){ LEFT, BOTTOM },
		 (double[]){ RIGHT, BOTTOM }, SVG_FAINT, 1, NULL);
	for (bin = (int)p->x.low; bin <= (int)p->x.high; bin++) {
		x = axis_at(&p->x, bin);
		svg_line(p->out, (double[]){ x, BOTTOM },
			 (double[]){ x, BOTTOM + 4 }, SVG_FAINT, 1, NULL);
		label.x = x;
		if ((bin - (int)p->x.low) % every == 0)
			svg_text(p->out, &label,
				 axis_bytes_text(text, ldexp(1, bin)));
	}
	label = (struct svg_label){ .x = RIGHT, .y = HEIGHT - 8,
				    .anchor = SVG_END, .ink = SVG_FAINT,
				    .size = 11 };
	svg_text(p->out, &label,
		 "size of a hole; above a bar: how many there are");
}

static void draw_request(struct holes_plot *p)
{
	char size[LA_SIZE_TEXT], text[64];
	struct svg_label label = { .y = TOP - 8, .ink = SVG_OOM,
				   .bold = true };
	double x, width;

	if (p->bins.request < 0)
		return;
	x = axis_at(&p->x, log10((double)p->bins.oom->rounded) / log10(2));
	svg_line(p->out, (double[]){ x, TOP - 4 }, (double[]){ x, BOTTOM },
		 SVG_OOM, 2, "6 3");
	snprintf(text, sizeof(text), "request: %s",
		 la_size_format(size, p->bins.oom->rounded));
	width = svg_text_width(text, 12);
	label.x = fmax(LEFT, fmin(x - width / 2, RIGHT - width));
	svg_text(p->out, &label, text);
}

static void draw_legend(struct holes_plot *p)
{
	double x = 16;
	char size[LA_SIZE_TEXT], text[80];
	int place;

	/* Places are told apart as the request sees them. */
	if (p->bins.request < 0)
		return;
	for (place = 0; place < LA_FREE_PLACES; place++) {
		if (!p->bins.oom->free[place].count)
			continue;
		snprintf(text, sizeof(text), "%s: %s", hole_places[place],
			 la_size_format(size,
					p->bins.oom->free[place].bytes));
		if (x + 18 + svg_text_width(text, 12) > WIDTH - 16)
			break;
		x = axis_legend(p->out, x, 68, SVG_PART_0 + place, text);
	}
}

static void draw(struct holes_plot *p, const char *says)
{
	const char *title = hole_bins_title(&p->bins);
	int bin;

	svg_begin(p->out, &(struct svg_head){ "plot-holes", WIDTH, HEIGHT,
					      title, says });
	axis_title(p->out, title, says);
	draw_legend(p);
	axis_draw_rows(p->out, &p->y, AXIS_BYTES, &p->area);
	for (bin = p->bins.first; bin <= p->bins.last; bin++)
		draw_bar(p, bin);
	draw_sizes(p);
	draw_request(p);
	svg_end(p->out);
}

int plot_holes_svg(struct la_strbuf *out, const struct la_oom_state *oom)
{
	struct holes_plot p = { .out = out };
	struct la_strbuf says = { 0 };

	hole_bins_init(&p.bins, oom);
	lay_out(&p);
	hole_bins_describe(&says, &p.bins);
	draw(&p, la_strbuf_text(&says));
	out->failed |= says.failed;
	la_strbuf_release(&says);
	return out->failed ? -ENOMEM : 0;
}
