// SPDX-License-Identifier: Apache-2.0
/* gzip through zlib, members one after the other. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "trace/input.h"

struct gz {
	z_stream stream;
	bool between; /* after a member: another one, padding or the end */
};

enum { WINDOW_BITS_GZIP = 15 + 16 };

static int gz_open(struct la_input *in, uint64_t memory)
{
	struct gz *gz = calloc(1, sizeof(*gz));

	(void)memory; /* zlib needs less than 64 KiB */
	if (!gz)
		return -ENOMEM;
	if (inflateInit2(&gz->stream, WINDOW_BITS_GZIP) != Z_OK) {
		free(gz);
		return -ENOMEM;
	}
	in->codec_state = gz;
	return 0;
}

/* Skip zero bytes between members; true if another member follows. */
static bool next_member(struct la_input *in, struct gz *gz)
{
	while (la_input_packed(in) && in->packed_size) {
		if (*in->packed) {
			gz->between = false;
			return inflateReset(&gz->stream) == Z_OK;
		}
		in->packed++;
		in->packed_size--;
	}
	return false;
}

static int gz_step(struct la_input *in, struct gz *gz)
{
	size_t size = in->packed_size > UINT_MAX ? UINT_MAX : in->packed_size;
	int ret;

	gz->stream.next_in = (z_const Bytef *)(uintptr_t)in->packed;
	gz->stream.avail_in = (uInt)size;
	ret = inflate(&gz->stream, Z_NO_FLUSH);
	size -= gz->stream.avail_in;
	in->packed += size;
	in->packed_size -= size;
	return ret;
}

static ptrdiff_t gz_read(struct la_input *in, uint8_t *out, size_t size)
{
	struct gz *gz = in->codec_state;
	int ret;

	gz->stream.next_out = out;
	gz->stream.avail_out = (uInt)size;
	while (gz->stream.avail_out == size) {
		if (gz->between && !next_member(in, gz))
			return in->error.code;
		if (!la_input_packed(in))
			return in->error.code;
		if (!in->packed_size) {
			in->truncated = true;
			return 0;
		}
		ret = gz_step(in, gz);
		if (ret == Z_STREAM_END)
			gz->between = true;
		else if (ret == Z_MEM_ERROR)
			return la_input_fail(in, -ENOMEM, "out of memory");
		else if (ret != Z_OK && ret != Z_BUF_ERROR)
			return la_input_fail(in, -EBADMSG, "damaged gzip data");
	}
	return (ptrdiff_t)(size - gz->stream.avail_out);
}

static void gz_close(struct la_input *in)
{
	struct gz *gz = in->codec_state;

	inflateEnd(&gz->stream);
	free(gz);
}

const struct la_codec la_codec_gz = {
	.open = gz_open,
	.read = gz_read,
	.close = gz_close,
};
