// SPDX-License-Identifier: Apache-2.0
/*
 * The leak test, on programs whose leaks are known as they were written here,
 * and on recordings of programs that have none.
 */

#include <check.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/triage.h>

#include "support/snapshot.h"
#include "support/stage.h"
#include "triage/trend.h"
#include "util/util.h"

enum { STEPS = 40 };

static struct la_device *device;
static struct la_heap *heap;
static struct snapshot snapshot;
static struct la_recording *recording;
static struct la_program *program;
static struct la_facts facts;

static void setup(void)
{
	const struct la_setting_values setting = default_setting();
	struct la_heap_config config = {
		.setting = &setting,
		.cap = UINT64_MAX,
		.listener = snapshot_hear,
		.listener_data = &snapshot,
	};

	memset(&snapshot, 0, sizeof(snapshot));
	memset(&facts, 0, sizeof(facts));
	recording = NULL;
	program = NULL;
	ck_assert_int_eq(la_device_sim(&device, LA_LAYOUT_RULE, UINT64_MAX, 0),
			 0);
	config.device = device;
	ck_assert_int_eq(la_heap_new(&heap, &config, NULL), 0);
	la_heap_stream(heap, 0);
}

static void teardown(void)
{
	la_facts_release(&facts);
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

/* Batches of 11 to 63 MiB, and temporaries of the same size in each step. */
static void step(unsigned int number, uint64_t kept)
{
	uint64_t batch = 11 + number * number * 7919 % 53;
	la_block first = take(batch * MIB), second;
	int i;

	for (i = 0; i < 3; i++) {
		second = take((uint64_t)(i + 2) * MIB);
		la_heap_release(heap, second);
	}
	la_heap_release(heap, first);
	if (kept)
		take(kept);
}

static const struct la_growth *test_growth(uint64_t card)
{
	struct la_program_options options = { .total = card };
	uint8_t *pickle;
	size_t size;

	snapshot_take(&snapshot, heap);
	pickle = snapshot_pickle(&snapshot, &size);
	ck_assert_int_eq(la_recording_read(&recording, pickle, size, NULL,
					   NULL), 0);
	free(pickle);
	ck_assert_int_eq(la_program_new(&program, recording, 0, &options,
					NULL), 0);
	ck_assert_int_eq(la_facts_of_recording(&facts, recording, 0, program,
					       NULL), -ENOENT);
	return &facts.growth;
}

/* 100 MiB that stay from the start, then 8 MiB more a step. */
START_TEST(test_a_leak_grows)
{
	const struct la_growth *growth;
	unsigned int i;

	take(100 * MIB);
	for (i = 0; i < STEPS; i++)
		step(i, 8 * MIB);
	growth = test_growth(GIB);
	ck_assert(growth->tested && growth->grows && growth->marked);
	ck_assert_double_eq_tol(growth->slope, 8 * MIB, 1);
	ck_assert_uint_ge(growth->windows, 8);
	ck_assert_double_lt(growth->p, 1e-9);
	ck_assert_uint_eq(growth->last - growth->first,
			  (growth->windows - 1) * 8 * MIB);
	ck_assert_uint_eq(growth->size, 8 * MIB);
	ck_assert_uint_eq(growth->stack_bytes,
			  (growth->windows - 1) * 8 * MIB);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_LEAK].low,
			  growth->last - growth->first);
	/* 1 GiB less 100 MiB, 39 leaks and up to 64 MiB of a batch. */
	ck_assert_double_ge(growth->steps_left, (924 - 320 - 64) / 8);
	ck_assert_double_le(growth->steps_left, (924 - 304) / 8);
}
END_TEST

/* Much was taken in the first steps, and stays. */
START_TEST(test_a_plateau_is_none)
{
	const struct la_growth *growth;
	unsigned int i;

	for (i = 0; i < STEPS; i++)
		step(i, i < STEPS / 2 ? 8 * MIB : 0);
	growth = test_growth(GIB);
	ck_assert(growth->tested && !growth->grows);
	ck_assert_int_eq(facts.amount[LA_AMOUNT_LEAK].basis, LA_BASIS_NONE);
}
END_TEST

START_TEST(test_a_steady_program_has_none)
{
	const struct la_growth *growth;
	unsigned int i;

	take(200 * MIB);
	for (i = 0; i < STEPS; i++)
		step(i, 0);
	growth = test_growth(GIB);
	ck_assert(growth->tested && !growth->grows);
	ck_assert_uint_eq(growth->first, 200 * MIB);
	ck_assert_uint_eq(growth->last, 200 * MIB);
	ck_assert_double_eq(growth->slope, 0);
}
END_TEST

/* 40 x 8 MiB are less than a twentieth of 80 GiB. */
START_TEST(test_a_trickle_is_no_cause)
{
	unsigned int i;

	for (i = 0; i < STEPS; i++)
		step(i, 8 * MIB);
	ck_assert(!test_growth(80 * GIB)->grows);
}
END_TEST

/* The same beside weights that leave it less than twice as much. */
START_TEST(test_a_trickle_fills_what_is_left)
{
	const struct la_growth *growth;
	unsigned int i;

	take(79 * GIB + 600 * MIB);
	for (i = 0; i < STEPS; i++)
		step(i, 8 * MIB);
	growth = test_growth(80 * GIB);
	ck_assert(growth->grows);
	ck_assert_uint_eq(growth->size, 8 * MIB);
}
END_TEST

/* Parameters of a model: nothing is ever freed. */
START_TEST(test_loading_is_no_leak)
{
	unsigned int i;

	for (i = 0; i < 30 * STEPS; i++)
		take(4 * MIB);
	ck_assert(!test_growth(8 * GIB)->grows);
}
END_TEST

START_TEST(test_too_short)
{
	unsigned int i;

	for (i = 0; i < 5; i++)
		step(i, 8 * MIB);
	ck_assert(!test_growth(GIB)->tested);
}
END_TEST

/* Programs that keep nothing: data/README.md tells what they do. */
START_TEST(test_recordings_without_leaks)
{
	unsigned int d;
	glob_t files;
	size_t i;

	ck_assert_int_eq(glob("tests/data/*.pickle.xz", 0, NULL, &files), 0);
	ck_assert_uint_gt(files.gl_pathc, 20);
	for (i = 0; i < files.gl_pathc; i++) {
		ck_assert_int_eq(la_recording_open(&recording,
						   files.gl_pathv[i], NULL,
						   NULL), 0);
		d = la_recording_main_device(recording);
		program = NULL;
		la_program_new(&program, recording, d, NULL, NULL);
		la_facts_of_recording(&facts, recording, d, program, NULL);
		ck_assert_msg(!facts.growth.grows, "%s", files.gl_pathv[i]);
		la_facts_release(&facts);
		la_program_free(program);
		la_recording_free(recording);
	}
	program = NULL;
	recording = NULL;
	globfree(&files);
}
END_TEST

/* 24 of 28 pairs rise and 4 are ties: the variance is (8 * 7 * 21 - 4 * 2 *
 * 1 * 9) / 18, and z = 23 / 7.8316. */
START_TEST(test_mann_kendall)
{
	static const uint64_t ties[] = { 1, 1, 2, 2, 3, 3, 4, 4 };
	static const uint64_t falling[] = { 9, 8, 7, 6, 5, 4, 3, 2 };
	static const uint64_t equal[] = { 5, 5, 5, 5 };
	double slope;

	ck_assert_double_eq_tol(trend_p(ties, 8), 0.0016582, 1e-6);
	ck_assert_double_gt(trend_p(falling, 8), 0.999);
	ck_assert_double_eq(trend_p(equal, 4), 1);
	ck_assert_int_eq(trend_slope(&slope, falling, 8), 0);
	ck_assert_double_eq_tol(slope, -1, 1e-12);
}
END_TEST

/* Slopes 1, 2, 4, 3/2, 3 and 7/3: the median is between 2 and 7/3. */
START_TEST(test_theil_sen)
{
	static const uint64_t value[] = { 1, 2, 4, 8 };
	double slope;

	ck_assert_int_eq(trend_slope(&slope, value, 4), 0);
	ck_assert_double_eq_tol(slope, 13.0 / 6, 1e-12);
	ck_assert_int_eq(trend_slope(&slope, value, 1), 0);
	ck_assert_double_eq(slope, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("growth");
	TCase *tcase = tcase_create("growth");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_a_leak_grows);
	tcase_add_test(tcase, test_a_plateau_is_none);
	tcase_add_test(tcase, test_a_steady_program_has_none);
	tcase_add_test(tcase, test_a_trickle_is_no_cause);
	tcase_add_test(tcase, test_a_trickle_fills_what_is_left);
	tcase_add_test(tcase, test_loading_is_no_leak);
	tcase_add_test(tcase, test_too_short);
	tcase_add_test(tcase, test_recordings_without_leaks);
	tcase_add_test(tcase, test_mann_kendall);
	tcase_add_test(tcase, test_theil_sen);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
