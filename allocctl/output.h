/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is there whole or not at all. */
#ifndef ALLOCCTL_OUTPUT_H
#define ALLOCCTL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/strbuf.h"

struct output {
	const char *path; /* as the user has it; "-": standard output */
	bool force; /* replace a file that is there */
	struct partial *partial; /* owned; NULL: it is standard output */
	FILE *file; /* to write to */
};

/*
 * Open path for writing.  The input's path, which is not to be overwritten, may
 * be "-" too.  False after a message.
 */
bool output_open(struct output *output, const char *path, const char *input,
		 bool force);

/* Give the file its name.  False after a message; then nothing is left. */
bool output_commit(struct output *output);

/* Give up what was not committed. */
void output_close(struct output *output);

/* All of it at once.  A status; not STATUS_DONE after a message. */
int output_text(const char *path, const char *input, bool force,
		const struct la_strbuf *text);

/* A la_recording_sink; data: a FILE. */
int output_sink(void *data, const void *bytes, size_t size);

#endif /* ALLOCCTL_OUTPUT_H */
