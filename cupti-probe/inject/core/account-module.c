// SPDX-License-Identifier: Apache-2.0
/* Code and limits: they take memory that no call names. */

#include "core/account.h"

/* All ways to load begin with the place of the result. */
static void load(struct call *call)
{
	const struct cuModuleLoad_params *p = call->params;

	if (account_succeeded(call))
		call->record->addr = (uintptr_t)*p->module;
}

static void unload(struct call *call)
{
	const struct cuModuleUnload_params *p = call->params;

	call->record->addr = (uintptr_t)p->hmod;
}

static void limit(struct call *call)
{
	const struct cuCtxSetLimit_params *p = call->params;

	call->record->addr = p->limit;
	call->record->size = p->value;
}

const struct call_row calls_module[] = {
	{ PROBE_cuModuleLoad, LA_PROBE_OP_MODULE_LOAD, NULL, load },
	{ PROBE_cuModuleLoadData, LA_PROBE_OP_MODULE_LOAD, NULL, load },
	{ PROBE_cuModuleLoadDataEx, LA_PROBE_OP_MODULE_LOAD, NULL, load },
	{ PROBE_cuModuleLoadFatBinary, LA_PROBE_OP_MODULE_LOAD, NULL, load },
	{ PROBE_cuLibraryLoadData, LA_PROBE_OP_MODULE_LOAD, NULL, load },
	{ PROBE_cuLibraryLoadFromFile, LA_PROBE_OP_MODULE_LOAD, NULL, load },
	{ PROBE_cuModuleUnload, LA_PROBE_OP_MODULE_UNLOAD, NULL, unload },
	{ PROBE_cuLibraryUnload, LA_PROBE_OP_MODULE_UNLOAD, NULL, unload },
	{ PROBE_cuCtxSetLimit, LA_PROBE_OP_LIMIT, NULL, limit },
	CALLS_END
};
