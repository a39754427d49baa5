/* SPDX-License-Identifier: Apache-2.0 */
/* Which recordings stay, and which have to go. */
#ifndef REPORT_KEEP_H
#define REPORT_KEEP_H

#include "folder.h"

/* What is never removed, besides recordings of processes that run. */
enum keep_sort {
	KEEP_UNSEEN, /* OOMs that nobody has read about */
	/* Of these the first of each signature; all of other users */
	KEEP_FIRST,
	KEEP_NOTHING
};

enum keep_reason {
	KEEP_IT,
	KEEP_REPEATED, /* more than KEEP_NEWEST of its signature */
	KEEP_OLD, /* more than KEEP_DAYS */
	KEEP_LARGE, /* all together are larger than they may be */
	KEEP_DISK /* the file system is too full */
};

enum { KEEP_NEWEST = 5, KEEP_DAYS = 30 };

extern const char *const keep_reasons[];

/* Bytes that all recordings of a folder may take: CUPTI_PROBE_NODE_SIZE, or
 * 1 GiB or a tenth of the file system, whichever is less. */
uint64_t keep_most(const struct folder *folder);

/* Choose by the rules: a reason for each entry, for free(); NULL: no memory. */
enum keep_reason *keep_choose(const struct folder *folder,
			      enum keep_sort sort);

/* Remove an entry with what lies beside it; false: see errno. */
bool keep_remove(const struct folder *folder, const struct entry *entry);

/* Remove what has to go, KEEP_FIRST, but not the recording of a name.  A
 * status. */
int keep_bounded(const char *path, const char *name);

#endif /* REPORT_KEEP_H */
