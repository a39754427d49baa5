// SPDX-License-Identifier: Apache-2.0
/* What all systems share of looking at a process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "env/internal.h"
#include "util/error.h"
#include "util/util.h"

LA_EXPORT void la_env_process_free(struct la_env_process *process)
{
	if (!process)
		return;
	la_env_free(process->initial);
	la_env_free(process->current);
	free(process->command);
	free(process->arguments);
	free(process->program);
	free(process->folder);
	free(process->root);
	free(process->unit);
	free(process->torch);
	free(process->current_from);
	free(process);
}

static void show(struct la_env_process *process)
{
	struct la_env_process_info *info = &process->info;

	info->command = process->command;
	info->arguments = process->arguments;
	info->program = process->program;
	info->folder = process->folder;
	info->root = process->root ? process->root : "";
	info->unit = process->unit;
	info->torch = process->torch;
	info->initial = process->initial;
	info->current = process->current;
	info->current_from = process->current_from;
}

LA_EXPORT int la_env_process_open(struct la_env_process **out, int64_t pid,
				  struct la_error *err)
{
	struct la_env_process *process = calloc(1, sizeof(*process));
	int ret;

	if (!process)
		return la_error_set(err, -ENOMEM, LA_NO_OFFSET,
				    "out of memory");
	ret = la_env_process_read(process, pid, err);
	if (ret < 0) {
		la_env_process_free(process);
		return ret;
	}
	show(process);
	*out = process;
	return 0;
}

LA_EXPORT const struct la_env_process_info *
la_env_process_info(const struct la_env_process *process)
{
	return &process->info;
}
