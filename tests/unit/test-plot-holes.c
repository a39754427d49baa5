// SPDX-License-Identifier: Apache-2.0
/* Pictures of free blocks against a failed request. */
#include <check.h>
#include <stdlib.h>

#include "allocctl/report/plot.h"
#include "support/picture.h"
#include "util/util.h"

const char print_program[] = "test-plot-holes";

static struct la_strbuf svg_of(const struct la_oom_state *oom)
{
	struct la_strbuf out = { 0 };

	ck_assert_int_eq(plot_holes_svg(&out, oom), 0);
	ck_assert(picture_is_svg(&out));
	return out;
}

static struct la_strbuf text_of(const struct la_oom_state *oom, bool colour)
{
	/* Sizes and counts of a few digits end within 80. */
	const struct plot_terminal terminal = { 80, colour };
	struct la_strbuf out = { 0 };

	ck_assert_int_eq(plot_holes_term(&out, oom, &terminal), 0);
	ck_assert(colour || picture_is_text(&out, 110));
	return out;
}

static void add_holes(struct la_oom_state *oom, enum la_free_place place,
		      int bin, uint64_t count, uint64_t bytes)
{
	struct la_holes *holes = &oom->free[place];

	holes->count += count;
	holes->bytes += bytes;
	holes->bin_count[bin] = count;
	holes->bin_bytes[bin] = bytes;
	if (count && bytes / count > holes->largest)
		holes->largest = bytes / count;
}

/*
 * Bins of 1 and of 2 MiB, each an eighth of 852 wide; 3 MiB and 12 % over 310
 * up to 106 are 60.71 a MiB.
 */
START_TEST(test_bars_are_where_they_belong)
{
	struct la_oom_state oom = { .size = 2 * MIB, .rounded = 2 * MIB };
	struct la_strbuf out;

	add_holes(&oom, LA_FREE_OWN, 20, 2, 2 * MIB);
	add_holes(&oom, LA_FREE_STREAMS, 20, 1, MIB);
	out = svg_of(&oom);
	ck_assert(picture_parses(&out));
	ck_assert(picture_has(&out, "<rect x=\"86\" y=\"188.57\" "
				    "width=\"102.5\" height=\"121.43\" "
				    "class=\"plot-fill-part-0\""));
	ck_assert(picture_has(&out, "<rect x=\"86\" y=\"127.86\" "
				    "width=\"102.5\" height=\"60.71\" "
				    "class=\"plot-fill-part-1\""));
	ck_assert(picture_has(&out, "<line x1=\"190.5\" y1=\"102\" "
				    "x2=\"190.5\" y2=\"310\""));
	ck_assert(picture_has(&out, "text-anchor=\"middle\" font-size=\"11\" "
				    "class=\"plot-fill-ink\" fill=\"#1b1f24\">"
				    "3</text>"));
	ck_assert(picture_has(&out, "<title>1 MiB to 2 MiB, other streams: "
				    "1024.00 KiB in 1 hole</title>"));
	ck_assert(picture_has(&out, "a request of 2.00 MiB failed; the largest "
				    "hole that it could use has 1024.00 KiB; "
				    "3.00 MiB free in all"));
	la_strbuf_release(&out);
	oom.size = oom.rounded = 0;
	out = svg_of(&oom);
	ck_assert(picture_has(&out, "<desc>the largest hole has 1024.00 KiB; "
				    "3.00 MiB free in all</desc>"));
	ck_assert(!picture_count(&out, "where it looks"));
	la_strbuf_release(&out);
	oom.size = oom.rounded = 512;
	oom.free[LA_FREE_OWN] = (struct la_holes){ 0 };
	out = svg_of(&oom);
	ck_assert(picture_has(&out, "no hole where it looks; 1024.00 KiB "
				    "free in all"));
	la_strbuf_release(&out);
}
END_TEST

/* Bars of 44 columns: 3 MiB are all of them, 1.5 MiB half of them. */
START_TEST(test_terminal)
{
	struct la_oom_state oom = { .size = 3 * MIB, .rounded = 3 * MIB };
	struct la_strbuf out;

	add_holes(&oom, LA_FREE_OWN, 20, 2, 3 * MIB);
	add_holes(&oom, LA_FREE_POOLS, 18, 5, 3 * MIB / 2);
	out = text_of(&oom, false);
	ck_assert(picture_has(&out, "      1 MiB ████████████████████████████"
				    "████████████████     3.00 MiB in 2\n"));
	ck_assert(picture_has(&out, "    256 KiB ██████████████████████      "
				    "                     1.50 MiB in 5\n"));
	ck_assert(picture_has(&out, "    512 KiB \n"));
	ck_assert(picture_has(&out, "      2 MiB \n  request > 3.00 MiB\n"));
	la_strbuf_release(&out);
	out = text_of(&oom, true);
	ck_assert(picture_has(&out, "\033[38;5;32m█"));
	la_strbuf_release(&out);
}
END_TEST

START_TEST(test_nothing_and_much)
{
	struct la_oom_state none = { 0 };
	struct la_oom_state much = { .size = UINT64_MAX,
				     .rounded = UINT64_MAX };
	struct la_strbuf out;
	int i;

	out = svg_of(&none);
	ck_assert(picture_has(&out, "Holes by size"));
	la_strbuf_release(&out);
	out = text_of(&none, false);
	la_strbuf_release(&out);
	for (i = 0; i < LA_HOLE_BINS; i++) {
		add_holes(&much, i % LA_FREE_PLACES, i, UINT64_MAX, UINT64_MAX);
		much.free[i % LA_FREE_PLACES].bytes = UINT64_MAX;
	}
	out = svg_of(&much);
	la_strbuf_release(&out);
	out = text_of(&much, false);
	la_strbuf_release(&out);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("plot-holes");
	TCase *tc = tcase_create("plot-holes");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_bars_are_where_they_belong);
	tcase_add_test(tc, test_terminal);
	tcase_add_test(tc, test_nothing_and_much);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
