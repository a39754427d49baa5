// SPDX-License-Identifier: Apache-2.0
/* Settings, memory against time, for a terminal. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocctl/print.h"
#include "axis.h"
#include "pareto-order.h"
#include "term.h"
#include "util/size.h"

enum {
	ROWS = 14,
	LABEL_COLUMNS = 13,
	LETTERS = 26, /* settings of the front that have one */
	SIZE_COLUMNS = 11,
	TIME_COLUMNS = 10
};

struct grid {
	struct la_strbuf *out;
	const struct plot_terminal *terminal;
	const struct plot_setting *setting;
	size_t count;
	const struct plot_setting **front; /* owned; by time */
	size_t front_count;
	uint64_t limit; /* bytes; 0: none, or not in sight */
	unsigned int columns;
	struct axis x, y; /* to columns and rows */
	char mark[ROWS][TERM_COLUMNS_MOST]; /* 0: nothing */
};

static char *mark_of(struct grid *g, const struct plot_setting *setting)
{
	long x = lround(axis_at(&g->x, setting->seconds));
	long y = lround(axis_at(&g->y, (double)setting->memory));

	return &g->mark[y][x];
}

static void lay_out(struct grid *g)
{
	size_t i;

	g->x = (struct axis){ 0, 0, 0, g->columns - 1 };
	g->y = (struct axis){ INFINITY, 0, ROWS - 1, 0 };
	for (i = 0; i < g->count; i++) {
		double memory = (double)g->setting[i].memory;

		if (isfinite(g->setting[i].seconds))
			g->x.high = fmax(g->x.high, g->setting[i].seconds);
		g->y.low = fmin(g->y.low, memory);
		g->y.high = fmax(g->y.high, memory);
	}
	if (!(g->x.high > 0))
		g->x.high = 1;
	if (!g->count)
		g->y.low = 0;
	if (!pareto_shows_limit(g->limit, g->y.low, g->y.high))
		g->limit = 0;
	if (g->limit) {
		g->y.low = fmin(g->y.low, (double)g->limit);
		g->y.high = fmax(g->y.high, (double)g->limit);
	}
	if (g->y.low > g->y.high * 0.999)
		g->y.low = g->y.high * 0.9;
	if (!(g->y.high > g->y.low))
		g->y.high = g->y.low + 1;
}

/* Letters lie upon all others. */
static void fill(struct grid *g)
{
	size_t i;

	if (g->limit)
		memset(g->mark[lround(axis_at(&g->y, (double)g->limit))], '-',
		       g->columns);
	for (i = 0; i < g->count; i++)
		if (!g->setting[i].fits)
			*mark_of(g, &g->setting[i]) = 'x';
	for (i = 0; i < g->count; i++)
		if (g->setting[i].fits)
			*mark_of(g, &g->setting[i]) = '.';
	for (i = g->front_count; i--;)
		if (i < LETTERS)
			*mark_of(g, g->front[i]) = (char)('a' + i);
	for (i = 0; i < g->count; i++)
		if (g->setting[i].recorded && !g->setting[i].front)
			*mark_of(g, &g->setting[i]) = '@';
}

static enum svg_ink ink_of(char mark)
{
	if (mark == 'x')
		return SVG_OOM;
	if (mark == '-')
		return SVG_LIMIT;
	return mark == '.' ? SVG_RESERVED : mark == '@' ? SVG_PART_1 : SVG_GOOD;
}

static void add_row(struct grid *g, unsigned int row)
{
	double value = g->y.high -
		       (g->y.high - g->y.low) * row / (ROWS - 1);
	char text[LA_SIZE_TEXT] = "", mark[2] = "";
	unsigned int i;

	if (row % 4 == 0 || row == ROWS - 1)
		la_size_format(text, (uint64_t)fmin(value, 0x1p63));
	term_cell(g->out, text, LABEL_COLUMNS - 2, true);
	la_strbuf_addstr(g->out, *text ? " ┤" : " │");
	for (i = 0; i < g->columns; i++) {
		mark[0] = g->mark[row][i];
		if (!*mark) {
			la_strbuf_addstr(g->out, " ");
			continue;
		}
		term_ink(g->out, g->terminal, ink_of(*mark));
		la_strbuf_addstr(g->out, mark);
		term_plain(g->out, g->terminal);
	}
	la_strbuf_addstr(g->out, "\n");
}

static void add_axis(struct grid *g)
{
	char text[32];

	term_repeat(g->out, " ", LABEL_COLUMNS - 1);
	la_strbuf_addstr(g->out, "└");
	term_repeat(g->out, "─", g->columns);
	la_strbuf_addstr(g->out, "\n");
	term_repeat(g->out, " ", LABEL_COLUMNS);
	la_strbuf_addstr(g->out, "0");
	term_cell(g->out, axis_seconds_text(text, g->x.high), g->columns - 1,
		  true);
	la_strbuf_addstr(g->out, "\n");
}

static void add_line(struct grid *g, const char *mark,
		     const struct plot_setting *setting)
{
	char text[LA_SIZE_TEXT];
	struct la_strbuf name = { 0 };

	term_ink(g->out, g->terminal, ink_of(*mark));
	la_strbuf_addstr(g->out, mark);
	term_plain(g->out, g->terminal);
	term_cell(g->out, la_size_format(text, setting->memory), SIZE_COLUMNS,
		  true);
	term_cell(g->out, axis_seconds_text(text, setting->seconds),
		  TIME_COLUMNS, true);
	la_strbuf_addstr(g->out, "  ");
	if (setting->recorded)
		la_strbuf_addstr(&name, "(recorded) ");
	la_strbuf_addstr(&name, pareto_name(setting));
	print_escaped_add(g->out, la_strbuf_text(&name), name.length);
	la_strbuf_addstr(g->out, "\n");
	g->out->failed |= name.failed;
	la_strbuf_release(&name);
}

/* Names are told in full: people copy them. */
static void add_lines(struct grid *g)
{
	char mark[2] = "", size[LA_SIZE_TEXT];
	size_t i;

	for (i = 0; i < g->front_count && i < LETTERS; i++) {
		mark[0] = (char)('a' + i);
		add_line(g, mark, g->front[i]);
	}
	for (i = 0; i < g->count; i++)
		if (g->setting[i].recorded && !g->setting[i].front) {
			add_line(g, "@", &g->setting[i]);
			break;
		}
	la_strbuf_addstr(g->out, "a to z: on the front, none takes less of both; "
				 ".: others; x: does not fit\n");
	if (g->limit)
		la_strbuf_addf(g->out, "-: limit %s\n",
			       la_size_format(size, g->limit));
}

int plot_pareto_term(struct la_strbuf *out, const struct plot_setting *setting,
		     size_t count, uint64_t limit,
		     const struct plot_terminal *terminal)
{
	struct grid g = { .out = out, .terminal = terminal,
			  .setting = setting, .count = count,
			  .limit = limit };
	struct la_strbuf says = { 0 };
	unsigned int row;

	g.front = pareto_front(setting, count, &g.front_count);
	if (!g.front)
		return -ENOMEM;
	g.columns = term_columns(terminal) - LABEL_COLUMNS;
	lay_out(&g);
	fill(&g);
	pareto_describe(&says, setting, count, g.front, g.front_count);
	term_title(out, terminal, "Settings: memory against time",
		   la_strbuf_text(&says));
	for (row = 0; row < ROWS; row++)
		add_row(&g, row);
	add_axis(&g);
	add_lines(&g);
	out->failed |= says.failed;
	la_strbuf_release(&says);
	free(g.front);
	return out->failed ? -ENOMEM : 0;
}
