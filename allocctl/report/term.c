// SPDX-License-Identifier: Apache-2.0
/* What pictures for a terminal share: see term.h. */

#include <math.h>
#include <string.h>

#include "allocctl/platform.h"
#include "allocctl/print.h"
#include "term.h"
#include "util/utf8.h"
#include "util/util.h"

/* Of the 256 that terminals have; 0: as text is. */
static const unsigned char codes[SVG_INKS] = {
	[SVG_FAINT] = 245,	  [SVG_LIVE] = 32,     [SVG_LIVE_MOST] = 74,
	[SVG_RESERVED] = 245,	  [SVG_CACHED] = 245,  [SVG_LIMIT] = 208,
	[SVG_OOM] = 202,	  [SVG_GOOD] = 36,     [SVG_PART_0] = 32,
	[SVG_PART_1] = 214,	  [SVG_PART_2] = 36,   [SVG_PART_3] = 175,
	[SVG_PART_4] = 117,	  [SVG_PART_5] = 166,  [SVG_PART_6] = 98,
	[SVG_PART_REST] = 245,
};

void plot_terminal_init(struct plot_terminal *terminal)
{
	unsigned int columns = platform_columns();

	terminal->columns = columns ? columns : 80;
	terminal->colour = print_has_colours();
}

unsigned int term_columns(const struct plot_terminal *terminal)
{
	if (terminal->columns < TERM_COLUMNS_LEAST)
		return TERM_COLUMNS_LEAST;
	if (terminal->columns > TERM_COLUMNS_MOST)
		return TERM_COLUMNS_MOST;
	return terminal->columns;
}

void term_ink(struct la_strbuf *out, const struct plot_terminal *terminal,
	      enum svg_ink ink)
{
	if (terminal->colour && ink < SVG_INKS && codes[ink])
		la_strbuf_addf(out, "\033[38;5;%um", codes[ink]);
}

void term_plain(struct la_strbuf *out, const struct plot_terminal *terminal)
{
	if (terminal->colour)
		la_strbuf_addstr(out, "\033[0m");
}

static size_t eighths(double part, size_t most)
{
	double value = part * (double)most;

	if (!(value > 0))
		return 0;
	return value < 1 ? 1 : (size_t)fmin(llround(value), (double)most);
}

const char *term_column(double part)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄",
					      "▅", "▆", "▇", "█" };

	return blocks[eighths(part, 8)];
}

void term_repeat(struct la_strbuf *out, const char *text, size_t times)
{
	while (times--)
		la_strbuf_addstr(out, text);
}

void term_bar(struct la_strbuf *out, double part, unsigned int columns)
{
	static const char *const blocks[] = { "", "▏", "▎", "▍",
					      "▌", "▋", "▊", "▉" };
	size_t filled = eighths(part, columns * 8);

	term_repeat(out, "█", filled / 8);
	la_strbuf_addstr(out, blocks[filled % 8]);
	term_repeat(out, " ", columns - (filled + 7) / 8);
}

void term_cell(struct la_strbuf *out, const char *text, unsigned int columns,
	       bool right)
{
	size_t length = strlen(text), width = print_columns(text, length);
	size_t at, n, cut = 0, used = 0;

	if (width <= columns) {
		if (right)
			term_repeat(out, " ", columns - width);
		print_escaped_add(out, text, length);
		if (!right)
			term_repeat(out, " ", columns - width);
		return;
	}
	for (at = 0; at < length; at += n) {
		n = la_utf8_char(text + at, length - at);
		n = n ? n : 1;
		width = print_columns(text + at, n);
		if (used + width + 1 > columns)
			break;
		used += width;
		cut = at + n;
	}
	print_escaped_add(out, text, cut);
	la_strbuf_addstr(out, "…");
	term_repeat(out, " ", columns - used - 1);
}

/* Lines end at blanks. */
static void add_wrapped(struct la_strbuf *out, const char *text,
			unsigned int columns)
{
	size_t used = 0, length, width;

	for (; *text; text += length + (text[length] == ' ')) {
		length = strcspn(text, " ");
		width = print_columns(text, length);
		if (used && used + 1 + width > columns) {
			la_strbuf_addstr(out, "\n");
			used = 0;
		}
		if (used++)
			la_strbuf_addstr(out, " ");
		else
			used = 0;
		print_escaped_add(out, text, length);
		used += width;
	}
	la_strbuf_addstr(out, "\n");
}

void term_title(struct la_strbuf *out, const struct plot_terminal *terminal,
		const char *title, const char *says)
{
	if (terminal->colour)
		la_strbuf_addstr(out, "\033[1m");
	la_strbuf_addstr(out, title);
	term_plain(out, terminal);
	la_strbuf_addstr(out, "\n");
	add_wrapped(out, says, term_columns(terminal));
}
