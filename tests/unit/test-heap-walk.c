// SPDX-License-Identifier: Apache-2.0
/* What a heap shows of its blocks: sums and holes worked out by hand. */

#include <check.h>

#include "support/stage.h"

static const uint64_t pool_id[2] = { 3, 1 };

static struct stage stage;
static struct la_picture picture;

static void teardown(void)
{
	la_picture_release(&picture);
	stage_close(&stage);
}

static void take_picture(void)
{
	la_picture_release(&picture);
	ck_assert_int_eq(la_heap_picture(stage.heap, &picture), 0);
}

static const struct la_picture_part *part(size_t i)
{
	ck_assert_uint_lt(i, picture.part_count);
	return &picture.part[i];
}

static void assert_holes(const struct la_holes *holes, uint64_t count,
			 uint64_t bytes, uint64_t largest)
{
	ck_assert_uint_eq(holes->count, count);
	ck_assert_uint_eq(holes->bytes, bytes);
	ck_assert_uint_eq(holes->largest, largest);
}

START_TEST(test_empty_heap)
{
	stage_open(&stage, NULL, UINT64_MAX, UINT64_MAX);
	take_picture();
	ck_assert_uint_eq(picture.part_count, 0);
	ck_assert_uint_eq(picture.total.reserved, 0);
}
END_TEST

/* Large blocks of two streams, small ones, and a private pool. */
START_TEST(test_parts)
{
	la_block block;
	int pool;

	stage_open(&stage, NULL, UINT64_MAX, UINT64_MAX);
	stage_alloc(&stage, 3 * MIB, 7);
	stage_alloc(&stage, 4 * MIB, 0);
	la_heap_free_request(stage.heap, stage_alloc(&stage, 2 * MIB, 0));
	stage_alloc(&stage, 100, 0);
	pool = la_heap_pool(stage.heap, pool_id);
	ck_assert_int_eq(la_heap_alloc(stage.heap, 30 * MIB, 0, pool, &block),
			 0);
	stage_release(&stage, block);
	take_picture();

	ck_assert_uint_eq(picture.part_count, 4);
	ck_assert_uint_eq(part(0)->stream, 0);
	ck_assert(!part(0)->small);
	ck_assert_uint_eq(part(0)->reserved, 20 * MIB);
	ck_assert_uint_eq(part(0)->live, 4 * MIB);
	ck_assert_uint_eq(part(0)->pending, 2 * MIB);
	ck_assert_uint_eq(part(0)->idle, 0);
	assert_holes(&part(0)->holes, 1, 14 * MIB, 14 * MIB);
	ck_assert_uint_eq(part(0)->holes.bin_count[23], 1);
	ck_assert_uint_eq(part(0)->holes.bin_bytes[23], 14 * MIB);

	ck_assert(part(1)->small);
	ck_assert_uint_eq(part(1)->reserved, 2 * MIB);
	ck_assert_uint_eq(part(1)->live, 512);
	ck_assert_uint_eq(part(1)->requested, 100);
	ck_assert_uint_eq(part(1)->holes.bin_count[20], 1);

	ck_assert_uint_eq(part(2)->stream, 7);
	assert_holes(&part(2)->holes, 1, 17 * MIB, 17 * MIB);

	ck_assert_uint_eq(part(3)->pool[0], 3);
	ck_assert_uint_eq(part(3)->pool[1], 1);
	ck_assert_uint_eq(part(3)->idle, 30 * MIB);

	ck_assert_uint_eq(picture.total.reserved, 72 * MIB);
	ck_assert_uint_eq(picture.total.segments, 4);
	ck_assert_uint_eq(picture.total.live, 7 * MIB + 512);
	ck_assert_uint_eq(picture.total.live_count, 3);
	ck_assert_uint_eq(picture.total.pending_count, 1);
	ck_assert_uint_eq(picture.total.ranges, 0);
	assert_holes(&picture.total.holes, 4, 63 * MIB - 512, 30 * MIB);
}
END_TEST

/* 30 MiB map two granules of 20 MiB, 25 MiB behind them one more. */
START_TEST(test_mapped_ranges)
{
	struct la_setting_values setting = default_setting();
	la_block block;

	setting.expandable_segments = true;
	stage_open(&stage, &setting, UINT64_MAX, UINT64_MAX);
	block = stage_alloc(&stage, 30 * MIB, 0);
	stage_alloc(&stage, 25 * MIB, 0);
	stage_release(&stage, block);
	take_picture();
	ck_assert_uint_eq(picture.total.range_bytes, 60 * MIB);
	ck_assert_uint_eq(picture.total.idle, 20 * MIB);
	assert_holes(&picture.total.holes, 2, 35 * MIB, 30 * MIB);

	/* The first granule goes; half of the second stays a hole. */
	ck_assert_int_eq(la_heap_empty_cache(stage.heap), 0);
	take_picture();
	ck_assert_uint_eq(picture.total.ranges, 1);
	ck_assert_uint_eq(picture.total.reserved, 40 * MIB);
	ck_assert_uint_eq(picture.total.idle, 0);
	assert_holes(&picture.total.holes, 2, 15 * MIB, 10 * MIB);
}
END_TEST

struct walk {
	struct la_block_info info[8];
	unsigned int count;
};

static void note(void *data, const struct la_block_info *info)
{
	struct walk *walk = data;

	ck_assert_uint_lt(walk->count, 8);
	walk->info[walk->count++] = *info;
}

START_TEST(test_walk)
{
	struct walk walk = { 0 };
	la_block first, second;
	uint64_t addr;

	stage_open(&stage, NULL, UINT64_MAX, UINT64_MAX);
	first = stage_alloc(&stage, 2 * MIB, 9);
	second = stage_alloc(&stage, 3 * MIB, 9);
	addr = la_heap_addr(stage.heap, first);
	stage_release(&stage, first);
	la_heap_walk(stage.heap, note, &walk);
	ck_assert_uint_eq(walk.count, 3);
	ck_assert_int_eq(walk.info[0].state, LA_BLOCK_FREE);
	ck_assert_uint_eq(walk.info[0].block, LA_NO_BLOCK);
	ck_assert_uint_eq(walk.info[0].size, 2 * MIB);
	ck_assert_int_eq(walk.info[1].state, LA_BLOCK_LIVE);
	ck_assert_uint_eq(walk.info[1].block, second);
	ck_assert_uint_eq(walk.info[1].addr, addr + 2 * MIB);
	ck_assert_uint_eq(walk.info[1].requested, 3 * MIB);
	ck_assert_uint_eq(walk.info[2].size, 15 * MIB);
	ck_assert_uint_eq(walk.info[2].segment_addr, addr);
	ck_assert_uint_eq(walk.info[2].segment_size, 20 * MIB);
	ck_assert_uint_eq(walk.info[2].granule, 0);
	ck_assert_uint_eq(walk.info[2].stream, 9);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("heap-walk");
	TCase *tcase = tcase_create("walk");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, test_empty_heap);
	tcase_add_test(tcase, test_parts);
	tcase_add_test(tcase, test_mapped_ranges);
	tcase_add_test(tcase, test_walk);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
