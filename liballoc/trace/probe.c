// SPDX-License-Identifier: Apache-2.0
/*
 * Reads a file of the probe.  Its process may still write to it: the bytes are
 * copied first, then judged; of plain files the serials of the chunks are read
 * once more, and chunks that were taken again meanwhile are left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/probe.h"
#include "util/error.h"
#include "util/util.h"

/* More than the probe is told to write. */
#define MOST_BYTES (4 * GIB)

static int fail_memory(struct la_error *err)
{
	return la_error_set(err, -ENOMEM, LA_NO_OFFSET, "out of memory");
}

LA_EXPORT bool la_probe_is(const void *data, size_t size)
{
	return size >= sizeof(LA_PROBE_MAGIC) &&
	       !memcmp(data, LA_PROBE_MAGIC, sizeof(LA_PROBE_MAGIC));
}

LA_EXPORT void la_probe_free(struct la_probe *probe)
{
	if (!probe)
		return;
	free(probe->holding);
	free(probe->record);
	free(probe);
}

/* Fill what comes behind the header. */
static int take(struct la_probe *probe, const struct la_probe_bytes *bytes,
		struct la_error *err)
{
	la_probe_take_devices(probe, bytes);
	la_probe_take_ooms(probe, bytes);
	if (la_probe_take_holdings(probe, bytes) < 0 ||
	    la_probe_take_records(probe, bytes) < 0)
		return fail_memory(err);
	return 0;
}

LA_EXPORT int la_probe_read(struct la_probe **out, const void *data,
			    size_t size, struct la_error *err)
{
	struct la_probe_bytes bytes = { .data = data, .size = size };
	struct la_probe *probe = calloc(1, sizeof(*probe));
	int ret;

	if (!probe)
		return fail_memory(err);
	ret = la_probe_check_header(probe, &bytes, err);
	if (ret == 0)
		ret = take(probe, &bytes, err);
	if (ret < 0) {
		la_probe_free(probe);
		return ret;
	}
	*out = probe;
	return 0;
}

/* The bytes of an input, all of them. */
struct buffer {
	uint8_t *data; /* owned */
	size_t size, room;
};

static int grow(struct buffer *buffer, size_t need, uint64_t most,
		struct la_error *err)
{
	size_t room = buffer->room ? buffer->room : 1 << 20;
	uint8_t *data;

	if (need > most)
		return la_error_set(err, -E2BIG, LA_NO_OFFSET,
				    "more than %" PRIu64 " bytes", most);
	while (room < need)
		room *= 2;
	if (room == buffer->room)
		return 0;
	data = realloc(buffer->data, room);
	if (!data)
		return fail_memory(err);
	buffer->data = data;
	buffer->room = room;
	return 0;
}

/* A compressed file that ends early is a file that ends early. */
static int read_all(struct buffer *buffer, struct la_input *in, uint64_t most,
		    struct la_error *err)
{
	while (la_input_has(in, 1)) {
		size_t size = (size_t)(in->end - in->p);
		int ret = grow(buffer, buffer->size + size, most, err);

		if (ret < 0)
			return ret;
		memcpy(buffer->data + buffer->size, in->p, size);
		buffer->size += size;
		in->p = in->end;
	}
	if (in->error.code && err)
		*err = in->error;
	return in->error.code;
}

/* The serials of all chunks as they are now; NULL: they cannot be read. */
static uint64_t *read_serials(const struct la_probe_header *header, int fd)
{
	uint64_t count = header->chunk_count[0] + header->chunk_count[1], i;
	uint64_t *serial = calloc(count + 1, sizeof(*serial));

	for (i = 0; serial && i < count; i++) {
		unsigned int level = i >= header->chunk_count[0];
		uint64_t index = level ? i - header->chunk_count[0] : i;
		uint64_t at = header->chunk_offset[level] +
			      index * sizeof(struct la_probe_chunk);

		if (pread(fd, &serial[i], sizeof(*serial), (off_t)at) ==
		    sizeof(*serial))
			continue;
		free(serial);
		serial = NULL;
	}
	return serial;
}

static int judge(struct la_probe *probe, const struct buffer *buffer,
		 struct la_input *in, struct la_error *err)
{
	struct la_probe_bytes bytes = { .data = buffer->data,
					.size = buffer->size };
	uint64_t *serial = NULL;
	int ret = la_probe_check_header(probe, &bytes, err);

	if (ret < 0)
		return ret;
	if (in->fd >= 0 && !in->codec)
		serial = read_serials(&probe->header, in->fd);
	bytes.serial = serial;
	ret = take(probe, &bytes, err);
	free(serial);
	return ret;
}

int la_probe_read_input(struct la_probe **out, struct la_input *in,
			uint64_t most, struct la_error *err)
{
	struct la_probe *probe = calloc(1, sizeof(*probe));
	struct buffer buffer = { 0 };
	int ret;

	if (!probe)
		return fail_memory(err);
	ret = read_all(&buffer, in, most < MOST_BYTES ? most : MOST_BYTES, err);
	if (ret == 0)
		ret = judge(probe, &buffer, in, err);
	free(buffer.data);
	if (ret < 0) {
		la_probe_free(probe);
		return ret;
	}
	*out = probe;
	return 0;
}

LA_EXPORT int la_probe_open(struct la_probe **out, const char *path,
			    struct la_error *err)
{
	struct la_input in;
	int fd, ret;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		return la_error_set(err, ret, LA_NO_OFFSET, "%s",
				    strerror(-ret));
	}
	ret = la_input_open_fd(&in, fd, MOST_BYTES, err);
	if (ret == 0) {
		ret = la_probe_read_input(out, &in, MOST_BYTES, err);
		la_input_close(&in);
	}
	close(fd);
	return ret;
}

LA_EXPORT const struct la_probe_header *
la_probe_header(const struct la_probe *probe)
{
	return &probe->header;
}

LA_EXPORT const struct la_probe_device *
la_probe_device(const struct la_probe *probe, unsigned int device)
{
	return &probe->device[device];
}

LA_EXPORT const struct la_probe_record *
la_probe_records(const struct la_probe *probe, size_t *count)
{
	*count = probe->record_count;
	return probe->record;
}

LA_EXPORT const struct la_probe_holding *
la_probe_holdings(const struct la_probe *probe, size_t *count)
{
	*count = probe->holding_count;
	return probe->holding;
}

LA_EXPORT const struct la_probe_oom *la_probe_ooms(const struct la_probe *probe,
						   size_t *count)
{
	*count = probe->oom_count;
	return probe->oom;
}

LA_EXPORT bool la_probe_oom_failed(const struct la_probe_oom *oom)
{
	return oom->state >= LA_PROBE_OOM_REPORTED;
}

LA_EXPORT const struct la_probe_losses *
la_probe_losses(const struct la_probe *probe)
{
	return &probe->losses;
}
