// SPDX-License-Identifier: Apache-2.0
/*
 * Time of one allocation and one release in a heap in a steady state.
 *
 * A number of live blocks of random sizes is kept: each step releases one at
 * random and allocates another.  The last load of 100,000 blocks outgrows the
 * caches of a processor.  Printed is the median of the repetitions, in
 * time on the processor, which other programs disturb least.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <liballoc/device.h>
#include <liballoc/heap.h>

#include "util/util.h"

enum { REPETITIONS = 11, LIVE_MAX = 100000 };

struct load {
	const char *name;
	uint64_t low, high; /* bytes of a request, evenly spread */
	uint32_t live; /* blocks */
	uint32_t steps; /* of one repetition */
};

static const struct load loads[] = {
	{ "64 blocks of 0.5-2.5 KB", 512, 2560, 64, 500000 },
	{ "64 blocks of 1-5 MB", MIB, 5 * MIB, 64, 500000 },
	{ "64 blocks of 32-160 MB", 32 * MIB, 160 * MIB, 64, 500000 },
	{ "100,000 blocks of 0.5 KB-4 MB", 512, 4 * MIB, LIVE_MAX, 200000 },
};

static uint64_t state;

static uint64_t draw(uint64_t below)
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return (state >> 20) % below;
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static la_block take(struct la_heap *heap, const struct load *load)
{
	uint64_t size = load->low + draw(load->high - load->low);
	la_block block;

	if (la_heap_alloc(heap, size, 0, LA_DEFAULT_POOL, &block) < 0) {
		fprintf(stderr, "bench-heap: out of memory\n");
		exit(EXIT_FAILURE);
	}
	return block;
}

static void step(struct la_heap *heap, const struct load *load, la_block *live)
{
	uint64_t at = draw(load->live);

	if (la_heap_release(heap, live[at]) < 0)
		exit(EXIT_FAILURE);
	live[at] = take(heap, load);
}

static struct la_heap *new_heap(struct la_device *dev,
				enum la_heap_policy policy)
{
	struct la_setting_values setting = {
		.max_split_size = UINT64_MAX,
		.max_non_split_rounding = 20 * MIB,
		.large_segment_size = 20 * MIB,
		.per_process_memory_fraction = 1,
	};
	struct la_heap_config config = {
		.policy = policy,
		.setting = &setting,
		.device = dev,
		.cap = UINT64_MAX,
		.total = 256 * GIB,
	};
	struct la_heap *heap;

	if (la_heap_new(&heap, &config, NULL) < 0 ||
	    la_heap_stream(heap, 0) < 0)
		exit(EXIT_FAILURE);
	return heap;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void run(const struct load *load, enum la_heap_policy policy)
{
	static la_block live[LIVE_MAX];
	double ns[REPETITIONS];
	struct la_device *dev;
	struct la_heap *heap;
	uint32_t i, r;

	if (la_device_sim(&dev, LA_LAYOUT_RULE, UINT64_MAX, 0) < 0)
		exit(EXIT_FAILURE);
	heap = new_heap(dev, policy);
	state = 1;
	for (i = 0; i < load->live; i++)
		live[i] = take(heap, load);
	for (i = 0; i < load->steps; i++)
		step(heap, load, live);
	for (r = 0; r < REPETITIONS; r++) {
		double start = now_ns();

		for (i = 0; i < load->steps; i++)
			step(heap, load, live);
		ns[r] = (now_ns() - start) / load->steps;
	}
	qsort(ns, REPETITIONS, sizeof(*ns), compare);
	printf("%-32s %7.1f ns (fastest %.1f)\n", load->name,
	       ns[REPETITIONS / 2], ns[0]);
	la_heap_free(heap);
	la_device_destroy(dev);
}

int main(void)
{
	static const char *const policies[] = {
		[LA_HEAP_TORCH] = "torch",
		[LA_HEAP_COMPACT] = "compact",
	};
	unsigned int policy;
	size_t i;

	for (policy = 0; policy < LA_HEAP_POLICIES; policy++) {
		printf("policy %s\n", policies[policy]);
		for (i = 0; i < ARRAY_SIZE(loads); i++)
			run(&loads[i], policy);
	}
	return EXIT_SUCCESS;
}
