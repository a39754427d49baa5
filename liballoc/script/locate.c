// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "script/locate.h"
#include "util/utf8.h"

enum { STRETCH = 512 }; /* bytes of text for each spot */

/* Move on by one character. */
static void step(struct la_script_spot *spot, const char *text, uint64_t end)
{
	size_t n = la_utf8_char(text + spot->offset, end - spot->offset);

	if (text[spot->offset] == '\n') {
		spot->line++;
		spot->column = 1;
	} else {
		spot->column++;
	}
	spot->offset += n ? n : 1;
}

static int make_spots(struct la_script_spots *spots, const char *text,
		      size_t length)
{
	struct la_script_spot at = { .line = 1, .column = 1 };

	spots->spot = calloc(length / STRETCH + 1, sizeof(*spots->spot));
	if (!spots->spot)
		return -ENOMEM;
	for (;; step(&at, text, length)) {
		if (at.offset >= spots->count * STRETCH)
			spots->spot[spots->count++] = at;
		if (at.offset >= length)
			return 0;
	}
}

int la_script_locate(struct la_script_spots *spots, const char *text,
		     size_t length, uint64_t offset, size_t *line,
		     size_t *column)
{
	struct la_script_spot at;
	size_t i;

	if (!spots->spot && make_spots(spots, text, length))
		return -ENOMEM;
	i = offset / STRETCH;
	if (spots->spot[i].offset > offset)
		i--;
	for (at = spots->spot[i]; at.offset < offset;)
		step(&at, text, offset);
	*line = at.line;
	*column = at.column;
	return 0;
}

/* The last spot that is not behind a line and column. */
static struct la_script_spot spot_before(const struct la_script_spots *spots,
					 size_t line, size_t column)
{
	size_t first = 0, end = spots->count, middle;
	const struct la_script_spot *at;

	while (end - first > 1) {
		middle = first + (end - first) / 2;
		at = &spots->spot[middle];
		if (at->line < line ||
		    (at->line == line && at->column <= column))
			first = middle;
		else
			end = middle;
	}
	return spots->spot[first];
}

size_t la_script_spot_at(struct la_script_spots *spots, const char *text,
			 size_t length, size_t line, size_t column)
{
	struct la_script_spot at;

	if (!spots->spot && make_spots(spots, text, length))
		return SIZE_MAX;
	at = spot_before(spots, line, column);
	while (at.offset < length && (at.line < line || at.column < column))
		step(&at, text, length);
	return at.offset;
}

void la_script_spots_release(struct la_script_spots *spots)
{
	free(spots->spot);
	*spots = (struct la_script_spots){ 0 };
}
