// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "allocctl/prometheus.h"
#include "metrics.h"

#define PREFIX "cupti_probe_"

static struct metrics_device *find(struct metrics *metrics, const char *label)
{
	struct metrics_device *device = metrics->device;
	size_t i;

	for (i = 0; i < metrics->device_count; i++, device++)
		if (!strcmp(device->label, label))
			return device;
	if (metrics->device_count == METRICS_DEVICES)
		return NULL;
	metrics->device_count++;
	memcpy(device->label, label, DEVICE_LABEL);
	return device;
}

static void add_running(struct metrics_device *sum,
			const struct la_probe_device *device, int64_t asked)
{
	int kind;

	for (kind = 0; kind < DEVICE_KINDS; kind++)
		sum->live[kind] += device->live[kind];
	sum->allocated += device->allocated;
	sum->reserved += device->reserved;
	if (!device->total || asked < sum->asked)
		return;
	sum->free = device->free;
	sum->total = device->total;
	sum->asked = asked;
}

static void add_devices(struct metrics *metrics, const struct la_probe *probe,
			bool running)
{
	const struct la_probe_header *header = la_probe_header(probe);
	const struct la_probe_device *device;
	char label[DEVICE_LABEL] = "";
	struct metrics_device *sum;
	unsigned int i;

	for (i = 0; i < header->device_count; i++) {
		device = la_probe_device(probe, i);
		if (!device_is_used(device))
			continue;
		sum = find(metrics, device_label(label, device, i));
		if (!sum)
			continue;
		sum->retries += device->retries;
		if (running)
			add_running(sum, device,
				    head_seconds(header, device->free_time));
	}
}

static void add_entry(struct metrics *metrics, const struct folder *folder,
		      const struct entry *entry)
{
	enum la_cause cause = entry->stamp.there ? entry->stamp.cause :
						   LA_CAUSE_CANNOT_TELL;
	bool running = entry->ended.how == ENDED_RUNNING;
	struct la_probe *probe = NULL;
	struct stat st;
	int fd;

	metrics->running += running;
	metrics->recordings++;
	metrics->bytes += entry->size;
	metrics->oom[cause] += entry->ooms;
	metrics->dropped += entry->lost;
	fd = head_open(folder->fd, entry->name, O_RDONLY, &st, NULL);
	if (fd < 0)
		return;
	if (head_read(&probe, fd, NULL) == 0)
		add_devices(metrics, probe, running);
	la_probe_free(probe);
	close(fd);
}

void metrics_gather(struct metrics *metrics, const struct folder *folder)
{
	size_t i;

	for (i = 0; i < folder->count; i++)
		add_entry(metrics, folder, &folder->entry[i]);
}

static void add_live(struct la_strbuf *out, const struct metrics *metrics)
{
	const struct metrics_device *device = metrics->device;
	size_t i;
	int kind;

	prometheus_head(out, PREFIX "live_bytes", "gauge",
			"Bytes that running processes hold, by what they asked for.");
	for (i = 0; i < metrics->device_count; i++, device++)
		for (kind = 0; kind < DEVICE_KINDS; kind++)
			if (device->live[kind])
				la_strbuf_addf(out,
					       PREFIX "live_bytes{device=\"%s\""
						      ",kind=\"%s\"} %" PRIu64
						      "\n",
					       device->label,
					       device_kinds[kind],
					       device->live[kind]);
}

/* A number of each device, at an offset of struct metrics_device. */
static void add_by_device(struct la_strbuf *out, const struct metrics *metrics,
			  const char *name, const char *type, const char *help,
			  size_t offset)
{
	uint64_t value;
	size_t i;

	prometheus_head(out, name, type, help);
	for (i = 0; i < metrics->device_count; i++) {
		memcpy(&value, (const char *)&metrics->device[i] + offset,
		       sizeof(value));
		la_strbuf_addf(out, "%s{device=\"%s\"} %" PRIu64 "\n",
			       name, metrics->device[i].label, value);
	}
}

static void add_ooms(struct la_strbuf *out, const struct metrics *metrics)
{
	int cause;

	prometheus_head(out, PREFIX "oom_total", "counter",
			"Times that memory ran out, by the verdict of the report.");
	for (cause = 0; cause < LA_CAUSE_COUNT; cause++)
		if (metrics->oom[cause])
			la_strbuf_addf(out,
				       PREFIX "oom_total{verdict=\"%s\"} %" PRIu64
					      "\n",
				       la_cause_name((enum la_cause)cause),
				       metrics->oom[cause]);
}

#define OF(member) offsetof(struct metrics_device, member)

void metrics_text(struct la_strbuf *out, const struct metrics *metrics)
{
	add_live(out, metrics);
	add_by_device(out, metrics, PREFIX "allocated_bytes", "gauge",
		      "Bytes of blocks that PyTorch's allocator has given out.",
		      OF(allocated));
	add_by_device(out, metrics, PREFIX "reserved_bytes", "gauge",
		      "Bytes that PyTorch's allocator holds.", OF(reserved));
	add_by_device(out, metrics, PREFIX "free_bytes", "gauge",
		      "Bytes free on the device when last asked.", OF(free));
	add_by_device(out, metrics, PREFIX "total_bytes", "gauge",
		      "Bytes of the device.", OF(total));
	add_by_device(out, metrics, PREFIX "alloc_retries_total", "counter",
		      "Failed allocations that a retry made good.",
		      OF(retries));
	add_ooms(out, metrics);
	prometheus_number(out, PREFIX "dropped_total", "counter",
			  "Records and allocations that found no room.",
			  metrics->dropped);
	prometheus_number(out, PREFIX "processes", "gauge",
			  "Processes that are being recorded.",
			  metrics->running);
	prometheus_number(out, PREFIX "recordings", "gauge",
			  "Recordings on the disk.", metrics->recordings);
	prometheus_number(out, PREFIX "recordings_bytes", "gauge",
			  "Bytes of recordings and reports on the disk.",
			  metrics->bytes);
}
