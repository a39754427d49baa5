// SPDX-License-Identifier: Apache-2.0
/*
 * Threads that do everything at once: no two live blocks overlap, no stream
 * runs into another, nothing is lost.
 *
 * LA_STRESS_SECONDS=n goes on with new seeds for n seconds (default: on a small
 * card and on a large one, once with each policy).
 */

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <liballoc/allocator.h>

#include "support/locked.h"
#include "support/stage.h"

enum {
	THREADS = 8,
	STREAMS = 2 * THREADS, /* two of each thread's own */
	KEPT = 40, /* blocks that a thread keeps */
	SHARED = 32, /* blocks that lie about for any thread */
	LIVE_MAX = THREADS * (KEPT + 1) + SHARED,
	STEPS = 1500
};

struct live {
	uint64_t addr, size, stream;
	bool foreign; /* was it used on another stream? */
};

struct worker {
	unsigned int number;
	uint64_t state; /* of draw() */
	struct live *kept[KEPT];
	bool routed;
	uint64_t served, failed;
};

static uint64_t card; /* bytes */
static struct la_device *device;
static struct la_allocator *allocator;
static _Atomic(struct live *) shared[SHARED];

/* The live blocks by address. */
static pthread_mutex_t book_lock = PTHREAD_MUTEX_INITIALIZER;
static struct live book[LIVE_MAX];
static size_t book_count;

static uint64_t draw(struct worker *worker, uint64_t below)
{
	worker->state =
		worker->state * 6364136223846793005 + 1442695040888963407;
	return (worker->state >> 33) % below;
}

/* Index of the first block that does not begin below an address. */
static size_t find_in_book(uint64_t addr)
{
	size_t low = 0, high = book_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (book[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void enter_in_book(const struct live *block)
{
	size_t at;

	pthread_mutex_lock(&book_lock);
	at = find_in_book(block->addr);
	ck_assert(at == book_count ||
		  block->addr + block->size <= book[at].addr);
	ck_assert(!at || book[at - 1].addr + book[at - 1].size <= block->addr);
	ck_assert_uint_lt(book_count, LIVE_MAX);
	memmove(&book[at + 1], &book[at],
		(book_count++ - at) * sizeof(book[0]));
	book[at] = *block;
	pthread_mutex_unlock(&book_lock);
}

static void strike_from_book(uint64_t addr)
{
	size_t at;

	pthread_mutex_lock(&book_lock);
	at = find_in_book(addr);
	ck_assert(at < book_count && book[at].addr == addr);
	memmove(&book[at], &book[at + 1],
		(--book_count - at) * sizeof(book[0]));
	pthread_mutex_unlock(&book_lock);
}

static void end_block(struct live *block)
{
	strike_from_book(block->addr);
	ck_assert_int_eq(la_allocator_release(allocator, block->addr), 0);
	free(block);
}

static uint64_t draw_size(struct worker *worker)
{
	static const uint64_t most[] = { 2000, 2000,	20000,
					 MIB,  6 * MIB, 20 * MIB };

	return 1 + draw(worker, most[draw(worker, ARRAY_SIZE(most))]);
}

static uint64_t own_stream(struct worker *worker)
{
	return 2 * worker->number + draw(worker, 2);
}

static struct live *new_block(struct worker *worker)
{
	struct live block = { .size = draw_size(worker),
			      .stream = own_stream(worker) };
	struct live *copy;
	int err = la_allocator_alloc(allocator, 0, block.size, block.stream,
				     &block.addr);

	ck_assert_msg(!err || err == -ENOSPC, "%s", strerror(-err));
	worker->failed += err != 0;
	if (err)
		return NULL;
	worker->served++;
	enter_in_book(&block);
	locked_use(device, block.stream, block.addr, block.size);
	copy = malloc(sizeof(*copy));
	ck_assert_ptr_nonnull(copy);
	*copy = block;
	return copy;
}

/* Kernels on one of the thread's own streams use another's block. */
static void use_foreign(struct worker *worker, struct live *block)
{
	uint64_t stream = own_stream(worker);

	if (block->foreign || stream == block->stream ||
	    locked_order(device, stream, block->stream) < 0)
		return;
	block->foreign = true;
	locked_use(device, stream, block->addr, block->size);
	ck_assert_int_eq(
		la_allocator_record_stream(allocator, block->addr, stream), 0);
}

static void exchange(struct worker *worker)
{
	size_t at = draw(worker, KEPT);
	struct live *block = worker->kept[at];

	block = atomic_exchange(&shared[draw(worker, SHARED)], block);
	if (block && draw(worker, 2))
		use_foreign(worker, block);
	worker->kept[at] = block;
}

static void replace(struct worker *worker)
{
	size_t at = draw(worker, KEPT);

	if (worker->kept[at])
		end_block(worker->kept[at]);
	worker->kept[at] = draw(worker, 3) ? new_block(worker) : NULL;
}

static bool is_of_thread(void *data, uint64_t stream)
{
	return stream / 2 == *(unsigned int *)data;
}

/* The thread's requests go to a pool of its own, or no longer. */
static void route(struct worker *worker)
{
	const uint64_t id[2] = { worker->number % 2 ? worker->number : 0,
				 worker->number + 1 };
	int err;

	if (worker->routed) {
		err = la_allocator_end_pool(allocator, 0, id);
		if (!err)
			err = la_allocator_release_pool(allocator, 0, id);
	} else {
		err = la_allocator_begin_pool(allocator, 0, id, is_of_thread,
					      &worker->number, NULL);
	}
	ck_assert_int_eq(err, 0);
	worker->routed = !worker->routed;
}

static void ignore(void *data, const struct la_block_info *info)
{
	*(uint64_t *)data += info->size;
}

static void look(struct worker *worker)
{
	struct la_allocator_stats stats;
	struct la_error err = { 0 };
	uint64_t bytes = 0;

	switch (draw(worker, 4)) {
	case 0:
		ck_assert_int_eq(la_allocator_stats(allocator, 0, &stats), 0);
		ck_assert_uint_le(stats.heap.allocated,
				  stats.heap.allocated_peak);
		ck_assert_uint_le(stats.heap.reserved, card);
		break;
	case 1:
		ck_assert_int_eq(
			la_allocator_walk(allocator, 0, ignore, &bytes), 0);
		break;
	case 2:
		ck_assert_int_eq(la_allocator_reset_peaks(allocator, 0), 0);
		break;
	default:
		ck_assert_msg(!la_allocator_check(allocator, &err), "%s",
			      err.text);
	}
}

static void capture(struct worker *worker)
{
	uint64_t stream = 2 * worker->number;

	locked_capture(device, stream, true);
	replace(worker);
	exchange(worker);
	locked_capture(device, stream, false);
}

static void act(struct worker *worker)
{
	uint64_t kind = draw(worker, 1000);

	if (kind < 700)
		replace(worker);
	else if (kind < 850)
		exchange(worker);
	else if (kind < 960)
		locked_run(device, draw(worker, STREAMS));
	else if (kind < 970)
		look(worker);
	else if (kind < 975)
		ck_assert_int_eq(la_allocator_empty_cache(allocator), 0);
	else if (kind < 980)
		route(worker);
	else
		capture(worker);
}

static void *work(void *data)
{
	struct worker *worker = data;
	size_t i;

	for (i = 0; i < STEPS; i++)
		act(worker);
	if (worker->routed)
		route(worker);
	for (i = 0; i < KEPT; i++)
		if (worker->kept[i])
			end_block(worker->kept[i]);
	return NULL;
}

static void open_all(enum la_heap_policy policy)
{
	struct la_setting_values setting = default_setting();
	struct la_allocator_config config = { .policy = policy,
					      .setting = &setting,
					      .device = &device,
					      .total = &card,
					      .device_count = 1,
					      .empty_above = 0.9 };
	struct la_device *sim;

	ck_assert_int_eq(la_device_sim(&sim, LA_LAYOUT_RULE, card, 0), 0);
	device = locked_new(sim, sim);
	ck_assert_int_eq(la_allocator_new(&allocator, &config, NULL), 0);
}

/* All is given back. */
static void close_all(const struct worker *worker)
{
	struct la_allocator_stats stats;
	struct la_error err = { 0 };
	uint64_t served = 0;
	struct live *block;
	size_t i;

	for (i = 0; i < SHARED; i++) {
		block = atomic_exchange(&shared[i], NULL);
		if (block)
			end_block(block);
	}
	for (i = 0; i < THREADS; i++)
		served += worker[i].served;
	ck_assert_int_eq(la_allocator_empty_cache(allocator), 0);
	ck_assert_msg(!la_allocator_check(allocator, &err), "%s", err.text);
	ck_assert_int_eq(la_allocator_stats(allocator, 0, &stats), 0);
	ck_assert_uint_eq(stats.served, served);
	ck_assert_uint_eq(stats.freed, served);
	ck_assert(stats.cached_hits || card < GIB);
	ck_assert_uint_eq(stats.heap.active, 0);
	ck_assert_uint_eq(book_count, 0);
	ck_assert_uint_eq(locked_held(device), 0);
	ck_assert_uint_eq(locked_events(device), 0);
	ck_assert_uint_eq(locked_violations(device), 0);
	la_allocator_free(allocator);
	la_device_destroy(device);
}

static void play(enum la_heap_policy policy, uint64_t seed)
{
	static struct worker worker[THREADS];
	pthread_t thread[THREADS];
	unsigned int i;

	card = seed % 2 ? 400 * MIB : 4 * GIB;
	open_all(policy);
	for (i = 0; i < THREADS; i++) {
		worker[i] = (struct worker){ .number = i,
					     .state = seed * THREADS + i };
		ck_assert_int_eq(
			pthread_create(&thread[i], NULL, work, &worker[i]), 0);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	close_all(worker);
}

START_TEST(test_threads_do_not_meet)
{
	const char *text = getenv("LA_STRESS_SECONDS");
	time_t end = time(NULL) + (text ? atoi(text) / LA_HEAP_POLICIES : 0);
	uint64_t seed = 1;

	do
		play((enum la_heap_policy)_i, seed++);
	while (seed == 2 || time(NULL) < end);
}
END_TEST

int main(void)
{
	const char *text = getenv("LA_STRESS_SECONDS");
	Suite *s = suite_create("allocator-threads");
	TCase *tc = tcase_create("threads");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_set_timeout(tc, 60 + (text ? atoi(text) : 0));
	tcase_add_loop_test(tc, test_threads_do_not_meet, 0, LA_HEAP_POLICIES);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
