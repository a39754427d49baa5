// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <string.h>

#include "cmd.h"
#include "print.h"
#include "setting.h"

int setting_read(struct la_setting **out, const char *text,
		 unsigned int release)
{
	return setting_read_at(out, text, release, LA_SET_AT_INIT);
}

int setting_read_at(struct la_setting **out, const char *text,
		    unsigned int release, enum la_set_at set_at)
{
	const struct la_setting_context context = {
		.release = release,
		.set_at = set_at,
	};
	struct la_error err;
	int code = la_setting_parse_for(out, text, strlen(text), &context,
					&err);

	if (!code)
		return STATUS_DONE;
	if (code != -EINVAL)
		return print_no_memory();
	print_error("torch refuses the setting '%s': %s", text, err.text);
	return STATUS_FINDINGS;
}
