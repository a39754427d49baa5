// SPDX-License-Identifier: Apache-2.0
/*
 * Timelines and maps.  What a snapshot says is held at the end, and what
 * follows from its events by a plain sum, is what they must show; of a replay
 * the counters and the picture of its heap.
 */

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/view.h>

#include "replay/program.h"

static struct la_recording *recording;
static struct la_program *program;
static struct la_timeline timeline;
static struct la_map map;

static void setup(void)
{
	recording = NULL;
	program = NULL;
	memset(&timeline, 0, sizeof(timeline));
	memset(&map, 0, sizeof(map));
}

static void teardown(void)
{
	la_timeline_release(&timeline);
	la_map_release(&map);
	la_program_free(program);
	la_recording_free(recording);
}

static void open_recording(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "tests/data/%s.pickle.xz", name);
	ck_assert_int_eq(la_recording_open(&recording, path, NULL, NULL), 0);
	ck_assert_int_eq(la_program_new(&program, recording, 0, NULL, NULL),
			 0);
}

static void read_timeline(const struct la_view_options *options)
{
	la_timeline_release(&timeline);
	ck_assert_int_eq(la_timeline_read(&timeline, recording, 0, program,
					  options, NULL), 0);
}

static void read_map(const struct la_view_options *options, uint64_t event)
{
	la_map_release(&map);
	ck_assert_int_eq(la_map_read(&map, recording, 0, program, options,
				     event, NULL), 0);
}

/* Whole recordings, late ones, chains, pools, streams, releases. */
static const char *const names[] = {
	"big_random.default", "big_random.expandable", "big_random.oom",
	"big_random.cap_gc_split", "big_random.roundup4", "compiled.default",
	"gnn.oom", "graphs.default", "mempools.default", "recapture.default",
	"recapture.expandable", "remedy-gnn.12.oom", "seed_squares.cap_gc_split",
	"streams.cap", "windows-gnn.first", "windows-gnn.frames",
	"windows-varlen_gpt.late", "card",
};

/* Blocks cover each segment from end to end, and nothing else. */
static void check_cover(void)
{
	uint32_t next = 0;
	size_t i, k;

	for (i = 0; i < map.segment_count; i++) {
		const struct la_map_segment *segment = &map.segment[i];
		uint64_t at = segment->addr;

		ck_assert_uint_eq(segment->first_block, next);
		ck_assert(!i || map.segment[i - 1].addr +
					map.segment[i - 1].size <=
				segment->addr);
		for (k = 0; k < segment->block_count; k++) {
			const struct la_map_block *block = &map.block[next++];

			ck_assert_uint_eq(block->addr, at);
			ck_assert_uint_gt(block->size, 0);
			at += block->size;
		}
		ck_assert_uint_eq(at, segment->addr + segment->size);
	}
	ck_assert_uint_eq(next, map.block_count);
}

static void check_block(const struct la_recorded_block *is, uint64_t addr,
			const struct la_map_block **shown,
			const struct la_map_block *end)
{
	while (*shown < end && (*shown)->state == LA_MAP_FREE)
		++*shown;
	ck_assert(*shown < end);
	ck_assert_uint_eq((*shown)->addr, addr);
	ck_assert_uint_eq((*shown)->requested, is->requested);
	ck_assert_uint_eq((*shown)->size, is->size);
	ck_assert_int_eq((*shown)->state == LA_MAP_LIVE,
			 is->state == LA_RECORDED_LIVE);
	++*shown;
}

/* The map at the end is the snapshot's, blocks with what is unused in them. */
START_TEST(end_of_recording)
{
	const struct la_recorded_device *device;
	size_t i, k;

	open_recording(names[_i]);
	device = la_recording_device(recording, 0);
	read_map(NULL, UINT64_MAX);
	check_cover();
	ck_assert_uint_eq(map.segment_count, device->segment_count);
	for (i = 0; i < device->segment_count; i++) {
		const struct la_recorded_segment *is = &device->segments[i];
		const struct la_map_segment *shown = &map.segment[i];
		const struct la_map_block *block = map.block +
						   shown->first_block;
		const struct la_map_block *end = block + shown->block_count;
		uint64_t addr = is->addr;

		ck_assert_uint_eq(shown->addr, is->addr);
		ck_assert_uint_eq(shown->size, is->size);
		ck_assert_uint_eq(shown->stream, is->stream);
		ck_assert_uint_eq(shown->pool[0], is->pool[0]);
		ck_assert_uint_eq(shown->pool[1], is->pool[1]);
		ck_assert_int_eq(shown->small, is->small);
		ck_assert_int_eq(shown->expandable, is->expandable);
		for (k = 0; k < is->block_count; k++) {
			const struct la_recorded_block *at =
				&device->blocks[is->first_block + k];

			if (at->state != LA_RECORDED_FREE)
				check_block(at, addr, &block, end);
			addr += at->size;
		}
		while (block < end)
			ck_assert_int_eq((block++)->state, LA_MAP_FREE);
	}
}
END_TEST

/* Bytes held at the end by the snapshot, from which events are undone. */
static uint64_t held_at_end(void)
{
	const struct la_recorded_device *device =
		la_recording_device(recording, 0);
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < device->segment_count; i++)
		bytes += device->segments[i].size;
	return bytes;
}

static uint64_t change_of(const struct la_event *event)
{
	switch (event->action) {
	case LA_SEGMENT_ALLOC:
	case LA_SEGMENT_MAP:
		return event->size;
	case LA_SEGMENT_FREE:
	case LA_SEGMENT_UNMAP:
		return -event->size;
	default:
		return 0;
	}
}

/* Bytes behind each event, from the last to the first. */
START_TEST(every_event)
{
	const struct la_recorded_device *device;
	uint64_t reserved, live = 0;
	size_t i, at, ooms = 0;

	open_recording(names[_i]);
	device = la_recording_device(recording, 0);
	read_timeline(NULL);
	at = timeline.point_count;
	ck_assert_uint_eq(timeline.event_count, at);
	reserved = held_at_end();
	for (i = device->event_count; i--;) {
		const struct la_event *event = &device->events[i];
		const struct la_timeline_point *point;

		if (event->action > LA_OOM)
			continue;
		point = &timeline.point[--at];
		if (at < la_program_info(program)->first_event)
			break;
		ck_assert_uint_eq(point->event, at);
		ck_assert_uint_eq(point->time_us, event->time_us);
		ck_assert_uint_eq(point->reserved[0], reserved);
		ck_assert_uint_eq(point->reserved[1], reserved);
		reserved -= change_of(event);
		ooms += event->action == LA_OOM;
		live = point->live[1] > live ? point->live[1] : live;
	}
	ck_assert_uint_eq(timeline.oom_count, ooms);
	if (!la_program_info(program)->ends_in_oom)
		ck_assert_uint_eq(live, la_program_info(program)->peak_live);
}
END_TEST

static void widen(uint64_t range[2], uint64_t value)
{
	range[0] = value < range[0] ? value : range[0];
	range[1] = value > range[1] ? value : range[1];
}

/* However few points there are, they cover all events and their extremes. */
START_TEST(few_points)
{
	static const size_t counts[] = { 1, 2, 7, 100, 4096 };
	struct la_timeline full;
	size_t i, k, c;

	open_recording(names[_i]);
	read_timeline(NULL);
	full = timeline;
	memset(&timeline, 0, sizeof(timeline));
	for (c = 0; c < ARRAY_SIZE(counts); c++) {
		const struct la_view_options options = {
			.point_count = counts[c],
		};

		read_timeline(&options);
		ck_assert_uint_le(timeline.point_count, counts[c]);
		ck_assert_uint_ge(2 * timeline.point_count + 1,
				  counts[c] < full.point_count ?
					  counts[c] :
					  full.point_count);
		ck_assert_uint_eq(timeline.event_count, full.event_count);
		for (i = k = 0; i < timeline.point_count; i++) {
			const struct la_timeline_point *point =
				&timeline.point[i];
			size_t end = i + 1 < timeline.point_count ?
					     point[1].event :
					     full.point_count;
			uint64_t live[2] = { UINT64_MAX, 0 };
			uint64_t reserved[2] = { UINT64_MAX, 0 };

			ck_assert_uint_eq(point->event, k);
			ck_assert_uint_eq(point->time_us,
					  full.point[k].time_us);
			for (; k < end; k++) {
				widen(live, full.point[k].live[0]);
				widen(reserved, full.point[k].reserved[0]);
			}
			ck_assert_mem_eq(point->live, live, sizeof(live));
			ck_assert_mem_eq(point->reserved, reserved,
					 sizeof(reserved));
		}
		ck_assert_uint_eq(k, full.point_count);
	}
	la_timeline_release(&full);
}
END_TEST

/* A map at each of some events has the bytes of the timeline there. */
START_TEST(any_moment)
{
	uint64_t event, live, reserved;
	size_t i;

	open_recording(names[_i]);
	read_timeline(NULL);
	for (event = 1; event <= timeline.event_count; event = event * 3 / 2 +
							       7) {
		const struct la_timeline_point *point =
			&timeline.point[event - 1];

		read_map(NULL, event);
		check_cover();
		ck_assert_uint_eq(map.event, event);
		for (i = live = reserved = 0; i < map.block_count; i++)
			if (map.block[i].state != LA_MAP_FREE)
				live += (map.block[i].requested + 511) &
					~(uint64_t)511;
		for (i = 0; i < map.segment_count; i++)
			reserved += map.segment[i].size;
		ck_assert_uint_eq(live, point->live[0]);
		ck_assert_uint_eq(reserved, point->reserved[0]);
	}
}
END_TEST

/* The map before the peak has its bytes; nothing has more, nor so many
 * before. */
START_TEST(before_peak)
{
	uint64_t live = 0, reserved = 0;
	size_t i;

	open_recording(names[_i]);
	read_timeline(NULL);
	read_map(NULL, timeline.peak);
	ck_assert_uint_eq(map.event, timeline.peak);
	for (i = 0; i < map.block_count; i++)
		if (map.block[i].state != LA_MAP_FREE)
			live += (map.block[i].requested + 511) &
				~(uint64_t)511;
	ck_assert_uint_eq(timeline.peak_live, live);
	read_map(NULL, 0);
	for (i = live = 0; i < map.block_count; i++)
		if (map.block[i].state != LA_MAP_FREE)
			live += (map.block[i].requested + 511) &
				~(uint64_t)511;
	for (i = 0; i < map.segment_count; i++)
		reserved += map.segment[i].size;
	ck_assert(!timeline.peak || live < timeline.peak_live);
	for (i = 0; i < timeline.point_count; i++) {
		const struct la_timeline_point *point = &timeline.point[i];

		ck_assert(i + 1 < timeline.peak ?
				  point->live[1] < timeline.peak_live :
				  point->live[1] <= timeline.peak_live);
		if (point->reserved[1] > reserved)
			reserved = point->reserved[1];
	}
	ck_assert_uint_eq(timeline.peak_reserved, reserved);
}
END_TEST

/* Replays: as recorded, under another setting, of each kind of start. */
struct question {
	const char *setting;
	bool as_recorded;
	enum la_start start;
	enum la_heap_policy policy;
};

static const struct question questions[] = {
	{ "", true, LA_START_HELD, LA_HEAP_TORCH },
	{ "", false, LA_START_HELD, LA_HEAP_TORCH },
	{ "", false, LA_START_PACKED, LA_HEAP_TORCH },
	{ "expandable_segments:True", false, LA_START_CHAINED, LA_HEAP_TORCH },
	{ "max_split_size_mb:64", false, LA_START_HELD, LA_HEAP_TORCH },
	{ "", false, LA_START_HELD, LA_HEAP_COMPACT },
};

static void check_replay(const struct question *question)
{
	struct la_setting *setting;
	struct la_replay_options options = {
		.policy = question->policy,
		.as_recorded = question->as_recorded,
		.start = question->start,
		.limit = la_program_info(program)->limit,
	};
	const struct la_view_options view = { .replay = &options };
	struct la_replay_result result;
	uint64_t live = 0, reserved = 0, peak = 0;
	size_t i;

	ck_assert_int_eq(la_setting_parse(&setting, question->setting,
					  strlen(question->setting),
					  LA_SET_AT_INIT, NULL), 0);
	options.setting = question->as_recorded ?
				  la_program_setting(program) :
				  la_setting_values(setting);
	ck_assert_int_eq(la_replay(program, &options, &result, NULL), 0);
	read_timeline(&view);
	read_map(&view, UINT64_MAX);
	check_cover();
	for (i = 0; i < map.block_count; i++)
		if (map.block[i].state != LA_MAP_FREE)
			live += map.block[i].size;
	for (i = 0; i < map.segment_count; i++)
		reserved += map.segment[i].size;
	for (i = 0; i < timeline.point_count; i++)
		if (timeline.point[i].reserved[1] > peak)
			peak = timeline.point[i].reserved[1];
	ck_assert_uint_eq(reserved, result.stats.reserved);
	ck_assert_uint_eq(live, result.stats.active);
	ck_assert_uint_ge(peak, reserved);
	if (!la_program_info(program)->window)
		ck_assert_uint_eq(peak, result.stats.reserved_peak);
	if (!result.ran)
		ck_assert_uint_ge(timeline.oom_count, 1);
	la_setting_free(setting);
}

START_TEST(replays)
{
	size_t i;

	open_recording(names[_i]);
	if (la_program_info(program)->understood !=
	    la_program_info(program)->event_count)
		return;
	for (i = 0; i < ARRAY_SIZE(questions); i++)
		check_replay(&questions[i]);
}
END_TEST

/* Chains of the small pool have small blocks, whatever the large granule. */
START_TEST(classes_of_replay)
{
	static const char text[] =
		"expandable_segments:True,large_segment_size_mb:24";
	struct la_setting *setting;
	struct la_replay_options options = { 0 };
	const struct la_view_options view = { .replay = &options };
	bool found[2] = { false };
	size_t i;
	uint32_t k;

	open_recording("big_random.default");
	ck_assert_int_eq(la_setting_parse(&setting, text, strlen(text),
					  LA_SET_AT_INIT, NULL), 0);
	options.setting = la_setting_values(setting);
	ck_assert_uint_eq(options.setting->large_segment_size, 24 * MIB);
	read_map(&view, la_program_info(program)->event_count / 2);
	for (i = 0; i < map.segment_count; i++) {
		const struct la_map_segment *segment = &map.segment[i];

		for (k = 0; k < segment->block_count; k++) {
			const struct la_map_block *block =
				&map.block[segment->first_block + k];

			if (block->state == LA_MAP_FREE)
				continue;
			ck_assert_int_eq(segment->small, block->size <= MIB);
			found[segment->small] = true;
		}
	}
	ck_assert(found[false] && found[true]);
	la_setting_free(setting);
}
END_TEST

static int stop_at_third(void *data, const struct la_view_event *event)
{
	size_t *count = data;

	ck_assert_uint_eq(event->event, *count);
	return ++*count == 3 ? -EINTR : 0;
}

/* Who sees the events may have seen enough. */
START_TEST(visitor_stops)
{
	struct la_replay_options replay = { 0 };
	const struct la_view_options options = { .replay = &replay };
	struct la_error err = { 0 };
	size_t count = 0;

	open_recording("gnn.oom");
	ck_assert_int_eq(la_view_walk(recording, 0, program, NULL,
				      stop_at_third, &count, &err), -EINTR);
	ck_assert_uint_eq(count, 3);
	ck_assert_int_eq(err.code, -EINTR);
	ck_assert_str_eq(err.text, "the visitor ended it");
	replay.setting = la_program_setting(program);
	count = 0;
	err = (struct la_error){ 0 };
	ck_assert_int_eq(la_view_walk(recording, 0, program, &options,
				      stop_at_third, &count, &err), -EINTR);
	ck_assert_uint_eq(count, 3);
	ck_assert_int_eq(err.code, -EINTR);
}
END_TEST

struct heard {
	int stop;
	size_t count, end; /* events; how many until it stops */
	struct la_replay_moment moment;
	size_t private_count; /* requests of private pools */
};

static void hear(void *data, enum la_action action, uint64_t addr,
		 uint64_t size, uint64_t stream)
{
	static const uint64_t none[2];
	struct heard *heard = data;

	(void)addr;
	(void)size;
	(void)stream;
	if (++heard->count == heard->end)
		heard->stop = -EINTR;
	if (!memcmp(heard->moment.pool, none, sizeof(none)))
		return;
	/* A request's pool, or one that is given back. */
	ck_assert(action != LA_FREE_REQUESTED && action != LA_FREE_COMPLETED);
	heard->private_count += action == LA_ALLOC;
}

/* It plays no further op: what the one at hand does is heard. */
START_TEST(replay_stops)
{
	struct heard heard = { .end = 100 };
	struct la_replay_options options = {
		.listener = hear, .listener_data = &heard,
		.moment = &heard.moment,
	};
	struct la_replay_result result;

	open_recording("mempools.default");
	options.setting = la_program_setting(program);
	ck_assert_int_eq(replay_until(&heard.stop, program, &options, &result,
				      NULL), 0);
	ck_assert_uint_ge(heard.count, 100);
	ck_assert_uint_lt(heard.count, 110);
	heard = (struct heard){ 0 };
	ck_assert_int_eq(la_replay(program, &options, &result, NULL), 0);
	ck_assert_uint_gt(heard.count, 110);
	ck_assert_uint_gt(heard.private_count, 0);
}
END_TEST

START_TEST(no_such_device)
{
	struct la_error err = { 0 };
	unsigned int count;
	size_t seen = 0;

	open_recording("gnn.oom");
	count = la_recording_device_count(recording);
	ck_assert_int_eq(la_view_walk(recording, count, program, NULL,
				      stop_at_third, &seen, &err), -EINVAL);
	ck_assert_uint_eq(seen, 0);
	ck_assert_str_eq(err.text, "the recording has no device 1");
	ck_assert_int_eq(la_timeline_read(&timeline, recording, count, program,
					  NULL, NULL), -EINVAL);
	ck_assert_int_eq(la_map_read(&map, recording, UINT32_MAX, NULL, NULL, 0,
				     NULL), -EINVAL);
}
END_TEST

/* What the snapshot calls a phase: the two of the optimizer in each step. */
START_TEST(phases)
{
	size_t i;

	open_recording("gnn.oom");
	read_timeline(NULL);
	ck_assert_uint_eq(timeline.phase_count, 46);
	for (i = 0; i < timeline.phase_count; i++) {
		ck_assert_str_eq(timeline.phase[i].name,
				 i % 2 ? "Optimizer.zero_grad#Adam.zero_grad" :
					 "Optimizer.step#Adam.step");
		ck_assert_uint_lt(timeline.phase[i].event[0],
				  timeline.phase[i].event[1]);
		if (i)
			ck_assert_uint_ge(timeline.phase[i].event[0],
					  timeline.phase[i - 1].event[1]);
	}
}
END_TEST

/* Without history the snapshot is all there is. */
START_TEST(without_history)
{
	const struct la_recorded_device *device;

	ck_assert_int_eq(la_recording_open(&recording,
					   "tests/data/nohistory.pickle.xz",
					   NULL, NULL), 0);
	device = la_recording_device(recording, 0);
	read_map(NULL, 0);
	check_cover();
	ck_assert_uint_eq(map.segment_count, device->segment_count);
	read_timeline(NULL);
	ck_assert_uint_eq(timeline.point_count, 1);
	ck_assert_uint_eq(timeline.event_count, 0);
	ck_assert_uint_eq(timeline.point[0].reserved[0], held_at_end());
}
END_TEST

static Suite *view_suite(void)
{
	Suite *suite = suite_create("view");
	TCase *tcase = tcase_create("recordings");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, end_of_recording, 0, ARRAY_SIZE(names));
	tcase_add_loop_test(tcase, every_event, 0, ARRAY_SIZE(names));
	tcase_add_loop_test(tcase, few_points, 0, ARRAY_SIZE(names));
	tcase_add_loop_test(tcase, any_moment, 0, ARRAY_SIZE(names));
	tcase_add_loop_test(tcase, before_peak, 0, ARRAY_SIZE(names));
	tcase_add_loop_test(tcase, replays, 0, ARRAY_SIZE(names));
	tcase_add_test(tcase, classes_of_replay);
	tcase_add_test(tcase, visitor_stops);
	tcase_add_test(tcase, replay_stops);
	tcase_add_test(tcase, no_such_device);
	tcase_add_test(tcase, phases);
	tcase_add_test(tcase, without_history);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(view_suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
