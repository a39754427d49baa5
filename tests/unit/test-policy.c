// SPDX-License-Identifier: Apache-2.0
/* Policies: what they say, what is wrong with them, whom they exempt. */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

#include "util/util.h"

#ifdef HAVE_YAML

static const char site[] = "policy: 1\n"
			   "torch: { from: 2.1, to: 2.12, except: [2.9] }\n"
			   "variables: [PYTORCH_CUDA_ALLOC_CONF]\n"
			   "options:\n"
			   "  expandable_segments:\n" /* line 5 */
			   "    rule: required\n"
			   "    values: [True]\n"
			   "    reason: our recordings say so\n"
			   "  max_split_size_mb:\n"
			   "    min: 64\n" /* line 10 */
			   "    max: 1024\n"
			   "  roundup_power2_divisions: { max: 8 }\n"
			   "  backend: { values: native }\n"
			   "  garbage_collection_threshold: forbidden\n"
			   "other_options: forbidden\n" /* line 15 */
			   "exempt:\n"
			   "  - user: alice\n"
			   "    path: /scratch/*/bench-?\n"
			   "  - path: /opt/legacy*\n";

static const struct {
	const char *text;
	unsigned int minor; /* release 2.minor; 0: 2.11 */
	const char *variable, *user, *path;
	int codes[4];
	size_t line; /* of the first violation, or of the exemption */
	uint64_t offset;
} judged[] = {
	{ "expandable_segments:True", 0, NULL, NULL, NULL, { 0 }, 0, 0 },
	{ "", 0, NULL, NULL, NULL, { 303 }, 5, 0 },
	{ "expandable_segments:False", 0, NULL, NULL, NULL, { 305 }, 7, 0 },
	{ "expandable_segments:True,max_split_size_mb:64",
	  0,
	  NULL,
	  NULL,
	  NULL,
	  { 0 },
	  0,
	  0 },
	{ "expandable_segments:True,max_split_size_mb:63",
	  0,
	  NULL,
	  NULL,
	  NULL,
	  { 304 },
	  10,
	  25 },
	{ "expandable_segments:True,max_split_size_mb:1024MB",
	  0,
	  NULL,
	  NULL,
	  NULL,
	  { 0 },
	  0,
	  0 },
	{ "expandable_segments:True,max_split_size_mb:1025",
	  0,
	  NULL,
	  NULL,
	  NULL,
	  { 304 },
	  11,
	  25 },
	{ "expandable_segments:True,roundup_power2_divisions:[64:8,>:16]",
	  0,
	  NULL,
	  NULL,
	  NULL,
	  { 304 },
	  12,
	  25 },
	{ "expandable_segments:True,backend:cudaMallocAsync",
	  0,
	  NULL,
	  NULL,
	  NULL,
	  { 305 },
	  13,
	  25 },
	{ "expandable_segments:True,backend:native",
	  0,
	  NULL,
	  NULL,
	  NULL,
	  { 0 },
	  0,
	  0 },
	{ "garbage_collection_threshold:0.8,expandable_segments:True",
	  0,
	  NULL,
	  NULL,
	  NULL,
	  { 302 },
	  14,
	  0 },
	{ "expandable_segments:True,pinned_use_background_threads:True",
	  0,
	  NULL,
	  NULL,
	  NULL,
	  { 306 },
	  15,
	  25 },
	{ "expandable_segments:true", 0, NULL, NULL, NULL, { 301 }, 0, 0 },
	{ "expandable_segments:True", 13, NULL, NULL, NULL, { 308 }, 2, 0 },
	{ "expandable_segments:True", 9, NULL, NULL, NULL, { 308 }, 2, 0 },
	{ "", 13, "PYTORCH_ALLOC_CONF", NULL, NULL, { 308, 307, 303 }, 2, 0 },
	{ "expandable_segments:True",
	  0,
	  "PYTORCH_ALLOC_CONF",
	  NULL,
	  NULL,
	  { 307 },
	  3,
	  0 },
	{ "expandable_segments:True",
	  0,
	  "PYTORCH_CUDA_ALLOC_CONF",
	  NULL,
	  NULL,
	  { 0 },
	  0,
	  0 },
	{ "x:1", 0, NULL, "alice", "/scratch/a/b/bench-1", { 0 }, 17, 0 },
	{ "", 0, NULL, "alice", "/scratch/a/bench-12", { 303 }, 5, 0 },
	{ "", 0, NULL, "bob", "/scratch/a/bench-1", { 303 }, 5, 0 },
	{ "", 0, NULL, "alice", NULL, { 303 }, 5, 0 },
	{ "", 0, NULL, NULL, "/opt/legacy/bin/train", { 0 }, 19, 0 },
	{ "", 0, NULL, NULL, "/opt/other", { 303 }, 5, 0 },
};

START_TEST(test_judgement)
{
	const struct la_setting_context context = {
		.release = LA_RELEASE(2, judged[_i].minor ?: 11),
	};
	const struct la_policy_subject subject = {
		.variable = judged[_i].variable,
		.user = judged[_i].user,
		.path = judged[_i].path,
	};
	const struct la_policy_violation *violation;
	struct la_policy_result *result;
	struct la_policy *policy;
	size_t i, nr;

	ck_assert_int_eq(la_policy_parse(&policy, site, strlen(site), NULL), 0);
	ck_assert_int_eq(la_policy_check(&result, policy, judged[_i].text,
					 strlen(judged[_i].text), &context,
					 &subject),
			 0);
	violation = la_policy_violations(result, &nr);
	for (i = 0; i < nr; i++)
		ck_assert_int_eq((int)violation[i].code, judged[_i].codes[i]);
	ck_assert_int_eq(judged[_i].codes[nr], 0);
	if (nr) {
		ck_assert_uint_eq(violation[0].line, judged[_i].line);
		ck_assert_uint_eq(violation[0].offset, judged[_i].offset);
		ck_assert_uint_eq(la_policy_exemption_line(result), 0);
	} else {
		ck_assert_uint_eq(la_policy_exemption_line(result),
				  judged[_i].line);
	}
	la_policy_result_free(result);
	la_policy_free(policy);
}
END_TEST

static const struct {
	const char *text, *error;
} wrong[] = {
	{ "", "line 1, column 1: empty" },
	{ "[]", "line 1, column 1: a policy begins with 'policy: 1'" },
	{ "torch: {}", "line 1, column 1: a policy begins with 'policy: 1'" },
	{ "policy: 2", "line 1, column 9: this reader knows policy: 1" },
	{ "policy: 1\nrules: 1", "line 2, column 1: unknown key 'rules'" },
	{ "policy: 1\ntorch: { since: 2.1 }",
	  "line 2, column 10: unknown key 'since'" },
	{ "policy: 1\ntorch: { from: [2.1] }",
	  "line 2, column 16: a release of torch is wanted" },
	{ "policy: 1\ntorch: { to: 9.9 }",
	  "line 2, column 14: newer than any known release" },
	{ "policy: 1\ntorch: { from: 2.6, to: 2.4 }",
	  "line 2, column 8: from is newer than to" },
	{ "policy: 1\nvariables: [PYTORCH_ALLOC_CONF, ALLOC_CONF]",
	  "line 2, column 33: no release reads a variable 'ALLOC_CONF'" },
	{ "policy: 1\nvariables: { a: b }",
	  "line 2, column 12: a list is wanted" },
	{ "policy: 1\nvariables: ['']", "line 2, column 13: a word is wanted" },
	{ "policy: 1\noptions:\n  max_split: allowed",
	  "line 3, column 3: no release has an option 'max_split'" },
	{ "policy: 1\noptions:\n  backend: maybe",
	  "line 3, column 12: allowed, required or forbidden" },
	{ "policy: 1\noptions:\n  backend: { rule: allowed, low: 1 }",
	  "line 3, column 29: unknown key 'low'" },
	{ "policy: 1\noptions:\n  backend: { min: 1 }",
	  "line 3, column 14: backend takes words, not numbers: use values" },
	{ "policy: 1\noptions:\n  backend: { values: [cudaMalloc] }",
	  "line 3, column 23: no release takes backend:cudaMalloc" },
	{ "policy: 1\noptions:\n  max_split_size_mb: { min: 9, max: 8 }",
	  "line 3, column 22: min is above max" },
	{ "policy: 1\noptions:\n  max_split_size_mb: { min: a }",
	  "line 3, column 29: no number, or one too large" },
	{ "policy: 1\noptions:\n  backend: { rule: forbidden, values: native }",
	  "line 3, column 12: what is forbidden has no values" },
	{ "policy: 1\nother_options: never",
	  "line 2, column 16: allowed or forbidden" },
	{ "policy: 1\nexempt: { user: a }",
	  "line 2, column 9: a list is wanted" },
	{ "policy: 1\nexempt: [{ reason: a }]",
	  "line 2, column 10: a user or a path is wanted" },
	{ "policy: 1\nexempt: [{ path: a }]",
	  "line 2, column 18: an absolute path is wanted" },
	{ "policy: 1\nexempt: [{ user: [a] }]",
	  "line 2, column 18: a word is wanted" },
	{ "policy: 1\ntorch: 2.1",
	  "line 2, column 8: keys and values are wanted" },
	{ "policy: 1\noptions: []",
	  "line 2, column 10: options and rules are wanted" },
	{ "policy: 1\nexempt: [{ user: a, reason: [b] }]",
	  "line 2, column 29: a text is wanted" },
	{ "policy: 1\nrepair: [a]",
	  "line 2, column 9: a setting is wanted" },
	{ "policy: 1\ntorch: &a { from: 2.1 }",
	  "line 2, column 8: anchors are not taken here" },
};

START_TEST(test_what_is_wrong_is_told_with_its_place)
{
	struct la_policy *policy = NULL;
	struct la_error err = { 0 };

	ck_assert_int_eq(la_policy_parse(&policy, wrong[_i].text,
					 strlen(wrong[_i].text), &err),
			 -EBADMSG);
	ck_assert_str_eq(err.text, wrong[_i].error);
	ck_assert_ptr_null(policy);
}
END_TEST

START_TEST(test_the_shipped_example_is_a_policy)
{
	struct la_policy *policy;

	ck_assert_int_eq(
		la_policy_read(&policy, "conf/policy.example.yaml", NULL), 0);
	la_policy_free(policy);
	ck_assert_int_eq(la_policy_read(&policy, "/nonexistent", NULL),
			 -ENOENT);
}
END_TEST

static void add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, test_judgement, 0, ARRAY_SIZE(judged));
	tcase_add_loop_test(tc, test_what_is_wrong_is_told_with_its_place, 0,
			    ARRAY_SIZE(wrong));
	tcase_add_test(tc, test_the_shipped_example_is_a_policy);
}

#else

START_TEST(test_without_libyaml_it_is_enotsup)
{
	struct la_policy *policy = NULL;
	struct la_error err;

	ck_assert_int_eq(la_policy_parse(&policy, "policy: 1", 9, &err),
			 -ENOTSUP);
	ck_assert_str_ne(err.text, "");
	ck_assert_ptr_null(policy);
}
END_TEST

static void add_tests(TCase *tc)
{
	tcase_add_test(tc, test_without_libyaml_it_is_enotsup);
}

#endif

int main(void)
{
	Suite *s = suite_create("policy");
	TCase *tc = tcase_create("policy");
	SRunner *sr = srunner_create(s);
	int failed;

	add_tests(tc);
	suite_add_tcase(s, tc);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
