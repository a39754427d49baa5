// SPDX-License-Identifier: Apache-2.0
/* The validator sees what is broken, one thing at a time. */

#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "heap/internal.h"
#include "support/stage.h"

static struct stage stage;
static struct block *block;
static la_block live, middle, pending, hole, chained;
static uint32_t unmapped; /* the tail of the chain */

/* Small pool: live, hole (free), middle, and a free rest; a pending block in
 * a segment of its own; a spare block. */
static void setup(void)
{
	la_block gone;

	stage_open(&stage, NULL, UINT64_MAX, UINT64_MAX);
	live = stage_alloc(&stage, 1024, 0);
	hole = stage_alloc(&stage, 2048, 0);
	middle = stage_alloc(&stage, 4096, 0);
	pending = stage_alloc(&stage, 10 * MIB, 0);
	stage.heap->setting.expandable_segments = true;
	chained = stage_alloc(&stage, 30 * MIB, 0);
	unmapped = heap_first_unmapped(stage.heap,
				       stage.heap->block[chained].set, 0);
	stage.heap->setting.expandable_segments = false;
	gone = stage_alloc(&stage, 12 * MIB, 0);
	stage_release(&stage, gone);
	ck_assert_int_eq(la_heap_empty_cache(stage.heap), 0);
	stage_release(&stage, hole);
	la_heap_free_request(stage.heap, pending);
	stage_check(&stage);
	block = stage.heap->block;
}

static void teardown(void)
{
	stage_close(&stage);
}

static void odd_size(void)
{
	block[live].size += 1;
}

static void wrong_size(void)
{
	block[middle].size += 512;
}

static void no_set(void)
{
	block[pending].set = 2;
}

static void other_set(void)
{
	block[middle].set = *set_slot(stage.heap, 0, LARGE_CLASS, 0);
}

static void unlinked_next(void)
{
	block[live].next = LA_NO_BLOCK;
}

static void unlinked_prev(void)
{
	block[middle].prev = LA_NO_BLOCK;
}

static void wild_next(void)
{
	block[live].next = stage.heap->block_count;
}

static void wild_prev(void)
{
	block[pending].prev = 1 << 30;
}

static void free_neighbours(void)
{
	struct la_heap *heap = stage.heap;

	block[live].state = BLOCK_FREE;
	heap->stats.allocated -= 1024;
	heap->stats.active -= 1024;
	block_insert(heap, live);
}

static void missing_entry(void)
{
	block_remove(stage.heap, hole);
}

static void entry_of_live_block(void)
{
	block_insert(stage.heap, live);
}

/* The set and the bin of the hole, a free block of 2048 bytes. */
static struct free_set *hole_set(void)
{
	return &stage.heap->set[block[hole].set].free;
}

enum { HOLE_BIN = 2048 / 512 };

static void entry_of_other_size(void)
{
	struct free_set *set = hole_set();

	block_remove(stage.heap, hole);
	set->word[0] |= 1 << (HOLE_BIN - 1);
	set->words |= 1;
	set->root[HOLE_BIN - 1] = hole;
}

static void wild_entry(void)
{
	hole_set()->root[HOLE_BIN] = stage.heap->block_count;
}

static void hidden_bin(void)
{
	hole_set()->words &= ~(uint64_t)1;
}

static void own_child(void)
{
	block[hole].child[1] = hole;
}

static void wild_child(void)
{
	block[hole].child[0] = 1 << 30;
}

static void wrong_allocated(void)
{
	stage.heap->stats.allocated += 512;
}

static void wrong_active(void)
{
	stage.heap->stats.active += 512;
}

static void wrong_reserved(void)
{
	stage.heap->stats.reserved += 512;
}

static void lost_pending(void)
{
	stage.heap->pending_first = stage.heap->pending_last = LA_NO_BLOCK;
}

static void wild_pending(void)
{
	block[pending].pending.after = 1 << 30;
}

static void wrong_pending_last(void)
{
	stage.heap->pending_last = live;
}

static void wrong_pending_before(void)
{
	block[pending].pending.before = live;
}

static void pending_cycle(void)
{
	block[pending].pending.after = pending;
}

static void lost_spare(void)
{
	stage.heap->spare = LA_NO_BLOCK;
}

static void spare_in_use(void)
{
	block[stage.heap->spare].next = live;
}

static void spare_cycle(void)
{
	block[stage.heap->spare].next = stage.heap->spare;
}

static void no_chain(void)
{
	stage.heap->chain_count = 0;
}

static void short_chain(void)
{
	stage.heap->chain->size -= 40 * MIB;
}

static void long_chain(void)
{
	stage.heap->chain->size += 40 * MIB;
}

static void part_of_granule(void)
{
	stage.heap->chain->granule = 32 * MIB;
}

static void not_chained(void)
{
	block[unmapped].chained = false;
}

static void lost_unmapped(void)
{
	stage.heap->set[block[unmapped].set].unmapped = LA_NO_BLOCK;
}

static void wild_unmapped(void)
{
	stage.heap->set[block[unmapped].set].unmapped = chained;
}

static void lost_set(void)
{
	*set_slot(stage.heap, 0, LARGE_CLASS, 0) = NO_SET;
}

static void (*const corrupt[])(void) = {
	odd_size,	wrong_size,	    no_set,
	other_set,	unlinked_next,	    unlinked_prev,
	wild_next,	wild_prev,	    free_neighbours,
	missing_entry,	entry_of_live_block, entry_of_other_size,
	wild_entry,	hidden_bin,	    own_child,
	wild_child,	wrong_allocated,
	wrong_active,	wrong_reserved,	    lost_pending,
	wrong_pending_last, wrong_pending_before, pending_cycle,
	wild_pending,	lost_spare,	    spare_in_use,
	spare_cycle,	no_chain,	    short_chain,
	long_chain,	part_of_granule,    not_chained,
	lost_unmapped,	wild_unmapped,	    lost_set,
};

START_TEST(test_corruption_is_seen)
{
	struct la_error error = { 0 };

	corrupt[_i]();
	ck_assert_int_eq(la_heap_check(stage.heap, NULL), -EUCLEAN);
	ck_assert_int_eq(la_heap_check(stage.heap, &error), -EUCLEAN);
	ck_assert_int_eq(error.code, -EUCLEAN);
	ck_assert_uint_ne(error.text[0], 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("heap-check");
	TCase *tc = tcase_create("check");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, test_corruption_is_seen, 0,
			    ARRAY_SIZE(corrupt));
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
