// SPDX-License-Identifier: Apache-2.0
/* What a device operation costs: measured points, and lines between them. */

#include <string.h>

#include "replay/costs.h"
#include "util/util.h"

static const struct la_costs built_in = {
#include "device-costs.inc"
};

LA_EXPORT const struct la_costs *la_costs_default(void)
{
	return &built_in;
}

/* The member of a point that lies so many bytes behind its start. */
static double cost_at(const struct la_cost_point *point, size_t member)
{
	double cost;

	memcpy(&cost, (const char *)point + member, sizeof(cost));
	return cost;
}

double costs_between(const struct la_costs *costs, size_t member,
		     uint64_t size)
{
	const struct la_cost_point *low = costs->point, *high;
	const struct la_cost_point *last = low + costs->point_count - 1;
	double share, from;

	if (!costs->point_count)
		return 0;
	if (size <= low->size || low == last)
		return cost_at(low, member);
	while (low + 1 < last && low[1].size < size)
		low++;
	high = low + 1;
	share = (double)(size - low->size) / (double)(high->size - low->size);
	from = cost_at(low, member);
	return from + share * (cost_at(high, member) - from);
}

LA_EXPORT double la_costs_of(const struct la_costs *costs,
			     enum la_action action, uint64_t size)
{
	switch (action) {
	case LA_SEGMENT_ALLOC:
		return costs_between(costs, COST(malloc), size);
	case LA_SEGMENT_FREE:
		return costs_between(costs, COST(free), size);
	case LA_SEGMENT_MAP:
		return costs_between(costs, COST(map), size);
	case LA_SEGMENT_UNMAP:
		return costs_between(costs, COST(unmap), size);
	default:
		return 0;
	}
}
