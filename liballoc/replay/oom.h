/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_OOM_H
#define LA_REPLAY_OOM_H

#include "replay/program.h"

/* What a slot holds while a program is played. */
struct held {
	la_block block;
	uint32_t waits; /* pending: heap_waits() at the request; if it has
			 * moved on, a flush has completed the block */
	int pool; /* pending: of the block */
};

/* A replay that has come to its end; all borrowed. */
struct oom_moment {
	const struct la_program *program;
	const struct la_replay_options *options;
	const struct la_heap *heap;
	const struct held *held; /* by slot */
	size_t op; /* that failed; op_count: what the program begins with */
};

/* What is known then; *out is released first.  Returns 0 or -ENOMEM. */
int oom_describe(const struct oom_moment *moment, struct la_oom_state *out);

#endif /* LA_REPLAY_OOM_H */
