// SPDX-License-Identifier: Apache-2.0
/*
 * What a replay tells of an OOM, and what calls of empty_cache() between the
 * steps of a program do.  Numbers are worked out by hand.
 */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/replay.h>

#include "support/snapshot.h"
#include "support/stage.h"
#include "util/util.h"

enum { STEPS = 6 };

static struct la_device *device;
static struct la_heap *heap;
static struct snapshot snapshot;
static struct la_recording *recording;
static struct la_program *program;
static struct la_replay_options options;
static struct la_replay_result result;
static struct la_oom_state oom;

static void setup(void)
{
	static struct la_setting_values setting;
	struct la_heap_config config = {
		.setting = &setting,
		.cap = UINT64_MAX,
		.listener = snapshot_hear,
		.listener_data = &snapshot,
	};

	setting = default_setting();
	memset(&snapshot, 0, sizeof(snapshot));
	ck_assert_int_eq(la_device_sim(&device, LA_LAYOUT_RULE, UINT64_MAX, 0),
			 0);
	config.device = device;
	ck_assert_int_eq(la_heap_new(&heap, &config, NULL), 0);
	la_heap_stream(heap, 0);
	memset(&options, 0, sizeof(options));
	options.setting = &setting;
	options.oom = &oom;
}

static void teardown(void)
{
	la_oom_state_release(&oom);
	la_program_free(program);
	la_recording_free(recording);
	snapshot_release(&snapshot);
	la_heap_free(heap);
	la_device_destroy(device);
}

static la_block take(uint64_t size)
{
	la_block block;

	ck_assert_int_eq(la_heap_alloc(heap, size, 0, LA_DEFAULT_POOL, &block),
			 0);
	return block;
}

static void read_program(void)
{
	size_t size;
	uint8_t *pickle;

	snapshot_take(&snapshot, heap);
	pickle = snapshot_pickle(&snapshot, &size);
	ck_assert_int_eq(la_recording_read(&recording, pickle, size, NULL,
					   NULL), 0);
	free(pickle);
	ck_assert_int_eq(la_program_new(&program, recording, 0, NULL, NULL), 0);
}

static void replay(uint64_t cap)
{
	options.limit = (struct la_limit){ LA_LIMIT_CAP, cap };
	ck_assert_int_eq(la_replay(program, &options, &result, NULL), 0);
}

/* Events: 0 segment, 1 alloc, 2 alloc, 3 and 4 free, 5 segment, 6 alloc,
 * 7 segment, 8 alloc. */
static void record_four_requests(void)
{
	la_block block = take(8 * MIB);

	take(8 * MIB);
	la_heap_release(heap, block);
	take(1000);
	take(12 * MIB);
	read_program();
}

START_TEST(test_request_and_holes)
{
	record_four_requests();
	replay(33 * MIB);
	ck_assert(!result.ran);
	ck_assert_uint_eq(oom.event, 8);
	ck_assert_uint_eq(oom.size, 12 * MIB);
	ck_assert_uint_eq(oom.rounded, 12 * MIB);
	ck_assert_uint_eq(oom.segment, 12 * MIB);
	ck_assert(!oom.small);
	ck_assert_uint_eq(oom.limit.bytes, 33 * MIB);
	ck_assert_uint_eq(oom.stats.reserved, 22 * MIB);
	ck_assert_uint_eq(oom.stats.active, 8 * MIB + 1024);
	ck_assert_uint_eq(oom.free[LA_FREE_OWN].count, 2);
	ck_assert_uint_eq(oom.free[LA_FREE_OWN].bytes, 12 * MIB);
	ck_assert_uint_eq(oom.free[LA_FREE_OWN].largest, 8 * MIB);
	ck_assert_uint_eq(oom.free[LA_FREE_OWN].bin_count[22], 1);
	ck_assert_uint_eq(oom.free[LA_FREE_OWN].bin_count[23], 1);
	ck_assert_uint_eq(oom.free[LA_FREE_CLASS].bytes, 2 * MIB - 1024);
	ck_assert_uint_eq(oom.free[LA_FREE_STREAMS].count, 0);
	ck_assert_uint_eq(oom.free[LA_FREE_POOLS].count, 0);
}
END_TEST

START_TEST(test_holders)
{
	record_four_requests();
	replay(33 * MIB);
	ck_assert_uint_eq(oom.holder_count, 2);
	ck_assert_uint_eq(oom.holder[0].bytes, 8 * MIB);
	ck_assert_uint_eq(oom.holder[0].count, 1);
	ck_assert_uint_eq(oom.holder[0].event, 2);
	ck_assert_uint_eq(oom.holder[1].size, 1024);
	ck_assert_uint_eq(oom.holder[1].event, 6);
}
END_TEST

static uint64_t same_key(void *data, uint64_t event, uint64_t size)
{
	unsigned int *calls = data;

	(void)size;
	++*calls;
	ck_assert(event == 2 || event == 6);
	return 0;
}

START_TEST(test_holders_by_key)
{
	unsigned int calls = 0;

	record_four_requests();
	options.holder_key = same_key;
	options.holder_data = &calls;
	replay(33 * MIB);
	ck_assert_uint_eq(calls, 2);
	ck_assert_uint_eq(oom.holder_count, 1);
	ck_assert_uint_eq(oom.holder[0].bytes, 8 * MIB + 1024);
	ck_assert_uint_eq(oom.holder[0].count, 2);
	ck_assert_uint_eq(oom.holder[0].size, 8 * MIB);
	ck_assert_uint_eq(oom.holder[0].event, 2);
}
END_TEST

/* What runs leaves the state alone; of the layouts, the first that fails. */
START_TEST(test_only_of_what_fails)
{
	struct la_answer answer;

	record_four_requests();
	replay(34 * MIB);
	ck_assert(result.ran);
	ck_assert_ptr_null(oom.holder);
	options.limit.bytes = 33 * MIB;
	ck_assert_int_eq(la_replay_all_layouts(program, &options, &answer,
					       NULL), 0);
	ck_assert_int_eq(answer.outcome, LA_OUTCOME_OOM);
	ck_assert_int_eq(oom.layout, LA_LAYOUT_RULE);
	ck_assert_uint_eq(oom.event, 8);
}
END_TEST

static void mark(void)
{
	const struct la_event event = { .action = LA_SNAPSHOT };

	snapshot_add(&snapshot, &event);
}

/* 4 MiB stay, in 20 MiB that serve 10 MiB of each step, too; the step's other
 * request grows by 2 MiB: 22, 24 ... 32.  first[i] is the event of the first
 * request of step i. */
static void record_steps(bool marked, uint64_t first[STEPS])
{
	uint64_t marks = 0;
	unsigned int i;

	take(4 * MIB);
	for (i = 0; i < STEPS; i++) {
		la_block fixed, varying;

		if (marked) {
			mark();
			marks++;
		}
		first[i] = snapshot.event_count - marks;
		fixed = take(10 * MIB);
		varying = take((22 + 2 * i) * MIB);
		la_heap_release(heap, varying);
		la_heap_release(heap, fixed);
	}
	read_program();
}

START_TEST(test_detected_steps)
{
	uint64_t first[STEPS];
	struct la_steps steps;
	unsigned int i;

	record_steps(false, first);
	ck_assert_int_eq(la_steps_find(&steps, program), 0);
	ck_assert_int_eq(steps.source, LA_STEPS_DETECTED);
	ck_assert_uint_eq(steps.size, 10 * MIB);
	ck_assert_uint_eq(steps.count, STEPS - 1);
	for (i = 1; i < STEPS; i++)
		ck_assert_uint_eq(steps.event[i - 1], first[i]);
	la_steps_release(&steps);
}
END_TEST

/* What comes in each step comes once more in the first one, as an optimizer's
 * state does that has the size of a gradient. */
START_TEST(test_steps_that_begin_with_a_state)
{
	uint64_t first[STEPS];
	struct la_steps steps;
	unsigned int i, k;

	for (i = 0; i < STEPS; i++) {
		la_block kept[4];

		for (k = 0; k < 4; k++) {
			kept[k] = take((20 + 10 * i + 2 * k) * MIB);
			if (!k)
				first[i] = snapshot.event_count - 1;
		}
		la_heap_release(heap, take(12 * MIB));
		if (!i)
			take(12 * MIB);
		for (k = 0; k < 4; k++)
			la_heap_release(heap, kept[k]);
	}
	read_program();
	ck_assert_int_eq(la_steps_find(&steps, program), 0);
	ck_assert_uint_eq(steps.size, 12 * MIB);
	ck_assert_uint_eq(steps.count, STEPS - 1);
	for (i = 1; i < STEPS; i++)
		ck_assert_uint_eq(steps.event[i - 1], first[i]);
	la_steps_release(&steps);
}
END_TEST

START_TEST(test_marked_steps)
{
	uint64_t first[STEPS];
	struct la_steps steps;
	unsigned int i;

	record_steps(true, first);
	ck_assert_int_eq(la_steps_find(&steps, program), 0);
	ck_assert_int_eq(steps.source, LA_STEPS_MARKED);
	ck_assert_uint_eq(steps.count, STEPS);
	for (i = 0; i < STEPS; i++)
		ck_assert_uint_eq(steps.event[i], first[i]);
	la_steps_release(&steps);
}
END_TEST

START_TEST(test_no_steps)
{
	struct la_steps steps;

	record_four_requests();
	ck_assert_int_eq(la_steps_find(&steps, program), 0);
	ck_assert_int_eq(steps.source, LA_STEPS_NONE);
	ck_assert_uint_eq(steps.count, 0);
	la_steps_release(&steps);
}
END_TEST

/* Without calls 20 + 22 + 24 + ... + 32 MiB are held.  With one before the
 * third and one before the fifth step, it is 20 + 30 + 32. */
START_TEST(test_release_every)
{
	static const struct la_costs costs = {
		.wait = 100,
		.point = { { .size = 1, .malloc = 10, .free = 5 },
			   { .size = 2, .malloc = 10, .free = 5 } },
		.point_count = 2,
	};
	uint64_t first[STEPS];
	struct la_steps steps;

	record_steps(false, first);
	ck_assert_int_eq(la_steps_find(&steps, program), 0);
	options.costs = &costs;
	replay(GIB);
	ck_assert_uint_eq(result.stats.reserved_peak, 182 * MIB);
	ck_assert_uint_eq(result.release_count, 0);
	ck_assert_double_eq_tol(result.seconds, 70e-6, 1e-12);
	options.release = (struct la_release_policy){
		.kind = LA_RELEASE_EVERY, .every = 2, .steps = &steps
	};
	replay(GIB);
	ck_assert_uint_eq(result.release_count, 2);
	ck_assert_uint_eq(result.stats.reserved_peak, 82 * MIB);
	ck_assert_uint_eq(result.operations.mallocs, 7);
	ck_assert_uint_eq(result.operations.frees, 4);
	ck_assert_uint_eq(result.operations.synchronisations, 2);
	ck_assert_double_eq_tol(result.seconds, 290e-6, 1e-12);
	la_steps_release(&steps);
}
END_TEST

/* Held at the steps: 42, 66, 46, 74, 50 MiB. */
START_TEST(test_release_above)
{
	uint64_t first[STEPS];
	struct la_steps steps;

	record_steps(false, first);
	ck_assert_int_eq(la_steps_find(&steps, program), 0);
	options.release = (struct la_release_policy){
		.kind = LA_RELEASE_ABOVE, .ratio = 0.5, .steps = &steps
	};
	replay(100 * MIB);
	ck_assert(result.ran);
	ck_assert_uint_eq(result.release_count, 2);
	options.release.ratio = 0.49;
	replay(100 * MIB);
	ck_assert_uint_eq(result.release_count, 3);
	/* Neither a limit nor a card is known. */
	options.limit.kind = LA_LIMIT_NONE;
	options.release.ratio = 0;
	ck_assert_int_eq(la_replay(program, &options, &result, NULL), 0);
	ck_assert_uint_eq(result.release_count, 0);
	la_steps_release(&steps);
}
END_TEST

START_TEST(test_held_at_the_end)
{
	struct la_picture picture;

	record_four_requests();
	ck_assert_int_eq(la_recording_picture(recording, 0, &picture), 0);
	ck_assert_uint_eq(picture.total.reserved, 34 * MIB);
	ck_assert_uint_eq(picture.total.segments, 3);
	ck_assert_uint_eq(picture.total.live, 20 * MIB + 1024);
	ck_assert_uint_eq(picture.total.requested, 20 * MIB + 1000);
	ck_assert_uint_eq(picture.total.holes.count, 3);
	ck_assert_uint_eq(picture.total.holes.largest, 8 * MIB);
	ck_assert_uint_eq(picture.part_count, 2);
	la_picture_release(&picture);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("replay-oom");
	TCase *tcase = tcase_create("oom");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_request_and_holes);
	tcase_add_test(tcase, test_holders);
	tcase_add_test(tcase, test_holders_by_key);
	tcase_add_test(tcase, test_only_of_what_fails);
	tcase_add_test(tcase, test_detected_steps);
	tcase_add_test(tcase, test_steps_that_begin_with_a_state);
	tcase_add_test(tcase, test_marked_steps);
	tcase_add_test(tcase, test_no_steps);
	tcase_add_test(tcase, test_release_every);
	tcase_add_test(tcase, test_release_above);
	tcase_add_test(tcase, test_held_at_the_end);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
