// SPDX-License-Identifier: Apache-2.0
/* Copying, loading and forcing a heap. */

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "heap/inside.h"
#include "support/stage.h"

static struct stage stage, other;

static void setup(void)
{
	stage_open(&stage, NULL, UINT64_MAX, UINT64_MAX);
	stage_open(&other, NULL, UINT64_MAX, UINT64_MAX);
}

static void teardown(void)
{
	stage_close(&stage);
	stage_close(&other);
}

/* The books of the other stage's device know nothing of copied segments. */
static void copy_is_sound(void)
{
	struct la_error error;

	ck_assert_int_eq(heap_copy(other.heap, stage.heap), 0);
	ck_assert_int_eq(la_heap_check(other.heap, &error), 0);
}

START_TEST(test_copy_goes_on_as_the_original)
{
	la_block kept, freed, got, again;

	kept = stage_alloc(&stage, 3 * MIB, 0);
	freed = stage_alloc(&stage, 5 * MIB, 0);
	stage_alloc(&stage, 4 * MIB, 0);
	stage_release(&stage, freed);
	la_heap_free_request(stage.heap, kept);
	copy_is_sound();
	ck_assert_mem_eq(la_heap_stats(stage.heap), la_heap_stats(other.heap),
			 sizeof(struct la_heap_stats));
	stage_take(&stage);
	ck_assert_int_eq(la_heap_free_complete(other.heap, kept), 0);
	ck_assert_int_eq(la_heap_alloc(other.heap, 8 * MIB, 0,
				       LA_DEFAULT_POOL, &got), 0);
	ck_assert_str_eq(stage_take(&other), "free_completed 0+0 3145728\n"
					     "alloc 0+0 8388608\n");
	ck_assert_int_eq(la_heap_free_complete(stage.heap, kept), 0);
	ck_assert_int_eq(la_heap_alloc(stage.heap, 8 * MIB, 0,
				       LA_DEFAULT_POOL, &again), 0);
	ck_assert_str_eq(stage_take(&stage), "free_completed 0+0 3145728\n"
					     "alloc 0+0 8388608\n");
	ck_assert_uint_eq(got, again);
}
END_TEST

START_TEST(test_copy_forgets_what_the_copy_did)
{
	la_block block;

	stage_alloc(&stage, 1000, 0);
	copy_is_sound();
	ck_assert_int_eq(la_heap_stream(other.heap, 0x20), 1);
	ck_assert_int_eq(la_heap_alloc(other.heap, 2000, 1,
				       LA_DEFAULT_POOL, &block), 0);
	ck_assert_int_eq(la_heap_release(other.heap, block), 0);
	copy_is_sound();
	stage_take(&other);
	ck_assert_int_eq(la_heap_stream(other.heap, 0x20), 1);
	ck_assert_int_eq(la_heap_alloc(other.heap, 2000, 1,
				       LA_DEFAULT_POOL, &block), 0);
	ck_assert_str_eq(stage_take(&other), "segment_alloc 1+0 2097152 @20\n"
					     "alloc 1+0 2000 @20\n");
}
END_TEST

START_TEST(test_copy_takes_the_numbers_of_streams)
{
	la_block block;

	copy_is_sound();
	ck_assert_int_eq(la_heap_stream(other.heap, 0x30), 0);
	block = stage_alloc(&stage, 1000, 0x20);
	stage_alloc(&stage, 1000, 0x10);
	stage_release(&stage, block);
	copy_is_sound();
	stage_take(&other);
	ck_assert_int_eq(la_heap_stream(other.heap, 0x10), 1);
	ck_assert_int_eq(la_heap_alloc(other.heap, 500, 0,
				       LA_DEFAULT_POOL, &block), 0);
	ck_assert_str_eq(stage_take(&other), "alloc 0+0 500 @20\n");
}
END_TEST

static struct heap_piece pieces[] = {
	{ .size = 1024, .asked = 1000, .state = PIECE_LIVE },
	{ .size = 4096, .state = PIECE_FREE },
	{ .size = 512, .asked = 1, .state = PIECE_PENDING },
	{ .size = 2 * MIB - 5632, .state = PIECE_FREE },
};

static void load(uint64_t slot)
{
	struct heap_load load = {
		.addr = 0x7f0000000000 + slot * 32 * MIB,
		.small = true,
		.piece = pieces,
		.piece_count = 4,
	};

	ck_assert_int_eq(la_heap_stream(stage.heap, 0), 0);
	ck_assert_int_eq(heap_load(stage.heap, &load), 0);
	ck_assert_int_eq(la_heap_check(stage.heap, NULL), 0);
}

START_TEST(test_load_makes_the_pieces)
{
	const struct la_heap_stats *stats = la_heap_stats(stage.heap);
	la_block block;

	load(7);
	ck_assert_str_eq(stage_take(&stage), "");
	ck_assert_uint_eq(stats->reserved, 2 * MIB);
	ck_assert_uint_eq(stats->reserved_peak, 2 * MIB);
	ck_assert_uint_eq(stats->allocated, 1024);
	ck_assert_uint_eq(stats->allocated_peak, 1024);
	ck_assert_uint_eq(stats->active, 1536);
	ck_assert_uint_eq(stats->active_peak, 1536);
	ck_assert_uint_eq(stats->device_allocs, 0);
	ck_assert_int_eq(la_heap_alloc(stage.heap, 4096, 0,
				       LA_DEFAULT_POOL, &block), 0);
	ck_assert_int_eq(la_heap_release(stage.heap, pieces[0].block), 0);
	ck_assert_int_eq(la_heap_free_complete(stage.heap, pieces[2].block), 0);
	ck_assert_str_eq(stage_take(&stage), "alloc 7+1024 4096\n"
					     "free_requested 7+0 1000\n"
					     "free_completed 7+0 1000\n"
					     "free_completed 7+5120 1\n");
	ck_assert_int_eq(la_heap_check(stage.heap, NULL), 0);
}
END_TEST

START_TEST(test_load_queues_pending_pieces)
{
	load(7);
	load(2);
	ck_assert_int_eq(la_heap_empty_cache(stage.heap), 0);
	ck_assert_str_eq(stage_take(&stage), "free_completed 7+5120 1\n"
					     "free_completed 2+5120 1\n");
}
END_TEST

START_TEST(test_place_cuts_both_ends)
{
	la_block block = stage_alloc(&stage, 3 * MIB, 0), placed = 77;

	stage_release(&stage, block);
	stage_take(&stage);
	ck_assert_int_eq(heap_place(stage.heap, 0x7f0000000000 + 5 * MIB,
				    2 * MIB, 0, &placed),
			 0);
	stage_check(&stage);
	ck_assert_uint_eq(la_heap_addr(stage.heap, placed),
			  0x7f0000000000 + 5 * MIB);
	ck_assert_uint_eq(la_heap_stats(stage.heap)->allocated, 2 * MIB);
	stage_alloc(&stage, 5 * MIB, 0);
	stage_alloc(&stage, 8 * MIB, 0);
	ck_assert_str_eq(stage_take(&stage), "alloc 0+5242880 2097152\n"
					     "alloc 0+0 5242880\n"
					     "alloc 0+7340032 8388608\n");
}
END_TEST

START_TEST(test_place_without_room_is_enoent)
{
	la_block block = stage_alloc(&stage, 8 * MIB, 0), placed = 77;
	uint64_t addr = 0x7f0000000000;

	ck_assert_int_eq(heap_place(stage.heap, addr, 2 * MIB, 0, &placed),
			 -ENOENT);
	ck_assert_int_eq(heap_place(stage.heap, addr + 8 * MIB, 12 * MIB + 1,
				    0, &placed),
			 -ENOENT);
	ck_assert_int_eq(heap_place(stage.heap, addr + 20 * MIB, 512, 0,
				    &placed),
			 -ENOENT);
	ck_assert_int_eq(la_heap_stream(stage.heap, 0x20), 1);
	ck_assert_int_eq(heap_place(stage.heap, addr + 8 * MIB, 12 * MIB, 1,
				    &placed),
			 -ENOENT);
	ck_assert_uint_eq(placed, 77);
	ck_assert_int_eq(heap_place(stage.heap, addr + 8 * MIB, 12 * MIB, 0,
				    &placed),
			 0);
	ck_assert_uint_ne(placed, block);
}
END_TEST

/* Thousands of pieces, so that leaves of the free set are full and split. */
START_TEST(test_place_anywhere_keeps_the_heap_sound)
{
	la_block held[2000];
	unsigned int i, count = 0, placed = 0;

	srand(1);
	for (; count < 2000; stage.length = 0)
		held[count++] = stage_alloc(
			&stage, 512 * (1 + (unsigned int)rand() % 40), 0);
	for (i = 0; i < 20000; i++) {
		unsigned int at = (unsigned int)rand() % count;
		uint64_t addr = la_heap_addr(stage.heap, held[at]);
		uint64_t skip = 512 * ((unsigned int)rand() % 8);

		stage.length = 0;
		ck_assert_int_eq(la_heap_release(stage.heap, held[at]), 0);
		held[at] = held[--count];
		if (i % 2 && heap_place(stage.heap, addr + skip, 512, 0,
					&held[count]) == 0) {
			count++;
			placed++;
		}
		while (count < 1500)
			held[count++] = stage_alloc(
				&stage, 512 * (1 + (unsigned int)rand() % 40),
				0);
	}
	stage_check(&stage);
	ck_assert_uint_gt(placed, 5000);
}
END_TEST

START_TEST(test_peek_tells_the_next_place)
{
	la_block block = stage_alloc(&stage, 3 * MIB, 0);

	ck_assert_uint_eq(heap_peek(stage.heap, 18 * MIB, 0, LA_DEFAULT_POOL),
			  0);
	ck_assert_uint_eq(heap_peek(stage.heap, 17 * MIB, 0, LA_DEFAULT_POOL),
			  0x7f0000000000 + 3 * MIB);
	ck_assert_uint_eq(heap_peek(stage.heap, 1000, 0, LA_DEFAULT_POOL), 0);
	stage_release(&stage, block);
	ck_assert_uint_eq(heap_peek(stage.heap, 18 * MIB, 0, LA_DEFAULT_POOL),
			  0x7f0000000000);
}
END_TEST

START_TEST(test_drop_gives_a_free_segment_back)
{
	la_block block = stage_alloc(&stage, 18 * MIB, 0);

	ck_assert_int_eq(heap_drop(stage.heap, 0x7f0000000000), -ENOENT);
	ck_assert_int_eq(heap_drop(stage.heap, 0x7f0000000000 + 18 * MIB),
			 -ENOENT);
	stage_release(&stage, block);
	stage_take(&stage);
	ck_assert_int_eq(heap_drop(stage.heap, 0x7f0000000000), 0);
	ck_assert_str_eq(stage_take(&stage), "segment_free 0+0 18874368\n");
	stage_check(&stage);
	ck_assert_int_eq(heap_drop(stage.heap, 0x7f0000000000), -ENOENT);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("heap-inside");
	TCase *tc = tcase_create("inside");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_copy_goes_on_as_the_original);
	tcase_add_test(tc, test_copy_forgets_what_the_copy_did);
	tcase_add_test(tc, test_copy_takes_the_numbers_of_streams);
	tcase_add_test(tc, test_load_makes_the_pieces);
	tcase_add_test(tc, test_load_queues_pending_pieces);
	tcase_add_test(tc, test_place_cuts_both_ends);
	tcase_add_test(tc, test_place_without_room_is_enoent);
	tcase_add_test(tc, test_place_anywhere_keeps_the_heap_sound);
	tcase_add_test(tc, test_peek_tells_the_next_place);
	tcase_add_test(tc, test_drop_gives_a_free_segment_back);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
