// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/probe-file.h"

enum { THREAD = 100, CALL = 243 };

static void *grow(void *array, size_t *room, size_t count, size_t size)
{
	if (count < *room)
		return array;
	*room = 2 * *room + 64;
	array = realloc(array, *room * size);
	assert(array);
	return array;
}

void probe_file_init(struct probe_file *file)
{
	struct la_probe_header *header = &file->header;

	memset(file, 0, sizeof(*file));
	memcpy(header->magic, LA_PROBE_MAGIC, sizeof(header->magic));
	header->version = LA_PROBE_VERSION;
	header->endian = LA_PROBE_ENDIAN;
	header->pid = 4711;
	header->monotonic = 1000000000;
	header->realtime = 1700000000000000000;
	header->front = LA_PROBE_FRONT_PRELOAD;
	header->device_count = 1;
	header->view[LA_PROBE_DRIVER].from = header->monotonic;
	header->view[LA_PROBE_ALLOCATOR].from = header->monotonic;
	file->now = header->monotonic;
}

void probe_file_release(struct probe_file *file)
{
	free(file->holding);
	free(file->record[LA_PROBE_DRIVER]);
	free(file->record[LA_PROBE_ALLOCATOR]);
}

void probe_file_record(struct probe_file *file, enum la_probe_level level,
		       const struct la_probe_record *record)
{
	struct la_probe_record *to;

	file->record[level] = grow(file->record[level],
				   &file->record_room[level],
				   file->record_count[level], sizeof(*record));
	to = &file->record[level][file->record_count[level]++];
	*to = *record;
	file->now += 1000;
	if (!to->time)
		to->time = file->now;
	if (!to->thread)
		to->thread = THREAD;
}

void probe_file_call(struct probe_file *file, enum la_probe_op op,
		     uint64_t addr, uint64_t size)
{
	const struct la_probe_record record = {
		.addr = addr,
		.size = size,
		.call = CALL,
		.op = (uint16_t)op,
	};

	probe_file_record(file, LA_PROBE_DRIVER, &record);
}

void probe_file_hold(struct probe_file *file,
		     const struct la_probe_holding *holding)
{
	file->holding = grow(file->holding, &file->holding_room,
			     file->holding_count, sizeof(*holding));
	file->holding[file->holding_count++] = *holding;
}

struct la_probe_oom *probe_file_oom(struct probe_file *file)
{
	struct la_probe_oom *oom = &file->oom[file->oom_count++];

	assert(file->oom_count <= LA_PROBE_OOMS);
	file->now += 1000;
	oom->serial = file->oom_count;
	oom->time = file->now;
	return oom;
}

/* One chunk after the other, each of one thread. */
struct chunker {
	struct la_probe_chunk *chunk; /* of the level */
	size_t count; /* of these */
	uint64_t serial; /* of the last that was taken */
};

static void put_record(struct chunker *c, const struct la_probe_record *record,
		       size_t *at, uint32_t *owner)
{
	struct la_probe_chunk *chunk;

	if (!c->serial || *at == LA_PROBE_CHUNK_RECORDS ||
	    *owner != record->thread) {
		chunk = &c->chunk[c->serial++ % c->count];
		chunk->serial = c->serial;
		chunk->thread = *owner = record->thread;
		chunk->time = record->time;
		*at = 0;
	}
	chunk = &c->chunk[(c->serial - 1) % c->count];
	chunk->record[*at] = *record;
	++*at;
	chunk->record[*at - 1].sequence = c->serial << LA_PROBE_SERIAL_SHIFT |
					  *at;
}

/* How many chunks all records of a level take. */
static size_t count_chunks(const struct probe_file *file, int level)
{
	size_t count = 1, at = 0, i;
	uint32_t owner = 0;

	for (i = 0; i < file->record_count[level]; i++, at++) {
		if (i && at < LA_PROBE_CHUNK_RECORDS &&
		    owner == file->record[level][i].thread)
			continue;
		owner = file->record[level][i].thread;
		count++;
		at = 0;
	}
	return count;
}

static void lay_out(struct probe_file *file)
{
	struct la_probe_header *header = &file->header;
	uint64_t at = LA_PROBE_PAGE;
	int level;

	header->device_offset = at;
	at += sizeof(file->device);
	header->oom_offset = at;
	at += sizeof(file->oom);
	header->table_offset = at;
	header->table_slots = file->holding_count + 3;
	at += header->table_slots * sizeof(*file->holding);
	for (level = 0; level < LA_PROBE_LEVELS; level++) {
		header->chunk_offset[level] = at;
		header->chunk_count[level] = file->chunks[level] ?
						     file->chunks[level] :
						     count_chunks(file, level);
		at += header->chunk_count[level] *
		      sizeof(struct la_probe_chunk);
	}
	header->file_size = at;
}

uint8_t *probe_file_bytes(struct probe_file *file, size_t *size)
{
	struct la_probe_header *header = &file->header;
	uint8_t *data;
	size_t i;
	int level;

	lay_out(file);
	data = calloc(1, header->file_size);
	assert(data);
	memcpy(data + header->device_offset, file->device,
	       sizeof(file->device));
	memcpy(data + header->oom_offset, file->oom, sizeof(file->oom));
	if (file->holding_count)
		memcpy(data + header->table_offset, file->holding,
		       file->holding_count * sizeof(*file->holding));
	for (level = 0; level < LA_PROBE_LEVELS; level++) {
		struct chunker c = {
			(void *)(data + header->chunk_offset[level]),
			header->chunk_count[level], 0
		};
		uint32_t owner = 0;
		size_t at = 0;

		for (i = 0; i < file->record_count[level]; i++)
			put_record(&c, &file->record[level][i], &at, &owner);
		header->chunks[level] = c.serial;
	}
	memcpy(data, header, sizeof(*header));
	*size = header->file_size;
	return data;
}
