// SPDX-License-Identifier: Apache-2.0
/* Heaps for all threads of a program: what one thread sees. */

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <liballoc/allocator.h>

#include "support/stage.h"
#include "support/track.h"

#define NONE UINT64_MAX

static struct la_device *device;
static struct la_allocator *allocator;
static struct la_allocator_stats stats;

static void open_with(struct la_allocator_config *config, uint64_t card)
{
	struct la_setting_values setting = default_setting();
	struct la_device *sim;

	ck_assert_int_eq(la_device_sim(&sim, LA_LAYOUT_UP, card, 0), 0);
	device = track_new(sim);
	config->setting = &setting;
	config->device = &device;
	config->device_count = 1;
	ck_assert_int_eq(la_allocator_new(&allocator, config, NULL), 0);
}

static void open_default(void)
{
	struct la_allocator_config config = { 0 };

	open_with(&config, NONE);
}

static void close_all(void)
{
	struct la_error err = { 0 };

	ck_assert_msg(!la_allocator_check(allocator, &err), "%s", err.text);
	la_allocator_free(allocator);
	la_device_destroy(device);
}

static uint64_t alloc(uint64_t size, uint64_t stream)
{
	uint64_t addr = 0;

	ck_assert_int_eq(la_allocator_alloc(allocator, 0, size, stream, &addr),
			 0);
	ck_assert_uint_ne(addr, 0);
	return addr;
}

static void release(uint64_t addr)
{
	ck_assert_int_eq(la_allocator_release(allocator, addr), 0);
}

static void read_stats(void)
{
	ck_assert_int_eq(la_allocator_stats(allocator, 0, &stats), 0);
}

START_TEST(test_block_is_served_and_freed)
{
	uint64_t addr;

	open_default();
	addr = alloc(1000, 0);
	read_stats();
	ck_assert_uint_eq(stats.heap.allocated, 1024);
	ck_assert_uint_eq(stats.requested, 1000);
	ck_assert_uint_eq(stats.live, 1);
	release(addr);
	ck_assert_int_eq(la_allocator_release(allocator, addr), -ENOENT);
	read_stats();
	ck_assert_uint_eq(stats.heap.allocated, 0);
	ck_assert_uint_eq(stats.heap.allocated_peak, 1024);
	ck_assert_uint_eq(stats.requested, 0);
	ck_assert_uint_eq(stats.requested_peak, 1000);
	ck_assert_uint_eq(stats.served, 1);
	ck_assert_uint_eq(stats.freed, 1);
	close_all();
}
END_TEST

START_TEST(test_cache_serves_equal_sizes_of_the_stream)
{
	uint64_t a, b;

	open_default();
	a = alloc(1000, 0);
	b = alloc(1024, 1);
	ck_assert_uint_ne(a, b);
	release(a);
	ck_assert_uint_eq(alloc(600, 0), a);
	read_stats();
	ck_assert_uint_eq(stats.cached_hits, 1);
	ck_assert_uint_eq(stats.requested, 1624);
	ck_assert_uint_eq(stats.heap.allocated, 2048);
	close_all();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("allocator");
	TCase *tc = tcase_create("one thread");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_block_is_served_and_freed);
	tcase_add_test(tc, test_cache_serves_equal_sizes_of_the_stream);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
