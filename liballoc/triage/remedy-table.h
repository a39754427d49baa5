/* SPDX-License-Identifier: Apache-2.0 */
/* Where the remedies of conf/remedies.yaml apply. */
#ifndef LA_TRIAGE_REMEDY_TABLE_H
#define LA_TRIAGE_REMEDY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is NULL or 0 leaves everything open; lists are words with blanks. */
struct la_remedy_rule {
	const char *frameworks; /* list */
	const char *backends; /* list */
	const char *forms; /* list, of messages */
	const char *removes; /* list of options that leave the setting */
	const char *unless; /* option that the setting must not name */
	uint64_t kinds; /* bit n: for enum la_oom_kind n */
	uint64_t trials; /* bit n: rows of enum la_trial_kind n judge it */
	unsigned int since, until; /* releases of torch */
	bool truncated; /* where the message ends early */
	bool batch; /* a factor for the batch belongs to it */
};

/* The rule of la_remedies()[index]. */
const struct la_remedy_rule *la_remedy_rule(size_t index);

/* Is it one of the words of a list?  A NULL list has all words. */
bool la_remedy_word(const char *list, const char *word);

#endif /* LA_TRIAGE_REMEDY_TABLE_H */
