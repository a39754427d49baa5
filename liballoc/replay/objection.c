// SPDX-License-Identifier: Apache-2.0
/* What is said against a setting in the release that it would be used with. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "replay/tuning.h"

/* Keep the first of what is said that counts; a cap can be added. */
static int object(const char *said, char **text)
{
	if (*text)
		return 0;
	*text = strdup(said);
	return *text ? 0 : -ENOMEM;
}

static int object_to_remarks(const struct la_setting_check *check, char **text,
			     bool *wants_cap)
{
	const struct la_setting_remark *remark;
	size_t count, i, others = 0, caps = 0;
	int code = 0;

	remark = la_setting_check_remarks(check, &count);
	for (i = 0; i < count && !code; i++) {
		if (remark[i].severity != LA_SEVERITY_WARNING)
			continue;
		if (remark[i].code == LA_REMARK_NEEDS_CAP)
			caps++;
		else
			others++;
		code = object(remark[i].text, text);
	}
	*wants_cap = caps && !others;
	return code;
}

int tuning_object(const char *setting, unsigned int release, char **text,
		  bool *wants_cap)
{
	const struct la_setting_context context = {
		.release = release,
		.set_at = LA_SET_AT_IMPORT,
	};
	const struct la_setting_refusal *refusal;
	struct la_setting_check *check;
	char *said = NULL;
	int code = la_setting_check_new(&check, setting, strlen(setting),
					&context);

	if (code < 0)
		return code;
	*wants_cap = false;
	refusal = la_setting_check_refusal(check);
	code = refusal ? object(refusal->text, &said) :
			 object_to_remarks(check, &said, wants_cap);
	la_setting_check_free(check);
	if (code < 0) {
		free(said);
		return code;
	}
	*text = said;
	return 0;
}
