// SPDX-License-Identifier: Apache-2.0
/*
 * Time of one record in the probe's file, the clock included, with several
 * threads at once, and of one addition to and one removal from its table.
 *
 * Records go around the whole file before they are timed: its pages are in
 * memory then.  Printed is the median of the repetitions, in time on the
 * processor, which other programs disturb least.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/store.h"

enum {
	REPETITIONS_MAX = 11,
	RECORDS = 1000000, /* of a thread and repetition */
	THREADS_MAX = 8,
	LIVE = 100000, /* holdings in the table */
	STEPS = 1000000 /* additions, and as many removals */
};

static pthread_barrier_t barrier;
static int repetitions = REPETITIONS_MAX;

/* One thread's work; out: how long it took. */
struct work {
	void (*run)(unsigned int thread);
	unsigned int thread;
	double ns;
};

static double processor_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void write_records(unsigned int thread)
{
	struct la_probe_record record = { .op = LA_PROBE_OP_BLOCK_ALLOC };
	unsigned int i;

	for (i = 0; i < RECORDS; i++) {
		record.time = 0;
		record.addr = (uint64_t)thread << 40 | i;
		store_record(LA_PROBE_ALLOCATOR, &record);
	}
}

static void only_ask_time(unsigned int thread)
{
	unsigned int i;

	for (i = thread; i < RECORDS; i++)
		(void)store_now();
}

static struct la_probe_holding block(unsigned int number)
{
	return (struct la_probe_holding){
		.addr = 0x7f0000000000 + (uint64_t)number * 512,
		.size = 512,
		.references = 1,
		.kind = LA_PROBE_KIND_BLOCK,
	};
}

static void add_and_remove(unsigned int thread)
{
	static uint32_t state = 1;
	unsigned int i;

	for (i = thread; i < STEPS; i++) {
		struct la_probe_holding holding;

		state = state * 1664525 + 1013904223;
		holding = block((state >> 8) % LIVE);
		store_remove(holding.addr, LA_PROBE_KIND_BLOCK, NULL);
		store_add(&holding, NULL);
	}
}

static void *work(void *data)
{
	struct work *my = data;

	pthread_barrier_wait(&barrier);
	my->ns = -processor_ns();
	my->run(my->thread);
	my->ns += processor_ns();
	return NULL;
}

/* Nanoseconds that one thread needs, if so many run. */
static double together(void (*run)(unsigned int thread), unsigned int threads)
{
	struct work works[THREADS_MAX];
	pthread_t ids[THREADS_MAX];
	unsigned int i;
	double sum = 0;

	pthread_barrier_init(&barrier, NULL, threads);
	for (i = 0; i < threads; i++) {
		works[i] = (struct work){ .run = run, .thread = i };
		if (pthread_create(&ids[i], NULL, work, &works[i]))
			exit(EXIT_FAILURE);
	}
	for (i = 0; i < threads; i++) {
		pthread_join(ids[i], NULL);
		sum += works[i].ns;
	}
	pthread_barrier_destroy(&barrier);
	return sum / threads;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const char *name, void (*run)(unsigned int thread),
		    unsigned int threads, unsigned int events)
{
	double ns[REPETITIONS_MAX];
	int r;

	for (r = 0; r < repetitions; r++)
		ns[r] = together(run, threads) / events;
	qsort(ns, (size_t)repetitions, sizeof(*ns), compare);
	printf("%-28s %6.1f ns (fastest %.1f), %.1f million/s a thread\n", name,
	       ns[repetitions / 2], ns[0], 1e3 / ns[repetitions / 2]);
}

int main(int argc, char **argv)
{
	struct la_probe_holding holding;
	struct config config;
	char message[256];
	unsigned int i;

	if (argc > 1)
		repetitions = atoi(argv[1]);
	if (repetitions < 1 || repetitions > REPETITIONS_MAX) {
		fprintf(stderr, "usage: bench-probe-store [REPETITIONS]\n");
		return 2;
	}
	config_read(&config);
	if (store_open(&config, message) < 0) {
		fprintf(stderr, "bench-probe-store: %s\n", message);
		return EXIT_FAILURE;
	}
	together(write_records, 1);
	measure("the clock alone", only_ask_time, 1, RECORDS);
	measure("record, 1 thread", write_records, 1, RECORDS);
	measure("record, 2 threads", write_records, 2, RECORDS);
	measure("record, 8 threads", write_records, 8, RECORDS);
	for (i = 0; i < LIVE; i++) {
		holding = block(i);
		store_add(&holding, NULL);
	}
	measure("remove and add, 100000 live", add_and_remove, 1, STEPS);
	if (store.header->lost_records || store.header->lost_holdings)
		return EXIT_FAILURE;
	return EXIT_SUCCESS;
}
