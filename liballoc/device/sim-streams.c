// SPDX-License-Identifier: Apache-2.0
/*
 * Simulated devices: streams with work that is not done, and events.
 *
 * Work is done when somebody waits for it or has it run, never by itself.
 * Nothing is queued unless the caller says so; then all events are done.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/sim.h"
#include "util/array.h"

#define NO_STREAM SIZE_MAX

static size_t find_stream(const struct sim *sim, uint64_t value)
{
	size_t i;

	for (i = 0; i < sim->stream_count; i++)
		if (sim->stream[i].value == value)
			return i;
	return NO_STREAM;
}

/* The index of a stream that is noted now if it was not; or NO_STREAM: out of
 * memory. */
static size_t want_stream(struct sim *sim, uint64_t value)
{
	size_t at = find_stream(sim, value);

	if (at != NO_STREAM)
		return at;
	if (grow_array(&sim->stream, &sim->stream_room, sim->stream_count,
		       sizeof(*sim->stream)) < 0)
		return NO_STREAM;
	sim->stream[sim->stream_count] = (struct stream){ .value = value };
	return sim->stream_count++;
}

/* Note that work up to a position comes before. */
static int clock_raise(struct clock *clock, size_t stream, uint64_t position)
{
	while (clock->count <= stream) {
		if (grow_array(&clock->position, &clock->room, clock->count,
			       sizeof(*clock->position)) < 0)
			return -ENOMEM;
		clock->position[clock->count++] = 0;
	}
	if (clock->position[stream] < position)
		clock->position[stream] = position;
	return 0;
}

static int clock_merge(struct clock *into, const struct clock *from)
{
	size_t i;

	for (i = 0; i < from->count; i++)
		if (clock_raise(into, i, from->position[i]) < 0)
			return -ENOMEM;
	return 0;
}

/* The work that is not done, and how much of it there is. */
static const struct work *unfinished(const struct stream *stream, size_t *count)
{
	size_t done;

	*count = (size_t)(stream->queued - stream->done);
	done = stream->work_count - *count;
	return done ? &stream->work[done] : stream->work;
}

static int queue(struct stream *stream, const struct work *work)
{
	size_t left;
	const struct work *first = unfinished(stream, &left);

	if (left < stream->work_count / 2) {
		memmove(stream->work, first, left * sizeof(*first));
		stream->work_count = left;
	}
	if (grow_array(&stream->work, &stream->work_room, stream->work_count,
		       sizeof(*stream->work)) < 0)
		return -ENOMEM;
	stream->work[stream->work_count++] = *work;
	stream->queued++;
	return 0;
}

/* Do the work of a stream up to a position, and what that waits for. */
static void run_to(struct sim *sim, size_t at, uint64_t position)
{
	struct stream *stream = &sim->stream[at];
	const struct work *work;
	size_t left;

	while (stream->done < position) {
		work = unfinished(stream, &left);
		if (!work->size)
			run_to(sim, work->stream, work->position);
		stream->done++;
	}
}

static void run_all(struct sim *sim)
{
	size_t i;

	for (i = 0; i < sim->stream_count; i++)
		run_to(sim, i, sim->stream[i].queued);
}

void la_sim_end_streams(struct sim *sim)
{
	struct event *event;
	size_t i, at = 0;

	while ((event = la_slots_next(&sim->event, &at)))
		free(event->before.position);
	for (i = 0; i < sim->stream_count; i++) {
		free(sim->stream[i].work);
		free(sim->stream[i].before.position);
	}
	free(sim->event.slot);
	free(sim->stream);
}

int la_sim_record(struct la_device *dev, uint64_t value, uint64_t *handle)
{
	struct sim *sim = (struct sim *)dev;
	size_t at = find_stream(sim, value);
	const struct stream *stream = NULL;
	struct event *event;

	if (at != NO_STREAM)
		stream = &sim->stream[at];
	if (stream && stream->captured)
		return -EBUSY;
	event = la_slots_take(&sim->event);
	if (!event)
		return -ENOMEM;
	if (stream && stream->queued > stream->done) {
		event->stream = at;
		event->position = stream->queued;
		if (clock_merge(&event->before, &stream->before) < 0) {
			free(event->before.position);
			la_slots_drop(&sim->event, event);
			return -ENOMEM;
		}
	}
	*handle = event->slot.handle;
	sim->counts.records++;
	return 0;
}

static bool is_done(const struct sim *sim, const struct event *event)
{
	return !event->position ||
	       sim->stream[event->stream].done >= event->position;
}

int la_sim_query(struct la_device *dev, uint64_t handle)
{
	struct sim *sim = (struct sim *)dev;
	const struct event *event = la_slots_at(&sim->event, handle);

	if (!event)
		return -EINVAL;
	sim->counts.queries++;
	return is_done(sim, event);
}

static int wait_on_device(struct sim *sim, uint64_t value,
			  const struct event *event)
{
	struct work work = { .stream = event->stream,
			     .position = event->position };
	size_t at = want_stream(sim, value);
	struct stream *stream;

	if (at == NO_STREAM)
		return -ENOMEM;
	stream = &sim->stream[at];
	if (clock_merge(&stream->before, &event->before) < 0 ||
	    clock_raise(&stream->before, event->stream, event->position) < 0)
		return -ENOMEM;
	return queue(stream, &work);
}

int la_sim_order(struct la_device *dev, uint64_t value, uint64_t handle)
{
	struct sim *sim = (struct sim *)dev;
	const struct event *event = la_slots_at(&sim->event, handle);
	int err = 0;

	if (!event)
		return -EINVAL;
	if (la_sim_capturing(dev, value))
		return -EBUSY;
	if (!is_done(sim, event))
		err = wait_on_device(sim, value, event);
	if (!err)
		sim->counts.orders++;
	return err;
}

int la_sim_await(struct la_device *dev, uint64_t handle)
{
	struct sim *sim = (struct sim *)dev;
	const struct event *event = la_slots_at(&sim->event, handle);

	if (!event)
		return -EINVAL;
	if (event->position)
		run_to(sim, event->stream, event->position);
	sim->counts.awaits++;
	return 0;
}

static bool is_any_captured(const struct sim *sim)
{
	size_t i;

	for (i = 0; i < sim->stream_count; i++)
		if (sim->stream[i].captured)
			return true;
	return false;
}

int la_sim_drain(struct la_device *dev)
{
	struct sim *sim = (struct sim *)dev;

	if (is_any_captured(sim))
		return -EBUSY;
	run_all(sim);
	sim->counts.drains++;
	return 0;
}

void la_sim_forget(struct la_device *dev, uint64_t handle)
{
	struct sim *sim = (struct sim *)dev;
	struct event *event = la_slots_at(&sim->event, handle);

	if (!event)
		return;
	free(event->before.position);
	la_slots_drop(&sim->event, event);
	sim->counts.forgets++;
}

int la_sim_capturing(struct la_device *dev, uint64_t value)
{
	const struct sim *sim = (const struct sim *)dev;
	size_t at = find_stream(sim, value);

	return at != NO_STREAM && sim->stream[at].captured;
}

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

void la_sim_taken_away(struct sim *sim, uint64_t addr, uint64_t size)
{
	const struct work *work;
	size_t i, left;

	for (i = 0; i < sim->stream_count; i++) {
		work = unfinished(&sim->stream[i], &left);
		for (; left; left--, work++) {
			if (overlap(work->addr, work->size, addr, size)) {
				sim->violations++;
				return;
			}
		}
	}
}

/* The address at which the other work sees a byte's page, if it does. */
static bool sees_page(const struct sim *sim, const struct work *work,
		      const struct page *page, uint64_t *addr)
{
	const struct page *other;
	uint64_t at = work->addr / PAGE * PAGE;

	for (; at < work->addr + work->size; at += PAGE) {
		other = la_sim_page(sim, at);
		if (other && other->piece == page->piece &&
		    other->index == page->index) {
			*addr = at;
			return true;
		}
	}
	return false;
}

/* Whether two kernels use the same bytes, at whatever addresses. */
static bool share_bytes(const struct sim *sim, const struct work *a,
			const struct work *b)
{
	uint64_t at = a->addr / PAGE * PAGE, seen;

	if (overlap(a->addr, a->size, b->addr, b->size))
		return true;
	for (; at < a->addr + a->size; at += PAGE) {
		const struct page *page = la_sim_page(sim, at);
		const struct piece *piece =
			page ? la_slots_at(&sim->piece, page->piece) : NULL;

		if (piece && piece->attached > 1 &&
		    sees_page(sim, b, page, &seen) &&
		    overlap(a->addr - at + PAGE, a->size, b->addr - seen + PAGE,
			    b->size))
			return true;
	}
	return false;
}

/* Whether some stream's work uses the same bytes and is neither done nor
 * comes before. */
static bool races(const struct sim *sim, size_t own, const struct work *use)
{
	const struct clock *before = &sim->stream[own].before;
	const struct work *work;
	size_t i, j, left;

	for (i = 0; i < sim->stream_count; i++) {
		uint64_t known = i < before->count ? before->position[i] : 0;
		uint64_t position = sim->stream[i].done + 1;

		if (i == own)
			continue;
		work = unfinished(&sim->stream[i], &left);
		for (j = 0; j < left; j++, work++, position++)
			if (work->size && position > known &&
			    share_bytes(sim, work, use))
				return true;
	}
	return false;
}

static bool is_hole(const struct sim *sim, const struct work *use)
{
	uint64_t at = use->addr / PAGE * PAGE;

	for (; at < use->addr + use->size; at += PAGE) {
		const struct page *page = la_sim_page(sim, at);

		if (page && !page->piece)
			return true;
	}
	return false;
}

LA_EXPORT int la_device_sim_use(struct la_device *dev, uint64_t stream,
				uint64_t addr, uint64_t size)
{
	struct sim *sim = (struct sim *)dev;
	struct work use = { .addr = addr, .size = size };
	size_t at = want_stream(sim, stream);

	if (at == NO_STREAM)
		return -ENOMEM;
	if (!size)
		return 0;
	if (is_hole(sim, &use) || races(sim, at, &use))
		sim->violations++;
	return queue(&sim->stream[at], &use);
}

LA_EXPORT void la_device_sim_run(struct la_device *dev, uint64_t stream)
{
	struct sim *sim = (struct sim *)dev;
	size_t at = find_stream(sim, stream);

	if (at != NO_STREAM)
		run_to(sim, at, sim->stream[at].queued);
}

LA_EXPORT void la_device_sim_run_all(struct la_device *dev)
{
	run_all((struct sim *)dev);
}

LA_EXPORT int la_device_sim_capture(struct la_device *dev, uint64_t stream,
				    bool captured)
{
	struct sim *sim = (struct sim *)dev;
	size_t at = want_stream(sim, stream);

	if (at == NO_STREAM)
		return -ENOMEM;
	sim->stream[at].captured = captured;
	return 0;
}

LA_EXPORT uint64_t la_device_sim_violations(const struct la_device *dev)
{
	return ((const struct sim *)dev)->violations;
}
