// SPDX-License-Identifier: Apache-2.0
/* What device operations cost; the measured figures are those of
 * conf/device-costs.yaml. */

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/costs.h"

#include "util/util.h"

static void equal(double got, double wanted)
{
	ck_assert_double_eq_tol(got, wanted, 1e-9);
}

static double cost(enum la_action action, uint64_t size)
{
	return la_costs_of(la_costs_default(), action, size);
}

START_TEST(test_measured_sizes_cost_what_was_measured)
{
	equal(cost(LA_SEGMENT_ALLOC, 2 * MIB), 58);
	equal(cost(LA_SEGMENT_ALLOC, 20 * MIB), 53);
	equal(cost(LA_SEGMENT_FREE, 64 * MIB), 89);
	equal(cost(LA_SEGMENT_FREE, 4 * GIB), 2376);
	equal(cost(LA_SEGMENT_MAP, 20 * MIB), 45);
	equal(cost(LA_SEGMENT_UNMAP, 1 * GIB), 582);
}
END_TEST

START_TEST(test_pieces_cost_what_was_measured)
{
	const struct la_costs *costs = la_costs_default();

	equal(costs_between(costs, COST(create), 2 * MIB), 11.9);
	equal(costs_between(costs, COST(attach), 2 * MIB), 1.2 + 34.3);
	equal(costs_between(costs, COST(detach), 64 * MIB), 18.7);
	equal(costs_between(costs, COST(release), 256 * MIB), 128);
	/* On the line from 256 MiB to 1 GiB. */
	equal(costs_between(costs, COST(release), 512 * MIB), 201);
}
END_TEST

START_TEST(test_between_two_sizes_it_is_a_line)
{
	equal(cost(LA_SEGMENT_ALLOC, 42 * MIB), (53 + 75) / 2.0);
	equal(cost(LA_SEGMENT_FREE, 640 * MIB), (188 + 593) / 2.0);
}
END_TEST

START_TEST(test_outside_the_table)
{
	equal(cost(LA_SEGMENT_ALLOC, 512), 58);
	equal(cost(LA_SEGMENT_ALLOC, 0), 58);
	equal(cost(LA_SEGMENT_FREE, 7 * GIB), 2376 + (2376 - 593));
}
END_TEST

START_TEST(test_events_of_blocks_cost_nothing)
{
	equal(cost(LA_ALLOC, 1 * GIB), 0);
	equal(cost(LA_FREE_COMPLETED, 1 * GIB), 0);
	equal(cost(LA_OOM, 1 * GIB), 0);
}
END_TEST

START_TEST(test_one_size_costs_the_same_everywhere)
{
	const struct la_costs costs = {
		.point = { { .size = 2 * MIB, .malloc = 7 } },
		.point_count = 1,
	};

	equal(la_costs_of(&costs, LA_SEGMENT_ALLOC, 1), 7);
	equal(la_costs_of(&costs, LA_SEGMENT_ALLOC, 9 * GIB), 7);
}
END_TEST

#ifdef HAVE_YAML

/* Read text as a file; what comes back. */
static int read_text(const char *text, struct la_costs *costs,
		     struct la_error *err)
{
	char path[] = "/tmp/test-costs-XXXXXX";
	int fd = mkstemp(path), code;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
	code = la_costs_read(costs, path, err);
	unlink(path);
	return code;
}

START_TEST(test_the_shipped_file_is_what_is_built_in)
{
	const struct la_costs *built_in = la_costs_default();
	struct la_costs costs;
	unsigned int i;

	ck_assert_int_eq(la_costs_read(&costs, "conf/device-costs.yaml", NULL),
			 0);
	ck_assert_uint_eq(costs.context, built_in->context);
	ck_assert_uint_eq(costs.context, 518 * MIB);
	equal(costs.wait, built_in->wait);
	ck_assert_uint_eq(costs.point_count, built_in->point_count);
	for (i = 0; i < costs.point_count; i++) {
		ck_assert_uint_eq(costs.point[i].size,
				  built_in->point[i].size);
		equal(costs.point[i].malloc, built_in->point[i].malloc);
		equal(costs.point[i].free, built_in->point[i].free);
		equal(costs.point[i].map, built_in->point[i].map);
		equal(costs.point[i].unmap, built_in->point[i].unmap);
		equal(costs.point[i].create, built_in->point[i].create);
		equal(costs.point[i].attach, built_in->point[i].attach);
		equal(costs.point[i].detach, built_in->point[i].detach);
		equal(costs.point[i].release, built_in->point[i].release);
	}
	equal(costs.order, built_in->order);
}
END_TEST

START_TEST(test_a_file_of_ones_own)
{
	struct la_costs costs;

	ck_assert_int_eq(read_text("wait: 1.5\norder: 0.5\nsizes:\n"
				   "- {size: 2, malloc: 3, create: 7}\n"
				   "- {size: 4, malloc: 5, free: 6, create: 9, "
				   "attach: 1, detach: 2, release: 4}\n",
				   &costs, NULL), 0);
	equal(costs.wait, 1.5);
	equal(costs.order, 0.5);
	equal(costs_between(&costs, COST(create), 3 * MIB), 8);
	equal(costs_between(&costs, COST(attach), 4 * MIB), 1);
	equal(costs_between(&costs, COST(detach), 4 * MIB), 2);
	equal(costs_between(&costs, COST(release), 4 * MIB), 4);
	ck_assert_uint_eq(costs.context, 0);
	ck_assert_uint_eq(costs.point_count, 2);
	equal(la_costs_of(&costs, LA_SEGMENT_ALLOC, 3 * MIB), 4);
	equal(la_costs_of(&costs, LA_SEGMENT_FREE, 4 * MIB), 6);
	ck_assert_str_eq(costs.gpu, "");
	ck_assert_uint_eq(costs.total, 0);
}
END_TEST

START_TEST(test_a_file_tells_what_was_measured)
{
	struct la_costs costs;

	ck_assert_int_eq(read_text("gpu: \"NVIDIA A10\"\ntotal: 22731.5\n"
				   "order: 0.5\nsizes:\n- {size: 2, create: 3, "
				   "attach: 4, detach: 5, release: 6}\n",
				   &costs, NULL),
			 0);
	ck_assert_str_eq(costs.gpu, "NVIDIA A10");
	ck_assert_uint_eq(costs.total, 22731 * MIB + MIB / 2);
	equal(costs.order, 0.5);
	equal(costs.point[0].create, 3);
	equal(costs.point[0].attach, 4);
	equal(costs.point[0].detach, 5);
	equal(costs.point[0].release, 6);
}
END_TEST

static const struct {
	const char *text;
	uint64_t offset;
} damaged[] = {
	{ "", 0 },
	{ "wait", 0 },
	{ "wait: 1\n", 0 },
	{ "wait: -1\n", 6 },
	{ "wait: nan\n", 6 },
	{ "wait: 1e300\n", 6 },
	{ "wait: [1]\n", 6 },
	{ "speed: 1\n", 0 },
	{ "gpu: [1]\n", 5 },
	{ "gpu: a name of more than the sixty-three bytes that there is room "
	  "for\n", 5 },
	{ "sizes: 1\n", 7 },
	{ "sizes: [1]\n", 8 },
	{ "sizes:\n- size: 2\n  copy: 3\n", 19 },
	{ "sizes:\n- size: 2\n- size: 2\n", 19 },
	{ "sizes: &a [*a]\n", 7 },
};

START_TEST(test_a_damaged_file_is_ebadmsg)
{
	struct la_costs costs = { .wait = 42 };
	struct la_error err = { 0 };

	ck_assert_int_eq(read_text(damaged[_i].text, &costs, &err), -EBADMSG);
	ck_assert_int_eq(err.code, -EBADMSG);
	ck_assert_uint_eq(err.offset, damaged[_i].offset);
	ck_assert_str_ne(err.text, "");
	equal(costs.wait, 42);
}
END_TEST

START_TEST(test_more_sizes_than_there_is_room_for)
{
	char text[LA_COST_POINTS * 24 + 64] = "sizes:\n";
	struct la_costs costs;
	int i;

	for (i = 1; i <= LA_COST_POINTS; i++)
		snprintf(text + strlen(text), 24, "- {size: %d}\n", i);
	ck_assert_int_eq(read_text(text, &costs, NULL), 0);
	ck_assert_uint_eq(costs.point_count, LA_COST_POINTS);
	snprintf(text + strlen(text), 24, "- {size: %d}\n", i);
	ck_assert_int_eq(read_text(text, &costs, NULL), -EBADMSG);
}
END_TEST

START_TEST(test_no_file_is_enoent)
{
	struct la_costs costs;

	ck_assert_int_eq(la_costs_read(&costs, "/nonexistent", NULL), -ENOENT);
}
END_TEST

static void add_reading(TCase *tc)
{
	tcase_add_test(tc, test_the_shipped_file_is_what_is_built_in);
	tcase_add_test(tc, test_a_file_of_ones_own);
	tcase_add_test(tc, test_a_file_tells_what_was_measured);
	tcase_add_loop_test(tc, test_a_damaged_file_is_ebadmsg, 0,
			    ARRAY_SIZE(damaged));
	tcase_add_test(tc, test_more_sizes_than_there_is_room_for);
	tcase_add_test(tc, test_no_file_is_enoent);
}

#else

START_TEST(test_reading_is_enotsup)
{
	struct la_costs costs = { .wait = 42 };

	ck_assert_int_eq(la_costs_read(&costs, "conf/device-costs.yaml", NULL),
			 -ENOTSUP);
	equal(costs.wait, 42);
}
END_TEST

static void add_reading(TCase *tc)
{
	tcase_add_test(tc, test_reading_is_enotsup);
}

#endif

int main(void)
{
	Suite *s = suite_create("costs");
	TCase *tc = tcase_create("costs");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_measured_sizes_cost_what_was_measured);
	tcase_add_test(tc, test_pieces_cost_what_was_measured);
	tcase_add_test(tc, test_between_two_sizes_it_is_a_line);
	tcase_add_test(tc, test_outside_the_table);
	tcase_add_test(tc, test_events_of_blocks_cost_nothing);
	tcase_add_test(tc, test_one_size_costs_the_same_everywhere);
	add_reading(tc);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
