// SPDX-License-Identifier: Apache-2.0
/* Core files: made ones, damaged ones, and one that the kernel wrote. */
#include <check.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/core.h"
#include "triage/core.h"
#include "util/strbuf.h"

#define MESSAGE                                                        \
	"CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a " \
	"total capacity of 23.69 GiB of which 1.50 GiB is free."

static const char *const nothing[] = { NULL };

static int collect(void *arg, const void *data, size_t size)
{
	la_strbuf_add(arg, data, size);
	return 0;
}

static unsigned int times(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

/* What the search of a core with that heap finds. */
static struct la_strbuf search(const void *heap, size_t size)
{
	const struct core_plan plan = { .heap = heap, .heap_size = size };
	struct core_image image = make_core(&plan);
	struct la_strbuf found = { 0 };
	struct la_core *core;

	ck_assert_int_eq(la_core_read(&core, image.data, image.size, NULL), 0);
	ck_assert_int_eq(la_core_scan(core, collect, &found, NULL), 0);
	ck_assert(!la_core_info(core)->truncated);
	la_core_free(core);
	free(image.data);
	return found;
}

START_TEST(test_notes_tell_the_process)
{
	const struct core_plan plan = { .bare = _i };
	struct core_image image = make_core(&plan);
	const struct la_core_info *info;
	struct la_core *core;

	ck_assert_int_eq(la_core_read(&core, image.data, image.size, NULL), 0);
	info = la_core_info(core);
	ck_assert_int_eq(info->pid, plan.bare ? -1 : 4242);
	ck_assert_int_eq(info->signal, plan.bare ? 0 : 6);
	ck_assert(!info->truncated);
	if (plan.bare) {
		ck_assert_ptr_null(info->command);
		ck_assert_ptr_null(info->arguments);
	} else {
		ck_assert_str_eq(info->command, "worker");
		ck_assert_str_eq(info->arguments, "./worker --steps 7");
	}
	la_core_free(core);
	free(image.data);
}
END_TEST

START_TEST(test_messages_are_lines_of_their_own)
{
	static const char heap[] =
		"\x7f\x01\xff" MESSAGE "\0\0junk of 7 words, and no more"
		"\x80two lines of which\nthe second has " MESSAGE "\n\x01"
		"CUDA out of memory. Tried to allocate \0 bytes 12345 1234";
	struct la_strbuf found = search(heap, sizeof(heap));

	ck_assert_str_eq(found.data,
			 MESSAGE "\n\n"
				 "two lines of which\nthe second has " MESSAGE
				 "\n\n\n");
	la_strbuf_release(&found);
}
END_TEST

/* Wherever a message is, in text or not, it is one line. */
START_TEST(test_long_text_is_cut_between_lines)
{
	enum { SIZE = 300000, STEP = 1777 };
	const char filler = _i ? 'x' : '\0';
	char *heap = malloc(SIZE);
	struct la_strbuf found;
	size_t at;

	ck_assert_ptr_nonnull(heap);
	for (at = 1; at + sizeof(MESSAGE) < SIZE; at += 37 * STEP) {
		memset(heap, filler, SIZE);
		heap[at - 1] = '\n';
		memcpy(heap + at, MESSAGE "\n", sizeof(MESSAGE));
		found = search(heap, SIZE);
		ck_assert_uint_eq(times(la_strbuf_text(&found), MESSAGE), 1);
		la_strbuf_release(&found);
	}
	free(heap);
}
END_TEST

static int open_bytes(struct la_core **core, const void *data, size_t size,
		      struct la_error *err)
{
	char path[] = "/tmp/test-core.XXXXXX";
	int fd = mkstemp(path), ret;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	ret = la_core_open(core, path, err);
	close(fd);
	unlink(path);
	return ret;
}

/* Files are read in pieces: a message may begin in one and end in the next. */
START_TEST(test_pieces_of_a_file_do_not_matter)
{
	enum { SIZE = 140000, PIECE = 64 << 10 };
	char *heap = calloc(1, SIZE);
	const struct core_plan plan = { .heap = heap, .heap_size = SIZE };
	struct core_image image;
	struct la_strbuf found = { 0 };
	struct la_core *core;
	size_t before;

	ck_assert_ptr_nonnull(heap);
	/* The end of the piece passes through the message. */
	for (before = 0; before <= sizeof(MESSAGE); before++) {
		image = make_core(&plan);
		memcpy(image.data + PIECE - before, MESSAGE, sizeof(MESSAGE));
		ck_assert_int_eq(
			open_bytes(&core, image.data, image.size, NULL), 0);
		ck_assert_int_eq(la_core_scan(core, collect, &found, NULL), 0);
		ck_assert_str_eq(found.data, MESSAGE "\n\n");
		la_strbuf_release(&found);
		la_core_free(core);
		free(image.data);
	}
	free(heap);
}
END_TEST

START_TEST(test_environment_is_that_of_the_start)
{
	static const char *const arguments[] = { "./worker", "lr=0.1", NULL };
	static const char *const environment[] = { "PATH=/bin", "=odd",
						   "PYTORCH_ALLOC_CONF=a:1",
						   "EMPTY=", NULL };
	static const char heap[] =
		"\0\0PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128\0"
		"\0PYTORCH_CUDA_ALLOC_CONF=max_split\0"
		"\0PYTORCH_ALLOC_CONF=a:1\0"
		"try PYTORCH_ALLOC_CONF=b:2\0PYTORCH_x_ALLOC_CONF=c:3\0"
		"PYTORCH_ALLOC_CONF=d:4\x01\0OTHER=12";
	const struct core_plan plan = { .heap = heap,
					.heap_size = sizeof(heap),
					.arguments = arguments,
					.environment = environment };
	struct core_image image = make_core(&plan);
	struct la_strbuf found = { 0 };
	const struct la_core_info *info;
	struct la_core *core;
	int round;

	ck_assert_int_eq(la_core_read(&core, image.data, image.size, NULL), 0);
	info = la_core_info(core);
	ck_assert_uint_eq(info->environment_count, 0);
	for (round = 0; round < 2; round++) {
		ck_assert_int_eq(la_core_scan(core, collect, &found, NULL), 0);
		ck_assert_uint_eq(info->environment_count, 4);
		ck_assert_uint_eq(info->started_count, 3);
		ck_assert_str_eq(info->environment[0], "PATH=/bin");
		ck_assert_str_eq(info->environment[1],
				 "PYTORCH_ALLOC_CONF=a:1");
		ck_assert_str_eq(info->environment[2], "EMPTY=");
		ck_assert_str_eq(info->environment[3],
				 "PYTORCH_CUDA_ALLOC_CONF="
				 "max_split_size_mb:128");
	}
	la_strbuf_release(&found);
	la_core_free(core);
	free(image.data);
}
END_TEST

START_TEST(test_many_segments_are_counted_elsewhere)
{
	const struct core_plan plan = { .heap = MESSAGE,
					.heap_size = sizeof(MESSAGE),
					.environment = nothing,
					.many = true };
	struct core_image image = make_core(&plan);
	struct la_strbuf found = { 0 };
	struct la_core *core;
	int file;

	for (file = 0; file < 2; file++) {
		ck_assert_int_eq(
			file ? open_bytes(&core, image.data, image.size, NULL) :
			       la_core_read(&core, image.data, image.size,
					    NULL),
			0);
		ck_assert_uint_eq(core->segment_count, 2);
		ck_assert_int_eq(la_core_scan(core, collect, &found, NULL), 0);
		ck_assert_str_eq(found.data, MESSAGE "\n\n");
		la_strbuf_release(&found);
		la_core_free(core);
	}
	free(image.data);
}
END_TEST

/* However short: an error with a place, or what there is. */
START_TEST(test_truncated_core_says_so)
{
	const struct core_plan plan = { .heap = MESSAGE,
					.heap_size = sizeof(MESSAGE) };
	struct core_image image = make_core(&plan);
	struct la_strbuf found = { 0 };
	struct la_error err;
	struct la_core *core;
	size_t size;
	int ret;

	for (size = 0; size < image.size; size++) {
		ret = open_bytes(&core, image.data, size, &err);
		if (size < image.table) {
			ck_assert_int_eq(ret, -EBADMSG);
			ck_assert_str_eq(err.text,
					 size < SELFMAG ?
						 "not an ELF file" :
						 "it ends within its header");
			ck_assert_uint_eq(err.offset,
					  size < SELFMAG ? 0 : size);
			continue;
		}
		ck_assert_int_eq(ret, 0);
		ck_assert(la_core_info(core)->truncated);
		ck_assert_int_eq(la_core_scan(core, collect, &found, NULL), 0);
		ck_assert_uint_eq(times(la_strbuf_text(&found), MESSAGE),
				  size >= image.stack - 1);
		la_strbuf_release(&found);
		la_core_free(core);
	}
	free(image.data);
}
END_TEST

struct damage {
	size_t at; /* in the file; in the table if table is set */
	bool table;
	uint64_t value;
	size_t size; /* bytes of value */
	const char *error; /* NULL: fine all the same */
	bool truncated;
};

#define HEADER(field) offsetof(Elf64_Ehdr, field), false
#define SEGMENT(i, field) \
	(i) * sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, field), true

/* Of the segments, the first one is the notes, the second one the heap. */
static const struct damage damages[] = {
	{ HEADER(e_ident), 0, 1, "not an ELF file", false },
	{ HEADER(e_ident[EI_CLASS]), ELFCLASS32, 1, "not of a 64-bit process",
	  false },
	{ HEADER(e_ident[EI_DATA]), ELFDATA2MSB, 1,
	  "not of a little-endian machine", false },
	{ HEADER(e_type), ET_EXEC, 2, "an ELF file, but not a core", false },
	{ HEADER(e_phentsize), 32, 2, "program headers of unknown size",
	  false },
	{ HEADER(e_phnum), 0, 2, "it does not tell its number of segments",
	  false },
	{ HEADER(e_phnum), PN_XNUM, 2,
	  "it does not tell its number of segments", false },
	{ HEADER(e_phoff), 8, 8, "program headers inside the header", false },
	{ HEADER(e_phoff), UINT64_MAX, 8, NULL, true },
	{ SEGMENT(0, p_offset), UINT64_MAX, 8,
	  "a segment that ends beyond all addresses", false },
	{ SEGMENT(0, p_filesz), 14, 8, "a note reaches beyond its segment",
	  false },
	{ SEGMENT(1, p_offset), 1 << 30, 8, NULL, true },
	{ SEGMENT(1, p_filesz), INT64_MAX, 8, NULL, true },
	{ SEGMENT(1, p_vaddr), UINT64_MAX, 8,
	  "a segment that ends beyond all addresses", false },
	{ SEGMENT(1, p_offset), 0, 8, NULL, false },
};

/* Where the error is: at the field, at the segment, or at its note. */
static uint64_t place_of(const struct damage *damage,
			 const struct core_image *image)
{
	if (!damage->table)
		return damage->at;
	if (damage->at == offsetof(Elf64_Phdr, p_filesz))
		return image->notes;
	return image->table + damage->at / sizeof(Elf64_Phdr) *
				      sizeof(Elf64_Phdr);
}

START_TEST(test_damaged_headers_are_told)
{
	const struct core_plan plan = { .heap = MESSAGE,
					.heap_size = sizeof(MESSAGE) };
	struct core_image image = make_core(&plan);
	const struct damage *damage = &damages[_i];
	struct la_strbuf found = { 0 };
	struct la_error err = { 0 };
	struct la_core *core = NULL;

	memcpy(image.data + (damage->table ? image.table : 0) + damage->at,
	       &damage->value, damage->size);
	ck_assert_int_eq(open_bytes(&core, image.data, image.size, &err),
			 damage->error ? -EBADMSG : 0);
	if (damage->error) {
		ck_assert_ptr_null(core);
		ck_assert_str_eq(err.text, damage->error);
		ck_assert_uint_eq(err.offset, place_of(damage, &image));
	} else {
		ck_assert_int_eq(la_core_scan(core, collect, &found, NULL), 0);
		ck_assert(la_core_info(core)->truncated == damage->truncated);
	}
	la_strbuf_release(&found);
	la_core_free(core);
	free(image.data);
}
END_TEST

/* Bytes that two segments claim are read once, the rest at its address. */
START_TEST(test_overlapping_segments_are_read_once)
{
	static const char *const environment[] = { "PATH=/bin", NULL };
	const struct core_plan plan = { .heap = MESSAGE,
					.heap_size = sizeof(MESSAGE),
					.environment = environment };
	struct core_image image = make_core(&plan);
	const uint64_t size = sizeof(MESSAGE) + 24;
	struct la_strbuf found = { 0 };
	struct la_core *core;

	memcpy(image.data + image.table + sizeof(Elf64_Phdr) +
		       offsetof(Elf64_Phdr, p_filesz),
	       &size, sizeof(size));
	ck_assert_int_eq(la_core_read(&core, image.data, image.size, NULL), 0);
	ck_assert_int_eq(la_core_scan(core, collect, &found, NULL), 0);
	ck_assert_str_eq(found.data, MESSAGE "\n\n");
	ck_assert_uint_eq(la_core_info(core)->started_count, 1);
	ck_assert(!la_core_info(core)->truncated);
	la_strbuf_release(&found);
	la_core_free(core);
	free(image.data);
}
END_TEST

START_TEST(test_search_feeds_a_log)
{
	static const char heap[] = MESSAGE "\0\0" MESSAGE "\0\x01\x02" MESSAGE
					   "\0CUDA out of memory. Tried to";
	const struct core_plan plan = { .heap = heap,
					.heap_size = sizeof(heap) };
	struct core_image image = make_core(&plan);
	const struct la_facts *facts;
	struct la_core *core;
	struct la_log *log;
	size_t count;

	ck_assert_int_eq(open_bytes(&core, image.data, image.size, NULL), 0);
	ck_assert_int_eq(la_log_new(&log), 0);
	ck_assert_int_eq(la_core_search(core, log, NULL), 0);
	ck_assert_int_eq(la_log_finish(log), 0);
	facts = la_log_facts(log, &count);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(facts->count, 3);
	ck_assert_int_eq(facts->kind, LA_OOM_CACHING);
	/* 2.50 GiB, to the two decimals that are printed */
	ck_assert_uint_lt(facts->amount[LA_AMOUNT_SEGMENT].low,
			  (uint64_t)5 << 29);
	ck_assert_uint_gt(facts->amount[LA_AMOUNT_SEGMENT].high,
			  (uint64_t)5 << 29);
	la_log_free(log);
	la_core_free(core);
	free(image.data);
}
END_TEST

static int refuse(void *arg, const void *data, size_t size)
{
	(void)arg, (void)data, (void)size;
	return -EIO;
}

START_TEST(test_sink_may_end_the_search)
{
	const struct core_plan plan = { .heap = MESSAGE,
					.heap_size = sizeof(MESSAGE) };
	struct core_image image = make_core(&plan);
	struct la_error err;
	struct la_core *core;

	ck_assert_int_eq(la_core_read(&core, image.data, image.size, NULL), 0);
	ck_assert_int_eq(la_core_scan(core, refuse, NULL, &err), -EIO);
	ck_assert_int_eq(err.code, -EIO);
	la_core_free(core);
	free(image.data);
}
END_TEST

/* Through a program that packs; what is not there is not tried. */
static size_t pack(const char *program, const struct core_image *image,
		   uint8_t *out, size_t room)
{
	char command[64];
	FILE *file = tmpfile(), *pipe;
	size_t size;

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(image->data, 1, image->size, file),
			  image->size);
	fflush(file);
	snprintf(command, sizeof(command), "%s -c </proc/%d/fd/%d 2>/dev/null",
		 program, (int)getpid(), fileno(file));
	pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	size = fread(out, 1, room, pipe);
	ck_assert_uint_lt(size, room);
	fclose(file);
	return pclose(pipe) == 0 ? size : 0;
}

/* Bytes without text, which do not pack well. */
static void fill(uint8_t *data, size_t size)
{
	uint32_t state = 1;
	size_t i;

	for (i = 0; i < size; i++) {
		state = state * 1664525 + 1013904223;
		data[i] = (uint8_t)(0x80 | state >> 24);
	}
}

START_TEST(test_packed_cores_are_unpacked)
{
	static const char *const programs[] = { "gzip", "xz", "zstd" };
	static uint8_t heap[400000], packed[1 << 19];
	const struct core_plan plan = { .heap = heap,
					.heap_size = sizeof(heap),
					.many = true };
	struct core_image image;
	struct la_strbuf found = { 0 };
	struct la_core *core;
	size_t size;
	int ret;

	fill(heap, sizeof(heap));
	memcpy(heap, MESSAGE, sizeof(MESSAGE));
	image = make_core(&plan);
	size = pack(programs[_i], &image, packed, sizeof(packed));
	ret = size ? open_bytes(&core, packed, size, NULL) : -ENOTSUP;

	if (ret != -ENOTSUP) {
		ck_assert_int_eq(ret, 0);
		ck_assert_str_eq(la_core_info(core)->command, "worker");
		ck_assert_int_eq(la_core_scan(core, collect, &found, NULL), 0);
		ck_assert_str_eq(found.data, MESSAGE "\n\n");
		ck_assert(!la_core_info(core)->truncated);
		la_strbuf_release(&found);
		la_core_free(core);
		ck_assert_int_eq(open_bytes(&core, packed, size / 2, NULL), 0);
		ck_assert_int_eq(la_core_scan(core, collect, &found, NULL), 0);
		ck_assert(la_core_info(core)->truncated);
		la_strbuf_release(&found);
		la_core_free(core);
	}
	free(image.data);
}
END_TEST

START_TEST(test_what_cannot_be_read_is_told)
{
	static const char lz4[] = "\x04\x22\x4d\x18packed";
	struct la_error err;
	struct la_core *core;

	ck_assert_int_eq(open_bytes(&core, lz4, sizeof(lz4), &err), -ENOTSUP);
	ck_assert_str_eq(err.text, "compressed with lz4, which is not read: "
				   "unpack it with 'lz4 -d'");
	ck_assert_int_eq(la_core_open(&core, "/nonexistent", &err), -ENOENT);
	ck_assert_str_eq(err.text, strerror(ENOENT));
	ck_assert_int_eq(la_core_open(&core, "/", &err), -EISDIR);
	ck_assert_str_eq(err.text, strerror(EISDIR));
	la_core_free(NULL);
}
END_TEST

/* A shell that dies with the message in its environment; its pid, or 0. */
static pid_t die(const char *folder)
{
	const struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	int status;
	pid_t pid;

	if (setrlimit(RLIMIT_CORE, &limit) < 0)
		return 0;
	pid = fork();
	if (pid == 0) {
		if (chdir(folder) < 0)
			_exit(1);
		execl("/bin/sh", "sh", "-c", "kill -ABRT $$", "lr=0.1", NULL);
		_exit(1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) && WCOREDUMP(status) ? pid : 0;
}

static bool open_dumped(struct la_core **core, const char *folder, pid_t pid)
{
	char path[96];
	int ret;

	snprintf(path, sizeof(path), "%s/core", folder);
	ret = la_core_open(core, path, NULL);
	if (ret == -ENOENT) {
		snprintf(path, sizeof(path), "%s/core.%d", folder, (int)pid);
		ret = la_core_open(core, path, NULL);
	}
	unlink(path);
	return ret == 0;
}

static void check_environment(const struct la_core_info *info)
{
	size_t i;

	for (i = 0; environ[i]; i++) {
		ck_assert_uint_lt(i, info->started_count);
		ck_assert_str_eq(info->environment[i], environ[i]);
	}
	ck_assert_uint_eq(info->started_count, i);
}

/* A terabyte of addresses that were never touched, ahead of a message and
 * between segments: no bytes of the disk, nor time. */
START_TEST(test_holes_are_passed_over)
{
	enum { TABLE = sizeof(Elf64_Ehdr), SEGMENTS = 2, START = 4096 };
	static const uint64_t hole = (uint64_t)1 << 40;
	char path[] = "/tmp/liballoc-core-XXXXXX";
	Elf64_Phdr segment[SEGMENTS] = {
		{ .p_type = PT_LOAD, .p_offset = START, .p_filesz = hole },
		{ .p_type = PT_LOAD, .p_offset = START + 2 * hole,
		  .p_vaddr = 2 * hole, .p_filesz = sizeof(MESSAGE) },
	};
	const Elf64_Ehdr header = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE,
		.e_phoff = TABLE,
		.e_phentsize = sizeof(*segment),
		.e_phnum = SEGMENTS,
	};
	struct la_strbuf found = { 0 };
	struct la_core *core;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, &header, TABLE, 0), TABLE);
	ck_assert_int_eq(pwrite(fd, segment, sizeof(segment), TABLE),
			 sizeof(segment));
	if (pwrite(fd, MESSAGE, sizeof(MESSAGE), START + 2 * (off_t)hole) > 0 &&
	    lseek(fd, START, SEEK_DATA) > START) {
		ck_assert_int_eq(la_core_open(&core, path, NULL), 0);
		ck_assert_int_eq(la_core_scan(core, collect, &found, NULL), 0);
		ck_assert_str_eq(la_strbuf_text(&found), MESSAGE "\n\n");
		ck_assert(!la_core_info(core)->truncated);
		la_strbuf_release(&found);
		la_core_free(core);
	}
	close(fd);
	unlink(path);
}
END_TEST

/* Where the kernel writes cores elsewhere, or none, there is nothing to see. */
START_TEST(test_core_of_the_kernel)
{
	char folder[] = "/tmp/liballoc-core-XXXXXX";
	struct la_strbuf found = { 0 };
	struct la_core *core;
	pid_t pid;

	setenv("SAID", MESSAGE, 1);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	pid = die(folder);
	if (pid && open_dumped(&core, folder, pid)) {
		const struct la_core_info *info = la_core_info(core);

		ck_assert_str_eq(info->command, "sh");
		ck_assert_str_eq(info->arguments, "sh -c kill -ABRT $$ lr=0.1");
		ck_assert_int_eq(info->pid, pid);
		ck_assert_int_eq(info->signal, SIGABRT);
		ck_assert(!info->truncated);
		ck_assert_int_eq(la_core_scan(core, collect, &found, NULL), 0);
		ck_assert_ptr_nonnull(
			strstr(la_strbuf_text(&found), "SAID=" MESSAGE "\n\n"));
		check_environment(info);
		la_strbuf_release(&found);
		la_core_free(core);
	}
	rmdir(folder);
}
END_TEST

int main(void)
{
	const int damage_count = sizeof(damages) / sizeof(damages[0]);
	Suite *suite = suite_create("core");
	TCase *tcase = tcase_create("core");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_notes_tell_the_process, 0, 2);
	tcase_add_test(tcase, test_messages_are_lines_of_their_own);
	tcase_add_loop_test(tcase, test_long_text_is_cut_between_lines, 0, 2);
	tcase_add_test(tcase, test_pieces_of_a_file_do_not_matter);
	tcase_add_test(tcase, test_environment_is_that_of_the_start);
	tcase_add_test(tcase, test_many_segments_are_counted_elsewhere);
	tcase_add_test(tcase, test_truncated_core_says_so);
	tcase_add_loop_test(tcase, test_damaged_headers_are_told, 0,
			    damage_count);
	tcase_add_test(tcase, test_overlapping_segments_are_read_once);
	tcase_add_test(tcase, test_search_feeds_a_log);
	tcase_add_test(tcase, test_sink_may_end_the_search);
	tcase_add_loop_test(tcase, test_packed_cores_are_unpacked, 0, 3);
	tcase_add_test(tcase, test_what_cannot_be_read_is_told);
	tcase_add_test(tcase, test_holes_are_passed_over);
	tcase_add_test(tcase, test_core_of_the_kernel);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
