// SPDX-License-Identifier: Apache-2.0
/* The environment of a dead process, from its core file. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <liballoc/triage.h>

#include "cmd.h"
#include "env.h"
#include "print.h"

static int take(struct la_env **out, const struct la_core_info *info)
{
	size_t count = info->started_count;

	if (la_env_of_entries(out, info->environment, count,
			      LA_PLATFORM_LINUX) < 0)
		return print_no_memory();
	if (count)
		return STATUS_DONE;
	print_error("the core file does not hold the environment that the "
		    "process was started with");
	return STATUS_CANNOT_TELL;
}

static bool is_record(const char *path)
{
	FILE *file;
	int c;

	if (!strcmp(path, "-"))
		return true;
	file = fopen(path, "rb");
	if (!file)
		return false;
	c = getc(file);
	fclose(file);
	return c == '{';
}

static int read_core(struct la_env **out, const char *path)
{
	int status = STATUS_CANNOT_TELL;
	struct la_core *core = NULL;
	struct la_log *log = NULL;
	struct la_error err;

	if (la_core_open(&core, path, &err) < 0)
		print_error("%s: %s", path, err.text);
	else if (la_log_new(&log) < 0)
		status = print_no_memory();
	else if (la_core_search(core, log, &err) < 0)
		print_error("%s: %s", path, err.text);
	else
		status = take(out, la_core_info(core));
	la_log_free(log);
	la_core_free(core);
	return status;
}

int env_core(struct la_env **out, const char *path)
{
	return is_record(path) ? env_record(out, path) : read_core(out, path);
}
