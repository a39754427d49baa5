/* SPDX-License-Identifier: Apache-2.0 */
/* What pictures for a terminal share: colours, blocks, cells. */
#ifndef ALLOCCTL_REPORT_TERM_H
#define ALLOCCTL_REPORT_TERM_H

#include "plot.h"
#include "svg.h"

enum { TERM_COLUMNS_LEAST = 40, TERM_COLUMNS_MOST = 400 };

/* Columns that pictures use: within what they can be drawn in. */
unsigned int term_columns(const struct plot_terminal *terminal);

/* Begin what has the colour of an ink, and end it; none without colours. */
void term_ink(struct la_strbuf *out, const struct plot_terminal *terminal,
	      enum svg_ink ink);
void term_plain(struct la_strbuf *out, const struct plot_terminal *terminal);

/* A part of a cell, filled from below, in eighths: " " to "█". */
const char *term_column(double part);

/* A bar of so many columns of which a part is filled, in eighths; what is not
 * nothing shows. */
void term_bar(struct la_strbuf *out, double part, unsigned int columns);

void term_repeat(struct la_strbuf *out, const char *text, size_t times);

/* Text in exactly so many columns, cut if need be; what would control the
 * terminal is escaped. */
void term_cell(struct la_strbuf *out, const char *text, unsigned int columns,
	       bool right);

/* A title and what it says, as two lines at most as wide as the terminal, or
 * more where more is said. */
void term_title(struct la_strbuf *out, const struct plot_terminal *terminal,
		const char *title, const char *says);

#endif /* ALLOCCTL_REPORT_TERM_H */
