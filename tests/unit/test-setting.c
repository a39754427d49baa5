// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#include "util/util.h"

/* A CUDA build of torch 2.11 at each of the three times. */
static const struct la_setting_context torch_2_11[] = {
	{ .release = LA_RELEASE(2, 11), .set_at = LA_SET_AT_IMPORT },
	{ .release = LA_RELEASE(2, 11), .set_at = LA_SET_AT_INIT },
	{ .release = LA_RELEASE(2, 11), .set_at = LA_SET_AT_RUNTIME },
};

static const struct {
	const char *text;
	enum la_set_at set_at;
	int codes[5]; /* in order of offset, 0 at the end */
	uint64_t offset, length; /* of the first one */
} remarks[] = {
	{ "", LA_SET_AT_IMPORT, { 0 }, 0, 0 },
	{ "max_split_size_mb:100,", LA_SET_AT_IMPORT, { 0 }, 0, 0 },
	{ "max_split_size_mb:100MB", LA_SET_AT_IMPORT, { 101 }, 18, 5 },
	{ "max_split_size_mb:100;", LA_SET_AT_IMPORT, { 101 }, 18, 4 },
	{ "max_split_size_mb:-1", LA_SET_AT_IMPORT, { 102 }, 18, 2 },
	{ "pinned_reserve_segment_size_mb:1e3", LA_SET_AT_IMPORT,
	  { 112, 103 }, 0, 30 },
	{ "max_split_size_mb,100", LA_SET_AT_IMPORT, { 104 }, 17, 1 },
	{ "max_split_size_mb:100:expandable_segments:False",
	  LA_SET_AT_IMPORT, { 105 }, 21, 1 },
	{ "max_split_size_mb:96,max_split_size_mb:100", LA_SET_AT_IMPORT,
	  { 106 }, 0, 17 },
	{ "release_lock_on_hipmalloc:True,release_lock_on_cudamalloc:False",
	  LA_SET_AT_IMPORT, { 106 }, 0, 25 },
	{ "roundup_power2_divisions:1", LA_SET_AT_IMPORT, { 107 }, 25, 1 },
	{ "roundup_power2_divisions:[64:4,512:2,>:8]", LA_SET_AT_IMPORT,
	  { 108 }, 25, 16 },
	{ "max_non_split_rounding_mb:64", LA_SET_AT_IMPORT, { 109 }, 0, 28 },
	{ "garbage_collection_threshold:0.8", LA_SET_AT_IMPORT, { 110 }, 0,
	  32 },
	{ "garbage_collection_threshold:0.8,per_process_memory_fraction:0.5",
	  LA_SET_AT_IMPORT, { 0 }, 0, 0 },
	{ "expandable_segments:True,max_split_size_mb:96", LA_SET_AT_IMPORT,
	  { 126, 111 }, 0, 24 },
	{ "pinned_use_background_threads:True", LA_SET_AT_IMPORT, { 112 }, 0,
	  29 },
	{ "max_split_size_mb:10 0", LA_SET_AT_IMPORT, { 113 }, 18, 4 },
	{ " max_split_size_mb : 100 ", LA_SET_AT_IMPORT, { 0 }, 0, 0 },
	{ "per_process_memory_fraction:1.0", LA_SET_AT_IMPORT, { 114 }, 0,
	  31 },
	{ "backend:cudaMallocAsync,max_split_size_mb:96", LA_SET_AT_IMPORT,
	  { 115 }, 24, 20 },
	{ "max_split_size_mb:17592186044416", LA_SET_AT_IMPORT, { 116 }, 18,
	  14 },
	{ "roundup_power2_divisions:[64:4]x", LA_SET_AT_IMPORT, { 117 }, 31,
	  1 },
	{ "max_split_size_mb:20", LA_SET_AT_IMPORT, { 118 }, 0, 20 },
	{ "roundup_power2_divisions:[65536:4]", LA_SET_AT_IMPORT, { 119 }, 26,
	  5 },
	{ "roundup_power2_divisions:[]", LA_SET_AT_IMPORT, { 120 }, 25, 1 },
	{ "per_process_memory_fraction:0", LA_SET_AT_IMPORT, { 121 }, 0, 29 },
	{ "per_process_memory_fraction:0.5", LA_SET_AT_RUNTIME, { 122, 128, 128, 130 },
	  0, 31 },
	{ "expandable_segment:True", LA_SET_AT_IMPORT, { 201 }, 0, 18 },
	{ "zzz:1", LA_SET_AT_IMPORT, { 201 }, 0, 3 },
	{ "throw_on_cudamalloc_oom:True", LA_SET_AT_IMPORT, { 202 }, 0, 23 },
	{ "debug:1", LA_SET_AT_IMPORT, { 203 }, 0, 5 },
	{ "max_split_size_mb=100", LA_SET_AT_IMPORT, { 204 }, 0, 21 },
	{ "expandable_segments:true", LA_SET_AT_IMPORT, { 205 }, 20, 4 },
	{ "\"max_split_size_mb:100\"", LA_SET_AT_IMPORT, { 206 }, 0, 18 },
	{ "backend:cudaMallocAsync", LA_SET_AT_INIT, { 207 }, 8, 15 },
	{ "max_split_size_mb:", LA_SET_AT_IMPORT, { 208 }, 18, 0 },
	{ "garbage_collection_threshold:80%", LA_SET_AT_INIT, { 101 }, 29,
	  3 },
};

START_TEST(test_remark_has_its_code_and_place)
{
	const char *text = remarks[_i].text;
	const struct la_setting_remark *remark;
	struct la_setting_check *check;
	size_t i, nr;

	ck_assert_int_eq(la_setting_check_new(&check, text, strlen(text),
					      &torch_2_11[remarks[_i].set_at]),
			 0);
	remark = la_setting_check_remarks(check, &nr);
	for (i = 0; i < nr; i++)
		ck_assert_msg((int)remark[i].code == remarks[_i].codes[i],
			      "%s: LA%d", text, (int)remark[i].code);
	ck_assert_msg(!remarks[_i].codes[nr], "%s: %zu remarks", text, nr);
	if (nr) {
		ck_assert_uint_eq(remark[0].offset, remarks[_i].offset);
		ck_assert_uint_eq(remark[0].length, remarks[_i].length);
	}
	la_setting_check_free(check);
}
END_TEST

START_TEST(test_every_code_is_in_the_table_once)
{
	const struct la_setting_code_info *code;
	int last = 0;
	size_t i;

	for (i = 0; (code = la_setting_code_at(i)); i++) {
		ck_assert_int_gt((int)code->code, last);
		last = code->code;
	}
	ck_assert_int_eq(last, LA_POLICY_RELEASE);
}
END_TEST

/* The whole table of docs/codes.md. */
START_TEST(test_codes_page_lists_every_code)
{
	static const char *const severities[] = {
		[LA_SEVERITY_NOTE] = "note",
		[LA_SEVERITY_WARNING] = "warning",
		[LA_SEVERITY_HINT] = "hint",
	};
	const struct la_setting_code_info *code;
	char page[32768], row[512];
	size_t i, from, length = 0;
	FILE *file;

	file = fopen("docs/codes.md", "r");
	ck_assert_ptr_nonnull(file);
	i = fread(page, 1, sizeof(page) - 1, file);
	fclose(file);
	for (from = 0; from < i; from++)
		if (page[from] != '`')
			page[length++] = page[from];
	page[length] = '\0';
	for (i = 0; (code = la_setting_code_at(i)); i++) {
		snprintf(row, sizeof(row), "| LA%d | %s | %s | %s | %s |\n",
			 (int)code->code, code->meaning,
			 severities[code->severity], code->example,
			 code->instead);
		ck_assert_msg(strstr(page, row) != NULL, "%s", row);
	}
}
END_TEST

static const struct {
	const char *text;
	uint64_t offset;
} offsets[] = {
	{ "max_split_size_mb:19", 18 },
	{ "  max_split_size_mb : 1 9", 22 },
	{ "expandable_segments:False, x:1", 27 },
	{ "roundup_power2_divisions:[256:3]", 30 },
	{ "roundup_power2_divisions:[3:4]", 26 },
	{ "max_split_size_mb:", 18 },
};

START_TEST(test_error_points_at_the_token)
{
	struct la_setting *setting = NULL;
	struct la_error err;

	ck_assert_int_eq(la_setting_parse(&setting, offsets[_i].text,
					  strlen(offsets[_i].text),
					  LA_SET_AT_INIT, &err),
			 -EINVAL);
	ck_assert_uint_eq(err.offset, offsets[_i].offset);
	ck_assert_ptr_null(setting);
}
END_TEST

START_TEST(test_long_error_is_cut_between_characters)
{
	static const char euro[] = "\u20ac";
	struct la_setting_check *check;
	struct la_setting *setting;
	struct la_error err;
	char text[603 + 4];
	size_t i;

	for (i = 0; i < 603; i += 3)
		memcpy(text + i, euro, 3);
	memcpy(text + i, ":1", 3);
	ck_assert_int_eq(la_setting_parse(&setting, text, strlen(text),
					  LA_SET_AT_INIT, &err),
			 -EINVAL);
	/* 18 bytes of "Unrecognized key '" and 79 characters of 3. */
	ck_assert_uint_eq(strlen(err.text), 18 + 79 * 3);
	ck_assert_int_eq(la_setting_check_new(&check, text, strlen(text),
					      &torch_2_11[LA_SET_AT_INIT]),
			 0);
	ck_assert_uint_eq(strlen(la_setting_check_refusal(check)->text),
			  18 + 603 + strlen("' in CUDA allocator config."));
	la_setting_check_free(check);
}
END_TEST

START_TEST(test_values_that_no_snapshot_shows)
{
	static const char text[] =
		"max_split_size_mb:128,large_segment_size_mb:64,"
		"pinned_reserve_segment_size_mb:2,"
		"per_process_memory_fraction:0x1p-1,"
		"pinned_use_background_threads:True";
	const struct la_setting_values *v;
	struct la_setting *setting;

	(void)setlocale(LC_ALL, "de_DE.UTF-8");
	ck_assert_int_eq(la_setting_parse(&setting, text, strlen(text),
					  LA_SET_AT_IMPORT, NULL),
			 0);
	v = la_setting_values(setting);
	ck_assert_uint_eq(v->large_segment_size, 64 * MIB);
	ck_assert_uint_eq(v->max_non_split_rounding, 64 * MIB);
	ck_assert_uint_eq(v->pinned_reserve_segment_size, 2 * MIB);
	ck_assert_double_eq(v->per_process_memory_fraction, 0.5);
	ck_assert(v->pinned_use_background_threads);
	ck_assert_str_eq(la_setting_text(setting), text);
	la_setting_free(setting);
	la_setting_free(NULL);
}
END_TEST

START_TEST(test_backend_at_import_is_taken)
{
	static const char text[] = "backend:cudaMallocAsync";
	struct la_setting *setting;

	ck_assert_int_eq(la_setting_parse(&setting, text, strlen(text),
					  LA_SET_AT_IMPORT, NULL),
			 0);
	ck_assert(la_setting_values(setting)->cuda_malloc_async);
	la_setting_free(setting);
}
END_TEST

START_TEST(test_option_table_is_complete)
{
	const struct la_setting_option *option;
	unsigned int since;
	size_t i;

	for (i = 0; (option = la_setting_option_at(i)); i++) {
		ck_assert_ptr_nonnull(option->name);
		ck_assert_ptr_nonnull(option->source);
		ck_assert_ptr_nonnull(option->summary);
		ck_assert_ptr_nonnull(option->type);
		ck_assert_ptr_nonnull(option->range);
		ck_assert_ptr_nonnull(option->fallback);
		ck_assert_int_eq(la_release_parse(&since, option->since, NULL),
				 0);
	}
	ck_assert_uint_eq(i, 23);
}
END_TEST

static bool are_alike(const char *a, const char *b)
{
	struct la_setting *one, *other;
	bool alike;

	ck_assert_int_eq(la_setting_parse_for(&one, a, strlen(a), torch_2_11,
					      NULL), 0);
	ck_assert_int_eq(la_setting_parse_for(&other, b, strlen(b), torch_2_11,
					      NULL), 0);
	alike = la_setting_alike(la_setting_values(one),
				 la_setting_values(other));
	la_setting_free(other);
	la_setting_free(one);
	return alike;
}

START_TEST(test_what_places_memory_tells_settings_apart)
{
	static const char *const apart[] = {
		"expandable_segments:True",
		"max_split_size_mb:128",
		"garbage_collection_threshold:0.8",
		"garbage_collection_threshold:0.6",
		"per_process_memory_fraction:0.5",
		"roundup_power2_divisions:4",
		"roundup_power2_divisions:[>:4]",
		"large_segment_size_mb:64",
		"backend:cudaMallocAsync",
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(apart); i++) {
		ck_assert(!are_alike("", apart[i]));
		for (k = 0; k < ARRAY_SIZE(apart); k++)
			ck_assert_int_eq(are_alike(apart[i], apart[k]), i == k);
	}
	ck_assert(are_alike("", "pinned_num_register_threads:8"));
	ck_assert(are_alike("", "roundup_power2_divisions:1"));
	ck_assert(are_alike("max_split_size_mb:128,expandable_segments:True",
			    "expandable_segments:True,max_split_size_mb:128"));
}
END_TEST

START_TEST(test_named_options_are_listed_once)
{
	static const char text[] = "backend:native,max_split_size_mb:1,"
				   "backend:x,debug:1";
	struct la_setting_check *check;

	ck_assert_int_eq(la_setting_check_new(&check, text, strlen(text),
					      &torch_2_11[LA_SET_AT_INIT]),
			 0);
	ck_assert_str_eq(la_setting_check_option(check, 0)->name,
			 "max_split_size_mb");
	ck_assert_str_eq(la_setting_check_option(check, 1)->name, "backend");
	ck_assert_ptr_null(la_setting_check_option(check, 2));
	la_setting_check_free(check);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("setting");
	TCase *tc = tcase_create("setting");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, test_remark_has_its_code_and_place, 0,
			    ARRAY_SIZE(remarks));
	tcase_add_test(tc, test_every_code_is_in_the_table_once);
	tcase_add_test(tc, test_codes_page_lists_every_code);
	tcase_add_loop_test(tc, test_error_points_at_the_token, 0,
			    ARRAY_SIZE(offsets));
	tcase_add_test(tc, test_long_error_is_cut_between_characters);
	tcase_add_test(tc, test_values_that_no_snapshot_shows);
	tcase_add_test(tc, test_backend_at_import_is_taken);
	tcase_add_test(tc, test_option_table_is_complete);
	tcase_add_test(tc, test_what_places_memory_tells_settings_apart);
	tcase_add_test(tc, test_named_options_are_listed_once);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
