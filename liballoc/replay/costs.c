// SPDX-License-Identifier: Apache-2.0
/* What a device operation costs: measured points, and lines between them. */

#include <liballoc/replay.h>

#include "util/util.h"

static const struct la_costs built_in = {
#include "device-costs.inc"
};

LA_EXPORT const struct la_costs *la_costs_default(void)
{
	return &built_in;
}

static double cost_at(const struct la_cost_point *point, enum la_action action)
{
	switch (action) {
	case LA_SEGMENT_ALLOC:
		return point->malloc;
	case LA_SEGMENT_FREE:
		return point->free;
	case LA_SEGMENT_MAP:
		return point->map;
	case LA_SEGMENT_UNMAP:
		return point->unmap;
	default:
		return 0;
	}
}

LA_EXPORT double la_costs_of(const struct la_costs *costs,
			     enum la_action action, uint64_t size)
{
	const struct la_cost_point *low = costs->point, *high;
	const struct la_cost_point *last = low + costs->point_count - 1;
	double share, from;

	if (!costs->point_count)
		return 0;
	if (size <= low->size || low == last)
		return cost_at(low, action);
	while (low + 1 < last && low[1].size < size)
		low++;
	high = low + 1;
	share = (double)(size - low->size) / (double)(high->size - low->size);
	from = cost_at(low, action);
	return from + share * (cost_at(high, action) - from);
}
