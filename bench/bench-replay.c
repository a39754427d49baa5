// SPDX-License-Identifier: Apache-2.0
/*
 * Replay a recording's program several times without a limit on a simulated
 * device; print the shortest and the median time of the processor in seconds,
 * and the events.
 *
 * Usage: bench-replay FILE [TIMES]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <liballoc/replay.h>

enum { REPEATS = 25 }; /* at most, and without an argument */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int time_replays(const struct la_program *program, int times,
			double seconds[REPEATS], struct la_error *err)
{
	const struct la_replay_options options = {
		.setting = la_program_setting(program),
	};
	struct la_replay_result result;
	double start;
	int i, code;

	for (i = 0; i < times; i++) {
		start = now();
		code = la_replay(program, &options, &result, err);
		if (code < 0)
			return code;
		seconds[i] = now() - start;
	}
	qsort(seconds, (size_t)times, sizeof(*seconds), by_value);
	return 0;
}

int main(int argc, char **argv)
{
	struct la_recording *recording;
	struct la_program *program;
	double seconds[REPEATS];
	struct la_error err;
	int times = argc > 2 ? atoi(argv[2]) : REPEATS;

	if (argc < 2 || times < 1 || times > REPEATS) {
		fprintf(stderr, "usage: bench-replay FILE [TIMES]\n");
		return 2;
	}
	if (la_recording_open(&recording, argv[1], NULL, &err) < 0 ||
	    la_program_new(&program, recording,
			   la_recording_main_device(recording), NULL,
			   &err) < 0 ||
	    time_replays(program, times, seconds, &err) < 0) {
		fprintf(stderr, "bench-replay: %s: %s\n", argv[1], err.text);
		return 1;
	}
	printf("%g %g %" PRIu64 "\n", seconds[0], seconds[times / 2],
	       la_program_info(program)->event_count);
	la_program_free(program);
	la_recording_free(recording);
	return 0;
}
