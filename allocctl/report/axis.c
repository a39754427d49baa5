// SPDX-License-Identifier: Apache-2.0
/* What pictures share: see axis.h. */

#include <math.h>
#include <stdio.h>

#include "allocctl/source.h"
#include "axis.h"
#include "util/util.h"

struct unit {
	double size;
	const char *name; /* with the blank before it */
};

static const struct unit of_bytes[] = {
	{ 0x1p60, " EiB" }, { 0x1p50, " PiB" }, { 0x1p40, " TiB" },
	{ 0x1p30, " GiB" }, { 0x1p20, " MiB" }, { 0x1p10, " KiB" },
	{ 1, " bytes" },
};

static const struct unit of_counts[] = { { 1, "" } };

static const struct unit of_seconds[] = {
	{ 1, " s" },
	{ 1e-3, " ms" },
	{ 1e-6, " µs" },
};

static const struct {
	const struct unit *unit;
	size_t count;
} units[] = {
	[AXIS_BYTES] = { of_bytes, ARRAY_SIZE(of_bytes) },
	[AXIS_COUNT] = { of_counts, ARRAY_SIZE(of_counts) },
	[AXIS_SECONDS] = { of_seconds, ARRAY_SIZE(of_seconds) },
};

static const struct unit *unit_for(enum axis_unit kind, double high)
{
	size_t i;

	for (i = 0; i + 1 < units[kind].count; i++)
		if (high >= units[kind].unit[i].size)
			break;
	return &units[kind].unit[i];
}

/* So many of it: one byte is no bytes. */
static const char *unit_name(const struct unit *unit, double value)
{
	bool is_byte = unit == &of_bytes[ARRAY_SIZE(of_bytes) - 1];

	return is_byte && value == 1 ? " byte" : unit->name;
}

double axis_at(const struct axis *axis, double value)
{
	double part = (value - axis->low) / (axis->high - axis->low);

	return axis->from + fmin(fmax(part, 0), 1) * (axis->to - axis->from);
}

/* 1, 2 or 5 times a power of ten, at least least. */
static double round_step(double least)
{
	double power = 1;

	while (power * 10 <= least)
		power *= 10;
	while (power > least)
		power /= 10;
	if (power >= least * (1 - 1e-9))
		return power;
	if (2 * power >= least)
		return 2 * power;
	return 5 * power >= least ? 5 * power : 10 * power;
}

static void tick_text(struct axis_tick *tick, enum axis_unit kind,
		      const struct unit *unit, double step)
{
	int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;

	if (kind == AXIS_COUNT)
		source_count_text(tick->text, (uint64_t)llround(tick->value));
	else
		snprintf(tick->text, sizeof(tick->text), "%.*f%s", decimals,
			 tick->value / unit->size,
			 unit_name(unit, tick->value));
}

size_t axis_ticks(struct axis_tick tick[AXIS_TICKS], enum axis_unit kind,
		  double low, double high, unsigned int wanted)
{
	const struct unit *unit = unit_for(kind, high);
	double step = round_step((high - low) / wanted / unit->size);
	double k;
	size_t count = 0;

	if (kind != AXIS_SECONDS && unit->size <= 1)
		step = fmax(step, 1);
	for (k = ceil(low / unit->size / step - 1e-9); count < AXIS_TICKS;
	     k++) {
		tick[count].value = k * step * unit->size + 0.0;
		if (tick[count].value > high + step * unit->size * 1e-6)
			break;
		tick_text(&tick[count++], kind, unit, step);
	}
	return count;
}

const char *axis_bytes_text(char text[32], double bytes)
{
	const struct unit *unit = unit_for(AXIS_BYTES, bytes);

	snprintf(text, 32, "%.4g%s", bytes / unit->size,
		 unit_name(unit, bytes));
	return text;
}

const char *axis_seconds_text(char text[32], double seconds)
{
	const struct unit *unit = unit_for(AXIS_SECONDS,
					   seconds > 0 ? seconds : 1);
	double value = seconds / unit->size;
	int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;

	snprintf(text, 32, "%.*f%s", value ? decimals : 0, value, unit->name);
	return text;
}

void axis_draw_rows(struct la_strbuf *out, const struct axis *axis,
		    enum axis_unit unit, const struct svg_box *area)
{
	struct svg_label label = { .x = area->x - 8, .anchor = SVG_END,
				   .ink = SVG_FAINT };
	struct axis_tick tick[AXIS_TICKS];
	size_t i, count;
	double y;

	count = axis_ticks(tick, unit, axis->low, axis->high, 5);
	for (i = 0; i < count; i++) {
		y = axis_at(axis, tick[i].value);
		svg_line(out, (double[]){ area->x, y },
			 (double[]){ area->x + area->width, y }, SVG_GRID, 1,
			 NULL);
		label.y = y + 4;
		svg_text(out, &label, tick[i].text);
	}
}

void axis_draw_columns(struct la_strbuf *out, const struct axis *axis,
		       enum axis_unit unit, const struct svg_box *area)
{
	double base = area->y + area->height, x;
	struct svg_label label = { .y = base + 18, .anchor = SVG_MIDDLE,
				   .ink = SVG_FAINT };
	struct axis_tick tick[AXIS_TICKS];
	size_t i, count;

	svg_line(out, (double[]){ area->x, base },
		 (double[]){ area->x + area->width, base }, SVG_FAINT, 1,
		 NULL);
	count = axis_ticks(tick, unit, axis->low, axis->high, 8);
	for (i = 0; i < count; i++) {
		x = axis_at(axis, tick[i].value);
		svg_line(out, (double[]){ x, base }, (double[]){ x, base + 5 },
			 SVG_FAINT, 1, NULL);
		label.x = x;
		svg_text(out, &label, tick[i].text);
	}
}

double axis_legend(struct la_strbuf *out, double x, double y,
		   enum svg_ink ink, const char *text)
{
	struct svg_box square = { x, y - 10, 12, 12 };
	struct svg_label label = { .x = x + 18, .y = y, .ink = SVG_INK };

	svg_rect(out, &square, ink, SVG_RESERVED, NULL);
	svg_text(out, &label, text);
	return x + 18 + svg_text_width(text, 12) + 16;
}

void axis_title(struct la_strbuf *out, const char *title, const char *says)
{
	struct svg_label label = { .x = 16, .y = 25, .ink = SVG_INK,
				   .size = 15, .bold = true };

	svg_text(out, &label, title);
	label = (struct svg_label){ .x = 16, .y = 44, .ink = SVG_FAINT };
	svg_text_within(out, &label, 928, says);
}

void axis_take(struct axis_labels *labels, const struct svg_box *box)
{
	if (labels->count < AXIS_LABELS)
		labels->taken[labels->count++] = *box;
}

static bool is_apart(const struct svg_box *a, const struct svg_box *b)
{
	return a->x + a->width <= b->x || b->x + b->width <= a->x ||
	       a->y + a->height <= b->y || b->y + b->height <= a->y;
}

/* Is it within the area, and free? */
static bool is_free(const struct axis_labels *labels, const struct svg_box *box)
{
	const struct svg_box *area = &labels->area;
	size_t i;

	if (box->x < area->x || box->y < area->y ||
	    box->x + box->width > area->x + area->width ||
	    box->y + box->height > area->y + area->height)
		return false;
	for (i = 0; i < labels->count; i++)
		if (!is_apart(box, &labels->taken[i]))
			return false;
	return true;
}

/* Rings around the point, of growing size: right, left, above, below. */
bool axis_place(struct axis_labels *labels, struct svg_box *box, double x,
		double y)
{
	double far, half = box->height / 2;
	size_t i;

	if (labels->count >= AXIS_LABELS)
		return false;
	for (far = 8; far < 120; far += 8) {
		const double at[][2] = {
			{ x + far, y - half },
			{ x + far, y - half - far },
			{ x + far, y - half + far },
			{ x - far - box->width, y - half },
			{ x - far - box->width, y - half - far },
			{ x - far - box->width, y - half + far },
			{ x - box->width / 2, y - far - box->height },
			{ x - box->width / 2, y + far },
		};

		for (i = 0; i < ARRAY_SIZE(at); i++) {
			box->x = at[i][0];
			box->y = at[i][1];
			if (!is_free(labels, box))
				continue;
			axis_take(labels, box);
			return true;
		}
	}
	return false;
}
