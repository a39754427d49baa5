/* SPDX-License-Identifier: Apache-2.0 */
/* A text, and what its reader makes of the last place in it. */
#ifndef SUPPORT_SCRIPT_VECTOR_H
#define SUPPORT_SCRIPT_VECTOR_H

#include <stdbool.h>

#include <liballoc/script.h>

struct script_vector {
	enum la_script_kind kind;
	const char *text;
	const char *value; /* of the last place; NULL: none */
	enum la_script_fate fate;
	int code; /* said of the last place, 0: nothing is */
};

/* Is code said of a place?  0: is nothing? */
bool script_says(const struct la_script_assignment *place, int code);

/* Read the text, watching V: NULL, or what is not as the vector has it. */
const char *script_vector_differs(const struct script_vector *vector);

/* Cut a text anywhere: the reader of a kind ends and stays within it. */
void script_read_pieces(enum la_script_kind kind, const char *text);

#endif /* SUPPORT_SCRIPT_VECTOR_H */
