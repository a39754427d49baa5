// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"
#include "heap/round.h"
#include "replay/program.h"
#include "replay/script.h"

/* Where reservations go that hold no recorded memory: out of the way. */
#define NOWHERE ((uint64_t)1 << 62)

/* Mappings that are looked at in all for where reservations are. */
#define WORK_MAX ((uint64_t)10000000)

static int answer(struct script *script, uint64_t value)
{
	if (grow_array(&script->answer, &script->answer_room,
		       script->answer_count, sizeof(*script->answer)) < 0)
		return -ENOMEM;
	script->answer[script->answer_count++] = value;
	return 0;
}

static int refuse(struct script *script, uint64_t held)
{
	if (held < script->refused)
		script->refused = held;
	return answer(script, ANSWER_REFUSED) < 0 ? -ENOMEM : -ENOSPC;
}

static int grant(struct script *script, uint64_t held, uint64_t addr)
{
	if (held > script->granted)
		script->granted = held;
	return answer(script, addr);
}

static int note_change(struct script *script, uint64_t addr, uint64_t size,
		       bool given)
{
	if (grow_array(&script->change, &script->change_room,
		       script->change_count, sizeof(*script->change)) < 0)
		return -ENOMEM;
	script->change[script->change_count++] =
		(struct script_change){ addr, size, given };
	return 0;
}

/* The recorded event whose turn it is, if it is that action and size. */
static const struct la_event *next_event(const struct script *script,
					 enum la_action action, uint64_t size)
{
	const struct script_task *task = &script->task;
	const struct la_event *event;

	if (script->segments_heard >= task->expected_count)
		return NULL;
	event = &script->program->event[task->expected[script->segments_heard]];
	return event->action == action && event->size == size ? event : NULL;
}

/* The last change of the span that begins at an address, or NULL. */
static const struct script_change *last_change(const struct script *script,
					       uint64_t addr)
{
	size_t i = script->change_count;

	while (i && script->change[i - 1].addr != addr)
		i--;
	return i ? &script->change[i - 1] : NULL;
}

/* Does a range reach into a segment or reservation that is there now? */
static bool is_held(const struct script *script, uint64_t addr, uint64_t size)
{
	const struct spans *held = script->held;
	size_t i;

	for (i = 0; i < script->change_count; i++) {
		const struct script_change *change = &script->change[i];

		if (change->given &&
		    (addr - change->addr < change->size ||
		     change->addr - addr < size) &&
		    last_change(script, change->addr) == change)
			return true;
	}
	for (i = spans_from(held, addr);
	     i < held->count && (held->span[i].addr <= addr ||
				 held->span[i].addr - addr < size);
	     i++)
		if (!last_change(script, held->span[i].addr))
			return true;
	return false;
}

static int script_alloc(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct script *script = (struct script *)dev;
	uint64_t held = la_heap_stats(script->heap)->reserved + size;
	const struct la_event *event =
		next_event(script, LA_SEGMENT_ALLOC, size);

	if (held > script->card)
		return refuse(script, held);
	if (event && is_held(script, event->addr, size))
		return -EIO;
	if (event) {
		*addr = event->addr;
		if (note_change(script, event->addr, size, true) < 0)
			return -ENOMEM;
		return grant(script, held, event->addr);
	}
	return script->task.may_refuse ? refuse(script, held) : -EIO;
}

static int script_free(struct la_device *dev, uint64_t addr, uint64_t size)
{
	return note_change((struct script *)dev, addr, size, false);
}

/* Does a mapping belong to the pool, as far as it is told, and to the stream
 * and class of the request? */
static bool fits_request(const struct script *script,
			 const struct la_event *event)
{
	const struct la_event *request = script->task.request;
	uint64_t granule = script->heap->setting.large_segment_size;
	bool small = request->size <= SMALL_MAX;
	uint32_t pool = LA_DEFAULT_POOL, asked = LA_DEFAULT_POOL;

	program_event_pool(script->program, event, &pool);
	program_event_pool(script->program, request, &asked);
	return pool == asked && event->stream == request->stream &&
	       (event->size % granule != 0) == small;
}

/* A mapping fits the request, and memory is held there: by a reservation of
 * another pool, stream or class, so that the one under way, which stays until
 * it was filled, cannot come to lie there? */
static bool is_taken(const struct script *script, const struct la_event *event)
{
	const struct la_heap *heap = script->heap;
	const struct chain *chain = heap_chain_of(heap, event->addr);
	const struct set *set = chain ? &heap->set[chain->set] : NULL;
	uint32_t pool;

	return program_event_pool(script->program, event, &pool) &&
	       !(set && set->pool == pool && set->stream == event->stream &&
		 set->class == (event->size == SMALL_SEGMENT ? SMALL_CLASS :
							       LARGE_CLASS));
}

/* The event whose turn it is, or one before it that is no segment event. */
static size_t next_index(const struct script *script)
{
	const struct script_task *task = &script->task;
	size_t heard = script->segments_heard;

	if (heard < task->expected_count)
		return task->expected[heard];
	return task->expected_count ?
		       (size_t)task->expected[task->expected_count - 1] + 1 :
		       task->from;
}

/* Index of the first mapping that did not happen yet. */
static size_t first_map(const struct script *script)
{
	size_t low = 0, high = script->map_count, from = next_index(script);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (script->map[middle] < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Where, now or later, the first memory is mapped that nothing holds yet. */
static int script_reserve(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct script *script = (struct script *)dev;
	const struct la_event *event = NULL;
	size_t i = script->task.request ? first_map(script) :
					  script->map_count;

	for (; i < script->map_count && !event && script->work; i++) {
		event = &script->program->event[script->map[i]];
		script->work--;
		if (!fits_request(script, event)) {
			event = NULL;
		} else if (is_held(script, event->addr, size)) {
			if (is_taken(script, event))
				return -EIO;
			event = NULL;
		}
	}
	*addr = event ? event->addr : script->nowhere;
	if (!event)
		script->nowhere += (size + GIB - 1) / GIB * GIB;
	if (note_change(script, *addr, size, true) < 0)
		return -ENOMEM;
	return answer(script, *addr);
}

/* What a refused mapping tells of a limit is the segment of the request. */
static uint64_t wanted(const struct script *script)
{
	const struct la_setting_values *setting = &script->heap->setting;

	return script->heap->stats.reserved +
	       round_segment(setting,
			     round_request(setting,
					   script->task.request->size));
}

/* The limit is asked once for all that a request maps. */
static bool continues_growth(const struct script *script)
{
	return script->heard_count &&
	       script->heard[script->heard_count - 1].action == LA_SEGMENT_MAP;
}

static int script_map(struct la_device *dev, uint64_t addr, uint64_t size,
		      uint64_t granule)
{
	struct script *script = (struct script *)dev;
	const struct la_event *event = next_event(script, LA_SEGMENT_MAP, size);
	uint64_t held = la_heap_stats(script->heap)->reserved + size;

	(void)addr, (void)granule;
	if (held > script->card)
		return refuse(script, wanted(script));
	if (event && continues_growth(script))
		return answer(script, event->addr);
	if (event)
		return grant(script, wanted(script), event->addr);
	return script->task.may_refuse ? refuse(script, wanted(script)) : -EIO;
}

static int script_unmap(struct la_device *dev, uint64_t addr, uint64_t size)
{
	(void)dev, (void)addr, (void)size;
	return 0;
}

static void script_no_destroy(struct la_device *dev)
{
	(void)dev;
}

static const struct la_device_ops script_ops = {
	.alloc = script_alloc,
	.free = script_free,
	.reserve = script_reserve,
	.unreserve = script_free,
	.map = script_map,
	.unmap = script_unmap,
	.destroy = script_no_destroy,
};

void script_init(struct script *script, const struct la_program *program,
		 const struct spans *held)
{
	*script = (struct script){
		.device.ops = &script_ops,
		.program = program,
		.held = held,
		.card = program->card,
		.nowhere = NOWHERE,
		.work = WORK_MAX,
	};
}

void script_destroy(struct script *script)
{
	free(script->heard);
	free(script->answer);
	free(script->change);
}

void script_begin(struct script *script, const struct la_heap *heap,
		  const struct script_task *task)
{
	script->heap = heap;
	script->task = *task;
	script->heard_count = 0;
	script->segments_heard = 0;
	script->answer_count = 0;
	script->change_count = 0;
	script->granted = 0;
	script->refused = UINT64_MAX;
	script->error = 0;
}

void script_hear(void *data, enum la_action action, uint64_t addr,
		 uint64_t size, uint64_t stream)
{
	struct script *script = data;

	if (!script->heap)
		return;
	if (grow_array(&script->heard, &script->heard_room,
		       script->heard_count, sizeof(*script->heard)) < 0) {
		script->error = -ENOMEM;
		return;
	}
	script->heard[script->heard_count++] =
		(struct la_replay_event){ action, addr, size, stream };
	script->segments_heard += action != LA_FREE_REQUESTED &&
				  action != LA_FREE_COMPLETED;
}
