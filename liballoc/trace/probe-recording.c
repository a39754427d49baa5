// SPDX-License-Identifier: Apache-2.0
/*
 * What the allocator reported, and what the driver gave it meanwhile, as a
 * recording.  Three things differ from a snapshot of the same program: the
 * size of a block stands for the request; streams are inferred; and a block
 * counts as usable again when it was freed, though another stream may use it
 * for a while: torch reports frees when they are asked for.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "trace/probe-state.h"
#include "trace/probe-streams.h"
#include "trace/probe.h"
#include "trace/recording.h"
#include "util/array.h"
#include "util/error.h"
#include "util/util.h"

/* Memory that is mapped or unmapped piece by piece, in ascending order. */
struct run {
	uint64_t addr, end; /* equal: none is under way */
	uint64_t time_us;
	uint32_t thread;
	uint32_t stream;
	uint16_t pool;
	uint8_t action; /* LA_SEGMENT_MAP or LA_SEGMENT_UNMAP */
};

/* The events of a device as they are gathered. */
struct gathered {
	struct la_event *event; /* owned */
	size_t count, room;
	struct run run;
	uint64_t free; /* bytes, as the driver said last */
	bool asked; /* that was after the allocator's last report */
};

/* From records to events. */
struct gatherer {
	const struct la_probe *probe;
	struct la_walk walk;
	struct la_recording *recording;
	struct gathered device[LA_PROBE_DEVICES];
	uint16_t *pool_of; /* owned; by capture: index of its pool, 0: none */
};

static uint64_t unix_time(const struct la_probe *probe, uint64_t time)
{
	const struct la_probe_header *header = &probe->header;

	return (header->realtime + (time - header->monotonic)) / 1000;
}

static int add_event(struct gathered *device, const struct la_event *event)
{
	if (grow_array(&device->event, &device->room, device->count,
		       sizeof(*event)) < 0)
		return -ENOMEM;
	device->event[device->count++] = *event;
	return 0;
}

/* The run under way is complete. */
static int end_run(struct gathered *device)
{
	const struct run *run = &device->run;
	const struct la_event event = {
		.addr = run->addr,
		.size = run->end - run->addr,
		.time_us = run->time_us,
		.pool = run->pool,
		.stream = run->stream,
		.action = run->action,
	};

	if (run->addr == run->end)
		return 0;
	device->run.end = run->addr;
	return add_event(device, &event);
}

static int append(struct gathered *device, const struct la_event *event)
{
	int err = end_run(device);

	return err < 0 ? err : add_event(device, event);
}

static int extend_run(struct gathered *device, const struct la_event *event,
		      uint32_t thread)
{
	struct run *run = &device->run;
	bool goes_on = run->addr != run->end && run->action == event->action &&
		       run->thread == thread && run->end == event->addr &&
		       run->pool == event->pool;
	int err = goes_on ? 0 : end_run(device);

	if (!goes_on)
		*run = (struct run){ event->addr,   event->addr,
				     event->time_us, thread,
				     event->stream, event->pool,
				     event->action };
	run->end = event->addr + event->size;
	return err;
}

/* The index of a pool in the recording; of more than fit, the default one. */
static uint16_t pool_of(struct gatherer *g, uint32_t capture)
{
	uint32_t pool = la_walk_pool(&g->walk, capture);

	if (pool && !g->pool_of[pool] &&
	    g->recording->pool_count <= UINT16_MAX) {
		struct la_pair *id =
			&g->recording->pools[g->recording->pool_count];

		id->second = pool;
		g->pool_of[pool] = (uint16_t)g->recording->pool_count++;
	}
	return g->pool_of[pool];
}

static struct la_event event_of(struct gatherer *g, size_t i,
				enum la_action action)
{
	const struct la_probe_record *record = &g->probe->record[i];
	uint32_t span = g->walk.span_of[i];
	struct la_event event = {
		.addr = record->addr,
		.size = record->size,
		.time_us = unix_time(g->probe, record->time),
		.action = (uint8_t)action,
	};

	if (span != LA_NO_SPAN) {
		event.pool = pool_of(g, g->walk.span[span].capture);
		event.stream = g->walk.span[span].stream;
	}
	return event;
}

/* Memory that came or went. */
static int gather_segment(struct gatherer *g, size_t i, enum la_action action)
{
	uint32_t number = g->walk.span_of[i];
	const struct la_walk_span *span;
	struct la_event event;

	if (number == LA_NO_SPAN || !g->walk.span[number].torch)
		return 0;
	span = &g->walk.span[number];
	event = event_of(g, i, action);
	if (action == LA_SEGMENT_MAP || action == LA_SEGMENT_UNMAP)
		return extend_run(&g->device[span->device], &event,
				  g->probe->record[i].thread);
	event.size = span->size;
	return append(&g->device[span->device], &event);
}

/* Bytes that were free at an OOM: torch asks just before it reports one. */
static uint64_t free_at(const struct gatherer *g,
			const struct la_probe_record *record)
{
	const struct gathered *device = &g->device[record->device];
	const struct la_probe *probe = g->probe;
	size_t i = probe->oom_count;

	if (device->asked)
		return device->free;
	while (i-- > 0) {
		const struct la_probe_oom *oom = &probe->oom[i];

		if (oom->device == record->device && oom->total &&
		    oom->request == record->size && oom->time <= record->time)
			return oom->free_last ? oom->free_last : oom->free;
	}
	return device->free ? device->free : probe->device[record->device].free;
}

static uint64_t at_most(uint64_t bytes)
{
	return bytes < LA_MOST_BYTES ? bytes : LA_MOST_BYTES;
}

static int gather_report(struct gatherer *g, size_t i)
{
	const struct la_probe_record *record = &g->probe->record[i];
	struct gathered *device;
	struct la_event event;
	int err;

	if (record->device >= g->recording->device_count)
		return 0;
	device = &g->device[record->device];
	switch (record->op) {
	case LA_PROBE_OP_BLOCK_ALLOC:
		event = event_of(g, i, LA_ALLOC);
		break;
	case LA_PROBE_OP_BLOCK_FREE:
		event = event_of(g, i, LA_FREE_REQUESTED);
		break;
	default:
		event = event_of(g, i, LA_OOM);
		event.addr = at_most(free_at(g, record));
		event.size = at_most(record->size);
		event.pool = pool_of(g, g->walk.capture_of[i]);
		event.stream = g->walk.failed_in[i];
	}
	if (event.action != LA_OOM)
		event.size = la_walk_request(&g->walk, record->size);
	device->asked = false;
	err = append(device, &event);
	if (err < 0 || event.action != LA_FREE_REQUESTED)
		return err;
	event.action = LA_FREE_COMPLETED;
	return append(device, &event);
}

static void hear_memory(struct gatherer *g,
			const struct la_probe_record *record)
{
	if (record->result || record->device >= LA_PROBE_DEVICES)
		return;
	g->device[record->device].free = record->size;
	g->device[record->device].asked = true;
}

static int gather_record(struct gatherer *g, size_t i)
{
	const struct la_probe_record *record = &g->probe->record[i];

	switch (record->op) {
	case LA_PROBE_OP_ALLOC:
		return gather_segment(g, i, LA_SEGMENT_ALLOC);
	case LA_PROBE_OP_FREE:
		return gather_segment(g, i, LA_SEGMENT_FREE);
	case LA_PROBE_OP_MAP:
		return gather_segment(g, i, LA_SEGMENT_MAP);
	case LA_PROBE_OP_UNMAP:
		return gather_segment(g, i, LA_SEGMENT_UNMAP);
	case LA_PROBE_OP_BLOCK_ALLOC:
	case LA_PROBE_OP_BLOCK_FREE:
	case LA_PROBE_OP_BLOCK_OOM:
		return gather_report(g, i);
	case LA_PROBE_OP_MEMORY:
		hear_memory(g, record);
		return 0;
	default:
		return 0;
	}
}

/* All records; then each device's events become the recording's. */
static int gather(struct gatherer *g)
{
	unsigned int d;
	size_t i;
	int err = 0;

	for (i = 0; i < g->probe->record_count && !err; i++)
		err = gather_record(g, i);
	for (d = 0; d < g->recording->device_count && !err; d++)
		err = end_run(&g->device[d]);
	for (d = 0; d < g->recording->device_count && !err; d++) {
		struct la_owned_device *device = &g->recording->devices[d];
		struct gathered *from = &g->device[d];

		device->events = from->event ? from->event :
					       calloc(1, sizeof(*from->event));
		from->event = NULL;
		if (!device->events)
			return -ENOMEM;
		device->shown.events = device->events;
		device->shown.event_count = from->count;
		device->shown.has_pool_ids = g->recording->pool_count > 1;
	}
	return err;
}

/* Devices that the allocator reported of, or that the process saw. */
static unsigned int count_devices(const struct la_probe *probe)
{
	unsigned int count = probe->header.device_count;
	size_t i;

	for (i = 0; i < probe->record_count; i++) {
		const struct la_probe_record *record = &probe->record[i];

		if (la_probe_is_report(record) &&
		    record->device < LA_PROBE_DEVICES &&
		    record->device >= count)
			count = record->device + 1u;
	}
	for (i = 0; i < probe->holding_count; i++)
		if (probe->holding[i].kind == LA_PROBE_KIND_BLOCK &&
		    probe->holding[i].device < LA_PROBE_DEVICES &&
		    probe->holding[i].device >= count)
			count = probe->holding[i].device + 1u;
	return count ? count : 1;
}

/* "2.11.0+cu130": its place among releases, or what nothing bounds. */
static void tell_release(struct la_recording *recording, const char *torch)
{
	unsigned long major, minor;
	char *end;

	recording->releases[1] = UINT_MAX;
	major = strtoul(torch, &end, 10);
	if (end == torch || *end != '.' || major > UINT8_MAX)
		return;
	torch = end + 1;
	minor = strtoul(torch, &end, 10);
	if (end == torch || minor > UINT8_MAX)
		return;
	recording->releases[0] = recording->releases[1] =
		(unsigned int)(major << 8 | minor);
}

/* As a snapshot has it, so that one that is written has it too. */
static int keep_setting(struct la_recording *recording, const char *setting)
{
	static const char key[] = "PYTORCH_CUDA_ALLOC_CONF";
	struct la_budget budget = { .limit = UINT64_MAX };
	struct la_member member = { .type = LA_VALUE_STRING };
	uint32_t value;
	int err;

	err = la_stacks_keep(&recording->stacks, &budget, key, sizeof(key) - 1,
			     true, &member.key);
	if (!err)
		err = la_stacks_keep(&recording->stacks, &budget, setting,
				     strlen(setting), true, &value);
	if (err < 0)
		return err;
	member.u = value;
	recording->has_settings = true;
	return la_members_add(&recording->members, &budget, &member);
}

static int tell_device(struct la_owned_device *device, const char *setting,
		       uint64_t total)
{
	device->shown.cap = UINT64_MAX;
	device->shown.total = total;
	if (!*setting)
		return 0;
	device->setting_at_end = strdup(setting);
	device->shown.setting = device->setting_at_end;
	device->shown.setting_at_end = device->setting_at_end;
	return device->setting_at_end ? 0 : -ENOMEM;
}

static int begin(struct la_recording *recording, const struct la_probe *probe)
{
	const struct la_probe_header *header = &probe->header;
	unsigned int count = count_devices(probe), i;
	int err = 0;

	recording->probe = true;
	recording->devices = calloc(count, sizeof(*recording->devices));
	recording->streams = calloc(LA_WALK_STREAMS,
				    sizeof(*recording->streams));
	recording->frames = calloc(1, sizeof(*recording->frames));
	if (!recording->devices || !recording->streams || !recording->frames)
		return -ENOMEM;
	recording->device_count = count;
	recording->stream_count = 1;
	for (i = 0; i < LA_WALK_STREAMS; i++)
		recording->streams[i] = i;
	recording->fields[LA_ROLE_SEGMENT] =
		1 << LA_SEGMENT_POOL | 1 << LA_SEGMENT_EXPANDABLE;
	recording->fields[LA_ROLE_BLOCK] = 1 << LA_BLOCK_REQUESTED;
	tell_release(recording, header->torch);
	if (*header->torch)
		recording->torch = strdup(header->torch);
	if (*header->torch && !recording->torch)
		return -ENOMEM;
	if (*header->setting)
		err = keep_setting(recording, header->setting);
	for (i = 0; i < count && !err; i++)
		err = tell_device(&recording->devices[i], header->setting,
				  probe->device[i].total);
	return err;
}

static int fill(struct gatherer *g)
{
	int err = begin(g->recording, g->probe);

	if (!err)
		err = la_walk_probe(&g->walk, g->probe);
	if (!err)
		err = la_walk_infer_streams(&g->walk);
	if (err < 0)
		return err;
	g->recording->stream_count = g->walk.stream_count;
	g->pool_of = calloc(g->walk.capture_count, sizeof(*g->pool_of));
	g->recording->pools =
		calloc(g->walk.capture_count, sizeof(*g->recording->pools));
	g->recording->pool_count = 1;
	err = g->pool_of && g->recording->pools ? gather(g) : -ENOMEM;
	return err < 0 ? err : la_walk_take_state(&g->walk, g->recording);
}

int la_probe_moment(struct la_recording **out, const struct la_probe *probe,
		    size_t report, uint64_t *pool)
{
	struct la_recording *recording = calloc(1, sizeof(*recording));
	struct la_walk walk = { 0 };
	int err = recording ? begin(recording, probe) : -ENOMEM;

	if (!err)
		err = la_walk_to_report(&walk, probe, report);
	if (!err)
		err = la_walk_take_state(&walk, recording);
	if (!err)
		*pool = la_walk_pool(&walk, walk.capture_of[report]);
	la_walk_release(&walk);
	if (err < 0)
		la_recording_free(recording);
	else
		*out = recording;
	return err;
}

static bool was_seen(const struct la_probe *probe)
{
	size_t i;

	if (probe->header.view[LA_PROBE_ALLOCATOR].from)
		return true;
	for (i = 0; i < probe->record_count; i++)
		if (la_probe_is_report(&probe->record[i]))
			return true;
	return false;
}

LA_EXPORT int la_probe_recording(struct la_recording **out,
				 const struct la_probe *probe,
				 struct la_error *err)
{
	struct gatherer *g;
	unsigned int i;
	int ret = -ENOMEM;

	if (!was_seen(probe))
		return la_error_set(err, -ENODATA, LA_NO_OFFSET,
				    "PyTorch's allocator was not seen");
	g = calloc(1, sizeof(*g));
	if (g) {
		g->probe = probe;
		g->recording = calloc(1, sizeof(*g->recording));
		ret = g->recording ? fill(g) : -ENOMEM;
		for (i = 0; i < LA_PROBE_DEVICES; i++)
			free(g->device[i].event);
		free(g->pool_of);
		la_walk_release(&g->walk);
		if (ret == 0)
			*out = g->recording;
		else
			la_recording_free(g->recording);
		free(g);
	}
	return ret < 0 ? la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				      "out of memory") :
			 0;
}
