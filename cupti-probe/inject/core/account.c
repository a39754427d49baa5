// SPDX-License-Identifier: Apache-2.0
/* What all groups of calls share: gaining and losing holdings. */

#include "core/account.h"
#include "core/store.h"

bool account_takes(enum la_probe_op op)
{
	switch (op) {
	case LA_PROBE_OP_FREE:
	case LA_PROBE_OP_ASYNC_FREE:
	case LA_PROBE_OP_HOST_FREE:
	case LA_PROBE_OP_HOST_UNREGISTER:
	case LA_PROBE_OP_UNRESERVE:
	case LA_PROBE_OP_RELEASE:
	case LA_PROBE_OP_UNMAP:
	case LA_PROBE_OP_ARRAY_DESTROY:
	case LA_PROBE_OP_POOL_DESTROY:
	case LA_PROBE_OP_POOL_TRIM:
	case LA_PROBE_OP_GRAPH_FREE:
	case LA_PROBE_OP_GRAPH_TRIM:
	case LA_PROBE_OP_GRAPH_DESTROY:
	case LA_PROBE_OP_IPC_CLOSE:
	case LA_PROBE_OP_CONTEXT_DESTROY:
	case LA_PROBE_OP_MODULE_UNLOAD:
		return true;
	default:
		return false;
	}
}

static void count(const struct la_probe_holding *holding)
{
	if (holding->size && holding->device < LA_PROBE_DEVICES)
		store_count(holding->device, holding->kind,
			    (int64_t)holding->size);
}

void account_uncount(const struct la_probe_holding *holding)
{
	if (holding->size && holding->device < LA_PROBE_DEVICES)
		store_count(holding->device, holding->kind,
			    -(int64_t)holding->size);
}

void account_add(const struct la_probe_holding *holding)
{
	struct la_probe_holding old;
	bool kept = store_add(holding, &old);

	account_uncount(&old);
	if (kept)
		count(holding);
}

void account_gain(struct call *call, enum la_probe_kind kind, uint64_t addr,
		  uint64_t size, uint64_t other)
{
	struct la_probe_record *record = call->record;
	struct la_probe_holding holding = {
		.addr = addr,
		.size = size,
		.time = record->time,
		.other = other,
		.thread = store_thread(),
		.references = 1,
		.kind = kind,
		.device = record->device,
	};

	record->addr = addr;
	record->size = size;
	if (!account_succeeded(call) || !addr)
		return;
	account_add(&holding);
}

void account_take(struct frame *frame, uint64_t addr,
		  const enum la_probe_kind *kinds, size_t count)
{
	size_t i;

	for (i = 0; addr && i < count && !frame->taken; i++)
		frame->taken = store_remove(addr, kinds[i], &frame->held);
	if (frame->taken)
		account_uncount(&frame->held);
}

/* Tell the record what was taken; must it be put back? */
static bool is_undone(struct call *call, uint64_t addr)
{
	const struct la_probe_holding *held = &call->frame->held;

	call->record->addr = addr;
	if (!call->frame->taken)
		return false;
	call->record->size = held->size;
	call->record->device = held->device;
	return !account_succeeded(call);
}

void account_taken(struct call *call, uint64_t addr)
{
	if (is_undone(call, addr))
		account_add(&call->frame->held);
}

bool account_refer(const struct la_probe_holding *holding)
{
	struct la_probe_holding old;

	return store_refer(holding->addr, holding->kind, 1, &old) > 0;
}

bool account_drop(const struct la_probe_holding *holding)
{
	struct la_probe_holding old;

	if (store_refer(holding->addr, holding->kind, -1, &old) || !old.addr)
		return false;
	account_uncount(&old);
	return true;
}

void account_dropped(struct call *call, uint64_t addr)
{
	struct la_probe_holding *held = &call->frame->held;

	if (!is_undone(call, addr))
		return;
	if (!call->frame->fresh) {
		(void)account_refer(held);
		return;
	}
	held->references = 1;
	account_add(held);
}

/* Kinds that a context owns; handles of physical memory, pools and what is
 * another's outlive it. */
static bool is_of_context(const struct la_probe_holding *holding)
{
	switch (holding->kind) {
	case LA_PROBE_KIND_DEVICE:
	case LA_PROBE_KIND_MANAGED:
	case LA_PROBE_KIND_ARRAY:
	case LA_PROBE_KIND_HOST:
	case LA_PROBE_KIND_REGISTERED:
		return true;
	default:
		return false;
	}
}

struct owner {
	CUcontext context;
	unsigned int device;
	uint64_t before; /* time */
};

static bool belongs(const struct la_probe_holding *holding, const void *data)
{
	const struct owner *owner = data;

	return holding->device == owner->device &&
	       holding->time < owner->before && is_of_context(holding) &&
	       holding->other == (uintptr_t)owner->context;
}

void account_forget(CUcontext context, unsigned int device, uint64_t before)
{
	const struct owner owner = { context, device, before };

	store_remove_all(belongs, &owner, account_uncount);
}
