// SPDX-License-Identifier: Apache-2.0
/* Messages of the plug-in: the cause that they name, and that triage reads
 * them as it reads torch's own. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/triage.h>

#include "torch/oom.h"
#include "util/util.h"

#define CARD (80 * GIB)

/* What a case differs in from a full card of 80 GiB. */
static const struct {
	const char *cause;
	struct la_allocator_oom oom;
	uint64_t free;
} cases[] = {
	{ "look for a wrong shape",
	  { .size = 81 * GIB, .cap = UINT64_MAX, .allocated = GIB,
	    .reserved = GIB },
	  78 * GIB },
	{ "larger than what is allowed",
	  { .size = 30 * GIB, .cap = 20 * GIB, .allocated = GIB,
	    .reserved = GIB },
	  78 * GIB },
	{ "other streams may still use it",
	  { .size = 2 * GIB, .cap = UINT64_MAX, .allocated = 70 * GIB,
	    .pending = 3 * GIB, .reserved = 78 * GIB },
	  GIB },
	{ "only their graphs may use",
	  { .size = 2 * GIB, .cap = UINT64_MAX, .allocated = 70 * GIB,
	    .private_free = 3 * GIB, .reserved = 78 * GIB },
	  GIB },
	{ "it may not move",
	  { .size = 2 * GIB, .cap = UINT64_MAX, .allocated = 70 * GIB,
	    .pinned = 3 * GIB, .reserved = 78 * GIB },
	  GIB },
	{ "Cause: fragmentation",
	  { .size = 2 * GIB, .cap = UINT64_MAX, .allocated = 70 * GIB,
	    .reserved = 78 * GIB, .largest_free = GIB },
	  GIB },
	{ "pages of 2 MiB that live blocks share",
	  { .size = 2 * GIB, .cap = UINT64_MAX, .allocated = 70 * GIB,
	    .reserved = 78 * GIB, .largest_free = GIB },
	  GIB },
	{ "while the GPU has room",
	  { .size = 2 * GIB, .cap = 20 * GIB, .allocated = 19 * GIB,
	    .reserved = 19 * GIB },
	  59 * GIB },
	{ "see nvidia-smi",
	  { .size = 2 * GIB, .cap = UINT64_MAX, .allocated = 30 * GIB,
	    .reserved = 30 * GIB },
	  GIB },
	{ "Cause: live memory",
	  { .size = 2 * GIB, .cap = UINT64_MAX, .allocated = 78 * GIB,
	    .reserved = 78 * GIB },
	  GIB },
};

static char text[LA_OOM_TEXT];

static const char *policy_of(int i)
{
	return strcmp(cases[i].cause, "Cause: fragmentation") ? "compact" :
								"torch";
}

static void write_text(int i)
{
	struct la_allocator_oom oom = cases[i].oom;
	struct la_oom_place place = { .policy = policy_of(i),
				      .free = cases[i].free };

	oom.device = 1;
	oom.total = CARD;
	la_oom_text(text, &oom, &place);
}

START_TEST(test_the_cause_is_named)
{
	write_text(_i);
	ck_assert_msg(strstr(text, cases[_i].cause), "%s", text);
	ck_assert_int_eq(strncmp(text, "CUDA out of memory. Tried to allocate ",
				 38),
			 0);
	ck_assert_ptr_null(strchr(text, '\n'));
}
END_TEST

static bool near(const struct la_amount *amount, uint64_t bytes)
{
	return amount->basis == LA_BASIS_PRINTED && amount->low <= bytes &&
	       amount->high >= bytes && amount->high - amount->low <= GIB / 50;
}

static void compare(const struct la_facts *facts, int i)
{
	const struct la_amount *amount = facts->amount;
	bool compact = !strcmp(policy_of(i), "compact");

	ck_assert_str_eq(facts->form,
			 compact ? "liballoc-compact" : "liballoc");
	ck_assert_str_eq(facts->backend, "cuda");
	ck_assert_int_eq(facts->kind, LA_OOM_CACHING);
	ck_assert_int_eq(facts->device, 1);
	ck_assert(!facts->truncated);
	ck_assert_uint_eq(facts->release[0], LA_RELEASE(2, 5));
	ck_assert(near(&amount[LA_AMOUNT_SEGMENT], cases[i].oom.size));
	ck_assert(near(&amount[LA_AMOUNT_TOTAL], CARD));
	ck_assert(near(&amount[LA_AMOUNT_FREE], cases[i].free));
	ck_assert_int_eq(amount[LA_AMOUNT_ALLOWED].basis != LA_BASIS_NONE,
			 cases[i].oom.cap != UINT64_MAX);
	ck_assert_int_eq(amount[LA_AMOUNT_PRIVATE].basis != LA_BASIS_NONE,
			 cases[i].oom.private_free != 0);
}

START_TEST(test_triage_reads_it)
{
	char line[LA_OOM_TEXT + 64];
	struct la_log *log;
	const struct la_facts *facts;
	size_t count;

	write_text(_i);
	snprintf(line, sizeof(line), "torch.OutOfMemoryError: %s\n", text);
	ck_assert_int_eq(la_log_new(&log), 0);
	ck_assert_int_eq(la_log_feed(log, line, strlen(line)), 0);
	ck_assert_int_eq(la_log_finish(log), 0);
	facts = la_log_facts(log, &count);
	ck_assert_uint_eq(count, 1);
	compare(facts, _i);
	la_log_free(log);
}
END_TEST

START_TEST(test_a_long_message_is_cut)
{
	struct la_allocator_oom oom = { .size = 1, .cap = UINT64_MAX };
	char policy[2 * LA_OOM_TEXT];
	struct la_oom_place place = { .policy = policy, .free = 0 };

	memset(policy, 'x', sizeof(policy));
	policy[sizeof(policy) - 1] = '\0';
	la_oom_text(text, &oom, &place);
	ck_assert_uint_eq(strlen(text), LA_OOM_TEXT - 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("torch-oom");
	TCase *tc = tcase_create("oom");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tc, test_the_cause_is_named, 0, ARRAY_SIZE(cases));
	tcase_add_loop_test(tc, test_triage_reads_it, 0, ARRAY_SIZE(cases));
	tcase_add_test(tc, test_a_long_message_is_cut);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
