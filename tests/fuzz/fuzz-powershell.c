// SPDX-License-Identifier: Apache-2.0
/* Any bytes are PowerShell: what is found keeps its promises. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/script.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct la_script *script, size_t size)
{
	const struct la_script_assignment *a;
	size_t count, i;

	a = la_script_assignments(script, &count);
	for (i = 0; i < count; i++) {
		if ((a[i].value != NULL) != (a[i].fate == LA_SCRIPT_ARRIVES))
			abort();
		if (a[i].fate == LA_SCRIPT_UNKNOWN && !a[i].diagnostic_count)
			abort();
		if (a[i].offset > size || a[i].length > size - a[i].offset)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct la_script_options options = { .kind = LA_SCRIPT_POWERSHELL };
	static const char *const short_names[] = { "V", NULL };
	struct la_script *script;
	int ret;

	if (size && *data & 1)
		options.watched = short_names;
	if (size && *data & 2)
		options.platform = LA_PLATFORM_WINDOWS;
	ret = la_script_read(&script, (const char *)data, size, &options, NULL);
	if (!ret) {
		check(script, size);
		la_script_free(script);
	} else if (ret != -EFBIG && ret != -ENOTSUP) {
		abort();
	}
	return 0;
}
