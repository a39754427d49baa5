/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_TUNING_H
#define LA_REPLAY_TUNING_H

#include <pthread.h>
#include <stdbool.h>

#include <liballoc/replay.h>

#include "replay/facts.h"
#include "replay/program.h"

/* How well a setting is known, or is to be next. */
enum tuning_depth {
	DEPTH_NONE, /* cut off: it was only held against the best */
	DEPTH_RULE, /* any other: bisection in the rule layout */
	DEPTH_LAYOUTS, /* the front: all layouts, and probes in that one */
	DEPTH_PROBES /* the winner: all layouts, all with probes */
};

/* One program under one setting, besides what the caller sees. */
struct trial {
	struct la_limit limit; /* what has to suffice; LA_LIMIT_NONE: nothing
				* was given */
	enum la_limit_kind kind; /* of the minimum that is sought */
	/* By layout; only those that the candidate's depth asks for. */
	struct la_minimum minimum[LA_LAYOUT_COUNT];
	bool probed[LA_LAYOUT_COUNT]; /* minimum was sought with probes */
	uint64_t near; /* bytes, the rule layout's minimum without probes */
};

/* One setting, besides what the caller sees. */
struct candidate {
	struct la_setting *setting; /* owned */
	char *objection; /* owned; see la_tuned */
	bool wants_cap; /* that is all there is to object */
	uint64_t likeness; /* the same for all that are replayed alike under
			    * the same limit */
	uint64_t likeness_uncapped; /* ... where there is no cap */
	size_t same; /* first candidate with that and the same limits, maybe
		      * this one */
	enum tuning_depth depth;
	uint64_t passed, failed; /* bytes, limits that it was held against:
				  * the lowest under which it runs, the
				  * one that cuts it off; 0: none */
};

/* What programs are like, to tell which settings come to the same. */
struct tuning_shape {
	uint64_t largest; /* bytes that no block of a segment is above */
	uint32_t slots; /* bit i: requests fall in rounding slot i */
};

struct la_tuning {
	const struct la_program *const *program; /* borrowed while tuning */
	size_t program_count;
	struct la_tune_options options; /* of the caller */
	unsigned int replayed_release; /* whose rules hold; 0: the recorded */
	struct tuning_shape shape;
	/* One row a candidate, of all programs and of each one; owned. */
	struct la_tuned *tuned;
	struct la_tuned **each; /* owned; by program */
	struct trial **trial; /* owned; by program */
	struct candidate *candidate; /* owned */
	size_t count, room;
	const struct la_tuned *winner; /* of tuned, or NULL */
	bool *eligible; /* owned; as much room: may it win? */
	size_t *todo; /* owned; as much room; candidates to be replayed */
	size_t todo_count;
	struct facts facts;
	pthread_mutex_t lock; /* done, stopped, progress */
	size_t done, total; /* pieces of work */
	bool stopped; /* options.stop said so */
	bool can_cap; /* a setting can bring its cap along */
};

/* candidates.c: which settings, and which of them come to the same */
void tuning_read_shape(struct la_tuning *tuning);
int tuning_add_coarse(struct la_tuning *tuning, struct la_error *err);
int tuning_add_fine(struct la_tuning *tuning);
int tuning_add_neighbours(struct la_tuning *tuning);
/* A setting with a cap of its own, *index its candidate. */
int tuning_add_capped(struct la_tuning *tuning, size_t base, uint64_t cap,
		      size_t *index);
void tuning_free_candidates(struct la_tuning *tuning);

/* On the front, and not only by what cannot be told apart? */
bool tuning_is_leading(const struct la_tuning *tuning, size_t i);

/* objection.c: *text is the caller's, NULL where there is nothing to object;
 * *wants_cap: only that it does nothing without a cap. */
int tuning_object(const char *setting, unsigned int release, char **text,
		  bool *wants_cap);

/* measure.c; each is work of la_parallel() with the tuning as its data, and
 * does not begin once the search was stopped */

/* todo[index / programs]: with no limit; does it fit in what was given? */
int tuning_look(void *data, size_t index);

/* todo[index]: can it be better than what is known by more than can be told
 * apart? */
int tuning_hold_against(void *data, size_t index);

/* todo[index / programs]: minimum, operations, does it fit. */
int tuning_measure(void *data, size_t index);

/* todo[index / layouts / programs]: minimum in one layout, as depth asks. */
int tuning_refine(void *data, size_t index);

/* todo[index / programs]: the limit under which all layouts run; operations
 * there. */
int tuning_settle(void *data, size_t index);

/* Nothing is said against it, or all that is said can be cured. */
bool tuning_may_win(const struct la_tuning *tuning, size_t i);

/* worst.c: take over what replays gave, not what the row itself is. */
void tuning_copy_figures(struct la_tuned *row, const struct la_tuned *from);

/* worst.c: the figures of all programs as one; serial. */
void tuning_sum_up(struct la_tuning *tuning, size_t i);

#endif /* LA_REPLAY_TUNING_H */
