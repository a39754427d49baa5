/* SPDX-License-Identifier: Apache-2.0 */
/* What allocctl report is asked, and all that was read for it. */
#ifndef ALLOCCTL_REPORT_ASKED_H
#define ALLOCCTL_REPORT_ASKED_H

#include "allocctl/opt.h"
#include "allocctl/triage.h"
#include "judged.h"
#include "view.h"

/* Events up to which settings are searched without being asked for it. */
enum { ASKED_TUNE_EVENTS = 100000 };

/* What was put on the command line; strings are the caller's. */
struct asked_request {
	struct opt_list files, settings;
	const char *out; /* path, "-", or NULL */
	const char *limit, *card, *torch; /* of replays, or NULL */
	uint64_t device; /* index, or SOURCE_MAIN_DEVICE */
	uint64_t at; /* event of the map, or VIEW_AT_WORST */
	int format, plot;
	bool no_tune, partial, force, term;
};

struct asked {
	const struct asked_request *request; /* borrowed */
	struct triage_request triage_request; /* files: owned */
	struct triage triage; /* of the files that are no JSON */
	struct judged *judged[JUDGED_KINDS]; /* owned; or NULL */
	struct view *view; /* owned, each too; of triage's recordings */
	size_t view_count;
	bool is_large; /* settings were not searched: too many events */
};

/* Read it all.  A status after a message. */
int asked_read(struct asked *asked, const struct asked_request *request);
void asked_release(struct asked *asked);

#endif /* ALLOCCTL_REPORT_ASKED_H */
