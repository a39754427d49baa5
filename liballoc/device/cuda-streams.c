// SPDX-License-Identifier: Apache-2.0
/*
 * The device on a GPU: events.  They are made once and used again; what is
 * asked of one needs no lock.
 */

#include <errno.h>
#include <stdlib.h>

#include "device/cuda.h"

static la_cu_event event_of(uint64_t event)
{
	return (la_cu_event)(uintptr_t)event;
}

static la_cu_stream stream_of(uint64_t stream)
{
	return (la_cu_stream)(uintptr_t)stream;
}

void la_cuda_end_streams(struct cuda *cuda, bool alive)
{
	struct visit visit;

	if (alive && !la_cuda_enter(cuda, &visit)) {
		while (cuda->idle_count) /* nobody to tell */
			(void)cuda->cu.event_free(
				cuda->idle[--cuda->idle_count]);
		la_cuda_leave(cuda, &visit);
	}
	free(cuda->idle);
}

/* The legacy stream: another one that it waits for is being captured. */
static int is_captured(struct cuda *cuda, uint64_t stream)
{
	unsigned int status = 0;
	la_cu_result result = cuda->cu.capturing(stream_of(stream), &status);
	int err;

	if (result == LA_CU_CAPTURE_IMPLICIT)
		return 1;
	err = la_cuda_check(cuda, LA_CU_CALL_capturing, result);
	return err < 0 ? err : status != 0;
}

int la_cuda_capturing(struct la_device *dev, uint64_t stream)
{
	struct cuda *cuda = (struct cuda *)dev;

	return VISIT(cuda, is_captured(cuda, stream));
}

/* An idle event that was made now, with room to be idle again. */
static int make_event(struct cuda *cuda)
{
	la_cu_event *idle;
	size_t room = cuda->idle_room;
	int err;

	if (room == cuda->event_count) {
		room = room ? 2 * room : 64;
		idle = realloc(cuda->idle, room * sizeof(*idle));
		if (!idle)
			return -ENOMEM;
		cuda->idle = idle;
		cuda->idle_room = room;
	}
	err = CALL(cuda, event_new, &cuda->idle[cuda->idle_count],
		   LA_CU_DISABLE_TIMING);
	if (err < 0)
		return err;
	cuda->event_count++;
	cuda->idle_count++;
	return 0;
}

static int record(struct cuda *cuda, uint64_t stream, la_cu_event *event)
{
	int err = is_captured(cuda, stream);

	if (err)
		return err < 0 ? err : -EBUSY;
	if (!cuda->idle_count)
		err = make_event(cuda);
	if (err < 0)
		return err;
	*event = cuda->idle[cuda->idle_count - 1];
	err = CALL(cuda, event_record, *event, stream_of(stream));
	if (!err)
		cuda->idle_count--;
	return err;
}

int la_cuda_record(struct la_device *dev, uint64_t stream, uint64_t *event)
{
	struct cuda *cuda = (struct cuda *)dev;
	la_cu_event recorded;
	int err = VISIT(cuda, record(cuda, stream, &recorded));

	if (!err)
		*event = (uintptr_t)recorded;
	return err;
}

int la_cuda_query(struct la_device *dev, uint64_t event)
{
	struct cuda *cuda = (struct cuda *)dev;
	struct visit visit;
	la_cu_result result;
	int err = la_cuda_enter(cuda, &visit);

	if (err < 0)
		return err;
	result = cuda->cu.event_query(event_of(event));
	la_cuda_leave(cuda, &visit);
	if (result == LA_CU_NOT_READY)
		return 0;
	err = la_cuda_check(cuda, LA_CU_CALL_event_query, result);
	return err < 0 ? err : 1;
}

int la_cuda_order(struct la_device *dev, uint64_t stream, uint64_t event)
{
	struct cuda *cuda = (struct cuda *)dev;
	struct visit visit;
	int err = la_cuda_enter(cuda, &visit);

	if (err < 0)
		return err;
	err = is_captured(cuda, stream);
	if (!err)
		err = CALL(cuda, order, stream_of(stream), event_of(event), 0);
	la_cuda_leave(cuda, &visit);
	return err > 0 ? -EBUSY : err;
}

int la_cuda_await(struct la_device *dev, uint64_t event)
{
	struct cuda *cuda = (struct cuda *)dev;

	return VISIT(cuda, CALL(cuda, event_await, event_of(event)));
}

int la_cuda_drain(struct la_device *dev)
{
	struct cuda *cuda = (struct cuda *)dev;

	return VISIT(cuda, CALL(cuda, drain));
}

void la_cuda_forget(struct la_device *dev, uint64_t event)
{
	struct cuda *cuda = (struct cuda *)dev;

	cuda->idle[cuda->idle_count++] = event_of(event);
}
