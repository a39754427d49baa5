/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Core files: core.c reads the headers, core-note.c the notes, core-scan.c
 * goes through the memory once, core-text.c finds text there, core-start.c
 * the environment; core-hole.c passes over holes.  All of it is untrusted;
 * memory is bounded.
 */
#ifndef LA_TRIAGE_CORE_H
#define LA_TRIAGE_CORE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <liballoc/triage.h>

#include "trace/input.h"

enum {
	LA_CORE_NOTE_MAX = 4096, /* longest note that is read, in bytes */
	LA_CORE_LATER_MAX = 64 /* most variables found beyond the start */
};

/* A piece of memory in the file. */
struct la_core_segment {
	uint64_t offset; /* in the file, unpacked */
	uint64_t size; /* bytes there */
	uint64_t addr; /* in the process */
};

struct la_core {
	struct la_core_info info; /* points to what is below */
	int fd; /* owned; -1: data */
	const uint8_t *data; /* the caller's */
	size_t size; /* bytes of data */
	struct la_core_segment *segment; /* owned, by offset */
	size_t segment_count, segment_room;
	struct la_core_segment *note; /* owned, by offset */
	size_t note_count, note_room;
	char *command, *arguments; /* owned; NULL: unknown */
	uint8_t auxv[LA_CORE_NOTE_MAX]; /* as the process got it */
	size_t auxv_size; /* bytes; 0: unknown */
	/* Address of the program's path, where the environment ends; 0 */
	uint64_t start_end;
	char **environment; /* owned, as are the strings */
	size_t environment_count, environment_room;
};

/* As la_core_open(), of bytes that outlive the core. */
int la_core_read(struct la_core **out, const void *data, size_t size,
		 struct la_error *err);

/* The unpacked bytes from the beginning. */
int la_core_input(const struct la_core *core, struct la_input *in,
		  struct la_error *err);

/* Copy the next bytes: their number, less at the end or on error. */
size_t la_core_take(struct la_input *in, void *out, size_t size);

/* Pass over the hole that a plain file has here: its bytes, which read as 0, at
 * most so many; 0: there is none. */
uint64_t la_core_skip_hole(struct la_input *in, uint64_t most);

/* As la_input_skip(), at once over holes. */
bool la_core_skip(struct la_input *in, uint64_t size);

/* Read the notes of one segment, at whose start the input is. */
int la_core_notes(struct la_core *core, struct la_input *in,
		  const struct la_core_segment *segment, struct la_error *err);

/* Take what is found: 0 or -errno, which ends the search. */
typedef int la_core_sink(void *arg, const void *data, size_t size);

/* As la_core_search(), for any sink. */
int la_core_scan(struct la_core *core, la_core_sink *sink, void *arg,
		 struct la_error *err);

/* Add a string to the environment; 0 or -ENOMEM. */
int la_core_add_variable(struct la_core *core, const char *text, size_t length);

static inline uint16_t la_core_u16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t la_core_u32(const uint8_t *p)
{
	return la_core_u16(p) | (uint32_t)la_core_u16(p + 2) << 16;
}

static inline uint64_t la_core_u64(const uint8_t *p)
{
	return la_core_u32(p) | (uint64_t)la_core_u32(p + 4) << 32;
}

#endif /* LA_TRIAGE_CORE_H */
