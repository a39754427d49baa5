// SPDX-License-Identifier: Apache-2.0
/* What depends on the release and the build. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#include "util/util.h"

static const struct {
	const char *text;
	int result;
	unsigned int release; /* where result is not negative */
} names[] = {
	{ "1.9", 0, LA_RELEASE(1, 9) },
	{ "1.13.1", 0, LA_RELEASE(1, 13) },
	{ "2.6", 0, LA_RELEASE(2, 6) },
	{ "2.6.0", 0, LA_RELEASE(2, 6) },
	{ "2.11.0+cu130", 0, LA_RELEASE(2, 11) },
	{ "2.10.0a0+git1234567", 0, LA_RELEASE(2, 10) },
	{ "2.10rc1", 0, LA_RELEASE(2, 10) },
	{ "2.15.0.dev20260101+cpu", 0, LA_RELEASE(2, 15) },
	{ "2.16.0", 1, LA_RELEASE(2, 15) },
	{ "3.0", 1, LA_RELEASE(2, 15) },
	{ "1.8.1", -ERANGE, 0 },
	{ "0.4", -ERANGE, 0 },
	{ "1.14", -ERANGE, 0 },
	{ "", -EINVAL, 0 },
	{ "2", -EINVAL, 0 },
	{ "2.", -EINVAL, 0 },
	{ "2.x", -EINVAL, 0 },
	{ ".6", -EINVAL, 0 },
	{ "v2.6", -EINVAL, 0 },
	{ "2.6x", -EINVAL, 0 },
	{ "2.99999999999999999999", -EINVAL, 0 },
	{ "-2.6", -EINVAL, 0 },
};

START_TEST(test_release_is_read)
{
	struct la_error err = { .text = "" };
	unsigned int release = 0;

	ck_assert_int_eq(la_release_parse(&release, names[_i].text, &err),
			 names[_i].result);
	ck_assert_uint_eq(release, names[_i].release);
	ck_assert(!*err.text == (names[_i].result >= 0));
}
END_TEST

START_TEST(test_releases_ascend_and_read_as_themselves)
{
	const struct la_release *release;
	unsigned int number, last = 0;
	size_t i;

	for (i = 0; (release = la_release_at(i)); i++) {
		ck_assert_uint_gt(release->number, last);
		last = release->number;
		ck_assert_int_eq(la_release_parse(&number, release->name, NULL),
				 0);
		ck_assert_uint_eq(number, last);
	}
	ck_assert_uint_eq(i, 21);
}
END_TEST

/* Refused where it says so, with that at the head or the tail of the text. */
static const struct {
	const char *text;
	struct la_setting_context context;
	const char *error; /* NULL: accepted */
	uint64_t offset;
} verdicts[] = {
	/* Builds without a device read nothing before 2.10. */
	{ "nonsense", { LA_RELEASE(2, 9), 0, LA_BUILD_CPU, NULL,
	    LA_PLATFORM_LINUX }, NULL, 0 },
	{ "nonsense:1,max_split_size_mb:64",
	  { LA_RELEASE(2, 10), 0, LA_BUILD_CPU, NULL,
	    LA_PLATFORM_LINUX },
	  NULL,
	  0 },
	{ "backend:nonsense",
	  { LA_RELEASE(2, 12), 0, LA_BUILD_CPU, NULL,
	    LA_PLATFORM_LINUX },
	  NULL,
	  0 },
	{ "max_split_size_mb:1",
	  { LA_RELEASE(2, 10), 0, LA_BUILD_CPU, NULL,
	    LA_PLATFORM_LINUX },
	  "CachingAllocator option max_split_size_mb too small, must be >= 20",
	  18 },
	/* The driver's backend has two names on ROCm. */
	{ "backend:hipMallocAsync",
	  { LA_RELEASE(2, 12), LA_SET_AT_IMPORT, LA_BUILD_ROCM, NULL,
	    LA_PLATFORM_LINUX },
	  NULL,
	  0 },
	{ "backend:cudaMallocAsync",
	  { LA_RELEASE(2, 9), LA_SET_AT_IMPORT, LA_BUILD_ROCM, NULL,
	    LA_PLATFORM_LINUX },
	  NULL,
	  0 },
	{ "backend:hipMallocAsync",
	  { LA_RELEASE(2, 12), LA_SET_AT_IMPORT, LA_BUILD_CUDA, NULL,
	    LA_PLATFORM_LINUX },
	  "Unknown allocator backend, options are native and cudaMallocAsync",
	  8 },
	{ "backend:other",
	  { LA_RELEASE(2, 12), LA_SET_AT_IMPORT, LA_BUILD_ROCM, NULL,
	    LA_PLATFORM_LINUX },
	  "Unknown allocator backend, options are native, cudaMallocAsync, "
	  "and hipMallocAsync",
	  8 },
	/* Places of tokens in the older generations. */
	{ "a b:1",
	  { LA_RELEASE(1, 13), 0, LA_BUILD_CUDA, NULL,
	    LA_PLATFORM_LINUX },
	  "Unrecognized CachingAllocator option: b",
	  2 },
	{ "max_split_size_mb::::1 ",
	  { LA_RELEASE(1, 10), 0, LA_BUILD_CUDA, NULL,
	    LA_PLATFORM_LINUX },
	  "CachingAllocator option max_split_size_mb too small, must be > 20",
	  21 },
	{ " max_split_size_mb : 6 4 x",
	  { LA_RELEASE(2, 0), 0, LA_BUILD_CUDA, NULL,
	    LA_PLATFORM_LINUX },
	  NULL,
	  0 },
	{ "max_split_size_mb:64:1",
	  { LA_RELEASE(2, 6), 0, LA_BUILD_CUDA, NULL,
	    LA_PLATFORM_LINUX },
	  "Error parsing CachingAllocator settings, expected ,",
	  20 },
	{ "expandable_segments:",
	  { LA_RELEASE(2, 6), 0, LA_BUILD_CUDA, NULL,
	    LA_PLATFORM_LINUX },
	  "Expected a single True/False argument for expandable_segments",
	  20 },
};

START_TEST(test_verdict)
{
	struct la_setting *setting = NULL;
	struct la_error err;
	int result;

	result = la_setting_parse_for(&setting, verdicts[_i].text,
				      strlen(verdicts[_i].text),
				      &verdicts[_i].context, &err);
	if (!verdicts[_i].error) {
		ck_assert_int_eq(result, 0);
		la_setting_free(setting);
		return;
	}
	ck_assert_int_eq(result, -EINVAL);
	ck_assert_str_eq(err.text, verdicts[_i].error);
	ck_assert_uint_eq(err.offset, verdicts[_i].offset);
}
END_TEST

static const struct {
	const char *text;
	struct la_setting_context context;
	const char *remark; /* the head of the first one's text */
} hints[] = {
	{ "roundup_power2_divisions:1",
	  { .release = LA_RELEASE(1, 13) },
	  "1 is off: sizes are not even" },
	{ "roundup_power2_divisions:1",
	  { .release = LA_RELEASE(2, 1) },
	  "1 is off: sizes are rounded" },
	{ "garbage_collection_threshold:0.8",
	  { .release = LA_RELEASE(2, 9) },
	  "does nothing unless the program" },
	{ "backend: cudaMallocAsync",
	  { .release = LA_RELEASE(2, 6) },
	  "the first backend that is found" },
	{ "backend:cudaMallocAsync",
	  { .release = LA_RELEASE(2, 6), .set_at = LA_SET_AT_INIT },
	  "set the variable before" },
	{ "expandable_segments:True",
	  { .release = LA_RELEASE(2, 0) },
	  "'expandable_segments' exists from torch 2.1 on" },
	{ "roundup_bypass_threshold_mb:64",
	  { .release = LA_RELEASE(2, 0) },
	  "'roundup_bypass_threshold_mb' existed in torch 1.13 only" },
	{ "large_segment_size:64",
	  { .release = LA_RELEASE(2, 11) },
	  "did you mean 'large_segment_size_mb'?" },
};

START_TEST(test_remark_is_of_the_release)
{
	const struct la_setting_remark *remark;
	struct la_setting_check *check;
	const char *text = hints[_i].text;
	size_t nr;

	ck_assert_int_eq(la_setting_check_new(&check, text, strlen(text),
					      &hints[_i].context),
			 0);
	remark = la_setting_check_remarks(check, &nr);
	ck_assert_uint_eq(nr, 1);
	ck_assert_msg(!strncmp(remark->text, hints[_i].remark,
			       strlen(hints[_i].remark)),
		      "%s", remark->text);
	la_setting_check_free(check);
}
END_TEST

/* Of the C++ library that torch for Windows is built with. */
static const struct {
	const char *text;
	enum la_platform platform;
	const char *error; /* NULL: none */
} platform_numbers[] = {
	{ "roundup_power2_divisions:[4294967296:2]", LA_PLATFORM_LINUX, NULL },
	{ "roundup_power2_divisions:[4294967296:2]", LA_PLATFORM_WINDOWS,
	  "stoul argument out of range" },
	{ "roundup_power2_divisions:[ -4294967296:2]", LA_PLATFORM_WINDOWS,
	  "stoul argument out of range" },
	{ "roundup_power2_divisions:[2147483648:2]", LA_PLATFORM_WINDOWS,
	  NULL },
	{ "roundup_power2_divisions:[-2147483648:2]", LA_PLATFORM_WINDOWS,
	  NULL },
	{ "roundup_power2_divisions:[x:2]", LA_PLATFORM_LINUX, "stoul" },
	{ "roundup_power2_divisions:[x:2]", LA_PLATFORM_WINDOWS,
	  "invalid stoul argument" },
};

START_TEST(test_long_has_32_bits_on_windows)
{
	const char *text = platform_numbers[_i].text;
	const char *error = platform_numbers[_i].error;
	const struct la_setting_context context = {
		.release = LA_RELEASE(2, 6),
		.set_at = LA_SET_AT_RUNTIME,
		.platform = platform_numbers[_i].platform,
	};
	const struct la_setting_refusal *refusal;
	struct la_setting_check *check;

	ck_assert_int_eq(la_setting_check_new(&check, text, strlen(text),
					      &context),
			 0);
	refusal = la_setting_check_refusal(check);
	ck_assert_msg(!refusal == !error, "%s: %s", text,
		      refusal ? refusal->text : "accepted");
	if (refusal)
		ck_assert_str_eq(refusal->text, error);
	la_setting_check_free(check);
}
END_TEST

START_TEST(test_unknown_release_is_an_error)
{
	const struct la_setting_context context = { .release =
							    LA_RELEASE(2, 16) };
	struct la_setting_check *check;
	struct la_setting *setting;
	struct la_error err;

	ck_assert_int_eq(la_setting_parse_for(&setting, "", 0, &context, &err),
			 -ENOTSUP);
	ck_assert_int_eq(la_setting_check_new(&check, "", 0, &context),
			 -ENOTSUP);
}
END_TEST

/* A setter may name the backend that is in use, and no other. */
START_TEST(test_setter_restates_the_backend)
{
	const struct la_setting_values before = { .cuda_malloc_async = true };
	const struct la_setting_context context = {
		.release = LA_RELEASE(2, 12),
		.set_at = LA_SET_AT_RUNTIME,
		.previous = &before,
	};
	static const char same[] = "backend:cudaMallocAsync";
	static const char other[] = "backend:native";
	struct la_setting *setting;
	struct la_error err;

	ck_assert_int_eq(la_setting_parse_for(&setting, same, strlen(same),
					      &context, &err),
			 0);
	la_setting_free(setting);
	ck_assert_int_eq(la_setting_parse_for(&setting, other, strlen(other),
					      &context, &err),
			 -EINVAL);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("setting, releases");
	TCase *tc = tcase_create("releases");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, test_release_is_read, 0, ARRAY_SIZE(names));
	tcase_add_test(tc, test_releases_ascend_and_read_as_themselves);
	tcase_add_loop_test(tc, test_verdict, 0, ARRAY_SIZE(verdicts));
	tcase_add_loop_test(tc, test_remark_is_of_the_release, 0,
			    ARRAY_SIZE(hints));
	tcase_add_loop_test(tc, test_long_has_32_bits_on_windows, 0,
			    ARRAY_SIZE(platform_numbers));
	tcase_add_test(tc, test_unknown_release_is_an_error);
	tcase_add_test(tc, test_setter_restates_the_backend);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
