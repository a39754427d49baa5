// SPDX-License-Identifier: Apache-2.0
/* Where the simulated devices put segments, and the device that fails. */

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/device.h>

#include "support/track.h"
#include "util/util.h"

#define NONE UINT64_MAX
#define TOP UINT64_C(0x7f0000000000)

static struct la_device *dev;

static void open_device(enum la_layout layout, uint64_t card, uint64_t top)
{
	ck_assert_int_eq(la_device_sim(&dev, layout, card, top), 0);
}

static void close_device(void)
{
	la_device_destroy(dev);
}

static uint64_t get(uint64_t size)
{
	uint64_t addr = 1;

	ck_assert_int_eq(dev->ops->alloc(dev, size, &addr), 0);
	return addr;
}

static void give(uint64_t addr, uint64_t size)
{
	ck_assert_int_eq(dev->ops->free(dev, addr, size), 0);
}

static void refuse(uint64_t size, int code)
{
	uint64_t addr = 1;

	ck_assert_int_eq(dev->ops->alloc(dev, size, &addr), code);
	ck_assert_uint_eq(addr, 1);
}

/* The lowest gap that fits; else down by the size rounded up to 32 MiB. */
START_TEST(test_rule_fills_the_lowest_gap)
{
	open_device(LA_LAYOUT_RULE, NONE, 0);
	ck_assert_uint_eq(get(2 * MIB), TOP - 32 * MIB);
	ck_assert_uint_eq(get(20 * MIB), TOP - 30 * MIB);
	ck_assert_uint_eq(get(40 * MIB), TOP - 96 * MIB);
	ck_assert_uint_eq(get(10 * MIB), TOP - 56 * MIB);
	ck_assert_uint_eq(get(12 * MIB), TOP - 46 * MIB);
	ck_assert_uint_eq(get(10 * MIB), TOP - 10 * MIB);
	ck_assert_uint_eq(get(2 * MIB), TOP - 34 * MIB);
	ck_assert_uint_eq(get(32 * MIB), TOP - 128 * MIB);
}
END_TEST

START_TEST(test_rule_joins_gaps)
{
	uint64_t addr[4];
	int i;

	open_device(LA_LAYOUT_RULE, NONE, 0);
	for (i = 0; i < 4; i++)
		addr[i] = get(32 * MIB);
	ck_assert_uint_eq(addr[3], TOP - 128 * MIB);
	give(addr[2], 32 * MIB);
	give(addr[0], 32 * MIB);
	ck_assert_uint_eq(get(64 * MIB), TOP - 192 * MIB);
	give(addr[1], 32 * MIB);
	ck_assert_uint_eq(get(96 * MIB), addr[2]);
	give(addr[2], 96 * MIB);
	give(addr[3], 32 * MIB);
	ck_assert_uint_eq(get(128 * MIB), addr[3]);
}
END_TEST

START_TEST(test_rule_starts_below_top)
{
	open_device(LA_LAYOUT_RULE, NONE, 0x10000000000 + 5 * MIB);
	ck_assert_uint_eq(get(32 * MIB), 0x10000000000 - 32 * MIB);
}
END_TEST

START_TEST(test_monotone_layouts_never_look_back)
{
	uint64_t first;

	if (_i) {
		open_device(LA_LAYOUT_UP, NONE, 0);
		first = get(40 * MIB);
		ck_assert_uint_eq(first, TOP);
		give(first, 40 * MIB);
		ck_assert_uint_eq(get(2 * MIB), TOP + 64 * MIB);
		ck_assert_uint_eq(get(2 * MIB), TOP + 96 * MIB);
		return;
	}
	open_device(LA_LAYOUT_DOWN, NONE, 0);
	first = get(40 * MIB);
	ck_assert_uint_eq(first, TOP - 64 * MIB);
	give(first, 40 * MIB);
	ck_assert_uint_eq(get(2 * MIB), TOP - 96 * MIB);
	ck_assert_uint_eq(get(2 * MIB), TOP - 128 * MIB);
}
END_TEST

/* Places that CPython's random.Random(1) and (2) give, see shuffle.h. */
START_TEST(test_shuffled_layouts_are_those_of_the_model)
{
	static const uint64_t expected[][5] = {
		{ 0x32e4000000000, 0x3ee7000000000, 0x2797000000000,
		  0x1001000000000, 0x1732000000000 },
		{ 0x13e4000000000, 0x3757000000000, 0x2058000000000,
		  0x120c000000000, 0xd3d000000000 },
	};
	int i;

	open_device(_i ? LA_LAYOUT_SHUFFLE_2 : LA_LAYOUT_SHUFFLE_1, NONE, 0);
	for (i = 0; i < 4; i++)
		ck_assert_uint_eq(get(2 * MIB), expected[_i][i]);
	for (i = 5; i < 1 << 14; i++)
		(void)get(2 * MIB);
	ck_assert_uint_eq(get(2 * MIB), expected[_i][4]);
}
END_TEST

/* The 16,384 slots are used up; what comes is elsewhere. */
START_TEST(test_shuffled_layout_goes_on_behind_its_slots)
{
	int i;

	open_device(LA_LAYOUT_SHUFFLE_1, NONE, 0);
	dev = track_new(dev);
	for (i = 0; i < (1 << 14) + 100; i++)
		(void)get(64 * GIB);
	ck_assert_uint_eq(track_held(dev), ((1 << 14) + 100) * 64 * GIB);
}
END_TEST

START_TEST(test_card_may_be_filled)
{
	uint64_t addr;

	open_device((enum la_layout)_i, 100 * MIB, 0);
	addr = get(60 * MIB);
	refuse(40 * MIB + 512, -ENOSPC);
	(void)get(40 * MIB);
	refuse(512, -ENOSPC);
	give(addr, 60 * MIB);
	refuse(60 * MIB + 512, -ENOSPC);
	(void)get(60 * MIB);
	refuse(UINT64_MAX - 511, -ENOSPC);
}
END_TEST

/* 2^60 bytes are more than lie below the top. */
START_TEST(test_address_space_ends)
{
	open_device((enum la_layout)_i, NONE, 0);
	refuse(UINT64_MAX - 511, -ENOSPC);
	if (_i == LA_LAYOUT_UP)
		(void)get((UINT64_C(1) << 63) - 512);
	refuse(_i == LA_LAYOUT_UP ? UINT64_C(1) << 63 : UINT64_C(1) << 60,
	       -ENOSPC);
	(void)get(512);
}
END_TEST

START_TEST(test_unknown_layout_is_einval)
{
	struct la_device *none = NULL;

	open_device(LA_LAYOUT_RULE, NONE, 0);
	ck_assert_int_eq(la_device_sim(&none, LA_LAYOUT_COUNT, NONE, 0),
			 -EINVAL);
	ck_assert_int_eq(la_device_sim(&none, (enum la_layout)-1, NONE, 0),
			 -EINVAL);
	ck_assert_ptr_null(none);
	la_device_destroy(NULL);
}
END_TEST

static void open_fault(uint64_t nth, int code)
{
	struct la_device *sim;

	ck_assert_int_eq(la_device_sim(&sim, LA_LAYOUT_UP, NONE, 0), 0);
	ck_assert_int_eq(la_device_fault(&dev, sim, nth, code), 0);
}

START_TEST(test_fault_counts_both_operations)
{
	open_fault(3, -EIO);
	ck_assert_uint_eq(get(2 * MIB), TOP);
	give(TOP, 2 * MIB);
	refuse(2 * MIB, -EIO);
	ck_assert_uint_eq(get(2 * MIB), TOP + 32 * MIB);
	give(TOP + 32 * MIB, 2 * MIB);
}
END_TEST

START_TEST(test_fault_can_hit_a_free)
{
	open_fault(2, -ENOSPC);
	ck_assert_uint_eq(get(2 * MIB), TOP);
	ck_assert_int_eq(dev->ops->free(dev, TOP, 2 * MIB), -ENOSPC);
	give(TOP, 2 * MIB);
}
END_TEST

START_TEST(test_fault_0_never_comes)
{
	int i;

	open_fault(0, -EIO);
	for (i = 0; i < 100; i++)
		give(get(2 * MIB), 2 * MIB);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("device");
	TCase *tc = tcase_create("device");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, NULL, close_device);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_rule_fills_the_lowest_gap);
	tcase_add_test(tc, test_rule_joins_gaps);
	tcase_add_test(tc, test_rule_starts_below_top);
	tcase_add_loop_test(tc, test_monotone_layouts_never_look_back, 0, 2);
	tcase_add_loop_test(tc, test_shuffled_layouts_are_those_of_the_model,
			    0, 2);
	tcase_add_test(tc, test_shuffled_layout_goes_on_behind_its_slots);
	tcase_add_loop_test(tc, test_card_may_be_filled, 0, LA_LAYOUT_COUNT);
	tcase_add_loop_test(tc, test_address_space_ends, LA_LAYOUT_RULE,
			    LA_LAYOUT_DOWN + 1);
	tcase_add_test(tc, test_unknown_layout_is_einval);
	tcase_add_test(tc, test_fault_counts_both_operations);
	tcase_add_test(tc, test_fault_can_hit_a_free);
	tcase_add_test(tc, test_fault_0_never_comes);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
