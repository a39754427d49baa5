// SPDX-License-Identifier: Apache-2.0
/*
 * Read a recording several times; print the shortest and the median time of
 * the processor in seconds, the events, and the peak of resident memory in
 * bytes above what the process held before.
 *
 * Usage: bench-reader FILE [TIMES]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <liballoc/trace.h>

enum { REPEATS = 15 }; /* at most, and without an argument */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Of this program alone; getrusage() counts what ran before exec(), too. */
static long peak_memory(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib * 1024;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static size_t count_events(const struct la_recording *recording)
{
	size_t events = 0;
	unsigned int i;

	for (i = 0; i < la_recording_device_count(recording); i++)
		events += la_recording_device(recording, i)->event_count;
	return events;
}

int main(int argc, char **argv)
{
	double seconds[REPEATS], start;
	struct la_recording *recording;
	long before = peak_memory(), peak = 0;
	struct la_error err;
	int i, times = argc > 2 ? atoi(argv[2]) : REPEATS;
	size_t events = 0;

	if (argc < 2 || times < 1 || times > REPEATS) {
		fprintf(stderr, "usage: bench-reader FILE [TIMES]\n");
		return 2;
	}
	for (i = 0; i < times; i++) {
		start = now();
		if (la_recording_open(&recording, argv[1], NULL, &err) < 0) {
			fprintf(stderr, "bench-reader: cannot read '%s': %s\n",
				argv[1], err.text);
			return EXIT_FAILURE;
		}
		seconds[i] = now() - start;
		events = count_events(recording);
		la_recording_free(recording);
		if (!i)
			peak = peak_memory() - before;
	}
	qsort(seconds, (size_t)times, sizeof(*seconds), by_value);
	printf("%.9f %.9f %zu %ld\n", seconds[0], seconds[times / 2], events,
	       peak);
	return EXIT_SUCCESS;
}
