// SPDX-License-Identifier: Apache-2.0
/*
 * What settings need for recordings: a line of figures, parted by tabs, for
 * each of them.  Recordings that begin late, or end as memory runs out, are
 * left out: what they need is not all there.
 *
 * Usage: bench-memory RATIO SETTING... -- FILE...
 *
 * Printed are the file's name, the setting ("compact": that policy), and in
 * bytes what is live at the peak, the least memory (0: runs under no limit)
 * and what is reserved without a limit; calls of the driver and the estimated
 * milliseconds of these without a limit; and the milliseconds under a limit of
 * RATIO times what is live (-1: out of memory), and what the run took when it
 * was recorded.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/replay.h>

enum { PROBES = 12 };

struct question {
	const char *file;
	const char *setting;
	double ratio;
	const struct la_program *program;
	uint64_t duration_us; /* of the recorded run */
};

static uint64_t calls_of(const struct la_device_operations *done)
{
	return done->mallocs + done->frees + 2 * done->maps + done->unmaps +
	       done->creates + done->releases + 2 * done->waits;
}

static int answer(const struct question *question,
		  struct la_replay_options *options, struct la_error *err)
{
	uint64_t live = la_program_info(question->program)->peak_live;
	struct la_replay_result free, bound;
	struct la_minimum least = { 0 };
	int code;

	options->limit.kind = LA_LIMIT_NONE;
	code = la_replay(question->program, options, &free, err);
	if (code < 0)
		return code;
	options->limit.kind = LA_LIMIT_CAP;
	options->limit.bytes = (uint64_t)(question->ratio * (double)live);
	code = la_replay(question->program, options, &bound, err);
	if (code < 0)
		return code;
	code = la_minimum_memory(question->program, options, PROBES, &least,
				 err);
	if (code < 0 && code != -ERANGE)
		return code;
	printf("%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
	       "\t%.3f\t%.3f\t%.0f\n",
	       question->file, question->setting, live, code ? 0 : least.bytes,
	       free.stats.reserved_peak, calls_of(&free.operations),
	       free.seconds * 1e3, bound.ran ? bound.seconds * 1e3 : -1.0,
	       (double)question->duration_us / 1e3);
	return 0;
}

static int ask(const struct question *question, struct la_error *err)
{
	bool compact = !strcmp(question->setting, "compact");
	const char *text = compact ? "" : question->setting;
	struct la_replay_options options = {
		.policy = compact ? LA_HEAP_COMPACT : LA_HEAP_TORCH,
		.costs = la_costs_default(),
		.start = LA_START_PACKED,
	};
	struct la_setting *setting;
	int code = la_setting_parse(&setting, text, strlen(text),
				    LA_SET_AT_INIT, err);

	if (code < 0)
		return code;
	options.setting = la_setting_values(setting);
	code = answer(question, &options, err);
	la_setting_free(setting);
	return code;
}

static uint64_t duration_of(const struct la_recorded_device *device)
{
	size_t count = device->event_count;

	return count ? device->events[count - 1].time_us -
			       device->events[0].time_us :
		       0;
}

/* Ask about each setting for one file. */
static int measure(const char *path, double ratio, char **settings, int count,
		   struct la_error *err)
{
	const char *name = strrchr(path, '/');
	struct la_recording *recording;
	struct la_program *program;
	struct question question = { .ratio = ratio };
	const struct la_program_info *info;
	unsigned int number;
	int i, code = la_recording_open(&recording, path, NULL, err);

	if (code < 0)
		return code;
	number = la_recording_main_device(recording);
	code = la_program_new(&program, recording, number, NULL, err);
	if (code < 0) {
		la_recording_free(recording);
		return code;
	}
	question.file = name ? name + 1 : path;
	question.program = program;
	question.duration_us =
		duration_of(la_recording_device(recording, number));
	info = la_program_info(program);
	if (info->window || info->ends_in_oom || !info->request_count)
		count = 0;
	for (i = 0; i < count && code >= 0; i++) {
		question.setting = settings[i];
		code = ask(&question, err);
	}
	la_program_free(program);
	la_recording_free(recording);
	return code;
}

int main(int argc, char **argv)
{
	int first = 2, last, i, status = EXIT_SUCCESS;
	struct la_error err;

	for (last = first; last < argc && strcmp(argv[last], "--"); last++)
		;
	if (last >= argc) {
		fprintf(stderr, "usage: bench-memory RATIO SETTING... -- "
				"FILE...\n");
		return 2;
	}
	for (i = last + 1; i < argc; i++) {
		if (measure(argv[i], strtod(argv[1], NULL), &argv[first],
			    last - first, &err) >= 0)
			continue;
		fprintf(stderr, "bench-memory: %s: %s\n", argv[i], err.text);
		status = EXIT_FAILURE;
	}
	return status;
}
