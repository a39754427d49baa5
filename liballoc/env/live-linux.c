// SPDX-License-Identifier: Apache-2.0
/*
 * The environment that a process has now: the pointer environ, found by its
 * symbol, the vector that it points to, and the strings of that.  The process
 * runs on meanwhile, so all of it is read until two readings agree.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env/elf.h"
#include "env/proc.h"
#include "util/array.h"

enum {
	PAGE = 4096, /* memory is read up to such borders */
	FILES_MAX = 1 << 12, /* mapped files looked at */
	ENTRIES_MAX = 1 << 20, /* pointers of a vector */
	READINGS = 8 /* before it is said to change all the time */
};

/* A mapped file, or the program. */
struct image {
	struct la_proc_map map; /* its first one; the path is in maps */
	unsigned int rank; /* 0: the program; 1: a C library; 2: others */
};

struct images {
	struct image *image;
	size_t count, room;
};

/* Where the pointer is. */
struct pointer {
	uint64_t addr;
	unsigned int word; /* bytes of a pointer */
};

static bool read_file(void *arg, uint64_t offset, void *out, size_t size)
{
	int fd = *(int *)arg;

	return offset <= INT64_MAX - size &&
	       pread(fd, out, size, (off_t)offset) == (ssize_t)size;
}

/* Names of C libraries: glibc's, musl's. */
static bool is_c_library(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && (!strncmp(name, "/libc.so", 8) ||
			!strncmp(name, "/libc-", 6) ||
			!strncmp(name, "/ld-musl", 8) ||
			!strncmp(name, "/libc.musl", 10));
}

static int add_image(struct images *images, const struct la_proc_map *map,
		     const char *program)
{
	if (images->count == FILES_MAX)
		return 0;
	if (grow_array(&images->image, &images->room, images->count,
		       sizeof(*images->image)) < 0)
		return -ENOMEM;
	images->image[images->count++] = (struct image){
		.map = *map,
		.rank = program && !strcmp(map->path, program) ? 0 :
			is_c_library(map->path)		       ? 1 :
								 2,
	};
	return 0;
}

static int list_images(struct images *images, const struct la_proc *proc,
		       char *maps)
{
	static const char deleted[] = " (deleted)";
	char *program = la_proc_link(proc, "exe");
	size_t n = program ? strlen(program) : 0, cut = strlen(deleted);
	struct la_proc_map map;
	int ret = 0;

	if (n > cut && !strcmp(program + n - cut, deleted))
		program[n - cut] = '\0';
	while (ret == 0 && la_proc_next_map(&maps, &map))
		if (map.inode && !map.offset && *map.path == '/')
			ret = add_image(images, &map, program);
	free(program);
	return ret;
}

/* A file that was replaced begins otherwise than what was loaded, if only in
 * the places of its sections. */
static bool is_loaded(const struct la_proc *proc, const struct image *image,
		      int fd)
{
	unsigned char file[PAGE], memory[PAGE];
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return false;
	n = pread(fd, file, sizeof(file), 0);
	return n >= LA_ELF_HEAD &&
	       la_proc_peek(proc, image->map.start, memory, (size_t)n) == n &&
	       !memcmp(file, memory, (size_t)n);
}

/* The path of a process in another root is as we see it, if we do. */
static char *image_name(const struct image *image, unsigned int way)
{
	const struct la_proc_map *map = &image->map;
	char *name = NULL;
	int n = -1;

	if (way == 0 && image->rank == 0)
		n = asprintf(&name, "exe");
	else if (way == 1)
		n = asprintf(&name, "map_files/%" PRIx64 "-%" PRIx64,
			     map->start, map->end);
	else if (way == 2)
		n = asprintf(&name, "root%s", map->path);
	else if (way == 3)
		n = asprintf(&name, "%s", map->path);
	return n < 0 ? NULL : name;
}

/* The file as the process has it, even if another one took its name. */
static int open_image(const struct la_proc *proc, const struct image *image)
{
	unsigned int way;
	char *name;
	int fd;

	for (way = 0; way < 4; way++) {
		name = image_name(image, way);
		if (!name)
			continue;
		fd = openat(proc->folder, name,
			    O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		free(name);
		if (fd < 0)
			continue;
		if (is_loaded(proc, image, fd))
			return fd;
		close(fd);
	}
	return -1;
}

/* The page of a process that was read last. */
struct window {
	const struct la_proc *proc;
	uint64_t page; /* its address */
	size_t length; /* bytes of it that there are; 0: none was read */
	char bytes[PAGE];
};

/* What is at an address, up to the end of its page; NULL: nothing. */
static const char *look(struct window *window, uint64_t addr, size_t *length)
{
	uint64_t page = addr / PAGE * PAGE;
	size_t skip = (size_t)(addr - page);
	ssize_t n;

	if (!window->length || window->page != page) {
		n = la_proc_peek(window->proc, page, window->bytes, PAGE);
		window->length = n > 0 ? (size_t)n : 0;
		window->page = page;
	}
	if (window->length <= skip)
		return NULL;
	*length = window->length - skip;
	return window->bytes + skip;
}

/* Pointers do not cross pages. */
static bool read_pointer(struct window *window, uint64_t addr,
			 unsigned int word, uint64_t *out)
{
	size_t length;
	const char *bytes = look(window, addr, &length);
	uint32_t narrow;

	if (!bytes || length < word)
		return false;
	if (word == 8) {
		memcpy(out, bytes, 8);
		return true;
	}
	memcpy(&narrow, bytes, 4);
	*out = narrow;
	return true;
}

static bool find_pointer(const struct la_proc *proc, const struct image *image,
			 struct pointer *out)
{
	uint64_t addr, base, page = (uint64_t)sysconf(_SC_PAGESIZE), value;
	struct window window = { .proc = proc };
	int fd = open_image(proc, image);
	struct la_elf elf;
	bool found;

	if (fd < 0)
		return false;
	found = !la_elf_open(&elf, read_file, &fd) &&
		la_elf_loaded_at(&elf, 0, page, &base) &&
		la_elf_environ(&elf, &addr);
	close(fd);
	if (!found)
		return false;
	out->addr = image->map.start + (addr - base);
	out->word = elf.word;
	return read_pointer(&window, out->addr, out->word, &value);
}

/* The program first: what it has stands for that of its C library. */
static const struct image *seek_pointer(const struct la_proc *proc,
					const struct images *images,
					struct pointer *out)
{
	unsigned int rank;
	size_t i;

	for (rank = 0; rank < 2; rank++)
		for (i = 0; i < images->count; i++)
			if (images->image[i].rank == rank &&
			    find_pointer(proc, &images->image[i], out))
				return &images->image[i];
	return NULL;
}

/* A string of the process; at the end of mapped memory it has no end. */
static int read_string(struct window *window, uint64_t addr,
		       struct la_strbuf *out)
{
	const char *piece;
	size_t n, got;

	do {
		if (out->length > LA_ENV_BYTES)
			return -EFBIG;
		piece = look(window, addr, &got);
		if (!piece)
			return -EFAULT;
		n = strnlen(piece, got);
		la_strbuf_add(out, piece, n);
		addr += n;
	} while (n == got);
	la_strbuf_add(out, "", 1);
	return out->failed ? -ENOMEM : 0;
}

/* All strings, each with its end; 0 or -errno: -EAGAIN if the process changes
 * it just now. */
static int read_vector(const struct la_proc *proc,
		       const struct pointer *pointer, struct la_strbuf *out)
{
	struct window pointers = { .proc = proc }, strings = { .proc = proc };
	uint64_t vector, string;
	size_t i;
	int ret = 0;

	out->length = 0;
	if (!read_pointer(&pointers, pointer->addr, pointer->word, &vector))
		return -EFAULT;
	if (!vector)
		return -ENODATA;
	for (i = 0; i < ENTRIES_MAX && ret == 0; i++) {
		if (!read_pointer(&pointers, vector + i * pointer->word,
				  pointer->word, &string))
			return -EAGAIN;
		if (!string)
			return 0;
		ret = read_string(&strings, string, out);
	}
	return ret == -EFAULT ? -EAGAIN : ret ? ret : -EFBIG;
}

static bool are_same(const struct la_strbuf *a, const struct la_strbuf *b)
{
	return a->length == b->length &&
	       (!a->length || !memcmp(a->data, b->data, a->length));
}

/* Read until two readings agree. */
static int read_settled(const struct la_proc *proc,
			const struct pointer *pointer, struct la_strbuf *out)
{
	struct la_strbuf last = { 0 }, now = { 0 }, swap;
	int ret = -EAGAIN, before = -EAGAIN, i;

	for (i = 0; i < READINGS; i++) {
		ret = read_vector(proc, pointer, &now);
		if (ret != -EAGAIN && ret == before && are_same(&last, &now))
			break;
		before = ret;
		swap = last;
		last = now;
		now = swap;
		ret = ret == -ENOMEM ? ret : -EAGAIN;
	}
	la_strbuf_release(&last);
	*out = now;
	return ret;
}

/* Unless the process ended meanwhile, and another one has its number. */
static int add_strings(struct la_env *env, const struct la_strbuf *strings,
		       const struct la_proc *proc)
{
	struct la_strbuf stat = { 0 };
	size_t at, n;
	int ret = la_proc_read(proc, "stat", PAGE, &stat);

	la_strbuf_release(&stat);
	if (ret < 0)
		return la_proc_refused(proc, env, -ret, true);

	for (at = 0; at < strings->length && ret == 0; at += n + 1) {
		n = strlen(strings->data + at);
		ret = la_env_add(env, strings->data + at, n);
	}
	return ret;
}

static int explain(const struct la_proc *proc, struct la_env *env, int ret)
{
	switch (ret) {
	case -ENOMEM:
		return ret;
	case -EAGAIN:
		return la_env_set_unknown(env, "it changes while it is read");
	case -ENODATA:
		return la_env_set_unknown(env, "environ is null: cleared, or "
					       "not set up yet");
	case -EFBIG:
		return la_env_set_unknown(env, "it is larger than any "
					       "environment");
	default:
		return la_proc_refused(proc, env, EIO, true);
	}
}

/* Nothing has the symbol, or nothing may be read. */
static int explain_no_symbol(const struct la_proc *proc, struct la_env *env,
			     const struct images *images)
{
	char byte = 0;
	ssize_t got;

	if (!images->count)
		return la_env_set_unknown(env, "it has no program of its own");
	got = la_proc_peek(proc, images->image[0].map.start, &byte, 1);
	if (got < 0)
		return la_proc_refused(proc, env, (int)-got, true);
	return la_env_set_unknown(
		env, "no symbol tells where it keeps its environment: its "
		     "program is stripped and static, foreign to C, or was "
		     "replaced since");
}

int la_proc_live(const struct la_proc *proc, char *maps, struct la_env *env,
		 char **from)
{
	struct la_strbuf strings = { 0 };
	struct images images = { 0 };
	const struct image *image;
	struct pointer pointer;
	int ret = list_images(&images, proc, maps);

	image = ret == 0 ? seek_pointer(proc, &images, &pointer) : NULL;
	if (ret == 0 && !image) {
		ret = explain_no_symbol(proc, env, &images);
	} else if (ret == 0) {
		free(*from);
		*from = strdup(image->map.path);
		ret = read_settled(proc, &pointer, &strings);
		ret = ret == 0 ? add_strings(env, &strings, proc) :
				 explain(proc, env, ret);
	}
	la_strbuf_release(&strings);
	free(images.image);
	return ret;
}
