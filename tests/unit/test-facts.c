// SPDX-License-Identifier: Apache-2.0
/* Replays that were made are found again, and only those. */

#include <check.h>
#include <stdlib.h>

#include "replay/facts.h"
#include "util/util.h"

static struct facts facts;

static void setup(void)
{
	facts_init(&facts);
}

static void teardown(void)
{
	facts_release(&facts);
}

static struct la_tune_fact make(uint64_t i)
{
	return (struct la_tune_fact){
		.likeness = i / 40,
		.program = (uint32_t)(i % 2),
		.layout = (enum la_layout)(i / 2 % 5),
		.limit = { LA_LIMIT_CAP, i / 10 % 4 * MIB },
		.reserved_peak = i + 1,
	};
}

START_TEST(test_every_one_is_found)
{
	enum { COUNT = 5000 };
	struct la_tune_fact fact;
	uint64_t i;

	for (i = 0; i < COUNT; i++) {
		fact = make(i);
		ck_assert(!facts_find(&facts, &fact));
		ck_assert_int_eq(facts_add(&facts, &fact, true), 0);
	}
	for (i = 0; i < COUNT; i++) {
		fact = make(i);
		fact.reserved_peak = 0;
		ck_assert(facts_find(&facts, &fact));
		ck_assert_uint_eq(fact.reserved_peak, i + 1);
	}
	ck_assert_uint_eq(facts.count, COUNT);
}
END_TEST

START_TEST(test_the_first_one_stays)
{
	struct la_tune_fact fact = make(7), other = fact;

	other.reserved_peak = 99;
	ck_assert_int_eq(facts_add(&facts, &fact, true), 0);
	ck_assert_int_eq(facts_add(&facts, &other, true), 0);
	ck_assert_uint_eq(facts.count, 1);
	ck_assert(facts_find(&facts, &other));
	ck_assert_uint_eq(other.reserved_peak, 8);
}
END_TEST

START_TEST(test_kind_of_limit_counts)
{
	struct la_tune_fact fact = make(7);

	ck_assert_int_eq(facts_add(&facts, &fact, true), 0);
	fact.limit.kind = LA_LIMIT_CARD;
	ck_assert(!facts_find(&facts, &fact));
}
END_TEST

START_TEST(test_what_was_not_asked_for_is_dropped)
{
	struct la_tune_fact fact;
	uint64_t i;

	for (i = 0; i < 9; i++) {
		fact = make(i);
		ck_assert_int_eq(facts_add(&facts, &fact, false), 0);
	}
	fact = make(4);
	ck_assert(facts_find(&facts, &fact));
	facts_drop_unused(&facts);
	ck_assert_uint_eq(facts.count, 1);
	ck_assert_uint_eq(facts.fact[0].reserved_peak, 5);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("facts");
	TCase *tc = tcase_create("facts");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_every_one_is_found);
	tcase_add_test(tc, test_the_first_one_stays);
	tcase_add_test(tc, test_kind_of_limit_counts);
	tcase_add_test(tc, test_what_was_not_asked_for_is_dropped);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
