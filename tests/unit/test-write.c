// SPDX-License-Identifier: Apache-2.0
/* What is written and read again is the same; formats on small recordings. */
#include <check.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/trace.h>

#define DATA "tests/data/"

struct bytes {
	char *data; /* owned, terminated */
	size_t size;
};

static int take(void *data, const void *bytes, size_t size)
{
	struct bytes *out = data;

	ck_assert_uint_gt(size, 0);
	out->data = realloc(out->data, out->size + size + 1);
	memcpy(out->data + out->size, bytes, size);
	out->size += size;
	out->data[out->size] = '\0';
	return 0;
}

static struct la_recording *open_recording(const char *path)
{
	struct la_recording *recording = NULL;
	struct la_error err = { .text = "" };

	ck_assert_msg(la_recording_open(&recording, path, NULL, &err) == 0,
		      "%s: %s", path, err.text);
	return recording;
}

static struct bytes write_recording(const struct la_recording *recording,
				    enum la_recording_format format)
{
	struct bytes out = { 0 };

	ck_assert_int_eq(la_recording_write(recording, format, take, &out,
					    NULL),
			 0);
	return out;
}

static void check_text(const char *a, const char *b)
{
	ck_assert_str_eq(a ? a : "", b ? b : "");
}

static void check_stack(const struct la_recording *a, uint32_t stack_a,
			const struct la_recording *b, uint32_t stack_b)
{
	const uint32_t *x, *y;
	size_t count = la_recording_stack(a, stack_a, &x), i;

	ck_assert_int_eq(!stack_a, !stack_b);
	ck_assert_uint_eq(la_recording_stack(b, stack_b, &y), count);
	for (i = 0; i < count; i++) {
		const struct la_frame *f = la_recording_frame(a, x[i]);
		const struct la_frame *g = la_recording_frame(b, y[i]);

		check_text(f->function, g->function);
		check_text(f->file, g->file);
		ck_assert_uint_eq(f->line, g->line);
	}
}

static void check_events(const struct la_recording *a,
			 const struct la_recorded_device *x,
			 const struct la_recording *b,
			 const struct la_recorded_device *y)
{
	uint64_t id[2], other[2];
	size_t i;

	ck_assert_uint_eq(x->event_count, y->event_count);
	ck_assert_int_eq(!x->event_stacks, !y->event_stacks);
	ck_assert_int_eq(x->has_pool_ids, y->has_pool_ids);
	for (i = 0; i < x->event_count; i++) {
		const struct la_event *e = &x->events[i], *f = &y->events[i];

		ck_assert(e->addr == f->addr && e->size == f->size);
		ck_assert(e->time_us == f->time_us && e->action == f->action);
		ck_assert_uint_eq(la_recording_stream(a, e->stream),
				  la_recording_stream(b, f->stream));
		la_recording_pool(a, e->pool, id);
		la_recording_pool(b, f->pool, other);
		ck_assert(id[0] == other[0] && id[1] == other[1]);
		if (x->event_stacks)
			check_stack(a, x->event_stacks[i], b,
				    y->event_stacks[i]);
	}
}

static void check_segments(const struct la_recording *a,
			   const struct la_recorded_device *x,
			   const struct la_recording *b,
			   const struct la_recorded_device *y)
{
	size_t i;

	ck_assert_uint_eq(x->segment_count, y->segment_count);
	ck_assert_uint_eq(x->block_count, y->block_count);
	for (i = 0; i < x->segment_count; i++) {
		const struct la_recorded_segment *s = &x->segments[i];
		const struct la_recorded_segment *t = &y->segments[i];

		ck_assert(s->addr == t->addr && s->size == t->size);
		ck_assert(s->pool[0] == t->pool[0] && s->pool[1] == t->pool[1]);
		ck_assert(s->small == t->small &&
			  s->expandable == t->expandable);
		ck_assert_uint_eq(s->block_count, t->block_count);
		ck_assert_uint_eq(la_recording_stream(a, s->stream),
				  la_recording_stream(b, t->stream));
		check_stack(a, s->stack, b, t->stack);
	}
	for (i = 0; i < x->block_count; i++) {
		const struct la_recorded_block *s = &x->blocks[i];
		const struct la_recorded_block *t = &y->blocks[i];

		ck_assert(s->size == t->size && s->state == t->state);
		ck_assert_uint_eq(s->requested, t->requested);
		check_stack(a, s->stack, b, t->stack);
	}
}

static void check_comes_back(const char *path)
{
	struct la_recording *a = open_recording(path), *b;
	struct bytes pickle = write_recording(a, LA_FORMAT_PICKLE);
	struct la_error err = { .text = "" };
	unsigned int count = la_recording_device_count(a), i;

	ck_assert_msg(la_recording_read(&b, pickle.data, pickle.size, NULL,
					&err) == 0,
		      "%s: %s", path, err.text);
	ck_assert_uint_eq(la_recording_device_count(b), count);
	for (i = 0; i < count; i++) {
		const struct la_recorded_device *x = la_recording_device(a, i);
		const struct la_recorded_device *y = la_recording_device(b, i);

		check_events(a, x, b, y);
		check_segments(a, x, b, y);
		check_text(y->setting, x->setting);
	}
	la_recording_free(a);
	la_recording_free(b);
	free(pickle.data);
}

START_TEST(test_pickle_comes_back)
{
	static const char *const patterns[] = {
		DATA "pickles/*.pickle", DATA "two.pickle.xz",
		DATA "*expandable.pickle.xz", DATA "graphs*.pickle.xz",
		DATA "oom_*.pickle.xz",
	};
	glob_t files = { 0 };
	size_t i;

	for (i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &files);
	ck_assert_uint_ge(files.gl_pathc, 45);
	for (i = 0; i < files.gl_pathc; i++)
		check_comes_back(files.gl_pathv[i]);
	globfree(&files);
}
END_TEST

/* The events of tests/data/make-pickles.py, by hand. */
START_TEST(test_csv_is_as_documented)
{
	static const char want[] =
		"device,index,time_us,action,addr,size,stream,device_free,"
		"pool,frames\r\n"
		"0,0,1795960675402702,segment_alloc,139637976727552,2097152,0,"
		",0:0,\"f (x.py:3); g (x.py:4)\"\r\n"
		"0,1,1795960675402703,alloc,139637976727552,17,0,,0:0,"
		"\"f (x.py:3); g (x.py:4)\"\r\n"
		"0,2,1795960675402705,free_requested,139637976727552,17,0,,"
		"0:1,\"f (x.py:3)\"\r\n"
		"0,3,1795960675402705,free_completed,139637976727552,17,0,,"
		"0:1,\r\n"
		"0,4,1795960675402706,oom,,1099511627776,93826423848976,4096,"
		"7:1099511627776,\"f (x.py:3); g (x.py:4)\"\r\n"
		"0,5,1795960675402707,snapshot,0,3584,0,,0:0,\r\n"
		"1,0,1795960675402702,segment_map,18446603336221196288,"
		"2097152,0,,0:0,\"f (x.py:3); g (x.py:4)\"\r\n";
	struct la_recording *recording =
		open_recording(DATA "pickles/modern-p4.pickle");
	struct bytes csv = write_recording(recording, LA_FORMAT_CSV);

	ck_assert_uint_gt(csv.size, sizeof(want));
	csv.data[sizeof(want) - 1] = '\0';
	ck_assert_str_eq(csv.data, want);
	la_recording_free(recording);
	free(csv.data);
}
END_TEST

/* Protocol 2 to 4 all have the opcodes that are checked here: a frame whose
 * names need quoting, in the form of torch's own pickler. */
#define S(LENGTH, TEXT) "X" LENGTH "\0\0\0" TEXT
static const char odd_frame[] =
	"\x80\2}" S("\x0d", "device_traces") "](](}(" S("\6", "action")
	S("\5", "alloc") S("\4", "addr") "K\1" S("\4", "size") "K\2"
	S("\6", "stream") "K\0" S("\6", "frames") "](}(" S("\4", "name")
	S("\6", "a\"b,\r\n") S("\x8", "filename") "N" S("\4", "line")
	"J\xff\xff\xff\xff" "uK\7}euee" "s.";

START_TEST(test_odd_frames_are_written)
{
	struct la_recording *recording;
	struct la_error err = { .text = "" };
	struct bytes out;

	ck_assert_msg(la_recording_read(&recording, odd_frame,
					sizeof(odd_frame) - 1, NULL,
					&err) == 0,
		      "%s", err.text);
	out = write_recording(recording, LA_FORMAT_CSV);
	ck_assert_ptr_nonnull(strstr(out.data, "0,0,,alloc,1,2,0,,,\"a\"\"b,"
					       "\r\n (?:0); ? (?:0)\"\r\n"));
	free(out.data);
	out = write_recording(recording, LA_FORMAT_PICKLE);
	la_recording_free(recording);
	ck_assert_int_eq(la_recording_read(&recording, out.data, out.size,
					   NULL, NULL),
			 0);
	ck_assert_uint_eq(la_recording_frame_count(recording), 2);
	check_text(la_recording_frame(recording, 0)->function, "a\"b,\r\n");
	la_recording_free(recording);
	free(out.data);
}
END_TEST

static int refuse(void *data, const void *bytes, size_t size)
{
	unsigned int *calls = data;

	(void)bytes;
	(void)size;
	(*calls)++;
	return -ENOSPC;
}

START_TEST(test_failure_of_sink_ends_it)
{
	struct la_recording *recording = open_recording(DATA "two.pickle.xz");
	struct la_error err;
	unsigned int calls = 0;
	int format;

	for (format = LA_FORMAT_PICKLE; format <= LA_FORMAT_CSV; format++) {
		calls = 0;
		ck_assert_int_eq(
			la_recording_write(recording,
					   (enum la_recording_format)format,
					   refuse, &calls, &err),
			-ENOSPC);
		ck_assert_int_eq(err.code, -ENOSPC);
		ck_assert_str_eq(err.text, strerror(ENOSPC));
		ck_assert_uint_eq(calls, 1);
	}
	ck_assert_int_eq(la_recording_write(recording,
					    (enum la_recording_format)99,
					    refuse, &calls, &err),
			 -EINVAL);
	la_recording_free(recording);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("write");
	TCase *all = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(all, 60);
	tcase_add_test(all, test_pickle_comes_back);
	tcase_add_test(all, test_csv_is_as_documented);
	tcase_add_test(all, test_odd_frames_are_written);
	tcase_add_test(all, test_failure_of_sink_ends_it);
	suite_add_tcase(suite, all);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
