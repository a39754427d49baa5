/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer of SVG.  Whatever it is given, text is escaped, and numbers are
 * finite and written the same in every locale.  Colours are attributes, for
 * white paper; in a style sheet of the picture the same things have others,
 * for dark screens.  Both are of classes that begin with plot-, so that a
 * page may have many pictures and colours of its own.  Nothing has an id.
 */
#ifndef ALLOCCTL_REPORT_SVG_H
#define ALLOCCTL_REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"

/* What a thing stands for.  Its class is plot-fill-NAME or plot-line-NAME. */
enum svg_ink {
	SVG_PAPER, /* behind everything */
	SVG_INK, /* text, and what is to be seen first */
	SVG_FAINT, /* text that explains, axes */
	SVG_GRID, /* lines of a grid */
	SVG_LIVE, /* bytes in blocks */
	SVG_LIVE_MOST, /* the most within a point, where the least is below */
	SVG_RESERVED, /* bytes in segments: the line around */
	SVG_CACHED, /* the same: the area, and holes of a segment */
	SVG_LIMIT, /* the most bytes */
	SVG_OOM, /* a request that failed */
	SVG_GOOD, /* what fits */
	SVG_BAND_0, /* phases, in turns */
	SVG_BAND_1,
	SVG_PART_0, /* streams, places of holes: one after the other */
	SVG_PART_1,
	SVG_PART_2,
	SVG_PART_3,
	SVG_PART_4,
	SVG_PART_5,
	SVG_PART_6,
	SVG_PART_REST, /* all that have no colour of their own */
	SVG_FRAME_0, /* frames of a flame graph, by name */
	SVG_FRAME_1,
	SVG_FRAME_2,
	SVG_FRAME_3,
	SVG_FRAME_4,
	SVG_ON_FILL, /* text upon parts */
	SVG_ON_BRIGHT, /* ... whose colour is bright on white too */
	SVG_ON_FRAME, /* ... and upon frames and bands */
	SVG_INKS, /* number of inks, not one */
	SVG_NONE = SVG_INKS
};

enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END };

struct svg_box {
	double x, y; /* upper left corner */
	double width, height;
};

/* All that begins a picture. */
struct svg_head {
	const char *name; /* class of the picture, "plot-map" */
	unsigned int width, height;
	const char *title; /* what it shows */
	const char *description; /* the same in words, with the numbers */
};

void svg_begin(struct la_strbuf *out, const struct svg_head *head);
void svg_end(struct la_strbuf *out);

/* A number, with two decimals at most; what is not one, or is far outside of
 * any picture, becomes the nearest that is. */
void svg_number(struct la_strbuf *out, double value);

/* Text as it may stand between tags and in attributes; what XML cannot have
 * or no one can see becomes \xNN. */
void svg_escaped(struct la_strbuf *out, const char *text, size_t length);

/* SVG_NONE: none.  tip: shown by the pointer, or NULL. */
void svg_rect(struct la_strbuf *out, const struct svg_box *box,
	      enum svg_ink fill, enum svg_ink line, const char *tip);
void svg_circle(struct la_strbuf *out, double x, double y, double radius,
		enum svg_ink fill, enum svg_ink line, const char *tip);

/* dash: as stroke-dasharray, or NULL. */
void svg_line(struct la_strbuf *out, const double from[2], const double to[2],
	      enum svg_ink line, double width, const char *dash);

/* Between these the caller adds commands of a path. */
void svg_path_begin(struct la_strbuf *out);
void svg_path_end(struct la_strbuf *out, enum svg_ink fill, enum svg_ink line,
		  double width, const char *dash);

/* A command and its numbers: "M", x, y. */
void svg_to(struct la_strbuf *out, const char *command, double x, double y);

/* A closed path: one rectangle. */
void svg_path_box(struct la_strbuf *out, const struct svg_box *box);

struct svg_label {
	double x, y; /* of the baseline, at the anchor */
	enum svg_anchor anchor;
	enum svg_ink ink;
	double size; /* of the font; 0: 12 */
	bool bold;
};

void svg_text(struct la_strbuf *out, const struct svg_label *label,
	      const char *text);

/* The same, cut to what fits into so much; nothing if that is too little. */
void svg_text_within(struct la_strbuf *out, const struct svg_label *label,
		     double room, const char *text);

/* The width of a text is not known before a browser has a font: at most so
 * much with the usual ones. */
double svg_text_width(const char *text, double size);

/* The colours of an ink, "#rrggbb", and its NAME. */
struct svg_colour {
	const char *name;
	const char *light; /* on white */
	const char *dark; /* on a dark ground */
};
extern const struct svg_colour svg_colours[SVG_INKS];

#endif /* ALLOCCTL_REPORT_SVG_H */
