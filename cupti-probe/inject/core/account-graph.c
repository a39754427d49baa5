// SPDX-License-Identifier: Apache-2.0
/* Memory nodes of graphs, executable graphs, and captures of streams. */

#include "core/account.h"
#include "core/driver.h"
#include "core/sample.h"

static const enum la_probe_kind node = LA_PROBE_KIND_GRAPH;

static void gain(struct call *call, const CUDA_MEM_ALLOC_NODE_PARAMS *n)
{
	sample_uses_graphs();
	if (n->pool.location.type == LOCATION_DEVICE)
		call->record->device = (uint8_t)n->pool.location.id;
	account_gain(call, node, account_succeeded(call) ? n->addr : 0, n->size,
		     0);
}

static void node_alloc(struct call *call)
{
	const struct cuGraphAddMemAllocNode_params *p = call->params;

	if (p->nodeParams)
		gain(call, p->nodeParams);
}

static void node_free_enter(struct frame *frame)
{
	const struct cuGraphAddMemFreeNode_params *p = frame->params;

	account_take(frame, p->dptr, &node, 1);
}

static void node_free(struct call *call)
{
	const struct cuGraphAddMemFreeNode_params *p = call->params;

	account_taken(call, p->dptr);
}

static bool is_node(const CUgraphNodeParams *n, unsigned int type)
{
	return n && n->type == type;
}

static void any_node_take(struct frame *frame, const CUgraphNodeParams *n)
{
	if (is_node(n, CU_GRAPH_NODE_TYPE_MEM_FREE))
		account_take(frame, n->free, &node, 1);
}

/* Graphs may have thousands of nodes: those of other types leave records of
 * failures alone. */
static void any_node(struct call *call, const CUgraphNodeParams *n)
{
	struct la_probe_record *record = call->record;

	if (is_node(n, CU_GRAPH_NODE_TYPE_MEM_ALLOC)) {
		record->op = LA_PROBE_OP_GRAPH_ALLOC;
		gain(call, &n->alloc);
	} else if (is_node(n, CU_GRAPH_NODE_TYPE_MEM_FREE)) {
		record->op = LA_PROBE_OP_GRAPH_FREE;
		record->time = call->frame->time;
		account_taken(call, n->free);
	} else if (account_succeeded(call)) {
		record->op = LA_PROBE_OP_NONE;
	}
}

static void node_enter(struct frame *frame)
{
	const struct cuGraphAddNode_params *p = frame->params;

	any_node_take(frame, p->nodeParams);
}

static void node_exit(struct call *call)
{
	const struct cuGraphAddNode_params *p = call->params;

	any_node(call, p->nodeParams);
}

/* Of the third version, too. */
static void node_v2_enter(struct frame *frame)
{
	const struct cuGraphAddNode_v2_params *p = frame->params;

	any_node_take(frame, p->nodeParams);
}

static void node_v2_exit(struct call *call)
{
	const struct cuGraphAddNode_v2_params *p = call->params;

	any_node(call, p->nodeParams);
}

static void trim(struct call *call)
{
	const struct cuDeviceGraphMemTrim_params *p = call->params;

	call->record->device = (uint8_t)p->device;
}

/* All ways to instantiate begin with the place of the result. */
static void instantiate(struct call *call)
{
	const struct cuGraphInstantiate_params *p = call->params;

	sample_uses_graphs();
	if (account_succeeded(call))
		call->record->addr = (uintptr_t)*p->phGraphExec;
}

static void upload(struct call *call)
{
	const struct cuGraphUpload_params *p = call->params;

	call->record->addr = (uintptr_t)p->hGraph;
	call->record->stream = (uintptr_t)p->hStream;
}

static void destroy(struct call *call)
{
	const struct cuGraphExecDestroy_params *p = call->params;

	call->record->addr = (uintptr_t)p->hGraphExec;
}

/* The stream is the first parameter of all of these. */
static void capture_begin(struct call *call)
{
	const struct cuStreamBeginCapture_params *p = call->params;

	call->record->stream = (uintptr_t)p->hStream;
	if (account_succeeded(call))
		driver_capture(1);
	else
		call->record->op = LA_PROBE_OP_OTHER;
}

/* A capture that was made invalid ends by a call that fails. */
static void capture_end(struct call *call)
{
	const struct cuStreamEndCapture_params *p = call->params;

	call->record->stream = (uintptr_t)p->hStream;
	driver_capture(-1);
}

const struct call_row calls_graph[] = {
	{ PROBE_cuGraphAddMemAllocNode, LA_PROBE_OP_GRAPH_ALLOC, NULL,
	  node_alloc },
	{ PROBE_cuGraphAddMemFreeNode, LA_PROBE_OP_GRAPH_FREE, node_free_enter,
	  node_free },
	{ PROBE_cuGraphAddNode, LA_PROBE_OP_OTHER, node_enter, node_exit },
	{ PROBE_cuGraphAddNode_v2, LA_PROBE_OP_OTHER, node_v2_enter,
	  node_v2_exit },
	{ PROBE_cuGraphAddNode_v3, LA_PROBE_OP_OTHER, node_v2_enter,
	  node_v2_exit },
	{ PROBE_cuDeviceGraphMemTrim, LA_PROBE_OP_GRAPH_TRIM, NULL, trim },
	{ PROBE_cuGraphInstantiate, LA_PROBE_OP_GRAPH_CREATE, NULL,
	  instantiate },
	{ PROBE_cuGraphInstantiate_v2, LA_PROBE_OP_GRAPH_CREATE, NULL,
	  instantiate },
	{ PROBE_cuGraphInstantiateWithFlags, LA_PROBE_OP_GRAPH_CREATE, NULL,
	  instantiate },
	{ PROBE_cuGraphInstantiateWithParams, LA_PROBE_OP_GRAPH_CREATE, NULL,
	  instantiate },
	{ PROBE_cuGraphInstantiateWithParams_ptsz, LA_PROBE_OP_GRAPH_CREATE,
	  NULL, instantiate },
	{ PROBE_cuGraphUpload, LA_PROBE_OP_OTHER, NULL, upload },
	{ PROBE_cuGraphUpload_ptsz, LA_PROBE_OP_OTHER, NULL, upload },
	{ PROBE_cuGraphExecDestroy, LA_PROBE_OP_GRAPH_DESTROY, NULL, destroy },
	{ PROBE_cuStreamBeginCapture, LA_PROBE_OP_CAPTURE_BEGIN, NULL,
	  capture_begin },
	{ PROBE_cuStreamBeginCapture_ptsz, LA_PROBE_OP_CAPTURE_BEGIN, NULL,
	  capture_begin },
	{ PROBE_cuStreamBeginCapture_v2, LA_PROBE_OP_CAPTURE_BEGIN, NULL,
	  capture_begin },
	{ PROBE_cuStreamBeginCapture_v2_ptsz, LA_PROBE_OP_CAPTURE_BEGIN, NULL,
	  capture_begin },
	{ PROBE_cuStreamBeginCaptureToGraph, LA_PROBE_OP_CAPTURE_BEGIN, NULL,
	  capture_begin },
	{ PROBE_cuStreamBeginCaptureToGraph_ptsz, LA_PROBE_OP_CAPTURE_BEGIN,
	  NULL, capture_begin },
	{ PROBE_cuStreamEndCapture, LA_PROBE_OP_CAPTURE_END, NULL,
	  capture_end },
	{ PROBE_cuStreamEndCapture_ptsz, LA_PROBE_OP_CAPTURE_END, NULL,
	  capture_end },
	CALLS_END
};
