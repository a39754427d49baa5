// SPDX-License-Identifier: Apache-2.0
/* The pools of a program: the default pool, CUDA graphs' and MemPools. */

#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"
#include "replay/program.h"

/* A heap has a table with an entry for each pool and stream. */
enum { POOLS_MAX = 8192, TABLE_MAX = 1 << 20 };

int program_pool(struct la_program *program, const uint64_t id[2])
{
	uint32_t count = program->pool_count, i;
	uint64_t (*pool)[2];

	for (i = 0; i < count; i++)
		if (program->pool[i][0] == id[0] &&
		    program->pool[i][1] == id[1])
			return (int)i;
	if (count == POOLS_MAX ||
	    (count && (count + 1) * program->stream_count > TABLE_MAX))
		return -E2BIG;
	pool = realloc(program->pool, (count + 1) * sizeof(*pool));
	if (!pool)
		return -ENOMEM;
	program->pool = pool;
	pool[count][0] = id[0];
	pool[count][1] = id[1];
	program->pool_count++;
	return (int)count;
}

int program_segment_pool(struct la_program *program,
			 const struct la_recorded_segment *segment)
{
	return program_pool(program, segment->pool);
}

uint64_t program_chain_bytes(const struct la_program *program)
{
	uint64_t total = program->chain_card ? program->chain_card :
					       TOTAL_UNKNOWN;

	return total + total / 8;
}

int program_chain_pool(struct la_program *program,
		       const struct la_event *event, bool small)
{
	const struct la_recorded_device *device = program->device;
	const struct la_recorded_segment *found = NULL;
	uint64_t least = program_chain_bytes(program);
	size_t i;

	for (i = 0; i < device->segment_count; i++) {
		const struct la_recorded_segment *s = &device->segments[i];
		uint64_t distance = s->addr > event->addr ?
					    s->addr - event->addr :
					    event->addr - s->addr;

		if (!s->expandable || s->stream != event->stream ||
		    s->small != small || distance >= least)
			continue;
		least = distance;
		found = s;
	}
	return found ? program_segment_pool(program, found) : LA_DEFAULT_POOL;
}

int program_read_pools(struct la_program *program)
{
	uint32_t count = la_recording_pool_count(program->recording), i;
	uint64_t id[2];
	int pool;

	if (!program->device->has_pool_ids)
		return 0;
	program->event_pool = calloc(count + 1, sizeof(*program->event_pool));
	if (!program->event_pool)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		la_recording_pool(program->recording, i, id);
		pool = program_pool(program, id);
		if (pool < 0)
			return pool;
		program->event_pool[i] = (uint16_t)pool;
	}
	return 0;
}
