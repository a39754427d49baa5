/* SPDX-License-Identifier: Apache-2.0 */
/* What each thread of the program keeps, in little static TLS. */
#ifndef PROBE_STATE_H
#define PROBE_STATE_H

#include "core/account.h"
#include "core/episode.h"

enum {
	FRAMES = 3 /* calls within calls; outer ones are forgotten */
};

struct thread_state {
	/* Above 0: inside of a hook; calls are the probe's own. */
	unsigned int depth;
	unsigned int frames;
	struct frame frame[FRAMES]; /* innermost last */
	struct episode episode;
	uint64_t block_time; /* ns in hooks of blocks, not yet in the header */
	unsigned int block_count; /* of these hooks */
};

extern _Thread_local struct thread_state me;

/* Begin a hook; false: this thread is in one, or nothing is recorded here. */
bool hook_begin(void);
void hook_end(void);
/* Add to la_probe_header.hook_time. */
void hook_took(uint64_t ns);

#endif /* PROBE_STATE_H */
