// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>
#include <liballoc/triage.h>

#include "util/util.h"

#define OOM "torch.OutOfMemoryError: CUDA out of memory. "
#define HINT                                                         \
	" If reserved but unallocated memory is large try setting "  \
	"PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid " \
	"fragmentation.  See documentation for Memory Management  "  \
	"(https://pytorch.org/docs/stable/notes/cuda.html)"
#define MESSAGE                                                              \
	OOM "Tried to allocate 2.00 GiB. GPU 1 has a total capacity of "     \
	    "79.25 GiB of which 1.50 GiB is free. Process 100 has 20.00 "    \
	    "GiB memory in use. Including non-PyTorch memory, this process " \
	    "has 50.00 GiB memory in use. 60.00 GiB allowed; Of the "        \
	    "allocated memory 40.00 GiB is allocated by PyTorch, with "      \
	    "1.00 GiB allocated in private pools (e.g., CUDA Graphs), and "  \
	    "1.25 MiB is reserved by PyTorch but unallocated." HINT

static struct la_log *log_of_test;
static size_t count;

static struct la_facts *read_log(const char *text)
{
	la_log_free(log_of_test);
	ck_assert_int_eq(la_log_new(&log_of_test), 0);
	ck_assert_int_eq(la_log_feed(log_of_test, text, strlen(text)), 0);
	ck_assert_int_eq(la_log_finish(log_of_test), 0);
	return la_log_facts(log_of_test, &count);
}

static void release(void)
{
	la_log_free(log_of_test);
	log_of_test = NULL;
}

/* value / 100 units of 2^shift bytes, give or take half of the last digit */
static void is_about(const struct la_amount *amount, uint64_t hundredths,
		     unsigned int shift)
{
	uint64_t low = ((2 * hundredths - 1) << shift) / 200;
	uint64_t high = ((2 * hundredths + 1) << shift) / 200;

	ck_assert_uint_eq(amount->low, low + 1);
	ck_assert_uint_eq(amount->high, high);
	ck_assert_int_eq(amount->basis, LA_BASIS_PRINTED);
}

START_TEST(test_amounts_keep_their_precision)
{
	struct la_facts *facts = read_log("first\n[rank3]: " MESSAGE "\n");
	const struct la_amount *amount = facts->amount;

	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(facts->form, "F5");
	ck_assert_str_eq(facts->framework, "pytorch");
	ck_assert_str_eq(facts->backend, "cuda");
	ck_assert_int_eq(facts->kind, LA_OOM_CACHING);
	is_about(&amount[LA_AMOUNT_SEGMENT], 200, 30);
	is_about(&amount[LA_AMOUNT_TOTAL], 7925, 30);
	is_about(&amount[LA_AMOUNT_FREE], 150, 30);
	is_about(&amount[LA_AMOUNT_PROCESS], 5000, 30);
	is_about(&amount[LA_AMOUNT_ALLOWED], 6000, 30);
	is_about(&amount[LA_AMOUNT_PRIVATE], 100, 30);
	is_about(&amount[LA_AMOUNT_UNALLOCATED], 125, 20);
	ck_assert_int_eq(amount[LA_AMOUNT_REQUEST].basis, LA_BASIS_NONE);
	ck_assert_uint_eq(amount[LA_AMOUNT_FREE].line, 2);
	ck_assert_uint_eq(facts->line[0], 2);
	ck_assert_int_eq(facts->device, 1);
	ck_assert_int_eq(facts->rank, 3);
	ck_assert_uint_eq(facts->process_count, 1);
	ck_assert_uint_eq(facts->process[0].pid, 100);
	is_about(&facts->process[0].memory, 2000, 30);
	ck_assert(!facts->truncated && !facts->processes_unknown);
	ck_assert_uint_eq(facts->release[0], LA_RELEASE(2, 5));
	ck_assert_uint_eq(facts->release[1], LA_RELEASE(2, 9));
}
END_TEST

/* 40.00 GiB less 1.00 GiB, each give or take 0.005 GiB. */
START_TEST(test_private_pools_are_not_allocated)
{
	struct la_facts *facts = read_log(MESSAGE);
	const struct la_amount *live = &facts->amount[LA_AMOUNT_ALLOCATED];

	ck_assert_uint_ge(live->low, 39 * GIB - GIB / 100);
	ck_assert_uint_le(live->low, 39 * GIB - GIB / 100 + 2);
	ck_assert_uint_le(live->high, 39 * GIB + GIB / 100);
	ck_assert_uint_ge(live->high, 39 * GIB + GIB / 100 - 2);
}
END_TEST

START_TEST(test_cached_of_old_releases_is_what_is_not_in_use)
{
	struct la_facts *facts = read_log(
		"RuntimeError: CUDA out of memory. Tried to allocate 12.00 "
		"MiB (GPU 0; 7.96 GiB total capacity; 5.68 GiB already "
		"allocated; 7.75 MiB free; 36.79 MiB cached)");

	ck_assert_str_eq(facts->form, "F1");
	is_about(&facts->amount[LA_AMOUNT_UNALLOCATED], 3679, 20);
	ck_assert_int_eq(facts->amount[LA_AMOUNT_RESERVED].basis,
			 LA_BASIS_NONE);
	ck_assert_uint_eq(facts->release[1], LA_RELEASE(1, 3));
}
END_TEST

START_TEST(test_two_to_the_64_means_unknown)
{
	struct la_facts *facts =
		read_log(OOM "Tried to allocate 784.00 MiB. GPU 0 has a total "
			     "capacity of 8.00 GiB of which 0 bytes is free. "
			     "Including non-PyTorch memory, this process has "
			     "17179869184.00 GiB memory in use.");

	ck_assert(facts->processes_unknown);
	ck_assert_int_eq(facts->amount[LA_AMOUNT_PROCESS].basis, LA_BASIS_NONE);
	ck_assert_uint_eq(facts->amount[LA_AMOUNT_FREE].high, 0);
	ck_assert_int_eq(facts->amount[LA_AMOUNT_FREE].basis, LA_BASIS_PRINTED);
}
END_TEST

START_TEST(test_repeats_are_counted)
{
	struct la_facts *facts =
		read_log(MESSAGE "\n\n[rank0]: Traceback\n[rank0]: " MESSAGE
				 "\n(worker pid=12) " MESSAGE "\nERROR " OOM
				 "Tried to allocate 2.00 GiB. "
				 "GPU 1 has a total capacity of\n");

	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(facts->count, 4);
	ck_assert_int_eq(facts->rank, 0);
	ck_assert_int_eq(facts->pid, 12);
	ck_assert(!facts->truncated);
}
END_TEST

START_TEST(test_ranks_are_told_apart)
{
	struct la_facts *facts =
		read_log("[rank0]: " MESSAGE "\n[rank7]: " MESSAGE "\n");

	ck_assert_uint_eq(count, 2);
	ck_assert_int_eq(facts[0].rank, 0);
	ck_assert_int_eq(facts[1].rank, 7);
	ck_assert_uint_eq(facts[0].count, 1);
}
END_TEST

/* Put the message into to, wrapped, the lines of three ranks taking turns. */
static void interleave(char *to, size_t size)
{
	const char *word = MESSAGE;
	size_t length = 0, rank;

	while (*word) {
		size_t n = strlen(word) < 60 ? strlen(word) : 60;

		while (word[n] && word[n] != ' ')
			n++;
		for (rank = 0; rank < 3; rank++)
			length += (size_t)snprintf(to + length, size - length,
						   "[rank%zu]: %.*s\n", rank,
						   (int)n, word);
		word += n + (word[n] == ' ');
	}
}

START_TEST(test_interleaved_lines_are_sorted_out)
{
	char text[1 << 13];
	struct la_facts *facts;
	size_t rank;

	interleave(text, sizeof(text));
	facts = read_log(text);
	ck_assert_uint_eq(count, 3);
	for (rank = 0; rank < 3; rank++) {
		ck_assert_int_eq(facts[rank].rank, (int64_t)rank);
		is_about(&facts[rank].amount[LA_AMOUNT_UNALLOCATED], 125, 20);
		ck_assert(!facts[rank].truncated);
	}
}
END_TEST

/* Put the message into to, cut at a width, even in a number or a word. */
static void cut(char *to, size_t size, int width, const char *prefix)
{
	const char *text = MESSAGE;
	size_t length = strlen(text), i;
	size_t at = (size_t)snprintf(to, size, "Traceback:\n");

	for (i = 0; i < length; i += (size_t)width)
		at += (size_t)snprintf(to + at, size - at, "%s%.*s\n", prefix,
				       width, text + i);
}

START_TEST(test_message_that_was_cut_at_a_width_is_read)
{
	char text[1 << 13];
	struct la_facts *facts;
	int i;

	for (i = 0; i < 2; i++) {
		cut(text, sizeof(text), 41 + _i, i ? "[rank1]: " : "");
		facts = read_log(text);
		ck_assert_uint_eq(count, 1);
		ck_assert(!facts->truncated);
		is_about(&facts->amount[LA_AMOUNT_SEGMENT], 200, 30);
		is_about(&facts->amount[LA_AMOUNT_TOTAL], 7925, 30);
		is_about(&facts->amount[LA_AMOUNT_FREE], 150, 30);
		is_about(&facts->amount[LA_AMOUNT_ALLOWED], 6000, 30);
		is_about(&facts->amount[LA_AMOUNT_UNALLOCATED], 125, 20);
		is_about(&facts->process[0].memory, 2000, 30);
	}
}
END_TEST

START_TEST(test_warning_completes_the_message_behind_it)
{
	struct la_facts *facts = read_log(
		"memory allocation failed with OOM on device 1 while trying to "
		"allocate 2147483648 bytes (free: 7, total: 85094039552).\n" MESSAGE
		"\n");
	const struct la_amount *amount = facts->amount;

	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(amount[LA_AMOUNT_SEGMENT].low, 2147483648);
	ck_assert_uint_eq(amount[LA_AMOUNT_SEGMENT].high, 2147483648);
	ck_assert_uint_eq(amount[LA_AMOUNT_TOTAL].low, 85094039552);
	is_about(&amount[LA_AMOUNT_FREE], 150, 30);
}
END_TEST

START_TEST(test_warning_alone_is_harmless)
{
	struct la_facts *facts = read_log(
		"memory allocation failed with OOM on device 0 while trying to "
		"allocate 3 bytes (free: 2, total: 4).\n");

	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(facts->kind, LA_OOM_HARMLESS);
}
END_TEST

START_TEST(test_tensorflow_dump_is_read)
{
	struct la_facts *facts = read_log(
		"W bfc_allocator.cc:419] Allocator (GPU_0_bfc) ran out of "
		"memory trying to allocate 1.25GiB (rounded to 1342177280)"
		"requested by op foo\n"
		"I bfc_allocator.cc:1] InUse at 7f of size 1 next 2\n"
		"I bfc_allocator.cc:2] Sum Total of in-use chunks: 13.89GiB\n"
		"I bfc_allocator.cc:3] Stats: \n"
		"Limit:                 15545312871\n"
		"InUse:                 14912008192\n"
		"MaxInUse:              14912565504\n"
		"LargestFreeBlock:             4096\n\n"
		"W op_kernel.cc:1] OP_REQUIRES failed at x.cc:5 : Resource "
		"exhausted: OOM when allocating tensor with shape[5,6]\n");
	const struct la_amount *amount = facts->amount;

	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(facts->count, 1);
	ck_assert_str_eq(facts->form, "tf-bfc");
	ck_assert_uint_eq(amount[LA_AMOUNT_SEGMENT].low, 1342177280);
	ck_assert_uint_eq(amount[LA_AMOUNT_ALLOWED].low, 15545312871);
	ck_assert_uint_eq(amount[LA_AMOUNT_ALLOCATED].high, 14912008192);
	ck_assert_uint_eq(amount[LA_AMOUNT_LARGEST].high, 4096);
	ck_assert_uint_eq(amount[LA_AMOUNT_LARGEST].line, 8);
}
END_TEST

START_TEST(test_one_kill_is_told_once)
{
	struct la_facts *facts = read_log(
		"[1.2] python invoked oom-killer: gfp_mask=0xcc0\n"
		"kernel: oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),"
		"task=python,pid=4321,uid=1000\n"
		"kernel: Memory cgroup out of memory: Killed process 4321 "
		"(python) total-vm:123456kB\n");

	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(facts->count, 1);
	ck_assert_int_eq(facts->pid, 4321);
	ck_assert_int_eq(facts->kind, LA_OOM_KILLED);
	ck_assert_str_eq(facts->framework, "host");
	ck_assert_ptr_nonnull(strstr(facts->text, "Killed process 4321"));
}
END_TEST

static const char *const prose[] = {
	"If you see CUDA out of memory, use a smaller batch size.",
	"We ran out of memory; `torch.cuda.OutOfMemoryError` is raised then.",
	"    if \"out of memory\" in str(e):",
	"    if 'CUDA error: out of memory' in str(e):",
	"python --oom-score-adj 5",
	"Killed: 0, lost: 3",
	"two tests were killed by the runner",
	"exit code 1370",
	"5 of 10 out of memory tests passed",
	"GPU memory in use: 5 GiB of 10 GiB",
	"OOM",
	"",
};

START_TEST(test_prose_gives_no_facts)
{
	read_log(prose[_i]);
	ck_assert_uint_eq(count, 0);
}
END_TEST

/* As CPython 3.11 and 3.13 print it, and with a call in an outer frame. */
static const struct {
	const char *frames;
	enum la_oom_kind kind;
} calls[] = {
	{ "    b = a.pin_memory()\n", LA_OOM_PINNED },
	{ "    b = a.pin_memory()\n        ~~~~~~~~~~~~^^\n", LA_OOM_PINNED },
	{ "    b = a.pin_memory()\n  File \"b.py\", line 2, in f\n"
	  "    return a.cuda()\n",
	  LA_OOM_CALL },
	{ "    b = a.cuda()\n", LA_OOM_CALL },
	{ "    b = empty(8 << 30, pin_memory=True)\n", LA_OOM_PINNED },
};

/* As torch 2.11 raised them on a full card, and where the host's memory was
 * limited. */
static const struct {
	const char *text;
	const char *form;
	enum la_oom_kind kind;
} failures[] = {
	{ "RuntimeError: cuFFT error: CUFFT_INTERNAL_ERROR\n", "cufft",
	  LA_OOM_LIBRARY },
	{ "RuntimeError: cusolver error: CUSOLVER_STATUS_INTERNAL_ERROR, when "
	  "calling `cusolverDnCreate(handle)`. If you keep seeing this\n",
	  "cusolver", LA_OOM_LIBRARY },
	{ "RuntimeError: unable to mmap 1258291200 bytes from file "
	  "</torch_465_4084567312_0>: Cannot allocate memory (12)\n",
	  "errno-12", LA_OOM_HOST },
};

START_TEST(test_failures_of_libraries_and_the_host)
{
	struct la_facts *facts = read_log(failures[_i].text);

	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(facts->form, failures[_i].form);
	ck_assert_int_eq(facts->kind, failures[_i].kind);
}
END_TEST

START_TEST(test_call_that_pins_is_told_by_its_frame)
{
	struct la_facts *facts;
	char log[512];

	snprintf(log, sizeof(log),
		 "Traceback (most recent call last):\n"
		 "  File \"a.py\", line 1, in <module>\n%s"
		 "RuntimeError: CUDA error: out of memory\n",
		 calls[_i].frames);
	facts = read_log(log);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(facts->kind, calls[_i].kind);
}
END_TEST

START_TEST(test_lines_are_counted)
{
	read_log("a\nb\rc\r\nd");
	ck_assert_uint_eq(la_log_lines(log_of_test), 3);
	read_log("a\n");
	ck_assert_uint_eq(la_log_lines(log_of_test), 1);
	read_log("");
	ck_assert_uint_eq(la_log_lines(log_of_test), 0);
}
END_TEST

START_TEST(test_too_many_messages_are_counted_as_lost)
{
	char line[256];
	size_t i;

	ck_assert_int_eq(la_log_new(&log_of_test), 0);
	for (i = 0; i < LA_LOG_MAX + 5; i++) {
		int n = snprintf(line, sizeof(line),
				 OOM "Tried to allocate %zu.00 MiB. GPU 0 has "
				     "a total capacity of 79.25 GiB\n",
				 i + 2);

		ck_assert_int_eq(la_log_feed(log_of_test, line, (size_t)n), 0);
	}
	ck_assert_int_eq(la_log_finish(log_of_test), 0);
	la_log_facts(log_of_test, &count);
	ck_assert_uint_eq(count, LA_LOG_MAX);
	ck_assert_uint_eq(la_log_lost(log_of_test), 5);
}
END_TEST

/* A line without an end is read in pieces, so that memory stays bounded. */
START_TEST(test_message_in_a_long_line_is_found)
{
	static char line[1 << 20];
	struct la_facts *facts;

	memset(line, ' ', sizeof(line) - 1);
	memcpy(line + 700000, MESSAGE, strlen(MESSAGE));
	facts = read_log(line);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(facts->line[0], 1);
	is_about(&facts->amount[LA_AMOUNT_UNALLOCATED], 125, 20);
}
END_TEST

static void add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, NULL, release);
	tcase_add_test(tc, test_amounts_keep_their_precision);
	tcase_add_test(tc, test_private_pools_are_not_allocated);
	tcase_add_test(tc, test_cached_of_old_releases_is_what_is_not_in_use);
	tcase_add_test(tc, test_two_to_the_64_means_unknown);
	tcase_add_test(tc, test_repeats_are_counted);
	tcase_add_test(tc, test_ranks_are_told_apart);
	tcase_add_test(tc, test_interleaved_lines_are_sorted_out);
	tcase_add_loop_test(tc, test_message_that_was_cut_at_a_width_is_read,
			    0, 120);
	tcase_add_test(tc, test_warning_completes_the_message_behind_it);
	tcase_add_test(tc, test_warning_alone_is_harmless);
	tcase_add_test(tc, test_tensorflow_dump_is_read);
	tcase_add_test(tc, test_one_kill_is_told_once);
	tcase_add_loop_test(tc, test_prose_gives_no_facts, 0,
			    ARRAY_SIZE(prose));
	tcase_add_loop_test(tc, test_call_that_pins_is_told_by_its_frame, 0,
			    ARRAY_SIZE(calls));
	tcase_add_loop_test(tc, test_failures_of_libraries_and_the_host, 0,
			    ARRAY_SIZE(failures));
	tcase_add_test(tc, test_lines_are_counted);
	tcase_add_test(tc, test_too_many_messages_are_counted_as_lost);
	tcase_add_test(tc, test_message_in_a_long_line_is_found);
}

int main(void)
{
	Suite *suite = suite_create("log");
	TCase *tc = tcase_create("log");
	SRunner *runner;
	int failed;

	add_tests(tc);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
