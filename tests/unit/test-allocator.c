// SPDX-License-Identifier: Apache-2.0
/* Heaps for all threads of a program: what one thread sees. */

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <liballoc/allocator.h>

#include "support/locked.h"
#include "support/stage.h"

#define NONE UINT64_MAX
#define TOP UINT64_C(0x7f0000000000)

enum { DEVICES = 2 };

static struct la_device *device[DEVICES];
static struct la_allocator *allocator;
static struct la_allocator_stats stats;

/* Devices of `card` bytes; what config does not say is the default. */
static void open_with(struct la_allocator_config *config, uint64_t card)
{
	struct la_setting_values setting = default_setting();
	struct la_device *sim;
	unsigned int i;

	if (!config->device_count)
		config->device_count = 1;
	for (i = 0; i < config->device_count; i++) {
		ck_assert_int_eq(la_device_sim(&sim, LA_LAYOUT_UP, card,
					       TOP - i * 1024 * GIB),
				 0);
		device[i] = locked_new(sim, sim);
	}
	if (!config->setting)
		config->setting = &setting;
	config->device = device;
	ck_assert_int_eq(la_allocator_new(&allocator, config, NULL), 0);
}

static void open_default(uint64_t card)
{
	struct la_allocator_config config = { 0 };

	open_with(&config, card);
}

static void check(void)
{
	struct la_error err = { 0 };

	ck_assert_msg(!la_allocator_check(allocator, &err), "%s", err.text);
	ck_assert_uint_eq(locked_violations(device[0]), 0);
}

static void close_all(void)
{
	unsigned int i;

	check();
	la_allocator_free(allocator);
	ck_assert_uint_eq(locked_events(device[0]), 0);
	for (i = 0; i < DEVICES; i++)
		la_device_destroy(device[i]);
	memset(device, 0, sizeof(device));
}

static uint64_t alloc_on(unsigned int number, uint64_t size, uint64_t stream)
{
	uint64_t addr = 0;

	ck_assert_int_eq(
		la_allocator_alloc(allocator, number, size, stream, &addr), 0);
	ck_assert_uint_ne(addr, 0);
	return addr;
}

static uint64_t alloc(uint64_t size, uint64_t stream)
{
	return alloc_on(0, size, stream);
}

static void release(uint64_t addr)
{
	ck_assert_int_eq(la_allocator_release(allocator, addr), 0);
}

static void record(uint64_t addr, uint64_t stream)
{
	ck_assert_int_eq(la_allocator_record_stream(allocator, addr, stream),
			 0);
}

static void empty_cache(void)
{
	ck_assert_int_eq(la_allocator_empty_cache(allocator), 0);
}

static void read_stats(void)
{
	ck_assert_int_eq(la_allocator_stats(allocator, 0, &stats), 0);
}

START_TEST(test_block_is_served_and_freed)
{
	uint64_t addr;

	open_default(NONE);
	addr = alloc(1000, 0);
	read_stats();
	ck_assert_uint_eq(stats.heap.allocated, 1024);
	ck_assert_uint_eq(stats.requested, 1000);
	ck_assert_uint_eq(stats.live, 1);
	release(addr);
	read_stats();
	ck_assert_uint_eq(stats.heap.allocated, 0);
	ck_assert_uint_eq(stats.heap.active, 0);
	ck_assert_uint_eq(stats.heap.reserved, 2 * MIB);
	ck_assert_uint_eq(stats.heap.allocated_peak, 1024);
	ck_assert_uint_eq(stats.requested, 0);
	ck_assert_uint_eq(stats.requested_peak, 1000);
	ck_assert_uint_eq(stats.live_peak, 1);
	ck_assert_uint_eq(stats.served, 1);
	ck_assert_uint_eq(stats.freed, 1);
	ck_assert_uint_eq(stats.segments, 1);
	ck_assert_uint_eq(stats.driver_calls, 1);
	empty_cache();
	ck_assert_uint_eq(locked_held(device[0]), 0);
	close_all();
}
END_TEST

START_TEST(test_wrong_calls_are_refused)
{
	uint64_t addr = 7, small, large;

	open_default(NONE);
	ck_assert_int_eq(la_allocator_alloc(allocator, 1, 512, 0, &addr),
			 -ENODEV);
	ck_assert_uint_eq(addr, 7);
	ck_assert_int_eq(la_allocator_alloc(allocator, 0, 0, 0, &addr), 0);
	ck_assert_uint_eq(addr, 0);
	ck_assert_int_eq(la_allocator_release(allocator, 0), 0);
	ck_assert_int_eq(la_allocator_release(allocator, TOP), -ENOENT);
	small = alloc(1000, 0);
	large = alloc(5 * MIB, 0);
	ck_assert_int_eq(la_allocator_release(allocator, small + 512), -ENOENT);
	release(small);
	release(large);
	ck_assert_int_eq(la_allocator_release(allocator, small), -ENOENT);
	ck_assert_int_eq(la_allocator_release(allocator, large), -ENOENT);
	ck_assert_int_eq(la_allocator_record_stream(allocator, small, 1),
			 -ENOENT);
	ck_assert_int_eq(la_allocator_stats(allocator, 1, &stats), -ENODEV);
	ck_assert_int_eq(la_allocator_set_cap(allocator, 1, 0), -ENODEV);
	close_all();
}
END_TEST

START_TEST(test_cache_serves_equal_sizes_of_the_stream)
{
	uint64_t a, b, c;

	open_default(NONE);
	a = alloc(1000, 0);
	b = alloc(1024, 1);
	c = alloc(1500, 0);
	release(a);
	release(b);
	release(c);
	ck_assert_uint_eq(alloc(600, 0), a);
	ck_assert_uint_eq(alloc(1025, 0), c);
	ck_assert_uint_eq(alloc(513, 1), b);
	read_stats();
	ck_assert_uint_eq(stats.cached_hits, 3);
	ck_assert_uint_eq(stats.requested, 600 + 1025 + 513);
	ck_assert_uint_eq(stats.requested_peak, 1000 + 1024 + 1500);
	ck_assert_uint_eq(stats.heap.allocated, 1024 + 1024 + 1536);
	ck_assert_uint_eq(stats.served, 6);
	close_all();
}
END_TEST

/* What caches hold is no reason to take more from the device. */
START_TEST(test_caches_are_emptied_under_pressure)
{
	uint64_t addr[512];
	int i;

	open_default(4 * MIB);
	for (i = 0; i < 512; i++)
		addr[i] = alloc(4096, 0);
	for (i = 0; i < 512; i++)
		release(addr[i]);
	read_stats();
	ck_assert_uint_eq(stats.heap.allocated, 0);
	alloc(MIB, 0);
	read_stats();
	ck_assert_uint_eq(stats.heap.reserved, 2 * MIB);
	alloc(MIB, 0);
	alloc(MIB, 1);
	read_stats();
	ck_assert_uint_eq(stats.heap.reserved, 4 * MIB);
	close_all();
}
END_TEST

/* More streams and blocks than a cache has room for. */
START_TEST(test_full_caches_give_back)
{
	uint64_t addr[2000];
	int i;

	open_default(NONE);
	for (i = 0; i < 2000; i++)
		addr[i] = alloc(1024, (uint64_t)i % 20);
	for (i = 0; i < 2000; i++)
		release(addr[i]);
	check();
	for (i = 0; i < 20; i++)
		addr[i] = alloc(MIB, 30);
	for (i = 0; i < 20; i++)
		release(addr[i]);
	close_all();
}
END_TEST

START_TEST(test_block_waits_for_recorded_stream)
{
	uint64_t a, size = 5 * MIB;

	open_default(NONE);
	a = alloc(size, 0);
	ck_assert_int_eq(locked_order(device[0], 1, 0), 0);
	locked_use(device[0], 1, a, size);
	record(a, 1);
	record(a, 1);
	record(a, 0);
	release(a);
	ck_assert_int_eq(la_allocator_release(allocator, a), -ENOENT);
	read_stats();
	ck_assert_uint_eq(stats.heap.allocated, 0);
	ck_assert_uint_eq(stats.heap.active, size);
	ck_assert_uint_ne(alloc(size, 0), a);
	locked_run(device[0], 1);
	check();
	ck_assert_uint_eq(alloc(size, 0), a);
	locked_use(device[0], 0, a, size);
	close_all();
}
END_TEST

/* A small block that other streams use passes the cache by. */
START_TEST(test_recorded_block_is_not_cached)
{
	uint64_t a;

	open_default(NONE);
	a = alloc(1000, 0);
	locked_use(device[0], 1, a, 1000);
	record(a, 1);
	release(a);
	ck_assert_uint_ne(alloc(1000, 0), a);
	locked_run(device[0], 1);
	ck_assert_uint_eq(alloc(1024, 0), a);
	read_stats();
	ck_assert_uint_eq(stats.cached_hits, 0);
	close_all();
}
END_TEST

START_TEST(test_block_waits_for_all_recorded_streams)
{
	uint64_t a, size = 5 * MIB;
	uint64_t stream;

	open_default(NONE);
	a = alloc(size, 0);
	for (stream = 1; stream <= 3; stream++) {
		locked_use(device[0], stream, 0x1000 * stream, 512);
		record(a, stream);
	}
	release(a);
	for (stream = 3; stream; stream--) {
		ck_assert_uint_ne(alloc(size, 0), a);
		locked_run(device[0], stream);
	}
	ck_assert_uint_eq(alloc(size, 0), a);
	close_all();
}
END_TEST

/* While a stream is captured no event on it is of use. */
START_TEST(test_block_waits_for_the_end_of_a_capture)
{
	uint64_t a, size = 5 * MIB;

	open_default(NONE);
	a = alloc(size, 0);
	record(a, 1);
	record(a, 2);
	locked_capture(device[0], 1, true);
	release(a);
	ck_assert_uint_ne(alloc(size, 0), a);
	empty_cache();
	ck_assert_uint_ne(alloc(size, 0), a);
	locked_use(device[0], 1, 0x1000, 512);
	locked_capture(device[0], 1, false);
	ck_assert_uint_ne(alloc(size, 0), a);
	locked_run(device[0], 1);
	ck_assert_uint_eq(alloc(size, 0), a);
	close_all();
}
END_TEST

/* The device is full: pending blocks are waited for. */
START_TEST(test_full_device_waits_for_streams)
{
	uint64_t a, b;

	open_default(20 * MIB);
	a = alloc(5 * MIB, 0);
	ck_assert_int_eq(locked_order(device[0], 1, 0), 0);
	locked_use(device[0], 1, a, 5 * MIB);
	record(a, 1);
	release(a);
	b = alloc(20 * MIB, 0);
	locked_use(device[0], 0, b, 20 * MIB);
	read_stats();
	ck_assert_uint_eq(stats.stalls, 1);
	ck_assert_uint_eq(stats.heap.retries, 1);
	ck_assert_uint_eq(stats.heap.ooms, 0);
	close_all();
}
END_TEST

START_TEST(test_failed_request_is_described)
{
	struct la_allocator_config config = { .device_count = 1 };
	uint64_t total = 1024 * MIB, addr = 7, a;
	struct la_allocator_oom oom = { 0 };
	uint64_t base, bytes;

	config.total = &total;
	open_with(&config, NONE);
	ck_assert_int_eq(la_allocator_oom_of(allocator, &oom), -ENOENT);
	ck_assert_int_eq(la_allocator_set_cap(allocator, 0, 52 * MIB), 0);
	a = alloc(5 * MIB, 0);
	alloc(30 * MIB, 0);
	ck_assert_int_eq(la_allocator_base(allocator, a, &base, &bytes), 0);
	release(alloc(1000, 0));
	locked_capture(device[0], 1, true);
	record(a, 1);
	release(a);
	ck_assert_int_eq(la_allocator_alloc(allocator, 0, 18 * MIB, 9, &addr),
			 -ENOSPC);
	ck_assert_uint_eq(addr, 7);
	ck_assert_int_eq(la_allocator_oom_of(allocator, &oom), 0);
	ck_assert_uint_eq(oom.device, 0);
	ck_assert_uint_eq(oom.size, 18 * MIB);
	ck_assert_uint_eq(oom.stream, 9);
	ck_assert_uint_eq(oom.cap, 52 * MIB);
	ck_assert_uint_eq(oom.total, 1024 * MIB);
	ck_assert_uint_eq(oom.allocated, 30 * MIB);
	ck_assert_uint_eq(oom.pending, 5 * MIB);
	ck_assert_uint_eq(oom.reserved, 50 * MIB);
	ck_assert_uint_eq(oom.pinned, 15 * MIB);
	ck_assert_uint_eq(oom.private_free, 0);
	ck_assert_uint_eq(oom.largest_free, 15 * MIB);
	ck_assert_int_eq(la_allocator_set_cap(allocator, 0, NONE), 0);
	alloc(18 * MIB, 9);
	close_all();
}
END_TEST

static bool is_five(void *data, uint64_t stream)
{
	++*(int *)data;
	return stream == 5;
}

static void count_release(void *data)
{
	*(int *)data += 1000;
}

/* Bytes of the blocks of a pool, by state. */
struct pool_bytes {
	uint64_t id;
	uint64_t bytes[3];
};

static void add_bytes(void *data, const struct la_block_info *info)
{
	struct pool_bytes *pool = data;

	if (info->pool[0] == pool->id)
		pool->bytes[info->state] += info->size;
}

static struct pool_bytes look_at_pool(uint64_t id)
{
	struct pool_bytes pool = { .id = id };

	ck_assert_int_eq(la_allocator_walk(allocator, 0, add_bytes, &pool), 0);
	return pool;
}

START_TEST(test_streams_are_routed_to_pools)
{
	const uint64_t id[2] = { 3, 0 }, other[2] = { 4, 0 };
	uint64_t a, b;
	int calls = 0;

	open_default(NONE);
	ck_assert_int_eq(la_allocator_begin_pool(allocator, 1, id, is_five,
						 &calls, NULL),
			 -ENODEV);
	a = alloc(1000, 5);
	release(a);
	ck_assert_int_eq(la_allocator_begin_pool(allocator, 0, id, is_five,
						 &calls, count_release),
			 0);
	ck_assert_int_eq(la_allocator_begin_pool(allocator, 0, id, is_five,
						 &calls, count_release),
			 -EEXIST);
	ck_assert_int_eq(la_allocator_end_pool(allocator, 0, other), -ENOENT);
	b = alloc(1000, 5);
	ck_assert_uint_ne(a, b);
	ck_assert_uint_eq(look_at_pool(3).bytes[LA_BLOCK_LIVE], 1024);
	release(alloc(1000, 6));
	ck_assert_int_ge(calls, 2);
	ck_assert_int_lt(calls, 1000);
	ck_assert_int_eq(la_allocator_end_pool(allocator, 0, id), 0);
	ck_assert_int_ge(calls, 1002);
	ck_assert_int_lt(calls, 2000);
	ck_assert_int_eq(la_allocator_end_pool(allocator, 0, id), -ENOENT);
	alloc(1000, 5);
	ck_assert_uint_eq(look_at_pool(3).bytes[LA_BLOCK_LIVE], 1024);
	release(b);
	ck_assert_uint_ne(alloc(1000, 5), b);
	empty_cache();
	ck_assert_uint_eq(look_at_pool(3).bytes[LA_BLOCK_FREE], 2 * MIB);
	ck_assert_int_eq(la_allocator_release_pool(allocator, 0, other),
			 -ENOENT);
	ck_assert_int_eq(la_allocator_release_pool(allocator, 0, id), 0);
	ck_assert_int_eq(la_allocator_release_pool(allocator, 0, id), -ENOENT);
	empty_cache();
	ck_assert_uint_eq(look_at_pool(3).bytes[LA_BLOCK_FREE], 0);
	close_all();
}
END_TEST

START_TEST(test_pool_stays_for_its_last_user)
{
	const uint64_t id[2] = { 3, 0 };
	int calls = 0, i;

	open_default(NONE);
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(la_allocator_begin_pool(allocator, 0, id,
							 is_five, &calls, NULL),
				 0);
		release(alloc(1000, 5));
		ck_assert_int_eq(la_allocator_end_pool(allocator, 0, id), 0);
	}
	ck_assert_int_eq(la_allocator_release_pool(allocator, 0, id), 0);
	empty_cache();
	ck_assert_uint_eq(look_at_pool(3).bytes[LA_BLOCK_FREE], 2 * MIB);
	ck_assert_int_eq(la_allocator_release_pool(allocator, 0, id), 0);
	empty_cache();
	ck_assert_uint_eq(look_at_pool(3).bytes[LA_BLOCK_FREE], 0);
	close_all();
}
END_TEST

/* A graph is captured on a stream and launched on one that has no memory. */
START_TEST(test_a_given_up_pool_waits_for_all_streams)
{
	const uint64_t id[2] = { 3, 0 }, card = 64 * MIB;
	struct la_allocator_config config = { .policy = LA_HEAP_COMPACT,
					      .total = &card };
	uint64_t a, size = 32 * MIB;
	int calls = 0;

	open_with(&config, card);
	ck_assert_int_eq(la_allocator_begin_pool(allocator, 0, id, is_five,
						 &calls, NULL),
			 0);
	a = alloc(size, 5);
	ck_assert_int_eq(la_allocator_end_pool(allocator, 0, id), 0);
	release(a);
	ck_assert_int_eq(locked_order(device[0], 9, 5), 0);
	locked_use(device[0], 9, a, size);
	ck_assert_int_eq(la_allocator_release_pool(allocator, 0, id), 0);
	alloc(40 * MIB, 5);
	close_all();
}
END_TEST

/* An allocator that goes releases the filters it was given. */
START_TEST(test_filter_ends_with_the_allocator)
{
	const uint64_t id[2] = { 3, 0 };
	int calls = 0;

	open_default(NONE);
	ck_assert_int_eq(la_allocator_begin_pool(allocator, 0, id, is_five,
						 &calls, count_release),
			 0);
	close_all();
	ck_assert_int_eq(calls, 1000);
}
END_TEST

START_TEST(test_devices_are_apart)
{
	struct la_allocator_config config = { .device_count = 2 };
	struct la_allocator_stats other;
	uint64_t a, b;

	open_with(&config, NONE);
	a = alloc_on(0, 1000, 0);
	b = alloc_on(1, 3000, 0);
	release(b);
	ck_assert_uint_eq(alloc_on(1, 3000, 0), b);
	release(a);
	release(b);
	ck_assert_uint_eq(alloc_on(1, 3000, 0), b);
	read_stats();
	ck_assert_int_eq(la_allocator_stats(allocator, 1, &other), 0);
	ck_assert_uint_eq(stats.live, 0);
	ck_assert_uint_eq(stats.heap.reserved, 2 * MIB);
	ck_assert_uint_eq(stats.cached_hits, 0);
	ck_assert_uint_eq(other.live, 1);
	ck_assert_uint_eq(other.requested, 3000);
	ck_assert_uint_eq(other.cached_hits, 2);
	empty_cache();
	ck_assert_uint_eq(locked_held(device[0]), 0);
	ck_assert_uint_eq(locked_held(device[1]), 2 * MIB);
	close_all();
}
END_TEST

static void show_free(void *data, const struct la_block_info *info)
{
	uint64_t *live = data;

	if (info->state != LA_BLOCK_FREE)
		*live += info->requested;
}

START_TEST(test_walk_shows_the_programs_view)
{
	uint64_t a, live = 0;

	open_default(NONE);
	a = alloc(1000, 0);
	release(alloc(5000, 0));
	release(a);
	ck_assert_uint_eq(alloc(900, 0), a);
	ck_assert_int_eq(la_allocator_walk(allocator, 0, show_free, &live), 0);
	ck_assert_uint_eq(live, 900);
	close_all();
}
END_TEST

START_TEST(test_base_is_the_segment)
{
	uint64_t a, b, base = 0, size = 0;

	open_default(NONE);
	a = alloc(5 * MIB, 0);
	b = alloc(5 * MIB, 0);
	ck_assert_int_eq(la_allocator_base(allocator, b + 1000, &base, &size),
			 0);
	ck_assert_uint_eq(base, a);
	ck_assert_uint_eq(size, 20 * MIB);
	ck_assert_int_eq(
		la_allocator_base(allocator, b + 10 * MIB, &base, &size),
		-ENOENT);
	ck_assert_int_eq(la_allocator_base(allocator, 1, &base, &size),
			 -ENOENT);
	ck_assert_int_eq(la_allocator_pin(allocator, b, 5 * MIB, true), 0);
	ck_assert_int_eq(la_allocator_pin(allocator, b, 5 * MIB, false), 0);
	ck_assert_int_eq(la_allocator_pin(allocator, b, 5 * MIB, false),
			 -ENOENT);
	ck_assert_int_eq(la_allocator_pin(allocator, b, 50 * MIB, true),
			 -ENOENT);
	close_all();
}
END_TEST

START_TEST(test_history_keeps_the_newest_events)
{
	struct la_allocator_config config = { .history = 4 };
	static const enum la_action actions[] = { LA_ALLOC, LA_FREE_REQUESTED,
						  LA_FREE_COMPLETED, LA_ALLOC };
	struct la_event event[5];
	uint64_t a, stream[3] = { 9, 9, 9 };
	int i;

	open_with(&config, NONE);
	ck_assert_int_eq(
		la_allocator_history(allocator, 0, event, 5, stream, 3), 0);
	alloc(5000, 0);
	a = alloc(1000, 0x70);
	release(a);
	ck_assert_uint_eq(alloc(1010, 0x70), a);
	ck_assert_int_eq(
		la_allocator_history(allocator, 0, event, 5, stream, 3), 4);
	for (i = 0; i < 4; i++) {
		ck_assert_uint_eq(event[i].action, actions[i]);
		ck_assert_uint_eq(event[i].addr, a);
		ck_assert_uint_eq(event[i].size, i < 3 ? 1000 : 1010);
		ck_assert_uint_eq(stream[event[i].stream], 0x70);
		ck_assert_uint_gt(event[i].time_us, 1577836800000000);
		ck_assert(!i || event[i].time_us >= event[i - 1].time_us);
	}
	ck_assert_uint_eq(stream[2], 9);
	ck_assert_int_eq(
		la_allocator_history(allocator, 0, event, 1, stream, 1), 1);
	ck_assert_uint_eq(event[0].size, 1010);
	close_all();
}
END_TEST

/* Above a part of the cap the cache is emptied, but not all the time. */
START_TEST(test_cache_is_emptied_above_a_part)
{
	struct la_allocator_config config = { .empty_above = 0.5 };

	open_with(&config, NONE);
	ck_assert_int_eq(la_allocator_set_cap(allocator, 0, 100 * MIB), 0);
	release(alloc(40 * MIB, 0));
	release(alloc(20 * MIB, 1));
	read_stats();
	ck_assert_uint_eq(stats.heap.reserved, 60 * MIB);
	alloc(30 * MIB, 2);
	read_stats();
	ck_assert_uint_eq(stats.heap.reserved, 30 * MIB);
	release(alloc(30 * MIB, 3));
	alloc(30 * MIB, 4);
	read_stats();
	ck_assert_uint_eq(stats.heap.reserved, 90 * MIB);
	usleep(1100000);
	release(alloc(10 * MIB, 5));
	read_stats();
	ck_assert_uint_eq(stats.heap.reserved, 70 * MIB);
	close_all();
}
END_TEST

static void hear_split(void *data, unsigned int number, uint64_t addr,
		       uint64_t size, uint64_t whole)
{
	uint64_t *heard = data;

	heard[0] = number;
	heard[1] = addr;
	heard[2] = size;
	heard[3] = whole;
}

START_TEST(test_splits_are_heard)
{
	uint64_t heard[4] = { 7, 7, 7, 7 }, a;
	struct la_allocator_config config = { .split = hear_split,
					      .split_data = heard,
					      .device_count = 2 };

	open_with(&config, NONE);
	a = alloc_on(1, 5 * MIB, 0);
	ck_assert_uint_eq(heard[0], 1);
	ck_assert_uint_eq(heard[1], a);
	ck_assert_uint_eq(heard[2], 5 * MIB);
	ck_assert_uint_eq(heard[3], 20 * MIB);
	close_all();
}
END_TEST

static void *fail_here(void *data)
{
	struct la_allocator_oom oom;
	uint64_t addr;

	(void)data;
	ck_assert_int_eq(la_allocator_alloc(allocator, 0, NONE, 0, &addr),
			 -ENOSPC);
	ck_assert_int_eq(la_allocator_oom_of(allocator, &oom), 0);
	ck_assert_uint_eq(oom.size, NONE);
	return NULL;
}

START_TEST(test_failure_is_the_threads_own)
{
	struct la_allocator_oom oom;
	pthread_t thread;

	open_default(NONE);
	ck_assert_int_eq(pthread_create(&thread, NULL, fail_here, NULL), 0);
	pthread_join(thread, NULL);
	ck_assert_int_eq(la_allocator_oom_of(allocator, &oom), -ENOENT);
	close_all();
}
END_TEST

static void *cache_here(void *data)
{
	uint64_t *addr = data;

	*addr = alloc(1000, 0);
	release(*addr);
	return NULL;
}

/* What a thread's cache holds goes back when the thread ends. */
START_TEST(test_thread_gives_back_at_its_end)
{
	uint64_t addr = 0;
	pthread_t thread;

	open_default(NONE);
	ck_assert_int_eq(pthread_create(&thread, NULL, cache_here, &addr), 0);
	pthread_join(thread, NULL);
	check();
	ck_assert_uint_eq(alloc(1024, 0), addr);
	read_stats();
	ck_assert_uint_eq(stats.cached_hits, 0);
	ck_assert_uint_eq(stats.served, 2);
	ck_assert_uint_eq(stats.freed, 1);
	close_all();
}
END_TEST

static _Atomic(bool) stop;

static void *work(void *data)
{
	uint64_t size = 1000;

	(void)data;
	while (!stop) {
		release(alloc(size, 0));
		size = size * 3 % 7000001;
	}
	return NULL;
}

/* Each function of a child that could use the device. */
static bool is_refused_in_child(uint64_t addr)
{
	const uint64_t id[2] = { 3, 0 };
	struct la_allocator_oom oom;
	uint64_t base;
	int calls;

	return la_allocator_alloc(allocator, 0, 512, 0, &base) == -ECHILD &&
	       la_allocator_release(allocator, addr) == -ECHILD &&
	       la_allocator_record_stream(allocator, addr, 1) == -ECHILD &&
	       la_allocator_begin_pool(allocator, 0, id, is_five, &calls,
				       NULL) == -ECHILD &&
	       la_allocator_end_pool(allocator, 0, id) == -ECHILD &&
	       la_allocator_release_pool(allocator, 0, id) == -ECHILD &&
	       la_allocator_set_cap(allocator, 0, 1) == -ECHILD &&
	       la_allocator_empty_cache(allocator) == -ECHILD &&
	       la_allocator_base(allocator, addr, &base, &base) == -ECHILD &&
	       la_allocator_pin(allocator, addr, 1, true) == -ECHILD &&
	       la_allocator_stats(allocator, 0, &stats) == -ECHILD &&
	       la_allocator_reset_peaks(allocator, 0) == -ECHILD &&
	       la_allocator_oom_of(allocator, &oom) == -ECHILD &&
	       la_allocator_walk(allocator, 0, show_free, &base) == -ECHILD &&
	       la_allocator_history(allocator, 0, NULL, 0, NULL, 0) ==
		       -ECHILD &&
	       la_allocator_check(allocator, NULL) == -ECHILD;
}

/* Nothing else ends with it. */
static void end_child(void)
{
	_exit(0);
}

/* In a child whose parent has locks taken and events pending.  It releases the
 * allocator, or its thread ends with what it has. */
static void live_as_child(uint64_t addr, bool releases)
{
	alarm(20);
	if (!is_refused_in_child(addr))
		_exit(1);
	if (!releases) {
		atexit(end_child);
		pthread_exit(NULL);
	}
	la_allocator_free(allocator);
	_exit(0);
}

START_TEST(test_child_is_refused)
{
	pthread_t thread;
	uint64_t a, b;
	int i, status;

	open_default(NONE);
	a = alloc(1000, 0);
	b = alloc(1000, 0);
	locked_use(device[0], 1, b, 1000);
	record(b, 1);
	release(b);
	/* In a child ASan's own lock may be held by a thread that is not. */
#ifdef __SANITIZE_ADDRESS__
	stop = true;
#endif
	ck_assert_int_eq(pthread_create(&thread, NULL, work, NULL), 0);
	for (i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child)
			live_as_child(a, i % 2);
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert_int_eq(status, 0);
		release(alloc(3000, 0));
	}
	stop = true;
	pthread_join(thread, NULL);
	release(a);
	close_all();
}
END_TEST

START_TEST(test_wrong_settings_are_refused)
{
	struct la_setting_values setting = default_setting();
	struct la_allocator_config config = { .setting = &setting,
					      .device = device,
					      .device_count = 2 };
	struct la_error err = { 0 };
	unsigned int i;

	for (i = 0; i < 2; i++)
		ck_assert_int_eq(
			la_device_sim(&device[i], LA_LAYOUT_UP, NONE, 0), 0);
	allocator = NULL;
	setting.cuda_malloc_async = true;
	ck_assert_int_eq(la_allocator_new(&allocator, &config, &err), -ENOTSUP);
	ck_assert_ptr_null(allocator);
	ck_assert_str_ne(err.text, "");
	la_allocator_free(NULL);
	for (i = 0; i < 2; i++)
		la_device_destroy(device[i]);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("allocator");
	TCase *tc = tcase_create("allocator");
	SRunner *sr = srunner_create(s);
	int failed;

	tcase_add_test(tc, test_block_is_served_and_freed);
	tcase_add_test(tc, test_wrong_calls_are_refused);
	tcase_add_test(tc, test_cache_serves_equal_sizes_of_the_stream);
	tcase_add_test(tc, test_caches_are_emptied_under_pressure);
	tcase_add_test(tc, test_full_caches_give_back);
	tcase_add_test(tc, test_block_waits_for_recorded_stream);
	tcase_add_test(tc, test_recorded_block_is_not_cached);
	tcase_add_test(tc, test_block_waits_for_all_recorded_streams);
	tcase_add_test(tc, test_block_waits_for_the_end_of_a_capture);
	tcase_add_test(tc, test_full_device_waits_for_streams);
	tcase_add_test(tc, test_failed_request_is_described);
	tcase_add_test(tc, test_streams_are_routed_to_pools);
	tcase_add_test(tc, test_pool_stays_for_its_last_user);
	tcase_add_test(tc, test_a_given_up_pool_waits_for_all_streams);
	tcase_add_test(tc, test_filter_ends_with_the_allocator);
	tcase_add_test(tc, test_devices_are_apart);
	tcase_add_test(tc, test_walk_shows_the_programs_view);
	tcase_add_test(tc, test_base_is_the_segment);
	tcase_add_test(tc, test_history_keeps_the_newest_events);
	tcase_add_test(tc, test_cache_is_emptied_above_a_part);
	tcase_add_test(tc, test_splits_are_heard);
	tcase_add_test(tc, test_failure_is_the_threads_own);
	tcase_add_test(tc, test_thread_gives_back_at_its_end);
	tcase_add_test(tc, test_child_is_refused);
	tcase_add_test(tc, test_wrong_settings_are_refused);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
