// SPDX-License-Identifier: Apache-2.0
/* Bytes over time. */

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "allocctl/source.h"
#include "axis.h"
#include "plot.h"
#include "timeline-sums.h"
#include "util/size.h"

enum {
	WIDTH = 960,
	HEIGHT = 400,
	LEFT = 84,
	RIGHT = 936,
	STEPS_MOST = 1200, /* of a line; more points share columns */
	LANES = 3, /* of phases that are within phases */
	LANE_HEIGHT = 18,
	OOM_HEIGHT = 18 /* of the line that tells of OOMs */
};

struct timeline {
	struct la_strbuf *out;
	const struct la_timeline *view;
	struct svg_box area;
	struct axis x; /* events */
	struct axis y; /* bytes */
	struct timeline_sums sums;
	struct axis_labels labels;
};

/* Points that share a column, or one point. */
struct step {
	double x;
	uint64_t live[2], reserved[2];
};

/* The next step, from point *at on; false: there is none. */
static bool next_step(const struct timeline *t, size_t *at, struct step *step)
{
	const struct la_timeline *view = t->view;
	const struct la_timeline_point *p = &view->point[*at];
	double x;

	if (*at >= view->point_count)
		return false;
	*step = (struct step){
		.x = axis_at(&t->x, (double)p->event),
		.live = { p->live[0], p->live[1] },
		.reserved = { p->reserved[0], p->reserved[1] },
	};
	while (++*at < view->point_count) {
		p = &view->point[*at];
		x = axis_at(&t->x, (double)p->event);
		if (view->point_count <= STEPS_MOST ||
		    floor(x) != floor(step->x))
			break;
		timeline_widen(step->live, p->live);
		timeline_widen(step->reserved, p->reserved);
	}
	return true;
}

/* The lane of a phase within others, by where the last one of each ends. */
static unsigned int lane_of(uint64_t end[LANES],
			    const struct la_view_phase *phase)
{
	unsigned int lane;

	for (lane = 0; lane < LANES; lane++)
		if (end[lane] <= phase->event[0]) {
			end[lane] = phase->event[1];
			return lane;
		}
	return LANES;
}

static unsigned int count_lanes(const struct la_timeline *view)
{
	uint64_t end[LANES] = { 0 };
	unsigned int lane, lanes = 0;
	size_t i;

	for (i = 0; i < view->phase_count; i++) {
		lane = lane_of(end, &view->phase[i]);
		if (lane < LANES && lane + 1 > lanes)
			lanes = lane + 1;
	}
	return lanes;
}

static void lay_out(struct timeline *t)
{
	double top = 78 + count_lanes(t->view) * LANE_HEIGHT;

	timeline_sum(&t->sums, t->view);
	top += t->view->oom_count ? OOM_HEIGHT : 0;
	t->area = (struct svg_box){ LEFT, top, RIGHT - LEFT,
				    HEIGHT - 52 - top };
	t->x = (struct axis){ 0, fmax((double)t->view->event_count, 1), LEFT,
			      RIGHT };
	t->y = (struct axis){ 0, (double)t->sums.high * 1.1,
			      top + t->area.height, top };
	t->labels.area = t->area;
}

enum series { RESERVED_MOST, LIVE_MOST, LIVE_LEAST };

static uint64_t value_of(const struct step *step, enum series series)
{
	if (series == RESERVED_MOST)
		return step->reserved[1];
	return step->live[series == LIVE_MOST];
}

static void to_place(const struct timeline *t, double x)
{
	la_strbuf_addstr(t->out, "H");
	svg_number(t->out, x);
}

static void to_height(const struct timeline *t, double bytes)
{
	la_strbuf_addstr(t->out, "V");
	svg_number(t->out, axis_at(&t->y, bytes));
}

/* What is below a line of steps, down to nothing. */
static void draw_area(const struct timeline *t, enum series series,
		      enum svg_ink ink)
{
	bool first = true;
	struct step step;
	size_t at = 0;

	if (!t->view->point_count)
		return;
	svg_path_begin(t->out);
	for (; next_step(t, &at, &step); first = false) {
		if (first)
			svg_to(t->out, "M", step.x, t->y.from);
		else
			to_place(t, step.x);
		to_height(t, (double)value_of(&step, series));
	}
	to_place(t, t->x.to);
	to_height(t, 0);
	la_strbuf_addstr(t->out, "z");
	svg_path_end(t->out, ink, SVG_NONE, 0, NULL);
}

/* The most bytes of each step, and a stroke down to the least. */
static void draw_reserved(const struct timeline *t)
{
	bool first = true;
	struct step step;
	size_t at = 0;

	if (!t->view->point_count)
		return;
	svg_path_begin(t->out);
	for (; next_step(t, &at, &step); first = false) {
		if (first) {
			svg_to(t->out, "M", step.x,
			       axis_at(&t->y, (double)step.reserved[1]));
		} else {
			to_place(t, step.x);
			to_height(t, (double)step.reserved[1]);
		}
		if (step.reserved[0] < step.reserved[1]) {
			to_height(t, (double)step.reserved[0]);
			to_height(t, (double)step.reserved[1]);
		}
	}
	to_place(t, t->x.to);
	svg_path_end(t->out, SVG_NONE, SVG_RESERVED, 1.5, NULL);
}

/* Texts are left out where there is no room. */
static void draw_phases(const struct timeline *t)
{
	uint64_t end[LANES] = { 0 };
	double last[LANES] = { 0 }, top = 64;
	unsigned int lane, turn[LANES] = { 0 };
	size_t i;

	for (i = 0; i < t->view->phase_count; i++) {
		const struct la_view_phase *phase = &t->view->phase[i];
		double from = axis_at(&t->x, (double)phase->event[0]);
		double to = axis_at(&t->x, (double)phase->event[1]);
		struct svg_box band;

		lane = lane_of(end, phase);
		if (lane == LANES || to < last[lane] + 1)
			continue;
		last[lane] = to;
		band = (struct svg_box){ from, top + lane * LANE_HEIGHT,
					 to - from, LANE_HEIGHT - 2 };
		svg_rect(t->out, &band,
			 turn[lane]++ % 2 ? SVG_BAND_1 : SVG_BAND_0, SVG_NONE,
			 phase->name);
		svg_text_within(t->out,
				&(struct svg_label){ .x = from + 4,
						     .y = band.y + 12,
						     .ink = SVG_ON_FRAME,
						     .size = 11 },
				to - from - 6, phase->name);
	}
}

static void oom_label(const struct timeline *t, size_t i, double x,
		      double *taken)
{
	char size[LA_SIZE_TEXT], text[64];
	struct svg_label label = { .y = t->area.y - 6, .ink = SVG_OOM,
				   .bold = true };
	double width;

	snprintf(text, sizeof(text), "OOM %s",
		 la_size_format(size, t->view->oom[i].size));
	width = svg_text_width(text, 12);
	label.x = x + 8;
	if (label.x + width > RIGHT) {
		label.x = x - 8;
		label.anchor = SVG_END;
	}
	if (x - (label.anchor == SVG_END ? width : 0) < *taken)
		return;
	svg_text(t->out, &label, text);
	*taken = fmax(x, label.x + width) + 20;
}

static void draw_ooms(const struct timeline *t)
{
	double x, last = -1, taken = 0, top = t->area.y;
	size_t i;

	for (i = 0; i < t->view->oom_count; i++) {
		x = axis_at(&t->x, (double)t->view->oom[i].event);
		if (x < last + 1)
			continue;
		last = x;
		svg_line(t->out, (double[]){ x, top },
			 (double[]){ x, t->y.from }, SVG_OOM, 1.5, "4 3");
		svg_path_begin(t->out);
		svg_to(t->out, "M", x - 5, top - 12);
		la_strbuf_addstr(t->out, "h10l-5 11z");
		svg_path_end(t->out, SVG_OOM, SVG_NONE, 0, NULL);
		oom_label(t, i, x, &taken);
	}
}

static void draw_limit(struct timeline *t)
{
	char limit[64];
	struct svg_label label = { .x = LEFT + 6, .ink = SVG_LIMIT,
				   .bold = true };
	double y = axis_at(&t->y, (double)t->view->limit.bytes), width;

	if (!t->sums.limit_seen)
		return;
	svg_line(t->out, (double[]){ LEFT, y }, (double[]){ RIGHT, y },
		 SVG_LIMIT, 1.5, "8 4");
	label.y = y - 5;
	source_limit_text(limit, &t->view->limit);
	svg_text(t->out, &label, limit);
	width = svg_text_width(limit, 12);
	axis_take(&t->labels,
		  &(struct svg_box){ LEFT, y - 17, width + 12, 16 });
	axis_take(&t->labels,
		  &(struct svg_box){ LEFT, y - 2, RIGHT - LEFT, 4 });
}

/* On paper of its own: it lies upon lines. */
static void draw_peak(struct timeline *t)
{
	char size[LA_SIZE_TEXT], text[64];
	double x = axis_at(&t->x, (double)t->view->peak);
	double y = axis_at(&t->y, (double)t->view->peak_live);
	struct svg_box box = { .height = 18 };

	if (!t->view->peak_live)
		return;
	svg_circle(t->out, x, y, 4, SVG_PAPER, SVG_INK, NULL);
	snprintf(text, sizeof(text), "peak: %s live",
		 la_size_format(size, t->view->peak_live));
	box.width = svg_text_width(text, 12);
	if (!axis_place(&t->labels, &box, x, y))
		return;
	svg_rect(t->out, &box, SVG_PAPER, SVG_GRID, NULL);
	svg_text(t->out,
		 &(struct svg_label){ .x = box.x + box.width / 2,
				      .y = box.y + 13, .anchor = SVG_MIDDLE,
				      .ink = SVG_INK },
		 text);
}

/* Where times are known: what passed since the first point. */
static void draw_times(const struct timeline *t)
{
	const struct la_timeline *view = t->view;
	struct axis_tick tick[AXIS_TICKS];
	struct svg_label label = { .y = t->y.from + 33, .size = 11,
				   .anchor = SVG_MIDDLE, .ink = SVG_FAINT };
	size_t i, at = 0, count;
	char text[33] = "+";

	if (!view->point_count || !view->point[0].time_us)
		return;
	count = axis_ticks(tick, AXIS_COUNT, t->x.low, t->x.high, 8);
	for (i = 0; i < count; i++) {
		while (at + 1 < view->point_count &&
		       (double)view->point[at + 1].event <= tick[i].value)
			at++;
		if (view->point[at].time_us < view->point[0].time_us)
			continue;
		axis_seconds_text(text + 1,
				  (double)(view->point[at].time_us -
					   view->point[0].time_us) / 1e6);
		label.x = axis_at(&t->x, tick[i].value);
		svg_text(t->out, &label, text);
	}
}

static void draw_legend(const struct timeline *t)
{
	const struct la_timeline_point *p = t->view->point;
	size_t i;
	double x = 520;

	x = axis_legend(t->out, x, 25, SVG_LIVE, "live");
	for (i = 0; i < t->view->point_count; i++)
		if (p[i].live[0] != p[i].live[1] ||
		    t->view->point_count > STEPS_MOST)
			break;
	if (i < t->view->point_count)
		x = axis_legend(t->out, x, 25, SVG_LIVE_MOST,
				"at times within a column");
	axis_legend(t->out, x, 25, SVG_CACHED, "reserved, not live");
}

static void draw(struct timeline *t, const char *says)
{
	struct svg_label unit = { .x = RIGHT, .y = HEIGHT - 6, .size = 11,
				  .anchor = SVG_END, .ink = SVG_FAINT };

	axis_title(t->out, "Memory over time", says);
	draw_legend(t);
	draw_phases(t);
	axis_draw_rows(t->out, &t->y, AXIS_BYTES, &t->area);
	draw_area(t, RESERVED_MOST, SVG_CACHED);
	draw_reserved(t);
	draw_area(t, LIVE_MOST, SVG_LIVE_MOST);
	draw_area(t, LIVE_LEAST, SVG_LIVE);
	axis_draw_columns(t->out, &t->x, AXIS_COUNT, &t->area);
	draw_times(t);
	draw_ooms(t);
	draw_limit(t);
	draw_peak(t);
	svg_text(t->out, &unit, "events, and time since the first");
}

int plot_timeline_svg(struct la_strbuf *out, const struct la_timeline *view)
{
	struct timeline t = { .out = out, .view = view };
	struct la_strbuf says = { 0 };

	lay_out(&t);
	timeline_describe(&says, &t.sums);
	svg_begin(out, &(struct svg_head){ "plot-timeline", WIDTH, HEIGHT,
					   "Memory over time",
					   la_strbuf_text(&says) });
	draw(&t, la_strbuf_text(&says));
	svg_end(out);
	out->failed |= says.failed;
	la_strbuf_release(&says);
	return out->failed ? -ENOMEM : 0;
}
