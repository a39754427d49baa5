// SPDX-License-Identifier: Apache-2.0
/* Flame graphs of who holds memory. */
#include <check.h>
#include <stdlib.h>

#include "allocctl/report/plot.h"
#include "support/picture.h"
#include "util/util.h"

const char print_program[] = "test-plot-flame";

enum { MANY = 100000 };

static struct la_strbuf svg_of(const struct plot_flame_frame *frame,
			       size_t count)
{
	struct la_strbuf out = { 0 };

	ck_assert_int_eq(plot_flame_svg(&out, frame, count), 0);
	ck_assert(picture_is_svg(&out));
	return out;
}

static struct la_strbuf text_of(const struct plot_flame_frame *frame,
				size_t count)
{
	const struct plot_terminal terminal = { 80, false };
	struct la_strbuf out = { 0 };

	ck_assert_int_eq(plot_flame_term(&out, frame, count, &terminal), 0);
	ck_assert(picture_is_text(&out, 80));
	return out;
}

static const struct plot_flame_frame few[] = {
	{ "all", NULL, 0, 100 * MIB, 0 },
	{ "backward", "train.py", 12, 40 * MIB, 0 },
	{ "forward", "train.py", 7, 60 * MIB, 0 },
	{ "attention", "model.py", 99, 30 * MIB, 2 },
};

/* 100 MiB are 928 wide, from 16 on; 0.8 of a frame is a gap. */
START_TEST(test_frames_are_where_they_belong)
{
	struct la_strbuf out = svg_of(few, ARRAY_SIZE(few));

	ck_assert(picture_has(&out, "<rect x=\"16\" y=\"60\" "
				    "width=\"927.2\" height=\"18\""));
	ck_assert(picture_has(&out, "<rect x=\"16\" y=\"79\" width=\"556\""));
	ck_assert(picture_has(&out, "<rect x=\"572.8\" y=\"79\" "
				    "width=\"370.4\""));
	ck_assert(picture_has(&out, "<rect x=\"16\" y=\"98\" "
				    "width=\"277.6\""));
	ck_assert(picture_has(&out, "<title>attention (model.py:99): 30.00 MiB,"
				    " 30.0 %</title>"));
	ck_assert(picture_has(&out, ">attention</text>"));
	ck_assert(picture_has(&out, "<desc>100.00 MiB in 3 frames; most of it, "
				    "60.00 MiB (60.0 %), in forward</desc>"));
	la_strbuf_release(&out);
}
END_TEST

/*
 * The largest first; bars of 12: 60 % are 7.2, or 7 and two eighths; 30 %
 * are 3.6.
 */
START_TEST(test_terminal)
{
	struct la_strbuf out = text_of(few, ARRAY_SIZE(few));

	ck_assert(picture_has(&out, "████████████ 100.0 %  100.00 MiB  all"));
	ck_assert(picture_has(&out, "███████▎      60.0 %   60.00 MiB   "
				    "forward  train.py:7"));
	ck_assert(picture_has(&out, "███▋          30.0 %   30.00 MiB    "
				    "attention  model.py:99"));
	ck_assert(picture_has(&out, "████▊         40.0 %   40.00 MiB   "
				    "backward  train.py:12"));
	la_strbuf_release(&out);
}
END_TEST

START_TEST(test_hostile_names)
{
	const struct plot_flame_frame frame[] = {
		{ picture_hostile, picture_hostile, 1, 10, 0 },
		{ picture_hostile, NULL, 1, 9, 0 },
		{ NULL, picture_hostile, 0, 1, 0 },
	};
	struct la_strbuf out = svg_of(frame, 3);

	ck_assert(picture_parses(&out));
	ck_assert(picture_has(&out, "&lt;script&gt;"));
	la_strbuf_release(&out);
	out = text_of(frame, 3);
	la_strbuf_release(&out);
}
END_TEST

/* 100 chains of 60 frames: each frame could be seen. */
START_TEST(test_the_largest_are_drawn)
{
	static struct plot_flame_frame frame[6001];
	struct la_strbuf out;
	uint32_t i;

	frame[0] = (struct plot_flame_frame){ "all", NULL, 0, 60000, 0 };
	for (i = 1; i <= 6000; i++)
		frame[i] = (struct plot_flame_frame){
			"f", NULL, 0, 600 - i / 100 * 9,
			i > 100 ? i - 100 : 0
		};
	out = svg_of(frame, 6001);
	ck_assert_uint_le(picture_count(&out, "<rect"), 4001);
	ck_assert_uint_ge(picture_count(&out, "<rect"), 2001);
	la_strbuf_release(&out);
}
END_TEST

/* A chain, a comb, and frames of which each claims all. */
START_TEST(test_many_are_bounded)
{
	struct plot_flame_frame *frame = calloc(MANY, sizeof(*frame));
	struct la_strbuf out;
	uint32_t i, shape;

	for (shape = 0; shape < 3; shape++) {
		for (i = 0; i < MANY; i++)
			frame[i] = (struct plot_flame_frame){
				"function", "file.py", i, MANY - i,
				shape == 0 ? i - !!i : shape == 1 ? 0 : i / 2
			};
		if (shape == 1)
			frame->bytes = MANY * (uint64_t)MANY / 2;
		out = svg_of(frame, MANY);
		ck_assert_uint_lt(out.length, 1500000);
		la_strbuf_release(&out);
		out = text_of(frame, MANY);
		ck_assert_uint_lt(out.length, 10000);
		la_strbuf_release(&out);
	}
	free(frame);
}
END_TEST

START_TEST(test_nothing_and_much)
{
	const struct plot_flame_frame frame[] = {
		{ "root", NULL, 0, (uint64_t)1 << 63, 0 },
		{ "more", NULL, 0, UINT64_MAX, 0 },
		{ "late", NULL, 0, 1, UINT32_MAX },
		{ "own", NULL, 0, 1, 3 },
	};
	const struct plot_flame_frame zero[] = {
		{ "root", NULL, 0, 0, 0 },
		{ "nothing", NULL, 0, 0, 0 },
	};
	struct la_strbuf out;
	size_t count;

	for (count = 0; count <= ARRAY_SIZE(frame); count++) {
		out = svg_of(frame, count);
		la_strbuf_release(&out);
		out = text_of(frame, count);
		la_strbuf_release(&out);
	}
	out = svg_of(zero, 2);
	la_strbuf_release(&out);
	out = text_of(zero, 2);
	la_strbuf_release(&out);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("plot-flame");
	TCase *tc = tcase_create("plot-flame");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_frames_are_where_they_belong);
	tcase_add_test(tc, test_terminal);
	tcase_add_test(tc, test_hostile_names);
	tcase_add_test(tc, test_the_largest_are_drawn);
	tcase_add_test(tc, test_many_are_bounded);
	tcase_add_test(tc, test_nothing_and_much);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
