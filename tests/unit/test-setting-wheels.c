// SPDX-License-Identifier: Apache-2.0
/* What the libraries of each release's wheel did with strings: the same. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <liballoc/setting.h>

#include "trace/input.h"
#include "util/util.h"

#if defined(HAVE_JANSSON) && defined(HAVE_LZMA)
#include <jansson.h>

enum { STRINGS = 1400, MEMORY = 64 * MIB };

/*
 * keep: strings given to the setter one after the other; cpu: as init, without
 * the library of CUDA.
 */
static const struct {
	const char *release;
	const char *time;
} files[] = {
	{ "1.13", "keep" },  { "2.1", "import" },  { "2.1", "keep" },
	{ "2.3", "import" }, { "2.3", "keep" },	   { "2.4", "import" },
	{ "2.4", "keep" },   { "2.6", "import" },  { "2.6", "keep" },
	{ "2.7", "import" }, { "2.7", "keep" },	   { "2.9", "import" },
	{ "2.9", "keep" },   { "2.10", "import" }, { "2.10", "init" },
	{ "2.10", "keep" },  { "2.12", "import" }, { "2.12", "init" },
	{ "2.12", "keep" },  { "2.13", "import" }, { "2.13", "init" },
	{ "2.13", "keep" },  { "2.14", "import" }, { "2.14", "init" },
	{ "2.14", "keep" },  { "2.15", "import" }, { "2.15", "init" },
	{ "2.15", "keep" },  { "2.10", "cpu" },	   { "2.12", "cpu" },
	{ "2.15", "cpu" },
};

static struct la_setting_context context_of(const char *time)
{
	struct la_setting_context context = { .set_at = LA_SET_AT_INIT };

	if (!strcmp(time, "import"))
		context.set_at = LA_SET_AT_IMPORT;
	else if (!strcmp(time, "keep"))
		context.set_at = LA_SET_AT_RUNTIME;
	else if (!strcmp(time, "cpu"))
		context.build = LA_BUILD_CPU;
	return context;
}

/* The unpacked file, terminated. */
static char *read_file(const char *path)
{
	struct la_error err;
	struct la_input in;
	size_t length = 0;
	char *text = NULL;
	int fd = open(path, O_RDONLY);

	ck_assert_msg(fd >= 0, "%s", path);
	ck_assert_msg(!la_input_open_fd(&in, fd, MEMORY, &err), "%s", err.text);
	while (in.p < in.end || la_input_fill(&in, 1)) {
		size_t more = in.end - in.p;

		text = realloc(text, length + more + 1);
		ck_assert_ptr_nonnull(text);
		memcpy(text + length, in.p, more);
		length += more;
		in.p = in.end;
	}
	ck_assert_int_eq(in.error.code, 0);
	la_input_close(&in);
	close(fd);
	ck_assert_ptr_nonnull(text);
	text[length] = '\0';
	return text;
}

enum kind { BOOL, NUMBER, MEBIBYTES, DOUBLE, SLOTS };

#define VALUE(kind, name) VALUE_IN(kind, #name, name)
#define VALUE_IN(kind, name, field)                                   \
	{                                                             \
		name, kind, offsetof(struct la_setting_values, field) \
	}

static const struct value {
	const char *name;
	enum kind kind;
	size_t field;
} values[] = {
	VALUE(NUMBER, max_split_size),
	VALUE(NUMBER, max_non_split_rounding),
	VALUE(NUMBER, large_segment_size),
	VALUE(DOUBLE, garbage_collection_threshold),
	VALUE(DOUBLE, per_process_memory_fraction),
	VALUE(SLOTS, roundup_power2_divisions),
	VALUE(NUMBER, pinned_num_register_threads),
	VALUE_IN(MEBIBYTES, "pinned_reserve_segment_size_mb",
		 pinned_reserve_segment_size),
	VALUE(NUMBER, pinned_max_round_threshold),
	VALUE(NUMBER, pinned_max_cached_size),
	VALUE(DOUBLE, expandable_segments_reserve),
	VALUE(BOOL, expandable_segments),
	VALUE(BOOL, release_lock_on_cudamalloc),
	VALUE(BOOL, pinned_use_cuda_host_register),
	VALUE(BOOL, pinned_use_background_threads),
	VALUE(BOOL, pinned_free_catch_all),
	VALUE(BOOL, graph_capture_record_stream_reuse),
	VALUE(BOOL, throw_on_cudamalloc_oom),
};

static bool same_slots(json_t *torch, const uint64_t *ours)
{
	size_t i;

	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		if (json_integer_value(json_array_get(torch, i)) !=
		    (json_int_t)ours[i])
			return false;
	return true;
}

/* Our sizes end where mebibytes no longer fit 64 bits. */
static bool same_mebibytes(json_int_t torch, uint64_t ours)
{
	uint64_t mb = (uint64_t)torch;

	return ours == (mb < SIZE_MAX / MIB ? mb : SIZE_MAX / MIB) * MIB;
}

static bool same_value(json_t *torch, const struct value *value,
		       const struct la_setting_values *v)
{
	const void *ours = (const char *)v + value->field;

	switch (value->kind) {
	case BOOL:
		return json_is_true(torch) == *(const bool *)ours;
	case NUMBER:
		return json_integer_value(torch) == *(const int64_t *)ours;
	case MEBIBYTES:
		return same_mebibytes(json_integer_value(torch),
				      *(const uint64_t *)ours);
	case DOUBLE:
		return !(json_number_value(torch) < *(const double *)ours) &&
		       !(json_number_value(torch) > *(const double *)ours);
	default:
		return same_slots(torch, ours);
	}
}

static void same_settings(json_t *settings, const struct la_setting_values *v,
			  const char *text)
{
	const char *name;
	json_t *torch;
	size_t i;

	json_object_foreach(settings, name, torch)
	{
		i = 0;
		while (i < ARRAY_SIZE(values) && strcmp(values[i].name, name))
			i++;
		ck_assert_msg(i < ARRAY_SIZE(values), "%s", name);
		ck_assert_msg(same_value(torch, &values[i], v), "%s: %s", text,
			      name);
	}
}

static void same_answer(json_t *line, json_t *settings,
			const struct la_setting_check *check)
{
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(check);
	const char *text = json_string_value(json_object_get(line, "conf"));
	const char *error = json_string_value(json_object_get(line, "error"));
	const char *type = json_string_value(json_object_get(line, "type"));
	bool aborts = json_object_get(line, "aborts_import");

	ck_assert_msg(!error == !refusal, "%s: %s", text, error);
	if (error)
		ck_assert_str_eq(refusal->text, error);
	if (type)
		ck_assert_str_eq(refusal->exception, type);
	ck_assert(aborts == (refusal && refusal->aborts_import));
	if (!aborts)
		same_settings(settings, la_setting_check_values(check), text);
}

/* Settings stand in a line only where they differ from those before. */
static void compare_line(json_t *line, json_t **settings,
			 const struct la_setting_context *context,
			 struct la_setting_values *after)
{
	json_t *conf = json_object_get(line, "conf");
	json_t *changed = json_object_get(line, "settings");
	struct la_setting_check *check;

	ck_assert_ptr_nonnull(line);
	if (changed) {
		json_decref(*settings);
		*settings = json_incref(changed);
	}
	ck_assert_int_eq(la_setting_check_new(&check, json_string_value(conf),
					      json_string_length(conf),
					      context),
			 0);
	same_answer(line, *settings, check);
	*after = *la_setting_check_values(check);
	la_setting_check_free(check);
}

START_TEST(test_wheel_answers)
{
	struct la_setting_context context = context_of(files[_i].time);
	struct la_setting_values after;
	json_t *settings = NULL, *json;
	char path[80], *text, *line, *rest;
	size_t nr = 0;

	ck_assert_int_eq(
		la_release_parse(&context.release, files[_i].release, NULL), 0);
	snprintf(path, sizeof(path), "tests/data/conf-%s-torch-%s.jsonl.xz",
		 files[_i].time, files[_i].release);
	text = read_file(path);
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		json = json_loads(line, 0, NULL);
		compare_line(json, &settings, &context, &after);
		if (!strcmp(files[_i].time, "keep"))
			context.previous = &after;
		json_decref(json);
		nr++;
	}
	ck_assert_uint_ge(nr, STRINGS);
	json_decref(settings);
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("setting, wheels");
	TCase *tc = tcase_create("wheels");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, test_wheel_answers, 0, ARRAY_SIZE(files));
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
	puts("skipped: built without jansson or liblzma");
	return 77;
}
#endif
