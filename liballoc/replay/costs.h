/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_COSTS_H
#define LA_REPLAY_COSTS_H

#include <stddef.h>

#include <liballoc/replay.h>

#define COST(member) offsetof(struct la_cost_point, member)

/* Microseconds of the operation COST(member), as la_costs_of(). */
double costs_between(const struct la_costs *costs, size_t member,
		     uint64_t size);

#endif /* LA_REPLAY_COSTS_H */
