// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/input.h"
#include "util/error.h"
#include "util/util.h"

enum { WINDOW = 64 << 10, PACKED = 32 << 10 };

struct format {
	const char *name, *library;
	uint8_t magic[6], mask0; /* mask0: bits of the first byte that count */
	size_t magic_size;
	const struct la_codec *codec; /* NULL: left out of this build */
};

static const struct format formats[] = {
	{ "gzip", "zlib", { 0x1f, 0x8b }, 0xff, 2, LA_CODEC_GZ },
	{ "xz",
	  "liblzma",
	  { 0xfd, '7', 'z', 'X', 'Z', 0 },
	  0xff,
	  6,
	  LA_CODEC_XZ },
	{ "zstd",
	  "libzstd",
	  { 0x28, 0xb5, 0x2f, 0xfd },
	  0xff,
	  4,
	  LA_CODEC_ZST },
	/* a zstd stream may start with a frame to be skipped */
	{ "zstd",
	  "libzstd",
	  { 0x50, 0x2a, 0x4d, 0x18 },
	  0xf0,
	  4,
	  LA_CODEC_ZST },
};

int la_input_fail(struct la_input *in, int code, const char *format, ...)
{
	va_list args;

	in->error.code = code;
	in->error.offset = in->base + (uint64_t)(in->end - in->start);
	va_start(args, format);
	vsnprintf(in->error.text, sizeof(in->error.text), format, args);
	va_end(args);
	return code;
}

static ptrdiff_t read_fd(struct la_input *in, uint8_t *out, size_t size)
{
	ptrdiff_t got;
	int err;

	do {
		got = read(in->fd, out, size);
	} while (got < 0 && errno == EINTR);
	if (got >= 0)
		return got;
	err = errno;
	return la_input_fail(in, -err, "%s", strerror(err));
}

bool la_input_packed(struct la_input *in)
{
	ptrdiff_t got;

	if (in->packed_size || in->packed_end)
		return true;
	got = read_fd(in, in->packed_buffer, PACKED);
	if (got < 0)
		return false;
	in->packed = in->packed_buffer;
	in->packed_size = (size_t)got;
	in->packed_end = got == 0;
	return true;
}

/* Plain input: what was read to recognise the format comes first. */
static ptrdiff_t read_plain(struct la_input *in, uint8_t *out, size_t size)
{
	size_t count = in->packed_size < size ? in->packed_size : size;

	if (!count)
		return in->packed_end ? 0 : read_fd(in, out, size);
	memcpy(out, in->packed, count);
	in->packed += count;
	in->packed_size -= count;
	return (ptrdiff_t)count;
}

bool la_input_fill(struct la_input *in, size_t size)
{
	size_t left = (size_t)(in->end - in->p);
	ptrdiff_t got;

	if (!in->buffer || in->error.code)
		return false;
	in->base += (uint64_t)(in->p - in->start);
	memmove(in->buffer, in->p, left);
	in->start = in->buffer;
	in->p = in->buffer;
	in->end = in->p + left;
	while (left < size) {
		uint8_t *out = in->buffer + left;

		got = in->codec ? in->codec->read(in, out, WINDOW - left) :
				  read_plain(in, out, WINDOW - left);
		if (got <= 0)
			return false;
		left += (size_t)got;
		in->end = in->p + left;
	}
	return true;
}

bool la_input_skip(struct la_input *in, uint64_t size)
{
	while (size > (uint64_t)(in->end - in->p)) {
		size -= (uint64_t)(in->end - in->p);
		in->p = in->end;
		if (!la_input_fill(in, 1))
			return false;
	}
	in->p += size;
	return true;
}

bool la_input_drain(struct la_input *in)
{
	if (!in->codec)
		return true;
	do {
		in->p = in->end;
	} while (la_input_fill(in, 1));
	return !in->error.code && !in->truncated;
}

static const struct format *recognise(const uint8_t *data, size_t size)
{
	const struct format *f;

	for (f = formats; f < formats + ARRAY_SIZE(formats); f++)
		if (size >= f->magic_size &&
		    (data[0] & f->mask0) == f->magic[0] &&
		    !memcmp(data + 1, f->magic + 1, f->magic_size - 1))
			return f;
	return NULL;
}

static int open_codec(struct la_input *in, const struct format *format,
		      uint64_t memory, struct la_error *err)
{
	int ret;

	if (!format->codec)
		return la_error_set(
			err, -ENOTSUP, LA_NO_OFFSET,
			"compressed with %s, and this build lacks %s",
			format->name, format->library);
	ret = format->codec->open(in, memory);
	if (ret < 0)
		return la_error_set(err, ret, LA_NO_OFFSET,
				    "cannot start %s: %s", format->library,
				    strerror(-ret));
	in->codec = format->codec;
	return 0;
}

int la_input_open_memory(struct la_input *in, const void *data, size_t size,
			 uint64_t memory, struct la_error *err)
{
	static const uint8_t nothing;
	const struct format *format = recognise(data, size);
	int ret;

	memset(in, 0, sizeof(*in));
	in->fd = -1;
	if (!format) {
		in->start = size ? data : &nothing;
		in->p = in->start;
		in->end = in->p + size;
		return 0;
	}
	in->packed = data;
	in->packed_size = size;
	in->packed_end = true;
	in->buffer = malloc(WINDOW);
	if (!in->buffer)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	in->start = in->p = in->end = in->buffer;
	ret = open_codec(in, format, memory, err);
	if (ret < 0)
		la_input_close(in);
	return ret;
}

/* Enough packed bytes to recognise the format, or all there are. */
static int read_magic(struct la_input *in)
{
	in->packed = in->packed_buffer;
	while (in->packed_size < LA_INPUT_LOOKAHEAD) {
		ptrdiff_t got = read_fd(in, in->packed_buffer + in->packed_size,
					PACKED - in->packed_size);

		if (got < 0)
			return (int)got;
		if (got == 0) {
			in->packed_end = true;
			break;
		}
		in->packed_size += (size_t)got;
	}
	return 0;
}

int la_input_open_fd(struct la_input *in, int fd, uint64_t memory,
		     struct la_error *err)
{
	const struct format *format;
	int ret;

	memset(in, 0, sizeof(*in));
	in->fd = fd;
	in->buffer = malloc(WINDOW);
	in->packed_buffer = malloc(PACKED);
	if (!in->buffer || !in->packed_buffer) {
		ret = la_error_set(err, -ENOMEM, LA_NO_OFFSET, "out of memory");
		goto err_close;
	}
	in->start = in->p = in->end = in->buffer;
	ret = read_magic(in);
	if (ret < 0) {
		la_error_set(err, ret, LA_NO_OFFSET, "%s", in->error.text);
		goto err_close;
	}
	format = recognise(in->packed, in->packed_size);
	if (format)
		ret = open_codec(in, format, memory, err);
	if (ret < 0)
		goto err_close;
	return 0;

err_close:
	la_input_close(in);
	return ret;
}

void la_input_close(struct la_input *in)
{
	if (in->codec)
		in->codec->close(in);
	free(in->buffer);
	free(in->packed_buffer);
}
