// SPDX-License-Identifier: Apache-2.0
/* allocctl triage: settings as the failed process reads them. */

#include <string.h>

#include "triage.h"
#include "util/util.h"

const enum la_script_kind triage_shells[] = {
	LA_SCRIPT_BASH,
	LA_SCRIPT_CMD_PROMPT,
	LA_SCRIPT_POWERSHELL,
};

const char *const triage_shell_names[] = { "bash", "cmd", "powershell", NULL };

/* A release that the facts allow, for what settings mean. */
static unsigned int release_of(const struct la_facts *facts)
{
	unsigned int newest = LA_RELEASE(2, 11);

	if (facts->release[1] && facts->release[1] < newest)
		newest = facts->release[1];
	return facts->release[0] > newest ? facts->release[0] : newest;
}

struct la_setting_context triage_context(const struct la_facts *facts)
{
	struct la_setting_context context = { .set_at = LA_SET_AT_IMPORT };
	unsigned int wanted = release_of(facts);
	size_t i;

	for (i = 0; la_release_at(i); i++)
		if (!i || la_release_at(i)->number <= wanted)
			context.release = la_release_at(i)->number;
	if (facts->backend && !strcmp(facts->backend, "hip"))
		context.build = LA_BUILD_ROCM;
	return context;
}

/* The variable that the release reads. */
static const char *variable_of(const struct la_facts *facts)
{
	static const char *const names[] = { "PYTORCH_CUDA_ALLOC_CONF",
					     "PYTORCH_HIP_ALLOC_CONF",
					     "PYTORCH_ALLOC_CONF" };
	struct la_setting_context context = triage_context(facts);
	size_t i;

	/* Not of torch itself. */
	if (facts->backend && !strcmp(facts->backend, "npu"))
		return "PYTORCH_NPU_ALLOC_CONF";
	/* Every build for ROCm reads its own name. */
	for (i = context.build == LA_BUILD_ROCM; i < ARRAY_SIZE(names); i++)
		if (!la_setting_variable_unread(names[i], &context))
			return names[i];
	return names[0];
}

char *triage_line(const struct triage_oom *oom, enum la_script_kind shell,
		  const char *setting)
{
	char *line;

	if (la_script_write(shell, variable_of(&oom->facts), setting, &line,
			    NULL) < 0)
		return NULL;
	return line;
}
