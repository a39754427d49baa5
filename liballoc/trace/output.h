/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way to a sink, and the writers of each format. */
#ifndef LA_TRACE_OUTPUT_H
#define LA_TRACE_OUTPUT_H

#include <stdint.h>
#include <string.h>

#include <liballoc/trace.h>

enum { LA_OUTPUT_SIZE = 1 << 15 };

struct la_output {
	la_recording_sink *sink;
	void *data; /* the sink's */
	int err; /* its first failure; then nothing more is given to it */
	size_t used; /* of bytes */
	uint8_t bytes[LA_OUTPUT_SIZE];
};

/* More than is left of the buffer. */
void la_output_put_far(struct la_output *out, const void *bytes, size_t size);

static inline void la_output_put(struct la_output *out, const void *bytes,
				 size_t size)
{
	if (size > LA_OUTPUT_SIZE - out->used) {
		la_output_put_far(out, bytes, size);
		return;
	}
	memcpy(out->bytes + out->used, bytes, size);
	out->used += size;
}

static inline void la_output_byte(struct la_output *out, uint8_t byte)
{
	la_output_put(out, &byte, 1);
}

static inline void la_output_text(struct la_output *out, const char *text)
{
	la_output_put(out, text, strlen(text));
}

/* In decimal. */
void la_output_uint(struct la_output *out, uint64_t value);

/* One for each format: 0 or -ENOMEM; failures of the sink are in out. */
int la_write_pickle(const struct la_recording *recording,
		    struct la_output *out);
int la_write_perfetto(const struct la_recording *recording,
		      struct la_output *out);
int la_write_csv(const struct la_recording *recording, struct la_output *out);

#endif /* LA_TRACE_OUTPUT_H */
