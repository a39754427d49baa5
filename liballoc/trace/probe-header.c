// SPDX-License-Identifier: Apache-2.0
/* The first page of a probe's file: what it is, and where its parts lie. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "trace/probe.h"
#include "util/error.h"
#include "util/utf8.h"

/* A part of the file: `count` elements of `size` bytes each. */
struct part {
	const char *name;
	size_t field; /* offset in the header of what says where it is */
	uint64_t offset;
	uint64_t count;
	uint64_t size;
	uint64_t *cut; /* takes how many elements are there; may be NULL */
};

/* C1 control characters too, which terminals obey. */
static bool is_control(const char *text, size_t length)
{
	unsigned char first = (unsigned char)text[0];

	if (length == 1)
		return first < 0x20 || first == 0x7f;
	return length == 2 && first == 0xc2 && (unsigned char)text[1] < 0xa0;
}

/* Is the rest a character that was cut in two? */
static bool is_cut(const char *text, size_t length)
{
	return length < 4 && (unsigned char)text[0] >= 0xc2;
}

void la_probe_clean(char *text, size_t size, bool lines)
{
	size_t length = strnlen(text, size - 1), i, step;

	for (i = 0; i < length; i += step) {
		step = la_utf8_char(text + i, length - i);
		if (step == 0 && is_cut(text + i, length - i))
			break;
		if (step == 0) {
			text[i] = '?';
			step = 1;
		} else if (is_control(text + i, step) &&
			   !(lines && text[i] == '\n')) {
			memset(text + i, ' ', step);
		}
	}
	memset(text + i, 0, size - i);
}

static void clean_texts(struct la_probe_header *header)
{
	la_probe_clean(header->boot_id, sizeof(header->boot_id), false);
	la_probe_clean(header->host, sizeof(header->host), false);
	la_probe_clean(header->run, sizeof(header->run), false);
	la_probe_clean(header->exe, sizeof(header->exe), false);
	la_probe_clean(header->arguments, sizeof(header->arguments), false);
	la_probe_clean(header->setting, sizeof(header->setting), false);
	la_probe_clean(header->torch, sizeof(header->torch), false);
	la_probe_clean(header->job, sizeof(header->job), false);
	la_probe_clean(header->note, sizeof(header->note), true);
}

static int fail(struct la_error *err, size_t offset, const char *problem)
{
	return la_error_set(err, -EBADMSG, offset,
			    "damaged file of the probe: %s at offset %zu",
			    problem, offset);
}

/* Is it a file that this build reads? */
static int check_format(const struct la_probe_bytes *bytes,
			struct la_error *err)
{
	size_t place = offsetof(struct la_probe_header, version);
	uint32_t number[2]; /* version, endian */

	if (!la_probe_is(bytes->data, bytes->size))
		return la_error_set(err, -EBADMSG, 0,
				    "not a file of the probe");
	if (bytes->size < place + sizeof(number))
		return fail(err, bytes->size, "it ends");
	memcpy(number, bytes->data + place, sizeof(number));
	if (number[1] == __builtin_bswap32(LA_PROBE_ENDIAN))
		return la_error_set(err, -ENOTSUP, place + sizeof(*number),
				    "written by a machine of another byte "
				    "order");
	if (number[1] != LA_PROBE_ENDIAN)
		return fail(err, place + sizeof(*number), "no byte order");
	if (number[0] > LA_PROBE_VERSION)
		return la_error_set(err, -ENOTSUP, place,
				    "version %" PRIu32 " of the probe's file; "
				    "this build reads up to %d",
				    number[0], LA_PROBE_VERSION);
	if (number[0] == 0)
		return fail(err, place, "version 0");
	return 0;
}

/* Parts follow one another within the file as it was made; of what is missing
 * at its end nothing is left. */
static int check_part(struct la_probe *probe, const struct part *part,
		      uint64_t *end, struct la_error *err)
{
	uint64_t bytes;

	if (part->offset < *end || part->offset % 8)
		return la_error_set(err, -EBADMSG, part->field,
				    "damaged file of the probe: %s begin at "
				    "%" PRIu64,
				    part->name, part->offset);
	if (__builtin_mul_overflow(part->count, part->size, &bytes) ||
	    __builtin_add_overflow(part->offset, bytes, end) ||
	    *end > probe->header.file_size)
		return la_error_set(err, -EBADMSG, part->field,
				    "damaged file of the probe: %s reach "
				    "beyond its end",
				    part->name);
	return 0;
}

#define FIELD(name) offsetof(struct la_probe_header, name)

static int check_parts(struct la_probe *probe, uint64_t size,
		       struct la_error *err)
{
	struct la_probe_header *header = &probe->header;
	struct part part[] = {
		{ "devices", FIELD(device_offset), header->device_offset,
		  LA_PROBE_DEVICES, sizeof(struct la_probe_device), NULL },
		{ "OOMs", FIELD(oom_offset), header->oom_offset, LA_PROBE_OOMS,
		  sizeof(struct la_probe_oom), NULL },
		{ "holdings", FIELD(table_offset), header->table_offset,
		  header->table_slots, sizeof(struct la_probe_holding),
		  &header->table_slots },
		{ "records of the driver", FIELD(chunk_offset[0]),
		  header->chunk_offset[0], header->chunk_count[0],
		  sizeof(struct la_probe_chunk), &header->chunk_count[0] },
		{ "records of the allocator", FIELD(chunk_offset[1]),
		  header->chunk_offset[1], header->chunk_count[1],
		  sizeof(struct la_probe_chunk), &header->chunk_count[1] },
	};
	uint64_t end = LA_PROBE_PAGE;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(part) / sizeof(*part); i++) {
		ret = check_part(probe, &part[i], &end, err);
		if (ret < 0)
			return ret;
		if (end <= size)
			continue;
		probe->losses.damaged++;
		if (part[i].cut)
			*part[i].cut =
				part[i].offset < size ?
					(size - part[i].offset) / part[i].size :
					0;
	}
	if (header->file_size > size)
		header->file_size = size;
	return 0;
}

int la_probe_check_header(struct la_probe *probe,
			  const struct la_probe_bytes *bytes,
			  struct la_error *err)
{
	struct la_probe_header *header = &probe->header;
	int ret = check_format(bytes, err);

	if (ret < 0)
		return ret;
	if (bytes->size < LA_PROBE_PAGE)
		return fail(err, bytes->size, "it ends");
	memcpy(header, bytes->data, sizeof(*header));
	clean_texts(header);
	if (header->device_count > LA_PROBE_DEVICES) {
		header->device_count = LA_PROBE_DEVICES;
		probe->losses.damaged++;
	}
	probe->losses.unwritten = header->lost_records;
	probe->losses.unkept = header->lost_holdings;
	return check_parts(probe, bytes->size, err);
}
