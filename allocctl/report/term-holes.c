// SPDX-License-Identifier: Apache-2.0
/* How large the free blocks are when a request fails, for a terminal. */

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "allocctl/source.h"
#include "axis.h"
#include "hole-bins.h"
#include "term.h"
#include "util/size.h"

enum { SIZE_COLUMNS = 12, COUNT_COLUMNS = 10 };

static unsigned int bar_columns(const struct plot_terminal *terminal)
{
	return term_columns(terminal) - 2 * SIZE_COLUMNS - COUNT_COLUMNS - 2;
}

/* A bar of several colours: each place from where the last one ended. */
static void add_bar(struct la_strbuf *out, const struct hole_bins *bins,
		    int bin, const struct plot_terminal *terminal)
{
	unsigned int columns = bar_columns(terminal), end, used = 0;
	double below = 0;
	int place;

	if (!terminal->colour) {
		term_bar(out, hole_bins_bytes(bins, bin) / bins->most,
			 columns);
		return;
	}
	for (place = 0; place < LA_FREE_PLACES; place++) {
		if (!bins->oom->free[place].bin_count[bin])
			continue;
		below += (double)bins->oom->free[place].bin_bytes[bin];
		end = (unsigned int)ceil(below / bins->most * columns);
		end = end > columns ? columns : end;
		term_ink(out, terminal, SVG_PART_0 + place);
		term_repeat(out, "█", end > used ? end - used : 0);
		term_plain(out, terminal);
		used = end > used ? end : used;
	}
	term_repeat(out, " ", columns - used);
}

static void add_bin(struct la_strbuf *out, const struct hole_bins *bins,
		    int bin, const struct plot_terminal *terminal)
{
	char text[LA_SIZE_TEXT + 8], count[32];

	term_cell(out, axis_bytes_text(text, ldexp(1, bin)), SIZE_COLUMNS - 1,
		  true);
	la_strbuf_addstr(out, " ");
	if (hole_bins_count(bins, bin)) {
		add_bar(out, bins, bin, terminal);
		la_strbuf_addstr(out, " ");
		la_size_format(text, (uint64_t)fmin(hole_bins_bytes(bins, bin),
						    0x1p63));
		term_cell(out, text, SIZE_COLUMNS, true);
		snprintf(text, sizeof(text), "in %s",
			 source_count_text(count,
					   hole_bins_count(bins, bin)));
		la_strbuf_addf(out, " %s", text);
	}
	la_strbuf_addstr(out, "\n");
}

static void add_request(struct la_strbuf *out, const struct hole_bins *bins,
			const struct plot_terminal *terminal)
{
	char size[LA_SIZE_TEXT];

	term_ink(out, terminal, SVG_OOM);
	term_cell(out, "request >", SIZE_COLUMNS - 1, true);
	la_strbuf_addf(out, " %s",
		       la_size_format(size, bins->oom->rounded));
	term_plain(out, terminal);
	la_strbuf_addstr(out, "\n");
}

static void add_legend(struct la_strbuf *out, const struct hole_bins *bins,
		       const struct plot_terminal *terminal)
{
	char size[LA_SIZE_TEXT];
	int place;

	for (place = 0; place < LA_FREE_PLACES; place++) {
		const struct la_holes *holes = &bins->oom->free[place];

		if (!holes->count)
			continue;
		term_ink(out, terminal, SVG_PART_0 + place);
		la_strbuf_addstr(out, "█");
		term_plain(out, terminal);
		la_strbuf_addf(out, " %s: %s\n", hole_places[place],
			       la_size_format(size, holes->bytes));
	}
}

int plot_holes_term(struct la_strbuf *out, const struct la_oom_state *oom,
		    const struct plot_terminal *terminal)
{
	struct la_strbuf says = { 0 };
	struct hole_bins bins;
	int bin;

	hole_bins_init(&bins, oom);
	hole_bins_describe(&says, &bins);
	term_title(out, terminal, hole_bins_title(&bins),
		   la_strbuf_text(&says));
	for (bin = bins.first; bin <= bins.last; bin++) {
		add_bin(out, &bins, bin, terminal);
		if (bin == bins.request)
			add_request(out, &bins, terminal);
	}
	if (bins.request >= 0)
		add_legend(out, &bins, terminal);
	out->failed |= says.failed;
	la_strbuf_release(&says);
	return out->failed ? -ENOMEM : 0;
}
