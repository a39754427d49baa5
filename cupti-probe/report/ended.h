/* SPDX-License-Identifier: Apache-2.0 */
/* How a process ended, as far as it is known. */
#ifndef REPORT_ENDED_H
#define REPORT_ENDED_H

#include <stddef.h>

#include <liballoc/probe.h>

enum ended_how {
	ENDED_RUNNING, /* it did not */
	ENDED_CLEAN, /* its exit was seen by the probe */
	ENDED_KILLED, /* nobody saw why */
	ENDED_SIGNAL, /* the launcher saw the signal */
	ENDED_HOST_MEMORY, /* ... and that the host's memory ran out */
	ENDED_COUNT
};

/* In reports: "running", "clean" ... */
extern const char *const ended_names[ENDED_COUNT];

struct ended {
	enum ended_how how;
	int number; /* signal; 0: unknown */
	char evidence[256]; /* a sentence; "": none */
};

/* What the file alone tells. */
void ended_of(struct ended *ended, const struct la_probe *probe);

/* A name of ended_names, of length bytes; ENDED_COUNT: none. */
enum ended_how ended_find(const char *name, size_t length);

#endif /* REPORT_ENDED_H */
