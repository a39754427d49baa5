// SPDX-License-Identifier: Apache-2.0
/* Who holds memory: frames, each below the one that called it. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "flame-tree.h"
#include "plot.h"

enum {
	WIDTH = 960,
	LEFT = 16,
	RIGHT = 944,
	TOP = 60,
	ROW_HEIGHT = 19, /* with the gap below */
	BAR_HEIGHT = 18,
	LEVELS = 80, /* that are drawn */
	FRAMES_MOST = 4000 /* that are drawn, the largest */
};

struct flame {
	struct la_strbuf *out;
	const struct plot_flame_frame *frame;
	const struct flame_place *place; /* owned by the caller */
	size_t count;
	double least; /* parts below it are not drawn */
};

/* At least a third of a column. */
static bool is_seen(const struct flame *f, const struct flame_place *place)
{
	return place->part >= f->least && place->depth < LEVELS;
}

static size_t count_seen(const struct flame *f)
{
	size_t i, seen = 0;

	for (i = 0; i < f->count; i++)
		seen += is_seen(f, &f->place[i]);
	return seen;
}

static unsigned int height_of(const struct flame *f)
{
	unsigned int levels = 1;
	size_t i;

	for (i = 0; i < f->count; i++)
		if (is_seen(f, &f->place[i]) && f->place[i].depth >= levels)
			levels = f->place[i].depth + 1;
	return TOP + levels * ROW_HEIGHT + 12;
}

/* The same name has the same colour everywhere. */
static enum svg_ink ink_of(const struct plot_flame_frame *frame)
{
	const char *name = flame_name(frame);
	uint32_t hash = 2166136261;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619;
	return SVG_FRAME_0 + (hash >> 8) % 5;
}

static void draw_frame(const struct flame *f, const struct flame_place *place)
{
	const struct plot_flame_frame *frame = &f->frame[place->frame];
	struct svg_box box = {
		.x = LEFT + place->from * (RIGHT - LEFT),
		.y = TOP + place->depth * ROW_HEIGHT,
		.width = place->part * (RIGHT - LEFT),
		.height = BAR_HEIGHT,
	};
	struct svg_label label = { .x = box.x + 5, .y = box.y + 13,
				   .ink = SVG_ON_FRAME, .size = 11 };
	struct la_strbuf tip = { 0 };

	if (box.width > 2)
		box.width -= 0.8;
	flame_tip(&tip, frame, place->part);
	svg_rect(f->out, &box, ink_of(frame), SVG_NONE, la_strbuf_text(&tip));
	f->out->failed |= tip.failed;
	la_strbuf_release(&tip);
	svg_text_within(f->out, &label, box.width - 8, flame_name(frame));
}

static void draw(struct flame *f, const char *says)
{
	static const char title[] = "Who holds memory";
	size_t i;

	svg_begin(f->out, &(struct svg_head){ "plot-flame", WIDTH,
					      height_of(f), title, says });
	axis_title(f->out, title, says);
	for (i = 0; i < f->count; i++)
		if (is_seen(f, &f->place[i]))
			draw_frame(f, &f->place[i]);
	svg_end(f->out);
}

int plot_flame_svg(struct la_strbuf *out, const struct plot_flame_frame *frame,
		   size_t count)
{
	struct flame_place *place = flame_places(frame, count);
	struct flame f = { .out = out, .frame = frame, .place = place,
			   .count = count, .least = 1.0 / 3000 };
	struct la_strbuf says = { 0 };

	if (!place)
		return -ENOMEM;
	while (count_seen(&f) > FRAMES_MOST)
		f.least *= 2;
	flame_describe(&says, frame, place, count);
	draw(&f, la_strbuf_text(&says));
	out->failed |= says.failed;
	la_strbuf_release(&says);
	free(place);
	return out->failed ? -ENOMEM : 0;
}
