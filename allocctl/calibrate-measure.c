// SPDX-License-Identifier: Apache-2.0
/* Device operations by the clock. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calibrate.h"
#include "print.h"
#include "util/util.h"

/* What other programs hold makes a context look larger than any is. */
#define LARGEST_CONTEXT (GIB + 512 * MIB)
#define SPARE (64 * MIB)

enum {
	EVENTS = 100, /* that are timed at once: one takes no microsecond */
	PER_THREAD = 2 /* raw value of a stream that every thread has */
};

static const uint64_t sizes[] = { 2 * MIB,   20 * MIB, 64 * MIB,
				  256 * MIB, GIB,      4 * GIB };

/* Times of one operation, in microseconds. */
struct times {
	double us[CALIBRATE_ROUNDS];
};

struct bench {
	struct la_device *device;
	const struct cudart *cudart;
	bool progress;
	uint64_t range; /* addresses, for the largest size */
	struct times malloc, free, map, unmap;
	struct times create, attach, detach, release;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* To the hundredth: no clock here is finer than that. */
static double median(const struct times *times)
{
	struct times sorted = *times;
	double middle;

	qsort(sorted.us, CALIBRATE_ROUNDS, sizeof(*sorted.us), compare);
	middle = (sorted.us[CALIBRATE_ROUNDS / 2 - 1] +
		  sorted.us[CALIBRATE_ROUNDS / 2]) /
		 2;
	return (double)(uint64_t)(middle * 100 + 0.5) / 100;
}

static bool fail(const struct bench *bench, int code)
{
	char text[200];

	la_device_cuda_message(bench->device, text, sizeof(text));
	print_error("cannot measure: %s", *text ? text : strerror(-code));
	return false;
}

/* A segment, as torch gets and frees it.  The first round warms up. */
static bool time_segment(struct bench *bench, uint64_t size, int round)
{
	double begin = now(), middle, end;
	void *at = NULL;
	int result = bench->cudart->malloc(&at, size);

	middle = now();
	if (!result)
		result = bench->cudart->free(at);
	end = now();
	if (result) {
		cudart_complain(bench->cudart, at ? "cudaFree" : "cudaMalloc",
				result);
		return false;
	}
	if (round >= 0) {
		bench->malloc.us[round] = middle - begin;
		bench->free.us[round] = end - middle;
	}
	return true;
}

/* Time since *since, which is now from then on. */
static double lap(double *since)
{
	double before = *since;

	*since = now();
	return *since - before;
}

static bool time_piece(struct bench *bench, uint64_t size, int round)
{
	const struct la_device_ops *ops = bench->device->ops;
	double create, attach, detach, release, since = now();
	uint64_t piece = 0;
	int code = ops->create(bench->device, size, &piece);

	create = lap(&since);
	if (!code)
		code = ops->attach(bench->device, bench->range, size, piece);
	attach = lap(&since);
	if (!code)
		code = ops->detach(bench->device, bench->range, size);
	detach = lap(&since);
	if (!code)
		code = ops->release(bench->device, piece, size);
	release = lap(&since);
	if (code < 0)
		return fail(bench, code);
	if (round < 0)
		return true;
	bench->create.us[round] = create;
	bench->attach.us[round] = attach;
	bench->detach.us[round] = detach;
	bench->release.us[round] = release;
	bench->map.us[round] = create + attach;
	bench->unmap.us[round] = detach + release;
	return true;
}

static bool time_size(struct bench *bench, uint64_t size,
		      struct la_cost_point *out)
{
	int round;

	for (round = -1; round < CALIBRATE_ROUNDS; round++) {
		if (bench->progress)
			fprintf(stderr, "\r%" PRIu64 " MiB: %d of %d ",
				size / MIB, round + 1, CALIBRATE_ROUNDS);
		if (!time_segment(bench, size, round) ||
		    !time_piece(bench, size, round))
			return false;
	}
	*out = (struct la_cost_point){
		.size = size,
		.malloc = median(&bench->malloc),
		.free = median(&bench->free),
		.map = median(&bench->map),
		.unmap = median(&bench->unmap),
		.create = median(&bench->create),
		.attach = median(&bench->attach),
		.detach = median(&bench->detach),
		.release = median(&bench->release),
	};
	return true;
}

static bool time_sizes(struct bench *bench, uint64_t room,
		       struct la_costs *costs)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes) && sizes[i] + SPARE <= room; i++)
		if (!time_size(bench, sizes[i],
			       &costs->point[costs->point_count++]))
			return false;
	if (costs->point_count)
		return true;
	print_error("cannot measure: the GPU has only %" PRIu64 " MiB left",
		    room / MIB);
	return false;
}

/* What all events of one round took, for one. */
struct event_times {
	struct times record, wait_for, query;
};

static bool time_events(struct bench *bench, struct event_times *times,
			int round)
{
	const struct la_device_ops *ops = bench->device->ops;
	struct la_device *dev = bench->device;
	uint64_t event[EVENTS];
	double since = now();
	int i, got, code = 0;

	for (got = 0; got < EVENTS && !code; got += !code)
		code = ops->record(dev, 0, &event[got]);
	times->record.us[round] = lap(&since) / EVENTS;
	for (i = 0; i < EVENTS && !code; i++)
		code = ops->order(dev, PER_THREAD, event[i]);
	times->wait_for.us[round] = lap(&since) / EVENTS;
	if (!code)
		code = ops->await(dev, event[EVENTS - 1]);
	(void)lap(&since);
	for (i = 0; i < EVENTS && code >= 0; i++)
		code = ops->query(dev, event[i]);
	times->query.us[round] = lap(&since) / EVENTS;
	for (i = 0; i < got; i++)
		ops->forget(dev, event[i]);
	return code < 0 ? fail(bench, code) : true;
}

static bool time_all_events(struct bench *bench, struct calibration *out)
{
	struct event_times times;
	int round;

	/* The first events are made, the others used again. */
	if (!time_events(bench, &times, 0))
		return false;
	for (round = 0; round < CALIBRATE_ROUNDS; round++)
		if (!time_events(bench, &times, round))
			return false;
	out->record = median(&times.record);
	out->wait_for = median(&times.wait_for);
	out->query = median(&times.query);
	out->costs.order = out->record + out->wait_for;
	return true;
}

/* How long a program waits for an emptied queue only a program can tell. */
static int look_at(struct bench *bench, struct calibration *out, uint64_t *room)
{
	const struct la_costs *built_in = la_costs_default();
	struct la_costs *costs = &out->costs;
	int code = la_device_cuda_memory(bench->device, room, &costs->total);

	if (!code)
		code = la_device_cuda_name(bench->device, costs->gpu,
					   sizeof(costs->gpu));
	if (code < 0)
		return code;
	costs->wait = built_in->wait;
	costs->context = costs->total - *room;
	out->is_shared = costs->context > LARGEST_CONTEXT;
	if (out->is_shared)
		costs->context = built_in->context;
	return 0;
}

static bool measure(struct bench *bench, struct calibration *out)
{
	uint64_t largest = sizes[ARRAY_SIZE(sizes) - 1], room = 0;
	struct la_device *dev = bench->device;
	bool done;
	int code = look_at(bench, out, &room);

	if (!code)
		code = dev->ops->reserve(dev, largest, &bench->range);
	if (code < 0)
		return fail(bench, code);
	done = time_sizes(bench, room, &out->costs) &&
	       time_all_events(bench, out);
	code = dev->ops->unreserve(dev, bench->range, largest);
	return done && (!code || fail(bench, code));
}

bool calibrate_measure(struct calibration *out, struct la_device *device,
		       const struct cudart *cudart)
{
	struct bench bench = {
		.device = device,
		.cudart = cudart,
		.progress = isatty(STDERR_FILENO),
	};
	bool done;

	*out = (struct calibration){ .cudart = cudart->path };
	if (cudart->version(&out->version))
		out->version = 0;
	done = measure(&bench, out);
	if (bench.progress)
		fputs("\r\033[K", stderr);
	return done;
}
