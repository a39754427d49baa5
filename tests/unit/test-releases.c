// SPDX-License-Identifier: Apache-2.0
/*
 * Which release made a recording.  The recordings are of heaps under the rules
 * of a release, which answer as the releases do: t0310-heap-releases.sh.
 */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/replay.h>

#include "support/snapshot.h"
#include "support/stage.h"

enum { BLOCKS = 40, STEPS = 400 };

static struct snapshot snapshot;
static struct la_recording *recording;
static struct la_program *program;
static const struct la_program_info *info;
static uint64_t state;

static uint64_t draw(uint64_t below)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (state >> 33) % below;
}

/* Few sizes, so that equal blocks abound; segments go down. */
static void run(struct la_heap *heap)
{
	static const uint64_t sizes[] = { 600, 3000, 2 * MIB, 10 * MIB + 1 };
	la_block block[BLOCKS];
	bool live[BLOCKS] = { false };
	int i;

	for (i = 0; i < STEPS; i++) {
		uint64_t at = draw(BLOCKS);

		if (live[at])
			la_heap_release(heap, block[at]);
		else
			ck_assert_int_eq(
				la_heap_alloc(heap, sizes[draw(4)],
					      la_heap_stream(heap, 0),
					      LA_DEFAULT_POOL, &block[at]), 0);
		live[at] = !live[at];
	}
}

static void record(unsigned int release, const char *text)
{
	const struct la_setting_context context = { .release = release,
						    .set_at = LA_SET_AT_INIT };
	struct la_heap_config config = {
		.release = release,
		.cap = UINT64_MAX,
		.listener = snapshot_hear,
		.listener_data = &snapshot,
	};
	struct la_setting *setting;
	struct la_heap *heap;

	ck_assert_int_eq(la_setting_parse_for(&setting, text, strlen(text),
					      &context, NULL), 0);
	config.setting = la_setting_values(setting);
	ck_assert_int_eq(la_device_sim(&config.device, LA_LAYOUT_DOWN,
				       UINT64_MAX, 0), 0);
	ck_assert_int_eq(la_heap_new(&heap, &config, NULL), 0);
	run(heap);
	snapshot.setting = text;
	snapshot_take(&snapshot, heap);
	la_heap_free(heap);
	la_device_destroy(config.device);
	la_setting_free(setting);
}

static void read_as(unsigned int release)
{
	const struct la_program_options options = { .release = release };
	size_t size;
	uint8_t *pickle = snapshot_pickle(&snapshot, &size);

	ck_assert_int_eq(la_recording_read(&recording, pickle, size, NULL,
					   NULL), 0);
	free(pickle);
	ck_assert_int_eq(la_program_new(&program, recording, 0, &options,
					NULL), 0);
	info = la_program_info(program);
}

static bool is_exact(void)
{
	struct la_verification found;

	ck_assert_int_eq(la_program_verify(program, &found, NULL), 0);
	return found.exact;
}

static void setup(void)
{
	memset(&snapshot, 0, sizeof(snapshot));
	state = 1;
}

static void teardown(void)
{
	la_program_free(program);
	la_recording_free(recording);
	snapshot_release(&snapshot);
}

static const struct {
	unsigned int minor; /* of 2.x, that recorded */
	const char *setting;
	unsigned int found; /* of those that do the same, the first tried */
} rows[] = {
	{ 12, "", 12 },
	{ 13, "", 13 },
	{ 14, "max_split_size_mb:64", 13 },
	{ 3, "roundup_power2_divisions:1", 3 },
	{ 0, "roundup_power2_divisions:1", 3 },
};

START_TEST(test_release_is_found_by_trial)
{
	record(LA_RELEASE(2, rows[_i].minor), rows[_i].setting);
	read_as(0);
	ck_assert(is_exact());
	ck_assert_int_eq(info->release_source, LA_RELEASE_FROM_TRIAL);
	ck_assert_uint_eq(info->release, LA_RELEASE(2, rows[_i].found));
}
END_TEST

START_TEST(test_what_2_11_explains_is_of_2_11)
{
	record(LA_RELEASE(2, 11), "");
	read_as(0);
	ck_assert(is_exact());
	ck_assert_int_eq(info->release_source, LA_RELEASE_ASSUMED);
	ck_assert_uint_eq(info->release, LA_RELEASE(2, 11));
}
END_TEST

START_TEST(test_caller_is_believed)
{
	record(LA_RELEASE(2, 13), "");
	read_as(LA_RELEASE(2, 11));
	ck_assert(!is_exact());
	ck_assert_int_eq(info->release_source, LA_RELEASE_FROM_CALLER);
	ck_assert_uint_eq(info->release, LA_RELEASE(2, 11));
}
END_TEST

/* What is played as another release goes by its rules. */
START_TEST(test_replay_as_another_release)
{
	struct la_replay_options options = { .as_recorded = false };
	struct la_replay_result result[2];
	int i;

	record(LA_RELEASE(2, 11), "max_split_size_mb:20");
	read_as(0);
	options.setting = la_program_setting(program);
	options.torch_release = LA_RELEASE(2, 10);
	for (i = 0; i < 2; i++) {
		struct la_setting_values values = *options.setting;

		values.large_segment_size = 40 * MIB;
		options.setting = &values;
		ck_assert_int_eq(la_replay(program, &options, &result[i],
					   NULL), 0);
		options.setting = la_program_setting(program);
		options.torch_release = LA_RELEASE(2, 11);
	}
	ck_assert_uint_lt(result[0].stats.reserved_peak,
			  result[1].stats.reserved_peak);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("releases");
	TCase *tcase = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_release_is_found_by_trial, 0,
			    ARRAY_SIZE(rows));
	tcase_add_test(tcase, test_what_2_11_explains_is_of_2_11);
	tcase_add_test(tcase, test_caller_is_believed);
	tcase_add_test(tcase, test_replay_as_another_release);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
