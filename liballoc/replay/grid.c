// SPDX-License-Identifier: Apache-2.0
/* Which settings tune tries. */

#include <stddef.h>

#include "replay/grid.h"
#include "util/util.h"

const char *const la_grid[] = {
	"",
	"max_split_size_mb:32",
	"max_split_size_mb:64",
	"max_split_size_mb:128",
	"max_split_size_mb:256",
	"max_split_size_mb:512",
	"max_split_size_mb:1024",
	"garbage_collection_threshold:0.6",
	"garbage_collection_threshold:0.8",
	"garbage_collection_threshold:0.9",
	"roundup_power2_divisions:2",
	"roundup_power2_divisions:4",
	"roundup_power2_divisions:8",
	"roundup_power2_divisions:16",
	"roundup_power2_divisions:[256:1,512:2,1024:4,>:8]",
	"roundup_power2_divisions:[64:8,256:4,>:1]",
	"large_segment_size_mb:32",
	"large_segment_size_mb:64",
	"large_segment_size_mb:128",
	"large_segment_size_mb:256",
	/* How large a leftover may be only counts where blocks are not cut. */
	"max_split_size_mb:64,max_non_split_rounding_mb:64",
	"max_split_size_mb:128,max_non_split_rounding_mb:64",
	"max_split_size_mb:128,max_non_split_rounding_mb:128",
	"max_split_size_mb:256,max_non_split_rounding_mb:256",
	"max_split_size_mb:512,max_non_split_rounding_mb:512",
	"garbage_collection_threshold:0.6,max_split_size_mb:64",
	"garbage_collection_threshold:0.6,max_split_size_mb:128",
	"garbage_collection_threshold:0.6,max_split_size_mb:256",
	"garbage_collection_threshold:0.8,max_split_size_mb:64",
	"garbage_collection_threshold:0.8,max_split_size_mb:128",
	"garbage_collection_threshold:0.8,max_split_size_mb:256",
	"garbage_collection_threshold:0.8,max_split_size_mb:512",
	"garbage_collection_threshold:0.9,max_split_size_mb:128",
	"garbage_collection_threshold:0.9,max_split_size_mb:512",
	"garbage_collection_threshold:0.8,roundup_power2_divisions:4",
	"garbage_collection_threshold:0.8,roundup_power2_divisions:8",
	"garbage_collection_threshold:0.8,large_segment_size_mb:64",
	"max_split_size_mb:64,roundup_power2_divisions:8",
	"max_split_size_mb:128,roundup_power2_divisions:4",
	"max_split_size_mb:128,roundup_power2_divisions:8",
	"max_split_size_mb:256,roundup_power2_divisions:4",
	"max_split_size_mb:512,roundup_power2_divisions:8",
	"max_split_size_mb:64,large_segment_size_mb:32",
	"max_split_size_mb:128,large_segment_size_mb:64",
	"max_split_size_mb:256,large_segment_size_mb:64",
	"max_split_size_mb:512,large_segment_size_mb:128",
	"garbage_collection_threshold:0.8,max_split_size_mb:128,"
	"roundup_power2_divisions:8",
	"expandable_segments:True",
	"expandable_segments:True,garbage_collection_threshold:0.8",
	"expandable_segments:True,max_split_size_mb:128",
	NULL
};

/* Values of each option in the fine grid; 0: not named. */
static const uint64_t fine_splits[] = { 32, 64, 128, 256, 512 };
static const uint64_t between_splits[] = {
	24,  28,  40,  48,  56,  80,  96,  112,  160, 192,
	224, 320, 384, 448, 640, 768, 896, 1536, 2048,
};
static const uint16_t fine_parts[] = { 2, 4, 8, 16 };
static const unsigned int fine_percents[] = { 60, 70, 80, 90 };
static const uint64_t fine_larges[] = { 32, 64, 128 };

static const struct knobs fine_lists[] = {
	{ .parts = { 8, 8, 8, 8, 8, 8, 8, 4, 4, 2, 2, 2, 2, 2, 2, 2 } },
	{ .parts = { 2, 2, 2, 2, 2, 2, 2, 4, 4, 8, 8, 8, 8, 8, 8, 8 } },
	{ .parts = { 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4 } },
	{ .parts = { 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8 } },
	{ .parts = { 8, 8, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } },
	{ .parts = { 4, 4, 4, 4, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } },
};

static struct knobs with_parts(struct knobs knobs, uint16_t parts)
{
	knobs_set_parts(&knobs, parts);
	return knobs;
}

static int visit(struct knobs knobs, grid_visitor *visitor, void *data)
{
	return visitor(data, &knobs);
}

/* One bound on splits with each of the other options. */
static int visit_split(uint64_t split, grid_visitor *visitor, void *data)
{
	struct knobs base = { .split = split };
	size_t i;
	int code = 0;

	for (i = 0; i < ARRAY_SIZE(fine_parts) && !code; i++)
		code = visit(with_parts(base, fine_parts[i]), visitor, data);
	for (i = 0; i < ARRAY_SIZE(fine_percents) && !code; i++) {
		base.percent = fine_percents[i];
		code = visit(base, visitor, data);
	}
	base.percent = 0;
	for (base.leftover = split; base.leftover <= 4 * split && !code;
	     base.leftover *= 2)
		code = visit(base, visitor, data);
	base.leftover = 0;
	for (i = 0; i < ARRAY_SIZE(fine_larges) && !code; i++) {
		base.large = fine_larges[i];
		if (base.large < split)
			code = visit(base, visitor, data);
	}
	return code;
}

/* What needs no bound on splits: roundings, and what goes with them. */
static int visit_parts(uint16_t parts, grid_visitor *visitor, void *data)
{
	struct knobs base = with_parts((struct knobs){ 0 }, parts);
	size_t i;
	int code = 0;

	for (i = 0; i < ARRAY_SIZE(fine_percents) && !code; i++) {
		base.percent = fine_percents[i];
		code = visit(base, visitor, data);
	}
	base.percent = 0;
	for (i = 0; i < ARRAY_SIZE(fine_larges) && !code; i++) {
		base.large = fine_larges[i];
		code = visit(base, visitor, data);
	}
	base.large = 0;
	base.expandable = true;
	return code ? code : visit(base, visitor, data);
}

/* Three options together. */
static int visit_triples(uint64_t split, grid_visitor *visitor, void *data)
{
	struct knobs base = { .split = split, .leftover = split };
	size_t i;
	int code = 0;

	for (i = 0; i < ARRAY_SIZE(fine_parts) && !code; i++)
		code = visit(with_parts(base, fine_parts[i]), visitor, data);
	base.leftover = 0;
	for (base.percent = 60; base.percent < 100 && !code;
	     base.percent += 20) {
		code = visit(with_parts(base, 4), visitor, data);
		if (!code)
			code = visit(with_parts(base, 8), visitor, data);
	}
	return code;
}

static int visit_expandable(grid_visitor *visitor, void *data)
{
	struct knobs base = { .expandable = true };
	size_t i;
	int code = 0;

	for (i = 0; i < ARRAY_SIZE(fine_larges) && !code; i++) {
		base.large = fine_larges[i];
		code = visit(base, visitor, data);
	}
	base.large = 12;
	return code ? code : visit(base, visitor, data);
}

int grid_visit_fine(grid_visitor *visitor, void *data)
{
	size_t i;
	int code = visit_expandable(visitor, data);

	for (i = 0; i < ARRAY_SIZE(between_splits) && !code; i++)
		code = visit((struct knobs){ .split = between_splits[i] },
			     visitor, data);
	for (i = 0; i < ARRAY_SIZE(fine_lists) && !code; i++)
		code = visitor(data, &fine_lists[i]);
	for (i = 0; i < ARRAY_SIZE(fine_splits) && !code; i++)
		code = visit_split(fine_splits[i], visitor, data);
	for (i = 0; i < ARRAY_SIZE(fine_parts) && !code; i++)
		code = visit_parts(fine_parts[i], visitor, data);
	for (i = 0; i < ARRAY_SIZE(fine_splits) && !code; i++)
		code = visit_triples(fine_splits[i], visitor, data);
	return code;
}

/* Is it one that torch takes, and without a warning? */
static bool is_sound(const struct knobs *knobs)
{
	uint64_t large = knobs->large ? knobs->large : 20;

	return large > 10 && knobs->percent < 100 &&
	       (!knobs->split ||
		(knobs->split > large && !knobs->expandable)) &&
	       (!knobs->leftover ||
		(knobs->split && knobs->leftover >= large));
}

static int visit_sound(struct knobs knobs, grid_visitor *visitor, void *data)
{
	return is_sound(&knobs) ? visitor(data, &knobs) : 0;
}

static int visit_sizes(const struct knobs *knobs, grid_visitor *visitor,
		       void *data)
{
	static const unsigned int eighths[] = { 4, 6, 7, 9, 11, 16 };
	uint64_t leftover = knobs->leftover ? knobs->leftover : knobs->split;
	uint64_t large = knobs->large ? knobs->large : 20;
	size_t i;
	int code = 0;

	for (i = 0; i < ARRAY_SIZE(eighths) && !code; i++) {
		struct knobs next = *knobs;

		next.split = knobs->split * eighths[i] / 8;
		code = visit_sound(next, visitor, data);
		next = *knobs;
		next.leftover = leftover * eighths[i] / 8;
		if (!code)
			code = visit_sound(next, visitor, data);
		next = *knobs;
		next.large = large * eighths[i] / 8;
		if (!code)
			code = visit_sound(next, visitor, data);
	}
	return code;
}

static int visit_roundings(const struct knobs *knobs, grid_visitor *visitor,
			   void *data)
{
	uint16_t parts = knobs->parts[0];
	uint16_t less = parts > 2 ? parts / 2 : 0;
	uint16_t more = parts > 1 ? (uint16_t)(2 * parts) : 32;
	int code;

	if (!knobs_are_even(knobs))
		return visit_sound(with_parts(*knobs, parts), visitor, data);
	code = visit_sound(with_parts(*knobs, less), visitor, data);
	if (!code && more <= 64)
		code = visit_sound(with_parts(*knobs, more), visitor, data);
	return code;
}

static int visit_percents(const struct knobs *knobs, grid_visitor *visitor,
			  void *data)
{
	static const int steps[] = { -10, -5, 5, 10 };
	struct knobs next = *knobs;
	size_t i;
	int code = 0;

	for (i = 0; i < ARRAY_SIZE(steps) && knobs->percent && !code; i++) {
		next.percent = (unsigned int)((int)knobs->percent + steps[i]);
		code = visit_sound(next, visitor, data);
	}
	next.percent = knobs->percent ? 0 : 80;
	return code ? code : visit_sound(next, visitor, data);
}

int grid_visit_neighbours(const struct knobs *knobs, grid_visitor *visitor,
			  void *data)
{
	int code = visit_sizes(knobs, visitor, data);

	if (!code)
		code = visit_roundings(knobs, visitor, data);
	return code ? code : visit_percents(knobs, visitor, data);
}
