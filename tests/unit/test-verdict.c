// SPDX-License-Identifier: Apache-2.0
/* Verdicts on numbers of messages whose cause is known: those of OOMs that
 * were arranged on a GPU, and of reports. */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/triage.h>

#include "util/util.h"

#define UNKNOWN (-1.)

/* GiB as printed, to two decimals of a unit; MiB are given with more. */
static const struct {
	double request, total, free, allowed, allocated, unallocated;
	double pools, process, other;
	enum la_cause cause;
	enum la_label label;
} messages[] = {
	/* Arranged on a GPU: a full card, a request beyond it, a cap, what
	 * graphs' pools hold under a cap. */
	{ 5, 139.8, 4.29, UNKNOWN, 135, 0, UNKNOWN, 135.51, UNKNOWN,
	  LA_CAUSE_CAPACITY, LA_LABEL_CAPACITY },
	{ 500, 139.8, 139.29, UNKNOWN, 0, 0, UNKNOWN, .5059, UNKNOWN,
	  LA_CAUSE_REQUEST_TOO_LARGE, LA_LABEL_CAPACITY },
	{ .5, 139.8, 136.79, 2.8, 2.5, 0, UNKNOWN, 3.01, UNKNOWN,
	  LA_CAUSE_FRACTION_CAP, LA_LABEL_FRACTION_CAP },
	{ .5859, 139.8, 132.68, 6.99, 6.45 - 2.34, .00195, 2.34, 7.11, UNKNOWN,
	  LA_CAUSE_GRAPH_POOL_HOLD, LA_LABEL_FRACTION_CAP },
	/* The same for state of an optimizer: 1.28 MiB were cached. */
	{ .0625, 139.8, 132.86, 3, 2.94, .00125, UNKNOWN, 3.67, UNKNOWN,
	  LA_CAUSE_FRACTION_CAP, LA_LABEL_FRACTION_CAP },
	/* Expandable segments were seen to pass: a filled card, a cap. */
	{ .3594, 139.8, .066, UNKNOWN, 7.8, 1.26, UNKNOWN, 9.56, 130.16,
	  LA_CAUSE_FRAGMENTATION, LA_LABEL_OTHER_PROCESS },
	{ 1.14, 139.8, 129.35, 8.23, 7.02, .1353, UNKNOWN, 7.88, .5078,
	  LA_CAUSE_FRAGMENTATION, LA_LABEL_FRACTION_CAP },
	/* Reports. */
	{ 2.93, 23.8, 2.82, UNKNOWN, 12.04, 7.65, UNKNOWN, UNKNOWN, UNKNOWN,
	  LA_CAUSE_FRAGMENTATION, LA_LABEL_FRAGMENTATION },
	{ .232, 15.88, .1804, UNKNOWN, 14.34, .09, UNKNOWN, UNKNOWN, UNKNOWN,
	  LA_CAUSE_CAPACITY, LA_LABEL_CAPACITY },
	{ 1.65, 14.2, 1.28, UNKNOWN, .619, .366, UNKNOWN, UNKNOWN, UNKNOWN,
	  LA_CAUSE_OTHER_PROCESS, LA_LABEL_OTHER_PROCESS },
	{ 3.96, 31.73, 3.05, UNKNOWN, 11.94, .0745, UNKNOWN, 12.39, 16.28,
	  LA_CAUSE_OTHER_PROCESS, LA_LABEL_OTHER_PROCESS },
	{ .0195, 23.92, 7.18, UNKNOWN, 14.47, .667, UNKNOWN, UNKNOWN, UNKNOWN,
	  LA_CAUSE_DRIVER_FRAGMENTATION_OR_LIMIT,
	  LA_LABEL_DRIVER_OR_CONTEXT },
	{ 23.13, 31.96, 12.93, UNKNOWN, 9.22, 9.49, UNKNOWN, 19.02, UNKNOWN,
	  LA_CAUSE_CAPACITY, LA_LABEL_CAPACITY },
	/* Allocated more than the card has, as Windows lets. */
	{ 1.01, 8.3, 0, UNKNOWN, 14.5, .131, UNKNOWN, UNKNOWN, UNKNOWN,
	  LA_CAUSE_CAPACITY, LA_LABEL_CAPACITY },
	{ .2441, 79.19, 2.07, 75.23, 74.23, .9214, UNKNOWN, 77.11, UNKNOWN,
	  LA_CAUSE_FRAGMENTATION, LA_LABEL_FRACTION_CAP },
	{ .5, 23.99, 3.42, 19.19, 19.01, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
	  LA_CAUSE_FRACTION_CAP, LA_LABEL_FRACTION_CAP },
	{ 127503.06, 77.23, 36.7, UNKNOWN, 26.86, .67, UNKNOWN, UNKNOWN,
	  UNKNOWN, LA_CAUSE_ABSURD_SIZE, LA_LABEL_UNKNOWN },
	/* A cap: neither other processes nor the context are behind it. */
	{ .15625, 139.8, 125.02, 1.27, 1.11, .051699, UNKNOWN, 1.96, 12.77,
	  LA_CAUSE_CANNOT_TELL, LA_LABEL_FRACTION_CAP },
	/* A full card, that showed 3.13 MiB as free. */
	{ .00195, 139.8, .00305, UNKNOWN, 139.2, 0, UNKNOWN, 139.75, UNKNOWN,
	  LA_CAUSE_CAPACITY, LA_LABEL_DRIVER_OR_CONTEXT },
	/* Nothing is said of what is cached. */
	{ .7656, 8, 0, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN,
	  LA_CAUSE_CANNOT_TELL, LA_LABEL_CAPACITY },
};

static void print(struct la_facts *facts, enum la_amount_id id, double gib)
{
	double half = gib < 1 ? .000005 : .005;
	double low = gib > half ? gib - half : 0;

	if (gib < 0)
		return;
	facts->amount[id] = (struct la_amount){
		(uint64_t)(low * (double)GIB),
		(uint64_t)((gib + (gib > 0 ? half : 0)) * (double)GIB),
		LA_BASIS_PRINTED, 1
	};
}

static void no_facts(struct la_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	facts->kind = LA_OOM_CACHING;
	facts->framework = "pytorch";
	facts->backend = "cuda";
	facts->device = facts->rank = facts->pid = -1;
	facts->release[1] = UINT_MAX;
}

static void read_message(struct la_facts *facts, struct la_process *other,
			 int i)
{
	no_facts(facts);
	print(facts, LA_AMOUNT_SEGMENT, messages[i].request);
	print(facts, LA_AMOUNT_TOTAL, messages[i].total);
	print(facts, LA_AMOUNT_FREE, messages[i].free);
	print(facts, LA_AMOUNT_ALLOWED, messages[i].allowed);
	print(facts, LA_AMOUNT_ALLOCATED, messages[i].allocated);
	print(facts, LA_AMOUNT_UNALLOCATED, messages[i].unallocated);
	print(facts, LA_AMOUNT_PRIVATE, messages[i].pools);
	print(facts, LA_AMOUNT_PROCESS, messages[i].process);
	if (messages[i].other < 0)
		return;
	print(facts, LA_AMOUNT_OTHERS, messages[i].other);
	other->pid = 1;
	other->memory = facts->amount[LA_AMOUNT_OTHERS];
	facts->amount[LA_AMOUNT_OTHERS] = (struct la_amount){ 0 };
	facts->process = other;
	facts->process_count = 1;
}

START_TEST(of_message)
{
	struct la_verdict verdict;
	struct la_process other;
	struct la_facts facts;

	read_message(&facts, &other, _i);
	la_facts_complete(&facts);
	la_verdict_reach(&verdict, &facts);
	ck_assert_str_eq(la_cause_name(verdict.cause),
			 la_cause_name(messages[_i].cause));
	ck_assert_str_eq(la_label_name(verdict.label),
			 la_label_name(messages[_i].label));
	ck_assert_int_eq(verdict.grade, verdict.cause == LA_CAUSE_CANNOT_TELL ?
						LA_GRADE_UNKNOWN :
						LA_GRADE_CONSISTENT);
}
END_TEST

/* The rows of the ledger sum to the card, whatever is known. */
START_TEST(ledger_sums)
{
	int64_t low = 0, high = 0;
	struct la_verdict verdict;
	struct la_process other;
	struct la_facts facts;
	int i;

	read_message(&facts, &other, _i);
	la_facts_complete(&facts);
	la_verdict_reach(&verdict, &facts);
	for (i = 0; i < LA_LEDGER_COUNT; i++) {
		if (!verdict.ledger[i].known)
			continue;
		ck_assert_int_le(verdict.ledger[i].low,
				 verdict.ledger[i].high);
		low += verdict.ledger[i].low;
		high += verdict.ledger[i].high;
	}
	ck_assert_int_le(low, (int64_t)facts.amount[LA_AMOUNT_TOTAL].low);
	ck_assert_int_ge(high, (int64_t)facts.amount[LA_AMOUNT_TOTAL].high);
}
END_TEST

/* In a container a process sees itself under a number; it is no other one. */
START_TEST(lone_process_is_self)
{
	struct la_process self = { 52925, { 0 } };
	struct la_verdict verdict;
	struct la_facts facts;

	no_facts(&facts);
	print(&facts, LA_AMOUNT_SEGMENT, .1486);
	print(&facts, LA_AMOUNT_TOTAL, 22.82);
	print(&facts, LA_AMOUNT_FREE, .1088);
	print(&facts, LA_AMOUNT_PROCESS, 22.71);
	self.memory = facts.amount[LA_AMOUNT_PROCESS];
	facts.amount[LA_AMOUNT_PROCESS] = (struct la_amount){ 0 };
	print(&facts, LA_AMOUNT_ALLOCATED, 21.33);
	print(&facts, LA_AMOUNT_UNALLOCATED, .8564);
	facts.process = &self;
	facts.process_count = 1;
	la_facts_complete(&facts);
	la_verdict_reach(&verdict, &facts);
	ck_assert_uint_eq(facts.process_count, 0);
	ck_assert_int_eq(facts.amount[LA_AMOUNT_PROCESS].basis,
			 LA_BASIS_PRINTED);
	ck_assert_int_eq(facts.amount[LA_AMOUNT_OTHERS].basis, LA_BASIS_NONE);
	ck_assert_int_eq(verdict.cause, LA_CAUSE_CAPACITY);
	ck_assert_int_eq(verdict.label, LA_LABEL_CAPACITY);
}
END_TEST

/* Two decimals leave it open whether the free bytes would have sufficed. */
START_TEST(bounds_decide)
{
	struct la_verdict verdict;
	struct la_facts facts;

	no_facts(&facts);
	print(&facts, LA_AMOUNT_SEGMENT, 2);
	print(&facts, LA_AMOUNT_TOTAL, 24);
	print(&facts, LA_AMOUNT_FREE, 0);
	print(&facts, LA_AMOUNT_ALLOCATED, 20);
	print(&facts, LA_AMOUNT_UNALLOCATED, 2);
	la_facts_complete(&facts);
	la_verdict_reach(&verdict, &facts);
	ck_assert_int_eq(verdict.cause, LA_CAUSE_CANNOT_TELL);
	ck_assert_uint_eq(verdict.contributing_count, 1);
	ck_assert_int_eq(verdict.contributing[0], LA_CAUSE_FRAGMENTATION);
	print(&facts, LA_AMOUNT_UNALLOCATED, 2.02);
	la_verdict_reach(&verdict, &facts);
	ck_assert_int_eq(verdict.cause, LA_CAUSE_FRAGMENTATION);
	ck_assert_int_eq(verdict.expandable, LA_PAST_PAST);
}
END_TEST

static void record(struct la_facts *facts, enum la_amount_id id,
		   uint64_t bytes)
{
	facts->amount[id] = (struct la_amount){ bytes, bytes,
						LA_BASIS_RECORDED, 0 };
}

static void recorded_facts(struct la_facts *facts)
{
	no_facts(facts);
	facts->recorded = true;
	facts->exact = true;
	record(facts, LA_AMOUNT_REQUEST, 600 * MIB);
	record(facts, LA_AMOUNT_SEGMENT, 600 * MIB);
	record(facts, LA_AMOUNT_TOTAL, 80 * GIB);
	record(facts, LA_AMOUNT_FREE, 70 * GIB);
	record(facts, LA_AMOUNT_ALLOWED, 4 * GIB);
	record(facts, LA_AMOUNT_RESERVED, 4 * GIB);
	record(facts, LA_AMOUNT_ALLOCATED, 3 * GIB);
	record(facts, LA_AMOUNT_OWN_FREE, GIB);
	record(facts, LA_AMOUNT_STREAM_FREE, 0);
}

START_TEST(kinds_of_fragmentation)
{
	struct la_verdict verdict;
	struct la_facts facts;

	recorded_facts(&facts);
	la_facts_complete(&facts);
	la_verdict_reach(&verdict, &facts);
	ck_assert_int_eq(verdict.cause, LA_CAUSE_FRAGMENTATION);
	ck_assert_int_eq(verdict.grade, LA_GRADE_STRONG);
	facts.expandable = true;
	la_verdict_reach(&verdict, &facts);
	ck_assert_int_eq(verdict.cause, LA_CAUSE_PAGE_FRAGMENTATION);
	record(&facts, LA_AMOUNT_OWN_FREE, 100 * MIB);
	record(&facts, LA_AMOUNT_STREAM_FREE, 924 * MIB);
	la_verdict_reach(&verdict, &facts);
	ck_assert_int_eq(verdict.cause, LA_CAUSE_CROSS_STREAM);
	ck_assert_uint_eq(verdict.contributing_count, 1);
	ck_assert_int_eq(verdict.contributing[0], LA_CAUSE_FRACTION_CAP);
}
END_TEST

/* History was off: the largest block that is free may be any stream's. */
START_TEST(of_another_stream)
{
	struct la_amount *largest;
	struct la_verdict verdict;
	struct la_facts facts;

	recorded_facts(&facts);
	facts.amount[LA_AMOUNT_OWN_FREE].basis = LA_BASIS_NONE;
	facts.amount[LA_AMOUNT_STREAM_FREE].basis = LA_BASIS_NONE;
	largest = &facts.amount[LA_AMOUNT_LARGEST];
	*largest = (struct la_amount){ 0, 500 * MIB, LA_BASIS_DERIVED, 0 };
	la_facts_complete(&facts);
	la_verdict_reach(&verdict, &facts);
	ck_assert_int_eq(verdict.cause, LA_CAUSE_FRAGMENTATION);
	largest->high = GIB;
	la_verdict_reach(&verdict, &facts);
	ck_assert_int_eq(verdict.cause, LA_CAUSE_CROSS_STREAM);
}
END_TEST

/* 90 GiB beyond PyTorch: whose, its snapshot does not tell. */
START_TEST(beyond_the_allocator)
{
	struct la_verdict verdict;
	struct la_facts facts;

	no_facts(&facts);
	facts.recorded = true;
	record(&facts, LA_AMOUNT_TOTAL, 140 * GIB);
	record(&facts, LA_AMOUNT_FREE, 19 * GIB);
	record(&facts, LA_AMOUNT_REQUEST, 25 * GIB);
	record(&facts, LA_AMOUNT_SEGMENT, 25 * GIB);
	record(&facts, LA_AMOUNT_RESERVED, 30 * GIB);
	record(&facts, LA_AMOUNT_ALLOCATED, 30 * GIB);
	record(&facts, LA_AMOUNT_PROCESS, 120 * GIB);
	la_facts_complete(&facts);
	la_verdict_reach(&verdict, &facts);
	ck_assert_int_eq(verdict.cause, LA_CAUSE_DRIVER_OVERHEAD);
	ck_assert_int_eq(verdict.grade, LA_GRADE_CONSISTENT);
	ck_assert_uint_eq(verdict.contributing_count, 1);
	ck_assert_int_eq(verdict.contributing[0], LA_CAUSE_OTHER_ALLOCATOR);
}
END_TEST

/* What is live grew by more than what was missing. */
START_TEST(leaks)
{
	struct la_verdict verdict;
	struct la_facts facts;

	recorded_facts(&facts);
	record(&facts, LA_AMOUNT_ALLOCATED, 4 * GIB - 20 * MIB);
	record(&facts, LA_AMOUNT_OWN_FREE, 20 * MIB);
	record(&facts, LA_AMOUNT_LEAK, GIB);
	facts.growth.tested = facts.growth.grows = true;
	la_facts_complete(&facts);
	la_verdict_reach(&verdict, &facts);
	ck_assert_int_eq(verdict.cause, LA_CAUSE_LEAK);
	facts.growth.grows = false;
	la_verdict_reach(&verdict, &facts);
	ck_assert_int_eq(verdict.cause, LA_CAUSE_FRACTION_CAP);
}
END_TEST

static struct la_trial setting(bool current, enum la_past past)
{
	return (struct la_trial){ .kind = LA_TRIAL_SETTING,
				  .current = current,
				  .past = past };
}

START_TEST(replay_proves)
{
	struct la_trial trial[] = {
		setting(true, LA_PAST_STUCK),
		setting(false, LA_PAST_PAST),
		{ .kind = LA_TRIAL_PACKED, .past = LA_PAST_PAST },
	};
	struct la_verdict verdict;
	struct la_facts facts;

	recorded_facts(&facts);
	la_facts_complete(&facts);
	la_verdict_reach(&verdict, &facts);
	la_verdict_prove(&verdict, &facts, trial, ARRAY_SIZE(trial));
	ck_assert_int_eq(verdict.grade, LA_GRADE_PROVEN);
	/* The program changed its course at an OOM that it caught. */
	facts.survived = 1;
	la_verdict_prove(&verdict, &facts, trial, ARRAY_SIZE(trial));
	ck_assert_int_eq(verdict.grade, LA_GRADE_STRONG);
	/* What replay does not reproduce it does not prove. */
	facts.survived = 0;
	trial[0].past = LA_PAST_PAST;
	la_verdict_reach(&verdict, &facts);
	la_verdict_prove(&verdict, &facts, trial, ARRAY_SIZE(trial));
	ck_assert_int_eq(verdict.grade, LA_GRADE_STRONG);
}
END_TEST

/* The same message, torn from its job, and the recording of another one. */
START_TEST(matching)
{
	struct la_facts message, recorded;

	recorded_facts(&recorded);
	no_facts(&message);
	print(&message, LA_AMOUNT_SEGMENT, .58594);
	print(&message, LA_AMOUNT_ALLOCATED, 3);
	la_facts_complete(&recorded);
	ck_assert(la_facts_match(&message, &recorded));
	ck_assert(la_facts_match(&recorded, &message));
	message.device = 0;
	ck_assert(la_facts_match(&message, &recorded));
	recorded.device = 1;
	ck_assert(!la_facts_match(&message, &recorded));
	message.device = 1;
	print(&message, LA_AMOUNT_ALLOCATED, 3.02);
	ck_assert(!la_facts_match(&message, &recorded));
}
END_TEST

START_TEST(merging)
{
	struct la_facts message, recorded;

	recorded_facts(&recorded);
	recorded.amount[LA_AMOUNT_TOTAL] = (struct la_amount){ 0 };
	no_facts(&message);
	print(&message, LA_AMOUNT_SEGMENT, .58594);
	print(&message, LA_AMOUNT_TOTAL, 80);
	message.text = strdup("CUDA out of memory.");
	message.form = "F5";
	message.line[0] = 7;
	ck_assert_int_eq(la_facts_merge(&recorded, &message, NULL), 0);
	ck_assert_str_eq(recorded.text, message.text);
	ck_assert_ptr_ne(recorded.text, message.text);
	ck_assert_str_eq(recorded.form, "F5");
	ck_assert_uint_eq(recorded.line[0], 7);
	ck_assert_uint_eq(recorded.amount[LA_AMOUNT_SEGMENT].low, 600 * MIB);
	ck_assert_int_eq(recorded.amount[LA_AMOUNT_TOTAL].basis,
			 LA_BASIS_PRINTED);
	la_facts_release(&recorded);
	la_facts_release(&message);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("verdict");
	TCase *tests = tcase_create("verdict");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(tests, of_message, 0, ARRAY_SIZE(messages));
	tcase_add_loop_test(tests, ledger_sums, 0, ARRAY_SIZE(messages));
	tcase_add_test(tests, lone_process_is_self);
	tcase_add_test(tests, bounds_decide);
	tcase_add_test(tests, kinds_of_fragmentation);
	tcase_add_test(tests, of_another_stream);
	tcase_add_test(tests, beyond_the_allocator);
	tcase_add_test(tests, leaks);
	tcase_add_test(tests, replay_proves);
	tcase_add_test(tests, matching);
	tcase_add_test(tests, merging);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
