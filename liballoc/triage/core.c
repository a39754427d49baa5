// SPDX-License-Identifier: Apache-2.0
/* The headers of a core: what memory it has, and where. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "triage/core.h"
#include "util/array.h"
#include "util/error.h"
#include "util/util.h"

enum {
	UNPACK_MEMORY = 128 << 20,
	SEGMENT_MAX = 1 << 22 /* the kernel's own bound is far below */
};

int la_core_input(const struct la_core *core, struct la_input *in,
		  struct la_error *err)
{
	if (core->fd < 0)
		return la_input_open_memory(in, core->data, core->size,
					    UNPACK_MEMORY, err);
	if (lseek(core->fd, 0, SEEK_SET) < 0) {
		int ret = -errno;

		return la_error_set(err, ret, LA_NO_OFFSET, "%s",
				    strerror(-ret));
	}
	return la_input_open_fd(in, core->fd, UNPACK_MEMORY, err);
}

size_t la_core_take(struct la_input *in, void *out, size_t size)
{
	uint8_t *to = out;
	size_t done = 0, n;

	while (done < size && la_input_has(in, 1)) {
		n = (size_t)(in->end - in->p);
		if (n > size - done)
			n = size - done;
		memcpy(to + done, in->p, n);
		in->p += n;
		done += n;
	}
	return done;
}

bool la_core_skip(struct la_input *in, uint64_t size)
{
	uint64_t n;

	while (size) {
		n = la_core_skip_hole(in, size);
		if (!n) {
			if (!la_input_has(in, 1))
				return false;
			n = (uint64_t)(in->end - in->p);
			if (n > size)
				n = size;
			in->p += n;
		}
		size -= n;
	}
	return true;
}

static int check_header(const Elf64_Ehdr *header, struct la_error *err)
{
	const unsigned char *ident = header->e_ident;

	if (ident[EI_CLASS] != ELFCLASS64)
		return la_error_set(err, -EBADMSG, EI_CLASS,
				    "not of a 64-bit process");
	if (ident[EI_DATA] != ELFDATA2LSB)
		return la_error_set(err, -EBADMSG, EI_DATA,
				    "not of a little-endian machine");
	if (la_core_u16((const uint8_t *)&header->e_type) != ET_CORE)
		return la_error_set(err, -EBADMSG, offsetof(Elf64_Ehdr, e_type),
				    "an ELF file, but not a core");
	if (la_core_u16((const uint8_t *)&header->e_phentsize) !=
	    sizeof(Elf64_Phdr))
		return la_error_set(err, -EBADMSG,
				    offsetof(Elf64_Ehdr, e_phentsize),
				    "program headers of unknown size");
	return 0;
}

static int add_segment(struct la_core *core, uint32_t type,
		       const struct la_core_segment *new)
{
	bool load = type == PT_LOAD;
	struct la_core_segment **array = load ? &core->segment : &core->note;
	size_t *count = load ? &core->segment_count : &core->note_count;
	size_t *room = load ? &core->segment_room : &core->note_room;

	if ((type != PT_LOAD && type != PT_NOTE) || !new->size)
		return 0;
	if (grow_array(array, room, *count, sizeof(*new)) < 0)
		return -ENOMEM;
	(*array)[(*count)++] = *new;
	return 0;
}

/*
 * Where there are too many segments for the header's field, the first section
 * header has their number.  It is at the end of the file, which is out of
 * reach in compressed ones; there the first segment tells, as the kernel puts
 * the notes right behind the table.
 */
static uint64_t many_segments(const struct la_core *core,
			      const struct la_input *in,
			      const Elf64_Ehdr *header)
{
	uint64_t offset = la_core_u64((const uint8_t *)&header->e_shoff);
	uint64_t table = la_core_u64((const uint8_t *)&header->e_phoff);
	uint8_t section[sizeof(Elf64_Shdr)];

	if (in->codec) {
		if (in->end - in->p < (ptrdiff_t)sizeof(Elf64_Phdr))
			return 0;
		offset = la_core_u64(in->p + offsetof(Elf64_Phdr, p_offset));
		return offset > table ? (offset - table) / sizeof(Elf64_Phdr) :
					0;
	}
	if (core->fd >= 0) {
		if (offset > INT64_MAX ||
		    pread(core->fd, section, sizeof(section), (off_t)offset) !=
			    (ssize_t)sizeof(section))
			return 0;
	} else {
		if (offset > core->size ||
		    core->size - offset < sizeof(section))
			return 0;
		memcpy(section, core->data + offset, sizeof(section));
	}
	return la_core_u32(section + offsetof(Elf64_Shdr, sh_info));
}

static int read_segment(struct la_core *core, struct la_input *in,
			struct la_error *err)
{
	uint64_t at = la_input_offset(in), end;
	struct la_core_segment new;
	uint8_t raw[sizeof(Elf64_Phdr)];
	int ret;

	if (la_core_take(in, raw, sizeof(raw)) < sizeof(raw)) {
		core->info.truncated = true;
		return 0;
	}
	new.offset = la_core_u64(raw + offsetof(Elf64_Phdr, p_offset));
	new.size = la_core_u64(raw + offsetof(Elf64_Phdr, p_filesz));
	new.addr = la_core_u64(raw + offsetof(Elf64_Phdr, p_vaddr));
	if (__builtin_add_overflow(new.offset, new.size, &end) ||
	    __builtin_add_overflow(new.addr, new.size, &end))
		return la_error_set(err, -EBADMSG, at,
				    "a segment that ends beyond all "
				    "addresses");
	ret = add_segment(core, la_core_u32(raw), &new);
	return ret < 0 ? la_error_set(err, ret, LA_NO_OFFSET, "out of memory") :
			 0;
}

static int by_offset(const void *one, const void *other)
{
	const struct la_core_segment *a = one, *b = other;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int read_segments(struct la_core *core, struct la_input *in,
			 const Elf64_Ehdr *header, struct la_error *err)
{
	uint64_t table = la_core_u64((const uint8_t *)&header->e_phoff);
	uint64_t count = la_core_u16((const uint8_t *)&header->e_phnum), i;
	int ret = 0;

	if (table < sizeof(*header))
		return la_error_set(err, -EBADMSG,
				    offsetof(Elf64_Ehdr, e_phoff),
				    "program headers inside the header");
	if (!la_core_skip(in, table - sizeof(*header)))
		core->info.truncated = true;
	la_input_has(in, sizeof(Elf64_Phdr));
	if (count == PN_XNUM)
		count = many_segments(core, in, header);
	if (!count || count > SEGMENT_MAX)
		return la_error_set(err, -EBADMSG,
				    offsetof(Elf64_Ehdr, e_phnum),
				    "it does not tell its number of "
				    "segments");
	for (i = 0; i < count && ret == 0 && !core->info.truncated; i++)
		ret = read_segment(core, in, err);
	if (core->segment_count)
		qsort(core->segment, core->segment_count,
		      sizeof(*core->segment), by_offset);
	if (core->note_count)
		qsort(core->note, core->note_count, sizeof(*core->note),
		      by_offset);
	return ret;
}

/* Notes come before memory; those behind what was read are not sought. */
static int read_notes(struct la_core *core, struct la_input *in,
		      struct la_error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < core->note_count && ret == 0; i++) {
		uint64_t at = la_input_offset(in);

		if (core->note[i].offset < at)
			continue;
		if (!la_core_skip(in, core->note[i].offset - at))
			break;
		ret = la_core_notes(core, in, &core->note[i], err);
	}
	return ret;
}

static int read_core(struct la_core *core, struct la_input *in,
		     struct la_error *err)
{
	Elf64_Ehdr header;
	size_t got = la_core_take(in, &header, sizeof(header));
	int ret;

	if (in->error.code)
		return la_error_set(err, in->error.code, in->error.offset, "%s",
				    in->error.text);
	if (got < SELFMAG || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return la_error_set(err, -EBADMSG, 0, "not an ELF file");
	if (got < sizeof(header))
		return la_error_set(err, -EBADMSG, got,
				    "it ends within its header");
	ret = check_header(&header, err);
	if (ret == 0)
		ret = read_segments(core, in, &header, err);
	if (ret == 0)
		ret = read_notes(core, in, err);
	if (ret == 0 && in->error.code)
		ret = la_error_set(err, in->error.code, in->error.offset, "%s",
				   in->error.text);
	if (in->truncated)
		core->info.truncated = true;
	return ret;
}

/* What a plain file lacks shows in its size. */
static void check_size(struct la_core *core, uint64_t size)
{
	size_t i;

	for (i = 0; i < core->segment_count; i++)
		if (core->segment[i].offset + core->segment[i].size > size)
			core->info.truncated = true;
	for (i = 0; i < core->note_count; i++)
		if (core->note[i].offset + core->note[i].size > size)
			core->info.truncated = true;
}

static int open_core(struct la_core *core, struct la_error *err)
{
	struct la_input in;
	int ret = la_core_input(core, &in, err);

	if (ret < 0)
		return ret;
	ret = read_core(core, &in, err);
	if (ret == 0 && !in.codec) {
		off_t end = core->fd < 0 ? (off_t)core->size :
					   lseek(core->fd, 0, SEEK_END);

		check_size(core, end < 0 ? UINT64_MAX : (uint64_t)end);
	}
	la_input_close(&in);
	core->info.command = core->command;
	core->info.arguments = core->arguments;
	return ret;
}

/* Takes over fd. */
static int new_core(struct la_core **out, int fd, const void *data, size_t size,
		    struct la_error *err)
{
	struct la_core *core = calloc(1, sizeof(*core));
	int ret;

	if (!core) {
		if (fd >= 0)
			close(fd);
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	}
	core->fd = fd;
	core->data = data;
	core->size = size;
	core->info.pid = -1;
	ret = open_core(core, err);
	if (ret < 0) {
		la_core_free(core);
		return ret;
	}
	*out = core;
	return 0;
}

int la_core_read(struct la_core **out, const void *data, size_t size,
		 struct la_error *err)
{
	return new_core(out, -1, data, size, err);
}

/* The one format of coredumpctl's store that is not read here. */
static int refuse_lz4(int fd, struct la_error *err)
{
	static const uint8_t lz4[4] = { 0x04, 0x22, 0x4d, 0x18 };
	uint8_t magic[sizeof(lz4)];

	if (pread(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic) ||
	    memcmp(magic, lz4, sizeof(lz4)) != 0)
		return 0;
	return la_error_set(err, -ENOTSUP, 0,
			    "compressed with lz4, which is not read: unpack "
			    "it with 'lz4 -d'");
}

LA_EXPORT int la_core_open(struct la_core **out, const char *path,
			   struct la_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0) {
		ret = -errno;
		return la_error_set(err, ret, LA_NO_OFFSET, "%s",
				    strerror(-ret));
	}
	ret = refuse_lz4(fd, err);
	if (ret < 0) {
		close(fd);
		return ret;
	}
	return new_core(out, fd, NULL, 0, err);
}

LA_EXPORT const struct la_core_info *la_core_info(const struct la_core *core)
{
	return &core->info;
}

LA_EXPORT void la_core_free(struct la_core *core)
{
	size_t i;

	if (!core)
		return;
	for (i = 0; i < core->environment_count; i++)
		free(core->environment[i]);
	free(core->environment);
	free(core->segment);
	free(core->note);
	free(core->command);
	free(core->arguments);
	if (core->fd >= 0)
		close(core->fd);
	free(core);
}
