/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_TUNING_H
#define LA_REPLAY_TUNING_H

#include <pthread.h>
#include <stdbool.h>

#include <liballoc/replay.h>

/* How many limits and layouts are tried. */
enum tuning_depth {
	DEPTH_RULE, /* any setting: bisection in the rule layout */
	DEPTH_LAYOUTS, /* the front: all layouts, and probes in that one */
	DEPTH_PROBES /* the winner: all layouts, all with probes */
};

/* What is known of one setting besides what the caller sees. */
struct candidate {
	struct la_setting *setting; /* owned */
	size_t same; /* first candidate that is replayed in the same way, maybe
		      * this one */
	struct la_limit limit; /* what has to suffice; LA_LIMIT_NONE: nothing
				* was given */
	enum la_limit_kind kind; /* of the minimum that is sought */
	enum tuning_depth depth; /* how well it is known, or is to be next */
	/* By layout; only those that depth asks for. */
	struct la_minimum minimum[LA_LAYOUT_COUNT];
	bool probed[LA_LAYOUT_COUNT]; /* minimum was sought with probes */
};

struct la_tuning {
	const struct la_program *program; /* borrowed while tuning */
	struct la_tune_options options; /* of the caller */
	struct la_tuned *tuned; /* owned */
	struct candidate *candidate; /* owned; of the same index */
	size_t count, room;
	const struct la_tuned *winner; /* of tuned, or NULL */
	size_t *todo; /* owned; indices of candidates to be replayed */
	size_t todo_count;
	pthread_mutex_t lock; /* done, total, and the call of progress */
	size_t done, total; /* pieces of work */
};

/* candidates.c: which settings, and which of them come to the same */
int la_tuning_add_all(struct la_tuning *tuning, struct la_error *err);

/* measure.c; each is work of la_parallel() with the tuning as its data */

/* todo[index]: minimum, operations, does it fit. */
int la_tuning_measure(void *data, size_t index);

/* todo[index / LA_LAYOUT_COUNT]: minimum in one layout, as depth asks. */
int la_tuning_refine(void *data, size_t index);

/* todo[index]: the limit under which all layouts run; operations there. */
int la_tuning_settle(void *data, size_t index);

#endif /* LA_REPLAY_TUNING_H */
