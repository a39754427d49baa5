/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of JSON strings, one a line. */
#ifndef ALLOCCTL_JSON_LINES_H
#define ALLOCCTL_JSON_LINES_H

#include <stddef.h>
#include <stdio.h>

/* Returns a status. */
typedef int json_lines_fn(void *arg, const char *text, size_t length);

/*
 * Call fn for every line, blank ones left out.  Returns the highest status
 * that it returned; STATUS_USAGE after a message at the first line that is not
 * a JSON string; STATUS_CANNOT_TELL if reading fails or this build reads no
 * JSON.
 */
int json_lines_read(FILE *stream, json_lines_fn *fn, void *arg);

#endif /* ALLOCCTL_JSON_LINES_H */
