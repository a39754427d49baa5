/* SPDX-License-Identifier: Apache-2.0 */
/* Joining facts: what any two sources of one OOM tell. */
#ifndef LA_TRIAGE_FACTS_H
#define LA_TRIAGE_FACTS_H

#include <liballoc/triage.h>

/* Of ranks, processes and devices, which are below 0 if unknown. */
static inline bool la_same_or_unknown(int64_t one, int64_t other)
{
	return one < 0 || other < 0 || one == other;
}

/* Take the rank, process and device that facts lack. */
void la_facts_fill_place(struct la_facts *facts, const struct la_facts *from);

/* Narrow the releases; what contradicts them is passed over. */
void la_facts_bound_release(struct la_facts *facts, unsigned int oldest,
			    unsigned int newest);

#endif /* LA_TRIAGE_FACTS_H */
