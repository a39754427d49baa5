// SPDX-License-Identifier: Apache-2.0
/* LIBALLOC_CONF: what is taken, and where what is not stands. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "torch/options.h"
#include "util/util.h"

static struct la_options options;
static struct la_error err;

static int parse(const char *text)
{
	options = la_options_default;
	err = (struct la_error){ .code = 0, .offset = LA_NO_OFFSET };
	return la_options_parse(&options, text, &err);
}

START_TEST(test_nothing_named_is_compact_without_limit)
{
	ck_assert_int_eq(parse(""), 0);
	ck_assert_int_eq(options.policy, LA_HEAP_COMPACT);
	ck_assert_uint_eq(options.limit, UINT64_MAX);
	ck_assert_uint_eq(options.history, 0);
	ck_assert(!options.log_split);
	ck_assert_str_eq(options.record, "");
}
END_TEST

START_TEST(test_all_options_are_taken)
{
	ck_assert_int_eq(parse("policy:torch,limit:1.5GiB,history:1000,"
			       "record:/a/b.pickle,smart_cache:0.8,log:split,"
			       "report:/tmp/x"),
			 0);
	ck_assert_int_eq(options.policy, LA_HEAP_TORCH);
	ck_assert_uint_eq(options.limit, 1536 * MIB);
	ck_assert_uint_eq(options.history, 1000);
	ck_assert_str_eq(options.record, "/a/b.pickle");
	ck_assert_double_eq(options.smart_cache, 0.8);
	ck_assert(options.log_split);
	ck_assert_str_eq(options.report, "/tmp/x");
}
END_TEST

START_TEST(test_the_last_of_equal_options_counts)
{
	ck_assert_int_eq(parse("policy:torch,,limit:1G,policy:compact,"), 0);
	ck_assert_int_eq(options.policy, LA_HEAP_COMPACT);
	ck_assert_uint_eq(options.limit, GIB);
}
END_TEST

START_TEST(test_a_record_has_a_history)
{
	ck_assert_int_eq(parse("record:x.pickle"), 0);
	ck_assert_uint_eq(options.history, 100000);
	ck_assert_int_eq(parse("history:5,record:x.pickle"), 0);
	ck_assert_uint_eq(options.history, 5);
}
END_TEST

static const struct {
	const char *text;
	uint64_t offset;
	const char *error;
} bad[] = {
	{ "police:compact", 0, "no option is called 'police'" },
	{ "policy:compact,limit", 20, "'limit' wants a colon and a value" },
	{ "policy:best", 7, "policy wants torch or compact" },
	{ "policy:", 7, "policy wants torch or compact" },
	{ "log:split,limit:many", 16, "limit wants a size such as 20GiB" },
	{ "limit:0", 6, "limit wants a size such as 20GiB" },
	{ "history:-1", 8, "history wants a number of events" },
	{ "history:9999999999", 8, "history wants a number of events" },
	{ "smart_cache:1", 12, "smart_cache wants a share" },
	{ "smart_cache:nan", 12, "smart_cache wants a share" },
	{ "log:all", 4, "log wants split" },
	{ "record:", 7, "a path is wanted" },
};

START_TEST(test_errors_name_their_place)
{
	ck_assert_int_eq(parse(bad[_i].text), -EINVAL);
	ck_assert_uint_eq(err.offset, bad[_i].offset);
	ck_assert_ptr_nonnull(strstr(err.text, bad[_i].error));
}
END_TEST

START_TEST(test_long_values_are_refused)
{
	char text[3 * PATH_MAX];

	memset(text, 'x', sizeof(text));
	memcpy(text, "record:", 7);
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(parse(text), -EINVAL);
	ck_assert_uint_eq(err.offset, 7);
	text[7 + PATH_MAX - 1] = '\0';
	ck_assert_int_eq(parse(text), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("torch-options");
	TCase *tc = tcase_create("options");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, test_nothing_named_is_compact_without_limit);
	tcase_add_test(tc, test_all_options_are_taken);
	tcase_add_test(tc, test_the_last_of_equal_options_counts);
	tcase_add_test(tc, test_a_record_has_a_history);
	tcase_add_loop_test(tc, test_errors_name_their_place, 0,
			    ARRAY_SIZE(bad));
	tcase_add_test(tc, test_long_values_are_refused);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
