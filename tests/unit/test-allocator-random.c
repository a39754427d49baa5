// SPDX-License-Identifier: Apache-2.0
/*
 * Random programs of one thread: figures against a model, the order of streams
 * against the device's, and each operation of the device failing once.
 */

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include <liballoc/allocator.h>

#include "support/locked.h"
#include "support/stage.h"

enum { LIVE_MAX = 100, STREAMS = 4, ROUNDING = 512 };

struct live {
	uint64_t addr, size, stream;
};

/* What a program has and had. */
struct model {
	uint64_t allocated, allocated_peak; /* bytes */
	uint64_t requested, requested_peak;
	uint64_t live, live_peak; /* blocks */
};

static struct la_device *device;
static struct la_allocator *allocator;
static struct live live[LIVE_MAX];
static size_t nr_live;
static struct model model;
static bool captured[STREAMS], routed;
static int code; /* that an operation fails with */
static unsigned int failures; /* so far */
static uint64_t state;

static const uint64_t pool[2] = { 7, 0 };

static uint64_t draw(uint64_t below)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (state >> 33) % below;
}

static void check(void)
{
	struct la_error err = { 0 };

	ck_assert_msg(!la_allocator_check(allocator, &err), "%s", err.text);
	ck_assert_uint_eq(locked_violations(device), 0);
}

static void judge(int err)
{
	ck_assert(err == 0 || err == -ENOSPC || err == code);
	failures += err && err == code;
}

static uint64_t rounded(uint64_t size)
{
	return (size + ROUNDING - 1) / ROUNDING * ROUNDING;
}

static void raise_peak(uint64_t *peak, uint64_t value)
{
	if (value > *peak)
		*peak = value;
}

static void raise_peaks(void)
{
	raise_peak(&model.allocated_peak, model.allocated);
	raise_peak(&model.requested_peak, model.requested);
	raise_peak(&model.live_peak, model.live);
}

/* Kernels that use a block, on its stream and perhaps on another, which waits
 * for the first. */
static void use(const struct live *block)
{
	uint64_t other = draw(STREAMS);

	if (!captured[block->stream])
		locked_use(device, block->stream, block->addr, block->size);
	if (other == block->stream || draw(4) || captured[other] ||
	    captured[block->stream])
		return;
	ck_assert_int_eq(locked_order(device, other, block->stream), 0);
	locked_use(device, other, block->addr, block->size);
	ck_assert_int_eq(
		la_allocator_record_stream(allocator, block->addr, other), 0);
}

static uint64_t draw_size(void)
{
	static const uint64_t most[] = { 2000, 20000, MIB, 3 * MIB, 30 * MIB };

	return 1 + draw(most[draw(ARRAY_SIZE(most))]);
}

static void alloc(void)
{
	struct live block = { .size = draw_size(), .stream = draw(STREAMS) };
	int err;

	if (nr_live == LIVE_MAX)
		return;
	err = la_allocator_alloc(allocator, 0, block.size, block.stream,
				 &block.addr);
	judge(err);
	if (err)
		return;
	model.allocated += rounded(block.size);
	model.requested += block.size;
	model.live++;
	raise_peaks();
	live[nr_live++] = block;
	use(&block);
}

static void release(void)
{
	size_t at = nr_live ? (size_t)draw(nr_live) : 0;
	int err;

	if (!nr_live)
		return;
	err = la_allocator_release(allocator, live[at].addr);
	judge(err);
	if (err)
		return;
	model.allocated -= rounded(live[at].size);
	model.requested -= live[at].size;
	model.live--;
	live[at] = live[--nr_live];
}

static void read_figures(void)
{
	struct la_allocator_stats stats;

	ck_assert_int_eq(la_allocator_stats(allocator, 0, &stats), 0);
	ck_assert_uint_eq(stats.heap.allocated, model.allocated);
	ck_assert_uint_eq(stats.heap.allocated_peak, model.allocated_peak);
	ck_assert_uint_eq(stats.requested, model.requested);
	ck_assert_uint_eq(stats.live, model.live);
	ck_assert_uint_eq(stats.live_peak, model.live_peak);
	ck_assert_uint_eq(stats.served - stats.freed, model.live);
	/* Caches change the request of a block, by less than its rounding. */
	ck_assert_uint_le(stats.requested_peak, model.requested_peak);
	ck_assert_uint_gt(stats.requested_peak + LIVE_MAX * ROUNDING,
			  model.requested_peak);
	ck_assert_uint_ge(stats.heap.active, stats.heap.allocated);
	ck_assert_uint_ge(stats.heap.reserved, stats.heap.active);
	ck_assert_uint_eq(stats.heap.reserved, locked_held(device));
}

static void reset_peaks(void)
{
	ck_assert_int_eq(la_allocator_reset_peaks(allocator, 0), 0);
	model.allocated_peak = model.requested_peak = model.live_peak = 0;
	raise_peaks();
}

static void capture(bool on)
{
	uint64_t stream = draw(STREAMS);

	if (on && draw(8))
		return;
	captured[stream] = on;
	locked_capture(device, stream, on);
}

static bool is_third(void *data, uint64_t stream)
{
	(void)data;
	return stream == 3;
}

static void route(void)
{
	int err;

	if (routed)
		err = la_allocator_end_pool(allocator, 0, pool);
	else
		err = la_allocator_begin_pool(allocator, 0, pool, is_third,
					      NULL, NULL);
	ck_assert_int_eq(err, 0);
	routed = !routed;
	if (routed)
		return;
	judge(la_allocator_release_pool(allocator, 0, pool));
}

static void act(void)
{
	uint64_t kind = draw(100);

	if (kind < 44)
		alloc();
	else if (kind < 80)
		release();
	else if (kind < 88)
		locked_run(device, draw(STREAMS));
	else if (kind < 90)
		judge(la_allocator_empty_cache(allocator));
	else if (kind < 92)
		route();
	else if (kind < 93)
		reset_peaks();
	else
		capture(kind < 96);
}

static void add_pool(void *data, const struct la_block_info *info)
{
	if (info->pool[0] == pool[0])
		*(uint64_t *)data += info->size;
}

/* All goes back; but torch forgets a pool that was given up when it has
 * unmapped as often as it has grown, memory or not. */
static void wind_up(enum la_heap_policy policy)
{
	uint64_t stream, forgotten = 0;

	for (stream = 0; stream < STREAMS; stream++)
		locked_capture(device, stream, false);
	if (routed)
		route();
	while (nr_live)
		release();
	judge(la_allocator_empty_cache(allocator));
	ck_assert_int_eq(la_allocator_empty_cache(allocator), 0);
	check();
	read_figures();
	if (policy == LA_HEAP_TORCH)
		ck_assert_int_eq(
			la_allocator_walk(allocator, 0, add_pool, &forgotten),
			0);
	ck_assert_uint_eq(locked_held(device), forgotten);
	ck_assert_uint_eq(locked_events(device), 0);
}

static void open_all(enum la_heap_policy policy, uint64_t card, uint64_t nth)
{
	struct la_setting_values setting = default_setting();
	struct la_allocator_config config = { .policy = policy,
					      .setting = &setting,
					      .device = &device,
					      .total = &card,
					      .device_count = 1 };
	struct la_device *sim, *fault;

	/* So that blocks are as big as the model takes them for. */
	setting.expandable_segments = true;
	ck_assert_int_eq(la_device_sim(&sim, LA_LAYOUT_RULE, card, 0), 0);
	ck_assert_int_eq(la_device_fault(&fault, sim, nth, code), 0);
	device = locked_new(fault, sim);
	ck_assert_int_eq(la_allocator_new(&allocator, &config, NULL), 0);
}

static void play(enum la_heap_policy policy, uint64_t seed, int steps,
		 uint64_t nth)
{
	int i;

	open_all(policy, 300 * MIB, nth);
	model = (struct model){ 0 };
	for (i = 0; i < STREAMS; i++)
		captured[i] = false;
	routed = false;
	failures = 0;
	state = seed;
	for (i = 0; i < steps; i++) {
		act();
		if (i % 16 == 0) {
			check();
			read_figures();
		}
	}
	wind_up(policy);
	la_allocator_free(allocator);
	la_device_destroy(device);
}

START_TEST(test_figures_are_those_of_a_model)
{
	uint64_t seed;

	code = -EIO;
	for (seed = 1; seed <= 20; seed++)
		play((enum la_heap_policy)_i, seed, 2000, 0);
}
END_TEST

START_TEST(test_nth_operation_fails)
{
	unsigned int seen = 0;
	uint64_t nth;

	code = -EIO;
	for (nth = 1; nth < 400; nth++) {
		play((enum la_heap_policy)_i, 5, 300, nth);
		ck_assert_uint_le(failures, 1);
		seen += failures;
	}
	ck_assert_uint_gt(seen, 50);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("allocator-random");
	TCase *tc = tcase_create("random");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_figures_are_those_of_a_model, 0,
			    LA_HEAP_POLICIES);
	tcase_add_loop_test(tc, test_nth_operation_fails, 0, LA_HEAP_POLICIES);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
