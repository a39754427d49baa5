// SPDX-License-Identifier: Apache-2.0
/* Pieces of the simulated device follow the driver's rules. */

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include <liballoc/device.h>

#include "util/util.h"

#define PAGE (2 * MIB)
#define BASE UINT64_C(0x302000000)

static struct la_device *dev;
static uint64_t range;

/* A card of 16 MiB, with 32 MiB of addresses. */
static void open_device(void)
{
	ck_assert_int_eq(la_device_sim(&dev, LA_LAYOUT_RULE, 16 * MIB, 0), 0);
	ck_assert_int_eq(dev->ops->reserve(dev, 32 * MIB, &range), 0);
	ck_assert_uint_eq(range, BASE);
}

static void close_device(void)
{
	ck_assert_uint_eq(la_device_sim_violations(dev), 0);
	la_device_destroy(dev);
}

static uint64_t create(uint64_t pages)
{
	uint64_t piece = 0;

	ck_assert_int_eq(dev->ops->create(dev, pages * PAGE, &piece), 0);
	ck_assert_uint_ne(piece, 0);
	return piece;
}

static int attach(uint64_t page, uint64_t pages, uint64_t piece)
{
	return dev->ops->attach(dev, range + page * PAGE, pages * PAGE, piece);
}

static int detach(uint64_t page, uint64_t pages)
{
	return dev->ops->detach(dev, range + page * PAGE, pages * PAGE);
}

static int release(uint64_t piece, uint64_t pages)
{
	return dev->ops->release(dev, piece, pages * PAGE);
}

/* Pages that the card still gives. */
static uint64_t room(void)
{
	uint64_t piece[8], got = 0, i;

	while (got < 8 && !dev->ops->create(dev, PAGE, &piece[got]))
		got++;
	for (i = 0; i < got; i++)
		ck_assert_int_eq(release(piece[i], 1), 0);
	return got;
}

START_TEST(test_pieces_count_against_the_card)
{
	uint64_t piece = 1, addr = 1;

	(void)create(3);
	ck_assert_uint_eq(room(), 5);
	ck_assert_int_eq(dev->ops->alloc(dev, 10 * MIB, &addr), 0);
	ck_assert_int_eq(dev->ops->create(dev, PAGE, &piece), -ENOSPC);
	ck_assert_uint_eq(piece, 1);
	ck_assert_int_eq(dev->ops->map(dev, range, PAGE, PAGE), -ENOSPC);
	ck_assert_int_eq(dev->ops->free(dev, addr, 10 * MIB), 0);
	ck_assert_uint_eq(room(), 5);
}
END_TEST

START_TEST(test_sizes_are_whole_pages)
{
	uint64_t piece = 1;

	ck_assert_int_eq(dev->ops->create(dev, 0, &piece), -EINVAL);
	ck_assert_int_eq(dev->ops->create(dev, MIB, &piece), -EINVAL);
	ck_assert_uint_eq(piece, 1);
}
END_TEST

START_TEST(test_piece_is_attached_whole_or_not_at_all)
{
	uint64_t piece = create(2);

	ck_assert_int_eq(attach(0, 1, piece), -EINVAL);
	ck_assert_int_eq(attach(0, 3, piece), -EINVAL);
	ck_assert_int_eq(dev->ops->attach(dev, range + MIB, 2 * PAGE, piece),
			 -EINVAL);
	ck_assert_int_eq(dev->ops->attach(dev, range - PAGE, 2 * PAGE, piece),
			 -EINVAL);
	ck_assert_int_eq(attach(15, 2, piece), -EINVAL);
	ck_assert_int_eq(attach(0, 2, piece + 1), -EINVAL);
	ck_assert_int_eq(attach(14, 2, piece), 0);
}
END_TEST

START_TEST(test_attach_over_something_is_refused)
{
	uint64_t first = create(1), second = create(2);

	ck_assert_int_eq(attach(1, 1, first), 0);
	ck_assert_int_eq(attach(0, 2, second), -EINVAL);
	ck_assert_int_eq(attach(1, 2, second), -EINVAL);
	ck_assert_int_eq(attach(1, 1, first), -EINVAL);
	ck_assert_int_eq(attach(2, 2, second), 0);
}
END_TEST

START_TEST(test_detach_takes_whole_pieces)
{
	uint64_t first = create(2), second = create(1);

	ck_assert_int_eq(attach(0, 2, first), 0);
	ck_assert_int_eq(attach(2, 1, second), 0);
	ck_assert_int_eq(detach(0, 1), -EINVAL);
	ck_assert_int_eq(detach(1, 1), -EINVAL);
	ck_assert_int_eq(detach(1, 2), -EINVAL);
	ck_assert_int_eq(detach(0, 4), -EINVAL);
	ck_assert_int_eq(detach(3, 1), -EINVAL);
	ck_assert_int_eq(dev->ops->detach(dev, range, MIB), -EINVAL);
	ck_assert_int_eq(dev->ops->detach(dev, range, 0), -EINVAL);
	ck_assert_int_eq(detach(0, 3), 0);
	ck_assert_int_eq(detach(0, 3), -EINVAL);
	ck_assert_int_eq(attach(1, 2, first), 0);
}
END_TEST

/* Pieces side by side that are the same one are two. */
START_TEST(test_piece_may_be_attached_twice)
{
	uint64_t piece = create(2);

	ck_assert_int_eq(attach(0, 2, piece), 0);
	ck_assert_int_eq(attach(2, 2, piece), 0);
	ck_assert_uint_eq(room(), 6);
	ck_assert_int_eq(detach(1, 2), -EINVAL);
	ck_assert_int_eq(detach(0, 4), 0);
	ck_assert_uint_eq(room(), 6);
	ck_assert_int_eq(release(piece, 2), 0);
	ck_assert_uint_eq(room(), 8);
}
END_TEST

START_TEST(test_released_piece_goes_with_its_last_address)
{
	uint64_t piece = create(2), other;

	ck_assert_int_eq(attach(0, 2, piece), 0);
	ck_assert_int_eq(attach(4, 2, piece), 0);
	ck_assert_int_eq(release(piece, 2), 0);
	ck_assert_int_eq(release(piece, 2), -EINVAL);
	ck_assert_int_eq(attach(8, 2, piece), -EINVAL);
	ck_assert_int_eq(detach(0, 2), 0);
	ck_assert_uint_eq(room(), 6);
	ck_assert_int_eq(detach(4, 2), 0);
	ck_assert_uint_eq(room(), 8);
	other = create(2);
	ck_assert_uint_ne(other, piece);
	ck_assert_int_eq(release(piece, 2), -EINVAL);
	ck_assert_int_eq(release(other, 1), -EINVAL);
	ck_assert_int_eq(release(other, 2), 0);
}
END_TEST

START_TEST(test_range_with_memory_is_kept)
{
	uint64_t piece = create(1), other;

	ck_assert_int_eq(dev->ops->reserve(dev, 32 * MIB, &other), 0);
	ck_assert_uint_eq(other, range + 32 * MIB);
	ck_assert_int_eq(attach(15, 2, create(2)), -EINVAL);
	ck_assert_int_eq(attach(15, 1, piece), 0);
	ck_assert_int_eq(dev->ops->unreserve(dev, range, 32 * MIB), -EINVAL);
	ck_assert_int_eq(dev->ops->unreserve(dev, other, 16 * MIB), -EINVAL);
	ck_assert_int_eq(dev->ops->unreserve(dev, other, 32 * MIB), 0);
	ck_assert_int_eq(detach(15, 1), 0);
	ck_assert_int_eq(dev->ops->unreserve(dev, range, 32 * MIB), 0);
	ck_assert_int_eq(dev->ops->unreserve(dev, range, 32 * MIB), -EINVAL);
	ck_assert_int_eq(attach(0, 1, piece), -EINVAL);
}
END_TEST

START_TEST(test_operations_are_counted)
{
	const struct la_device_sim_counts *counts = la_device_sim_counts(dev);
	uint64_t first = create(1), second = create(3), event;

	ck_assert_int_eq(attach(0, 1, first), 0);
	ck_assert_int_eq(attach(1, 3, second), 0);
	ck_assert_int_eq(attach(1, 3, second), -EINVAL);
	ck_assert_int_eq(detach(0, 4), 0);
	ck_assert_int_eq(release(second, 3), 0);
	ck_assert_int_eq(dev->ops->record(dev, 0, &event), 0);
	dev->ops->forget(dev, event);
	ck_assert_uint_eq(counts->reserve.calls, 1);
	ck_assert_uint_eq(counts->reserve.bytes, 32 * MIB);
	ck_assert_uint_eq(counts->create.calls, 2);
	ck_assert_uint_eq(counts->create.bytes, 4 * PAGE);
	ck_assert_uint_eq(counts->attach.calls, 2);
	ck_assert_uint_eq(counts->attach.bytes, 4 * PAGE);
	ck_assert_uint_eq(counts->detach.calls, 2);
	ck_assert_uint_eq(counts->detach.bytes, 4 * PAGE);
	ck_assert_uint_eq(counts->detaches, 1);
	ck_assert_uint_eq(counts->release.calls, 1);
	ck_assert_uint_eq(counts->release.bytes, 3 * PAGE);
	ck_assert_uint_eq(counts->records, 1);
	ck_assert_uint_eq(counts->forgets, 1);
}
END_TEST

/* One after the other fails, and then has done nothing. */
START_TEST(test_fault_fails_each_operation)
{
	uint64_t piece = 1, event = 1;
	struct la_device *inner = dev;
	int i, code[9];

	ck_assert_int_eq(la_device_fault(&dev, inner, (uint64_t)_i, -EIO), 0);
	code[0] = dev->ops->create(dev, PAGE, &piece);
	if (code[0])
		ck_assert_uint_eq(piece, 1);
	if (code[0])
		piece = create(1);
	code[1] = attach(0, 1, piece);
	if (code[1])
		ck_assert_int_eq(attach(0, 1, piece), 0);
	code[2] = detach(0, 1);
	if (code[2])
		ck_assert_int_eq(detach(0, 1), 0);
	code[3] = release(piece, 1);
	if (code[3])
		ck_assert_int_eq(release(piece, 1), 0);
	code[4] = dev->ops->record(dev, 7, &event);
	if (code[4])
		ck_assert_uint_eq(event, 1);
	if (code[4])
		ck_assert_int_eq(dev->ops->record(dev, 7, &event), 0);
	code[5] = dev->ops->query(dev, event);
	code[6] = dev->ops->order(dev, 8, event);
	code[7] = dev->ops->await(dev, event);
	code[8] = dev->ops->capturing(dev, 7);
	dev->ops->forget(dev, event);
	for (i = 0; i < 9; i++)
		ck_assert_int_eq(code[i], i + 1 == _i ? -EIO : i == 5);
	ck_assert_uint_eq(la_device_sim_counts(inner)->forgets, 1);
	ck_assert_int_eq(inner->ops->query(inner, event), -EINVAL);
	la_device_destroy(dev);
	open_device();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("device-pieces");
	TCase *tc = tcase_create("device-pieces");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, open_device, close_device);
	tcase_add_test(tc, test_pieces_count_against_the_card);
	tcase_add_test(tc, test_sizes_are_whole_pages);
	tcase_add_test(tc, test_piece_is_attached_whole_or_not_at_all);
	tcase_add_test(tc, test_attach_over_something_is_refused);
	tcase_add_test(tc, test_detach_takes_whole_pieces);
	tcase_add_test(tc, test_piece_may_be_attached_twice);
	tcase_add_test(tc, test_released_piece_goes_with_its_last_address);
	tcase_add_test(tc, test_range_with_memory_is_kept);
	tcase_add_test(tc, test_operations_are_counted);
	tcase_add_loop_test(tc, test_fault_fails_each_operation, 0, 10);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
