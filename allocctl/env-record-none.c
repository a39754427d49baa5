// SPDX-License-Identifier: Apache-2.0
/* env-record.c of a build without a JSON reader. */
#include "cmd.h"
#include "env.h"
#include "print.h"

int env_record(struct la_env **out, const char *path)
{
	(void)out;
	print_error("%s: this build cannot read JSON: it was made without "
		    "jansson", path);
	return STATUS_CANNOT_TELL;
}
