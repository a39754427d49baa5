// SPDX-License-Identifier: Apache-2.0
/* Who holds memory, for a terminal: a tree with bars. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "flame-tree.h"
#include "term.h"
#include "util/size.h"

enum {
	BAR_COLUMNS = 12,
	PART_COLUMNS = 8,
	SIZE_COLUMNS = 12,
	LINES_MOST = 40,
	INDENT_MOST = 16
};

/* Frames that hold less than this part are not shown. */
#define LEAST 0.01

static void add_frame(struct la_strbuf *out,
		      const struct plot_flame_frame *frame,
		      const struct flame_place *place, unsigned int indent,
		      const struct plot_terminal *terminal)
{
	unsigned int room = term_columns(terminal) - BAR_COLUMNS -
			    PART_COLUMNS - SIZE_COLUMNS - 2;
	char size[LA_SIZE_TEXT], part[16];
	struct la_strbuf text = { 0 };

	indent = indent < INDENT_MOST ? indent : INDENT_MOST;
	indent = indent < room / 2 ? indent : room / 2;
	term_ink(out, terminal, SVG_LIVE);
	term_bar(out, place->part, BAR_COLUMNS);
	term_plain(out, terminal);
	snprintf(part, sizeof(part), "%.1f %%", place->part * 100);
	term_cell(out, part, PART_COLUMNS, true);
	term_cell(out, la_size_format(size, frame->bytes), SIZE_COLUMNS, true);
	term_repeat(out, " ", 2 + indent);
	la_strbuf_addstr(&text, flame_name(frame));
	if (frame->file)
		la_strbuf_addf(&text, "  %s:%" PRIu32, frame->file,
			       frame->line);
	term_cell(out, la_strbuf_text(&text), room - indent, false);
	la_strbuf_addstr(out, "\n");
	out->failed |= text.failed;
	la_strbuf_release(&text);
}

/* What calls one place alone, which has as much, is not told: of a chain its
 * end. */
static bool is_chain(const struct flame_place *place, size_t count, size_t i)
{
	return i + 1 < count && place[i + 1].depth == place[i].depth + 1 &&
	       place[i + 1].part >= place[i].part * 0.999;
}

static void add_frames(struct la_strbuf *out,
		       const struct plot_flame_frame *frame,
		       const struct flame_place *place, size_t count,
		       const struct plot_terminal *terminal)
{
	/* By depth: how many of these and above are shown. */
	uint32_t *shown = calloc(count + 1, sizeof(*shown));
	size_t i, lines = 0, small = 0;

	if (!shown) {
		out->failed = true;
		return;
	}
	for (i = 0; i < count; i++) {
		uint32_t depth = place[i].depth;

		shown[depth + 1] = shown[depth];
		if (is_chain(place, count, i) && i)
			continue;
		if (place[i].part < LEAST || lines >= LINES_MOST) {
			small++;
			continue;
		}
		add_frame(out, &frame[place[i].frame], &place[i],
			  shown[depth], terminal);
		shown[depth + 1]++;
		lines++;
	}
	if (small)
		la_strbuf_addf(out, "and %zu smaller\n", small);
	free(shown);
}

int plot_flame_term(struct la_strbuf *out, const struct plot_flame_frame *frame,
		    size_t count, const struct plot_terminal *terminal)
{
	struct flame_place *place = flame_places(frame, count);
	struct la_strbuf says = { 0 };

	if (!place)
		return -ENOMEM;
	flame_describe(&says, frame, place, count);
	term_title(out, terminal, "Who holds memory", la_strbuf_text(&says));
	add_frames(out, frame, place, count, terminal);
	out->failed |= says.failed;
	la_strbuf_release(&says);
	free(place);
	return out->failed ? -ENOMEM : 0;
}
