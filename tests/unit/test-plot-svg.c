// SPDX-License-Identifier: Apache-2.0
/* The writer of SVG, and what pictures share. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "allocctl/report/axis.h"
#include "allocctl/report/svg.h"
#include "support/picture.h"
#include "util/util.h"

const char print_program[] = "test-plot-svg";

START_TEST(test_numbers)
{
	static const struct {
		double value;
		const char *text;
	} row[] = {
		{ 0, "0" },	       { -0.0, "0" },
		{ 1, "1" },	       { 0.5, ".5" },
		{ -0.25, "-.25" },     { 12.346, "12.35" },
		{ 100.1, "100.1" },    { 0.004, "0" },
		{ -0.004, "0" },       { 1e300, "100000" },
		{ INFINITY, "100000" }, { -INFINITY, "-100000" },
		{ NAN, "-100000" },    { 10.05, "10.05" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		struct la_strbuf out = { 0 };

		svg_number(&out, row[i].value);
		ck_assert_str_eq(la_strbuf_text(&out), row[i].text);
		la_strbuf_release(&out);
	}
}
END_TEST

START_TEST(test_text_is_escaped)
{
	struct la_strbuf out = { 0 };

	svg_escaped(&out, "a<b>&\"'é\x1b\xff\xef\xbf\xbe", 14);
	ck_assert_str_eq(la_strbuf_text(&out),
			 "a&lt;b&gt;&amp;&quot;&#39;é\\x1b\\xff"
			 "\\xef\\xbf\\xbe");
	la_strbuf_release(&out);
}
END_TEST

/* "abcdefgh" at 10 is at most 48 wide: what has less room is cut. */
START_TEST(test_text_is_cut_to_its_room)
{
	static const struct {
		double room;
		const char *text; /* NULL: nothing */
	} row[] = {
		{ 48, ">abcdefgh<" }, { 47, ">abcdef…<" }, { 22, ">ab…<" },
		{ 21, NULL },	      { -5, NULL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		struct svg_label label = { .size = 10, .ink = SVG_INK };
		struct la_strbuf out = { 0 };

		svg_text_within(&out, &label, row[i].room, "abcdefgh");
		if (row[i].text)
			ck_assert(picture_has(&out, row[i].text));
		else
			ck_assert_uint_eq(out.length, 0);
		la_strbuf_release(&out);
	}
}
END_TEST

START_TEST(test_a_hostile_title_is_text)
{
	struct svg_head head = { "plot-x", 10, 10, picture_hostile,
				 picture_hostile };
	struct svg_box box = { NAN, -INFINITY, -3, INFINITY };
	struct la_strbuf out = { 0 };

	svg_begin(&out, &head);
	svg_rect(&out, &box, SVG_LIVE, SVG_NONE, picture_hostile);
	svg_end(&out);
	ck_assert(picture_is_svg(&out));
	ck_assert(picture_parses(&out));
	ck_assert(picture_has(&out, "width=\"0\""));
	la_strbuf_release(&out);
}
END_TEST

/* Light colours as attributes, dark ones by class: both of each. */
START_TEST(test_colours)
{
	struct svg_head head = { "plot-x", 10, 10, "t", "d" };
	struct svg_box box = { 1, 2, 3, 4 };
	struct la_strbuf out = { 0 };
	int i;

	svg_begin(&out, &head);
	svg_rect(&out, &box, SVG_LIVE, SVG_OOM, NULL);
	ck_assert(picture_has(&out, ".plot-fill-live{fill:#"));
	ck_assert(picture_has(&out, "<rect x=\"1\" y=\"2\" width=\"3\" "
				    "height=\"4\" class=\"plot-fill-live "
				    "plot-line-oom\" fill=\"#0072b2\" "
				    "stroke=\"#d55e00\"/>"));
	ck_assert(!picture_count(&out, " id=\""));
	la_strbuf_release(&out);
	for (i = 0; i < SVG_INKS; i++) {
		ck_assert_ptr_nonnull(svg_colours[i].name);
		ck_assert_ptr_nonnull(svg_colours[i].light);
		ck_assert_ptr_nonnull(svg_colours[i].dark);
	}
}
END_TEST

static void check_ticks(enum axis_unit unit, double low, double high,
			const char *const *text)
{
	struct axis_tick tick[AXIS_TICKS];
	size_t i, count = axis_ticks(tick, unit, low, high, 5);

	for (i = 0; i < count; i++) {
		ck_assert_ptr_nonnull(text[i]);
		ck_assert_str_eq(tick[i].text, text[i]);
	}
	ck_assert_ptr_null(text[count]);
}

START_TEST(test_axes_have_round_numbers)
{
	static const char *const gib[] = { "0.0 GiB", "0.5 GiB", "1.0 GiB",
					   "1.5 GiB", "2.0 GiB", NULL };
	static const char *const mib[] = { "0 MiB",   "200 MiB", "400 MiB",
					   "600 MiB", "800 MiB", NULL };
	static const char *const near[] = { "12.10 GiB", "12.12 GiB",
					    "12.14 GiB", "12.16 GiB",
					    "12.18 GiB", "12.20 GiB", NULL };
	static const char *const bytes[] = { "0 bytes", "1 byte", "2 bytes",
					     NULL };
	static const char *const most[] = { "0 EiB", "5 EiB", "10 EiB",
					    "15 EiB", NULL };
	static const char *const events[] = { "0", "2,000", "4,000", "6,000",
					      "8,000", NULL };
	static const char *const time[] = { "0 ms", "5 ms", "10 ms", "15 ms",
					    "20 ms", NULL };

	check_ticks(AXIS_BYTES, 0, 2.2 * 0x1p30, gib);
	check_ticks(AXIS_BYTES, 0, 0x1p20 * 900, mib);
	check_ticks(AXIS_BYTES, 12.1 * 0x1p30, 12.2 * 0x1p30, near);
	check_ticks(AXIS_BYTES, 0, 2, bytes);
	check_ticks(AXIS_BYTES, 0, 0x1p64, most);
	check_ticks(AXIS_COUNT, 0, 8495, events);
	check_ticks(AXIS_SECONDS, 0, 0.022, time);
}
END_TEST

START_TEST(test_durations)
{
	char text[32];

	ck_assert_str_eq(axis_seconds_text(text, 0), "0 s");
	ck_assert_str_eq(axis_seconds_text(text, 1.254), "1.25 s");
	ck_assert_str_eq(axis_seconds_text(text, 0.0127), "12.7 ms");
	ck_assert_str_eq(axis_seconds_text(text, 250e-6), "250 µs");
	ck_assert_str_eq(axis_bytes_text(text, 0x1p30 * 1.5), "1.5 GiB");
	ck_assert_str_eq(axis_bytes_text(text, 1), "1 byte");
	ck_assert_str_eq(axis_bytes_text(text, 512), "512 bytes");
}
END_TEST

START_TEST(test_beyond_an_axis_is_its_end)
{
	struct axis axis = { 10, 20, 300, 100 };

	ck_assert_double_eq(axis_at(&axis, 15), 200);
	ck_assert_double_eq(axis_at(&axis, 0), 300);
	ck_assert_double_eq(axis_at(&axis, DBL_MAX), 100);
}
END_TEST

static bool is_apart(const struct svg_box *a, const struct svg_box *b)
{
	return a->x + a->width <= b->x || b->x + b->width <= a->x ||
	       a->y + a->height <= b->y || b->y + b->height <= a->y;
}

/* However many there are at one point, none lies upon another. */
START_TEST(test_labels_do_not_overlap)
{
	static struct axis_labels labels = { .area = { 0, 0, 600, 400 } };
	struct svg_box box[100];
	size_t placed = 0, i, k;

	for (i = 0; i < 100; i++) {
		box[placed] = (struct svg_box){ .width = 90, .height = 15 };
		placed += axis_place(&labels, &box[placed], 590, 200);
	}
	ck_assert_uint_gt(placed, 5);
	ck_assert_uint_lt(placed, 100);
	for (i = 0; i < placed; i++) {
		ck_assert_double_ge(box[i].x, 0);
		ck_assert_double_le(box[i].x + 90, 600);
		for (k = 0; k < i; k++)
			ck_assert(is_apart(&box[i], &box[k]));
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("plot-svg");
	TCase *tc = tcase_create("plot-svg");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_numbers);
	tcase_add_test(tc, test_text_is_escaped);
	tcase_add_test(tc, test_text_is_cut_to_its_room);
	tcase_add_test(tc, test_a_hostile_title_is_text);
	tcase_add_test(tc, test_colours);
	tcase_add_test(tc, test_axes_have_round_numbers);
	tcase_add_test(tc, test_durations);
	tcase_add_test(tc, test_beyond_an_axis_is_its_end);
	tcase_add_test(tc, test_labels_do_not_overlap);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
