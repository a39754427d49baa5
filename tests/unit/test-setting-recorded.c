// SPDX-License-Identifier: Apache-2.0
/* Every recorded string: verdict, error, exception and values as torch's. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#ifdef HAVE_JANSSON
#include <jansson.h>

static const char *text_of(json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static void same_refusal(json_t *line, const struct la_setting_check *check)
{
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(check);
	const char *type = text_of(line, "type");

	ck_assert_msg(refusal != NULL, "accepted: %s", text_of(line, "conf"));
	ck_assert_str_eq(refusal->text, text_of(line, "error"));
	if (type)
		ck_assert_str_eq(refusal->exception, type);
}

static void same_roundup(json_t *array, const struct la_setting_values *v)
{
	size_t i;

	ck_assert_uint_eq(json_array_size(array), LA_ROUNDUP_SLOTS);
	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		ck_assert_uint_eq(v->roundup_power2_divisions[i],
				  json_integer_value(json_array_get(array, i)));
}

static void same_bool(json_t *settings, const char *key, bool value)
{
	json_t *recorded = json_object_get(settings, key);

	ck_assert(json_is_boolean(recorded));
	ck_assert_msg(json_is_true(recorded) == value, "%s", key);
}

static void same_values(json_t *settings, const struct la_setting_values *v)
{
	ck_assert_int_eq((int64_t)v->max_split_size,
			 json_integer_value(json_object_get(
				 settings, "max_split_size")));
	ck_assert_double_eq(v->garbage_collection_threshold,
			    json_number_value(json_object_get(
				    settings, "garbage_collection_threshold")));
	ck_assert_int_eq(v->pinned_num_register_threads,
			 json_integer_value(json_object_get(
				 settings, "pinned_num_register_threads")));
	same_bool(settings, "expandable_segments", v->expandable_segments);
	same_bool(settings, "release_lock_on_cudamalloc",
		  v->release_lock_on_cudamalloc);
	same_bool(settings, "pinned_use_cuda_host_register",
		  v->pinned_use_cuda_host_register);
	same_bool(settings, "graph_capture_record_stream_reuse",
		  v->graph_capture_record_stream_reuse);
	same_roundup(json_object_get(settings, "roundup_power2_divisions"), v);
}

static void same_verdict(json_t *line, const struct la_setting_check *check)
{
	const struct la_setting *setting = la_setting_check_setting(check);
	json_t *settings = json_object_get(line, "settings");

	if (!json_is_true(json_object_get(line, "accepted"))) {
		same_refusal(line, check);
		return;
	}
	ck_assert_msg(setting != NULL, "refused: %s", text_of(line, "conf"));
	if (settings)
		same_values(settings, la_setting_values(setting));
}

/* Only what happens while the libraries are loaded was recorded. */
static void same_import(json_t *line, const struct la_setting_check *check)
{
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(check);
	bool aborts = refusal && refusal->aborts_import;

	ck_assert_msg(json_is_true(json_object_get(line, "aborts_import")) ==
			      aborts,
		      "%s", text_of(line, "conf"));
	if (aborts)
		ck_assert_str_eq(refusal->text, text_of(line, "error"));
}

typedef void compare_fn(json_t *line, const struct la_setting_check *check);

static size_t compare_file(const char *path, enum la_set_at set_at,
			   compare_fn *compare)
{
	const struct la_setting_context context = {
		.release = LA_RELEASE(2, 11),
		.set_at = set_at,
	};
	struct la_setting_check *check;
	size_t capacity = 0, nr = 0;
	char *text = NULL;
	FILE *file;

	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s", path);
	while (getline(&text, &capacity, file) >= 0) {
		json_t *line = json_loads(text, 0, NULL);
		json_t *conf = json_object_get(line, "conf");

		ck_assert_int_eq(la_setting_check_new(
					 &check, json_string_value(conf),
					 json_string_length(conf), &context),
				 0);
		compare(line, check);
		la_setting_check_free(check);
		json_decref(line);
		nr++;
	}
	free(text);
	fclose(file);
	return nr;
}

START_TEST(test_strings_set_before_cuda_starts)
{
	ck_assert_uint_eq(
		compare_file("tests/data/conf-init-torch-2.11.jsonl",
			     LA_SET_AT_INIT, same_verdict),
		1722);
}
END_TEST

START_TEST(test_strings_given_to_the_setter)
{
	ck_assert_uint_eq(
		compare_file("tests/data/conf-runtime-torch-2.11.jsonl",
			     LA_SET_AT_RUNTIME, same_verdict),
		1346);
}
END_TEST

START_TEST(test_strings_present_at_import)
{
	ck_assert_uint_eq(
		compare_file("tests/data/conf-import-torch-2.11.jsonl",
			     LA_SET_AT_IMPORT, same_import),
		1346);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("setting, recorded");
	TCase *tc = tcase_create("torch 2.11");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, test_strings_set_before_cuda_starts);
	tcase_add_test(tc, test_strings_given_to_the_setter);
	tcase_add_test(tc, test_strings_present_at_import);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
#else
int main(void)
{
	puts("skipped: built without jansson");
	return 77;
}
#endif
