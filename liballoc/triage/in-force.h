/* SPDX-License-Identifier: Apache-2.0 */
/* The setting that was in force, and what a remedy makes of it. */
#ifndef LA_TRIAGE_IN_FORCE_H
#define LA_TRIAGE_IN_FORCE_H

#include <liballoc/triage.h>

#include "triage/remedy-table.h"

/* The setting in force, as the release reads it. */
struct la_in_force {
	/* Newest release that the facts allow; 0: none that has settings */
	unsigned int release;
	enum la_build build;
	const char *text; /* never NULL */
	bool known; /* the facts tell it, and torch accepts it */
	struct la_setting_values values; /* defaults where it is not known */
};

/* 0 or -ENOMEM. */
int la_in_force_read(struct la_in_force *force, const struct la_facts *facts);

/* Does the setting name an option? */
bool la_in_force_names(const struct la_in_force *force, const char *option);

/*
 * The whole setting with what a remedy adds and without what it removes, owned
 * by the caller.  1; 0 if it is on already (then *on is set), if the release
 * lacks it or it would do nothing there; -ENOMEM.
 */
int la_in_force_apply(char **out, bool *on, const struct la_in_force *force,
		      const struct la_remedy *remedy,
		      const struct la_remedy_rule *rule);

/* Do two settings mean the same to the release?  Refused ones never do. */
bool la_in_force_same(const struct la_in_force *force, const char *a,
		      const char *b);

#endif /* LA_TRIAGE_IN_FORCE_H */
