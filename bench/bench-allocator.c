// SPDX-License-Identifier: Apache-2.0
/*
 * Time of one allocation and one release by address, as a program's threads
 * ask for them, against the same heap behind one plain mutex.
 *
 * Each thread keeps 64 live blocks of random sizes: a step releases one at
 * random and allocates another.  Printed are, for a step, the median of the
 * time on processors, which other programs disturb least, and in brackets that
 * of the time that passed divided by all steps of all threads.
 *
 * Usage: bench-allocator [torch|compact [THREADS]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <liballoc/allocator.h>

#include "util/util.h"

enum { REPETITIONS = 7, LIVE = 64, STEPS = 200000, THREADS_MAX = 64 };

struct load {
	const char *name;
	uint64_t low, high; /* bytes of a request, evenly spread */
};

static const struct load loads[] = {
	{ "0.5-2.5 KB", 512, 2560 },
	{ "1-5 MB", MIB, 5 * MIB },
	{ "32-160 MB", 32 * MIB, 160 * MIB },
};

/* What is measured. */
struct subject {
	const char *name;
	void (*open)(enum la_heap_policy policy);
	void (*close)(void);
	uint64_t (*alloc)(uint64_t size, uint64_t stream, la_block *block);
	void (*release)(uint64_t addr, la_block block);
};

struct worker {
	const struct subject *subject;
	const struct load *load;
	uint64_t state; /* of draw() */
	uint64_t stream;
	pthread_barrier_t *start;
	uint64_t addr[LIVE];
	la_block block[LIVE];
};

static struct la_device *device;
static struct la_allocator *allocator;
static struct la_heap *heap;
static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;

static void fail(const char *what)
{
	fprintf(stderr, "bench-allocator: %s\n", what);
	exit(EXIT_FAILURE);
}

static const struct la_setting_values *setting(void)
{
	static const struct la_setting_values values = {
		.max_split_size = UINT64_MAX,
		.max_non_split_rounding = 20 * MIB,
		.large_segment_size = 20 * MIB,
		.per_process_memory_fraction = 1,
	};

	return &values;
}

static void open_device(void)
{
	if (la_device_sim(&device, LA_LAYOUT_RULE, UINT64_MAX, 0) < 0)
		fail("out of memory");
}

static void open_allocator(enum la_heap_policy policy)
{
	uint64_t total = 512 * GIB;
	struct la_allocator_config config = { .policy = policy,
					      .setting = setting(),
					      .device = &device,
					      .total = &total,
					      .device_count = 1 };

	open_device();
	if (la_allocator_new(&allocator, &config, NULL) < 0)
		fail("no allocator");
}

static void close_allocator(void)
{
	la_allocator_free(allocator);
	la_device_destroy(device);
}

static uint64_t alloc_by_allocator(uint64_t size, uint64_t stream,
				   la_block *block)
{
	uint64_t addr;

	(void)block;
	if (la_allocator_alloc(allocator, 0, size, stream, &addr) < 0)
		fail("out of memory");
	return addr;
}

static void release_by_allocator(uint64_t addr, la_block block)
{
	(void)block;
	if (la_allocator_release(allocator, addr) < 0)
		fail("not released");
}

static void open_heap(enum la_heap_policy policy)
{
	struct la_heap_config config = { .policy = policy,
					 .setting = setting(),
					 .cap = UINT64_MAX,
					 .total = 512 * GIB };

	open_device();
	config.device = device;
	if (la_heap_new(&heap, &config, NULL) < 0)
		fail("no heap");
}

static void close_heap(void)
{
	la_heap_free(heap);
	la_device_destroy(device);
}

/* It keeps no addresses: the caller tells the block, too. */
static uint64_t alloc_by_heap(uint64_t size, uint64_t stream, la_block *block)
{
	uint64_t addr;

	pthread_mutex_lock(&heap_lock);
	if (la_heap_alloc(heap, size, la_heap_stream(heap, stream),
			  LA_DEFAULT_POOL, block) < 0)
		fail("out of memory");
	addr = la_heap_addr(heap, *block);
	pthread_mutex_unlock(&heap_lock);
	return addr;
}

static void release_by_heap(uint64_t addr, la_block block)
{
	(void)addr;
	pthread_mutex_lock(&heap_lock);
	if (la_heap_release(heap, block) < 0)
		fail("not released");
	pthread_mutex_unlock(&heap_lock);
}

static const struct subject subjects[] = {
	{ "allocator", open_allocator, close_allocator, alloc_by_allocator,
	  release_by_allocator },
	{ "heap and mutex", open_heap, close_heap, alloc_by_heap,
	  release_by_heap },
};

static uint64_t draw(struct worker *worker, uint64_t below)
{
	worker->state =
		worker->state * 6364136223846793005 + 1442695040888963407;
	return (worker->state >> 20) % below;
}

static void take(struct worker *worker, uint64_t at)
{
	const struct load *load = worker->load;
	uint64_t size = load->low + draw(worker, load->high - load->low);

	worker->addr[at] = worker->subject->alloc(size, worker->stream,
						  &worker->block[at]);
}

static void *work(void *data)
{
	struct worker *worker = data;
	uint64_t at;
	size_t i;

	for (i = 0; i < LIVE; i++)
		take(worker, i);
	pthread_barrier_wait(worker->start);
	for (i = 0; i < STEPS; i++) {
		at = draw(worker, LIVE);
		worker->subject->release(worker->addr[at], worker->block[at]);
		take(worker, at);
	}
	pthread_barrier_wait(worker->start);
	for (i = 0; i < LIVE; i++)
		worker->subject->release(worker->addr[i], worker->block[i]);
	return NULL;
}

/* Of a step, in nanoseconds. */
struct cost {
	double used; /* on processors */
	double passed;
};

static double now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static struct cost play(const struct subject *subject, const struct load *load,
			unsigned int threads)
{
	static struct worker worker[THREADS_MAX];
	pthread_t thread[THREADS_MAX];
	pthread_barrier_t start;
	struct cost cost;
	unsigned int i;

	pthread_barrier_init(&start, NULL, threads + 1);
	for (i = 0; i < threads; i++) {
		worker[i] = (struct worker){ .subject = subject,
					     .load = load,
					     .state = i,
					     .stream = i,
					     .start = &start };
		if (pthread_create(&thread[i], NULL, work, &worker[i]))
			fail("no thread");
	}
	pthread_barrier_wait(&start);
	cost.used = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	cost.passed = now_ns(CLOCK_MONOTONIC);
	pthread_barrier_wait(&start);
	cost.used = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cost.used;
	cost.passed = now_ns(CLOCK_MONOTONIC) - cost.passed;
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	pthread_barrier_destroy(&start);
	cost.used /= (double)STEPS * threads;
	cost.passed /= (double)STEPS * threads;
	return cost;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *value)
{
	qsort(value, REPETITIONS, sizeof(*value), compare);
	return value[REPETITIONS / 2];
}

static struct cost measure(const struct subject *subject,
			   const struct load *load, enum la_heap_policy policy,
			   unsigned int threads)
{
	double used[REPETITIONS], passed[REPETITIONS];
	struct cost cost;
	size_t r;

	subject->open(policy);
	play(subject, load, threads);
	for (r = 0; r < REPETITIONS; r++) {
		cost = play(subject, load, threads);
		used[r] = cost.used;
		passed[r] = cost.passed;
	}
	subject->close();
	return (struct cost){ median(used), median(passed) };
}

static void run(enum la_heap_policy policy, unsigned int threads)
{
	struct cost cost[ARRAY_SIZE(subjects)];
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		printf("%-11s %u threads", loads[i].name, threads);
		for (j = 0; j < ARRAY_SIZE(subjects); j++) {
			cost[j] = measure(&subjects[j], &loads[i], policy,
					  threads);
			printf("  %s %6.1f (%6.1f) ns", subjects[j].name,
			       cost[j].used, cost[j].passed);
		}
		printf("  %.2f (%.2f)\n", cost[1].used / cost[0].used,
		       cost[1].passed / cost[0].passed);
	}
}

int main(int argc, char **argv)
{
	enum la_heap_policy policy = LA_HEAP_TORCH;
	unsigned int threads;

	if (argc > 1 && !strcmp(argv[1], "compact"))
		policy = LA_HEAP_COMPACT;
	if (argc > 2) {
		run(policy, (unsigned int)atoi(argv[2]));
		return EXIT_SUCCESS;
	}
	for (threads = 1; threads <= 8; threads *= 2)
		run(policy, threads);
	return EXIT_SUCCESS;
}
