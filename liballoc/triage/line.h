/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a log without colours and without what launchers put ahead. */
#ifndef LA_TRIAGE_LINE_H
#define LA_TRIAGE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a prefix tells of the process that wrote a line. */
struct la_origin {
	uint64_t source; /* equal for lines of one process; 0: no prefix */
	int64_t rank; /* -1: unknown */
	int64_t pid; /* -1: unknown */
	int64_t device; /* -1: unknown */
};

/*
 * Copy a line without colours and control characters; white characters
 * become blanks.  to has room for length bytes; returns how many were used.
 */
size_t la_line_clean(char *to, const char *line, size_t length);

/*
 * Bytes of a clean line that are prefix: timestamps, levels, source files,
 * ranks and processes, marks of quoting.  Fills origin.
 */
size_t la_line_prefix(struct la_origin *origin, const char *line,
		      size_t length);

#endif /* LA_TRIAGE_LINE_H */
