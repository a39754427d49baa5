// SPDX-License-Identifier: Apache-2.0
/* A writer of SVG: see svg.h. */

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "allocctl/print.h"
#include "svg.h"
#include "util/utf8.h"

/* No picture is larger. */
#define FAR 100000.0

/* Parts of the size of a font: the mean width of characters in DejaVu Sans,
 * which is among the widest. */
#define CHARACTER_WIDTH 0.6
#define ELLIPSIS_WIDTH 1

/* After Okabe and Ito, whose colours people tell apart who see few. */
const struct svg_colour svg_colours[SVG_INKS] = {
	[SVG_PAPER] = { "paper", "#ffffff", "#0f1419" },
	[SVG_INK] = { "ink", "#1b1f24", "#e8ecf0" },
	[SVG_FAINT] = { "faint", "#59636e", "#9aa5b1" },
	[SVG_GRID] = { "grid", "#e3e7eb", "#2a323b" },
	[SVG_LIVE] = { "live", "#0072b2", "#3f9bd8" },
	[SVG_LIVE_MOST] = { "live-most", "#7fb8d8", "#27608a" },
	[SVG_RESERVED] = { "reserved", "#6a7684", "#8d9aa8" },
	[SVG_CACHED] = { "cached", "#e4e9ee", "#26303a" },
	[SVG_LIMIT] = { "limit", "#9a3b00", "#ff9a4d" },
	[SVG_OOM] = { "oom", "#d55e00", "#ff7b1c" },
	[SVG_GOOD] = { "good", "#00825f", "#2fc79b" },
	[SVG_BAND_0] = { "band-0", "#d3e6f2", "#1d3a50" },
	[SVG_BAND_1] = { "band-1", "#f3e3c3", "#4a3a17" },
	[SVG_PART_0] = { "part-0", "#0072b2", "#3f9bd8" },
	[SVG_PART_1] = { "part-1", "#e69f00", "#e69f00" },
	[SVG_PART_2] = { "part-2", "#009e73", "#1fb88c" },
	[SVG_PART_3] = { "part-3", "#cc79a7", "#d689b4" },
	[SVG_PART_4] = { "part-4", "#56b4e9", "#a9dcf9" },
	[SVG_PART_5] = { "part-5", "#d55e00", "#f0783a" },
	[SVG_PART_6] = { "part-6", "#5a4fa0", "#9a8fe0" },
	[SVG_PART_REST] = { "part-rest", "#8a939d", "#7a8490" },
	[SVG_FRAME_0] = { "frame-0", "#f7c873", "#8a5a00" },
	[SVG_FRAME_1] = { "frame-1", "#f4b183", "#8f4318" },
	[SVG_FRAME_2] = { "frame-2", "#f9dc9a", "#6f5a12" },
	[SVG_FRAME_3] = { "frame-3", "#efc3a4", "#74452c" },
	[SVG_FRAME_4] = { "frame-4", "#b9d7ea", "#245272" },
	[SVG_ON_FILL] = { "on-fill", "#ffffff", "#0f1419" },
	[SVG_ON_BRIGHT] = { "on-bright", "#14181d", "#0f1419" },
	[SVG_ON_FRAME] = { "on-frame", "#1b1f24", "#f2f5f8" },
};

static const char *const anchors[] = {
	[SVG_START] = "",
	[SVG_MIDDLE] = " text-anchor=\"middle\"",
	[SVG_END] = " text-anchor=\"end\"",
};

void svg_number(struct la_strbuf *out, double value)
{
	int64_t hundredths;
	uint64_t size;

	if (!(value > -FAR))
		value = -FAR;
	if (value > FAR)
		value = FAR;
	hundredths = llround(value * 100);
	size = (uint64_t)(hundredths < 0 ? -hundredths : hundredths);
	if (hundredths < 0)
		la_strbuf_addstr(out, "-");
	if (size / 100 || !(size % 100))
		la_strbuf_addf(out, "%" PRIu64, size / 100);
	if (size % 10)
		la_strbuf_addf(out, ".%02" PRIu64, size % 100);
	else if (size % 100)
		la_strbuf_addf(out, ".%" PRIu64, size % 100 / 10);
}

static void attribute(struct la_strbuf *out, const char *name, double value)
{
	la_strbuf_addf(out, " %s=\"", name);
	svg_number(out, value);
	la_strbuf_addstr(out, "\"");
}

static void escape_marks(struct la_strbuf *out, const char *text)
{
	for (; *text; text++)
		if (*text == '<')
			la_strbuf_addstr(out, "&lt;");
		else if (*text == '>')
			la_strbuf_addstr(out, "&gt;");
		else if (*text == '&')
			la_strbuf_addstr(out, "&amp;");
		else if (*text == '"')
			la_strbuf_addstr(out, "&quot;");
		else if (*text == '\'')
			la_strbuf_addstr(out, "&#39;");
		else
			la_strbuf_add(out, text, 1);
}

/* UTF-8 that XML cannot have: U+FFFE and U+FFFF. */
static bool is_no_character(const char *text, size_t length)
{
	return length >= 3 && (!memcmp(text, "\xef\xbf\xbe", 3) ||
			       !memcmp(text, "\xef\xbf\xbf", 3));
}

void svg_escaped(struct la_strbuf *out, const char *text, size_t length)
{
	struct la_strbuf seen = { 0 };
	size_t i, from = 0;

	for (i = 0; i < length; i++) {
		if (!is_no_character(text + i, length - i))
			continue;
		print_escaped_add(&seen, text + from, i - from);
		la_strbuf_addf(&seen, "\\xef\\xbf\\x%02x",
			       (unsigned char)text[i + 2]);
		i += 2;
		from = i + 1;
	}
	print_escaped_add(&seen, text + from, length - from);
	escape_marks(out, la_strbuf_text(&seen));
	out->failed |= seen.failed;
	la_strbuf_release(&seen);
}

static void element(struct la_strbuf *out, const char *name, const char *text)
{
	la_strbuf_addf(out, "<%s>", name);
	svg_escaped(out, text, strlen(text));
	la_strbuf_addf(out, "</%s>", name);
}

static void style_sheet(struct la_strbuf *out)
{
	const struct svg_colour *c;

	la_strbuf_addstr(out, "<style>@media screen and "
			      "(prefers-color-scheme:dark){");
	for (c = svg_colours; c < svg_colours + SVG_INKS; c++)
		la_strbuf_addf(out,
			       ".plot-fill-%s{fill:%s}"
			       ".plot-line-%s{stroke:%s}",
			       c->name, c->dark, c->name, c->dark);
	la_strbuf_addstr(out, "}</style>\n");
}

void svg_begin(struct la_strbuf *out, const struct svg_head *head)
{
	struct svg_box all = { 0, 0, head->width, head->height };

	la_strbuf_addf(out,
		       "<svg xmlns=\"http://www.w3.org/2000/svg\" "
		       "class=\"plot %s\" role=\"img\" "
		       "width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
		       "font-family=\"system-ui,-apple-system,'Segoe UI',"
		       "Roboto,'Noto Sans','DejaVu Sans',sans-serif\" "
		       "font-size=\"12\">\n",
		       head->name, head->width, head->height, head->width,
		       head->height);
	element(out, "title", head->title);
	element(out, "desc", head->description);
	style_sheet(out);
	svg_rect(out, &all, SVG_PAPER, SVG_NONE, NULL);
}

void svg_end(struct la_strbuf *out)
{
	la_strbuf_addstr(out, "</svg>\n");
}

static void paint(struct la_strbuf *out, enum svg_ink fill, enum svg_ink line)
{
	la_strbuf_addstr(out, " class=\"");
	if (fill != SVG_NONE)
		la_strbuf_addf(out, "plot-fill-%s", svg_colours[fill].name);
	if (line != SVG_NONE)
		la_strbuf_addf(out, "%splot-line-%s",
			       fill == SVG_NONE ? "" : " ",
			       svg_colours[line].name);
	la_strbuf_addf(out, "\" fill=\"%s\"",
		       fill == SVG_NONE ? "none" : svg_colours[fill].light);
	if (line != SVG_NONE)
		la_strbuf_addf(out, " stroke=\"%s\"", svg_colours[line].light);
}

static void finish(struct la_strbuf *out, const char *name, const char *tip)
{
	if (!tip) {
		la_strbuf_addstr(out, "/>\n");
		return;
	}
	la_strbuf_addstr(out, ">");
	element(out, "title", tip);
	la_strbuf_addf(out, "</%s>\n", name);
}

void svg_rect(struct la_strbuf *out, const struct svg_box *box,
	      enum svg_ink fill, enum svg_ink line, const char *tip)
{
	la_strbuf_addstr(out, "<rect");
	attribute(out, "x", box->x);
	attribute(out, "y", box->y);
	attribute(out, "width", fmax(box->width, 0));
	attribute(out, "height", fmax(box->height, 0));
	paint(out, fill, line);
	if (tip && fill == SVG_NONE)
		la_strbuf_addstr(out, " pointer-events=\"all\"");
	finish(out, "rect", tip);
}

void svg_circle(struct la_strbuf *out, double x, double y, double radius,
		enum svg_ink fill, enum svg_ink line, const char *tip)
{
	la_strbuf_addstr(out, "<circle");
	attribute(out, "cx", x);
	attribute(out, "cy", y);
	attribute(out, "r", radius);
	if (line != SVG_NONE)
		attribute(out, "stroke-width", 1.5);
	paint(out, fill, line);
	finish(out, "circle", tip);
}

static void dashes(struct la_strbuf *out, double width, const char *dash)
{
	attribute(out, "stroke-width", width);
	if (dash)
		la_strbuf_addf(out, " stroke-dasharray=\"%s\"", dash);
}

void svg_line(struct la_strbuf *out, const double from[2], const double to[2],
	      enum svg_ink line, double width, const char *dash)
{
	la_strbuf_addstr(out, "<line");
	attribute(out, "x1", from[0]);
	attribute(out, "y1", from[1]);
	attribute(out, "x2", to[0]);
	attribute(out, "y2", to[1]);
	dashes(out, width, dash);
	paint(out, SVG_NONE, line);
	la_strbuf_addstr(out, "/>\n");
}

void svg_path_begin(struct la_strbuf *out)
{
	la_strbuf_addstr(out, "<path d=\"");
}

void svg_path_end(struct la_strbuf *out, enum svg_ink fill, enum svg_ink line,
		  double width, const char *dash)
{
	la_strbuf_addstr(out, "\"");
	if (line != SVG_NONE)
		dashes(out, width, dash);
	paint(out, fill, line);
	la_strbuf_addstr(out, "/>\n");
}

void svg_to(struct la_strbuf *out, const char *command, double x, double y)
{
	la_strbuf_addstr(out, command);
	svg_number(out, x);
	la_strbuf_addstr(out, " ");
	svg_number(out, y);
}

void svg_path_box(struct la_strbuf *out, const struct svg_box *box)
{
	svg_to(out, "M", box->x, box->y);
	la_strbuf_addstr(out, "h");
	svg_number(out, box->width);
	la_strbuf_addstr(out, "v");
	svg_number(out, box->height);
	la_strbuf_addstr(out, "h");
	svg_number(out, -box->width);
	la_strbuf_addstr(out, "z");
}

static void text_of(struct la_strbuf *out, const struct svg_label *label,
		    const char *text, size_t length, const char *after)
{
	la_strbuf_addstr(out, "<text");
	attribute(out, "x", label->x);
	attribute(out, "y", label->y);
	la_strbuf_addstr(out, anchors[label->anchor]);
	if (label->size)
		attribute(out, "font-size", label->size);
	if (label->bold)
		la_strbuf_addstr(out, " font-weight=\"600\"");
	paint(out, label->ink, SVG_NONE);
	la_strbuf_addstr(out, ">");
	svg_escaped(out, text, length);
	la_strbuf_addf(out, "%s</text>\n", after);
}

void svg_text(struct la_strbuf *out, const struct svg_label *label,
	      const char *text)
{
	text_of(out, label, text, strlen(text), "");
}

double svg_text_width(const char *text, double size)
{
	return (double)print_columns(text, strlen(text)) * CHARACTER_WIDTH *
	       (size ? size : 12);
}

void svg_text_within(struct la_strbuf *out, const struct svg_label *label,
		     double room, const char *text)
{
	double size = label->size ? label->size : 12;
	double each = CHARACTER_WIDTH * size;
	size_t length = strlen(text), fits = 0, n;
	double width = ELLIPSIS_WIDTH * size;

	if (svg_text_width(text, label->size) <= room) {
		text_of(out, label, text, length, "");
		return;
	}
	while (fits < length) {
		n = la_utf8_char(text + fits, length - fits);
		n = n ? n : 1;
		width += (double)print_columns(text + fits, n) * each;
		if (width > room)
			break;
		fits += n;
	}
	if (fits >= 2)
		text_of(out, label, text, fits, "…");
}
