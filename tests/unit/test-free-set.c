// SPDX-License-Identifier: Apache-2.0
/* The free set against a plain sorted array. */

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "heap/free-set.h"

enum { MAX = 3000 };

static struct free_set set;
static struct free_entry plain[MAX];
static uint32_t count;
static uint64_t state;

static void setup(void)
{
	memset(&set, 0, sizeof(set));
	count = 0;
	state = 1;
}

static void teardown(void)
{
	free_set_destroy(&set);
}

static uint64_t draw(uint64_t below)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (state >> 33) % below;
}

/* An assertion of Check is slow: only what fails goes there. */
static void require(bool holds, const char *what)
{
	if (!holds)
		ck_abort_msg("%s", what);
}

/* Place of the first entry that is not before (size, addr). */
static uint32_t place(uint64_t size, uint64_t addr)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t i = (low + high) / 2;

		if (plain[i].size < size ||
		    (plain[i].size == size && plain[i].addr < addr))
			low = i + 1;
		else
			high = i;
	}
	return low;
}

static void insert(uint64_t size, uint64_t addr)
{
	uint32_t at = place(size, addr), block = (uint32_t)draw(1 << 30);

	if (at < count && plain[at].size == size && plain[at].addr == addr)
		return;
	require(free_set_reserve(&set, 1) == 0, "reserve");
	free_set_insert(&set, size, addr, block);
	memmove(&plain[at + 1], &plain[at], (count++ - at) * sizeof(*plain));
	plain[at] = (struct free_entry){ size, addr, block };
}

static void drop(uint32_t at)
{
	free_set_remove(&set, plain[at].size, plain[at].addr);
	memmove(&plain[at], &plain[at + 1], (--count - at) * sizeof(*plain));
}

static void assert_entry(const struct free_entry *entry, uint32_t at)
{
	if (at == count) {
		require(!entry, "an entry behind the last");
		return;
	}
	require(entry && entry->size == plain[at].size &&
			entry->addr == plain[at].addr &&
			entry->block == plain[at].block,
		"another entry");
}

static void compare(const struct free_set *other)
{
	struct free_pos pos = free_set_first();
	uint32_t i;

	for (i = 0; i < count; i++, pos = free_set_next(other, pos))
		assert_entry(free_set_at(other, pos), i);
	require(!free_set_at(other, pos), "an entry behind the last");
	while (i--) {
		require(free_set_previous(other, &pos), "no entry before");
		assert_entry(free_set_at(other, pos), i);
	}
	require(!free_set_previous(other, &pos), "an entry before the first");
}

/* Every leaf is used or spare, once, and spare ones are what is left. */
static void check_order(void)
{
	static bool seen[MAX];
	uint32_t i;

	memset(seen, 0, sizeof(seen));
	ck_assert_uint_le(set.used, set.room);
	for (i = 0; i < set.room; i++) {
		ck_assert_uint_lt(set.order[i], set.room);
		ck_assert(!seen[set.order[i]]);
		seen[set.order[i]] = true;
		if (i < set.used)
			ck_assert_uint_gt(set.leaf[set.order[i]].count, 0);
	}
}

static void find_around(uint64_t size)
{
	struct free_pos pos = free_set_find(&set, size);
	uint32_t at = place(size, 0);

	assert_entry(free_set_at(&set, pos), at);
	require(free_set_previous(&set, &pos) == (at > 0), "previous");
	if (at)
		assert_entry(free_set_at(&set, pos), at - 1);
}

START_TEST(test_empty_set)
{
	struct free_set twin = { 0 };
	struct free_pos pos = free_set_find(&set, 0);

	ck_assert_ptr_null(free_set_at(&set, pos));
	ck_assert(!free_set_previous(&set, &pos));
	ck_assert_ptr_null(free_set_at(&set, free_set_first()));
	ck_assert_int_eq(free_set_copy(&twin, &set), 0);
	ck_assert_ptr_null(free_set_at(&twin, free_set_first()));
	free_set_destroy(&twin);
	free_set_destroy(&twin);
}
END_TEST

/* Sizes from few values give ties; entries come and go, mostly come, mostly
 * go, and come again. */
START_TEST(test_random_operations)
{
	uint64_t sizes = _i % 2 ? 6 : 1 << 20;
	int phase, i;

	state = (uint64_t)_i;
	for (phase = 0; phase < 4; phase++) {
		uint64_t keep = phase % 2 ? 3 : 7;

		for (i = 0; i < 1500; i++) {
			if (draw(10) < keep && count < MAX)
				insert(draw(sizes) * 512, draw(1 << 20) * 512);
			else if (count)
				drop((uint32_t)draw(count));
			find_around(draw(sizes + 1) * 512);
			if (i % 150 == 0)
				compare(&set);
		}
		check_order();
	}
	while (count)
		drop((uint32_t)draw(count));
	compare(&set);
	ck_assert_uint_eq(set.used, 0);
}
END_TEST

START_TEST(test_ascending_and_descending)
{
	uint64_t i;

	for (i = 0; i < 1000; i++)
		insert(_i ? 1000 - i : i, i);
	compare(&set);
	check_order();
	while (count)
		drop(_i ? 0 : count - 1);
	compare(&set);
}
END_TEST

/* The same size many times: find goes to the lowest address. */
START_TEST(test_ties_are_found_by_lowest_address)
{
	uint64_t i;

	for (i = 500; i; i--)
		insert(2048, i * 4096);
	insert(1024, 1);
	insert(4096, 1);
	assert_entry(free_set_at(&set, free_set_find(&set, 2048)), 1);
	assert_entry(free_set_at(&set, free_set_find(&set, 1025)), 1);
	assert_entry(free_set_at(&set, free_set_find(&set, 2049)), 501);
	assert_entry(free_set_at(&set, free_set_find(&set, 4097)), 502);
}
END_TEST

/* Keys differ in the highest bits. */
START_TEST(test_extreme_keys)
{
	insert(UINT64_MAX - 1, UINT64_MAX);
	insert(UINT64_MAX - 1, 0);
	insert(0, UINT64_MAX);
	insert(0, 0);
	insert(UINT64_C(1) << 63, 5);
	compare(&set);
	find_around(UINT64_MAX);
	find_around(UINT64_MAX - 1);
	drop(2);
	drop(0);
	compare(&set);
}
END_TEST

START_TEST(test_reserve_is_enough_for_full_leaves)
{
	uint32_t room, used, i;

	/* Descending keys make full leaves: each new one goes in front. */
	for (i = 32 * FREE_LEAF_MAX; i; i--)
		insert(i * 1000, i);
	for (i = 0; i < set.used; i++)
		while (set.leaf[set.order[i]].count < FREE_LEAF_MAX) {
			struct free_entry *e = set.leaf[set.order[i]].entry;

			insert(e[0].size, e[0].addr + 1 + draw(1 << 20));
		}
	ck_assert_int_eq(free_set_reserve(&set, 3), 0);
	room = set.room;
	used = set.used;
	ck_assert_uint_ge(room - used, 3);
	for (i = 0; i < 3; i++) {
		const struct free_leaf *leaf = &set.leaf[set.order[2 * i]];

		ck_assert_uint_eq(leaf->count, FREE_LEAF_MAX);
		free_set_insert(&set, leaf->entry[5].size,
				leaf->entry[5].addr + 1, 7);
	}
	ck_assert_uint_eq(set.room, room);
	ck_assert_uint_eq(set.used, used + 3);
	check_order();
}
END_TEST

START_TEST(test_copy_is_equal_and_apart)
{
	struct free_set twin = { 0 };
	uint32_t i;

	for (i = 0; i < 700; i++)
		insert(draw(50) * 512, draw(1 << 20));
	ck_assert_int_eq(free_set_copy(&twin, &set), 0);
	compare(&twin);
	free_set_insert(&twin, 7, 7, 7);
	compare(&set);
	while (count > 3)
		drop((uint32_t)draw(count));
	ck_assert_int_eq(free_set_copy(&twin, &set), 0);
	compare(&twin);
	free_set_destroy(&set);
	ck_assert_int_eq(free_set_copy(&set, &twin), 0);
	compare(&set);
	free_set_destroy(&twin);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("free-set");
	TCase *tc = tcase_create("free-set");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_empty_set);
	tcase_add_loop_test(tc, test_random_operations, 0, 10);
	tcase_add_loop_test(tc, test_ascending_and_descending, 0, 2);
	tcase_add_test(tc, test_ties_are_found_by_lowest_address);
	tcase_add_test(tc, test_extreme_keys);
	tcase_add_test(tc, test_reserve_is_enough_for_full_leaves);
	tcase_add_test(tc, test_copy_is_equal_and_apart);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
