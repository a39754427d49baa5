/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies beside a recording: NAME.report.txt and NAME.report.json, of which
 * the first members are read again here; NAME.seen, which holds the number of
 * OOMs that somebody has read about; and snapshots.
 */
#ifndef REPORT_STAMP_H
#define REPORT_STAMP_H

#include <stdbool.h>
#include <stdint.h>

#include <liballoc/triage.h>

#include "ended.h"
#include "util/json.h"

enum { STAMP_NAME = 300, STAMP_SIGNATURE = 17 };

/* The schema of report.json; its first member. */
#define STAMP_SCHEMA "cupti-probe.report/1"

struct stamp {
	bool there; /* all below; else there is no report */
	enum la_cause cause; /* of the OOM that the report is about */
	enum la_grade grade;
	/* Hash of executable, cause and class of the failed size, in hex */
	char signature[STAMP_SIGNATURE];
	uint64_t ooms; /* that it covers */
	enum ended_how how;
};

/* The name of what lies beside a recording; it ends in suffix. */
void stamp_name(char out[STAMP_NAME], const char *name, const char *suffix);

/* The name of the snapshot that sitecustomize.py writes of a process, or of its
 * companion; false: that host's name makes none. */
bool stamp_snapshot(char out[STAMP_NAME], const char *host, uint32_t pid,
		    const char *suffix);

void stamp_read(struct stamp *stamp, int folder, const char *name);

/* The members, at the beginning of an object. */
void stamp_json(struct la_json *json, const struct stamp *stamp);

void stamp_sign(struct stamp *stamp, const char *exe, uint64_t size);

/* OOMs of a recording that were read about, and to say so; that may fail. */
uint64_t stamp_seen(int folder, const char *name);
void stamp_see(int folder, const char *name, uint64_t ooms);

#endif /* REPORT_STAMP_H */
