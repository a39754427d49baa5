/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LA_REPLAY_METER_H
#define LA_REPLAY_METER_H

#include <stdbool.h>

#include <liballoc/replay.h>

/* Sums up what the operations of a replay cost. */
struct meter {
	const struct la_costs *costs; /* borrowed */
	uint64_t granule; /* bytes that the setting maps at once, large class */
	double time; /* microseconds */
	bool idle; /* nothing was handed out since the device was emptied */
	la_heap_listener *listener; /* hears everything too, or NULL */
	la_heap_split_listener *split_listener; /* ... each split */
	void *listener_data; /* first argument of both */
};

/* Listeners of a heap; data is a struct meter. */
void meter_hear(void *data, enum la_action action, uint64_t addr, uint64_t size,
		uint64_t stream);
void meter_split(void *data, uint64_t addr, uint64_t size, uint64_t whole);

#endif /* LA_REPLAY_METER_H */
