// SPDX-License-Identifier: Apache-2.0
/* Each device operation of a program fails once: nothing is lost, and the
 * heap goes on. */

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "support/stage.h"
#include "support/track.h"

enum { OPS = 400, BLOCKS = 64 };

static struct stage stage;
static la_block live[BLOCKS];
static size_t nr_live;
static unsigned int errors; /* of operations that failed with the code */

static uint32_t draw(uint32_t below)
{
	static uint64_t state; /* reset by draw(0) */

	if (!below)
		return (uint32_t)(state = 1);
	state = state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(state >> 33) % below;
}

/* An operation's result: success, out of memory, or the fault. */
static void judge(int err, int code)
{
	ck_assert(err == 0 || err == -ENOSPC || err == code);
	errors += err == code;
	stage_check(&stage);
	stage.length = 0;
}

static void alloc(int code)
{
	static const uint64_t sizes[] = { 1000,	    MIB,      3 * MIB,
					  10 * MIB, 19 * MIB, 22 * MIB,
					  30 * MIB, 50 * MIB };
	uint64_t size = sizes[draw(8)];
	int stream = (int)draw(2), err;
	la_block block = LA_NO_BLOCK;

	if (nr_live == BLOCKS)
		return;
	err = la_heap_alloc(stage.heap, size, stream, LA_DEFAULT_POOL, &block);
	ck_assert((err == 0) == (block != LA_NO_BLOCK));
	if (!err)
		live[nr_live++] = block;
	judge(err, code);
}

static void release(int code)
{
	size_t at = nr_live ? draw((uint32_t)nr_live) : 0;

	if (!nr_live)
		return;
	if (draw(4))
		judge(la_heap_release(stage.heap, live[at]), code);
	else
		la_heap_free_request(stage.heap, live[at]);
	live[at] = live[--nr_live];
}

/* What is free goes back whatever happened before. */
static void wind_up(int code)
{
	while (nr_live)
		ck_assert_int_eq(
			la_heap_release(stage.heap, live[--nr_live]), 0);
	judge(la_heap_empty_cache(stage.heap), code);
	ck_assert_int_eq(la_heap_empty_cache(stage.heap), 0);
	stage_check(&stage);
	ck_assert_uint_eq(la_heap_stats(stage.heap)->reserved, 0);
	ck_assert_uint_eq(track_held(stage.device), 0);
}

static void play(uint64_t nth, int code)
{
	struct la_setting_values setting = default_setting();
	struct la_device *sim, *fault;
	int i;

	setting.max_split_size = 20 * MIB;
	setting.garbage_collection_threshold = 0.8;
	ck_assert_int_eq(la_device_sim(&sim, LA_LAYOUT_RULE, 150 * MIB, 0), 0);
	ck_assert_int_eq(la_device_fault(&fault, sim, nth, code), 0);
	stage_open_on(&stage, &setting, 160 * MIB, fault);
	ck_assert_int_eq(la_heap_stream(stage.heap, 0), 0);
	ck_assert_int_eq(la_heap_stream(stage.heap, 0x10), 1);
	nr_live = 0;
	errors = 0;
	draw(0);
	for (i = 0; i < OPS; i++) {
		uint32_t kind = draw(100);

		if (kind < 2)
			judge(la_heap_empty_cache(stage.heap), code);
		else if (kind < 55)
			alloc(code);
		else
			release(code);
	}
	wind_up(code);
	stage_close(&stage);
}

START_TEST(test_nth_operation_fails)
{
	uint64_t nth;

	for (nth = 1;; nth++) {
		play(nth, -EIO);
		if (!errors)
			break;
		ck_assert_uint_eq(errors, 1);
	}
	ck_assert_uint_gt(nth, 100);
}
END_TEST

START_TEST(test_nth_operation_finds_no_room)
{
	uint64_t nth;

	for (nth = 1; nth < 400; nth++)
		play(nth, -ENOSPC);
}
END_TEST

/* A segment that is not taken back is kept, and tried again. */
START_TEST(test_failed_free_keeps_the_segment)
{
	struct la_device *sim, *fault;
	la_block block;

	ck_assert_int_eq(la_device_sim(&sim, LA_LAYOUT_UP, UINT64_MAX, 0), 0);
	ck_assert_int_eq(la_device_fault(&fault, sim, 2, -EIO), 0);
	stage_open_on(&stage, NULL, UINT64_MAX, fault);
	block = stage_alloc(&stage, 1000, 0);
	stage_release(&stage, block);
	stage_take(&stage);
	ck_assert_int_eq(la_heap_empty_cache(stage.heap), -EIO);
	ck_assert_str_eq(stage_take(&stage), "");
	stage_check(&stage);
	ck_assert_uint_eq(la_heap_stats(stage.heap)->reserved, 2 * MIB);
	ck_assert_int_eq(la_heap_empty_cache(stage.heap), 0);
	ck_assert_str_eq(stage_take(&stage), "segment_free 0+0 2097152\n");
	stage_check(&stage);
	stage_close(&stage);
}
END_TEST

/* The device refuses once: the cache is flushed and the request served. */
START_TEST(test_refused_alloc_is_tried_again)
{
	struct la_device *sim, *fault;

	ck_assert_int_eq(la_device_sim(&sim, LA_LAYOUT_UP, UINT64_MAX, 0), 0);
	ck_assert_int_eq(la_device_fault(&fault, sim, 2, -ENOSPC), 0);
	stage_open_on(&stage, NULL, UINT64_MAX, fault);
	stage_release(&stage, stage_alloc(&stage, 1000, 0));
	stage_take(&stage);
	stage_alloc(&stage, 10 * MIB, 0);
	ck_assert_str_eq(stage_take(&stage), "segment_free 0+0 2097152\n"
					     "segment_alloc 1+0 10485760\n"
					     "alloc 1+0 10485760\n");
	ck_assert_uint_eq(la_heap_stats(stage.heap)->retries, 1);
	ck_assert_uint_eq(la_heap_stats(stage.heap)->ooms, 0);
	stage_close(&stage);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("heap-fault");
	TCase *tc = tcase_create("fault");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_nth_operation_fails);
	tcase_add_test(tc, test_nth_operation_finds_no_room);
	tcase_add_test(tc, test_failed_free_keeps_the_segment);
	tcase_add_test(tc, test_refused_alloc_is_tried_again);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
