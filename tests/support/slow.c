// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "support/slow.h"
#include "trace/pickle.h"

struct outcome {
	struct la_snapshot snap;
	struct la_error err;
	int ret;
	bool truncated;
};

static int drip_open(struct la_input *in, uint64_t memory)
{
	(void)in;
	(void)memory;
	return 0;
}

/* One byte at a time. */
static ptrdiff_t drip_read(struct la_input *in, uint8_t *out, size_t size)
{
	(void)size;
	if (!in->packed_size)
		return 0;
	*out = *in->packed++;
	in->packed_size--;
	return 1;
}

static void drip_close(struct la_input *in)
{
	(void)in;
}

static const struct la_codec drip = { drip_open, drip_read, drip_close };

static void read_input(struct outcome *outcome, struct la_input *in,
		       bool partial, uint64_t memory_limit)
{
	memset(outcome, 0, sizeof(*outcome));
	la_snapshot_init(&outcome->snap, memory_limit, &outcome->err);
	outcome->ret = la_pickle_read(&outcome->snap, in, partial,
				      &outcome->truncated);
	la_input_close(in);
}

static bool same_array(const void *a, const void *b, size_t size)
{
	return !size || !memcmp(a, b, size);
}

static bool same_pairs(const struct la_pairs *a, const struct la_pairs *b)
{
	return a->count == b->count &&
	       same_array(a->pairs, b->pairs, a->count * sizeof(*a->pairs));
}

static bool same_traces(const struct la_snapshot *a,
			const struct la_snapshot *b)
{
	size_t i;

	if (a->trace_count != b->trace_count)
		return false;
	for (i = 0; i < a->trace_count; i++)
		if (!a->traces[i].stacks != !b->traces[i].stacks ||
		    (a->traces[i].stacks &&
		     !same_array(a->traces[i].stacks, b->traces[i].stacks,
				 a->traces[i].count * sizeof(uint32_t))) ||
		    a->traces[i].count != b->traces[i].count ||
		    a->traces[i].unknown != b->traces[i].unknown ||
		    a->traces[i].has_pools != b->traces[i].has_pools ||
		    !same_array(a->traces[i].events, b->traces[i].events,
				a->traces[i].count * sizeof(struct la_event)))
			return false;
	return true;
}

static bool same_segment(const struct la_segment *a, const struct la_segment *b)
{
	const struct la_recorded_segment *x = &a->segment, *y = &b->segment;

	return a->offset == b->offset && a->device == b->device &&
	       x->addr == y->addr && x->size == y->size &&
	       x->pool[0] == y->pool[0] && x->pool[1] == y->pool[1] &&
	       x->stream == y->stream && x->first_block == y->first_block &&
	       x->block_count == y->block_count && x->small == y->small &&
	       x->expandable == y->expandable && x->stack == y->stack;
}

static bool same_segments(const struct la_snapshot *a,
			  const struct la_snapshot *b)
{
	size_t i;

	if (a->segment_count != b->segment_count ||
	    a->block_count != b->block_count)
		return false;
	for (i = 0; i < a->segment_count; i++)
		if (!same_segment(&a->segments[i], &b->segments[i]))
			return false;
	for (i = 0; i < a->block_count; i++)
		if (a->blocks[i].size != b->blocks[i].size ||
		    a->blocks[i].requested != b->blocks[i].requested ||
		    a->blocks[i].stack != b->blocks[i].stack ||
		    a->blocks[i].state != b->blocks[i].state)
			return false;
	return true;
}

static bool same_text(const char *a, const char *b)
{
	return !a == !b && (!a || !strcmp(a, b));
}

static bool same_chunks(const struct la_chunks *a, const struct la_chunks *b)
{
	return a->size == b->size && a->count == b->count &&
	       same_array(a->bytes, b->bytes, a->size) &&
	       same_array(a->ends, b->ends, a->count * sizeof(*a->ends));
}

static bool same_stacks(const struct la_stacks *a, const struct la_stacks *b)
{
	return same_chunks(&a->texts, &b->texts) &&
	       same_chunks(&a->frames, &b->frames) &&
	       same_chunks(&a->stacks, &b->stacks) &&
	       a->dict_count == b->dict_count &&
	       a->list_count == b->list_count &&
	       same_array(a->lists, b->lists,
			  a->list_count * sizeof(*a->lists)) &&
	       a->lost == b->lost;
}

static const char *difference(const struct outcome *a, const struct outcome *b)
{
	if (a->ret != b->ret || a->err.code != b->err.code ||
	    a->err.offset != b->err.offset ||
	    strcmp(a->err.text, b->err.text) != 0)
		return "error";
	if (a->truncated != b->truncated)
		return "truncated";
	if (a->snap.budget.used != b->snap.budget.used)
		return "memory";
	if (!same_traces(&a->snap, &b->snap))
		return "events";
	if (!same_segments(&a->snap, &b->snap))
		return "segments";
	if (!same_pairs(&a->snap.streams, &b->snap.streams))
		return "streams";
	if (!same_pairs(&a->snap.tuples, &b->snap.tuples))
		return "tuples";
	if (!same_pairs(&a->snap.pools, &b->snap.pools))
		return "pools";
	if (!same_stacks(&a->snap.stacks, &b->snap.stacks))
		return "stacks";
	return same_text(a->snap.setting, b->snap.setting) ? NULL : "setting";
}

const char *slow_differs(const void *data, size_t size, bool partial,
			 uint64_t memory_limit)
{
	struct outcome fast, slow;
	struct la_input in;
	const char *differs;

	if (la_input_open_memory(&in, data, size, memory_limit, NULL) < 0)
		return "input";
	if (in.codec) {
		la_input_close(&in);
		return "packed input";
	}
	read_input(&fast, &in, partial, memory_limit);
	memset(&in, 0, sizeof(in));
	in.fd = -1;
	in.codec = &drip;
	in.packed = data;
	in.packed_size = size;
	in.buffer = malloc(64 << 10);
	in.start = in.p = in.end = in.buffer;
	read_input(&slow, &in, partial, memory_limit);
	differs = difference(&fast, &slow);
	la_snapshot_release(&fast.snap);
	la_snapshot_release(&slow.snap);
	return differs;
}
