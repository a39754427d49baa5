// SPDX-License-Identifier: Apache-2.0
/* A map summed up, whatever its sizes. */
#include <check.h>
#include <stdlib.h>

#include "allocctl/report/view.h"
#include "util/util.h"

const char print_program[] = "test-plot-moment";

START_TEST(test_sums)
{
	struct la_map_segment segment[] = {
		{ .addr = 2 * MIB, .size = 2 * MIB },
		{ .addr = 8 * MIB, .size = 6 * MIB, .expandable = true },
	};
	struct la_map_block block[] = {
		{ .size = MIB, .requested = MIB - 1, .state = LA_MAP_LIVE },
		{ .size = MIB, .state = LA_MAP_FREE },
		{ .size = 3 * MIB, .state = LA_MAP_FREE },
		{ .size = 3 * MIB, .requested = 5, .state = LA_MAP_PENDING },
	};
	const struct la_map map = {
		.event = 7, .segment = segment, .segment_count = 2,
		.block = block, .block_count = 4,
	};
	struct la_oom_state out;
	const struct la_picture_part *total = &out.picture.total;

	moment_of_map(&out, &map);
	ck_assert_uint_eq(out.event, 7);
	ck_assert_uint_eq(total->reserved, 8 * MIB);
	ck_assert_uint_eq(total->range_bytes, 6 * MIB);
	ck_assert_uint_eq(total->live, MIB);
	ck_assert_uint_eq(total->pending, 3 * MIB);
	ck_assert_uint_eq(total->requested, MIB + 4);
	ck_assert_uint_eq(total->holes.count, 2);
	ck_assert_uint_eq(total->holes.bytes, 4 * MIB);
	ck_assert_uint_eq(total->holes.largest, 3 * MIB);
	ck_assert_uint_eq(total->holes.bin_bytes[21], 3 * MIB);
	ck_assert_uint_eq(out.stats.active, 4 * MIB);
	ck_assert_uint_eq(out.free[LA_FREE_OWN].bytes, 4 * MIB);
}
END_TEST

/* More than 64 bits can count is the most that they can. */
START_TEST(test_sums_end)
{
	struct la_map_segment segment[2] = {
		{ .size = UINT64_MAX, .expandable = true },
		{ .size = UINT64_MAX, .expandable = true },
	};
	struct la_map_block block[6];
	const struct la_map map = {
		.segment = segment, .segment_count = 2,
		.block = block, .block_count = ARRAY_SIZE(block),
	};
	struct la_oom_state out;
	const struct la_picture_part *total = &out.picture.total;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(block); i++)
		block[i] = (struct la_map_block){
			.size = UINT64_MAX, .requested = UINT64_MAX,
			.state = (uint8_t)(i % 3),
		};
	moment_of_map(&out, &map);
	ck_assert_uint_eq(total->reserved, UINT64_MAX);
	ck_assert_uint_eq(total->range_bytes, UINT64_MAX);
	ck_assert_uint_eq(total->live, UINT64_MAX);
	ck_assert_uint_eq(total->pending, UINT64_MAX);
	ck_assert_uint_eq(total->requested, UINT64_MAX);
	ck_assert_uint_eq(total->holes.bytes, UINT64_MAX);
	ck_assert_uint_eq(total->holes.bin_bytes[63], UINT64_MAX);
	ck_assert_uint_eq(total->holes.count, 2);
	ck_assert_uint_eq(out.stats.active, UINT64_MAX);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("plot-moment");
	TCase *tc = tcase_create("plot-moment");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_sums);
	tcase_add_test(tc, test_sums_end);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
