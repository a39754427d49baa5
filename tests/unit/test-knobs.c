// SPDX-License-Identifier: Apache-2.0
/* Settings as tune turns them: written as torch reads them, and read back. */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "replay/grid.h"
#include "replay/knobs.h"
#include "util/util.h"

static struct la_strbuf text;

static void teardown(void)
{
	la_strbuf_release(&text);
	text = (struct la_strbuf){ 0 };
}

static const char *written(struct knobs knobs)
{
	teardown();
	knobs_write(&knobs, &text);
	return la_strbuf_text(&text);
}

START_TEST(test_options_are_written_in_one_order)
{
	struct knobs all = { .expandable = true, .percent = 85, .split = 64,
			     .leftover = 96, .large = 32 };

	knobs_set_parts(&all, 4);
	ck_assert_str_eq(written(all),
			 "expandable_segments:True,"
			 "garbage_collection_threshold:0.85,"
			 "max_split_size_mb:64,max_non_split_rounding_mb:96,"
			 "roundup_power2_divisions:4,large_segment_size_mb:32");
	ck_assert_str_eq(written((struct knobs){ 0 }), "");
}
END_TEST

START_TEST(test_percents_are_shares)
{
	ck_assert_str_eq(written((struct knobs){ .percent = 60 }),
			 "garbage_collection_threshold:0.6");
	ck_assert_str_eq(written((struct knobs){ .percent = 5 }),
			 "garbage_collection_threshold:0.05");
}
END_TEST

START_TEST(test_slots_that_differ_are_a_list_without_gaps)
{
	struct knobs knobs = { 0 };

	knobs.parts[6] = 8;
	ck_assert_str_eq(written(knobs),
			 "roundup_power2_divisions:[32:0,64:8,>:0]");
	knobs_set_parts(&knobs, 2);
	knobs.parts[15] = 4;
	ck_assert_str_eq(written(knobs),
			 "roundup_power2_divisions:[16384:2,>:4]");
}
END_TEST

/* How many settings a visit told of. */
struct visit {
	size_t count;
};

/* torch 2.11 takes each one without a warning but that of a missing cap, and
 * what it reads is what was meant. */
static int check_sound(void *data, const struct knobs *knobs)
{
	const struct la_setting_context context = {
		.release = LA_RELEASE(2, 11),
		.set_at = LA_SET_AT_IMPORT,
	};
	const struct la_setting_remark *remark;
	struct la_setting_check *check;
	struct visit *visit = data;
	const char *string = written(*knobs);
	struct knobs back;
	size_t count, i;

	ck_assert_int_eq(la_setting_check_new(&check, string, strlen(string),
					      &context), 0);
	ck_assert_msg(!la_setting_check_refusal(check), "%s", string);
	remark = la_setting_check_remarks(check, &count);
	for (i = 0; i < count; i++)
		ck_assert_msg(remark[i].severity != LA_SEVERITY_WARNING ||
				      remark[i].code == LA_REMARK_NEEDS_CAP,
			      "%s: %s", string, remark[i].text);
	ck_assert(knobs_read(&back, la_setting_check_values(check)));
	ck_assert_uint_eq(back.percent, knobs->percent);
	ck_assert_uint_eq(back.split, knobs->split);
	ck_assert_uint_eq(back.large, knobs->large == 20 ? 0 : knobs->large);
	ck_assert_int_eq(back.expandable, knobs->expandable);
	ck_assert_int_eq(memcmp(back.parts, knobs->parts, sizeof(back.parts)),
			 0);
	if (knobs->leftover != (knobs->large ? knobs->large : 20))
		ck_assert_uint_eq(back.leftover, knobs->leftover);
	la_setting_check_free(check);
	visit->count++;
	return 0;
}

START_TEST(test_fine_grid_is_sound)
{
	struct visit visit = { 0 };

	ck_assert_int_eq(grid_visit_fine(check_sound, &visit), 0);
	ck_assert_uint_ge(visit.count, 150);
}
END_TEST

START_TEST(test_neighbours_are_sound)
{
	struct visit visit = { 0 };
	struct knobs knobs = { .split = 64, .percent = 95 };

	ck_assert_int_eq(grid_visit_neighbours(&knobs, check_sound, &visit),
			 0);
	ck_assert_uint_ge(visit.count, 15);
	visit.count = 0;
	knobs = (struct knobs){ .expandable = true };
	ck_assert_int_eq(grid_visit_neighbours(&knobs, check_sound, &visit),
			 0);
	ck_assert_uint_ge(visit.count, 5);
	visit.count = 0;
	knobs = (struct knobs){ .split = 128, .leftover = 256, .large = 64 };
	knobs_set_parts(&knobs, 64);
	ck_assert_int_eq(grid_visit_neighbours(&knobs, check_sound, &visit),
			 0);
	ck_assert_uint_ge(visit.count, 15);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("knobs");
	TCase *tc = tcase_create("knobs");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_options_are_written_in_one_order);
	tcase_add_test(tc, test_percents_are_shares);
	tcase_add_test(tc, test_slots_that_differ_are_a_list_without_gaps);
	tcase_add_test(tc, test_fine_grid_is_sound);
	tcase_add_test(tc, test_neighbours_are_sound);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
