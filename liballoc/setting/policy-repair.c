// SPDX-License-Identifier: Apache-2.0
/* The setting that stands in for one that breaks a policy. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "setting/policy.h"
#include "util/util.h"

/* 1: it obeys, 0: it does not, or -errno. */
static int obeys(const struct la_policy *policy, const char *text,
		 size_t length, const struct la_setting_context *context,
		 const struct la_policy_subject *subject)
{
	struct la_policy_result *result;
	size_t violations;
	int code = la_policy_check(&result, policy, text, length, context,
				   subject);

	if (code < 0)
		return code;
	la_policy_violations(result, &violations);
	la_policy_result_free(result);
	return !violations;
}

LA_EXPORT int la_policy_repair(char **out, const struct la_policy *policy,
			       const char *text, size_t length,
			       const struct la_setting_context *context,
			       const struct la_policy_subject *subject)
{
	struct la_setting_check *check;
	const char *candidate[2];
	int code, i;

	*out = NULL;
	code = obeys(policy, text, length, context, subject);
	if (code)
		return code < 0 ? code : 0;
	if (!policy->repair)
		return -ENOENT;
	code = la_setting_check_new(&check, text, length, context);
	if (code < 0)
		return code;
	candidate[0] = la_setting_check_correction(check);
	if (candidate[0] && !*candidate[0]) /* nothing of it was understood */
		candidate[0] = NULL;
	candidate[1] = policy->repair;
	for (i = 0; i < 2 && !code; i++) {
		if (!candidate[i])
			continue;
		code = obeys(policy, candidate[i], strlen(candidate[i]),
			     context, subject);
		if (code > 0)
			*out = strdup(candidate[i]);
		if (code > 0 && !*out)
			code = -ENOMEM;
	}
	la_setting_check_free(check);
	return code ? code : -ENOENT;
}
