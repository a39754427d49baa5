/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of a log, each once. */
#ifndef LA_TRIAGE_FOUND_H
#define LA_TRIAGE_FOUND_H

#include "triage/message.h"

struct la_found {
	struct la_facts *facts; /* owned, room for LA_LOG_MAX */
	/* Of each: only details and source lines were seen, which count once */
	bool hinted[LA_LOG_MAX];
	size_t count;
	uint64_t lost; /* found no room */
};

/* 0 or -ENOMEM. */
int la_found_init(struct la_found *found);
void la_found_release(struct la_found *found);

/* Add what a message says, or count it where it is known; 0 or -ENOMEM. */
int la_found_add(struct la_found *found, const struct la_message *message);

/* Put them in order of their first lines. */
void la_found_sort(struct la_found *found);

#endif /* LA_TRIAGE_FOUND_H */
