// SPDX-License-Identifier: Apache-2.0
/* cuMemAlloc and its kin: memory of the device, by address. */

#include "core/account.h"

/* What cuMemFree takes, most frequent first: graphs may hand their memory
 * over, and buffers of external memory are freed like one's own. */
static const enum la_probe_kind freed[] = {
	LA_PROBE_KIND_DEVICE, LA_PROBE_KIND_ASYNC,   LA_PROBE_KIND_MANAGED,
	LA_PROBE_KIND_GRAPH,  LA_PROBE_KIND_FOREIGN,
};

static void gain(struct call *call, enum la_probe_kind kind, uint64_t addr,
		 uint64_t size)
{
	call->record->other = kind;
	account_gain(call, kind, addr, size, (uintptr_t)call->context);
}

static void alloc_v1(struct call *call)
{
	const struct cuMemAlloc_params *p = call->params;

	gain(call, LA_PROBE_KIND_DEVICE, account_succeeded(call) ? *p->dptr : 0,
	     p->bytesize);
}

static void alloc(struct call *call)
{
	const struct cuMemAlloc_v2_params *p = call->params;

	gain(call, LA_PROBE_KIND_DEVICE, account_succeeded(call) ? *p->dptr : 0,
	     p->bytesize);
}

static void managed(struct call *call)
{
	const struct cuMemAllocManaged_params *p = call->params;

	gain(call, LA_PROBE_KIND_MANAGED,
	     account_succeeded(call) ? *p->dptr : 0, p->bytesize);
}

static uint64_t rows(uint64_t pitch, uint64_t height)
{
	uint64_t size;

	return __builtin_mul_overflow(pitch, height, &size) ? UINT64_MAX : size;
}

static void pitch_v1(struct call *call)
{
	const struct cuMemAllocPitch_params *p = call->params;
	bool done = account_succeeded(call);

	gain(call, LA_PROBE_KIND_DEVICE, done ? *p->dptr : 0,
	     rows(done ? *p->pPitch : p->WidthInBytes, p->Height));
}

static void pitch(struct call *call)
{
	const struct cuMemAllocPitch_v2_params *p = call->params;
	bool done = account_succeeded(call);

	gain(call, LA_PROBE_KIND_DEVICE, done ? *p->dptr : 0,
	     rows(done ? *p->pPitch : p->WidthInBytes, p->Height));
}

static void free_v1_enter(struct frame *frame)
{
	const struct cuMemFree_params *p = frame->params;

	account_take(frame, p->dptr, freed, sizeof(freed) / sizeof(*freed));
}

static void free_v1(struct call *call)
{
	const struct cuMemFree_params *p = call->params;

	account_taken(call, p->dptr);
}

static void free_enter(struct frame *frame)
{
	const struct cuMemFree_v2_params *p = frame->params;

	account_take(frame, p->dptr, freed, sizeof(freed) / sizeof(*freed));
}

static void free_exit(struct call *call)
{
	const struct cuMemFree_v2_params *p = call->params;

	account_taken(call, p->dptr);
}

const struct call_row calls_device[] = {
	{ PROBE_cuMemAlloc, LA_PROBE_OP_ALLOC, NULL, alloc_v1 },
	{ PROBE_cuMemAlloc_v2, LA_PROBE_OP_ALLOC, NULL, alloc },
	{ PROBE_cuMemAllocPitch, LA_PROBE_OP_ALLOC, NULL, pitch_v1 },
	{ PROBE_cuMemAllocPitch_v2, LA_PROBE_OP_ALLOC, NULL, pitch },
	{ PROBE_cuMemAllocManaged, LA_PROBE_OP_ALLOC, NULL, managed },
	{ PROBE_cuMemFree, LA_PROBE_OP_FREE, free_v1_enter, free_v1 },
	{ PROBE_cuMemFree_v2, LA_PROBE_OP_FREE, free_enter, free_exit },
	CALLS_END
};
