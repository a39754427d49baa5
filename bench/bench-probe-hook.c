// SPDX-License-Identifier: Apache-2.0
/*
 * Time of the hook behind a report of PyTorch's allocator, all included, where
 * the program between two reports does nothing and where it uses the caches
 * for itself, as launching kernels does; and what the probe's own counter says
 * of the same hooks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/core.h"
#include "core/store.h"

enum {
	HOOKS = 400000,
	LIVE = 512, /* blocks */
	REPETITIONS_MAX = 7,
	OTHER = 1 << 18 /* bytes that a program touches between two hooks */
};

static char other[OTHER];
static int repetitions = REPETITIONS_MAX;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void touch(size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i += 64)
		((volatile char *)other)[i]++;
}

static const void *block(unsigned int i)
{
	return (const void *)(0x7f0000000000 + (uintptr_t)i * 1048576);
}

/* Nanoseconds of all hooks, one of each pair in each of LIVE places. */
static double run(size_t touched, int hooks)
{
	double begin = now();
	unsigned int i;

	for (i = 0; i < HOOKS / 2; i++) {
		touch(touched);
		if (hooks)
			probe_block(block(i % LIVE), -1048576, 0, 0, 0);
		touch(touched);
		if (hooks)
			probe_block(block(i % LIVE), 1048576, 1, 1, 0);
	}
	return now() - begin;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(const char *name, size_t touched)
{
	double ns[REPETITIONS_MAX];
	uint64_t before = store.header->hook_time;
	int r;

	for (r = 0; r < repetitions; r++)
		ns[r] = (run(touched, 1) - run(touched, 0)) / HOOKS;
	qsort(ns, (size_t)repetitions, sizeof(*ns), compare);
	printf("%-32s %6.1f ns, %6.1f ns by the probe's counter\n", name,
	       ns[repetitions / 2],
	       (double)(store.header->hook_time - before) / repetitions /
		       HOOKS);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		repetitions = atoi(argv[1]);
	if (repetitions < 1 || repetitions > REPETITIONS_MAX) {
		fprintf(stderr, "usage: bench-probe-hook [REPETITIONS]\n");
		return 2;
	}
	if (!probe_start(LA_PROBE_FRONT_PRELOAD)) {
		fprintf(stderr, "bench-probe-hook: the probe is off\n");
		return EXIT_FAILURE;
	}
	run(0, 1);
	measure("hook, caches warm", 0);
	measure("hook, 32 KiB touched between", 1 << 15);
	measure("hook, 256 KiB touched between", 1 << 18);
	return EXIT_SUCCESS;
}
