// SPDX-License-Identifier: Apache-2.0
/* The front of memory against time, and the winner. */

#include <check.h>
#include <stdlib.h>

#include "replay/choose.h"
#include "util/util.h"

/* A setting that fits under 8 GiB, takes so many MiB and so many seconds. */
static struct la_tuned make(const char *setting, uint64_t mib, double seconds)
{
	return (struct la_tuned){
		.setting = setting,
		.replayed = true,
		.outcome = LA_OUTCOME_RUNS,
		.limit = { LA_LIMIT_CAP, 8 * GIB },
		.minimum_memory = mib * MIB,
		.minimum_memory_range = { mib * MIB, mib * MIB },
		.seconds = seconds,
	};
}

/* Where nothing is said against any of them. */
static size_t winner_of(const struct la_tuned *tuned, size_t count,
			bool limited)
{
	const bool eligible[8] = { true, true, true, true,
				   true, true, true, true };

	ck_assert_uint_le(count, ARRAY_SIZE(eligible));
	return la_choose_winner(tuned, eligible, count, limited);
}

START_TEST(test_what_is_objected_to_does_not_win)
{
	const struct la_tuned t[] = { make("", 4000, 1), make("a:1", 3000, 1),
				      make("b:1", 3500, 1) };
	const bool eligible[] = { true, false, true };
	const bool none[] = { false, false, false };

	ck_assert_uint_eq(la_choose_winner(t, eligible, 3, false), 2);
	ck_assert_uint_eq(la_choose_winner(t, none, 3, false), SIZE_MAX);
}
END_TEST

START_TEST(test_what_cannot_be_told_apart)
{
	ck_assert_double_eq_tol(la_choose_slack(0.01), 0.06, 1e-9);
	ck_assert_double_eq_tol(la_choose_slack(10), 11, 1e-9);
	ck_assert_uint_eq(la_choose_less(1000), 995);
}
END_TEST

START_TEST(test_front_is_what_nothing_beats)
{
	struct la_tuned t[] = {
		make("", 4000, 1), make("a:1", 3000, 2), make("b:1", 3000, 3),
		make("c:1", 5000, 1), make("d:1", 2000, 9),
		make("e:1", 4000, 1),
	};

	la_choose_front(t, ARRAY_SIZE(t));
	ck_assert(t[0].pareto);
	ck_assert(t[1].pareto);
	ck_assert(!t[2].pareto);
	ck_assert(!t[3].pareto);
	ck_assert(t[4].pareto);
	ck_assert(t[5].pareto);
}
END_TEST

START_TEST(test_front_is_of_what_fits)
{
	struct la_tuned t[] = { make("", 4000, 1), make("a:1", 9000, 0.5),
				make("b:1", 3000, 0.1) };

	t[1].outcome = LA_OUTCOME_OOM;
	t[2].outcome = LA_OUTCOME_DEPENDS;
	la_choose_front(t, ARRAY_SIZE(t));
	ck_assert(t[0].pareto);
	ck_assert(!t[1].pareto);
	ck_assert(!t[2].pareto);
}
END_TEST

START_TEST(test_front_if_nothing_fits_is_of_what_was_replayed)
{
	struct la_tuned t[] = { make("", 9000, 1), make("a:1", 9500, 2),
				make("b:1", 0, 0) };

	t[0].outcome = t[1].outcome = t[2].outcome = LA_OUTCOME_OOM;
	t[2].replayed = false;
	la_choose_front(t, ARRAY_SIZE(t));
	ck_assert(t[0].pareto);
	ck_assert(!t[1].pareto);
	ck_assert(!t[2].pareto);
}
END_TEST

START_TEST(test_under_a_limit_time_decides)
{
	struct la_tuned t[] = { make("", 4000, 3), make("a:1", 7000, 1),
				make("b:1", 2000, 2) };

	ck_assert_uint_eq(winner_of(t, ARRAY_SIZE(t), true), 1);
}
END_TEST

START_TEST(test_times_that_are_close_are_decided_by_fewer_options)
{
	struct la_tuned t[] = { make("", 4000, 1.09),
				make("a:1,b:2", 3000, 1),
				make("c:[1:2,3:4]", 3000, 1) };

	ck_assert_uint_eq(winner_of(t, ARRAY_SIZE(t), true), 0);
	t[0].seconds = 1.11;
	ck_assert_uint_eq(winner_of(t, ARRAY_SIZE(t), true), 2);
}
END_TEST

START_TEST(test_short_times_are_close)
{
	struct la_tuned t[] = { make("", 4000, 0.049), make("a:1", 4000, 0) };

	ck_assert_uint_eq(winner_of(t, ARRAY_SIZE(t), true), 0);
	t[0].seconds = 0.051;
	ck_assert_uint_eq(winner_of(t, ARRAY_SIZE(t), true), 1);
}
END_TEST

START_TEST(test_as_many_options_memory_then_time_decide)
{
	struct la_tuned t[] = { make("a:1", 4000, 1), make("b:2", 3000, 1.01),
				make("c:3", 3000, 1), make("d:4", 3000, 1) };

	ck_assert_uint_eq(winner_of(t, ARRAY_SIZE(t), true), 2);
	t[1].seconds = 1;
	ck_assert_uint_eq(winner_of(t, ARRAY_SIZE(t), true), 1);
}
END_TEST

START_TEST(test_without_a_limit_memory_decides)
{
	struct la_tuned t[] = { make("", 4000, 1), make("a:1", 7000, 0),
				make("b:1,c:1", 3000, 9),
				make("d:1", 3014, 1) };

	ck_assert_uint_eq(winner_of(t, ARRAY_SIZE(t), false), 3);
	t[3].minimum_memory_range[1] = 3016 * MIB;
	ck_assert_uint_eq(winner_of(t, ARRAY_SIZE(t), false), 2);
}
END_TEST

START_TEST(test_what_does_not_fit_never_wins)
{
	struct la_tuned t[] = { make("", 4000, 0), make("a:1", 4000, 0),
				make("b:1", 5000, 5) };

	t[0].outcome = LA_OUTCOME_DEPENDS;
	t[1].outcome = LA_OUTCOME_OOM;
	ck_assert_uint_eq(winner_of(t, ARRAY_SIZE(t), true), 2);
	t[2].outcome = LA_OUTCOME_OOM;
	ck_assert_uint_eq(winner_of(t, ARRAY_SIZE(t), true), SIZE_MAX);
	ck_assert_uint_eq(winner_of(t, 0, true), SIZE_MAX);
}
END_TEST

START_TEST(test_an_island_wins_only_if_nothing_else_fits)
{
	struct la_tuned t[] = { make("", 8200, 0), make("a:1", 4000, 5) };

	ck_assert_uint_eq(winner_of(t, ARRAY_SIZE(t), true), 1);
	t[1].outcome = LA_OUTCOME_OOM;
	ck_assert_uint_eq(winner_of(t, ARRAY_SIZE(t), true), 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("choose");
	TCase *tc = tcase_create("choose");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_what_is_objected_to_does_not_win);
	tcase_add_test(tc, test_what_cannot_be_told_apart);
	tcase_add_test(tc, test_front_is_what_nothing_beats);
	tcase_add_test(tc, test_front_is_of_what_fits);
	tcase_add_test(tc, test_front_if_nothing_fits_is_of_what_was_replayed);
	tcase_add_test(tc, test_under_a_limit_time_decides);
	tcase_add_test(tc,
		       test_times_that_are_close_are_decided_by_fewer_options);
	tcase_add_test(tc, test_short_times_are_close);
	tcase_add_test(tc, test_as_many_options_memory_then_time_decide);
	tcase_add_test(tc, test_without_a_limit_memory_decides);
	tcase_add_test(tc, test_what_does_not_fit_never_wins);
	tcase_add_test(tc, test_an_island_wins_only_if_nothing_else_fits);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
