// SPDX-License-Identifier: Apache-2.0
/* Records in chunks: all are there, whole, also if chunks are fought for. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/parts.h"
#include "core/store.h"

enum { CHUNKS = 160, THREADS = 64, SHORT = 900 };

static struct la_probe_header header;
static struct la_probe_chunk chunks[CHUNKS];
static struct chunk_guard guards[CHUNKS];

static void use(uint64_t count)
{
	memset(&header, 0, sizeof(header));
	memset(chunks, 0, sizeof(chunks));
	memset(guards, 0, sizeof(guards));
	chunks_init(LA_PROBE_DRIVER, chunks, count, guards);
	chunks_init(LA_PROBE_ALLOCATOR, chunks, count, guards);
	store.header = &header;
}

/* All of it follows from two numbers. */
static struct la_probe_record make(uint32_t thread, uint64_t i)
{
	return (struct la_probe_record){
		.time = i + 1, .addr = i * 3, .size = i * i + thread,
		.stream = thread, .other = ~i, .call = (uint16_t)i,
		.result = (int16_t)i, .op = (uint16_t)(i % 43),
		.device = (uint8_t)i,
	};
}

static void write_one(uint32_t thread, uint64_t i,
		      struct la_probe_record *record)
{
	*record = make(thread, i);
	store_record(LA_PROBE_ALLOCATOR, record);
}

static const struct la_probe_record *find(uint64_t sequence, uint64_t count)
{
	uint64_t serial = sequence >> 10, i = (sequence & 1023) - 1;
	const struct la_probe_chunk *chunk = &chunks[(serial - 1) % count];

	ck_assert_uint_eq(chunk->serial, serial);
	ck_assert_uint_eq(chunk->record[i].sequence, sequence);
	return &chunk->record[i];
}

static void check_all(uint64_t count)
{
	uint64_t c, i, seen = 0;

	for (c = 0; c < count; c++)
		for (i = 0; i < LA_PROBE_CHUNK_RECORDS; i++) {
			const struct la_probe_record *r = &chunks[c].record[i];
			struct la_probe_record wanted;

			if (!chunks[c].serial ||
			    r->sequence != (chunks[c].serial << 10 | (i + 1)))
				continue;
			wanted = make((uint32_t)r->stream, ~r->other);
			wanted.sequence = r->sequence;
			wanted.thread = r->thread;
			ck_assert_mem_eq(r, &wanted, sizeof(wanted));
			seen++;
		}
	ck_assert_uint_gt(seen, 0);
}

START_TEST(one_thread)
{
	struct la_probe_record record;
	uint64_t i;

	use(4);
	for (i = 0; i < 3000; i++) {
		write_one(1, i, &record);
		ck_assert_uint_eq(record.sequence,
				  (i / 1023 + 1) << 10 | (i % 1023 + 1));
		ck_assert_mem_eq(find(record.sequence, 4), &record,
				 sizeof(record));
	}
	ck_assert_uint_eq(header.chunks[LA_PROBE_ALLOCATOR], 3);
	ck_assert_uint_eq(chunks[2].thread, store_thread());
	ck_assert_uint_gt(chunks[2].time, 0);
	for (; i < 100000; i++)
		write_one(1, i, &record);
	ck_assert_uint_eq(header.chunks[LA_PROBE_ALLOCATOR], 98);
	check_all(4);
	ck_assert_uint_eq(header.lost_records, 0);
}
END_TEST

START_TEST(time_is_filled_in)
{
	struct la_probe_record record = { .op = 1 };
	uint64_t before = store_now();

	use(4);
	store_record(LA_PROBE_DRIVER, &record);
	ck_assert_uint_ge(record.time, before);
	ck_assert_uint_le(record.time, store_now());
	record.time = 5;
	store_record(LA_PROBE_DRIVER, &record);
	ck_assert_uint_eq(record.time, 5);
}
END_TEST

START_TEST(no_store)
{
	struct la_probe_record record = { .op = 1 };

	use(4);
	store.header = NULL;
	store_record(LA_PROBE_DRIVER, &record);
	ck_assert_uint_eq(chunks[0].serial, 0);
}
END_TEST

/* Chunks enough: each thread keeps its own. */
static void *write_few(void *data)
{
	static uint64_t sequences[THREADS][SHORT];
	uint32_t thread = *(uint32_t *)data;
	struct la_probe_record record;
	uint64_t i;

	for (i = 0; i < SHORT; i++) {
		write_one(thread, i, &record);
		sequences[thread][i] = record.sequence;
	}
	return sequences[thread];
}

START_TEST(many_threads)
{
	uint32_t numbers[THREADS], t;
	pthread_t ids[THREADS];
	uint64_t *sequences, i;

	use(CHUNKS);
	for (t = 0; t < THREADS; t++) {
		numbers[t] = t;
		pthread_create(&ids[t], NULL, write_few, &numbers[t]);
	}
	for (t = 0; t < THREADS; t++) {
		pthread_join(ids[t], (void **)&sequences);
		for (i = 0; i < SHORT; i++) {
			const struct la_probe_record *r =
				find(sequences[i], CHUNKS);

			ck_assert_uint_eq(r->stream, t);
			ck_assert_uint_eq(r->time, i + 1);
		}
	}
	ck_assert_uint_eq(header.lost_records, 0);
	check_all(CHUNKS);
}
END_TEST

static void *fill_five(void *unused)
{
	struct la_probe_record record;
	uint64_t i;

	for (i = 1; i <= 5 * LA_PROBE_CHUNK_RECORDS; i++)
		write_one(2, i, &record);
	return unused;
}

static void let_other_fill(void)
{
	pthread_t other;

	pthread_create(&other, NULL, fill_five, NULL);
	pthread_join(other, NULL);
}

/* What a thread that writes rarely wrote last outlives what it wrote long ago,
 * and the header says up to when records are lost. */
START_TEST(quiet_thread)
{
	struct la_probe_record first, second;
	const uint64_t *lost = &header.lost_until[LA_PROBE_ALLOCATOR];

	use(8);
	write_one(1, 0, &first);
	let_other_fill();
	ck_assert_uint_eq(*lost, 0);
	write_one(1, 90000, &second);
	ck_assert_uint_eq(second.sequence, 7 << 10 | 1);
	let_other_fill();
	ck_assert_uint_eq(find(second.sequence, 8)->time, 90001);
	ck_assert_uint_ne(chunks[0].serial, 1);
	ck_assert_uint_ge(*lost, first.time);
	ck_assert_uint_lt(*lost, second.time);
}
END_TEST

static int stop;

/* Is what this thread wrote to its chunk still there?  If not, the chunk must
 * have been taken: its serial changes before anything else in it. */
static bool is_kept(uint64_t last, uint64_t count)
{
	const uint64_t serial = last >> 10;
	const struct la_probe_chunk *chunk = &chunks[(serial - 1) % count];
	uint64_t i;

	for (i = 0; i < (last & 1023); i++) {
		const uint64_t *sequence = &chunk->record[i].sequence;

		if (__atomic_load_n(sequence, __ATOMIC_ACQUIRE) !=
		    (serial << 10 | (i + 1)))
			return __atomic_load_n(&chunk->serial,
					       __ATOMIC_ACQUIRE) != serial;
	}
	return true;
}

/* NULL: every record was kept. */
static void *write_on(void *data)
{
	uint32_t thread = *(uint32_t *)data;
	struct la_probe_record record;
	uint64_t i;

	for (i = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); i++) {
		write_one(thread, i, &record);
		if (i % 61 == 0 && record.sequence &&
		    !is_kept(record.sequence, 3))
			return data;
	}
	return NULL;
}

/* Chunks for few: one that stands still in the middle of a record finds its
 * chunk taken, and may not harm it. */
START_TEST(few_chunks)
{
	const struct timespec time = { .tv_sec = 1, .tv_nsec = 500000000 };
	uint32_t numbers[THREADS], t;
	pthread_t ids[THREADS];
	void *lost;

	use(3);
	for (t = 0; t < THREADS; t++) {
		numbers[t] = t;
		pthread_create(&ids[t], NULL, write_on, &numbers[t]);
	}
	nanosleep(&time, NULL);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (t = 0; t < THREADS; t++) {
		pthread_join(ids[t], &lost);
		ck_assert_ptr_null(lost);
	}
	check_all(3);
}
END_TEST

/* A thread stands still in its chunk: the others go around it. */
START_TEST(busy_chunk)
{
	struct la_probe_record record;
	uint64_t i;

	use(3);
	guards[1].writers = 1;
	for (i = 0; i < 2 * 1023; i++)
		write_one(1, i, &record);
	ck_assert_uint_eq(chunks[0].serial, 1);
	ck_assert_uint_eq(chunks[1].serial, 0);
	ck_assert_uint_eq(chunks[2].serial, 3);
	guards[0].writers = guards[2].writers = 1;
	write_one(1, i, &record);
	ck_assert_uint_eq(record.sequence, 0);
	ck_assert_uint_eq(header.lost_records, 1);
	guards[1].writers = 0;
	write_one(1, i, &record);
	ck_assert_uint_eq(record.sequence, chunks[1].serial << 10 | 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("probe-chunks");
	TCase *tc = tcase_create("all");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, one_thread);
	tcase_add_test(tc, time_is_filled_in);
	tcase_add_test(tc, no_store);
	tcase_add_test(tc, many_threads);
	tcase_add_test(tc, quiet_thread);
	tcase_add_test(tc, few_chunks);
	tcase_add_test(tc, busy_chunk);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
