// SPDX-License-Identifier: Apache-2.0
/*
 * The policy, rule by rule.  Expected events are written from the rules of
 * torch 2.11's allocator, which recordings made on a GPU have proven.
 */

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "heap/round.h"
#include "support/stage.h"

#define NONE UINT64_MAX

static struct stage stage;

static void open_stage(uint64_t cap, uint64_t card)
{
	stage_open(&stage, NULL, cap, card);
}

static const struct la_heap_stats *stats(void)
{
	return la_heap_stats(stage.heap);
}

static void assert_events(const char *expected)
{
	ck_assert_str_eq(stage_take(&stage), expected);
}

/* Request, rounded, segment; with 4 divisions: rounded, segment. */
static const uint64_t rounding[][5] = {
	{ 1, 512, 2 * MIB, 512, 2 * MIB },
	{ 511, 512, 2 * MIB, 512, 2 * MIB },
	{ 512, 512, 2 * MIB, 512, 2 * MIB },
	{ 513, 1024, 2 * MIB, 1024, 2 * MIB },
	{ 1048577, 1049088, 20 * MIB, 1310720, 20 * MIB },
	{ 3145729, 3146240, 20 * MIB, 3670016, 20 * MIB },
	{ 10485248, 10485248, 20 * MIB, 10485760, 10 * MIB },
	{ 10485249, 10485760, 10 * MIB, 10485760, 10 * MIB },
	{ 10485761, 10486272, 12 * MIB, 12582912, 12 * MIB },
	{ 514 * MIB, 514 * MIB, 514 * MIB, 640 * MIB, 640 * MIB },
};

START_TEST(test_rounding_as_in_the_reference)
{
	struct la_setting_values plain = default_setting(), parts = plain;
	const uint64_t *row = rounding[_i];
	int i;

	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		parts.roundup_power2_divisions[i] = 4;
	ck_assert_uint_eq(round_request(&plain, row[0]), row[1]);
	ck_assert_uint_eq(round_segment(&plain, row[1]), row[2]);
	ck_assert_uint_eq(round_request(&parts, row[0]), row[3]);
	ck_assert_uint_eq(round_segment(&parts, row[3]), row[4]);
}
END_TEST

/* A slot for each power of two from 1 MiB on; the ends serve what is beyond
 * them; 0 and 1 are off; up to 512 bytes a part nothing changes. */
START_TEST(test_rounding_takes_the_slot_of_the_size)
{
	struct la_setting_values setting = default_setting();
	uint64_t *slot = setting.roundup_power2_divisions;

	slot[0] = 2;
	slot[1] = 1;
	slot[2] = 8;
	slot[15] = 4;
	ck_assert_uint_eq(round_request(&setting, 1024), 1024);
	ck_assert_uint_eq(round_request(&setting, 1025), 1536);
	ck_assert_uint_eq(round_request(&setting, 1537), 2048);
	ck_assert_uint_eq(round_request(&setting, 2 * MIB - 1), 2 * MIB);
	ck_assert_uint_eq(round_request(&setting, 2 * MIB + 1), 2 * MIB + 512);
	ck_assert_uint_eq(round_request(&setting, 4 * MIB), 4 * MIB);
	ck_assert_uint_eq(round_request(&setting, 4 * MIB + 1),
			  4 * MIB + MIB / 2);
	ck_assert_uint_eq(round_request(&setting, 8 * MIB + 1), 8 * MIB + 512);
	ck_assert_uint_eq(round_request(&setting, (32 << 10) * MIB + 1),
			  (40 << 10) * MIB);
	ck_assert_uint_eq(round_request(&setting, (64 << 10) * MIB + 1),
			  (80 << 10) * MIB);
}
END_TEST

START_TEST(test_large_segment_size_serves_1_to_10_mib)
{
	struct la_setting_values setting = default_setting();

	setting.large_segment_size = 32 * MIB;
	ck_assert_uint_eq(round_segment(&setting, MIB), 2 * MIB);
	ck_assert_uint_eq(round_segment(&setting, MIB + 512), 32 * MIB);
	ck_assert_uint_eq(round_segment(&setting, 10 * MIB - 512), 32 * MIB);
	ck_assert_uint_eq(round_segment(&setting, 10 * MIB), 10 * MIB);
}
END_TEST

START_TEST(test_small_requests_share_a_segment)
{
	la_block first, second;

	open_stage(NONE, NONE);
	first = stage_alloc(&stage, 1, 0);
	second = stage_alloc(&stage, MIB, 0);
	stage_alloc(&stage, MIB - 512, 0);
	stage_alloc(&stage, 512, 0);
	assert_events("segment_alloc 0+0 2097152\n"
		      "alloc 0+0 1\n"
		      "alloc 0+512 1048576\n"
		      "alloc 0+1049088 1048064\n"
		      "segment_alloc 1+0 2097152\n"
		      "alloc 1+0 512\n");
	ck_assert_uint_eq(stats()->allocated, 2 * MIB + 512);
	stage_release(&stage, first);
	stage_release(&stage, second);
	stage_alloc(&stage, MIB, 0);
	assert_events("free_requested 0+0 1\n"
		      "free_completed 0+0 1\n"
		      "free_requested 0+512 1048576\n"
		      "free_completed 0+512 1048576\n"
		      "alloc 0+0 1048576\n");
}
END_TEST

/* A rest of 1 MiB stays with a large block, one more piece is cut off. */
START_TEST(test_large_block_keeps_a_rest_of_1_mib)
{
	la_block block;

	open_stage(NONE, NONE);
	stage_cache(&stage, 20 * MIB);
	block = stage_alloc(&stage, 19 * MIB, 0);
	ck_assert_uint_eq(stats()->allocated, 20 * MIB);
	stage_release(&stage, block);
	stage_alloc(&stage, 19 * MIB - 512, 0);
	ck_assert_uint_eq(stats()->allocated, 19 * MIB - 512);
	ck_assert_uint_eq(stats()->device_allocs, 1);
}
END_TEST

START_TEST(test_small_block_gives_away_512_bytes)
{
	la_block blocks[4];

	open_stage(NONE, NONE);
	blocks[0] = stage_alloc(&stage, 2048, 0);
	blocks[1] = stage_alloc(&stage, 512, 0);
	stage_release(&stage, blocks[0]);
	blocks[0] = stage_alloc(&stage, 1536, 0);
	stage_take(&stage);
	blocks[2] = stage_alloc(&stage, 512, 0);
	assert_events("alloc 0+1536 512\n");
	stage_release(&stage, blocks[1]);
	ck_assert_uint_eq(stats()->allocated, 2048);
}
END_TEST

/* The smallest that is big enough; of equal ones that at the lowest place. */
START_TEST(test_best_fit_and_ties)
{
	la_block big, hole[3];
	int i;

	open_stage(NONE, NONE);
	big = stage_alloc(&stage, 8192, 0);
	stage_alloc(&stage, 512, 0);
	for (i = 0; i < 3; i++) {
		hole[i] = stage_alloc(&stage, 4096, 0);
		stage_alloc(&stage, 512, 0);
	}
	stage_release(&stage, big);
	stage_release(&stage, hole[2]);
	stage_release(&stage, hole[0]);
	stage_release(&stage, hole[1]);
	stage_take(&stage);
	for (i = 0; i < 4; i++)
		stage_alloc(&stage, 3585, 0);
	assert_events("alloc 0+8704 3585\n"
		      "alloc 0+13312 3585\n"
		      "alloc 0+17920 3585\n"
		      "alloc 0+0 3585\n");
}
END_TEST

START_TEST(test_pool_goes_by_the_rounded_size)
{
	struct la_setting_values setting = default_setting();

	setting.roundup_power2_divisions[0] = 2;
	stage_open(&stage, &setting, NONE, NONE);
	stage_alloc(&stage, 600 << 10, 0);
	stage_alloc(&stage, (1 << 20) + 1, 0);
	assert_events("segment_alloc 0+0 2097152\n"
		      "alloc 0+0 614400\n"
		      "segment_alloc 1+0 20971520\n"
		      "alloc 1+0 1048577\n");
	ck_assert_uint_eq(stats()->allocated, (768 << 10) + 3 * MIB / 2);
}
END_TEST

START_TEST(test_streams_share_nothing)
{
	la_block block;

	open_stage(NONE, NONE);
	block = stage_alloc(&stage, 1000, 0x10);
	stage_release(&stage, block);
	stage_alloc(&stage, 1000, 0);
	stage_alloc(&stage, 1000, 0x10);
	assert_events("segment_alloc 0+0 2097152 @10\n"
		      "alloc 0+0 1000 @10\n"
		      "free_requested 0+0 1000 @10\n"
		      "free_completed 0+0 1000 @10\n"
		      "segment_alloc 1+0 2097152\n"
		      "alloc 1+0 1000\n"
		      "alloc 0+0 1000 @10\n");
}
END_TEST

START_TEST(test_neighbours_merge_on_both_sides)
{
	la_block block[4];
	int i;

	open_stage(NONE, NONE);
	for (i = 0; i < 4; i++)
		block[i] = stage_alloc(&stage, 1024, 0);
	stage_release(&stage, block[0]);
	stage_release(&stage, block[2]);
	stage_release(&stage, block[1]);
	stage_take(&stage);
	stage_alloc(&stage, 3072, 0);
	assert_events("alloc 0+0 3072\n");
	stage_release(&stage, block[3]);
	ck_assert_uint_eq(stats()->active, 3072);
}
END_TEST

START_TEST(test_pending_block_is_not_used)
{
	la_block block;

	open_stage(NONE, NONE);
	block = stage_alloc(&stage, 10 * MIB, 0);
	la_heap_free_request(stage.heap, block);
	stage_check(&stage);
	ck_assert_uint_eq(stats()->allocated, 0);
	ck_assert_uint_eq(stats()->active, 10 * MIB);
	stage_alloc(&stage, 10 * MIB, 0);
	ck_assert_int_eq(la_heap_free_complete(stage.heap, block), 0);
	stage_alloc(&stage, 10 * MIB, 0);
	assert_events("segment_alloc 0+0 10485760\n"
		      "alloc 0+0 10485760\n"
		      "free_requested 0+0 10485760\n"
		      "segment_alloc 1+0 10485760\n"
		      "alloc 1+0 10485760\n"
		      "free_completed 0+0 10485760\n"
		      "alloc 0+0 10485760\n");
	ck_assert_uint_eq(stats()->syncs, 0);
}
END_TEST

/* Below the bound no block of the bound or more is taken. */
START_TEST(test_request_below_max_split_takes_no_oversize_block)
{
	stage_open_split(&stage, 32 * MIB, NONE);
	stage_cache(&stage, 32 * MIB);
	stage_alloc(&stage, 32 * MIB - 512, 0);
	assert_events("segment_alloc 1+0 33554432\n"
		      "alloc 1+0 33553920\n");
	stage_alloc(&stage, 32 * MIB, 0);
	assert_events("alloc 0+0 33554432\n");
}
END_TEST

/* From the bound on no block is cut, and none of 20 MiB more is taken. */
START_TEST(test_request_from_max_split_on_takes_the_whole_block)
{
	la_block block;

	stage_open_split(&stage, 32 * MIB, NONE);
	stage_cache(&stage, 60 * MIB);
	block = stage_alloc(&stage, 40 * MIB + 1, 0);
	assert_events("alloc 0+0 41943041\n");
	ck_assert_uint_eq(stats()->allocated, 60 * MIB);
	stage_release(&stage, block);
	stage_take(&stage);
	stage_alloc(&stage, 40 * MIB, 0);
	assert_events("segment_alloc 2+0 41943040\n"
		      "alloc 2+0 41943040\n");
}
END_TEST

START_TEST(test_max_non_split_rounding_replaces_20_mib)
{
	struct la_setting_values setting = default_setting();

	setting.max_split_size = 32 * MIB;
	setting.max_non_split_rounding = 30 * MIB;
	stage_open(&stage, &setting, NONE, NONE);
	stage_cache(&stage, 70 * MIB);
	stage_alloc(&stage, 40 * MIB, 0);
	stage_alloc(&stage, 40 * MIB + 1, 0);
	assert_events("segment_alloc 3+0 41943040\n"
		      "alloc 3+0 41943040\n"
		      "alloc 0+0 41943041\n");
}
END_TEST

START_TEST(test_peaks_stay)
{
	la_block block;

	open_stage(NONE, NONE);
	block = stage_alloc(&stage, 10 * MIB, 0);
	stage_alloc(&stage, 1000, 0);
	stage_release(&stage, block);
	ck_assert_int_eq(la_heap_empty_cache(stage.heap), 0);
	ck_assert_uint_eq(stats()->reserved, 2 * MIB);
	ck_assert_uint_eq(stats()->reserved_peak, 12 * MIB);
	ck_assert_uint_eq(stats()->allocated, 1024);
	ck_assert_uint_eq(stats()->allocated_peak, 10 * MIB + 1024);
	ck_assert_uint_eq(stats()->active, 1024);
	ck_assert_uint_eq(stats()->active_peak, 10 * MIB + 1024);
	ck_assert_uint_eq(stats()->device_allocs, 2);
	ck_assert_uint_eq(stats()->device_frees, 1);
}
END_TEST

START_TEST(test_extreme_requests)
{
	la_block block = 77;

	open_stage(NONE, 100 * MIB);
	stage_alloc(&stage, 0, 0);
	assert_events("segment_alloc 0+0 2097152\n"
		      "alloc 0+0 1\n");
	ck_assert_int_eq(la_heap_alloc(stage.heap, UINT64_MAX, 0,
				       LA_DEFAULT_POOL, &block),
			 -ENOSPC);
	ck_assert_int_eq(la_heap_alloc(stage.heap, UINT64_C(1) << 60, 0,
				       LA_DEFAULT_POOL, &block),
			 -ENOSPC);
	assert_events("");
	ck_assert_int_eq(la_heap_alloc(stage.heap, (UINT64_C(1) << 60) - 1, 0,
				       LA_DEFAULT_POOL, &block),
			 -ENOSPC);
	assert_events("oom 1152921504606846976\n");
	ck_assert_uint_eq(block, 77);
}
END_TEST

START_TEST(test_streams_are_numbered_in_order_of_use)
{
	open_stage(NONE, NONE);
	ck_assert_int_eq(la_heap_stream(stage.heap, 0x50), 0);
	ck_assert_int_eq(la_heap_stream(stage.heap, 0), 1);
	ck_assert_int_eq(la_heap_stream(stage.heap, UINT64_MAX), 2);
	ck_assert_int_eq(la_heap_stream(stage.heap, 0x50), 0);
	ck_assert_int_eq(la_heap_stream(stage.heap, 0), 1);
}
END_TEST

START_TEST(test_new_heap_refuses_what_it_cannot_do)
{
	struct la_setting_values setting = default_setting();
	struct la_heap_config config = { .setting = &setting, .cap = NONE };
	struct la_heap *heap = NULL;
	struct la_error error;

	open_stage(NONE, NONE);
	config.device = stage.device;
	config.policy = LA_HEAP_POLICIES;
	ck_assert_int_eq(la_heap_new(&heap, &config, &error), -EINVAL);
	ck_assert_str_eq(error.text, "no such policy");
	config.policy = LA_HEAP_TORCH;
	setting.large_segment_size = 10 * MIB - 1;
	ck_assert_int_eq(la_heap_new(&heap, &config, &error), -EINVAL);
	ck_assert_str_eq(error.text, "large segments of less than 10 MiB");
	setting = default_setting();
	setting.cuda_malloc_async = true;
	ck_assert_int_eq(la_heap_new(&heap, &config, NULL), -ENOTSUP);
	ck_assert_int_eq(la_heap_new(&heap, &config, &error), -ENOTSUP);
	ck_assert_ptr_null(heap);
	ck_assert_int_eq(error.code, -ENOTSUP);
	ck_assert_str_eq(error.text,
			 "backend:cudaMallocAsync is not in this version");
}
END_TEST

START_TEST(test_heap_without_listener)
{
	struct la_setting_values setting = default_setting();
	struct la_heap_config config = { .setting = &setting, .cap = NONE };
	struct la_heap *heap;
	la_block block;

	open_stage(NONE, NONE);
	config.device = stage.device;
	ck_assert_int_eq(la_heap_new(&heap, &config, NULL), 0);
	ck_assert_int_eq(la_heap_check(heap, NULL), 0);
	ck_assert_int_eq(la_heap_alloc(heap, 5, la_heap_stream(heap, 0),
				       LA_DEFAULT_POOL, &block),
			 0);
	ck_assert_int_eq(la_heap_release(heap, block), 0);
	ck_assert_int_eq(la_heap_empty_cache(heap), 0);
	la_heap_free(heap);
	la_heap_free(NULL);
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

static void add_rounding(Suite *s)
{
	TCase *tc = tcase(s, "rounding");

	tcase_add_loop_test(tc, test_rounding_as_in_the_reference, 0,
			    ARRAY_SIZE(rounding));
	tcase_add_test(tc, test_rounding_takes_the_slot_of_the_size);
	tcase_add_test(tc, test_large_segment_size_serves_1_to_10_mib);
}

static void add_placement(Suite *s)
{
	TCase *tc = tcase(s, "placement");

	tcase_add_checked_fixture(tc, NULL, close_stage);
	tcase_add_test(tc, test_small_requests_share_a_segment);
	tcase_add_test(tc, test_large_block_keeps_a_rest_of_1_mib);
	tcase_add_test(tc, test_small_block_gives_away_512_bytes);
	tcase_add_test(tc, test_best_fit_and_ties);
	tcase_add_test(tc, test_pool_goes_by_the_rounded_size);
	tcase_add_test(tc, test_streams_share_nothing);
	tcase_add_test(tc, test_neighbours_merge_on_both_sides);
	tcase_add_test(tc, test_pending_block_is_not_used);
	tcase_add_test(tc,
		       test_request_below_max_split_takes_no_oversize_block);
	tcase_add_test(tc,
		       test_request_from_max_split_on_takes_the_whole_block);
	tcase_add_test(tc, test_max_non_split_rounding_replaces_20_mib);
}

static void add_interface(Suite *s)
{
	TCase *tc = tcase(s, "interface");

	tcase_add_checked_fixture(tc, NULL, close_stage);
	tcase_add_test(tc, test_peaks_stay);
	tcase_add_test(tc, test_extreme_requests);
	tcase_add_test(tc, test_streams_are_numbered_in_order_of_use);
	tcase_add_test(tc, test_new_heap_refuses_what_it_cannot_do);
	tcase_add_test(tc, test_heap_without_listener);
}

int main(void)
{
	Suite *s = suite_create("heap");
	SRunner *sr = srunner_create(s);
	int failed;

	add_rounding(s);
	add_placement(s);
	add_interface(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
