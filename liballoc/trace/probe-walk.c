// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/probe-walk.h"
#include "util/array.h"

/* Threads that capture at the same time; more are not followed. */
enum { CAPTURING = 64 };

/* A capture that is under way. */
struct capturing {
	uint32_t thread;
	uint32_t capture; /* its number */
};

/* What only the walk itself needs. */
struct walker {
	struct la_walk *walk;
	struct capturing capturing[CAPTURING];
	size_t capturing_count;
};

/* What a record does to which family. */
struct effect {
	int family; /* enum la_walk_family; -1: nothing */
	bool comes; /* else it goes */
};

static struct effect effect_of(const struct la_probe_record *record)
{
	static const struct effect none = { -1, false };

	if (!la_walk_counts(record))
		return none;
	switch (record->op) {
	case LA_PROBE_OP_ALLOC:
		return record->other == LA_PROBE_KIND_DEVICE ?
			       (struct effect){ LA_WALK_MEMORY, true } :
			       none;
	case LA_PROBE_OP_FREE:
		return (struct effect){ LA_WALK_MEMORY, false };
	case LA_PROBE_OP_RESERVE:
		return (struct effect){ LA_WALK_RESERVED, true };
	case LA_PROBE_OP_UNRESERVE:
		return (struct effect){ LA_WALK_RESERVED, false };
	case LA_PROBE_OP_MAP:
		return (struct effect){ LA_WALK_MAPPED, true };
	case LA_PROBE_OP_UNMAP:
		return (struct effect){ LA_WALK_MAPPED, false };
	case LA_PROBE_OP_BLOCK_ALLOC:
		return (struct effect){ LA_WALK_BLOCK, true };
	case LA_PROBE_OP_BLOCK_FREE:
		return (struct effect){ LA_WALK_BLOCK, false };
	default:
		return none;
	}
}

static int family_of_kind(unsigned int kind)
{
	switch (kind) {
	case LA_PROBE_KIND_DEVICE:
		return LA_WALK_MEMORY;
	case LA_PROBE_KIND_ADDRESSES:
		return LA_WALK_RESERVED;
	case LA_PROBE_KIND_MAPPING:
		return LA_WALK_MAPPED;
	case LA_PROBE_KIND_BLOCK:
		return LA_WALK_BLOCK;
	default:
		return -1;
	}
}

static int init_family(struct la_walk *walk, int family)
{
	const struct la_probe *probe = walk->probe;
	uint64_t *addr =
		malloc((probe->record_count + probe->holding_count + 1) *
		       sizeof(*addr));
	size_t count = 0, i;
	int err;

	if (!addr)
		return -ENOMEM;
	for (i = 0; i < probe->record_count; i++)
		if (effect_of(&probe->record[i]).family == family)
			addr[count++] = probe->record[i].addr;
	for (i = 0; i < probe->holding_count; i++)
		if (family_of_kind(probe->holding[i].kind) == family)
			addr[count++] = probe->holding[i].addr;
	err = la_live_init(&walk->live[family], addr, count);
	free(addr);
	return err;
}

/* The span in which an address lies now, or LA_NO_SPAN. */
static uint32_t span_at(const struct la_walk *walk, uint64_t addr)
{
	const struct la_live *live = &walk->live[LA_WALK_MEMORY];
	size_t place = la_live_around(live, addr);

	if (place == LA_NOT_LIVE) {
		live = &walk->live[LA_WALK_RESERVED];
		place = la_live_around(live, addr);
	}
	return place == LA_NOT_LIVE ? LA_NO_SPAN : live->tag[place];
}

static int add_span(struct la_walk *walk, const struct la_walk_span *span,
		    uint32_t *number)
{
	if (walk->span_count >= LA_NO_SPAN ||
	    grow_array(&walk->span, &walk->span_room, walk->span_count,
		       sizeof(*span)) < 0)
		return -ENOMEM;
	*number = (uint32_t)walk->span_count;
	walk->span[walk->span_count++] = *span;
	return 0;
}

/* Addresses alone are nobody's to take. */
static int log_step(struct la_walk *walk, int family, bool comes, uint64_t addr,
		    uint64_t size, uint32_t span)
{
	if (family == LA_WALK_RESERVED)
		return 0;
	if (grow_array(&walk->step, &walk->step_room, walk->step_count,
		       sizeof(*walk->step)) < 0)
		return -ENOMEM;
	walk->step[walk->step_count++] = (struct la_walk_step){
		addr, size, span, (int8_t)family, comes
	};
	return 0;
}

/* Something that is at an address from now on. */
struct arrival {
	uint64_t addr, size;
	uint8_t device;
	uint32_t capture;
};

/* *number: the span that it is, or lies in. */
static int arrive(struct la_walk *walk, int family,
		  const struct arrival *arrival, uint32_t *number)
{
	struct la_live *live = &walk->live[family];
	struct la_walk_span *span;
	int err = 0;

	if (family == LA_WALK_MEMORY || family == LA_WALK_RESERVED) {
		const struct la_walk_span fresh = {
			.addr = arrival->addr,
			.size = arrival->size,
			.capture = arrival->capture,
			.device = arrival->device,
			.reserved = family == LA_WALK_RESERVED,
		};

		err = add_span(walk, &fresh, number);
	} else {
		*number = span_at(walk, arrival->addr);
	}
	if (err < 0)
		return err;
	la_live_add(live, la_live_place(live, arrival->addr), arrival->size,
		    *number);
	if (log_step(walk, family, true, arrival->addr, arrival->size,
		     *number) < 0)
		return -ENOMEM;
	if (*number == LA_NO_SPAN)
		return 0;
	span = &walk->span[*number];
	if (family == LA_WALK_MAPPED && span->granule < arrival->size)
		span->granule = arrival->size;
	return 0;
}

/* A block lies in a span: that is the allocator's, and of its device, if that
 * is one. */
static void claim(struct la_walk *walk, uint32_t number, uint64_t size,
		  uint8_t device)
{
	struct la_walk_span *span;

	if (number == LA_NO_SPAN || device >= LA_PROBE_DEVICES)
		return;
	span = &walk->span[number];
	if (!span->torch)
		span->device = device;
	span->torch = true;
	if (span->largest < size)
		span->largest = size;
}

/* Halves the way for the next one. */
uint32_t la_walk_pool(struct la_walk *walk, uint32_t capture)
{
	uint32_t *next = walk->capture;

	while (next[capture] != capture) {
		next[capture] = next[next[capture]];
		capture = next[capture];
	}
	return capture;
}

/* A block that was asked for in a capture lies in memory of an earlier one:
 * they share a pool. */
static void share_pool(struct la_walk *walk, uint32_t number, uint32_t capture)
{
	uint32_t first, second;

	if (number == LA_NO_SPAN || !capture || !walk->span[number].capture)
		return;
	first = la_walk_pool(walk, walk->span[number].capture);
	second = la_walk_pool(walk, capture);
	if (first < second)
		walk->capture[second] = first;
	else
		walk->capture[first] = second;
}

static int remove_at(struct la_walk *walk, int family, size_t place)
{
	struct la_live *live = &walk->live[family];

	la_live_remove(live, place);
	return log_step(walk, family, false, live->addr[place],
			live->size[place], live->tag[place]);
}

/* What goes takes along what is mapped in its range. */
static int leave(struct la_walk *walk, int family, uint64_t addr,
		 uint64_t size)
{
	struct la_live *live = &walk->live[family];
	size_t place = la_live_place(live, addr);

	if (la_live_has(live, place) && remove_at(walk, family, place) < 0)
		return -ENOMEM;
	if (family != LA_WALK_MAPPED)
		return 0;
	for (;;) {
		place = la_live_from(live, addr);
		if (place == LA_NOT_LIVE || live->addr[place] - addr >= size)
			return 0;
		if (remove_at(walk, family, place) < 0)
			return -ENOMEM;
	}
}

/* The same thread's capture; of another thread, which autograd may be, that
 * of the only one under way. */
static uint32_t capture_now(const struct walker *walker, uint32_t thread)
{
	size_t i;

	for (i = 0; i < walker->capturing_count; i++)
		if (walker->capturing[i].thread == thread)
			return walker->capturing[i].capture;
	return walker->capturing_count == 1 ? walker->capturing->capture : 0;
}

static int begin_capture(struct walker *walker, uint32_t thread)
{
	struct la_walk *walk = walker->walk;
	uint32_t number = (uint32_t)walk->capture_count;

	if (grow_array(&walk->capture, &walk->capture_room, number,
		       sizeof(*walk->capture)) < 0)
		return -ENOMEM;
	walk->capture[number] = number;
	walk->capture_count++;
	if (walker->capturing_count < CAPTURING)
		walker->capturing[walker->capturing_count++] =
			(struct capturing){ thread, number };
	return 0;
}

static void end_capture(struct walker *walker, uint32_t thread)
{
	size_t i = walker->capturing_count;

	while (i-- > 0) {
		if (walker->capturing[i].thread != thread)
			continue;
		walker->capturing[i] =
			walker->capturing[--walker->capturing_count];
		return;
	}
}

static int walk_effect(struct la_walk *walk, size_t i, struct effect effect)
{
	const struct la_probe_record *record = &walk->probe->record[i];
	const struct arrival arrival = {
		.addr = record->addr,
		.size = record->size,
		.device = record->device,
		.capture = walk->capture_of[i],
	};
	int err = 0;

	if (effect.comes) {
		err = arrive(walk, effect.family, &arrival, &walk->span_of[i]);
	} else {
		walk->span_of[i] = span_at(walk, record->addr);
		err = leave(walk, effect.family, record->addr, record->size);
	}
	if (err < 0 || effect.family != LA_WALK_BLOCK)
		return err;
	claim(walk, walk->span_of[i], record->size, record->device);
	if (effect.comes)
		share_pool(walk, walk->span_of[i], walk->capture_of[i]);
	return 0;
}

static int walk_record(struct walker *walker, size_t i)
{
	struct la_walk *walk = walker->walk;
	const struct la_probe_record *record = &walk->probe->record[i];
	struct effect effect = effect_of(record);

	walk->span_of[i] = LA_NO_SPAN;
	walk->capture_of[i] = capture_now(walker, record->thread);
	if (effect.family >= 0)
		return walk_effect(walk, i, effect);
	if (record->op == LA_PROBE_OP_BLOCK_OOM)
		return log_step(walk, -1, false, i, record->size, LA_NO_SPAN);
	if (record->op == LA_PROBE_OP_CAPTURE_BEGIN && !record->result)
		return begin_capture(walker, record->thread);
	if (record->op == LA_PROBE_OP_CAPTURE_END)
		end_capture(walker, record->thread);
	return 0;
}

/* How the records begin to speak of an address. */
enum first { FIRST_NONE, FIRST_COMES, FIRST_GOES };

/* What goes and had not come, as far as the records tell. */
static int start_by_records(struct la_walk *walk, int family, uint8_t *first)
{
	const struct la_probe *probe = walk->probe;
	uint32_t number;
	size_t i;
	int err = 0;

	for (i = 0; i < probe->record_count && !err; i++) {
		const struct la_probe_record *record = &probe->record[i];
		struct effect effect = effect_of(record);
		const struct arrival arrival = { record->addr, record->size,
						 record->device, 0 };
		size_t place;

		if (effect.family != family)
			continue;
		place = la_live_place(&walk->live[family], record->addr);
		if (first[place] != FIRST_NONE)
			continue;
		first[place] = effect.comes ? FIRST_COMES : FIRST_GOES;
		if (effect.comes || !record->size)
			continue;
		err = arrive(walk, family, &arrival, &number);
		if (!err && family == LA_WALK_BLOCK)
			claim(walk, number, record->size, record->device);
	}
	return err;
}

/* What is live, and of which no record tells. */
static int start_by_table(struct la_walk *walk, int family,
			  const uint8_t *first)
{
	const struct la_probe *probe = walk->probe;
	uint32_t number;
	size_t i;
	int err = 0;

	for (i = 0; i < probe->holding_count && !err; i++) {
		const struct la_probe_holding *holding = &probe->holding[i];
		const struct arrival arrival = { holding->addr, holding->size,
						 holding->device, 0 };

		if (family_of_kind(holding->kind) != family ||
		    first[la_live_place(&walk->live[family], holding->addr)] !=
			    FIRST_NONE)
			continue;
		err = arrive(walk, family, &arrival, &number);
		if (!err && family == LA_WALK_BLOCK)
			claim(walk, number, holding->size, holding->device);
	}
	return err;
}

/* What was there when the records begin; memory ahead of what lies in it. */
static int start(struct la_walk *walk)
{
	int family, err = 0;

	for (family = 0; family < LA_WALK_FAMILIES && !err; family++) {
		uint8_t *first;

		err = init_family(walk, family);
		if (err < 0)
			return err;
		first = calloc(walk->live[family].count + 1, 1);
		if (!first)
			return -ENOMEM;
		err = start_by_records(walk, family, first);
		if (!err)
			err = start_by_table(walk, family, first);
		free(first);
	}
	return err;
}

/* Bytes of memory that is PyTorch's by now. */
static uint64_t sum_torch(const struct la_walk *walk, unsigned int device)
{
	const struct la_live *memory = &walk->live[LA_WALK_MEMORY];
	const struct la_live *mapped = &walk->live[LA_WALK_MAPPED];
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < memory->count; i++)
		if (la_live_has(memory, i) &&
		    walk->span[memory->tag[i]].torch &&
		    walk->span[memory->tag[i]].device == device)
			sum += memory->size[i];
	for (i = 0; i < mapped->count; i++)
		if (la_live_has(mapped, i) && mapped->tag[i] != LA_NO_SPAN &&
		    walk->span[mapped->tag[i]].torch &&
		    walk->span[mapped->tag[i]].device == device)
			sum += mapped->size[i];
	return sum;
}

/* Could the allocator have got it?  It asks for multiples of 2 MiB. */
static bool may_be_torch(const struct la_walk_span *span, unsigned int device)
{
	return !span->torch && span->device == device && span->size &&
	       span->size % (2u << 20) == 0;
}

/*
 * Segments that no block lay in, as the records begin late: if the allocator
 * holds as much more as all memory that may be it, that is it.
 */
static void claim_rest(struct la_walk *walk, unsigned int device,
		       uint64_t reserved)
{
	const struct la_live *memory = &walk->live[LA_WALK_MEMORY];
	uint64_t known = sum_torch(walk, device), rest = 0;
	size_t i;

	for (i = 0; i < memory->count; i++)
		if (la_live_has(memory, i) &&
		    may_be_torch(&walk->span[memory->tag[i]], device))
			rest += memory->size[i];
	if (!rest || known + rest != reserved)
		return;
	for (i = 0; i < memory->count; i++)
		if (la_live_has(memory, i) &&
		    may_be_torch(&walk->span[memory->tag[i]], device))
			walk->span[memory->tag[i]].torch = true;
}

/*
 * Blocks of max_split_size_mb or more are not split, and serve nobody who asks
 * for less.  One that is larger by no more than what is not worth a split was
 * made for a request below it: to ask for exactly so much is rare.
 */
uint64_t la_walk_request(const struct la_walk *walk, uint64_t size)
{
	uint64_t most = walk->max_split_size;

	return size >= most && size - most < LA_WALK_REST ?
		       most - LA_WALK_UNIT :
		       size;
}

/* Bytes of max_split_size_mb in a setting; UINT64_MAX: not in it. */
static uint64_t read_max_split(const char *setting)
{
	static const char name[] = "max_split_size_mb:";
	const char *at = strstr(setting, name);
	uint64_t value = at ? strtoull(at + sizeof(name) - 1, NULL, 10) : 0;

	return value && value < UINT32_MAX ? value << 20 : UINT64_MAX;
}

static int walk_records(struct la_walk *walk, size_t count)
{
	struct walker walker = { .walk = walk };
	size_t i;
	int err = begin_capture(&walker, 0); /* number 0 is none */

	walker.capturing_count = 0;
	if (!err)
		err = start(walk);
	walk->start_count = walk->step_count;
	for (i = 0; i < count && !err; i++)
		err = walk_record(&walker, i);
	return err;
}

/* The first `count` records. */
static int walk_probe(struct la_walk *walk, const struct la_probe *probe,
		      size_t count)
{
	size_t room = probe->record_count + 1;
	int err = -ENOMEM;

	memset(walk, 0, sizeof(*walk));
	walk->probe = probe;
	walk->max_split_size = read_max_split(probe->header.setting);
	walk->span_of = malloc(room * sizeof(*walk->span_of));
	walk->capture_of = calloc(room, sizeof(*walk->capture_of));
	walk->failed_in = calloc(room, sizeof(*walk->failed_in));
	if (walk->failed_in && walk->span_of && walk->capture_of)
		err = walk_records(walk, count);
	if (err < 0)
		la_walk_release(walk);
	return err;
}

int la_walk_probe(struct la_walk *walk, const struct la_probe *probe)
{
	unsigned int i;
	int err = walk_probe(walk, probe, probe->record_count);

	if (err < 0)
		return err;
	for (i = 0; i < probe->header.device_count; i++)
		if (probe->device[i].blocks)
			claim_rest(walk, i, probe->device[i].reserved);
	return 0;
}

int la_walk_to_report(struct la_walk *walk, const struct la_probe *probe,
		      size_t report)
{
	const struct la_probe_record *record = &probe->record[report];
	int err = walk_probe(walk, probe, report + 1);

	if (!err)
		claim_rest(walk, record->device, record->other);
	return err;
}

void la_walk_release(struct la_walk *walk)
{
	int family;

	for (family = 0; family < LA_WALK_FAMILIES; family++)
		la_live_release(&walk->live[family]);
	free(walk->span);
	free(walk->step);
	free(walk->span_of);
	free(walk->capture);
	free(walk->capture_of);
	free(walk->failed_in);
	memset(walk, 0, sizeof(*walk));
}
