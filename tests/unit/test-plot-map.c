// SPDX-License-Identifier: Apache-2.0
/* Address maps. */
#include <check.h>
#include <stdlib.h>

#include "allocctl/report/plot.h"
#include "support/picture.h"
#include "util/util.h"

const char print_program[] = "test-plot-map";

enum { MANY = 100000 };

static struct la_strbuf svg_of(const struct la_map *map)
{
	struct la_strbuf out = { 0 };

	ck_assert_int_eq(plot_map_svg(&out, map, NULL), 0);
	ck_assert(picture_is_svg(&out));
	return out;
}

static struct la_strbuf text_of(const struct la_map *map)
{
	const struct plot_terminal terminal = { 84, false };
	struct la_strbuf out = { 0 };

	ck_assert_int_eq(plot_map_term(&out, map, NULL, &terminal), 0);
	ck_assert(picture_is_text(&out, 84));
	return out;
}

/* 4 MiB in rows of 256 KiB, as 28 rows of 128 KiB are less. */
START_TEST(test_blocks_are_where_they_belong)
{
	struct la_map_block block[] = {
		{ 0x7f0000000000, MIB, MIB, 7, 0, 0, LA_MAP_LIVE },
		{ 0x7f0000100000, MIB, 0, 0, 0, 0, LA_MAP_FREE },
		{ 0x7f0000200000, 2 * MIB, 2 * MIB - 5, 1234, 3, 0,
		  LA_MAP_LIVE },
	};
	struct la_map_segment segment = { .addr = 0x7f0000000000,
					  .size = 4 * MIB, .block_count = 3 };
	struct la_map map = { 2000, &segment, 1, block, 3 };
	struct la_strbuf out = svg_of(&map);

	ck_assert(picture_parses(&out));
	/* Most is of stream 3: it has the first colour, from row 8 on. */
	ck_assert(picture_has(&out, "<path d=\"M136 112h800v15h-800z\" "
				    "class=\"plot-fill-part-1\""));
	ck_assert(picture_has(&out, "<path d=\"M136 192h800v15h-800z\" "
				    "class=\"plot-fill-cached\""));
	ck_assert(picture_has(&out, "<path d=\"M136 272h800v15h-800z\" "
				    "class=\"plot-fill-part-0\""));
	ck_assert_uint_eq(picture_count(&out, "h800v15h-800z"), 16);
	ck_assert(picture_has(&out, ">0x7f0000240000</text>"));
	ck_assert(picture_has(&out, ">+128 KiB</text>"));
	ck_assert(picture_has(&out, "<title>2.00 MiB live, stream number 3, at "
				    "0x7f0000200000, requested 2.00 MiB, "
				    "unused 5 bytes by event 1,234</title>"));
	ck_assert(picture_has(&out, "before event 2,000: 4.00 MiB reserved in "
				    "1 segment: 3.00 MiB live, 5 bytes of these "
				    "unused, 1024.00 KiB free (25.0 %)"));
	ck_assert(picture_has(&out, ">stream number 3: 2.00 MiB</text>"));
	la_strbuf_release(&out);
	/* 20 rows are of 256 KiB too: 64 characters of 4 KiB. */
	out = text_of(&map);
	ck_assert(picture_has(&out, "  0x7f0000240000  ████████████████████████"
				    "████████████████████████████████████████\n"));
	ck_assert(picture_has(&out, "  0x7f0000140000  ························"
				    "········································\n"));
	la_strbuf_release(&out);
}
END_TEST

/* Rows of 4 KiB: 1024 pending and 512 live bytes of the first. */
START_TEST(test_parts_of_a_row)
{
	struct la_map_block block[] = {
		{ 4096, 1024, 1024, 0, 0, 0, LA_MAP_PENDING },
		{ 5120, 512, 512, 0, 0, 0, LA_MAP_LIVE },
		{ 5632, 32768 - 1536, 0, 0, 0, 0, LA_MAP_FREE },
	};
	struct la_map_segment segment = { .addr = 4096, .size = 32768,
					  .block_count = 3 };
	struct la_map map = { 0, &segment, 1, block, 3 };
	struct la_strbuf out = svg_of(&map);

	ck_assert(picture_has(&out, "\"M136 112h200v15h-200z\" "
				    "class=\"plot-fill-cached\""));
	ck_assert(picture_has(&out, "\"M336 112h100v15h-100z\" "
				    "class=\"plot-fill-part-0\""));
	ck_assert(picture_has(&out, "\"M436 112h500v15h-500z\" "
				    "class=\"plot-fill-cached\""));
	/* Hatching ends with the block. */
	ck_assert(picture_has(&out, "M150 127L165 112"));
	ck_assert(picture_has(&out, "L336 "));
	ck_assert(picture_has(&out, "1024 bytes pending, 30.50 KiB free"));
	la_strbuf_release(&out);
	out = text_of(&map);
	ck_assert(picture_has(&out, "  ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒████████·········"));
	la_strbuf_release(&out);
}
END_TEST

/* A request leaves the last quarter of its block: lines of its colour. */
START_TEST(test_unused)
{
	struct la_map_block block[] = {
		{ 0x10000, 4096, 3072, 0, 0, 0, LA_MAP_LIVE },
	};
	struct la_map_segment segment = { .addr = 0x10000, .size = 4096,
					  .block_count = 1 };
	struct la_map map = { 0, &segment, 1, block, 1 };
	struct la_strbuf out = svg_of(&map);

	ck_assert(picture_has(&out, "\"M136 112h600v15h-600z\" "
				    "class=\"plot-fill-part-0\""));
	ck_assert(picture_has(&out, "\"M736 112h200v15h-200z\" "
				    "class=\"plot-fill-cached\""));
	ck_assert(picture_has(&out, "M736 114.5h200M736 119.5h200"));
	ck_assert(picture_has(&out, ">unused in blocks</text>"));
	ck_assert(picture_has(&out, "4.00 KiB live, 1024 bytes of these unused,"
				    " 0 bytes free"));
	la_strbuf_release(&out);
	out = text_of(&map);
	ck_assert(picture_has(&out, "████░░░░░░░░░░░░░░░░\n"));
	la_strbuf_release(&out);
}
END_TEST

/* Segments lie side by side, whatever is between them, each with a mark. */
START_TEST(test_segments)
{
	struct la_map_block block[] = {
		{ 0x10000, 2048, 0, 0, 0, 0, LA_MAP_FREE },
		{ 0x90000, 2048, 2048, 0, 0, 0, LA_MAP_LIVE },
	};
	struct la_map_segment segment[] = {
		{ .addr = 0x10000, .size = 2048, .block_count = 1 },
		{ .addr = 0x90000, .size = 2048, .first_block = 1,
		  .block_count = 1 },
	};
	struct la_map map = { 0, segment, 2, block, 2 };
	struct la_strbuf out = svg_of(&map);

	ck_assert(picture_has(&out, "\"M536 112h400v15h-400z\" "
				    "class=\"plot-fill-part-0\""));
	ck_assert(picture_has(&out, "\"M136 110v19M536 110v19\""));
	ck_assert(picture_has(&out, "in 2 segments"));
	la_strbuf_release(&out);
}
END_TEST

/* Nine streams: six with names, as many as a legend holds, and the rest. */
START_TEST(test_many_streams)
{
	struct la_map_block block[9];
	struct la_map_segment segment = { .addr = 512, .size = 9 * 4096,
					  .block_count = 9 };
	struct la_map map = { 0, &segment, 1, block, 9 };
	struct la_strbuf out;
	uint32_t i;

	for (i = 0; i < 9; i++)
		block[i] = (struct la_map_block){
			512 + i * 4096, 4096, 4096, 0, 9 - i, 0, LA_MAP_LIVE
		};
	out = svg_of(&map);
	ck_assert_uint_eq(picture_count(&out, "class=\"plot-fill-part-6\""), 1);
	ck_assert(picture_has(&out, "\"M136 112h800v15h-800z\" "
				    "class=\"plot-fill-part-rest\""));
	ck_assert(picture_has(&out, "\"M136 132h800v15h-800z\" "
				    "class=\"plot-fill-part-rest\""));
	ck_assert_uint_ge(picture_count(&out, "plot-fill-part-rest\" "), 2);
	la_strbuf_release(&out);
	out = text_of(&map);
	ck_assert(picture_has(&out, " stream number 7: 4.00 KiB\n"));
	ck_assert(picture_has(&out, " 2 other streams: 8.00 KiB\n"));
	la_strbuf_release(&out);
}
END_TEST

/* The worst: no two neighbours alike. */
START_TEST(test_many_blocks_are_bounded)
{
	struct la_map_block *block = calloc(MANY, sizeof(*block));
	struct la_map_segment *segment = calloc(MANY, sizeof(*segment));
	struct la_map map = { 0, segment, MANY, block, MANY };
	struct la_strbuf out;
	uint32_t i;

	for (i = 0; i < MANY; i++) {
		segment[i] = (struct la_map_segment){
			.addr = i * UINT64_C(8192), .size = 512 + i % 7 * 512,
			.first_block = i, .block_count = 1
		};
		block[i] = (struct la_map_block){
			segment[i].addr, segment[i].size, 0, 0, i % 8, 0,
			(uint8_t)(i % 3)
		};
	}
	out = svg_of(&map);
	ck_assert_uint_lt(out.length, 1000000);
	la_strbuf_release(&out);
	out = text_of(&map);
	ck_assert_uint_lt(out.length, 10000);
	la_strbuf_release(&out);
	free(block);
	free(segment);
}
END_TEST

START_TEST(test_nothing_and_much)
{
	uint64_t half = (uint64_t)1 << 63;
	struct la_map_block block[] = {
		{ 0, half, 0, UINT64_MAX, UINT32_MAX, 0, LA_MAP_LIVE },
		{ half, UINT64_MAX, 0, 0, 1, 0, LA_MAP_PENDING },
		{ half, 0, 0, 0, 1, 0, LA_MAP_LIVE },
		{ 1, UINT64_MAX, 0, 0, 1, 0, LA_MAP_FREE },
	};
	struct la_map_segment segment[] = {
		{ .size = half, .block_count = 1 },
		{ .addr = half, .size = UINT64_MAX, .first_block = 1,
		  .block_count = 2 },
		{ .addr = 1, .size = UINT64_MAX, .first_block = 3,
		  .block_count = 1 },
	};
	struct la_map none = { 0 }, much = { UINT64_MAX, segment, 3, block, 4 };
	struct la_strbuf out = svg_of(&none);

	ck_assert(picture_has(&out, "0 bytes reserved in 0 segments"));
	la_strbuf_release(&out);
	out = text_of(&none);
	la_strbuf_release(&out);
	out = svg_of(&much);
	/* 40 EiB, as its sums are more than 64 bits. */
	ck_assert(picture_has(&out, "free (40.0 %)"));
	la_strbuf_release(&out);
	out = text_of(&much);
	la_strbuf_release(&out);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("plot-map");
	TCase *tc = tcase_create("plot-map");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_blocks_are_where_they_belong);
	tcase_add_test(tc, test_parts_of_a_row);
	tcase_add_test(tc, test_unused);
	tcase_add_test(tc, test_segments);
	tcase_add_test(tc, test_many_streams);
	tcase_add_test(tc, test_many_blocks_are_bounded);
	tcase_add_test(tc, test_nothing_and_much);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
