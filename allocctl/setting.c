// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "report.h"
#include "setting.h"

int setting_read(struct la_setting **out, const char *text)
{
	struct la_error err;
	int code = la_setting_parse(out, text, strlen(text), LA_SET_AT_INIT,
				    &err);

	if (!code)
		return STATUS_DONE;
	if (code != -EINVAL) {
		report_error("out of memory");
		return STATUS_CANNOT_TELL;
	}
	report_error("torch refuses the setting '%s': %s", text, err.text);
	return STATUS_FINDINGS;
}
