// SPDX-License-Identifier: Apache-2.0
/*
 * What policy compact needs to run recordings, beside what torch's own needs:
 * one line of figures, parted by tabs, for each device of each file.  Sizes
 * are in bytes, times in milliseconds by the table of costs; see the names at
 * the top.  -q: of torch's policy only whether it would run with less.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <liballoc/replay.h>

#include "util/util.h"

enum { PROBES = 12 };

static const char *const names[] = {
	"recording", "device", "live", "seconds", "native", "expandable",
	"compact", "reserved", "calls", "late calls", "first 1.03",
	"later 1.03", "stalls 1.03", "first 1.01", "later 1.01", "stalls 1.01",
	"small", "flushes",
};

struct bench {
	const struct la_program *program;
	const struct la_setting_values *native, *expandable;
	bool quick;
	struct la_error err;
};

static struct la_replay_options compact_options(const struct bench *bench)
{
	return (struct la_replay_options){
		.setting = bench->native,
		.policy = LA_HEAP_COMPACT,
		.limit = { LA_LIMIT_NONE, 0 },
		.costs = la_costs_default(),
	};
}

static double run_seconds(const struct la_recorded_device *device)
{
	size_t count = device->event_count;

	return count ? (double)(device->events[count - 1].time_us -
				device->events[0].time_us) / 1e6 :
		       0;
}

static int minimum_of(struct bench *bench,
		      const struct la_replay_options *options,
		      unsigned int probes, uint64_t *bytes)
{
	struct la_minimum minimum = { 0 };
	int code = la_minimum_memory(bench->program, options, probes, &minimum,
				     &bench->err);

	*bytes = code == -ERANGE ? 0 : minimum.bytes;
	return code == -ERANGE ? 0 : code;
}

/* The minimum of torch's policy; if it is quick, 1 if it would run with less
 * than another, else 0. */
static int print_torch(struct bench *bench,
		       const struct la_setting_values *setting, uint64_t other)
{
	struct la_replay_options options = {
		.setting = setting,
		.start = LA_START_PACKED,
		.limit = { LA_LIMIT_CAP, other - 2 * MIB },
	};
	struct la_replay_result result;
	uint64_t bytes;
	int code;

	if (bench->quick) {
		code = la_replay(bench->program, &options, &result,
				 &bench->err);
		bytes = !code && result.ran;
	} else {
		code = minimum_of(bench, &options, 0, &bytes);
	}
	printf("\t%" PRIu64, bytes);
	return code;
}

/* Calls of the driver: to map is two. */
static uint64_t calls_of(const struct la_replay_result *result)
{
	const struct la_device_operations *done = &result->operations;

	return done->creates + 2 * done->maps + done->unmaps + done->releases +
	       2 * done->waits;
}

/* Without a limit: what is reserved, calls, and those of the second half. */
static int print_unlimited(struct bench *bench)
{
	struct la_replay_options options = compact_options(bench);
	struct la_replay_result whole, half;
	int code = la_replay(bench->program, &options, &whole, &bench->err);

	options.event_count = la_program_info(bench->program)->event_count / 2;
	if (!code)
		code = la_replay(bench->program, &options, &half, &bench->err);
	if (!code)
		printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
		       whole.stats.reserved_peak, calls_of(&whole),
		       calls_of(&whole) - calls_of(&half));
	return code;
}

/* Under a limit of so many times what is live: time, or -1 if it does not
 * run. */
static int print_limited(struct bench *bench, double times)
{
	uint64_t live = la_program_info(bench->program)->peak_live;
	struct la_replay_options options = compact_options(bench);
	struct la_replay_result result;
	int code;

	options.limit.kind = LA_LIMIT_CAP;
	options.limit.bytes = (uint64_t)(times * (double)live);
	code = la_replay(bench->program, &options, &result, &bench->err);
	if (code < 0)
		return code;
	if (!result.ran)
		result.first_touch_seconds = result.seconds = -1e-3;
	printf("\t%.2f\t%.2f\t%" PRIu64, result.first_touch_seconds * 1e3,
	       result.ran ? (result.seconds - result.first_touch_seconds) *
				    1e3 :
			    -1.0,
	       result.operations.stalls);
	return 0;
}

/* Of the bytes requested, the share of blocks of a quarter to two pages, in
 * percent. */
static int small_share(const struct la_recorded_device *device)
{
	uint64_t all = 0, small = 0;
	size_t i;

	for (i = 0; i < device->event_count; i++) {
		const struct la_event *event = &device->events[i];

		if (event->action != LA_ALLOC)
			continue;
		all += event->size;
		if (event->size >= MIB / 2 && event->size <= 4 * MIB)
			small += event->size;
	}
	return all ? (int)(100 * small / all) : 0;
}

static int print_figures(struct bench *bench,
			 const struct la_recorded_device *device)
{
	struct la_replay_options options = compact_options(bench);
	const struct la_program_info *info = la_program_info(bench->program);
	uint64_t bytes;
	int code;

	options.limit.kind = LA_LIMIT_CAP;
	code = minimum_of(bench, &options, PROBES, &bytes);
	printf("\t%" PRIu64 "\t%.2f", info->peak_live, run_seconds(device));
	if (!code)
		code = print_torch(bench, bench->native, bytes);
	if (!code)
		code = print_torch(bench, bench->expandable, bytes);
	printf("\t%" PRIu64, bytes);
	if (!code)
		code = print_unlimited(bench);
	if (!code)
		code = print_limited(bench, 1.03);
	if (!code)
		code = print_limited(bench, 1.01);
	printf("\t%d\t%" PRIu64 "\n", small_share(device), info->flush_count);
	return code;
}

static int measure_device(struct bench *bench, const char *path,
			  const struct la_recording *recording,
			  unsigned int number)
{
	struct la_program *program;
	const char *name = strrchr(path, '/');
	int code = la_program_new(&program, recording, number, NULL,
				  &bench->err);

	if (code < 0)
		return code;
	bench->program = program;
	if (la_program_info(program)->request_count) {
		printf("%s\t%u", name ? name + 1 : path, number);
		code = print_figures(bench,
				     la_recording_device(recording, number));
	}
	la_program_free(program);
	return code;
}

static int measure(struct bench *bench, const char *path)
{
	struct la_recording *recording;
	unsigned int i;
	int code = la_recording_open(&recording, path, NULL, &bench->err);

	if (code < 0)
		return code;
	for (i = 0; i < la_recording_device_count(recording) && !code; i++)
		code = measure_device(bench, path, recording, i);
	la_recording_free(recording);
	return code;
}

int main(int argc, char **argv)
{
	static const char expand[] = "expandable_segments:True";
	struct la_setting *native, *expandable;
	struct bench bench = { 0 };
	int i = 1, status = 0;
	size_t n;

	if (la_setting_parse(&native, "", 0, LA_SET_AT_INIT, &bench.err) < 0 ||
	    la_setting_parse(&expandable, expand, strlen(expand),
			     LA_SET_AT_INIT, &bench.err) < 0)
		return 1;
	bench.native = la_setting_values(native);
	bench.expandable = la_setting_values(expandable);
	if (i < argc && !strcmp(argv[i], "-q")) {
		bench.quick = true;
		i++;
	}
	if (i == argc)
		for (n = 0; n < ARRAY_SIZE(names); n++)
			printf("%s%c", names[n],
			       n + 1 < ARRAY_SIZE(names) ? '\t' : '\n');
	for (; i < argc; i++) {
		if (!measure(&bench, argv[i]))
			continue;
		fprintf(stderr, "bench-compact: %s: %s\n", argv[i],
			bench.err.text);
		status = 1;
	}
	la_setting_free(native);
	la_setting_free(expandable);
	return status;
}
