// SPDX-License-Identifier: Apache-2.0
/* The tables of a probe's file: devices, episodes, and what was live. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/probe.h"
#include "trace/snapshot.h"

/* Copy `count` elements that are in the file as far as it goes. */
static void copy(void *to, const struct la_probe_bytes *bytes, uint64_t offset,
		 size_t count, size_t size)
{
	size_t there = 0;

	if (offset < bytes->size)
		there = (bytes->size - (size_t)offset) / size;
	if (there > count)
		there = count;
	if (there)
		memcpy(to, bytes->data + offset, there * size);
}

static bool is_used(const struct la_probe_device *device)
{
	static const struct la_probe_device empty;

	return memcmp(device, &empty, sizeof(empty)) != 0;
}

void la_probe_take_devices(struct la_probe *probe,
			   const struct la_probe_bytes *bytes)
{
	unsigned int i;

	copy(probe->device, bytes, probe->header.device_offset,
	     LA_PROBE_DEVICES, sizeof(*probe->device));
	for (i = 0; i < LA_PROBE_DEVICES; i++) {
		struct la_probe_device *device = &probe->device[i];

		la_probe_clean(device->name, sizeof(device->name), false);
		if (is_used(device) && probe->header.device_count <= i)
			probe->header.device_count = i + 1;
	}
}

static bool is_sound_oom(const struct la_probe_oom *oom)
{
	return oom->state > LA_PROBE_OOM_NONE &&
	       oom->state <= LA_PROBE_OOM_EXPIRED &&
	       oom->device < LA_PROBE_DEVICES && oom->op < LA_PROBE_OP_COUNT &&
	       oom->process_count <= LA_PROBE_PROCESSES;
}

static int compare_ooms(const void *a, const void *b)
{
	const struct la_probe_oom *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->serial > y->serial) - (x->serial < y->serial);
}

void la_probe_take_ooms(struct la_probe *probe,
			const struct la_probe_bytes *bytes)
{
	struct la_probe_oom *oom = probe->oom;
	size_t i;

	copy(oom, bytes, probe->header.oom_offset, LA_PROBE_OOMS, sizeof(*oom));
	for (i = 0; i < LA_PROBE_OOMS; i++) {
		if (!oom[i].serial)
			continue;
		if (is_sound_oom(&oom[i]))
			oom[probe->oom_count++] = oom[i];
		else
			probe->losses.damaged++;
	}
	qsort(oom, probe->oom_count, sizeof(*oom), compare_ooms);
}

static bool is_sound_holding(const struct la_probe_holding *holding)
{
	uint64_t end;

	return holding->kind < LA_PROBE_KIND_COUNT &&
	       holding->size <= LA_MOST_BYTES &&
	       !__builtin_add_overflow(holding->addr, holding->size, &end);
}

/* Nobody tells how large they are, or it is not theirs yet. */
static bool may_lack_size(const struct la_probe_holding *holding)
{
	return holding->kind == LA_PROBE_KIND_FOREIGN ||
	       holding->kind == LA_PROBE_KIND_ARRAY;
}

/* Of equal keys the newest comes first. */
static int compare_holdings(const void *a, const void *b)
{
	const struct la_probe_holding *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->time < y->time) - (x->time > y->time);
}

/* A process that died while it moved an entry has left it in two places. */
static size_t drop_duplicates(struct la_probe_holding *holding, size_t count)
{
	size_t i, kept = 0;

	for (i = 0; i < count; i++) {
		if (kept && holding[kept - 1].kind == holding[i].kind &&
		    holding[kept - 1].addr == holding[i].addr)
			continue;
		holding[kept++] = holding[i];
	}
	return kept;
}

int la_probe_take_holdings(struct la_probe *probe,
			   const struct la_probe_bytes *bytes)
{
	uint64_t slots = probe->header.table_slots, i;
	const uint8_t *at;
	struct la_probe_holding *holding;
	size_t count = 0;

	holding = calloc(slots ? slots : 1, sizeof(*holding));
	if (!holding)
		return -ENOMEM;
	for (i = 0; i < slots; i++) {
		at = bytes->data + probe->header.table_offset +
		     i * sizeof(*holding);
		memcpy(&holding[count], at, sizeof(*holding));
		if (!holding[count].addr)
			continue;
		if (!holding[count].size && !may_lack_size(&holding[count]))
			probe->losses.torn++;
		else if (is_sound_holding(&holding[count]))
			count++;
		else
			probe->losses.damaged++;
	}
	qsort(holding, count, sizeof(*holding), compare_holdings);
	probe->holding = holding;
	probe->holding_count = drop_duplicates(holding, count);
	return 0;
}
