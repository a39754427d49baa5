/* SPDX-License-Identifier: Apache-2.0 */
/* What sentences about one OOM are put together of. */
#ifndef ALLOCCTL_TRIAGE_STORY_H
#define ALLOCCTL_TRIAGE_STORY_H

#include "triage.h"

struct story {
	struct la_strbuf *out;
	enum la_language language;
	const struct triage_oom *oom;
	bool strangers; /* are told: no processes, no files */
};

bool story_knows(const struct story *story, enum la_amount_id id);
const char *story_amount(const struct story *story, enum la_amount_id id,
			 char text[TRIAGE_SIZE]);

/* What stands between two sentences. */
void story_go_on(struct story *story);

/* A sentence, or one about one amount if that is known. */
void story_say(struct story *story, enum triage_word word);
void story_say_of(struct story *story, enum triage_word word,
		  enum la_amount_id id);

/* A margin as what was missing; where that is not sure, maybe nothing. */
struct la_margin story_missing(const struct la_margin *margin);

/* What was asked for, and how much of it was missing. */
void story_shortfall(struct story *story);

#endif /* ALLOCCTL_TRIAGE_STORY_H */
