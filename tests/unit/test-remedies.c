// SPDX-License-Identifier: Apache-2.0
/*
 * What other settings do with a failed request: truths are what torch did
 * when the same program ran again under each of them.
 */

#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/triage.h>

#include "support/snapshot.h"
#include "support/stage.h"
#include "util/util.h"

#define EXPANDABLE "expandable_segments:True"
#define GNN "tests/data/remedy-gnn.12.oom.pickle.xz"
#define CARD "tests/data/card.pickle.xz"
#define PHASES "tests/data/remedy-phases.31.1.2.pickle.xz"

static struct snapshot snapshot;
static struct la_recording *recording, *other;
static struct la_program *program, *whole;
static struct la_facts facts;
static struct la_trial *trial;
static size_t count;
static struct la_remedies_options options;

static void setup(void)
{
	memset(&snapshot, 0, sizeof(snapshot));
	memset(&facts, 0, sizeof(facts));
	memset(&options, 0, sizeof(options));
	recording = other = NULL;
	program = whole = NULL;
	trial = NULL;
	count = 0;
}

static void teardown(void)
{
	la_trials_free(trial, count);
	la_facts_release(&facts);
	la_program_free(whole);
	la_program_free(program);
	la_recording_free(other);
	la_recording_free(recording);
	snapshot_release(&snapshot);
}

static void replay_with(const struct la_program_options *known)
{
	ck_assert_int_eq(la_program_new(&program, recording, 0, known, NULL),
			 0);
	ck_assert_int_eq(la_facts_of_recording(&facts, recording, 0, program,
					       NULL), 0);
	ck_assert_int_eq(la_remedies_replay(&trial, &count, program, &facts,
					    &options, NULL), 0);
}

static void replay(const char *path)
{
	ck_assert_int_eq(la_recording_open(&recording, path, NULL, NULL), 0);
	replay_with(NULL);
}

static const struct la_trial *find(const char *setting)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (trial[i].kind == LA_TRIAL_SETTING &&
		    !strcmp(trial[i].setting, setting))
			return &trial[i];
	ck_abort_msg("no row of '%s'", setting);
}

static const struct la_trial *action(enum la_trial_kind kind)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (trial[i].kind == kind)
			return &trial[i];
	ck_abort_msg("no row of kind %d", kind);
}

/* What torch did: past means that it made more allocations than the run that
 * failed. */
static const struct truth {
	const char *file;
	const char *setting;
	enum la_past past;
	bool runs;
} truths[] = {
	{ GNN, "", LA_PAST_STUCK, false },
	{ GNN, EXPANDABLE, LA_PAST_PAST, true },
	{ GNN, "max_split_size_mb:128", LA_PAST_PAST, true },
	{ GNN, "garbage_collection_threshold:0.8", LA_PAST_STUCK, false },
	{ GNN, "roundup_power2_divisions:4", LA_PAST_STUCK, false },
	{ GNN, EXPANDABLE ",garbage_collection_threshold:0.8", LA_PAST_PAST,
	  true },
	{ CARD, "", LA_PAST_STUCK, false },
	{ CARD, EXPANDABLE, LA_PAST_PAST, true },
	{ CARD, "max_split_size_mb:128", LA_PAST_PAST, false },
};

START_TEST(test_as_torch_did)
{
	const struct truth *truth = &truths[_i];

	replay(truth->file);
	ck_assert_int_eq(find(truth->setting)->past, truth->past);
	ck_assert(find(truth->setting)->current == !*truth->setting);
	ck_assert(find(truth->setting)->known ==
		  (truth->past == LA_PAST_PAST));
}
END_TEST

/* The recording of the same program without a limit tells of the rest. */
START_TEST(test_whole_runs)
{
	const struct truth *truth = &truths[6 + _i];

	ck_assert_int_eq(la_recording_open(
				 &other,
				 "tests/data/big_random.11.base.pickle.xz",
				 NULL, NULL), 0);
	ck_assert_int_eq(la_program_new(&whole, other, 0, NULL, NULL), 0);
	options.whole = whole;
	replay(CARD);
	ck_assert_int_eq(find(truth->setting)->whole,
			 truth->runs ? LA_PAST_PAST : LA_PAST_STUCK);
	ck_assert_uint_eq(action(LA_TRIAL_PACKED)->whole_reserved,
			  la_program_info(whole)->peak_live);
}
END_TEST

/* Under expandable segments torch's own peak of the whole run, which this
 * request makes; the cap is int(cap / total * total). */
START_TEST(test_reserved_at_that_moment)
{
	replay(GNN);
	ck_assert_uint_eq(find(EXPANDABLE)->reserved, 8843689984);
	ck_assert_uint_eq(find(EXPANDABLE)->headroom,
			  9015593625 - 8843689984);
	ck_assert_uint_gt(find(EXPANDABLE)->operations.maps, 0);
	ck_assert_double_gt(find(EXPANDABLE)->seconds, 0);
	ck_assert(find("roundup_power2_divisions:4")->worse);
	ck_assert(!find("")->worse);
}
END_TEST

START_TEST(test_actions)
{
	const struct la_amount *amount = facts.amount;

	replay(GNN);
	ck_assert_int_eq(action(LA_TRIAL_PACKED)->past, LA_PAST_PAST);
	ck_assert_uint_eq(action(LA_TRIAL_PACKED)->reserved,
			  amount[LA_AMOUNT_ALLOCATED].low -
				  amount[LA_AMOUNT_ROUNDING].low +
				  amount[LA_AMOUNT_REQUEST].low);
	ck_assert_int_eq(action(LA_TRIAL_UNCAPPED)->past, LA_PAST_PAST);
	/* Torch flushed before it gave up. */
	ck_assert_int_eq(action(LA_TRIAL_EMPTIED)->past, LA_PAST_STUCK);
	/* As `allocctl replay --empty-cache-every 1`, and -above 0.8. */
	ck_assert_int_eq(action(LA_TRIAL_STEPS)->past, LA_PAST_STUCK);
	ck_assert_int_eq(action(LA_TRIAL_STEPS_ABOVE)->past, LA_PAST_PAST);
}
END_TEST

START_TEST(test_nothing_packs_too_much)
{
	replay("tests/data/oom_capacity.pickle.xz");
	ck_assert_int_eq(action(LA_TRIAL_PACKED)->past, LA_PAST_STUCK);
	ck_assert_int_eq(find(EXPANDABLE)->past, LA_PAST_STUCK);
}
END_TEST

START_TEST(test_what_is_asked)
{
	static const char *const asked[] = { "max_split_size_mb:100 ", "no:1",
					     "" };

	options.setting = asked;
	options.setting_count = 3;
	replay(GNN);
	ck_assert(trial[0].current && trial[0].asked);
	ck_assert_str_eq(trial[0].setting, "");
	ck_assert_str_eq(trial[1].setting, asked[0]);
	ck_assert(trial[1].asked && !trial[1].objection);
	ck_assert_int_ne(trial[1].past, LA_PAST_UNKNOWN);
	ck_assert_str_eq(trial[2].setting, asked[1]);
	ck_assert_str_eq(trial[2].objection,
			 "Unrecognized key 'no' in CUDA allocator config.");
	ck_assert_int_eq(trial[2].past, LA_PAST_UNKNOWN);
	ck_assert(!trial[3].asked);
}
END_TEST

/* Torch 2.0 has no expandable segments. */
START_TEST(test_of_a_release)
{
	size_t i;

	options.release = LA_RELEASE(2, 0);
	replay(GNN);
	for (i = 0; i < count; i++)
		ck_assert(trial[i].kind != LA_TRIAL_SETTING ||
			  !strstr(trial[i].setting, "expandable"));
	ck_assert_int_eq(find("max_split_size_mb:128")->past, LA_PAST_PAST);
}
END_TEST

START_TEST(test_threads_change_nothing)
{
	struct la_trial *again;
	size_t same, i;

	replay(CARD);
	options.jobs = 3;
	ck_assert_int_eq(la_remedies_replay(&again, &same, program, &facts,
					    &options, NULL), 0);
	ck_assert_uint_eq(same, count);
	for (i = 0; i < count; i++) {
		ck_assert_int_eq(again[i].past, trial[i].past);
		ck_assert_uint_eq(again[i].reserved, trial[i].reserved);
	}
	la_trials_free(again, same);
}
END_TEST

static void read_snapshot(void)
{
	size_t size;
	uint8_t *pickle = snapshot_pickle(&snapshot, &size);

	la_recording_free(recording);
	ck_assert_int_eq(la_recording_read(&recording, pickle, size, NULL,
					   NULL), 0);
	free(pickle);
}

static void *copy(const void *from, size_t number, size_t size)
{
	void *to = malloc(number * size + 1);

	ck_assert_ptr_nonnull(to);
	memcpy(to, from, number * size);
	return to;
}

/* The same recording of a ring that holds the last events. */
static void keep_last(size_t events)
{
	const struct la_recorded_device *device =
		la_recording_device(recording, 0);

	ck_assert_uint_gt(device->event_count, events);
	snapshot.event_count = events;
	snapshot.event = copy(device->events + device->event_count - events,
			      events, sizeof(*device->events));
	snapshot.segment_count = device->segment_count;
	snapshot.segment = copy(device->segments, device->segment_count,
				sizeof(*device->segments));
	snapshot.block_count = device->block_count;
	snapshot.block = copy(device->blocks, device->block_count,
			      sizeof(*device->blocks));
	read_snapshot();
}

/* Never a wrong answer; what the brief history does not determine is open,
 * but expandable segments are told. */
START_TEST(test_late_history)
{
	static const size_t kept[] = { 5000, 2000, 1000, 500 };
	const struct la_program_options known = {
		.limit = &(struct la_limit){ LA_LIMIT_CAP, 9015593625 },
		.total = 150109880320,
	};
	size_t i;

	ck_assert_int_eq(la_recording_open(&recording, GNN, NULL, NULL), 0);
	keep_last(kept[_i]);
	replay_with(&known);
	ck_assert(facts.late && facts.exact);
	for (i = 0; i < 6; i++) {
		const struct la_trial *row = find(truths[i].setting);

		ck_assert(row->past == truths[i].past ||
			  row->past == LA_PAST_UNKNOWN);
	}
	ck_assert_int_eq(find("")->past, LA_PAST_STUCK);
	ck_assert_int_eq(find(EXPANDABLE)->past, LA_PAST_PAST);
	ck_assert_int_eq(find("max_split_size_mb:128")->past, LA_PAST_PAST);
}
END_TEST

/* Garbage collection got past it: by what it gave back before the history
 * begins, so that a replay from there fails. */
START_TEST(test_late_history_hides_collections)
{
	static const size_t kept[] = { 5000, 2000 };
	const struct la_program_options known = {
		.limit = &(struct la_limit){ LA_LIMIT_CAP, 2007652147 },
		.total = 150109880320,
	};

	ck_assert_int_eq(la_recording_open(&recording, PHASES, NULL, NULL), 0);
	keep_last(kept[_i]);
	replay_with(&known);
	ck_assert(facts.late && facts.exact);
	ck_assert_int_eq(find("garbage_collection_threshold:0.8")->past,
			 LA_PAST_UNKNOWN);
	ck_assert_int_eq(find("")->past, LA_PAST_STUCK);
	ck_assert_int_eq(find(EXPANDABLE)->past, LA_PAST_PAST);
	ck_assert_int_ne(find("roundup_power2_divisions:4")->past,
			 LA_PAST_PAST);
}
END_TEST

/* 22 MiB hold a segment of 60, so that 62 more do not fit into 104; then the
 * program goes on. */
START_TEST(test_what_comes_later_does_not_count)
{
	const struct la_setting_values setting = default_setting();
	const struct la_program_options known = {
		.limit = &(struct la_limit){ LA_LIMIT_CAP, 104 * MIB },
	};
	struct la_heap_config config = {
		.setting = &setting,
		.cap = 104 * MIB,
		.listener = snapshot_hear,
		.listener_data = &snapshot,
	};
	la_block block, big;
	struct la_heap *heap;

	ck_assert_int_eq(la_device_sim(&config.device, LA_LAYOUT_RULE,
				       UINT64_MAX, 0), 0);
	ck_assert_int_eq(la_heap_new(&heap, &config, NULL), 0);
	la_heap_stream(heap, 0);
	ck_assert_int_eq(la_heap_alloc(heap, 60 * MIB, 0, 0, &big), 0);
	la_heap_release(heap, big);
	ck_assert_int_eq(la_heap_alloc(heap, 22 * MIB, 0, 0, &block), 0);
	ck_assert_int_eq(la_heap_alloc(heap, 62 * MIB, 0, 0, &big), -ENOSPC);
	la_heap_release(heap, block);
	ck_assert_int_eq(la_heap_alloc(heap, 98 * MIB, 0, 0, &big), 0);
	la_heap_release(heap, big);
	ck_assert_int_eq(la_heap_alloc(heap, 22 * MIB, 0, 0, &block), 0);
	snapshot_take(&snapshot, heap);
	read_snapshot();
	la_heap_free(heap);
	la_device_destroy(config.device);
	replay_with(&known);
	ck_assert(facts.went_on);
	ck_assert_int_eq(trial[0].past, LA_PAST_STUCK);
	/* Two pages of 20 MiB stay, and 84 MiB take five. */
	ck_assert_int_eq(find(EXPANDABLE)->past, LA_PAST_PAST);
	ck_assert_uint_eq(find(EXPANDABLE)->reserved, 100 * MIB);
	ck_assert_uint_eq(find(EXPANDABLE)->headroom, 4 * MIB);
	ck_assert_uint_eq(action(LA_TRIAL_PACKED)->reserved, 84 * MIB);
}
END_TEST

START_TEST(test_no_failure)
{
	ck_assert_int_eq(la_recording_open(
				 &recording,
				 "tests/data/big_random.default.pickle.xz",
				 NULL, NULL), 0);
	ck_assert_int_eq(la_program_new(&program, recording, 0, NULL, NULL),
			 0);
	ck_assert_int_eq(la_facts_of_recording(&facts, recording, 0, program,
					       NULL), -ENOENT);
	ck_assert_int_eq(la_remedies_replay(&trial, &count, program, &facts,
					    &options, NULL), -ENOENT);
}
END_TEST

START_TEST(test_names)
{
	ck_assert_str_eq(la_past_name(LA_PAST_UNKNOWN), "unknown");
	ck_assert_str_eq(la_past_name(LA_PAST_STUCK), "stuck");
	ck_assert_str_eq(la_past_name(LA_PAST_DEPENDS), "depends");
	ck_assert_str_eq(la_past_name(LA_PAST_PAST), "past");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("remedies");
	TCase *tcase = tcase_create("remedies");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_as_torch_did, 0,
			    (int)ARRAY_SIZE(truths));
	tcase_add_loop_test(tcase, test_whole_runs, 0, 3);
	tcase_add_test(tcase, test_reserved_at_that_moment);
	tcase_add_test(tcase, test_actions);
	tcase_add_test(tcase, test_nothing_packs_too_much);
	tcase_add_test(tcase, test_what_is_asked);
	tcase_add_test(tcase, test_of_a_release);
	tcase_add_test(tcase, test_threads_change_nothing);
	tcase_add_loop_test(tcase, test_late_history, 0, 4);
	tcase_add_loop_test(tcase, test_late_history_hides_collections, 0, 2);
	tcase_add_test(tcase, test_what_comes_later_does_not_count);
	tcase_add_test(tcase, test_no_failure);
	tcase_add_test(tcase, test_names);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
