// SPDX-License-Identifier: Apache-2.0
/* Programs read from odd recordings: of nothing, late, paused, damaged. */

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/replay.h>

#include "support/snapshot.h"
#include "util/util.h"

static const uint64_t base = 0x7f0000000000;

static struct snapshot snapshot;
static struct la_recording *recording;
static struct la_program *program;
static const struct la_program_info *info;
static struct la_verification found;

static void setup(void)
{
	memset(&snapshot, 0, sizeof(snapshot));
	recording = NULL;
	program = NULL;
}

static void teardown(void)
{
	la_program_free(program);
	la_recording_free(recording);
	snapshot_release(&snapshot);
}

/* An event on the default stream, at an offset from base. */
static void add(enum la_action action, uint64_t offset, uint64_t size)
{
	const struct la_event event = {
		.addr = base + offset,
		.size = size,
		.action = action,
	};

	snapshot_add(&snapshot, &event);
}

static void add_life(uint64_t offset, uint64_t size)
{
	add(LA_ALLOC, offset, size);
	add(LA_FREE_REQUESTED, offset, size);
	add(LA_FREE_COMPLETED, offset, size);
}

/* A final segment of one block, and perhaps free space behind it. */
static void end_with(uint64_t offset, uint64_t total, uint64_t size,
		     uint64_t requested, enum la_recorded_state state)
{
	struct la_recorded_segment *segment;

	if (!snapshot.segment)
		snapshot.segment = calloc(4, sizeof(*snapshot.segment));
	if (!snapshot.block)
		snapshot.block = calloc(8, sizeof(*snapshot.block));
	segment = &snapshot.segment[snapshot.segment_count++];
	segment->addr = base + offset;
	segment->size = total;
	segment->small = total == 2 * MIB;
	segment->first_block = (uint32_t)snapshot.block_count;
	segment->block_count = total > size ? 2 : 1;
	snapshot.block[snapshot.block_count++] = (struct la_recorded_block){
		.size = size, .requested = requested, .state = state
	};
	if (total > size)
		snapshot.block[snapshot.block_count++] =
			(struct la_recorded_block){ .size = total - size };
}

static struct la_error err;

static int read_under(const struct la_program_options *options)
{
	size_t size;
	uint8_t *pickle = snapshot_pickle(&snapshot, &size);
	int ret = la_recording_read(&recording, pickle, size, NULL, &err);

	free(pickle);
	ck_assert_msg(!ret, "%s", ret ? err.text : "");
	ret = la_program_new(&program, recording, 0, options, &err);
	if (ret < 0)
		return ret;
	info = la_program_info(program);
	ck_assert_int_eq(la_program_verify(program, &found, NULL), 0);
	return 0;
}

static void read_all(void)
{
	ck_assert_int_eq(read_under(NULL), 0);
	ck_assert_uint_eq(info->understood, snapshot.event_count);
	ck_assert_uint_eq(info->adopted_count, 0);
	ck_assert(found.exact);
}

START_TEST(test_nothing)
{
	read_all();
	ck_assert_uint_eq(info->peak_live, 0);
	ck_assert(!info->window);
}
END_TEST

START_TEST(test_search_for_a_cap_of_nothing_ends)
{
	snapshot.setting = "garbage_collection_threshold:0.5";
	add(LA_OOM, 0, 5);
	ck_assert_int_eq(read_under(NULL), 0);
	ck_assert_uint_eq(info->understood, 0);
}
END_TEST

START_TEST(test_sums_of_damaged_sizes_stay_sane)
{
	snapshot.setting = "garbage_collection_threshold:0.1";
	add(LA_SEGMENT_ALLOC, 0, 2 * MIB);
	add(LA_SEGMENT_FREE, 0, 20 * MIB);
	ck_assert_int_eq(read_under(NULL), 0);
	ck_assert_uint_le(found.reserved_peak_recorded, 22 * MIB);
}
END_TEST

/* Another process took what the card had left. */
START_TEST(test_refusal_below_the_peak_is_no_limit)
{
	add(LA_SEGMENT_ALLOC, 0, 40 * MIB);
	add_life(0, 40 * MIB);
	add(LA_SEGMENT_FREE, 0, 40 * MIB);
	add(LA_OOM, 0, 20 * MIB);
	read_all();
	ck_assert_int_eq(info->limit.kind, LA_LIMIT_NONE);
	ck_assert_uint_eq(info->limit_range[0], 40 * MIB);
	ck_assert_uint_eq(info->limit_range[1], UINT64_MAX);
}
END_TEST

START_TEST(test_pause_in_which_a_segment_went)
{
	add(LA_SEGMENT_ALLOC, 0, 2 * MIB);
	add_life(0, 100);
	/* Paused: the segment went. */
	add(LA_SEGMENT_ALLOC, 32 * MIB, 2 * MIB);
	add(LA_ALLOC, 32 * MIB, 100);
	end_with(32 * MIB, 2 * MIB, 512, 100, LA_RECORDED_LIVE);
	read_all();
	ck_assert_uint_eq(info->first_event, 4);
	ck_assert_uint_eq(found.placements, 1);
}
END_TEST

START_TEST(test_pause_in_which_a_segment_came)
{
	add(LA_SEGMENT_ALLOC, 0, 20 * MIB);
	add_life(0, 8 * MIB);
	/* Paused: it went, and a larger one came there. */
	add_life(0, 8 * MIB);
	end_with(0, 40 * MIB, 40 * MIB, 0, LA_RECORDED_FREE);
	read_all();
	ck_assert_uint_eq(found.reserved_peak_recorded, 40 * MIB);
	ck_assert_uint_ge(info->first_event, 1);
}
END_TEST

START_TEST(test_pause_in_which_a_block_changed_size)
{
	add(LA_SEGMENT_ALLOC, 0, 2 * MIB);
	add(LA_ALLOC, 0, 100);
	/* Paused: it was freed, and its place taken by 5,000 bytes. */
	add(LA_FREE_REQUESTED, 0, 5000);
	add(LA_FREE_COMPLETED, 0, 5000);
	end_with(0, 2 * MIB, 2 * MIB, 0, LA_RECORDED_FREE);
	read_all();
	ck_assert_uint_eq(info->first_event, 2);
}
END_TEST

START_TEST(test_pause_in_which_a_block_came_back)
{
	add(LA_SEGMENT_ALLOC, 0, 2 * MIB);
	add(LA_ALLOC, 0, 100);
	add(LA_FREE_REQUESTED, 0, 100);
	/* Paused: the free was completed, the place taken by as much. */
	add(LA_ALLOC, 512, 100);
	end_with(0, 2 * MIB, 1024, 100, LA_RECORDED_LIVE);
	snapshot.segment[0].block_count = 3;
	snapshot.block[0].size = snapshot.block[1].size = 512;
	snapshot.block[1].requested = 100;
	snapshot.block[1].state = LA_RECORDED_LIVE;
	snapshot.block[2].size = 2 * MIB - 1024;
	snapshot.block_count = 3;
	read_all();
	ck_assert_uint_eq(info->first_event, 3);
}
END_TEST

/* The free segment of 32 MiB cannot have served it; it was just made. */
START_TEST(test_history_that_begins_inside_a_request)
{
	snapshot.setting = "max_split_size_mb:32";
	add(LA_ALLOC, 0, 32 * MIB - 512);
	add(LA_SEGMENT_ALLOC, 64 * MIB, 2 * MIB);
	add(LA_ALLOC, 64 * MIB, 100);
	end_with(0, 32 * MIB, 32 * MIB, 32 * MIB - 512, LA_RECORDED_LIVE);
	end_with(64 * MIB, 2 * MIB, 512, 100, LA_RECORDED_LIVE);
	read_all();
	ck_assert_uint_eq(info->first_event, 1);
}
END_TEST

static void replay_under(enum la_limit_kind kind, uint64_t bytes,
			 struct la_replay_result *result)
{
	const struct la_replay_options options = {
		.setting = la_program_setting(program),
		.limit = { .kind = kind, .bytes = bytes },
	};

	ck_assert_int_eq(la_replay(program, &options, result, NULL), 0);
}

/* 20 MiB are in use and 40 MiB free when it begins. */
static void begin_late(void)
{
	add_life(20 * MIB, 40 * MIB);
	end_with(0, 20 * MIB, 20 * MIB, 20 * MIB, LA_RECORDED_LIVE);
	end_with(20 * MIB, 40 * MIB, 40 * MIB, 0, LA_RECORDED_FREE);
	read_all();
}

START_TEST(test_late_program_above_the_limit_does_not_run)
{
	struct la_replay_result result;
	int kind;

	begin_late();
	for (kind = LA_LIMIT_CAP; kind <= LA_LIMIT_CARD; kind++) {
		replay_under(kind, 18 * MIB, &result);
		ck_assert(!result.ran);
		ck_assert_uint_eq(result.oom_size, 0);
		replay_under(kind, 58 * MIB, &result);
		ck_assert(!result.ran);
		ck_assert_uint_eq(result.oom_size, 40 * MIB);
		ck_assert_uint_eq(result.stats.reserved_peak, 20 * MIB);
		replay_under(kind, 60 * MIB, &result);
		ck_assert(result.ran);
		ck_assert_uint_eq(result.stats.device_allocs, 0);
	}
}
END_TEST

START_TEST(test_minimum_of_a_late_program_holds_its_start)
{
	struct la_replay_options options = { .limit.kind = LA_LIMIT_CAP };
	struct la_minimum minimum;

	begin_late();
	options.setting = la_program_setting(program);
	ck_assert_int_eq(la_minimum_memory(program, &options, 4, &minimum,
					   NULL),
			 0);
	ck_assert_uint_eq(minimum.bytes, 60 * MIB);
}
END_TEST

START_TEST(test_what_2_11_refuses_is_left_out)
{
	snapshot.setting = "throw_on_cudamalloc_oom:True,max_split_size_mb:64,"
			   "roundup_bypass_threshold_mb:9";
	read_all();
	ck_assert_str_eq(info->setting, "max_split_size_mb:64");
	ck_assert_str_eq(info->refused_setting, snapshot.setting);
}
END_TEST

START_TEST(test_what_the_caller_says_is_taken_whole)
{
	const struct la_program_options options = { .setting = "no:1" };

	ck_assert_int_eq(read_under(&options), -EINVAL);
}
END_TEST

/* Trying each number of completions that a flush may have made took minutes. */
START_TEST(test_many_completions_before_a_riddle)
{
	const struct la_limit limit = { .kind = LA_LIMIT_CAP, .bytes = GIB };
	const struct la_program_options options = { .limit = &limit };
	enum { COUNT = 4096 * 2 };
	uint64_t i;

	for (i = 0; i < COUNT; i++) {
		if (i % 4096 == 0)
			add(LA_SEGMENT_ALLOC, i * 512, 2 * MIB);
		add(LA_ALLOC, i * 512, 512);
	}
	for (i = 0; i < COUNT; i++)
		add(LA_FREE_REQUESTED, i * 512, 512);
	for (i = 0; i < COUNT; i++)
		add(LA_FREE_COMPLETED, i * 512, 512);
	add(LA_SEGMENT_ALLOC, GIB, 22 * MIB);
	add(LA_ALLOC, GIB + 512, 22 * MIB - 512);
	for (i = 0; i < COUNT; i += 4096)
		add(LA_SEGMENT_FREE, i * 512, 2 * MIB);
	end_with(GIB, 22 * MIB, 512, 0, LA_RECORDED_FREE);
	snapshot.block[1].state = LA_RECORDED_LIVE;
	ck_assert_int_eq(read_under(&options), 0);
	ck_assert_uint_eq(info->first_event, 0);
}
END_TEST

static void load(const char *path)
{
	const struct la_recorded_device *device;
	struct la_recording *whole;
	size_t i;

	ck_assert_int_eq(la_recording_open(&whole, path, NULL, NULL), 0);
	device = la_recording_device(whole, 0);
	for (i = 0; i < device->event_count; i++) {
		struct la_event event = device->events[i];

		event.stream = (uint32_t)la_recording_stream(whole,
							     event.stream);
		snapshot_add(&snapshot, &event);
	}
	snapshot.segment_count = device->segment_count;
	snapshot.segment = calloc(device->segment_count + 1,
				  sizeof(*snapshot.segment));
	for (i = 0; i < device->segment_count; i++) {
		snapshot.segment[i] = device->segments[i];
		snapshot.segment[i].stream = (uint32_t)la_recording_stream(
			whole, device->segments[i].stream);
	}
	snapshot.block_count = device->block_count;
	snapshot.block = calloc(device->block_count + 1,
				sizeof(*snapshot.block));
	memcpy(snapshot.block, device->blocks,
	       device->block_count * sizeof(*snapshot.block));
	la_recording_free(whole);
}

static const size_t lengths[] = { 1, 5, 50, 500 };

/* Wherever a run was paused, what came behind the pause is reproduced. */
START_TEST(test_pauses_of_a_real_run)
{
	const struct la_limit none = { .kind = LA_LIMIT_NONE };
	const struct la_program_options options = { .limit = &none };
	size_t length = lengths[(size_t)_i % ARRAY_SIZE(lengths)];
	size_t at;

	load("tests/data/streams.default.pickle.xz");
	at = snapshot.event_count * (size_t)_i / 50;
	snapshot_cut(&snapshot, at, length);
	ck_assert_int_eq(read_under(&options), 0);
	ck_assert(found.exact);
	ck_assert_uint_eq(info->understood, snapshot.event_count);
	ck_assert_uint_le(info->first_event, at + 300);
}
END_TEST

/* empty_cache(), then a setter, then the first request that maps a page. */
START_TEST(test_flush_ahead_of_a_setter)
{
	static const struct la_limit none = { .kind = LA_LIMIT_NONE };
	static const struct la_setting_at change = {
		5, "expandable_segments:True"
	};
	const struct la_program_options options = {
		.limit = &none,
		.setting = "",
		.set_at = &change,
		.set_at_count = 1,
	};

	add(LA_SEGMENT_ALLOC, 0, 20 * MIB);
	add_life(0, 2 * MIB);
	add(LA_SEGMENT_FREE, 0, 20 * MIB);
	add(LA_SEGMENT_MAP, 64 * MIB, 2 * MIB);
	add(LA_ALLOC, 64 * MIB, MIB);
	end_with(64 * MIB, 2 * MIB, MIB, MIB, LA_RECORDED_LIVE);
	snapshot.segment[0].small = true;
	snapshot.segment[0].expandable = true;
	snapshot.setting = change.setting;
	ck_assert_int_eq(read_under(&options), 0);
	ck_assert_uint_eq(info->understood, snapshot.event_count);
	ck_assert_uint_eq(info->adopted_count, 0);
	ck_assert(found.exact);
}
END_TEST

static void refuse(const struct la_program_options *options, int code,
		   const char *text)
{
	int ret = read_under(options);

	ck_assert_str_eq(err.text, text);
	ck_assert_int_eq(ret, code);
	ck_assert_int_eq(err.code, code);
	ck_assert_uint_eq(err.offset, LA_NO_OFFSET);
	ck_assert_ptr_null(program);
}

START_TEST(test_device_that_is_not_there)
{
	add(LA_SEGMENT_ALLOC, 0, 20 * MIB);
	add_life(0, 2 * MIB);
	read_all();
	la_program_free(program);
	program = NULL;
	ck_assert_int_eq(la_program_new(&program, recording, 7, NULL, &err),
			 -EINVAL);
	ck_assert_str_eq(err.text, "the recording has no device 7");
	ck_assert_ptr_null(program);
}
END_TEST

START_TEST(test_change_behind_the_end)
{
	static const struct la_setting_at change = { 99, "" };
	const struct la_program_options options = { .set_at = &change,
						    .set_at_count = 1 };

	add_life(0, 2 * MIB);
	refuse(&options, -EINVAL,
	       "there is no event 99 to change the setting before");
}
END_TEST

START_TEST(test_more_streams_than_are_supported)
{
	struct la_event event = { .addr = base,
				  .size = 512,
				  .action = LA_ALLOC };

	for (; event.stream <= 4096; event.stream++)
		snapshot_add(&snapshot, &event);
	refuse(NULL, -E2BIG, "4097 streams; at most 4096 are supported");
}
END_TEST

START_TEST(test_compact_has_no_recordings)
{
	const struct la_replay_options options = { .policy = LA_HEAP_COMPACT,
						   .as_recorded = true };
	struct la_replay_result result;

	add(LA_SEGMENT_ALLOC, 0, 20 * MIB);
	add_life(0, 2 * MIB);
	read_all();
	ck_assert_int_eq(la_replay(program, &options, &result, &err), -EINVAL);
	ck_assert_str_eq(err.text, "recorded by another policy");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("program");
	TCase *tcase = tcase_create("odd recordings");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_nothing);
	tcase_add_test(tcase, test_search_for_a_cap_of_nothing_ends);
	tcase_add_test(tcase, test_sums_of_damaged_sizes_stay_sane);
	tcase_add_test(tcase, test_refusal_below_the_peak_is_no_limit);
	tcase_add_test(tcase, test_pause_in_which_a_segment_went);
	tcase_add_test(tcase, test_pause_in_which_a_segment_came);
	tcase_add_test(tcase, test_pause_in_which_a_block_changed_size);
	tcase_add_test(tcase, test_pause_in_which_a_block_came_back);
	tcase_add_test(tcase, test_history_that_begins_inside_a_request);
	tcase_add_test(tcase, test_late_program_above_the_limit_does_not_run);
	tcase_add_test(tcase, test_minimum_of_a_late_program_holds_its_start);
	tcase_add_test(tcase, test_what_2_11_refuses_is_left_out);
	tcase_add_test(tcase, test_what_the_caller_says_is_taken_whole);
	tcase_add_test(tcase, test_many_completions_before_a_riddle);
	tcase_add_test(tcase, test_flush_ahead_of_a_setter);
	tcase_add_test(tcase, test_device_that_is_not_there);
	tcase_add_test(tcase, test_change_behind_the_end);
	tcase_add_test(tcase, test_more_streams_than_are_supported);
	tcase_add_test(tcase, test_compact_has_no_recordings);
	tcase_add_loop_test(tcase, test_pauses_of_a_real_run, 1, 50);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
