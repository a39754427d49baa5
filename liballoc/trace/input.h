/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of bytes from a file or from memory, unpacked on the way. */
#ifndef LA_TRACE_INPUT_H
#define LA_TRACE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/error.h>

/* Most bytes that la_input_has() can be asked for. */
enum { LA_INPUT_LOOKAHEAD = 64 };

struct la_input;

/*
 * What unpacks one compressed format.  open() takes the most bytes of memory
 * that it may use.  read() puts unpacked bytes into out: their number, 0 at the
 * end, or a negative errno with in->error filled; it takes packed bytes with
 * la_input_packed() and sets in->truncated when they end too early.
 */
struct la_codec {
	int (*open)(struct la_input *in, uint64_t memory);
	ptrdiff_t (*read)(struct la_input *in, uint8_t *out, size_t size);
	void (*close)(struct la_input *in);
};

struct la_input {
	const uint8_t *p, *end; /* unread bytes of the window */
	const uint8_t *start; /* the window: buffer, or the caller's memory */
	uint64_t base; /* offset in the unpacked stream of start */
	uint8_t *buffer; /* owned; NULL when the window is all there is */
	int fd; /* source of packed bytes, -1: none */
	const uint8_t *packed; /* packed bytes not yet taken */
	size_t packed_size;
	uint8_t *packed_buffer; /* owned, filled from fd */
	bool packed_end; /* no more than packed_size is left */
	bool truncated; /* a compressed stream ended too early */
	const struct la_codec *codec; /* NULL: plain */
	void *codec_state;
	struct la_error error; /* code is 0 while nothing failed */
};

/* Read fd, which stays the caller's; at most `memory` bytes for unpacking. */
int la_input_open_fd(struct la_input *in, int fd, uint64_t memory,
		     struct la_error *err);
int la_input_open_memory(struct la_input *in, const void *data, size_t size,
			 uint64_t memory, struct la_error *err);
void la_input_close(struct la_input *in);

/* Refill the window so that `size` bytes are in it: false at end or error. */
bool la_input_fill(struct la_input *in, size_t size);
/* Skip bytes: false if there are not that many, or on error. */
bool la_input_skip(struct la_input *in, uint64_t size);
/* Read a compressed stream to its end, so that its checksums are verified. */
bool la_input_drain(struct la_input *in);
/* For codecs: get more packed bytes if there are none; false on error. */
bool la_input_packed(struct la_input *in);
/* For codecs: set in->error at the current offset, return its code. */
int la_input_fail(struct la_input *in, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static inline uint64_t la_input_offset(const struct la_input *in)
{
	return in->base + (uint64_t)(in->p - in->start);
}

static inline bool la_input_has(struct la_input *in, size_t size)
{
	return (size_t)(in->end - in->p) >= size || la_input_fill(in, size);
}

#ifdef HAVE_ZLIB
extern const struct la_codec la_codec_gz;
#define LA_CODEC_GZ (&la_codec_gz)
#else
#define LA_CODEC_GZ NULL
#endif
#ifdef HAVE_LZMA
extern const struct la_codec la_codec_xz;
#define LA_CODEC_XZ (&la_codec_xz)
#else
#define LA_CODEC_XZ NULL
#endif
#ifdef HAVE_ZSTD
extern const struct la_codec la_codec_zst;
#define LA_CODEC_ZST (&la_codec_zst)
#else
#define LA_CODEC_ZST NULL
#endif

#endif /* LA_TRACE_INPUT_H */
