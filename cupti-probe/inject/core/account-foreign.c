// SPDX-License-Identifier: Apache-2.0
/* Memory of other processes and of other interfaces: none of our own bytes. */

#include "core/account.h"
#include "core/driver.h"
#include "core/store.h"

static const enum la_probe_kind foreign = LA_PROBE_KIND_FOREIGN;

static void handle_get(struct call *call)
{
	const struct cuIpcGetMemHandle_params *p = call->params;

	call->record->addr = p->dptr;
}

/* What is open already is given again, and counted by the driver. */
static void open_handle(struct call *call, const CUdeviceptr *where)
{
	struct la_probe_holding found;

	if (!account_succeeded(call))
		return;
	if (!store_find(*where, foreign, &found)) {
		account_gain(call, foreign, *where, driver_size(*where), 0);
		return;
	}
	call->record->addr = *where;
	call->record->size = found.size;
	(void)account_refer(&found);
}

static void open_v1(struct call *call)
{
	const struct cuIpcOpenMemHandle_params *p = call->params;

	open_handle(call, p->pdptr);
}

static void open_v2(struct call *call)
{
	const struct cuIpcOpenMemHandle_v2_params *p = call->params;

	open_handle(call, p->pdptr);
}

static void close_enter(struct frame *frame)
{
	const struct cuIpcCloseMemHandle_params *p = frame->params;

	frame->taken = store_find(p->dptr, foreign, &frame->held);
	frame->fresh = frame->taken && account_drop(&frame->held);
}

static void close_exit(struct call *call)
{
	const struct cuIpcCloseMemHandle_params *p = call->params;

	account_dropped(call, p->dptr);
}

static void external_import(struct call *call)
{
	const struct cuImportExternalMemory_params *p = call->params;

	if (account_succeeded(call))
		call->record->addr = (uintptr_t)*p->extMem_out;
}

static void external_buffer(struct call *call)
{
	const struct cuExternalMemoryGetMappedBuffer_params *p = call->params;

	if (!p->bufferDesc)
		return;
	account_gain(call, foreign, account_succeeded(call) ? *p->devPtr : 0,
		     p->bufferDesc->size, (uintptr_t)p->extMem);
}

static void external_array(struct call *call)
{
	const struct cuExternalMemoryGetMappedMipmappedArray_params *p =
		call->params;

	call->record->addr = (uintptr_t)p->extMem;
}

static void external_destroy(struct call *call)
{
	const struct cuDestroyExternalMemory_params *p = call->params;

	call->record->addr = (uintptr_t)p->extMem;
}

const struct call_row calls_foreign[] = {
	{ PROBE_cuIpcGetMemHandle, LA_PROBE_OP_OTHER, NULL, handle_get },
	{ PROBE_cuIpcOpenMemHandle, LA_PROBE_OP_IPC_OPEN, NULL, open_v1 },
	{ PROBE_cuIpcOpenMemHandle_v2, LA_PROBE_OP_IPC_OPEN, NULL, open_v2 },
	{ PROBE_cuIpcCloseMemHandle, LA_PROBE_OP_IPC_CLOSE, close_enter,
	  close_exit },
	{ PROBE_cuImportExternalMemory, LA_PROBE_OP_OTHER, NULL,
	  external_import },
	{ PROBE_cuExternalMemoryGetMappedBuffer, LA_PROBE_OP_IPC_OPEN, NULL,
	  external_buffer },
	{ PROBE_cuExternalMemoryGetMappedMipmappedArray, LA_PROBE_OP_OTHER,
	  NULL, external_array },
	{ PROBE_cuDestroyExternalMemory, LA_PROBE_OP_OTHER, NULL,
	  external_destroy },
	CALLS_END
};
