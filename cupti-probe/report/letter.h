/* SPDX-License-Identifier: Apache-2.0 */
/* A report of recordings: the letter of allocctl triage, and what the probe
 * saw. */
#ifndef REPORT_LETTER_H
#define REPORT_LETTER_H

#include "allocctl/triage.h"
#include "ended.h"
#include "stamp.h"

/* A recording of the report. */
struct letter_file {
	const char *path; /* the caller's */
	struct la_probe *probe; /* owned */
	struct ended ended;
};

struct letter {
	struct triage_request request;
	struct triage triage;
	struct letter_file *file; /* owned */
	size_t count;
	struct stamp stamp;
};

/*
 * Read and judge; ended: how the process of the only file ended, NULL: what
 * the files tell.  A status; not STATUS_DONE after a message.
 */
int letter_open(struct letter *letter, const char *const *path, size_t count,
		const struct ended *ended, bool explain);

/* Print to standard output, in an enum triage_format.  A status. */
int letter_print(struct letter *letter, int format);

void letter_close(struct letter *letter);

#endif /* REPORT_LETTER_H */
