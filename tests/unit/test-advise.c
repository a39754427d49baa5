// SPDX-License-Identifier: Apache-2.0
/* Remedies that suit an OOM, and the settings that they make. */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/triage.h>

#include "util/util.h"
#include "util/yaml.h"

struct advised {
	struct la_advice *advice; /* owned */
	size_t count;
};

static struct la_facts facts_of(enum la_oom_kind kind)
{
	return (struct la_facts){
		.kind = kind,
		.framework = "pytorch",
		.backend = "cuda",
		.release = { LA_RELEASE(2, 2), LA_RELEASE(2, 9) },
	};
}

static struct la_verdict verdict_of(enum la_cause cause)
{
	return (struct la_verdict){ .cause = cause };
}

static struct advised advise(const struct la_facts *facts,
			     const struct la_verdict *verdict,
			     const struct la_trial *trial, size_t trials)
{
	struct advised out;
	size_t i;

	ck_assert_int_eq(la_advise(&out.advice, &out.count, facts, verdict,
				   trial, trials),
			 0);
	for (i = 1; i < out.count; i++)
		ck_assert(out.advice[i].useless || !out.advice[i - 1].useless);
	return out;
}

static const struct la_advice *find(const struct advised *in, const char *id)
{
	size_t i;

	for (i = 0; i < in->count; i++)
		if (!strcmp(in->advice[i].remedy->id, id))
			return &in->advice[i];
	return NULL;
}

/* What becomes of a remedy: "" not there, "-" useless, else its setting. */
static void expect(const struct la_facts *facts,
		   const struct la_verdict *verdict, const char *id,
		   const char *what)
{
	struct advised got = advise(facts, verdict, NULL, 0);
	const struct la_advice *advice = find(&got, id);

	if (!*what)
		ck_assert_ptr_null(advice);
	else
		ck_assert_ptr_nonnull(advice);
	if (advice && !strcmp(what, "-"))
		ck_assert(advice->useless);
	else if (advice)
		ck_assert(!advice->useless);
	if (advice && advice->setting && !advice->useless)
		ck_assert_str_eq(advice->setting, what);
	la_advice_free(got.advice, got.count);
}

static void expect_setting(const char *setting, enum la_cause cause,
			   const char *id, const char *what)
{
	struct la_facts facts = facts_of(LA_OOM_CACHING);
	const struct la_verdict verdict = verdict_of(cause);
	char text[128];

	snprintf(text, sizeof(text), "%s", setting);
	facts.setting = text;
	expect(&facts, &verdict, id, what);
}

START_TEST(test_table_is_ordered_and_complete)
{
	const struct la_remedy *remedy;
	uint64_t causes = 0, ended;
	size_t count, i, j;

	remedy = la_remedies(&count);
	for (i = 0; i < count; i++) {
		ck_assert(!i || remedy[i].cost >= remedy[i - 1].cost);
		ck_assert_ptr_nonnull(strchr(remedy[i].text[0], '.'));
		ck_assert_ptr_nonnull(strstr(remedy[i].text[1], "。"));
		ck_assert(strcmp(remedy[i].kind, "action") || !remedy[i].code);
		ck_assert(strcmp(remedy[i].kind, "code") || remedy[i].code);
		for (j = 0; j < i; j++)
			ck_assert_str_ne(remedy[i].id, remedy[j].id);
		causes |= remedy[i].causes;
	}
	/* COMBINED is ended by what ends its pair. */
	ended = ((uint64_t)1 << LA_CAUSE_COUNT) - 1;
	ck_assert_uint_eq(causes & ended, causes);
	ck_assert_uint_eq(causes | (uint64_t)1 << LA_CAUSE_COMBINED, ended);
}
END_TEST

/* The file is YAML, although the build reads it without a library for that. */
START_TEST(test_table_is_the_yaml)
{
	const struct la_remedy *remedy;
	const struct la_yaml *entry, *field;
	struct la_yaml *tree;
	size_t count, i = 0;
	int ret = la_yaml_read(&tree, "conf/remedies.yaml", NULL);

	if (ret == -ENOTSUP)
		return;
	ck_assert_int_eq(ret, 0);
	remedy = la_remedies(&count);
	for (entry = tree->first->first; entry; entry = entry->next, i++) {
		ck_assert_uint_lt(i, count);
		for (field = entry->first; field; field = field->next) {
			const char *key = field->key->text;

			if (!strcmp(key, "id"))
				ck_assert_str_eq(field->text, remedy[i].id);
			else if (!strcmp(key, "zh"))
				ck_assert_str_eq(field->text,
						 remedy[i].text[1]);
			else if (!strcmp(key, "code"))
				ck_assert(!strncmp(field->text, remedy[i].code,
						   strlen(remedy[i].code)));
		}
	}
	ck_assert_uint_eq(i, count);
	la_yaml_free(tree);
}
END_TEST

START_TEST(test_setting_is_whole)
{
	const char *id = "expandable-segments";

	expect_setting("", LA_CAUSE_FRAGMENTATION, id,
		       "expandable_segments:True");
	expect_setting("expandable_segments:False,max_split_size_mb:512,"
		       "roundup_power2_divisions:[256:1,>:4]",
		       LA_CAUSE_FRAGMENTATION, id,
		       "roundup_power2_divisions:[256:1,>:4],"
		       "expandable_segments:True");
	expect_setting("max_split_size_mb:512", LA_CAUSE_FRAGMENTATION,
		       "max-split-size", "max_split_size_mb:128");
	expect_setting("roundup_power2_divisions:[256:1,>:8],"
		       "max_split_size_mb:64",
		       LA_CAUSE_ROUNDING, "roundup-off",
		       "max_split_size_mb:64");
	expect_setting("max_split_size_mb:64", LA_CAUSE_ROUNDING, "roundup-off",
		       "");
}
END_TEST

START_TEST(test_what_is_on_is_not_advised)
{
	struct la_facts facts = facts_of(LA_OOM_CACHING);
	const struct la_verdict verdict = verdict_of(LA_CAUSE_FRAGMENTATION);
	char on[] = "expandable_segments:True";

	expect_setting(on, LA_CAUSE_FRAGMENTATION, "expandable-segments", "");
	expect_setting(on, LA_CAUSE_FRAGMENTATION, "max-split-size", "");
	expect_setting("max_split_size_mb:64", LA_CAUSE_FRAGMENTATION,
		       "max-split-size", "");
	facts.expandable = true;
	expect(&facts, &verdict, "expandable-segments", "");
	facts.form = "F5";
	expect(&facts, &verdict, "expandable-segments", "-");
}
END_TEST

START_TEST(test_what_the_release_lacks_is_not_advised)
{
	struct la_facts facts = facts_of(LA_OOM_CACHING);
	const struct la_verdict verdict = verdict_of(LA_CAUSE_FRAGMENTATION);
	const struct la_verdict capacity = verdict_of(LA_CAUSE_CAPACITY);

	facts.release[0] = LA_RELEASE(1, 10);
	facts.release[1] = LA_RELEASE(2, 0);
	expect(&facts, &verdict, "expandable-segments", "");
	expect(&facts, &verdict, "max-split-size", "max_split_size_mb:128");
	expect(&facts, &capacity, "set-to-none", "there");
	facts.release[0] = LA_RELEASE(2, 0);
	expect(&facts, &capacity, "set-to-none", "");
	facts.release[0] = LA_RELEASE(1, 0);
	facts.release[1] = LA_RELEASE(1, 3);
	expect(&facts, &verdict, "max-split-size", "");
	facts.release[0] = 0;
	facts.release[1] = UINT_MAX;
	expect(&facts, &verdict, "expandable-segments",
	       "expandable_segments:True");
	facts.backend = "xpu";
	expect(&facts, &verdict, "expandable-segments", "");
}
END_TEST

static struct la_trial trial_of(const char *setting, enum la_past past)
{
	return (struct la_trial){ .kind = LA_TRIAL_SETTING,
				  .setting = (char *)(uintptr_t)setting,
				  .past = past };
}

START_TEST(test_replay_decides)
{
	const struct la_facts facts = facts_of(LA_OOM_CACHING);
	const struct la_verdict verdict = verdict_of(LA_CAUSE_FRAGMENTATION);
	struct la_trial trial[5] = {
		trial_of("expandable_segments:True", LA_PAST_STUCK),
		trial_of("max_split_size_mb:128", LA_PAST_DEPENDS),
		trial_of("garbage_collection_threshold:0.8", LA_PAST_PAST),
		trial_of("roundup_power2_divisions:4", LA_PAST_DEPENDS),
		{ .kind = LA_TRIAL_EMPTIED, .past = LA_PAST_PAST },
	};
	struct advised got;

	trial[3].worse = true;
	got = advise(&facts, &verdict, trial, 5);
	ck_assert_str_eq(got.advice[0].remedy->id, "gc-threshold");
	ck_assert_ptr_eq(got.advice[0].trial, &trial[2]);
	ck_assert_str_eq(got.advice[1].remedy->id, "empty-cache");
	ck_assert_ptr_eq(got.advice[1].trial, &trial[4]);
	ck_assert_str_eq(got.advice[2].remedy->id, "max-split-size");
	ck_assert_ptr_eq(got.advice[2].trial, &trial[1]);
	ck_assert(find(&got, "expandable-segments")->useless);
	ck_assert_ptr_eq(find(&got, "expandable-segments")->trial, &trial[0]);
	ck_assert(find(&got, "roundup")->useless);
	la_advice_free(got.advice, got.count);
}
END_TEST

START_TEST(test_replay_finds_a_setting)
{
	const struct la_facts facts = facts_of(LA_OOM_CACHING);
	const struct la_verdict verdict = verdict_of(LA_CAUSE_FRAGMENTATION);
	struct la_trial trial[] = {
		trial_of("", LA_PAST_STUCK),
		trial_of("expandable_segments:True", LA_PAST_STUCK),
		trial_of("max_split_size_mb:64", LA_PAST_PAST),
		trial_of("max_split_size_mb:99", LA_PAST_PAST),
	};
	struct advised got;

	trial[0].current = true;
	trial[3].tuned = true;
	got = advise(&facts, &verdict, trial, 4);
	ck_assert_str_eq(got.advice[0].remedy->id, "replayed-setting");
	ck_assert_str_eq(got.advice[0].setting, "max_split_size_mb:99");
	la_advice_free(got.advice, got.count);
	/* A plain remedy does as well: only the search adds to it. */
	trial[1].past = LA_PAST_PAST;
	trial[3].tuned = false;
	got = advise(&facts, &verdict, trial, 4);
	ck_assert_str_eq(got.advice[0].remedy->id, "expandable-segments");
	ck_assert_ptr_null(find(&got, "replayed-setting"));
	la_advice_free(got.advice, got.count);
	trial[1].objection = trial[1].setting;
	got = advise(&facts, &verdict, trial, 4);
	ck_assert_ptr_null(find(&got, "expandable-segments"));
	la_advice_free(got.advice, got.count);
}
END_TEST

/* What is in force was replayed with the remedy in its place, not beside it. */
START_TEST(test_remedy_replayed_alone)
{
	struct la_facts facts = facts_of(LA_OOM_CACHING);
	const struct la_verdict verdict = verdict_of(LA_CAUSE_FRAGMENTATION);
	struct la_trial trial[] = {
		trial_of("garbage_collection_threshold:0.6", LA_PAST_STUCK),
		trial_of("expandable_segments:True", LA_PAST_PAST),
	};
	struct advised got;

	facts.setting = trial[0].setting;
	trial[0].current = true;
	got = advise(&facts, &verdict, trial, 2);
	ck_assert_str_eq(got.advice[0].remedy->id, "expandable-segments");
	ck_assert_str_eq(got.advice[0].setting, "expandable_segments:True");
	ck_assert_ptr_eq(got.advice[0].trial, &trial[1]);
	ck_assert_ptr_null(find(&got, "replayed-setting"));
	la_advice_free(got.advice, got.count);
	trial[1].past = LA_PAST_STUCK;
	got = advise(&facts, &verdict, trial, 2);
	ck_assert(find(&got, "expandable-segments")->useless);
	la_advice_free(got.advice, got.count);
}
END_TEST

START_TEST(test_row_without_a_cap_judges_the_cap)
{
	struct la_facts facts = facts_of(LA_OOM_CAP);
	const struct la_verdict verdict = verdict_of(LA_CAUSE_FRACTION_CAP);
	struct la_trial trial[] = {
		trial_of("per_process_memory_fraction:0.5", LA_PAST_STUCK),
		trial_of("", LA_PAST_STUCK),
		{ .kind = LA_TRIAL_UNCAPPED, .past = LA_PAST_PAST },
	};
	struct advised got;

	facts.release[0] = facts.release[1] = LA_RELEASE(2, 11);
	facts.setting = trial[0].setting;
	trial[0].current = true;
	got = advise(&facts, &verdict, trial, 3);
	ck_assert_str_eq(got.advice[0].remedy->id, "fraction-setting");
	ck_assert_ptr_eq(got.advice[0].trial, &trial[2]);
	la_advice_free(got.advice, got.count);
}
END_TEST

START_TEST(test_most_room_is_best)
{
	const struct la_facts facts = facts_of(LA_OOM_CACHING);
	const struct la_verdict verdict = verdict_of(LA_CAUSE_FRAGMENTATION);
	struct la_trial trial[] = {
		trial_of("", LA_PAST_STUCK),
		trial_of("roundup_power2_divisions:4", LA_PAST_PAST),
		trial_of("garbage_collection_threshold:0.6", LA_PAST_PAST),
	};
	struct advised got;

	trial[0].current = true;
	trial[2].headroom = MIB;
	got = advise(&facts, &verdict, trial, 3);
	ck_assert_str_eq(got.advice[0].setting,
			 "garbage_collection_threshold:0.6");
	ck_assert_ptr_null(find(&got, "roundup"));
	la_advice_free(got.advice, got.count);
}
END_TEST

/* Getting past one request ends no leak. */
START_TEST(test_leak_is_ended_first)
{
	const struct la_facts facts = facts_of(LA_OOM_CACHING);
	struct la_verdict verdict = verdict_of(LA_CAUSE_LEAK);
	struct la_trial trial[] = {
		trial_of("expandable_segments:True", LA_PAST_PAST),
		{ .kind = LA_TRIAL_UNCAPPED, .past = LA_PAST_PAST },
	};
	struct advised got;

	verdict.contributing[verdict.contributing_count++] =
		LA_CAUSE_FRACTION_CAP;
	got = advise(&facts, &verdict, trial, 2);
	ck_assert_str_eq(got.advice[0].remedy->id, "detach");
	ck_assert_ptr_nonnull(find(&got, "expandable-segments"));
	la_advice_free(got.advice, got.count);
}
END_TEST

/* Nobody turns them off for that: it is no news that this does not help. */
START_TEST(test_only_what_is_tried_is_useless)
{
	struct la_facts facts = facts_of(LA_OOM_CACHING);
	const struct la_verdict verdict = verdict_of(LA_CAUSE_CAPACITY);
	struct la_trial trial[] = {
		trial_of("expandable_segments:True", LA_PAST_STUCK),
		trial_of("expandable_segments:False", LA_PAST_STUCK),
		trial_of("expandable_segments:True,"
			 "garbage_collection_threshold:0.8",
			 LA_PAST_STUCK),
	};
	struct advised got;

	facts.setting = trial[0].setting;
	trial[0].current = true;
	got = advise(&facts, &verdict, trial, 3);
	ck_assert_ptr_null(find(&got, "expandable-off"));
	ck_assert(find(&got, "gc-threshold")->useless);
	la_advice_free(got.advice, got.count);
}
END_TEST

START_TEST(test_hint_of_the_message_is_refuted)
{
	struct la_facts facts = facts_of(LA_OOM_CACHING);
	struct la_verdict verdict = verdict_of(LA_CAUSE_CAPACITY);

	verdict.margin[LA_MARGIN_CONTIGUOUS] =
		(struct la_margin){ true, -2 * (int64_t)GIB, -(int64_t)GIB };
	expect(&facts, &verdict, "expandable-segments", "");
	facts.form = "F5";
	expect(&facts, &verdict, "expandable-segments", "-");
	expect(&facts, &verdict, "max-split-size", "");
	verdict.margin[LA_MARGIN_CONTIGUOUS].high = 1;
	expect(&facts, &verdict, "expandable-segments", "");
	verdict.expandable = LA_PAST_STUCK;
	expect(&facts, &verdict, "expandable-segments", "-");
	verdict.expandable = LA_PAST_PAST;
	expect(&facts, &verdict, "expandable-segments",
	       "expandable_segments:True");
}
END_TEST

static double factor_of(uint64_t allocated, int64_t margin)
{
	struct la_facts facts = facts_of(LA_OOM_CACHING);
	struct la_verdict verdict = verdict_of(LA_CAUSE_CAPACITY);
	struct advised got;
	double factor;

	facts.amount[LA_AMOUNT_ALLOCATED] =
		(struct la_amount){ allocated, allocated + MIB,
				    LA_BASIS_PRINTED, 1 };
	verdict.margin[LA_MARGIN_CONTIGUOUS] =
		(struct la_margin){ true, margin, margin + 1 };
	got = advise(&facts, &verdict, NULL, 0);
	factor = find(&got, "smaller-batch")->factor;
	ck_assert(!(find(&got, "accumulate")->factor < factor));
	ck_assert(find(&got, "checkpointing")->factor <= 0);
	la_advice_free(got.advice, got.count);
	return factor;
}

START_TEST(test_factor_of_a_batch)
{
	ck_assert_double_eq_tol(factor_of(20 * GIB, -(int64_t)GIB), 0.95, 1e-9);
	ck_assert_double_eq_tol(factor_of(10 * GIB, -(int64_t)GIB - 1), 0.85,
				1e-9);
	ck_assert_double_eq_tol(factor_of(GIB, -3 * (int64_t)GIB), 0, 1e-9);
	ck_assert_double_eq_tol(factor_of(GIB, 0), 0, 1e-9);
	ck_assert_double_eq_tol(factor_of(0, -1), 0, 1e-9);
}
END_TEST

START_TEST(test_fraction_is_where_it_was_set)
{
	const char *in = "per_process_memory_fraction:0.5,max_split_size_mb:64";
	struct la_facts facts = facts_of(LA_OOM_CACHING);
	const struct la_verdict verdict = verdict_of(LA_CAUSE_FRACTION_CAP);
	char text[64];

	snprintf(text, sizeof(text), "%s", in);
	facts.release[1] = LA_RELEASE(2, 11);
	expect(&facts, &verdict, "raise-fraction", "there");
	expect(&facts, &verdict, "fraction-setting", "");
	facts.setting = text;
	expect(&facts, &verdict, "raise-fraction", "");
	expect(&facts, &verdict, "fraction-setting", "max_split_size_mb:64");
}
END_TEST

START_TEST(test_combined_and_contributing_count)
{
	const struct la_facts facts = facts_of(LA_OOM_CACHING);
	struct la_verdict verdict = verdict_of(LA_CAUSE_COMBINED);

	verdict.pair[0] = LA_CAUSE_FRAGMENTATION;
	verdict.pair[1] = LA_CAUSE_OTHER_PROCESS;
	verdict.contributing[0] = LA_CAUSE_DRIVER_OVERHEAD;
	expect(&facts, &verdict, "expandable-segments",
	       "expandable_segments:True");
	expect(&facts, &verdict, "list-processes", "there");
	expect(&facts, &verdict, "lazy-loading", "");
	verdict.contributing_count = 1;
	expect(&facts, &verdict, "lazy-loading", "there");
}
END_TEST

/* That the cap was lifted would do, but it was there for a reason. */
START_TEST(test_a_cap_that_contributes_is_lifted_last)
{
	const struct la_facts facts = { .kind = LA_OOM_CACHING,
					.recorded = true };
	struct la_verdict verdict = verdict_of(LA_CAUSE_FRAGMENTATION);
	struct la_trial trial[] = {
		{ .kind = LA_TRIAL_UNCAPPED, .past = LA_PAST_PAST },
		trial_of("expandable_segments:True", LA_PAST_PAST),
	};
	struct advised got;
	size_t i;

	verdict.contributing[0] = LA_CAUSE_FRACTION_CAP;
	verdict.contributing_count = 1;
	got = advise(&facts, &verdict, trial, 2);
	ck_assert_str_eq(got.advice[0].remedy->id, "expandable-segments");
	ck_assert_str_eq(got.advice[1].remedy->id, "raise-fraction");
	ck_assert_ptr_eq(got.advice[1].trial, &trial[0]);
	for (i = 0; i < got.count; i++)
		ck_assert(strncmp(got.advice[i].remedy->id, "mps", 3));
	la_advice_free(got.advice, got.count);
}
END_TEST

START_TEST(test_what_ends_the_cause_comes_first)
{
	const struct la_facts facts = facts_of(LA_OOM_CACHING);
	struct la_verdict verdict = verdict_of(LA_CAUSE_CAPACITY);
	struct advised got;

	verdict.contributing[0] = LA_CAUSE_FRAGMENTATION;
	verdict.contributing_count = 1;
	got = advise(&facts, &verdict, NULL, 0);
	ck_assert_str_eq(got.advice[0].remedy->id, "no-grad");
	ck_assert_ptr_nonnull(find(&got, "max-split-size"));
	ck_assert_ptr_null(find(&got, "bucket-shapes"));
	la_advice_free(got.advice, got.count);
	verdict.expandable = LA_PAST_PAST;
	got = advise(&facts, &verdict, NULL, 0);
	ck_assert_str_eq(got.advice[0].remedy->id, "expandable-segments");
	ck_assert_str_eq(got.advice[1].remedy->id, "no-grad");
	la_advice_free(got.advice, got.count);
	verdict.cause = LA_CAUSE_CANNOT_TELL;
	got = advise(&facts, &verdict, NULL, 0);
	ck_assert_str_eq(got.advice[0].remedy->id, "collect-smi");
	ck_assert_str_eq(got.advice[1].remedy->id, "collect-history");
	ck_assert_str_eq(got.advice[2].remedy->id, "expandable-segments");
	la_advice_free(got.advice, got.count);
}
END_TEST

START_TEST(test_place_decides)
{
	struct la_facts facts = facts_of(LA_OOM_FRAMEWORK);
	const struct la_verdict capacity = verdict_of(LA_CAUSE_CAPACITY);
	const struct la_verdict host = verdict_of(LA_CAUSE_HOST_MEMORY);
	const struct la_verdict unknown = verdict_of(LA_CAUSE_CANNOT_TELL);

	facts.framework = "jax";
	expect(&facts, &capacity, "xla-fraction", "there");
	expect(&facts, &capacity, "checkpointing", "");
	facts = (struct la_facts){ .kind = LA_OOM_KILLED };
	expect(&facts, &host, "host-limit", "there");
	expect(&facts, &host, "shared-memory", "");
	facts.kind = LA_OOM_SHARED;
	expect(&facts, &host, "host-limit", "");
	expect(&facts, &host, "shared-memory", "there");
	facts = facts_of(LA_OOM_CALL);
	expect(&facts, &unknown, "collect-history", "there");
	expect(&facts, &unknown, "collect-smi", "there");
	facts.backend = "hip";
	expect(&facts, &unknown, "collect-smi", "");
	facts = facts_of(LA_OOM_ASYNC);
	expect(&facts, &capacity, "expandable-segments", "");
}
END_TEST

START_TEST(test_setting_that_torch_refuses_is_not_built_on)
{
	expect_setting("max_split_size_mb=64", LA_CAUSE_FRAGMENTATION,
		       "expandable-segments", "expandable_segments:True");
	expect_setting("backend:cudaMallocAsync", LA_CAUSE_FRAGMENTATION,
		       "expandable-segments", "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("advise");
	TCase *tcase = tcase_create("advise");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tcase, test_table_is_ordered_and_complete);
	tcase_add_test(tcase, test_table_is_the_yaml);
	tcase_add_test(tcase, test_setting_is_whole);
	tcase_add_test(tcase, test_what_is_on_is_not_advised);
	tcase_add_test(tcase, test_what_the_release_lacks_is_not_advised);
	tcase_add_test(tcase, test_replay_decides);
	tcase_add_test(tcase, test_replay_finds_a_setting);
	tcase_add_test(tcase, test_remedy_replayed_alone);
	tcase_add_test(tcase, test_row_without_a_cap_judges_the_cap);
	tcase_add_test(tcase, test_most_room_is_best);
	tcase_add_test(tcase, test_leak_is_ended_first);
	tcase_add_test(tcase, test_only_what_is_tried_is_useless);
	tcase_add_test(tcase, test_hint_of_the_message_is_refuted);
	tcase_add_test(tcase, test_factor_of_a_batch);
	tcase_add_test(tcase, test_fraction_is_where_it_was_set);
	tcase_add_test(tcase, test_combined_and_contributing_count);
	tcase_add_test(tcase, test_a_cap_that_contributes_is_lifted_last);
	tcase_add_test(tcase, test_what_ends_the_cause_comes_first);
	tcase_add_test(tcase, test_place_decides);
	tcase_add_test(tcase, test_setting_that_torch_refuses_is_not_built_on);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
