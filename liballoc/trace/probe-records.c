// SPDX-License-Identifier: Apache-2.0
/*
 * Records of a probe's file, out of chunks that the threads took in turn.  A
 * chunk that was taken again holds, behind what was written since, records of
 * its earlier use: their numbers tell, and nobody knows whether they are whole.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/probe.h"
#include "trace/snapshot.h"

enum found { FOUND_NOTHING, FOUND_RECORD, FOUND_TORN, FOUND_DAMAGED };

static bool is_empty(const struct la_probe_record *record)
{
	static const struct la_probe_record empty;

	return memcmp(record, &empty, sizeof(empty)) == 0;
}

/* Calls that failed and OOMs may ask for any number of bytes; what the
 * allocator reports of blocks has not failed. */
static bool is_sound(const struct la_probe_record *record)
{
	uint64_t end;

	if (record->op == LA_PROBE_OP_NONE || record->op >= LA_PROBE_OP_COUNT)
		return false;
	if (record->device >= LA_PROBE_DEVICES && record->device != UINT8_MAX)
		return false;
	if (record->op == LA_PROBE_OP_EPISODE_OPEN ||
	    record->op == LA_PROBE_OP_BLOCK_OOM)
		return true;
	if (record->result)
		return !la_probe_is_report(record);
	return record->size <= LA_MOST_BYTES &&
	       !__builtin_add_overflow(record->addr, record->size, &end);
}

static enum found judge(const struct la_probe_record *record, uint64_t serial,
			size_t index)
{
	uint64_t sequence = record->sequence;

	if (sequence == (serial << LA_PROBE_SERIAL_SHIFT | (index + 1)))
		return is_sound(record) ? FOUND_RECORD : FOUND_DAMAGED;
	if (!sequence)
		return is_empty(record) ? FOUND_NOTHING : FOUND_TORN;
	if ((sequence & ((1 << LA_PROBE_SERIAL_SHIFT) - 1)) != index + 1)
		return FOUND_DAMAGED;
	return FOUND_NOTHING;
}

/* The records of one chunk that are later than what was lost: so none is
 * missing among them.  A place without one ahead of the last record was to
 * become one. */
static size_t take_chunk(struct la_probe *probe, const uint8_t *at,
			 uint64_t serial, uint64_t lost_until,
			 struct la_probe_record *out)
{
	size_t i, count = 0, nothing = 0;

	at += offsetof(struct la_probe_chunk, record);
	for (i = 0; i < LA_PROBE_CHUNK_RECORDS; i++) {
		struct la_probe_record *record = &out[count];

		memcpy(record, at + i * sizeof(*record), sizeof(*record));
		switch (judge(record, serial, i)) {
		case FOUND_RECORD:
			if (record->time > lost_until)
				count++;
			else
				probe->losses.overwritten++;
			probe->losses.torn += nothing;
			nothing = 0;
			break;
		case FOUND_TORN:
			probe->losses.torn++;
			break;
		case FOUND_DAMAGED:
			probe->losses.damaged++;
			break;
		case FOUND_NOTHING:
			nothing++;
			break;
		}
	}
	return count;
}

static uint64_t chunk_serial(const uint8_t *at)
{
	uint64_t serial;

	memcpy(&serial, at, sizeof(serial));
	return serial;
}

/* Records of a level; `again`: serials as read later, or NULL. */
static void take_level(struct la_probe *probe,
		       const struct la_probe_bytes *bytes, unsigned int level,
		       const uint64_t *again)
{
	const struct la_probe_header *header = &probe->header;
	uint64_t i, used = 0;

	for (i = 0; i < header->chunk_count[level]; i++) {
		const uint8_t *at = bytes->data + header->chunk_offset[level] +
				    i * sizeof(struct la_probe_chunk);
		uint64_t serial = chunk_serial(at);

		if (!serial || (again && again[i] != serial))
			continue;
		used++;
		probe->record_count +=
			take_chunk(probe, at, serial, header->lost_until[level],
				   probe->record + probe->record_count);
	}
	if (header->chunks[level] > used)
		probe->losses.overwritten +=
			(header->chunks[level] - used) * LA_PROBE_CHUNK_RECORDS;
}

/*
 * By time.  Of one moment the driver's come first, as the allocator reports
 * what it made of them; then each thread's in order.
 */
static int compare(const void *a, const void *b)
{
	const struct la_probe_record *x = a, *y = b;
	bool block[2] = { la_probe_is_report(x), la_probe_is_report(y) };

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (block[0] != block[1])
		return block[0] ? 1 : -1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

int la_probe_take_records(struct la_probe *probe,
			  const struct la_probe_bytes *bytes)
{
	const uint64_t *count = probe->header.chunk_count;
	uint64_t chunks = count[LA_PROBE_DRIVER] + count[LA_PROBE_ALLOCATOR];
	const uint64_t *again = bytes->serial;
	struct la_probe_record *fitted;

	probe->record = calloc(chunks * LA_PROBE_CHUNK_RECORDS + 1,
			       sizeof(*probe->record));
	if (!probe->record)
		return -ENOMEM;
	take_level(probe, bytes, LA_PROBE_DRIVER, again);
	take_level(probe, bytes, LA_PROBE_ALLOCATOR,
		   again ? again + count[LA_PROBE_DRIVER] : NULL);
	fitted = realloc(probe->record,
			 (probe->record_count + 1) * sizeof(*probe->record));
	if (fitted)
		probe->record = fitted;
	qsort(probe->record, probe->record_count, sizeof(*probe->record),
	      compare);
	return 0;
}
