/* SPDX-License-Identifier: Apache-2.0 */
/* Reports beside recordings. */
#ifndef REPORT_WRITE_H
#define REPORT_WRITE_H

#include <limits.h>

#include "ended.h"
#include "stamp.h"

/* A report that is there now. */
struct written {
	struct stamp stamp;
	char path[PATH_MAX + STAMP_NAME]; /* of its text */
};

/*
 * Write the report of a recording beside it, unless one is there that says as
 * much; then let go of what is too much in that folder.  ended: as
 * letter_open().  A status; not STATUS_DONE after a message.
 */
int write_report(struct written *written, const char *path,
		 const struct ended *ended);

#endif /* REPORT_WRITE_H */
