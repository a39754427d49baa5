// SPDX-License-Identifier: Apache-2.0
/* The free set against a plain sorted array of block numbers. */

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "heap/free-set.h"

enum { MAX = 3000 };

static struct free_set set;
static struct block block[MAX];
static bool used[MAX]; /* is the block in the set? */
static uint32_t plain[MAX]; /* blocks in the set, in their order */
static uint32_t count;
static uint64_t state;

static void setup(void)
{
	memset(&set, 0, sizeof(set));
	memset(used, 0, sizeof(used));
	count = 0;
	state = 1;
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

/* Place of the first block that is not before (size, addr). */
static uint32_t place(uint64_t size, uint64_t addr)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		uint32_t i = (low + high) / 2;
		const struct block *b = &block[plain[i]];

		if (b->size < size || (b->size == size && b->addr < addr))
			low = i + 1;
		else
			high = i;
	}
	return low;
}

static uint32_t at_place(uint32_t at)
{
	return at < count ? plain[at] : LA_NO_BLOCK;
}

static void insert(uint64_t size, uint64_t addr)
{
	uint32_t at = place(size, addr), id = (uint32_t)draw(MAX);

	if (at < count && block[plain[at]].size == size &&
	    block[plain[at]].addr == addr)
		return;
	while (used[id])
		id = (id + 1) % MAX;
	used[id] = true;
	block[id].size = size;
	block[id].addr = block[id].order = addr;
	free_set_insert(&set, block, id);
	memmove(&plain[at + 1], &plain[at], (count++ - at) * sizeof(*plain));
	plain[at] = id;
}

static void drop(uint32_t at)
{
	free_set_remove(&set, block, plain[at]);
	used[plain[at]] = false;
	memmove(&plain[at], &plain[at + 1], (--count - at) * sizeof(*plain));
}

static void compare(const struct free_set *other)
{
	uint32_t id = free_set_first(other, block), i;

	for (i = 0; i < count; i++, id = free_set_next(other, block, id))
		require(id == plain[i], "another block");
	require(id == LA_NO_BLOCK, "a block behind the last");
}

static void find_around(uint64_t size, uint64_t addr)
{
	uint32_t at = place(size, addr);

	require(free_set_from(&set, block, size, addr) == at_place(at), "from");
	require(free_set_before(&set, block, size, addr) ==
			(at ? plain[at - 1] : LA_NO_BLOCK), "before");
}

START_TEST(test_empty_set)
{
	ck_assert_uint_eq(free_set_first(&set, block), LA_NO_BLOCK);
	ck_assert_uint_eq(free_set_from(&set, block, 512, 0), LA_NO_BLOCK);
	ck_assert_uint_eq(free_set_before(&set, block, UINT64_MAX, 0),
			  LA_NO_BLOCK);
}
END_TEST

/* Sizes of few values give ties, of few bins full ones, of any bits all bins;
 * blocks come and go, mostly come, mostly go, and come again. */
static uint64_t draw_size(int kind)
{
	switch (kind % 3) {
	case 0:
		return draw(6) * 512;
	case 1:
		return (1 << 20) + draw(2000) * 512;
	default:
		return ((1 + draw(127)) << draw(33)) * 512;
	}
}

START_TEST(test_random_operations)
{
	int phase, i;

	state = (uint64_t)_i;
	for (phase = 0; phase < 4; phase++) {
		uint64_t keep = phase % 2 ? 3 : 7;

		for (i = 0; i < 1500; i++) {
			if (draw(10) < keep && count < MAX)
				insert(draw_size(_i), draw(1 << 20) * 512);
			else if (count)
				drop((uint32_t)draw(count));
			find_around(draw_size(_i), draw(1 << 20) * 512);
			find_around(draw_size(_i), 0);
			if (i % 150 == 0)
				compare(&set);
		}
	}
	while (count)
		drop((uint32_t)draw(count));
	compare(&set);
	ck_assert_uint_eq(set.words, 0);
}
END_TEST

START_TEST(test_ascending_and_descending)
{
	uint64_t i;

	for (i = 0; i < 1000; i++)
		insert(2048, (_i ? 1000 - i : i) * 512);
	compare(&set);
	while (count)
		drop(_i ? 0 : count - 1);
	compare(&set);
}
END_TEST

/* The same size many times: the lowest address comes first. */
START_TEST(test_ties_are_found_by_lowest_address)
{
	uint64_t i;

	for (i = 500; i; i--)
		insert(2048, i * 4096);
	insert(1024, 1);
	insert(4096, 1);
	ck_assert_uint_eq(free_set_from(&set, block, 2048, 0), plain[1]);
	ck_assert_uint_eq(block[plain[1]].addr, 4096);
	ck_assert_uint_eq(free_set_from(&set, block, 1025, 0), plain[1]);
	ck_assert_uint_eq(free_set_from(&set, block, 2049, 0), plain[501]);
	ck_assert_uint_eq(free_set_from(&set, block, 4097, 0), LA_NO_BLOCK);
	ck_assert_uint_eq(free_set_before(&set, block, 2048, 0), plain[0]);
}
END_TEST

/* Both sides of every border between bins. */
START_TEST(test_borders_of_bins)
{
	unsigned int bit;

	for (bit = 9; bit < 63; bit++) {
		insert((UINT64_C(1) << bit) - 512, bit);
		insert(UINT64_C(1) << bit, bit);
		insert((UINT64_C(1) << bit) + 512, bit);
	}
	insert(UINT64_MAX, UINT64_MAX - 1);
	insert(0, 0);
	compare(&set);
	for (bit = 9; bit < 63; bit++) {
		find_around(UINT64_C(1) << bit, 0);
		find_around(UINT64_C(1) << bit, bit + 1);
		find_around((UINT64_C(1) << bit) - 1, 0);
		find_around((UINT64_C(1) << bit) + 1, 0);
	}
	find_around(UINT64_MAX, UINT64_MAX);
	while (count)
		drop(count / 2);
	compare(&set);
}
END_TEST

/* A copy of the set and of the blocks goes its own way. */
START_TEST(test_copy_as_it_lies)
{
	static struct block others[MAX];
	struct free_set twin;
	uint32_t id, i;

	for (i = 0; i < 700; i++)
		insert(draw(50) * 512, draw(1 << 20));
	twin = set;
	memcpy(others, block, sizeof(others));
	for (i = 0; i < count; i += 2)
		free_set_remove(&twin, others, plain[i]);
	compare(&set);
	id = free_set_first(&twin, others);
	for (i = 1; i < count; i += 2, id = free_set_next(&twin, others, id))
		ck_assert_uint_eq(id, plain[i]);
	ck_assert_uint_eq(id, LA_NO_BLOCK);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("free-set");
	TCase *tc = tcase_create("free-set");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, test_empty_set);
	tcase_add_loop_test(tc, test_random_operations, 0, 12);
	tcase_add_loop_test(tc, test_ascending_and_descending, 0, 2);
	tcase_add_test(tc, test_ties_are_found_by_lowest_address);
	tcase_add_test(tc, test_borders_of_bins);
	tcase_add_test(tc, test_copy_as_it_lies);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
