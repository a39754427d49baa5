// SPDX-License-Identifier: Apache-2.0
/*
 * What the policy does under limits: refusals, targeted release, flush, age
 * collection.  Expected events are written from the rules, as in test-heap.c.
 */

#include <check.h>
#include <stdlib.h>

#include "support/stage.h"

#define NONE UINT64_MAX

static struct stage stage;

static void open_stage(uint64_t cap, uint64_t card)
{
	stage_open(&stage, NULL, cap, card);
}

static void open_gc(double threshold, uint64_t cap)
{
	struct la_setting_values setting = default_setting();

	setting.garbage_collection_threshold = threshold;
	stage_open(&stage, &setting, cap, NONE);
}

static const struct la_heap_stats *stats(void)
{
	return la_heap_stats(stage.heap);
}

static void assert_events(const char *expected)
{
	ck_assert_str_eq(stage_take(&stage), expected);
}

START_TEST(test_cap_may_be_reached)
{
	open_stage(30 * MIB, NONE);
	ck_assert_uint_ne(stage_alloc(&stage, 2 * MIB, 0), LA_NO_BLOCK);
	ck_assert_uint_ne(stage_alloc(&stage, 10 * MIB, 0), LA_NO_BLOCK);
	ck_assert_uint_ne(stage_alloc(&stage, 10 * MIB, 0), LA_NO_BLOCK);
	ck_assert_uint_eq(stats()->ooms, 0);
	ck_assert_uint_eq(stage_alloc(&stage, 1, 0), LA_NO_BLOCK);
	ck_assert_uint_eq(stats()->reserved, 30 * MIB);
	ck_assert_uint_eq(stats()->ooms, 1);
}
END_TEST

/* What counts is the segment, though the request alone would fit. */
START_TEST(test_limits_count_the_segment)
{
	if (_i)
		open_stage(20 * MIB - 1, NONE);
	else
		open_stage(NONE, 20 * MIB - 1);
	ck_assert_uint_eq(stage_alloc(&stage, 2 * MIB + 1, 0), LA_NO_BLOCK);
	assert_events("oom 2097664\n");
	ck_assert_uint_eq(stats()->ooms, 1);
	ck_assert_uint_eq(stats()->retries, 1);
	ck_assert_uint_eq(stats()->syncs, 1);
	ck_assert_uint_eq(stats()->reserved, 0);
	ck_assert_uint_ne(stage_alloc(&stage, 1, 0), LA_NO_BLOCK);
}
END_TEST

/* Large before small; in each by stream, size, address. */
START_TEST(test_flush_order)
{
	la_block block[6];
	int i;

	open_stage(NONE, NONE);
	block[0] = stage_alloc(&stage, 1000, 0x20);
	block[1] = stage_alloc(&stage, 1000, 0x10);
	block[2] = stage_alloc(&stage, 12 * MIB, 0x20);
	block[3] = stage_alloc(&stage, 12 * MIB, 0x20);
	block[4] = stage_alloc(&stage, 10 * MIB, 0x20);
	block[5] = stage_alloc(&stage, 30 * MIB, 0x10);
	for (i = 0; i < 6; i++)
		stage_release(&stage, block[5 - i]);
	stage_alloc(&stage, 2000, 0x20);
	stage_take(&stage);
	ck_assert_int_eq(la_heap_empty_cache(stage.heap), 0);
	assert_events("segment_free 5+0 31457280 @10\n"
		      "segment_free 4+0 10485760 @20\n"
		      "segment_free 2+0 12582912 @20\n"
		      "segment_free 3+0 12582912 @20\n"
		      "segment_free 1+0 2097152 @10\n");
	ck_assert_uint_eq(stats()->syncs, 1);
	ck_assert_uint_eq(stats()->retries, 0);
	ck_assert_uint_eq(stats()->device_frees, 5);
	stage_check(&stage);
}
END_TEST

START_TEST(test_flush_completes_pending_blocks_first)
{
	la_block first, second;

	open_stage(NONE, NONE);
	first = stage_alloc(&stage, 1000, 0);
	second = stage_alloc(&stage, 10 * MIB, 0x10);
	stage_take(&stage);
	la_heap_free_request(stage.heap, second);
	la_heap_free_request(stage.heap, first);
	ck_assert_int_eq(la_heap_empty_cache(stage.heap), 0);
	assert_events("free_requested 1+0 10485760 @10\n"
		      "free_requested 0+0 1000\n"
		      "free_completed 1+0 10485760 @10\n"
		      "free_completed 0+0 1000\n"
		      "segment_free 1+0 10485760 @10\n"
		      "segment_free 0+0 2097152\n");
	ck_assert_uint_eq(stats()->reserved, 0);
	stage_check(&stage);
}
END_TEST

START_TEST(test_oom_is_tried_again_after_a_flush)
{
	la_block live;

	open_stage(40 * MIB, NONE);
	stage_cache(&stage, 12 * MIB);
	live = stage_alloc(&stage, 14 * MIB, 0);
	stage_take(&stage);
	stage_alloc(&stage, 20 * MIB, 0);
	assert_events("segment_free 0+0 12582912\n"
		      "segment_alloc 2+0 20971520\n"
		      "alloc 2+0 20971520\n");
	ck_assert_uint_eq(stats()->retries, 1);
	ck_assert_uint_eq(stats()->ooms, 0);
	stage_release(&stage, live);
	ck_assert_uint_eq(stats()->active, 20 * MIB);
}
END_TEST

/* The flush frees a block that would fit, but the cache is not searched. */
START_TEST(test_cache_is_not_searched_again_after_the_flush)
{
	la_block pending;

	open_stage(20 * MIB, NONE);
	pending = stage_alloc(&stage, 6 * MIB, 0);
	stage_alloc(&stage, 9 * MIB, 0);
	la_heap_free_request(stage.heap, pending);
	stage_take(&stage);
	ck_assert_uint_eq(stage_alloc(&stage, 6 * MIB, 0), LA_NO_BLOCK);
	assert_events("free_completed 0+0 6291456\n"
		      "oom 6291456\n");
	ck_assert_uint_eq(stage_alloc(&stage, 6 * MIB, 0), pending);
}
END_TEST

/* Allocate all on the default stream, then release all. */
static void cache_all(const uint64_t *sizes, int count)
{
	la_block block[8];
	int i;

	for (i = 0; i < count; i++)
		block[i] = stage_alloc(&stage, sizes[i], 0);
	for (i = 0; i < count; i++)
		stage_release(&stage, block[i]);
	stage_take(&stage);
}

/* The best fitting oversize block goes, and no flush follows. */
START_TEST(test_targeted_release_of_the_best_fit)
{
	static const uint64_t sizes[] = { 50 * MIB, 46 * MIB, 2 * MIB };

	stage_open_split(&stage, 20 * MIB, 116 * MIB);
	cache_all(sizes, 3);
	stage_alloc(&stage, 24 * MIB, 0);
	assert_events("segment_free 2+0 48234496\n"
		      "segment_alloc 5+0 25165824\n"
		      "alloc 5+0 25165824\n");
	ck_assert_uint_eq(stats()->retries, 0);
}
END_TEST

/* No block is big enough: from the biggest down, of equal ones the highest
 * first, until as much as was asked for is given back. */
START_TEST(test_targeted_release_from_the_biggest_down)
{
	static const uint64_t sizes[] = { 22 * MIB, 22 * MIB, 20 * MIB,
					  24 * MIB, 10 * MIB };

	stage_open_split(&stage, 20 * MIB, 100 * MIB);
	cache_all(sizes, 5);
	stage_alloc(&stage, 60 * MIB, 0);
	assert_events("segment_free 3+0 25165824\n"
		      "segment_free 1+0 23068672\n"
		      "segment_free 0+0 23068672\n"
		      "segment_alloc 5+0 62914560\n"
		      "alloc 5+0 62914560\n");
	ck_assert_uint_eq(stats()->retries, 0);
}
END_TEST

/* The second makes up exactly what was asked for: the third stays. */
START_TEST(test_targeted_release_of_just_enough)
{
	static const uint64_t sizes[] = { 30 * MIB, 30 * MIB, 22 * MIB };

	stage_open_split(&stage, 20 * MIB, 100 * MIB);
	cache_all(sizes, 3);
	stage_alloc(&stage, 60 * MIB, 0);
	assert_events("segment_free 1+0 31457280\n"
		      "segment_free 0+0 31457280\n"
		      "segment_alloc 3+0 62914560\n"
		      "alloc 3+0 62914560\n");
	ck_assert_uint_eq(stats()->retries, 0);
}
END_TEST

/* A request below the bound: smaller blocks than the bound stay. */
START_TEST(test_targeted_release_for_a_smaller_request)
{
	static const uint64_t sizes[] = { 24 * MIB, 32 * MIB };

	stage_open_split(&stage, 32 * MIB, 60 * MIB);
	cache_all(sizes, 2);
	stage_alloc(&stage, 26 * MIB, 0);
	assert_events("segment_free 1+0 33554432\n"
		      "segment_alloc 2+0 27262976\n"
		      "alloc 2+0 27262976\n");
	ck_assert_uint_eq(stats()->retries, 0);
}
END_TEST

/* Too little was given back: it is not tried before all is flushed, though
 * it would fit by now. */
START_TEST(test_targeted_release_of_too_little_is_not_enough)
{
	static const uint64_t sizes[] = { 22 * MIB, 10 * MIB };

	stage_open_split(&stage, 20 * MIB, 80 * MIB);
	cache_all(sizes, 2);
	stage_alloc(&stage, 60 * MIB, 0);
	assert_events("segment_free 0+0 23068672\n"
		      "segment_free 1+0 10485760\n"
		      "segment_alloc 2+0 62914560\n"
		      "alloc 2+0 62914560\n");
	ck_assert_uint_eq(stats()->retries, 1);
}
END_TEST

START_TEST(test_targeted_release_is_of_the_stream_alone)
{
	stage_open_split(&stage, 20 * MIB, 60 * MIB);
	stage_release(&stage, stage_alloc(&stage, 30 * MIB, 0x10));
	stage_release(&stage, stage_alloc(&stage, 1000, 0));
	stage_take(&stage);
	stage_alloc(&stage, 30 * MIB, 0);
	assert_events("segment_free 0+0 31457280 @10\n"
		      "segment_free 1+0 2097152\n"
		      "segment_alloc 2+0 31457280\n"
		      "alloc 2+0 31457280\n");
	ck_assert_uint_eq(stats()->retries, 1);
}
END_TEST

START_TEST(test_gc_gives_back_the_older_half)
{
	la_block a, b, d;

	open_gc(0.5, 100 * MIB);
	a = stage_alloc(&stage, 10 * MIB, 0);
	b = stage_alloc(&stage, 12 * MIB, 0);
	stage_alloc(&stage, 14 * MIB, 0);
	d = stage_alloc(&stage, 16 * MIB, 0);
	stage_release(&stage, a);
	stage_release(&stage, d);
	stage_alloc(&stage, 16 * MIB, 0);
	stage_release(&stage, b);
	stage_take(&stage);
	stage_alloc(&stage, 18 * MIB, 0);
	assert_events("segment_free 0+0 10485760\n"
		      "segment_alloc 4+0 18874368\n"
		      "alloc 4+0 18874368\n");
	ck_assert_uint_eq(stats()->retries, 0);
	ck_assert_uint_eq(stats()->syncs, 0);
}
END_TEST

/* All are as old as the average: all go, though the first is enough. */
START_TEST(test_gc_finishes_a_pass)
{
	static const uint64_t sizes[] = { 14 * MIB, 10 * MIB, 12 * MIB };

	open_gc(0.5, 100 * MIB);
	stage_alloc(&stage, 16 * MIB, 0);
	cache_all(sizes, 3);
	stage_alloc(&stage, 16 * MIB, 0);
	assert_events("segment_free 2+0 10485760\n"
		      "segment_free 3+0 12582912\n"
		      "segment_free 1+0 14680064\n"
		      "segment_alloc 4+0 16777216\n"
		      "alloc 4+0 16777216\n");
}
END_TEST

START_TEST(test_gc_takes_a_new_average_for_each_pass)
{
	la_block a, b, d;
	int i;

	open_gc(0.5, 100 * MIB);
	a = stage_alloc(&stage, 10 * MIB, 0);
	b = stage_alloc(&stage, 12 * MIB, 0);
	d = stage_alloc(&stage, 50 * MIB, 0);
	stage_release(&stage, a);
	for (i = 0; i < 2; i++) {
		stage_release(&stage, d);
		d = stage_alloc(&stage, 50 * MIB, 0);
	}
	stage_release(&stage, b);
	stage_take(&stage);
	stage_alloc(&stage, 14 * MIB, 0);
	assert_events("segment_free 0+0 10485760\n"
		      "segment_free 1+0 12582912\n"
		      "segment_alloc 4+0 14680064\n"
		      "alloc 4+0 14680064\n");
}
END_TEST

/* Of all streams, on a miss of the small pool as well; but neither small
 * segments nor such as are in use go. */
START_TEST(test_gc_is_of_the_large_pool)
{
	la_block large, part, small;

	open_gc(0.5, 60 * MIB);
	small = stage_alloc(&stage, 1000, 0);
	large = stage_alloc(&stage, 12 * MIB, 0x10);
	part = stage_alloc(&stage, 5 * MIB, 0x10);
	stage_alloc(&stage, 6 * MIB, 0x10);
	stage_release(&stage, part);
	stage_release(&stage, large);
	stage_release(&stage, small);
	stage_take(&stage);
	stage_alloc(&stage, 1000, 0x10);
	assert_events("segment_free 1+0 12582912 @10\n"
		      "segment_alloc 3+0 2097152 @10\n"
		      "alloc 3+0 1000 @10\n");
}
END_TEST

/* Nothing is done up to the threshold, by a card, or without a limit. */
START_TEST(test_gc_needs_a_cap_and_more_than_its_share)
{
	struct la_setting_values setting = default_setting();

	setting.garbage_collection_threshold = 0.5;
	stage_open(&stage, &setting, _i == 0 ? 100 * MIB : NONE,
		   _i == 1 ? 100 * MIB : NONE);
	stage_alloc(&stage, _i ? 48 * MIB : 40 * MIB, 0);
	stage_cache(&stage, 10 * MIB);
	stage_alloc(&stage, 16 * MIB, 0);
	assert_events("segment_alloc 3+0 16777216\n"
		      "alloc 3+0 16777216\n");
}
END_TEST

START_TEST(test_hit_collects_nothing)
{
	open_gc(0.5, 60 * MIB);
	stage_alloc(&stage, 40 * MIB, 0);
	stage_cache(&stage, 16 * MIB);
	stage_alloc(&stage, 16 * MIB, 0);
	assert_events("alloc 2+0 16777216\n");
}
END_TEST

static void close_stage(void)
{
	stage_close(&stage);
}

static TCase *tcase(Suite *s, const char *name)
{
	TCase *tc = tcase_create(name);

	suite_add_tcase(s, tc);
	return tc;
}

static void add_pressure(Suite *s)
{
	TCase *tc = tcase(s, "pressure");

	tcase_add_checked_fixture(tc, NULL, close_stage);
	tcase_add_test(tc, test_cap_may_be_reached);
	tcase_add_loop_test(tc, test_limits_count_the_segment, 0, 2);
	tcase_add_test(tc, test_flush_order);
	tcase_add_test(tc, test_flush_completes_pending_blocks_first);
	tcase_add_test(tc, test_oom_is_tried_again_after_a_flush);
	tcase_add_test(tc, test_cache_is_not_searched_again_after_the_flush);
	tcase_add_test(tc, test_targeted_release_of_the_best_fit);
	tcase_add_test(tc, test_targeted_release_from_the_biggest_down);
	tcase_add_test(tc, test_targeted_release_of_just_enough);
	tcase_add_test(tc, test_targeted_release_for_a_smaller_request);
	tcase_add_test(tc, test_targeted_release_of_too_little_is_not_enough);
	tcase_add_test(tc, test_targeted_release_is_of_the_stream_alone);
}

static void add_age(Suite *s)
{
	TCase *tc = tcase(s, "age");

	tcase_add_checked_fixture(tc, NULL, close_stage);
	tcase_add_test(tc, test_gc_gives_back_the_older_half);
	tcase_add_test(tc, test_gc_finishes_a_pass);
	tcase_add_test(tc, test_gc_takes_a_new_average_for_each_pass);
	tcase_add_test(tc, test_gc_is_of_the_large_pool);
	tcase_add_loop_test(tc, test_gc_needs_a_cap_and_more_than_its_share, 0,
			    3);
	tcase_add_test(tc, test_hit_collects_nothing);
}

int main(void)
{
	Suite *s = suite_create("heap-pressure");
	SRunner *sr = srunner_create(s);
	int failed;

	add_pressure(s);
	add_age(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
