/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of a node's programs, counted under labels of few values. */
#ifndef ALLOCCTL_METRICS_H
#define ALLOCCTL_METRICS_H

#include "env.h"
#include "util/strbuf.h"

enum {
	METRICS_GROUPS = 64, /* rows; what has no room counts as others */
	METRICS_PROCESSES = 4096 /* that are looked at */
};

/* What is to be said of a setting, the worst last. */
enum metrics_state {
	METRICS_UNSET,
	METRICS_VALID,
	METRICS_UNKNOWN, /* the environment cannot be told */
	METRICS_WARNED, /* torch takes it, and does what few would want */
	METRICS_FORBIDDEN, /* by the site's policy */
	METRICS_REFUSED, /* by torch */
	METRICS_STATES
};

/* Programs for which all of this is the same. */
struct metrics_group {
	const char *torch; /* static: release, "none" or "other" */
	const char *scope; /* static: who set it; "none": nobody */
	enum metrics_state state;
	uint64_t setting; /* hash of the value; 0: none, or another */
	uint64_t count;
};

struct metrics_groups {
	struct metrics_group group[METRICS_GROUPS + METRICS_STATES];
	size_t count;
};

struct metrics {
	const struct la_policy *policy; /* NULL: none */
	bool policy_broken; /* there is one that cannot be read */
	bool torch_found; /* by the caller's environment */
	struct metrics_groups own; /* the caller's environment: one */
	struct metrics_groups processes; /* with torch loaded */
	uint64_t unseen; /* processes that may not be looked at */
};

/* A status. */
int metrics_gather(struct metrics *metrics, const struct env_query *query);

void metrics_text(struct la_strbuf *out, const struct metrics *metrics);

#endif /* ALLOCCTL_METRICS_H */
