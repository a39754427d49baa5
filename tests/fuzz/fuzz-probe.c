// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes are a file of the probe or an error; and a sound file is one after
 * any changes.  The input is read as a file, and as changes of one: each has a
 * part, a place in it, a length and bytes.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/triage.h>

#include "support/probe-file.h"
#include "util/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
	if (!holds)
		abort();
}

static void must_end(const char *text, size_t size)
{
	size_t i = strnlen(text, size);

	must(i < size);
	while (i-- > 0)
		must((unsigned char)text[i] >= 0x20 || text[i] == '\n');
}

static void check_header(const struct la_probe *probe, size_t size)
{
	const struct la_probe_header *header = la_probe_header(probe);
	unsigned int i;

	must_end(header->host, sizeof(header->host));
	must_end(header->exe, sizeof(header->exe));
	must_end(header->setting, sizeof(header->setting));
	must_end(header->note, sizeof(header->note));
	must(header->device_count <= LA_PROBE_DEVICES);
	must(header->file_size <= size);
	for (i = 0; i < header->device_count; i++)
		must_end(la_probe_device(probe, i)->name, 64);
}

static void check_lists(const struct la_probe *probe)
{
	const struct la_probe_record *record;
	const struct la_probe_holding *holding;
	const struct la_probe_oom *oom;
	size_t count, i;

	record = la_probe_records(probe, &count);
	for (i = 0; i < count; i++) {
		must(record[i].op && record[i].op < LA_PROBE_OP_COUNT);
		must(!i || record[i - 1].time <= record[i].time);
	}
	holding = la_probe_holdings(probe, &count);
	for (i = 1; i < count; i++)
		must(holding[i - 1].kind < holding[i].kind ||
		     (holding[i - 1].kind == holding[i].kind &&
		      holding[i - 1].addr < holding[i].addr));
	oom = la_probe_ooms(probe, &count);
	must(count <= LA_PROBE_OOMS);
	for (i = 0; i < count; i++)
		must(oom[i].process_count <= LA_PROBE_PROCESSES &&
		     (!i || oom[i - 1].time <= oom[i].time));
}

static void check_device(const struct la_recording *recording,
			 const struct la_recorded_device *device)
{
	size_t i, next = 0;
	uint64_t end = 0;

	for (i = 0; i < device->event_count; i++) {
		must(device->events[i].action < LA_ACTION_COUNT);
		must(device->events[i].size <= (uint64_t)1 << 62);
		must(device->events[i].pool <
		     la_recording_pool_count(recording));
	}
	for (i = 0; i < device->segment_count; i++) {
		const struct la_recorded_segment *s = &device->segments[i];
		uint64_t size = 0;
		uint32_t k;

		must(s->size > 0 && s->addr >= end);
		end = s->addr + s->size;
		must(end > s->addr && s->first_block == next);
		for (k = 0; k < s->block_count; k++, next++)
			size += device->blocks[next].size;
		must(size == s->size);
	}
	must(next == device->block_count);
}

static int drop(void *data, const void *bytes, size_t size)
{
	(void)data;
	(void)bytes;
	(void)size;
	return 0;
}

static void check_recording(const struct la_probe *probe)
{
	struct la_recording *recording;
	int ret = la_probe_recording(&recording, probe, NULL);
	unsigned int i;

	must(ret == 0 || ret == -ENODATA);
	if (ret < 0)
		return;
	must(la_recording_is_probe(recording));
	for (i = 0; i < la_recording_device_count(recording); i++)
		check_device(recording, la_recording_device(recording, i));
	must(la_recording_write(recording, LA_FORMAT_PICKLE, drop, NULL,
				NULL) == 0);
	la_recording_free(recording);
}

static void check_facts(const struct la_probe *probe)
{
	struct la_verdict verdict;
	struct la_facts facts;
	size_t count, i;
	int k;

	la_probe_ooms(probe, &count);
	for (i = 0; i < count; i++) {
		must(la_facts_of_probe(&facts, probe, i, NULL) == 0);
		la_facts_complete(&facts);
		for (k = 0; k < LA_AMOUNT_COUNT; k++)
			must(facts.amount[k].low <= facts.amount[k].high);
		la_verdict_reach(&verdict, &facts);
		la_facts_release(&facts);
	}
}

static void check(const uint8_t *data, size_t size)
{
	struct la_error err = { .code = 1 };
	struct la_probe *probe = NULL;
	int ret = la_probe_read(&probe, data, size, &err);

	if (ret < 0) {
		must(!probe && err.code == ret && err.text[0]);
		return;
	}
	must(err.code == 1);
	check_header(probe, size);
	check_lists(probe);
	check_recording(probe);
	check_facts(probe);
	la_probe_free(probe);
}

static void report(struct probe_file *file, enum la_probe_op op, uint64_t addr)
{
	const struct la_probe_record record = {
		.addr = addr,
		.size = 4 * MIB,
		.op = (uint16_t)op,
	};

	probe_file_record(file, LA_PROBE_ALLOCATOR, &record);
}

/* A segment, a chain, a capture, and OOMs. */
static uint8_t *sound_file(size_t *size)
{
	const uint64_t chain = (uint64_t)1 << 40;
	struct la_probe_holding holding = { .addr = 32 * MIB,
					    .size = 20 * MIB,
					    .kind = LA_PROBE_KIND_DEVICE };
	struct probe_file file;
	uint8_t *data;

	probe_file_init(&file);
	strcpy(file.header.setting, "max_split_size_mb:64");
	probe_file_call(&file, LA_PROBE_OP_ALLOC, 32 * MIB, 20 * MIB);
	report(&file, LA_PROBE_OP_BLOCK_ALLOC, 32 * MIB);
	probe_file_call(&file, LA_PROBE_OP_RESERVE, chain, GIB);
	probe_file_call(&file, LA_PROBE_OP_MAP, chain, 20 * MIB);
	report(&file, LA_PROBE_OP_BLOCK_ALLOC, chain);
	report(&file, LA_PROBE_OP_BLOCK_FREE, chain);
	probe_file_call(&file, LA_PROBE_OP_UNMAP, chain, 20 * MIB);
	probe_file_call(&file, LA_PROBE_OP_CAPTURE_BEGIN, 0, 0);
	probe_file_call(&file, LA_PROBE_OP_ALLOC, 64 * MIB, 20 * MIB);
	report(&file, LA_PROBE_OP_BLOCK_ALLOC, 64 * MIB);
	probe_file_call(&file, LA_PROBE_OP_CAPTURE_END, 0, 0);
	probe_file_call(&file, LA_PROBE_OP_FREE, 64 * MIB, 20 * MIB);
	report(&file, LA_PROBE_OP_BLOCK_OOM, 0);
	probe_file_hold(&file, &holding);
	holding.kind = LA_PROBE_KIND_BLOCK;
	holding.size = 4 * MIB;
	probe_file_hold(&file, &holding);
	probe_file_oom(&file)->state = LA_PROBE_OOM_REPORTED;
	probe_file_oom(&file)->state = LA_PROBE_OOM_EXPIRED;
	data = probe_file_bytes(&file, size);
	probe_file_release(&file);
	return data;
}

/* Where in a part of the file a change is to be made. */
static size_t place_of(const struct la_probe_header *header, unsigned int part,
		       unsigned int index, unsigned int offset)
{
	const size_t chunk = offsetof(struct la_probe_chunk, record);

	switch (part % 6) {
	case 0:
		return (index * 256 + offset) % sizeof(*header);
	case 1:
		return header->device_offset +
		       index % 2 * sizeof(struct la_probe_device) + offset * 3;
	case 2:
		return header->oom_offset +
		       index % 2 * sizeof(struct la_probe_oom) + offset * 3;
	case 3:
		return header->table_offset + index % 8 * 40 + offset % 40;
	default:
		return header->chunk_offset[part % 6 - 4] +
		       (index == 255 ? 0 : chunk + index * 64) + offset % 64;
	}
}

static void change(uint8_t *file, size_t file_size, const uint8_t *data,
		   size_t size)
{
	struct la_probe_header header;

	memcpy(&header, file, sizeof(header));
	while (size > 4) {
		size_t length = data[3] % 9, at;

		at = place_of(&header, data[0], data[1], data[2]);
		data += 4;
		size -= 4;
		if (length > size)
			length = size;
		if (at + length <= file_size)
			memcpy(file + at, data, length);
		data += length;
		size -= length;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t file_size, cut;
	uint8_t *file = sound_file(&file_size);

	check(data, size);
	change(file, file_size, data, size);
	check(file, file_size);
	cut = size > 2 ? file_size * data[0] / 255 : 0;
	check(file, cut);
	free(file);
	return 0;
}
