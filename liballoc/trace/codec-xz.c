// SPDX-License-Identifier: Apache-2.0
/* xz through liblzma, streams one after the other. */
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#include "trace/input.h"

static int xz_open(struct la_input *in, uint64_t memory)
{
	static const lzma_stream init = LZMA_STREAM_INIT;
	lzma_stream *xz = malloc(sizeof(*xz));

	if (!xz)
		return -ENOMEM;
	*xz = init;
	if (lzma_stream_decoder(xz, memory, LZMA_CONCATENATED) != LZMA_OK) {
		free(xz);
		return -ENOMEM;
	}
	in->codec_state = xz;
	return 0;
}

static ptrdiff_t xz_error(struct la_input *in, lzma_ret ret)
{
	if (ret == LZMA_MEM_ERROR)
		return la_input_fail(in, -ENOMEM, "out of memory");
	if (ret == LZMA_MEMLIMIT_ERROR)
		return la_input_fail(in, -E2BIG,
				     "unpacking xz data needs too much memory");
	return la_input_fail(in, -EBADMSG, "damaged xz data");
}

static ptrdiff_t xz_read(struct la_input *in, uint8_t *out, size_t size)
{
	lzma_stream *xz = in->codec_state;
	lzma_ret ret;

	xz->next_out = out;
	xz->avail_out = size;
	while (xz->avail_out == size) {
		if (!la_input_packed(in))
			return in->error.code;
		xz->next_in = in->packed;
		xz->avail_in = in->packed_size;
		ret = lzma_code(xz, in->packed_size ? LZMA_RUN : LZMA_FINISH);
		in->packed = xz->next_in;
		in->packed_size = xz->avail_in;
		if (ret == LZMA_STREAM_END)
			break;
		if (ret == LZMA_BUF_ERROR) {
			in->truncated = true;
			break;
		}
		if (ret != LZMA_OK)
			return xz_error(in, ret);
	}
	return (ptrdiff_t)(size - xz->avail_out);
}

static void xz_close(struct la_input *in)
{
	lzma_end(in->codec_state);
	free(in->codec_state);
}

const struct la_codec la_codec_xz = {
	.open = xz_open,
	.read = xz_read,
	.close = xz_close,
};
