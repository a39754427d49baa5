// SPDX-License-Identifier: Apache-2.0
/*
 * The facts of recordings.  Torch's own message of the same OOM rounds them;
 * what is held at the end, its statistics tell exactly.
 */

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/triage.h>

#include "support/snapshot.h"
#include "support/stage.h"
#include "util/util.h"

static struct la_recording *recording;
static struct la_program *program;
static struct la_facts facts;
static struct snapshot snapshot;

static void setup(void)
{
	recording = NULL;
	program = NULL;
	memset(&facts, 0, sizeof(facts));
	memset(&snapshot, 0, sizeof(snapshot));
}

static void teardown(void)
{
	la_facts_release(&facts);
	la_program_free(program);
	la_recording_free(recording);
	snapshot_release(&snapshot);
}

static void open_recording(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "tests/data/%s.pickle.xz", name);
	ck_assert_int_eq(la_recording_open(&recording, path, NULL, NULL), 0);
}

static int read_facts(bool with_program)
{
	if (with_program)
		ck_assert_int_eq(la_program_new(&program, recording, 0, NULL,
						NULL), 0);
	return la_facts_of_recording(&facts, recording, 0, program, NULL);
}

static uint64_t exactly(enum la_amount_id id)
{
	ck_assert_int_eq(facts.amount[id].basis, LA_BASIS_RECORDED);
	ck_assert_uint_eq(facts.amount[id].low, facts.amount[id].high);
	return facts.amount[id].low;
}

/* The words of torch's message about one OOM. */
struct message {
	const char *name;
	const char *tried, *free, *allowed, *allocated, *private, *unallocated;
};

/* Copied of NAME.json or, without one, of the message beside it. */
static const struct message messages[] = {
	{ "remedy-gnn.12.oom", "1008.00 MiB", "121.00 GiB", "8.40 GiB",
	  "6.31 GiB", NULL, "1.26 GiB" },
	{ "card", "368.00 MiB", "67.56 MiB", NULL, "7.80 GiB", NULL,
	  "1.26 GiB" },
	{ "gnn.oom", "1.12 GiB", "108.97 GiB", "8.03 GiB", "6.89 GiB", NULL,
	  "113.04 MiB" },
	{ "big_random.oom", "714.00 MiB", "109.86 GiB", "7.59 GiB",
	  "5.85 GiB", NULL, "1.57 GiB" },
	{ "oom_capacity", "5.00 GiB", "4.29 GiB", NULL, "135.00 GiB", NULL,
	  "0 bytes" },
	{ "oom_too_large", "500.00 GiB", "139.29 GiB", NULL, "0 bytes", NULL,
	  "0 bytes" },
	{ "oom_fraction", "512.00 MiB", "136.79 GiB", "2.80 GiB", "2.50 GiB",
	  NULL, "0 bytes" },
	{ "oom_private_pool", "600.00 MiB", "132.68 GiB", "6.99 GiB",
	  "6.45 GiB", "2.34 GiB", "2.00 MiB" },
};

/* Do the bounds, both moved up by so much, hold what was printed? */
static void check_printed(const char *text, enum la_amount_id id,
			  uint64_t more)
{
	const struct la_amount *amount = &facts.amount[id];
	double value, unit, slack;
	char name[8];

	if (!text)
		return;
	ck_assert_int_eq(sscanf(text, "%lf %7s", &value, name), 2);
	unit = !strcmp(name, "GiB") ? (double)GIB :
	       !strcmp(name, "MiB") ? (double)MIB :
				      1;
	slack = unit > 1 ? 0.005 * unit + 1 : 0;
	ck_assert_int_ne(amount->basis, LA_BASIS_NONE);
	ck_assert_double_le((double)(amount->low + more),
			    value * unit + slack);
	ck_assert_double_ge((double)(amount->high + more),
			    value * unit - slack);
}

START_TEST(test_as_the_message_says)
{
	const struct message *message = &messages[_i];
	uint64_t private;

	open_recording(message->name);
	ck_assert_int_eq(read_facts(true), 0);
	ck_assert(facts.exact && facts.recorded && !facts.late);
	private = exactly(LA_AMOUNT_PRIVATE);
	check_printed(message->tried, LA_AMOUNT_SEGMENT, 0);
	check_printed(message->free, LA_AMOUNT_FREE, 0);
	check_printed(message->allowed, LA_AMOUNT_ALLOWED, 0);
	/* Torch counts what private pools have free among the allocated. */
	check_printed(message->allocated, LA_AMOUNT_ALLOCATED, private);
	check_printed(message->private, LA_AMOUNT_PRIVATE, 0);
	check_printed(message->unallocated, LA_AMOUNT_UNALLOCATED, 0);
	ck_assert_uint_eq(exactly(LA_AMOUNT_RESERVED),
			  exactly(LA_AMOUNT_ALLOCATED) + private +
				  exactly(LA_AMOUNT_UNALLOCATED));
	if (!message->allowed)
		ck_assert_int_eq(facts.amount[LA_AMOUNT_ALLOWED].basis,
				 LA_BASIS_NONE);
	if (!message->private)
		ck_assert_uint_eq(private, 0);
}
END_TEST

/* Nothing was given back after these OOMs: torch's statistics at the end,
 * copied of the companion files, are those of the failure. */
START_TEST(test_reserved_as_torch_counts)
{
	static const struct {
		const char *name;
		uint64_t reserved;
	} rows[] = {
		{ "remedy-gnn.12.oom", 8122269696 },
		{ "card", 9726590976 },
		{ "gnn.oom", 7518289920 },
		{ "big_random.oom", 7962886144 },
	};

	open_recording(rows[_i].name);
	ck_assert_int_eq(read_facts(true), 0);
	ck_assert_uint_eq(exactly(LA_AMOUNT_RESERVED), rows[_i].reserved);
	ck_assert(!facts.went_on && !facts.survived);
	ck_assert_uint_eq(exactly(LA_AMOUNT_TOTAL), 150109880320);
}
END_TEST

/* What the program asked for does not matter here: of the events alone. */
START_TEST(test_without_a_program)
{
	uint64_t reserved, active;

	open_recording("remedy-gnn.12.oom");
	ck_assert_int_eq(read_facts(false), 0);
	ck_assert(!facts.exact);
	reserved = facts.amount[LA_AMOUNT_RESERVED].low;
	active = facts.amount[LA_AMOUNT_ALLOCATED].low;
	ck_assert_uint_eq(reserved, 8122269696);
	ck_assert_int_eq(facts.amount[LA_AMOUNT_RESERVED].basis,
			 LA_BASIS_DERIVED);
	check_printed("6.31 GiB", LA_AMOUNT_ALLOCATED, 0);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_UNALLOCATED].high,
			  reserved - active);
	check_printed("1008.00 MiB", LA_AMOUNT_SEGMENT, 0);
	ck_assert_uint_eq(exactly(LA_AMOUNT_ALLOWED), 9015593625);
	ck_assert_int_eq(facts.amount[LA_AMOUNT_LARGEST].basis,
			 LA_BASIS_NONE);
}
END_TEST

/* Numbers of torch's statistics, of the companion file. */
START_TEST(test_state_only)
{
	open_recording("windows-gnn.state");
	ck_assert_int_eq(read_facts(true), -ENOENT);
	ck_assert_uint_eq(exactly(LA_AMOUNT_RESERVED), 25799163904);
	ck_assert_uint_eq(exactly(LA_AMOUNT_ALLOCATED), 68157440);
	ck_assert_uint_eq(exactly(LA_AMOUNT_ROUNDING), 0);
	ck_assert_uint_eq(exactly(LA_AMOUNT_PENDING), 0);
	ck_assert_int_eq(facts.amount[LA_AMOUNT_REQUEST].basis,
			 LA_BASIS_NONE);
	ck_assert_uint_eq(facts.holder_count, 3);
	ck_assert(!facts.growth.tested);
}
END_TEST

/* A heap that runs into its cap, by hand: 8 MiB of stream 0 and of stream 7
 * free in segments of 20 MiB, then 40 MiB do not fit into 80. */
static void record_failure(bool go_on)
{
	const struct la_setting_values setting = default_setting();
	struct la_heap_config config = {
		.setting = &setting,
		.cap = 80 * MIB,
		.listener = snapshot_hear,
		.listener_data = &snapshot,
	};
	struct la_heap *heap;
	la_block block, other;
	uint8_t *pickle;
	size_t size;
	int stream;

	ck_assert_int_eq(la_device_sim(&config.device, LA_LAYOUT_RULE,
				       UINT64_MAX, 0), 0);
	ck_assert_int_eq(la_heap_new(&heap, &config, NULL), 0);
	la_heap_stream(heap, 0);
	stream = la_heap_stream(heap, 7);
	la_heap_alloc(heap, 8 * MIB, 0, 0, &block);
	la_heap_alloc(heap, 9 * MIB, 0, 0, &other);
	la_heap_release(heap, block);
	la_heap_alloc(heap, 8 * MIB, stream, 0, &block);
	la_heap_alloc(heap, 9 * MIB, stream, 0, &other);
	la_heap_release(heap, block);
	la_heap_alloc(heap, 1000, 0, 0, &block);
	snapshot.device_free = 123 * MIB;
	ck_assert_int_eq(la_heap_alloc(heap, 90 * MIB, 0, 0, &block), -ENOSPC);
	ck_assert_int_eq(la_heap_alloc(heap, 40 * MIB - 300, 0, 0, &block),
			 -ENOSPC);
	if (go_on)
		la_heap_alloc(heap, MIB, 0, 0, &block);
	snapshot_take(&snapshot, heap);
	pickle = snapshot_pickle(&snapshot, &size);
	ck_assert_int_eq(la_recording_read(&recording, pickle, size, NULL,
					   NULL), 0);
	free(pickle);
	la_heap_free(heap);
	la_device_destroy(config.device);
}

static void check_failure(void)
{
	ck_assert_uint_eq(exactly(LA_AMOUNT_REQUEST), 40 * MIB);
	ck_assert_uint_eq(exactly(LA_AMOUNT_SEGMENT), 40 * MIB);
	ck_assert_uint_eq(exactly(LA_AMOUNT_FREE), 123 * MIB);
	ck_assert_uint_eq(exactly(LA_AMOUNT_RESERVED), 42 * MIB);
	ck_assert_uint_eq(exactly(LA_AMOUNT_ALLOCATED), 18 * MIB + 1024);
	ck_assert_uint_eq(exactly(LA_AMOUNT_LARGEST), 8 * MIB);
	ck_assert_uint_eq(exactly(LA_AMOUNT_OWN_FREE), 11 * MIB);
	ck_assert_uint_eq(exactly(LA_AMOUNT_STREAM_FREE), 11 * MIB);
	ck_assert_uint_eq(exactly(LA_AMOUNT_CLASS_FREE), 2 * MIB - 1024);
	ck_assert_uint_eq(exactly(LA_AMOUNT_ROUNDING), 24);
	ck_assert_uint_eq(exactly(LA_AMOUNT_PAGES_FREE), 0);
}

START_TEST(test_by_hand)
{
	struct la_program_options options = {
		.limit = &(struct la_limit){ LA_LIMIT_CAP, 80 * MIB },
	};

	record_failure(_i == 1);
	ck_assert_int_eq(la_program_new(&program, recording, 0, &options,
					NULL), 0);
	ck_assert_int_eq(read_facts(false), 0);
	ck_assert(facts.exact);
	check_failure();
	ck_assert_int_eq(facts.amount[LA_AMOUNT_ALLOWED].basis,
			 LA_BASIS_GIVEN);
	ck_assert_uint_eq(facts.survived, 1);
	ck_assert(facts.went_on == (_i == 1));
	ck_assert_uint_eq(facts.holder_count, 2);
	ck_assert_uint_eq(facts.holder[0].bytes, 18 * MIB);
	ck_assert_uint_eq(facts.holder[0].count, 2);
	ck_assert_uint_eq(facts.holder[1].size, 1024);
}
END_TEST

/* What the events allow: the lowest cap is what was held before, the highest
 * one that refuses what was refused. */
START_TEST(test_cap_within_bounds)
{
	record_failure(false);
	ck_assert_int_eq(read_facts(true), 0);
	check_failure();
	ck_assert_int_eq(facts.amount[LA_AMOUNT_ALLOWED].basis,
			 LA_BASIS_DERIVED);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_ALLOWED].low, 42 * MIB);
	ck_assert_uint_eq(facts.amount[LA_AMOUNT_ALLOWED].high, 82 * MIB - 1);
}
END_TEST

/* With Python frames a holder is a call site; what cuBLAS takes has none.
 * Together they hold what torch's statistics tell. */
START_TEST(test_holders_by_call_site)
{
	const uint32_t *frames;

	open_recording("windows-gnn.frames");
	ck_assert_int_eq(read_facts(true), -ENOENT);
	ck_assert_uint_eq(facts.holder_count, 2);
	ck_assert_uint_eq(facts.holder[0].count, 2);
	ck_assert_uint_gt(la_recording_stack(recording, facts.holder_stack[0],
					     &frames), 0);
	ck_assert_uint_eq(facts.holder_stack[1], 0);
	ck_assert_uint_eq(facts.holder[0].bytes + facts.holder[1].bytes,
			  68157440);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("triage-recording");
	TCase *tcase = tcase_create("recording");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_as_the_message_says, 0,
			    (int)ARRAY_SIZE(messages));
	tcase_add_loop_test(tcase, test_reserved_as_torch_counts, 0, 4);
	tcase_add_test(tcase, test_without_a_program);
	tcase_add_test(tcase, test_state_only);
	tcase_add_loop_test(tcase, test_by_hand, 0, 2);
	tcase_add_test(tcase, test_cap_within_bounds);
	tcase_add_test(tcase, test_holders_by_call_site);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
