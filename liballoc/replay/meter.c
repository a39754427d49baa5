// SPDX-License-Identifier: Apache-2.0
/* The time that a replay's device operations take. */

#include "heap/internal.h"
#include "replay/meter.h"

/* Mapping and unmapping go by granules, and each costs the same. */
static double cost_of(const struct meter *meter, enum la_action action,
		      uint64_t size)
{
	uint64_t granule = size % meter->granule ? SMALL_SEGMENT :
						   meter->granule;

	if (action != LA_SEGMENT_MAP && action != LA_SEGMENT_UNMAP)
		return la_costs_of(meter->costs, action, size);
	return (double)(size / granule) *
	       la_costs_of(meter->costs, action, granule);
}

static void add_cost(struct meter *meter, enum la_action action, uint64_t size)
{
	if (action == LA_ALLOC) {
		meter->idle = false;
		return;
	}
	meter->time += cost_of(meter, action, size);
	if (action != LA_SEGMENT_FREE && action != LA_SEGMENT_UNMAP)
		return;
	if (!meter->idle)
		meter->time += meter->costs->wait;
	meter->idle = true;
}

void meter_hear(void *data, enum la_action action, uint64_t addr, uint64_t size,
		uint64_t stream)
{
	struct meter *meter = data;

	add_cost(meter, action, size);
	if (meter->listener)
		meter->listener(meter->listener_data, action, addr, size,
				stream);
}

void meter_split(void *data, uint64_t addr, uint64_t size, uint64_t whole)
{
	const struct meter *meter = data;

	meter->split_listener(meter->listener_data, addr, size, whole);
}
