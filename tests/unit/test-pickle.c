// SPDX-License-Identifier: Apache-2.0
/* Pickles of every form, with the content of tests/data/make-pickles.py. */
#include <check.h>
#include <endian.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/trace.h>

#define ADDR_A 0x7f0000000000u
#define ADDR_B 0x7f0040000000u
#define ADDR_C 0xffff800000000000u
#define SIDE_STREAM 0x5555aaaa0010u
#define START_US 1795960675402702u

struct expected_event {
	enum la_action action;
	uint64_t addr, size, stream, after_us, pool[2];
	const char *stack; /* NULL: no frames, not even an empty list */
};

/* Stacks as text: function, file and line of each frame. */
#define BOTH "f x.py 3, g x.py 4, "
#define ONE "f x.py 3, "

static const struct expected_event device_0[] = {
	{ LA_SEGMENT_ALLOC, ADDR_A, 2097152, 0, 0, { 0 }, BOTH },
	{ LA_ALLOC, ADDR_A, 17, 0, 1, { 0 }, BOTH },
	{ LA_FREE_REQUESTED, ADDR_A, 17, 0, 3, { 0, 1 }, ONE },
	{ LA_FREE_COMPLETED, ADDR_A, 17, 0, 3, { 0, 1 }, "" },
	{ LA_OOM, 4096, 1ul << 40, SIDE_STREAM, 4, { 7, 1ul << 40 }, BOTH },
	{ LA_SNAPSHOT, 0, 3584, 0, 5, { 0 }, NULL },
	/* in shared.pickle only */
	{ LA_ALLOC, ADDR_A, 17, 0, 1, { 0 }, BOTH },
};

static const struct expected_event device_1[] = {
	{ LA_SEGMENT_MAP, ADDR_C, 2097152, 0, 0, { 0 }, BOTH },
	{ LA_SEGMENT_UNMAP, ADDR_C, 2097152, 0, 300, { 0 }, BOTH },
	{ LA_SEGMENT_FREE, ADDR_C, 2097152, 0, 301, { 7, 1ul << 40 }, NULL },
};

static const struct la_recorded_block blocks_0[] = {
	{ .size = 512, .requested = 17, .state = LA_RECORDED_LIVE },
	{ .size = 1024, .requested = 1000, .state = LA_RECORDED_FREE },
	{ .size = 2095616, .requested = 99, .state = LA_RECORDED_LIVE },
	{ .size = 2097152,
	  .requested = 2000000,
	  .state = LA_RECORDED_PENDING },
};

static const char *const block_stacks_0[] = { BOTH, "", ONE, BOTH };

enum form { MODERN, LEGACY, SEGMENTS };

static void check_pool(const struct la_recording *recording,
		       const struct la_event *event,
		       const uint64_t expected[2], enum form form)
{
	uint64_t id[2];

	la_recording_pool(recording, event->pool, id);
	ck_assert_uint_eq(id[0], form == MODERN ? expected[0] : 0);
	ck_assert_uint_eq(id[1], form == MODERN ? expected[1] : 0);
	ck_assert_int_eq(!event->pool, !id[0] && !id[1]);
}

static void check_stack(const struct la_recording *recording, uint32_t stack,
			const char *expected)
{
	const struct la_frame *frame;
	const uint32_t *frames;
	char text[256] = "";
	size_t count, i;

	ck_assert_uint_lt(stack, la_recording_stack_count(recording));
	ck_assert_int_eq(!stack, !expected);
	count = la_recording_stack(recording, stack, &frames);
	for (i = 0; i < count; i++) {
		ck_assert_uint_lt(frames[i],
				  la_recording_frame_count(recording));
		frame = la_recording_frame(recording, frames[i]);
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%s %s %u, ", frame->function, frame->file,
			 (unsigned int)frame->line);
	}
	ck_assert_str_eq(text, expected ? expected : "");
}

static void check_events(const struct la_recording *recording,
			 unsigned int number,
			 const struct expected_event *expected, size_t count,
			 enum form form)
{
	const struct la_recorded_device *device =
		la_recording_device(recording, number);
	size_t i;

	ck_assert_uint_eq(device->event_count, count);
	ck_assert_int_eq(device->has_pool_ids, form == MODERN && count);
	for (i = 0; i < count; i++) {
		const struct la_event *event = &device->events[i];

		ck_assert_uint_eq(event->action, expected[i].action);
		ck_assert_uint_eq(event->addr, expected[i].addr);
		ck_assert_uint_eq(event->size, expected[i].size);
		ck_assert_uint_eq(la_recording_stream(recording, event->stream),
				  expected[i].stream);
		ck_assert_uint_eq(event->time_us,
				  form == MODERN ?
					  START_US + expected[i].after_us :
					  0);
		check_pool(recording, event, expected[i].pool, form);
		check_stack(recording, device->event_stacks[i],
			    expected[i].stack);
	}
}

static void check_segments(const struct la_recording *recording,
			   enum form form)
{
	const struct la_recorded_device *device =
		la_recording_device(recording, 0);
	const struct la_recorded_segment *s = device->segments;
	bool modern = form == MODERN;
	size_t i;

	ck_assert_uint_eq(device->segment_count, 2);
	ck_assert_uint_eq(device->block_count, 4);
	for (i = 0; i < 4; i++) {
		ck_assert_uint_eq(device->blocks[i].size, blocks_0[i].size);
		ck_assert_uint_eq(device->blocks[i].state, blocks_0[i].state);
		ck_assert_uint_eq(device->blocks[i].requested,
				  modern ? blocks_0[i].requested : 0);
	}
	for (i = 0; i < 4; i++)
		check_stack(recording, device->blocks[i].stack,
			    modern ? block_stacks_0[i] : NULL);
	check_stack(recording, s[0].stack, modern ? BOTH : NULL);
	check_stack(recording, s[1].stack, modern ? "" : NULL);
	ck_assert(s[0].addr == ADDR_A && s[0].size == 2097152);
	ck_assert(s[0].small && !s[0].expandable && !s[0].pool[1]);
	ck_assert(s[0].first_block == 0 && s[0].block_count == 3);
	ck_assert(s[1].addr == ADDR_B && s[1].size == 2097152);
	ck_assert(!s[1].small && s[1].expandable == modern);
	ck_assert(s[1].pool[0] == 0 && s[1].pool[1] == (modern ? 1 : 0));
	ck_assert(s[1].first_block == 3 && s[1].block_count == 1);
	ck_assert_uint_eq(la_recording_stream(recording, s[1].stream),
			  SIDE_STREAM);
	device = la_recording_device(recording, 1);
	ck_assert_uint_eq(device->segment_count, 1);
	ck_assert_uint_eq(device->segments[0].addr, ADDR_C);
	ck_assert_uint_eq(device->block_count, 1);
}

/* Modern events have pool_id; a list of segments lacks is_expandable. */
static void check_releases(const struct la_recording *recording,
			   enum form form)
{
	unsigned int range[2];

	la_recording_releases(recording, range);
	if (form == MODERN)
		ck_assert_uint_ge(range[0], 2 << 8 | 12);
	if (form == SEGMENTS)
		ck_assert_uint_eq(range[1], 2 << 8);
}

static void check_form(const struct la_recording *recording, enum form form)
{
	const struct la_recorded_device *device =
		la_recording_device(recording, 0);

	ck_assert(!la_recording_is_partial(recording));
	check_releases(recording, form);
	check_segments(recording, form);
	if (form == MODERN)
		ck_assert_str_eq(device->setting, "max_split_size_mb:128");
	else
		ck_assert_ptr_null(device->setting);
	ck_assert_uint_eq(device->cap, UINT64_MAX);
	ck_assert_uint_eq(device->total, 0);
	if (form == SEGMENTS) {
		ck_assert_uint_eq(la_recording_device_count(recording), 2);
		ck_assert_uint_eq(device->event_count, 0);
		return;
	}
	ck_assert_uint_eq(la_recording_device_count(recording), 3);
	ck_assert_uint_eq(device->unknown_count, 1);
	ck_assert_uint_eq(la_recording_main_device(recording), 0);
	ck_assert_uint_eq(la_recording_pool_count(recording),
			  form == MODERN ? 3 : 1);
	ck_assert_uint_eq(la_recording_stack_count(recording), 4);
	ck_assert_uint_eq(la_recording_frame_count(recording), 2);
	check_events(recording, 0, device_0, 6, form);
	check_events(recording, 1, device_1, 3, form);
	check_events(recording, 2, NULL, 0, form);
}

static void check_files(const char *pattern, enum form form, size_t least)
{
	struct la_error err = { .text = "" };
	struct la_recording *recording = NULL;
	glob_t files;
	size_t i;

	ck_assert_int_eq(glob(pattern, 0, NULL, &files), 0);
	ck_assert_uint_ge(files.gl_pathc, least);
	for (i = 0; i < files.gl_pathc; i++) {
		int ret = la_recording_open(&recording, files.gl_pathv[i],
					    NULL, &err);

		ck_assert_msg(ret == 0, "%s: %s", files.gl_pathv[i], err.text);
		check_form(recording, form);
		la_recording_free(recording);
	}
	globfree(&files);
}

START_TEST(test_snapshot_of_any_form_is_read)
{
	check_files("tests/data/pickles/modern-*.pickle", MODERN, 14);
}
END_TEST

START_TEST(test_snapshot_of_torch_2_0_is_read)
{
	check_files("tests/data/pickles/legacy-*.pickle", LEGACY, 14);
}
END_TEST

START_TEST(test_list_of_segments_is_read)
{
	check_files("tests/data/pickles/segments-*.pickle", SEGMENTS, 10);
}
END_TEST

START_TEST(test_shared_event_and_trace_are_copied)
{
	struct la_recording *recording = NULL;

	ck_assert_int_eq(
		la_recording_open(&recording,
				  "tests/data/pickles/shared.pickle", NULL,
				  NULL),
		0);
	check_segments(recording, MODERN);
	check_events(recording, 0, device_0, 7, MODERN);
	check_events(recording, 1, device_1, 3, MODERN);
	check_events(recording, 2, device_1, 3, MODERN);
	la_recording_free(recording);
}
END_TEST

/* Hostile and damaged input: what is said of it. */

struct bad {
	const char *bytes;
	size_t size;
	int code;
	uint64_t offset;
	const char *text;
};

#define BAD(CODE, OFFSET, BYTES, TEXT) \
	{ BYTES, sizeof(BYTES) - 1, CODE, OFFSET, TEXT }
#define P4 "\x80\x04"
#define STR(LEN, TEXT) "\x8c" LEN TEXT
#define TRACES P4 "}" STR("\x0d", "device_traces") "]]("
#define TRACE TRACES "}("
#define ACTION STR("\x06", "action") STR("\x05", "alloc")
#define EVENT ACTION STR("\x04", "addr") "K\x00" STR("\x06", "stream") "K\x00"
#define SIZE STR("\x04", "size")
#define SEGMENT                                                       \
	STR("\x06", "device")                                         \
	"K\x00" STR("\x07", "address") "K\x00" STR("\x06", "stream")  \
	"K\x00" STR("\x0c", "segment_type") STR("\x05", "small")      \
	STR("\x0a", "total_size")
#define BLOCKS STR("\x06", "blocks") "](}("
#define FREE STR("\x05", "state") STR("\x08", "inactive")

#define BIG "\x8a\x08\0\0\0\0\0\0\0\x40" /* 2^62 */
#define CONF                                       \
	P4 "}" STR("\x12", "allocator_settings") "}" \
	STR("\x17", "PYTORCH_CUDA_ALLOC_CONF")

static const struct bad bad[] = {
	BAD(-EBADMSG, 0, "", "the file is empty"),
	BAD(-EBADMSG, 0, "{\"segments\": []}", "not a pickle of protocol 2 or later"),
	BAD(-EBADMSG, 0, "(dp0\n.", "not a pickle of protocol 2 or later"),
	BAD(-EBADMSG, 0, "\x80\x06}.", "pickle protocol above 5"),
	BAD(-EBADMSG, 2, P4 "cos\nsystem\n(S'x'\ntR.",
	    "opcode 0x63 at offset 2 could run code"),
	BAD(-EBADMSG, 8, P4 STR("\x01", "o") STR("\x01", "s") "\x93.",
	    "opcode 0x93 at offset 8 could run code"),
	BAD(-EBADMSG, 3, P4 "}R.", "opcode 0x52 at offset 3 could run code"),
	BAD(-EBADMSG, 3, P4 "}b.", "opcode 0x62 at offset 3 could run code"),
	BAD(-EBADMSG, 2, P4 "ios\nsystem\n.",
	    "opcode 0x69 at offset 2 could run code"),
	BAD(-EBADMSG, 3, P4 "(o.", "opcode 0x6f at offset 3 could run code"),
	BAD(-EBADMSG, 2, P4 "\x81.", "opcode 0x81 at offset 2 could run code"),
	BAD(-EBADMSG, 2, P4 "\x92.", "opcode 0x92 at offset 2 could run code"),
	BAD(-EBADMSG, 2, P4 "\x82\x01.",
	    "opcode 0x82 at offset 2 could run code"),
	BAD(-EBADMSG, 2, P4 "\x83\x01\x01.",
	    "opcode 0x83 at offset 2 could run code"),
	BAD(-EBADMSG, 2, P4 "\x84\x01\x01\x01\x01.",
	    "opcode 0x84 at offset 2 could run code"),
	BAD(-EBADMSG, 2, P4 "Pid\n.", "opcode 0x50 at offset 2 could run code"),
	BAD(-EBADMSG, 3, P4 "}Q.", "opcode 0x51 at offset 3 could run code"),
	BAD(-EBADMSG, 2, P4 "\x96\xff\xff\xff\xff\xff\xff\xff\x7f.",
	    "opcode 0x96 at offset 2 could run code"),
	BAD(-EBADMSG, 2, P4 "\x97.", "opcode 0x97 at offset 2 could run code"),
	BAD(-EBADMSG, 3, P4 "}\x98.",
	    "opcode 0x98 at offset 3 could run code"),
	BAD(-EBADMSG, 3, P4 "}0.", "opcode 0x30 at offset 3 does not occur in snapshots"),
	BAD(-EBADMSG, 2, P4 "\xff.", "opcode 0xff at offset 2 does not occur in snapshots"),
	/* no snapshot */
	BAD(-EBADMSG, 3, P4 "N.", "neither a snapshot nor a list of segments"),
	BAD(-EBADMSG, 4, P4 "K\x05.", "neither a snapshot nor a list of segments"),
	BAD(-EBADMSG, 4, P4 "]].", "end of the pickle amid a value"),
	BAD(-EBADMSG, 4, P4 "}(.", "end of the pickle amid a value"),
	BAD(-EBADMSG, 2, P4 ".", "end of the pickle amid a value"),
	/* claims larger than the input */
	BAD(-EBADMSG, 12, P4 "\x8d\xff\xff\xff\xff\xff\xff\xff\xff" "a",
	    "truncated at offset 12"),
	BAD(-EBADMSG, 8, P4 "X\xff\xff\xff\xff" "a", "truncated at offset 8"),
	BAD(-EBADMSG, 8, P4 "\x8b\xff\xff\xff\x7f\x01",
	    "truncated at offset 8"),
	BAD(-EBADMSG, 2, P4 "\x8b\xff\xff\xff\xff\x01",
	    "integer of negative length"),
	BAD(-EBADMSG, 12, P4 "\x8e\xff\xff\xff\xff\xff\xff\xff\xff" "a",
	    "truncated at offset 12"),
	BAD(-EBADMSG, 3, P4 "]r\xff\xff\xff\xff.", "memo index out of order"),
	/* memo and stack */
	BAD(-EBADMSG, 2, P4 "h\x00.", "memo index that was never set"),
	BAD(-EBADMSG, 2, P4 "j\xff\xff\xff\xff.", "never set"),
	BAD(-EBADMSG, 2, P4 "\x94.", "memo of nothing"),
	BAD(-EBADMSG, 3, P4 "(\x94.", "memo of nothing"),
	BAD(-EBADMSG, 2, P4 "a.", "too few values on the stack"),
	BAD(-EBADMSG, 3, P4 "]a.", "too few values on the stack"),
	BAD(-EBADMSG, 5, P4 "](Na.", "too few values on the stack"),
	BAD(-EBADMSG, 2, P4 "u.", "no mark on the stack at offset 2"),
	BAD(-EBADMSG, 3, P4 "(e.", "mark without a container"),
	BAD(-EBADMSG, 5, P4 "}(Nu.", "key without a value"),
	BAD(-EBADMSG, 4, P4 "](u.", "items for what is not a dict at offset 4"),
	BAD(-EBADMSG, 4, P4 "}(e.", "items for what is not a list at offset 4"),
	BAD(-EBADMSG, 4, P4 "}(\x90.", "items for what is not a set at offset 4"),
	BAD(-EBADMSG, 2, P4 "\x86.", "too few values on the stack"),
	BAD(-EBADMSG, 5, P4 "N(N\x86.", "too few values on the stack"),
	/* cycles */
	BAD(-EBADMSG, 6, P4 "]\x94h\x00" "a.", "container within itself"),
	BAD(-EBADMSG, 9, P4 "}\x94" STR("\x01", "x") "h\x00s.",
	    "container within itself"),
	BAD(-EBADMSG, 11, P4 "}" STR("\x01", "x") "]\x94(h\x00" "e" "s.",
	    "container within itself"),
	BAD(-EBADMSG, 13, P4 "}" STR("\x01", "x") "]\x94]\x94h\x00" "aas.",
	    "container within itself"),
	/* types and ranges */
	BAD(-EBADMSG, 14, P4 "}" STR("\x08", "segments") "Ns.",
	    "'segments' is not a container"),
	BAD(-EBADMSG, 14, P4 "}" STR("\x08", "segments") "}s.",
	    "'segments' has an unexpected container"),
	BAD(-EBADMSG, 6, P4 "](K\x01" "e.", "list of segments has an item that is not a segment"),
	BAD(-EBADMSG, 67, TRACE EVENT SIZE "J\xff\xff\xff\xffueas.",
	    "event: 'size' is negative at offset"),
	BAD(-EBADMSG, 0, TRACE EVENT SIZE "G\x7f\xf8\0\0\0\0\0\0ueas.",
	    "event: 'size' is not an integer at offset"),
	BAD(-EBADMSG, 0, TRACE EVENT SIZE "\x88ueas.",
	    "event: 'size' is not an integer at offset"),
	BAD(-EBADMSG, 0, TRACE EVENT SIZE "Nueas.",
	    "event: 'size' is not an integer at offset"),
	BAD(-EBADMSG, 0, TRACE EVENT SIZE "\x8a\x08\1\0\0\0\0\0\0\x40ueas.",
	    "event: 'size' is out of range at offset"),
	BAD(-EBADMSG, 0,
	    TRACE EVENT SIZE "\x8a\x0a\1\0\0\0\0\0\0\0\0\1ueas.",
	    "event: 'size' is out of range at offset"),
	BAD(-EBADMSG, 0,
	    TRACE EVENT SIZE "K\1" STR("\x04", "addr")
	    "\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0ueas.",
	    "event reaches beyond 64-bit addresses at offset"),
	BAD(-EBADMSG, 0,
	    TRACE EVENT SIZE "K\1" STR("\x04", "addr")
	    "\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\1ueas.",
	    "event: 'addr' is out of range at offset"),
	BAD(-EBADMSG, 0, TRACE ACTION "ueas.", "event without 'size'"),
	BAD(-EBADMSG, 0, TRACE SIZE "K\1ueas.", "event without 'action'"),
	BAD(-EBADMSG, 0, TRACE STR("\x06", "action") "K\1ueas.",
	    "event: 'action' is not a string"),
	BAD(-EBADMSG, 0,
	    TRACE STR("\x06", "action") STR("\x03", "oom") SIZE
	    "K\1" STR("\x06", "stream") "K\0ueas.",
	    "event without 'device_free'"),
	BAD(-EBADMSG, 0, P4 "]}(ua.", "segment without 'device'"),
	BAD(-EBADMSG, 0,
	    P4 "]}(" SEGMENT "K\2" BLOCKS SIZE "K\1" FREE "ueua.",
	    "blocks of 1 bytes in a segment of 2 at offset"),
	BAD(-EBADMSG, 0, P4 "]}(" SEGMENT "K\0" STR("\x06", "blocks") "]ua.",
	    "segment of 0 bytes at offset"),
	BAD(-EBADMSG, 0,
	    P4 "]}(" SEGMENT "K\1" BLOCKS SIZE "K\0" FREE "ueua.",
	    "block of 0 bytes at offset"),
	BAD(-EBADMSG, 0,
	    P4 "]}(" SEGMENT "K\1" BLOCKS SIZE "K\1" FREE
	    STR("\x07", "address") "K\1ueua.",
	    "first block is not at the start of its segment at offset"),
	BAD(-EBADMSG, 0,
	    P4 "]}(" SEGMENT "K\1" BLOCKS SIZE "K\1"
	    STR("\x05", "state") STR("\x04", "dead") "ueua.",
	    "block: 'state' is not a known word at offset"),
	BAD(-EBADMSG, 0,
	    P4 "]}(" SEGMENT "K\1" STR("\x06", "device") "M\0\x40" BLOCKS SIZE
	    "K\1" FREE "ueua.",
	    "segment of device 16384 at offset"),
	BAD(-EBADMSG, 0,
	    P4 "](}(" SEGMENT "K\1" BLOCKS SIZE "K\1" FREE "ueu}(" SEGMENT
	    "K\1" BLOCKS SIZE "K\1" FREE "ueue.",
	    "segment overlaps another at offset"),
	BAD(-EBADMSG, 0,
	    P4 "](}\x94(" SEGMENT "K\1" BLOCKS SIZE "K\1" FREE "ueuh\x00" "e.",
	    "the same segment occurs twice at offset"),
	/* what a snapshot has, elsewhere */
	BAD(-EBADMSG, 4, P4 "]}\x85.",
	    "part of a snapshot in an unexpected place at offset 4"),
	BAD(-EBADMSG, 0,
	    P4 "]}(" STR("\x0f", "segment_pool_id") "]ua.",
	    "segment: 'segment_pool_id' is not a pair of integers at offset"),
	BAD(-EBADMSG, 0, P4 "]}(" STR("\x0d", "is_expandable") "K\1ua.",
	    "segment: 'is_expandable' is not a bool at offset"),
	BAD(-EBADMSG, 0, CONF "K\1ss.",
	    "allocator_settings: 'PYTORCH_CUDA_ALLOC_CONF' is not a string at "
	    "offset"),
	BAD(-EBADMSG, 0, CONF STR("\x03", "a\0b") "ss.",
	    "allocator_settings: 'PYTORCH_CUDA_ALLOC_CONF' has a NUL byte or "
	    "is above 64 KiB at offset"),
	/* numbers that are too large */
	BAD(-EBADMSG, 0, P4 "](" BIG "\x94" "e.",
	    "memo of a number above 56 bits at offset"),
	BAD(-EBADMSG, 0,
	    P4 "]}(" SEGMENT BIG BLOCKS SIZE BIG FREE "u}(" SIZE "K\1" FREE
	    "ueua.",
	    "blocks of more than 2^62 bytes at offset"),
	BAD(-EBADMSG, 0,
	    P4 "]}(" SEGMENT "K\2" STR("\x07", "address")
	    "\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0" BLOCKS SIZE
	    "K\2" FREE "ueua.",
	    "segment reaches beyond 64-bit addresses at offset"),
};

START_TEST(test_bad_pickle_is_refused_clearly)
{
	const struct bad *b = &bad[_i];
	struct la_recording *out = (struct la_recording *)1;
	struct la_error err = { .code = 1, .text = "" };
	/* a block of its own, so that a read past the end is seen */
	char *copy = malloc(b->size ? b->size : 1);
	int ret;

	memcpy(copy, b->bytes, b->size);
	ret = la_recording_read(&out, copy, b->size, NULL, &err);
	free(copy);
	ck_assert_msg(strstr(err.text, b->text), "'%s', not '%s'", err.text,
		      b->text);
	ck_assert_int_eq(ret, b->code);
	ck_assert_int_eq(err.code, b->code);
	if (b->offset > 2)
		ck_assert_uint_eq(err.offset, b->offset);
	ck_assert_ptr_eq(out, (struct la_recording *)1);
}
END_TEST

static void check_repeated(const char *head, const char *unit, size_t size,
			   size_t count, const struct la_recording_options *how,
			   int code, const char *text)
{
	struct la_recording *out = NULL;
	struct la_error err = { .text = "" };
	size_t at = strlen(head), i;
	char *data = malloc(at + size * count);

	memcpy(data, head, at);
	for (i = 0; i < count; i++)
		memcpy(data + at + i * size, unit, size);
	ck_assert_int_eq(la_recording_read(&out, data, at + size * count, how,
					   &err),
			 code);
	ck_assert_msg(strstr(err.text, text), "%s", err.text);
	free(data);
}

START_TEST(test_deep_nesting_is_refused)
{
	check_repeated(P4, "]", 1, 100, NULL, -E2BIG, "nested deeper than 64");
	check_repeated(P4, "](", 2, 100, NULL, -E2BIG, "nested deeper than 64");
	check_repeated(P4, "(", 1, 1000, NULL, -E2BIG, "nested deeper than 64");
	check_repeated(P4, "}K\1", 3, 100, NULL, -EBADMSG, "truncated");
	check_repeated(P4, "}\x8c\1x", 4, 100, NULL, -E2BIG,
		       "nested deeper than 64");
}
END_TEST

START_TEST(test_too_many_devices_are_refused)
{
	check_repeated(P4 "}" STR("\x0d", "device_traces") "]", "]a", 2, 1025,
		       NULL, -E2BIG,
		       "traces of more than 1024 devices at offset");
}
END_TEST

/* Each event has a pool of its own. */
START_TEST(test_too_many_pools_are_refused)
{
	static const char event[] =
		"}(" EVENT SIZE "K\1" STR("\x07", "pool_id") "K\0J....\x86ua";
	static const char head[] = P4 "}" STR("\x0d", "device_traces") "]]";
	enum { COUNT = 65537, LENGTH = sizeof(event) - 1 };
	struct la_recording *out = NULL;
	struct la_error err = { .text = "" };
	size_t at = sizeof(head) - 1;
	char *data = malloc(at + COUNT * LENGTH);
	uint32_t i, number;

	memcpy(data, head, at);
	for (i = 0; i < COUNT; i++, at += LENGTH) {
		memcpy(data + at, event, LENGTH);
		number = htole32(i);
		memcpy(data + at + LENGTH - 7, &number, sizeof(number));
	}
	ck_assert_int_eq(la_recording_read(&out, data, at, NULL, &err), -E2BIG);
	ck_assert_msg(strstr(err.text, "events of more than 65536 pools at "),
		      "%s", err.text);
	free(data);
}
END_TEST

START_TEST(test_memory_limit_holds)
{
	static const char event[] = "}(" EVENT SIZE "K\1u";
	const struct la_recording_options small = { .memory_limit = 1 << 20 };

	check_repeated(P4 "](", "N", 1, 1 << 20, &small, -E2BIG,
		       "too large for the memory limit");
	check_repeated(P4 "]", "\x94", 1, 1 << 20, &small, -E2BIG,
		       "too large for the memory limit");
	check_repeated(TRACES, event, sizeof(event) - 1, 1 << 16, &small,
		       -E2BIG, "too large for the memory limit");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pickle");
	TCase *forms = tcase_create("forms");
	TCase *refused = tcase_create("refused");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(forms, test_snapshot_of_any_form_is_read);
	tcase_add_test(forms, test_snapshot_of_torch_2_0_is_read);
	tcase_add_test(forms, test_list_of_segments_is_read);
	tcase_add_test(forms, test_shared_event_and_trace_are_copied);
	suite_add_tcase(suite, forms);
	tcase_add_loop_test(refused, test_bad_pickle_is_refused_clearly, 0,
			    sizeof(bad) / sizeof(*bad));
	tcase_add_test(refused, test_deep_nesting_is_refused);
	tcase_add_test(refused, test_too_many_devices_are_refused);
	tcase_add_test(refused, test_too_many_pools_are_refused);
	tcase_add_test(refused, test_memory_limit_holds);
	suite_add_tcase(suite, refused);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
