// SPDX-License-Identifier: Apache-2.0
/* The program asks how much memory is free: an answer for the probe as well. */

#include "core/account.h"
#include "core/episode.h"
#include "core/sample.h"

static void answered(struct call *call, uint64_t free, uint64_t total)
{
	struct la_probe_record *record = call->record;

	sample_seen(record->device, free, total, record->call, record->time);
	episode_asked(free, record->time);
}

/* sample_seen() leaves the record. */
static void ask_v1(struct call *call)
{
	const struct cuMemGetInfo_params *p = call->params;

	if (account_succeeded(call) && p->free && p->total)
		answered(call, *p->free, *p->total);
	call->record->op = LA_PROBE_OP_NONE;
}

static void ask_v2(struct call *call)
{
	const struct cuMemGetInfo_v2_params *p = call->params;

	if (account_succeeded(call) && p->free && p->total)
		answered(call, *p->free, *p->total);
	call->record->op = LA_PROBE_OP_NONE;
}

const struct call_row calls_query[] = {
	{ PROBE_cuMemGetInfo, LA_PROBE_OP_MEMORY, NULL, ask_v1 },
	{ PROBE_cuMemGetInfo_v2, LA_PROBE_OP_MEMORY, NULL, ask_v2 },
	CALLS_END
};
