/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of la_remedies_replay(). */
#ifndef LA_TRIAGE_TRIALS_H
#define LA_TRIAGE_TRIALS_H

#include <liballoc/triage.h>

/* A row, and what is needed to replay it. */
struct attempt {
	struct la_trial trial; /* becomes the caller's */
	struct la_setting *setting; /* owned; NULL: it cannot be replayed */
	struct la_limit limit[2]; /* what bounds it: the ends of an interval */
};

/* All that is tried on one program. */
struct trials {
	const struct la_program *program; /* borrowed */
	const struct la_program_info *info; /* of the program */
	const struct la_facts *facts; /* borrowed; of its OOM */
	const struct la_remedies_options *options; /* borrowed */
	unsigned int release; /* whose settings are tried */
	struct la_steps steps; /* owned; of the program */
	struct attempt *attempt; /* owned */
	size_t count, room;
};

/* trials.c: list what is tried.  Returns 0 or -ENOMEM. */
int trials_list(struct trials *trials);

/* trials.c: release attempts, and the rows in them. */
void trials_release(struct trials *trials);

/* past.c: replay all of them.  Returns 0 or -ENOMEM. */
int trials_replay(struct trials *trials);

/* whole.c: replay the whole program under all of them.  Returns 0 or
 * -ENOMEM. */
int trials_replay_whole(struct trials *trials);

#endif /* LA_TRIAGE_TRIALS_H */
