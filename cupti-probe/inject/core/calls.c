// SPDX-License-Identifier: Apache-2.0
/* Collects the rows of the groups of calls into one table. */

#include "core/calls.h"

static struct call_row rows[PROBE_ENTRY_COUNT];

static const uint16_t ids[PROBE_ENTRY_COUNT] = {
#define X(name, id, since) [PROBE_##name] = id,
	PROBE_CALLS(X)
#undef X
};

void calls_init(void)
{
	static const struct call_row *const groups[] = {
		calls_device, calls_host,    calls_pool,    calls_vmm,
		calls_array,  calls_graph,   calls_foreign, calls_context,
		calls_module, calls_query,
	};
	const struct call_row *row;
	size_t i;

	for (i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		for (row = groups[i]; row->entry < PROBE_ENTRY_COUNT; row++)
			rows[row->entry] = *row;
}

const struct call_row *calls_row(enum probe_entry entry)
{
	return &rows[entry];
}

unsigned int calls_id(enum probe_entry entry)
{
	return ids[entry];
}
