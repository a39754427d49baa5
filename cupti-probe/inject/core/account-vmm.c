// SPDX-License-Identifier: Apache-2.0
/*
 * Virtual memory management.  Bytes belong to the handle: they are there from
 * cuMemCreate() until the handle has been released as often as it was handed
 * out and the last mapping is gone, whichever comes last.  A holding's
 * references are both.  Handles of memory on the host, and of another
 * process's, are counted alike but as other kinds.
 */

#include "core/account.h"
#include "core/store.h"

static const enum la_probe_kind addresses = LA_PROBE_KIND_ADDRESSES;
static const enum la_probe_kind handles[] = {
	LA_PROBE_KIND_PHYSICAL,
	LA_PROBE_KIND_FOREIGN,
	LA_PROBE_KIND_HOST,
};

static bool find_handle(uint64_t handle, struct la_probe_holding *found)
{
	size_t i;

	for (i = 0; i < sizeof(handles) / sizeof(*handles); i++)
		if (handle && store_find(handle, handles[i], found))
			return true;
	return false;
}

static void create(struct call *call)
{
	const struct cuMemCreate_params *p = call->params;
	enum la_probe_kind kind = LA_PROBE_KIND_PHYSICAL;

	if (p->prop && p->prop->location.type == LOCATION_DEVICE)
		call->record->device = (uint8_t)p->prop->location.id;
	else
		kind = LA_PROBE_KIND_HOST;
	call->record->other = kind;
	account_gain(call, kind, account_succeeded(call) ? *p->handle : 0,
		     p->size, 0);
}

static void release_enter(struct frame *frame)
{
	const struct cuMemRelease_params *p = frame->params;

	frame->taken = find_handle(p->handle, &frame->held);
	frame->fresh = frame->taken && account_drop(&frame->held);
}

static void release_exit(struct call *call)
{
	const struct cuMemRelease_params *p = call->params;

	account_dropped(call, p->handle);
}

static void retain(struct call *call)
{
	const struct cuMemRetainAllocationHandle_params *p = call->params;
	struct la_probe_holding found;

	if (!account_succeeded(call))
		return;
	call->record->addr = *p->handle;
	if (!find_handle(*p->handle, &found))
		return;
	call->record->size = found.size;
	call->record->device = found.device;
	(void)account_refer(&found);
}

/* Its size shows when it is mapped. */
static void import(struct call *call)
{
	const struct cuMemImportFromShareableHandle_params *p = call->params;
	struct la_probe_holding found;

	if (!account_succeeded(call))
		return;
	if (!find_handle(*p->handle, &found)) {
		account_gain(call, LA_PROBE_KIND_FOREIGN, *p->handle, 0, 0);
		return;
	}
	call->record->addr = found.addr;
	call->record->size = found.size;
	(void)account_refer(&found);
}

static void export(struct call *call)
{
	const struct cuMemExportToShareableHandle_params *p = call->params;

	call->record->addr = p->handle;
}

/* The mapping's reference comes first: the handle may be released meanwhile. */
static void map_enter(struct frame *frame)
{
	const struct cuMemMap_params *p = frame->params;

	frame->taken = find_handle(p->handle, &frame->held) &&
		       account_refer(&frame->held);
}

static void learn_size(const struct la_probe_holding *handle, uint64_t size)
{
	struct la_probe_holding found;

	if (handle->kind != LA_PROBE_KIND_FOREIGN || handle->size ||
	    !store_find(handle->addr, handle->kind, &found) || found.size)
		return;
	found.size = size;
	account_add(&found);
}

static void map_exit(struct call *call)
{
	const struct cuMemMap_params *p = call->params;
	struct frame *frame = call->frame;

	call->record->other = p->handle;
	if (frame->taken)
		call->record->device = frame->held.device;
	account_gain(call, LA_PROBE_KIND_MAPPING, p->ptr, p->size, p->handle);
	if (!frame->taken)
		return;
	if (account_succeeded(call))
		learn_size(&frame->held, p->size);
	else
		(void)account_drop(&frame->held);
}

/* A handle that is younger than its mapping is another one: the driver has
 * given the number again since the memory went. */
static void mapping_gone(const struct la_probe_holding *mapping)
{
	struct la_probe_holding found;

	account_uncount(mapping);
	if (find_handle(mapping->other, &found) && found.time <= mapping->time)
		(void)account_drop(&found);
}

/* After the call: nobody else can be given a range that is still reserved. */
static void unmap(struct call *call)
{
	const struct cuMemUnmap_params *p = call->params;

	call->record->addr = p->ptr;
	call->record->size = p->size;
	if (account_succeeded(call))
		store_remove_range(p->ptr, p->size, LA_PROBE_KIND_MAPPING,
				   mapping_gone);
}

static void reserve(struct call *call)
{
	const struct cuMemAddressReserve_params *p = call->params;

	account_gain(call, addresses, account_succeeded(call) ? *p->ptr : 0,
		     p->size, 0);
}

static void unreserve_enter(struct frame *frame)
{
	const struct cuMemAddressFree_params *p = frame->params;

	account_take(frame, p->ptr, &addresses, 1);
}

static void unreserve_exit(struct call *call)
{
	const struct cuMemAddressFree_params *p = call->params;

	account_taken(call, p->ptr);
	call->record->size = p->size;
}

static void access_set(struct call *call)
{
	const struct cuMemSetAccess_params *p = call->params;

	call->record->addr = p->ptr;
	call->record->size = p->size;
}

static void multicast_create(struct call *call)
{
	const struct cuMulticastCreate_params *p = call->params;

	if (account_succeeded(call))
		call->record->addr = *p->mcHandle;
}

/* All of these begin with the handle. */
static void multicast(struct call *call)
{
	const struct cuMulticastAddDevice_params *p = call->params;

	call->record->addr = p->mcHandle;
}

const struct call_row calls_vmm[] = {
	{ PROBE_cuMemCreate, LA_PROBE_OP_CREATE, NULL, create },
	{ PROBE_cuMemMap, LA_PROBE_OP_MAP, map_enter, map_exit },
	{ PROBE_cuMemSetAccess, LA_PROBE_OP_ACCESS, NULL, access_set },
	{ PROBE_cuMemUnmap, LA_PROBE_OP_UNMAP, NULL, unmap },
	{ PROBE_cuMemRelease, LA_PROBE_OP_RELEASE, release_enter,
	  release_exit },
	{ PROBE_cuMemRetainAllocationHandle, LA_PROBE_OP_RETAIN, NULL, retain },
	{ PROBE_cuMemImportFromShareableHandle, LA_PROBE_OP_IMPORT, NULL,
	  import },
	{ PROBE_cuMemExportToShareableHandle, LA_PROBE_OP_OTHER, NULL, export },
	{ PROBE_cuMemAddressReserve, LA_PROBE_OP_RESERVE, NULL, reserve },
	{ PROBE_cuMemAddressFree, LA_PROBE_OP_UNRESERVE, unreserve_enter,
	  unreserve_exit },
	{ PROBE_cuMemMapArrayAsync, LA_PROBE_OP_OTHER, NULL, NULL },
	{ PROBE_cuMemMapArrayAsync_ptsz, LA_PROBE_OP_OTHER, NULL, NULL },
	{ PROBE_cuMulticastCreate, LA_PROBE_OP_OTHER, NULL, multicast_create },
	{ PROBE_cuMulticastAddDevice, LA_PROBE_OP_OTHER, NULL, multicast },
	{ PROBE_cuMulticastBindMem, LA_PROBE_OP_OTHER, NULL, multicast },
	{ PROBE_cuMulticastBindAddr, LA_PROBE_OP_OTHER, NULL, multicast },
	{ PROBE_cuMulticastBindMem_v2, LA_PROBE_OP_OTHER, NULL, multicast },
	{ PROBE_cuMulticastBindAddr_v2, LA_PROBE_OP_OTHER, NULL, multicast },
	{ PROBE_cuMulticastUnbind, LA_PROBE_OP_OTHER, NULL, multicast },
	CALLS_END
};
