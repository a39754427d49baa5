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

#include "replay/program.h"
#include "util/util.h"

enum { PROBES = 12 };

static const char *const names[] = {
	"recording",   "device",     "live",	    "seconds",	  "native",
	"expandable",  "compact",    "reserved",    "calls",	  "late calls",
	"first 1.03",  "later 1.03", "stalls 1.03", "first 1.01", "later 1.01",
	"stalls 1.01", "small",	     "flushes",	    "pools",	  "card",
};

struct figures {
	const struct la_program *program;
	const struct la_setting_values *native, *expandable;
	bool quick;
	struct la_error err;
};

static struct la_replay_options compact_options(const struct figures *figures)
{
	return (struct la_replay_options){
		.setting = figures->native,
		.policy = LA_HEAP_COMPACT,
		.limit = { LA_LIMIT_NONE, 0 },
		.costs = la_costs_default(),
	};
}

static double run_seconds(const struct la_recorded_device *device)
{
	size_t count = device->event_count;

	return count ? (double)(device->events[count - 1].time_us -
				device->events[0].time_us) /
			       1e6 :
		       0;
}

static int minimum_of(struct figures *figures,
		      const struct la_replay_options *options,
		      unsigned int probes, uint64_t *bytes)
{
	struct la_minimum minimum = { 0 };
	int code = la_minimum_memory(figures->program, options, probes,
				     &minimum, &figures->err);

	*bytes = code == -ERANGE ? 0 : minimum.bytes;
	return code == -ERANGE ? 0 : code;
}

/* The minimum of torch's policy; if it is quick, 1 if it would run with less
 * than another, else 0. */
static int print_torch(struct figures *figures,
		       const struct la_setting_values *setting, uint64_t other)
{
	struct la_replay_options options = {
		.setting = setting,
		.start = LA_START_PACKED,
		.limit = { LA_LIMIT_CAP, other - other / 4096 - 4 * MIB },
	};
	struct la_replay_result result;
	uint64_t bytes;
	int code;

	if (figures->quick) {
		code = la_replay(figures->program, &options, &result,
				 &figures->err);
		bytes = !code && result.ran;
	} else {
		code = minimum_of(figures, &options, 0, &bytes);
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
static int print_unlimited(struct figures *figures)
{
	struct la_replay_options options = compact_options(figures);
	const struct la_program *program = figures->program;
	struct la_replay_result whole, half;
	int code = la_replay(program, &options, &whole, &figures->err);

	options.event_count = la_program_info(program)->event_count / 2;
	if (!code)
		code = la_replay(program, &options, &half, &figures->err);
	if (!code)
		printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
		       whole.stats.reserved_peak, calls_of(&whole),
		       calls_of(&whole) - calls_of(&half));
	return code;
}

/* Under a limit of so many times what is live: time, or -1 if it does not
 * run. */
static int print_limited(struct figures *figures, double times)
{
	uint64_t live = la_program_info(figures->program)->peak_live;
	struct la_replay_options options = compact_options(figures);
	struct la_replay_result result;
	int code;

	options.limit.kind = LA_LIMIT_CAP;
	options.limit.bytes = (uint64_t)(times * (double)live);
	code = la_replay(figures->program, &options, &result, &figures->err);
	if (code < 0)
		return code;
	if (!result.ran)
		result.first_touch_seconds = result.seconds = -1e-3;
	printf("\t%.2f\t%.2f\t%" PRIu64, result.first_touch_seconds * 1e3,
	       result.ran ?
		       (result.seconds - result.first_touch_seconds) * 1e3 :
		       -1.0,
	       result.operations.stalls);
	return 0;
}

/* Of the bytes requested, the percentage of blocks of a quarter to two
 * pages. */
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

static int print_figures(struct figures *figures,
			 const struct la_recorded_device *device)
{
	struct la_replay_options options = compact_options(figures);
	const struct la_program_info *info = la_program_info(figures->program);
	uint64_t bytes;
	int code;

	options.limit.kind = LA_LIMIT_CAP;
	code = minimum_of(figures, &options, PROBES, &bytes);
	printf("\t%" PRIu64 "\t%.2f", info->peak_live, run_seconds(device));
	if (!code)
		code = print_torch(figures, figures->native, bytes);
	if (!code)
		code = print_torch(figures, figures->expandable, bytes);
	printf("\t%" PRIu64, bytes);
	if (!code)
		code = print_unlimited(figures);
	if (!code)
		code = print_limited(figures, 1.03);
	if (!code)
		code = print_limited(figures, 1.01);
	printf("\t%d\t%" PRIu64 "\t%u\t%" PRIu64 "\n", small_share(device),
	       info->flush_count, figures->program->pool_count - 1,
	       figures->program->info.total);
	return code;
}

static int measure_device(struct figures *figures, const char *path,
			  const struct la_recording *recording,
			  unsigned int number)
{
	struct la_program *program;
	const char *name = strrchr(path, '/');
	int code = la_program_new(&program, recording, number, NULL,
				  &figures->err);

	if (code < 0)
		return code;
	figures->program = program;
	if (la_program_info(program)->request_count) {
		printf("%s\t%u", name ? name + 1 : path, number);
		code = print_figures(figures,
				     la_recording_device(recording, number));
	}
	la_program_free(program);
	return code;
}

static int measure(struct figures *figures, const char *path)
{
	struct la_recording *recording;
	unsigned int i;
	int code = la_recording_open(&recording, path, NULL, &figures->err);

	if (code < 0)
		return code;
	for (i = 0; i < la_recording_device_count(recording) && !code; i++)
		code = measure_device(figures, path, recording, i);
	la_recording_free(recording);
	return code;
}

static void print_names(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		printf("%s%c", names[i],
		       i + 1 < ARRAY_SIZE(names) ? '\t' : '\n');
}

int main(int argc, char **argv)
{
	static const char expand[] = "expandable_segments:True";
	struct la_setting *native, *expandable;
	struct figures figures = { 0 };
	int i = 1, status = 0;

	if (la_setting_parse(&native, "", 0, LA_SET_AT_INIT, &figures.err) <
		    0 ||
	    la_setting_parse(&expandable, expand, strlen(expand),
			     LA_SET_AT_INIT, &figures.err) < 0)
		return 1;
	figures.native = la_setting_values(native);
	figures.expandable = la_setting_values(expandable);
	if (i < argc && !strcmp(argv[i], "-q")) {
		figures.quick = true;
		i++;
	}
	if (i == argc)
		print_names();
	for (; i < argc; i++) {
		if (!measure(&figures, argv[i]))
			continue;
		fprintf(stderr, "compact-figures: %s: %s\n", argv[i],
			figures.err.text);
		status = 1;
	}
	la_setting_free(native);
	la_setting_free(expandable);
	return status;
}
