// SPDX-License-Identifier: Apache-2.0
/* Bytes over time, for a terminal. */

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "allocctl/source.h"
#include "axis.h"
#include "term.h"
#include "timeline-sums.h"
#include "util/size.h"

enum {
	ROWS = 14,
	LABEL_COLUMNS = 11, /* with the line of the axis */
	NAME_LEAST = 4, /* columns of a phase that has its name shown */
	OOMS_TOLD = 4
};

/* The events of one column. */
struct column {
	uint64_t live[2], reserved[2];
	bool used; /* else nothing is known of it */
	bool oom;
};

struct chart {
	struct la_strbuf *out;
	const struct plot_terminal *terminal;
	struct timeline_sums sums;
	unsigned int count; /* of columns */
	struct column column[TERM_COLUMNS_MOST];
	struct axis_tick tick[AXIS_TICKS];
	size_t tick_count;
};

static unsigned int column_of(const struct chart *c, uint64_t event)
{
	uint64_t events = c->sums.view->event_count;

	if (event >= events)
		return c->count - 1;
	return (unsigned int)((unsigned __int128)event * c->count / events);
}

static void add_point(struct chart *c, const struct la_timeline_point *point,
		      uint64_t end)
{
	unsigned int i = column_of(c, point->event);
	unsigned int last = end > point->event ? column_of(c, end - 1) : i;

	for (; i <= last; i++) {
		struct column *column = &c->column[i];

		if (!column->used)
			*column = (struct column){
				.live = { point->live[0], point->live[1] },
				.reserved = { point->reserved[0],
					      point->reserved[1] },
				.used = true,
			};
		timeline_widen(column->live, point->live);
		timeline_widen(column->reserved, point->reserved);
	}
}

static void gather(struct chart *c)
{
	const struct la_timeline *view = c->sums.view;
	size_t i;

	for (i = 0; i < view->point_count; i++)
		add_point(c, &view->point[i],
			  i + 1 < view->point_count ?
				  view->point[i + 1].event :
				  view->event_count);
	for (i = 0; i < view->oom_count; i++)
		c->column[column_of(c, view->oom[i].event)].oom = true;
	c->tick_count = axis_ticks(c->tick, AXIS_BYTES, 0, (double)c->sums.high,
				   5);
}

/* The part of a row that is below some bytes; the last row: 0. */
static double part_of(const struct chart *c, unsigned int row, double bytes)
{
	double each = (double)c->sums.high / ROWS;

	return fmin(fmax(bytes / each - (ROWS - 1 - (double)row), 0), 1);
}

static bool is_row_of(const struct chart *c, unsigned int row, double bytes)
{
	double at = bytes / (double)c->sums.high * ROWS;

	return ROWS - 1 - (int)fmin(floor(at), ROWS - 1) == (int)row;
}

static const char *cell_of(const struct chart *c, unsigned int row,
			   const struct column *column, enum svg_ink *ink)
{
	double live = part_of(c, row, (double)column->live[1]);
	double reserved = part_of(c, row, (double)column->reserved[1]);
	const struct la_limit *limit = &c->sums.view->limit;

	*ink = SVG_LIVE;
	if (live > 0)
		return term_column(live);
	*ink = SVG_RESERVED;
	if (reserved > 0.25)
		return "░";
	*ink = SVG_LIMIT;
	if (c->sums.limit_seen && is_row_of(c, row, (double)limit->bytes))
		return "─";
	*ink = SVG_NONE;
	return " ";
}

static void add_label(struct chart *c, unsigned int row)
{
	const char *text = "";
	size_t i;

	for (i = 0; i < c->tick_count; i++)
		if (is_row_of(c, row, c->tick[i].value))
			text = c->tick[i].text;
	term_cell(c->out, text, LABEL_COLUMNS - 2, true);
	la_strbuf_addstr(c->out, *text ? " ┤" : " │");
}

/* The outermost of them, where there is room for a name. */
static void add_phases(struct chart *c)
{
	const struct la_timeline *view = c->sums.view;
	struct la_strbuf row = { 0 };
	unsigned int used = 0, from, to;
	uint64_t end = 0;
	size_t i;

	for (i = 0; i < view->phase_count; i++) {
		const struct la_view_phase *phase = &view->phase[i];

		if (phase->event[0] < end || phase->event[1] <= phase->event[0])
			continue;
		end = phase->event[1];
		from = column_of(c, phase->event[0]);
		to = column_of(c, end - 1) + 1;
		if (from < used || to - from < NAME_LEAST)
			continue;
		term_repeat(&row, " ", from - used);
		la_strbuf_addstr(&row, "▏");
		term_cell(&row, phase->name, to - from - 1, false);
		used = to;
	}
	if (used) {
		term_repeat(c->out, " ", LABEL_COLUMNS);
		la_strbuf_addf(c->out, "%s\n", la_strbuf_text(&row));
	}
	c->out->failed |= row.failed;
	la_strbuf_release(&row);
}

static void add_row(struct chart *c, unsigned int row)
{
	enum svg_ink ink, last = SVG_NONE;
	const char *text;
	unsigned int i;

	add_label(c, row);
	for (i = 0; i < c->count; i++) {
		text = cell_of(c, row, &c->column[i], &ink);
		if (ink != last) {
			term_plain(c->out, c->terminal);
			term_ink(c->out, c->terminal, ink);
			last = ink;
		}
		la_strbuf_addstr(c->out, text);
	}
	term_plain(c->out, c->terminal);
	la_strbuf_addstr(c->out, "\n");
}

static void add_axis(struct chart *c)
{
	const struct la_timeline *view = c->sums.view;
	char count[32];
	unsigned int i;

	term_repeat(c->out, " ", LABEL_COLUMNS - 1);
	la_strbuf_addstr(c->out, "└");
	term_ink(c->out, c->terminal, SVG_OOM);
	for (i = 0; i < c->count; i++)
		la_strbuf_addstr(c->out, c->column[i].oom ? "▲" : "─");
	term_plain(c->out, c->terminal);
	la_strbuf_addstr(c->out, "\n");
	term_repeat(c->out, " ", LABEL_COLUMNS);
	la_strbuf_addstr(c->out, "0");
	term_cell(c->out, source_count_text(count, view->event_count),
		  c->count - 1, true);
	la_strbuf_addstr(c->out, "\n");
}

static void add_ooms(struct chart *c)
{
	const struct la_timeline *view = c->sums.view;
	char size[LA_SIZE_TEXT], count[32];
	size_t i;

	for (i = 0; i < view->oom_count && i < OOMS_TOLD; i++) {
		term_ink(c->out, c->terminal, SVG_OOM);
		la_strbuf_addstr(c->out, "▲");
		term_plain(c->out, c->terminal);
		la_strbuf_addf(c->out, " OOM: %s",
			       la_size_format(size, view->oom[i].size));
		la_strbuf_addf(c->out, " at event %s\n",
			       source_count_text(count, view->oom[i].event));
	}
	if (i < view->oom_count)
		la_strbuf_addf(c->out, "  and %s more\n",
			       source_count_text(count, view->oom_count - i));
}

static void add_legend(struct chart *c)
{
	char limit[64];

	la_strbuf_addstr(c->out, "█ live  ░ reserved, not live");
	if (c->sums.limit_seen)
		la_strbuf_addf(c->out, "  ─ %s",
			       source_limit_text(limit,
						 &c->sums.view->limit));
	la_strbuf_addstr(c->out, "\n");
}

int plot_timeline_term(struct la_strbuf *out, const struct la_timeline *view,
		       const struct plot_terminal *terminal)
{
	struct chart c = { .out = out, .terminal = terminal };
	struct la_strbuf says = { 0 };
	unsigned int row;

	c.count = term_columns(terminal) - LABEL_COLUMNS;
	timeline_sum(&c.sums, view);
	gather(&c);
	timeline_describe(&says, &c.sums);
	term_title(out, terminal, "Memory over time", la_strbuf_text(&says));
	add_phases(&c);
	for (row = 0; row < ROWS; row++)
		add_row(&c, row);
	add_axis(&c);
	add_legend(&c);
	add_ooms(&c);
	out->failed |= says.failed;
	la_strbuf_release(&says);
	return out->failed ? -ENOMEM : 0;
}
