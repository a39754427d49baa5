// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes are a core or an error with a text.  What is found there is text,
 * is no more than there is, and is the same when it is sought again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "triage/core.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct found {
	size_t size; /* bytes, blank lines between runs included */
	size_t runs;
	uint32_t sum; /* of all bytes */
};

static void must(int holds)
{
	if (!holds)
		abort();
}

static int take(void *arg, const void *data, size_t size)
{
	const uint8_t *p = data, *end = p + size;
	struct found *found = arg;

	found->size += size;
	found->runs += size == 2;
	for (; p < end; p++) {
		must(*p < 0x7f && (*p >= 0x20 || strchr("\n\t\r\x1b", *p)));
		found->sum = found->sum * 31 + *p;
	}
	return 0;
}

static void check_info(const struct la_core_info *info)
{
	size_t i;

	must(info->started_count <= info->environment_count);
	must(!info->command || info->command[0]);
	must(!info->arguments || info->arguments[0]);
	for (i = 0; i < info->environment_count; i++) {
		const char *value = strchr(info->environment[i], '=');

		must(value && value > info->environment[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct found first = { 0 }, second = { 0 };
	struct la_error err = { .code = 1 };
	struct la_core *core = NULL;
	int ret = la_core_read(&core, data, size, &err);

	if (ret < 0) {
		must(!core && err.code == ret && err.text[0]);
		return 0;
	}
	must(err.code == 1);
	ret = la_core_scan(core, take, &first, &err);
	must(ret == 0 || err.code == ret);
	check_info(la_core_info(core));
	must(la_core_scan(core, take, &second, NULL) == ret);
	must(first.size == second.size && first.sum == second.sum);
	must(data[0] != 0x7f || first.size - 2 * first.runs <= size);
	la_core_free(core);
	return 0;
}
