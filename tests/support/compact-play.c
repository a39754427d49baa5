// SPDX-License-Identifier: Apache-2.0
#include "support/compact-play.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/device.h>
#include <liballoc/heap.h>

#include "heap/inside.h"
#include "support/stage.h"
#include "util/util.h"

#define PAGE (2 * MIB)
#define CAP_MAX (128 * MIB)

enum { STREAMS = 3, BLOCKS = 48, NODES = 16, PINS = 4 };

enum { DEFAULT, GRAPH, MEMPOOL }; /* numbers of pools */

struct held {
	uint64_t addr, size;
	la_block block;
	int stream, pool;
	uint64_t event; /* pending: of the other stream that used it */
	int other; /* the stream that used it too, or -1 */
	bool pending;
};

/* A graph: its replays use what was asked for while it was captured. */
struct graph {
	uint64_t addr[NODES], size[NODES];
	size_t count;
	int stream;
};

struct play {
	const uint8_t *data;
	size_t left;
	struct la_device *sim, *fault;
	struct la_heap *heap;
	uint64_t card, cap;
	uint64_t most; /* what may be held, after a lower cap */
	bool coarse; /* there was no cap: pieces may be large */
	struct held held[BLOCKS];
	size_t nr_held;
	struct graph graph;
	int captured; /* stream, or -1 */
	struct {
		uint64_t addr, size;
	} pin[PINS];
	size_t nr_pins;
	bool nested; /* inside of the heap's own waiting */
	bool faulty, failed;
};

static const uint64_t raw[STREAMS] = { 0, 0x10, 0x20 };

static void fail(const char *what, uint64_t value)
{
	fprintf(stderr, "compact-play: %s (0x%" PRIx64 ")\n", what, value);
	abort();
}

static uint32_t draw(struct play *play, uint32_t below)
{
	if (!play->left)
		return 0;
	play->left--;
	return *play->data++ % below;
}

static uint64_t draw_size(struct play *play)
{
	uint64_t value = draw(play, 256);

	switch (draw(play, 4)) {
	case 0:
		return 512 * value;
	case 1:
		return value * MIB / 128;
	case 2:
		return value * MIB / 16;
	default:
		return value * MIB / 4;
	}
}

/* What a kernel of the stream uses from now on. */
static void use(struct play *play, int stream, uint64_t addr, uint64_t size)
{
	if (stream != play->captured &&
	    la_device_sim_use(play->sim, raw[stream], addr, size) < 0)
		fail("out of memory", 0);
	if (la_device_sim_violations(play->sim))
		fail("the GPU would go wrong", addr);
}

static void judge(struct play *play, int err)
{
	if (err == -EIO && play->faulty)
		play->failed = true;
	else if (err && err != -ENOSPC)
		fail("unexpected error", (uint64_t)-err);
}

static void check_held(const struct play *play)
{
	size_t i, j;

	for (i = 0; i < play->nr_held; i++) {
		const struct held *a = &play->held[i];

		if (la_heap_addr(play->heap, a->block) != a->addr)
			fail("a live block moved", a->addr);
		for (j = 0; j < i; j++)
			if (a->addr < play->held[j].addr + play->held[j].size &&
			    play->held[j].addr < a->addr + a->size)
				fail("live blocks overlap", a->addr);
	}
}

static void check(const struct play *play)
{
	const struct la_device_sim_counts *counts =
		la_device_sim_counts(play->sim);
	const struct la_heap_stats *stats = la_heap_stats(play->heap);
	struct la_error err;

	if (la_heap_check(play->heap, &err) < 0) {
		fprintf(stderr, "compact-play: %s\n", err.text);
		abort();
	}
	if (stats->reserved != counts->create.bytes - counts->release.bytes)
		fail("reserved", stats->reserved);
	if (stats->reserved > play->most)
		fail("above the cap", stats->reserved);
	if (la_device_sim_violations(play->sim))
		fail("the GPU would go wrong", 0);
	check_held(play);
}

/* Pages that cannot move. */
struct fixed {
	uint64_t page[CAP_MAX / PAGE * 2];
	size_t count;
};

static void fix(struct fixed *fixed, uint64_t addr, uint64_t size)
{
	uint64_t page;
	size_t i;

	for (page = addr / PAGE; page * PAGE < addr + size; page++) {
		for (i = 0; i < fixed->count && fixed->page[i] != page;)
			i++;
		if (i < ARRAY_SIZE(fixed->page) && i == fixed->count)
			fixed->page[fixed->count++] = page;
	}
}

static void fix_block(void *data, const struct la_block_info *info)
{
	if (info->state != LA_BLOCK_FREE || info->pool[0] || info->pool[1])
		fix(data, info->addr, info->size);
}

/* Would pages that can move and what the cap leaves have sufficed? */
static bool need_not_fail(const struct play *play, uint64_t size)
{
	uint64_t room = play->cap < play->card ? play->cap : play->card;
	struct fixed fixed = { .count = 0 };
	size_t i;

	if (play->faulty || play->coarse || play->captured >= 0 || play->nested)
		return false;
	la_heap_walk(play->heap, fix_block, &fixed);
	for (i = 0; i < play->nr_pins; i++)
		fix(&fixed, play->pin[i].addr, play->pin[i].size);
	return fixed.count + (size + PAGE - 1) / PAGE <= room / PAGE;
}

static void note_node(struct graph *graph, const struct held *held)
{
	if (graph->count == NODES)
		return;
	graph->addr[graph->count] = held->addr;
	graph->size[graph->count++] = held->size;
}

/* The stream's own pool while it is captured; else some pool. */
static int draw_pool(struct play *play, int stream)
{
	if (stream == play->captured)
		return GRAPH;
	return draw(play, 8) ? DEFAULT : MEMPOOL;
}

static void alloc(struct play *play)
{
	struct held held = { .size = draw_size(play) + 1, .other = -1 };
	int err;

	held.stream = (int)draw(play, STREAMS);
	held.pool = draw_pool(play, held.stream);
	err = la_heap_alloc(play->heap, held.size, held.stream, held.pool,
			    &held.block);
	judge(play, err);
	if (err == -ENOSPC && need_not_fail(play, held.size))
		fail("a request failed that need not", held.size);
	if (err)
		return;
	held.addr = la_heap_addr(play->heap, held.block);
	if (held.pool == GRAPH)
		note_node(&play->graph, &held);
	use(play, held.stream, held.addr, held.size);
	if (play->nr_held < BLOCKS)
		play->held[play->nr_held++] = held;
	else
		judge(play, la_heap_release(play->heap, held.block));
}

static void forget(struct play *play, size_t at)
{
	play->held[at] = play->held[--play->nr_held];
}

/* Another stream uses a block behind its own. */
static void share(struct play *play, struct held *held)
{
	const struct la_device_ops *ops = play->sim->ops;
	int other = (int)draw(play, STREAMS);
	uint64_t event;

	if (other == held->stream || held->other >= 0 || play->captured >= 0 ||
	    held->pool == GRAPH)
		return;
	if (ops->record(play->sim, raw[held->stream], &event) < 0 ||
	    ops->order(play->sim, raw[other], event) < 0)
		fail("out of memory", 0);
	ops->forget(play->sim, event);
	held->other = other;
	use(play, other, held->addr, held->size);
}

/* Free a block; one that another stream uses is pending first, but for those
 * that would have to record an event on a captured stream. */
static void release(struct play *play, size_t at)
{
	struct held *held = &play->held[at];

	if (held->other < 0) {
		judge(play, la_heap_release(play->heap, held->block));
		forget(play, at);
	} else if (held->other != play->captured) {
		if (play->sim->ops->record(play->sim, raw[held->other],
					   &held->event) < 0)
			fail("out of memory", 0);
		la_heap_free_request(play->heap, held->block);
		held->pending = true;
	}
}

static void touch(struct play *play)
{
	size_t at;

	if (!play->nr_held)
		return;
	at = draw(play, (uint32_t)play->nr_held);
	if (play->held[at].pending)
		return;
	if (!draw(play, 4))
		share(play, &play->held[at]);
	else
		release(play, at);
}

/* What other threads do while the heap waits. */
static void come_between(struct play *play)
{
	if (play->nested)
		return;
	play->nested = true;
	while (draw(play, 3))
		if (draw(play, 2))
			touch(play);
		else
			alloc(play);
	play->nested = false;
}

static int settle(void *data, bool wait)
{
	struct play *play = data;
	const struct la_device_ops *ops = play->sim->ops;
	int count = 0;
	size_t i = 0;

	come_between(play);
	while (i < play->nr_held) {
		struct held held = play->held[i];

		if (held.pending && wait && held.other != play->captured)
			ops->await(play->sim, held.event);
		if (!held.pending || ops->query(play->sim, held.event) != 1) {
			i++;
			continue;
		}
		ops->forget(play->sim, held.event);
		forget(play, i);
		if (la_heap_free_complete(play->heap, held.block) < 0)
			fail("no completion", held.addr);
		count++;
	}
	return count;
}

static int synchronize(void *data, uint64_t stream)
{
	struct play *play = data;

	if (play->captured >= 0 && stream == raw[play->captured])
		return -EBUSY;
	la_device_sim_run(play->sim, stream);
	come_between(play);
	return 0;
}

static bool capturing(void *data)
{
	const struct play *play = data;

	return play->captured >= 0;
}

/* The graph and what it used are gone. */
static void end_graph(struct play *play)
{
	size_t i = 0;

	play->graph.count = 0;
	while (i < play->nr_held)
		if (play->held[i].pool == GRAPH)
			release(play, i);
		else
			i++;
	judge(play, draw(play, 2) ? la_heap_pool_drop(play->heap, GRAPH) :
				    la_heap_pool_give_up(play->heap, GRAPH));
}

static void capture(struct play *play)
{
	size_t i;

	if (play->captured >= 0) {
		la_device_sim_capture(play->sim, raw[play->captured], false);
		play->captured = -1;
	} else if (!play->graph.count) {
		play->captured = (int)draw(play, STREAMS);
		play->graph.stream = play->captured;
		la_device_sim_capture(play->sim, raw[play->captured], true);
	} else if (!draw(play, 4)) {
		end_graph(play);
	} else {
		for (i = 0; i < play->graph.count; i++)
			use(play, play->graph.stream, play->graph.addr[i],
			    play->graph.size[i]);
	}
}

static void unpin(struct play *play)
{
	size_t at = --play->nr_pins;

	if (heap_pin(play->heap, play->pin[at].addr, play->pin[at].size,
		     false) < 0)
		fail("pinned memory moved", play->pin[at].addr);
}

static void pin(struct play *play)
{
	const struct held *held;

	if (!play->nr_held)
		return;
	if (play->nr_pins == PINS) {
		unpin(play);
		return;
	}
	held = &play->held[draw(play, (uint32_t)play->nr_held)];
	if (heap_pin(play->heap, held->addr, held->size, true) < 0)
		fail("memory that cannot be pinned", held->addr);
	play->pin[play->nr_pins].addr = held->addr;
	play->pin[play->nr_pins++].size = held->size;
}

static void change_cap(struct play *play)
{
	uint64_t reserved = la_heap_stats(play->heap)->reserved;

	play->cap = CAP_MAX - draw(play, 16) * PAGE;
	play->most = play->cap > reserved ? play->cap : reserved;
	heap_set_cap(play->heap, play->cap);
}

static void step(struct play *play)
{
	uint32_t kind = draw(play, 64);

	if (kind < 24)
		alloc(play);
	else if (kind < 52)
		touch(play);
	else if (kind < 56)
		la_device_sim_run(play->sim, raw[draw(play, STREAMS)]);
	else if (kind < 59)
		capture(play);
	else if (kind < 60)
		pin(play);
	else if (kind < 61)
		change_cap(play);
	else if (kind < 62)
		judge(play, la_heap_empty_cache(play->heap));
	else
		settle(play, false);
}

static void begin(struct play *play, uint64_t nth)
{
	static const uint64_t pools[][2] = { { 1, 0 }, { 0, 1 } };
	struct la_setting_values setting = default_setting();
	struct la_heap_waiter waiter = { settle, synchronize, capturing, play };
	struct la_heap_config config = {
		.policy = LA_HEAP_COMPACT,
		.setting = &setting,
		.cap = UINT64_MAX,
		.total = 2 * CAP_MAX,
		.waiter = &waiter,
	};
	int i;

	play->card = CAP_MAX - draw(play, 8) * 4 * PAGE;
	play->cap = play->most = CAP_MAX;
	play->coarse = !draw(play, 4);
	if (!play->coarse)
		config.cap = CAP_MAX;
	if (la_device_sim(&play->sim, LA_LAYOUT_RULE, play->card, 0) < 0 ||
	    la_device_fault(&play->fault, play->sim, nth, -EIO) < 0)
		fail("out of memory", 0);
	config.device = play->fault;
	if (la_heap_new(&play->heap, &config, NULL) < 0)
		fail("out of memory", 0);
	for (i = 0; i < STREAMS; i++)
		la_heap_stream(play->heap, raw[i]);
	for (i = 0; i < 2; i++)
		la_heap_pool(play->heap, pools[i]);
}

/* When all is freed, all goes back. */
static void end(struct play *play)
{
	if (play->captured >= 0)
		capture(play);
	while (play->nr_pins)
		unpin(play);
	play->nested = true;
	la_device_sim_run_all(play->sim);
	settle(play, true);
	while (play->nr_held) {
		play->held[0].other = -1;
		release(play, 0);
	}
	judge(play, la_heap_pool_give_up(play->heap, GRAPH));
	judge(play, la_heap_pool_give_up(play->heap, MEMPOOL));
	judge(play, la_heap_empty_cache(play->heap));
	check(play);
}

bool compact_play(const uint8_t *data, size_t size, uint64_t nth)
{
	struct play play = {
		.data = data,
		.left = size,
		.captured = -1,
		.faulty = nth != 0,
	};

	begin(&play, nth);
	while (play.left) {
		step(&play);
		check(&play);
	}
	end(&play);
	if (!nth && la_heap_stats(play.heap)->reserved)
		fail("memory was kept", la_heap_stats(play.heap)->reserved);
	la_heap_free(play.heap);
	la_device_destroy(play.fault);
	return play.failed;
}
