// SPDX-License-Identifier: Apache-2.0
/*
 * parse-settings RELEASE import|init|runtime cuda|rocm|cpu [keep]: what the
 * parser makes of each string of the input, which a NUL ends, as a line of
 * JSON.  keep: each is read on top of the ones before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#include "util/json.h"

static int to_stdout(void *arg, const char *data, size_t length)
{
	(void)arg;
	return fwrite(data, 1, length, stdout) == length ? 0 : -1;
}

static void write_uint(struct la_json *json, const char *key, uint64_t value)
{
	la_json_key(json, key);
	la_json_uint(json, value);
}

static void write_bool(struct la_json *json, const char *key, bool value)
{
	la_json_key(json, key);
	la_json_bool(json, value);
}

static void write_double(struct la_json *json, const char *key, double value)
{
	la_json_key(json, key);
	la_json_double(json, value);
}

static void write_bools(struct la_json *json, const struct la_setting_values *v)
{
	write_bool(json, "expandable_segments", v->expandable_segments);
	write_bool(json, "release_lock_on_cudamalloc",
		   v->release_lock_on_cudamalloc);
	write_bool(json, "pinned_use_cuda_host_register",
		   v->pinned_use_cuda_host_register);
	write_bool(json, "pinned_use_background_threads",
		   v->pinned_use_background_threads);
	write_bool(json, "pinned_free_catch_all", v->pinned_free_catch_all);
	write_bool(json, "graph_capture_record_stream_reuse",
		   v->graph_capture_record_stream_reuse);
	write_bool(json, "throw_on_cudamalloc_oom", v->throw_on_cudamalloc_oom);
	write_bool(json, "cuda_malloc_async", v->cuda_malloc_async);
}

static void write_values(struct la_json *json,
			 const struct la_setting_values *v)
{
	size_t i;

	la_json_object_begin(json);
	write_uint(json, "max_split_size", v->max_split_size);
	write_uint(json, "max_non_split_rounding", v->max_non_split_rounding);
	write_uint(json, "large_segment_size", v->large_segment_size);
	write_double(json, "garbage_collection_threshold",
		     v->garbage_collection_threshold);
	write_double(json, "per_process_memory_fraction",
		     v->per_process_memory_fraction);
	write_double(json, "expandable_segments_reserve",
		     v->expandable_segments_reserve);
	la_json_key(json, "roundup_power2_divisions");
	la_json_array_begin(json);
	for (i = 0; i < LA_ROUNDUP_SLOTS; i++)
		la_json_uint(json, v->roundup_power2_divisions[i]);
	la_json_array_end(json);
	write_uint(json, "roundup_bypass_threshold",
		   v->roundup_bypass_threshold);
	write_uint(json, "pinned_num_register_threads",
		   v->pinned_num_register_threads);
	write_uint(json, "pinned_reserve_segment_size",
		   v->pinned_reserve_segment_size);
	write_uint(json, "pinned_max_round_threshold",
		   v->pinned_max_round_threshold);
	write_uint(json, "pinned_max_cached_size", v->pinned_max_cached_size);
	write_bools(json, v);
	la_json_object_end(json);
}

static void write_check(const struct la_setting_check *check)
{
	const struct la_setting_refusal *refusal =
		la_setting_check_refusal(check);
	struct la_json json;

	la_json_init(&json, to_stdout, NULL);
	la_json_object_begin(&json);
	la_json_key(&json, "error");
	la_json_text(&json, refusal ? refusal->text : NULL);
	la_json_key(&json, "type");
	la_json_text(&json, refusal ? refusal->exception : NULL);
	write_bool(&json, "aborts_import", refusal && refusal->aborts_import);
	la_json_key(&json, "settings");
	write_values(&json, la_setting_check_values(check));
	la_json_object_end(&json);
	putchar('\n');
}

static int index_of(const char *const *names, const char *name)
{
	int i = 0;

	while (names[i] && strcmp(names[i], name))
		i++;
	return i;
}

static bool read_context(struct la_setting_context *context, char **argv)
{
	static const char *const times[] = { "import", "init", "runtime",
					     NULL };
	static const char *const builds[] = { "cuda", "rocm", "cpu", NULL };
	int set_at = index_of(times, argv[2]);
	int build = index_of(builds, argv[3]);

	context->set_at = set_at;
	context->build = build;
	return times[set_at] && builds[build] &&
	       !la_release_parse(&context->release, argv[1], NULL);
}

int main(int argc, char **argv)
{
	struct la_setting_context context = { 0 };
	struct la_setting_values values;
	struct la_setting_check *check;
	size_t capacity = 0;
	char *text = NULL;

	if (argc < 4 || !read_context(&context, argv)) {
		fputs("usage: parse-settings RELEASE TIME BUILD [keep]\n",
		      stderr);
		return 2;
	}
	while (getdelim(&text, &capacity, '\0', stdin) > 0) {
		if (la_setting_check_new(&check, text, strlen(text), &context))
			return 1;
		write_check(check);
		values = *la_setting_check_values(check);
		if (argc > 4)
			context.previous = &values;
		la_setting_check_free(check);
	}
	free(text);
	return 0;
}
