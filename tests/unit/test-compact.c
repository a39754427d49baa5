// SPDX-License-Identifier: Apache-2.0
/* Policy compact, one rule each; what it does to the device is what the
 * simulated one counts. */

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include <liballoc/device.h>
#include <liballoc/heap.h>

#include "heap/inside.h"
#include "support/stage.h"
#include "util/util.h"

enum { POOL = 1 };

static struct la_device *sim, *device;
static struct la_heap *heap;
static uint64_t events[LA_ACTION_COUNT]; /* heard so far */

static void hear(void *data, enum la_action action, uint64_t addr,
		 uint64_t size, uint64_t stream)
{
	(void)data;
	(void)addr;
	(void)size;
	(void)stream;
	events[action]++;
}

static uint64_t total = 16 * GIB;

static void begin_on(uint64_t card, uint64_t cap, uint64_t nth)
{
	static const uint64_t pool[] = { 1, 0 };
	struct la_setting_values setting = default_setting();
	struct la_heap_config config = {
		.policy = LA_HEAP_COMPACT,
		.setting = &setting,
		.cap = cap,
		.total = total,
		.listener = hear,
	};
	int i;

	ck_assert_int_eq(la_device_sim(&sim, LA_LAYOUT_RULE, card, 0), 0);
	ck_assert_int_eq(la_device_fault(&device, sim, nth, -EIO), 0);
	config.device = device;
	ck_assert_int_eq(la_heap_new(&heap, &config, NULL), 0);
	ck_assert_int_eq(la_heap_stream(heap, 0), 0);
	ck_assert_int_eq(la_heap_stream(heap, 0x10), 1);
	ck_assert_int_eq(la_heap_pool(heap, pool), POOL);
	for (i = 0; i < LA_ACTION_COUNT; i++)
		events[i] = 0;
}

static void begin(uint64_t cap, uint64_t nth)
{
	begin_on(UINT64_MAX, cap, nth);
}

static const struct la_device_sim_counts *counts(void)
{
	return la_device_sim_counts(sim);
}

static const struct la_heap_stats *stats(void)
{
	return la_heap_stats(heap);
}

static la_block alloc(uint64_t size, int stream, int pool)
{
	la_block block;

	ck_assert_int_eq(la_heap_alloc(heap, size, stream, pool, &block), 0);
	return block;
}

static void release(la_block block)
{
	ck_assert_int_eq(la_heap_release(heap, block), 0);
}

static void end(void)
{
	ck_assert_int_eq(la_heap_check(heap, NULL), 0);
	la_heap_free(heap);
	la_device_destroy(device);
}

START_TEST(test_best_fit_of_the_own_stream_calls_no_driver)
{
	la_block large, small, wall;
	uint64_t addr;

	begin(64 * MIB, 0);
	large = alloc(6 * MIB, 0, LA_DEFAULT_POOL);
	wall = alloc(512, 0, LA_DEFAULT_POOL);
	small = alloc(3 * MIB, 0, LA_DEFAULT_POOL);
	alloc(512, 0, LA_DEFAULT_POOL);
	addr = la_heap_addr(heap, small);
	release(large);
	release(small);
	ck_assert_uint_eq(counts()->create.bytes, 10 * MIB);
	small = alloc(2 * MIB + 1, 0, LA_DEFAULT_POOL);
	ck_assert_uint_eq(la_heap_addr(heap, small), addr);
	ck_assert_uint_eq(counts()->create.bytes, 10 * MIB);
	ck_assert_uint_eq(stats()->reserved, 10 * MIB);
	ck_assert_uint_eq(stats()->allocated, 2 * MIB + 512 * 3);
	(void)wall;
	end();
}
END_TEST

/* Four parts of 16 MiB, of which the first and the last are free: the last
 * stays, the first moves behind it. */
START_TEST(test_free_memory_moves_to_where_it_is_needed)
{
	la_block part[4];
	uint64_t addr;
	int i;

	begin(64 * MIB, 0);
	for (i = 0; i < 4; i++)
		part[i] = alloc(16 * MIB, 0, LA_DEFAULT_POOL);
	addr = la_heap_addr(heap, part[1]);
	release(part[0]);
	release(part[3]);
	alloc(32 * MIB, 0, LA_DEFAULT_POOL);
	ck_assert_uint_eq(la_heap_addr(heap, part[1]), addr);
	ck_assert_uint_eq(counts()->create.bytes, 64 * MIB);
	ck_assert_uint_eq(counts()->detach.bytes, 16 * MIB);
	ck_assert_uint_eq(counts()->release.calls, 0);
	ck_assert_uint_eq(stats()->stalls, 1);
	ck_assert_uint_eq(events[LA_SEGMENT_UNMAP], counts()->detach.calls);
	ck_assert_uint_eq(events[LA_SEGMENT_MAP], counts()->attach.calls);
	ck_assert_uint_eq(stats()->reserved_peak, 64 * MIB);
	end();
}
END_TEST

START_TEST(test_a_card_beyond_all_addresses_serves)
{
	total = UINT64_MAX / 2;
	begin(UINT64_MAX, 0);
	alloc(3 * MIB, 0, LA_DEFAULT_POOL);
	alloc(3 * MIB, 0, POOL);
	end();
}
END_TEST

START_TEST(test_another_stream_waits_before_memory_moves)
{
	begin(64 * MIB, 0);
	release(alloc(32 * MIB, 0, LA_DEFAULT_POOL));
	alloc(32 * MIB, 1, LA_DEFAULT_POOL);
	ck_assert_uint_eq(stats()->waits, 0);
	ck_assert_uint_eq(stats()->reserved, 64 * MIB);
	alloc(20 * MIB, 1, LA_DEFAULT_POOL);
	ck_assert_uint_eq(stats()->waits, 1);
	ck_assert_uint_eq(stats()->stalls, 0);
	ck_assert_uint_eq(counts()->detach.calls, 0);
	end();
}
END_TEST

START_TEST(test_more_than_the_cap_takes_nothing_away)
{
	la_block block = LA_NO_BLOCK;

	begin(64 * MIB, 0);
	release(alloc(32 * MIB, 0, LA_DEFAULT_POOL));
	ck_assert_int_eq(
		la_heap_alloc(heap, 64 * MIB + 1, 0, LA_DEFAULT_POOL, &block),
		-ENOSPC);
	ck_assert_uint_eq(block, LA_NO_BLOCK);
	ck_assert_uint_eq(events[LA_OOM], 1);
	ck_assert_uint_eq(stats()->ooms, 1);
	ck_assert_uint_eq(counts()->detach.calls, 0);
	end();
}
END_TEST

START_TEST(test_a_pool_keeps_its_memory_until_it_is_given_up)
{
	la_block block;

	begin(64 * MIB, 0);
	release(alloc(32 * MIB, 0, POOL));
	ck_assert_int_eq(
		la_heap_alloc(heap, 40 * MIB, 0, LA_DEFAULT_POOL, &block),
		-ENOSPC);
	ck_assert_int_eq(la_heap_pool_give_up(heap, POOL), 0);
	alloc(40 * MIB, 0, LA_DEFAULT_POOL);
	end();
}
END_TEST

START_TEST(test_what_is_pinned_stays)
{
	la_block block;
	uint64_t addr, base, size;

	begin(64 * MIB, 0);
	block = alloc(32 * MIB, 0, LA_DEFAULT_POOL);
	addr = la_heap_addr(heap, block);
	ck_assert_int_eq(heap_base(heap, addr + 3 * MIB, &base, &size), 0);
	ck_assert_uint_eq(base, addr + 2 * MIB);
	ck_assert_uint_eq(size, 2 * MIB);
	ck_assert_int_eq(heap_pin(heap, addr, 32 * MIB, true), 0);
	ck_assert_int_eq(heap_pin(heap, addr, 33 * MIB, true), -ENOENT);
	release(block);
	ck_assert_int_eq(la_heap_empty_cache(heap), 0);
	ck_assert_uint_eq(stats()->reserved, 32 * MIB);
	ck_assert_int_eq(heap_pin(heap, addr, 32 * MIB, false), 0);
	ck_assert_int_eq(la_heap_empty_cache(heap), 0);
	ck_assert_uint_eq(stats()->reserved, 0);
	ck_assert_int_eq(heap_base(heap, addr, &base, &size), -ENOENT);
	end();
}
END_TEST

START_TEST(test_a_lower_cap_gives_back_as_requests_come)
{
	begin(64 * MIB, 0);
	alloc(16 * MIB, 0, LA_DEFAULT_POOL);
	release(alloc(48 * MIB, 0, LA_DEFAULT_POOL));
	heap_set_cap(heap, 32 * MIB);
	alloc(10 * MIB, 0, LA_DEFAULT_POOL);
	release(alloc(6 * MIB, 0, POOL));
	ck_assert_uint_eq(stats()->reserved, 32 * MIB);
	end();
}
END_TEST

/* What was mapped before the failure stays, and serves the next request. */
START_TEST(test_half_of_a_growth_is_kept)
{
	la_block block;

	begin(64 * MIB, 8);
	ck_assert_int_eq(
		la_heap_alloc(heap, 16 * MIB, 0, LA_DEFAULT_POOL, &block),
		-EIO);
	ck_assert_int_eq(la_heap_check(heap, NULL), 0);
	ck_assert_uint_gt(stats()->reserved, 0);
	alloc(16 * MIB, 0, LA_DEFAULT_POOL);
	ck_assert_uint_eq(stats()->reserved, 16 * MIB);
	end();
}
END_TEST

/* Another process takes half of the card for a while. */
START_TEST(test_what_was_refused_is_asked_for_again)
{
	uint64_t other;
	int i;

	begin_on(64 * MIB, 60 * MIB, 0);
	ck_assert_int_eq(sim->ops->create(sim, 32 * MIB, &other), 0);
	alloc(10 * MIB, 0, LA_DEFAULT_POOL);
	for (i = 0; i < 4; i++) {
		release(alloc(22 * MIB, 0, LA_DEFAULT_POOL));
		release(alloc(22 * MIB, 0, POOL));
		ck_assert_int_eq(la_heap_pool_give_up(heap, POOL), 0);
	}
	ck_assert_uint_eq(stats()->reserved, 32 * MIB);
	ck_assert_int_eq(sim->ops->release(sim, other, 32 * MIB), 0);
	for (i = 0; i < 16; i++) {
		release(alloc(22 * MIB, 0, LA_DEFAULT_POOL));
		release(alloc(22 * MIB, 0, POOL));
		ck_assert_int_eq(la_heap_pool_give_up(heap, POOL), 0);
	}
	ck_assert_uint_eq(stats()->reserved, 54 * MIB);
	end();
}
END_TEST

/* Loading a kernel, say, needs memory of the device, too. */
START_TEST(test_what_the_device_refused_is_not_kept_from_it)
{
	la_block block;
	uint64_t held;

	begin_on(64 * MIB, UINT64_MAX, 0);
	alloc(10 * MIB, 0, LA_DEFAULT_POOL);
	held = stats()->reserved;
	ck_assert_int_eq(
		la_heap_alloc(heap, 60 * MIB, 0, LA_DEFAULT_POOL, &block),
		-ENOSPC);
	ck_assert_uint_eq(stats()->ooms, 1);
	ck_assert_uint_le(stats()->reserved, held);
	end();
}
END_TEST

static void add_size(void *data, const struct la_block_info *info)
{
	uint64_t *sum = data;

	ck_assert_uint_ge(info->addr, info->segment_addr);
	ck_assert_uint_le(info->addr + info->size,
			  info->segment_addr + info->segment_size);
	*sum += info->size;
}

START_TEST(test_a_walk_shows_all_memory)
{
	uint64_t sum = 0;

	begin(64 * MIB, 0);
	alloc(MIB, 0, LA_DEFAULT_POOL);
	release(alloc(5 * MIB, 1, LA_DEFAULT_POOL));
	alloc(3 * MIB, 0, POOL);
	la_heap_free_request(heap, alloc(7 * MIB, 1, LA_DEFAULT_POOL));
	la_heap_walk(heap, add_size, &sum);
	ck_assert_uint_eq(sum, stats()->reserved);
	end();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("compact");
	TCase *tc = tcase_create("rules");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_best_fit_of_the_own_stream_calls_no_driver);
	tcase_add_test(tc, test_free_memory_moves_to_where_it_is_needed);
	tcase_add_test(tc, test_a_card_beyond_all_addresses_serves);
	tcase_add_test(tc, test_another_stream_waits_before_memory_moves);
	tcase_add_test(tc, test_more_than_the_cap_takes_nothing_away);
	tcase_add_test(tc, test_a_pool_keeps_its_memory_until_it_is_given_up);
	tcase_add_test(tc, test_what_is_pinned_stays);
	tcase_add_test(tc, test_a_lower_cap_gives_back_as_requests_come);
	tcase_add_test(tc, test_half_of_a_growth_is_kept);
	tcase_add_test(tc, test_what_was_refused_is_asked_for_again);
	tcase_add_test(tc, test_what_the_device_refused_is_not_kept_from_it);
	tcase_add_test(tc, test_a_walk_shows_all_memory);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
