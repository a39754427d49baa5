// SPDX-License-Identifier: Apache-2.0
/* Streams of the simulated device: what is done when, and what a GPU would
 * have answered with wrong results. */

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include <liballoc/device.h>

#include "util/util.h"

#define PAGE (2 * MIB)

enum { A = 0, B = 0x51, C = 0x52 };

static struct la_device *dev;
static uint64_t range, piece;

/* A piece of two pages, attached at the start of the range. */
static void open_device(void)
{
	ck_assert_int_eq(la_device_sim(&dev, LA_LAYOUT_UP, UINT64_MAX, 0), 0);
	ck_assert_int_eq(dev->ops->reserve(dev, 64 * MIB, &range), 0);
	ck_assert_int_eq(dev->ops->create(dev, 2 * PAGE, &piece), 0);
	ck_assert_int_eq(dev->ops->attach(dev, range, 2 * PAGE, piece), 0);
}

static void close_device(void)
{
	la_device_destroy(dev);
}

static void use(uint64_t stream, uint64_t offset, uint64_t size)
{
	ck_assert_int_eq(la_device_sim_use(dev, stream, range + offset, size),
			 0);
}

static uint64_t mark(uint64_t stream)
{
	uint64_t event = 0;

	ck_assert_int_eq(dev->ops->record(dev, stream, &event), 0);
	ck_assert_uint_ne(event, 0);
	return event;
}

static int is_done(uint64_t event)
{
	return dev->ops->query(dev, event);
}

static void order(uint64_t stream, uint64_t event)
{
	ck_assert_int_eq(dev->ops->order(dev, stream, event), 0);
}

static uint64_t violations(void)
{
	return la_device_sim_violations(dev);
}

START_TEST(test_nothing_queued_is_done)
{
	uint64_t event = mark(A);

	ck_assert_int_eq(is_done(event), 1);
	order(B, event);
	ck_assert_int_eq(is_done(mark(B)), 1);
	ck_assert_int_eq(dev->ops->await(dev, event), 0);
}
END_TEST

START_TEST(test_event_is_done_when_its_stream_gets_there)
{
	uint64_t first, second, other;

	use(A, 0, 512);
	first = mark(A);
	use(A, 0, 512);
	second = mark(A);
	use(B, PAGE, 512);
	other = mark(B);
	ck_assert_int_eq(is_done(first), 0);
	ck_assert_int_eq(dev->ops->await(dev, first), 0);
	ck_assert_int_eq(is_done(first), 1);
	ck_assert_int_eq(is_done(second), 0);
	la_device_sim_run(dev, A);
	ck_assert_int_eq(is_done(second), 1);
	ck_assert_int_eq(is_done(other), 0);
	la_device_sim_run_all(dev);
	ck_assert_int_eq(is_done(other), 1);
	ck_assert_uint_eq(violations(), 0);
}
END_TEST

START_TEST(test_drain_waits_for_all_streams)
{
	uint64_t of_a, of_b;

	use(A, 0, 512);
	use(B, PAGE, 512);
	of_a = mark(A);
	of_b = mark(B);
	ck_assert_int_eq(la_device_sim_capture(dev, A, true), 0);
	ck_assert_int_eq(dev->ops->drain(dev), -EBUSY);
	ck_assert_int_eq(is_done(of_b), 0);
	ck_assert_int_eq(la_device_sim_capture(dev, A, false), 0);
	ck_assert_int_eq(dev->ops->drain(dev), 0);
	ck_assert_int_eq(is_done(of_a), 1);
	ck_assert_int_eq(is_done(of_b), 1);
}
END_TEST

START_TEST(test_order_makes_one_stream_need_another)
{
	uint64_t of_a, of_b, later;

	use(A, 0, 512);
	of_a = mark(A);
	use(A, 0, 512);
	later = mark(A);
	order(B, of_a);
	of_b = mark(B);
	ck_assert_int_eq(is_done(of_b), 0);
	la_device_sim_run(dev, B);
	ck_assert_int_eq(is_done(of_a), 1);
	ck_assert_int_eq(is_done(of_b), 1);
	ck_assert_int_eq(is_done(later), 0);
}
END_TEST

START_TEST(test_forgotten_event_is_unknown)
{
	uint64_t event = mark(A), other;

	dev->ops->forget(dev, event);
	dev->ops->forget(dev, event);
	other = mark(A);
	ck_assert_uint_ne(other, event);
	ck_assert_int_eq(is_done(event), -EINVAL);
	ck_assert_int_eq(dev->ops->await(dev, event), -EINVAL);
	ck_assert_int_eq(dev->ops->order(dev, B, event), -EINVAL);
	ck_assert_int_eq(is_done(other), 1);
}
END_TEST

START_TEST(test_captured_stream_takes_no_event)
{
	uint64_t event = mark(B), none = 1;

	ck_assert_int_eq(dev->ops->capturing(dev, A), 0);
	ck_assert_int_eq(la_device_sim_capture(dev, A, true), 0);
	ck_assert_int_eq(dev->ops->capturing(dev, A), 1);
	ck_assert_int_eq(dev->ops->capturing(dev, B), 0);
	ck_assert_int_eq(dev->ops->record(dev, A, &none), -EBUSY);
	ck_assert_uint_eq(none, 1);
	ck_assert_int_eq(dev->ops->order(dev, A, event), -EBUSY);
	ck_assert_int_eq(la_device_sim_capture(dev, A, false), 0);
	ck_assert_int_eq(dev->ops->capturing(dev, A), 0);
	(void)mark(A);
}
END_TEST

START_TEST(test_detach_does_not_wait)
{
	uint64_t event;

	use(A, PAGE, 512);
	event = mark(A);
	ck_assert_int_eq(dev->ops->detach(dev, range, 2 * PAGE), 0);
	ck_assert_int_eq(is_done(event), 0);
	ck_assert_uint_eq(violations(), 1);
}
END_TEST

START_TEST(test_detach_after_the_work_is_right)
{
	use(A, PAGE, 512);
	la_device_sim_run(dev, A);
	ck_assert_int_eq(dev->ops->detach(dev, range, 2 * PAGE), 0);
	ck_assert_uint_eq(violations(), 0);
	use(A, PAGE, 512);
	ck_assert_uint_eq(violations(), 1);
}
END_TEST

START_TEST(test_use_between_pieces_is_wrong)
{
	use(A, 2 * PAGE - 512, 512);
	ck_assert_uint_eq(violations(), 0);
	use(A, 2 * PAGE - 512, 513);
	ck_assert_uint_eq(violations(), 1);
	use(A, 2 * PAGE, 0);
	ck_assert_uint_eq(violations(), 1);
}
END_TEST

START_TEST(test_two_streams_at_once_are_wrong)
{
	use(A, 0, 1024);
	use(B, 1024, 512);
	ck_assert_uint_eq(violations(), 0);
	use(B, 1023, 1);
	ck_assert_uint_eq(violations(), 1);
	use(A, 0, 512);
	ck_assert_uint_eq(violations(), 1);
	la_device_sim_run_all(dev);
	use(B, 0, 1024);
	ck_assert_uint_eq(violations(), 1);
}
END_TEST

/* Also from one stream over a second to a third; what came later is not
 * waited for. */
START_TEST(test_ordered_streams_are_right)
{
	use(A, 0, 512);
	order(B, mark(A));
	use(B, 0, 512);
	order(C, mark(B));
	use(C, 0, 512);
	ck_assert_uint_eq(violations(), 0);
	use(A, PAGE, 512);
	use(C, PAGE, 512);
	ck_assert_uint_eq(violations(), 1);
}
END_TEST

/* The piece's second page is at both ends of four pages now. */
START_TEST(test_one_piece_at_two_addresses)
{
	ck_assert_int_eq(
		dev->ops->attach(dev, range + 2 * PAGE, 2 * PAGE, piece), 0);
	use(A, PAGE + 512, 512);
	use(B, 3 * PAGE, 512);
	use(B, 2 * PAGE + 512, 512);
	ck_assert_uint_eq(violations(), 0);
	use(B, 3 * PAGE - 512, 1025);
	ck_assert_uint_eq(violations(), 1);
	order(B, mark(A));
	use(B, 3 * PAGE - 512, 1025);
	ck_assert_uint_eq(violations(), 1);
}
END_TEST

START_TEST(test_segments_are_watched_too)
{
	uint64_t addr, event;

	ck_assert_int_eq(dev->ops->alloc(dev, PAGE, &addr), 0);
	ck_assert_int_eq(la_device_sim_use(dev, A, addr, PAGE), 0);
	ck_assert_int_eq(la_device_sim_use(dev, B, addr, PAGE), 0);
	ck_assert_uint_eq(violations(), 1);
	event = mark(B);
	ck_assert_int_eq(dev->ops->free(dev, addr, PAGE), 0);
	ck_assert_int_eq(is_done(event), 1);
	ck_assert_uint_eq(violations(), 1);
}
END_TEST

START_TEST(test_unmap_does_not_wait)
{
	uint64_t addr;

	ck_assert_int_eq(dev->ops->reserve(dev, PAGE, &addr), 0);
	ck_assert_int_eq(dev->ops->map(dev, addr, PAGE, PAGE), 0);
	ck_assert_int_eq(la_device_sim_use(dev, A, addr, PAGE), 0);
	ck_assert_int_eq(dev->ops->unmap(dev, addr, PAGE), 0);
	ck_assert_uint_eq(violations(), 1);
}
END_TEST

/* Thousands of kernels on three streams, each of which waits for the last. */
START_TEST(test_long_queues_keep_their_order)
{
	static const uint64_t stream[] = { A, B, C };
	uint64_t event = mark(A), next;
	int i;

	for (i = 0; i < 3000; i++) {
		order(stream[i % 3], event);
		use(stream[i % 3], 0, 2 * PAGE);
		next = mark(stream[i % 3]);
		dev->ops->forget(dev, event);
		event = next;
		if (i % 7 == 0)
			la_device_sim_run(dev, stream[i % 2]);
	}
	ck_assert_int_eq(is_done(event), 0);
	ck_assert_int_eq(dev->ops->await(dev, event), 0);
	ck_assert_uint_eq(violations(), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("device-streams");
	TCase *tc = tcase_create("device-streams");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, open_device, close_device);
	tcase_add_test(tc, test_nothing_queued_is_done);
	tcase_add_test(tc, test_event_is_done_when_its_stream_gets_there);
	tcase_add_test(tc, test_drain_waits_for_all_streams);
	tcase_add_test(tc, test_order_makes_one_stream_need_another);
	tcase_add_test(tc, test_forgotten_event_is_unknown);
	tcase_add_test(tc, test_captured_stream_takes_no_event);
	tcase_add_test(tc, test_detach_does_not_wait);
	tcase_add_test(tc, test_detach_after_the_work_is_right);
	tcase_add_test(tc, test_use_between_pieces_is_wrong);
	tcase_add_test(tc, test_two_streams_at_once_are_wrong);
	tcase_add_test(tc, test_ordered_streams_are_right);
	tcase_add_test(tc, test_one_piece_at_two_addresses);
	tcase_add_test(tc, test_segments_are_watched_too);
	tcase_add_test(tc, test_unmap_does_not_wait);
	tcase_add_test(tc, test_long_queues_keep_their_order);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
