// SPDX-License-Identifier: Apache-2.0
/* Pictures of settings: memory against time. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "allocctl/report/plot.h"
#include "support/picture.h"
#include "util/util.h"

const char print_program[] = "test-plot-pareto";

enum { MANY = 100000 };

static uint64_t limit; /* of the pictures; 0: none */

static struct la_strbuf svg_of(const struct plot_setting *setting,
			       size_t count)
{
	struct la_strbuf out = { 0 };

	ck_assert_int_eq(plot_pareto_svg(&out, setting, count, limit), 0);
	ck_assert(picture_is_svg(&out));
	return out;
}

static struct la_strbuf text_of(const struct plot_setting *setting,
				size_t count)
{
	const struct plot_terminal terminal = { 93, false };
	struct la_strbuf out = { 0 };

	ck_assert_int_eq(plot_pareto_term(&out, setting, count, limit,
					  &terminal), 0);
	ck_assert(picture_is_text(&out, 200));
	return out;
}

/*
 * From 1 to 2 s and from 0.5 to 1 GiB, with 12 % at both ends: 0.12 of 1.24
 * of 844 from 92 on, and of 298 up from 390.
 */
START_TEST(test_points_are_where_they_belong)
{
	const struct plot_setting setting[] = {
		{ "expandable_segments:True", GIB / 2, 2, true, true, false },
		{ "", GIB, 1, true, true, true },
		{ "max_split_size_mb:64", GIB, 1.5, false, false, false },
	};
	struct la_strbuf out = svg_of(setting, 3);

	ck_assert(picture_has(&out, "<circle cx=\"173.68\" cy=\"120.84\" "
				    "r=\"5\""));
	ck_assert(picture_has(&out, "<circle cx=\"854.32\" cy=\"361.16\" "
				    "r=\"5\""));
	/* The front: first dearer, then smaller. */
	ck_assert(picture_has(&out, "\"M173.68 120.84H854.32V361.16\""));
	/* A ring around what was recorded, a cross upon what fails. */
	ck_assert(picture_has(&out, "<circle cx=\"173.68\" cy=\"120.84\" "
				    "r=\"9\""));
	ck_assert(picture_has(&out, "\"M510 116.84l8 8m0-8l-8 8\""));
	ck_assert(picture_has(&out, ">the default</text>"));
	ck_assert(picture_has(&out, ">expandable_segments:True</text>"));
	ck_assert(picture_has(&out, "3 settings, 2 on the front: 1024.00 MiB "
				    "in 1.00 s to 512.00 MiB in 2.00 s; "
				    "recorded: 1024.00 MiB in 1.00 s"));
	ck_assert(picture_has(&out, "<title>max_split_size_mb:64: 1024.00 MiB, "
				    "1.50 s; does not fit</title>"));
	la_strbuf_release(&out);
}
END_TEST

/* A limit between both is half way up; one far away is not drawn. */
START_TEST(test_limit)
{
	const struct plot_setting setting[] = {
		{ "expandable_segments:True", GIB / 2, 2, true, true, false },
		{ "", GIB, 1, false, false, true },
	};
	struct la_strbuf out;

	limit = 768 * MIB;
	out = svg_of(setting, 2);
	ck_assert(picture_has(&out, "x1=\"92\" y1=\"241\" x2=\"936\" "
				    "y2=\"241\""));
	ck_assert(picture_has(&out, ">limit 768.00 MiB</text>"));
	la_strbuf_release(&out);
	out = text_of(setting, 2);
	ck_assert(picture_has(&out, "---------------------------------------"
				    "-----------------------------------------"
				    "\n"));
	ck_assert(picture_has(&out, "\n-: limit 768.00 MiB\n"));
	la_strbuf_release(&out);
	limit = 8 * GIB;
	out = svg_of(setting, 2);
	ck_assert(!picture_has(&out, "limit 8"));
	la_strbuf_release(&out);
	out = text_of(setting, 2);
	ck_assert(!picture_has(&out, "limit 8"));
	la_strbuf_release(&out);
	limit = 0;
}
END_TEST

/* 80 columns and 14 rows: half the time is column 40. */
START_TEST(test_terminal)
{
	const struct plot_setting setting[] = {
		{ "small", GIB / 2, 2, true, true, false },
		{ "fast", GIB, 1, true, true, false },
		{ "other", GIB, 2, false, false, false },
		{ "mine", GIB, 1.5, true, false, true },
	};
	struct la_strbuf out = text_of(setting, 4);

	ck_assert(picture_has(&out, "1024.00 MiB ┤                            "
				    "            a                  @        "
				    "           x\n"));
	ck_assert(picture_has(&out, "b\n            └──"));
	ck_assert(picture_has(&out, "\na1024.00 MiB    1.00 s  fast\n"
				    "b 512.00 MiB    2.00 s  small\n"
				    "@1024.00 MiB    1.50 s  (recorded) "
				    "mine\n"));
	la_strbuf_release(&out);
}
END_TEST

START_TEST(test_hostile_names)
{
	const struct plot_setting setting[] = {
		{ picture_hostile, GIB, 1, true, true, true },
		{ picture_hostile, GIB / 2, 2, true, true, false },
		{ NULL, GIB / 4, 3, true, true, false },
	};
	struct la_strbuf out = svg_of(setting, 3);

	ck_assert(picture_parses(&out));
	ck_assert(picture_has(&out, "&lt;script&gt;"));
	la_strbuf_release(&out);
	out = text_of(setting, 3);
	ck_assert(picture_has(&out, "\\x1b]0;owned\\x07"));
	la_strbuf_release(&out);
}
END_TEST

START_TEST(test_many_are_bounded)
{
	struct plot_setting *setting = calloc(MANY, sizeof(*setting));
	struct la_strbuf out;
	size_t i;

	for (i = 0; i < MANY; i++)
		setting[i] = (struct plot_setting){
			"some_setting:17", (MANY - i) * MIB, (double)i,
			i % 2, i % 3, true
		};
	out = svg_of(setting, MANY);
	ck_assert_uint_lt(out.length, 4000000);
	la_strbuf_release(&out);
	out = text_of(setting, MANY);
	ck_assert_uint_lt(out.length, 10000);
	la_strbuf_release(&out);
	free(setting);
}
END_TEST

START_TEST(test_nothing_and_much)
{
	const struct plot_setting setting[] = {
		{ "a", UINT64_MAX, INFINITY, true, true, true },
		{ "b", 0, NAN, true, true, false },
		{ "c", (uint64_t)1 << 63, -1, true, false, false },
		{ "d", (uint64_t)1 << 63, 1e300, true, false, false },
	};
	struct la_strbuf out;
	size_t count;

	for (count = 0; count <= ARRAY_SIZE(setting); count++) {
		out = svg_of(setting, count);
		la_strbuf_release(&out);
		out = text_of(setting, count);
		la_strbuf_release(&out);
	}
	out = svg_of(setting + 2, 1);
	la_strbuf_release(&out);
	out = text_of(setting + 2, 1);
	la_strbuf_release(&out);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("plot-pareto");
	TCase *tc = tcase_create("plot-pareto");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_points_are_where_they_belong);
	tcase_add_test(tc, test_limit);
	tcase_add_test(tc, test_terminal);
	tcase_add_test(tc, test_hostile_names);
	tcase_add_test(tc, test_many_are_bounded);
	tcase_add_test(tc, test_nothing_and_much);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
