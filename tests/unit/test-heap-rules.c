// SPDX-License-Identifier: Apache-2.0
/*
 * What differs between releases of torch: each rule on both sides of the
 * release that brought or ended it.  Expected values are written from the
 * sources of the releases; tests/wheels/heap.sh asks the releases themselves.
 */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/stage.h"

#define NONE UINT64_MAX
#define TOTAL (100 * MIB)

static struct stage stage;
static struct la_setting_values setting;

static void setup(void)
{
	setting = default_setting();
}

static void open_release(unsigned int minor, uint64_t cap)
{
	stage_open_release(&stage, LA_RELEASE(2, minor), &setting, cap, TOTAL);
}

static void teardown(void)
{
	stage_check(&stage);
	stage_close(&stage);
}

static void close_stage(void)
{
	teardown();
}

static void divide(uint64_t parts)
{
	int i;

	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		setting.roundup_power2_divisions[i] = parts;
}

static const struct la_heap_stats *stats(void)
{
	return la_heap_stats(stage.heap);
}

static void assert_events(const char *expected)
{
	ck_assert_str_eq(stage_take(&stage), expected);
}

/* 2.4 tests for more than one division, older ones for one. */
START_TEST(test_one_division_leaves_sizes_up_to_2_3)
{
	divide(1);
	open_release(3, NONE);
	stage_alloc(&stage, 1001, 0);
	stage_alloc(&stage, 512, 0);
	ck_assert_uint_eq(stats()->allocated, 1001 + 512);
	close_stage();
	open_release(4, NONE);
	stage_alloc(&stage, 1001, 0);
	stage_alloc(&stage, 512, 0);
	ck_assert_uint_eq(stats()->allocated, 1024 + 512);
}
END_TEST

/* 1.13 rounds what is above the threshold to 512 bytes. */
START_TEST(test_bypass_threshold_is_of_1_13)
{
	divide(4);
	setting.roundup_bypass_threshold = 4 * MIB;
	stage_open_release(&stage, LA_RELEASE(1, 13), &setting, NONE, TOTAL);
	stage_alloc(&stage, 16 * MIB + 1, 0);
	stage_alloc(&stage, 3 * MIB + 1, 0);
	assert_events("segment_alloc 31+0 18874368\nalloc 31+0 16777217\n"
		      "segment_alloc 30+0 20971520\nalloc 30+0 3145729\n");
	ck_assert_uint_eq(stats()->allocated, 16 * MIB + 512 + 7 * MIB / 2);
	close_stage();
	open_release(0, NONE);
	stage_alloc(&stage, 16 * MIB + 1, 0);
	assert_events("segment_alloc 31+0 20971520\nalloc 31+0 16777217\n");
}
END_TEST

/* 40 MiB into 64 MiB is 24 MiB too many, but for the option of 2.6. */
START_TEST(test_slack_is_fixed_up_to_2_5)
{
	setting.max_split_size = 32 * MIB;
	setting.max_non_split_rounding = 200 * MIB;
	open_release(5, NONE);
	stage_cache(&stage, 64 * MIB);
	stage_alloc(&stage, 40 * MIB, 0);
	assert_events("segment_alloc 28+0 41943040\nalloc 28+0 41943040\n");
	close_stage();
	open_release(6, NONE);
	stage_cache(&stage, 64 * MIB);
	stage_alloc(&stage, 40 * MIB, 0);
	assert_events("alloc 30+0 41943040\n");
}
END_TEST

START_TEST(test_large_segments_are_fixed_up_to_2_10)
{
	setting.large_segment_size = 30 * MIB;
	open_release(10, NONE);
	stage_alloc(&stage, 2 * MIB, 0);
	assert_events("segment_alloc 31+0 20971520\nalloc 31+0 2097152\n");
	close_stage();
	open_release(11, NONE);
	stage_alloc(&stage, 2 * MIB, 0);
	assert_events("segment_alloc 31+0 31457280\nalloc 31+0 2097152\n");
}
END_TEST

START_TEST(test_chains_came_with_2_1)
{
	setting.expandable_segments = true;
	open_release(0, NONE);
	stage_alloc(&stage, 2 * MIB, 0);
	ck_assert_ptr_nonnull(strstr(stage_take(&stage), "segment_alloc"));
	close_stage();
	open_release(1, NONE);
	stage_alloc(&stage, 2 * MIB, 0);
	ck_assert_ptr_nonnull(strstr(stage_take(&stage), "segment_map"));
}
END_TEST

/* 2.1 to 2.4 want to give a block of a chain back, and fail; later ones pass
 * it over and flush. */
START_TEST(test_targeted_release_fails_at_chains_up_to_2_4)
{
	setting.expandable_segments = true;
	setting.max_split_size = 32 * MIB;
	open_release(4, 60 * MIB);
	stage_cache(&stage, 40 * MIB);
	ck_assert_uint_eq(stage_alloc(&stage, 44 * MIB, 0), LA_NO_BLOCK);
	assert_events("");
	ck_assert_uint_eq(stats()->ooms, 0);
	close_stage();
	open_release(5, 60 * MIB);
	stage_cache(&stage, 40 * MIB);
	ck_assert_uint_ne(stage_alloc(&stage, 44 * MIB, 0), LA_NO_BLOCK);
	ck_assert_uint_eq(stats()->retries, 1);
}
END_TEST

/* Two whole segments of one size, the older at the higher address. */
START_TEST(test_older_segment_goes_first_from_2_12)
{
	la_block first, second;

	open_release((unsigned int)_i, NONE);
	first = stage_alloc(&stage, 10 * MIB, 0);
	second = stage_alloc(&stage, 10 * MIB, 0);
	stage_release(&stage, first);
	stage_release(&stage, second);
	stage_take(&stage);
	stage_alloc(&stage, 10 * MIB, 0);
	assert_events(_i < 12 ? "alloc 30+0 10485760\n" :
				"alloc 31+0 10485760\n");
}
END_TEST

/* Blocks of 512 bytes in one segment: that at 0 is the youngest, as a split
 * makes a new block of its front; 2.12 alone looks at that. */
START_TEST(test_older_block_goes_first_in_2_12)
{
	la_block a, c, front;

	open_release((unsigned int)_i, NONE);
	a = stage_alloc(&stage, 1024, 0);
	stage_alloc(&stage, 512, 0);
	c = stage_alloc(&stage, 512, 0);
	stage_alloc(&stage, 512, 0);
	stage_release(&stage, a);
	front = stage_alloc(&stage, 512, 0);
	stage_alloc(&stage, 512, 0);
	stage_release(&stage, front);
	stage_release(&stage, c);
	stage_take(&stage);
	stage_alloc(&stage, 512, 0);
	assert_events(_i == 12 ? "alloc 31+1536 512\n" : "alloc 31+0 512\n");
}
END_TEST

/* The cap is not reached, but half of the device's 100 MiB is. */
START_TEST(test_requests_are_rejected_from_2_12)
{
	setting.throw_on_cudamalloc_oom = true;
	setting.per_process_memory_fraction = 0.5;
	open_release(11, NONE);
	stage_cache(&stage, 40 * MIB);
	ck_assert_uint_ne(stage_alloc(&stage, 44 * MIB, 0), LA_NO_BLOCK);
	close_stage();
	open_release(12, NONE);
	stage_cache(&stage, 40 * MIB);
	ck_assert_uint_eq(stage_alloc(&stage, 44 * MIB, 0), LA_NO_BLOCK);
	assert_events("");
	ck_assert_uint_eq(stats()->retries, 0);
	ck_assert_uint_eq(stats()->ooms, 0);
	ck_assert_uint_ne(stage_alloc(&stage, 10 * MIB, 0), LA_NO_BLOCK);
}
END_TEST

static bool served_in_pool(unsigned int minor, uint64_t first, uint64_t second)
{
	const uint64_t id[2] = { first, second };
	la_block block;
	bool served;

	open_release(minor, 30 * MIB);
	stage_cache(&stage, 20 * MIB);
	served = !la_heap_alloc(stage.heap, 20 * MIB,
				la_heap_stream(stage.heap, 0),
				la_heap_pool(stage.heap, id), &block);
	close_stage();
	return served;
}

/* A captured graph's pool is (n, 0), a MemPool is (0, n). */
START_TEST(test_mempools_flush_from_2_13)
{
	ck_assert(!served_in_pool(12, 0, 1));
	ck_assert(served_in_pool(13, 0, 1));
	ck_assert(!served_in_pool(13, 1, 0));
}
END_TEST

/* Of this total and these bytes the product lies just below a whole number. */
START_TEST(test_cap_of_a_fraction)
{
	const uint64_t total = 86405835036;
	const double fraction = (double)(474 * MIB) / (double)total;

	ck_assert(fraction * (double)total < (double)(474 * MIB));
	ck_assert_uint_eq(la_heap_cap(fraction, total, LA_RELEASE(2, 12)),
			  474 * MIB - 1);
	ck_assert_uint_eq(la_heap_cap(fraction, total, LA_RELEASE(2, 13)),
			  474 * MIB);
	ck_assert_uint_eq(la_heap_cap(1, total, LA_RELEASE(2, 9)), total);
	ck_assert_uint_eq(la_heap_cap(1, total, LA_RELEASE(2, 10)), NONE);
	ck_assert_uint_eq(la_heap_cap(1, total, 0), NONE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("heap-rules");
	TCase *each = tcase_create("each"), *alone = tcase_create("alone");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(each, setup, teardown);
	tcase_add_test(each, test_one_division_leaves_sizes_up_to_2_3);
	tcase_add_test(each, test_bypass_threshold_is_of_1_13);
	tcase_add_test(each, test_slack_is_fixed_up_to_2_5);
	tcase_add_test(each, test_large_segments_are_fixed_up_to_2_10);
	tcase_add_test(each, test_chains_came_with_2_1);
	tcase_add_test(each, test_targeted_release_fails_at_chains_up_to_2_4);
	tcase_add_loop_test(each, test_older_segment_goes_first_from_2_12, 10,
			    16);
	tcase_add_loop_test(each, test_older_block_goes_first_in_2_12, 10, 16);
	tcase_add_test(each, test_requests_are_rejected_from_2_12);
	tcase_add_checked_fixture(alone, setup, NULL);
	tcase_add_test(alone, test_mempools_flush_from_2_13);
	tcase_add_test(alone, test_cap_of_a_fraction);
	suite_add_tcase(suite, each);
	suite_add_tcase(suite, alone);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
