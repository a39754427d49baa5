/* SPDX-License-Identifier: Apache-2.0 */
/* Text in memory: runs of printable bytes between others. */
#ifndef LA_TRIAGE_CORE_TEXT_H
#define LA_TRIAGE_CORE_TEXT_H

#include "triage/core.h"

enum { LA_CORE_RUN_MAX = 64 << 10 };

struct la_core_text {
	struct la_core *core; /* takes variables */
	la_core_sink *sink; /* takes runs that may hold a message */
	void *arg;
	bool fed; /* some of this run went to the sink */
	bool cut; /* the run began before what is here */
	size_t later; /* variables that were found */
	size_t length; /* bytes of run */
	char run[LA_CORE_RUN_MAX + 1];
};

/* 0 or -errno of the sink. */
int la_core_text_feed(struct la_core_text *text, const uint8_t *data,
		      size_t size);

/* What follows is elsewhere. */
int la_core_text_end(struct la_core_text *text);

#endif /* LA_TRIAGE_CORE_TEXT_H */
