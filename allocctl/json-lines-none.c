// SPDX-License-Identifier: Apache-2.0
/* json-lines.c of a build without a JSON reader. */
#include "cmd.h"
#include "json-lines.h"
#include "print.h"

int json_lines_read(FILE *stream, json_lines_fn *fn, void *arg)
{
	(void)stream;
	(void)fn;
	(void)arg;
	print_error("this build cannot read JSON: it was made without "
		    "jansson");
	return STATUS_CANNOT_TELL;
}
