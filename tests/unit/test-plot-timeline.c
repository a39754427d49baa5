// SPDX-License-Identifier: Apache-2.0
/* Pictures of bytes over time. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocctl/report/plot.h"
#include "support/picture.h"
#include "util/util.h"

const char print_program[] = "test-plot-timeline";

enum { MANY = 100000 };

static struct la_strbuf svg_of(const struct la_timeline *view)
{
	struct la_strbuf out = { 0 };

	ck_assert_int_eq(plot_timeline_svg(&out, view), 0);
	ck_assert(picture_is_svg(&out));
	return out;
}

static struct la_strbuf text_of(const struct la_timeline *view,
				unsigned int columns)
{
	const struct plot_terminal terminal = { columns, false };
	struct la_strbuf out = { 0 };

	ck_assert_int_eq(plot_timeline_term(&out, view, &terminal), 0);
	ck_assert(picture_is_text(&out, columns));
	return out;
}

/*
 * Four events over 84 to 936: one is 213 wide.  2 GiB and a tenth over 348 up
 * to 78: 1 GiB is 270 / 2.2 = 122.73 high.
 */
START_TEST(test_steps_are_where_they_belong)
{
	struct la_timeline_point point[] = {
		{ 0, 0, { 0, 0 }, { 2 * GIB, 2 * GIB } },
		{ 1, 0, { GIB, GIB }, { 2 * GIB, 2 * GIB } },
		{ 2, 0, { GIB / 2, GIB }, { GIB, 2 * GIB } },
		{ 3, 0, { 0, 0 }, { 2 * GIB, 2 * GIB } },
	};
	struct la_timeline view = { .point = point, .point_count = 4,
				    .event_count = 4, .peak = 3,
				    .peak_live = GIB,
				    .peak_reserved = 2 * GIB };
	struct la_strbuf out = svg_of(&view);

	/* What is reserved, with a stroke down to 1 GiB in the third. */
	ck_assert(picture_has(&out, "\"M84 102.55H297V102.55H510V102.55"
				    "V225.27V102.55H723V102.55H936\""));
	/* The most that is live, and the least. */
	ck_assert(picture_has(&out, "\"M84 348V348H297V225.27H510V225.27"
				    "H723V348H936V348z\""));
	ck_assert(picture_has(&out, "\"M84 348V348H297V225.27H510V286.64"
				    "H723V348H936V348z\""));
	/* The peak, which nothing but the view knows the event of. */
	ck_assert(picture_has(&out, "<circle cx=\"723\" cy=\"225.27\""));
	ck_assert(picture_has(&out, "<desc>4 events; peak 1024.00 MiB live "
				    "before event 3, 2.00 GiB reserved"
				    "</desc>"));
	ck_assert(picture_has(&out, ">1.5 GiB</text>"));
	la_strbuf_release(&out);
}
END_TEST

/* A cap of 4 GiB is drawn above a peak of 2, one of 8 is told. */
START_TEST(test_limit_and_ooms)
{
	struct la_timeline_point point = { 0, 0, { 0, GIB },
					   { 2 * GIB, 2 * GIB } };
	struct la_view_oom oom[] = { { 25, 3 * GIB }, { 75, 5 * GIB } };
	struct la_timeline view = {
		.point = &point,
		.point_count = 1,
		.event_count = 100,
		.peak_live = GIB,
		.peak_reserved = 2 * GIB,
		.limit = { LA_LIMIT_CAP, 4 * GIB },
		.oom = oom,
		.oom_count = 2,
	};
	struct la_strbuf out = svg_of(&view);

	/* 348 - (348 - 96) / 1.1 */
	ck_assert(picture_has(&out, "<line x1=\"84\" y1=\"118.91\" "
				    "x2=\"936\" y2=\"118.91\""));
	ck_assert(picture_has(&out, ">cap of 4.00 GiB</text>"));
	/* 84 + 852 / 4, and three of these */
	ck_assert(picture_has(&out, "<line x1=\"297\" y1=\"96\" x2=\"297\""));
	ck_assert(picture_has(&out, "<line x1=\"723\" y1=\"96\" x2=\"723\""));
	ck_assert(picture_has(&out, ">OOM 3.00 GiB</text>"));
	ck_assert(picture_has(&out, ">OOM 5.00 GiB</text>"));
	ck_assert(picture_has(&out, "2 requests failed, the first of 3.00 GiB "
				    "at event 25"));
	la_strbuf_release(&out);
	view.limit.bytes = 8 * GIB;
	out = svg_of(&view);
	ck_assert(picture_has(&out, "cap of 8.00 GiB, far above"));
	ck_assert(!picture_count(&out, ">cap of 8.00 GiB</text>"));
	la_strbuf_release(&out);
	/* What is live counts where less is reserved. */
	view.peak_live = 4 * GIB;
	out = svg_of(&view);
	ck_assert(picture_has(&out, ">cap of 8.00 GiB</text>"));
	la_strbuf_release(&out);
}
END_TEST

/* Within others they are below them. */
START_TEST(test_phases)
{
	struct la_timeline_point point = { 0, 0, { 0, 1 }, { 1, 1 } };
	struct la_view_phase phase[] = {
		{ { 0, 50 }, "forward" },
		{ { 10, 40 }, picture_hostile },
		{ { 50, 100 }, "backward" },
	};
	struct la_timeline view = { .point = &point, .point_count = 1,
				    .event_count = 100, .phase = phase,
				    .phase_count = 3 };
	struct la_strbuf out = svg_of(&view);

	ck_assert(picture_parses(&out));
	ck_assert(picture_has(&out, "<rect x=\"84\" y=\"64\" width=\"426\" "
				    "height=\"16\" class=\"plot-fill-band-0\""));
	ck_assert(picture_has(&out, "<rect x=\"169.2\" y=\"82\" "
				    "width=\"255.6\""));
	ck_assert(picture_has(&out, "<rect x=\"510\" y=\"64\" width=\"426\""));
	ck_assert(picture_has(&out, ">backward</text>"));
	la_strbuf_release(&out);
	/* 40 columns, half of them for each. */
	out = text_of(&view, 51);
	ck_assert(picture_has(&out, "\n           ▏forward            "
				    "▏backward           \n"));
	la_strbuf_release(&out);
	phase[0].name = "\033[2J, and more than there is room for";
	out = text_of(&view, 51);
	ck_assert(picture_has(&out, "▏\\x1b[2J, and more …▏backward"));
	la_strbuf_release(&out);
}
END_TEST

/* One event of 100,000 has the peak, another one least. */
START_TEST(test_extremes_are_kept)
{
	struct la_timeline_point *point = calloc(MANY, sizeof(*point));
	struct la_view_oom *oom = calloc(MANY, sizeof(*oom));
	struct la_view_phase *phase = calloc(MANY, sizeof(*phase));
	struct la_timeline view = {
		.point = point, .point_count = MANY, .event_count = MANY,
		.oom = oom, .oom_count = MANY, .phase = phase,
		.phase_count = MANY, .peak = 77778, .peak_live = 2 * GIB,
		.peak_reserved = 2 * GIB,
	};
	struct la_strbuf out;
	uint64_t i;

	for (i = 0; i < MANY; i++) {
		point[i] = (struct la_timeline_point){
			i, i, { GIB, GIB }, { 2 * GIB, 2 * GIB }
		};
		oom[i].event = i;
		phase[i] = (struct la_view_phase){ { i, i + 1 }, "step" };
	}
	point[77777].live[0] = point[77777].live[1] = 2 * GIB;
	point[33333].reserved[0] = GIB;
	out = svg_of(&view);
	ck_assert_uint_lt(out.length, 1000000);
	/* Area of 114 to 348. */
	ck_assert(picture_has(&out, "V135.27H"));
	ck_assert(picture_has(&out, "V135.27V241.64V135.27H"));
	la_strbuf_release(&out);
	out = text_of(&view, 51);
	ck_assert_uint_lt(out.length, 10000);
	/* No phase has room for its name. */
	ck_assert(!picture_count(&out, "▏"));
	la_strbuf_release(&out);
	free(point);
	free(oom);
	free(phase);
}
END_TEST

START_TEST(test_nothing_and_much)
{
	struct la_timeline_point point[] = {
		{ 0, UINT64_MAX, { UINT64_MAX, UINT64_MAX },
		  { 0, UINT64_MAX } },
		{ UINT64_MAX, 5, { 0, 0 }, { UINT64_MAX, UINT64_MAX } },
	};
	struct la_view_oom oom = { UINT64_MAX, UINT64_MAX };
	struct la_timeline none = { 0 };
	struct la_timeline much = {
		.point = point, .point_count = 2,
		.event_count = (uint64_t)1 << 63,
		.peak = UINT64_MAX, .peak_live = UINT64_MAX,
		.peak_reserved = UINT64_MAX,
		.limit = { LA_LIMIT_CARD, UINT64_MAX },
		.oom = &oom, .oom_count = 1,
	};
	struct la_strbuf out = svg_of(&none);

	la_strbuf_release(&out);
	out = text_of(&none, 51);
	ck_assert(picture_has(&out, "0 events"));
	la_strbuf_release(&out);
	out = svg_of(&much);
	la_strbuf_release(&out);
	out = text_of(&much, 80);
	la_strbuf_release(&out);
}
END_TEST

/* 40 columns: 20 with 14 MiB reserved, 20 with 14 MiB live; a row is 1 MiB. */
START_TEST(test_terminal)
{
	static const char half[] = "░░░░░░░░░░░░░░░░░░░░", full[] =
		"████████████████████";
	struct la_timeline_point point[] = {
		{ 0, 0, { 0, 0 }, { 14 * MIB, 14 * MIB } },
		{ 500, 0, { 14 * MIB, 14 * MIB }, { 14 * MIB, 14 * MIB } },
	};
	struct la_view_oom oom = { 999, 3 * GIB };
	struct la_timeline view = { .point = point, .point_count = 2,
				    .event_count = 1000, .oom = &oom,
				    .oom_count = 1, .peak = 501,
				    .peak_live = 14 * MIB,
				    .peak_reserved = 14 * MIB };
	struct la_strbuf out = text_of(&view, 51);
	char row[256];

	snprintf(row, sizeof(row), "│%s%s\n", half, full);
	ck_assert_uint_eq(picture_count(&out, full), 14);
	ck_assert(picture_has(&out, row));
	ck_assert(picture_has(&out, "───▲\n"));
	ck_assert(picture_has(&out, "▲ OOM: 3.00 GiB at event 999\n"));
	ck_assert(picture_has(&out, "   10 MiB ┤"));
	la_strbuf_release(&out);
	/* Of a row that is a quarter full two eighths. */
	point[1].live[1] = 2 * MIB + MIB / 4;
	out = text_of(&view, 51);
	ck_assert(picture_has(&out, "▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂▂\n"));
	la_strbuf_release(&out);
	out = text_of(&view, 120);
	ck_assert(picture_has(&out, "peak 14.00 MiB live before event 501, "
				    "14.00 MiB reserved"));
	la_strbuf_release(&out);
}
END_TEST

START_TEST(test_colours_end)
{
	const struct plot_terminal terminal = { 80, true };
	struct la_timeline_point point = { 0, 0, { 1, 1 }, { 2, 2 } };
	struct la_timeline view = { .point = &point, .point_count = 1,
				    .event_count = 1 };
	struct la_strbuf out = { 0 };
	const char *line, *end, *last;

	ck_assert_int_eq(plot_timeline_term(&out, &view, &terminal), 0);
	ck_assert(picture_count(&out, "\033[38;5;"));
	for (line = out.data; *line; line = end + 1) {
		end = strchr(line, '\n');
		last = memrchr(line, '\033', (size_t)(end - line));
		ck_assert(!last || !strncmp(last, "\033[0m", 4));
	}
	la_strbuf_release(&out);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("plot-timeline");
	TCase *tc = tcase_create("plot-timeline");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_steps_are_where_they_belong);
	tcase_add_test(tc, test_limit_and_ooms);
	tcase_add_test(tc, test_phases);
	tcase_add_test(tc, test_extremes_are_kept);
	tcase_add_test(tc, test_nothing_and_much);
	tcase_add_test(tc, test_terminal);
	tcase_add_test(tc, test_colours_end);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
