/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of empty_cache() that are put in between the steps of a program. */
#ifndef ALLOCCTL_RELEASE_H
#define ALLOCCTL_RELEASE_H

#include "source.h"

#define RELEASE_NOT_EVERY UINT64_MAX

/* The two options. */
struct release_options {
	const char *above; /* RATIO or NULL */
	uint64_t every; /* steps, or RELEASE_NOT_EVERY: not given */
};

/* What they say; STATUS_DONE, or another status after a message. */
int release_read(const struct release_options *options,
		 struct la_release_policy *release);

/*
 * The steps of a program, for a policy that is not LA_RELEASE_NONE; limit is
 * what bounds the replay.  STATUS_DONE, or another status after a message:
 * there are none to be seen, or nothing that the ratio is of.
 */
int release_find_steps(const struct source *source,
		       const struct la_limit *limit,
		       struct la_release_policy *release,
		       struct la_steps *steps);

/* "where reserved is above 0.8 of the limit; 40 steps, ...", no newline. */
void release_print(const struct la_release_policy *release,
		   const struct la_limit *limit);

/* Members of an object. */
void release_json(struct la_json *json,
		  const struct la_release_policy *release);

#endif /* ALLOCCTL_RELEASE_H */
