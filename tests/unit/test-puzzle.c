// SPDX-License-Identifier: Apache-2.0
/* Small colouring puzzles against all assignments of owners. */

#include <check.h>
#include <stdlib.h>

#include "replay/puzzle.h"
#include "util/util.h"

enum { SPANS = 6, OWNERS = 4, RULES = 12, PUZZLES = 2000, PLENTY = 100000 };

static struct puzzle puzzle;
static struct rule rule[RULES];
static size_t rule_count;
static uint64_t domain[SPANS];
static uint64_t state;

static void setup(void)
{
	ck_assert_int_eq(puzzle_init(&puzzle, SPANS, (1 << OWNERS) - 1), 0);
	rule_count = 0;
}

static void teardown(void)
{
	puzzle_destroy(&puzzle);
}

static uint32_t draw(uint32_t below)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)((state >> 33) % below);
}

static void add(uint32_t a, uint32_t b, enum rule_kind kind)
{
	rule[rule_count] = (struct rule){ a, b, kind };
	ck_assert_int_eq(puzzle_add(&puzzle, &rule[rule_count]), 0);
	rule_count++;
}

/* Do owners, by number, keep a rule? */
static bool keeps(const struct rule *r, const unsigned int *owner)
{
	unsigned int a = owner[r->a], b = owner[r->b];

	switch ((enum rule_kind)r->kind) {
	case RULE_DIFFER:
		return r->a == r->b || a != b;
	case RULE_NOT_DEFAULT:
		return a != 0 || b != 0;
	case RULE_NOT_PRIVATE:
		return r->a == r->b || a != b || a == 0;
	case RULE_SAME:
		break;
	}
	return a == b;
}

static bool is_solution(const unsigned int *owner)
{
	size_t i;

	for (i = 0; i < SPANS; i++)
		if (!(domain[i] >> owner[i] & 1))
			return false;
	for (i = 0; i < rule_count; i++)
		if (!keeps(&rule[i], owner))
			return false;
	return true;
}

/* Is there a solution among all assignments? */
static bool can_be_solved(void)
{
	unsigned int number, owner[SPANS];
	size_t i;

	for (number = 0; number < 1 << 2 * SPANS; number++) {
		for (i = 0; i < SPANS; i++)
			owner[i] = number >> 2 * i & 3;
		if (is_solution(owner))
			return true;
	}
	return false;
}

static void check_found(void)
{
	unsigned int owner[SPANS];
	size_t i;

	for (i = 0; i < SPANS; i++) {
		ck_assert_int_eq(__builtin_popcountll(puzzle.found[i]), 1);
		owner[i] = (unsigned int)__builtin_ctzll(puzzle.found[i]);
	}
	ck_assert(is_solution(owner));
}

static void make_puzzle(void)
{
	uint32_t count = draw(RULES + 1), i;

	for (i = 0; i < SPANS; i++)
		puzzle.domain[i] = domain[i] =
			draw(3) ? (1 << OWNERS) - 1 : 1 + draw(15);
	for (i = 0; i < count; i++) {
		uint32_t a = draw(SPANS), b = draw(SPANS);

		add(a < b ? a : b, a < b ? b : a, draw(4));
	}
}

START_TEST(test_solved_if_it_can_be)
{
	int solved = 0, i;

	state = (uint64_t)_i + 1;
	for (i = 0; i < PUZZLES; i++) {
		bool found;

		make_puzzle();
		found = puzzle_solve(&puzzle, NULL, PLENTY);
		ck_assert_int_eq(found, can_be_solved());
		if (found)
			check_found();
		solved += found;
		teardown();
		setup();
	}
	ck_assert_int_gt(solved, PUZZLES / 5);
	ck_assert_int_lt(solved, PUZZLES * 4 / 5);
}
END_TEST

/* A forced owner stands even outside of the domain. */
START_TEST(test_forced)
{
	const uint64_t forced[SPANS] = { 0, 4, 0, 0, 0, 0 };

	puzzle.domain[1] = 1;
	add(0, 1, RULE_SAME);
	ck_assert(puzzle_solve(&puzzle, forced, PLENTY));
	ck_assert_uint_eq(puzzle.found[0], 4);
	ck_assert_uint_eq(puzzle.found[1], 4);
	ck_assert(puzzle_solve(&puzzle, NULL, PLENTY));
	ck_assert_uint_eq(puzzle.found[0], 1);
}
END_TEST

/* The default pool is preferred, then lower owners, for the first spans. */
START_TEST(test_preference)
{
	add(0, 1, RULE_NOT_DEFAULT);
	add(1, 2, RULE_DIFFER);
	ck_assert(puzzle_solve(&puzzle, NULL, PLENTY));
	ck_assert_uint_eq(puzzle.found[0], 1);
	ck_assert_uint_eq(puzzle.found[1], 2);
	ck_assert_uint_eq(puzzle.found[2], 1);
}
END_TEST

/* One guess a span, and one look at the start. */
START_TEST(test_tries_are_bounded)
{
	ck_assert(!puzzle_solve(&puzzle, NULL, SPANS));
	ck_assert(puzzle_solve(&puzzle, NULL, SPANS + 1));
	ck_assert(!puzzle_solve(&puzzle, NULL, 0));
}
END_TEST

/* The second group contradicts a rule, and goes as a whole. */
START_TEST(test_likely_groups)
{
	const struct likely_rule likely[] = {
		{ 10, { 0, 1, RULE_SAME } }, { 20, { 2, 3, RULE_SAME } },
		{ 20, { 1, 4, RULE_SAME } }, { 30, { 3, 5, RULE_SAME } },
	};
	const uint64_t forced[SPANS] = { 2, 0, 0, 4, 0, 0 };

	add(0, 4, RULE_DIFFER);
	ck_assert_int_eq(puzzle_add_likely(&puzzle, likely,
					   ARRAY_SIZE(likely)), 0);
	ck_assert(puzzle_solve(&puzzle, forced, PLENTY));
	ck_assert_uint_eq(puzzle.found[1], 2);
	ck_assert_uint_eq(puzzle.found[2], 1);
	ck_assert_uint_ne(puzzle.found[4], 2);
	ck_assert_uint_eq(puzzle.found[5], 4);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("puzzle");
	TCase *tc = tcase_create("puzzle");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_solved_if_it_can_be, 0, 5);
	tcase_add_test(tc, test_forced);
	tcase_add_test(tc, test_preference);
	tcase_add_test(tc, test_tries_are_bounded);
	tcase_add_test(tc, test_likely_groups);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
