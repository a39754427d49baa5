// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <liballoc/trace.h>

#include "trace/companion.h"
#include "trace/pickle.h"
#include "trace/probe.h"
#include "trace/recording.h"
#include "util/error.h"
#include "util/util.h"

#define DEFAULT_MEMORY_LIMIT (16 * GIB)

static int fail_memory(struct la_error *err)
{
	return la_error_set(err, -ENOMEM, LA_NO_OFFSET, "out of memory");
}

/* An array that may be empty, but is never NULL. */
static void *new_array(size_t count, size_t size)
{
	return calloc(count ? count : 1, size);
}

/* Leave out the events that torch added since; returns how many are left. */
static size_t drop_unknown(struct la_trace *trace)
{
	size_t i, count = 0;

	for (i = 0; i < trace->count; i++) {
		if (trace->events[i].action == LA_ACTION_UNKNOWN)
			continue;
		if (trace->stacks)
			trace->stacks[count] = trace->stacks[i];
		trace->events[count++] = trace->events[i];
	}
	return count;
}

/* An array that is larger than `count` elements, cut; never NULL if there is
 * memory. */
static void *fit(void *array, size_t count, size_t size)
{
	void *fitted = realloc(array, (count ? count : 1) * size);

	return fitted ? fitted : array;
}

/* Take the events over. */
static void take_events(struct la_owned_device *device, struct la_trace *trace)
{
	size_t count = trace->unknown ? drop_unknown(trace) : trace->count;

	device->events = fit(trace->events, count, sizeof(*trace->events));
	trace->events = NULL;
	if (trace->stacks)
		device->stacks =
			fit(trace->stacks, count, sizeof(*trace->stacks));
	trace->stacks = NULL;
	device->shown.events = device->events;
	device->shown.event_stacks = device->stacks;
	device->shown.event_count = count;
	device->shown.unknown_count = trace->unknown;
	device->shown.has_pool_ids = trace->has_pools;
}

static int by_address(const void *a, const void *b)
{
	const struct la_segment *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->segment.addr != y->segment.addr)
		return x->segment.addr < y->segment.addr ? -1 : 1;
	return 0;
}

static int check_overlap(const struct la_segment *a, const struct la_segment *b,
			 struct la_error *err)
{
	uint64_t offset = a->offset > b->offset ? a->offset : b->offset;

	if (a->segment.addr + a->segment.size <= b->segment.addr)
		return 0;
	return la_error_set(err, -EBADMSG, offset,
			    "segment overlaps another at offset %" PRIu64,
			    offset);
}

/* Segments of one device, `count` of them in order of address. */
static int take_segments(struct la_owned_device *device,
			 const struct la_snapshot *snap,
			 const struct la_segment *from, size_t count,
			 struct la_error *err)
{
	size_t block_count = 0, i;
	int ret;

	for (i = 0; i < count; i++) {
		block_count += from[i].segment.block_count;
		ret = i ? check_overlap(&from[i - 1], &from[i], err) : 0;
		if (ret < 0)
			return ret;
	}
	device->segments = new_array(count, sizeof(*device->segments));
	device->blocks = new_array(block_count, sizeof(*device->blocks));
	if (!device->segments || !device->blocks)
		return fail_memory(err);
	block_count = 0;
	for (i = 0; i < count; i++) {
		struct la_recorded_segment *segment = &device->segments[i];

		*segment = from[i].segment;
		segment->first_block = (uint32_t)block_count;
		memcpy(device->blocks + block_count,
		       snap->blocks + from[i].segment.first_block,
		       segment->block_count * sizeof(*device->blocks));
		block_count += segment->block_count;
	}
	device->shown.segments = device->segments;
	device->shown.segment_count = count;
	device->shown.blocks = device->blocks;
	device->shown.block_count = block_count;
	return 0;
}

static int take_all_segments(struct la_recording *recording,
			     struct la_snapshot *snap, struct la_error *err)
{
	size_t left = snap->end_segment - snap->first_segment, count;
	struct la_segment *from = NULL;
	unsigned int i;
	int ret;

	if (left) {
		from = snap->segments + snap->first_segment;
		qsort(from, left, sizeof(*from), by_address);
	}
	for (i = 0; i < recording->device_count; i++) {
		for (count = 0; count < left && from[count].device == i;)
			count++;
		ret = take_segments(&recording->devices[i], snap, from, count,
				    err);
		if (ret < 0)
			return ret;
		if (count)
			from += count;
		left -= count;
	}
	return 0;
}

static int take_streams(struct la_recording *recording,
			const struct la_snapshot *snap, struct la_error *err)
{
	uint32_t count = (uint32_t)snap->streams.count, i;

	recording->streams = new_array(count, sizeof(*recording->streams));
	if (!recording->streams)
		return fail_memory(err);
	for (i = 0; i < count; i++)
		recording->streams[i] = snap->streams.pairs[i].first;
	recording->stream_count = count;
	return 0;
}

static int take_pools(struct la_recording *recording,
		      const struct la_snapshot *snap, struct la_error *err)
{
	size_t count = snap->pools.count;

	recording->pools = new_array(count, sizeof(*recording->pools));
	if (!recording->pools)
		return fail_memory(err);
	if (count)
		memcpy(recording->pools, snap->pools.pairs,
		       count * sizeof(*recording->pools));
	recording->pool_count = count ? (uint32_t)count : 1;
	return 0;
}

static unsigned int count_devices(const struct la_snapshot *snap)
{
	size_t count = snap->end_trace - snap->first_trace, i;

	for (i = snap->first_segment; i < snap->end_segment; i++)
		if (snap->segments[i].device >= count)
			count = snap->segments[i].device + 1;
	return count ? (unsigned int)count : 1;
}

static int take_devices(struct la_recording *recording,
			struct la_snapshot *snap, struct la_error *err)
{
	unsigned int count = count_devices(snap);
	size_t i, traces = snap->end_trace - snap->first_trace;
	static const struct la_trace empty;

	recording->devices = new_array(count, sizeof(*recording->devices));
	if (!recording->devices)
		return fail_memory(err);
	recording->device_count = count;
	for (i = 0; i < count; i++) {
		struct la_trace none = empty;

		take_events(&recording->devices[i],
			    i < traces ? &snap->traces[snap->first_trace + i] :
					 &none);
		if (!recording->devices[i].events)
			return fail_memory(err);
	}
	return take_all_segments(recording, snap, err);
}

static int take_companion(struct la_recording *recording,
			  struct la_companion *companion, const char *setting,
			  struct la_error *err)
{
	unsigned int i;

	recording->companion = companion->state;
	recording->torch = companion->torch;
	companion->torch = NULL;
	for (i = 0; i < recording->device_count; i++) {
		struct la_companion_device *said = &companion->devices[i];
		struct la_owned_device *device = &recording->devices[i];

		device->shown.cap = said->cap;
		device->shown.total = said->total;
		device->setting = said->conf;
		said->conf = NULL;
		if (setting) {
			device->setting_at_end = strdup(setting);
			if (!device->setting_at_end)
				return fail_memory(err);
		}
		device->shown.setting_at_end = device->setting_at_end;
		device->shown.setting = device->setting ?
						device->setting :
						device->setting_at_end;
	}
	return 0;
}

static int fill(struct la_recording *recording, struct la_snapshot *snap,
		const char *path, struct la_error *err)
{
	struct la_companion companion;
	int ret;

	ret = take_streams(recording, snap, err);
	if (ret < 0)
		return ret;
	ret = take_pools(recording, snap, err);
	if (ret < 0)
		return ret;
	ret = take_devices(recording, snap, err);
	if (ret < 0)
		return ret;
	if (la_recording_take_stacks(recording, snap) < 0)
		return fail_memory(err);
	recording->members = snap->members;
	memset(&snap->members, 0, sizeof(snap->members));
	recording->has_settings =
		recording->members.count ||
		snap->object[LA_ROLE_TOP].seen & 1 << LA_TOP_SETTINGS;
	recording->has_annotations =
		snap->object[LA_ROLE_TOP].seen & 1 << LA_TOP_ANNOTATIONS;
	memcpy(recording->fields, snap->fields, sizeof(snap->fields));
	ret = la_companion_read(&companion, path, recording->device_count, err);
	if (ret < 0)
		return ret;
	ret = take_companion(recording, &companion, snap->setting, err);
	la_companion_release(&companion);
	return ret;
}

static uint64_t memory_limit(const struct la_recording_options *options)
{
	return options && options->memory_limit ? options->memory_limit :
						  DEFAULT_MEMORY_LIMIT;
}

static bool is_empty(const struct la_snapshot *snap)
{
	size_t i, events = 0;

	for (i = 0; i < snap->trace_count; i++)
		events += snap->traces[i].count;
	return !events && !snap->segment_count;
}

/* A mark that was met is of its release or later; one that was not, though
 * there are such objects, is of an earlier one. */
static void find_releases(struct la_recording *recording,
			  const struct la_snapshot *snap)
{
	unsigned int *range = recording->releases;
	size_t i;

	range[0] = 0;
	range[1] = UINT_MAX;
	for (i = 0; i < la_mark_count; i++) {
		if (snap->marks >> i & 1)
			range[0] = la_marks[i].since;
		else if (snap->roles >> la_marks[i].role & 1 &&
			 range[1] == UINT_MAX)
			range[1] = la_marks[i].since - 1u;
	}
	if (range[0] > range[1])
		range[1] = UINT_MAX;
}

static int read_snapshot(struct la_recording **out, struct la_input *in,
			 const char *path,
			 const struct la_recording_options *options,
			 struct la_error *err)
{
	struct la_recording *recording = calloc(1, sizeof(*recording));
	struct la_snapshot snap;
	int ret;

	if (!recording)
		return fail_memory(err);
	la_snapshot_init(&snap, memory_limit(options), err);
	ret = la_pickle_read(&snap, in, options && options->partial,
			     &recording->partial);
	if (ret == 0 && recording->partial && is_empty(&snap))
		ret = la_error_set(err, -EBADMSG, la_input_offset(in),
				   "truncated at offset %" PRIu64
				   " before anything of use",
				   la_input_offset(in));
	if (ret == 0)
		ret = fill(recording, &snap, path, err);
	find_releases(recording, &snap);
	la_snapshot_release(&snap);
	if (ret < 0) {
		la_recording_free(recording);
		return ret;
	}
	*out = recording;
	return 0;
}

static int read_probe(struct la_recording **out, struct la_input *in,
		      const struct la_recording_options *options,
		      struct la_error *err)
{
	struct la_probe *probe;
	int ret;

	ret = la_probe_read_input(&probe, in, memory_limit(options), err);
	if (ret < 0)
		return ret;
	ret = la_probe_recording(out, probe, err);
	la_probe_free(probe);
	return ret;
}

static int read_input(struct la_recording **out, struct la_input *in,
		      const char *path,
		      const struct la_recording_options *options,
		      struct la_error *err)
{
	if (la_input_has(in, sizeof(LA_PROBE_MAGIC)) &&
	    la_probe_is(in->p, sizeof(LA_PROBE_MAGIC)))
		return read_probe(out, in, options, err);
	return read_snapshot(out, in, path, options, err);
}

LA_EXPORT int la_recording_read(struct la_recording **out, const void *data,
				size_t size,
				const struct la_recording_options *options,
				struct la_error *err)
{
	struct la_input in;
	int ret;

	ret = la_input_open_memory(&in, data, size, memory_limit(options), err);
	if (ret < 0)
		return ret;
	ret = read_input(out, &in, NULL, options, err);
	la_input_close(&in);
	return ret;
}

static int read_fd(struct la_recording **out, int fd, const char *path,
		   const struct la_recording_options *options,
		   struct la_error *err)
{
	struct la_input in;
	int ret;

	ret = la_input_open_fd(&in, fd, memory_limit(options), err);
	if (ret < 0)
		return ret;
	ret = read_input(out, &in, path, options, err);
	la_input_close(&in);
	return ret;
}

LA_EXPORT int la_recording_open(struct la_recording **out, const char *path,
				const struct la_recording_options *options,
				struct la_error *err)
{
	int fd, ret;

	if (!strcmp(path, "-"))
		return read_fd(out, STDIN_FILENO, NULL, options, err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		return la_error_set(err, ret, LA_NO_OFFSET, "%s",
				    strerror(-ret));
	}
	ret = read_fd(out, fd, path, options, err);
	close(fd);
	return ret;
}

LA_EXPORT void la_recording_free(struct la_recording *recording)
{
	unsigned int i;

	if (!recording)
		return;
	for (i = 0; i < recording->device_count; i++) {
		free(recording->devices[i].events);
		free(recording->devices[i].stacks);
		free(recording->devices[i].segments);
		free(recording->devices[i].blocks);
		free(recording->devices[i].setting);
		free(recording->devices[i].setting_at_end);
	}
	free(recording->devices);
	free(recording->streams);
	free(recording->pools);
	free(recording->frames);
	free(recording->annotations);
	la_stacks_release(&recording->stacks);
	la_members_release(&recording->members);
	free(recording->torch);
	free(recording);
}

LA_EXPORT unsigned int
la_recording_device_count(const struct la_recording *recording)
{
	return recording->device_count;
}

LA_EXPORT unsigned int
la_recording_main_device(const struct la_recording *recording)
{
	unsigned int best = 0, i;

	for (i = 1; i < recording->device_count; i++)
		if (recording->devices[i].shown.event_count >
		    recording->devices[best].shown.event_count)
			best = i;
	return best;
}

LA_EXPORT const struct la_recorded_device *
la_recording_device(const struct la_recording *recording, unsigned int device)
{
	return &recording->devices[device].shown;
}

LA_EXPORT uint64_t la_recording_stream(const struct la_recording *recording,
				       uint32_t stream)
{
	return recording->streams[stream];
}

LA_EXPORT uint32_t
la_recording_stream_count(const struct la_recording *recording)
{
	return recording->stream_count;
}

LA_EXPORT void la_recording_pool(const struct la_recording *recording,
				 uint16_t pool, uint64_t id[2])
{
	id[0] = recording->pools[pool].first;
	id[1] = recording->pools[pool].second;
}

LA_EXPORT uint32_t la_recording_pool_count(const struct la_recording *recording)
{
	return recording->pool_count;
}

LA_EXPORT void la_recording_releases(const struct la_recording *recording,
				     unsigned int range[2])
{
	range[0] = recording->releases[0];
	range[1] = recording->releases[1];
}

LA_EXPORT const char *la_recording_torch(const struct la_recording *recording)
{
	return recording->torch;
}

LA_EXPORT bool la_recording_is_partial(const struct la_recording *recording)
{
	return recording->partial;
}

LA_EXPORT bool la_recording_is_probe(const struct la_recording *recording)
{
	return recording->probe;
}

LA_EXPORT enum la_companion_state
la_recording_companion(const struct la_recording *recording)
{
	return recording->companion;
}
