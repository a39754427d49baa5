/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that are captured, and events. */
#include "cuda-model.h"

enum {
	INVALID_VALUE = 1,
	INVALID_CONTEXT = 201,
	NOT_READY = 600,
	CAPTURE_UNSUPPORTED = 900,
	CAPTURE_UNMATCHED = 903,
	CAPTURE_ISOLATION = 905,
	CAPTURED_EVENT = 907,

	GLOBAL = 0, /* modes */
	RELAXED = 2,

	CAPTURES = 16
};

typedef struct CUevent_st *CUevent;

#define DO(name) \
	CUresult do_##name(const struct name##_params *p); \
	CUresult do_##name(const struct name##_params *p)

#define API(name, ...) \
	CUresult name(__VA_ARGS__); \
	MOCK_EXPORT CUresult name(__VA_ARGS__)

/* Under the lock of the model. */
static struct capture {
	CUstream stream;
	unsigned int mode;
	bool active, invalid;
} captures[CAPTURES];

static __thread unsigned int thread_mode = GLOBAL;

static struct capture *find(CUstream stream)
{
	size_t i;

	for (i = 0; i < CAPTURES; i++)
		if (captures[i].active && captures[i].stream == stream)
			return &captures[i];
	return NULL;
}

static bool is_captured(CUstream stream)
{
	bool found;

	model_lock();
	found = find(stream) != NULL;
	model_unlock();
	return found;
}

bool model_is_unsafe(void)
{
	bool unsafe = false;
	size_t i;

	if (thread_mode == RELAXED)
		return false;
	model_lock();
	for (i = 0; i < CAPTURES; i++) {
		if (captures[i].active && captures[i].mode != RELAXED) {
			captures[i].invalid = true;
			unsafe = true;
		}
	}
	model_unlock();
	return unsafe;
}

static CUresult begin(CUstream stream, unsigned int mode)
{
	CUresult result = INVALID_VALUE;
	size_t i;

	model_lock();
	for (i = 0; i < CAPTURES && result; i++) {
		if (captures[i].active)
			continue;
		captures[i] = (struct capture){ stream, mode, true, false };
		result = CUDA_SUCCESS;
	}
	model_unlock();
	return result;
}

static CUresult end(CUstream stream, CUgraph *graph)
{
	struct capture *capture;
	uint64_t handle = 0;

	model_lock();
	capture = find(stream);
	if (capture && !capture->invalid) {
		handle = model_address(1);
		model_add(ITEM_THING, 0, handle, 0, 0);
	}
	if (capture)
		capture->active = false;
	model_unlock();
	*graph = (CUgraph)(uintptr_t)handle;
	return handle ? CUDA_SUCCESS : CAPTURE_UNMATCHED;
}

#define DO_BEGIN(name, mode)						\
	DO(name)							\
	{								\
		return begin(p->hStream, mode);				\
	}
DO_BEGIN(cuStreamBeginCapture, GLOBAL)
DO_BEGIN(cuStreamBeginCapture_ptsz, GLOBAL)
DO_BEGIN(cuStreamBeginCapture_v2, p->mode)
DO_BEGIN(cuStreamBeginCapture_v2_ptsz, p->mode)

DO(cuStreamEndCapture)
{
	return end(p->hStream, p->phGraph);
}

DO(cuStreamEndCapture_ptsz)
{
	return end(p->hStream, p->phGraph);
}

API(cuStreamIsCapturing, CUstream stream, unsigned int *status)
{
	struct capture *capture;
	CUresult result = model_due(__func__);

	if (result)
		return result;
	if (!current)
		return INVALID_CONTEXT;
	model_lock();
	capture = find(stream);
	*status = !capture ? 0 : capture->invalid ? 2 : 1;
	model_unlock();
	return CUDA_SUCCESS;
}

API(cuThreadExchangeStreamCaptureMode, unsigned int *mode)
{
	unsigned int wanted = *mode;
	CUresult result = model_due(__func__);

	if (result)
		return result;
	if (wanted > RELAXED)
		return INVALID_VALUE;
	*mode = thread_mode;
	thread_mode = wanted;
	return CUDA_SUCCESS;
}

MOCK_EXPORT void mock_cuda_hold(int hold)
{
	model_lock();
	model.held = hold;
	model_unlock();
}

MOCK_EXPORT int mock_cuda_held(void)
{
	int held;

	model_lock();
	held = model.held;
	model_unlock();
	return held;
}

API(cuEventCreate, CUevent *event, unsigned int flags)
{
	CUresult result = model_due(__func__);
	uint64_t handle;

	(void)flags;
	if (result)
		return result;
	if (!current)
		return INVALID_CONTEXT;
	model_lock();
	handle = model_address(1);
	model_add(ITEM_EVENT, current->device, handle, 0, 0);
	model_unlock();
	*event = (CUevent)(uintptr_t)handle;
	return CUDA_SUCCESS;
}

/* With the lock. */
static struct item *item_of(CUevent event)
{
	return model_find(ITEM_EVENT, (uintptr_t)event);
}

API(cuEventDestroy_v2, CUevent event)
{
	CUresult result = model_due(__func__);
	struct item *item;

	if (result)
		return result;
	model_lock();
	item = item_of(event);
	if (item)
		model_drop(item);
	model_unlock();
	return item ? CUDA_SUCCESS : INVALID_VALUE;
}

/* An event on a captured stream is of no use outside of the graph. */
API(cuEventRecord, CUevent event, CUstream stream)
{
	CUresult result = model_due(__func__);
	struct item *item;

	MOCK_SPEND(__func__, 0);
	if (result)
		return result;
	model_lock();
	item = current ? item_of(event) : NULL;
	if (item) {
		item->size = model.held;
		item->other = find(stream) != NULL;
	}
	model_unlock();
	return item ? CUDA_SUCCESS : INVALID_VALUE;
}

static CUresult state_of(CUevent event)
{
	CUresult result = CUDA_SUCCESS;
	struct item *item;

	if (model_is_unsafe())
		return CAPTURE_UNSUPPORTED;
	model_lock();
	item = item_of(event);
	if (!item)
		result = INVALID_VALUE;
	else if (item->other)
		result = CAPTURED_EVENT;
	else if (item->size && model.held)
		result = NOT_READY;
	model_unlock();
	return result;
}

API(cuEventQuery, CUevent event)
{
	CUresult result = model_due(__func__);

	MOCK_SPEND(__func__, 0);
	return result ? result : state_of(event);
}

API(cuEventSynchronize, CUevent event)
{
	CUresult result = model_due(__func__);

	if (!result)
		result = state_of(event);
	if (result != NOT_READY)
		return result;
	mock_cuda_hold(0);
	return CUDA_SUCCESS;
}

API(cuCtxSynchronize, void)
{
	CUresult result = model_due(__func__);
	size_t i;

	model_lock();
	for (i = 0; i < CAPTURES; i++) {
		if (!captures[i].active)
			continue;
		captures[i].invalid = true;
		result = CAPTURE_UNSUPPORTED;
	}
	model_unlock();
	if (result)
		return result;
	mock_cuda_hold(0);
	return CUDA_SUCCESS;
}

API(cuStreamWaitEvent, CUstream stream, CUevent event, unsigned int flags)
{
	CUresult result = model_due(__func__);
	bool known;

	MOCK_SPEND(__func__, 0);
	(void)flags;
	if (result)
		return result;
	if (is_captured(stream))
		return CAPTURE_ISOLATION;
	model_lock();
	known = current && item_of(event);
	model_unlock();
	return known ? CUDA_SUCCESS : INVALID_VALUE;
}
