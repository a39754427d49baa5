// SPDX-License-Identifier: Apache-2.0
/*
 * Files of the probe: whole, cut, damaged, of rings that wrapped; and as
 * recordings, compared with the snapshots that they were made of.
 *
 * Promise: torn.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <liballoc/probe.h>
#include <liballoc/replay.h>

#include "support/model.h"
#include "support/probe-file.h"
#include "util/util.h"

static struct probe_file file;
static uint8_t *data;
static size_t size;
static struct la_probe *probe;
static struct la_error err;

static void setup(void)
{
	probe_file_init(&file);
	data = NULL;
	probe = NULL;
	memset(&err, 0, sizeof(err));
}

static void teardown(void)
{
	probe_file_release(&file);
	la_probe_free(probe);
	free(data);
}

static void read_file(void)
{
	if (!data)
		data = probe_file_bytes(&file, &size);
	ck_assert_msg(la_probe_read(&probe, data, size, &err) == 0, "%s",
		      err.text);
}

static void refuse(int code, uint64_t offset, const char *text)
{
	ck_assert_int_eq(la_probe_read(&probe, data, size, &err), code);
	ck_assert_int_eq(err.code, code);
	ck_assert_uint_eq(err.offset, offset);
	ck_assert_str_eq(err.text, text);
	ck_assert_ptr_null(probe);
}

static struct la_probe_header *header(void)
{
	return (void *)data;
}

START_TEST(test_other_files_are_refused)
{
	data = probe_file_bytes(&file, &size);
	data[7] = 'x';
	refuse(-EBADMSG, 0, "not a file of the probe");
	size = 0;
	refuse(-EBADMSG, 0, "not a file of the probe");
}
END_TEST

START_TEST(test_other_versions_are_refused)
{
	data = probe_file_bytes(&file, &size);
	header()->version = LA_PROBE_VERSION + 1;
	refuse(-ENOTSUP, 8,
	       "version 2 of the probe's file; this build reads up to 1");
	header()->version = 0;
	refuse(-EBADMSG, 8, "damaged file of the probe: version 0 at offset 8");
	header()->version = LA_PROBE_VERSION << 24;
	header()->endian = 0x04030201;
	refuse(-ENOTSUP, 12, "written by a machine of another byte order");
	header()->endian = 7;
	refuse(-EBADMSG, 12,
	       "damaged file of the probe: no byte order at offset 12");
}
END_TEST

START_TEST(test_file_without_its_first_page_is_refused)
{
	data = probe_file_bytes(&file, &size);
	size = 15;
	refuse(-EBADMSG, 15, "damaged file of the probe: it ends at offset 15");
	size = LA_PROBE_PAGE - 1;
	refuse(-EBADMSG, LA_PROBE_PAGE - 1,
	       "damaged file of the probe: it ends at offset 4095");
}
END_TEST

#define FIELD(name) offsetof(struct la_probe_header, name)

/* What a header may not say: the field that is wrong, and the one that the
 * error is at. */
static const struct {
	size_t field;
	uint64_t value;
	size_t at;
	const char *problem;
} wrong[] = {
	{ FIELD(device_offset), 8, FIELD(device_offset), "devices begin at 8" },
	{ FIELD(device_offset), UINT64_MAX - 7, FIELD(device_offset),
	  "devices reach beyond its end" },
	{ FIELD(oom_offset), LA_PROBE_PAGE, FIELD(oom_offset),
	  "OOMs begin at 4096" },
	{ FIELD(table_offset), LA_PROBE_PAGE, FIELD(table_offset),
	  "holdings begin at 4096" },
	{ FIELD(table_offset), 4097, FIELD(table_offset),
	  "holdings begin at 4097" },
	{ FIELD(table_slots), UINT64_MAX / 40, FIELD(table_offset),
	  "holdings reach beyond its end" },
	{ FIELD(chunk_offset[0]), 0, FIELD(chunk_offset[0]),
	  "records of the driver begin at 0" },
	{ FIELD(chunk_count[1]), 1u << 31, FIELD(chunk_offset[1]),
	  "records of the allocator reach beyond its end" },
	{ FIELD(chunk_count[0]), UINT64_MAX >> 16, FIELD(chunk_offset[0]),
	  "records of the driver reach beyond its end" },
};

START_TEST(test_parts_that_overlap_or_end_late_are_refused)
{
	char text[128];

	data = probe_file_bytes(&file, &size);
	memcpy(data + wrong[_i].field, &wrong[_i].value, 8);
	snprintf(text, sizeof(text), "damaged file of the probe: %s",
		 wrong[_i].problem);
	refuse(-EBADMSG, wrong[_i].at, text);
}
END_TEST

START_TEST(test_texts_are_cut_and_cleaned)
{
	const struct la_probe_header *got;

	memset(file.header.host, 'h', sizeof(file.header.host));
	memcpy(file.header.exe, "/a\x1b[2J\xc2\x9b" "b\xff" "cdef", 14);
	memset(file.header.run, 'r', sizeof(file.header.run));
	memcpy(file.header.run + sizeof(file.header.run) - 3, "\xe2\x82\xac",
	       3);
	memcpy(file.header.note, "one\ntwo\r", 8);
	memset(file.device->name, 'g', sizeof(file.device->name));
	read_file();
	got = la_probe_header(probe);
	ck_assert_uint_eq(strlen(got->host), sizeof(got->host) - 1);
	ck_assert_str_eq(got->exe, "/a [2J  b?cdef");
	ck_assert_uint_eq(strlen(got->run), sizeof(got->run) - 3);
	ck_assert_str_eq(got->note, "one\ntwo ");
	ck_assert_uint_eq(strlen(la_probe_device(probe, 0)->name), 63);
}
END_TEST

static struct la_probe_record *record_of(int level, size_t i)
{
	struct la_probe_chunk *chunk =
		(void *)(data + header()->chunk_offset[level]);

	return &chunk[i / LA_PROBE_CHUNK_RECORDS]
			.record[i % LA_PROBE_CHUNK_RECORDS];
}

static void add_record(enum la_probe_level level, enum la_probe_op op,
		       uint64_t addr, uint64_t time, uint32_t thread)
{
	const struct la_probe_record record = {
		.addr = addr,
		.size = 512,
		.time = time,
		.thread = thread,
		.op = (uint16_t)op,
	};

	probe_file_record(&file, level, &record);
}

/* The addresses of all records, in order. */
static void expect_order(const uint64_t *addr, size_t count)
{
	const struct la_probe_record *record;
	size_t got, i;

	record = la_probe_records(probe, &got);
	ck_assert_uint_eq(got, count);
	for (i = 0; i < count; i++)
		ck_assert_uint_eq(record[i].addr, addr[i]);
}

/* By time over all threads and levels; of one moment the driver's first. */
START_TEST(test_records_are_in_order_of_time)
{
	static const uint64_t order[] = { 1, 2, 3, 4, 5, 6 };

	add_record(LA_PROBE_ALLOCATOR, LA_PROBE_OP_BLOCK_ALLOC, 3, 50, 7);
	add_record(LA_PROBE_ALLOCATOR, LA_PROBE_OP_BLOCK_ALLOC, 6, 90, 7);
	add_record(LA_PROBE_DRIVER, LA_PROBE_OP_ALLOC, 2, 50, 9);
	add_record(LA_PROBE_DRIVER, LA_PROBE_OP_ALLOC, 1, 40, 8);
	add_record(LA_PROBE_DRIVER, LA_PROBE_OP_ALLOC, 4, 60, 8);
	add_record(LA_PROBE_DRIVER, LA_PROBE_OP_FREE, 5, 60, 8);
	read_file();
	expect_order(order, 6);
	ck_assert_uint_eq(la_probe_losses(probe)->torn, 0);
	ck_assert_uint_eq(la_probe_losses(probe)->damaged, 0);
}
END_TEST

START_TEST(test_records_that_are_not_whole_are_left_out)
{
	static const uint64_t order[] = { 1, 3, 6 };
	uint64_t i;

	for (i = 1; i <= 8; i++)
		add_record(LA_PROBE_DRIVER, LA_PROBE_OP_ALLOC, i, i, 7);
	data = probe_file_bytes(&file, &size);
	memset(record_of(LA_PROBE_DRIVER, 1), 0, 64); /* never begun */
	record_of(LA_PROBE_DRIVER, 3)->sequence = 0; /* not ended */
	record_of(LA_PROBE_DRIVER, 4)->op = LA_PROBE_OP_COUNT;
	record_of(LA_PROBE_DRIVER, 6)->sequence = 3; /* another's place */
	record_of(LA_PROBE_DRIVER, 7)->device = 32;
	read_file();
	expect_order(order, 3);
	ck_assert_uint_eq(la_probe_losses(probe)->torn, 2);
	ck_assert_uint_eq(la_probe_losses(probe)->damaged, 3);
}
END_TEST

/* Three chunks for five: two are of an earlier use, and what is left of it in
 * the last one, which is not full, counts for nothing. */
START_TEST(test_ring_that_wrapped_keeps_the_newest)
{
	const uint64_t all = 4 * LA_PROBE_CHUNK_RECORDS + 10;
	const struct la_probe_record *record;
	size_t count;
	uint64_t i;

	file.chunks[LA_PROBE_ALLOCATOR] = 3;
	for (i = 1; i <= all; i++)
		add_record(LA_PROBE_ALLOCATOR, LA_PROBE_OP_BLOCK_ALLOC, i, i,
			   7);
	read_file();
	record = la_probe_records(probe, &count);
	ck_assert_uint_eq(count, 2 * LA_PROBE_CHUNK_RECORDS + 10);
	ck_assert_uint_eq(record[0].addr, 2 * LA_PROBE_CHUNK_RECORDS + 1);
	ck_assert_uint_eq(record[count - 1].addr, all);
	ck_assert_uint_eq(la_probe_losses(probe)->overwritten,
			  2 * LA_PROBE_CHUNK_RECORDS);
	ck_assert_uint_eq(la_probe_losses(probe)->torn, 0);
	ck_assert_uint_eq(la_probe_losses(probe)->damaged, 0);
}
END_TEST

/* Another thread's records up to the fourth one are gone: what came before it
 * would be a history with holes. */
START_TEST(test_history_has_no_holes)
{
	const struct la_probe_record *record;
	size_t count;
	uint64_t i;

	for (i = 1; i <= 9; i++)
		add_record(LA_PROBE_ALLOCATOR, LA_PROBE_OP_BLOCK_ALLOC, i, i,
			   7);
	file.header.lost_until[LA_PROBE_ALLOCATOR] =
		file.record[LA_PROBE_ALLOCATOR][3].time;
	read_file();
	record = la_probe_records(probe, &count);
	ck_assert_uint_eq(count, 5);
	ck_assert_uint_eq(record[0].addr, 5);
	ck_assert_uint_eq(la_probe_losses(probe)->overwritten, 4);
}
END_TEST

/* A call that failed may ask for anything; one that went well may not. */
START_TEST(test_sizes_of_failed_calls_are_kept)
{
	struct la_probe_record record = {
		.size = UINT64_MAX,
		.op = LA_PROBE_OP_ALLOC,
		.result = 2,
	};
	size_t count;

	probe_file_record(&file, LA_PROBE_DRIVER, &record);
	record.result = 0;
	probe_file_record(&file, LA_PROBE_DRIVER, &record);
	read_file();
	ck_assert_uint_eq(la_probe_records(probe, &count)->size, UINT64_MAX);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(la_probe_losses(probe)->damaged, 1);
}
END_TEST

static void hold(uint64_t addr, uint64_t bytes, uint64_t time, uint8_t kind)
{
	const struct la_probe_holding holding = {
		.addr = addr,
		.size = bytes,
		.time = time,
		.kind = kind,
	};

	probe_file_hold(&file, &holding);
}

START_TEST(test_holdings_are_sorted_and_each_is_once)
{
	const struct la_probe_holding *holding;
	size_t count;

	hold(64, 10, 5, LA_PROBE_KIND_BLOCK);
	hold(64, 20, 1, LA_PROBE_KIND_DEVICE);
	hold(32, 30, 1, LA_PROBE_KIND_DEVICE);
	hold(64, 10, 5, LA_PROBE_KIND_BLOCK); /* moved when it died */
	hold(64, 40, 2, LA_PROBE_KIND_DEVICE); /* replaced */
	hold(96, 0, 1, LA_PROBE_KIND_DEVICE);
	hold(96, 0, 1, LA_PROBE_KIND_ARRAY); /* sparse */
	hold(96, 0, 1, LA_PROBE_KIND_FOREIGN); /* not mapped yet */
	hold(96, 1, 1, LA_PROBE_KIND_COUNT);
	hold(UINT64_MAX, 2, 1, LA_PROBE_KIND_HOST);
	read_file();
	holding = la_probe_holdings(probe, &count);
	ck_assert_uint_eq(count, 5);
	ck_assert_uint_eq(holding[0].size, 30);
	ck_assert_uint_eq(holding[1].size, 40);
	ck_assert_uint_eq(holding[2].kind, LA_PROBE_KIND_ARRAY);
	ck_assert_uint_eq(holding[3].kind, LA_PROBE_KIND_FOREIGN);
	ck_assert_uint_eq(holding[4].size, 10);
	ck_assert_uint_eq(la_probe_losses(probe)->torn, 1);
	ck_assert_uint_eq(la_probe_losses(probe)->damaged, 2);
}
END_TEST

START_TEST(test_episodes_are_in_order_of_time)
{
	const struct la_probe_oom *oom;
	size_t count;

	probe_file_oom(&file)->state = LA_PROBE_OOM_ASKED;
	probe_file_oom(&file)->state = LA_PROBE_OOM_RETRIED;
	probe_file_oom(&file)->state = 99;
	probe_file_oom(&file)->state = LA_PROBE_OOM_OPEN;
	file.oom[3].device = 32;
	file.oom[0].time = UINT64_MAX;
	read_file();
	oom = la_probe_ooms(probe, &count);
	ck_assert_uint_eq(count, 2);
	ck_assert(!la_probe_oom_failed(&oom[0]));
	ck_assert(la_probe_oom_failed(&oom[1]));
	ck_assert_uint_eq(la_probe_losses(probe)->damaged, 2);
}
END_TEST

START_TEST(test_file_cut_anywhere_gives_what_is_left)
{
	size_t whole, cut, count, last = 0;

	add_record(LA_PROBE_DRIVER, LA_PROBE_OP_ALLOC, 1, 1, 7);
	add_record(LA_PROBE_ALLOCATOR, LA_PROBE_OP_BLOCK_ALLOC, 2, 2, 7);
	hold(64, 10, 5, LA_PROBE_KIND_BLOCK);
	data = probe_file_bytes(&file, &whole);
	for (cut = 0; cut <= whole; cut += 97) {
		uint8_t *part = malloc(cut + 1);

		memcpy(part, data, cut);
		if (cut < LA_PROBE_PAGE) {
			ck_assert_int_eq(la_probe_read(&probe, part, cut, &err),
					 -EBADMSG);
			free(part);
			continue;
		}
		ck_assert_int_eq(la_probe_read(&probe, part, cut, &err), 0);
		la_probe_records(probe, &count);
		ck_assert_uint_ge(count, last);
		last = count;
		ck_assert(la_probe_losses(probe)->damaged > 0 || cut == whole);
		la_probe_free(probe);
		probe = NULL;
		free(part);
	}
	ck_assert_uint_eq(last, 2);
}
END_TEST

static const char *temporary(char path[32])
{
	int fd;

	strcpy(path, "/tmp/test-probe-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	close(fd);
	return path;
}

START_TEST(test_file_is_opened_plain_and_packed)
{
	char path[32], command[192];
	size_t count;

	add_record(LA_PROBE_DRIVER, LA_PROBE_OP_ALLOC, 1, 1, 7);
	data = probe_file_bytes(&file, &size);
	temporary(path);
	ck_assert_int_eq(la_probe_open(&probe, path, &err), 0);
	la_probe_records(probe, &count);
	ck_assert_uint_eq(count, 1);
	la_probe_free(probe);
	probe = NULL;
	snprintf(command, sizeof(command), "gzip -c %s >%s.gz && mv %s.gz %s",
		 path, path, path, path);
	ck_assert_int_eq(system(command), 0);
#ifdef HAVE_ZLIB
	ck_assert_int_eq(la_probe_open(&probe, path, &err), 0);
	la_probe_records(probe, &count);
	ck_assert_uint_eq(count, 1);
#else
	ck_assert_int_eq(la_probe_open(&probe, path, &err), -ENOTSUP);
#endif
	unlink(path);
	ck_assert_int_eq(la_probe_open(&probe, path, &err), -ENOENT);
}
END_TEST

/* Field 22 of the test's own stat, and the boot. */
static void be_this_process(void)
{
	FILE *stat = fopen("/proc/self/stat", "r");
	FILE *boot = fopen("/proc/sys/kernel/random/boot_id", "r");
	unsigned long long start;

	ck_assert(stat && boot);
	ck_assert_int_eq(fscanf(stat,
				"%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u "
				"%*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
				"%llu", &start), 1);
	ck_assert_int_eq(fscanf(boot, "%39s", file.header.boot_id), 1);
	fclose(stat);
	fclose(boot);
	file.header.pid = (uint32_t)getpid();
	file.header.start_time = start;
}

START_TEST(test_process_is_running_until_it_ended)
{
	if (access("/proc/self/stat", R_OK) < 0)
		return;
	be_this_process();
	switch (_i) {
	case 1:
		file.header.start_time++;
		break;
	case 2:
		file.header.boot_id[0] ^= 1;
		break;
	case 3:
		file.header.ended = 1;
		break;
	case 4:
		file.header.pid = 0;
		break;
	}
	read_file();
	ck_assert_int_eq(la_probe_is_running(probe), _i == 0);
}
END_TEST

/* Recordings. */

static struct la_recording *original, *recording;

static void open_original(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "tests/data/%s.pickle.xz", name);
	ck_assert_msg(la_recording_open(&original, path, NULL, &err) == 0,
		      "%s: %s", path, err.text);
}

/* What the probe would have seen of it. */
static void play(unsigned int device, const struct la_program *program)
{
	probe_file_play(&file, original, device, program);
	data = probe_file_bytes(&file, &size);
	ck_assert_msg(la_recording_read(&recording, data, size, NULL, &err) ==
			      0,
		      "%s", err.text);
	ck_assert(la_recording_is_probe(recording));
	ck_assert(!la_recording_is_probe(original));
}

static void close_recordings(void)
{
	la_recording_free(original);
	la_recording_free(recording);
	original = recording = NULL;
}

/* A request that was rounded, and perhaps not worth a split; large blocks are
 * not split at all under max_split_size_mb, and what is just as large as that
 * is taken for a smaller request. */
static bool is_rounded(const struct la_event *asked, const struct la_event *got,
		       const struct la_setting_values *setting)
{
	uint64_t least = model_round(setting, asked->size);

	if (got->size >= setting->max_split_size)
		return got->size >= least && got->size - least <= 22 * MIB;
	if (got->size + 512 == setting->max_split_size)
		return least <= setting->max_split_size;
	return got->size >= least && got->size - least <= MIB;
}

static bool is_same(const struct la_event *one, const struct la_event *other,
		    const struct la_setting_values *setting)
{
	if (one->action != other->action || one->addr != other->addr)
		return false;
	if (one->action == LA_ALLOC || one->action == LA_FREE_REQUESTED ||
	    one->action == LA_FREE_COMPLETED)
		return is_rounded(one, other, setting);
	return one->size == other->size;
}

static void compare_events(const struct la_recorded_device *one,
			   const struct la_recorded_device *other)
{
	struct la_setting *setting;
	const char *text = one->setting ? one->setting : "";
	size_t i;

	ck_assert_int_eq(la_setting_parse(&setting, text, strlen(text),
					  LA_SET_AT_INIT, NULL), 0);
	ck_assert_uint_eq(one->event_count, other->event_count);
	for (i = 0; i < one->event_count; i++)
		ck_assert_msg(is_same(&one->events[i], &other->events[i],
				      la_setting_values(setting)),
			      "event %zu", i);
	la_setting_free(setting);
}

static void compare_states(const struct la_recorded_device *one,
			   const struct la_recorded_device *other)
{
	size_t i;

	ck_assert_uint_eq(one->segment_count, other->segment_count);
	ck_assert_uint_eq(one->block_count, other->block_count);
	for (i = 0; i < one->segment_count; i++) {
		const struct la_recorded_segment *x = &one->segments[i];
		const struct la_recorded_segment *y = &other->segments[i];

		ck_assert_uint_eq(x->addr, y->addr);
		ck_assert_uint_eq(x->size, y->size);
		ck_assert_int_eq(x->small, y->small);
		ck_assert_int_eq(x->expandable, y->expandable);
		ck_assert_uint_eq(x->block_count, y->block_count);
	}
	for (i = 0; i < one->block_count; i++) {
		ck_assert_uint_eq(one->blocks[i].size, other->blocks[i].size);
		ck_assert_int_eq(one->blocks[i].state, other->blocks[i].state);
	}
}

/* The highest number of a stream. */
static uint32_t most_stream(const struct la_recorded_device *device)
{
	uint32_t most = 0;
	size_t i;

	for (i = 0; i < device->event_count; i++)
		if (most < device->events[i].stream)
			most = device->events[i].stream;
	return most;
}

/* What both tell of the program: 0 for the original's cap. */
static void compare_programs(unsigned int device)
{
	struct la_verification was, is;
	struct la_program *program;

	ck_assert_int_eq(la_program_new(&program, original, device, NULL, NULL),
			 0);
	ck_assert_int_eq(la_program_verify(program, &was, NULL), 0);
	la_program_free(program);
	ck_assert_int_eq(la_program_new(&program, recording, device, NULL,
					NULL), 0);
	ck_assert_int_eq(la_program_verify(program, &is, NULL), 0);
	la_program_free(program);
	ck_assert(is.exact);
	ck_assert_uint_eq(is.placements, was.placements);
	ck_assert_uint_eq(is.placements_right, was.placements);
	ck_assert_uint_eq(is.segment_events_right, was.segment_events);
	ck_assert_uint_eq(is.ooms_right, was.ooms);
	ck_assert_uint_eq(is.reserved_peak_replayed,
			  was.reserved_peak_recorded);
}

/* Runs on one stream. */
static const struct {
	const char *name;
	unsigned int device;
} one_stream[] = {
	{ "big_random.11.base", 0 },	{ "big_random.cap", 0 },
	{ "big_random.cap_gc_split", 0 }, { "big_random.default", 0 },
	{ "big_random.expandable", 0 }, { "big_random.oom", 0 },
	{ "big_random.roundup4", 0 },	{ "card", 0 },
	{ "gnn.oom", 0 },		{ "oom_capacity", 0 },
	{ "oom_fraction", 0 },		{ "remedy-phases.31.1.2", 0 },
	{ "seed_squares.cap_gc_split", 0 }, { "two", 0 },
	{ "two", 1 },			{ "big_random.split128", 0 },
};

START_TEST(test_recording_tells_what_the_snapshot_tells)
{
	unsigned int device = one_stream[_i].device;

	open_original(one_stream[_i].name);
	play(device, NULL);
	compare_events(la_recording_device(original, device),
		       la_recording_device(recording, device));
	compare_states(la_recording_device(original, device),
		       la_recording_device(recording, device));
	compare_programs(device);
	ck_assert_uint_eq(most_stream(la_recording_device(recording, device)),
			  0);
	close_recordings();
}
END_TEST

/* Streams are not recorded: those that are inferred explain every choice of
 * the allocator. */
START_TEST(test_streams_are_inferred)
{
	static const char *const names[] = { "streams.cap",
					     "streams.cap_gc_split" };
	open_original(names[_i]);
	play(0, NULL);
	compare_programs(0);
	ck_assert_uint_gt(most_stream(la_recording_device(recording, 0)), 0);
	close_recordings();
}
END_TEST

/* Captures tell the pools: each segment's is that of the snapshot. */
START_TEST(test_captures_are_private_pools)
{
	const struct la_recorded_device *one, *other;
	struct la_program *program;
	size_t i;

	open_original("oom_private_pool");
	ck_assert_int_eq(la_program_new(&program, original, 0, NULL, NULL), 0);
	play(0, program);
	la_program_free(program);
	one = la_recording_device(original, 0);
	other = la_recording_device(recording, 0);
	compare_states(one, other);
	for (i = 0; i < one->segment_count; i++)
		ck_assert_int_eq(one->segments[i].pool[0] ||
					 one->segments[i].pool[1],
				 other->segments[i].pool[1] > 0);
	ck_assert(other->has_pool_ids);
	compare_programs(0);
	close_recordings();
}
END_TEST

/* The last chunks alone: what was there before is in the table. */
START_TEST(test_history_that_starts_late_is_replayed)
{
	struct la_verification check;
	struct la_program *program;

	open_original("big_random.default");
	file.chunks[LA_PROBE_ALLOCATOR] = 2;
	file.chunks[LA_PROBE_DRIVER] = 1;
	play(0, NULL);
	compare_states(la_recording_device(original, 0),
		       la_recording_device(recording, 0));
	ck_assert_int_eq(la_program_new(&program, recording, 0, NULL, NULL), 0);
	ck_assert(la_program_info(program)->window);
	ck_assert_int_eq(la_program_verify(program, &check, NULL), 0);
	ck_assert_uint_gt(check.placements, 500);
	ck_assert_uint_eq(check.placements_right, check.placements);
	la_program_free(program);
	close_recordings();
}
END_TEST

static void report(enum la_probe_op op, uint64_t addr, uint64_t bytes)
{
	const struct la_probe_record record = {
		.addr = addr,
		.size = bytes,
		.op = (uint16_t)op,
	};

	probe_file_record(&file, LA_PROBE_ALLOCATOR, &record);
}

static const struct la_recorded_device *read_recording(void)
{
	read_file();
	ck_assert_int_eq(la_probe_recording(&recording, probe, &err), 0);
	return la_recording_device(recording, 0);
}

/* What cuBLAS, NCCL and contexts got is no segment. */
START_TEST(test_memory_of_others_is_no_segment)
{
	const struct la_recorded_device *device;

	probe_file_call(&file, LA_PROBE_OP_ALLOC, 32 * MIB, 2 * MIB);
	report(LA_PROBE_OP_BLOCK_ALLOC, 32 * MIB, 512);
	probe_file_call(&file, LA_PROBE_OP_ALLOC, 64 * MIB, 32 * MIB);
	probe_file_call(&file, LA_PROBE_OP_FREE, 64 * MIB, 32 * MIB);
	hold(32 * MIB, 2 * MIB, 1, LA_PROBE_KIND_DEVICE);
	hold(96 * MIB, 32 * MIB, 1, LA_PROBE_KIND_DEVICE);
	hold(32 * MIB, 512, 1, LA_PROBE_KIND_BLOCK);
	device = read_recording();
	ck_assert_uint_eq(device->event_count, 2);
	ck_assert_int_eq(device->events[0].action, LA_SEGMENT_ALLOC);
	ck_assert_uint_eq(device->segment_count, 1);
	ck_assert(device->segments->small);
	ck_assert_uint_eq(device->block_count, 2);
	close_recordings();
}
END_TEST

/* Segments in which no block ever lay, as the records begin late. */
START_TEST(test_segments_that_were_never_used_make_up_for_the_rest)
{
	const struct la_recorded_device *device;

	hold(32 * MIB, 2 * MIB, 1, LA_PROBE_KIND_DEVICE);
	hold(32 * MIB, 512, 1, LA_PROBE_KIND_BLOCK);
	hold(64 * MIB, 20 * MIB, 1, LA_PROBE_KIND_DEVICE);
	hold(96 * MIB, 700, 1, LA_PROBE_KIND_DEVICE);
	report(LA_PROBE_OP_BLOCK_ALLOC, 32 * MIB, 512);
	file.device->blocks = 1;
	file.device->reserved = (_i ? 23 : 22) * MIB;
	device = read_recording();
	ck_assert_uint_eq(device->segment_count, _i ? 1 : 2);
	ck_assert(device->segments[0].small);
	ck_assert(_i || !device->segments[1].small);
	close_recordings();
}
END_TEST

/* torch asks for access to what is mapped already, for other devices; and a
 * call may unmap several pieces. */
START_TEST(test_pieces_that_are_mapped_together_are_one_event)
{
	const struct la_recorded_device *device;
	const uint64_t at = (uint64_t)1 << 40, piece = 20 * MIB;

	probe_file_call(&file, LA_PROBE_OP_RESERVE, at, GIB);
	probe_file_call(&file, LA_PROBE_OP_MAP, at, piece);
	probe_file_call(&file, LA_PROBE_OP_MAP, at + piece, piece);
	probe_file_call(&file, LA_PROBE_OP_ACCESS, at, 2 * piece);
	report(LA_PROBE_OP_BLOCK_ALLOC, at, 30 * MIB);
	probe_file_call(&file, LA_PROBE_OP_ACCESS, at, 2 * piece);
	probe_file_call(&file, LA_PROBE_OP_MAP, at + 2 * piece, piece);
	report(LA_PROBE_OP_BLOCK_ALLOC, at + 30 * MIB, 30 * MIB);
	report(LA_PROBE_OP_BLOCK_FREE, at + 30 * MIB, 30 * MIB);
	probe_file_call(&file, LA_PROBE_OP_UNMAP, at + 2 * piece, piece);
	device = read_recording();
	ck_assert_uint_eq(device->event_count, 7);
	ck_assert_int_eq(device->events[0].action, LA_SEGMENT_MAP);
	ck_assert_uint_eq(device->events[0].size, 2 * piece);
	ck_assert_uint_eq(device->events[2].addr, at + 2 * piece);
	ck_assert_int_eq(device->events[6].action, LA_SEGMENT_UNMAP);
	ck_assert_uint_eq(device->segment_count, 1);
	ck_assert_uint_eq(device->segments->size, 2 * piece);
	ck_assert(device->segments->expandable && !device->segments->small);
	close_recordings();
}
END_TEST

/* A process that was killed between a record and the table: the record is
 * right, whichever came first. */
START_TEST(test_last_record_is_right_where_the_table_is_not)
{
	const struct la_recorded_device *device;

	probe_file_call(&file, LA_PROBE_OP_ALLOC, 32 * MIB, 2 * MIB);
	report(LA_PROBE_OP_BLOCK_ALLOC, 32 * MIB, 512);
	report(LA_PROBE_OP_BLOCK_ALLOC, 32 * MIB + 512, 512);
	report(LA_PROBE_OP_BLOCK_FREE, 32 * MIB, 512);
	hold(32 * MIB, 2 * MIB, 1, LA_PROBE_KIND_DEVICE);
	hold(32 * MIB, 512, 1, LA_PROBE_KIND_BLOCK);
	device = read_recording();
	ck_assert_uint_eq(device->block_count, 3);
	ck_assert_int_eq(device->blocks[0].state, LA_RECORDED_FREE);
	ck_assert_int_eq(device->blocks[1].state, LA_RECORDED_LIVE);
	close_recordings();
}
END_TEST

START_TEST(test_file_without_the_allocator_has_no_recording)
{
	file.header.view[LA_PROBE_ALLOCATOR].from = 0;
	probe_file_call(&file, LA_PROBE_OP_ALLOC, 32 * MIB, 2 * MIB);
	read_file();
	ck_assert_int_eq(la_probe_recording(&recording, probe, &err), -ENODATA);
	ck_assert_int_eq(la_recording_read(&recording, data, size, NULL, &err),
			 -ENODATA);
}
END_TEST

static void add_reader_tests(Suite *suite)
{
	TCase *tests = tcase_create("reader");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_other_files_are_refused);
	tcase_add_test(tests, test_other_versions_are_refused);
	tcase_add_test(tests, test_file_without_its_first_page_is_refused);
	tcase_add_loop_test(tests,
			    test_parts_that_overlap_or_end_late_are_refused, 0,
			    ARRAY_SIZE(wrong));
	tcase_add_test(tests, test_texts_are_cut_and_cleaned);
	tcase_add_test(tests, test_records_are_in_order_of_time);
	tcase_add_test(tests, test_records_that_are_not_whole_are_left_out);
	tcase_add_test(tests, test_ring_that_wrapped_keeps_the_newest);
	tcase_add_test(tests, test_history_has_no_holes);
	tcase_add_test(tests, test_sizes_of_failed_calls_are_kept);
	tcase_add_test(tests, test_holdings_are_sorted_and_each_is_once);
	tcase_add_test(tests, test_episodes_are_in_order_of_time);
	tcase_add_test(tests, test_file_cut_anywhere_gives_what_is_left);
	tcase_add_test(tests, test_file_is_opened_plain_and_packed);
	tcase_add_loop_test(tests, test_process_is_running_until_it_ended, 0,
			    5);
	suite_add_tcase(suite, tests);
}

static void add_recording_tests(Suite *suite)
{
	TCase *tests = tcase_create("recording");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, test_memory_of_others_is_no_segment);
	tcase_add_loop_test(
		tests, test_segments_that_were_never_used_make_up_for_the_rest,
		0, 2);
	tcase_add_test(tests,
		       test_pieces_that_are_mapped_together_are_one_event);
	tcase_add_test(tests, test_last_record_is_right_where_the_table_is_not);
	tcase_add_test(tests, test_file_without_the_allocator_has_no_recording);
#ifdef HAVE_LZMA
	tcase_add_loop_test(tests,
			    test_recording_tells_what_the_snapshot_tells, 0,
			    ARRAY_SIZE(one_stream));
	tcase_add_loop_test(tests, test_streams_are_inferred, 0, 2);
	tcase_add_test(tests, test_captures_are_private_pools);
	tcase_add_test(tests, test_history_that_starts_late_is_replayed);
#endif
	suite_add_tcase(suite, tests);
}

int main(void)
{
	Suite *suite = suite_create("probe");
	SRunner *runner = srunner_create(suite);
	int failed;

	add_reader_tests(suite);
	add_recording_tests(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
