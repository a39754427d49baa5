/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_FACTS_H
#define LA_REPLAY_FACTS_H

#include <pthread.h>
#include <stdbool.h>

#include <liballoc/replay.h>

/*
 * Replays that were made, found by what they were of: likeness, program,
 * layout and limit.  Any number of threads may use one set.
 */
struct facts {
	pthread_mutex_t lock; /* all that follows */
	struct la_tune_fact *fact; /* owned */
	bool *used; /* owned; of fact: was it asked for? */
	uint32_t *slot; /* owned; index + 1 by hash, 0: empty */
	size_t count, room; /* of fact and used */
	size_t slot_count; /* 0 or a power of two, twice the room */
};

void facts_init(struct facts *facts);
void facts_release(struct facts *facts);

/* Fill in what is known of the replay that *fact names; false: nothing. */
bool facts_find(struct facts *facts, struct la_tune_fact *fact);

/* Keep a copy, unless there is one; 0 or -ENOMEM. */
int facts_add(struct facts *facts, const struct la_tune_fact *fact, bool used);

/* Drop what was not asked for. */
void facts_drop_unused(struct facts *facts);

#endif /* LA_REPLAY_FACTS_H */
