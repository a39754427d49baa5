// SPDX-License-Identifier: Apache-2.0
/*
 * Time of one parse, the release of the setting included.  Printed is the
 * median of the repetitions, in time on the processor, which other programs
 * disturb least; wanted is 1 us or less for a string of two options.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <liballoc/setting.h>

#include "util/util.h"

enum { REPETITIONS_MAX = 11, STEPS = 100000, WANTED_NS = 1000 };

static const char *const texts[] = {
	"max_split_size_mb:128",
	"max_split_size_mb:128,garbage_collection_threshold:0.8",
	"max_split_size_mb:128,roundup_power2_divisions:4",
	"garbage_collection_threshold:0.8,"
	"roundup_power2_divisions:[256:1,512:2,1024:4,>:8],"
	"max_split_size_mb:128",
};

static int repetitions = REPETITIONS_MAX;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_of_one(const char *text,
			  const struct la_setting_context *context)
{
	struct la_setting *setting;
	size_t length = strlen(text);
	double start = now_ns();
	int i;

	for (i = 0; i < STEPS; i++) {
		if (la_setting_parse_for(&setting, text, length, context,
					 NULL)) {
			fprintf(stderr, "bench-setting: refused\n");
			exit(EXIT_FAILURE);
		}
		la_setting_free(setting);
	}
	return (now_ns() - start) / STEPS;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median_time(const char *text, unsigned int release)
{
	const struct la_setting_context context = { .release = release };
	double times[REPETITIONS_MAX];
	int i;

	for (i = 0; i < repetitions; i++)
		times[i] = time_of_one(text, &context);
	qsort(times, (size_t)repetitions, sizeof(*times), compare);
	return times[repetitions / 2];
}

int main(int argc, char **argv)
{
	static const unsigned int releases[] = { LA_RELEASE(2, 6),
						 LA_RELEASE(2, 11),
						 LA_RELEASE(2, 15) };
	size_t i, j;

	if (argc > 1)
		repetitions = atoi(argv[1]);
	if (repetitions < 1 || repetitions > REPETITIONS_MAX) {
		fprintf(stderr, "usage: bench-setting [REPETITIONS]\n");
		return 2;
	}
	printf("time of one parse in ns, wanted %d for two options\n",
	       WANTED_NS);
	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		for (j = 0; j < ARRAY_SIZE(releases); j++)
			printf("%u.%u: %4.0f  ", releases[j] >> 8,
			       releases[j] & 0xff,
			       median_time(texts[i], releases[j]));
		printf("%s\n", texts[i]);
	}
	return 0;
}
