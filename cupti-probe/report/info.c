// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>

#include "allocctl/print.h"
#include "device.h"
#include "head.h"
#include "info.h"
#include "letter-file.h"
#include "util/size.h"

/* In the order of enum la_probe_oom_state. */
static const char *const states[] = {
	[LA_PROBE_OOM_NONE] = "none",
	[LA_PROBE_OOM_OPEN] = "open",
	[LA_PROBE_OOM_RETRIED] = "retried",
	[LA_PROBE_OOM_REPORTED] = "reported by PyTorch's allocator",
	[LA_PROBE_OOM_ASKED] = "the program asked how much is free",
	[LA_PROBE_OOM_EXPIRED] = "no later success",
};

static const char *state_of(const struct la_probe_oom *oom)
{
	return oom->state <= LA_PROBE_OOM_EXPIRED ? states[oom->state] : "?";
}

static double seconds(const struct la_probe_header *header, uint64_t time)
{
	return (double)head_since(header, time) / 1e9;
}

static void print_header(const struct la_probe_header *header)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "%" PRIu64 " calls of the driver, %" PRIu64 " failed; %" PRIu64
		 " episodes: %" PRIu64 " OOMs, %" PRIu64 " retries",
		 header->calls, header->failed_calls, header->episodes,
		 header->ooms, header->retries);
	letter_paragraph("counted", text);
	snprintf(text, sizeof(text),
		 "%.3f ms inside of hooks, last seen after %.1f s",
		 (double)header->hook_time / 1e6,
		 seconds(header, header->heartbeat));
	letter_paragraph("", text);
	letter_paragraph("setting", header->setting);
	letter_paragraph("arguments", header->arguments);
	letter_paragraph("run", header->run);
	snprintf(text, sizeof(text), "%u.%u", header->driver_version / 1000,
		 header->driver_version % 1000 / 10);
	letter_paragraph("cuda", header->driver_version ? text : "");
}

static void print_device(const struct la_probe_device *device, unsigned int i)
{
	char label[DEVICE_LABEL], total[LA_SIZE_TEXT], live[LA_SIZE_TEXT];
	char text[256];

	snprintf(text, sizeof(text), "%u: %s, %s, %s in all, %s live", i,
		 device->name, device_label(label, device, i),
		 la_size_format(total, device->total),
		 la_size_format(live, device_live(device)));
	letter_paragraph("device", text);
}

static void print_oom(const struct la_probe_header *header,
		      const struct la_probe_oom *oom)
{
	char size[LA_SIZE_TEXT], free[LA_SIZE_TEXT], text[256];

	snprintf(text, sizeof(text),
		 "%" PRIu64 ": after %.1f s on device %" PRIu32
		 ", %s asked for, %s free: %s",
		 oom->serial, seconds(header, oom->time), oom->device,
		 la_size_format(size, oom->size ? oom->size : oom->request),
		 la_size_format(free, oom->free), state_of(oom));
	letter_paragraph(la_probe_oom_failed(oom) ? "oom" : "episode", text);
}

void info_text(const struct letter_file *file)
{
	const struct la_probe_header *header = la_probe_header(file->probe);
	size_t records, holdings, ooms, i;
	const struct la_probe_oom *oom = la_probe_ooms(file->probe, &ooms);
	char text[128];

	fputs("file        ", stdout);
	print_escaped(file->path);
	letter_file_text(file);
	print_header(header);
	la_probe_records(file->probe, &records);
	la_probe_holdings(file->probe, &holdings);
	snprintf(text, sizeof(text), "%zu records, %zu live allocations",
		 records, holdings);
	letter_paragraph("kept", text);
	for (i = 0; i < header->device_count; i++)
		if (device_is_used(la_probe_device(file->probe,
						   (unsigned int)i)))
			print_device(la_probe_device(file->probe,
						     (unsigned int)i),
				     (unsigned int)i);
	for (i = 0; i < ooms; i++)
		print_oom(header, &oom[i]);
}

static void oom_json(struct la_json *json, const struct la_probe_header *header,
		     const struct la_probe_oom *oom)
{
	la_json_object_begin(json);
	la_json_member_uint(json, "serial", oom->serial);
	la_json_member_uint(json, "time", head_since(header, oom->time));
	la_json_member_bool(json, "failed", la_probe_oom_failed(oom));
	la_json_member_text(json, "state", state_of(oom));
	la_json_member_uint(json, "device", oom->device);
	la_json_key(json, "result");
	la_json_int(json, oom->result);
	la_json_member_uint(json, "size", oom->size);
	la_json_member_uint(json, "request", oom->request);
	la_json_member_known_uint(json, "free", oom->total, oom->free);
	la_json_member_known_uint(json, "total", oom->total, oom->total);
	la_json_object_end(json);
}

static void counts_json(struct la_json *json, const struct letter_file *file)
{
	const struct la_probe_header *header = la_probe_header(file->probe);
	size_t records, holdings;

	la_probe_records(file->probe, &records);
	la_probe_holdings(file->probe, &holdings);
	la_json_member_uint(json, "calls", header->calls);
	la_json_member_uint(json, "failed_calls", header->failed_calls);
	la_json_member_uint(json, "episodes", header->episodes);
	la_json_member_uint(json, "hook_time", header->hook_time);
	la_json_member_uint(json, "records", records);
	la_json_member_uint(json, "holdings", holdings);
	la_json_member_uint(json, "file_size", header->file_size);
	la_json_member_text(json, "setting", header->setting);
	la_json_member_text(json, "torch", header->torch);
	la_json_member_uint(json, "driver_version", header->driver_version);
	la_json_member_uint(json, "cupti_version", header->cupti_version);
}

void info_json(const struct letter_file *file)
{
	const struct la_probe_header *header = la_probe_header(file->probe);
	const struct la_probe_oom *oom;
	struct la_json json;
	size_t ooms, i;

	oom = la_probe_ooms(file->probe, &ooms);
	la_json_init(&json, print_json_sink, stdout);
	la_json_object_begin(&json);
	la_json_member_text(&json, "schema", "cupti-probe.info/1");
	la_json_key(&json, "recording");
	letter_file_json(&json, file);
	counts_json(&json, file);
	la_json_key(&json, "devices");
	la_json_array_begin(&json);
	for (i = 0; i < header->device_count; i++)
		device_json(&json,
			    la_probe_device(file->probe, (unsigned int)i),
			    (unsigned int)i);
	la_json_array_end(&json);
	la_json_key(&json, "ooms");
	la_json_array_begin(&json);
	for (i = 0; i < ooms; i++)
		oom_json(&json, header, &oom[i]);
	la_json_array_end(&json);
	la_json_object_end(&json);
	putchar('\n');
}
