/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over the recordings of a folder. */
#ifndef REPORT_METRICS_H
#define REPORT_METRICS_H

#include <liballoc/triage.h>

#include "device.h"
#include "folder.h"
#include "util/strbuf.h"

/* Devices that are told apart; a node has fewer. */
enum { METRICS_DEVICES = 64 };

/* A device of the node. */
struct metrics_device {
	char label[DEVICE_LABEL];
	/* Of processes that run, in bytes */
	uint64_t live[DEVICE_KINDS];
	uint64_t allocated, reserved;
	/* Of the process that asked last, in bytes */
	uint64_t free, total;
	int64_t asked; /* when, CLOCK_REALTIME in seconds; 0: never */
	uint64_t retries; /* of all processes */
};

struct metrics {
	struct metrics_device device[METRICS_DEVICES];
	size_t device_count;
	uint64_t running; /* processes */
	uint64_t recordings, bytes; /* files, and bytes on the disk */
	/* OOMs by the verdict of their process's report; CANNOT_TELL: there is
	 * none, or it does not tell */
	uint64_t oom[LA_CAUSE_COUNT];
	uint64_t dropped; /* records and holdings without room */
};

void metrics_gather(struct metrics *metrics, const struct folder *folder);

/* The text format of Prometheus. */
void metrics_text(struct la_strbuf *out, const struct metrics *metrics);

#endif /* REPORT_METRICS_H */
