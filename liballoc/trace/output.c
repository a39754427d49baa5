// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>

#include "trace/output.h"
#include "util/error.h"
#include "util/util.h"

static void flush(struct la_output *out)
{
	if (!out->err && out->used)
		out->err = out->sink(out->data, out->bytes, out->used);
	out->used = 0;
}

void la_output_put_far(struct la_output *out, const void *bytes, size_t size)
{
	flush(out);
	if (size <= LA_OUTPUT_SIZE)
		la_output_put(out, bytes, size);
	else if (!out->err)
		out->err = out->sink(out->data, bytes, size);
}

void la_output_uint(struct la_output *out, uint64_t value)
{
	char digits[20], *end = digits + sizeof(digits), *p = end;

	do {
		*--p = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	la_output_put(out, p, (size_t)(end - p));
}

static int (*const writers[])(const struct la_recording *recording,
			      struct la_output *out) = {
	[LA_FORMAT_PICKLE] = la_write_pickle,
	[LA_FORMAT_PERFETTO] = la_write_perfetto,
	[LA_FORMAT_CSV] = la_write_csv,
};

LA_EXPORT int la_recording_write(const struct la_recording *recording,
				 enum la_recording_format format,
				 la_recording_sink *sink, void *data,
				 struct la_error *err)
{
	struct la_output *out;
	int ret = -ENOMEM;

	if ((unsigned int)format >= ARRAY_SIZE(writers))
		return la_error_set(err, -EINVAL, LA_NO_OFFSET,
				    "no such format: %d", (int)format);
	out = malloc(sizeof(*out));
	if (out) {
		out->sink = sink;
		out->data = data;
		out->err = 0;
		out->used = 0;
		ret = writers[format](recording, out);
		flush(out);
		if (ret == 0)
			ret = out->err;
		free(out);
	}
	if (ret < 0)
		return la_error_set(err, ret, LA_NO_OFFSET, "%s",
				    strerror(-ret));
	return 0;
}
