// SPDX-License-Identifier: Apache-2.0
/*
 * A recording as the probe would have seen it.  Sizes of blocks come of books
 * that follow the recording with torch's rule for splits.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#include "replay/program.h"
#include "support/model.h"
#include "support/probe-file.h"
#include "util/util.h"

enum { CALL = 243, CALL_CREATE = 549, CALL_INFO = 6, THREAD = 100 };
enum { NO_MEMORY = 2 }; /* CUDA_ERROR_OUT_OF_MEMORY */

struct block {
	uint64_t addr, size;
	bool busy, first; /* in use or pending; begins a segment */
	bool small; /* its segment's class */
};

struct chain {
	uint64_t addr, size, granule; /* of the reservation, bytes */
};

struct books {
	struct probe_file *file;
	const struct la_recording *recording;
	const struct la_recorded_device *device;
	unsigned int number;
	struct la_setting *setting; /* owned */
	struct block *block; /* owned; by address */
	size_t count, room;
	struct chain chain[64];
	size_t chain_count;
	uint64_t allocated, reserved;
	uint64_t handle; /* of the last physical memory */
	const struct la_program *program; /* NULL: no captures */
	uint16_t *pool; /* owned; by event; of the request that comes */
	uint16_t capturing; /* pool; 0: none */
};

static void call(struct books *b, enum la_probe_op op, uint64_t addr,
		 uint64_t size, uint64_t other)
{
	const struct la_probe_record record = {
		.addr = addr,
		.size = size,
		.other = other,
		.call = CALL,
		.op = (uint16_t)op,
		.device = (uint8_t)b->number,
	};

	probe_file_record(b->file, LA_PROBE_DRIVER, &record);
}

static void report(struct books *b, enum la_probe_op op, uint64_t addr,
		   uint64_t size)
{
	const struct la_probe_record record = {
		.addr = addr,
		.size = size,
		.stream = b->allocated,
		.other = b->reserved,
		.op = (uint16_t)op,
		.device = (uint8_t)b->number,
	};

	probe_file_record(b->file, LA_PROBE_ALLOCATOR, &record);
}

/* The last block that begins at an address or ahead of it, plus 1. */
static size_t find(const struct books *b, uint64_t addr)
{
	size_t low = 0, high = b->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (b->block[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct block *block_at(struct books *b, uint64_t addr)
{
	size_t at = find(b, addr);

	assert(at && b->block[at - 1].addr == addr);
	return &b->block[at - 1];
}

static struct block *insert(struct books *b, size_t at,
			    const struct block *block)
{
	if (b->count == b->room) {
		b->room = 2 * b->room + 64;
		b->block = realloc(b->block, b->room * sizeof(*block));
		assert(b->block);
	}
	memmove(&b->block[at + 1], &b->block[at],
		(b->count - at) * sizeof(*block));
	b->count++;
	b->block[at] = *block;
	return &b->block[at];
}

static void delete(struct books *b, size_t at)
{
	b->count--;
	memmove(&b->block[at], &b->block[at + 1],
		(b->count - at) * sizeof(*b->block));
}

/* Join the block with what is free behind it. */
static void join(struct books *b, size_t at)
{
	struct block *one = &b->block[at], *next = one + 1;

	if (at + 1 >= b->count || one->busy || next->busy || next->first ||
	    one->addr + one->size != next->addr)
		return;
	one->size += next->size;
	delete(b, at + 1);
}

static void join_around(struct books *b, uint64_t addr)
{
	size_t at = find(b, addr) - 1;

	join(b, at);
	if (at)
		join(b, at - 1);
}

static bool splits(const struct books *b, const struct block *block,
		   uint64_t size, bool chained)
{
	const struct la_setting_values *setting = la_setting_values(b->setting);
	uint64_t rest = block->size - size;

	if (block->small || chained)
		return rest >= 512;
	return size < setting->max_split_size && rest > MIB;
}

static struct chain *chain_of(struct books *b, uint64_t addr)
{
	size_t i;

	for (i = 0; i < b->chain_count; i++)
		if (addr - b->chain[i].addr < b->chain[i].size)
			return &b->chain[i];
	return NULL;
}

static void play_alloc(struct books *b, const struct la_event *event)
{
	const struct la_setting_values *setting = la_setting_values(b->setting);
	uint64_t size = model_round(setting, event->size);
	struct block *block = block_at(b, event->addr), rest;

	assert(!block->busy && block->size >= size);
	if (splits(b, block, size, chain_of(b, event->addr))) {
		rest = *block;
		rest.addr += size;
		rest.size -= size;
		rest.first = false;
		block->size = size;
		insert(b, find(b, event->addr), &rest);
		block = block_at(b, event->addr);
	}
	block->busy = true;
	b->allocated += block->size;
	report(b, LA_PROBE_OP_BLOCK_ALLOC, block->addr, block->size);
}

static void play_free(struct books *b, const struct la_event *event)
{
	const struct block *block = block_at(b, event->addr);

	b->allocated -= block->size;
	report(b, LA_PROBE_OP_BLOCK_FREE, block->addr, block->size);
}

static void play_complete(struct books *b, const struct la_event *event)
{
	block_at(b, event->addr)->busy = false;
	join_around(b, event->addr);
}

/* The size of the request that brings or follows an event. */
static uint64_t next_request(const struct books *b, size_t i)
{
	for (; i < b->device->event_count; i++)
		if (b->device->events[i].action == LA_ALLOC ||
		    b->device->events[i].action == LA_OOM)
			return b->device->events[i].size;
	return 0;
}

static void play_segment(struct books *b, size_t i)
{
	const struct la_event *event = &b->device->events[i];
	const struct block block = { event->addr, event->size, false, true,
				     next_request(b, i) <= MIB };

	call(b, LA_PROBE_OP_ALLOC, event->addr, event->size,
	     LA_PROBE_KIND_DEVICE);
	b->reserved += event->size;
	insert(b, find(b, event->addr), &block);
}

static void play_segment_free(struct books *b, const struct la_event *event)
{
	call(b, LA_PROBE_OP_FREE, event->addr, event->size, 0);
	b->reserved -= event->size;
	delete(b, find(b, event->addr) - 1);
}

static struct chain *new_chain(struct books *b, uint64_t addr, bool small)
{
	struct chain *chain = &b->chain[b->chain_count++];
	uint64_t total = b->device->total ? b->device->total : 150 * GIB;

	assert(b->chain_count <= ARRAY_SIZE(b->chain));
	chain->granule = small ? 2 * MIB : 20 * MIB;
	chain->addr = addr;
	chain->size = (total + total / 8) / chain->granule * chain->granule +
		      chain->granule;
	call(b, LA_PROBE_OP_RESERVE, addr, chain->size, 0);
	return chain;
}

static void play_map(struct books *b, size_t i)
{
	const struct la_event *event = &b->device->events[i];
	bool small = next_request(b, i) <= MIB;
	const struct block block = { event->addr, event->size, false, false,
				     small };
	struct chain *chain = chain_of(b, event->addr);
	uint64_t at, end = event->addr + event->size;

	if (!chain)
		chain = new_chain(b, event->addr, small);
	for (at = event->addr; at < end; at += chain->granule)
		call(b, LA_PROBE_OP_CREATE, ++b->handle, chain->granule, 0);
	for (at = event->addr; at < end; at += chain->granule)
		call(b, LA_PROBE_OP_MAP, at, chain->granule, b->handle);
	call(b, LA_PROBE_OP_ACCESS, event->addr, event->size, 0);
	b->reserved += event->size;
	insert(b, find(b, event->addr), &block);
	join_around(b, event->addr);
}

static void play_unmap(struct books *b, const struct la_event *event)
{
	uint64_t granule = chain_of(b, event->addr)->granule, at;
	uint64_t end = event->addr + event->size;
	size_t place = find(b, event->addr) - 1;
	struct block rest = b->block[place];

	for (at = event->addr; at < end; at += granule) {
		call(b, LA_PROBE_OP_UNMAP, at, granule, 0);
		call(b, LA_PROBE_OP_RELEASE, at, 0, 0);
	}
	b->reserved -= event->size;
	b->block[place].size = event->addr - rest.addr;
	rest.size -= b->block[place].size + event->size;
	rest.addr = end;
	if (rest.size)
		insert(b, place + 1, &rest);
	if (!b->block[place].size)
		delete(b, place);
}

/* A refusal of the driver's, unless a cap stood before it. */
static void play_oom(struct books *b, const struct la_event *event)
{
	const struct la_setting_values *setting = la_setting_values(b->setting);
	bool chained = setting->expandable_segments;
	uint64_t size = model_segment(setting, event->size);
	struct la_probe_record record = {
		.size = chained ? 20 * MIB : size,
		.result = NO_MEMORY,
		.call = chained ? CALL_CREATE : CALL,
		.op = chained ? LA_PROBE_OP_CREATE : LA_PROBE_OP_ALLOC,
		.device = (uint8_t)b->number,
	};
	struct la_probe_oom *oom;
	uint64_t cap = b->device->cap;
	bool refused = !cap || cap == UINT64_MAX;

	if (refused)
		probe_file_record(b->file, LA_PROBE_DRIVER, &record);
	oom = probe_file_oom(b->file);
	*oom = (struct la_probe_oom){
		.serial = oom->serial,
		.time = oom->time,
		.state = LA_PROBE_OOM_REPORTED,
		.closed = oom->time + 1000,
		.device = b->number,
		.thread = THREAD,
		.free = event->addr,
		.free_last = event->addr,
		.total = b->device->total,
		.request = event->size,
		.allocated = b->allocated,
		.reserved = b->reserved,
		.call = refused ? record.call : 0,
		.op = refused ? record.op : 0,
		.result = refused ? NO_MEMORY : 0,
		.size = refused ? record.size : 0,
		.live = { [LA_PROBE_KIND_DEVICE] = b->reserved },
	};
	record = (struct la_probe_record){
		.size = event->addr,
		.other = b->device->total,
		.call = CALL_INFO,
		.op = LA_PROBE_OP_MEMORY,
		.device = (uint8_t)b->number,
	};
	probe_file_record(b->file, LA_PROBE_DRIVER, &record);
	report(b, LA_PROBE_OP_BLOCK_OOM, 0, event->size);
}

/* Requests of private pools are made while a graph is captured. */
static void capture(struct books *b, uint16_t pool)
{
	if (pool == b->capturing)
		return;
	if (b->capturing)
		call(b, LA_PROBE_OP_CAPTURE_END, 0, 0, 0);
	if (pool)
		call(b, LA_PROBE_OP_CAPTURE_BEGIN, 0, 0, 0);
	b->capturing = pool;
}

static void play(struct books *b, size_t i)
{
	const struct la_event *event = &b->device->events[i];

	if (b->pool)
		capture(b, b->pool[i]);
	switch (event->action) {
	case LA_ALLOC:
		play_alloc(b, event);
		break;
	case LA_FREE_REQUESTED:
		play_free(b, event);
		break;
	case LA_FREE_COMPLETED:
		play_complete(b, event);
		break;
	case LA_SEGMENT_ALLOC:
		play_segment(b, i);
		break;
	case LA_SEGMENT_FREE:
		play_segment_free(b, event);
		break;
	case LA_SEGMENT_MAP:
		play_map(b, i);
		break;
	case LA_SEGMENT_UNMAP:
		play_unmap(b, event);
		break;
	case LA_OOM:
		play_oom(b, event);
		break;
	default:
		break;
	}
}

/* Which pool the request asks that each event belongs to. */
static void list_pools(struct books *b)
{
	const struct la_program *program = b->program;
	size_t count = b->device->event_count, i;

	assert(program->event == b->device->events);
	b->pool = calloc(count + 1, sizeof(*b->pool));
	assert(b->pool);
	for (i = 0; i < program->op_count; i++)
		if (is_served(&program->op[i]))
			b->pool[program->op[i].event] = program->op[i].pool;
	for (i = count; i-- > 0;)
		if (b->device->events[i].action != LA_ALLOC &&
		    b->device->events[i].action != LA_OOM)
			b->pool[i] = b->pool[i + 1];
}

static void hold(struct books *b, uint64_t addr, uint64_t size,
		 enum la_probe_kind kind)
{
	const struct la_probe_holding holding = {
		.addr = addr,
		.size = size,
		.time = 1,
		.thread = THREAD,
		.references = 1,
		.kind = (uint8_t)kind,
		.device = (uint8_t)b->number,
	};

	if (size)
		probe_file_hold(b->file, &holding);
}

/* What is there at the end, by the snapshot: so the books are checked. */
static void hold_segment(struct books *b,
			 const struct la_recorded_segment *segment)
{
	uint64_t addr = segment->addr, at;
	const struct chain *chain = chain_of(b, addr);
	uint32_t i;

	if (!segment->expandable)
		hold(b, addr, segment->size, LA_PROBE_KIND_DEVICE);
	else
		for (at = addr; at < addr + segment->size; at += chain->granule)
			hold(b, at, chain->granule, LA_PROBE_KIND_MAPPING);
	for (i = 0; i < segment->block_count; i++) {
		const struct la_recorded_block *block =
			&b->device->blocks[segment->first_block + i];

		assert(block_at(b, addr)->size == block->size);
		if (block->state == LA_RECORDED_LIVE)
			hold(b, addr, block->size, LA_PROBE_KIND_BLOCK);
		addr += block->size;
	}
}

static void hold_all(struct books *b)
{
	size_t i;

	for (i = 0; i < b->chain_count; i++)
		hold(b, b->chain[i].addr, b->chain[i].size,
		     LA_PROBE_KIND_ADDRESSES);
	for (i = 0; i < b->device->segment_count; i++)
		hold_segment(b, &b->device->segments[i]);
}

static void copy_text(char *to, size_t size, const char *from)
{
	if (from)
		memcpy(to, from, strnlen(from, size - 1));
}

void probe_file_play(struct probe_file *file,
		     const struct la_recording *recording, unsigned int device,
		     const struct la_program *program)
{
	struct books b = {
		.file = file,
		.recording = recording,
		.device = la_recording_device(recording, device),
		.number = device,
		.program = program,
	};
	const char *setting = b.device->setting ? b.device->setting : "";
	size_t i;

	if (la_setting_parse(&b.setting, setting, strlen(setting),
			     LA_SET_AT_INIT, NULL) < 0)
		abort();
	copy_text(file->header.setting, sizeof(file->header.setting), setting);
	copy_text(file->header.torch, sizeof(file->header.torch),
		  la_recording_torch(recording));
	if (file->header.device_count <= device)
		file->header.device_count = device + 1;
	file->device[device].total = b.device->total;
	file->device[device].blocks = 1;
	if (program)
		list_pools(&b);
	for (i = 0; i < b.device->event_count; i++)
		play(&b, i);
	hold_all(&b);
	file->device[device].allocated = b.allocated;
	file->device[device].reserved = b.reserved;
	la_setting_free(b.setting);
	free(b.block);
	free(b.pool);
}
