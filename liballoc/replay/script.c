// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "replay/program.h"
#include "replay/script.h"

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

static int script_alloc(struct la_device *dev, uint64_t size, uint64_t *addr)
{
	struct script *script = (struct script *)dev;
	uint64_t held = la_heap_stats(script->heap)->reserved + size;
	const struct la_event *event = NULL;

	if (held > script->card)
		return refuse(script, held);
	if (script->segments_heard < script->expected_count)
		event = &script->event[
			script->expected[script->segments_heard]];
	if (event && event->action == LA_SEGMENT_ALLOC && event->size == size) {
		*addr = event->addr;
		return answer(script, event->addr);
	}
	if (!script->may_refuse)
		return -EIO;
	return refuse(script, held);
}

static int script_free(struct la_device *dev, uint64_t addr, uint64_t size)
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
	.destroy = script_no_destroy,
};

void script_init(struct script *script, const struct la_event *event,
		 uint64_t card)
{
	*script = (struct script){
		.device.ops = &script_ops,
		.event = event,
		.card = card,
	};
}

void script_destroy(struct script *script)
{
	free(script->heard);
	free(script->answer);
}

void script_begin(struct script *script, const struct la_heap *heap,
		  const uint32_t *expected, size_t count, bool may_refuse)
{
	script->heap = heap;
	script->expected = expected;
	script->expected_count = count;
	script->may_refuse = may_refuse;
	script->heard_count = 0;
	script->segments_heard = 0;
	script->answer_count = 0;
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
