// SPDX-License-Identifier: Apache-2.0
/* What was meant by a string, and what a release, a platform and the moment
 * make of a good one. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#include "util/util.h"
#include "util/yaml.h"

#define T(minor) LA_RELEASE(2, minor)

static const struct {
	const char *text, *meant; /* NULL: nothing to correct */
	unsigned int release; /* 0: 2.11 */
} corrections[] = {
	{ "max_split_size_mb:128", NULL, 0 },
	{ " max_split_size_mb : 128 ", NULL, 0 },
	{ "max_split_size_mb:128MB", "max_split_size_mb:128", 0 },
	{ "max_split_size_mb:1GiB", "max_split_size_mb:1024", 0 },
	{ "max_split_size_mb:1e3", "max_split_size_mb:1000", 0 },
	{ "max_split_size_mb:12 8", "max_split_size_mb:128", 0 },
	{ "max_split_size_mb:-1", "", 0 },
	{ "max_split_size_mb:16", "max_split_size_mb:20", 0 },
	{ "max_split_size_mb:16", "max_split_size_mb:21", T(9) },
	{ "max_split_size_mb:32,large_segment_size_mb:64",
	  "max_split_size_mb:64,large_segment_size_mb:64", 0 },
	{ "max_split_mb:128", "max_split_size_mb:128", 0 },
	{ "max_split_size:50", "max_split_size_mb:50", 0 },
	{ "MAX_SPLIT_SIZE_MB=128", "max_split_size_mb:128", 0 },
	{ "max_split_size_mb=128", "max_split_size_mb:128", LA_RELEASE(1, 13) },
	{ "max_split_size_mb: 128", "max_split_size_mb:128",
	  LA_RELEASE(1, 13) },
	{ "max_split_size_mb,128", "max_split_size_mb:128", 0 },
	{ "roundup_power2:4", "roundup_power2_divisions:4", 0 },
	{ "expandable_segments:true", "expandable_segments:True", 0 },
	{ "expandable_segments", "expandable_segments:True", 0 },
	{ "expandable_segments:off", "expandable_segments:False", 0 },
	{ "expandable_segments:true", "", LA_RELEASE(1, 13) },
	{ "expandable_segments:True max_split_size_mb:64",
	  "expandable_segments:True,max_split_size_mb:64", 0 },
	{ "\"max_split_size_mb:128\"", "max_split_size_mb:128", 0 },
	{ "\xe2\x80\x9c"
	  "backend:native\xe2\x80\x9d",
	  "backend:native", 0 },
	{ "expandable_segments\xef\xbc\x9aTrue", "expandable_segments:True",
	  0 },
	{ "max_split_size_mb:\xc2\xa0"
	  "128",
	  "max_split_size_mb:128", 0 },
	{ "max_split_size_mb:64;backend:native",
	  "max_split_size_mb:64,backend:native", 0 },
	{ "cudaMallocAsync;", "backend:cudaMallocAsync", 0 },
	{ "backend:cudamallocasync", "backend:cudaMallocAsync", 0 },
	{ "backend:cudaMallocAsync", "", LA_RELEASE(1, 13) },
	{ "garbage_collection_threshold:80%",
	  "garbage_collection_threshold:0.8", 0 },
	{ "garbage_collection_threshold:1.0", "", 0 },
	{ "max_split_size_mb:50 #less fragmentation", "max_split_size_mb:50",
	  0 },
	{ "backend:native #or not", "backend:native", 0 },
	{ "max_split_size_mb:<enter-size-100>", "max_split_size_mb:100", 0 },
	{ "roundup_power2_divisions:[256:3,512:2",
	  "roundup_power2_divisions:[256:2,512:2]", 0 },
	{ "roundup_power2_divisions:[256:1]", "", LA_RELEASE(1, 13) },
	{ "pinned_num_register_threads:256", "pinned_num_register_threads:128",
	  0 },
	{ "debug:1,max_split_size_mb:64", "max_split_size_mb:64", 0 },
	{ "expandable_segments_reserve_by_class:[a:0.5,b=2G",
	  "expandable_segments_reserve_by_class:[a:0.5,b:2G]", T(15) },
	{ "max_split_size_mb:64,max_split_size_mb:128", "max_split_size_mb:128",
	  0 },
};

static struct la_setting_check *
check_string(const char *text, const struct la_setting_context *context)
{
	struct la_setting_check *check;

	ck_assert_int_eq(
		la_setting_check_new(&check, text, strlen(text), context), 0);
	return check;
}

START_TEST(test_correction_is_what_was_meant)
{
	struct la_setting_context context = { .release = T(11) };
	struct la_setting_check *check;

	if (corrections[_i].release)
		context.release = corrections[_i].release;
	check = check_string(corrections[_i].text, &context);
	ck_assert_pstr_eq(la_setting_check_correction(check),
			  corrections[_i].meant);
	la_setting_check_free(check);
}
END_TEST

START_TEST(test_backend_is_left_out_where_it_is_too_late)
{
	const struct la_setting_context context = {
		.release = T(11),
		.set_at = LA_SET_AT_INIT,
	};
	struct la_setting_check *check = check_string(
		"backend:cudaMallocAsync,max_split_size_mb:64", &context);

	ck_assert_str_eq(la_setting_check_correction(check),
			 "max_split_size_mb:64");
	la_setting_check_free(check);
}
END_TEST

static const struct {
	const char *text;
	struct la_setting_context context;
	int code, other; /* that is there, that is not */
} situations[] = {
	{ "expandable_segments:True",
	  { .release = T(6), .platform = LA_PLATFORM_WINDOWS },
	  125,
	  126 },
	{ "expandable_segments:True",
	  { .release = T(6), .platform = LA_PLATFORM_WSL },
	  125,
	  127 },
	{ "expandable_segments:True", { .release = T(6) }, 126, 125 },
	{ "expandable_segments:False", { .release = T(6) }, 0, 126 },
	{ "expandable_segments:True,max_split_size_mb:64",
	  { .release = T(12) },
	  127,
	  0 },
	{ "expandable_segments:True,max_split_size_mb:64",
	  { .release = T(11) },
	  111,
	  127 },
	{ "expandable_segments:True,max_split_size_mb:64",
	  { .release = T(4) },
	  111,
	  127 },
	{ "expandable_segments:True,max_split_size_mb:64",
	  { .release = T(3) },
	  127,
	  0 },
	{ "max_split_size_mb:64",
	  { .release = T(6), .set_at = LA_SET_AT_RUNTIME },
	  128,
	  0 },
	{ "max_split_size_mb:64", { .release = T(6) }, 131, 128 },
	{ "max_split_size_mb:65", { .release = T(6) }, 0, 131 },
	{ "roundup_power2_divisions:[512:2,1024:4,>:8]",
	  { .release = T(9) },
	  132,
	  108 },
	{ "roundup_power2_divisions:[512:2,1024:4,>:8]",
	  { .release = T(10) },
	  0,
	  132 },
	{ "roundup_power2_divisions:[512:2,1024:8,>:8]",
	  { .release = T(9) },
	  0,
	  132 },
	{ "roundup_power2_divisions:[512:2,256:4]", { .release = T(11) }, 132, 0 },
	{ "roundup_power2_divisions:[256:4,>:2,512:8]",
	  { .release = T(11) },
	  132,
	  0 },
	{ "max_split_size_mb=64", { .release = LA_RELEASE(1, 13) }, 123, 0 },
	{ "max_split_size_mb:64,", { .release = LA_RELEASE(1, 13) }, 0, 123 },
	{ "cudaMallocAsync", { .release = T(11) }, 210, 208 },
	{ "\xe2\x80\x98"
	  "a:1",
	  { .release = T(11) },
	  209,
	  129 },
	{ "max_split_size_mb:64\xc2\xa0", { .release = T(11) }, 129, 209 },
	{ "max_split_size_mb:19", { .release = T(11) }, 212, 0 },
	{ "max_split_size_mb:64;backend:native", { .release = T(6) }, 211, 0 },
};

static bool has_code(const struct la_setting_check *check, int code)
{
	const struct la_setting_remark *remark;
	size_t i, nr;

	remark = la_setting_check_remarks(check, &nr);
	for (i = 0; i < nr; i++)
		if ((int)remark[i].code == code)
			return true;
	return false;
}

START_TEST(test_remarks_of_a_situation)
{
	struct la_setting_check *check =
		check_string(situations[_i].text, &situations[_i].context);

	ck_assert(!situations[_i].code || has_code(check, situations[_i].code));
	ck_assert(!situations[_i].other ||
		  !has_code(check, situations[_i].other));
	la_setting_check_free(check);
}
END_TEST

START_TEST(test_runtime_tells_what_starts_anew)
{
	const struct la_setting_context context = {
		.release = T(11),
		.set_at = LA_SET_AT_RUNTIME,
	};
	struct la_setting_check *check =
		check_string("max_split_size_mb:96", &context);
	const struct la_setting_remark *remark;
	size_t nr;

	remark = la_setting_check_remarks(check, &nr);
	ck_assert_uint_eq(nr, 3);
	ck_assert_str_eq(remark[1].text, "not named and back at its default: "
					 "garbage_collection_threshold, "
					 "roundup_power2_divisions");
	ck_assert_ptr_nonnull(strstr(remark[0].text, "expandable_segments"));
	ck_assert_ptr_nonnull(strstr(remark[0].text, "large_segment_size_mb"));
	la_setting_check_free(check);
}
END_TEST

static const struct {
	const char *name;
	unsigned int release;
	enum la_build build;
	bool is_read;
} variables[] = {
	{ "PYTORCH_CUDA_ALLOC_CONF", LA_RELEASE(1, 10), LA_BUILD_CUDA, true },
	{ "PYTORCH_CUDA_ALLOC_CONF", T(14), LA_BUILD_CUDA, true },
	{ "PYTORCH_CUDA_ALLOC_CONF", T(6), LA_BUILD_ROCM, false },
	{ "PYTORCH_CUDA_ALLOC_CONF", T(7), LA_BUILD_ROCM, true },
	{ "PYTORCH_ALLOC_CONF", T(8), LA_BUILD_CUDA, false },
	{ "PYTORCH_ALLOC_CONF", T(9), LA_BUILD_CUDA, false },
	{ "PYTORCH_ALLOC_CONF", T(10), LA_BUILD_CUDA, true },
	{ "PYTORCH_HIP_ALLOC_CONF", T(6), LA_BUILD_ROCM, true },
	{ "PYTORCH_HIP_ALLOC_CONF", T(6), LA_BUILD_CUDA, false },
	{ "PYTORCH_HIP_ALLOC_CONF", T(11), LA_BUILD_CUDA, false },
	{ "PYTORCH_CUDA_ALLOC_CONFIG", T(11), LA_BUILD_CUDA, false },
};

START_TEST(test_variables_that_are_read)
{
	const struct la_setting_context context = {
		.release = variables[_i].release,
		.build = variables[_i].build,
	};
	const char *unread =
		la_setting_variable_unread(variables[_i].name, &context);

	ck_assert(!unread == variables[_i].is_read);
}
END_TEST

#ifdef HAVE_YAML

/* The next list of conf/presets.yaml, item by item. */
static void same_text(const struct la_yaml *item, const char *key,
		      const char *built_in)
{
	const struct la_yaml *node = item->first;

	while (node && strcmp(node->key->text, key))
		node = node->next;
	ck_assert_pstr_eq(node ? node->text : NULL, built_in);
}

START_TEST(test_presets_are_those_of_the_shipped_file)
{
	const struct la_preset_replay *replay;
	const struct la_preset *preset;
	const struct la_yaml *item;
	struct la_yaml *tree;
	char text[32];
	size_t i;

	ck_assert_int_eq(la_yaml_read(&tree, "conf/presets.yaml", NULL), 0);
	item = tree->first->first;
	for (i = 0; (preset = la_preset_at(i)); i++, item = item->next) {
		ck_assert_ptr_nonnull(item);
		same_text(item, "name", preset->name);
		same_text(item, "by", preset->by);
		same_text(item, "of", preset->of);
		same_text(item, "settings", preset->settings);
		same_text(item, "source", preset->source);
		ck_assert(!preset->settings == !!preset->share);
	}
	ck_assert_ptr_null(item);
	item = tree->first->next->first;
	for (i = 0; (replay = la_preset_replay_at(i)); i++, item = item->next) {
		ck_assert_ptr_nonnull(item);
		same_text(item, "setting", replay->setting);
		snprintf(text, sizeof(text), "%.3f %.3f", replay->needs[0],
			 replay->needs[1]);
		same_text(item, "needs", text);
		snprintf(text, sizeof(text), "%.3f %.3f", replay->reserves[0],
			 replay->reserves[1]);
		same_text(item, "reserves", text);
	}
	ck_assert_ptr_null(item);
	la_yaml_free(tree);
}
END_TEST

#endif

/* Torch takes them all, and each was replayed. */
START_TEST(test_presets_are_settings_that_were_replayed)
{
	const struct la_setting_context context = { .release = T(11) };
	const struct la_preset_replay *replay;
	const struct la_preset *preset;
	struct la_setting_check *check;
	size_t i, k;

	for (k = 0; (replay = la_preset_replay_at(k)); k++) {
		check = check_string(replay->setting, &context);
		ck_assert(la_setting_check_setting(check));
		ck_assert(has_code(check, LA_REMARK_GUIDES));
		la_setting_check_free(check);
	}
	for (i = 0; (preset = la_preset_at(i)); i++) {
		const char *at = preset->settings;

		for (; at && *at; at += strcspn(at, " "), at += *at == ' ') {
			for (k = 0; (replay = la_preset_replay_at(k)); k++)
				if (strlen(replay->setting) ==
					    strcspn(at, " ") &&
				    !strncmp(at, replay->setting,
					     strlen(replay->setting)))
					break;
			ck_assert_ptr_nonnull(replay);
		}
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("setting, meant");
	TCase *tc = tcase_create("meant");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_loop_test(tc, test_correction_is_what_was_meant, 0,
			    ARRAY_SIZE(corrections));
	tcase_add_test(tc, test_backend_is_left_out_where_it_is_too_late);
	tcase_add_loop_test(tc, test_remarks_of_a_situation, 0,
			    ARRAY_SIZE(situations));
	tcase_add_test(tc, test_runtime_tells_what_starts_anew);
	tcase_add_loop_test(tc, test_variables_that_are_read, 0,
			    ARRAY_SIZE(variables));
#ifdef HAVE_YAML
	tcase_add_test(tc, test_presets_are_those_of_the_shipped_file);
#endif
	tcase_add_test(tc, test_presets_are_settings_that_were_replayed);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
