// SPDX-License-Identifier: Apache-2.0
/* Pinned memory of the host, allocated by the driver or registered. */

#include "core/account.h"

static const enum la_probe_kind allocated = LA_PROBE_KIND_HOST;
static const enum la_probe_kind registered = LA_PROBE_KIND_REGISTERED;

static void gain(struct call *call, enum la_probe_kind kind, const void *p,
		 uint64_t size)
{
	account_gain(call, kind, (uintptr_t)p, size, (uintptr_t)call->context);
}

static void alloc_v1(struct call *call)
{
	const struct cuMemAllocHost_params *p = call->params;

	gain(call, allocated, account_succeeded(call) ? *p->pp : NULL,
	     p->bytesize);
}

static void alloc_v2(struct call *call)
{
	const struct cuMemAllocHost_v2_params *p = call->params;

	gain(call, allocated, account_succeeded(call) ? *p->pp : NULL,
	     p->bytesize);
}

static void host_alloc(struct call *call)
{
	const struct cuMemHostAlloc_params *p = call->params;

	gain(call, allocated, account_succeeded(call) ? *p->pp : NULL,
	     p->bytesize);
}

static void free_enter(struct frame *frame)
{
	const struct cuMemFreeHost_params *p = frame->params;

	account_take(frame, (uintptr_t)p->p, &allocated, 1);
}

static void free_exit(struct call *call)
{
	const struct cuMemFreeHost_params *p = call->params;

	account_taken(call, (uintptr_t)p->p);
}

static void register_v1(struct call *call)
{
	const struct cuMemHostRegister_params *p = call->params;

	gain(call, registered, p->p, p->bytesize);
}

static void register_v2(struct call *call)
{
	const struct cuMemHostRegister_v2_params *p = call->params;

	gain(call, registered, p->p, p->bytesize);
}

static void unregister_enter(struct frame *frame)
{
	const struct cuMemHostUnregister_params *p = frame->params;

	account_take(frame, (uintptr_t)p->p, &registered, 1);
}

static void unregister_exit(struct call *call)
{
	const struct cuMemHostUnregister_params *p = call->params;

	account_taken(call, (uintptr_t)p->p);
}

const struct call_row calls_host[] = {
	{ PROBE_cuMemAllocHost, LA_PROBE_OP_HOST_ALLOC, NULL, alloc_v1 },
	{ PROBE_cuMemAllocHost_v2, LA_PROBE_OP_HOST_ALLOC, NULL, alloc_v2 },
	{ PROBE_cuMemHostAlloc, LA_PROBE_OP_HOST_ALLOC, NULL, host_alloc },
	{ PROBE_cuMemFreeHost, LA_PROBE_OP_HOST_FREE, free_enter, free_exit },
	{ PROBE_cuMemHostRegister, LA_PROBE_OP_HOST_REGISTER, NULL,
	  register_v1 },
	{ PROBE_cuMemHostRegister_v2, LA_PROBE_OP_HOST_REGISTER, NULL,
	  register_v2 },
	{ PROBE_cuMemHostUnregister, LA_PROBE_OP_HOST_UNREGISTER,
	  unregister_enter, unregister_exit },
	CALLS_END
};
