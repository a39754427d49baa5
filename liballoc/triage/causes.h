/* SPDX-License-Identifier: Apache-2.0 */
/* Which causes would have sufficed alone. */
#ifndef LA_TRIAGE_CAUSES_H
#define LA_TRIAGE_CAUSES_H

#include <liballoc/triage.h>

/* Does a cause suffice? */
enum answer { NO, UNSURE, YES };

/* What is judged, and what follows of it. */
struct question {
	const struct la_facts *facts;
	const struct la_margin *margin; /* by enum la_margin_id */
	/* All is exact but the cap, known from what it let pass and what it
	 * refused, or from a message: where that leaves it open what suffices,
	 * its middle decides. */
	bool middle;
	struct la_margin room; /* see la_margin_room() */
	struct la_margin segment; /* see la_margin_segment() */
};

enum { RULES = 9 };

/* A cause, and whether it suffices. */
struct rule {
	enum la_cause cause; /* FRAGMENTATION: of any kind */
	enum answer (*holds)(const struct question *q);
};

/* In the order of what it costs the user to end them. */
extern const struct rule la_rules[RULES];

/* Room and these bytes, against the segment. */
enum answer la_answer_with(const struct question *q, enum la_amount_id id);

/* What was cached is below 1 GiB and a twenty-fifth of what was held: packed,
 * it would have served this request, and the next ones would have failed. */
bool la_is_little(const struct la_facts *facts);

#endif /* LA_TRIAGE_CAUSES_H */
