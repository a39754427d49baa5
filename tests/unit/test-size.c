// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "util/card.h"
#include "util/size.h"
#include "util/util.h"

static const struct {
	const char *text;
	uint64_t bytes;
} good[] = {
	{ "0", 0 },
	{ "512", 512 },
	{ "512 bytes", 512 },
	{ "1B", 1 },
	{ "1K", 1024 },
	{ "1k", 1024 },
	{ "1Ki", 1024 },
	{ "1KiB", 1024 },
	{ "1kB", 1000 },
	{ "1KB", 1000 },
	{ "24G", 25769803776 },
	{ "24GiB", 25769803776 },
	{ "24GB", 24000000000 },
	{ "24gb", 24000000000 },
	{ "1.5GiB", 1610612736 },
	{ "1.5 GiB", 1610612736 },
	{ " 2 TiB ", 2199023255552 },
	{ "2TB", 2000000000000 },
	{ ".5M", 524288 },
	{ "0.1KiB", 102 },
	{ "0.7K", 717 },
	{ "1.0", 1 },
	{ "0.000000000000000000001T", 0 },
	{ "18446744073709551615", UINT64_MAX },
	{ "16777215.99T", 18446744062714435338u },
};

static const struct {
	const char *text;
	int err;
	uint64_t offset;
} bad[] = {
	{ "", -EINVAL, 0 },	    { "G", -EINVAL, 0 },
	{ "-1G", -EINVAL, 0 },	    { "1X", -EINVAL, 1 },
	{ "1 GiBs", -EINVAL, 2 },   { "1.2.3G", -EINVAL, 3 },
	{ "1.5", -EINVAL, 0 },	    { "0x10", -EINVAL, 1 },
	{ "1e9", -EINVAL, 1 },	    { "nan", -EINVAL, 0 },
	{ ".", -EINVAL, 0 },	    { "18446744073709551616", -ERANGE, 0 },
	{ "16777216T", -ERANGE, 0 },
};

static const struct {
	uint64_t bytes;
	const char *text;
} printed[] = {
	{ 0, "0 bytes" },
	{ 1024, "1024 bytes" },
	{ 1025, "1.00 KiB" },
	{ 1048576, "1024.00 KiB" },
	{ 1048577, "1.00 MiB" },
	{ 20971520, "20.00 MiB" },
	{ 1073741824, "1024.00 MiB" },
	{ 150109880320, "139.80 GiB" },
	{ 85020000000, "79.18 GiB" },
	/* 1.125 and 1.375 KiB: ties go to the even digit. */
	{ 1152, "1.12 KiB" },
	{ 1408, "1.38 KiB" },
	{ UINT64_MAX, "17179869184.00 GiB" },
};

START_TEST(test_size_is_understood)
{
	uint64_t bytes;

	ck_assert_int_eq(la_size_parse(good[_i].text, &bytes, NULL), 0);
	ck_assert_msg(bytes == good[_i].bytes, "%s: %llu", good[_i].text,
		      (unsigned long long)bytes);
}
END_TEST

START_TEST(test_bad_size_is_refused_and_out_untouched)
{
	struct la_error err;
	uint64_t bytes = 42;

	ck_assert_int_eq(la_size_parse(bad[_i].text, &bytes, &err),
			 bad[_i].err);
	ck_assert_uint_eq(err.offset, bad[_i].offset);
	ck_assert_uint_eq(bytes, 42);
}
END_TEST

START_TEST(test_size_is_printed_as_torch_does)
{
	char text[LA_SIZE_TEXT];

	ck_assert_str_eq(la_size_format(text, printed[_i].bytes),
			 printed[_i].text);
}
END_TEST

START_TEST(test_card_is_found_whatever_the_spelling)
{
	const struct la_card *card = la_card_find("NVIDIA H200");

	ck_assert_ptr_nonnull(card);
	ck_assert_uint_eq(card->total, 150109880320);
	ck_assert(!card->about);
	ck_assert_ptr_eq(la_card_find("h200"), card);
	ck_assert_ptr_eq(la_card_find("rtx 4090"),
			 la_card_find("NVIDIA GeForce RTX 4090"));
	ck_assert_ptr_nonnull(la_card_find("A100 80GB"));
	ck_assert_ptr_null(la_card_find("A100"));
	ck_assert_ptr_null(la_card_find(""));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("size");
	TCase *tc = tcase_create("size");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, test_size_is_understood, 0, ARRAY_SIZE(good));
	tcase_add_loop_test(tc, test_bad_size_is_refused_and_out_untouched, 0,
			    ARRAY_SIZE(bad));
	tcase_add_loop_test(tc, test_size_is_printed_as_torch_does, 0,
			    ARRAY_SIZE(printed));
	tcase_add_test(tc, test_card_is_found_whatever_the_spelling);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
