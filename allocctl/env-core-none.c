// SPDX-License-Identifier: Apache-2.0
#include "cmd.h"
#include "env.h"
#include "report.h"

int env_core(struct la_env **out, const char *path)
{
	(void)out;
	report_error("%s: core files are not read on this system", path);
	return STATUS_CANNOT_TELL;
}
