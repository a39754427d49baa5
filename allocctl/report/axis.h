/* SPDX-License-Identifier: Apache-2.0 */
/* What pictures share: axes with round numbers, legends, places of labels. */
#ifndef ALLOCCTL_REPORT_AXIS_H
#define ALLOCCTL_REPORT_AXIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "svg.h"

/* From values to places of a picture. */
struct axis {
	double low, high; /* values at its ends, low < high */
	double from, to; /* where these are */
};

/* Where a value is; beyond an end: at that end. */
double axis_at(const struct axis *axis, double value);

enum axis_unit { AXIS_BYTES, AXIS_COUNT, AXIS_SECONDS };

enum { AXIS_TICKS = 16 };

struct axis_tick {
	double value;
	char text[32]; /* "2.5 GiB", "1,000", "20 ms" */
};

/*
 * Round values from low to high: 1, 2 or 5 times a power of ten of the unit
 * that fits the highest.  About as many as wanted, at most AXIS_TICKS.
 */
size_t axis_ticks(struct axis_tick tick[AXIS_TICKS], enum axis_unit unit,
		  double low, double high, unsigned int wanted);

/* Bytes as short as can be: "1 GiB", "37.5 MiB". */
const char *axis_bytes_text(char text[32], double bytes);

/* A duration in two or three digits: "1.25 s". */
const char *axis_seconds_text(char text[32], double seconds);

/* Horizontal lines of the grid, with their values at the left. */
void axis_draw_rows(struct la_strbuf *out, const struct axis *axis,
		    enum axis_unit unit, const struct svg_box *area);

/* The line below the area, and its values: where it begins is its own. */
void axis_draw_columns(struct la_strbuf *out, const struct axis *axis,
		       enum axis_unit unit, const struct svg_box *area);

/* One entry of a legend: a square and what it stands for; returns where the
 * next one begins. */
double axis_legend(struct la_strbuf *out, double x, double y,
		   enum svg_ink ink, const char *text);

/* The title of a picture and what it says, above everything. */
void axis_title(struct la_strbuf *out, const char *title, const char *says);

enum { AXIS_LABELS = 400 };

/* Places that are taken, so that no label lies upon another. */
struct axis_labels {
	struct svg_box area; /* that labels are in */
	struct svg_box taken[AXIS_LABELS];
	size_t count;
};

void axis_take(struct axis_labels *labels, const struct svg_box *box);

/* Find a free place near a point for a box of some size, and take it; false:
 * there is none. */
bool axis_place(struct axis_labels *labels, struct svg_box *box, double x,
		double y);

#endif /* ALLOCCTL_REPORT_AXIS_H */
