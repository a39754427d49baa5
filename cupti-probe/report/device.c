// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "device.h"

const char *const device_kinds[DEVICE_KINDS] = {
	[LA_PROBE_KIND_DEVICE] = "device",
	[LA_PROBE_KIND_PHYSICAL] = "physical",
	[LA_PROBE_KIND_ASYNC] = "async",
	[LA_PROBE_KIND_ARRAY] = "array",
	[LA_PROBE_KIND_GRAPH] = "graph",
	[LA_PROBE_KIND_MANAGED] = "managed",
	[LA_PROBE_KIND_HOST] = "host",
	[LA_PROBE_KIND_REGISTERED] = "registered",
	[LA_PROBE_KIND_FOREIGN] = "foreign",
	[LA_PROBE_KIND_ADDRESSES] = "addresses",
	[LA_PROBE_KIND_MAPPING] = "mapping",
};

/* Does a kind hold memory of a device, which no other kind counts too? */
static bool device_kind_counts(enum la_probe_kind kind)
{
	return kind <= LA_PROBE_KIND_MANAGED;
}

uint64_t device_live(const struct la_probe_device *device)
{
	uint64_t sum = 0;
	int kind;

	for (kind = 0; kind < DEVICE_KINDS; kind++)
		if (device_kind_counts((enum la_probe_kind)kind))
			sum += device->live[kind];
	return sum;
}

bool device_is_used(const struct la_probe_device *device)
{
	return device->total || device_live(device) || device->blocks;
}

const char *device_label(char text[DEVICE_LABEL],
			 const struct la_probe_device *device,
			 unsigned int ordinal)
{
	static const uint8_t none[sizeof(device->uuid)];
	size_t i, at = 4;

	if (!memcmp(device->uuid, none, sizeof(none))) {
		snprintf(text, DEVICE_LABEL, "%u", ordinal);
		return text;
	}
	strcpy(text, "GPU-");
	for (i = 0; i < sizeof(device->uuid); i++)
		at += (size_t)snprintf(text + at, DEVICE_LABEL - at, "%s%02x",
				       i >= 4 && i <= 10 && i % 2 == 0 ? "-" :
									 "",
				       device->uuid[i]);
	return text;
}

static void kinds_json(struct la_json *json, const char *name,
		       const uint64_t *bytes)
{
	int kind;

	la_json_key(json, name);
	la_json_object_begin(json);
	for (kind = 0; kind < DEVICE_KINDS; kind++)
		la_json_member_uint(json, device_kinds[kind], bytes[kind]);
	la_json_object_end(json);
}

void device_json(struct la_json *json, const struct la_probe_device *device,
		 unsigned int ordinal)
{
	char label[DEVICE_LABEL];

	la_json_object_begin(json);
	la_json_member_uint(json, "ordinal", ordinal);
	la_json_member_text(json, "uuid", device_label(label, device, ordinal));
	la_json_member_text(json, "name", device->name);
	la_json_member_known_uint(json, "total", device->total, device->total);
	la_json_member_known_uint(json, "free", device->total, device->free);
	la_json_member_known_uint(json, "least_free", device->total,
				  device->least_free);
	kinds_json(json, "live", device->live);
	kinds_json(json, "peak", device->peak);
	kinds_json(json, "count", device->count);
	la_json_member_uint(json, "context", device->context);
	la_json_member_uint(json, "contexts", device->contexts);
	la_json_member_uint(json, "allocated", device->allocated);
	la_json_member_uint(json, "reserved", device->reserved);
	la_json_member_uint(json, "peak_allocated", device->peak_allocated);
	la_json_member_uint(json, "peak_reserved", device->peak_reserved);
	la_json_member_uint(json, "pool_reserved", device->pool_reserved);
	la_json_member_uint(json, "pool_used", device->pool_used);
	la_json_member_uint(json, "graph_reserved", device->graph_reserved);
	la_json_member_uint(json, "graph_used", device->graph_used);
	la_json_member_uint(json, "ooms", device->ooms);
	la_json_member_uint(json, "retries", device->retries);
	la_json_object_end(json);
}
