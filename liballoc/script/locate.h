/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and columns of bytes of a text. */
#ifndef LA_SCRIPT_LOCATE_H
#define LA_SCRIPT_LOCATE_H

#include <stddef.h>
#include <stdint.h>

/* A byte that starts a character, and where it stands; both from 1. */
struct la_script_spot {
	uint64_t offset;
	size_t line, column; /* column: in characters */
};

/*
 * The first spot in each stretch of the text, so that no byte is far behind
 * one.  Made by the first question.  Zero-initialised: not made.
 */
struct la_script_spots {
	struct la_script_spot *spot; /* owned */
	size_t count;
};

/* Where a byte of the text, or its end, stands; 0 or -ENOMEM. */
int la_script_locate(struct la_script_spots *spots, const char *text,
		     size_t length, uint64_t offset, size_t *line,
		     size_t *column);

/* The byte at a line and column, or the line's end; SIZE_MAX: no memory. */
size_t la_script_spot_at(struct la_script_spots *spots, const char *text,
			 size_t length, size_t line, size_t column);

void la_script_spots_release(struct la_script_spots *spots);

#endif /* LA_SCRIPT_LOCATE_H */
