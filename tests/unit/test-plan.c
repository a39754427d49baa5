// SPDX-License-Identifier: Apache-2.0
/* Plans of whole programs: what goes where is worked out by hand. */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/replay.h>

#include "support/snapshot.h"
#include "util/util.h"

static const uint64_t base = 0x7f0000000000;

static struct snapshot snapshot;
static struct la_recording *recording;
static struct la_program *program;

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

static void add(enum la_action action, uint64_t mib, uint64_t size)
{
	const struct la_event event = {
		.addr = base + mib * MIB,
		.size = size,
		.action = action,
	};

	snapshot_add(&snapshot, &event);
}

/* A request that gets a segment of its own. */
static void add_alone(uint64_t mib, uint64_t size)
{
	add(LA_SEGMENT_ALLOC, mib, size * MIB);
	add(LA_ALLOC, mib, size * MIB);
}

static void add_free(uint64_t mib, uint64_t size)
{
	add(LA_FREE_REQUESTED, mib, size);
	add(LA_FREE_COMPLETED, mib, size);
}

static uint64_t plan(void)
{
	uint64_t bytes = 0;
	size_t size;
	uint8_t *pickle;

	add(LA_SNAPSHOT, 0, 0);
	pickle = snapshot_pickle(&snapshot, &size);
	ck_assert_int_eq(la_recording_read(&recording, pickle, size, NULL,
					   NULL), 0);
	free(pickle);
	ck_assert_int_eq(la_program_new(&program, recording, 0, NULL, NULL),
			 0);
	ck_assert_int_eq(la_program_plan(program, &bytes, NULL), 0);
	return bytes;
}

START_TEST(test_nothing_takes_nothing)
{
	ck_assert_uint_eq(plan(), 0);
}
END_TEST

START_TEST(test_a_gap_that_fits_exactly_is_used)
{
	add_alone(0, 20);
	add_alone(32, 16);
	add_alone(64, 16);
	add_free(32, 16 * MIB);
	add(LA_ALLOC, 32, 16 * MIB);
	add_free(0, 20 * MIB);
	add_free(32, 16 * MIB);
	add_free(64, 16 * MIB);
	ck_assert_uint_eq(plan(), 52 * MIB);
}
END_TEST

/* The largest lie at the bottom, so that the hole that they leave is used by
 * smaller ones that come later, whole or in parts. */
START_TEST(test_what_does_not_live_together_shares)
{
	add_alone(0, 40);
	add_free(0, 40 * MIB);
	add(LA_SEGMENT_FREE, 0, 40 * MIB);
	add_alone(64, 24);
	add_alone(96, 16);
	add_free(64, 24 * MIB);
	add_free(96, 16 * MIB);
	ck_assert_uint_eq(plan(), 40 * MIB);
}
END_TEST

START_TEST(test_sizes_are_rounded_to_512)
{
	add(LA_SEGMENT_ALLOC, 0, 2 * MIB);
	add(LA_ALLOC, 0, 513);
	add_free(0, 513);
	ck_assert_uint_eq(plan(), 1024);
}
END_TEST

/* Two blocks that were there at the start, in one chain with unmapped
 * addresses between them, which take nothing; one block is freed and its
 * place used again. */
START_TEST(test_unmapped_addresses_take_nothing)
{
	unsigned int i;

	snapshot.setting = "expandable_segments:True";
	snapshot.segment = calloc(2, sizeof(*snapshot.segment));
	snapshot.block = calloc(2, sizeof(*snapshot.block));
	ck_assert(snapshot.segment && snapshot.block);
	snapshot.segment_count = snapshot.block_count = 2;
	for (i = 0; i < 2; i++) {
		snapshot.segment[i] = (struct la_recorded_segment){
			.addr = base + i * 60 * MIB,
			.size = 20 * MIB,
			.first_block = i,
			.block_count = 1,
			.expandable = true,
		};
		snapshot.block[i] = (struct la_recorded_block){
			.size = 20 * MIB,
			.requested = 20 * MIB,
			.state = LA_RECORDED_LIVE,
		};
	}
	add_free(0, 20 * MIB);
	add(LA_ALLOC, 0, 20 * MIB);
	ck_assert_uint_eq(plan(), 40 * MIB);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plan");
	TCase *tc = tcase_create("plan");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_nothing_takes_nothing);
	tcase_add_test(tc, test_a_gap_that_fits_exactly_is_used);
	tcase_add_test(tc, test_what_does_not_live_together_shares);
	tcase_add_test(tc, test_sizes_are_rounded_to_512);
	tcase_add_test(tc, test_unmapped_addresses_take_nothing);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
