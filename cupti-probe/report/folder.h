/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of recordings. */
#ifndef REPORT_FOLDER_H
#define REPORT_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "ended.h"
#include "head.h"
#include "stamp.h"

/* A recording of a folder. */
struct entry {
	char *name; /* owned */
	uint64_t size; /* bytes on the disk, with what lies beside it */
	uid_t owner;
	struct ended ended;
	struct stamp stamp;
	uint64_t seen; /* OOMs that were read about */
	int64_t began; /* CLOCK_REALTIME in seconds */
	int64_t alive; /* ... when it was last known to run */
	uint64_t ooms, retries, lost; /* of the header; lost: records and
				       * holdings */
	uint32_t pid;
	char host[64], exe[256], run[40], job[192];
};

struct folder {
	char *path; /* owned */
	int fd;
	struct entry *entry; /* owned; newest first */
	size_t count, room;
	size_t unreadable; /* files of that name that could not be read */
};

/*
 * The folders that programs record to from here, as they would try them:
 * CUPTI_PROBE_DIR alone, or that of the package and the user's own.  Each for
 * free(); returns their number.
 */
enum { FOLDER_CANDIDATES = 2 };
size_t folder_candidates(char *path[FOLDER_CANDIDATES]);

/*
 * Open a folder, of the candidates one for NULL, and read what it has.  A
 * status; not STATUS_DONE after a message.  folder_close() in any case.
 */
int folder_open(struct folder *folder, const char *path);
void folder_close(struct folder *folder);

/*
 * The n-th name of what may lie beside a recording: reports, and the snapshot
 * that sitecustomize.py writes.  False: there are no more.
 */
bool entry_beside(char name[STAMP_NAME], const struct entry *entry, size_t n);

/* Has it an OOM that nobody has read about? */
bool entry_is_unseen(const struct entry *entry);

#endif /* REPORT_FOLDER_H */
