// SPDX-License-Identifier: Apache-2.0
/* The table of what is live, against an array. */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/parts.h"
#include "core/store.h"

enum {
	SLOTS = 4096,
	KEYS = 3000,
	STEPS = 100000,
	THREADS = 64,
	THREAD_KEYS = 40,
	THREAD_STEPS = 1500
};

static struct la_probe_header header;
static struct la_probe_holding slots[SLOTS];
static struct shard shards[PROBE_SHARDS];

static void use(uint64_t count)
{
	memset(&header, 0, sizeof(header));
	memset(slots, 0, sizeof(slots));
	memset(shards, 0, sizeof(shards));
	table_init(slots, count, shards);
	store.header = &header;
}

static uint64_t draw(uint64_t *state, uint64_t below)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (*state >> 33) % below;
}

static struct la_probe_holding make(uint64_t key, uint64_t i)
{
	return (struct la_probe_holding){
		.addr = 0x7f0000000000 + key / 2 * 512,
		.size = i % 512 + 1,
		.time = i,
		.other = ~i,
		.thread = (uint32_t)i * 3,
		.references = 1,
		.kind = key % 2 ? LA_PROBE_KIND_BLOCK : LA_PROBE_KIND_ASYNC,
		.device = (uint8_t)i,
	};
}

/* Is the model's entry there?  And is what the table gave the same? */
static void same(const struct la_probe_holding *model, bool found,
		 const struct la_probe_holding *got)
{
	ck_assert_int_eq(found, model->addr != 0);
	if (found)
		ck_assert_mem_eq(model, got, sizeof(*model));
}

static void refer(struct la_probe_holding *model, uint64_t addr,
		  enum la_probe_kind kind, int change)
{
	struct la_probe_holding old, was = *model;
	unsigned int left = store_refer(addr, kind, change, &old);

	if (!model->addr) {
		ck_assert_uint_eq(left, 0);
		ck_assert_uint_eq(old.addr, 0);
		return;
	}
	ck_assert_mem_eq(&old, &was, sizeof(old));
	model->references = (uint16_t)(model->references + change);
	ck_assert_uint_eq(left, model->references);
	if (!left)
		model->addr = 0;
}

static void step(struct la_probe_holding *model, uint64_t key, uint64_t i,
		 uint64_t action)
{
	struct la_probe_holding new = make(key, i), old;

	if (action < 3) {
		store_add(&new, &old);
		same(model, old.size != 0, &old);
		*model = new;
	} else if (action < 5) {
		same(model, store_remove(new.addr, new.kind, &old), &old);
		model->addr = 0;
	} else if (action == 5) {
		same(model, store_find(new.addr, new.kind, &old), &old);
	} else {
		refer(model, new.addr, new.kind, action == 6 ? 1 : -1);
	}
}

static uint64_t used(void)
{
	uint64_t i, n = 0;

	for (i = 0; i < SLOTS; i++)
		n += slots[i].addr != 0;
	return n;
}

/* Each entry is found where it lies, so none is there twice or cut off. */
static void check_sound(void)
{
	struct la_probe_holding found;
	uint64_t i, sum = 0;

	for (i = 0; i < SLOTS; i++)
		if (slots[i].addr) {
			ck_assert(store_find(slots[i].addr, slots[i].kind,
					     &found));
			ck_assert_mem_eq(&found, &slots[i], sizeof(found));
		}
	for (i = 0; i < PROBE_SHARDS; i++) {
		ck_assert_uint_eq(shards[i].lock, 0);
		sum += shards[i].used;
	}
	ck_assert_uint_eq(sum, used());
}

/* Few slots: long runs that wrap around a shard's end. */
START_TEST(as_an_array)
{
	static struct la_probe_holding model[KEYS];
	const uint64_t count = _i ? SLOTS : 256;
	const uint64_t keys = _i ? KEYS : 220;
	uint64_t state = 1, i, live = 0;

	use(count);
	for (i = 1; i <= STEPS; i++) {
		uint64_t key = draw(&state, keys);

		step(&model[key], key, i, draw(&state, 8));
	}
	for (i = 0; i < keys; i++)
		live += model[i].addr != 0;
	ck_assert_uint_gt(live, keys / 4);
	ck_assert_uint_eq(used(), live);
	check_sound();
	ck_assert_uint_eq(header.lost_holdings, 0);
}
END_TEST

START_TEST(full)
{
	struct la_probe_holding holding, old;
	uint64_t i, there = 0;

	use(SLOTS);
	for (i = 0; i < SLOTS; i++) {
		holding = make(2 * i, i);
		store_add(&holding, NULL);
	}
	for (i = 0; i < SLOTS; i++)
		there += store_find(make(2 * i, 0).addr, make(0, 0).kind, &old);
	ck_assert_uint_eq(there + header.lost_holdings, SLOTS);
	ck_assert_uint_eq(there, SLOTS / 8 * 7);
	/* What is there can be replaced all the same. */
	holding = slots[0].addr ? slots[0] : slots[1];
	holding.size = 12345;
	i = header.lost_holdings;
	store_add(&holding, &old);
	ck_assert_uint_eq(header.lost_holdings, i);
	ck_assert(store_find(holding.addr, holding.kind, &old));
	ck_assert_uint_eq(old.size, 12345);
	ck_assert_uint_eq(used(), there);
	check_sound();
}
END_TEST

START_TEST(nothing_of_no_address)
{
	struct la_probe_holding holding = { .size = 1 }, old = { .size = 9 };

	use(SLOTS);
	store_add(&holding, &old);
	ck_assert_uint_eq(old.size, 0);
	ck_assert_uint_eq(used(), 0);
	ck_assert(!store_find(0, 0, &old));
	ck_assert(!store_remove(0, 0, &old));
	ck_assert_uint_eq(store_refer(0, 0, 1, &old), 0);
}
END_TEST

static unsigned int called;
static uint64_t bytes;

static void sum(const struct la_probe_holding *old)
{
	ck_assert_uint_eq(old->kind, LA_PROBE_KIND_MAPPING);
	ck_assert(!store_find(old->addr, LA_PROBE_KIND_MAPPING, NULL));
	called++;
	bytes += old->size;
}

/* Pages of 2 MiB: mapped one by one, unmapped at once. */
START_TEST(range)
{
	const uint64_t page = 2 << 20, start = 0x10000000000;
	struct la_probe_holding holding = { .size = page };
	uint64_t i;

	use(SLOTS);
	for (i = 0; i < 200; i++) {
		holding.addr = start + i * page;
		holding.kind = LA_PROBE_KIND_MAPPING;
		store_add(&holding, NULL);
		holding.kind = LA_PROBE_KIND_PHYSICAL;
		store_add(&holding, NULL);
	}
	store_remove_range(start + 10 * page, 150 * page,
			   LA_PROBE_KIND_MAPPING, sum);
	ck_assert_uint_eq(called, 150);
	ck_assert_uint_eq(bytes, 150 * page);
	ck_assert(store_find(start + 9 * page, LA_PROBE_KIND_MAPPING, NULL));
	ck_assert(store_find(start + 160 * page, LA_PROBE_KIND_MAPPING, NULL));
	ck_assert_uint_eq(used(), 250);
	/* One that spans it goes alone, whatever else begins in there. */
	holding.addr = start + 20 * page;
	holding.kind = LA_PROBE_KIND_MAPPING;
	store_add(&holding, NULL);
	called = 0;
	store_remove_range(start + 20 * page, page, LA_PROBE_KIND_MAPPING, sum);
	ck_assert_uint_eq(called, 1);
	store_remove_range(start + 20 * page, page, LA_PROBE_KIND_MAPPING, sum);
	ck_assert_uint_eq(called, 1);
	check_sound();
}
END_TEST

static void *work(void *data)
{
	struct la_probe_holding model[THREAD_KEYS] = { 0 };
	uint64_t first = *(uint64_t *)data * THREAD_KEYS;
	uint64_t state = first + 1, i;

	for (i = 1; i <= THREAD_STEPS; i++) {
		uint64_t key = draw(&state, THREAD_KEYS);

		step(&model[key], first + key, i, draw(&state, 8));
	}
	return NULL;
}

START_TEST(many_threads)
{
	uint64_t numbers[THREADS], t;
	pthread_t ids[THREADS];

	use(SLOTS);
	for (t = 0; t < THREADS; t++) {
		numbers[t] = t;
		pthread_create(&ids[t], NULL, work, &numbers[t]);
	}
	for (t = 0; t < THREADS; t++)
		pthread_join(ids[t], NULL);
	check_sound();
	ck_assert_uint_eq(header.lost_holdings, 0);
}
END_TEST

static void *add_one(void *data)
{
	struct la_probe_holding holding = make(1, 1);

	(void)data;
	errno = 77;
	store_add(&holding, NULL);
	ck_assert_int_eq(errno, 77);
	return NULL;
}

/* Whoever has the lock may be away for long. */
START_TEST(interrupted_holder)
{
	const struct timespec time = { .tv_nsec = 50000000 };
	pthread_t id;
	int i;

	use(SLOTS);
	for (i = 0; i < PROBE_SHARDS; i++)
		__atomic_store_n(&shards[i].lock, 1, __ATOMIC_SEQ_CST);
	pthread_create(&id, NULL, add_one, NULL);
	nanosleep(&time, NULL);
	for (i = 0; i < PROBE_SHARDS; i++)
		__atomic_store_n(&shards[i].lock, 0, __ATOMIC_SEQ_CST);
	pthread_join(id, NULL);
	ck_assert_uint_eq(used(), 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probe-table");
	TCase *tc = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_loop_test(tc, as_an_array, 0, 2);
	tcase_add_test(tc, full);
	tcase_add_test(tc, nothing_of_no_address);
	tcase_add_test(tc, range);
	tcase_add_test(tc, many_threads);
	tcase_add_test(tc, interrupted_holder);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
