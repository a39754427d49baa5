// SPDX-License-Identifier: Apache-2.0
/* zstd, frames one after the other. */
#include <errno.h>
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "trace/input.h"

struct zst {
	ZSTD_DStream *stream;
	bool between; /* after a frame: another one or the end */
};

static int zst_open(struct la_input *in, uint64_t memory)
{
	struct zst *zst = malloc(sizeof(*zst));
	int window = 27; /* 128 MiB, what zstd itself accepts unasked */

	if (!zst)
		return -ENOMEM;
	zst->between = false;
	zst->stream = ZSTD_createDStream();
	if (!zst->stream) {
		free(zst);
		return -ENOMEM;
	}
	while (window > 10 && (uint64_t)1 << window > memory)
		window--;
	ZSTD_DCtx_setParameter(zst->stream, ZSTD_d_windowLogMax, window);
	in->codec_state = zst;
	return 0;
}

static ptrdiff_t zst_error(struct la_input *in, size_t code)
{
	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_memory_allocation:
		return la_input_fail(in, -ENOMEM, "out of memory");
	case ZSTD_error_frameParameter_windowTooLarge:
		return la_input_fail(
			in, -E2BIG,
			"unpacking zstd data needs too much memory");
	default:
		return la_input_fail(in, -EBADMSG, "damaged zstd data");
	}
}

static ptrdiff_t zst_read(struct la_input *in, uint8_t *out, size_t size)
{
	struct zst *zst = in->codec_state;
	ZSTD_outBuffer to = { out, size, 0 };

	while (!to.pos) {
		ZSTD_inBuffer from;
		size_t left;

		if (!la_input_packed(in))
			return in->error.code;
		if (!in->packed_size && zst->between)
			break;
		from = (ZSTD_inBuffer){ in->packed, in->packed_size, 0 };
		left = ZSTD_decompressStream(zst->stream, &to, &from);
		if (ZSTD_isError(left))
			return zst_error(in, left);
		zst->between = left == 0;
		in->packed += from.pos;
		in->packed_size -= from.pos;
		if (!from.size && !to.pos && left) {
			in->truncated = true;
			break;
		}
	}
	return (ptrdiff_t)to.pos;
}

static void zst_close(struct la_input *in)
{
	struct zst *zst = in->codec_state;

	ZSTD_freeDStream(zst->stream);
	free(zst);
}

const struct la_codec la_codec_zst = {
	.open = zst_open,
	.read = zst_read,
	.close = zst_close,
};
