// SPDX-License-Identifier: Apache-2.0
/* Made-up programs on policy compact, and each operation of the device failing
 * once. */

#include <check.h>
#include <stdlib.h>

#include "support/compact-play.h"

enum {
	LENGTH = 4000,
	SEEDS = 100,
	FAULT_LENGTH = 1000,
	FAULT_SEEDS = 4,
	FAULTS = 500
};

static void fill(uint8_t *data, size_t size, uint64_t seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
	size_t i;

	for (i = 0; i < size; i++) {
		state = state * 6364136223846793005 + 1442695040888963407;
		data[i] = (uint8_t)(state >> 56);
	}
}

/* COMPACT_SEEDS=n in the environment plays more. */
START_TEST(test_nothing_goes_wrong)
{
	uint8_t data[LENGTH];
	uint64_t seed;

	for (seed = 1; seed <= SEEDS; seed++) {
		fill(data, sizeof(data), seed);
		ck_assert(!compact_play(data, sizeof(data), 0));
	}
}
END_TEST

START_TEST(test_nth_operation_fails)
{
	uint8_t data[FAULT_LENGTH];
	unsigned int failed = 0;
	uint64_t nth, seed;

	for (seed = 1; seed <= FAULT_SEEDS; seed++) {
		fill(data, sizeof(data), seed);
		for (nth = 1; nth <= FAULTS; nth++)
			failed += compact_play(data, sizeof(data), nth);
	}
	ck_assert_uint_gt(failed, 500);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("compact-play");
	TCase *tc = tcase_create("play");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, test_nothing_goes_wrong);
	tcase_add_test(tc, test_nth_operation_fails);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
