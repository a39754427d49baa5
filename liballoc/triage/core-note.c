// SPDX-License-Identifier: Apache-2.0
/* What the notes of a core say: process, signal, auxiliary vector. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "triage/core.h"
#include "util/error.h"

/* Offsets in struct elf_prpsinfo and elf_prstatus of 64-bit Linux. */
enum {
	PRPSINFO_PID = 24,
	PRPSINFO_NAME = 40,
	PRPSINFO_NAME_SIZE = 16,
	PRPSINFO_ARGS = 56,
	PRPSINFO_ARGS_SIZE = 80,
	PRPSINFO_SIZE = 136,
	PRSTATUS_SIGNAL = 12,
	PRSTATUS_PID = 32,
	PRSTATUS_SIZE = 36 /* up to there */
};

struct note {
	uint32_t type;
	uint8_t data[LA_CORE_NOTE_MAX];
	size_t size;
};

/* Replace a text; nothing is kept of an empty one. */
static int set_text(char **out, const uint8_t *data, size_t size)
{
	size_t length = strnlen((const char *)data, size);

	while (length && data[length - 1] == ' ')
		length--;
	free(*out);
	*out = NULL;
	if (!length)
		return 0;
	*out = strndup((const char *)data, length);
	return *out ? 0 : -ENOMEM;
}

static int read_process(struct la_core *core, const struct note *note)
{
	int ret;

	if (note->size < PRPSINFO_SIZE)
		return 0;
	core->info.pid = (int32_t)la_core_u32(note->data + PRPSINFO_PID);
	ret = set_text(&core->command, note->data + PRPSINFO_NAME,
		       PRPSINFO_NAME_SIZE);
	if (ret == 0)
		ret = set_text(&core->arguments, note->data + PRPSINFO_ARGS,
			       PRPSINFO_ARGS_SIZE);
	return ret;
}

/* The thread that failed comes first. */
static void read_thread(struct la_core *core, const struct note *note)
{
	if (note->size < PRSTATUS_SIZE || core->info.signal)
		return;
	core->info.signal = la_core_u16(note->data + PRSTATUS_SIGNAL);
	if (core->info.pid < 0)
		core->info.pid =
			(int32_t)la_core_u32(note->data + PRSTATUS_PID);
}

static void read_auxv(struct la_core *core, const struct note *note)
{
	size_t i;

	core->auxv_size = note->size;
	memcpy(core->auxv, note->data, note->size);
	for (i = 0; i + 16 <= note->size; i += 16)
		if (la_core_u64(note->data + i) == AT_EXECFN)
			core->start_end = la_core_u64(note->data + i + 8);
}

static int read_note(struct la_core *core, const struct note *note)
{
	switch (note->type) {
	case NT_PRPSINFO:
		return read_process(core, note);
	case NT_PRSTATUS:
		read_thread(core, note);
		return 0;
	case NT_AUXV:
		read_auxv(core, note);
		return 0;
	default:
		return 0;
	}
}

static uint64_t padded(uint32_t size)
{
	return ((uint64_t)size + 3) & ~(uint64_t)3;
}

/* Name and contents of a note; false at the end of the file or on error. */
static bool take_note(struct la_input *in, struct note *note, uint64_t name,
		      uint64_t size)
{
	bool wanted = note->size <= LA_CORE_NOTE_MAX;
	uint8_t owner[8];

	if (name == sizeof(owner)) {
		if (la_core_take(in, owner, sizeof(owner)) < sizeof(owner))
			return false;
		wanted = wanted && !memcmp(owner, "CORE", 5);
	} else {
		wanted = false;
		if (!la_core_skip(in, name))
			return false;
	}
	if (!wanted) {
		note->size = 0;
		return la_core_skip(in, size);
	}
	return la_core_take(in, note->data, note->size) == note->size &&
	       la_core_skip(in, size - note->size);
}

int la_core_notes(struct la_core *core, struct la_input *in,
		  const struct la_core_segment *segment, struct la_error *err)
{
	uint64_t left = segment->size, name, size;
	struct note note;
	uint8_t head[12];
	int ret;

	while (left >= sizeof(head)) {
		uint64_t offset = la_input_offset(in);

		if (la_core_take(in, head, sizeof(head)) < sizeof(head))
			break;
		left -= sizeof(head);
		name = padded(la_core_u32(head));
		note.size = la_core_u32(head + 4);
		size = padded(la_core_u32(head + 4));
		note.type = la_core_u32(head + 8);
		if (name > left || note.size > left - name)
			return la_error_set(err, -EBADMSG, offset,
					    "a note reaches beyond its "
					    "segment");
		/* The last one may lack its padding. */
		if (size > left - name)
			size = left - name;
		left -= name + size;
		if (!take_note(in, &note, name, size))
			break;
		ret = note.size ? read_note(core, &note) : 0;
		if (ret < 0)
			return la_error_set(err, ret, LA_NO_OFFSET,
					    "out of memory");
	}
	return 0;
}
