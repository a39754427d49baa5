// SPDX-License-Identifier: Apache-2.0
/*
 * Time of one allocation and one release in a heap in a steady state.
 *
 * A number of live blocks of random sizes is kept: each step releases one at
 * random and allocates another.  The last load of 100,000 blocks outgrows the
 * caches of a processor.  Printed is the median of the repetitions, in
 * time on the processor, which other programs disturb least.
 *
 * Usage: bench-heap torch|compact|malloc [REPETITIONS]
 *
 * Of the heap under that policy, or of malloc() and free(), which LD_PRELOAD
 * makes another library's.  Memory is not touched; there large blocks come
 * from the kernel, and a five hundredth of the steps is timed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* What is measured: one of both is used. */
static struct la_heap *heap; /* NULL: malloc() is measured */
static la_block blocks[LIVE_MAX];
static void *volatile spaces[LIVE_MAX]; /* else the calls are left out */

static void take(uint64_t at, const struct load *load)
{
	uint64_t size = load->low + draw(load->high - load->low);

	if (heap ? la_heap_alloc(heap, size, 0, LA_DEFAULT_POOL, &blocks[at]) <
			    0 :
		   !(spaces[at] = malloc(size))) {
		fprintf(stderr, "bench-heap: out of memory\n");
		exit(EXIT_FAILURE);
	}
}

static void give(uint64_t at)
{
	if (!heap)
		free(spaces[at]);
	else if (la_heap_release(heap, blocks[at]) < 0)
		exit(EXIT_FAILURE);
}

static void step(const struct load *load)
{
	uint64_t at = draw(load->live);

	give(at);
	take(at, load);
}

static void new_heap(struct la_device *dev, enum la_heap_policy policy)
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
	if (la_heap_new(&heap, &config, NULL) < 0 ||
	    la_heap_stream(heap, 0) < 0)
		exit(EXIT_FAILURE);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void run(const struct load *load, uint32_t repetitions)
{
	uint32_t i, r, steps = load->steps;
	double ns[REPETITIONS];

	if (!heap && load->high > MIB)
		steps /= 500;
	state = 1;
	for (i = 0; i < load->live; i++)
		take(i, load);
	for (i = 0; i < steps; i++)
		step(load);
	for (r = 0; r < repetitions; r++) {
		double start = now_ns();

		for (i = 0; i < steps; i++)
			step(load);
		ns[r] = (now_ns() - start) / steps;
	}
	for (i = 0; i < load->live; i++)
		give(i);
	qsort(ns, repetitions, sizeof(*ns), compare);
	printf("%s\t%.1f\t%.1f\t%.1f\n", load->name, ns[repetitions / 2], ns[0],
	       ns[repetitions - 1]);
	fflush(stdout);
}

static void run_heap(const struct load *load, enum la_heap_policy policy,
		     uint32_t repetitions)
{
	struct la_device *dev;

	if (la_device_sim(&dev, LA_LAYOUT_RULE, UINT64_MAX, 0) < 0)
		exit(EXIT_FAILURE);
	new_heap(dev, policy);
	run(load, repetitions);
	la_heap_free(heap);
	la_device_destroy(dev);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	bool compact = !strcmp(what, "compact");
	int times = argc > 2 ? atoi(argv[2]) : REPETITIONS;
	size_t i;

	if ((!compact && strcmp(what, "torch") && strcmp(what, "malloc")) ||
	    times < 1 || times > REPETITIONS) {
		fprintf(stderr, "usage: bench-heap torch|compact|malloc "
				"[REPETITIONS]\n");
		return 2;
	}
	for (i = 0; i < ARRAY_SIZE(loads); i++)
		if (strcmp(what, "malloc"))
			run_heap(&loads[i],
				 compact ? LA_HEAP_COMPACT : LA_HEAP_TORCH,
				 (uint32_t)times);
		else if (loads[i].live < LIVE_MAX)
			run(&loads[i], (uint32_t)times);
	return EXIT_SUCCESS;
}
