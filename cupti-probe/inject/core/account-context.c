// SPDX-License-Identifier: Apache-2.0
/*
 * Contexts and what they cost.  The cost of one is how much less is free after
 * its creation: before it the driver can be asked only through another context
 * of that device, else NVML may have been asked when the probe began.  If
 * neither was possible the record has all that was in use right after, and the
 * device's sum leaves it out.
 */

#include "core/account.h"
#include "core/driver.h"
#include "core/nvml.h"
#include "core/sample.h"
#include "core/spin.h"
#include "core/store.h"

enum {
	CONTEXTS = 64 /* that are told apart */
};

/* What was made; handle NULL: a free place. */
struct context {
	CUcontext handle;
	unsigned int device;
	bool primary;
	uint64_t cost; /* bytes in la_probe_device.context */
};

static struct {
	spinlock lock; /* held for a walk of the list */
	struct context list[CONTEXTS];
} contexts;

/* False if it is there. */
static bool remember(const struct context *context)
{
	struct context *place = NULL;
	bool known = false;
	int i;

	spin_lock(&contexts.lock);
	for (i = 0; i < CONTEXTS; i++) {
		if (contexts.list[i].handle == context->handle)
			known = true;
		else if (!contexts.list[i].handle)
			place = &contexts.list[i];
	}
	if (!known && place)
		*place = *context;
	spin_unlock(&contexts.lock);
	return !known;
}

/* By handle, or with NULL a device's primary one. */
static bool forget(CUcontext handle, unsigned int device, struct context *old)
{
	struct context *c;
	bool found = false;

	spin_lock(&contexts.lock);
	for (c = contexts.list; c < contexts.list + CONTEXTS && !found; c++) {
		if (handle)
			found = c->handle == handle;
		else
			found = c->handle && c->primary && c->device == device;
		if (found) {
			*old = *c;
			c->handle = NULL;
		}
	}
	spin_unlock(&contexts.lock);
	return found;
}

static void measure_before(struct frame *frame, CUdevice ordinal)
{
	unsigned int device = LA_PROBE_DEVICES;
	uint64_t total;
	CUcontext context;

	if (ordinal < 0 || ordinal >= LA_PROBE_DEVICES)
		return;
	if (driver_here(&context, &device) && device == (unsigned int)ordinal &&
	    driver_memory(&frame->free_before, &total))
		frame->measured = MEASURED_BY_DRIVER;
	else if (nvml_free_before(ordinal, &frame->free_before))
		frame->measured = MEASURED_BY_NVML;
}

/* Fill size and other of the record: the cost, and how it is known. */
static uint64_t cost(struct call *call, uint64_t free, uint64_t total)
{
	const struct frame *frame = call->frame;

	call->record->other = frame->measured;
	if (frame->measured == MEASURED_NOT) {
		call->record->size = total - free;
		return 0;
	}
	call->record->size =
		frame->free_before > free ? frame->free_before - free : 0;
	return call->record->size;
}

static void created(struct call *call, CUcontext handle, CUdevice ordinal,
		    bool primary)
{
	struct la_probe_device *device;
	struct context context = { handle, ordinal, primary, 0 };
	uint64_t free, total;
	bool asked;

	call->record->device = (uint8_t)ordinal;
	if (!account_succeeded(call) || ordinal < 0 ||
	    ordinal >= LA_PROBE_DEVICES)
		return;
	call->record->addr = (uintptr_t)handle;
	asked = primary ? driver_memory_of(handle, &free, &total) :
			  driver_memory(&free, &total);
	if (asked) {
		context.cost = cost(call, free, total);
		sample_seen(ordinal, free, total, 0, call->record->time);
	}
	if (!remember(&context)) {
		call->record->op = LA_PROBE_OP_OTHER;
		return;
	}
	device = &store.device[ordinal];
	__atomic_fetch_add(&device->contexts, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&device->context, context.cost, __ATOMIC_RELAXED);
	nvml_find_self(ordinal);
}

static void destroyed(struct call *call, CUcontext handle, CUdevice ordinal)
{
	struct context context;

	if (!account_succeeded(call) || !forget(handle, ordinal, &context))
		return;
	call->record->addr = (uintptr_t)context.handle;
	call->record->size = context.cost;
	call->record->device = (uint8_t)context.device;
	__atomic_fetch_sub(&store.device[context.device].contexts, 1,
			   __ATOMIC_RELAXED);
	__atomic_fetch_sub(&store.device[context.device].context, context.cost,
			   __ATOMIC_RELAXED);
	account_forget(context.handle, context.device, call->frame->time);
}

static void retain_enter(struct frame *frame)
{
	const struct cuDevicePrimaryCtxRetain_params *p = frame->params;

	frame->fresh = !driver_primary_is_active(p->dev);
	if (frame->fresh)
		measure_before(frame, p->dev);
}

static void retain_exit(struct call *call)
{
	const struct cuDevicePrimaryCtxRetain_params *p = call->params;

	if (call->frame->fresh)
		created(call, account_succeeded(call) ? *p->pctx : NULL, p->dev,
			true);
	else
		call->record->op = LA_PROBE_OP_OTHER;
}

/* It goes with its last reference. */
static void release(struct call *call)
{
	const struct cuDevicePrimaryCtxRelease_params *p = call->params;

	if (driver_primary_is_active(p->dev))
		call->record->op = LA_PROBE_OP_OTHER;
	else
		destroyed(call, NULL, p->dev);
}

static void reset(struct call *call)
{
	const struct cuDevicePrimaryCtxReset_params *p = call->params;

	destroyed(call, NULL, p->dev);
}

static void create_enter(struct frame *frame)
{
	const struct cuCtxCreate_params *p = frame->params;

	measure_before(frame, p->dev);
}

static void create(struct call *call)
{
	const struct cuCtxCreate_params *p = call->params;

	created(call, account_succeeded(call) ? *p->pctx : NULL, p->dev, false);
}

static void create_v3_enter(struct frame *frame)
{
	const struct cuCtxCreate_v3_params *p = frame->params;

	measure_before(frame, p->dev);
}

static void create_v3(struct call *call)
{
	const struct cuCtxCreate_v3_params *p = call->params;

	created(call, account_succeeded(call) ? *p->pctx : NULL, p->dev, false);
}

static void create_v4_enter(struct frame *frame)
{
	const struct cuCtxCreate_v4_params *p = frame->params;

	measure_before(frame, p->dev);
}

static void create_v4(struct call *call)
{
	const struct cuCtxCreate_v4_params *p = call->params;

	created(call, account_succeeded(call) ? *p->pctx : NULL, p->dev, false);
}

static void destroy(struct call *call)
{
	const struct cuCtxDestroy_params *p = call->params;

	call->record->addr = (uintptr_t)p->ctx;
	if (p->ctx)
		destroyed(call, p->ctx, 0);
}

/* A share of the primary context, which has the memory. */
static void green_create(struct call *call)
{
	const struct cuGreenCtxCreate_params *p = call->params;

	call->record->device = (uint8_t)p->dev;
	if (account_succeeded(call))
		call->record->addr = (uintptr_t)*p->phCtx;
}

static void green_destroy(struct call *call)
{
	const struct cuGreenCtxDestroy_params *p = call->params;

	call->record->addr = (uintptr_t)p->hCtx;
}

const struct call_row calls_context[] = {
	{ PROBE_cuDevicePrimaryCtxRetain, LA_PROBE_OP_CONTEXT_CREATE,
	  retain_enter, retain_exit },
	{ PROBE_cuDevicePrimaryCtxRelease, LA_PROBE_OP_CONTEXT_DESTROY, NULL,
	  release },
	{ PROBE_cuDevicePrimaryCtxRelease_v2, LA_PROBE_OP_CONTEXT_DESTROY, NULL,
	  release },
	{ PROBE_cuDevicePrimaryCtxReset, LA_PROBE_OP_CONTEXT_DESTROY, NULL,
	  reset },
	{ PROBE_cuDevicePrimaryCtxReset_v2, LA_PROBE_OP_CONTEXT_DESTROY, NULL,
	  reset },
	{ PROBE_cuCtxCreate, LA_PROBE_OP_CONTEXT_CREATE, create_enter, create },
	{ PROBE_cuCtxCreate_v2, LA_PROBE_OP_CONTEXT_CREATE, create_enter,
	  create },
	{ PROBE_cuCtxCreate_v3, LA_PROBE_OP_CONTEXT_CREATE, create_v3_enter,
	  create_v3 },
	{ PROBE_cuCtxCreate_v4, LA_PROBE_OP_CONTEXT_CREATE, create_v4_enter,
	  create_v4 },
	{ PROBE_cuCtxDestroy, LA_PROBE_OP_CONTEXT_DESTROY, NULL, destroy },
	{ PROBE_cuCtxDestroy_v2, LA_PROBE_OP_CONTEXT_DESTROY, NULL, destroy },
	{ PROBE_cuGreenCtxCreate, LA_PROBE_OP_OTHER, NULL, green_create },
	{ PROBE_cuGreenCtxDestroy, LA_PROBE_OP_OTHER, NULL, green_destroy },
	CALLS_END
};
