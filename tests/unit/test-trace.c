// SPDX-License-Identifier: Apache-2.0
/* Recordings of real runs, whole, cut, damaged and packed; companions. */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <liballoc/trace.h>

#define DATA "tests/data/"

static struct la_recording *
open_recording(const char *path, const struct la_recording_options *options)
{
	struct la_error err = { .text = "" };
	struct la_recording *recording = NULL;
	int ret = la_recording_open(&recording, path, options, &err);

	ck_assert_msg(ret == 0, "%s: %s", path, err.text);
	return recording;
}

static void read_file(const char *path, uint8_t **data, size_t *size)
{
	FILE *file = fopen(path, "rb");

	ck_assert_msg(file != NULL, "%s", path);
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	*data = malloc(*size);
	ck_assert_uint_eq(fread(*data, 1, *size, file), *size);
	fclose(file);
}

/* What CPython read: tests/data/trace.expected, made by expect-trace.py. */

static void check_events(const struct la_recording *recording,
			 const struct la_recorded_device *device,
			 const char *rest)
{
	uint64_t count = 0, size = 0, addr = 0, stream = 0, time = 0;
	char action[32], text[256];
	size_t i;

	ck_assert_int_eq(sscanf(rest, "%31s", action), 1);
	for (i = 0; i < device->event_count; i++) {
		const struct la_event *event = &device->events[i];

		if (strcmp(la_action_name((enum la_action)event->action),
			   action) != 0)
			continue;
		count++;
		size += event->size;
		addr ^= event->addr;
		stream ^= la_recording_stream(recording, event->stream);
		time ^= event->time_us;
	}
	snprintf(text, sizeof(text),
		 "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		 "\n",
		 action, count, size, addr, stream, time);
	ck_assert_str_eq(text, rest);
}

static void check_segments(const struct la_recorded_device *device,
			   const char *rest)
{
	uint64_t size = 0, addr = 0, blocks = 0, requested = 0, live = 0;
	char text[256];
	size_t i;

	for (i = 0; i < device->segment_count; i++) {
		size += device->segments[i].size;
		addr ^= device->segments[i].addr;
	}
	for (i = 0; i < device->block_count; i++) {
		blocks += device->blocks[i].size;
		requested += device->blocks[i].requested;
		live += device->blocks[i].state == LA_RECORDED_LIVE;
	}
	snprintf(text, sizeof(text),
		 "%zu %" PRIu64 " %" PRIu64 " %zu %" PRIu64 " %" PRIu64
		 " %" PRIu64 "\n",
		 device->segment_count, size, addr, device->block_count, blocks,
		 requested, live);
	ck_assert_str_eq(text, rest);
}

START_TEST(test_recordings_are_as_cpython_reads_them)
{
	FILE *file = fopen(DATA "trace.expected", "r");
	char line[256], kind[16], name[64], path[128];
	struct la_recording *recording;
	unsigned int device, lines = 0;
	int rest;

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#')
			continue;
		ck_assert_int_eq(sscanf(line, "%15s %63s %u %n", kind, name,
					&device, &rest),
				 3);
		snprintf(path, sizeof(path), DATA "%s.pickle.xz", name);
		recording = open_recording(path, NULL);
		ck_assert_uint_lt(device, la_recording_device_count(recording));
		if (!strcmp(kind, "events"))
			check_events(recording,
				     la_recording_device(recording, device),
				     line + rest);
		else
			check_segments(la_recording_device(recording, device),
				       line + rest);
		la_recording_free(recording);
		lines++;
	}
	fclose(file);
	ck_assert_uint_eq(lines, 43);
}
END_TEST

START_TEST(test_device_with_most_events_is_main)
{
	struct la_recording *recording =
		open_recording(DATA "two.pickle.xz", NULL);

	ck_assert_uint_eq(la_recording_device_count(recording), 2);
	ck_assert_uint_eq(la_recording_main_device(recording), 1);
	ck_assert_uint_eq(la_recording_device(recording, 0)->event_count, 8298);
	ck_assert_uint_eq(la_recording_device(recording, 1)->event_count, 8301);
	la_recording_free(recording);
}
END_TEST

/* Cut and damaged files. */

START_TEST(test_file_cut_anywhere_is_refused_or_partial)
{
	const struct la_recording_options partial = { .partial = true };
	struct la_recording *recording;
	size_t size, cut, seen = 0, most = 0;
	struct la_error err;
	uint8_t *data;
	int ret;

	read_file(DATA "pickles/modern-p4.pickle", &data, &size);
	for (cut = 1; cut < size; cut++) {
		uint8_t *copy = malloc(cut);

		memcpy(copy, data, cut);
		ret = la_recording_read(&recording, copy, cut, NULL, &err);
		ck_assert_int_eq(ret, -EBADMSG);
		ck_assert_uint_eq(err.offset, cut);
		ck_assert_ptr_nonnull(strstr(err.text, "truncated at offset"));
		ck_assert_ptr_nonnull(strstr(err.text, "--partial"));
		ret = la_recording_read(&recording, copy, cut, &partial, &err);
		free(copy);
		if (ret < 0) {
			ck_assert_int_eq(ret, -EBADMSG);
			ck_assert_uint_eq(most, 0);
			continue;
		}
		seen++;
		ck_assert(la_recording_is_partial(recording));
		ck_assert_uint_ge(
			la_recording_device(recording, 0)->event_count, most);
		most = la_recording_device(recording, 0)->event_count;
		la_recording_free(recording);
	}
	free(data);
	ck_assert_uint_eq(most, 6);
	ck_assert_uint_gt(seen, size / 2);
}
END_TEST

/* Of a packed file cut in the middle, what is before the cut is there. */
START_TEST(test_packed_file_cut_is_partial)
{
	const struct la_recording_options partial = { .partial = true };
	struct la_recording *whole, *part;
	const struct la_recorded_device *a, *b;
	uint8_t *data;
	size_t size;

	read_file(DATA "big_random.default.pickle.xz", &data, &size);
	whole = open_recording(DATA "big_random.default.pickle.xz", NULL);
	ck_assert_int_eq(
		la_recording_read(&part, data, size * 2 / 3, &partial, NULL),
		0);
	ck_assert(la_recording_is_partial(part));
	a = la_recording_device(whole, 0);
	b = la_recording_device(part, 0);
	ck_assert_uint_gt(b->event_count, 500);
	ck_assert_uint_lt(b->event_count, a->event_count);
	ck_assert_mem_eq(a->events, b->events,
			 b->event_count * sizeof(*b->events));
	ck_assert_uint_eq(b->segment_count, a->segment_count);
	la_recording_free(whole);
	la_recording_free(part);
	free(data);
}
END_TEST

static void read_damaged(const uint8_t *data, size_t size)
{
	struct la_recording *recording = NULL;
	struct la_error err = { .code = 0 };
	int ret = la_recording_read(&recording, data, size, NULL, &err);

	ck_assert_int_eq(ret, err.code);
	if (ret < 0)
		ck_assert_uint_gt(strlen(err.text), 0);
	la_recording_free(recording);
}

START_TEST(test_any_byte_changed_is_no_crash)
{
	static const char *const files[] = { DATA "pickles/modern-p4.pickle",
					     DATA "pickles/modern-p2.pickle",
					     DATA "oom_capacity.pickle.xz" };
	uint8_t *data, old;
	size_t size, at;
	unsigned int bit;

	read_file(files[_i], &data, &size);
	for (at = 0; at < size; at++) {
		for (bit = 0; bit < 8; bit++) {
			old = data[at];
			data[at] ^= (uint8_t)(1u << bit);
			read_damaged(data, size);
			data[at] = old;
		}
	}
	free(data);
}
END_TEST

START_TEST(test_file_that_is_not_there_is_refused)
{
	struct la_recording *recording = NULL;
	struct la_error err;

	ck_assert_int_eq(la_recording_open(&recording, DATA "none", NULL, &err),
			 -ENOENT);
	ck_assert_str_eq(err.text, "No such file or directory");
	ck_assert_int_eq(la_recording_open(&recording, DATA, NULL, &err),
			 -EISDIR);
	ck_assert_ptr_null(recording);
}
END_TEST

/* Packed input. */

static const struct {
	const char *program, *command;
	const char *greedy; /* what is unpacked with 100 MiB; NULL: none */
} packers[] = {
#ifdef HAVE_ZLIB
	{ "gzip", "gzip -n", NULL },
#endif
#ifdef HAVE_LZMA
	{ "xz", "xz", "xz --lzma2=dict=100MiB" },
#endif
#ifdef HAVE_ZSTD
	{ "zstd", "zstd -q", "zstd -q --long=27" },
#endif
};

static bool has_program(const char *name)
{
	char command[64];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", name);
	return system(command) == 0;
}

/* What the command makes of tests/data/pickles/modern-p4.pickle. */
static void read_packed(const char *packer, uint8_t **data, size_t *size)
{
	char path[] = "/tmp/liballoc-XXXXXX", command[256];

	close(mkstemp(path));
	snprintf(command, sizeof(command),
		 "%s -c <" DATA "pickles/modern-p4.pickle >%s", packer, path);
	ck_assert_int_eq(system(command), 0);
	read_file(path, data, size);
	unlink(path);
}

/* Text: "BEFORE PROGRAM AFTER at offset N". */
static void refuse_packed(int packer, const uint8_t *data, size_t size,
			  const struct la_recording_options *options, int code,
			  const char *before, const char *after)
{
	struct la_recording *recording = NULL;
	struct la_error err;
	char text[sizeof(err.text)];

	ck_assert_int_eq(la_recording_read(&recording, data, size, options,
					   &err),
			 code);
	snprintf(text, sizeof(text), "%s %s %s at offset %" PRIu64, before,
		 packers[packer].program, after, err.offset);
	ck_assert_str_eq(err.text, text);
	ck_assert_uint_le(err.offset, size);
	ck_assert_ptr_null(recording);
}

START_TEST(test_damaged_packed_file_is_refused)
{
	uint8_t *data;
	size_t size;

	if (!has_program(packers[_i].program))
		return;
	read_packed(packers[_i].command, &data, &size);
	memset(data + size / 2, 0x55, 16);
	refuse_packed(_i, data, size, NULL, -EBADMSG, "damaged", "data");
	free(data);
}
END_TEST

START_TEST(test_packed_file_within_the_memory_limit)
{
	const struct la_recording_options small = { .memory_limit = 1 << 20 };
	uint8_t *data;
	size_t size;

	if (!packers[_i].greedy || !has_program(packers[_i].program))
		return;
	read_packed(packers[_i].greedy, &data, &size);
	refuse_packed(_i, data, size, &small, -E2BIG, "unpacking",
		      "data needs too much memory");
	free(data);
}
END_TEST

/* Pack tests/data/pickles/modern-p4.pickle in two parts. */
static void pack_in_parts(const char *packer, const char *out)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "f=" DATA "pickles/modern-p4.pickle; "
		 "{ head -c 1000 $f | %s -c; tail -c +1001 $f | %s -c; } >%s",
		 packer, packer, out);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(test_packed_in_several_members_is_read)
{
	char path[] = "/tmp/test-trace-XXXXXX";
	struct la_recording *recording;
	uint8_t *data;
	size_t size;

	if (!has_program(packers[_i].program))
		return;
	close(mkstemp(path));
	pack_in_parts(packers[_i].command, path);
	recording = open_recording(path, NULL);
	ck_assert_uint_eq(la_recording_device(recording, 0)->event_count, 6);
	la_recording_free(recording);
	read_file(path, &data, &size);
	ck_assert_int_eq(la_recording_read(&recording, data, size, NULL, NULL),
			 0);
	ck_assert_uint_eq(la_recording_device(recording, 1)->event_count, 3);
	la_recording_free(recording);
	ck_assert_int_eq(
		la_recording_read(&recording, data, size - 20, NULL, NULL),
		-EBADMSG);
	free(data);
	unlink(path);
}
END_TEST

START_TEST(test_standard_input_is_read)
{
	struct la_recording *recording;
	int fd = open(DATA "two.pickle.xz", O_RDONLY);

	ck_assert_int_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	recording = open_recording("-", NULL);
	ck_assert_uint_eq(la_recording_device(recording, 1)->event_count, 8301);
	ck_assert_int_eq(la_recording_companion(recording), LA_COMPANION_NONE);
	ck_assert_uint_eq(la_recording_device(recording, 1)->cap, UINT64_MAX);
	la_recording_free(recording);
	close(fd);
}
END_TEST

/* Companions. */

#ifdef HAVE_JANSSON
START_TEST(test_companion_of_one_device_is_read)
{
	struct la_recording *recording =
		open_recording(DATA "gnn.oom.pickle.xz", NULL);
	const struct la_recorded_device *device =
		la_recording_device(recording, 0);

	ck_assert_int_eq(la_recording_companion(recording), LA_COMPANION_READ);
	ck_assert_str_eq(la_recording_torch(recording), "2.11.0+cu130");
	ck_assert_str_eq(device->setting, "");
	ck_assert_uint_eq(device->cap, 8622760550);
	ck_assert_uint_eq(device->total, 150109880320);
	la_recording_free(recording);
}
END_TEST

START_TEST(test_companion_lists_one_value_a_device)
{
	struct la_recording *recording =
		open_recording(DATA "two.pickle.xz", NULL);
	unsigned int i;

	ck_assert_uint_eq(la_recording_device(recording, 0)->cap, 0);
	ck_assert_uint_eq(la_recording_device(recording, 1)->cap, 734003200);
	for (i = 0; i < 2; i++)
		ck_assert_uint_eq(la_recording_device(recording, i)->total,
				  150109880320);
	la_recording_free(recording);
}
END_TEST
#endif

START_TEST(test_recording_without_companion)
{
	struct la_recording *recording =
		open_recording(DATA "oom_capacity.pickle.xz", NULL);
	const struct la_recorded_device *device =
		la_recording_device(recording, 0);

	ck_assert_int_eq(la_recording_companion(recording), LA_COMPANION_NONE);
	ck_assert_ptr_null(la_recording_torch(recording));
	ck_assert_str_eq(device->setting, "");
	ck_assert_uint_eq(device->cap, UINT64_MAX);
	ck_assert_uint_eq(device->total, 0);
	la_recording_free(recording);
}
END_TEST

#ifdef HAVE_JANSSON
static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	ck_assert_msg(file != NULL, "%s", path);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
	fclose(file);
}

/* Where the companion of a recording of a name is looked for. */
START_TEST(test_companion_name)
{
	static const char *const names[][2] = {
		{ "a.pickle", "a.json" }, { "b.b.pickle.xz", "b.b.json" },
		{ "c.pkl.gz", "c.json" }, { "d.zst", "d.json" },
		{ "e", "e.json" },	  { "f.gz.zst", "f.json" },
	};
	char folder[] = "/tmp/test-trace-XXXXXX", path[64], json[64];
	struct la_recording *recording;
	uint8_t *data;
	size_t size;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	read_file(DATA "pickles/modern-p4.pickle", &data, &size);
	snprintf(path, sizeof(path), "%s/%s", folder, names[_i][0]);
	snprintf(json, sizeof(json), "%s/%s", folder, names[_i][1]);
	write_file(path, data, size);
	write_file(json, "{\"cap\": 5}", 10);
	recording = open_recording(path, NULL);
	ck_assert_uint_eq(la_recording_device(recording, 2)->cap, 5);
	ck_assert_str_eq(la_recording_device(recording, 2)->setting,
			 "max_split_size_mb:128");
	la_recording_free(recording);
	unlink(path);
	unlink(json);
	rmdir(folder);
	free(data);
}
END_TEST

static const struct {
	const char *json, *problem; /* NULL: none */
	uint64_t cap;
} companions[] = {
	{ "{}", NULL, UINT64_MAX },
	{ "{\"cap\": 0}", NULL, 0 },
	{ "{\"cap\": 1e9, \"conf\": \"x\", \"total\": null}", NULL,
	  1000000000 },
	{ "{\"cap\": [null, 3], \"conf\": [\"x\"]}", NULL, UINT64_MAX },
	{ "{\"cap\": []}", NULL, UINT64_MAX },
	{ "{\"cap\": 4611686018427387904}", NULL, (uint64_t)1 << 62 },
	{ "", "line 1", 0 },
	{ "[]", "is not an object", 0 },
	{ "{\"cap\": 1", "line 1", 0 },
	{ "{\"cap\": \"1\"}", "'cap' is not a number of bytes", 0 },
	{ "{\"cap\": true}", "'cap' is not a number of bytes", 0 },
	{ "{\"cap\": -1}", "'cap' is negative", 0 },
	{ "{\"cap\": 1.5}", "'cap' is not a whole number of bytes", 0 },
	{ "{\"cap\": 1e30}", "'cap' is out of range", 0 },
	{ "{\"cap\": 9223372036854775807}", "'cap' is out of range", 0 },
	{ "{\"cap\": 99999999999999999999}", "line 1", 0 },
	{ "{\"cap\": [1, -2]}", "'cap' is negative", 0 },
	{ "{\"cap\": [[1]]}", "'cap' is not a number of bytes", 0 },
	{ "{\"total\": {}}", "'total' is not a number of bytes", 0 },
	{ "{\"conf\": 5}", "'conf' is not a string", 0 },
	{ "{\"conf\": [5]}", "'conf' is not a string", 0 },
	{ "{\"torch\": 2.11}", "'torch' is not a string", 0 },
	{ "{\"gpu\": 5}", "'gpu' is not a string", 0 },
};

START_TEST(test_companion_of_any_content)
{
	char folder[] = "/tmp/test-trace-XXXXXX", path[64], json[64];
	struct la_recording *recording = NULL;
	struct la_error err = { .text = "" };
	uint8_t *data;
	size_t size;
	int ret;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	read_file(DATA "pickles/modern-p4.pickle", &data, &size);
	snprintf(path, sizeof(path), "%s/x.pickle", folder);
	snprintf(json, sizeof(json), "%s/x.json", folder);
	write_file(path, data, size);
	write_file(json, companions[_i].json, strlen(companions[_i].json));
	ret = la_recording_open(&recording, path, NULL, &err);
	if (companions[_i].problem) {
		ck_assert_int_eq(ret, -EBADMSG);
		ck_assert_ptr_nonnull(strstr(err.text, json));
		ck_assert_msg(strstr(err.text, companions[_i].problem), "%s",
			      err.text);
	} else {
		ck_assert_msg(ret == 0, "%s", err.text);
		ck_assert_uint_eq(la_recording_device(recording, 0)->cap,
				  companions[_i].cap);
	}
	la_recording_free(recording);
	unlink(path);
	unlink(json);
	rmdir(folder);
	free(data);
}
END_TEST
#endif

static void add_companion_tests(Suite *suite)
{
	TCase *tests = tcase_create("companion");

	tcase_add_test(tests, test_recording_without_companion);
#ifdef HAVE_JANSSON
	tcase_add_test(tests, test_companion_of_one_device_is_read);
	tcase_add_test(tests, test_companion_lists_one_value_a_device);
	tcase_add_loop_test(tests, test_companion_name, 0, 6);
	tcase_add_loop_test(tests, test_companion_of_any_content, 0,
			    sizeof(companions) / sizeof(*companions));
#endif
	suite_add_tcase(suite, tests);
}

int main(void)
{
	Suite *suite = suite_create("trace");
	TCase *read = tcase_create("read");
	TCase *damaged = tcase_create("damaged");
	SRunner *runner = srunner_create(suite);
	int failed;

#ifndef HAVE_LZMA
	puts("skipped: the recordings are packed, built without liblzma");
	return 77;
#endif
	tcase_add_test(read, test_recordings_are_as_cpython_reads_them);
	tcase_add_test(read, test_device_with_most_events_is_main);
	tcase_add_loop_test(read, test_packed_in_several_members_is_read, 0,
			    sizeof(packers) / sizeof(*packers));
	tcase_add_test(read, test_standard_input_is_read);
	suite_add_tcase(suite, read);
	tcase_set_timeout(damaged, 60);
	tcase_add_test(damaged, test_file_cut_anywhere_is_refused_or_partial);
	tcase_add_test(damaged, test_packed_file_cut_is_partial);
	tcase_add_loop_test(damaged, test_any_byte_changed_is_no_crash, 0, 3);
	tcase_add_loop_test(damaged, test_damaged_packed_file_is_refused, 0,
			    sizeof(packers) / sizeof(*packers));
	tcase_add_loop_test(damaged, test_packed_file_within_the_memory_limit,
			    0, sizeof(packers) / sizeof(*packers));
	tcase_add_test(damaged, test_file_that_is_not_there_is_refused);
	suite_add_tcase(suite, damaged);
	add_companion_tests(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
