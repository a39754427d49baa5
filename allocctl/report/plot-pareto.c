// SPDX-License-Identifier: Apache-2.0
/* Settings: the memory that they need against the time that they cost. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "pareto-order.h"
#include "plot.h"
#include "util/size.h"
#include "util/utf8.h"

enum {
	WIDTH = 960,
	HEIGHT = 440,
	LEFT = 92,
	RIGHT = 936,
	TOP = 92,
	BOTTOM = HEIGHT - 50,
	POINTS_MOST = 4000, /* that are drawn beside the front */
	NAMES_MOST = 14, /* of the front that have one */
	NAME_BYTES = 44, /* longer names are cut */
	NAME_HEIGHT = 15
};

struct pareto {
	struct la_strbuf *out;
	const struct plot_setting *setting;
	size_t count;
	const struct plot_setting **front; /* owned; by time */
	size_t front_count;
	uint64_t limit; /* bytes; 0: none, or not in sight */
	struct svg_box area;
	struct axis x; /* seconds */
	struct axis y; /* bytes */
	struct axis_labels labels;
};

/* Some room around; the axis begins at 0 where that is near. */
static void spread(struct axis *axis)
{
	double range = axis->high - axis->low;

	if (!(range > 0))
		range = fabs(axis->high) > 0 ? fabs(axis->high) * 0.1 : 1;
	axis->low = fmax(axis->low - range * 0.12, 0);
	axis->high += range * 0.12;
	if (axis->low < axis->high * 0.2)
		axis->low = 0;
}

static void lay_out(struct pareto *p)
{
	size_t i;

	p->area = (struct svg_box){ LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP };
	p->labels.area = p->area;
	p->x = (struct axis){ INFINITY, 0, LEFT, RIGHT };
	p->y = (struct axis){ INFINITY, 0, BOTTOM, TOP };
	for (i = 0; i < p->count; i++) {
		double seconds = p->setting[i].seconds;
		double memory = (double)p->setting[i].memory;

		if (!isfinite(seconds))
			continue;
		p->x.low = fmin(p->x.low, seconds);
		p->x.high = fmax(p->x.high, seconds);
		p->y.low = fmin(p->y.low, memory);
		p->y.high = fmax(p->y.high, memory);
	}
	if (p->x.low > p->x.high)
		p->x.low = p->y.low = 0;
	if (!pareto_shows_limit(p->limit, p->y.low, p->y.high))
		p->limit = 0;
	if (p->limit) {
		p->y.low = fmin(p->y.low, (double)p->limit);
		p->y.high = fmax(p->y.high, (double)p->limit);
	}
	spread(&p->x);
	spread(&p->y);
}

static double x_of(const struct pareto *p, const struct plot_setting *setting)
{
	return axis_at(&p->x, setting->seconds);
}

static double y_of(const struct pareto *p, const struct plot_setting *setting)
{
	return axis_at(&p->y, (double)setting->memory);
}

/* What is possible with the settings of the front: less time costs memory. */
static void draw_front(struct pareto *p)
{
	size_t i;

	if (p->front_count < 2)
		return;
	svg_path_begin(p->out);
	svg_to(p->out, "M", x_of(p, p->front[0]), y_of(p, p->front[0]));
	for (i = 1; i < p->front_count; i++) {
		la_strbuf_addstr(p->out, "H");
		svg_number(p->out, x_of(p, p->front[i]));
		la_strbuf_addstr(p->out, "V");
		svg_number(p->out, y_of(p, p->front[i]));
	}
	svg_path_end(p->out, SVG_NONE, SVG_GOOD, 2, NULL);
}

static const char *limit_text(char text[64], uint64_t limit)
{
	char size[LA_SIZE_TEXT];

	snprintf(text, 64, "limit %s", la_size_format(size, limit));
	return text;
}

/* Where its name stands: above its line, at the right, where settings are
 * fewest. */
static struct svg_box limit_box(const struct pareto *p)
{
	char text[64];
	double width = svg_text_width(limit_text(text, p->limit), 12) + 6;

	return (struct svg_box){ RIGHT - width - 6,
				 axis_at(&p->y, (double)p->limit) - 17,
				 width, 15 };
}

static void draw_limit(struct pareto *p)
{
	double y = axis_at(&p->y, (double)p->limit);
	struct svg_box box = limit_box(p);

	if (!p->limit)
		return;
	svg_line(p->out, (double[]){ LEFT, y }, (double[]){ RIGHT, y },
		 SVG_LIMIT, 1.5, "8 4");
	axis_take(&p->labels, &box);
	axis_take(&p->labels, &(struct svg_box){ LEFT, y - 2, RIGHT - LEFT,
						 4 });
}

/* On paper of its own: it may lie upon a leader. */
static void name_limit(struct pareto *p)
{
	struct svg_box box = limit_box(p);
	const struct svg_label label = { .x = RIGHT - 9, .y = box.y + 12,
					 .anchor = SVG_END,
					 .ink = SVG_LIMIT, .bold = true };
	char text[64];

	if (!p->limit)
		return;
	svg_rect(p->out, &box, SVG_PAPER, SVG_NONE, NULL);
	svg_text(p->out, &label, limit_text(text, p->limit));
}

static void draw_cross(struct pareto *p, double x, double y)
{
	svg_path_begin(p->out);
	svg_to(p->out, "M", x - 4, y - 4);
	la_strbuf_addstr(p->out, "l8 8m0-8l-8 8");
	svg_path_end(p->out, SVG_NONE, SVG_OOM, 1.8, NULL);
}

/* Filled: on the front; hollow: not; a cross: does not fit; within a ring:
 * recorded. */
static void draw_point(struct pareto *p, const struct plot_setting *setting)
{
	double x = x_of(p, setting), y = y_of(p, setting);
	struct la_strbuf tip = { 0 };
	enum svg_ink fill = setting->front ? SVG_GOOD : SVG_PAPER;
	double radius = setting->front ? 5 : 4;

	pareto_tip(&tip, setting);
	if (!setting->fits)
		draw_cross(p, x, y);
	svg_circle(p->out, x, y, radius, setting->fits ? fill : SVG_NONE,
		   !setting->fits    ? SVG_NONE :
		   setting->front ? SVG_GOOD :
				    SVG_RESERVED,
		   la_strbuf_text(&tip));
	if (setting->recorded)
		svg_circle(p->out, x, y, 9, SVG_NONE, SVG_INK, NULL);
	p->out->failed |= tip.failed;
	la_strbuf_release(&tip);
}

/* Points at one place hide each other: of those one is drawn. */
static void draw_points(struct pareto *p)
{
	const struct plot_setting *s = p->setting, *last = NULL;
	size_t i, drawn = 0;

	for (i = 0; i < p->count && drawn < POINTS_MOST; i++) {
		if (s[i].front || s[i].recorded)
			continue;
		if (last && fabs(x_of(p, last) - x_of(p, &s[i])) < 0.5 &&
		    fabs(y_of(p, last) - y_of(p, &s[i])) < 0.5 &&
		    last->fits == s[i].fits)
			continue;
		draw_point(p, &s[i]);
		last = &s[i];
		drawn++;
	}
	for (i = 0; i < p->front_count; i++)
		if (i < POINTS_MOST)
			draw_point(p, p->front[i]);
	for (i = 0; i < p->count; i++)
		if (s[i].recorded && !s[i].front && drawn++ < POINTS_MOST)
			draw_point(p, &s[i]);
}

/* A line to the label, from its nearest side, unless they touch. */
static void draw_leader(struct pareto *p, const struct svg_box *box, double x,
			double y)
{
	double to_x = fmin(fmax(x, box->x), box->x + box->width);
	double to_y = fmin(fmax(y, box->y), box->y + box->height);

	if (hypot(to_x - x, to_y - y) > 12)
		svg_line(p->out, (double[]){ x, y },
			 (double[]){ to_x, to_y }, SVG_FAINT, 0.8, NULL);
}

static void name_text(struct la_strbuf *text, const char *name, size_t others)
{
	size_t length = strlen(name);
	size_t fits = la_utf8_prefix(name, length, NAME_BYTES);

	la_strbuf_add(text, name, fits);
	if (fits < length)
		la_strbuf_addstr(text, "…");
	if (others)
		la_strbuf_addf(text, " and %zu more", others);
}

static void draw_name(struct pareto *p, const struct plot_setting *setting,
		      size_t others)
{
	double x = x_of(p, setting), y = y_of(p, setting);
	struct svg_box box = { .height = NAME_HEIGHT };
	struct svg_label label = { .ink = SVG_INK, .size = 11,
				   .bold = setting->recorded };
	struct la_strbuf text = { 0 };

	name_text(&text, pareto_name(setting), others);
	box.width = svg_text_width(la_strbuf_text(&text), 11);
	if (axis_place(&p->labels, &box, x, y)) {
		draw_leader(p, &box, x, y);
		label.x = box.x;
		label.y = box.y + 11;
		svg_text(p->out, &label, la_strbuf_text(&text));
	}
	p->out->failed |= text.failed;
	la_strbuf_release(&text);
}

/* Labels keep clear of the front and of other points, while there is room to
 * remember them. */
static void take_places(struct pareto *p)
{
	double x, y, last_x = 0, last_y = 0;
	size_t i;

	for (i = 0; i < p->front_count && i < NAMES_MOST; i++) {
		x = x_of(p, p->front[i]);
		y = y_of(p, p->front[i]);
		axis_take(&p->labels,
			  &(struct svg_box){ x - 6, y - 6, 12, 12 });
		if (i) {
			axis_take(&p->labels,
				  &(struct svg_box){ last_x, last_y - 1,
						     x - last_x, 2 });
			axis_take(&p->labels,
				  &(struct svg_box){ x - 1, last_y, 2,
						     y - last_y });
		}
		last_x = x;
		last_y = y;
	}
	for (i = 0; i < p->count && i < AXIS_LABELS / 2; i++)
		axis_take(&p->labels,
			  &(struct svg_box){ x_of(p, &p->setting[i]) - 5,
					     y_of(p, &p->setting[i]) - 5, 10,
					     10 });
}

static bool is_beside(const struct pareto *p, const struct plot_setting *a,
		      const struct plot_setting *b)
{
	return hypot(x_of(p, a) - x_of(p, b), y_of(p, a) - y_of(p, b)) < 4;
}

/* Of settings that lie upon one another the first has a name. */
static void draw_names(struct pareto *p)
{
	size_t i, next;

	take_places(p);
	for (i = 0; i < p->count; i++)
		if (p->setting[i].recorded) {
			draw_name(p, &p->setting[i], 0);
			break;
		}
	for (i = 0; i < p->front_count && i < NAMES_MOST; i = next) {
		for (next = i + 1; next < p->front_count; next++)
			if (!is_beside(p, p->front[i], p->front[next]))
				break;
		if (!p->front[i]->recorded)
			draw_name(p, p->front[i], next - i - 1);
	}
}

static void draw_legend(struct pareto *p)
{
	struct svg_label label = { .y = 68, .ink = SVG_INK };

	svg_circle(p->out, 22, 64, 5, SVG_GOOD, SVG_GOOD, NULL);
	label.x = 34;
	svg_text(p->out, &label, "on the front: none takes less of both");
	svg_circle(p->out, 316, 64, 4, SVG_PAPER, SVG_RESERVED, NULL);
	label.x = 328;
	svg_text(p->out, &label, "others");
	svg_circle(p->out, 402, 64, 8, SVG_NONE, SVG_INK, NULL);
	label.x = 416;
	svg_text(p->out, &label, "recorded");
	draw_cross(p, 506, 64);
	label.x = 518;
	svg_text(p->out, &label, "does not fit");
}

static void draw(struct pareto *p, const char *says)
{
	static const char title[] = "Settings: memory against time";
	struct svg_label label = { .x = RIGHT, .y = HEIGHT - 8, .size = 11,
				   .anchor = SVG_END, .ink = SVG_FAINT };

	svg_begin(p->out, &(struct svg_head){ "plot-pareto", WIDTH, HEIGHT,
					      title, says });
	axis_title(p->out, title, says);
	draw_legend(p);
	axis_draw_rows(p->out, &p->y, AXIS_BYTES, &p->area);
	axis_draw_columns(p->out, &p->x, AXIS_SECONDS, &p->area);
	draw_front(p);
	draw_limit(p);
	draw_names(p);
	name_limit(p);
	draw_points(p);
	svg_text(p->out, &label,
		 "time of device operations (estimate); upwards: memory");
	svg_end(p->out);
}

int plot_pareto_svg(struct la_strbuf *out, const struct plot_setting *setting,
		    size_t count, uint64_t limit)
{
	struct pareto p = { .out = out, .setting = setting, .count = count,
			    .limit = limit };
	struct la_strbuf says = { 0 };

	p.front = pareto_front(setting, count, &p.front_count);
	if (!p.front)
		return -ENOMEM;
	lay_out(&p);
	pareto_describe(&says, setting, count, p.front, p.front_count);
	draw(&p, la_strbuf_text(&says));
	out->failed |= says.failed;
	la_strbuf_release(&says);
	free(p.front);
	return out->failed ? -ENOMEM : 0;
}
