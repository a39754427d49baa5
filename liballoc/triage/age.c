// SPDX-License-Identifier: Apache-2.0
/* How long ago what is live was asked for. */

#include <errno.h>

#include "replay/addr-map.h"
#include "triage/recording.h"

static enum la_age age_of(uint64_t event, uint64_t end)
{
	uint64_t passed = end - event;

	if (passed <= end / 100)
		return LA_AGE_HUNDREDTH;
	if (passed <= end / 10)
		return LA_AGE_TENTH;
	return passed <= end / 2 ? LA_AGE_HALF : LA_AGE_OLDER;
}

/* Backwards, the first that is heard of an address tells whether it is live:
 * at its request it is, if nobody freed it later. */
static int see(struct witness *witness, struct addr_map *seen,
	       const struct la_event *event, uint64_t number)
{
	uint64_t *age = witness->facts->age;
	uint32_t any;

	if (event->action != LA_ALLOC && event->action != LA_FREE_COMPLETED)
		return 0;
	if (addr_map_get(seen, event->addr, &any))
		return 0;
	if (event->action == LA_ALLOC)
		age[age_of(number, witness->end)] += whole_blocks(event->size);
	return addr_map_set(seen, event->addr, 0);
}

/* What was live when the recording began is the rest of what is held. */
static void tell_rest(struct la_facts *facts)
{
	uint64_t rest = facts->amount[LA_AMOUNT_ALLOCATED].low;
	int i;

	for (i = 0; i < LA_AGE_BEFORE; i++)
		rest -= facts->age[i] < rest ? facts->age[i] : rest;
	facts->age[LA_AGE_BEFORE] = rest;
}

int witness_tell_ages(struct witness *witness)
{
	const struct la_recorded_device *device = witness->device;
	uint64_t number = 0;
	struct addr_map seen = { 0 };
	size_t i = 0;
	int err = 0;

	for (; i < device->event_count && number < witness->end; i++)
		number += !is_mark(&device->events[i]);
	while (i-- > 0 && !err)
		if (!is_mark(&device->events[i]))
			err = see(witness, &seen, &device->events[i], --number);
	addr_map_destroy(&seen);
	if (!err && witness->facts->late)
		tell_rest(witness->facts);
	return err;
}
