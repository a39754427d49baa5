// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as a policy, and a policy with a piece of them in it: a place for
 * every error, and judgements inside the setting.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/setting.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const struct la_policy *policy, const char *text,
		  size_t length)
{
	const struct la_setting_context context = {
		.release = LA_RELEASE(2, 11),
	};
	const struct la_policy_subject subject = {
		.variable = "PYTORCH_CUDA_ALLOC_CONF",
		.user = "user",
		.path = "/opt/program",
	};
	const struct la_policy_violation *violation;
	struct la_policy_result *result;
	size_t i, nr;

	assert(!la_policy_check(&result, policy, text, length, &context,
				&subject));
	violation = la_policy_violations(result, &nr);
	assert(!nr || !la_policy_exemption_line(result));
	for (i = 0; i < nr; i++) {
		assert(*violation[i].text);
		assert(violation[i].offset <= length);
		assert(violation[i].length <= length - violation[i].offset);
	}
	la_policy_result_free(result);
}

static void check_policy(const char *text, size_t length)
{
	static const char setting[] = "max_split_size_mb:64,backend:native,"
				      "roundup_power2_divisions:[64:4,>:8]";
	struct la_policy *policy = NULL;
	struct la_error err = { 0 };
	int code = la_policy_parse(&policy, text, length, &err);

	if (code < 0) {
		assert(code == err.code && !policy && *err.text);
		assert(err.offset == LA_NO_OFFSET || err.offset <= length);
		return;
	}
	judge(policy, setting, strlen(setting));
	judge(policy, text, length);
	la_policy_free(policy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const heads[] = {
		"policy: 1\n",
		"policy: 1\noptions:\n",
		"policy: 1\noptions:\n  max_split_size_mb: ",
		"policy: 1\nexempt:\n",
	};
	char text[4096];
	int length;

	check_policy((const char *)data, size);
	if (!size || size > 2048)
		return 0;
	length = snprintf(text, sizeof(text), "%s%.*s", heads[data[0] % 4],
			  (int)size - 1, (const char *)data + 1);
	check_policy(text, (size_t)length);
	return 0;
}
