/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_MINIMUM_H
#define LA_REPLAY_MINIMUM_H

#include <stdbool.h>
#include <stdint.h>

#include <liballoc/replay.h>

/* What a replay says to a search for limits. */
struct minimum_play {
	bool ran;
	uint64_t reserved_peak; /* bytes */
	uint64_t allocated_peak; /* bytes */
};

/* Replay under a limit.  Returns 0 or a negative errno value. */
typedef int minimum_player(void *data, struct la_limit limit,
			   struct minimum_play *play);

struct minimum_question {
	minimum_player *player;
	void *data; /* its first argument */
	enum la_limit_kind kind; /* of the limit that is sought */
	bool steers; /* under a smaller limit that is not less than what is
		      * reserved things may differ */
	uint64_t floor; /* bytes that no limit does without */
	uint64_t hint; /* bytes to try first; 0: none */
	unsigned int probes; /* see la_minimum_memory() */
};

/* As la_minimum_memory(); err is for -ERANGE alone. */
int minimum_seek(const struct minimum_question *question,
		 struct la_minimum *result, struct la_error *err);

/* Does a limit of that kind steer?  A cap does what is given back by an age
 * threshold; and a chain is asked for a whole segment, of which it may map
 * less.  policy: calls of empty_cache() that are put in, or NULL; those above
 * a part of the limit hang on it. */
bool minimum_is_steered(const struct la_setting_values *setting,
			enum la_limit_kind kind,
			const struct la_release_policy *policy);

#endif /* LA_REPLAY_MINIMUM_H */
