// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes are a script of any kind: what is found keeps its promises.  The
 * first byte: its low five bits are the kind, the others what is asked.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <liballoc/script.h>

enum { SHORT_NAMES = 1 << 5, WINDOWS = 1 << 6, KIND = SHORT_NAMES - 1 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_said(const struct la_script_diagnostic *said, size_t count,
		       size_t size)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!said[i].text || !said[i].kind || !said[i].line ||
		    !said[i].column || said[i].offset > size ||
		    said[i].length > size - said[i].offset)
			abort();
}

static void check(const struct la_script *script, size_t size)
{
	const struct la_script_assignment *a;
	const struct la_script_diagnostic *said;
	size_t count, i;

	a = la_script_assignments(script, &count);
	for (i = 0; i < count; i++) {
		if (a[i].value && a[i].fate != LA_SCRIPT_ARRIVES)
			abort();
		if (!a[i].value && a[i].fate == LA_SCRIPT_ARRIVES)
			abort();
		if (a[i].fate == LA_SCRIPT_UNKNOWN && !a[i].diagnostic_count)
			abort();
		if (a[i].offset > size || a[i].length > size - a[i].offset)
			abort();
		check_said(a[i].diagnostics, a[i].diagnostic_count, size);
	}
	said = la_script_diagnostics(script, &count);
	check_said(said, count, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const short_names[] = { "V", "W", NULL };
	struct la_script_options options = { 0 };
	struct la_script *script;
	struct la_error err;

	if (!size)
		return 0;
	options.kind = (enum la_script_kind)((*data & KIND) % LA_SCRIPT_KINDS);
	if (*data & SHORT_NAMES)
		options.watched = short_names;
	if (*data & WINDOWS)
		options.platform = LA_PLATFORM_WINDOWS;
	if (la_script_read(&script, (const char *)data + 1, size - 1, &options,
			   &err))
		return 0;
	check(script, size - 1);
	la_script_free(script);
	return 0;
}
