// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/utf8.h"
#include "util/util.h"

static struct la_strbuf text;
static struct la_json json;

static void start(void)
{
	la_json_init(&json, la_json_to_strbuf, &text);
}

static void stop(void)
{
	la_strbuf_release(&text);
}

static void wrote(const char *wanted)
{
	ck_assert_int_eq(json.err, 0);
	ck_assert_str_eq(la_strbuf_text(&text), wanted);
}

START_TEST(test_commas_stand_between_members_only)
{
	la_json_object_begin(&json);
	la_json_key(&json, "a");
	la_json_array_begin(&json);
	la_json_array_end(&json);
	la_json_key(&json, "b");
	la_json_array_begin(&json);
	la_json_int(&json, INT64_MIN);
	la_json_uint(&json, UINT64_MAX);
	la_json_object_begin(&json);
	la_json_object_end(&json);
	la_json_null(&json);
	la_json_array_end(&json);
	la_json_key(&json, "c");
	la_json_bool(&json, true);
	la_json_object_end(&json);
	wrote("{\"a\":[],\"b\":[-9223372036854775808,18446744073709551615,"
	      "{},null],\"c\":true}");
}
END_TEST

START_TEST(test_members_are_a_key_and_a_value)
{
	la_json_object_begin(&json);
	la_json_member_text(&json, "a", "b");
	la_json_member_text(&json, "c", NULL);
	la_json_member_uint(&json, "d", UINT64_MAX);
	la_json_member_bool(&json, "e", false);
	la_json_object_end(&json);
	wrote("{\"a\":\"b\",\"c\":null,\"d\":18446744073709551615,"
	      "\"e\":false}");
}
END_TEST

static const struct {
	const char *in;
	size_t length;
	const char *out;
} strings[] = {
	{ "plain", 5, "\"plain\"" },
	{ "q\"b\\n\n\t\r\b\f", 10, "\"q\\\"b\\\\n\\n\\t\\r\\b\\f\"" },
	{ "nul\0x\x1f\x7f", 7, "\"nul\\u0000x\\u001f\\u007f\"" },
	{ "\u00e9\u20ac\U0001f600", 9, "\"\u00e9\u20ac\U0001f600\"" },
	{ "a\xff" "b", 3, "\"a\\ufffdb\"" },
	/* Overlong, a surrogate, above U+10FFFF, cut short. */
	{ "\xc0\x80", 2, "\"\\ufffd\\ufffd\"" },
	{ "\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"" },
	{ "\xf4\x90\x80\x80", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },
	{ "\xe2\x82", 2, "\"\\ufffd\\ufffd\"" },
};

START_TEST(test_string_is_escaped)
{
	la_json_string(&json, strings[_i].in, strings[_i].length);
	wrote(strings[_i].out);
}
END_TEST

static const struct {
	double value;
	const char *out;
} doubles[] = {
	{ 0.0, "0.0" },		{ -0.0, "-0.0" },
	{ 1.0, "1.0" },		{ 0.8, "0.8" },
	{ 0.1 + 0.2, "0.30000000000000004" },
	{ 1e-9, "1e-09" },	{ 1e300, "1e+300" },
	{ NAN, "null" },	{ INFINITY, "null" },
};

START_TEST(test_double_reads_back_the_same)
{
	(void)setlocale(LC_ALL, "de_DE.UTF-8"); /* a comma, where installed */
	la_json_double(&json, doubles[_i].value);
	wrote(doubles[_i].out);
}
END_TEST

START_TEST(test_too_deep_is_an_error)
{
	int i;

	for (i = 0; i < 2 * LA_JSON_DEPTH; i++)
		la_json_array_begin(&json);
	ck_assert_int_eq(json.err, -EOVERFLOW);
}
END_TEST

START_TEST(test_prefix_keeps_characters_whole)
{
	static const char euro[] = "ab\u20ac";
	size_t limit;

	for (limit = 0; limit < 8; limit++)
		ck_assert_uint_eq(la_utf8_prefix(euro, 5, limit),
				  limit < 2 ? limit : limit < 5 ? 2 : 5);
	ck_assert_uint_eq(la_utf8_prefix("\x80\x80\x80\x80\x80", 5, 3), 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("json");
	TCase *tc = tcase_create("json");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tc, start, stop);
	tcase_add_test(tc, test_commas_stand_between_members_only);
	tcase_add_test(tc, test_members_are_a_key_and_a_value);
	tcase_add_loop_test(tc, test_string_is_escaped, 0,
			    ARRAY_SIZE(strings));
	tcase_add_loop_test(tc, test_double_reads_back_the_same, 0,
			    ARRAY_SIZE(doubles));
	tcase_add_test(tc, test_too_deep_is_an_error);
	tcase_add_test(tc, test_prefix_keeps_characters_whole);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
