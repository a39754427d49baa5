// SPDX-License-Identifier: Apache-2.0
/*
 * Streams by contradiction.  The allocator takes the smallest free block of
 * its stream that serves a request, of equal ones the first.  Where it took
 * another, or asked for new memory, what would have been better is another
 * stream's.  All begin as one stream, and the younger of two that contradict
 * moves on to the next one, until nothing does: no more than STREAMS times.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/probe-streams.h"
#include "util/array.h"
#include "util/util.h"

/* Walks at most, and free blocks that are moved or looked at in all: where
 * there are so many that it takes more, all is of one stream. */
enum { PASSES = 8, WORK = 1 << 27 };

#define STREAMS LA_WALK_STREAMS

#define NO_GROUP UINT32_MAX

/* A free block. */
struct gap {
	uint64_t size, addr; /* bytes; in this order */
	uint32_t span;
};

/* Those of one pool, class and stream, in order. */
struct gaps {
	struct gap *gap; /* owned */
	size_t count, room;
};

/* What only inference needs of a span. */
struct state {
	uint32_t group; /* its device, pool and class */
	bool fresh; /* memory came, and no block since */
};

struct inference {
	struct la_walk *walk;
	struct state *state; /* owned; by span */
	/* Owned; by pool, device and class: see group_key(). */
	uint32_t *group;
	struct gaps *gaps; /* owned; STREAMS of each group */
	uint32_t group_count;
	struct la_live free; /* free blocks by address; tags: spans */
	uint64_t *served; /* owned; requests, by the same index as gaps */
	uint64_t work; /* free blocks that were moved or looked at */
	bool moved; /* in this pass */
	int err; /* 0 or -ENOMEM */
};

static size_t index_of(const struct inference *in, uint32_t span)
{
	return (size_t)in->state[span].group * STREAMS +
	       in->walk->span[span].stream;
}

static struct gaps *gaps_of(const struct inference *in, uint32_t span)
{
	return &in->gaps[index_of(in, span)];
}

static bool is_before(const struct gap *gap, uint64_t size, uint64_t addr)
{
	return gap->size != size ? gap->size < size : gap->addr < addr;
}

/* The first that is not before (size, addr). */
static size_t seek(const struct gaps *gaps, uint64_t size, uint64_t addr)
{
	size_t low = 0, high = gaps->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (is_before(&gaps->gap[middle], size, addr))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void put(struct inference *in, const struct gap *gap)
{
	struct gaps *gaps = gaps_of(in, gap->span);
	size_t at = seek(gaps, gap->size, gap->addr);

	if (grow_array(&gaps->gap, &gaps->room, gaps->count, sizeof(*gap)) <
	    0) {
		in->err = -ENOMEM;
		return;
	}
	memmove(&gaps->gap[at + 1], &gaps->gap[at],
		(gaps->count - at) * sizeof(*gap));
	gaps->gap[at] = *gap;
	gaps->count++;
	in->work += gaps->count - at;
}

static void take(struct inference *in, const struct gap *gap)
{
	struct gaps *gaps = gaps_of(in, gap->span);
	size_t at = seek(gaps, gap->size, gap->addr);

	if (at == gaps->count || gaps->gap[at].addr != gap->addr)
		return;
	memmove(&gaps->gap[at], &gaps->gap[at + 1],
		(gaps->count - at - 1) * sizeof(*gap));
	gaps->count--;
	in->work += gaps->count - at;
}

static struct gap gap_at(const struct inference *in, size_t place)
{
	return (struct gap){ in->free.size[place], in->free.addr[place],
			     in->free.tag[place] };
}

static void add_free(struct inference *in, const struct gap *gap)
{
	if (!gap->size)
		return;
	la_live_add(&in->free, la_live_place(&in->free, gap->addr), gap->size,
		    gap->span);
	put(in, gap);
}

static struct gap remove_free(struct inference *in, size_t place)
{
	struct gap gap = gap_at(in, place);

	take(in, &gap);
	la_live_remove(&in->free, place);
	return gap;
}

/* A range becomes free: with what is free beside it, it is one block. */
static void give(struct inference *in, struct gap gap)
{
	size_t place = la_live_around(&in->free, gap.addr - 1);
	uint64_t end;

	if (place != LA_NOT_LIVE && in->free.tag[place] == gap.span) {
		struct gap ahead = remove_free(in, place);

		end = gap.addr + gap.size;
		if (end < ahead.addr + ahead.size)
			end = ahead.addr + ahead.size;
		gap.addr = ahead.addr;
		gap.size = end - gap.addr;
	}
	end = gap.addr + gap.size;
	place = la_live_place(&in->free, end);
	if (place != LA_NOT_LIVE && la_live_has(&in->free, place) &&
	    in->free.tag[place] == gap.span)
		gap.size += remove_free(in, place).size;
	add_free(in, &gap);
}

/* A range is free no more, as far as it was. */
static void withdraw(struct inference *in, uint64_t addr, uint64_t size)
{
	uint64_t end = addr + size;
	size_t place = la_live_around(&in->free, addr);
	struct gap gap, rest;

	if (place == LA_NOT_LIVE)
		return;
	gap = rest = remove_free(in, place);
	gap.size = addr - gap.addr;
	add_free(in, &gap);
	if (end < rest.addr + rest.size) {
		rest.size = rest.addr + rest.size - end;
		rest.addr = end;
		add_free(in, &rest);
	}
}

/* The segment moves on to the next stream; false: there is none. */
static bool move_on(struct inference *in, uint32_t number)
{
	struct la_walk_span *span = &in->walk->span[number];
	uint64_t end = span->addr + span->size, at = span->addr;
	size_t place, first = la_live_from(&in->free, at);
	struct gap gap;

	if (span->stream + 1 >= STREAMS)
		return false;
	for (place = first; place != LA_NOT_LIVE && in->free.addr[place] < end;
	     place = la_live_from(&in->free, in->free.addr[place] + 1)) {
		gap = gap_at(in, place);
		in->work++;
		if (gap.span != number)
			continue;
		take(in, &gap);
		span->stream++;
		put(in, &gap);
		span->stream--;
	}
	span->stream++;
	in->moved = true;
	return true;
}

/*
 * Would the allocator have taken it?  Blocks of max_split_size_mb and more are
 * for requests of that size alone, and then not 20 MiB larger than these; the
 * request of such a block may be smaller by 2 MiB.  Of what is just as large
 * as that the request may be below it: la_walk_request().
 */
static bool serves(const struct inference *in, uint64_t block, uint64_t size)
{
	uint64_t most = in->walk->max_split_size;

	if (size < most)
		return block < most;
	return size - most >= LA_WALK_REST && block < size + 18 * MIB;
}

/* The best free block but for the one at an address; NULL: there is none. */
static const struct gap *best(const struct inference *in,
			      const struct gaps *gaps, uint64_t size,
			      uint64_t but)
{
	size_t at = seek(gaps, size, 0);

	if (at < gaps->count && gaps->gap[at].addr == but)
		at++;
	return at < gaps->count && serves(in, gaps->gap[at].size, size) ?
		       &gaps->gap[at] :
		       NULL;
}

/* A request took a free block: was there a better one in its stream? */
static void contradict(struct inference *in, const struct gap *taken,
		       uint64_t size, bool fresh)
{
	const struct gap *other;
	bool moved = true;

	while (moved) {
		other = best(in, gaps_of(in, taken->span), size, taken->addr);
		if (!other || other->span == taken->span ||
		    (!fresh && !is_before(other, taken->size, taken->addr)))
			return;
		moved = move_on(in, other->span > taken->span ? other->span :
								taken->span);
	}
}

static void allocate(struct inference *in, const struct la_walk_step *step)
{
	struct state *state = &in->state[step->span];
	size_t place = la_live_around(&in->free, step->addr);
	struct gap gap;

	if (place == LA_NOT_LIVE)
		return;
	gap = gap_at(in, place);
	if (state->fresh || !in->walk->span[step->span].reserved)
		contradict(in, &gap, step->size, state->fresh);
	state->fresh = false;
	in->served[index_of(in, step->span)]++;
	withdraw(in, step->addr, step->size);
}

static uint32_t group_key(uint32_t pool, unsigned int device, bool small)
{
	return (pool * LA_PROBE_DEVICES + device) * 2 + small;
}

/* The group of a request that failed, or NO_GROUP. */
static uint32_t group_of(const struct inference *in,
			 const struct la_walk_step *step)
{
	struct la_walk *walk = in->walk;
	const struct la_probe_record *record =
		&walk->probe->record[step->addr];

	if (record->device >= LA_PROBE_DEVICES)
		return NO_GROUP;
	return in->group[group_key(
		la_walk_pool(walk, walk->capture_of[step->addr]),
		record->device, record->size <= MIB)];
}

/* The first stream that has nothing for a request that failed. */
static void fail(struct inference *in, const struct la_walk_step *step)
{
	uint32_t group = group_of(in, step);
	const struct gaps *gaps = &in->gaps[(size_t)group * STREAMS];
	uint8_t stream = 0;

	if (group == NO_GROUP)
		return;
	while (stream < STREAMS - 1 && best(in, &gaps[stream], step->size, 0))
		stream++;
	in->walk->failed_in[step->addr] = stream;
}

static void play(struct inference *in, const struct la_walk_step *step,
		 bool start)
{
	const struct gap gap = { step->size, step->addr, step->span };

	if (step->family < 0) {
		fail(in, step);
	} else if (step->span == LA_NO_SPAN ||
		   !in->walk->span[step->span].torch) {
		return;
	} else if (step->family == LA_WALK_BLOCK && step->comes && start) {
		withdraw(in, step->addr, step->size);
	} else if (step->family == LA_WALK_BLOCK && step->comes) {
		allocate(in, step);
	} else if (step->family == LA_WALK_BLOCK || step->comes) {
		give(in, gap);
		if (step->comes)
			in->state[step->span].fresh = !start;
	} else {
		withdraw(in, step->addr, step->size);
	}
}

/* Nothing is free, and no request was served. */
static void clear(struct inference *in)
{
	size_t count = (size_t)in->group_count * STREAMS, place, i;

	for (i = 0; i < count; i++) {
		in->gaps[i].count = 0;
		in->served[i] = 0;
	}
	while ((place = la_live_from(&in->free, 0)) != LA_NOT_LIVE)
		la_live_remove(&in->free, place);
}

/* All that happened, from the start. */
static void play_all(struct inference *in)
{
	const struct la_walk *walk = in->walk;
	size_t i;

	clear(in);
	in->moved = false;
	for (i = 0; i < walk->step_count && !in->err && in->work < WORK; i++)
		play(in, &walk->step[i], i < walk->start_count);
}

/* Pools, devices and classes that have segments get numbers. */
static int number_groups(struct inference *in)
{
	struct la_walk *walk = in->walk;
	size_t count = walk->capture_count * LA_PROBE_DEVICES * 2, i;

	in->group = malloc(count * sizeof(*in->group));
	in->state = calloc(walk->span_count + 1, sizeof(*in->state));
	if (!in->group || !in->state)
		return -ENOMEM;
	memset(in->group, 0xff, count * sizeof(*in->group));
	for (i = 0; i < walk->span_count; i++) {
		const struct la_walk_span *span = &walk->span[i];
		uint32_t *group;

		if (!span->torch || span->device >= LA_PROBE_DEVICES)
			continue;
		group = &in->group[group_key(la_walk_pool(walk, span->capture),
					     span->device,
					     la_walk_is_small(span))];
		if (*group == NO_GROUP)
			*group = in->group_count++;
		in->state[i].group = *group;
	}
	return 0;
}

static int init_free(struct inference *in)
{
	const struct la_walk *walk = in->walk;
	uint64_t *addr = malloc((2 * walk->step_count + 1) * sizeof(*addr));
	size_t count = 0, i;
	int err;

	if (!addr)
		return -ENOMEM;
	for (i = 0; i < walk->step_count; i++) {
		addr[count++] = walk->step[i].addr;
		addr[count++] = walk->step[i].addr + walk->step[i].size;
	}
	err = la_live_init(&in->free, addr, count);
	free(addr);
	return err;
}

static int begin(struct inference *in)
{
	int err = number_groups(in);
	size_t count = (size_t)in->group_count * STREAMS + 1;

	if (!err)
		err = init_free(in);
	if (err < 0)
		return err;
	in->gaps = calloc(count, sizeof(*in->gaps));
	in->served = calloc(count, sizeof(*in->served));
	return in->gaps && in->served ? 0 : -ENOMEM;
}

static void release(struct inference *in)
{
	size_t count = (size_t)in->group_count * STREAMS, i;

	for (i = 0; in->gaps && i < count; i++)
		free(in->gaps[i].gap);
	free(in->gaps);
	free(in->served);
	free(in->group);
	free(in->state);
	la_live_release(&in->free);
}

/* In each group the stream that most requests are of is the default one. */
static uint32_t exchange(const struct inference *in, uint32_t group,
			 uint32_t stream)
{
	const uint64_t *served = &in->served[(size_t)group * STREAMS];
	uint32_t most = 0, i;

	for (i = 1; i < STREAMS; i++)
		if (served[i] > served[most])
			most = i;
	if (stream == most)
		return 0;
	return stream ? stream : most;
}

static void count_stream(struct la_walk *walk, uint32_t stream)
{
	if (walk->stream_count <= stream)
		walk->stream_count = stream + 1;
}

static void number_spans(struct inference *in)
{
	struct la_walk *walk = in->walk;
	size_t i;

	for (i = 0; i < walk->span_count; i++) {
		struct la_walk_span *span = &walk->span[i];

		if (span->torch)
			span->stream = exchange(in, in->state[i].group,
						span->stream);
		count_stream(walk, span->stream);
	}
}

static void number_failures(struct inference *in)
{
	struct la_walk *walk = in->walk;
	size_t i;

	for (i = 0; i < walk->step_count; i++) {
		const struct la_walk_step *step = &walk->step[i];
		uint8_t *stream;
		uint32_t group;

		if (step->family >= 0)
			continue;
		stream = &walk->failed_in[step->addr];
		group = group_of(in, step);
		if (group != NO_GROUP)
			*stream = (uint8_t)exchange(in, group, *stream);
		count_stream(walk, *stream);
	}
}

static void give_up(struct la_walk *walk)
{
	size_t i;

	for (i = 0; i < walk->span_count; i++)
		walk->span[i].stream = 0;
	memset(walk->failed_in, 0, walk->probe->record_count);
}

int la_walk_infer_streams(struct la_walk *walk)
{
	/* group 0: of devices that do not exist */
	struct inference in = { .walk = walk, .group_count = 1 };
	int pass = 0;

	walk->stream_count = 1;
	in.err = begin(&in);
	do
		if (!in.err)
			play_all(&in);
	while (in.moved && !in.err && ++pass < PASSES);
	if (in.work >= WORK) {
		give_up(walk);
	} else if (!in.err) {
		number_spans(&in);
		number_failures(&in);
	}
	release(&in);
	return in.err;
}
