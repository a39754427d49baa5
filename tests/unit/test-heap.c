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

static void open_split(uint64_t max_split, uint64_t cap)
{
	struct la_setting_values setting = default_setting();

	setting.max_split_size = max_split;
	stage_open(&stage, &setting, cap, NONE);
}

static void open_gc(double threshold, uint64_t cap)
{
	struct la_setting_values setting = default_setting();

	setting.garbage_collection_threshold = threshold;
	stage_open(&stage, &setting, cap, NONE);
}

/* Allocate on the default stream, release it, and forget the events. */
static void cache(uint64_t size)
{
	stage_release(&stage, stage_alloc(&stage, size, 0));
	stage_take(&stage);
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
	cache(20 * MIB);
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
	open_split(32 * MIB, NONE);
	cache(32 * MIB);
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

	open_split(32 * MIB, NONE);
	cache(60 * MIB);
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
	cache(70 * MIB);
	stage_alloc(&stage, 40 * MIB, 0);
	stage_alloc(&stage, 40 * MIB + 1, 0);
	assert_events("segment_alloc 3+0 41943040\n"
		      "alloc 3+0 41943040\n"
		      "alloc 0+0 41943041\n");
}
END_TEST

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
	cache(12 * MIB);
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

	open_split(20 * MIB, 116 * MIB);
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

	open_split(20 * MIB, 100 * MIB);
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

	open_split(20 * MIB, 100 * MIB);
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

	open_split(32 * MIB, 60 * MIB);
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

	open_split(20 * MIB, 80 * MIB);
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
	open_split(20 * MIB, 60 * MIB);
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
	cache(10 * MIB);
	stage_alloc(&stage, 16 * MIB, 0);
	assert_events("segment_alloc 3+0 16777216\n"
		      "alloc 3+0 16777216\n");
}
END_TEST

START_TEST(test_hit_collects_nothing)
{
	open_gc(0.5, 60 * MIB);
	stage_alloc(&stage, 40 * MIB, 0);
	cache(16 * MIB);
	stage_alloc(&stage, 16 * MIB, 0);
	assert_events("alloc 2+0 16777216\n");
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
	ck_assert_int_eq(la_heap_alloc(stage.heap, UINT64_MAX, 0, &block),
			 -ENOSPC);
	ck_assert_int_eq(la_heap_alloc(stage.heap, UINT64_C(1) << 60, 0,
				       &block),
			 -ENOSPC);
	assert_events("");
	ck_assert_int_eq(la_heap_alloc(stage.heap, (UINT64_C(1) << 60) - 1, 0,
				       &block),
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
	setting.expandable_segments = !_i;
	setting.cuda_malloc_async = _i;
	ck_assert_int_eq(la_heap_new(&heap, &config, NULL), -ENOTSUP);
	ck_assert_int_eq(la_heap_new(&heap, &config, &error), -ENOTSUP);
	ck_assert_ptr_null(heap);
	ck_assert_int_eq(error.code, -ENOTSUP);
	ck_assert_str_eq(error.text,
			 _i ? "backend:cudaMallocAsync is not in this version" :
			      "expandable_segments:True is not in this version");
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
				       &block),
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

static void add_interface(Suite *s)
{
	TCase *tc = tcase(s, "interface");

	tcase_add_checked_fixture(tc, NULL, close_stage);
	tcase_add_test(tc, test_peaks_stay);
	tcase_add_test(tc, test_extreme_requests);
	tcase_add_test(tc, test_streams_are_numbered_in_order_of_use);
	tcase_add_loop_test(tc, test_new_heap_refuses_what_it_cannot_do, 0, 2);
	tcase_add_test(tc, test_heap_without_listener);
}

int main(void)
{
	Suite *s = suite_create("heap");
	SRunner *sr = srunner_create(s);
	int failed;

	add_rounding(s);
	add_placement(s);
	add_pressure(s);
	add_age(s);
	add_interface(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
